package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/profile"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

func TestEntityThatCannotBeUsed(t *testing.T) {
	requirement.Claim(t, "ABT-04", "ABT-05", "ABT-07", "ABT-10", "ABT-11", "MAP-26", "SRC-04", "SRC-06", "ID-11", "AMB-10", "AMB-09", "AMB-52")
	for name, x := range map[string]struct {
		change func(*forge.Entity)
		rule   string // "" when it can be used
		gap    string
	}{
		"good":                  {func(*forge.Entity) {}, "", ""},
		"merged":                {func(e *forge.Entity) { e.State = contract.StateMerged }, "", ""},
		"empty body":            {func(e *forge.Entity) { e.Body = forge.Text{} }, "", ""},
		"no author":             {func(e *forge.Entity) { e.Author = nil }, "", ""}, // the filter aborts
		"native state":          {func(e *forge.Entity) { e.State, e.NativeState = "", "WEIRD" }, "fetch.native-state", ""},
		"no id":                 {func(e *forge.Entity) { e.ID = "" }, "fetch.entity-id", "invalid_metadata"},
		"other number":          {func(e *forge.Entity) { e.Number = 8 }, "fetch.entity-number", "invalid_metadata"},
		"no creation time":      {func(e *forge.Entity) { e.CreatedAt = nil }, "fetch.entity-time", "invalid_metadata"},
		"malformed update":      {func(e *forge.Entity) { e.UpdatedAt = p("x") }, "fetch.entity-time", "invalid_metadata"},
		"no repository id":      {func(e *forge.Entity) { e.RepositoryID = "" }, "fetch.source", "invalid_metadata"},
		"repository in capital": {func(e *forge.Entity) { e.Repository = "Acme/tool" }, "fetch.source", "invalid_metadata"},
		"repository of three":   {func(e *forge.Entity) { e.Repository = "a/b/c" }, "fetch.source", "invalid_metadata"},
		"repository of one":     {func(e *forge.Entity) { e.Repository = "acme" }, "fetch.source", "invalid_metadata"},
		"title is no Unicode":   {func(e *forge.Entity) { e.Title = rawBody(`\ud800`) }, "fetch.entity-title", "invalid_metadata"},
		"label is no Unicode":   {func(e *forge.Entity) { e.Labels = []string{"a", "\xed\xa0\x80"} }, "fetch.entity-label", "invalid_metadata"},
		"body at the bound":     {func(e *forge.Entity) { e.Body = body(strings.Repeat("x", 2048)) }, "", ""},
		"body over the bound":   {func(e *forge.Entity) { e.Body = body(strings.Repeat("x", 2049)) }, "fetch.entity-size", "source_too_large"},
		"title over the bound":  {func(e *forge.Entity) { e.Title = body(strings.Repeat("x", 2049)) }, "fetch.entity-size", "source_too_large"},
		"other kind":            {func(e *forge.Entity) { e.Kind = contract.WorkItem }, "fetch.kind-mismatch", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := pull()
			s.discussion.Comments = []forge.Comment{comment("IC_1")}
			x.change(s.entity)
			o := run(t, s, func(c *fetch.Config) {
				pull, err := profile.Builtin("observation", contract.ChangeProposal)
				if err != nil {
					t.Fatal(err)
				}
				c.Collection = pull
				c.Collection.Bounds.MaxSourceBytes = 2048
			})
			if x.rule == "" {
				if o.err != nil {
					t.Errorf("refused: %v", o.err)
				}
				return
			}
			f, _ := o.err.(*fault.Error)
			scope := ""
			if x.gap != "" {
				scope = "entity"
			}
			if f == nil || f.Rule != x.rule || f.Exit != fault.Aborted || f.Code != x.gap || f.Scope != scope || o.stream != "" {
				t.Errorf("err %v, want %s %s; stream %q", o.err, x.rule, x.gap, o.stream)
			}
		})
	}
	issue := &stub{entity: goodEntity(contract.WorkItem)}
	issue.entity.State = contract.StateMerged
	if o := run(t, issue, nil); o.err == nil {
		t.Error("a merged issue")
	}
}

func TestEntityThatCannotBeRead(t *testing.T) {
	requirement.Claim(t, "AMB-62", "AMB-73", "AMB-77", "ABT-04", "TREE-07")
	for name, x := range map[string]struct {
		err  error
		exit fault.Exit
		says string
	}{
		"nobody there":  {&client.Error{Kind: client.Unreachable}, fault.Environment, "run again later"},
		"bad token":     {&client.Error{Kind: client.Unauthenticated, Status: 401}, fault.Environment, "the token is wrong or expired"},
		"not found":     {&client.Error{Kind: client.NotFound}, fault.Environment, "fetch --check"},
		"forbidden":     {&client.Error{Kind: client.Forbidden}, fault.Environment, "fetch --check"},
		"single signon": {&client.Error{Kind: client.Forbidden, Reason: "sso"}, fault.Environment, "single sign-on"},
		"limit":         {&client.Error{Kind: client.Limited}, fault.Environment, "--max-wait"},
		"broken server": {&client.Error{Kind: client.ServerError, Status: 502}, fault.Environment, "run again later"},
		"nonsense":      {&client.Error{Kind: client.Malformed}, fault.Environment, "malformed"},
		"too large":     {&client.Error{Kind: client.TooLarge}, fault.Aborted, "too large"},
		"other kind":    {&forge.KindMismatch{Kind: contract.WorkItem, URL: "https://github.com/acme/tool/issues/7"}, fault.Aborted, "use https://github.com/acme/tool/issues/7"},
		"gitea":         {&forge.UnsupportedEntity{Detail: "this server is Gitea"}, fault.Unsupported, "this server is Gitea"},
		"invalid":       {&forge.InvalidEntity{Detail: "no sha"}, fault.Aborted, "no sha"},
		"null":          {forge.ErrNullObject, fault.Environment, "could not be read"},
	} {
		o := run(t, &stub{entityErr: x.err}, nil)
		if fault.ExitOf(o.err) != x.exit || !strings.Contains(o.err.Error(), x.says) || o.stream != "" {
			t.Errorf("%s: exit %d, %v", name, fault.ExitOf(o.err), o.err)
		}
	}
	o := run(t, &stub{entityErr: context.Canceled}, nil)
	if !errors.Is(o.err, context.Canceled) {
		t.Errorf("interrupted: %v", o.err)
	}
}

// TestHeaderComesFirst: the header is through before anything else is asked for, so a
// pipe that refuses it ends there.
func TestHeaderComesFirst(t *testing.T) {
	requirement.Claim(t, "AMB-48")
	var out bytes.Buffer
	s := pull()
	s.entity.Labels = []string{"b", "a"}
	seen := ""
	s.onDiscuss = func() { seen = out.String() }
	c, err := profile.Builtin("mutation", contract.ChangeProposal)
	if err != nil {
		t.Fatal(err)
	}
	target := forge.Target{Forge: contract.GitHub, Host: "github.com", Origin: &url.URL{Scheme: "https", Host: "github.com"}, Kind: contract.ChangeProposal, Number: 7}
	if err := fetch.Run(context.Background(), s, stream.NewWriter(&out), fetch.Config{Target: target, Collection: c}, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Count(seen, "\n") != 1 || !strings.HasPrefix(seen, `{"type":"snapshot"`) || !strings.Contains(seen, `"human_min_role":"write"`) {
		t.Errorf("before the discussion: %q", seen)
	}
}

// TestOrderOfDeliveryDoesNotMatter: the stream is a function of what is there.
func TestOrderOfDeliveryDoesNotMatter(t *testing.T) {
	build := func(turn bool) *stub {
		s := pull()
		for _, id := range []string{"IC_1", "IC_2", "IC_3"} {
			c := comment(id)
			c.Author = person("U_" + id)
			s.discussion.Comments = append(s.discussion.Comments, c)
			s.discussion.Reviews = append(s.discussion.Reviews, review("PRR_"+id))
			s.discussion.Threads = append(s.discussion.Threads, thread("PRRT_"+id, id))
			s.checks.Checks = append(s.checks.Checks, failedCheck("CR_"+id, at))
		}
		if turn {
			slices.Reverse(s.discussion.Comments)
			slices.Reverse(s.discussion.Reviews)
			slices.Reverse(s.discussion.Threads)
			slices.Reverse(s.checks.Checks)
		}
		s.logs = map[string]any{"CR_IC_1": []byte("1"), "CR_IC_2": []byte("2"), "CR_IC_3": []byte("3")}
		return s
	}
	if a, b := run(t, build(false), nil), run(t, build(true), nil); a.stream != b.stream {
		t.Errorf("%s\n%s", a.stream, b.stream)
	}
}
