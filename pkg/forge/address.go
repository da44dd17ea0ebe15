package forge

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
)

// Hints are what is said of a target beside its address.
type Hints struct {
	API   string // --api-url
	Forge string // --forge
}

// Parse reads the address of an issue or a pull or merge request in any form in which
// people and APIs write it (AMB-81): as a browser shows it, as the API does, or
// OWNER/REPO#7. What follows the number is ignored. sites are the forges that there are;
// getenv tells which hosts the environment names; nothing is sent. A Target without a kind
// is one of which only the forge can tell.
//
// An address of something else is an *UnsupportedEntity, one that lacks something a
// usage fault with the right form.
func Parse(sites []Facts, address string, h Hints, getenv func(string) string) (Target, error) {
	p := parser{sites: sites, getenv: getenv}
	if err := p.hint(h); err != nil {
		return Target{}, err
	}
	if m := reference.FindStringSubmatch(address); m != nil {
		return p.reference(m[1], m[2], m[3])
	}
	path, err := p.origin(address)
	if err != nil {
		return Target{}, err
	}
	if p.site == nil {
		p.site = p.siteOf()
	}
	if t, found, err := p.api(path); found || err != nil {
		return t, err
	}
	return p.web(path)
}

// reference is the short form.
var reference = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)+)([#!])([0-9]+)$`)

type parser struct {
	sites  []Facts
	getenv func(string) string
	site   *Facts // the forge, once it is known
	apiURL *url.URL

	target Target
	onAPI  bool // the host is one of an API
}

func usage(rule, detail string) error { return fault.New(fault.Usage, rule, "%s", detail) }

func unsupported() error {
	return &UnsupportedEntity{Detail: "unsupported_entity: the address names no issue, pull request or merge request of GitHub, GitLab or Forgejo"}
}

// form is a usage fault that shows how an address looks.
func (p *parser) form(rule, detail string) error {
	e := fault.New(fault.Usage, rule, "%s", detail)
	var forms []string
	for i := range p.sites {
		if p.site == nil || p.site == &p.sites[i] {
			forms = append(forms, p.sites[i].Form)
		}
	}
	e.Hint = "an address looks like " + strings.Join(forms, " or ")
	return e
}

func (p *parser) hint(h Hints) error {
	if h.API != "" {
		u, err := url.Parse(h.API)
		if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return usage("fetch.api-url", "--api-url is no plain address of an API")
		}
		if err := client.CheckScheme(u); err != nil {
			return err
		}
		u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
		p.apiURL, p.target.API = u, u
		for i := range p.sites {
			if strings.HasSuffix(u.Path, p.sites[i].Suffix) {
				p.site = &p.sites[i]
			}
		}
	}
	if h.Forge == "" {
		return nil
	}
	i := slices.IndexFunc(p.sites, func(f Facts) bool { return string(f.Forge) == h.Forge })
	switch {
	case i < 0:
		return usage("fetch.forge", "--forge takes "+p.names())
	case p.site != nil && p.site != &p.sites[i]:
		return usage("fetch.forge", "--forge and --api-url name different forges")
	}
	p.site = &p.sites[i]
	return nil
}

func (p *parser) names() string {
	var names []string
	for _, f := range p.sites {
		names = append(names, string(f.Forge))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// origin reads scheme and host and gives the path.
func (p *parser) origin(address string) (path string, err error) {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", p.form("fetch.space", "the address has a space or a control character in it")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil && strings.Contains(address, "%"):
		return "", p.form("fetch.url", "the argument is no address: an escape in it is broken")
	case err != nil, u.Scheme == "", u.Opaque != "":
		return "", p.form("fetch.url", "the argument is no address of the web; copy it from the browser, with https://")
	case u.Scheme != "https" && u.Scheme != "http":
		return "", p.form("fetch.scheme", "the address is not one of the web; it must start with https://")
	case u.User != nil:
		return "", p.form("fetch.url", "the address holds credentials; tokens come from the environment")
	case u.Hostname() == "":
		return "", p.form("fetch.url", "the address names no host")
	case strings.HasPrefix(u.Host, "["):
		return "", p.form("fetch.host", "the host of the address is a number; a snapshot names hosts by DNS name")
	}
	if err := client.CheckScheme(u); err != nil {
		return "", err
	}
	host := p.plainHost(strings.TrimSuffix(client.Authority(u), ":443"))
	if !tree.ValidHost(host) {
		return "", p.form("fetch.host", "the host of the address is no DNS name with a port")
	}
	p.target.Origin, p.target.Host = &url.URL{Scheme: u.Scheme, Host: host}, host
	return u.EscapedPath(), nil
}

// plainHost takes from a public host what its web site or API puts in front.
func (p *parser) plainHost(host string) string {
	for i := range p.sites {
		f := &p.sites[i]
		if bare, found := strings.CutPrefix(host, "www."); found && slices.Contains(f.Hosts, bare) {
			return bare
		}
		if bare, found := strings.CutPrefix(host, f.APILabel); found && f.APILabel != "" && f.public(net.JoinHostPort(bare, "443")) {
			p.site, p.onAPI = f, true
			return bare
		}
	}
	return host
}

// siteOf tells the forge by its host, nil if nothing names it. Runners of other forges set
// the variables of the default one too, so that comes last.
func (p *parser) siteOf() *Facts {
	authority := client.Authority(p.target.Origin)
	for _, last := range []bool{false, true} {
		for i := range p.sites {
			if f := &p.sites[i]; f.Default == last && f.named(authority, p.getenv) {
				return f
			}
		}
	}
	return nil
}

// api reads an address of the API.
func (p *parser) api(path string) (t Target, found bool, err error) {
	for i := range p.sites {
		f := &p.sites[i]
		if p.site != nil && p.site != f {
			continue
		}
		root, rest := "", path
		if !p.onAPI {
			if root, rest, found = strings.Cut(path, f.Suffix+"/"); !found {
				continue
			}
		}
		p.site = f
		t, err := p.resource(root, strings.Split(strings.Trim(rest, "/"), "/"))
		return t, true, err
	}
	return t, false, nil
}

// resource reads the path of an entity in the API: collection, repository, word, number.
func (p *parser) resource(root string, segments []string) (Target, error) {
	f := p.site
	if segments[0] != f.Collection {
		return Target{}, unsupported()
	}
	segments = segments[1:]
	size := 2
	if f.Owners == Groups {
		size = 1 // an id, or the whole path with its slashes escaped
	}
	if len(segments) < size || segments[0] == "" {
		return Target{}, p.form("fetch.repository", "the address names no repository")
	}
	var name []string
	for _, s := range segments[:size] {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return Target{}, p.form("fetch.url", "the argument is no address: an escape in it is broken")
		}
		name = append(name, strings.Split(plain, "/")...)
	}
	if !proper(name) {
		return Target{}, p.form("fetch.repository", "the address names no repository")
	}
	if root != "" && (f.Owners == OwnerAndName || !proper(strings.Split(root[1:], "/")) || strings.Contains(root, "%")) {
		return Target{}, p.form("fetch.root", notNamed)
	}
	p.target.Root = root
	rest := segments[size:]
	if len(rest) == 0 {
		return Target{}, p.form("fetch.number", noNumber)
	}
	w := find(f.APIWords, rest[0])
	if w == nil {
		return Target{}, unsupported()
	}
	return p.done(name, w, rest[1:])
}

// web reads an address as a browser shows it.
func (p *parser) web(path string) (Target, error) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil || strings.ContainsAny(plain, "/\\") {
			return Target{}, p.form("fetch.url", "a part of the path is no name")
		}
		segments[i] = plain
	}
	if strings.Trim(path, "/") == "" {
		segments = nil
	}
	if strings.ContainsFunc(strings.Join(segments, "/"), func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return Target{}, p.form("fetch.space", "the address has a space or a control character in it")
	}
	if len(segments) > 0 && !proper(segments) {
		return Target{}, p.form("fetch.url", "a part of the path is empty, or a dot")
	}
	p.target.Address = p.target.Origin.String() + path
	if p.site != nil {
		return p.known(segments)
	}
	return p.guess(segments)
}

// proper reports names of which a path can consist.
func proper(names []string) bool {
	return !slices.ContainsFunc(names, func(s string) bool {
		return s == "" || s == "." || s == ".." || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' })
	})
}

// known reads the path on a host of which the forge is known.
func (p *parser) known(segments []string) (Target, error) {
	if name, w, rest, ok := p.match(p.site, segments, true); ok {
		return p.done(name, w, rest)
	}
	for i := range p.sites {
		f := &p.sites[i]
		name, _, rest, ok := p.match(f, segments, true)
		if ok && f != p.site && len(name) == 2 && len(rest) > 0 && digits(rest[0]) {
			return Target{}, p.form("fetch.form", "addresses of the host do not look like this")
		}
	}
	if p.site.Owners == RootedName && p.deeper(p.site, segments) {
		return Target{}, p.form("fetch.root", notNamed)
	}
	for _, root := range p.rootsOf(p.site) {
		if len(root) > 0 && len(segments) >= len(root) && slices.Equal(segments[:len(root)], root) {
			segments = segments[len(root):]
		}
	}
	switch {
	case len(segments) < 2:
		return Target{}, p.form("fetch.repository", "the address names no repository")
	case p.site.Owners == Groups && !slices.Contains(segments, p.site.Separator), len(segments) == 2:
		return Target{}, p.form("fetch.number", noNumber)
	}
	return Target{}, unsupported()
}

const (
	noNumber = "the address names no issue, pull request or merge request by number"
	notNamed = "the forge seems to live below a path of its host: name its API with --api-url"
)

// deeper reports whether an entity of the forge stands deeper in the path than its
// repository does.
func (p *parser) deeper(f *Facts, segments []string) bool {
	for at := 3; at < len(segments)-1; at++ {
		if find(f.Words, segments[at]) != nil && digits(segments[at+1]) {
			return true
		}
	}
	return false
}

// trackerKey is how trackers that are no forge number their tickets.
var trackerKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*-[0-9]+$`)

// guess reads the path on a host that nothing names: by a word that only one forge uses,
// else as the default forge.
func (p *parser) guess(segments []string) (Target, error) {
	var fits []*Facts
	for i := range p.sites {
		if _, _, _, ok := p.match(&p.sites[i], segments, false); ok {
			fits = append(fits, &p.sites[i])
		}
	}
	if len(fits) > 1 {
		fits = slices.DeleteFunc(fits, func(f *Facts) bool { return !f.Default })
	}
	if len(fits) == 1 {
		p.site = fits[0]
		name, w, rest, _ := p.match(p.site, segments, false)
		if len(rest) > 0 && trackerKey.MatchString(rest[0]) {
			return Target{}, unsupported()
		}
		return p.done(name, w, rest)
	}
	for i := range p.sites {
		if f := &p.sites[i]; f.Owners != Groups && p.deeper(f, segments) {
			return Target{}, p.form("fetch.root", notNamed)
		}
	}
	return Target{}, unsupported()
}

// match parts a path into repository, word and the rest, as the forge's addresses are
// made. sure says that the host is the forge's, so that what other forges share counts.
func (p *parser) match(f *Facts, segments []string, sure bool) (name []string, w *Word, rest []string, ok bool) {
	if f.Separator != "" {
		if i := slices.Index(segments, f.Separator); i >= 0 {
			if i+1 >= len(segments) {
				return nil, nil, nil, false
			}
			w := find(f.Words, segments[i+1])
			return p.below(f, segments[:i]), w, segments[i+2:], w != nil
		}
		if !sure {
			return nil, nil, nil, false
		}
	}
	fits := func(i int) bool {
		w := find(f.Words, segments[i])
		return w != nil && (sure || !w.Alias)
	}
	if f.Owners == Groups {
		for i := len(segments) - 2; i >= 2; i-- {
			if fits(i) && digits(segments[i+1]) {
				return p.below(f, segments[:i]), find(f.Words, segments[i]), segments[i+1:], true
			}
		}
		return nil, nil, nil, false
	}
	for _, root := range p.rootsOf(f) {
		if i := len(root) + 2; len(segments) > i && slices.Equal(segments[:len(root)], root) && fits(i) {
			p.target.Root = joinRoot(root)
			return segments[len(root):i], find(f.Words, segments[i]), segments[i+1:], true
		}
	}
	return nil, nil, nil, false
}

func (p *parser) rootsOf(f *Facts) (roots [][]string) {
	for _, root := range f.roots(p.target.Origin, p.apiURL, p.getenv) {
		switch {
		case root == "":
			roots = append(roots, nil)
		case f.Owners == RootedName:
			roots = append(roots, strings.Split(strings.Trim(root, "/"), "/"))
		}
	}
	return roots
}

// below takes the path that the forge lives under from a repository's path: the address
// alone cannot tell it from a group.
func (p *parser) below(f *Facts, segments []string) []string {
	path := "/" + strings.Join(segments, "/")
	for _, root := range f.roots(p.target.Origin, p.apiURL, p.getenv) {
		if rest, found := strings.CutPrefix(path, root+"/"); found && root != "" && strings.Contains(rest, "/") {
			p.target.Root = root
			return strings.Split(rest, "/")
		}
	}
	return segments
}

func joinRoot(segments []string) string {
	if len(segments) == 0 {
		return ""
	}
	return "/" + strings.Join(segments, "/")
}

// done fills the target in.
func (p *parser) done(name []string, w *Word, rest []string) (Target, error) {
	if w.Skip != "" && len(rest) > 1 && rest[0] == w.Skip {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return Target{}, p.form("fetch.number", noNumber)
	}
	n, ok := number(rest[0])
	if !ok {
		return Target{}, p.form("fetch.number", "the number in the address is not one of an entity")
	}
	t := p.target
	t.facts, t.Forge, t.Kind, t.Number, t.Repository = p.site, p.site.Forge, w.Kind, n, strings.Join(name, "/")
	switch {
	case len(name) < 2 && !digits(t.Repository), p.site.Owners == Groups && slices.Contains(name, p.site.Separator):
		return Target{}, p.form("fetch.repository", "the address names no repository")
	case len(name) > 1 && t.Address == "" && t.Kind != "":
		t.Address = t.EntityURL(t.Kind)
	}
	return t, nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// number reads the digits of an entity's number.
func number(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, digits(s) && err == nil && s[0] != '0' && n <= 1<<53-1
}

// reference reads OWNER/REPO#7: on the forge that --forge names, or that of the only
// token there is, and on the host to which its token would go.
func (p *parser) reference(repository, mark, digits string) (Target, error) {
	if p.site == nil {
		var tokens []*Facts
		for i := range p.sites {
			f := &p.sites[i]
			if slices.ContainsFunc(f.Bindings, func(b Binding) bool { return p.getenv(b.Variable) != "" }) {
				tokens = append(tokens, f)
			}
		}
		if len(tokens) != 1 {
			return Target{}, p.form("fetch.reference", "the short form needs --forge NAME, or the token of one forge alone in the environment")
		}
		p.site = tokens[0]
	}
	f := p.site
	w := find(f.Marks, mark)
	name := strings.Split(repository, "/")
	switch {
	case w == nil:
		return Target{}, p.form("fetch.reference", "the forge does not write references like this")
	case len(name) != 2 && f.Owners != Groups, !proper(name):
		return Target{}, p.form("fetch.repository", "the address names no repository")
	}
	host, err := p.home()
	if err != nil {
		return Target{}, err
	}
	p.target.Origin, p.target.Host = host, host.Host
	for _, root := range f.roots(host, p.apiURL, p.getenv) {
		if root != "" {
			p.target.Root = root
			break
		}
	}
	return p.done(name, w, []string{digits})
}

// home gives the host of a reference: that of --api-url, of the variables that bind the
// token which is set, else the public one.
func (p *parser) home() (*url.URL, error) {
	f := p.site
	if p.apiURL != nil {
		u := url.URL{Scheme: p.apiURL.Scheme, Host: strings.TrimSuffix(client.Authority(p.apiURL), ":443")}
		if bare, found := strings.CutPrefix(u.Host, f.APILabel); found && f.APILabel != "" && f.public(bare+":443") {
			u.Host = bare
		}
		return &u, nil
	}
	for _, b := range f.Bindings {
		if p.getenv(b.Variable) == "" {
			continue
		}
		for i, variable := range b.HostVars {
			value := p.getenv(variable)
			if port := p.getenv(b.PortVar); b.PortVar != "" && i == 0 && value != "" && port != "" && !strings.Contains(value, ":") {
				value += ":" + port
			}
			if value == "" {
				continue
			}
			u, err := url.Parse(value)
			if err != nil || u.Host == "" {
				u = &url.URL{Scheme: "https", Host: value}
			}
			host := &url.URL{Scheme: u.Scheme, Host: strings.TrimSuffix(client.Authority(u), ":443")}
			if !tree.ValidHost(host.Host) || client.CheckScheme(host) != nil {
				return nil, usage("fetch.host", variable+" names no host")
			}
			return host, nil
		}
		if b.Public != Never {
			break
		}
	}
	return &url.URL{Scheme: "https", Host: f.Hosts[0]}, nil
}
