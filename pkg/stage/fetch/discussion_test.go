package fetch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

func comment(id string) forge.Comment {
	return forge.Comment{ID: id, Body: body("text of " + id), Author: person("U_1"), CreatedAt: p(at)}
}

func review(id string) forge.Review {
	return forge.Review{ID: id, Body: body(""), Author: person("U_1"), State: contract.Approved, SubmittedAt: p(at)}
}

func thread(id string, comments ...string) forge.Thread {
	return forge.Thread{ID: id, CreatedAt: p(at), Resolved: p(false), Outdated: p(false), CommentIDs: comments}
}

func TestComments(t *testing.T) {
	requirement.Claim(t, "KEY-07", "ID-10", "MAP-20", "AMB-03", "AMB-10", "AMB-36", "AMB-05")
	for name, x := range map[string]struct {
		change func(*forge.Comment)
		valid  bool
	}{
		"good":              {func(*forge.Comment) {}, true},
		"updated":           {func(c *forge.Comment) { c.UpdatedAt = p("2026-05-02T10:00:00+02:00") }, true},
		"updated never":     {func(c *forge.Comment) { c.UpdatedAt = p("0001-01-01T00:00:00Z") }, true},
		"updated malformed": {func(c *forge.Comment) { c.UpdatedAt = p("x") }, false},
		"no time":           {func(c *forge.Comment) { c.CreatedAt = nil }, false},
		"malformed time":    {func(c *forge.Comment) { c.CreatedAt = p("2026-05-01") }, false},
		"year 10000":        {func(c *forge.Comment) { c.CreatedAt = p("9999-12-31T23:59:59-01:00") }, false},
		"no id":             {func(c *forge.Comment) { c.ID = "" }, false},
		"id of a database":  {func(c *forge.Comment) { c.ID = "a.b" }, false},
		"id at the bound":   {func(c *forge.Comment) { c.ID = strings.Repeat("a", 1024) }, true},
		"deleted author":    {func(c *forge.Comment) { c.Author = nil }, true},
		"author without id": {func(c *forge.Comment) { c.Author = &forge.Account{ID: "-2", Login: "x", Kind: contract.Human} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			c := comment("IC_1")
			x.change(&c)
			s.discussion.Comments = []forge.Comment{c, comment("IC_other")}
			o := run(t, s, nil)
			if !x.valid {
				o.wantGaps(t, map[string]int64{"comments/invalid_metadata": 1})
				if len(of[*contract.Record](o)) != 2 {
					t.Error("the others are not all there")
				}
				return
			}
			o.wantGaps(t, nil)
			got := o.record(c.ID)
			if got.RecordKey != tree.Key(o.header.Source, contract.KindComment, c.ID) || string(got.Content.Bytes) != "text of IC_1" {
				t.Errorf("%+v", got)
			}
			if keeps := c.Author != nil && c.Author.ID != "-2"; (got.AuthorID != nil) != keeps {
				t.Errorf("author %v", got.AuthorID)
			}
		})
	}
}

func TestTextsAtTheirBounds(t *testing.T) {
	requirement.Claim(t, "AMB-05", "AMB-10", "BND-05")
	for _, x := range []struct {
		text forge.Text
		want contract.Form
	}{
		{body(strings.Repeat("x", 1024)), contract.FormText},
		{body(strings.Repeat("x", 1025)), contract.FormOversize},
		{body(strings.Repeat("é", 512)), contract.FormText},
		{body(strings.Repeat("é", 513)), contract.FormOversize},
		{rawBody(strings.Repeat(`\u00e9`, 512)), contract.FormText}, // escapes do not count
		{rawBody(`\ud83d`), contract.FormBytes},
		{body(""), contract.FormText},
		{body("a\x00b"), contract.FormText},
	} {
		s := pull()
		c := comment("IC_1")
		c.Body = x.text
		s.discussion.Comments = []forge.Comment{c}
		o := run(t, s, func(c *fetch.Config) { c.Collection.Bounds.MaxSourceBytes = 1024 })
		o.wantGaps(t, nil)
		if got := o.record("IC_1").Content; got.Form != x.want || x.want == contract.FormOversize && got.Bytes != nil {
			t.Errorf("%d bytes: form %d, want %d", x.text.Len(), got.Form, x.want)
		}
	}
}

func TestEditors(t *testing.T) {
	requirement.Claim(t, "AMB-65")
	s := pull()
	s.entity.Editor = forge.Editor{Edited: true, Account: person("U_editor")}
	never, byMe, byOther, byNobody := comment("IC_1"), comment("IC_2"), comment("IC_3"), comment("IC_4")
	byMe.Editor = forge.Editor{Edited: true, Account: person("U_1")}
	byOther.Editor = forge.Editor{Edited: true, Account: &forge.Account{ID: "BOT_1", Login: "app", Kind: contract.Bot}}
	byNobody.Editor = forge.Editor{Edited: true}
	v := review("PRR_1")
	v.Editor = forge.Editor{Edited: true, Account: person("U_2")}
	s.discussion.Comments = []forge.Comment{never, byMe, byOther, byNobody}
	s.discussion.Reviews = []forge.Review{v}
	o := run(t, s, nil)
	for id, want := range map[string]string{"E_1": "U_editor", "IC_1": "never", "IC_2": "U_1", "IC_3": "BOT_1", "IC_4": "nobody", "PRR_1": "U_2"} {
		r, got := o.record(id), "never"
		if r.Edited {
			got = "nobody"
			if r.EditorID != nil {
				got = *r.EditorID
			}
		}
		if got != want {
			t.Errorf("%s: edited by %s, want %s", id, got, want)
		}
	}
	var ids []string
	for _, a := range of[*contract.Actor](o) {
		ids = append(ids, a.ID)
	}
	if strings.Join(ids, " ") != "BOT_1 U_1 U_2 U_editor" {
		t.Errorf("actors %v", ids)
	}
}

func TestReviews(t *testing.T) {
	requirement.Claim(t, "MAP-15", "MAP-16", "MAP-17", "REV-05", "ID-05", "AMB-54", "AMB-61")
	for name, x := range map[string]struct {
		change func(*forge.Review)
		want   string // state submitted sha dismissed-at dismissed-by; "" is invalid
	}{
		"approved":           {func(*forge.Review) {}, "approved 2026-05-01T10:00:00.000000000Z  - -"},
		"with revision":      {func(v *forge.Review) { v.ReviewedSHA = p(head) }, "approved 2026-05-01T10:00:00.000000000Z " + head + " - -"},
		"sha256 revision":    {func(v *forge.Review) { v.ReviewedSHA = p(strings.Repeat("b", 64)) }, "approved 2026-05-01T10:00:00.000000000Z " + strings.Repeat("b", 64) + " - -"},
		"malformed revision": {func(v *forge.Review) { v.ReviewedSHA = p("abc") }, ""},
		"unmapped state":     {func(v *forge.Review) { v.State = "" }, ""},
		"never submitted":    {func(v *forge.Review) { v.SubmittedAt = nil }, ""},
		"malformed time":     {func(v *forge.Review) { v.SubmittedAt = p("x") }, ""},
		"dismissed": {func(v *forge.Review) {
			v.State = contract.Dismissed
			v.Dismissed = forge.Dismissal{At: p("2026-05-02T00:00:00Z"), By: person("U_9")}
		}, "dismissed 2026-05-01T10:00:00.000000000Z  2026-05-02T00:00:00.000000000Z U_9"},
		"dismissed, unknown":  {func(v *forge.Review) { v.State = contract.Dismissed }, "dismissed 2026-05-01T10:00:00.000000000Z  null null"},
		"dismissed, bad time": {func(v *forge.Review) { v.State = contract.Dismissed; v.Dismissed.At = p("x") }, ""},
		"by a ghost":          {func(v *forge.Review) { v.State = contract.Dismissed; v.Dismissed.By = &forge.Account{ID: "-1"} }, "dismissed 2026-05-01T10:00:00.000000000Z  null null"},
		"dismissal elsewhere": {func(v *forge.Review) { v.Dismissed = forge.Dismissal{By: person("U_9")} }, "approved 2026-05-01T10:00:00.000000000Z  - -"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			v := review("PRR_1")
			x.change(&v)
			s.discussion.Reviews = []forge.Review{v, review("PRR_other")}
			o := run(t, s, nil)
			if x.want == "" {
				o.wantGaps(t, map[string]int64{"reviews/invalid_metadata": 1})
				if o.record("PRR_other") == nil || o.record("PRR_1") != nil {
					t.Error("the wrong review is gone")
				}
				return
			}
			o.wantGaps(t, nil)
			r := o.record("PRR_1")
			show := func(s *string) string {
				switch {
				case r.State != contract.Dismissed:
					return "-"
				case s == nil:
					return "null"
				}
				return *s
			}
			if got := fmt.Sprintf("%s %s %s %s %s", r.State, r.CreatedAt, r.ReviewedSHA, show(r.DismissedAt), show(r.DismissedBy)); got != x.want {
				t.Errorf("got  %s\nwant %s", got, x.want)
			}
		})
	}
}

func TestThreads(t *testing.T) {
	requirement.Claim(t, "THR-03", "THR-04", "THR-07", "AMB-22", "AMB-25", "AMB-51", "AMB-53", "AMB-55", "AMB-71", "AMB-33", "REV-05", "MAP-21")
	for name, x := range map[string]struct {
		change func(*forge.Thread)
		want   string // gaps, or the thread's own words
	}{
		"open":                 {func(*forge.Thread) {}, "open - 2 keys 0 replies"},
		"resolved":             {func(n *forge.Thread) { n.Resolved, n.ResolvedBy = p(true), person("U_9") }, "U_9 - 2 keys 0 replies"},
		"resolved by nobody":   {func(n *forge.Thread) { n.Resolved = p(true) }, "null - 2 keys 0 replies"},
		"open with a resolver": {func(n *forge.Thread) { n.ResolvedBy = person("U_9") }, "open - 2 keys 0 replies"},
		"no id":                {func(n *forge.Thread) { n.ID = "" }, "invalid"},
		"no time":              {func(n *forge.Thread) { n.CreatedAt = nil }, "invalid"},
		"state unknown":        {func(n *forge.Thread) { n.Resolved = nil }, "invalid"},
		"outdated unknown":     {func(n *forge.Thread) { n.Outdated = nil }, "invalid"},
		"malformed revision":   {func(n *forge.Thread) { n.ReviewedSHA = p("x") }, "invalid"},
		"unmapped side":        {func(n *forge.Thread) { n.Side = p(contract.Side("")) }, "invalid"},
		"line zero":            {func(n *forge.Thread) { n.Line = p(int64(0)) }, "invalid"},
		"negative line":        {func(n *forge.Thread) { n.OriginalStartLine = p(int64(-1)) }, "invalid"},
		"largest line":         {func(n *forge.Thread) { n.Line = p(int64(1)<<53 - 1) }, "open - 2 keys 0 replies"},
		"line too large":       {func(n *forge.Thread) { n.Line = p(int64(1) << 53) }, "invalid"},
		"empty path":           {func(n *forge.Thread) { n.Path = p("") }, "invalid"},
		"path is no Unicode":   {func(n *forge.Thread) { n.Path = p("a\xff") }, "invalid"},
		"unsafe path passes":   {func(n *forge.Thread) { n.Path = p("../x") }, "open - 2 keys 0 replies"}, // the filter's question
		"review":               {func(n *forge.Thread) { n.ReviewID = "PRR_1" }, "open PRR_1 2 keys 0 replies"},
		"review that is none":  {func(n *forge.Thread) { n.ReviewID = "a/b" }, "open - 2 keys 0 replies"},
		"reply":                {func(n *forge.Thread) { n.Replies = []forge.Reply{{CommentID: "IC_2", ParentID: "IC_1"}} }, "open - 2 keys 1 replies"},
		"reply to elsewhere": {func(n *forge.Thread) {
			n.Replies = []forge.Reply{{CommentID: "IC_2", ParentID: "IC_3"}, {CommentID: "IC_2", ParentID: "gone"}}
		}, "open - 2 keys 0 replies"},
		"reply twice": {func(n *forge.Thread) {
			n.Replies = []forge.Reply{{CommentID: "IC_2", ParentID: "IC_1"}, {CommentID: "IC_2", ParentID: "IC_1"}}
		}, "open - 2 keys 1 replies"},
		"reply to itself":        {func(n *forge.Thread) { n.Replies = []forge.Reply{{CommentID: "IC_2", ParentID: "IC_2"}} }, "open - 2 keys 0 replies"},
		"a comment twice":        {func(n *forge.Thread) { n.CommentIDs = []string{"IC_2", "IC_1", "IC_2"} }, "open - 2 keys 0 replies"},
		"a comment that is none": {func(n *forge.Thread) { n.CommentIDs = []string{"IC_1", "gone"} }, "open - 1 keys 0 replies"},
		"no comment at all":      {func(n *forge.Thread) { n.CommentIDs = nil }, "vanished"},
		"defect and no comment":  {func(n *forge.Thread) { n.CommentIDs, n.CreatedAt = nil, nil }, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			n := thread("PRRT_1", "IC_1", "IC_2")
			x.change(&n)
			s.discussion.Comments = []forge.Comment{comment("IC_1"), comment("IC_2"), comment("IC_3")}
			s.discussion.Threads = []forge.Thread{n}
			o := run(t, s, nil)
			threads := of[*contract.Thread](o)
			got := "vanished"
			switch {
			case o.gaps["reviews/invalid_metadata"] == 1 && len(threads) == 0:
				got = "invalid"
			case len(threads) == 1:
				l := threads[0]
				who, review := "open", "-"
				if l.Resolved {
					if who = "null"; l.ResolvedByActorID != nil {
						who = *l.ResolvedByActorID
					}
				}
				if l.ReviewID != "" && l.ReviewRecordKey == tree.Key(o.header.Source, contract.KindReview, l.ReviewID) {
					review = l.ReviewID
				}
				got = fmt.Sprintf("%s %s %d keys %d replies", who, review, len(l.RecordKeys), len(l.Replies))
				if len(l.RecordKeys) == 2 && n.CommentIDs[0] == "IC_2" && l.RecordKeys[0] != tree.Key(o.header.Source, contract.KindComment, "IC_2") {
					t.Error("native order is lost")
				}
			}
			if got != x.want || len(of[*contract.Record](o)) != 4 {
				t.Errorf("got %s, want %s; gaps %v", got, x.want, o.gaps)
			}
		})
	}
}

// TestFailedLists: a list that failed leaves nothing behind but its gap (AMB-42), and a
// thread page costs comments and threads, not reviews (AMB-72).
func TestFailedLists(t *testing.T) {
	requirement.Claim(t, "AMB-24", "AMB-42", "AMB-72", "AMB-77", "AMB-23", "GAP-05", "GAP-06", "AMB-43", "MAP-14")
	bad := errors.New("page 2 did not come")
	for name, x := range map[string]struct {
		d       forge.Discussion
		sources string
		gaps    map[string]int64
		left    string
	}{
		"all well":            {forge.Discussion{}, "comments entity reviews", nil, "comments 1 reviews 1 threads 1"},
		"comments":            {forge.Discussion{CommentsFailed: bad}, "comments entity reviews", map[string]int64{"comments/fetch_failed": 1}, "comments 0 reviews 1 threads 0"},
		"reviews":             {forge.Discussion{ReviewsFailed: bad}, "comments entity reviews", map[string]int64{"reviews/fetch_failed": 1}, "comments 1 reviews 0 threads 1"},
		"threads":             {forge.Discussion{ThreadsFailed: bad, CommentsFailed: bad}, "comments entity reviews", map[string]int64{"comments/fetch_failed": 1, "reviews/fetch_failed": 1}, "comments 0 reviews 1 threads 0"},
		"everything":          {forge.Discussion{ThreadsFailed: bad, CommentsFailed: bad, ReviewsFailed: bad}, "comments entity reviews", map[string]int64{"comments/fetch_failed": 1, "reviews/fetch_failed": 1}, "comments 0 reviews 0 threads 0"},
		"threads, no reviews": {forge.Discussion{ThreadsFailed: bad, CommentsFailed: bad}, "comments entity", map[string]int64{"comments/fetch_failed": 1}, "comments 0 reviews 0 threads 0"},
		"not supported":       {forge.Discussion{ReviewsFailed: forge.ErrUnsupported}, "comments entity reviews", map[string]int64{"reviews/unsupported": 1}, "comments 1 reviews 0 threads 1"},
		"what only they know": {forge.Discussion{Gaps: []contract.Gap{{Scope: "comments", Code: "authorization_failed", Count: 3}, {Scope: "reviews", Code: "history_unavailable", Count: 1}}}, "comments entity reviews", map[string]int64{"comments/authorization_failed": 3, "reviews/history_unavailable": 1}, "comments 1 reviews 1 threads 1"},
		"of nobody's concern": {forge.Discussion{Gaps: []contract.Gap{{Scope: "reviews", Code: "unsupported", Count: 3}}}, "comments entity", nil, "comments 1 reviews 0 threads 0"},
		"comments alone":      {forge.Discussion{}, "comments entity", nil, "comments 1 reviews 0 threads 0"},
		"reviews alone":       {forge.Discussion{}, "entity reviews", nil, "comments 0 reviews 1 threads 0"},
		"entity alone":        {forge.Discussion{}, "entity", nil, "comments 0 reviews 0 threads 0"},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			s.discussion = x.d
			if strings.Contains(x.sources, "comments") {
				s.discussion.Comments = []forge.Comment{comment("IC_1")}
				s.discussion.Threads = []forge.Thread{thread("PRRT_1", "IC_1")}
			}
			if strings.Contains(x.sources, "reviews") {
				s.discussion.Reviews = []forge.Review{review("PRR_1")}
			}
			o := run(t, s, func(c *fetch.Config) {
				c.Collection.IncludedSources, c.Collection.CheckLogSelection = strings.Fields(x.sources), contract.LogsNone
			})
			o.wantGaps(t, x.gaps)
			kinds := map[contract.Kind]int{}
			for _, r := range of[*contract.Record](o) {
				kinds[r.Kind]++
			}
			got := fmt.Sprintf("comments %d reviews %d threads %d", kinds["comment"], kinds["review"], len(of[*contract.Thread](o)))
			if got != x.left {
				t.Errorf("left %s, want %s", got, x.left)
			}
			if strings.Count(o.stderr, "\n") != len(x.gaps) {
				t.Errorf("stderr %q", o.stderr)
			}
		})
	}
}
