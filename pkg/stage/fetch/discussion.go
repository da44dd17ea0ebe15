package fetch

import (
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// want says which lists the profile selects (AMB-24: no thread without both).
func (r *run) want() forge.Want {
	w := forge.Want{Comments: r.selected(contract.ScopeComments), Reviews: r.selected(contract.ScopeReviews)}
	w.Threads = w.Comments && w.Reviews
	return w
}

// discuss writes comments, reviews and threads.
func (r *run) discuss(d forge.Discussion) {
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
		c := &d.Comments[i]
		ids[c.ID] = r.comment(c)
	}
	if d.ThreadsFailed != nil || !r.want().Threads {
		return
	}
	for i := range d.Threads {
		r.thread(&d.Threads[i], ids)
	}
}

// askDiscussion asks for everything at once. Comments come out of several lists: one id
// with two contents among them means that they moved, so they are read once more
// (AMB-45); if that does not help there are neither comments nor threads (AMB-72).
func (r *run) askDiscussion() (d forge.Discussion) {
	want := r.want()
	if !want.Comments && !want.Reviews {
		return d
	}
	var err error
	for range 2 {
		ctx, ledger := client.WithLedger(r.ctx)
		d = r.adapter.Discussion(ctx, r.entity, want)
		if d.Comments, err = forge.DistinctComments(d.Comments); err == nil || r.ctx.Err() != nil {
			return d
		}
		ledger.Discard()
	}
	d.CommentsFailed = err
	if len(d.Threads) > 0 {
		d.ThreadsFailed = err
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

// describe names an object in a diagnostic, with its web address.
func describe(kind contract.Kind, id, url string) string {
	return contract.Located(string(kind)+" "+id, url)
}

// comment writes a comment, unless --not-after takes it out of the discussion. One whose
// form is invalid stays a member of its thread, as its gap says.
func (r *run) comment(c *forge.Comment) (member bool) {
	created, err := required(c.CreatedAt)
	updated, err2 := optional(c.UpdatedAt)
	if !r.validID(contract.KindComment, c.ID) || err != nil || err2 != nil {
		r.invalid(contract.ScopeComments, describe(contract.KindComment, c.ID, r.address(c.URL)), "id or time is missing or malformed")
		return true
	}
	if !r.there(contract.ScopeComments, describe(contract.KindComment, c.ID, r.address(c.URL)), created, c.Moments) {
		return false
	}
	l := &contract.Record{
		Kind: contract.KindComment, ID: c.ID, RecordKey: r.key(contract.KindComment, c.ID),
		CreatedAt: created, UpdatedAt: updated, AuthorID: r.reference(c.Author), Content: r.content(c.Body), URL: r.address(c.URL),
	}
	r.edited(l, c.Editor)
	r.records = append(r.records, l)
	return true
}

// review writes a formal review; its time is the submission time (MAP-16, MAP-17).
func (r *run) review(v *forge.Review) {
	name := describe(contract.KindReview, v.ID, r.address(v.URL))
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
	if !r.there(contract.ScopeReviews, name, submitted, v.Moments) {
		return
	}
	l := &contract.Record{
		Kind: contract.KindReview, ID: v.ID, RecordKey: r.key(contract.KindReview, v.ID),
		CreatedAt: submitted, UpdatedAt: updated, AuthorID: r.reference(v.Author), Content: r.content(v.Body),
		State: v.State, URL: r.address(v.URL),
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
