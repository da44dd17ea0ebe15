package forge

import (
	"net/url"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/forge/client"
)

// Facts are what addresses and tokens have to know of a forge. Each adapter's folder
// holds those of its own, and nothing else of this package knows a forge by name.
type Facts struct {
	Forge contract.Forge
	// Hosts are the public ones; "*." stands for any one label or more in front.
	Hosts []string
	// APILabel stands in front of a public host where its API has a host of its own,
	// Suffix at the end of the API's path everywhere else.
	APILabel, Suffix string
	// Default says that a host which nothing names is one of this forge, if its address
	// fits several.
	Default bool

	// Words stand behind the repository in a web address, the first of a kind is the
	// usual one. Separator stands between the two, if it is not "".
	Words     []Word
	Separator string
	// APIWords do the same in an address of the API, behind Collection and the repository.
	APIWords   []Word
	Collection string
	// Marks stand between repository and number in the short form OWNER/REPO#7.
	Marks []Word
	// Owners says how many segments a repository's name has.
	Owners Owners
	// Form is how an address looks, for people.
	Form string

	Bindings []Binding
	// RootVars are the variables whose URL tells under which path the forge lives.
	RootVars []string
}

// Word is a word of an address with the kind that it stands for.
type Word struct {
	Text string
	Kind contract.EntityKind // "": the number may be of either kind
	Skip string              // a word that may follow
	// Alias marks a word that the forge takes and other forges use.
	Alias bool
}

// Owners is the form of a repository's name.
type Owners uint8

// The forms.
const (
	OwnerAndName Owners = iota // two segments, and the forge lives at the root of its host
	RootedName                 // two segments behind the path that the forge lives under
	Groups                     // two segments or more
)

// Binding says to which hosts the token of one environment variable may go (design
// section 3). The first binding that names the host and whose variable is set wins.
type Binding struct {
	Variable string
	HostVars []string // variables that name a host, host:port or URL
	PortVar  string   // port of HostVars[0], where it is given apart
	Public   Public
}

// Public is when a variable's token may go to the public hosts of its forge.
type Public uint8

// The cases.
const (
	Never  Public = iota // whatever else names them
	Unless               // no host variable is set
	Always
)

// public reports whether the authority (host:port) is a public host of the forge.
func (f *Facts) public(authority string) bool {
	for _, p := range f.Hosts {
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

// names reports whether a binding of the forge names the authority.
func (f *Facts) names(b *Binding, authority string, getenv func(string) string) bool {
	public := f.public(authority)
	if public && b.Public != Unless {
		return b.Public == Always
	}
	set := false
	for i, name := range b.HostVars {
		value := getenv(name)
		if value == "" {
			continue
		}
		set = true
		if port := getenv(b.PortVar); b.PortVar != "" && i == 0 && port != "" && !strings.Contains(value, ":") {
			value += ":" + port
		}
		if a, ok := namedAuthority(value); ok && a == authority {
			return true
		}
	}
	return public && !set
}

// named reports whether the forge is the one at the authority: a public host, or one that
// the environment names.
func (f *Facts) named(authority string, getenv func(string) string) bool {
	return f.public(authority) || slices.ContainsFunc(f.Bindings, func(b Binding) bool { return f.names(&b, authority, getenv) })
}

// roots gives the paths under which --api-url or the environment say that the forge lives
// on the host of origin; "" is always one.
func (f *Facts) roots(origin, api *url.URL, getenv func(string) string) []string {
	roots := []string{""}
	add := func(u *url.URL) {
		if client.Authority(u) == client.Authority(origin) || api == u {
			root := strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), f.Suffix)
			roots = append(roots, strings.TrimSuffix(root, "/"))
		}
	}
	if api != nil {
		add(api)
	}
	for _, name := range f.RootVars {
		if u, err := url.Parse(getenv(name)); err == nil && u.Host != "" {
			add(u)
		}
	}
	// The longest first: what lies below a root lies below "" too.
	slices.SortFunc(roots, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(roots)
}

func find(words []Word, text string) *Word {
	for i := range words {
		if words[i].Text == text {
			return &words[i]
		}
	}
	return nil
}
