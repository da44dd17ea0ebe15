// Package diff tells what changed between two trees of one issue or change proposal: what
// people said, decided and ran, and how much of a prompt stays as it was.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/read"
)

// Diff is what changed. Its lists are empty where nothing did, and sorted: records and
// checks by time and key, all else by id. It names objects and holds no text of a record
// and no login. JSON members are stable.
type Diff struct {
	OldIndex string `json:"old_index_sha256"`
	NewIndex string `json:"new_index_sha256"`
	// FilterVersion is there when the versions are two: then what differs need not have changed.
	FilterVersion *Value   `json:"filter_version,omitempty"`
	Entity        Entity   `json:"entity"`
	Records       []Record `json:"records"`
	Gaps          []Gap    `json:"gaps"`
	Reviews       []Review `json:"reviews"`
	Threads       []Thread `json:"threads"`
	Actors        []Actor  `json:"actors"`
	Checks        []Check  `json:"checks"`
	Runs          []Run    `json:"agent_runs"`
	Prompt        Prompt   `json:"prompt"`
	before        *read.Tree
	after         *read.Tree
}

// Change is what happened to an object.
type Change string

// The changes. A record is edited when its bytes are others.
const (
	New     Change = "new"
	Gone    Change = "gone"
	Edited  Change = "edited"
	Changed Change = "changed"
)

// Value is a value before and after; "" is none.
type Value struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Entity is what changed in the metadata of the entity. Members are absent where nothing
// did.
type Entity struct {
	Kind          contract.EntityKind `json:"kind"`
	ID            string              `json:"id"`
	Number        int64               `json:"number"`
	TitleChanged  bool                `json:"title_changed"`
	State         *Value              `json:"state,omitempty"`
	Head          *Value              `json:"head,omitempty"`
	UpdatedAt     *Value              `json:"updated_at,omitempty"`
	LabelsAdded   []string            `json:"labels_added"`
	LabelsRemoved []string            `json:"labels_removed"`
}

// Record is an entity body, a comment or a review that is new, gone or edited.
type Record struct {
	Change    Change        `json:"change"`
	Kind      contract.Kind `json:"kind"`
	ID        string        `json:"id"`
	RecordKey string        `json:"record_key"`
	// What of an edited record is another: text, author, created_at, or filter for a status
	// or findings that changed beside it; rejected and restored for a text that left or
	// came back.
	What []string `json:"what"`

	created       string
	before, after *tree.ManifestRecord
}

// Gap is a count that is another: more of it is missing, or less.
type Gap struct {
	Scope contract.Scope   `json:"scope"`
	Code  contract.GapCode `json:"code"`
	Old   int64            `json:"old"`
	New   int64            `json:"new"`
}

// Review is a formal review whose outcome changed.
type Review struct {
	ID        string `json:"id"`
	RecordKey string `json:"record_key"`
	State     Value  `json:"state"`
}

// Thread is a review thread that is new, gone or changed.
type Thread struct {
	Change    Change `json:"change"`
	ID        string `json:"id"`
	ThreadKey string `json:"thread_key"`
	// What of a changed one: resolved or reopened, outdated or current, minimized or shown,
	// moved for another place in the file, records for other records.
	What    []string `json:"what"`
	Added   []string `json:"records_added"`   // record keys
	Removed []string `json:"records_removed"` // record keys
}

// Actor is an account whose standing or login is another. Accounts come and go with their
// words, so new and gone ones are not listed.
type Actor struct {
	ID           string `json:"id"`
	Role         *Value `json:"role,omitempty"` // with "unverified" for none
	Kind         *Value `json:"kind,omitempty"`
	LoginChanged bool   `json:"login_changed"`
}

// Check is a check that is new, gone or changed.
type Check struct {
	Change    Change `json:"change"`
	ID        string `json:"id"`
	RecordKey string `json:"record_key"`
	// Outcome is the conclusion, the status of a check that is not completed, or rejected.
	Outcome     *Value `json:"outcome,omitempty"`
	LogChanged  bool   `json:"log_changed"`
	NameChanged bool   `json:"name_changed"`

	created string
}

// Run is an agent run that is new or gone.
type Run struct {
	Change Change `json:"change"`
	ID     string `json:"id"`
}

// Compare tells what changed between two trees. Trees of different entities, profiles or
// filter versions are refused.
func Compare(before, after *read.Tree, anyVersion bool) (*Diff, error) {
	if err := read.Comparable(before, after, anyVersion); err != nil {
		return nil, err
	}
	d := &Diff{
		OldIndex: before.IndexSHA256, NewIndex: after.IndexSHA256, before: before, after: after,
		FilterVersion: changed(before.Index.FilterVersion, after.Index.FilterVersion),
		Records:       []Record{}, Gaps: gapChanges(before.Index.Gaps, after.Index.Gaps), Reviews: []Review{}, Threads: []Thread{}, Actors: []Actor{}, Checks: []Check{}, Runs: []Run{},
	}
	d.entity()
	if err := d.records(); err != nil {
		return nil, err
	}
	d.reviews()
	d.threads()
	d.actors()
	d.checks()
	d.runs()
	return d, d.prompt()
}

// Empty reports whether nothing changed at all: then both trees are the same bytes.
func (d *Diff) Empty() bool { return d.OldIndex == d.NewIndex }

// changed gives a value if it is another.
func changed[T ~string](before, after T) *Value {
	if before == after {
		return nil
	}
	return &Value{string(before), string(after)}
}

func (d *Diff) entity() {
	a, b := d.before.Singletons.Entity, d.after.Singletons.Entity
	d.Entity = Entity{
		Kind: b.Kind, ID: b.ID, Number: b.Number, TitleChanged: a.Title != b.Title,
		State: changed(a.State, b.State), Head: changed(d.before.Head(), d.after.Head()), UpdatedAt: changed(a.UpdatedAt, b.UpdatedAt),
		LabelsAdded: lacking(b.Labels, a.Labels), LabelsRemoved: lacking(a.Labels, b.Labels),
	}
}

// lacking gives what of list the other does not have, in its order.
func lacking(list, other []string) []string {
	have := map[string]bool{}
	for _, s := range other {
		have[s] = true
	}
	out := []string{}
	for _, s := range list {
		if !have[s] {
			out = append(out, s)
		}
	}
	return out
}

// matched calls f for every key of two lists, with nil for what a list lacks: first in the order
// of after, then what is only in before.
func matched[T any](before, after []T, key func(*T) string, f func(before, after *T)) {
	index := map[string]*T{}
	for i := range before {
		index[key(&before[i])] = &before[i]
	}
	for i := range after {
		k := key(&after[i])
		f(index[k], &after[i])
		delete(index, k)
	}
	for i := range before {
		if b := &before[i]; index[key(b)] == b {
			f(b, nil)
		}
	}
}

func (d *Diff) records() error {
	var failed error
	matched(d.before.Index.Records, d.after.Index.Records, recordKey, func(b, a *tree.ManifestRecord) {
		row := cmp.Or(a, b)
		if row.Kind == contract.KindCheck {
			return
		}
		r := Record{Change: Edited, Kind: row.Kind, ID: row.ID, RecordKey: row.RecordKey, What: []string{}, created: row.CreatedAt, before: b, after: a}
		switch {
		case b == nil:
			r.Change = New
		case a == nil:
			r.Change = Gone
		default:
			if err := d.edit(&r); err != nil {
				failed = err
			}
			if len(r.What) == 0 {
				return
			}
		}
		d.Records = append(d.Records, r)
	})
	slices.SortStableFunc(d.Records, func(a, b Record) int {
		return cmp.Or(strings.Compare(a.created, b.created), strings.Compare(a.RecordKey, b.RecordKey))
	})
	return failed
}

func recordKey(r *tree.ManifestRecord) string { return r.RecordKey }

// edit tells what of a record is another.
func (d *Diff) edit(r *Record) error {
	say := func(when bool, what string) {
		if when {
			r.What = append(r.What, what)
		}
	}
	say(authorOf(r.before) != authorOf(r.after), "author")
	say(r.before.CreatedAt != r.after.CreatedAt, "created_at")
	say(!sameFilter(r.before.Filter, r.after.Filter), "filter")
	switch had, has := r.before.ContentPath != "", r.after.ContentPath != ""; {
	case had && !has:
		say(true, "rejected")
	case !had && has:
		say(true, "restored")
	case had && has:
		same, err := d.sameText(r)
		if err != nil {
			return err
		}
		say(!same, "text")
	}
	slices.Sort(r.What)
	return nil
}

func (d *Diff) sameText(r *Record) (bool, error) {
	if digestOf(d.before, r.before.ContentPath) == digestOf(d.after, r.after.ContentPath) {
		return true, nil
	}
	before, err := d.before.Body(r.before)
	if err != nil {
		return false, err
	}
	after, err := d.after.Body(r.after)
	return before == after, err
}

func authorOf(r *tree.ManifestRecord) string {
	if r.AuthorID == nil || *r.AuthorID == nil {
		return ""
	}
	return **r.AuthorID
}

func sameFilter(a, b tree.Filter) bool {
	return a.Status == b.Status && slices.Equal(a.Findings, b.Findings)
}

func digestOf(t *read.Tree, path string) string {
	if f := t.File(path); f != nil {
		return f.SHA256
	}
	return ""
}

// gapChanges gives the counts that are others, by scope and code.
func gapChanges(before, after []tree.Gap) []Gap {
	changes := []Gap{}
	matched(before, after, func(g *tree.Gap) string { return string(g.Scope) + "/" + string(g.Code) }, func(b, a *tree.Gap) {
		row := cmp.Or(a, b)
		g := Gap{Scope: row.Scope, Code: row.Code}
		if b != nil {
			g.Old = b.Count
		}
		if a != nil {
			g.New = a.Count
		}
		if g.Old != g.New {
			changes = append(changes, g)
		}
	})
	slices.SortFunc(changes, func(a, b Gap) int { return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Code, b.Code)) })
	return changes
}

func (d *Diff) reviews() {
	matched(d.before.Singletons.Relations.Reviews, d.after.Singletons.Relations.Reviews, func(r *tree.Review) string { return r.RecordKey }, func(b, a *tree.Review) {
		if a != nil && b != nil && a.State != b.State {
			d.Reviews = append(d.Reviews, Review{a.ID, a.RecordKey, Value{string(b.State), string(a.State)}})
		}
	})
	slices.SortFunc(d.Reviews, func(a, b Review) int { return strings.Compare(a.ID, b.ID) })
}

func (d *Diff) threads() {
	matched(d.before.Singletons.Relations.Threads, d.after.Singletons.Relations.Threads, func(t *tree.Thread) string { return t.ThreadKey }, func(b, a *tree.Thread) {
		row := cmp.Or(a, b)
		t := Thread{Change: Changed, ID: row.ID, ThreadKey: row.ThreadKey, What: []string{}, Added: []string{}, Removed: []string{}}
		switch {
		case b == nil:
			t.Change, t.Added = New, a.RecordKeys
		case a == nil:
			t.Change, t.Removed = Gone, b.RecordKeys
		default:
			d.thread(&t, b, a)
			if len(t.What) == 0 {
				return
			}
		}
		d.Threads = append(d.Threads, t)
	})
	slices.SortFunc(d.Threads, func(a, b Thread) int { return strings.Compare(a.ID, b.ID) })
}

// thread tells what of a thread is another.
func (d *Diff) thread(t *Thread, b, a *tree.Thread) {
	t.Added, t.Removed = lacking(a.RecordKeys, b.RecordKeys), lacking(b.RecordKeys, a.RecordKeys)
	if len(t.Added)+len(t.Removed) > 0 {
		t.What = append(t.What, "records")
	}
	if a.Path != b.Path || a.Line != b.Line || a.StartLine != b.StartLine || a.Side != b.Side {
		t.What = append(t.What, "moved")
	}
	before, after := d.before.ThreadState(t.ThreadKey), d.after.ThreadState(t.ThreadKey)
	if before == nil || after == nil {
		return
	}
	for _, s := range []struct {
		was, is    bool
		set, unset string
	}{
		{before.Resolved, after.Resolved, "resolved", "reopened"},
		{before.Outdated, after.Outdated, "outdated", "current"},
		{isTrue(before.Minimized), isTrue(after.Minimized), "minimized", "shown"},
	} {
		switch {
		case !s.was && s.is:
			t.What = append(t.What, s.set)
		case s.was && !s.is:
			t.What = append(t.What, s.unset)
		}
	}
	slices.Sort(t.What)
}

func isTrue(b *bool) bool { return b != nil && *b }

func (d *Diff) actors() {
	matched(d.before.Singletons.Actors.Actors, d.after.Singletons.Actors.Actors, func(a *tree.Actor) string { return a.ID }, func(b, a *tree.Actor) {
		if a == nil || b == nil {
			return
		}
		row := Actor{ID: a.ID, Role: changed(role(b), role(a)), Kind: changed(b.Kind, a.Kind), LoginChanged: login(a) != login(b)}
		if row.Role != nil || row.Kind != nil || row.LoginChanged {
			d.Actors = append(d.Actors, row)
		}
	})
	slices.SortFunc(d.Actors, func(a, b Actor) int { return strings.Compare(a.ID, b.ID) })
}

// role is the role that may be relied on.
func role(a *tree.Actor) string {
	if a.Role == nil || a.Kind == contract.Human && !a.RoleVerified {
		return "unverified"
	}
	return *a.Role
}

func login(a *tree.Actor) string {
	if a.Login == nil {
		return ""
	}
	return *a.Login
}

func (d *Diff) checks() {
	matched(d.before.Checks, d.after.Checks, func(c *read.Check) string { return c.Row.RecordKey }, func(b, a *read.Check) {
		row := cmp.Or(a, b).Row
		c := Check{Change: Changed, ID: row.ID, RecordKey: row.RecordKey, created: row.CreatedAt}
		switch {
		case b == nil:
			c.Change, c.Outcome = New, &Value{"", outcome(a)}
		case a == nil:
			c.Change, c.Outcome = Gone, &Value{outcome(b), ""}
		default:
			c.Outcome = changed(outcome(b), outcome(a))
			c.LogChanged = digestOf(d.before, b.Row.LogPath) != digestOf(d.after, a.Row.LogPath)
			c.NameChanged = a.Metadata != nil && b.Metadata != nil && a.Metadata.Name != b.Metadata.Name
			if c.Outcome == nil && !c.LogChanged && !c.NameChanged {
				return
			}
		}
		d.Checks = append(d.Checks, c)
	})
	slices.SortStableFunc(d.Checks, func(a, b Check) int {
		return cmp.Or(strings.Compare(a.created, b.created), strings.Compare(a.RecordKey, b.RecordKey))
	})
}

func outcome(c *read.Check) string {
	switch {
	case c.Metadata == nil:
		return "rejected"
	case c.Metadata.Status != contract.Completed:
		return string(c.Metadata.Status)
	}
	return string(c.Metadata.Conclusion)
}

func (d *Diff) runs() {
	matched(d.before.Singletons.Runs.Runs, d.after.Singletons.Runs.Runs, func(r *tree.Run) string { return r.ID }, func(b, a *tree.Run) {
		switch {
		case b == nil:
			d.Runs = append(d.Runs, Run{New, a.ID})
		case a == nil:
			d.Runs = append(d.Runs, Run{Gone, b.ID})
		}
	})
	slices.SortFunc(d.Runs, func(a, b Run) int { return strings.Compare(a.ID, b.ID) })
}
