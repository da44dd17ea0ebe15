package github

import (
	"context"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// thread is a review thread with its submitted inline comments.
type thread struct {
	forge.Thread
	inline []forge.Comment
}

// nativeThread is a thread as it was listed, with its first page of comments.
type nativeThread struct {
	forge.Thread
	first embedded[inlineComment]
}

// inlineComment is a comment with what only its thread needs.
type inlineComment struct {
	forge.Comment
	pending     bool
	replyTo     string
	review      string
	originalSHA *string
}

// sides maps native sides (MAP-21).
var sides = map[string]contract.Side{"LEFT": contract.Left, "RIGHT": contract.Right}

func readThread(o strictjson.Object) forge.Item[nativeThread] {
	t := nativeThread{Thread: forge.Thread{
		ID:                o.ID("id"),
		Resolved:          o.OptBool("isResolved"),
		ResolvedBy:        who(o.Nullable("resolvedBy")),
		Outdated:          o.OptBool("isOutdated"),
		Path:              o.OptText("path"),
		Line:              o.OptInt("line"),
		StartLine:         o.OptInt("startLine"),
		OriginalLine:      o.OptInt("originalLine"),
		OriginalStartLine: o.OptInt("originalStartLine"),
	}}
	if native := o.OptText("diffSide"); native != nil {
		side := sides[*native]
		t.Side = &side
	}
	t.first = embed1(o.Object("comments"), readInline)
	item := forge.Item[nativeThread]{ID: t.ID, Value: t}
	for _, c := range t.first.items {
		if c.Changed.After(item.Changed) {
			item.Changed = c.Changed
		}
	}
	return item
}

func readInline(o strictjson.Object) forge.Item[inlineComment] {
	c := readComment(o)
	return forge.Item[inlineComment]{ID: c.ID, Changed: c.Changed, Value: inlineComment{
		Comment: c.Value, pending: o.Text("state") == pendingState,
		replyTo:     textOr(o.OptObject("replyTo").Get("id")),
		review:      textOr(o.OptObject("pullRequestReview").Get("id")),
		originalSHA: o.OptObject("originalCommit").OptText("oid"),
	}}
}

// threads lists all threads with all their comments, or fails. One that goes between its
// list and its comments is not found; then the list is looked at again (AMB-83).
func (a *adapter) threads(ctx context.Context, e *forge.Entity) ([]thread, error) {
	kept, ledger := client.WithLedger(ctx)
	all, err := a.threadsOnce(kept, e)
	if client.IsKind(err, client.NotFound) && ctx.Err() == nil {
		ledger.Discard()
		return a.threadsOnce(ctx, e)
	}
	return all, err
}

func (a *adapter) threadsOnce(ctx context.Context, e *forge.Entity) ([]thread, error) {
	p := a.nodePages("threads", e.ID, "reviewThreads", threadPage)
	p.variables["inner"] = a.page(innerPage)
	listed, err := list(ctx, p, readThread)
	if err != nil {
		return nil, err
	}
	date := p.date
	full := make([][]inlineComment, len(listed))
	errs := make([]error, len(listed))
	forge.Parallel(len(listed), func(i int) {
		p := a.nodePages("thread_comments", listed[i].ID, "comments", listPage)
		listed[i].first.date = date
		full[i], errs[i] = listed[i].first.rest(ctx, p, readInline)
	})
	if err := forge.FirstError(errs); err != nil {
		return nil, err
	}
	var out []thread
	for i, t := range listed {
		if submitted := t.fill(full[i]); len(submitted) > 0 {
			out = append(out, thread{t.Thread, submitted})
		}
	}
	return out, nil
}

// fill takes over the submitted comments; the first one dates and places the thread
// (AMB-22). Drafts depend on whose token reads, so they are left out.
func (t *nativeThread) fill(comments []inlineComment) []forge.Comment {
	var submitted []forge.Comment
	for _, c := range comments {
		if c.pending {
			continue
		}
		if len(submitted) == 0 {
			t.CreatedAt, t.ReviewID, t.ReviewedSHA, t.URL = c.CreatedAt, c.review, c.originalSHA, c.URL
		}
		t.CommentIDs = append(t.CommentIDs, c.ID)
		if c.replyTo != "" {
			t.Replies = append(t.Replies, forge.Reply{CommentID: c.ID, ParentID: c.replyTo})
		}
		submitted = append(submitted, c.Comment)
	}
	return submitted
}
