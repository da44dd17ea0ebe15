package fetch_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/profile"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/fetch"
	"snapline/pkg/requirement"
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

// everyToken sets every variable that could hold a token to a value of its own, and
// names the server as a GitHub Enterprise Server.
func (s *forgeServer) everyToken() map[string]string {
	return map[string]string{
		"GH_HOST": s.host(), "GH_ENTERPRISE_TOKEN": "enterprise-secret/1+", "GH_TOKEN": "gh-secret/2+", "GITHUB_TOKEN": "github-secret/3+",
		"GITHUB_ENTERPRISE_TOKEN": "unread-secret/4+", "GITLAB_TOKEN": "gitlab-secret/5+", "CI_JOB_TOKEN": "job-secret/6+",
		"FORGEJO_TOKEN": "forgejo-secret/7+", "GITEA_TOKEN": "gitea-secret/8+", "MY_TOKEN": "my-secret/9+",
	}
}

// secretsIn names the variables whose value is in a text, plain or encoded.
func secretsIn(env map[string]string, text string) (found []string) {
	for name, v := range env {
		if !strings.Contains(v, "secret") {
			continue
		}
		for _, form := range []string{
			v, url.QueryEscape(v), url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)),
			base64.RawURLEncoding.EncodeToString([]byte(v)), strconv.QuoteToASCII(v),
		} {
			if strings.Contains(text, form) {
				found = append(found, name)
				break
			}
		}
	}
	return found
}

func headerText(headers []http.Header) string {
	var b strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&b, "%q\n", h)
	}
	return b.String()
}

func small() *githubtest.Fake {
	return githubtest.Generate(githubtest.Size{Comments: 3, Threads: 2, Reviews: 2, Checks: 4, Authors: 3})
}

func TestFetchOverTheWire(t *testing.T) {
	requirement.Claim(t, "AMB-78", "SRC-02", "COL-12")
	s := serve(t, small())
	env := s.everyToken()
	capture := filepath.Join(t.TempDir(), "pr.ndjson")
	got := runProgram(t, fetch.Program(), "", env, s.api.URL+"/acme/tool/pull/7", "--capture", capture)
	if got.exit != 0 || !strings.Contains(got.stdout, `"type":"end"`) || strings.Count(got.stderr, "\n") != 1 {
		t.Fatalf("exit %d\n%s\n%s", got.exit, got.stdout, got.stderr)
	}
	if !strings.Contains(got.stdout, `"host":"`+s.host()+`"`) {
		t.Error("the port is missing from the host")
	}
	kept, err := os.ReadFile(capture)
	if err != nil || string(kept) != got.stdout {
		t.Errorf("the capture is not the stream: %v", err)
	}
	if found := secretsIn(env, got.stdout+got.stderr+string(kept)); len(found) != 0 {
		t.Errorf("tokens in the output: %v", found)
	}
	// The API got its own token and no other; the log store, on another host name and
	// port, got nothing.
	for _, h := range s.seen["api"] {
		if h.Get("Authorization") != "Bearer "+env["GH_ENTERPRISE_TOKEN"] {
			t.Errorf("the API got %q", h.Get("Authorization"))
		}
	}
	if found := secretsIn(env, headerText(s.seen["api"])); len(found) != 1 {
		t.Errorf("the API got the values of %v", found)
	}
	if len(s.seen["logs"]) != 2 || len(secretsIn(env, headerText(s.seen["logs"]))) != 0 || strings.Contains(headerText(s.seen["logs"]), "Authorization") {
		t.Errorf("the log store got %s", headerText(s.seen["logs"]))
	}
	// The same again, byte for byte.
	if again := runProgram(t, fetch.Program(), "", env, s.api.URL+"/acme/tool/pull/7"); again.stdout != got.stdout {
		t.Error("another run gave other bytes")
	}
	// A replay says so and changes nothing else.
	replay := runProgram(t, fetch.Program(), "", nil, "--replay", capture)
	if replay.exit != 0 || !strings.Contains(replay.stdout, `"replay":true`) || strings.Count(replay.stdout, "\n") != strings.Count(got.stdout, "\n") {
		t.Errorf("replay: exit %d %s", replay.exit, replay.stderr)
	}
}

// TestForeignHostsGetNothing: with every variable set, a host that none of them names is
// not even contacted.
func TestForeignHostsGetNothing(t *testing.T) {
	requirement.Claim(t, "AMB-78")
	s := serve(t, small())
	u, err := url.Parse(s.api.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address string
		flags   []string
		change  map[string]string
	}{
		{s.api.URL + "/acme/tool/pull/7", nil, map[string]string{"GH_HOST": "127.0.0.1"}}, // the port counts
		{s.api.URL + "/acme/tool/pull/7", nil, map[string]string{"GH_HOST": "127.0.0.1:1"}},
		{s.api.URL + "/acme/tool/issues/7", nil, map[string]string{"GH_HOST": "localhost:" + u.Port()}},
		{s.api.URL + "/acme/tool/-/issues/7", nil, map[string]string{"GH_HOST": "", "GITLAB_HOST": "gitlab.example"}},
		{s.api.URL + "/acme/tool/pulls/7", nil, map[string]string{"GH_HOST": "", "FORGEJO_SERVER_URL": "http://127.0.0.1:1"}},
		{s.api.URL + "/acme/tool/pull/7", []string{"--token-env", "MY_TOKEN", "--token-host", "127.0.0.1"}, nil},
		{s.api.URL + "/acme/tool/pull/7", []string{"--token-env", "MY_TOKEN"}, nil},
		{"https://github.com/acme/tool/pull/7", []string{"--api-url", s.api.URL}, nil},
		{"https://github.com/acme/tool/pull/7", []string{"--api-url", s.api.URL + "/api/v3", "--token-env", "MY_TOKEN", "--token-host", "github.com"}, nil},
	} {
		env := s.everyToken()
		for name, v := range c.change {
			env[name] = v
		}
		got := runProgram(t, fetch.Program(), "", env, append([]string{c.address}, c.flags...)...)
		if got.exit != fault.Usage || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, "--token-") || len(secretsIn(env, got.stderr)) != 0 {
			t.Errorf("%s %v: exit %d, %q, %q", c.address, c.flags, got.exit, got.stdout, got.stderr)
		}
	}
	if len(s.seen["api"])+len(s.seen["logs"]) != 0 {
		t.Errorf("a server was asked: %v", s.seen)
	}
	// Named by option, host and port, it is asked, with that token alone.
	env := s.everyToken()
	delete(env, "GH_HOST")
	got := runProgram(t, fetch.Program(), "", env, s.api.URL+"/acme/tool/pull/7", "--token-env", "MY_TOKEN", "--token-host", s.host())
	if got.exit != 0 || strings.Join(secretsIn(env, headerText(s.seen["api"])), " ") != "MY_TOKEN" {
		t.Errorf("exit %d %s, the API got %v", got.exit, got.stderr, secretsIn(env, headerText(s.seen["api"])))
	}
}

// TestTokenStaysInEveryFailure: whatever the server answers, even the token itself, no
// output holds it.
func TestTokenStaysInEveryFailure(t *testing.T) {
	for _, code := range []int{200, 301, 302, 400, 401, 403, 404, 429, 500, 503} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			s := serve(t, small())
			env := s.everyToken()
			s.api.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				secret := r.Header.Get("Authorization")
				if code/100 == 3 {
					w.Header().Set("Location", s.logs.URL+"/x?token="+url.QueryEscape(secret))
				}
				w.WriteHeader(code)
				fmt.Fprintf(w, `{"message":%q,"errors":[{"type":%q,"message":%q}]}`, secret, secret, secret)
			})
			for _, flags := range [][]string{{"--check"}, {"--log-format", "json"}} {
				got := runProgram(t, fetch.Program(), "", env, append([]string{s.api.URL + "/acme/tool/pull/7", "--max-wait", "0s"}, flags...)...)
				if got.exit != fault.Environment || len(secretsIn(env, got.stdout+got.stderr)) != 0 || strings.Count(got.stderr, "\n") != 1 {
					t.Errorf("%v: exit %d, %s%s", flags, got.exit, got.stdout, got.stderr)
				}
			}
			if len(s.seen["logs"]) != 0 {
				t.Error("a redirect was followed")
			}
		})
	}
}

func TestFetchExits(t *testing.T) {
	requirement.Claim(t, "ABT-01", "AMB-73", "ABT-11", "TREE-07", "TREE-08")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	workItem, err := profile.Text("mutation", contract.WorkItem)
	if err != nil {
		t.Fatal(err)
	}
	badProfile := file("bad.json", strings.Replace(string(workItem), `"entity"`, `"entity", "reviews"`, 1))
	const cause = `{"type":"abort","stage":"fetch","exit":%d,"cause":"%s"}`
	for name, c := range map[string]struct {
		args   []string
		exit   fault.Exit
		stdout string
		says   string
		asked  int
	}{
		"jira":             {[]string{"https://acme.atlassian.net/browse/ABC-1"}, 5, fmt.Sprintf(cause, 5, "unsupported"), "unsupported_entity", 0},
		"commit":           {[]string{"https://github.com/acme/tool/commit/abc"}, 5, fmt.Sprintf(cause, 5, "unsupported"), "unsupported_entity", 0},
		"discussion":       {[]string{"https://github.com/acme/tool/discussions/7"}, 5, fmt.Sprintf(cause, 5, "unsupported"), "unsupported_entity", 0},
		"no address":       {nil, 2, "", "URL is missing", 0},
		"no scheme":        {[]string{"github.com/acme/tool/pull/7"}, 2, "", "https://", 0},
		"two addresses":    {[]string{"URL/pull/7", "URL/pull/8"}, 2, "", "nothing more is expected", 0},
		"unknown profile":  {[]string{"URL/pull/7", "--profile", "other"}, 2, "", "observation or mutation", 0},
		"both profiles":    {[]string{"URL/pull/7", "--profile", "mutation", "--profile-file", badProfile}, 2, "", "exclude", 0},
		"bad profile":      {[]string{"URL/issues/7", "--profile-file", badProfile}, 2, "", "profile.source", 0},
		"profile's kind":   {[]string{"URL/pull/7", "--profile-file", file("w.json", string(workItem))}, 2, "", "profile.kind", 0},
		"no profile file":  {[]string{"URL/pull/7", "--profile-file", filepath.Join(dir, "none")}, 4, fmt.Sprintf(cause, 4, "environment"), "cannot be read", 0},
		"bad registry":     {[]string{"URL/pull/7", "--bots", file("bots.json", "{}")}, 2, "", "bots.member", 0},
		"bad receipts":     {[]string{"URL/pull/7", "--agent-runs", file("runs.ndjson", "{}")}, 3, fmt.Sprintf(cause, 3, "input"), "runs.ndjson:1", 0},
		"no profile JSON":  {[]string{"URL/pull/7", "--profile-file", file("p.txt", "x")}, 2, "", "p.txt: profile.json", 0},
		"no registry JSON": {[]string{"URL/pull/7", "--bots", file("b.txt", "x")}, 2, "", "b.txt: bots.json", 0},
		"no token":         {[]string{"https://gitlab.com/a/b/-/issues/7", "--token-env", "NONE", "--token-host", "gitlab.com"}, 4, fmt.Sprintf(cause, 4, "environment"), "fetch.no-token", 0},
		"check, no token":  {[]string{"--check", "https://gitlab.com/a/b/-/issues/7", "--token-env", "NONE", "--token-host", "gitlab.com"}, 4, "", "fetch.no-token", 0},
		"negative wait":    {[]string{"URL/pull/7", "--max-wait", "-1s"}, 2, "", "--max-wait", 0},
		"URL and replay":   {[]string{"URL/pull/7", "--replay", "x"}, 2, "", "--replay takes no URL", 0},
		"check and replay": {[]string{"--check", "--replay", "x"}, 2, "", "--replay takes no --check", 0},
		"other profile":    {[]string{"--replay", "x", "--profile", "mutation"}, 2, "", "--replay takes no --profile", 0},
		"other registry":   {[]string{"--bots", "y", "--log-format", "text", "--replay", "x"}, 2, "", "--replay takes no --bots", 0},
		"captured check":   {[]string{"--check", "URL/pull/7", "--capture", filepath.Join(dir, "c")}, 2, "", "--check takes no --capture", 0},
		"no capture":       {[]string{"--replay", filepath.Join(dir, "none")}, 4, fmt.Sprintf(cause, 4, "environment"), "cannot be read", 0},
		"no stream":        {[]string{"--replay", file("no.ndjson", "{}\n")}, 3, fmt.Sprintf(cause, 3, "input"), "no.ndjson", 0},
		"a pull as issue":  {[]string{"URL/issues/7"}, 1, fmt.Sprintf(cause, 1, "component"), "/acme/tool/pull/7", 1},
		"with its profile": {[]string{"URL/issues/7", "--profile-file", file("w2.json", string(workItem))}, 1, fmt.Sprintf(cause, 1, "component"), "/acme/tool/pull/7", 1},
		"not there":        {[]string{"URL/pull/8"}, 4, fmt.Sprintf(cause, 4, "environment"), "not found", 1},
		"all well":         {[]string{"--profile", "mutation", "URL/pull/7"}, 0, "", "", -1},
		"what can be read": {[]string{"--check", "URL/pull/7"}, 0, "entity: readable\ncomments: readable\nreviews: readable\nchecks: readable\ncheck_logs: readable\nroles: readable, asked about 1 of the people who take part\nbudget core: 4999 of 5000 requests left\nbudget graphql: 4990 of 5000 requests left", "", 9},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, small())
			var args []string
			for _, a := range c.args {
				args = append(args, strings.Replace(a, "URL", s.api.URL+"/acme/tool", 1))
			}
			got := runProgram(t, fetch.Program(), "", s.everyToken(), args...)
			if got.exit != c.exit || !strings.Contains(got.stderr, c.says) || (got.stderr != "") != (c.exit != 0) || strings.Count(got.stderr, "\n") > 1 {
				t.Errorf("exit %d, want %d; stderr %q", got.exit, c.exit, got.stderr)
			}
			if c.exit != 0 || c.stdout != "" {
				if strings.TrimSpace(got.stdout) != c.stdout {
					t.Errorf("stdout %q, want %q", got.stdout, c.stdout)
				}
			}
			if n := len(s.seen["api"]); c.asked >= 0 && n != c.asked {
				t.Errorf("%d requests, want %d", n, c.asked)
			}
		})
	}
}

func TestCheckNamesTheMissingRight(t *testing.T) {
	f := small()
	f.Permissions["user0000"] = githubtest.Reply{Status: 403, Body: `{"message":"Must have push access to view collaborator permission."}`}
	s := serve(t, f)
	got := runProgram(t, fetch.Program(), "", s.everyToken(), "--check", s.api.URL+"/acme/tool/pull/7")
	if got.exit != fault.Environment || !strings.Contains(got.stderr, "push access") || strings.Contains(got.stdout, `"type"`) {
		t.Errorf("exit %d, %q, %q", got.exit, got.stdout, got.stderr)
	}
}

// TestProgress: on a terminal something moves and is gone at the end; in a pipe nothing.
func TestProgress(t *testing.T) {
	s := serve(t, small())
	for _, terminal := range []bool{true, false} {
		var out, errs bytes.Buffer
		vars := s.everyToken()
		e := &cli.Env{
			Args: []string{"fetch", s.api.URL + "/acme/tool/pull/7"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Terminal: terminal,
			LookupEnv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		}
		if exit := cli.Run(context.Background(), fetch.Program(), e); exit != 0 {
			t.Fatalf("exit %d: %s", exit, errs.String())
		}
		if terminal && (!strings.Contains(errs.String(), "discussion and checks: ") || !strings.HasSuffix(errs.String(), "\r\x1b[K")) || !terminal && errs.Len() != 0 {
			t.Errorf("terminal %v: %q", terminal, errs.String())
		}
	}
}

// TestInterrupt: an interrupt in the middle ends with one line and an abort line.
func TestInterrupt(t *testing.T) {
	s := serve(t, small())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	next := s.api.Config.Handler
	n := 0
	s.api.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 3 {
			_, _ = io.Copy(io.Discard, r.Body) // only then the server sees the client go
			cancel()
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
	var out, errs bytes.Buffer
	vars := s.everyToken()
	dir := t.TempDir()
	e := &cli.Env{
		Args: []string{"fetch", s.api.URL + "/acme/tool/pull/7", "--capture", filepath.Join(dir, "x.ndjson")}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
	}
	exit := cli.Run(ctx, fetch.Program(), e)
	left, err := os.ReadDir(dir)
	if exit != fault.Environment || !strings.Contains(errs.String(), "interrupted") || strings.Count(errs.String(), "\n") != 1 ||
		!strings.HasSuffix(out.String(), `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}`+"\n") || err != nil || len(left) != 0 {
		t.Errorf("exit %d, left %v\n%s%s", exit, left, out.String(), errs.String())
	}
}

func TestHelpShowsProfiles(t *testing.T) {
	got := runProgram(t, fetch.Program(), "", nil, "--help")
	for _, want := range []string{"observation of a work_item: people from triage up", "mutation of a change_proposal: people from write up", "16777216", "65536", "1048576", "--token-host"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
}

// TestRefusedPipeCostsNoRequests: when whoever reads stdout goes away, fetch ends
// quietly while it is still asking.
func TestRefusedPipeCostsNoRequests(t *testing.T) {
	s := serve(t, small())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	next := s.api.Config.Handler
	var n atomic.Int64
	s.api.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if n.Add(1) == 2 {
			_, _ = io.Copy(io.Discard, req.Body)
			r.Close() // the header was refused
			<-req.Context().Done()
			return
		}
		next.ServeHTTP(rw, req)
	})
	vars := s.everyToken()
	var errs bytes.Buffer
	e := &cli.Env{
		Args: []string{"fetch", s.api.URL + "/acme/tool/pull/7"}, Stdin: strings.NewReader(""), Stdout: w, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
	}
	if exit := cli.Run(context.Background(), fetch.Program(), e); exit != fault.Quiet || errs.Len() != 0 || n.Load() > client.MaxInFlight {
		t.Errorf("exit %d after %d requests, %q", exit, n.Load(), errs.String())
	}
}

// TestShortForm: the first answer tells the kind, and the built-in profile follows.
func TestShortForm(t *testing.T) {
	requirement.Claim(t, "AMB-81")
	f := small()
	f.Entities[8] = githubtest.Issue(8, f.Entities[7]["author"])
	s := serve(t, f)
	env := s.everyToken()
	for _, c := range []struct{ address, kind string }{{"acme/tool#7", "change_proposal"}, {"acme/tool#8", "work_item"}} {
		got := runProgram(t, fetch.Program(), "", env, c.address, "--forge", "github", "--api-url", s.api.URL+"/api/v3", "--request-id", "run-1")
		if got.exit != 0 || !strings.Contains(got.stdout, `"entity_kind":"`+c.kind+`"`) || !strings.Contains(got.stdout, `"request_id":"run-1"`) {
			t.Errorf("%s: exit %d, %s", c.address, got.exit, got.stderr)
		}
		check := runProgram(t, fetch.Program(), "", env, "--check", c.address, "--forge", "github", "--api-url", s.api.URL+"/api/v3")
		if reviews := strings.Contains(check.stdout, "reviews: readable"); check.exit != 0 || reviews != (c.kind == "change_proposal") {
			t.Errorf("%s: exit %d, %s%s", c.address, check.exit, check.stdout, check.stderr)
		}
	}
	if got := runProgram(t, fetch.Program(), "", env, "acme/tool#7"); got.exit != fault.Usage || got.stdout != "" {
		t.Errorf("exit %d, %s", got.exit, got.stderr)
	}
}

// TestNotAfterOptions: what --not-after takes, and what it needs on a forge that does not
// date edits.
func TestNotAfterOptions(t *testing.T) {
	requirement.Claim(t, "AMB-93")
	const lab = "https://gitlab.com/acme/tool/-/issues/7"
	env := map[string]string{"GITLAB_TOKEN": "gitlab-secret/5+", "GH_TOKEN": "gh-secret/2+"}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{lab, "--not-after", "yesterday-secret"}, "--not-after takes a time like"},
		{[]string{lab, "--not-after", "2026-05-01T10:00:00Z"}, "fetch.not-after-undated"},
		{[]string{lab, "--not-after", "2026-05-01T10:00:00Z", "--not-after-undated", "yes"}, "--not-after-undated takes accept"},
		{[]string{lab, "--not-after-undated", "accept"}, "--not-after-undated needs --not-after"},
		{[]string{lab, "--request-id", "a b"}, "--request-id takes"},
		{[]string{"--replay", "x", "--not-after", "2026-05-01T10:00:00Z"}, "--replay takes no --not-after"},
	} {
		got := runProgram(t, fetch.Program(), "", env, c.args...)
		if got.exit != fault.Usage || !strings.Contains(got.stderr, c.says) || strings.Contains(got.stderr, "secret") {
			t.Errorf("%q: exit %d, %s", c.args, got.exit, got.stderr)
		}
	}
	s := serve(t, small())
	got := runProgram(t, fetch.Program(), "", s.everyToken(), s.api.URL+"/acme/tool/pull/7", "--not-after", "2026-05-01T12:00:00+02:00")
	if got.exit != 0 || !strings.Contains(got.stdout, `"not_after":"2026-05-01T10:00:00.000000000Z"`) || strings.Count(got.stdout, `"kind":"comment"`) != 2 {
		t.Errorf("exit %d, %d comments, %s", got.exit, strings.Count(got.stdout, `"kind":"comment"`), got.stderr)
	}
}
