package check

import (
	"errors"
	"io/fs"

	"snapline/pkg/contract/tree"
)

// contents reads every listed file once: the singleton documents first, because
// everything else is judged by them, then the rest in path order.
func (v *verifier) contents() error {
	if err := v.documents(); err != nil {
		return err
	}
	if err := v.indexRules(); err != nil {
		return err
	}
	v.references()
	for _, rules := range [...]func() error{v.collectionRules, v.entityText, v.relationRules, v.runRules, v.actorRules} {
		if err := rules(); err != nil {
			return err
		}
	}
	views := v.views()
	for i := range v.index.Files {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		f := &v.index.Files[i]
		var err error
		switch f.Role {
		case tree.RoleEntityRecord, tree.RoleCommentRecord, tree.RoleReviewRecord:
			err = v.recordFile(f)
		case tree.RoleCheckMetadata:
			err = v.checkFile(f)
		case tree.RoleCheckLog:
			err = v.logFile(f)
		case tree.RoleThreadOrder, tree.RoleTimelineView, tree.RoleUnresolvedReview, tree.RoleReviewView:
			err = v.orderFile(f, views)
		case tree.RoleCollection, tree.RoleEntityMetadata, tree.RoleReviews, tree.RoleAgentRuns, tree.RoleActorState, tree.RoleThreadState:
		}
		if err != nil {
			return err
		}
	}
	v.gapCounts()
	return nil
}

// documents reads and judges the six singleton documents.
func (v *verifier) documents() error {
	return errors.Join(
		load(v, tree.CollectionPath, "collection.schema.json", &v.collection),
		load(v, tree.EntityPath, "entity.schema.json", &v.entity),
		load(v, tree.ReviewsPath, "reviews.schema.json", &v.relations),
		load(v, tree.AgentRunsPath, "agent-runs.schema.json", &v.runs),
		load(v, tree.ActorsPath, "actor-state.schema.json", &v.actors),
		load(v, tree.ThreadStatePath, "thread-state.schema.json", &v.threadState),
	)
}

// load reads one document and sets target if it may be used.
func load[T any](v *verifier, path, schemaName string, target **T) error {
	f := v.files[path]
	if f == nil {
		return nil // references reports it
	}
	b, ok, err := v.read(f, maxDocument, RuleTooLarge)
	if err != nil || !ok || !v.canonical(path, b) {
		return err
	}
	document := new(T)
	if ok, err = v.document(schemaName, path, b, document); err == nil && ok {
		*target = document
	}
	return err
}

// read gives a listed file's bytes if they are the listed ones. A file whose length
// or digest differs is reported and not judged further: what it says is not what the
// root vouches for (VER-03).
func (v *verifier) read(f *tree.File, limit int64, tooLong Rule) ([]byte, bool, error) {
	if f.Bytes > limit {
		v.add(tooLong, f.Path, "")
		return nil, false, nil
	}
	c, err := v.source.Read(f.Path, f.Bytes)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrClosed):
		return nil, false, nil // fileSet or the listing has reported it
	case errors.Is(err, ErrMoved):
		v.add(RuleMoved, f.Path, "")
		return nil, false, nil
	case err != nil:
		return nil, false, environment(f.Path, err)
	}
	v.count(c)
	if int64(len(c.Bytes)) != f.Bytes {
		v.add(RuleSize, f.Path, "")
		return nil, false, nil
	}
	if c.Digest != f.SHA256 {
		v.add(RuleDigest, f.Path, "")
		return nil, false, nil
	}
	return c.Bytes, true, nil
}
