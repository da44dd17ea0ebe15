package forge

import (
	"net/url"
	"strings"

	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
)

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
		return clean(o.Env, "the variable that --token-env names", getenv)
	}
	if !derived(t, api) {
		return "", tokenHostFault("--api-url leads to another host than the entity's")
	}
	named := ""
	for _, b := range t.facts.Bindings {
		if !t.facts.names(&b, web, getenv) {
			continue
		}
		if named == "" {
			named = b.Variable
		}
		if getenv(b.Variable) != "" {
			return clean(b.Variable, "the variable "+b.Variable, getenv)
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
// the host that the API of a public one has of its own.
func derived(t Target, api string) bool {
	web := client.Authority(t.Origin)
	return api == web || t.facts.APILabel != "" && t.facts.public(web) && api == t.facts.APILabel+web
}

// clean gives the token of a variable; which says of it what may be said.
func clean(name, which string, getenv func(string) string) (string, error) {
	token := strings.TrimSpace(getenv(name))
	if token == "" {
		return "", &fault.Error{
			Exit: fault.Environment, Rule: "fetch.no-token", Detail: which + " holds no token",
			Hint: "set it to a token of the host",
		}
	}
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return "", fault.New(fault.Environment, "fetch.bad-token", "%s holds something that is no token", which)
		}
	}
	return token, nil
}
