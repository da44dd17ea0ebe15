package audit

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// holdings is what a bounded stream has, by which its gaps are judged.
type holdings struct {
	rejected      map[contract.Scope]int64
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
func (a *auditor) hold(l contract.Line) {
	h := &a.held
	switch l := l.(type) {
	case *contract.Record:
		h.name(l.AuthorID)
		if l.Filter.Status == contract.Rejected {
			h.rejected[recordScope(l.Kind)]++
		} else {
			h.name(l.DismissedBy)
		}
	case *contract.Thread:
		h.name(l.ResolvedByActorID)
	case *contract.Actor:
		if l.Kind == contract.Unknown {
			h.unknown[l.ID] = false
		}
	case *contract.Check:
		switch {
		case l.Filter.Status == contract.Rejected:
			h.rejected[contract.ScopeChecks]++
		case a.header.Collection.CheckLogSelection.Selects(l):
			h.missing++
		}
	case *contract.Log:
		h.logs++
		h.missing--
	case *contract.Document:
		if !l.HasRaw {
			h.rejected[contract.ScopeDocuments]++
		}
	case *contract.Gap:
		h.gaps[contract.Gap{Scope: l.Scope, Code: l.Code}] += l.Count
	case *contract.Run, *contract.Snapshot, *contract.End, *contract.Abort:
	}
}

// gapsFit: what is rejected or missing is counted (GAP-05, GAP-08, GAP-09, AMB-43).
// Against its input a stream is held to more.
func (a *auditor) gapsFit() {
	h := &a.held
	if a.header.Family != contract.FamilyEntity {
		if !h.gaps.FitDocuments(h.rejected[contract.ScopeDocuments]) {
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
	if h.gaps.Of(contract.ScopeActors, contract.InvalidMetadata) < named {
		a.add(ruleGaps, "", "%d actors of unknown kind are named and the gap invalid_metadata of actors does not count them", named)
	}
	if !h.gaps.LabelsBounded(a.header.EntityFilter.Status) {
		a.add(ruleGaps, "", "labels were dropped and entity_filter is not truncated")
	}
	if !h.gaps.CoverLogs(h.logs, h.missing) {
		a.add(ruleGaps, "", "%d selected logs are missing and the gaps of check_logs do not count so many", h.missing)
	}
}
