package emit

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// orders writes every order file: the timeline, the open threads, one file for each
// thread and one for each review. They list content paths and nothing else (ORD-01 to
// ORD-07).
func (b *builder) orders() error {
	if err := b.order(tree.RoleTimelineView, tree.TimelinePath, b.timeline()); err != nil {
		return err
	}
	if err := b.order(tree.RoleUnresolvedReview, tree.UnresolvedReviewPath, b.unresolved()); err != nil {
		return err
	}
	for _, t := range b.threads {
		if err := b.order(tree.RoleThreadOrder, tree.ThreadPath(t.ThreadKey), t.RecordKeys); err != nil {
			return err
		}
	}
	byReview := map[string][]*contract.Thread{}
	for _, t := range b.threads {
		if t.ReviewRecordKey != "" {
			byReview[t.ReviewRecordKey] = append(byReview[t.ReviewRecordKey], t)
		}
	}
	for _, r := range b.reviews {
		if err := b.order(tree.RoleReviewView, tree.ReviewViewPath(r.RecordKey), reviewView(r.RecordKey, byReview[r.RecordKey])); err != nil {
			return err
		}
	}
	return nil
}

// order writes one order file from record keys; of a path that comes again only the
// first line is kept (ORD-03).
func (b *builder) order(role tree.Role, path string, keys []string) error {
	var data []byte
	seen := map[string]bool{}
	for _, key := range keys {
		if line := b.records[b.rows[key]].ContentPath; line != "" && !seen[line] {
			seen[line] = true
			data = append(append(data, line...), '\n')
		}
	}
	if err := bounded(path, data); err != nil {
		return err
	}
	return b.file(role, path, data, nil)
}

// timeline gives the entity, then comments and reviews by creation time and key: the
// order of the file names (ORD-04).
func (b *builder) timeline() []string {
	var rows []tree.ManifestRecord
	for _, row := range b.records {
		if row.Kind != contract.KindCheck {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y tree.ManifestRecord) int {
		if x.Kind == contract.KindEntity || y.Kind == contract.KindEntity {
			return boolOrder(x.Kind != contract.KindEntity, y.Kind != contract.KindEntity)
		}
		return order(x.CreatedAt, y.CreatedAt, x.RecordKey, y.RecordKey)
	})
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.RecordKey
	}
	return keys
}

// unresolved gives the records of threads that are neither resolved nor outdated:
// threads by creation time and key, records in the forge's order (ORD-06).
func (b *builder) unresolved() []string {
	return threadRecords(slices.DeleteFunc(slices.Clone(b.threads), func(t *contract.Thread) bool { return t.Resolved || t.Outdated }))
}

// reviewView gives a review, then the records of its threads (ORD-07, AMB-18).
func reviewView(key string, threads []*contract.Thread) []string {
	return append([]string{key}, threadRecords(threads)...)
}

// threadRecords sorts threads by creation time and key and gives their records.
func threadRecords(threads []*contract.Thread) []string {
	slices.SortFunc(threads, func(x, y *contract.Thread) int { return order(x.CreatedAt, y.CreatedAt, x.ThreadKey, y.ThreadKey) })
	var keys []string
	for _, t := range threads {
		keys = append(keys, t.RecordKeys...)
	}
	return keys
}

// boolOrder puts false before true.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
