package audit

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// gone takes note of an object of the input that the output does not have. The entity
// is always there: no reader takes a stream without it.
func (c *comparison) gone(l contract.Line) {
	switch l := l.(type) {
	case *contract.Record:
		c.dropped[recordScope(l.Kind)]++
	case *contract.Thread:
		c.threadGone(l)
	case *contract.Check:
		if c.position == filtered && !c.overlong(l) {
			c.add(ruleDropped, contract.Describe(l), "filter drops no check but one whose structural strings are too long")
			return
		}
		c.short[l.RecordKey] = true
		c.dropped[contract.ScopeChecks]++
	case *contract.Run:
		c.dropped[contract.ScopeAgentRuns]++
	case *contract.Log:
		// A log vanishes with its check; only one that was to be there is missing.
		if c.position == filtered {
			if !c.short[l.RecordKey] {
				c.add(ruleDropped, contract.Describe(l), "filter drops no log but with its check")
			}
		} else if c.awaited[l.RecordKey] {
			c.dropped[contract.ScopeCheckLogs]++
		}
		delete(c.awaited, l.RecordKey)
	case *contract.Actor, *contract.Document, *contract.Gap, *contract.Snapshot, *contract.End, *contract.Abort:
	}
}

// overlong reports whether a line has a structural string over its bound, for which
// filter drops it (AMB-91).
func (c *comparison) overlong(l contract.Line) bool {
	return slices.ContainsFunc(tree.Structural(l), func(m tree.Member) bool { return c.tooLong(m.Value) })
}

func (c *comparison) tooLong(s string) bool { return int64(len(s)) > c.bounds().MaxMetadataStringBytes }

// shorten takes out of a line of the input what filter may not pass on in it: references
// whose ids are too long.
func (c *comparison) shorten(before contract.Line) {
	none := func(id **string) {
		if *id != nil && c.tooLong(**id) {
			*id = nil
		}
	}
	switch l := before.(type) {
	case *contract.Record:
		none(&l.AuthorID)
		none(&l.EditorID)
		none(&l.DismissedBy)
	case *contract.Thread:
		none(&l.ResolvedByActorID)
		if c.tooLong(l.ReviewID) {
			l.ReviewID, l.ReviewRecordKey = "", ""
		}
	case *contract.Run:
		none(&l.PublisherID)
	}
}

// absentLogs: a selected log of which the input has no line at all is missing too, and
// bound counts it (GAP-05).
func (c *comparison) absentLogs() {
	for _, selected := range c.awaited {
		if selected {
			c.dropped[contract.ScopeCheckLogs]++
		}
	}
}

// threadGone: filter drops a thread for its path and counts it; bound drops one that
// has lost all its records, without a gap (THR-09, AMB-26, AMB-71).
func (c *comparison) threadGone(l *contract.Thread) {
	if c.position == filtered {
		c.dropped[contract.ScopeReviews]++
		return
	}
	if slices.ContainsFunc(l.RecordKeys, func(key string) bool { return c.present[key] == contract.KindComment }) {
		c.add(ruleDropped, contract.Describe(l), "a thread is gone although some of its comments are there")
	}
}

// causes are the gap codes by which each stage may count what it drops, and whether a
// row stays behind.
var causes = map[int]map[contract.Scope][]contract.GapCode{
	filtered: {
		contract.ScopeComments:  {contract.AuthorizationFailed, contract.InvalidMetadata},
		contract.ScopeReviews:   {contract.AuthorizationFailed, contract.UnsafeContent, contract.InvalidMetadata},
		contract.ScopeChecks:    {contract.InvalidMetadata},
		contract.ScopeAgentRuns: {contract.AuthorizationFailed, contract.InvalidMetadata},
	},
	bounded: {
		contract.ScopeComments:  {contract.ProfileBound, contract.SourceTooLarge},
		contract.ScopeReviews:   {contract.ProfileBound, contract.SourceTooLarge},
		contract.ScopeChecks:    {contract.ProfileBound, contract.SourceTooLarge, contract.InvalidMetadata},
		contract.ScopeAgentRuns: {contract.ProfileBound, contract.SourceTooLarge, contract.InvalidMetadata, contract.UnsafeContent},
		contract.ScopeCheckLogs: {contract.FetchFailed, contract.AuthorizationFailed, contract.Unsupported, contract.SourceTooLarge, contract.UnsafeContent},
		contract.ScopeDocuments: {contract.ProfileBound, contract.SourceTooLarge, contract.InvalidMetadata},
	},
}

// gaps: each object that is gone is counted once, and nothing else is (GAP-05, AMB-03,
// and who counts what).
func (c *comparison) gaps() {
	if c.position == bounded {
		c.absentLogs()
	}
	added := map[contract.Gap]int64{}
	for g, n := range c.output.gaps {
		added[g] = n - c.input.gaps[g]
	}
	for g := range c.input.gaps {
		if added[g] = c.output.gaps[g] - c.input.gaps[g]; added[g] < 0 {
			c.add(ruleGapLost, "", "%s/%s", g.Scope, g.Code)
			added[g] = 0
		}
	}
	for _, scope := range scopes {
		counted := int64(0)
		for _, code := range causes[c.position][scope] {
			g := contract.Gap{Scope: scope, Code: code}
			counted += added[g]
			delete(added, g)
		}
		c.count(scope, c.dropped[scope], counted)
	}
	if c.position == bounded {
		c.rows(added)
	}
	for _, g := range slices.SortedFunc(keys(added), func(a, b contract.Gap) int {
		return strings.Compare(string(a.Scope)+"/"+string(a.Code), string(b.Scope)+"/"+string(b.Code))
	}) {
		if added[g] > 0 {
			c.add(ruleGapAdded, "", "%s/%s", g.Scope, g.Code)
		}
	}
}

var scopes = [...]contract.Scope{
	contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks, contract.ScopeCheckLogs, contract.ScopeAgentRuns, contract.ScopeDocuments,
}

func keys(m map[contract.Gap]int64) func(func(contract.Gap) bool) {
	return func(yield func(contract.Gap) bool) {
		for g := range m {
			if !yield(g) {
				return
			}
		}
	}
}

func (c *comparison) count(scope contract.Scope, gone, counted int64) {
	switch {
	case gone > counted:
		c.add(ruleDropped, "", "%s: %d gone, %d counted", scope, gone, counted)
	case gone < counted:
		c.add(ruleGapAdded, "", "%s: %d counted, %d gone", scope, counted, gone)
	}
}

// rows: what bound counts for objects that stay: rejected rows, labels, actors of
// unknown kind.
func (c *comparison) rows(added map[contract.Gap]int64) {
	for _, scope := range [...]contract.Scope{contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks, contract.ScopeDocuments} {
		g := contract.Gap{Scope: scope, Code: contract.UnsafeContent}
		c.count(scope, c.rejected[scope], added[g])
		delete(added, g)
	}
	labels := contract.Gap{Scope: contract.ScopeEntity, Code: contract.ProfileBound}
	c.count(contract.ScopeEntity, c.labels, added[labels])
	delete(added, labels)
	actors := contract.Gap{Scope: contract.ScopeActors, Code: contract.InvalidMetadata}
	var referenced int64
	for _, is := range c.unknown {
		if is {
			referenced++
		}
	}
	c.count(contract.ScopeActors, referenced, added[actors])
	delete(added, actors)
}
