package gitlab

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// pageSize is the largest page that GitLab gives, whatever is asked for.
const pageSize = 100

// sieve says whether the server takes rows out of a page after it has cut it.
type sieve bool

const (
	kept   sieve = false
	sieved sieve = true // discussions: what the token may not see is left out of the page
)

// list reads all pages of a list. The next-page marker and the stated total end it, never
// a short page; where an answer has lost both, the list is read until a page brings
// nothing.
func list[T any](ctx context.Context, a *adapter, path, where string, s sieve, read func(strictjson.Object) forge.Item[T]) ([]T, error) {
	return forge.CollectNumbered(ctx, bool(s), func(ctx context.Context, cursor string) (forge.Page[T], error) {
		address := cursor
		if cursor == "" {
			address = numbered(path, "1")
		}
		doc, header, err := forge.GetJSON(ctx, a.client, address, where, a.limit)
		if err != nil {
			return forge.Page[T]{}, explain(err)
		}
		p := forge.Page[T]{Next: nextPage(header, path), Date: forge.Date(header)}
		demand(&p, header, address, path)
		for _, e := range doc.Root().List() {
			if e.Null() {
				return p, forge.ErrNullObject
			}
			item := read(e.Object())
			item.Raw = e.Raw()
			p.Items = append(p.Items, item)
		}
		if doc.Err() != nil {
			return p, &client.Error{Kind: client.Malformed, Where: where, Detail: doc.Err().Error()}
		}
		return p, nil
	})
}

// demand adds what the stated total says of the pages, and tries the next page where
// nothing at all is said.
func demand[T any](p *forge.Page[T], h http.Header, address, path string) {
	next := following(address, path)
	pages := number(h, "X-Total-Pages")
	if total := number(h, "X-Total"); total != nil {
		p.Total = total
		size := int64(pageSize)
		if per := number(h, "X-Per-Page"); per != nil && *per > 0 && *per < size {
			size = *per
		}
		n := (*total + size - 1) / size
		if pages == nil || *pages < n {
			pages = &n
		}
	}
	if pages != nil {
		p.Most = int(min(*pages, 1<<20))
	}
	switch {
	case p.Next != "":
	case pages != nil && next.number > 1 && int64(next.number) <= *pages:
		p.Next = next.path
	case unmarked(h):
		p.Next, p.Guess = next.path, true
	}
}

// number reads a header that counts something, nil if it does not.
func number(h http.Header, name string) *int64 {
	n, err := strconv.ParseInt(h.Get(name), 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
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

// successor is the page after another one.
type successor struct {
	path   string
	number int
}

// following gives the page after the one at address by its number. A page that is named
// by a key has none: its list ends where no link leads on.
func following(address, path string) successor {
	u, err := url.Parse(address)
	if err != nil {
		return successor{}
	}
	n, err := strconv.Atoi(u.Query().Get("page"))
	if err != nil {
		return successor{}
	}
	return successor{numbered(path, strconv.Itoa(n+1)), n + 1}
}

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
