package tree

import "snapline/pkg/record"

// GapCounts are the counts of a tree's gaps by scope and code (a record.Gap without
// its count). Its methods hold them against what else the tree says. What is gone is
// not there to be counted again, so a count can be held only against what its cause
// leaves behind.
type GapCounts map[record.Gap]int64

// Of gives the count of one scope and code.
func (g GapCounts) Of(scope record.Scope, code record.GapCode) int64 {
	return g[record.Gap{Scope: scope, Code: code}]
}

// sum gives the count of several codes of a scope, of all when none is named.
func (g GapCounts) sum(scope record.Scope, codes ...record.GapCode) (n int64) {
	if len(codes) == 0 {
		for _, c := range record.GapCodes {
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
func (g GapCounts) CoverRejected(scope record.Scope, rejected int64) bool {
	return g.Of(scope, record.UnsafeContent) >= rejected
}

// CoverLogs reports whether the selected logs that are missing are counted: one by one,
// or by a failure of the whole source, which counts one (GAP-05, AMB-12, AMB-43). The
// failure stands for all logs, of which then none is there, or beside single ones.
//
// present are the logs that are there, missing those of retained checks that are not.
func (g GapCounts) CoverLogs(present, missing int64) bool {
	counted := g.sum(record.ScopeCheckLogs)
	whole := g.sum(record.ScopeCheckLogs, record.FetchFailed, record.Unsupported, record.AuthorizationFailed, record.HistoryUnavailable) > 0
	return counted == missing || whole && (counted == missing+1 || counted == 1 && present == 0)
}

// RecordScopes are the scopes of a tree but the entity's.
var RecordScopes = [...]record.Scope{
	record.ScopeComments, record.ScopeReviews, record.ScopeChecks, record.ScopeCheckLogs, record.ScopeAgentRuns, record.ScopeActors,
}

// unlisted are the codes by which an object may lose the place that its source's bound
// had kept for it and leave no row (AMB-02, AMB-04).
var unlisted = map[record.Scope][]record.GapCode{
	record.ScopeComments:  {record.SourceTooLarge},
	record.ScopeReviews:   {record.SourceTooLarge},
	record.ScopeChecks:    {record.SourceTooLarge, record.InvalidMetadata},
	record.ScopeAgentRuns: {record.SourceTooLarge, record.InvalidMetadata, record.UnsafeContent},
	record.ScopeDocuments: {record.SourceTooLarge},
}

// BoundReached reports whether a scope that has lost records to its bound was full:
// with its rows and what has lost its place, most objects (GAP-07, COL-09). Logs and
// actors have no bound of their own (COL-10).
func (g GapCounts) BoundReached(scope record.Scope, rows, most int64) bool {
	codes, counted := unlisted[scope]
	return g.Of(scope, record.ProfileBound) == 0 || counted && rows+g.sum(scope, codes...) >= most
}

// CoverHistory reports whether a forge without formal reviews says that their history
// is missing, where reviews are selected (MAP-13, MAP-14).
func (g GapCounts) CoverHistory(f record.Forge) bool {
	return HasReviews(f) || g.Of(record.ScopeReviews, record.HistoryUnavailable) > 0
}

// FitDocuments reports whether the gaps of a tree of documents fit its rows: each
// rejected one is counted and nothing else is unsafe, a bound that dropped documents was
// reached, and nothing else is missing but what was too large.
func (g GapCounts) FitDocuments(rows, rejected, most int64) bool {
	const scope = record.ScopeDocuments
	return g.Of(scope, record.UnsafeContent) == rejected && g.BoundReached(scope, rows, most) &&
		g.sum(scope) == g.sum(scope, record.ProfileBound, record.SourceTooLarge, record.UnsafeContent)
}

// LabelsBounded reports whether the gap of dropped labels fits what is left of them:
// as many as there may be, in a document that says it was cut (GAP-08).
func (g GapCounts) LabelsBounded(labels, most int64, status record.FilterStatus) bool {
	return g.Of(record.ScopeEntity, record.ProfileBound) == 0 || labels == most && status == record.Truncated
}
