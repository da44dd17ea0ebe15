package github_test

import (
	"fmt"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
)

// one runs the stage over a pull request with one check run.
func one(t *testing.T, pairs ...any) *forgetest.Stream {
	t.Helper()
	f, _ := pull()
	r := githubtest.With(githubtest.Run("CR_1", 1, "lint"), pairs...)
	f.AddChecks(githubtest.Suite("CS_1", 90, r))
	f.Logs[1] = githubtest.Reply{Body: "log"}
	return run(t, f, nil, nil).Lines(t)
}

func TestCheckWords(t *testing.T) {
	requirement.Claim(t, "MAP-01", "MAP-02", "MAP-03", "MAP-10", "CHK-16", "AMB-35")
	const start, end = "2026-05-01T10:00:10Z", "2026-05-01T10:00:20Z"
	for _, c := range []struct {
		status, conclusion string
		started            any
		want               string // "" is invalid_metadata
	}{
		{"QUEUED", "", start, "queued  false"},
		{"WAITING", "", nil, "queued  false"},
		{"REQUESTED", "", nil, "queued  false"},
		{"PENDING", "", nil, "queued  false"},
		{"IN_PROGRESS", "", start, "in_progress  false"},
		{"COMPLETED", "SUCCESS", start, "completed success false"},
		{"COMPLETED", "FAILURE", start, "completed failure false"},
		{"COMPLETED", "NEUTRAL", start, "completed neutral false"},
		{"COMPLETED", "CANCELLED", start, "completed cancelled false"},
		{"COMPLETED", "CANCELLED", nil, "completed cancelled true"},
		{"COMPLETED", "SKIPPED", start, "completed skipped false"},
		{"COMPLETED", "SKIPPED", nil, "completed skipped true"},
		{"COMPLETED", "TIMED_OUT", start, "completed timed_out false"},
		{"COMPLETED", "ACTION_REQUIRED", start, "completed action_required false"},
		{"COMPLETED", "STALE", start, "completed stale false"},
		{"COMPLETED", "STARTUP_FAILURE", nil, "completed failure true"},
		{"COMPLETED", "STARTUP_FAILURE", start, "completed failure true"},
		{"COMPLETED", "SUCCESS", nil, ""},
		{"COMPLETED", "NEUTRAL", nil, ""},
		{"COMPLETED", "TIMED_OUT", nil, ""},
		{"COMPLETED", "", start, ""},
		{"COMPLETED", "NEWLY_INVENTED", start, ""},
		{"COMPLETED", "success", start, ""},
		{"NEWLY_INVENTED", "", nil, ""},
		{"completed", "SUCCESS", start, ""},
	} {
		var conclusion any
		if c.conclusion != "" {
			conclusion = c.conclusion
		}
		got := one(t, "status", c.status, "conclusion", conclusion, "startedAt", c.started, "completedAt", end)
		name := fmt.Sprint(c.status, " ", c.conclusion, " ", c.started)
		if c.want == "" {
			if len(got.Checks) != 0 || got.Gaps["checks/invalid_metadata"] != 1 {
				t.Errorf("%s: %+v, gaps %v", name, got.Checks, got.Gaps)
			}
			continue
		}
		if l := got.Checks[0]; fmt.Sprintf("%s %s %v", l.Status, l.Conclusion, l.NeverStarted) != c.want || len(got.Gaps) != 0 {
			t.Errorf("%s: %+v, want %s, gaps %v", name, l, c.want, got.Gaps)
		}
	}
}

func TestReviewWords(t *testing.T) {
	requirement.Claim(t, "MAP-11", "MAP-15", "MAP-17")
	for native, want := range map[string]string{
		"APPROVED": "approved", "CHANGES_REQUESTED": "changes_requested", "COMMENTED": "commented", "DISMISSED": "dismissed",
		"PENDING": "left out", "NEWLY_INVENTED": "invalid", "approved": "invalid",
	} {
		f, p := pull()
		githubtest.Append(p, "reviews", githubtest.Review("PRR_1", native, maintainer, githubtest.At(1)))
		got := run(t, f, nil, nil).Lines(t)
		state := "left out"
		if v := got.Record("PRR_1"); v != nil {
			state = string(v.State)
		} else if got.Gaps["reviews/invalid_metadata"] == 1 {
			state = "invalid"
		}
		if state != want {
			t.Errorf("%s: %s, want %s; gaps %v", native, state, want, got.Gaps)
		}
	}
	f, p := pull()
	githubtest.Append(p, "reviews", githubtest.With(githubtest.Review("PRR_1", "APPROVED", maintainer, githubtest.At(1)), "submittedAt", nil))
	forgetest.CheckGaps(t, run(t, f, nil, nil).Lines(t).Gaps, []gap{{Scope: "reviews", Code: "invalid_metadata", Count: 1}})
}

func TestSides(t *testing.T) {
	requirement.Claim(t, "MAP-21", "MAP-22")
	for native, want := range map[string]contract.Side{"LEFT": "left", "RIGHT": "right", "MIDDLE": "invalid"} {
		f, p := pull()
		githubtest.Append(p, "reviewThreads", githubtest.With(githubtest.Thread("PRRT_1", githubtest.Inline("PRRC_1", "x", maintainer, githubtest.At(1), "", "")), "diffSide", native))
		got := run(t, f, nil, nil).Lines(t)
		if want == "invalid" && got.Gaps["reviews/invalid_metadata"] != 1 || want != "invalid" && (got.Threads[0].Side != want || got.Threads[0].OriginalSide != "") {
			t.Errorf("%s: %+v, gaps %v", native, got.Threads, got.Gaps)
		}
	}
}

func TestEntityStates(t *testing.T) {
	requirement.Claim(t, "MAP-23", "MAP-26", "ABT-05", "ID-12")
	for _, c := range []struct {
		pull   bool
		state  string
		merged bool
		want   contract.EntityState
	}{
		{false, "OPEN", false, contract.StateOpen},
		{false, "CLOSED", false, contract.StateClosed},
		{false, "MERGED", false, ""},
		{false, "open", false, ""},
		{true, "OPEN", false, contract.StateOpen},
		{true, "CLOSED", false, contract.StateClosed},
		{true, "CLOSED", true, contract.StateMerged},
		{true, "MERGED", true, contract.StateMerged},
		{true, "MERGED", false, ""},
		{true, "DRAFT", false, ""},
	} {
		f, p := pull()
		change := func(*forgetest.Subject) {}
		if c.pull {
			p["state"], p["merged"] = c.state, c.merged
		} else {
			var i githubtest.M
			f, i = issue()
			i["state"], change = c.state, onIssue
		}
		o := run(t, f, nil, change)
		if c.want == "" {
			if o.Err == nil || !strings.Contains(o.Err.Error(), "outside the mapping") || strings.Contains(o.Err.Error(), "entity/") || len(o.Stream) != 0 {
				t.Errorf("%+v: %v", c, o.Err)
			}
			continue
		}
		if got := o.Lines(t).Header.Entity.State; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestKindsOfAccounts(t *testing.T) {
	requirement.Claim(t, "AMB-40", "AMB-70", "ADM-14")
	f, i := issue()
	types := map[string]string{
		"User": "human admin", "EnterpriseUserAccount": "human admin", "Bot": "bot bot", "Mannequin": "human -", "Organization": "human -", "Alien": "unknown -",
	}
	n := 0
	for typename := range types {
		n++
		login := strings.ToLower(typename)
		account := githubtest.M{"__typename": typename, "id": "X_" + typename, "login": login, "databaseId": n}
		f.Grant(account, "admin")
		githubtest.Append(i, "comments", githubtest.Comment(fmt.Sprintf("IC_%s", typename), "x", account, githubtest.At(n)))
	}
	o := run(t, f, nil, onIssue)
	got := o.Lines(t)
	for typename, want := range types {
		a := got.Actor("X_" + typename)
		role := "-"
		if a.Role != nil {
			role = *a.Role
		}
		if s := string(a.Kind) + " " + role; s != want {
			t.Errorf("%s: %s, want %s", typename, s, want)
		}
	}
	if asked := asks(o, "/permission"); len(asked) != 3 { // the author and two that can hold a role
		t.Errorf("asked %v", asked)
	}
}

// A role whose name is none of GitHub's own counts as the strongest permission that it
// gives; without a word on permissions nothing is verified.
func TestRoleWords(t *testing.T) {
	requirement.Claim(t, "ADM-15", "AMB-37", "AMB-39")
	flags := func(admin, maintain, push, triage, pull bool) any {
		return githubtest.M{"admin": admin, "maintain": maintain, "push": push, "triage": triage, "pull": pull}
	}
	for _, c := range []struct {
		name, legacy any // nil: absent
		flags        any
		want         string // "" is unverified
	}{
		{"auditor", "read", flags(false, false, false, false, true), "read"},
		{"auditor", "read", flags(false, false, false, true, true), "triage"},
		{"auditor", "write", flags(false, false, true, true, true), "write"},
		{"auditor", "write", flags(false, true, true, true, true), "maintain"},
		{"auditor", "admin", flags(true, true, true, true, true), "admin"},
		{"auditor", "none", flags(false, false, false, false, false), "none"},
		{"auditor", "write", nil, ""},
		{"Admin", "read", nil, ""},
		{"triage", "read", flags(true, true, true, true, true), "triage"},
		{"maintain", "write", nil, "maintain"},
		{nil, "write", nil, "write"},
		{nil, "write", flags(false, true, true, true, true), "maintain"},
		{nil, "read", flags(false, false, false, true, true), "triage"},
		{nil, "none", nil, "none"},
		{nil, "owner", nil, ""},
		{nil, nil, nil, ""},
	} {
		user := githubtest.M{"node_id": "U_x", "login": "x"}
		reply := githubtest.M{"user": user}
		for member, value := range map[string]any{"role_name": c.name, "permission": c.legacy} {
			if value != nil {
				reply[member] = value
			}
		}
		if c.flags != nil {
			user["permissions"] = c.flags
		}
		f, i := issue()
		f.Permissions["x"] = githubtest.JSON(reply)
		githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", githubtest.User("U_x", "x"), githubtest.At(1)))
		a := run(t, f, nil, onIssue).Lines(t).Actor("U_x")
		got := ""
		if a.Role != nil {
			got = *a.Role
		}
		if got != c.want || a.RoleVerified != (c.want != "") {
			t.Errorf("%v: %q, verified %v, want %q", c, got, a.RoleVerified, c.want)
		}
	}
}

// An edit counts whether or not GitHub names who made it: of the entity, of comments
// and of reviews.
func TestEditors(t *testing.T) {
	requirement.Claim(t, "AMB-65")
	editor := githubtest.User("U_editor", "editor")
	for name, c := range map[string]struct {
		by, at any
		want   string
	}{
		"never":      {nil, nil, "false -"},
		"by someone": {editor, githubtest.At(9), "true U_editor"},
		"by nobody":  {nil, githubtest.At(9), "true -"},
		"no time":    {editor, nil, "true U_editor"},
		"by a ghost": {githubtest.With(githubtest.User("MDQ6VXNlcjEwMTM3", "ghost")), githubtest.At(9), "true -"},
	} {
		edit := func(o githubtest.M) githubtest.M { return githubtest.With(o, "editor", c.by, "lastEditedAt", c.at) }
		f, p := pull()
		p["editor"], p["lastEditedAt"] = c.by, c.at
		githubtest.Append(p, "comments", edit(githubtest.Comment("IC_1", "x", maintainer, githubtest.At(1))))
		githubtest.Append(p, "reviews", edit(githubtest.Review("PRR_1", "COMMENTED", maintainer, githubtest.At(1))))
		githubtest.Append(p, "reviewThreads", githubtest.Thread("PRRT_1", edit(githubtest.Inline("PRRC_1", "x", maintainer, githubtest.At(1), "", ""))))
		lines := run(t, f, nil, nil).Lines(t)
		for _, id := range []string{lines.Header.Entity.ID, "IC_1", "PRR_1", "PRRC_1"} {
			r := lines.Record(id)
			by := "-"
			if r.EditorID != nil {
				by = *r.EditorID
			}
			if got := fmt.Sprintf("%v %s", r.Edited, by); got != c.want {
				t.Errorf("%s, %s: %s, want %s", name, id, got, c.want)
			}
		}
	}
}
