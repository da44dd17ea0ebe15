package gitlab

import (
	"context"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
)

// note is one note of a discussion.
type note struct {
	comment    forge.Comment
	system     bool
	internal   bool
	imported   bool
	resolvable bool
	resolved   bool
	resolvedBy *forge.Account
	where      location
}

// discussion is a native discussion: a thread unless it is a single note.
type discussion struct {
	id     string
	single bool
	notes  []note
}

// Discussion implements forge.Adapter. There are no formal reviews and no history of
// approvals (MAP-13, MAP-14). System notes are no comments; internal ones are left
// out and counted (AMB-50).
func (a *adapter) Discussion(ctx context.Context, e *forge.Entity, want forge.Want) (d forge.Discussion) {
	if want.Reviews {
		d.Gaps = append(d.Gaps, contract.Gap{Scope: contract.ScopeReviews, Code: contract.HistoryUnavailable, Count: 1})
	}
	if !want.Comments {
		return d
	}
	discussions, err := list(ctx, a, e.Native.(place).entity+"/discussions", "discussions", sieved, readDiscussion)
	if err != nil {
		d.CommentsFailed = err
		if want.Threads {
			d.ThreadsFailed = err
		}
		return d
	}
	page := e.Native.(place).page
	internal, imported := int64(0), 0
	for _, disc := range discussions {
		for i := range disc.notes {
			n := &disc.notes[i]
			n.comment.URL = noteURL(page, n.comment.ID)
			switch {
			case n.system:
			case n.internal:
				internal++
			default:
				d.Comments = append(d.Comments, n.comment)
				if n.imported {
					imported++
				}
			}
		}
		if t, ok := disc.thread(); ok && want.Threads {
			t.URL = noteURL(page, t.CommentIDs[0])
			d.Threads = append(d.Threads, t)
		}
	}
	d.Notes = forge.ImportNotes(imported)
	if internal > 0 {
		d.Gaps = append(d.Gaps, contract.Gap{Scope: contract.ScopeComments, Code: contract.AuthorizationFailed, Count: internal})
	}
	return d
}

// noteURL gives the web address of a note: GitLab sends none.
func noteURL(page, id string) string {
	if id == "" {
		return ""
	}
	return page + "#note_" + id
}

func readDiscussion(o strictjson.Object) forge.Item[discussion] {
	d := discussion{id: o.ID("id"), single: o.Bool("individual_note")}
	var times []*string
	for _, v := range o.Get("notes").List() {
		n := readNote(v.Object())
		times = append(times, n.comment.CreatedAt, n.comment.UpdatedAt)
		d.notes = append(d.notes, n)
	}
	// A discussion without an identifier keeps its comments; as a thread it is invalid
	// (KEY-07). The list tells elements apart by their first note then.
	key := d.id
	if key == "" && len(d.notes) > 0 {
		key = "note " + d.notes[0].comment.ID
	}
	return forge.Item[discussion]{ID: key, Value: d, Changed: forge.Newest(times...)}
}

func readNote(o strictjson.Object) note {
	n := note{
		comment: forge.Comment{
			ID:        o.Digits("id"),
			Body:      forge.NewText(o.Nullable("body")),
			Author:    account(o.Get("author")),
			CreatedAt: o.OptText("created_at"),
			UpdatedAt: o.OptText("updated_at"),
		},
		system:     o.Bool("system"),
		internal:   isTrue(o, "internal") || isTrue(o, "confidential"), // the old name
		resolvable: isTrue(o, "resolvable"),
		resolved:   isTrue(o, "resolved"),
		resolvedBy: account(o.Get("resolved_by")),
	}
	n.comment.EditedAt = n.comment.UpdatedAt // edits are not dated apart (AMB-93)
	if isImported(o, n.comment.Author) {
		n.comment.Author, n.imported = nil, true
	}
	if kind := o.OptText("type"); kind != nil && *kind == "DiffNote" {
		n.where = readLocation(o.OptObject("position"))
	}
	return n
}

func isTrue(o strictjson.Object, name string) bool {
	b := o.OptBool(name)
	return b != nil && *b
}

// thread gives the relation of a discussion that is one: with at least one note that
// is neither a system note nor internal. Its time is that of its first native note,
// whoever wrote it (AMB-22). GitLab has no word for outdated (MAP-22).
func (d *discussion) thread() (forge.Thread, bool) {
	if d.single {
		return forge.Thread{}, false
	}
	resolved, resolvable := true, false
	outdated := false
	t := forge.Thread{ID: d.id, Outdated: &outdated}
	first := ""
	for i, n := range d.notes {
		if i == 0 {
			t.CreatedAt = n.comment.CreatedAt
			n.where.place(&t)
		}
		if n.resolvable {
			resolvable = true
			resolved = resolved && n.resolved
			if t.ResolvedBy == nil && n.resolved {
				t.ResolvedBy = n.resolvedBy
			}
		}
		if n.system {
			continue
		}
		if first == "" {
			first = n.comment.ID
		} else if !n.internal {
			t.Replies = append(t.Replies, forge.Reply{CommentID: n.comment.ID, ParentID: first})
		}
		if !n.internal {
			t.CommentIDs = append(t.CommentIDs, n.comment.ID)
		}
	}
	resolved = resolved && resolvable
	t.Resolved = &resolved
	if !resolved {
		t.ResolvedBy = nil
	}
	return t, len(t.CommentIDs) > 0
}
