package stream

import (
	"slices"
	"unicode/utf8"

	"snapline/pkg/contract"
)

// The tables of all lines but the header, in stream order.

var actorTable = table[contract.Actor]{
	members: []member[contract.Actor]{
		text("id", "RRR", func(a *contract.Actor) *string { return &a.ID }, structuralID),
		word("kind", "RRR", func(a *contract.Actor) *contract.ActorKind { return &a.Kind },
			contract.Human, contract.Bot, contract.Unknown),
		nullable("login", "RRR", func(a *contract.Actor) **string { return &a.Login }, display),
		nullable("role", "RRR", func(a *contract.Actor) **string { return &a.Role },
			oneOf(append(slices.Clone(contract.Roles[:]), contract.RoleBot)...)),
		boolean("role_verified", "RRR", func(a *contract.Actor) *bool { return &a.RoleVerified }),
		nullable("bot_role", "CC-", func(a *contract.Actor) **string { return &a.BotRole }, nonEmpty).
			on(func(a *contract.Actor) bool { return a.Kind == contract.Bot }, RuleActorState),
		filter("login_filter", "-RR", func(a *contract.Actor) **contract.Filter { return &a.LoginFilter }, contract.Rejected),
	},
	check: func(d *decoder, a *contract.Actor) error {
		var legal bool
		switch a.Kind {
		case contract.Bot:
			legal = a.Role != nil && *a.Role == contract.RoleBot && !a.RoleVerified
		case contract.Human:
			legal = a.RoleVerified == (a.Role != nil) && (a.Role == nil || *a.Role != contract.RoleBot)
		case contract.Unknown:
			legal = a.Role == nil && !a.RoleVerified
		}
		if !legal {
			return d.broken(RuleActorState, "role and role_verified do not fit the kind")
		}
		return nil
	},
}

func isReview(r *contract.Record) bool    { return r.Kind == contract.KindReview }
func isDismissed(r *contract.Record) bool { return isReview(r) && r.State == contract.Dismissed }

var recordTable = table[contract.Record]{
	members: slices.Concat([]member[contract.Record]{
		word("kind", "RRR", func(r *contract.Record) *contract.Kind { return &r.Kind },
			contract.KindEntity, contract.KindComment, contract.KindReview),
		text("id", "RRR", func(r *contract.Record) *string { return &r.ID }, structuralID),
		text("record_key", "RRR", func(r *contract.Record) *string { return &r.RecordKey }, digest),
		text("created_at", "RRR", func(r *contract.Record) *string { return &r.CreatedAt }, timestamp),
		text("updated_at", "OOO", func(r *contract.Record) *string { return &r.UpdatedAt }, timestamp),
		nullable("author_id", "RRR", func(r *contract.Record) **string { return &r.AuthorID }, structuralID),
		editorMember(),
		text("url", "OOO", func(r *contract.Record) *string { return &r.URL }, webURL),
	}, contentMembers(func(r *contract.Record) *contract.Content { return &r.Content }, false), []member[contract.Record]{
		word("state", "CCC", func(r *contract.Record) *contract.ReviewState { return &r.State },
			contract.Approved, contract.ChangesRequested, contract.Commented, contract.Dismissed).
			on(isReview, RuleKindMember),
		text("reviewed_sha", "OOO", func(r *contract.Record) *string { return &r.ReviewedSHA }, gitOID),
		nullable("dismissed_at", "CCC", func(r *contract.Record) **string { return &r.DismissedAt }, timestamp).
			on(isDismissed, RuleDismissal),
		nullable("dismissed_by_actor_id", "CCC", func(r *contract.Record) **string { return &r.DismissedBy }, structuralID).
			on(isDismissed, RuleDismissal),
		filter("filter", "-CR", func(r *contract.Record) **contract.Filter { return &r.Filter }).
			on(func(r *contract.Record) bool { return carried(&r.Content) }, RuleContent),
	}),
	check: func(d *decoder, r *contract.Record) error {
		if r.ReviewedSHA != "" && !isReview(r) {
			return d.broken(RuleKindMember, "member reviewed_sha is for reviews")
		}
		return checkContent(d, &r.Content, r.Filter)
	},
}

// editorMember is present when the forge names a last edit, null when it names
// nobody (AMB-65).
func editorMember() member[contract.Record] {
	m := nullable("editor_id", "OO-", func(r *contract.Record) **string { return &r.EditorID }, structuralID)
	read := m.read
	m.read = func(d *decoder, v value, r *contract.Record) error {
		r.Edited = true
		return read(d, v, r)
	}
	m.has = func(r *contract.Record) bool { return r.Edited }
	return m
}

var replyTable = table[contract.Reply]{members: []member[contract.Reply]{
	text("record_key", "RRR", func(r *contract.Reply) *string { return &r.RecordKey }, digest),
	text("parent_record_key", "RRR", func(r *contract.Reply) *string { return &r.ParentRecordKey }, digest),
}}

var threadTable = table[contract.Thread]{
	members: []member[contract.Thread]{
		text("id", "RRR", func(t *contract.Thread) *string { return &t.ID }, structuralID),
		text("thread_key", "RRR", func(t *contract.Thread) *string { return &t.ThreadKey }, digest),
		text("created_at", "RRR", func(t *contract.Thread) *string { return &t.CreatedAt }, timestamp),
		boolean("resolved", "RRR", func(t *contract.Thread) *bool { return &t.Resolved }),
		nullable("resolved_by_actor_id", "CCC", func(t *contract.Thread) **string { return &t.ResolvedByActorID }, structuralID).
			on(func(t *contract.Thread) bool { return t.Resolved }, RuleResolver),
		boolean("outdated", "RRR", func(t *contract.Thread) *bool { return &t.Outdated }),
		optionalFlag("minimized", "OOO", func(t *contract.Thread) **bool { return &t.Minimized }),
		list("record_keys", "RRR", func(t *contract.Thread) *[]string { return &t.RecordKeys }, digest, unique),
		objects("replies", "RRR", func(t *contract.Thread) *[]contract.Reply { return &t.Replies }, &replyTable),
		text("review_id", "OOO", func(t *contract.Thread) *string { return &t.ReviewID }, structuralID),
		text("review_record_key", "CCC", func(t *contract.Thread) *string { return &t.ReviewRecordKey }, digest).
			on(func(t *contract.Thread) bool { return t.ReviewID != "" }, RuleReviewLink),
		text("reviewed_sha", "OOO", func(t *contract.Thread) *string { return &t.ReviewedSHA }, gitOID),
		text("path", "OOO", func(t *contract.Thread) *string { return &t.Path }, reviewPath),
		integer("line", "OOO", func(t *contract.Thread) *int64 { return &t.Line }, 1, maxInteger),
		integer("start_line", "OOO", func(t *contract.Thread) *int64 { return &t.StartLine }, 1, maxInteger),
		word("side", "OOO", func(t *contract.Thread) *contract.Side { return &t.Side }, contract.Left, contract.Right),
		integer("original_line", "OOO", func(t *contract.Thread) *int64 { return &t.OriginalLine }, 1, maxInteger),
		integer("original_start_line", "OOO", func(t *contract.Thread) *int64 { return &t.OriginalStartLine }, 1, maxInteger),
		word("original_side", "OOO", func(t *contract.Thread) *contract.Side { return &t.OriginalSide }, contract.Left, contract.Right),
		text("url", "OOO", func(t *contract.Thread) *string { return &t.URL }, webURL),
	},
	check: func(d *decoder, t *contract.Thread) error {
		if d.pos == 3 && len(t.RecordKeys) == 0 {
			return d.broken(RuleRecordKeys, "a bounded thread has at least one record")
		}
		return nil
	},
}

func isCompleted(c *contract.Check) bool { return c.Status == contract.Completed }

var checkTable = table[contract.Check]{
	members: []member[contract.Check]{
		text("id", "RRR", func(c *contract.Check) *string { return &c.ID }, structuralID),
		text("record_key", "RRR", func(c *contract.Check) *string { return &c.RecordKey }, digest),
		text("name", "RCC", func(c *contract.Check) *string { return &c.Name }, display).
			on(func(c *contract.Check) bool { return !rejected(c.Filter) }, RuleRejection),
		word("status", "RRR", func(c *contract.Check) *contract.CheckStatus { return &c.Status },
			contract.Queued, contract.InProgress, contract.Completed),
		word("conclusion", "CCC", func(c *contract.Check) *contract.Conclusion { return &c.Conclusion },
			contract.Success, contract.Failure, contract.Neutral, contract.Cancelled,
			contract.Skipped, contract.TimedOut, contract.ActionRequired, contract.Stale).
			on(isCompleted, RuleCheckStatus),
		text("created_at", "RRR", func(c *contract.Check) *string { return &c.CreatedAt }, timestamp),
		text("head_sha", "RRR", func(c *contract.Check) *string { return &c.HeadSHA }, gitOID),
		text("started_at", "CCC", func(c *contract.Check) *string { return &c.StartedAt }, timestamp).
			on(func(c *contract.Check) bool {
				return c.Status == contract.InProgress || isCompleted(c) && !c.NeverStarted
			}, RuleCheckStatus),
		boolean("never_started", "CCC", func(c *contract.Check) *bool { return &c.NeverStarted }).
			on(isCompleted, RuleCheckStatus),
		text("completed_at", "CCC", func(c *contract.Check) *string { return &c.CompletedAt }, timestamp).
			on(isCompleted, RuleCheckStatus),
		text("updated_at", "OOO", func(c *contract.Check) *string { return &c.UpdatedAt }, timestamp),
		text("url", "OOO", func(c *contract.Check) *string { return &c.URL }, webURL),
		filter("filter", "-RR", func(c *contract.Check) **contract.Filter { return &c.Filter }),
		word("rejected_as", "-C-", func(c *contract.Check) *contract.GapCode { return &c.RejectedAs },
			contract.UnsafeContent, contract.InvalidMetadata, contract.SourceTooLarge).
			on(func(c *contract.Check) bool { return rejected(c.Filter) }, RuleRejection),
	},
	check: func(d *decoder, c *contract.Check) error {
		if c.NeverStarted && c.Conclusion != contract.Failure && c.Conclusion != contract.Skipped && c.Conclusion != contract.Cancelled {
			return d.broken(RuleCheckStatus, "a check that never started cannot end in %s", c.Conclusion)
		}
		return nil
	},
}

var runTable = table[contract.Run]{
	members: []member[contract.Run]{
		text("id", "RRR", func(r *contract.Run) *string { return &r.ID }, structuralID),
		text("agent", "RCR", func(r *contract.Run) *string { return &r.Agent }, display).
			on(func(r *contract.Run) bool { return !rejected(r.Filter) }, RuleRejection),
		word("status", "RRR", func(r *contract.Run) *contract.RunStatus { return &r.Status },
			contract.RunSuccess, contract.RunFailure, contract.RunCancelled, contract.RunSkipped, contract.RunTimedOut),
		text("input_revision", "RRR", func(r *contract.Run) *string { return &r.InputRevision }, digest),
		text("input_head_sha", "OOO", func(r *contract.Run) *string { return &r.InputHeadSHA }, gitOID),
		list("result_record_keys", "RRR", func(r *contract.Run) *[]string { return &r.ResultRecordKeys }, digest, sortedKeys),
		text("resulting_commit_sha", "OOO", func(r *contract.Run) *string { return &r.ResultingCommitSHA }, gitOID),
		text("started_at", "OOO", func(r *contract.Run) *string { return &r.StartedAt }, timestamp),
		text("completed_at", "RRR", func(r *contract.Run) *string { return &r.CompletedAt }, timestamp),
		nullable("publisher_id", "RR-", func(r *contract.Run) **string { return &r.PublisherID }, structuralID),
		filter("filter", "-RR", func(r *contract.Run) **contract.Filter { return &r.Filter }),
		word("rejected_as", "-C-", func(r *contract.Run) *contract.GapCode { return &r.RejectedAs },
			contract.UnsafeContent, contract.InvalidMetadata, contract.SourceTooLarge).
			on(func(r *contract.Run) bool { return rejected(r.Filter) }, RuleRejection),
	},
	check: func(d *decoder, r *contract.Run) error {
		if d.pos == 3 && rejected(r.Filter) {
			return d.broken(RuleFilterStatus, "a rejected run is gone from a bounded stream")
		}
		return nil
	},
}

var logTable = table[contract.Log]{
	members: slices.Concat([]member[contract.Log]{
		text("record_key", "RRR", func(l *contract.Log) *string { return &l.RecordKey }, digest),
	}, contentMembers(func(l *contract.Log) *contract.Content { return &l.Content }, true), []member[contract.Log]{
		filter("filter", "-CR", func(l *contract.Log) **contract.Filter { return &l.Filter }).
			on(func(l *contract.Log) bool { return carried(&l.Content) }, RuleContent),
	}),
	check: func(d *decoder, l *contract.Log) error {
		if d.pos == 3 && rejected(l.Filter) {
			return d.broken(RuleFilterStatus, "a rejected log is gone from a bounded stream")
		}
		return checkContent(d, &l.Content, l.Filter)
	},
}

var documentTable = table[contract.Document]{
	members: []member[contract.Document]{
		text("name", "RRR", func(d *contract.Document) *string { return &d.Name }, nonEmpty),
		text("format", "RRR", func(d *contract.Document) *string { return &d.Format }, nonEmpty),
		rawMember("raw", "CCC", true),
		rawMember("raw_base64", "C--", false),
		text("sha256", "RRR", func(d *contract.Document) *string { return &d.SHA256 }, digest),
		filter("filter", "-RR", func(d *contract.Document) **contract.Filter { return &d.Filter }, contract.Truncated),
		integer("strings", "-RR", func(d *contract.Document) *int64 { return &d.Strings }, 0, maxInteger),
	},
	check: func(d *decoder, doc *contract.Document) error {
		switch {
		case d.pos == 1 || !rejected(doc.Filter):
			if !doc.HasRaw {
				return d.broken(RuleContent, "content is missing")
			}
		case doc.HasRaw:
			return d.broken(RuleRejection, "rejected content must be absent")
		}
		return nil
	},
}

var scopes = []contract.Scope{
	contract.ScopeEntity, contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks,
	contract.ScopeCheckLogs, contract.ScopeAgentRuns, contract.ScopeActors, contract.ScopeDocuments,
}

func gapCodes() []contract.GapCode {
	var out []contract.GapCode
	for _, g := range contract.GapCodes {
		out = append(out, g.Code)
	}
	return out
}

var gapTable = table[contract.Gap]{members: []member[contract.Gap]{
	word("scope", "RRR", func(g *contract.Gap) *contract.Scope { return &g.Scope }, scopes...),
	word("code", "RRR", func(g *contract.Gap) *contract.GapCode { return &g.Code }, gapCodes()...),
	integer("count", "RRR", func(g *contract.Gap) *int64 { return &g.Count }, 1, maxInteger),
}}

var endTable = table[contract.End]{members: []member[contract.End]{
	integer("lines", "RRR", func(e *contract.End) *int64 { return &e.Lines }, 1, maxInteger),
	text("sha256", "RRR", func(e *contract.End) *string { return &e.SHA256 }, digest),
	text("input_sha256", "-RR", func(e *contract.End) *string { return &e.InputSHA256 }, digest),
	list("chain", "-RR", func(e *contract.End) *[]string { return &e.Chain }, digest, nil),
}, check: func(d *decoder, e *contract.End) error {
	if len(e.Chain) != d.pos-1 || d.pos > 1 && e.Chain[len(e.Chain)-1] != e.InputSHA256 {
		return d.broken(RuleTrailerChain, "chain has one digest for each earlier stage, the last of them input_sha256")
	}
	return nil
}}

var abortTable = table[contract.Abort]{members: []member[contract.Abort]{
	word("stage", "RRR", func(a *contract.Abort) *string { return &a.Stage }, contract.StageNames[:]...),
	integer("exit", "RRR", func(a *contract.Abort) *int64 { return &a.Exit }, 1, 5),
	word("cause", "RRR", func(a *contract.Abort) *contract.AbortCause { return &a.Cause },
		contract.CauseGap, contract.CauseComponent, contract.CauseInput, contract.CauseEnvironment, contract.CauseUnsupported),
	word("scope", "CCC", func(a *contract.Abort) *contract.Scope { return &a.Scope }, scopes...).on(abortedByGap, RuleAbort),
	word("code", "CCC", func(a *contract.Abort) *contract.GapCode { return &a.Code }, gapCodes()...).on(abortedByGap, RuleAbort),
	text("request_id", "OOO", func(a *contract.Abort) *string { return &a.RequestID }, label),
}}

func abortedByGap(a *contract.Abort) bool { return a.Cause == contract.CauseGap }

// rawMember is a document's bytes: as text where they are valid UTF-8.
func rawMember(name, need string, asText bool) member[contract.Document] {
	return member[contract.Document]{
		name: name, need: need,
		has: func(t *contract.Document) bool { return t.HasRaw && utf8.Valid(t.Raw) == asText },
		read: func(d *decoder, v value, t *contract.Document) (err error) {
			if t.HasRaw {
				return d.broken(RuleContent, "content stands twice")
			}
			t.HasRaw = true
			if asText {
				c := contract.Content{}
				err = readBody(d, v, &c)
				t.Raw = c.Bytes
				return err
			}
			t.Raw, err = d.base64(v)
			return err
		},
		write: func(e *encoder, t *contract.Document) {
			if asText {
				e.buf = AppendString(e.buf, t.Raw)
			} else {
				e.buf = appendBase64(e.buf, t.Raw)
			}
		},
	}
}
