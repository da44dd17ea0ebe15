package forge

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
)

// Page is one page of a list.
type Page[T any] struct {
	Items []Item[T]
	// Next is the cursor of the next page, "" on the last one.
	Next string
	// Guess says that Next is not the forge's word. It counts only if this page brought
	// something new, so that a list that ignores paging ends.
	Guess bool
	// Total is a total that the forge keeps for the whole list, nil if it states none
	// or none that can be trusted (AMB-42).
	Total *int64
}

// Item is an element with what tells it from others.
type Item[T any] struct {
	ID    string
	Raw   []byte // its JSON as sent: two copies with other bytes mean that the list moved
	Value T
}

// The reasons why a list is given up.
var (
	ErrListMoved  = errors.New("the list changed while it was read, twice")
	ErrListShort  = errors.New("the list is shorter than the total that the forge states")
	ErrListLoops  = errors.New("the pages of the list do not end")
	ErrNullObject = errors.New("the list holds an element that the token may not see")
)

var errMoved = errors.New("moved")

// Collect reads all pages of a list and gives its elements in the order of their
// first appearance, identical repetitions once. If one id comes with two different
// contents, the list moved and is read once more from its start (AMB-45). Fewer
// distinct ids than the stated total, a repeated cursor, or any failed page is an
// error, and then there is no list at all (AMB-42).
//
// page reads the page at a cursor; "" is the first.
func Collect[T any](ctx context.Context, page func(ctx context.Context, cursor string) (Page[T], error)) ([]T, error) {
	items, err := collectOnce(ctx, page)
	if errors.Is(err, errMoved) {
		items, err = collectOnce(ctx, page)
		if errors.Is(err, errMoved) {
			return nil, ErrListMoved
		}
	}
	return items, err
}

func collectOnce[T any](ctx context.Context, page func(context.Context, string) (Page[T], error)) ([]T, error) {
	var (
		out      []T
		seen     = map[string][]byte{}
		unnamed  = map[string]bool{} // elements without an id, by their JSON
		cursors  = map[string]bool{"": true}
		total    int64
		nameless int64 // their number
	)
	for cursor := ""; ; {
		p, err := page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		if p.Total != nil {
			total = *p.Total // the last page's word counts
		}
		repeated := p.Guess && !slices.ContainsFunc(p.Items, func(i Item[T]) bool {
			_, named := seen[i.ID]
			return !named && !unnamed[string(i.Raw)]
		})
		for _, item := range p.Items {
			if item.ID == "" {
				if !repeated {
					unnamed[string(item.Raw)] = true
					nameless++
					out = append(out, item.Value)
				}
				continue
			}
			if raw, ok := seen[item.ID]; ok {
				if !bytes.Equal(raw, item.Raw) {
					return nil, errMoved
				}
				continue
			}
			seen[item.ID] = item.Raw
			out = append(out, item.Value)
		}
		if p.Next == "" || repeated {
			break
		}
		if cursors[p.Next] {
			return nil, ErrListLoops
		}
		cursors[p.Next] = true
		cursor = p.Next
	}
	if int64(len(seen))+nameless < total {
		return nil, ErrListShort
	}
	return out, nil
}

// DistinctComments applies the rule of Collect across the lists that make up one
// source (threads, reviews, discussions): identical copies of a comment count once,
// different ones give up the source. Without it one id would be written twice.
func DistinctComments(all []Comment) ([]Comment, error) {
	return distinct(all, func(c *Comment) (string, *Text) { return c.ID, &c.Body })
}

// DistinctChecks does the same for checks.
func DistinctChecks(all []Check) ([]Check, error) {
	return distinct(all, func(c *Check) (string, *Text) { return c.ID, &c.Name })
}

func distinct[T any](all []T, parts func(*T) (id string, text *Text)) ([]T, error) {
	out := make([]T, 0, len(all))
	at := map[string]int{}
	for i := range all {
		id, _ := parts(&all[i])
		first, seen := at[id]
		switch {
		case id == "" || !seen:
			at[id] = len(out)
			out = append(out, all[i])
		case !same(out[first], all[i], parts):
			return nil, ErrListMoved
		}
	}
	return out, nil
}

// same compares two copies by what they say; their texts lie in different answers.
func same[T any](a, b T, parts func(*T) (string, *Text)) bool {
	_, x := parts(&a)
	_, y := parts(&b)
	if !x.equal(*y) {
		return false
	}
	*x, *y = Text{}, Text{}
	return reflect.DeepEqual(a, b)
}
