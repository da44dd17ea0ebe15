package forgejo

import (
	"context"

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

// Discussion implements forge.Adapter. Forgejo has no thread objects: inline comments
// are delivered as comments, and where reviews are selected their number becomes a
// gap, so that the missing resolution is not silent (AMB-25).
func (a *adapter) Discussion(ctx context.Context, e *forge.Entity, want forge.Want) (d forge.Discussion) {
	if want.Comments {
		d.Comments, d.CommentsFailed = list(ctx, a, a.repository+"/issues/"+a.number+"/comments", "comments", "", whole, readComment)
	}
	if e.Kind == contract.WorkItem {
		return d
	}
	reviews, err := list(ctx, a, a.repository+"/pulls/"+a.number+"/reviews", "reviews", "", paged, readReview)
	if err != nil {
		if want.Reviews {
			d.ReviewsFailed = err
		}
		if want.Comments { // the comments on code hang on the reviews
			d.Comments, d.CommentsFailed = nil, err
		}
		return d
	}
	inline := int64(0)
	if want.Comments && d.CommentsFailed == nil {
		var code []forge.Comment
		if code, d.CommentsFailed = a.inline(ctx, reviews); d.CommentsFailed == nil {
			inline = int64(len(code))
			d.Comments = append(d.Comments, code...)
		} else {
			d.Comments = nil
		}
	}
	if !want.Reviews {
		return d
	}
	if !want.Comments || d.CommentsFailed != nil {
		inline = promised(reviews)
	}
	if inline > 0 {
		d.Gaps = append(d.Gaps, contract.Gap{Scope: contract.ScopeReviews, Code: contract.Unsupported, Count: inline})
	}
	d.Reviews, d.ReviewsFailed = a.submitted(ctx, reviews)
	return d
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

func readComment(o strictjson.Object) (string, forge.Comment) {
	c := forge.Comment{
		ID:        o.Digits("id"),
		Body:      forge.NewText(o.Nullable("body")),
		Author:    account(o.Get("user")),
		CreatedAt: instant(o, "created_at"),
		UpdatedAt: instant(o, "updated_at"),
	}
	return c.ID, c
}

func readReview(o strictjson.Object) (string, review) {
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
	r.UpdatedAt = instant(o, "updated_at")
	if sha := o.OptText("commit_id"); sha != nil && *sha != "" {
		r.ReviewedSHA = sha
	}
	if n := o.OptInt("comments_count"); n != nil {
		r.inline = *n
	}
	return r.ID, r
}

// inline reads the comments on code, review by review. The server lists them in
// random order; the stage orders all comments by time and key.
func (a *adapter) inline(ctx context.Context, reviews []review) ([]forge.Comment, error) {
	lists := make([][]forge.Comment, len(reviews))
	errs := make([]error, len(reviews))
	forge.Parallel(len(reviews), func(i int) {
		switch r := reviews[i]; {
		case unsubmitted[r.native] || r.inline == 0:
		case r.ID == "": // nobody can ask for its comments
			errs[i] = &client.Error{Kind: client.Malformed, Where: "comments on code", Detail: "a review with comments has no id"}
		default:
			path := a.repository + "/pulls/" + a.number + "/reviews/" + r.ID + "/comments"
			lists[i], errs[i] = list(ctx, a, path, "comments on code", "", whole, readComment)
		}
	})
	if err := forge.FirstError(errs); err != nil {
		return nil, err
	}
	var all []forge.Comment
	for _, l := range lists {
		all = append(all, l...)
	}
	return all, nil
}

// submitted leaves out what is not submitted and joins dismissals.
func (a *adapter) submitted(ctx context.Context, reviews []review) ([]forge.Review, error) {
	var out []forge.Review
	dismissed := false
	for _, r := range reviews {
		if unsubmitted[r.native] {
			continue
		}
		dismissed = dismissed || r.State == contract.Dismissed
		out = append(out, r.Review)
	}
	if !dismissed {
		return out, nil
	}
	events, err := list(ctx, a, a.repository+"/issues/"+a.number+"/timeline", "timeline", "", paged, readEvent)
	if err != nil {
		return nil, err
	}
	byReview := map[string]forge.Dismissal{}
	for _, e := range events { // oldest first: the newest one stays
		if e.review != "" {
			byReview[e.review] = e.dismissal
		}
	}
	for i := range out {
		if out[i].State == contract.Dismissed {
			out[i].Dismissed = byReview[out[i].ID]
		}
	}
	return out, nil
}

// event is a timeline event; review is "" unless it is an explicit dismissal. Nothing
// else of the timeline is read: it shows other people's pending reviews (AMB-60).
type event struct {
	review    string
	dismissal forge.Dismissal
}

func readEvent(o strictjson.Object) (string, event) {
	id := o.Digits("id")
	if o.Text("type") != "dismiss_review" {
		return id, event{}
	}
	e := event{dismissal: forge.Dismissal{At: instant(o, "created_at"), By: account(o.Get("user"))}}
	if !o.Get("review_id").Missing() {
		e.review = o.Digits("review_id")
	}
	return id, e
}
