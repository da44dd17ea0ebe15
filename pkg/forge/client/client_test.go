package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"snapline/pkg/forge/client"
	"snapline/pkg/requirement"
)

const secret = "a-token+that/must=stay"

// clock never waits.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func (c *clock) total() (sum time.Duration) {
	for _, d := range c.slept {
		sum += d
	}
	return sum
}

func newClock() *clock { return &clock{now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)} }

func dial(t *testing.T, origin string, change func(*client.Config)) *client.Client {
	t.Helper()
	cfg := client.Config{
		Origin: origin, Credential: client.NewCredential("Authorization", "Bearer ", secret), UserAgent: "test",
		MaxWait: 2 * time.Minute, Clock: newClock(), Random: func() float64 { return 1 },
	}
	if change != nil {
		change(&cfg)
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answers serves a fixed list of answers, the last one for ever.
func answers(t *testing.T, list ...func(http.ResponseWriter, *http.Request)) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		list[min(i, len(list)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return s, &n
}

func status(code int, header http.Header, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func ok(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) }

func get(c *client.Client) (*client.Response, error) {
	return c.Do(context.Background(), client.Request{Path: "/x", Where: "a thing", Limit: 1 << 20})
}

// TestLimits: every documented shape of a limit is waited out or ends the request with
// the time of its end.
func TestLimits(t *testing.T) {
	at := newClock().now
	date := at.Add(30 * time.Second).UTC().Format(http.TimeFormat)
	reset := fmt.Sprint(at.Add(50 * time.Second).Unix())
	farReset := fmt.Sprint(at.Add(time.Hour).Unix())
	limit := `{"message":"You have exceeded a secondary rate limit"}`
	for _, c := range []struct {
		name   string
		code   int
		header http.Header
		body   string
		wait   time.Duration // 0: the request fails at once
		kind   client.Kind   // of that failure
	}{
		{"429 with seconds", 429, http.Header{"Retry-After": {"7"}}, "", 7 * time.Second, 0},
		{"429 with a date", 429, http.Header{"Retry-After": {date}}, "", 30 * time.Second, 0},
		{"429 with nonsense", 429, http.Header{"Retry-After": {"soon"}}, "", time.Minute, 0},
		{"429 with nothing", 429, nil, "Retry later", time.Minute, 0},
		{"429 GitLab", 429, http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {reset}}, `{"message":{"error":"too many"}}`, 51 * time.Second, 0},
		{"403 secondary with seconds", 403, http.Header{"Retry-After": {"1"}, "X-Ratelimit-Remaining": {"4200"}}, limit, time.Second, 0},
		{"403 secondary with nothing", 403, http.Header{"X-Ratelimit-Remaining": {"4200"}}, limit, time.Minute, 0},
		{"403 abuse", 403, nil, `{"message":"You have triggered an abuse detection mechanism. Please wait"}`, time.Minute, 0},
		{"403 primary", 403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}}, `{"message":"API rate limit exceeded for user"}`, 51 * time.Second, 0},
		{"403 primary, text only", 403, nil, `{"message":"API rate limit exceeded"}`, time.Minute, 0},
		{"503 that says when", 503, http.Header{"Retry-After": {"3"}}, "<html>", 3 * time.Second, 0},
		{"reset in the past", 403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1"}}, "{}", time.Second, 0},
		{"too far away", 403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {farReset}}, "{}", 0, client.Limited},
		{"seconds beyond the budget", 429, http.Header{"Retry-After": {"121"}}, "", 0, client.Limited},
		{"seconds at the budget", 429, http.Header{"Retry-After": {"120"}}, "", 120 * time.Second, 0},
		{"refusal: admin rights", 403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {reset}}, `{"message":"Must have admin rights to Repository."}`, 0, client.Forbidden},
		{"refusal: integration", 403, http.Header{"X-Ratelimit-Remaining": {"4200"}}, `{"message":"Resource not accessible by integration"}`, 0, client.Forbidden},
		{"refusal: nothing said", 403, nil, "", 0, client.Forbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, n := answers(t, status(c.code, c.header, c.body), ok)
			clk := newClock()
			_, err := get(dial(t, s.URL, func(cfg *client.Config) { cfg.Clock = clk }))
			if c.wait == 0 {
				var e *client.Error
				if !errors.As(err, &e) || e.Kind != c.kind || clk.total() != 0 || n.Load() != 1 {
					t.Errorf("err %v, slept %v, %d requests", err, clk.slept, n.Load())
				}
				if c.kind == client.Limited && (e.Reset.IsZero() || !strings.Contains(e.Error(), "resets at 2026-06-01T")) {
					t.Errorf("the end of the limit is not named: %v", e)
				}
				return
			}
			if err != nil || clk.total() != c.wait || n.Load() != 2 {
				t.Errorf("err %v, slept %v, want %v, %d requests", err, clk.total(), c.wait, n.Load())
			}
		})
	}
}

func TestLimitThatLastsIsGivenUpWithinTheBudget(t *testing.T) {
	for name, header := range map[string]http.Header{"nothing said": nil, "always soon": {"Retry-After": {"0"}}} {
		s, n := answers(t, status(429, header, ""))
		clk := newClock()
		_, err := get(dial(t, s.URL, func(cfg *client.Config) { cfg.Clock = clk }))
		if !client.IsKind(err, client.Limited) || clk.total() > 2*time.Minute || n.Load() > 10 {
			t.Errorf("%s: %v after %v and %d requests", name, err, clk.total(), n.Load())
		}
	}
}

func TestRepeats(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"half`)
	}
	drop := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.(*net.TCPConn).Close()
		}
	}
	for _, c := range []struct {
		name  string
		bad   func(http.ResponseWriter, *http.Request)
		kind  client.Kind
		tries int32
	}{
		{"502", status(502, nil, ""), client.ServerError, 4},
		{"503 HTML", status(503, nil, "<html>"), client.ServerError, 4},
		{"504", status(504, nil, ""), client.ServerError, 4},
		{"cut", cut, client.Unreachable, 4},
		{"dropped", drop, client.Unreachable, 4},
		{"500", status(500, nil, ""), client.ServerError, 2},
		{"520", status(520, nil, ""), client.ServerError, 2},
		{"404", status(404, nil, ""), client.NotFound, 1},
		{"410", status(410, nil, ""), client.Gone, 1},
		{"401", status(401, nil, ""), client.Unauthenticated, 1},
		{"418", status(418, nil, ""), client.Unexpected, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := make([]func(http.ResponseWriter, *http.Request), c.tries-1, c.tries)
			for i := range bad {
				bad[i] = c.bad
			}
			s, n := answers(t, append(bad, ok)...)
			if _, err := get(dial(t, s.URL, nil)); err != nil || n.Load() != c.tries {
				t.Errorf("err %v after %d requests", err, n.Load())
			}
			s, n = answers(t, c.bad)
			clk := newClock()
			_, err := get(dial(t, s.URL, func(cfg *client.Config) { cfg.Clock = clk }))
			if !client.IsKind(err, c.kind) || n.Load() != c.tries || clk.total() != time.Duration(1<<(c.tries-1)-1)*time.Second {
				t.Errorf("err %v after %d requests and %v", err, n.Load(), clk.total())
			}
		})
	}
}

func TestJudgeIsAskedAgain(t *testing.T) {
	s, n := answers(t, ok)
	asked := 0
	_, err := dial(t, s.URL, nil).Do(context.Background(), client.Request{Path: "/x", Limit: 100, Judge: func(*client.Response) error {
		if asked++; asked < 3 {
			return &client.Error{Kind: client.Malformed}
		}
		return nil
	}})
	if err != nil || n.Load() != 3 {
		t.Errorf("err %v, %d requests", err, n.Load())
	}
}

func TestCap(t *testing.T) {
	body := strings.Repeat("x", 1000)
	s, _ := answers(t, status(200, nil, body))
	for limit, want := range map[int64]client.Kind{999: client.TooLarge, 1000: 0, 1001: 0} {
		_, err := dial(t, s.URL, nil).Do(context.Background(), client.Request{Path: "/x", Limit: limit})
		if want == 0 && err != nil || want != 0 && !client.IsKind(err, want) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	// A body without an end is read to the cap and no further.
	read := atomic.Int64{}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			n, err := io.WriteString(w, body)
			if read.Add(int64(n)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	if _, err := dial(t, endless.URL, nil).Do(context.Background(), client.Request{Path: "/x", Limit: 1 << 16}); !client.IsKind(err, client.TooLarge) {
		t.Errorf("endless: %v", err)
	}
	if read.Load() > 1<<25 {
		t.Errorf("%d bytes were taken", read.Load())
	}
}

// TestBudgets: all answers together have a cap, of which a quarter is kept for what a
// snapshot cannot be without, and what is thrown away is given back (AMB-87).
func TestBudgets(t *testing.T) {
	requirement.Claim(t, "AMB-87")
	s, _ := answers(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("a", 1000)) })
	c := dial(t, s.URL, func(cfg *client.Config) { cfg.MaxTotal = 4000 })
	ask := func(ctx context.Context, want bool) {
		t.Helper()
		_, err := c.Do(ctx, client.Request{Path: "/x", Limit: 1000})
		if (err == nil) != want || client.OverTotal(err) == want {
			t.Errorf("%v", err)
		}
	}
	ctx := context.Background()
	outer, all := client.WithLedger(ctx)
	inner, part := client.WithLedger(outer)
	for range 3 {
		ask(inner, true)
	}
	ask(ctx, false)
	ask(client.Reserved(inner), true)
	ask(client.Reserved(ctx), false)
	part.Discard()
	for range 3 {
		ask(outer, true)
	}
	ask(outer, false)
	ask(client.Reserved(ctx), true)
	all.Discard()
	for range 3 {
		ask(ctx, true)
	}
	ask(ctx, false)
	ask(client.Reserved(ctx), false)
}

// TestInFlight: at most eight at once, and one at a time after a secondary limit.
func TestInFlight(t *testing.T) {
	for _, narrowed := range []bool{false, true} {
		var now, most, n atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1) == 1 && narrowed {
				status(403, http.Header{"Retry-After": {"1"}}, `{"message":"You have exceeded a secondary rate limit"}`)(w, r)
				return
			}
			if v := now.Add(1); v > most.Load() {
				most.Store(v)
			}
			time.Sleep(2 * time.Millisecond)
			now.Add(-1)
			ok(w, r)
		}))
		c := dial(t, s.URL, nil)
		if _, err := get(c); err != nil {
			t.Fatal(err)
		}
		most.Store(0)
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				if _, err := get(c); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s.Close()
		if narrowed && most.Load() != 1 || !narrowed && (most.Load() > client.MaxInFlight || most.Load() < 2) {
			t.Errorf("narrowed %v: %d in flight", narrowed, most.Load())
		}
	}
}

func TestCancellation(t *testing.T) {
	s, _ := answers(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := dial(t, s.URL, nil).Do(ctx, client.Request{Path: "/x", Limit: 10})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
	// An answer that takes too long is a broken transfer, not a cancellation.
	_, err = dial(t, s.URL, func(cfg *client.Config) { cfg.Timeout = 5 * time.Millisecond }).Do(context.Background(), client.Request{Path: "/x", Limit: 10})
	if !client.IsKind(err, client.Unreachable) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err %v", err)
	}
}

// TestBrokenTransfersSayWhy: what somebody can mend is named, in words without addresses.
func TestBrokenTransfersSayWhy(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	stranger.StartTLS()
	defer stranger.Close()
	slow, _ := answers(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for _, c := range []struct {
		name, origin string
		timeout      time.Duration
		want         string
	}{
		{"refused", closed.URL, time.Minute, "things: no complete answer: the connection is refused"},
		{"untrusted", stranger.URL, time.Minute, "things: no complete answer: the host's certificate is not trusted"},
		{"slow", slow.URL, 5 * time.Millisecond, "things: no complete answer: it took too long"},
	} {
		_, err := dial(t, c.origin, func(cfg *client.Config) { cfg.Timeout = c.timeout }).
			Do(context.Background(), client.Request{Path: "/x", Limit: 10, Where: "things"})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestNext(t *testing.T) {
	for header, want := range map[string]string{
		"": "",
		`<https://api.example/repositories/1/x?page=2>; rel="next", <https://api.example/x?page=9>; rel="last"`: "https://api.example/repositories/1/x?page=2",
		`<https://api.example/x?page=1>; rel="prev", <https://api.example/x?page=1>; rel="first"`:               "",
		`</x?page=2>; rel=next`:                          "/x?page=2",
		`<https://api.example/x>; title="a"; rel="next"`: "https://api.example/x",
		`https://api.example/x; rel="next"`:              "",
		`<https://api.example/x?k=1,2;3>; rel="next"`:    "https://api.example/x?k=1,2;3",
		`</x>;rel="prev",</y>;rel="last next"`:           "/y",
		`<>; rel="next"`:                                 "",
	} {
		if got := client.Next(http.Header{"Link": {header}}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func FuzzLimitHeaders(f *testing.F) {
	f.Add("7", "0", "1780315210", `<x>; rel="next"`)
	f.Add("Mon, 01 Jun 2026 12:00:30 GMT", "", "", "")
	f.Add("-1", "0", "99999999999999999999", "<<>>;;,,rel=next")
	f.Fuzz(func(t *testing.T, after, remaining, reset, link string) {
		header := http.Header{"Retry-After": {after}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "Link": {link}}
		client.Next(header)
		clk := newClock()
		c := dial(t, "https://api.example", func(cfg *client.Config) {
			cfg.Clock = clk
			cfg.Transport = transport(func() *http.Response {
				return &http.Response{StatusCode: 429, Header: header, Body: io.NopCloser(strings.NewReader(""))}
			})
		})
		if _, err := get(c); !client.IsKind(err, client.Limited) || clk.total() > 2*time.Minute {
			t.Fatalf("%v after %v", err, clk.total())
		}
	})
}

type transport func() *http.Response

func (f transport) RoundTrip(*http.Request) (*http.Response, error) { return f(), nil }
