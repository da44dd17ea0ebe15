package forge_test

import (
	"errors"
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

func TestParse(t *testing.T) {
	requirement.Claim(t, "SRC-01", "SRC-02", "SRC-03", "ID-12")
	for _, c := range []struct {
		address string
		env     []string
		want    string // forge host root repository kind number
	}{
		{"https://github.com/acme/tool/issues/7", nil, "github github.com  acme/tool work_item 7"},
		{"https://github.com/acme/tool/pull/7", nil, "github github.com  acme/tool change_proposal 7"},
		{"https://github.com/Acme/Tool.js/pull/7/files?w=1#diff-1", nil, "github github.com  Acme/Tool.js change_proposal 7"},
		{"https://github.com/acme/tool/issues/7/#issuecomment-1", nil, "github github.com  acme/tool work_item 7"},
		{"https://GitHub.com:443/acme/tool/pull/7/commits/abc", nil, "github github.com  acme/tool change_proposal 7"},
		{"https://tenant.ghe.com/acme/tool/pull/7", nil, "github tenant.ghe.com  acme/tool change_proposal 7"},
		{"https://GHE.Example.com:8443/team/tool/issues/7", nil, "github ghe.example.com:8443  team/tool work_item 7"},
		{"https://ghe.example.com:443/team/tool/pull/8", nil, "github ghe.example.com  team/tool change_proposal 8"},
		{"http://127.0.0.1:8080/team/tool/pull/8", nil, "github 127.0.0.1:8080  team/tool change_proposal 8"},
		{"https://github.com/issues/issues/issues/1", nil, "github github.com  issues/issues work_item 1"},
		{"https://gitlab.com/a/b/c/-/merge_requests/5/diffs", nil, "gitlab gitlab.com  a/b/c change_proposal 5"},
		{"https://gitlab.com/a/b/-/issues/5#note_1", nil, "gitlab gitlab.com  a/b work_item 5"},
		{"https://gitlab.com/a/b/-/work_items/5", nil, "gitlab gitlab.com  a/b work_item 5"},
		{"https://gitlab.com/a/b/-/issues/incident/5", nil, "gitlab gitlab.com  a/b work_item 5"},
		{"https://gitlab.com/a/b/merge_requests/5", nil, "gitlab gitlab.com  a/b change_proposal 5"},
		{"https://gitlab.com/a/b/issues/5", nil, "gitlab gitlab.com  a/b work_item 5"},
		{"https://git.example/a/b/-/issues/5", nil, "gitlab git.example  a/b work_item 5"},
		{"https://git.example/gitlab/a/b/-/issues/5", nil, "gitlab git.example  gitlab/a/b work_item 5"},
		{"https://git.example/gitlab/a/b/-/issues/5", []string{"CI_SERVER_URL", "https://git.example/gitlab"}, "gitlab git.example /gitlab a/b work_item 5"},
		{"https://git.example/gitlab/a/b/-/issues/5", []string{"CI_API_V4_URL", "https://other.example/gitlab/api/v4"}, "gitlab git.example  gitlab/a/b work_item 5"},
		{"https://codeberg.org/a/b/issues/5", nil, "forgejo codeberg.org  a/b work_item 5"},
		{"https://codeberg.org/a/b/pulls/5/files", nil, "forgejo codeberg.org  a/b change_proposal 5"},
		{"https://git.example/a/b/pulls/5", nil, "forgejo git.example  a/b change_proposal 5"},
		{"https://git.example/forge/a/b/issues/5", []string{"FORGEJO_SERVER_URL", "https://git.example/forge"}, "forgejo git.example /forge a/b work_item 5"},
		// Forgejo's runners set GitHub's variables too.
		{"https://git.example/a/b/issues/5", []string{"FORGEJO_SERVER_URL", "https://git.example", "GITHUB_SERVER_URL", "https://git.example"}, "forgejo git.example  a/b work_item 5"},
		{"https://git.example/gitlab/a/b/-/issues/5", []string{"GITLAB_HOST", "https://git.example/gitlab/"}, "gitlab git.example /gitlab a/b work_item 5"},
		{"https://git.example/a/b/issues/5", []string{"GITLAB_HOST", "git.example"}, "gitlab git.example  a/b work_item 5"},
		{"https://git.example/a/b/issues/9007199254740991", nil, "github git.example  a/b work_item 9007199254740991"},
	} {
		got, err := forge.Parse(c.address, "", environment(c.env...))
		text := strings.Join([]string{string(got.Forge), got.Host, got.Root, got.Repository, string(got.Kind), fmtInt(got.Number)}, " ")
		if err != nil || text != c.want {
			t.Errorf("%s\n got  %s (%v)\n want %s", c.address, text, err, c.want)
		}
	}
}

func fmtInt(n int64) string { return strconv.FormatInt(n, 10) }

func TestParseRefuses(t *testing.T) {
	for address, want := range map[string]fault.Exit{
		"acme/tool#7":                                           fault.Usage,
		"":                                                      fault.Usage,
		"github.com/acme/tool/pull/7":                           fault.Usage,
		"http://github.com/a/b/pull/7":                          fault.Usage,
		"ftp://github.com/a/b/pull/7":                           fault.Usage,
		"ssh://git@github.com/a/b/pull/7":                       fault.Usage,
		"https://u:p@github.com/a/b/pull/7":                     fault.Usage,
		"https://ghe_x.example/a/b/pull/7":                      fault.Usage,
		"https://[::1]/a/b/pull/7":                              fault.Usage,
		"https://github.com/a/b/pull/0":                         fault.Usage,
		"https://github.com/a/b/pull/007":                       fault.Usage,
		"https://github.com/a/b/issues/9007199254740992":        fault.Usage,
		"https://github.com/a/b/issues/99999999999999999999999": fault.Usage,

		"https://acme.atlassian.net/browse/ABC-1":      fault.Unsupported,
		"https://github.com/a/b":                       fault.Unsupported,
		"https://github.com":                           fault.Unsupported,
		"https://github.com/a/b/commit/abc":            fault.Unsupported,
		"https://github.com/a/b/discussions/7":         fault.Unsupported,
		"https://github.com/a/b/issues":                fault.Unsupported,
		"https://github.com/a/b/issues/new":            fault.Unsupported,
		"https://github.com/a/b/pulls/7":               fault.Unsupported,
		"https://github.com/a/b/issues/-7":             fault.Unsupported,
		"https://github.com/a/b/issues/7x":             fault.Unsupported,
		"https://github.com/orgs/a/b/issues/7":         fault.Unsupported,
		"https://github.com/a/b/-/merge_requests/7":    fault.Unsupported,
		"https://github.com/a/b/actions/runs/7":        fault.Unsupported,
		"https://github.com/a%2Fb/c/issues/7":          fault.Unsupported,
		"https://github.com/a//b/issues/7":             fault.Unsupported,
		"https://github.com/../b/issues/7":             fault.Unsupported,
		"https://gitlab.com/a/b/-/commit/abc":          fault.Unsupported,
		"https://gitlab.com/a/-/issues/7":              fault.Unsupported,
		"https://gitlab.com/groups/a/-/epics/7":        fault.Unsupported,
		"https://codeberg.org/a/b/pull/7":              fault.Unsupported,
		"https://codeberg.org/a/b/commits/branch/main": fault.Unsupported,
		"https://linear.app/acme/issue/ABC-1/a-title":  fault.Unsupported,
	} {
		_, err := forge.Parse(address, "", environment())
		var unsupported *forge.UnsupportedEntity
		exit := fault.ExitOf(err)
		if errors.As(err, &unsupported) {
			exit = fault.Unsupported
		}
		if err == nil || exit != want {
			t.Errorf("%s: exit %d (%v), want %d", address, exit, err, want)
		}
	}
}

func TestEntityURL(t *testing.T) {
	requirement.Claim(t, "AMB-73")
	for address, want := range map[string]string{
		"https://github.com/acme/tool/issues/42#x":     "https://github.com/acme/tool/pull/42",
		"https://gitlab.com/a/b/c/-/issues/42":         "https://gitlab.com/a/b/c/-/merge_requests/42",
		"https://git.example:8443/forge/a/b/issues/42": "https://git.example:8443/forge/a/b/pulls/42",
	} {
		got, err := forge.Parse(address, "", environment("FORGEJO_SERVER_URL", "https://git.example:8443/forge"))
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
		target, err := forge.Parse(c.address, c.api, environment())
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
		target, err := forge.Parse(c.address, "", everything(c.env...))
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
		target, err := forge.Parse(c.address, c.api, env)
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
	a, err := forge.Parse("https://GHE.Example.com:8443/team/tool/issues/7", "", env)
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
	b, err := forge.Parse("https://ghe.example.com:443/team/tool/pull/8", "", named)
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
		target, err := forge.Parse(address, "", environment())
		if err != nil {
			return
		}
		if target.Number < 1 || target.Forge == "" || target.Kind == "" || !strings.Contains(target.Repository, "/") {
			t.Fatalf("%q: %+v", address, target)
		}
		if client.CheckScheme(target.Origin) != nil || target.Origin.User != nil {
			t.Fatalf("%q: origin %v", address, target.Origin)
		}
		// The address of the same entity reads as the same entity.
		again, err := forge.Parse(target.EntityURL(target.Kind), "", environment())
		if err != nil || again.Host != target.Host || again.Repository != target.Repository || again.Number != target.Number || again.Kind != target.Kind {
			t.Fatalf("%q: %+v became %+v (%v)", address, target, again, err)
		}
	})
}
