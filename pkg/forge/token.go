package forge

import (
	"net/url"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
)

// binding says to which hosts the token of one environment variable may go (design
// section 3). The first binding that names the host and whose variable is set wins.
type binding struct {
	forge    contract.Forge
	variable string
	hostVars []string // variables that name a host, host:port or URL
	portVar  string   // port of hostVars[0], where it is given apart
	always   []string // hosts bound whatever the environment says; "*." is a prefix label
	fallback string   // host bound when no host variable is set
	never    []string // hosts that the variable is never for
}

var publicGitHub = []string{"github.com", "*.ghe.com"}

var bindings = []binding{
	{forge: contract.GitHub, variable: "GH_ENTERPRISE_TOKEN", hostVars: []string{"GH_HOST", "GITHUB_SERVER_URL"}, never: publicGitHub},
	{forge: contract.GitHub, variable: "GH_TOKEN", hostVars: []string{"GITHUB_SERVER_URL"}, always: publicGitHub},
	{forge: contract.GitHub, variable: "GITHUB_TOKEN", hostVars: []string{"GITHUB_SERVER_URL"}, always: publicGitHub},
	{forge: contract.GitLab, variable: "GITLAB_TOKEN", hostVars: []string{"CI_SERVER_HOST", "GITLAB_HOST"}, portVar: "CI_SERVER_PORT", fallback: "gitlab.com"},
	{forge: contract.Forgejo, variable: "FORGEJO_TOKEN", hostVars: []string{"FORGEJO_SERVER_URL"}, fallback: "codeberg.org"},
}

// names reports whether the binding names the authority (host:port).
func (b *binding) names(authority string, getenv func(string) string) bool {
	if matchesAny(b.never, authority) {
		return false
	}
	if matchesAny(b.always, authority) {
		return true
	}
	anySet := false
	for i, name := range b.hostVars {
		value := getenv(name)
		if value == "" {
			continue
		}
		anySet = true
		if port := getenv(b.portVar); b.portVar != "" && i == 0 && port != "" && !strings.Contains(value, ":") {
			value += ":" + port
		}
		if a, ok := namedAuthority(value); ok && a == authority {
			return true
		}
	}
	return !anySet && b.fallback != "" && authority == b.fallback+":443"
}

func matchesAny(patterns []string, authority string) bool {
	for _, p := range patterns {
		if suffix, wild := strings.CutPrefix(p, "*"); wild {
			if strings.HasSuffix(authority, suffix+":443") && len(authority) > len(suffix+":443") {
				return true
			}
		} else if authority == p+":443" {
			return true
		}
	}
	return false
}

// namedAuthority reads a host, host:port or URL; without a port it means 443, or 80
// for an http URL (AMB-78).
func namedAuthority(value string) (string, bool) {
	if !strings.Contains(value, "://") {
		value = "https://" + value
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	return client.Authority(u), true
}

// TokenOptions are --token-env and --token-host.
type TokenOptions struct{ Env, Host string }

// Token finds the token that may be sent to the API at base for the target, and
// nowhere else. Without one it is an error and nothing may be sent: usage when
// nothing names the host, environment when the variables that name it are empty.
func Token(t Target, base *url.URL, o TokenOptions, getenv func(string) string) (string, error) {
	if (o.Env == "") != (o.Host == "") {
		return "", fault.New(fault.Usage, "fetch.token-option", "--token-env and --token-host go together")
	}
	web, api := client.Authority(t.Origin), client.Authority(base)
	if o.Env != "" {
		named, ok := namedAuthority(o.Host)
		if !ok || named != api && (named != web || !derived(t, api)) {
			return "", tokenHostFault("--token-host does not name the host and port that would be asked")
		}
		return clean(o.Env, getenv)
	}
	if !derived(t, api) {
		return "", tokenHostFault("--api-url leads to another host than the entity's")
	}
	named := ""
	for _, b := range bindings {
		if b.forge != t.Forge || !b.names(web, getenv) {
			continue
		}
		if named == "" {
			named = b.variable
		}
		if getenv(b.variable) != "" {
			return clean(b.variable, getenv)
		}
	}
	if named == "" {
		return "", tokenHostFault("no variable names the host of the address, so no token may go there")
	}
	return "", &fault.Error{
		Exit: fault.Environment, Rule: "fetch.no-token", Detail: "there is no token for the host of the address",
		Hint: "set " + named,
	}
}

func tokenHostFault(detail string) error {
	return &fault.Error{
		Exit: fault.Usage, Rule: "fetch.token-host", Detail: detail,
		Hint: "use --token-env NAME --token-host HOST[:PORT]",
	}
}

// derived reports whether the API's authority follows from the entity's: the same, or
// the api. host of GitHub's public services.
func derived(t Target, api string) bool {
	web := client.Authority(t.Origin)
	return api == web || t.Forge == contract.GitHub && matchesAny(publicGitHub, web) && api == "api."+web
}

func clean(name string, getenv func(string) string) (string, error) {
	token := strings.TrimSpace(getenv(name))
	if token == "" {
		return "", &fault.Error{
			Exit: fault.Environment, Rule: "fetch.no-token", Detail: "the variable " + fault.Quote(name) + " holds no token",
			Hint: "set it to a token of the host",
		}
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return "", fault.New(fault.Environment, "fetch.bad-token", "the variable %s holds something that is no token", fault.Quote(name))
		}
	}
	return token, nil
}
