package forge

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
)

// Target is an entity as its browser address names it.
type Target struct {
	Forge      contract.Forge
	Origin     *url.URL // scheme and authority of the browser address, lowercase
	Host       string   // source.host: lowercase, with the port unless it is 443
	Root       string   // path under which the forge lives: "" or "/gitlab"
	Repository string   // as the address spells it: "owner/name", "group/sub/name"
	Kind       contract.EntityKind
	Number     int64
	API        *url.URL // --api-url, nil when not given
	Address    string   // web address of the entity, its path as the caller spelled it
}

// words of the three forges' addresses: what follows the repository. GitHub and
// Forgejo share "issues"; the host tells them apart.
var words = []struct {
	word  string
	kind  contract.EntityKind
	forge contract.Forge // "" when the word alone does not tell
}{
	{"issues", contract.WorkItem, ""},
	{"pull", contract.ChangeProposal, contract.GitHub},
	{"pulls", contract.ChangeProposal, contract.Forgejo},
	{"merge_requests", contract.ChangeProposal, contract.GitLab},
	{"work_items", contract.WorkItem, contract.GitLab},
}

// apiSuffixes are the ends of an API address by which --api-url names a forge.
var apiSuffixes = map[string]contract.Forge{
	"/api/v3": contract.GitHub, "/api/v4": contract.GitLab, "/api/v1": contract.Forgejo,
}

// Parse reads a browser address of an issue or a pull or merge request; trailing
// path, query and fragment are ignored. getenv tells which hosts the environment
// names; nothing is sent. A text that is no https address of a host is a usage fault,
// an address of anything else an *UnsupportedEntity.
func Parse(address, apiURL string, getenv func(string) string) (Target, error) {
	t, err := parseOrigin(address)
	if err != nil {
		return Target{}, err
	}
	if apiURL != "" {
		if t.API, err = parseAPI(apiURL); err != nil {
			return Target{}, err
		}
	}
	u, _ := url.Parse(address)
	segments, ok := split(u.EscapedPath())
	if !ok {
		return Target{}, unsupported()
	}
	named := t.namedForge(getenv)
	if !t.place(segments, named, getenv) {
		return Target{}, unsupported()
	}
	if t.Number == 0 {
		return Target{}, fault.New(fault.Usage, "fetch.number", "the number in the address is not one of an entity")
	}
	t.Address = t.EntityURL(t.Kind)
	return t, nil
}

func unsupported() error {
	return &UnsupportedEntity{Detail: "unsupported_entity: the address names no issue, pull request or merge request of GitHub, GitLab or Forgejo"}
}

func parseOrigin(address string) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return Target{}, fault.New(fault.Usage, "fetch.url", "the argument is no address; copy it from the browser, with https://")
	}
	if u.User != nil {
		return Target{}, fault.New(fault.Usage, "fetch.url", "the address holds credentials; tokens come from the environment")
	}
	if err := client.CheckScheme(u); err != nil {
		return Target{}, err
	}
	authority := client.Authority(u)
	host := strings.TrimSuffix(authority, ":443")
	if !tree.ValidHost(host) {
		return Target{}, fault.New(fault.Usage, "fetch.host", "the host of the address is no lowercase DNS name with a port")
	}
	origin := &url.URL{Scheme: u.Scheme, Host: host}
	return Target{Origin: origin, Host: host}, nil
}

func parseAPI(apiURL string) (*url.URL, error) {
	u, err := url.Parse(apiURL)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Usage, "fetch.api-url", "--api-url is no plain address of an API")
	}
	if err := client.CheckScheme(u); err != nil {
		return nil, err
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// split gives the unescaped segments of a path; an escaped slash or an empty segment
// inside makes it no path of an entity.
func split(escaped string) ([]string, bool) {
	parts := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, p := range parts {
		s, err := url.PathUnescape(p)
		if err != nil || s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/\\") {
			return nil, false
		}
		parts[i] = s
	}
	return parts, true
}

// namedForge tells the forge by the host: the public hosts, the hosts that the
// environment names, and --api-url. "" when nothing tells.
func (t *Target) namedForge(getenv func(string) string) contract.Forge {
	switch {
	case t.API != nil:
		for suffix, f := range apiSuffixes {
			if strings.HasSuffix(t.API.Path, suffix) {
				return f
			}
		}
	case t.Host == "github.com", strings.HasSuffix(t.Host, ".ghe.com"):
		return contract.GitHub
	case t.Host == "gitlab.com":
		return contract.GitLab
	case t.Host == "codeberg.org":
		return contract.Forgejo
	}
	authority := client.Authority(t.Origin)
	// Forgejo's runners set the GITHUB_ variables too, so those come last.
	for _, f := range []contract.Forge{contract.Forgejo, contract.GitLab, contract.GitHub} {
		for _, b := range bindings {
			if b.forge == f && b.names(authority, getenv) {
				return f
			}
		}
	}
	return ""
}

// place finds the word that makes the path an entity's and fills the target.
func (t *Target) place(segments []string, named contract.Forge, getenv func(string) string) bool {
	for i, s := range segments {
		// GitLab sets its own words apart: group/name/-/issues/1.
		if s == "-" && i >= 2 && i+2 < len(segments) {
			return t.fill(segments[:i], segments[i+1], segments[i+2:], contract.GitLab, named, getenv)
		}
	}
	for i := len(segments) - 2; i >= 2; i-- {
		if named != contract.GitLab && named != contract.Forgejo && i != 2 {
			continue // a repository of GitHub has exactly two segments before the word
		}
		if t.fill(segments[:i], segments[i], segments[i+1:], "", named, getenv) {
			return true
		}
	}
	return false
}

func (t *Target) fill(repository []string, word string, rest []string, marked, named contract.Forge, getenv func(string) string) bool {
	for _, w := range words {
		if w.word != word {
			continue
		}
		t.Forge = named
		for _, f := range []contract.Forge{w.forge, marked} {
			if f != "" && named != "" && f != named {
				return false // for example /pulls/1 on github.com
			}
			if f != "" {
				t.Forge = f
			}
		}
		if t.Forge == "" {
			t.Forge = contract.GitHub // an unnamed host: Enterprise Server
		}
		if w.word == "issues" && t.Forge == contract.GitLab && len(rest) > 1 && rest[0] == "incident" {
			rest = rest[1:]
		}
		n, ok := number(rest[0])
		if !ok {
			return false
		}
		t.Kind, t.Number = w.kind, n
		return t.setRepository(repository, getenv)
	}
	return false
}

// number reads the digits of an entity's number; 0 for digits that are none.
func number(s string) (int64, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || s[0] == '0' || n > 1<<53-1 {
		return 0, true
	}
	return n, true
}

func (t *Target) setRepository(segments []string, getenv func(string) string) bool {
	switch t.Forge {
	case contract.GitHub:
		if len(segments) != 2 {
			return false
		}
	case contract.Forgejo:
		t.Root = joinRoot(segments[:len(segments)-2])
		segments = segments[len(segments)-2:]
	case contract.GitLab:
		if slices.Contains(segments, "-") {
			return false
		}
		for _, root := range t.roots(getenv) {
			trimmed, ok := strings.CutPrefix("/"+strings.Join(segments, "/"), root+"/")
			if ok && root != "" && strings.Contains(trimmed, "/") {
				t.Root, segments = root, strings.Split(trimmed, "/")
				break
			}
		}
	}
	t.Repository = strings.Join(segments, "/")
	return true
}

// roots gives the paths under which the environment or --api-url says that GitLab
// lives on this host; the address alone cannot tell a root from a group.
func (t *Target) roots(getenv func(string) string) []string {
	var roots []string
	for _, address := range []string{apiAddress(t.API), getenv("CI_API_V4_URL"), getenv("CI_SERVER_URL"), getenv("GITLAB_HOST")} {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || client.Authority(u) != client.Authority(t.Origin) {
			continue
		}
		roots = append(roots, strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api/v4"))
	}
	return roots
}

func apiAddress(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.String()
}

func joinRoot(segments []string) string {
	if len(segments) == 0 {
		return ""
	}
	return "/" + strings.Join(segments, "/")
}

// EntityURL gives the browser address of the same number as another kind: what a
// KindMismatch names.
func (t Target) EntityURL(kind contract.EntityKind) string {
	word := map[contract.Forge][2]string{
		contract.GitHub: {"/issues/", "/pull/"}, contract.GitLab: {"/-/issues/", "/-/merge_requests/"}, contract.Forgejo: {"/issues/", "/pulls/"},
	}[t.Forge]
	i := 0
	if kind == contract.ChangeProposal {
		i = 1
	}
	u := *t.Origin
	u.Path = t.Root + "/" + t.Repository + word[i] + strconv.FormatInt(t.Number, 10)
	return u.String()
}
