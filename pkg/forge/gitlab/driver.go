// Package gitlab is the adapter of GitLab: its REST endpoints, its pages, its words.
package gitlab

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Driver is GitLab.
var Driver = forge.Driver{
	Forge:    contract.GitLab,
	Endpoint: endpoint,
	Credential: func(token string) client.Credential {
		return client.NewCredential("PRIVATE-TOKEN", "", token)
	},
	Header: http.Header{"Accept": {"application/json"}},
	Open: func(t forge.Target, e forge.Endpoint, c *client.Client, s forge.Settings) forge.Adapter {
		return &adapter{target: t, client: c, limit: s.MaxAnswerBytes, root: e.Base.EscapedPath()}
	},
}

func endpoint(t forge.Target) forge.Endpoint {
	if t.API != nil {
		return forge.Endpoint{Base: t.API}
	}
	base := *t.Origin
	base.Path = t.Root + "/api/v4"
	return forge.Endpoint{Base: &base}
}

// adapter reads one entity. Paths are escaped and relative to the origin.
type adapter struct {
	target forge.Target
	client *client.Client
	limit  int64 // of one answer, in bytes
	root   string
}

// place is where the entity's lists live: the adapter's knowledge after Entity.
type place struct {
	project string // .../projects/{id}
	entity  string // .../projects/{id}/issues/{iid} or .../merge_requests/{iid}
	budget  string // what the server said of its limit, "" if nothing
}

func (a *adapter) projectPath(id string) string { return a.root + "/projects/" + url.PathEscape(id) }

func (a *adapter) get(ctx context.Context, path, where string) (*strictjson.Document, http.Header, error) {
	return forge.GetJSON(ctx, a.client, path, where, a.limit)
}

// list reads all pages of a list. Only the next-page marker ends it: a page may be
// short or empty and still have a next one. Where an answer has lost every marker, a
// full page is followed by the next. Where nothing is removed after paging the stated
// total is held against the list (AMB-42).
func list[T any](ctx context.Context, a *adapter, path, where string, totals bool, read func(strictjson.Object) (id string, value T)) ([]T, error) {
	return forge.Collect(ctx, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		address := cursor
		if cursor == "" {
			address = numbered(path, "1")
		}
		doc, header, err := a.get(ctx, address, where)
		if err != nil {
			return forge.Page[T]{}, err
		}
		p := forge.Page[T]{Next: nextPage(header, path)}
		if n, err := strconv.ParseInt(header.Get("X-Total"), 10, 64); err == nil && totals {
			p.Total = &n
		}
		elements := doc.Root().Array()
		if len(elements) >= pageSize && unmarked(header) {
			p.Next, p.Guess = following(address, path), true
		}
		for _, e := range elements {
			if e.Null() {
				return p, forge.ErrNullObject
			}
			o := e.Object()
			id, value := read(o)
			p.Items = append(p.Items, forge.Item[T]{ID: id, Raw: o.Raw(), Value: value})
		}
		if doc.Err() != nil {
			return p, &client.Error{Kind: client.Malformed, Where: where, Detail: doc.Err().Error()}
		}
		return p, nil
	})
}

// nextPage gives the path of the page after one of the list at path, "" at the end.
// Behind some proxies and on lists that are paged by keys only the Link header is left;
// the number is taken from it, or else the whole query, never its host or path.
func nextPage(h http.Header, path string) string {
	if _, ok := h[http.CanonicalHeaderKey("X-Next-Page")]; ok {
		if n := pageNumber(h.Get("X-Next-Page")); n != "" {
			return numbered(path, n)
		}
		return ""
	}
	next := client.Next(h)
	if next == "" {
		return ""
	}
	u, err := url.Parse(next)
	if err != nil || u.RawQuery == "" {
		return numbered(path, "0")
	}
	if n := pageNumber(u.Query().Get("page")); n != "" {
		return numbered(path, n)
	}
	own, _, _ := strings.Cut(path, "?")
	return own + "?" + u.RawQuery
}

// unmarked reports whether an answer does not say if there is more: GitLab always
// does, but not everything that stands before it passes that on.
func unmarked(h http.Header) bool {
	_, marked := h[http.CanonicalHeaderKey("X-Next-Page")]
	return !marked && h.Get("Link") == ""
}

// following gives the path of the page after the one at address by its number. A page
// that is named by a key has none: its list ends where no link leads on.
func following(address, path string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	n, err := strconv.Atoi(u.Query().Get("page"))
	if err != nil {
		return ""
	}
	return numbered(path, strconv.Itoa(n+1))
}

// pageSize is the largest page that GitLab gives, whatever is asked for.
const pageSize = 100

func numbered(path, page string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "per_page=" + strconv.Itoa(pageSize) + "&page=" + page
}

// pageNumber passes a page number on; anything else is a page that cannot be had, and
// asking for it fails the list instead of ending it.
func pageNumber(s string) string {
	if s == "" {
		return ""
	}
	if n, err := strconv.ParseInt(s, 10, 32); err != nil || n < 1 {
		return "0"
	}
	return s
}
