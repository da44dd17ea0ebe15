// Package gitlab is the adapter of GitLab: its REST endpoints, its pages, its words.
package gitlab

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/forge/strictjson"
	"snapline/pkg/record"
)

// Driver is GitLab.
var Driver = forge.Driver{
	Forge:    record.GitLab,
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
// short or empty and still have a next one. Where nothing is removed after paging the
// stated total is held against the list (AMB-42).
func list[T any](ctx context.Context, a *adapter, path, where string, totals bool, read func(strictjson.Object) (id string, value T)) ([]T, error) {
	return forge.Collect(ctx, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		if cursor == "" {
			cursor = "1"
		}
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		doc, header, err := a.get(ctx, path+separator+"per_page=100&page="+cursor, where)
		if err != nil {
			return forge.Page[T]{}, err
		}
		p := forge.Page[T]{Next: nextPage(header)}
		if n, err := strconv.ParseInt(header.Get("X-Total"), 10, 64); err == nil && totals {
			p.Total = &n
		}
		for _, e := range doc.Root().Array() {
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

// nextPage gives the number of the next page, "" at the end. Behind some proxies only
// the Link header is left; the number is taken from it, never its address.
func nextPage(h http.Header) string {
	if _, ok := h[http.CanonicalHeaderKey("X-Next-Page")]; ok {
		return pageNumber(h.Get("X-Next-Page"))
	}
	for _, link := range strings.Split(strings.Join(h.Values("Link"), ","), ",") {
		address, rel, ok := strings.Cut(strings.TrimSpace(link), ">")
		if !ok || !strings.Contains(rel, `rel="next"`) {
			continue
		}
		if u, err := url.Parse(strings.TrimPrefix(address, "<")); err == nil {
			return pageNumber(u.Query().Get("page"))
		}
	}
	return ""
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
