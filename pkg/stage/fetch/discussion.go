package fetch

import (
	"fmt"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge"
)

// discuss reads comments, reviews and threads.
func (r *run) discuss() {
	want := forge.Want{Comments: r.selected(contract.ScopeComments), Reviews: r.selected(contract.ScopeReviews)}
	want.Threads = want.Comments && want.Reviews // AMB-24
	if !want.Comments && !want.Reviews {
		return
	}
	r.progress("comments and reviews")
	d := r.readDiscussion(want)
	if r.ctx.Err() != nil {
		return
	}
	r.counted(d.Gaps)
	r.notes(contract.ScopeComments, d.Notes)
	if d.ReviewsFailed != nil {
		r.failed(contract.ScopeReviews, d.ReviewsFailed)
	} else {
		for i := range d.Reviews {
			r.review(&d.Reviews[i])
		}
	}
	if d.ThreadsFailed != nil && d.ReviewsFailed == nil {
		r.failed(contract.ScopeReviews, d.ThreadsFailed)
	}
	if d.CommentsFailed != nil {
		r.failed(contract.ScopeComments, d.CommentsFailed)
		return // no comment, no thread (AMB-24)
	}
	ids := map[string]bool{}
	for i := range d.Comments {
		r.comment(&d.Comments[i])
		ids[d.Comments[i].ID] = true
	}
	if d.ThreadsFailed != nil || !want.Threads {
		return
	}
	for i := range d.Threads {
		r.thread(&d.Threads[i], ids)
	}
}

// readDiscussion asks for everything at once. Comments come out of several lists: one id
// with two contents among them means that they moved, so they are read once more
// (AMB-45); if that does not help there are neither comments nor threads (AMB-72).
func (r *run) readDiscussion(want forge.Want) forge.Discussion {
	d := r.adapter.Discussion(r.ctx, r.entity, want)
	comments, err := forge.DistinctComments(d.Comments)
	if err != nil && r.ctx.Err() == nil {
		d = r.adapter.Discussion(r.ctx, r.entity, want)
		comments, err = forge.DistinctComments(d.Comments)
	}
	d.Comments = comments
	if err != nil {
		d.CommentsFailed = err
		if len(d.Threads) > 0 {
			d.ThreadsFailed = err
		}
	}
	return d
}

// content measures a text before it is decoded (AMB-10).
func (r *run) content(t forge.Text) contract.Content {
	if t.Len() > r.bounds.MaxSourceBytes {
		return contract.Content{Form: contract.FormOversize}
	}
	return textOf(t.Bytes())
}

func textOf(b []byte) contract.Content {
	if utf8.Valid(b) {
		return contract.Text(b)
	}
	return contract.Content{Form: contract.FormBytes, Bytes: b}
}

func (r *run) edited(l *contract.Record, e forge.Editor) {
	if e.Edited {
		l.Edited, l.EditorID = true, r.reference(e.Account)
	}
}

// validID checks the pattern of an object's id (ID-10, KEY-07). Lengths of structural
// strings are the filter's question (AMB-91).
func (r *run) validID(kind contract.Kind, id string) bool {
	return tree.ValidID(r.source.Forge, kind, id)
}

// describe names an object in a diagnostic.
func describe(kind contract.Kind, id string) string { return fmt.Sprintf("%s %s", kind, id) }

func (r *run) comment(c *forge.Comment) {
	created, err := required(c.CreatedAt)
	updated, err2 := optional(c.UpdatedAt)
	if !r.validID(contract.KindComment, c.ID) || err != nil || err2 != nil {
		r.invalid(contract.ScopeComments, describe(contract.KindComment, c.ID), "id or time is missing or malformed")
		return
	}
	l := &contract.Record{
		Kind: contract.KindComment, ID: c.ID, RecordKey: r.key(contract.KindComment, c.ID),
		CreatedAt: created, UpdatedAt: updated, AuthorID: r.reference(c.Author), Content: r.content(c.Body),
	}
	r.edited(l, c.Editor)
	r.records = append(r.records, l)
}

// review writes a formal review; its time is the submission time (MAP-16, MAP-17).
func (r *run) review(v *forge.Review) {
	name := describe(contract.KindReview, v.ID)
	submitted, err := required(v.SubmittedAt)
	updated, err2 := optional(v.UpdatedAt)
	dismissed, err3 := optional(v.Dismissed.At)
	switch {
	case v.State == "":
		r.invalid(contract.ScopeReviews, name, "the native state is outside the mapping")
		return
	case !r.validID(contract.KindReview, v.ID) || err != nil || err2 != nil || err3 != nil:
		r.invalid(contract.ScopeReviews, name, "id or time is missing or malformed")
		return
	case v.ReviewedSHA != nil && !tree.ValidGitOID(*v.ReviewedSHA):
		r.invalid(contract.ScopeReviews, name, "the reviewed revision is malformed")
		return
	}
	l := &contract.Record{
		Kind: contract.KindReview, ID: v.ID, RecordKey: r.key(contract.KindReview, v.ID),
		CreatedAt: submitted, UpdatedAt: updated, AuthorID: r.reference(v.Author), Content: r.content(v.Body),
		State: v.State,
	}
	if v.ReviewedSHA != nil {
		l.ReviewedSHA = *v.ReviewedSHA
	}
	if v.State == contract.Dismissed {
		if dismissed != "" {
			l.DismissedAt = &dismissed
		}
		l.DismissedBy = r.privileged(v.Dismissed.By)
	}
	r.edited(l, v.Editor)
	r.records = append(r.records, l)
}
