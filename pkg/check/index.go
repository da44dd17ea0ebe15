package check

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// indexRules judges what index.json says by itself and with collection and entity:
// source, rows, gaps and filters. Documents that could not be used are nil; rules
// that need them are left out, since their own finding is there already.
func (v *verifier) indexRules() error {
	if err := v.sourceRules(); err != nil {
		return err
	}
	v.fileRows()
	v.recordRows()
	v.entityRules()
	v.gapRows()
	v.summaries()
	v.findings(tree.IndexPath, "/filter", v.index.Filter)
	return nil
}

// key derives the key of a record or thread of this tree (KEY-01 to KEY-04).
func (v *verifier) key(kind contract.Kind, id string) string {
	s := v.index.Source
	return tree.Key(contract.Source{Forge: s.Forge, Host: s.Host, RepositoryID: s.RepositoryID, Repository: s.Repository}, kind, id)
}

func (v *verifier) sourceRules() error {
	s := v.index.Source
	// The schema settles the repository, not what a name of the DNS is.
	if !tree.ValidHost(s.Host) {
		v.add(RuleSource, tree.IndexPath, "/source/host")
	}
	v.id(tree.IndexPath, "/source/repository_id", contract.KindEntity, s.RepositoryID)
	v.id(tree.IndexPath, "/entity/id", contract.KindEntity, v.index.Entity.ID)
	v.length(tree.IndexPath, "/source/host", s.Host)
	v.length(tree.IndexPath, "/source/repository", s.Repository)
	return v.structural(tree.IndexPath, "/source/repository", s.Repository)
}

// id judges one forge-sourced identifier by the forge's pattern (ID-06 to ID-09,
// invariant 13) and by the bound on structural strings (STR-06, AMB-33).
func (v *verifier) id(path, position string, kind contract.Kind, id string) {
	if !tree.ValidID(v.index.Source.Forge, kind, id) {
		v.add(RuleID, path, position)
	}
	v.length(path, position, id)
}

func (v *verifier) actorID(path, position string, id *string) {
	if id == nil {
		return
	}
	if !tree.ValidActorID(v.index.Source.Forge, *id) {
		v.add(RuleID, path, position)
	}
	v.length(path, position, *id)
}

func (v *verifier) length(path, position, s string) {
	if v.collection != nil && int64(len(s)) > v.collection.Bounds.MaxMetadataStringBytes {
		v.add(RuleStructuralLength, path, position)
	}
}

// sourceOf is the included source that a manifest record belongs to.
var sourceOf = map[contract.Kind]contract.Scope{
	contract.KindEntity:  contract.ScopeEntity,
	contract.KindComment: contract.ScopeComments,
	contract.KindReview:  contract.ScopeReviews,
	contract.KindCheck:   contract.ScopeChecks,
}

func (v *verifier) includes(source contract.Scope) bool {
	return v.collection == nil || slices.Contains(v.collection.IncludedSources, string(source))
}

func (v *verifier) recordRows() {
	count := map[contract.Kind]int64{}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		if i > 0 && !ascending(v.index.Records[i-1].CreatedAt, v.index.Records[i-1].RecordKey, row.CreatedAt, row.RecordKey) ||
			v.rows[row.RecordKey] != row {
			v.add(RuleRecordsOrder, tree.IndexPath, at("/records", i))
		}
		v.id(tree.IndexPath, at("/records", i, "id"), row.Kind, row.ID)
		v.actorID(tree.IndexPath, at("/records", i, "author_id"), nullable(row.AuthorID))
		if row.RecordKey != v.key(row.Kind, row.ID) {
			v.add(RuleRecordKey, tree.IndexPath, at("/records", i, "record_key"))
		}
		v.recordPaths(i, row)
		if !v.includes(sourceOf[row.Kind]) || row.Kind == contract.KindReview && !tree.HasReviews(v.index.Source.Forge) {
			v.add(RuleRecordSource, tree.IndexPath, at("/records", i))
		}
		count[row.Kind]++
		if row.Kind != contract.KindEntity && v.collection != nil && count[row.Kind] == v.collection.Bounds.MaxRecordsPerSource+1 {
			v.add(RuleRecordCount, tree.IndexPath, at("/records", i))
		}
		v.findings(tree.IndexPath, at("/records", i, "filter"), row.Filter)
		if !tree.Explained(row.Filter.Status, len(row.Filter.Findings)) {
			v.add(RuleFilterStatus, tree.IndexPath, at("/records", i, "filter"))
		}
	}
}

// recordPaths: each path carries the record's own key, the order key its creation
// time (REC-08, REC-09, invariant 4). Presence is the schema's business.
func (v *verifier) recordPaths(i int, row *tree.ManifestRecord) {
	for _, p := range [...]struct{ member, got, want string }{
		{"content_path", row.ContentPath, tree.RecordPath(row.Kind, row.CreatedAt, row.RecordKey)},
		{"metadata_path", row.MetadataPath, tree.CheckPath(row.RecordKey)},
		{"log_path", row.LogPath, tree.LogPath(row.RecordKey)},
	} {
		if p.got != "" && p.got != p.want {
			v.add(RuleRecordPath, tree.IndexPath, at("/records", i, p.member))
		}
	}
	if row.LogPath != "" && !v.includes(contract.ScopeCheckLogs) {
		v.add(RuleRecordSource, tree.IndexPath, at("/records", i, "log_path"))
	}
}

// ascending reports whether (a1, a2) sorts strictly before (b1, b2), bytewise.
func ascending(a1, a2, b1, b2 string) bool {
	if a1 != b1 {
		return a1 < b1
	}
	return a2 < b2
}

// entityRules: the one entity record and the index's entity equal the entity's
// metadata (REC-05, COL-04, MAN-07, invariant 10).
func (v *verifier) entityRules() {
	entity := -1
	for i := range v.index.Records {
		if v.index.Records[i].Kind != contract.KindEntity {
			continue
		}
		if entity >= 0 {
			v.add(RuleRecordEntity, tree.IndexPath, at("/records", i))
		}
		entity = i
	}
	if entity < 0 {
		v.add(RuleRecordEntity, tree.IndexPath, "/records")
	}
	if v.entity == nil {
		return
	}
	if v.index.Entity.ID != v.entity.ID || v.index.Entity.UpdatedAt != v.entity.UpdatedAt {
		v.add(RuleIndexEntity, tree.IndexPath, "/entity")
	}
	if v.index.Entity.Kind != v.entity.Kind {
		v.add(RuleKind, tree.IndexPath, "/entity/kind")
	}
	if v.collection != nil && v.collection.EntityKind != v.entity.Kind {
		v.add(RuleKind, tree.CollectionPath, "/entity_kind")
	}
	if entity < 0 {
		return
	}
	row := &v.index.Records[entity]
	for _, member := range [...]struct {
		name string
		same bool
	}{
		{"id", row.ID == v.entity.ID},
		{"created_at", row.CreatedAt == v.entity.CreatedAt},
		{"author_id", equalString(nullable(row.AuthorID), v.entity.AuthorID)},
		{"author", equalString(nullable(row.Author), v.entity.Author)},
		{"updated_at", row.UpdatedAt == "" || row.UpdatedAt == v.entity.UpdatedAt},
	} {
		if !member.same {
			v.add(RuleRecordEntity, tree.IndexPath, at("/records", entity, member.name))
		}
	}
}

// nullable gives the value of a decoded nullable member: JSON null and an absent
// member decode alike, and the schema has said which of them may be.
func nullable(p **string) *string {
	if p == nil {
		return nil
	}
	return *p
}

func equalString(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// gapRows judges the order of gaps[] and sums them (GAP-03, GAP-04, GAP-06, invariant
// 11).
func (v *verifier) gapRows() {
	for i := range v.index.Gaps {
		g := &v.index.Gaps[i]
		if i > 0 {
			last := &v.index.Gaps[i-1]
			if !ascending(string(last.Scope), string(last.Code), string(g.Scope), string(g.Code)) {
				v.add(RuleGapsOrder, tree.IndexPath, at("/gaps", i))
			}
		}
		if g.Scope != contract.ScopeActors && !v.includes(g.Scope) {
			v.add(RuleGapScope, tree.IndexPath, at("/gaps", i, "scope"))
		}
		v.gaps[contract.Gap{Scope: g.Scope, Code: g.Code}] += g.Count
	}
}

// gapCounts holds the counts of gaps[] against what the tree has, when every document
// has been read (GAP-05, GAP-07 to GAP-09).
func (v *verifier) gapCounts() {
	rows, rejected := map[contract.Scope]int64{}, map[contract.Scope]int64{}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		rows[sourceOf[row.Kind]]++
		if row.Filter.Status == contract.Rejected {
			rejected[sourceOf[row.Kind]]++
		}
	}
	for _, scope := range [...]contract.Scope{contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks} {
		if !v.gaps.CoverRejected(scope, rejected[scope]) {
			v.note(RuleGapUnsafe, tree.IndexPath, "/gaps", string(scope))
		}
	}
	if !v.gaps.LabelsBounded(v.statusOf(tree.EntityPath)) {
		v.note(RuleFilterStatus, tree.IndexPath, "/gaps", "labels were dropped and "+tree.EntityPath+" is not truncated")
	}
	// A check that cannot be judged has its own finding and may have a log or not.
	if v.judged == rows[contract.ScopeChecks]-rejected[contract.ScopeChecks] && !v.gaps.CoverLogs(v.withLog, v.withoutLog) {
		v.add(RuleGapLog, tree.IndexPath, "/gaps")
	}
}

// summaries: an author's login is also in its actor's row, and the entity's author
// in the entity's metadata, so those documents report at least as much (AMB-28,
// AMB-31, FLT-08).
func (v *verifier) summaries() {
	actors := v.files[tree.ActorsPath]
	if actors == nil || actors.Filter == nil {
		return
	}
	if !within(v.index.Filter, *actors.Filter) {
		v.add(RuleFilterSummary, tree.IndexPath, "/filter")
	}
}

// within reports whether part has no stronger status than whole and no code that
// whole lacks.
func within(part, whole tree.Filter) bool {
	if contract.Highest(part.Status, whole.Status) != whole.Status {
		return false
	}
	return !slices.ContainsFunc(part.Findings, func(f tree.Finding) bool {
		return !slices.ContainsFunc(whole.Findings, func(w tree.Finding) bool { return w.Code == f.Code })
	})
}
