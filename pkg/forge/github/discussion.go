package github

import (
	"context"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
)

// Discussion implements forge.Adapter. The lists are independent of each other and read
// at the same time; inline comments come with their threads, so a failed thread page
// costs all comments and all threads, but not the reviews (AMB-72).
func (a *adapter) Discussion(ctx context.Context, e *forge.Entity, want forge.Want) forge.Discussion {
	var (
		d       forge.Discussion
		threads []thread
		parts   []func(context.Context) error
	)
	if want.Comments {
		parts = append(parts, func(ctx context.Context) error {
			d.Comments, d.CommentsFailed = list(ctx, a.nodePages("comments", e.ID, "comments", listPage), readComment)
			return d.CommentsFailed
		})
	}
	if e.Kind == contract.ChangeProposal {
		if want.Reviews {
			parts = append(parts, func(ctx context.Context) error {
				d.Reviews, d.ReviewsFailed = a.reviews(ctx, e)
				return d.ReviewsFailed
			})
		}
		if want.Comments {
			parts = append(parts, func(ctx context.Context) error {
				threads, d.ThreadsFailed = a.threads(ctx, e)
				return d.ThreadsFailed
			})
		}
	}
	forge.ReadTogether(ctx, parts...)
	if d.CommentsFailed == nil {
		d.CommentsFailed = d.ThreadsFailed
	}
	for _, t := range threads {
		d.Comments = append(d.Comments, t.inline...)
		if want.Threads {
			d.Threads = append(d.Threads, t.Thread)
		}
	}
	return d
}

func (a *adapter) nodePages(operation, id, member string, size int) *pages {
	return &pages{
		adapter: a, operation: operation, where: strings.ReplaceAll(operation, "_", " "), size: a.page(size),
		variables: variables{"id": id}, pick: node(member), total: "totalCount",
	}
}

func readComment(o strictjson.Object) forge.Item[forge.Comment] {
	c := forge.Comment{
		ID:        o.ID("id"),
		Body:      forge.NewText(o.Nullable("body")),
		Author:    who(o.Nullable("author")),
		Editor:    editor(o),
		CreatedAt: o.OptText("createdAt"),
		UpdatedAt: o.OptText("updatedAt"),
		Moments:   moments(o),
		URL:       textOr(o.Get("url")),
	}
	return forge.Item[forge.Comment]{ID: c.ID, Value: c, Changed: forge.Newest(c.CreatedAt, c.UpdatedAt, c.VisibleAt, c.EditedAt)}
}

// moments reads when an object could first be seen and when its text last changed.
func moments(o strictjson.Object) forge.Moments {
	return forge.Moments{VisibleAt: o.OptText("publishedAt"), EditedAt: o.OptText("lastEditedAt")}
}

// pendingState marks reviews and comments that only their author sees.
const pendingState = "PENDING"

// reviewStates maps native states (MAP-11). PENDING is left out before.
var reviewStates = map[string]contract.ReviewState{
	"APPROVED": contract.Approved, "CHANGES_REQUESTED": contract.ChangesRequested,
	"COMMENTED": contract.Commented, "DISMISSED": contract.Dismissed,
}

type review struct {
	forge.Review
	pending bool
}

func readReview(o strictjson.Object) forge.Item[review] {
	state := o.Text("state")
	r := review{forge.Review{
		ID:          o.ID("id"),
		Body:        forge.NewText(o.Nullable("body")),
		Author:      who(o.Nullable("author")),
		Editor:      editor(o),
		State:       reviewStates[state],
		SubmittedAt: o.OptText("submittedAt"),
		UpdatedAt:   o.OptText("updatedAt"),
		ReviewedSHA: o.OptObject("commit").OptText("oid"),
		Moments:     moments(o),
		URL:         textOr(o.Get("url")),
	}, state == pendingState}
	return forge.Item[review]{ID: r.ID, Value: r, Changed: forge.Newest(r.SubmittedAt, r.UpdatedAt, r.VisibleAt, r.EditedAt)}
}

func (a *adapter) reviews(ctx context.Context, e *forge.Entity) ([]forge.Review, error) {
	all, err := list(ctx, a.nodePages("reviews", e.ID, "reviews", listPage), readReview)
	if err != nil {
		return nil, err
	}
	var (
		out       []forge.Review
		dismissed bool
	)
	for _, r := range all {
		if !r.pending {
			out = append(out, r.Review)
			dismissed = dismissed || r.State == contract.Dismissed
		}
	}
	if !dismissed {
		return out, nil
	}
	events, err := a.dismissals(ctx, e)
	if err != nil {
		return nil, err // the outcome of a review would be half known
	}
	for i := range out {
		if out[i].State == contract.Dismissed {
			out[i].Dismissed = events[out[i].ID]
		}
	}
	return out, nil
}

type dismissal struct {
	review string
	forge.Dismissal
}

// dismissals gives the newest dismissal of each review.
func (a *adapter) dismissals(ctx context.Context, e *forge.Entity) (map[string]forge.Dismissal, error) {
	p := a.nodePages("dismissals", e.ID, "timelineItems", listPage)
	p.total = "filteredCount"
	events, err := list(ctx, p, func(o strictjson.Object) forge.Item[dismissal] {
		d := dismissal{
			review:    textOr(o.OptObject("review").Get("id")),
			Dismissal: forge.Dismissal{At: o.OptText("createdAt"), By: who(o.Nullable("actor"))},
		}
		return forge.Item[dismissal]{ID: o.ID("id"), Value: d, Changed: forge.Newest(d.At)}
	})
	newest := map[string]forge.Dismissal{}
	for _, d := range events {
		if old, ok := newest[d.review]; d.review != "" && (!ok || !earlier(d.At, old.At)) {
			newest[d.review] = d.Dismissal
		}
	}
	return newest, err
}

// earlier compares native times; one that is missing or malformed is the earliest.
func earlier(a, b *string) bool {
	canonical := func(s *string) string {
		if s == nil {
			return ""
		}
		t, err := tree.Timestamp(*s)
		if err != nil {
			return ""
		}
		return t
	}
	return canonical(a) < canonical(b)
}
