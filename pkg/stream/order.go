package stream

import (
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// sequence checks what a line can be held to only with the lines before it: order,
// uniqueness, keys, references. Its memory grows with the metadata of a stream,
// never with its logs.
type sequence struct {
	header *contract.Snapshot
	rank   int    // of the last line that is no gap
	last   string // its order key within its type

	actors  map[string]struct{}
	records map[string]recordFacts // by record key
	threads map[string]struct{}    // thread keys
	checks  map[string]int         // record key to index of facts
	facts   []checkFacts
	runs    map[string]struct{}
	names   map[string]struct{} // of documents

	nextLog int // the first check whose log may still come
	entity  bool
}

type recordFacts struct {
	kind contract.Kind
	body bool
}

type checkFacts struct {
	selected bool // by the profile's check_log_selection
	rejected bool
}

func newSequence(h *contract.Snapshot) *sequence {
	return &sequence{
		header:  h,
		actors:  map[string]struct{}{},
		records: map[string]recordFacts{},
		threads: map[string]struct{}{},
		checks:  map[string]int{},
		runs:    map[string]struct{}{},
		names:   map[string]struct{}{},
	}
}

var ranks = map[contract.Type]int{
	contract.TypeActor:    1,
	contract.TypeRecord:   2,
	contract.TypeThread:   3,
	contract.TypeCheck:    4,
	contract.TypeRun:      5,
	contract.TypeLog:      6,
	contract.TypeDocument: 1,
}

// add checks one line after the header.
func (s *sequence) add(l contract.Line) error {
	t := l.LineType()
	if t == contract.TypeGap {
		return s.gap(l.(*contract.Gap))
	}
	if (t == contract.TypeDocument) != (s.header.Family != contract.FamilyEntity) {
		return broken(RuleFamily, "a %s line does not stand in a stream of family %s", t, s.header.Family)
	}
	rank := ranks[t]
	if rank < s.rank {
		return broken(RuleOrder, "a %s line cannot come here", t)
	}
	if rank > s.rank {
		if s.rank <= ranks[contract.TypeActor] && t != contract.TypeActor && t != contract.TypeDocument {
			if err := s.actorsDone(); err != nil {
				return err
			}
		}
		s.rank, s.last = rank, ""
	}
	if address := contract.WebURL(l); address != "" && !tree.URLOn(s.header.Source.Host, address) {
		return broken(RuleURL, "member url: is not on the source's host")
	}
	switch l := l.(type) {
	case *contract.Actor:
		return s.actor(l)
	case *contract.Record:
		return s.record(l)
	case *contract.Thread:
		return s.thread(l)
	case *contract.Check:
		return s.check(l)
	case *contract.Run:
		return s.run(l)
	case *contract.Log:
		return s.log(l)
	case *contract.Document:
		return s.document(l)
	}
	return broken(RuleHeader, "a %s line cannot come here", t)
}

// end checks what must have come before the trailer.
func (s *sequence) end() error {
	if s.header.Family == contract.FamilyEntity && !s.entity {
		return broken(RuleEntityRecord, "the record of kind entity is missing")
	}
	return nil
}

func (s *sequence) bounded() bool { return s.header.Position() == 3 }

// sequenced checks that a line comes after the last one of its type. The parts of
// an order key are compared one after the other, bytewise.
func (s *sequence) sequenced(parts ...string) error {
	key := strings.Join(parts, "\x00")
	if s.last != "" && key < s.last {
		return broken(RuleOrder, "the line belongs before the one above it")
	}
	s.last = key
	return nil
}

// fresh checks that a key is new, and keeps it.
func fresh[V any](seen map[string]V, key string, v V) error {
	if _, twice := seen[key]; twice {
		return broken(RuleDuplicateKey, "the line's key stands twice")
	}
	seen[key] = v
	return nil
}

func (s *sequence) selected(t contract.Type, scopes ...contract.Scope) error {
	for _, scope := range scopes {
		if !s.header.Collection.Includes(scope) {
			return broken(RuleUnselectedSource, "a %s line needs the source %s, which the profile does not select", t, scope)
		}
	}
	return nil
}

func (s *sequence) identifier(kind contract.Kind, id, key string) error {
	if !tree.ValidID(s.header.Source.Forge, kind, id) {
		return broken(RuleForgeIdentifier, "the id is none of %s for a %s", s.header.Source.Forge, kind)
	}
	if key != tree.Key(s.header.Source, kind, id) {
		return broken(RuleKey, "the key is not that of source, kind and id")
	}
	return nil
}

func (s *sequence) references(name string, id *string) error {
	if id == nil {
		return nil
	}
	if _, known := s.actors[*id]; !known {
		return broken(RuleReference, "%s names an actor without an actor line", name)
	}
	return nil
}

// actorsDone checks the header's reference once all actors have come.
func (s *sequence) actorsDone() error {
	return s.references("the header's author_id", s.header.Entity.AuthorID)
}

func (s *sequence) actor(a *contract.Actor) error {
	if !tree.ValidActorID(s.header.Source.Forge, a.ID) {
		return broken(RuleForgeIdentifier, "the id is none of %s for an actor", s.header.Source.Forge)
	}
	if err := fresh(s.actors, a.ID, struct{}{}); err != nil {
		return err
	}
	return s.sequenced(a.ID)
}

func (s *sequence) record(r *contract.Record) error {
	switch r.Kind {
	case contract.KindComment:
		if err := s.selected(contract.TypeRecord, contract.ScopeComments); err != nil {
			return err
		}
	case contract.KindReview:
		if err := s.selected(contract.TypeRecord, contract.ScopeReviews); err != nil {
			return err
		}
	}
	if err := s.identifier(r.Kind, r.ID, r.RecordKey); err != nil {
		return err
	}
	if err := fresh(s.records, r.RecordKey, recordFacts{r.Kind, r.Content.Form == contract.FormText}); err != nil {
		return err
	}
	if (r.Kind == contract.KindEntity) == s.entity {
		return broken(RuleEntityRecord, "the one record of kind entity must be the first record")
	}
	if r.Kind == contract.KindEntity {
		s.entity = true
		if err := s.entityRecord(r); err != nil {
			return err
		}
	} else if err := s.sequenced(r.CreatedAt, r.RecordKey); err != nil {
		return err
	}
	for _, ref := range []struct {
		name string
		id   *string
	}{{"author_id", r.AuthorID}, {"editor_id", r.EditorID}, {"dismissed_by_actor_id", r.DismissedBy}} {
		if err := s.references(ref.name, ref.id); err != nil {
			return err
		}
	}
	return nil
}

func (s *sequence) entityRecord(r *contract.Record) error {
	e := s.header.Entity
	switch {
	case r.ID != e.ID, !equal(r.AuthorID, e.AuthorID), r.CreatedAt != e.CreatedAt, r.UpdatedAt != e.UpdatedAt:
		return broken(RuleEntityRecord, "id, author_id, created_at and updated_at must be those of the header")
	case s.bounded() && r.Content.Form == contract.FormNone:
		return broken(RuleEntityRecord, "the entity's body cannot be rejected in a bounded stream")
	}
	return nil
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func (s *sequence) thread(t *contract.Thread) error {
	if err := s.selected(contract.TypeThread, contract.ScopeReviews); err != nil {
		return err
	}
	if err := s.identifier(contract.KindThread, t.ID, t.ThreadKey); err != nil {
		return err
	}
	if err := fresh(s.threads, t.ThreadKey, struct{}{}); err != nil {
		return err
	}
	if err := s.sequenced(t.CreatedAt, t.ID); err != nil {
		return err
	}
	if t.Outdated && !tree.TellsOutdated(s.header.Source.Forge) {
		return broken(RuleOutdated, "%s does not say that a thread is outdated", s.header.Source.Forge)
	}
	if err := s.references("resolved_by_actor_id", t.ResolvedByActorID); err != nil {
		return err
	}
	if t.ReviewID != "" {
		if err := s.identifier(contract.KindReview, t.ReviewID, t.ReviewRecordKey); err != nil {
			return err
		}
	}
	if !s.bounded() {
		return nil
	}
	keys := make(map[string]bool, len(t.RecordKeys))
	for _, key := range t.RecordKeys {
		if f := s.records[key]; f.kind != contract.KindComment || !f.body {
			return broken(RuleReference, "record_keys names what is no comment with a body")
		}
		keys[key] = true
	}
	for _, reply := range t.Replies {
		if !keys[reply.RecordKey] || !keys[reply.ParentRecordKey] {
			return broken(RuleReference, "a reply names a key outside record_keys")
		}
	}
	if f := s.records[t.ReviewRecordKey]; t.ReviewID != "" && !f.body {
		return broken(RuleReference, "review_record_key names what is no review with a body")
	}
	return nil
}

func (s *sequence) check(c *contract.Check) error {
	if err := s.selected(contract.TypeCheck, contract.ScopeChecks); err != nil {
		return err
	}
	if err := s.identifier(contract.KindCheck, c.ID, c.RecordKey); err != nil {
		return err
	}
	if err := fresh(s.checks, c.RecordKey, len(s.facts)); err != nil {
		return err
	}
	s.facts = append(s.facts, checkFacts{
		selected: s.header.Collection.CheckLogSelection.Selects(c),
		rejected: rejected(c.Filter),
	})
	if c.HeadSHA != s.header.HeadSHA {
		return broken(RuleHeadSHA, "head_sha is not that of the header")
	}
	return s.sequenced(c.CreatedAt, c.RecordKey)
}

func (s *sequence) run(r *contract.Run) error {
	if err := s.selected(contract.TypeRun, contract.ScopeAgentRuns); err != nil {
		return err
	}
	if !tree.ValidRunID(s.header.Source.Forge, r.ID) {
		return broken(RuleForgeIdentifier, "the id is none of %s for a run", s.header.Source.Forge)
	}
	if r.PublisherID != nil && !tree.ValidActorID(s.header.Source.Forge, *r.PublisherID) {
		return broken(RuleForgeIdentifier, "publisher_id is no id of %s for an actor", s.header.Source.Forge)
	}
	if err := fresh(s.runs, r.ID, struct{}{}); err != nil {
		return err
	}
	if s.bounded() {
		for _, key := range r.ResultRecordKeys {
			i, isCheck := s.checks[key]
			if !s.records[key].body && !(isCheck && !s.facts[i].rejected) {
				return broken(RuleReference, "result_record_keys names what was not retained")
			}
		}
	}
	return s.sequenced(r.CompletedAt, r.ID)
}

func (s *sequence) log(l *contract.Log) error {
	if err := s.selected(contract.TypeLog, contract.ScopeCheckLogs); err != nil {
		return err
	}
	i, known := s.checks[l.RecordKey]
	switch {
	case !known:
		return broken(RuleReference, "the log's record_key names no check")
	case !s.facts[i].selected:
		return broken(RuleLogCheck, "the profile selects no log of this check")
	case s.bounded() && s.facts[i].rejected:
		return broken(RuleLogCheck, "a rejected check has no log in a bounded stream")
	case i == s.nextLog-1:
		return broken(RuleDuplicateKey, "the check has two logs")
	case i < s.nextLog:
		return broken(RuleOrder, "logs come in the order of their checks")
	}
	s.nextLog = i + 1
	return nil
}

func (s *sequence) document(d *contract.Document) error {
	if d.HasRaw && tree.Digest(d.Raw) != d.SHA256 {
		return broken(RuleDocumentDigest, "sha256 is not that of the raw bytes")
	}
	return fresh(s.names, d.Name, struct{}{})
}

func (s *sequence) gap(g *contract.Gap) error {
	entity := s.header.Family == contract.FamilyEntity
	if (g.Scope == contract.ScopeDocuments) == entity {
		return broken(RuleFamily, "a gap of scope %s does not stand in a stream of family %s", g.Scope, s.header.Family)
	}
	if entity && g.Scope != contract.ScopeActors && !s.header.Collection.Includes(g.Scope) {
		return broken(RuleUnselectedSource, "a gap of scope %s needs that source, which the profile does not select", g.Scope)
	}
	return nil
}
