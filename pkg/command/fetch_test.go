package command_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"snapline/pkg/cli"
	"snapline/pkg/command"
	"snapline/pkg/fault"
	"snapline/pkg/forge/github/githubtest"
)

// forgeServer serves a fake GitHub on two loopback addresses and records every header
// that arrives, by address.
type forgeServer struct {
	*githubtest.Fake
	api, logs *httptest.Server

	mu   sync.Mutex
	seen map[string][]http.Header
}

func serve(t *testing.T, f *githubtest.Fake) *forgeServer {
	t.Helper()
	s := &forgeServer{Fake: f, seen: map[string][]http.Header{}}
	f.Prefix = "/api/v3"
	s.logs = httptest.NewServer(s.record("logs", f.Store()))
	s.api = httptest.NewServer(s.record("api", f))
	f.LogBase = strings.Replace(s.logs.URL, "127.0.0.1", "localhost", 1)
	t.Cleanup(s.logs.Close)
	t.Cleanup(s.api.Close)
	return s
}

func (s *forgeServer) record(name string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen[name] = append(s.seen[name], r.Header.Clone())
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

func (s *forgeServer) host() string {
	u, _ := url.Parse(s.api.URL)
	return u.Host
}

// result is what a program gave.
type result struct {
	exit           fault.Exit
	stdout, stderr string
}

func runProgram(t *testing.T, p *cli.Program, stdin string, env map[string]string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	e := &cli.Env{
		Args: append([]string{p.Name}, args...), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
	exit := cli.Run(context.Background(), p, e)
	return result{exit, out.String(), errs.String()}
}

func TestFetchOverTheWire(t *testing.T) {
	s := serve(t, githubtest.Generate(githubtest.Size{Comments: 3, Threads: 2, Reviews: 2, Checks: 4, Authors: 3}))
	env := map[string]string{"GH_HOST": s.host(), "GH_ENTERPRISE_TOKEN": "enterprise-secret-1"}
	got := runProgram(t, command.Fetch(), "", env, s.api.URL+"/acme/tool/pull/7")
	if got.exit != 0 || got.stderr != "" || !strings.Contains(got.stdout, `"type":"end"`) {
		t.Fatalf("exit %d\n%s\n%s", got.exit, got.stdout, got.stderr)
	}
	t.Log(got.stdout)
}
