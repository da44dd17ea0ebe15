package check

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// relationRules judges relations/reviews.json and state/threads.json against the
// manifest and each other (REV and THR rows, invariants 5, 7, 8 and 11).
func (v *verifier) relationRules() error {
	if v.relations != nil {
		v.reviewRows()
		if err := v.threadRows(); err != nil {
			return err
		}
	}
	if v.threadState != nil {
		v.stateRows()
	}
	if v.relations != nil && v.threadState != nil {
		v.sameThreads()
	}
	return nil
}

func (v *verifier) reviewRows() {
	path, reviews := tree.ReviewsPath, v.relations.Reviews
	rows := map[string]bool{}
	for i := range reviews {
		r := &reviews[i]
		if i > 0 && !ascending(reviews[i-1].SubmittedAt, reviews[i-1].ID, r.SubmittedAt, r.ID) || rows[r.RecordKey] {
			v.add(RuleReviewsOrder, path, at("/reviews", i))
		}
		rows[r.RecordKey] = true
		v.id(path, at("/reviews", i, "id"), contract.KindReview, r.ID)
		v.length(path, at("/reviews", i, "reviewed_sha"), r.ReviewedSHA)
		v.actorID(path, at("/reviews", i, "dismissed_by_actor_id"), nullable(r.DismissedByActorID))
		row := v.rows[r.RecordKey]
		if r.RecordKey != v.key(contract.KindReview, r.ID) || row == nil || row.Kind != contract.KindReview ||
			row.ContentPath == "" || row.ID != r.ID || row.CreatedAt != r.SubmittedAt {
			v.add(RuleReviewRecord, path, at("/reviews", i))
		}
	}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		if row.Kind == contract.KindReview && row.ContentPath != "" && !rows[row.RecordKey] {
			v.add(RuleReviewRecord, tree.IndexPath, at("/records", i))
		}
	}
}

func (v *verifier) threadRows() error {
	path, threads := tree.ReviewsPath, v.relations.Threads
	if len(threads) > 0 && (!v.includes(contract.ScopeComments) || !v.includes(contract.ScopeReviews)) {
		v.add(RuleThreadSource, path, "/threads")
	}
	seen := map[string]bool{}
	for i := range threads {
		t := &threads[i]
		if i > 0 && !ascending(threads[i-1].CreatedAt, threads[i-1].ID, t.CreatedAt, t.ID) || seen[t.ThreadKey] {
			v.add(RuleThreadsOrder, path, at("/threads", i))
		}
		seen[t.ThreadKey] = true
		v.id(path, at("/threads", i, "id"), contract.KindThread, t.ID)
		v.length(path, at("/threads", i, "reviewed_sha"), t.ReviewedSHA)
		if t.ThreadKey != v.key(contract.KindThread, t.ID) || t.OrderPath != tree.ThreadPath(t.ThreadKey) {
			v.add(RuleThreadKey, path, at("/threads", i))
		}
		v.threadRecords(i, t)
		if t.Path == "" {
			continue
		}
		v.length(path, at("/threads", i, "path"), t.Path)
		if err := v.structural(path, at("/threads", i, "path"), t.Path); err != nil {
			return err
		}
	}
	return nil
}

// threadRecords: members, reply edges and the review of one thread (THR-07, THR-08,
// AMB-17).
func (v *verifier) threadRecords(i int, t *tree.Thread) {
	place := make(map[string]int, len(t.RecordKeys))
	for k, key := range t.RecordKeys {
		place[key] = k
		if row := v.rows[key]; row == nil || row.Kind != contract.KindComment || row.ContentPath == "" {
			v.add(RuleThreadRecord, tree.ReviewsPath, at("/threads", i, "record_keys")+at("", k))
		}
	}
	last := -1
	for k, reply := range t.Replies {
		child, known := place[reply.RecordKey]
		_, parent := place[reply.ParentRecordKey]
		if !known || child <= last || !parent || reply.RecordKey == reply.ParentRecordKey {
			v.add(RuleThreadReply, tree.ReviewsPath, at("/threads", i, "replies")+at("", k))
		}
		last = max(last, child)
	}
	if t.ReviewID == "" {
		return
	}
	v.id(tree.ReviewsPath, at("/threads", i, "review_id"), contract.KindReview, t.ReviewID)
	row := v.rows[t.ReviewRecordKey]
	if t.ReviewRecordKey != v.key(contract.KindReview, t.ReviewID) || row == nil ||
		row.Kind != contract.KindReview || row.ContentPath == "" {
		v.add(RuleThreadReview, tree.ReviewsPath, at("/threads", i, "review_record_key"))
	}
}

func (v *verifier) stateRows() {
	path, threads := tree.ThreadStatePath, v.threadState.Threads
	for i := range threads {
		t := &threads[i]
		if i > 0 && threads[i-1].ThreadKey >= t.ThreadKey {
			v.add(RuleStateOrder, path, at("/threads", i))
		}
		v.id(path, at("/threads", i, "id"), contract.KindThread, t.ID)
		if t.Outdated && !tree.TellsOutdated(v.index.Source.Forge) {
			v.add(RuleStateOutdated, path, at("/threads", i, "outdated"))
		}
		v.actorID(path, at("/threads", i, "resolved_by_actor_id"), nullable(t.ResolvedByActorID))
	}
}

// sameThreads: every thread has its relation and its state, with one id (THR-01,
// THR-04).
func (v *verifier) sameThreads() {
	related := map[string]string{}
	for i := range v.relations.Threads {
		related[v.relations.Threads[i].ThreadKey] = v.relations.Threads[i].ID
	}
	stated := map[string]bool{}
	for i := range v.threadState.Threads {
		t := &v.threadState.Threads[i]
		stated[t.ThreadKey] = true
		if id, ok := related[t.ThreadKey]; !ok || id != t.ID {
			v.add(RuleStateSet, tree.ThreadStatePath, at("/threads", i))
		}
	}
	for i := range v.relations.Threads {
		if !stated[v.relations.Threads[i].ThreadKey] {
			v.add(RuleStateSet, tree.ReviewsPath, at("/threads", i))
		}
	}
}
