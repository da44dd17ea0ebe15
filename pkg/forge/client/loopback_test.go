package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"snapline/pkg/requirement"
)

// TestWhoSeesARequest counts what a resolver and a proxy are asked for, by a transport
// that is otherwise the real one: plain http reaches this machine alone, by no resolver
// and by no proxy, and a proxy counts for https only (AMB-84).
func TestWhoSeesARequest(t *testing.T) {
	requirement.Claim(t, "AMB-84")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	var resolved, proxied atomic.Int32
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		resolved.Add(1)
		return nil, errors.New("no resolver")
	}}
	proxy := func(*http.Request) (*url.URL, error) {
		proxied.Add(1)
		return nil, errors.New("no proxy")
	}
	for _, c := range []struct {
		origin            string
		made, reached     bool
		resolved, proxied int32
	}{
		{"http://127.0.0.1:" + port, true, true, 0, 0},
		{"http://localhost:" + port, true, true, 0, 0},
		{"http://LOCALHOST:" + port, true, true, 0, 0},
		{"http://api.localhost:" + port, false, false, 0, 0},
		{"http://localhost.:" + port, false, false, 0, 0},
		{"http://localhost.localdomain:" + port, false, false, 0, 0},
		{"http://127.1:" + port, false, false, 0, 0},
		{"http://2130706433:" + port, false, false, 0, 0},
		{"http://0.0.0.0:" + port, false, false, 0, 0},
		{"http://git.example:" + port, false, false, 0, 0},
		{"https://git.invalid:" + port, true, false, 0, 1},
		{"https://api.localhost:" + port, true, false, 0, 1},
	} {
		resolved.Store(0)
		proxied.Store(0)
		client, err := New(Config{
			Origin: c.origin, Credential: NewCredential("Authorization", "Bearer ", "secret"), Transport: newTransport(resolver, proxy),
		})
		if made := err == nil; made != c.made {
			t.Errorf("%s: %v", c.origin, err)
		}
		if err != nil {
			continue
		}
		_, err = client.follow(context.Background(), Request{Path: "/x", Limit: 10}, client.origin)
		if reached := err == nil; reached != c.reached || resolved.Load() != c.resolved || proxied.Load() != c.proxied {
			t.Errorf("%s: %v, the resolver was asked %d times, the proxy %d times", c.origin, err, resolved.Load(), proxied.Load())
		}
	}
	// Without a proxy a name is looked up, so the resolver above does count.
	none := func(*http.Request) (*url.URL, error) { return nil, nil }
	client, err := New(Config{Origin: "https://git.invalid", Transport: newTransport(resolver, none)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.follow(context.Background(), Request{Path: "/x", Limit: 10}, client.origin); err == nil || resolved.Load() == 0 {
		t.Errorf("%v, the resolver was asked %d times", err, resolved.Load())
	}
}
