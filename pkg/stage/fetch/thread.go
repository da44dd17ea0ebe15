package fetch

import (
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge"
)

// thread writes one review thread. comments are the ids that the discussion
// delivered; a thread keeps native order (THR-07).
func (r *run) thread(t *forge.Thread, comments map[string]bool) {
	name := describe(contract.KindThread, t.ID, r.address(t.URL))
	created, err := required(t.CreatedAt)
	switch {
	case !r.validID(contract.KindThread, t.ID) || err != nil:
		r.invalid(contract.ScopeReviews, name, "id or time is missing or malformed") // AMB-22, AMB-25
		return
	case t.Resolved == nil || t.Outdated == nil:
		r.invalid(contract.ScopeReviews, name, "the state is missing") // AMB-53
		return
	case t.ReviewedSHA != nil && !tree.ValidGitOID(*t.ReviewedSHA):
		r.invalid(contract.ScopeReviews, name, "the reviewed revision is malformed")
		return
	}
	l := &contract.Thread{
		ID: t.ID, ThreadKey: r.key(contract.KindThread, t.ID), CreatedAt: created,
		Resolved: *t.Resolved, Outdated: *t.Outdated, Minimized: t.Minimized, URL: r.address(t.URL),
	}
	if !r.place(l, t) {
		r.invalid(contract.ScopeReviews, name, "the place in the diff is malformed")
		return
	}
	if t.ReviewedSHA != nil {
		l.ReviewedSHA = *t.ReviewedSHA
	}
	if l.Resolved {
		l.ResolvedByActorID = r.privileged(t.ResolvedBy)
	}
	if r.validID(contract.KindReview, t.ReviewID) {
		l.ReviewID, l.ReviewRecordKey = t.ReviewID, r.key(contract.KindReview, t.ReviewID)
	}
	r.members(l, t, comments)
	if len(l.RecordKeys) > 0 {
		r.threads = append(r.threads, l)
	}
}

// members fills the keys of the thread's comments and the reply edges inside it
// (AMB-55).
func (r *run) members(l *contract.Thread, t *forge.Thread, comments map[string]bool) {
	in := map[string]bool{}
	for _, id := range t.CommentIDs {
		if comments[id] && !in[id] && r.validID(contract.KindComment, id) {
			in[id] = true
			l.RecordKeys = append(l.RecordKeys, r.key(contract.KindComment, id))
		}
	}
	l.Replies = []contract.Reply{}
	replied := map[string]bool{}
	for _, e := range t.Replies {
		if in[e.CommentID] && in[e.ParentID] && e.CommentID != e.ParentID && !replied[e.CommentID] {
			replied[e.CommentID] = true
			l.Replies = append(l.Replies, contract.Reply{
				RecordKey: r.key(contract.KindComment, e.CommentID), ParentRecordKey: r.key(contract.KindComment, e.ParentID),
			})
		}
	}
}

// place fills path, lines and sides, where the forge gives them (REV-05). Whether a
// path is safe is the filter's question.
func (r *run) place(l *contract.Thread, t *forge.Thread) bool {
	if t.Path != nil {
		if *t.Path == "" || !utf8.ValidString(*t.Path) {
			return false
		}
		l.Path = *t.Path
	}
	for _, line := range []struct {
		from *int64
		to   *int64
	}{
		{t.Line, &l.Line},
		{t.StartLine, &l.StartLine},
		{t.OriginalLine, &l.OriginalLine},
		{t.OriginalStartLine, &l.OriginalStartLine},
	} {
		if line.from == nil {
			continue
		}
		if *line.from < 1 || *line.from > 1<<53-1 { // AMB-51
			return false
		}
		*line.to = *line.from
	}
	for _, side := range []struct {
		from *contract.Side
		to   *contract.Side
	}{{t.Side, &l.Side}, {t.OriginalSide, &l.OriginalSide}} {
		if side.from == nil {
			continue
		}
		if *side.from != contract.Left && *side.from != contract.Right {
			return false
		}
		*side.to = *side.from
	}
	return true
}
