package forge

import (
	"net/url"
	"strconv"
	"strings"

	"snapline/pkg/contract"
)

// Target is an entity as its address names it.
type Target struct {
	Forge      contract.Forge
	Origin     *url.URL // scheme and authority of the web address, lowercase
	Host       string   // source.host: lowercase, with the port unless it is 443
	Root       string   // path under which the forge lives: "" or "/gitlab"
	Repository string   // as the address spells it: "owner/name", "group/sub/name", or an id of the API
	Kind       contract.EntityKind
	Number     int64
	API        *url.URL // --api-url, nil when not given
	// Address is the web address of the entity, its path as the caller spelled it; "" if
	// that did not name the repository.
	Address string

	facts *Facts
}

// EntityURL gives the web address of the same number as another kind: what a
// KindMismatch names.
func (t Target) EntityURL(kind contract.EntityKind) string {
	path := t.Root + "/" + t.Repository + "/"
	if t.facts.Separator != "" {
		path += t.facts.Separator + "/"
	}
	for _, w := range t.facts.Words {
		if w.Kind == kind {
			path += w.Text
			break
		}
	}
	u := *t.Origin
	u.Path = path + "/" + strconv.FormatInt(t.Number, 10)
	return u.String()
}

// At gives the target as another kind, which the forge has told.
func (t Target) At(kind contract.EntityKind) Target {
	t.Kind = kind
	if t.Address == "" && strings.Contains(t.Repository, "/") {
		t.Address = t.EntityURL(kind)
	}
	return t
}
