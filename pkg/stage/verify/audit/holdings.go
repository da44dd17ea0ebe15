package audit

import (
	"snapline/pkg/record"
	"snapline/pkg/tree"
)

// holdings is what a bounded stream has, by which its gaps are judged.
type holdings struct {
	rejected      map[record.Scope]int64
	logs, missing int64           // of the checks whose log is selected
	unknown       map[string]bool // actors of unknown kind; true if the tree names them
	gaps          tree.GapCounts
}

// name takes note of who is named.
func (h *holdings) name(id *string) {
	if id == nil {
		return
	}
	if _, unknown := h.unknown[*id]; unknown {
		h.unknown[*id] = true
	}
}

// hold counts one line.
func (a *auditor) hold(l record.Line) {
	h := &a.held
	switch l := l.(type) {
	case *record.Record:
		h.name(l.AuthorID)
		if l.Filter.Status == record.Rejected {
			h.rejected[recordScope(l.Kind)]++
		} else {
			h.name(l.DismissedBy)
		}
	case *record.Thread:
		h.name(l.ResolvedByActorID)
	case *record.Actor:
		if l.Kind == record.Unknown {
			h.unknown[l.ID] = false
		}
	case *record.Check:
		switch {
		case l.Filter.Status == record.Rejected:
			h.rejected[record.ScopeChecks]++
		case a.header.Collection.CheckLogSelection.Selects(l):
			h.missing++
		}
	case *record.Log:
		h.logs++
		h.missing--
	case *record.Document:
		if !l.HasRaw {
			h.rejected[record.ScopeDocuments]++
		}
	case *record.Gap:
		h.gaps[record.Gap{Scope: l.Scope, Code: l.Code}] += l.Count
	case *record.Run, *record.Snapshot, *record.End, *record.Abort:
	}
}

// gapsFit: what is rejected or missing is counted (GAP-05, GAP-08, GAP-09, AMB-43).
// Against its input a stream is held to more.
func (a *auditor) gapsFit() {
	h := &a.held
	if a.header.Family != record.FamilyEntity {
		if !h.gaps.FitDocuments(h.rejected[record.ScopeDocuments]) {
			a.add(ruleGaps, "", "the gaps do not count the rejected documents, or count what bound does not drop")
		}
		return
	}
	for _, scope := range tree.RecordScopes {
		if !h.gaps.CoverRejected(scope, h.rejected[scope]) {
			a.add(ruleGaps, "", "%s has more rejected records than its gap unsafe_content counts", scope)
		}
	}
	named := int64(0)
	for _, is := range h.unknown {
		if is {
			named++
		}
	}
	if h.gaps.Of(record.ScopeActors, record.InvalidMetadata) < named {
		a.add(ruleGaps, "", "%d actors of unknown kind are named and the gap invalid_metadata of actors does not count them", named)
	}
	if !h.gaps.LabelsBounded(a.header.EntityFilter.Status) {
		a.add(ruleGaps, "", "labels were dropped and entity_filter is not truncated")
	}
	if !h.gaps.CoverLogs(h.logs, h.missing) {
		a.add(ruleGaps, "", "%d selected logs are missing and the gaps of check_logs do not count so many", h.missing)
	}
}
