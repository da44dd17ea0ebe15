package forgejo

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// pageSize is what is asked for; servers lower it silently.
const pageSize = 50

// listing is a list of the API and how it speaks of its length.
type listing struct {
	path, where string
	member      string // the array in the answer, "" when the answer itself is the array
	total       totals
}

// totals says what a stated total is worth. None counts only what is shown: rows that the
// token may not see are taken out after the page is cut, so every total is a bound from
// above (AMB-42, AMB-82).
type totals uint8

const (
	ofList   totals = iota // X-Total-Count: rows of the whole list
	inAnswer               // the member total_count beside the array
	ofPage                 // X-Total-Count, but of this page: worth nothing
)

// list reads a list. Without a page number the server gives all of it in one answer,
// which cannot move. Only where that answer promises more is the list read by pages: all
// that the total allows, whatever is empty in between.
func list[T any](ctx context.Context, a *adapter, l listing, read func(strictjson.Object) forge.Item[T]) ([]T, error) {
	var promised bool
	whole := func(ctx context.Context, _ string) (forge.Page[T], error) {
		p, header, err := one(ctx, a, l, l.path, read)
		if err == nil {
			promised = a.promises(ctx, header, p.Total, len(p.Items))
		}
		return forge.Page[T]{Items: p.Items}, err
	}
	items, err := forge.CollectNumbered(ctx, false, whole)
	if client.IsKind(err, client.TooLarge) && !client.OverTotal(err) {
		promised, err = true, nil
	}
	if err != nil || !promised {
		return items, err
	}
	return pages(ctx, a, l, 0, read)
}

// promises reports whether there is more than the one answer without a page number has.
// Hidden rows count in the total, so where it is larger the limits of the server decide:
// an answer of more rows than any page holds is no page, nor one of a list that fits one.
func (a *adapter) promises(ctx context.Context, h http.Header, total *int64, n int) bool {
	if client.Next(h) != "" {
		return true
	}
	if total == nil || *total <= int64(n) {
		return false
	}
	at := a.limits(ctx)
	return at.most == 0 || int64(n) <= at.most && *total > at.smallest
}

// pages reads a list by page numbers. atLeast is the number of rows that it should have
// where it does not state a total.
func pages[T any](ctx context.Context, a *adapter, l listing, atLeast int64, read func(strictjson.Object) forge.Item[T]) ([]T, error) {
	var rows, size int64 // rows so far; the size of a page, as far as that is known
	return forge.CollectNumbered(ctx, true, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		number := int64(1)
		if cursor == "" {
			rows, size = 0, min(pageSize, a.limits(ctx).most)
		} else {
			number, _ = strconv.ParseInt(cursor, 10, 32)
		}
		p, header, err := one(ctx, a, l, withPage(l.path, number), read)
		if err != nil {
			return p, err
		}
		rows += int64(len(p.Items))
		size = max(size, int64(len(p.Items)), 1)
		expected := atLeast
		if p.Total != nil {
			expected = max(expected, *p.Total)
		}
		most := (expected + size - 1) / size
		p.Most = int(min(most, 1<<20))
		next := strconv.FormatInt(number+1, 10)
		switch {
		case client.Next(header) != "", number < most && rows < expected:
			p.Next = next
		case expected == 0 && p.Total == nil:
			p.Next, p.Guess = next, true
		}
		return p, nil
	})
}

// one reads one answer of a list.
func one[T any](ctx context.Context, a *adapter, l listing, path string, read func(strictjson.Object) forge.Item[T]) (forge.Page[T], http.Header, error) {
	doc, header, err := forge.GetJSON(ctx, a.client, path, l.where, a.limit)
	if err != nil {
		return forge.Page[T]{}, nil, explain(err)
	}
	p := forge.Page[T]{Date: forge.Date(header)}
	elements := doc.Root()
	if l.member != "" && !elements.Null() {
		elements = doc.Object().Get(l.member)
	}
	for _, e := range elements.List() {
		if e.Null() {
			return p, header, forge.ErrNullObject
		}
		item := read(e.Object())
		item.Raw = e.Raw()
		p.Items = append(p.Items, item)
	}
	switch l.total {
	case ofList:
		if n, err := strconv.ParseInt(header.Get("X-Total-Count"), 10, 64); err == nil && n >= 0 {
			p.Total = &n
		}
	case inAnswer:
		if doc.Root().IsObject() {
			p.Total = doc.Object().OptInt("total_count")
		}
	}
	if doc.Err() != nil {
		return p, header, &client.Error{Kind: client.Malformed, Where: l.where, Detail: doc.Err().Error()}
	}
	return p, header, nil
}

// limits are the sizes of a page: the smallest that a server cuts if nothing is asked
// for, and the most that it gives.
type limits struct{ smallest, most int64 }

// limits asks for the sizes of this server's pages, once; zero if it does not tell.
func (a *adapter) limits(ctx context.Context) limits {
	a.askLimits.Do(func() {
		doc, _, err := a.get(ctx, a.base+"/settings/api", "paging settings")
		if err != nil {
			return
		}
		o := doc.Object()
		most, usual := o.Int("max_response_items"), o.Int("default_paging_num")
		if doc.Err() == nil && most > 0 && usual > 0 {
			a.sizes = limits{smallest: min(most, usual), most: most}
		}
	})
	return a.sizes
}

func withPage(path string, number int64) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "limit=" + strconv.Itoa(pageSize) + "&page=" + strconv.FormatInt(number, 10)
}
