package forge_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/forge/forgejo"
	"snapline/pkg/forge/github"
	"snapline/pkg/forge/gitlab"
	"snapline/pkg/requirement"
)

func environment(pairs ...string) func(string) string {
	env := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return env[name] }
}

func fmtInt(n int64) string { return strconv.FormatInt(n, 10) }

// sites are the forges as the program knows them.
func sites() (all []forge.Facts) {
	for _, d := range []forge.Driver{github.Driver, gitlab.Driver, forgejo.Driver} {
		all = append(all, d.Facts)
	}
	return all
}

func parse(address, api string, getenv func(string) string) (forge.Target, error) {
	return forge.Parse(sites(), address, forge.Hints{API: api}, getenv)
}

// spelling is a row of docs/addresses.md.
type spelling struct{ address, with, want string }

func spellings(t *testing.T) []spelling {
	t.Helper()
	text, err := os.ReadFile("../../docs/addresses.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "|---|---|---|\n")
	var out []spelling
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(row), " | ")
		if len(cells) != 3 {
			t.Fatalf("a row of %d cells: %s", len(cells), row)
		}
		plain := func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(strings.Trim(s, "|"), "`"), "`") }
		out = append(out, spelling{
			plain(strings.TrimPrefix(cells[0], "| ")), plain(strings.TrimSpace(cells[1])),
			strings.ReplaceAll(strings.TrimSuffix(cells[2], " |"), "`", ""),
		})
	}
	return out
}

// hints reads what stands beside an address.
func (s spelling) hints() (h forge.Hints, getenv func(string) string) {
	env := map[string]string{}
	words := strings.Fields(s.with)
	for i := 0; i < len(words); i++ {
		switch name, value, set := strings.Cut(words[i], "="); {
		case name == "--api-url":
			i++
			h.API = words[i]
		case name == "--forge":
			i++
			h.Forge = words[i]
		case set:
			env[name] = value
		default:
			env[name] = "a-token"
		}
	}
	return h, func(name string) string { return env[name] }
}

func result(got forge.Target, err error) string {
	var (
		unsupported *forge.UnsupportedEntity
		refused     *fault.Error
	)
	switch {
	case errors.As(err, &unsupported):
		return "exit 5"
	case errors.As(err, &refused):
		return "exit " + fmtInt(int64(refused.Exit)) + " " + refused.Rule
	}
	kind := string(got.Kind)
	if kind == "" {
		kind = "either"
	}
	text := strings.Join([]string{string(got.Forge), got.Host, got.Repository, kind, fmtInt(got.Number)}, " ")
	if got.Root != "" {
		text += " below " + got.Root
	}
	return text
}

// TestAddresses holds docs/addresses.md: every spelling of an address, and what it gives.
func TestAddresses(t *testing.T) {
	requirement.Claim(t, "AMB-81", "SRC-01", "SRC-02", "SRC-03", "ID-12")
	rows := spellings(t)
	if len(rows) < 100 {
		t.Errorf("%d spellings", len(rows))
	}
	for _, s := range rows {
		h, getenv := s.hints()
		got, err := forge.Parse(sites(), s.address, h, getenv)
		if text := result(got, err); text != s.want {
			t.Errorf("%s with %q\n got  %s (%v)\n want %s", s.address, s.with, text, err, s.want)
		}
		var refused *fault.Error
		if errors.As(err, &refused) && refused.Rule != "fetch.plain-http" && refused.Rule != "fetch.forge" && !strings.Contains(refused.Hint, "an address looks like https://") {
			t.Errorf("%s: no right form in %v", s.address, err)
		}
		if s.address != "" && err != nil && strings.Contains(err.Error(), "token@") {
			t.Errorf("%s: the message repeats it: %v", s.address, err)
		}
	}
}

// TestAddressAsGiven: the acquisition keeps the path as the caller spelled it.
func TestAddressAsGiven(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.GitHub.com/Acme/Tool/pull/7/files?w=1#x": "https://github.com/Acme/Tool/pull/7/files",
		"https://api.github.com/repos/Acme/Tool/pulls/7":      "https://github.com/Acme/Tool/pull/7",
		"https://api.github.com/repos/Acme/Tool/issues/7":     "",
		"https://gitlab.com/api/v4/projects/42/issues/7":      "",
	} {
		if got, err := parse(address, "", environment()); err != nil || got.Address != want {
			t.Errorf("%s: %q, %v", address, got.Address, err)
		}
	}
	got, err := parse("https://api.github.com/repos/Acme/Tool/issues/7", "", environment())
	if told := got.At(contract.ChangeProposal); err != nil || told.Address != "https://github.com/Acme/Tool/pull/7" || told.Kind != contract.ChangeProposal {
		t.Errorf("%+v, %v", told, err)
	}
}

func TestEntityURL(t *testing.T) {
	requirement.Claim(t, "AMB-73")
	for address, want := range map[string]string{
		"https://github.com/acme/tool/issues/42#x":     "https://github.com/acme/tool/pull/42",
		"https://gitlab.com/a/b/c/-/issues/42":         "https://gitlab.com/a/b/c/-/merge_requests/42",
		"https://git.example:8443/forge/a/b/issues/42": "https://git.example:8443/forge/a/b/pulls/42",
	} {
		got, err := parse(address, "", environment("FORGEJO_SERVER_URL", "https://git.example:8443/forge"))
		if err != nil || got.EntityURL(contract.ChangeProposal) != want {
			t.Errorf("%s: %s, %v", address, got.EntityURL(contract.ChangeProposal), err)
		}
	}
}

func TestEndpoints(t *testing.T) {
	for _, c := range []struct{ address, api, env, want string }{
		{"https://github.com/a/b/issues/7", "", "", "https://api.github.com"},
		{"https://tenant.ghe.com/a/b/issues/7", "", "", "https://api.tenant.ghe.com"},
		{"https://GHE.Example.com:8443/a/b/issues/7", "", "", "https://ghe.example.com:8443/api/v3"},
		{"https://ghe.example.com/a/b/issues/7", "https://ghe.example.com/api/v3/", "", "https://ghe.example.com/api/v3"},
		{"https://git.example/a/b/issues/7", "https://git.example/api/v1", "", "https://git.example/api/v1"},
		{"https://git.example/a/b/issues/7", "https://git.example/api/v4", "", "https://git.example/api/v4"},
		{"https://gitlab.com/a/b/-/issues/7", "", "", "https://gitlab.com/api/v4"},
		{"https://codeberg.org/a/b/issues/7", "", "", "https://codeberg.org/api/v1"},
	} {
		target, err := parse(c.address, c.api, environment())
		if err != nil {
			t.Fatal(err)
		}
		if got := drivers[target.Forge].Endpoint(target).Base.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.address, got, c.want)
		}
	}
}

var drivers = map[contract.Forge]forge.Driver{
	contract.GitHub: github.Driver, contract.GitLab: gitlab.Driver, contract.Forgejo: forgejo.Driver,
}

// everything sets every variable that speaks of a token or a host, each token with a
// value of its own.
func everything(more ...string) func(string) string {
	env := []string{
		"GH_TOKEN", "t-gh", "GITHUB_TOKEN", "t-github", "GH_ENTERPRISE_TOKEN", "t-enterprise", "GITHUB_ENTERPRISE_TOKEN", "t-never",
		"GITLAB_TOKEN", "t-gitlab", "CI_JOB_TOKEN", "t-never", "FORGEJO_TOKEN", "t-forgejo", "GITEA_TOKEN", "t-never",
		"GITHUB_API_URL", "https://api.github.com", "GITHUB_GRAPHQL_URL", "https://api.github.com/graphql",
	}
	return environment(append(env, more...)...)
}

func TestTokens(t *testing.T) {
	requirement.Claim(t, "AMB-78")
	for _, c := range []struct {
		address string
		env     []string
		want    string // the token, or the exit code
	}{
		{"https://github.com/a/b/pull/1", nil, "t-gh"},
		{"https://github.com/a/b/pull/1", []string{"GH_TOKEN", ""}, "t-github"},
		{"https://github.com/a/b/pull/1", []string{"GH_TOKEN", "", "GITHUB_TOKEN", ""}, "4"},
		{"https://tenant.ghe.com/a/b/pull/1", nil, "t-gh"},
		{"https://github.com/a/b/pull/1", []string{"GITHUB_SERVER_URL", "https://github.com", "GH_HOST", "github.com"}, "t-gh"},
		// Five hosts that no variable names.
		{"https://ghe.example.com/a/b/pull/1", nil, "2"},
		{"https://github.com.evil.example/a/b/pull/1", nil, "2"},
		{"https://xghe.com/a/b/pull/1", nil, "2"},
		{"https://gitlab.example/a/b/-/issues/1", nil, "2"},
		{"https://git.example/a/b/pulls/1", nil, "2"},
		{"https://github.com:8443/a/b/pull/1", nil, "2"},
		{"https://a.ghe.com:8443/a/b/pull/1", nil, "2"},
		{"https://gitlab.com:8443/a/b/-/issues/1", nil, "2"},
		{"https://codeberg.org:3000/a/b/pulls/1", nil, "2"},
		{"https://sub.codeberg.org/a/b/pulls/1", nil, "2"},
		{"http://localhost/a/b/pull/1", nil, "2"},

		{"https://ghe.example.com/a/b/pull/1", []string{"GH_HOST", "ghe.example.com"}, "t-enterprise"},
		{"https://ghe.example.com:8443/a/b/pull/1", []string{"GH_HOST", "GHE.example.com:8443"}, "t-enterprise"},
		{"https://ghe.example.com:8443/a/b/pull/1", []string{"GH_HOST", "ghe.example.com"}, "2"},
		{"https://ghe.example.com/a/b/pull/1", []string{"GH_HOST", "ghe.example.com:8443"}, "2"},
		{"https://ghe.example.com/a/b/pull/1", []string{"GITHUB_SERVER_URL", "https://ghe.example.com"}, "t-enterprise"},
		{"https://ghe.example.com/a/b/pull/1", []string{"GITHUB_SERVER_URL", "https://ghe.example.com", "GH_ENTERPRISE_TOKEN", ""}, "t-gh"},
		{"https://ghe.example.com/a/b/pull/1", []string{"GH_HOST", "ghe.example.com", "GH_ENTERPRISE_TOKEN", ""}, "4"},
		{"https://other.example.com/a/b/pull/1", []string{"GITHUB_SERVER_URL", "https://ghe.example.com", "GH_HOST", "x.example"}, "2"},
		{"http://127.0.0.1:8080/a/b/pull/1", []string{"GH_HOST", "127.0.0.1:8080"}, "t-enterprise"},
		{"http://127.0.0.1:8081/a/b/pull/1", []string{"GH_HOST", "127.0.0.1:8080"}, "2"},

		{"https://gitlab.com/a/b/-/issues/1", nil, "t-gitlab"},
		{"https://gitlab.com/a/b/-/issues/1", []string{"GITLAB_HOST", "gitlab.example"}, "2"},
		{"https://gitlab.example/a/b/-/issues/1", []string{"GITLAB_HOST", "https://gitlab.example"}, "t-gitlab"},
		{"https://gitlab.example/a/b/-/issues/1", []string{"CI_SERVER_HOST", "gitlab.example"}, "t-gitlab"},
		{"https://gitlab.example:8443/a/b/-/issues/1", []string{"CI_SERVER_HOST", "gitlab.example", "CI_SERVER_PORT", "8443"}, "t-gitlab"},
		{"https://gitlab.example/a/b/-/issues/1", []string{"CI_SERVER_HOST", "gitlab.example", "CI_SERVER_PORT", "8443"}, "2"},
		{"https://codeberg.org/a/b/pulls/1", nil, "t-forgejo"},
		{"https://codeberg.org/a/b/pulls/1", []string{"FORGEJO_SERVER_URL", "https://git.example"}, "2"},
		{"https://git.example:3000/a/b/pulls/1", []string{"FORGEJO_SERVER_URL", "https://git.example:3000"}, "t-forgejo"},
		{"https://git.example:3000/a/b/pulls/1", []string{"FORGEJO_SERVER_URL", "https://git.example"}, "2"},
		{"https://codeberg.org/a/b/pulls/1", []string{"FORGEJO_TOKEN", "two words"}, "4"},
	} {
		target, err := parse(c.address, "", everything(c.env...))
		if err != nil {
			t.Fatalf("%s: %v", c.address, err)
		}
		got, err := forge.Token(target, drivers[target.Forge].Endpoint(target).Base, forge.TokenOptions{}, everything(c.env...))
		if err != nil {
			if strings.Contains(err.Error(), "t-g") || strings.Contains(err.Error(), "two words") {
				t.Errorf("a token is in %v", err)
			}
			got = fmtInt(int64(fault.ExitOf(err)))
		}
		if got != c.want {
			t.Errorf("%s with %v: %s (%v), want %s", c.address, c.env, got, err, c.want)
		}
	}
}

func TestTokenOptions(t *testing.T) {
	requirement.Claim(t, "AMB-78")
	for _, c := range []struct{ address, api, name, host, want string }{
		{"https://ghe.example.com/a/b/pull/1", "", "MINE", "ghe.example.com", "t-mine"},
		{"https://ghe.example.com/a/b/pull/1", "", "MINE", "GHE.example.com:443", "t-mine"},
		{"https://ghe.example.com/a/b/pull/1", "", "MINE", "other.example.com", "2"},
		{"https://ghe.example.com/a/b/pull/1", "", "MINE", "ghe.example.com:8443", "2"},
		{"https://ghe.example.com:8443/a/b/pull/1", "", "MINE", "ghe.example.com", "2"},
		{"https://ghe.example.com/a/b/pull/1", "", "MINE", "", "2"},
		{"https://ghe.example.com/a/b/pull/1", "", "", "ghe.example.com", "2"},
		{"https://ghe.example.com/a/b/pull/1", "", "UNSET", "ghe.example.com", "4"},
		{"https://github.com/a/b/pull/1", "", "MINE", "github.com", "t-mine"},
		{"https://github.com/a/b/pull/1", "", "MINE", "api.github.com", "t-mine"},
		// An API elsewhere gets a token only by its own name.
		{"https://github.com/a/b/pull/1", "https://api.other.example", "", "", "2"},
		{"https://github.com/a/b/pull/1", "https://api.other.example", "MINE", "github.com", "2"},
		{"https://github.com/a/b/pull/1", "https://api.other.example", "MINE", "api.other.example", "t-mine"},
		{"https://github.com/a/b/pull/1", "https://api.github.com:8443", "", "", "2"},
	} {
		env := everything("MINE", "t-mine")
		target, err := parse(c.address, c.api, env)
		if err != nil {
			t.Fatal(err)
		}
		got, err := forge.Token(target, drivers[target.Forge].Endpoint(target).Base, forge.TokenOptions{Env: c.name, Host: c.host}, env)
		if err != nil {
			got = fmtInt(int64(fault.ExitOf(err)))
		}
		if got != c.want {
			t.Errorf("%+v: %s (%v)", c, got, err)
		}
	}
}

func TestEnterpriseHostScenario(t *testing.T) {
	// ctx-fetch-enterprise-host
	env := environment("GITHUB_TOKEN", "t1", "GH_ENTERPRISE_TOKEN", "t2", "GITHUB_API_URL", "https://api.github.com")
	named := environment("GITHUB_TOKEN", "t1", "GH_ENTERPRISE_TOKEN", "t2", "GITHUB_API_URL", "https://api.github.com", "GH_HOST", "ghe.example.com")
	namedPort := environment("GITHUB_TOKEN", "t1", "GH_ENTERPRISE_TOKEN", "t2", "GH_HOST", "ghe.example.com:8443")
	a, err := parse("https://GHE.Example.com:8443/team/tool/issues/7", "", env)
	if err != nil {
		t.Fatal(err)
	}
	base := github.Driver.Endpoint(a).Base
	_, err = forge.Token(a, base, forge.TokenOptions{}, env)
	if fault.ExitOf(err) != fault.Usage || !strings.Contains(err.Error(), "--token-env NAME --token-host HOST") {
		t.Errorf("as given: %v", err)
	}
	token, err := forge.Token(a, base, forge.TokenOptions{}, namedPort)
	if err != nil || token != "t2" || a.Host != "ghe.example.com:8443" || base.String() != "https://ghe.example.com:8443/api/v3" {
		t.Errorf("A: %s %s %s %v", token, a.Host, base, err)
	}
	b, err := parse("https://ghe.example.com:443/team/tool/pull/8", "", named)
	if err != nil {
		t.Fatal(err)
	}
	token, err = forge.Token(b, github.Driver.Endpoint(b).Base, forge.TokenOptions{}, named)
	if err != nil || token != "t2" || b.Host != "ghe.example.com" {
		t.Errorf("B: %s %s %v", token, b.Host, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"https://github.com/a/b/pull/7", "https://gitlab.com/a/b/-/merge_requests/7", "https://codeberg.org/a/b/pulls/7", "http://[::1]:80/a/b/issues/1",
		"https://h/%2e%2e/b/issues/7", "https://h:0/a/b/issues/7", "//h/a/b/issues/7", "https://h/a/b/issues/٧",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		target, err := parse(address, "", environment())
		if err != nil {
			return
		}
		if target.Number < 1 || target.Forge == "" || !strings.Contains(target.Repository, "/") && strings.Trim(target.Repository, "0123456789") != "" {
			t.Fatalf("%q: %+v", address, target)
		}
		if client.CheckScheme(target.Origin) != nil || target.Origin.User != nil {
			t.Fatalf("%q: origin %v", address, target.Origin)
		}
		if target.Kind == "" || !strings.Contains(target.Repository, "/") || target.Root != "" {
			return // an address of the API that no address of the web says as much as
		}
		// The address of the same entity reads as the same entity.
		again, err := parse(target.EntityURL(target.Kind), "", environment())
		if err != nil || again.Host != target.Host || again.Repository != target.Repository || again.Number != target.Number || again.Kind != target.Kind {
			t.Fatalf("%q: %+v became %+v (%v)", address, target, again, err)
		}
	})
}
