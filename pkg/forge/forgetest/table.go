package forgetest

import (
	"slices"
	"strings"
	"time"

	"snapline/pkg/contract"
)

// Row is one row of a list on a fake server.
type Row struct {
	ID   string
	JSON string
	// Hidden rows are taken out of a page after it has been cut: they count in the total
	// and take places, and nobody sees them.
	Hidden bool
	// Objects are what the row brings into a snapshot.
	Objects []Object
}

// Object is what a snapshot must have, or count in its scope.
type Object struct {
	Scope contract.Scope
	ID    string
}

// Table is a list as a server keeps it: in order, counted by rows, without a memory of
// what a reader has seen. Pages are cut by offset, so every change of a row moves those
// behind it.
type Table struct {
	Rows []Row
	// New makes a row that was not there, at a time.
	New func(at time.Time) Row
	// Edited gives the row with other content, edited at a time.
	Edited func(r Row, at time.Time) Row
}

// Cut gives the visible rows of a page and the number of all rows, hidden ones included.
// Page 0 or size 0 is the whole list.
func (t *Table) Cut(page, size int) (visible []Row, total int) {
	rows := t.Rows
	if page > 0 && size > 0 {
		from := min((page-1)*size, len(rows))
		rows = rows[from:min(from+size, len(rows))]
	}
	for _, r := range rows {
		if !r.Hidden {
			visible = append(visible, r)
		}
	}
	return visible, len(t.Rows)
}

// Array writes rows as a JSON array; empty is what the server writes for none.
func Array(rows []Row, empty string) string {
	if len(rows) == 0 {
		return empty
	}
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = r.JSON
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// Change is something that somebody else does to a list while it is read.
type Change struct {
	Name string
	Do   func(t *Table, at time.Time)
	// Order says that only the order changes, so that an element is seen twice in place
	// of another.
	Order bool
}

// Changes are the ways in which lists move.
var Changes = []Change{
	{Name: "delete the first", Do: func(t *Table, _ time.Time) { t.remove(0) }},
	{Name: "delete the second", Do: func(t *Table, _ time.Time) { t.remove(1) }},
	{Name: "delete the first three", Do: func(t *Table, _ time.Time) { t.remove(0); t.remove(0); t.remove(0) }},
	{Name: "delete the last", Do: func(t *Table, _ time.Time) { t.remove(len(t.Rows) - 1) }},
	{Name: "delete the first hidden", Do: func(t *Table, _ time.Time) { t.remove(t.hidden()) }},
	{Name: "add at the end", Do: func(t *Table, at time.Time) { t.Rows = append(t.Rows, t.New(at)) }},
	{Name: "add in front", Do: func(t *Table, at time.Time) { t.Rows = slices.Insert(t.Rows, 0, t.New(at)) }},
	{Name: "add in front, dated back", Do: func(t *Table, at time.Time) { t.Rows = slices.Insert(t.Rows, 0, t.New(at.Add(-48*time.Hour))) }},
	{Name: "edit the first", Do: func(t *Table, at time.Time) { t.edit(0, at) }},
	{Name: "edit the last", Do: func(t *Table, at time.Time) { t.edit(len(t.Rows)-1, at) }},
	{Name: "exchange the ends", Do: func(t *Table, _ time.Time) { t.swap(0, len(t.Rows)-1) }, Order: true},
	{Name: "exchange over a border", Do: func(t *Table, _ time.Time) { t.swap(2, 3) }, Order: true},
	{Name: "turn around", Do: func(t *Table, _ time.Time) { slices.Reverse(t.Rows) }, Order: true},
	{Name: "first goes, new one comes", Do: func(t *Table, at time.Time) { t.remove(0); t.Rows = append(t.Rows, t.New(at)) }},
	{Name: "hidden goes, hidden comes", Do: func(t *Table, at time.Time) {
		t.remove(t.hidden())
		r := t.New(at)
		r.Hidden = true
		t.Rows = append(t.Rows, r)
	}},
	{Name: "hidden is shown in place", Do: func(t *Table, at time.Time) {
		if i := t.hidden(); i >= 0 {
			t.Rows[i] = t.New(at)
		}
	}},
	{Name: "all go", Do: func(t *Table, _ time.Time) { t.Rows = nil }},
}

func (t *Table) remove(i int) {
	if i >= 0 && i < len(t.Rows) {
		t.Rows = slices.Delete(slices.Clone(t.Rows), i, i+1)
	}
}

func (t *Table) hidden() int { return slices.IndexFunc(t.Rows, func(r Row) bool { return r.Hidden }) }

func (t *Table) edit(i int, at time.Time) {
	if i >= 0 && i < len(t.Rows) && t.Edited != nil {
		t.Rows[i] = t.Edited(t.Rows[i], at)
	}
}

func (t *Table) swap(i, j int) {
	if i >= 0 && i < len(t.Rows) && j >= 0 && j < len(t.Rows) {
		t.Rows[i], t.Rows[j] = t.Rows[j], t.Rows[i]
	}
}

// Objects gives what the list brings into a snapshot now.
func (t *Table) Objects() []Object {
	var out []Object
	for _, r := range t.Rows {
		if !r.Hidden {
			out = append(out, r.Objects...)
		}
	}
	return out
}
