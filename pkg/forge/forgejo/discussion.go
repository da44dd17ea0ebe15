package forgejo

import (
	"context"
	"errors"
	"slices"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// reviewStates maps native review states (MAP-12).
var reviewStates = map[string]contract.ReviewState{
	"APPROVED":        contract.Approved,
	"REQUEST_CHANGES": contract.ChangesRequested,
	"COMMENT":         contract.Commented,
	"DISMISSED":       contract.Dismissed,
}

// unsubmitted are rows of the review list that are no reviews yet. Pending ones show
// only to their author, so they must never matter (MAP-12, AMB-60).
var unsubmitted = map[string]bool{"PENDING": true, "REQUEST_REVIEW": true}

// review is a row of the review list.
type review struct {
	forge.Review
	native string // native state
	inline int64  // comments on code, replies included
}

// remark is a comment, of the conversation or on code.
type remark struct {
	forge.Comment
	imported bool
}

// Discussion implements forge.Adapter. Forgejo has no thread objects: inline comments
// are delivered as comments, and where reviews are selected their number becomes a
// gap, so that the missing resolution is not silent (AMB-25).
func (a *adapter) Discussion(ctx context.Context, e *forge.Entity, want forge.Want) (d forge.Discussion) {
	t := talk{adapter: a, at: e.Native.(place), want: want}
	t.lists(ctx, e.Kind == contract.ChangeProposal)
	if e.Kind == contract.ChangeProposal && t.reviewsFailed == nil {
		t.details(ctx)
		t.vanished(ctx)
	}
	if want.Comments {
		// The comments on code hang on the reviews.
		if d.CommentsFailed = forge.FirstError([]error{t.commentsFailed, t.reviewsFailed, t.codeFailed}); d.CommentsFailed == nil {
			imported := 0
			for _, r := range append(t.comments, t.code...) {
				d.Comments = append(d.Comments, r.Comment)
				if r.imported {
					imported++
				}
			}
			d.Notes = forge.ImportNotes(imported)
		}
	}
	d.Notes = append(d.Notes, t.notes...)
	if !want.Reviews || e.Kind == contract.WorkItem {
		return d
	}
	if d.ReviewsFailed = t.reviewsFailed; d.ReviewsFailed != nil {
		return d
	}
	inline := int64(len(t.code))
	if !want.Comments || d.CommentsFailed != nil {
		inline = promised(t.reviews)
	}
	if inline > 0 {
		d.Gaps = append(d.Gaps, contract.Gap{Scope: contract.ScopeReviews, Code: contract.Unsupported, Count: inline})
	}
	if d.ReviewsFailed = t.eventsFailed; d.ReviewsFailed == nil {
		d.Reviews = submitted(t.reviews, t.events)
	}
	return d
}

// talk is what is read of a discussion, and what failed.
type talk struct {
	*adapter
	at   place
	want forge.Want

	comments []remark
	reviews  []review
	code     []remark
	events   []event
	gone     []string // reviews whose comments are not found

	commentsFailed, reviewsFailed, codeFailed, eventsFailed error

	notes []string
}

// lists reads the lists that hang on nothing.
func (t *talk) lists(ctx context.Context, reviewed bool) {
	forge.ReadTogether(ctx, func(ctx context.Context) error {
		if t.want.Comments {
			t.comments, t.commentsFailed = list(ctx, t.adapter, listing{path: t.at.issue + "/comments", where: "comments"}, readRemark)
		}
		return t.commentsFailed
	}, func(ctx context.Context) error {
		if reviewed {
			t.reviews, t.reviewsFailed = t.listReviews(ctx)
		}
		return t.reviewsFailed
	})
}

func (t *talk) listReviews(ctx context.Context) ([]review, error) {
	return list(ctx, t.adapter, listing{path: t.at.pull + "/reviews", where: "reviews"}, readReview)
}

// details reads what hangs on the reviews.
func (t *talk) details(ctx context.Context) {
	dismissed := slices.ContainsFunc(t.reviews, func(r review) bool { return r.State == contract.Dismissed })
	forge.ReadTogether(ctx, func(ctx context.Context) error {
		if t.want.Comments && t.commentsFailed == nil {
			t.code, t.gone, t.codeFailed = t.readCode(ctx)
		}
		return t.codeFailed
	}, func(ctx context.Context) error {
		if t.want.Reviews && dismissed {
			t.events, t.eventsFailed = t.readEvents(ctx)
		}
		return t.eventsFailed
	})
}

// vanished looks at the list of reviews once more if the comments of some were not found:
// one that is listed no longer was deleted, and is left out with its comments (AMB-83).
func (t *talk) vanished(ctx context.Context) {
	if len(t.gone) == 0 || t.codeFailed != nil {
		return
	}
	again, err := t.listReviews(ctx)
	if err != nil {
		t.codeFailed = err
		return
	}
	for _, r := range again {
		if slices.Contains(t.gone, r.ID) {
			t.codeFailed = &client.Error{Kind: client.NotFound, Where: "comments on code", Detail: "those of a review that is listed"}
			return
		}
	}
	t.reviews = slices.DeleteFunc(t.reviews, func(r review) bool {
		gone := slices.Contains(t.gone, r.ID)
		if gone {
			t.notes = append(t.notes, t.target.Named("review "+r.ID, r.URL)+" was deleted while it was read and is left out")
		}
		return gone
	})
}

// promised sums what the reviews say of their comments on code: all there is to count
// by when the comments themselves are not read.
func promised(reviews []review) (n int64) {
	for _, r := range reviews {
		if !unsubmitted[r.native] {
			n += r.inline
		}
	}
	return n
}

func readRemark(o strictjson.Object) forge.Item[remark] {
	r := remark{Comment: forge.Comment{
		ID:        o.Digits("id"),
		Body:      forge.NewText(o.Nullable("body")),
		Author:    account(o.Get("user")),
		CreatedAt: instant(o, "created_at"),
		UpdatedAt: instant(o, "updated_at"),
		URL:       page(o),
	}}
	r.EditedAt = r.UpdatedAt // edits are not dated apart (AMB-93)
	if isImported(o) {
		r.Author, r.imported = nil, true
	}
	return forge.Item[remark]{ID: r.ID, Value: r, Changed: forge.Newest(r.CreatedAt, r.UpdatedAt)}
}

func readReview(o strictjson.Object) forge.Item[review] {
	r := review{native: o.Text("state")}
	r.ID = o.Digits("id")
	r.Body = forge.NewText(o.Nullable("body"))
	r.Author = account(o.Get("user"))
	r.State = reviewStates[r.native]
	// An older decision keeps its word beside the flag (AMB-60).
	if dismissed := o.OptBool("dismissed"); dismissed != nil && *dismissed && !unsubmitted[r.native] {
		r.State = contract.Dismissed
	}
	// created_at speaks only where there is no submission field at all (MAP-18).
	r.SubmittedAt = instant(o, "submitted_at")
	if o.Get("submitted_at").Absent() {
		r.SubmittedAt = instant(o, "created_at")
	}
	r.UpdatedAt, r.URL = instant(o, "updated_at"), page(o)
	// A draft keeps the time at which it was begun; that it was submitted changes it.
	r.VisibleAt = later(r.SubmittedAt, r.UpdatedAt)
	if sha := o.OptText("commit_id"); sha != nil && *sha != "" {
		r.ReviewedSHA = sha
	}
	if n := o.OptInt("comments_count"); n != nil {
		r.inline = *n
	}
	if isImported(o) {
		r.Author = nil
	}
	return forge.Item[review]{ID: r.ID, Value: r, Changed: forge.Newest(r.SubmittedAt, r.UpdatedAt)}
}

// readCode reads the comments on code, review by review, and gives the reviews whose
// comments are not found. The server lists them in random order; the stage orders all
// comments by time and key.
func (t *talk) readCode(ctx context.Context) (code []remark, gone []string, err error) {
	lists := make([][]remark, len(t.reviews))
	errs := make([]error, len(t.reviews))
	forge.Parallel(len(t.reviews), func(i int) {
		switch r := t.reviews[i]; {
		case unsubmitted[r.native] || r.inline == 0:
		case r.ID == "": // nobody can ask for its comments
			errs[i] = &client.Error{Kind: client.Malformed, Where: "comments on code", Detail: "a review with comments has no id"}
		default:
			l := listing{path: t.at.pull + "/reviews/" + r.ID + "/comments", where: "comments on code"}
			lists[i], errs[i] = list(ctx, t.adapter, l, readRemark)
		}
	})
	for i, err := range errs {
		switch {
		case client.IsKind(err, client.NotFound):
			gone = append(gone, t.reviews[i].ID)
		case err != nil:
			return nil, nil, err
		}
		for _, r := range lists[i] { // nobody saw them before their review
			r.VisibleAt = later(r.CreatedAt, t.reviews[i].VisibleAt)
			code = append(code, r)
		}
	}
	return code, gone, nil
}

// later gives the later of two times, a malformed one if there is one.
func later(a, b *string) *string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	x, err := time.Parse(time.RFC3339, *a)
	if err != nil {
		return a
	}
	y, err := time.Parse(time.RFC3339, *b)
	if err != nil || y.After(x) {
		return b
	}
	return a
}

// submitted leaves out what is not submitted and joins dismissals.
func submitted(reviews []review, events []event) (out []forge.Review) {
	byReview := map[string]forge.Dismissal{}
	for _, e := range events { // oldest first: the newest one stays
		if e.dismisses {
			byReview[e.review] = e.dismissal
		}
	}
	for _, r := range reviews {
		if unsubmitted[r.native] {
			continue
		}
		if r.State == contract.Dismissed {
			r.Dismissed = byReview[r.ID]
		}
		out = append(out, r.Review)
	}
	return out
}

// event is a row of the timeline that names a review or is a comment. Nothing else of the
// timeline is read: it shows other people's pending reviews (AMB-60).
type event struct {
	review    string
	comment   bool
	dismisses bool // explicitly: a review that a newer one of its author replaced has no event
	dismissal forge.Dismissal
}

func readEvent(o strictjson.Object) forge.Item[event] {
	e := event{}
	switch o.Text("type") {
	case "comment":
		e.comment = true
	case "review", "dismiss_review":
		if !o.Get("review_id").Missing() {
			e.review = o.Digits("review_id")
		}
		if o.Text("type") == "dismiss_review" && e.review != "" {
			e.dismisses = true
			e.dismissal = forge.Dismissal{At: instant(o, "created_at"), By: account(o.Get("user"))}
		}
	}
	return forge.Item[event]{ID: o.Digits("id"), Value: e, Changed: forge.Newest(instant(o, "created_at"))}
}

// otherRows is how many rows of a timeline may be neither comment nor review.
const otherRows = 200

// readEvents reads the timeline. No total tells its length: the server states that of
// each page, after it has taken out the comments on code. So if a dismissal is missing
// and the one answer does not reach all that is known to be in it, the timeline is read
// by pages, as many as it may have.
func (t *talk) readEvents(ctx context.Context) ([]event, error) {
	l := listing{path: t.at.issue + "/timeline", where: "timeline", total: ofPage}
	events, err := list(ctx, t.adapter, l, readEvent)
	if err != nil || t.reached(events) {
		return events, err
	}
	rows := max(int64(len(t.comments)), t.at.comments) + promised(t.reviews) + int64(len(t.reviews)) + otherRows
	paged, err := pages(ctx, t.adapter, l, rows, readEvent)
	if errors.Is(err, forge.ErrListLoops) { // the server does not page: it has said all it has
		return events, nil
	}
	return append(events, paged...), err
}

// reached reports that every dismissal has its event, or that the timeline holds every
// comment and review that the other lists have, and so is whole.
func (t *talk) reached(events []event) bool {
	comments := 0
	shown, dismissed := map[string]bool{}, map[string]bool{}
	for _, e := range events {
		if e.comment {
			comments++
		}
		if e.dismisses {
			dismissed[e.review] = true
		} else if e.review != "" {
			shown[e.review] = true
		}
	}
	whole, explained := comments >= len(t.comments), true
	for _, r := range t.reviews {
		if unsubmitted[r.native] {
			continue
		}
		whole = whole && shown[r.ID]
		explained = explained && (r.State != contract.Dismissed || dismissed[r.ID])
	}
	return whole || explained
}
