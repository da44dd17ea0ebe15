// Package client is the one HTTP client of all forges. Every request goes to one
// origin and carries a credential that is bound to it; nothing else ever gets the
// credential: no other host, no other port, no redirect, no error text.
//
// It caps responses while reading, repeats broken transfers and server errors with
// jitter, waits out rate limits within a budget, keeps at most MaxInFlight requests
// in flight (one after a secondary limit), and obeys cancellation. Clock, random
// numbers and transport come from outside, so tests run without waiting.
package client

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"snapline/pkg/fault"
)

// MaxInFlight is the number of requests that may be in flight at once.
const MaxInFlight = 8

// The defaults of the two time limits.
const (
	DefaultMaxWait = 2 * time.Minute
	DefaultTimeout = time.Minute
)

// Credential is a secret with the header that carries it. It prints as nothing.
type Credential struct{ header, prefix, secret string }

// NewCredential gives a credential sent as "header: prefix secret". An empty secret
// is no credential.
func NewCredential(header, prefix, secret string) Credential {
	return Credential{header, prefix, secret}
}

// Empty reports that there is no secret.
func (c Credential) Empty() bool { return c.secret == "" }

// String hides the secret from every print.
func (c Credential) String() string { return "credential" }

// GoString hides the secret from %#v.
func (c Credential) GoString() string { return "credential" }

func (c Credential) apply(h http.Header) {
	if !c.Empty() {
		h.Set(c.header, c.prefix+c.secret)
	}
}

// Clock is time as the client sees it.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or for the end of ctx, whose error it gives then.
	Sleep(ctx context.Context, d time.Duration) error
}

// Config is what a Client needs to know.
type Config struct {
	// Origin is scheme and authority of every request, for example
	// "https://api.github.com". https only; http only to a loopback host.
	Origin     string
	Credential Credential
	Header     http.Header   // sent to Origin with every request
	UserAgent  string        // sent everywhere
	MaxWait    time.Duration // total waiting for limits and repeats; 0 means no waiting
	Timeout    time.Duration // for one answer, its body included; 0 means the default
	MaxTotal   int64         // cap of all answers to Do together, in bytes; 0 means none

	// For tests; nil means the real thing.
	Transport http.RoundTripper
	Clock     Clock
	Random    func() float64 // in [0, 1)

	// Observe, if set, is told about every request and every wait. It must not block.
	Observe func(Event)
}

// Event is what Observe gets.
type Event struct {
	Requests int           // sent so far
	Wait     time.Duration // above zero when the client starts waiting
}

// Client sends requests to one origin. It is safe for concurrent use.
type Client struct {
	origin    *url.URL
	cfg       Config
	transport http.RoundTripper
	gate      gate

	mu        sync.Mutex
	requests  int
	received  [budgets]int64 // bytes of answers to Do
	waited    time.Duration  // budget used
	notBefore time.Time      // a limit holds all requests until then
	strikes   int            // secondary limits met in a row
	answered  bool
	date      time.Time         // of the first answer
	places    map[string]string // of renamed repositories: old paths and new ones
}

// Requests gives how many requests were sent, repeats and redirects included.
func (c *Client) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// New checks the origin and gives a Client. It sends nothing.
func New(cfg Config) (*Client, error) {
	origin, err := url.Parse(cfg.Origin)
	if err != nil || origin.Host == "" || origin.User != nil {
		return nil, fault.New(fault.Usage, "fetch.api-url", "the API address is not a URL of a host")
	}
	if err := CheckScheme(origin); err != nil {
		return nil, err
	}
	c := &Client{origin: &url.URL{Scheme: origin.Scheme, Host: origin.Host}, cfg: cfg, transport: cfg.Transport}
	if c.transport == nil {
		c.transport = newTransport(nil, http.ProxyFromEnvironment)
	}
	if c.cfg.Clock == nil {
		c.cfg.Clock = realClock{}
	}
	if c.cfg.Random == nil {
		c.cfg.Random = rand.Float64
	}
	if c.cfg.Timeout <= 0 {
		c.cfg.Timeout = DefaultTimeout
	}
	c.gate.init()
	return c, nil
}

// newTransport gives the real transport. The name localhost is this machine whatever a
// resolver says, and a proxy sees only what is encrypted (AMB-84).
func newTransport(resolver *net.Resolver, proxy func(*http.Request) (*url.URL, error)) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = MaxInFlight
	t.MaxResponseHeaderBytes = 1 << 20
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: resolver}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !strings.EqualFold(host, localhost) {
			return dialer.DialContext(ctx, network, address)
		}
		c, err := dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return c, nil
		}
		if c, second := dialer.DialContext(ctx, network, net.JoinHostPort("::1", port)); second == nil {
			return c, nil
		}
		return nil, err
	}
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != "https" {
			return nil, nil
		}
		return proxy(r)
	}
	return t
}

const dialTimeout = 30 * time.Second

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
