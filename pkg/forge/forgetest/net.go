// Package forgetest is the test bench of the adapters: a network inside the process
// with any number of host names, a clock that never waits, a run of the fetch stage
// against both, and Conform, the suite that every adapter has to pass: determinism,
// completeness, and a walk over every answer with every fault.
//
// The package is for tests only.
package forgetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// Seen is one request as it arrived.
type Seen struct {
	URL    string
	Method string
	Header http.Header
	Body   string
}

// Key tells requests apart whatever their order: method, address and body.
func (s Seen) Key() string { return s.Method + " " + s.URL + " " + s.Body }

// Net is a network of handlers by authority ("api.github.com"), reachable as an
// http.RoundTripper. It is safe for concurrent use.
type Net struct {
	Hosts map[string]http.Handler
	// Fault, if set, chooses what happens to an answer: nth counts the requests of the
	// same key from 0.
	Fault func(key string, nth int) Fault

	mu    sync.Mutex
	seen  []Seen
	count map[string]int
}

// Requests gives what has arrived, sorted by key: concurrency leaves no order.
func (n *Net) Requests() []Seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := slices.Clone(n.seen)
	slices.SortFunc(out, func(a, b Seen) int { return bytes.Compare([]byte(a.Key()), []byte(b.Key())) })
	return out
}

// RoundTrip implements http.RoundTripper.
func (n *Net) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s := Seen{URL: r.URL.String(), Method: r.Method, Header: r.Header.Clone(), Body: string(body)}
	n.mu.Lock()
	n.seen = append(n.seen, s)
	if n.count == nil {
		n.count = map[string]int{}
	}
	nth := n.count[s.Key()]
	n.count[s.Key()]++
	n.mu.Unlock()
	handler := n.Hosts[r.URL.Host]
	if handler == nil {
		return nil, fmt.Errorf("forgetest: no host %s", r.URL.Host)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	answer := recorder.Result()
	answer.Request = r
	if n.Fault != nil {
		if f := n.Fault(s.Key(), nth); f != nil {
			return f(r, answer)
		}
	}
	return answer, nil
}

// Clock is a clock on which sleeping costs nothing. It is safe for concurrent use.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	Slept []time.Duration
}

// NewClock starts at a fixed time.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)} }

// Now implements client.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Sleep implements client.Clock.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	c.now = c.now.Add(d)
	c.Slept = append(c.Slept, d)
	c.mu.Unlock()
	return ctx.Err()
}

// Fault turns a good answer into another outcome.
type Fault func(r *http.Request, good *http.Response) (*http.Response, error)

var errTransfer = errors.New("forgetest: the transfer broke")

// Drop loses the connection before an answer.
func Drop(*http.Request, *http.Response) (*http.Response, error) { return nil, errTransfer }

// Cut breaks the transfer in the middle of the body, as a wrong length does.
func Cut(_ *http.Request, good *http.Response) (*http.Response, error) {
	body, _ := io.ReadAll(good.Body)
	good.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:len(body)/2]), failing{}))
	return good, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Delay never answers within any time limit.
func Delay(r *http.Request, _ *http.Response) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Answer replaces the answer.
func Answer(status int, header http.Header, body string) Fault {
	return func(r *http.Request, good *http.Response) (*http.Response, error) {
		h := header.Clone()
		if h == nil {
			h = http.Header{}
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

// EditJSON changes the body of a good JSON answer; other bodies stay.
func EditJSON(edit func(v any) any) Fault {
	return func(_ *http.Request, good *http.Response) (*http.Response, error) {
		body, _ := io.ReadAll(good.Body)
		if edited, ok := editJSON(body, edit); ok {
			body = edited
		}
		good.Body = io.NopCloser(bytes.NewReader(body))
		return good, nil
	}
}
