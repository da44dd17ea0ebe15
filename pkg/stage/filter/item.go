package filter

import (
	"cmp"
	"maps"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// item is one line on its way through the stage, with everything that has to happen
// in stream order once it is written.
type item struct {
	line    contract.Line    // nil when dropped
	name    string           // what the line is about: kind and id, never its text
	url     string           // its web address; diagnostics wait until it is judged
	memory  contract.Content // as the reader gave it
	no      int64            // line of the input
	notices []fault.Notice
	gap     gap // the zero value counts nothing
	err     error
}

type gap struct {
	scope contract.Scope
	code  contract.GapCode
}

// tell writes the diagnostics of the line. What ends the run has one message, the
// error, unless everything is to be explained.
func (it *item) tell(log *fault.Log, explain bool) {
	if it.err != nil && !explain {
		return
	}
	for _, n := range it.notices {
		n.Record = it.object()
		log.Notice(n)
	}
}

// object names the line's object in a diagnostic.
func (it *item) object() string { return contract.Located(it.name, it.url) }

// drop takes the line out and counts it (gap ownership of the stream).
func (it *item) drop(scope contract.Scope, code contract.GapCode, why string) {
	it.notices = append(it.notices, fault.Notice{
		Line: it.no, Scope: string(scope), Code: string(code), Text: "dropped: " + why,
	})
	it.line, it.gap = nil, gap{scope, code}
}

// contentOf gives the content of a record or log.
func contentOf(l contract.Line) *contract.Content {
	switch l := l.(type) {
	case *contract.Record:
		return &l.Content
	case *contract.Log:
		return &l.Content
	}
	return nil
}

// size is the memory that a line holds, roughly.
func (it *item) size() int {
	const small = 512
	if c := contentOf(it.line); c != nil {
		return small + len(c.Bytes) + len(c.Literal)
	}
	if d, ok := it.line.(*contract.Document); ok {
		return small + len(d.Raw)
	}
	return small
}

// names knows the checks by record key, which is all that a log has of its own.
type names map[string]*contract.Check

// item gives the item of a line.
func (n names) item(l contract.Line, no int64) item {
	it := item{line: l, no: no, name: contract.Name(l), url: contract.WebURL(l)}
	switch l := l.(type) {
	case *contract.Snapshot:
		it.name = "entity " + l.Entity.ID
	case *contract.Check:
		n[l.RecordKey] = &contract.Check{ID: l.ID, URL: l.URL}
	case *contract.Log:
		it.name = "log of check "
		if check := n[l.RecordKey]; check != nil {
			it.name, it.url = it.name+check.ID, check.URL
		}
	}
	return it
}

// scopeOf gives the scope in which a line's loss would be counted.
func scopeOf(l contract.Line) contract.Scope {
	switch l := l.(type) {
	case *contract.Actor:
		return contract.ScopeActors
	case *contract.Record:
		return recordScope(l.Kind)
	case *contract.Thread:
		return contract.ScopeReviews
	case *contract.Check:
		return contract.ScopeChecks
	case *contract.Run:
		return contract.ScopeAgentRuns
	case *contract.Log:
		return contract.ScopeCheckLogs
	case *contract.Document:
		return contract.ScopeDocuments
	}
	return contract.ScopeEntity
}

// gapCounts sums what this stage has to count.
type gapCounts map[gap]int64

func (c gapCounts) add(g gap) {
	if g != (gap{}) {
		c[g]++
	}
}

// lines gives the sums by scope, then code.
func (c gapCounts) lines() []*contract.Gap {
	keys := slices.SortedFunc(maps.Keys(c), func(a, b gap) int {
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.code, b.code))
	})
	var lines []*contract.Gap
	for _, k := range keys {
		lines = append(lines, &contract.Gap{Scope: k.scope, Code: k.code, Count: c[k]})
	}
	return lines
}
