package tree

import "snapline/pkg/contract"

// GapCounts are the counts of a tree's gaps by scope and code (a record.Gap without
// its count). Its methods hold them against what else the tree says. What is gone is
// not there to be counted again, so a count can be held only against what its cause
// leaves behind.
type GapCounts map[contract.Gap]int64

// Of gives the count of one scope and code.
func (g GapCounts) Of(scope contract.Scope, code contract.GapCode) int64 {
	return g[contract.Gap{Scope: scope, Code: code}]
}

// sum gives the count of several codes of a scope, of all when none is named.
func (g GapCounts) sum(scope contract.Scope, codes ...contract.GapCode) (n int64) {
	if len(codes) == 0 {
		for _, c := range contract.GapCodes {
			codes = append(codes, c.Code)
		}
	}
	for _, code := range codes {
		n += g.Of(scope, code)
	}
	return n
}

// CoverRejected reports whether every rejected row of a scope is counted (GAP-09).
// Thread paths are counted too, without a row, so a count may be larger.
func (g GapCounts) CoverRejected(scope contract.Scope, rejected int64) bool {
	return g.Of(scope, contract.UnsafeContent) >= rejected
}

// CoverLogs reports whether the selected logs that are missing are counted: one by one,
// or by a failure of the whole source, which counts one and leaves no log (GAP-05,
// AMB-12, AMB-43).
//
// present are the logs that are there, missing those of retained checks that are not.
func (g GapCounts) CoverLogs(present, missing int64) bool {
	whole := g.sum(contract.ScopeCheckLogs, contract.FetchFailed, contract.Unsupported, contract.AuthorizationFailed, contract.HistoryUnavailable) > 0
	return g.sum(contract.ScopeCheckLogs) >= missing || whole && present == 0
}

// RecordScopes are the scopes of a tree but the entity's.
var RecordScopes = [...]contract.Scope{
	contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks, contract.ScopeCheckLogs, contract.ScopeAgentRuns, contract.ScopeActors,
}

// FitDocuments reports whether the gaps of a tree of documents fit its rows: each
// rejected one is counted and nothing else is unsafe, and nothing else is missing but
// what a bound dropped or what was too large.
func (g GapCounts) FitDocuments(rejected int64) bool {
	const scope = contract.ScopeDocuments
	return g.Of(scope, contract.UnsafeContent) == rejected &&
		g.sum(scope) == g.sum(scope, contract.ProfileBound, contract.SourceTooLarge, contract.UnsafeContent)
}

// LabelsBounded reports whether a document whose labels were dropped says that it was
// cut (GAP-08).
func (g GapCounts) LabelsBounded(status contract.FilterStatus) bool {
	return g.Of(contract.ScopeEntity, contract.ProfileBound) == 0 || status == contract.Truncated
}
