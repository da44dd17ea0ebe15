package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"snapline/pkg/forge/client"
	"snapline/pkg/requirement"
)

// recorder keeps the headers of everything that arrives.
func recorder(t *testing.T, next http.HandlerFunc) (*httptest.Server, func() []http.Header) {
	t.Helper()
	var mu sync.Mutex
	var seen []http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		next(w, r)
	}))
	t.Cleanup(s.Close)
	return s, func() []http.Header { mu.Lock(); defer mu.Unlock(); return seen }
}

func carries(h http.Header) bool {
	for _, values := range h {
		for _, v := range values {
			for _, form := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(v, form) {
					return true
				}
			}
		}
	}
	return false
}

// TestRedirects: a GET follows the origin's own redirects and no others; a download
// hops once, without anything that identifies us.
func TestRedirects(t *testing.T) {
	other, otherSaw := recorder(t, ok)
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	var api *httptest.Server
	api, apiSaw := recorder(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{
			"/same": "/final", "/absolute": api.URL + "/final", "/loop": "/loop", "/host": elsewhere + "/x", "/port": other.URL + "/x",
			"/scheme": "https://" + strings.TrimPrefix(api.URL, "http://") + "/x", "/none": "", "/user": "http://u:p@" + strings.TrimPrefix(api.URL, "http://") + "/x",
		}[r.URL.Path]
		if r.URL.Path == "/final" {
			ok(w, r)
			return
		}
		if to != "" {
			w.Header().Set("Location", to)
		}
		w.WriteHeader(http.StatusMovedPermanently)
	})
	c := dial(t, api.URL, nil)
	for path, follows := range map[string]bool{
		"/same": true, "/absolute": true, "/loop": false, "/host": false, "/port": false, "/scheme": false, "/none": false, "/user": false,
		elsewhere + "/x": false, other.URL + "/x": false, "//localhost/x": false,
	} {
		_, err := c.Do(context.Background(), client.Request{Path: path, Limit: 100, Header: http.Header{"Cookie": {"c=1"}}})
		if follows && err != nil || !follows && !client.IsKind(err, client.Redirected) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if len(otherSaw()) != 0 {
		t.Fatalf("another place was asked: %v", otherSaw())
	}
	for _, h := range apiSaw() {
		if h.Get("Authorization") != "Bearer "+secret {
			t.Errorf("the origin got %v", h)
		}
	}
	if _, err := c.Do(context.Background(), client.Request{Method: http.MethodPost, Path: "/same", Limit: 100}); !client.IsKind(err, client.Redirected) {
		t.Errorf("a POST was redirected: %v", err)
	}
	for _, path := range []string{"/host", "/port"} {
		if _, err := c.Download(context.Background(), client.Request{Path: path, Limit: 100, Header: http.Header{"Cookie": {"c=1"}}}); err != nil {
			t.Errorf("download by %s: %v", path, err)
		}
	}
	if len(otherSaw()) != 2 {
		t.Fatalf("%d hops", len(otherSaw()))
	}
	for _, h := range otherSaw() {
		if carries(h) || h.Get("Authorization") != "" || h.Get("Cookie") != "" {
			t.Errorf("the other place got %v", h)
		}
	}
}

func TestDownloadHopsOnce(t *testing.T) {
	var second *httptest.Server
	second, _ = recorder(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, second.URL+"/again", http.StatusFound)
	})
	first, saw := recorder(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, second.URL, http.StatusFound) })
	if _, err := dial(t, first.URL, nil).Download(context.Background(), client.Request{Path: "/x", Limit: 10}); !client.IsKind(err, client.Redirected) {
		t.Errorf("two hops: %v", err)
	}
	// A store that keeps refusing is asked twice, a store that is down as often as any.
	for code, want := range map[int]int{403: 2, 404: 2, 410: 1} {
		n := len(saw())
		second.Config.Handler = http.HandlerFunc(status(code, nil, ""))
		if _, err := dial(t, first.URL, nil).Download(context.Background(), client.Request{Path: "/x", Limit: 10}); err == nil {
			t.Errorf("%d: no error", code)
		}
		if got := len(saw()) - n; got != want {
			t.Errorf("%d: the redirect was asked for %d times", code, got)
		}
	}
}

// TestDownloadOfARenamedRepository: a lasting redirect within the origin keeps the
// credential, the file's own redirect never has it, even to the origin.
func TestDownloadOfARenamedRepository(t *testing.T) {
	var origin *httptest.Server
	origin, saw := recorder(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/old":
			http.Redirect(w, r, "/repositories/5", http.StatusMovedPermanently)
		case "/repositories/5":
			http.Redirect(w, r, origin.URL+"/signed", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusMovedPermanently)
		default:
			ok(w, r)
		}
	})
	c := dial(t, origin.URL, nil)
	if _, err := c.Download(context.Background(), client.Request{Path: "/old", Limit: 100}); err != nil {
		t.Fatal(err)
	}
	var sent []bool
	for _, h := range saw() {
		sent = append(sent, carries(h))
	}
	if fmt.Sprint(sent) != "[true true false]" {
		t.Errorf("credential sent: %v", sent)
	}
	if _, err := c.Download(context.Background(), client.Request{Path: "/loop", Limit: 100}); !client.IsKind(err, client.Redirected) {
		t.Errorf("a loop: %v", err)
	}
}

// TestStoreThatRefuses: what the store says of its link is no right of ours.
func TestStoreThatRefuses(t *testing.T) {
	store, _ := recorder(t, status(403, nil, "AuthenticationFailed"))
	origin, _ := recorder(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, store.URL, http.StatusFound) })
	_, err := dial(t, origin.URL, nil).Download(context.Background(), client.Request{Path: "/x", Limit: 100})
	if !client.IsKind(err, client.Unexpected) {
		t.Errorf("%v", err)
	}
}

func TestOrigins(t *testing.T) {
	for origin, good := range map[string]bool{
		"https://api.github.com": true, "https://git.example:8443": true, "http://127.0.0.1:3000": true, "http://localhost": true, "http://[::1]:80": true,
		"http://api.github.com": false, "http://10.0.0.1": false, "http://127.0.0.1.example": false, "ftp://x": false, "https://": false, "https://u:p@x": false, "x": false,
	} {
		if _, err := client.New(client.Config{Origin: origin}); (err == nil) != good {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

// TestNothingLeaks: no error of any kind holds the credential, an address or what the
// server said, and the credential prints as nothing.
func TestNothingLeaks(t *testing.T) {
	requirement.Claim(t, "AMB-78")
	echo := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"message":%q}`, r.Header.Get("Authorization"))
		}
	}
	var texts []string
	for _, code := range []int{301, 400, 401, 403, 404, 410, 418, 429, 500, 503} {
		s, _ := answers(t, echo(code))
		_, err := dial(t, s.URL, func(cfg *client.Config) { cfg.MaxWait = 0 }).Do(context.Background(), client.Request{Path: "/path?sig=SIGNED", Where: "a thing", Limit: 1 << 20})
		texts = append(texts, err.Error(), fmt.Sprintf("%+v", errors.Unwrap(err)))
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	_, err := get(dial(t, dead.URL, nil))
	cred := client.NewCredential("Authorization", "Bearer ", secret)
	texts = append(texts, err.Error(), fmt.Sprint(cred), fmt.Sprintf("%v %+v %#v %s", cred, cred, cred, cred), fmt.Sprintf("%v", &cred))
	for _, text := range texts {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), url.QueryEscape(secret), "SIGNED", "127.0.0.1"} {
			if strings.Contains(text, form) {
				t.Errorf("%q is in %q", form, text)
			}
		}
	}
}

// TestRenamedRepositoryIsAskedForOnce: the second request goes to the new place at once.
func TestRenamedRepositoryIsAskedForOnce(t *testing.T) {
	var mu sync.Mutex
	var paths []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.RequestURI())
		mu.Unlock()
		if rest, old := strings.CutPrefix(r.URL.EscapedPath(), "/api/v1/repos/acme/old%2Fname/"); old {
			w.Header().Set("Location", "/api/v1/repos/acme/new%2Fname/"+rest+"?"+r.URL.RawQuery)
			w.WriteHeader(http.StatusMovedPermanently)
			return
		}
		if r.URL.Path == "/once" {
			w.Header().Set("Location", "/elsewhere/and/deeper")
			w.WriteHeader(http.StatusFound)
			return
		}
		ok(w, r)
	}))
	defer s.Close()
	c := dial(t, s.URL, nil)
	for _, path := range []string{
		"/api/v1/repos/acme/old%2Fname/issues/7?a=1", "/api/v1/repos/acme/old%2Fname/issues/7/comments?page=2",
		"/api/v1/repos/acme/old%2Fname2", "/once", "/once",
	} {
		if _, err := c.Do(context.Background(), client.Request{Path: path, Limit: 100}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	want := []string{
		"/api/v1/repos/acme/old%2Fname/issues/7?a=1", "/api/v1/repos/acme/new%2Fname/issues/7?a=1",
		"/api/v1/repos/acme/new%2Fname/issues/7/comments?page=2", "/api/v1/repos/acme/old%2Fname2",
		"/once", "/elsewhere/and/deeper", "/once", "/elsewhere/and/deeper",
	}
	if !slices.Equal(paths, want) {
		t.Errorf("asked for\n%s", strings.Join(paths, "\n"))
	}
}
