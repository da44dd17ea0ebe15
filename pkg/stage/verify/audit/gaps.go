package audit

import (
	"slices"
	"strings"

	"snapline/pkg/record"
)

// gone takes note of an object of the input that the output does not have. The entity
// is always there: no reader takes a stream without it.
func (c *comparison) gone(l record.Line) {
	switch l := l.(type) {
	case *record.Record:
		c.dropped[recordScope(l.Kind)]++
	case *record.Thread:
		c.threadGone(l)
	case *record.Check:
		if c.position == filtered {
			c.add(ruleDropped, record.Describe(l), "filter drops no check")
			return
		}
		c.dropped[record.ScopeChecks]++
	case *record.Run:
		c.dropped[record.ScopeAgentRuns]++
	case *record.Log:
		// A log vanishes with its check; only one that was to be there is missing.
		if c.position == filtered {
			c.add(ruleDropped, record.Describe(l), "filter drops no log")
		} else if c.awaited[l.RecordKey] {
			c.dropped[record.ScopeCheckLogs]++
		}
		delete(c.awaited, l.RecordKey)
	case *record.Actor, *record.Document, *record.Gap, *record.Snapshot, *record.End, *record.Abort:
	}
}

// absentLogs: a selected log of which the input has no line at all is missing too, and
// bound counts it (GAP-05).
func (c *comparison) absentLogs() {
	for _, selected := range c.awaited {
		if selected {
			c.dropped[record.ScopeCheckLogs]++
		}
	}
}

// threadGone: filter drops a thread for its path and counts it; bound drops one that
// has lost all its records, without a gap (THR-09, AMB-26, AMB-71).
func (c *comparison) threadGone(l *record.Thread) {
	if c.position == filtered {
		c.dropped[record.ScopeReviews]++
		return
	}
	if slices.ContainsFunc(l.RecordKeys, func(key string) bool { return c.present[key] == record.KindComment }) {
		c.add(ruleDropped, record.Describe(l), "a thread is gone although some of its comments are there")
	}
}

// causes are the gap codes by which each stage may count what it drops, and whether a
// row stays behind.
var causes = map[int]map[record.Scope][]record.GapCode{
	filtered: {
		record.ScopeComments:  {record.AuthorizationFailed},
		record.ScopeReviews:   {record.AuthorizationFailed, record.UnsafeContent, record.InvalidMetadata},
		record.ScopeAgentRuns: {record.AuthorizationFailed},
	},
	bounded: {
		record.ScopeComments:  {record.ProfileBound, record.SourceTooLarge},
		record.ScopeReviews:   {record.ProfileBound, record.SourceTooLarge},
		record.ScopeChecks:    {record.ProfileBound, record.SourceTooLarge, record.InvalidMetadata},
		record.ScopeAgentRuns: {record.ProfileBound, record.SourceTooLarge, record.InvalidMetadata, record.UnsafeContent},
		record.ScopeCheckLogs: {record.FetchFailed, record.AuthorizationFailed, record.Unsupported, record.SourceTooLarge, record.UnsafeContent},
		record.ScopeDocuments: {record.ProfileBound, record.SourceTooLarge, record.InvalidMetadata},
	},
}

// gaps: each object that is gone is counted once, and nothing else is (GAP-05, AMB-03,
// and who counts what).
func (c *comparison) gaps() {
	if c.position == bounded {
		c.absentLogs()
	}
	added := map[record.Gap]int64{}
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
			g := record.Gap{Scope: scope, Code: code}
			counted += added[g]
			delete(added, g)
		}
		c.count(scope, c.dropped[scope], counted)
	}
	if c.position == bounded {
		c.rows(added)
	}
	for _, g := range slices.SortedFunc(keys(added), func(a, b record.Gap) int {
		return strings.Compare(string(a.Scope)+"/"+string(a.Code), string(b.Scope)+"/"+string(b.Code))
	}) {
		if added[g] > 0 {
			c.add(ruleGapAdded, "", "%s/%s", g.Scope, g.Code)
		}
	}
}

var scopes = [...]record.Scope{
	record.ScopeComments, record.ScopeReviews, record.ScopeChecks, record.ScopeCheckLogs, record.ScopeAgentRuns, record.ScopeDocuments,
}

func keys(m map[record.Gap]int64) func(func(record.Gap) bool) {
	return func(yield func(record.Gap) bool) {
		for g := range m {
			if !yield(g) {
				return
			}
		}
	}
}

func (c *comparison) count(scope record.Scope, gone, counted int64) {
	switch {
	case gone > counted:
		c.add(ruleDropped, "", "%s: %d gone, %d counted", scope, gone, counted)
	case gone < counted:
		c.add(ruleGapAdded, "", "%s: %d counted, %d gone", scope, counted, gone)
	}
}

// rows: what bound counts for objects that stay: rejected rows, labels, actors of
// unknown kind.
func (c *comparison) rows(added map[record.Gap]int64) {
	for _, scope := range [...]record.Scope{record.ScopeComments, record.ScopeReviews, record.ScopeChecks, record.ScopeDocuments} {
		g := record.Gap{Scope: scope, Code: record.UnsafeContent}
		c.count(scope, c.rejected[scope], added[g])
		delete(added, g)
	}
	labels := record.Gap{Scope: record.ScopeEntity, Code: record.ProfileBound}
	c.count(record.ScopeEntity, c.labels, added[labels])
	delete(added, labels)
	actors := record.Gap{Scope: record.ScopeActors, Code: record.InvalidMetadata}
	var referenced int64
	for _, is := range c.unknown {
		if is {
			referenced++
		}
	}
	c.count(record.ScopeActors, referenced, added[actors])
	delete(added, actors)
}
