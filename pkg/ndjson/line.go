package ndjson

import (
	"slices"
	"unicode/utf8"

	"snapline/pkg/record"
)

// The tables of all lines but the header, in stream order.

var actorTable = table[record.Actor]{
	members: []member[record.Actor]{
		text("id", "RRR", func(a *record.Actor) *string { return &a.ID }, structuralID),
		word("kind", "RRR", func(a *record.Actor) *record.ActorKind { return &a.Kind },
			record.Human, record.Bot, record.Unknown),
		nullable("login", "RRR", func(a *record.Actor) **string { return &a.Login }, display),
		nullable("role", "RRR", func(a *record.Actor) **string { return &a.Role },
			oneOf(append(slices.Clone(record.Roles[:]), record.RoleBot)...)),
		boolean("role_verified", "RRR", func(a *record.Actor) *bool { return &a.RoleVerified }),
		nullable("bot_role", "CC-", func(a *record.Actor) **string { return &a.BotRole }, nonEmpty).
			on(func(a *record.Actor) bool { return a.Kind == record.Bot }, RuleActorState),
		filter("login_filter", "-RR", func(a *record.Actor) **record.Filter { return &a.LoginFilter }, record.Rejected),
	},
	check: func(d *decoder, a *record.Actor) error {
		var legal bool
		switch a.Kind {
		case record.Bot:
			legal = a.Role != nil && *a.Role == record.RoleBot && !a.RoleVerified
		case record.Human:
			legal = a.RoleVerified == (a.Role != nil) && (a.Role == nil || *a.Role != record.RoleBot)
		case record.Unknown:
			legal = a.Role == nil && !a.RoleVerified
		}
		if !legal {
			return d.broken(RuleActorState, "role and role_verified do not fit the kind")
		}
		return nil
	},
}

func isReview(r *record.Record) bool    { return r.Kind == record.KindReview }
func isDismissed(r *record.Record) bool { return isReview(r) && r.State == record.Dismissed }

var recordTable = table[record.Record]{
	members: slices.Concat([]member[record.Record]{
		word("kind", "RRR", func(r *record.Record) *record.Kind { return &r.Kind },
			record.KindEntity, record.KindComment, record.KindReview),
		text("id", "RRR", func(r *record.Record) *string { return &r.ID }, structuralID),
		text("record_key", "RRR", func(r *record.Record) *string { return &r.RecordKey }, digest),
		text("created_at", "RRR", func(r *record.Record) *string { return &r.CreatedAt }, timestamp),
		text("updated_at", "OOO", func(r *record.Record) *string { return &r.UpdatedAt }, timestamp),
		nullable("author_id", "RRR", func(r *record.Record) **string { return &r.AuthorID }, structuralID),
		editorMember(),
	}, contentMembers(func(r *record.Record) *record.Content { return &r.Content }, false), []member[record.Record]{
		word("state", "CCC", func(r *record.Record) *record.ReviewState { return &r.State },
			record.Approved, record.ChangesRequested, record.Commented, record.Dismissed).
			on(isReview, RuleKindMember),
		text("reviewed_sha", "OOO", func(r *record.Record) *string { return &r.ReviewedSHA }, gitOID),
		nullable("dismissed_at", "CCC", func(r *record.Record) **string { return &r.DismissedAt }, timestamp).
			on(isDismissed, RuleDismissal),
		nullable("dismissed_by_actor_id", "CCC", func(r *record.Record) **string { return &r.DismissedBy }, structuralID).
			on(isDismissed, RuleDismissal),
		filter("filter", "-CR", func(r *record.Record) **record.Filter { return &r.Filter }).
			on(func(r *record.Record) bool { return carried(&r.Content) }, RuleContent),
	}),
	check: func(d *decoder, r *record.Record) error {
		if r.ReviewedSHA != "" && !isReview(r) {
			return d.broken(RuleKindMember, "member reviewed_sha is for reviews")
		}
		return checkContent(d, &r.Content, r.Filter)
	},
}

// editorMember is present when the forge names a last edit, null when it names
// nobody (AMB-65).
func editorMember() member[record.Record] {
	m := nullable("editor_id", "OO-", func(r *record.Record) **string { return &r.EditorID }, structuralID)
	read := m.read
	m.read = func(d *decoder, v value, r *record.Record) error {
		r.Edited = true
		return read(d, v, r)
	}
	m.has = func(r *record.Record) bool { return r.Edited }
	return m
}

var replyTable = table[record.Reply]{members: []member[record.Reply]{
	text("record_key", "RRR", func(r *record.Reply) *string { return &r.RecordKey }, digest),
	text("parent_record_key", "RRR", func(r *record.Reply) *string { return &r.ParentRecordKey }, digest),
}}

var threadTable = table[record.Thread]{
	members: []member[record.Thread]{
		text("id", "RRR", func(t *record.Thread) *string { return &t.ID }, structuralID),
		text("thread_key", "RRR", func(t *record.Thread) *string { return &t.ThreadKey }, digest),
		text("created_at", "RRR", func(t *record.Thread) *string { return &t.CreatedAt }, timestamp),
		boolean("resolved", "RRR", func(t *record.Thread) *bool { return &t.Resolved }),
		nullable("resolved_by_actor_id", "CCC", func(t *record.Thread) **string { return &t.ResolvedByActorID }, structuralID).
			on(func(t *record.Thread) bool { return t.Resolved }, RuleResolver),
		boolean("outdated", "RRR", func(t *record.Thread) *bool { return &t.Outdated }),
		optionalFlag("minimized", "OOO", func(t *record.Thread) **bool { return &t.Minimized }),
		list("record_keys", "RRR", func(t *record.Thread) *[]string { return &t.RecordKeys }, digest, unique),
		objects("replies", "RRR", func(t *record.Thread) *[]record.Reply { return &t.Replies }, &replyTable),
		text("review_id", "OOO", func(t *record.Thread) *string { return &t.ReviewID }, structuralID),
		text("review_record_key", "CCC", func(t *record.Thread) *string { return &t.ReviewRecordKey }, digest).
			on(func(t *record.Thread) bool { return t.ReviewID != "" }, RuleReviewLink),
		text("reviewed_sha", "OOO", func(t *record.Thread) *string { return &t.ReviewedSHA }, gitOID),
		text("path", "OOO", func(t *record.Thread) *string { return &t.Path }, reviewPath),
		integer("line", "OOO", func(t *record.Thread) *int64 { return &t.Line }, 1, maxInteger),
		integer("start_line", "OOO", func(t *record.Thread) *int64 { return &t.StartLine }, 1, maxInteger),
		word("side", "OOO", func(t *record.Thread) *record.Side { return &t.Side }, record.Left, record.Right),
		integer("original_line", "OOO", func(t *record.Thread) *int64 { return &t.OriginalLine }, 1, maxInteger),
		integer("original_start_line", "OOO", func(t *record.Thread) *int64 { return &t.OriginalStartLine }, 1, maxInteger),
		word("original_side", "OOO", func(t *record.Thread) *record.Side { return &t.OriginalSide }, record.Left, record.Right),
	},
	check: func(d *decoder, t *record.Thread) error {
		if d.pos == 3 && len(t.RecordKeys) == 0 {
			return d.broken(RuleRecordKeys, "a bounded thread has at least one record")
		}
		return nil
	},
}

func isCompleted(c *record.Check) bool { return c.Status == record.Completed }

var checkTable = table[record.Check]{
	members: []member[record.Check]{
		text("id", "RRR", func(c *record.Check) *string { return &c.ID }, structuralID),
		text("record_key", "RRR", func(c *record.Check) *string { return &c.RecordKey }, digest),
		text("name", "RCC", func(c *record.Check) *string { return &c.Name }, display).
			on(func(c *record.Check) bool { return !rejected(c.Filter) }, RuleRejection),
		word("status", "RRR", func(c *record.Check) *record.CheckStatus { return &c.Status },
			record.Queued, record.InProgress, record.Completed),
		word("conclusion", "CCC", func(c *record.Check) *record.Conclusion { return &c.Conclusion },
			record.Success, record.Failure, record.Neutral, record.Cancelled,
			record.Skipped, record.TimedOut, record.ActionRequired, record.Stale).
			on(isCompleted, RuleCheckStatus),
		text("created_at", "RRR", func(c *record.Check) *string { return &c.CreatedAt }, timestamp),
		text("head_sha", "RRR", func(c *record.Check) *string { return &c.HeadSHA }, gitOID),
		text("started_at", "CCC", func(c *record.Check) *string { return &c.StartedAt }, timestamp).
			on(func(c *record.Check) bool {
				return c.Status == record.InProgress || isCompleted(c) && !c.NeverStarted
			}, RuleCheckStatus),
		boolean("never_started", "CCC", func(c *record.Check) *bool { return &c.NeverStarted }).
			on(isCompleted, RuleCheckStatus),
		text("completed_at", "CCC", func(c *record.Check) *string { return &c.CompletedAt }, timestamp).
			on(isCompleted, RuleCheckStatus),
		text("updated_at", "OOO", func(c *record.Check) *string { return &c.UpdatedAt }, timestamp),
		filter("filter", "-RR", func(c *record.Check) **record.Filter { return &c.Filter }),
		word("rejected_as", "-C-", func(c *record.Check) *record.GapCode { return &c.RejectedAs },
			record.UnsafeContent, record.InvalidMetadata, record.SourceTooLarge).
			on(func(c *record.Check) bool { return rejected(c.Filter) }, RuleRejection),
	},
	check: func(d *decoder, c *record.Check) error {
		if c.NeverStarted && c.Conclusion != record.Failure && c.Conclusion != record.Skipped && c.Conclusion != record.Cancelled {
			return d.broken(RuleCheckStatus, "a check that never started cannot end in %s", c.Conclusion)
		}
		return nil
	},
}

var runTable = table[record.Run]{
	members: []member[record.Run]{
		text("id", "RRR", func(r *record.Run) *string { return &r.ID }, structuralID),
		text("agent", "RCR", func(r *record.Run) *string { return &r.Agent }, display).
			on(func(r *record.Run) bool { return !rejected(r.Filter) }, RuleRejection),
		word("status", "RRR", func(r *record.Run) *record.RunStatus { return &r.Status },
			record.RunSuccess, record.RunFailure, record.RunCancelled, record.RunSkipped, record.RunTimedOut),
		text("input_revision", "RRR", func(r *record.Run) *string { return &r.InputRevision }, digest),
		text("input_head_sha", "OOO", func(r *record.Run) *string { return &r.InputHeadSHA }, gitOID),
		list("result_record_keys", "RRR", func(r *record.Run) *[]string { return &r.ResultRecordKeys }, digest, sortedKeys),
		text("resulting_commit_sha", "OOO", func(r *record.Run) *string { return &r.ResultingCommitSHA }, gitOID),
		text("started_at", "OOO", func(r *record.Run) *string { return &r.StartedAt }, timestamp),
		text("completed_at", "RRR", func(r *record.Run) *string { return &r.CompletedAt }, timestamp),
		nullable("publisher_id", "RR-", func(r *record.Run) **string { return &r.PublisherID }, structuralID),
		filter("filter", "-RR", func(r *record.Run) **record.Filter { return &r.Filter }),
		word("rejected_as", "-C-", func(r *record.Run) *record.GapCode { return &r.RejectedAs },
			record.UnsafeContent, record.InvalidMetadata, record.SourceTooLarge).
			on(func(r *record.Run) bool { return rejected(r.Filter) }, RuleRejection),
	},
	check: func(d *decoder, r *record.Run) error {
		if d.pos == 3 && rejected(r.Filter) {
			return d.broken(RuleFilterStatus, "a rejected run is gone from a bounded stream")
		}
		return nil
	},
}

var logTable = table[record.Log]{
	members: slices.Concat([]member[record.Log]{
		text("record_key", "RRR", func(l *record.Log) *string { return &l.RecordKey }, digest),
	}, contentMembers(func(l *record.Log) *record.Content { return &l.Content }, true), []member[record.Log]{
		filter("filter", "-CR", func(l *record.Log) **record.Filter { return &l.Filter }).
			on(func(l *record.Log) bool { return carried(&l.Content) }, RuleContent),
	}),
	check: func(d *decoder, l *record.Log) error {
		if d.pos == 3 && rejected(l.Filter) {
			return d.broken(RuleFilterStatus, "a rejected log is gone from a bounded stream")
		}
		return checkContent(d, &l.Content, l.Filter)
	},
}

var documentTable = table[record.Document]{
	members: []member[record.Document]{
		text("name", "RRR", func(d *record.Document) *string { return &d.Name }, nonEmpty),
		text("format", "RRR", func(d *record.Document) *string { return &d.Format }, nonEmpty),
		rawMember("raw", "CCC", true),
		rawMember("raw_base64", "C--", false),
		text("sha256", "RRR", func(d *record.Document) *string { return &d.SHA256 }, digest),
		filter("filter", "-RR", func(d *record.Document) **record.Filter { return &d.Filter }, record.Truncated),
		integer("strings", "-RR", func(d *record.Document) *int64 { return &d.Strings }, 0, maxInteger),
	},
	check: func(d *decoder, doc *record.Document) error {
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

var scopes = []record.Scope{
	record.ScopeEntity, record.ScopeComments, record.ScopeReviews, record.ScopeChecks,
	record.ScopeCheckLogs, record.ScopeAgentRuns, record.ScopeActors, record.ScopeDocuments,
}

func gapCodes() []record.GapCode {
	var out []record.GapCode
	for _, g := range record.GapCodes {
		out = append(out, g.Code)
	}
	return out
}

var gapTable = table[record.Gap]{members: []member[record.Gap]{
	word("scope", "RRR", func(g *record.Gap) *record.Scope { return &g.Scope }, scopes...),
	word("code", "RRR", func(g *record.Gap) *record.GapCode { return &g.Code }, gapCodes()...),
	integer("count", "RRR", func(g *record.Gap) *int64 { return &g.Count }, 1, maxInteger),
}}

var endTable = table[record.End]{members: []member[record.End]{
	integer("lines", "RRR", func(e *record.End) *int64 { return &e.Lines }, 1, maxInteger),
	text("sha256", "RRR", func(e *record.End) *string { return &e.SHA256 }, digest),
	text("input_sha256", "-RR", func(e *record.End) *string { return &e.InputSHA256 }, digest),
}}

var abortTable = table[record.Abort]{members: []member[record.Abort]{
	word("stage", "RRR", func(a *record.Abort) *string { return &a.Stage }, record.StageNames[:]...),
	integer("exit", "RRR", func(a *record.Abort) *int64 { return &a.Exit }, 1, 5),
	word("cause", "RRR", func(a *record.Abort) *record.AbortCause { return &a.Cause },
		record.CauseGap, record.CauseComponent, record.CauseInput, record.CauseEnvironment, record.CauseUnsupported),
	word("scope", "CCC", func(a *record.Abort) *record.Scope { return &a.Scope }, scopes...).on(abortedByGap, RuleAbort),
	word("code", "CCC", func(a *record.Abort) *record.GapCode { return &a.Code }, gapCodes()...).on(abortedByGap, RuleAbort),
}}

func abortedByGap(a *record.Abort) bool { return a.Cause == record.CauseGap }

// rawMember is a document's bytes: as text where they are valid UTF-8.
func rawMember(name, need string, asText bool) member[record.Document] {
	return member[record.Document]{
		name: name, need: need,
		has: func(t *record.Document) bool { return t.HasRaw && utf8.Valid(t.Raw) == asText },
		read: func(d *decoder, v value, t *record.Document) (err error) {
			if t.HasRaw {
				return d.broken(RuleContent, "content stands twice")
			}
			t.HasRaw = true
			if asText {
				c := record.Content{}
				err = readBody(d, v, &c)
				t.Raw = c.Bytes
				return err
			}
			t.Raw, err = d.base64(v)
			return err
		},
		write: func(e *encoder, t *record.Document) {
			if asText {
				e.buf = AppendString(e.buf, t.Raw)
			} else {
				e.buf = appendBase64(e.buf, t.Raw)
			}
		},
	}
}
