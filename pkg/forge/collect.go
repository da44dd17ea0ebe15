package forge

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"snapline/pkg/forge/client"
)

// Page is one page of a list.
type Page[T any] struct {
	Items []Item[T]
	// Next is the cursor of the next page, "" on the last one.
	Next string
	// Guess says that Next, a page number, is not the forge's word: the answer has lost
	// whatever tells if there is more. It counts only as long as no page of the reading could tell, and
	// only until a page brings nothing.
	Guess bool
	// Total is the total that the forge states for the whole list, nil if it states none.
	Total *int64

	// Date is when the forge gave this page, by its own clock; zero if it does not say.
	Date time.Time
	// Most is the number of pages that the stated total allows, 0 if it does not tell.
	Most int
}

// Item is an element with what tells it from others.
type Item[T any] struct {
	ID    string
	Raw   []byte // its JSON as sent: two copies with other bytes mean that the list moved
	Value T
	// Changed is when the element was created, submitted or edited, whichever came last;
	// zero if that is not said.
	Changed time.Time
}

// The reasons why a list is given up.
var (
	ErrListMoved  = errors.New("the list kept changing while it was read")
	ErrListShort  = errors.New("the list is shorter than the total that the forge states")
	ErrListLoops  = errors.New("the pages of the list do not end")
	ErrNullObject = errors.New("the list holds an element that the token may not see")
)

// shape says what the pages of a list are worth.
type shape uint8

const (
	// byCursor lists keep their place in the list by a token of the forge.
	byCursor shape = iota
	// numbered lists count rows: one that is deleted in front moves those behind it, and
	// an unread one may fall between two pages.
	numbered
	// sieved lists are numbered, and the forge takes out rows after it has cut the page:
	// its total counts them, and pages may be short or empty anywhere.
	sieved
)

const (
	maxPages    = 1000            // of one reading, where no total says less
	maxReadings = 4               // of a list that moves
	idlePages   = 3               // pages in a row by cursor that bring nothing
	sparePages  = 10              // beyond what a total allows: lists may grow
	dateSlack   = 2 * time.Second // dates of answers are cut to seconds
)

// pageSizes are the lengths at which forges cut a page by themselves.
var pageSizes = []int{20, 30, 50, 100}

// Collect reads all pages of a list by cursor and gives its elements in the order of
// their first appearance, identical repetitions once. If one id comes with two different
// contents, the list moved and is read once more from its start (AMB-45). Fewer
// distinct ids than the stated total, a repeated cursor, pages without end, or any failed
// page is an error, and then there is no list at all (AMB-42).
//
// page reads the page at a cursor; "" is the first.
func Collect[T any](ctx context.Context, page func(ctx context.Context, cursor string) (Page[T], error)) ([]T, error) {
	last, err := read(ctx, byCursor, page)
	if err == nil && errors.Is(last.broken, ErrListMoved) {
		last.ledger.Discard()
		last, err = read(ctx, byCursor, page)
	}
	switch {
	case err != nil:
		return nil, err
	case last.broken == nil && last.shifted():
		return agree(ctx, byCursor, last, page)
	case last.broken != nil:
		last.ledger.Discard()
	}
	return last.list()
}

// CollectNumbered reads all pages of a list by page number. One page cannot move. With
// more of them the list is read until two readings in a row have the same ids in the
// same order, at most four times, if there is a sign that it moved, or nothing that
// could show it: another total, an element that is newer than the first page, an element
// or a page that comes twice, a promised page that is empty, fewer elements than the
// total; no total or no date at all (AMB-82). What is left then is an error, as in Collect.
//
// hides says that the forge takes rows out after it has cut the page. Such a total only
// tells how many pages there are, and what lies between two pages may be hidden, so that
// two readings have to agree always.
func CollectNumbered[T any](ctx context.Context, hides bool, page func(ctx context.Context, cursor string) (Page[T], error)) ([]T, error) {
	s := numbered
	if hides {
		s = sieved
	}
	last, err := read(ctx, s, page)
	if err != nil {
		return nil, err
	}
	if !last.doubtful() {
		return last.list()
	}
	return agree(ctx, s, last, page)
}

// agree reads a list until two readings in a row have the same ids in the same order.
func agree[T any](ctx context.Context, s shape, last reading[T], page func(context.Context, string) (Page[T], error)) ([]T, error) {
	for range maxReadings - 1 {
		again, err := read(ctx, s, page)
		if err != nil {
			return nil, err
		}
		same := slices.Equal(last.order, again.order)
		last.ledger.Discard()
		last = again
		if same {
			if last.broken != nil {
				last.ledger.Discard()
			}
			return last.list()
		}
	}
	last.ledger.Discard()
	return nil, ErrListMoved
}

// reading is one way through all pages of a list.
type reading[T any] struct {
	shape shape
	out   []T
	order []string // what came, in order, repetitions included

	seen     map[string][]byte // elements by id
	unnamed  map[string]bool   // elements without an id, by their JSON
	nameless int64             // their number
	cursors  map[string]bool
	starts   map[string]bool // pages, by all they brought

	pages  int
	idle   int  // pages in a row that brought nothing new
	empty  int  // pages in a row that brought nothing
	marked bool // some page could tell whether there is more
	total  *int64
	date   time.Time // of the first page
	newest time.Time // change

	ledger *client.Ledger // what its pages took of the cap on answers

	totals bool  // two answers stated different totals
	moved  bool  // there is a sign that the list moved
	twice  bool  // an element came twice
	broken error // this reading is not the list, however often it looks the same
}

func read[T any](ctx context.Context, s shape, page func(context.Context, string) (Page[T], error)) (reading[T], error) {
	r := reading[T]{
		shape: s, seen: map[string][]byte{}, unnamed: map[string]bool{}, cursors: map[string]bool{"": true}, starts: map[string]bool{},
	}
	ctx, r.ledger = client.WithLedger(ctx)
	promised := false
	for cursor := ""; ; {
		p, err := page(ctx, cursor)
		if err != nil {
			r.ledger.Discard()
			return r, err
		}
		r.pages++
		next := r.add(&p, promised)
		if next == "" || r.broken != nil {
			break
		}
		if r.cursors[next] || r.endless(&p) {
			r.ledger.Discard()
			return r, ErrListLoops
		}
		r.cursors[next] = true
		cursor, promised = next, !p.Guess
	}
	if r.broken == nil && r.total != nil && r.distinct() < *r.total {
		switch {
		case s != sieved:
			r.broken = ErrListShort
		case r.twice:
			r.broken = ErrListMoved // what came twice took the place of something
		}
	}
	return r, nil
}

func (r *reading[T]) distinct() int64 { return int64(len(r.seen)) + r.nameless }

// list gives what was read, unless it is not the list.
func (r *reading[T]) list() ([]T, error) {
	if r.broken != nil {
		return nil, r.broken
	}
	return r.out, nil
}

// doubtful reports that a reading by numbers cannot stand alone.
func (r *reading[T]) doubtful() bool {
	if r.pages == 1 {
		return r.broken != nil
	}
	return r.broken != nil || r.moved || r.shape == sieved || r.total == nil || r.date.IsZero() || r.late()
}

// late reports an element that is newer than the first answer.
func (r *reading[T]) late() bool { return r.newest.After(r.date.Add(-dateSlack)) }

// shifted reports that elements of a list by cursor may have changed their places between
// two pages.
func (r *reading[T]) shifted() bool {
	return r.pages > 1 && (r.totals || !r.date.IsZero() && r.late())
}

// endless reports more pages than a list of this kind can have.
func (r *reading[T]) endless(p *Page[T]) bool {
	most := maxPages
	if p.Most > 0 {
		most = min(most, p.Most+sparePages)
	}
	if r.pages >= most {
		return true
	}
	if r.shape != byCursor {
		return false
	}
	return r.idle >= idlePages || r.total != nil && r.distinct() > 2*(*r.total)+maxPages
}

// add takes over a page and gives the cursor of the next one. promised says that the
// page before named this one.
func (r *reading[T]) add(p *Page[T], promised bool) (next string) {
	if r.pages == 1 {
		r.date = p.Date
	}
	if p.Total != nil {
		if r.total != nil && *r.total != *p.Total {
			r.moved, r.totals = true, true
		}
		r.total = p.Total // the last page's word counts
	}
	ids, fresh := r.ids(p)
	if r.repeats(p, ids) {
		return ""
	}
	if len(ids) == 0 && promised && r.shape == numbered {
		r.moved = true
	}
	r.idle, r.empty = r.idle+1, r.empty+1
	if fresh {
		r.idle = 0
	}
	if len(ids) > 0 {
		r.empty = 0
	}
	guess := p.Guess && !r.marked
	r.marked = r.marked || !p.Guess
	for i := range p.Items {
		if r.item(&p.Items[i], ids[i]); r.broken != nil {
			return ""
		}
	}
	switch {
	case !p.Guess, guess && !r.ended(len(ids)):
		return p.Next
	}
	return ""
}

// ids gives what tells the elements of a page apart, and whether any of them is new.
func (r *reading[T]) ids(p *Page[T]) (ids []string, fresh bool) {
	ids = make([]string, len(p.Items))
	for i, item := range p.Items {
		if item.ID == "" {
			ids[i] = "\x00" + string(item.Raw)
			fresh = fresh || !r.unnamed[string(item.Raw)]
			continue
		}
		ids[i] = item.ID
		_, known := r.seen[item.ID]
		fresh = fresh || !known
	}
	return ids, fresh
}

// repeats deals with a page that is an earlier one again. A server that ignores page
// numbers may give its list in one answer; one of a length at which pages are cut may be
// a page, and all that it ever shows.
func (r *reading[T]) repeats(p *Page[T], ids []string) bool {
	if r.shape == byCursor || len(ids) == 0 {
		return false
	}
	key := join(ids)
	if !r.starts[key] {
		r.starts[key] = true
		return false
	}
	if r.pages == 2 && p.Guess && !r.marked && !slices.Contains(pageSizes, len(ids)) {
		r.pages = 1
		return true
	}
	r.moved, r.broken = true, ErrListLoops
	return true
}

func join(ids []string) string {
	var b bytes.Buffer
	for _, id := range ids {
		b.WriteString(id)
		b.WriteByte(0)
	}
	return b.String()
}

// ended reports whether a page of n elements of a list without marks was its last.
func (r *reading[T]) ended(n int) bool {
	if r.shape == sieved {
		return r.empty >= 2 // one empty page may stand anywhere
	}
	return n == 0
}

func (r *reading[T]) item(item *Item[T], id string) {
	r.order = append(r.order, id)
	if item.Changed.After(r.newest) {
		r.newest = item.Changed
	}
	if item.ID == "" {
		r.unnamed[string(item.Raw)] = true
		r.nameless++
		r.out = append(r.out, item.Value)
		return
	}
	raw, again := r.seen[item.ID]
	switch {
	case !again:
		r.seen[item.ID] = item.Raw
		r.out = append(r.out, item.Value)
	case !bytes.Equal(raw, item.Raw):
		r.moved, r.broken = true, ErrListMoved
	default:
		r.moved, r.twice = true, true
	}
}

// Newest gives the latest of some times as a forge writes them, zero if there is none.
func Newest(times ...*string) (newest time.Time) {
	for _, s := range times {
		if s == nil {
			continue
		}
		if t, err := time.Parse(time.RFC3339, *s); err == nil && t.After(newest) {
			newest = t
		}
	}
	return newest
}

// Date reads the time at which a server says that it answered, zero if it does not.
func Date(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
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
