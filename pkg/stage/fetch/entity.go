package fetch

import (
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/client"
)

// readEntity reads the entity, checks everything that a snapshot cannot be without
// (ABT-04, ABT-05, ABT-07), and writes the header.
func (r *run) readEntity() error {
	e, err := r.adapter.Entity(client.Reserved(r.ctx))
	if err != nil {
		return EntityFault(err)
	}
	r.entity = e
	if r.cfg.Target.Kind == "" {
		r.choose(e.Kind)
	}
	t := r.cfg.Target
	r.source = contract.Source{Forge: t.Forge, Host: t.Host, RepositoryID: e.RepositoryID, Repository: e.Repository}
	if !tree.ValidSource(r.source) {
		return entityGap(contract.InvalidMetadata, "fetch.source", "the repository's identity does not have its form")
	}
	created, err1 := required(e.CreatedAt)
	updated, err2 := required(e.UpdatedAt)
	title := e.Title.Bytes()
	switch {
	case e.Kind != r.cfg.Collection.EntityKind:
		return fault.New(fault.Aborted, "fetch.kind-mismatch", "the entity is a %s", e.Kind)
	case !tree.ValidID(t.Forge, contract.KindEntity, e.ID):
		return entityGap(contract.InvalidMetadata, "fetch.entity-id", "the entity's id does not have its form")
	case e.Number != t.Number:
		return entityGap(contract.InvalidMetadata, "fetch.entity-number", "the forge answers with another number")
	case err1 != nil || err2 != nil:
		return entityGap(contract.InvalidMetadata, "fetch.entity-time", "a time of the entity is missing or malformed")
	case !validState(e.Kind, e.State):
		return fault.New(fault.Aborted, "fetch.native-state", "the native state %s is outside the mapping", fault.Quote(e.NativeState))
	case e.Title.Len() > r.bounds.MaxSourceBytes, e.Body.Len() > r.bounds.MaxSourceBytes:
		return entityGap(contract.SourceTooLarge, "fetch.entity-size", "title or body is over max_source_bytes")
	case !utf8.Valid(title):
		return entityGap(contract.InvalidMetadata, "fetch.entity-title", "the title is not Unicode text")
	}
	for _, l := range e.Labels {
		if !utf8.ValidString(l) {
			return entityGap(contract.InvalidMetadata, "fetch.entity-label", "a label is not Unicode text")
		}
	}
	if err := r.untouched(created, e.EditedAt); err != nil {
		return err
	}
	collection := r.cfg.Collection
	header := &contract.Snapshot{
		Family: contract.FamilyEntity,
		Stages: []contract.Stage{contract.Self(Name)},
		Source: r.source,
		Entity: contract.Entity{
			Kind: e.Kind, ID: e.ID, Number: e.Number, Title: string(title), State: e.State,
			AuthorID: r.reference(e.Author), CreatedAt: created, UpdatedAt: updated, Labels: e.Labels,
		},
		Collection:  &collection,
		Acquisition: r.acquisition(),
	}
	if header.Entity.Labels == nil {
		header.Entity.Labels = []string{}
	}
	if r.selected(contract.ScopeChecks) && tree.ValidGitOID(e.HeadSHA) {
		header.HeadSHA = e.HeadSHA
	}
	e.CreatedAt, e.UpdatedAt = &created, &updated
	if err := r.out.Write(header); err != nil {
		return err
	}
	return r.out.Flush()
}

// choose takes the kind from the forge's first answer, and the profile from the kind.
func (r *run) choose(kind contract.EntityKind) {
	r.cfg.Target = r.cfg.Target.At(kind)
	r.cfg.Acquisition.Address = r.cfg.Target.Address
	if c, ok := r.cfg.ByKind[kind]; ok {
		r.cfg.Collection, r.bounds = c, c.Bounds
	}
}

// acquisition says how the snapshot came to be (stream.md section 9).
func (r *run) acquisition() *contract.Acquisition {
	a := r.cfg.Acquisition
	a.Address = r.address(a.Address)
	if r.cfg.Date != nil {
		a.Date = timestamp(r.cfg.Date())
	}
	a.NotAfter = timestamp(r.cfg.NotAfter)
	return &a
}

// address gives a web address that the stream takes, else none: it is for people, and no
// object is lost for its sake.
func (r *run) address(url string) string {
	if tree.ValidURL(url) && tree.URLOn(r.source.Host, url) {
		return url
	}
	return ""
}

func validState(kind contract.EntityKind, s contract.EntityState) bool {
	switch s {
	case contract.StateOpen, contract.StateClosed:
		return true
	case contract.StateMerged:
		return kind == contract.ChangeProposal
	}
	return false
}

// entityRecord is the entity's body.
func (r *run) entityRecord() *contract.Record {
	e := r.entity
	l := &contract.Record{
		Kind: contract.KindEntity, ID: e.ID, RecordKey: r.key(contract.KindEntity, e.ID),
		CreatedAt: *e.CreatedAt, UpdatedAt: *e.UpdatedAt, AuthorID: r.reference(e.Author),
		Content: r.content(e.Body), URL: r.address(e.URL),
	}
	r.edited(l, e.Editor)
	return l
}
