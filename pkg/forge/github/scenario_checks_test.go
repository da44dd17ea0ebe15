package github_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/requirement"
)

func headOnce(t *testing.T) {
	f, _ := pull()
	a, b, c := githubtest.Run("CR_kwDO1", 1, "a"), githubtest.Run("CR_kwDO2", 2, "b"), githubtest.Run("CR_kwDO3", 3, "c")
	a["conclusion"] = "FAILURE"
	b["checkSuite"] = githubtest.M{"commit": githubtest.M{"oid": strings.Repeat("b", 40)}}
	c["checkSuite"] = githubtest.M{"commit": nil}
	b["conclusion"], c["conclusion"] = "FAILURE", "FAILURE"
	f.AddChecks(githubtest.Suite("CS_1", 90, a, b, c))
	f.Logs[1], f.Logs[2], f.Logs[3] = githubtest.Reply{Body: "1"}, githubtest.Reply{Body: "2"}, githubtest.Reply{Body: "3"}
	var expect struct {
		HeadSHA string `json:"head_sha"`
		Gaps    []gap
	}
	forgetest.Scenario(t, "ctx-fetch-head-captured-once", &expect)
	o := run(t, f, nil, nil)
	got := o.Lines(t)
	forgetest.CheckGaps(t, got.Gaps, expect.Gaps)
	if len(got.Checks) != 1 || got.Checks[0].ID != "CR_kwDO1" || got.Header.HeadSHA != expect.HeadSHA || len(asks(o, "/logs")) != 2 || len(got.Logs) != 1 {
		t.Errorf("checks %v, head %s, asked %v", got.Checks, got.Header.HeadSHA, asks(o, "/logs"))
	}
}

func reruns(t *testing.T) {
	f, _ := pull()
	made := func(id string, n int64, conclusion, at string) githubtest.M {
		r := githubtest.With(githubtest.Run(id, n, "lint"), "conclusion", conclusion, "startedAt", at, "completedAt", at)
		return r
	}
	at := func(minute int) string { return fmt.Sprintf("2026-06-01T10:%02d:00Z", minute) }
	one, two, three := made("CR_kwDOrun1", 1, "FAILURE", at(0)), made("CR_kwDOrun2", 2, "SUCCESS", at(20)), made("CR_kwDOrun3", 3, "SUCCESS", at(0))
	f.AddChecks(githubtest.Suite("CS_1", 90, one, two), githubtest.Suite("CS_2", 91, three))
	f.Jobs[90] = []githubtest.M{githubtest.Job(one, at(0)), githubtest.Job(two, at(20))}
	f.Jobs[91] = []githubtest.M{githubtest.Job(three, at(0))}
	f.Logs[1] = githubtest.Reply{Body: "log"}
	var expect struct {
		Order [][3]string `json:"records_in_order"`
	}
	forgetest.Scenario(t, "ctx-fetch-reruns-share-a-name", &expect)
	// The published keys are those of repository R_kgDOExample on github.com.
	o := run(t, f, nil, nil)
	got := o.Lines(t)
	forgetest.CheckGaps(t, got.Gaps, nil)
	var order [][3]string
	for _, c := range got.Checks {
		order = append(order, [3]string{c.CreatedAt, c.RecordKey, c.ID})
	}
	if !slices.Equal(order, expect.Order) || len(asks(o, "actions/jobs/1/logs")) != 1 || len(asks(o, "/logs")) != 2 {
		t.Errorf("got %v\nwant %v\nlogs %v", order, expect.Order, asks(o, "/logs"))
	}
}

// metadata gives the document that emit makes of a check.
func metadata(t *testing.T, c *contract.Check) string {
	t.Helper()
	d := tree.Check{
		ID: c.ID, Name: c.Name, Status: c.Status, CreatedAt: c.CreatedAt, HeadSHA: c.HeadSHA,
		Conclusion: c.Conclusion, StartedAt: c.StartedAt, CompletedAt: c.CompletedAt,
	}
	if c.Status == contract.Completed {
		d.NeverStarted = &c.NeverStarted
	}
	b, err := canonicaljson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func skippedBackwards(t *testing.T) {
	type document struct {
		Text string `json:"metadata_json"`
	}
	var expect struct {
		Same document `json:"if_graphql_has_the_same_times"`
		Null document `json:"if_graphql_has_startedAt_null"`
	}
	forgetest.Scenario(t, "ctx-fetch-skipped-ends-before-it-starts", &expect)
	for _, c := range []struct {
		started any
		want    string
	}{{"2026-05-01T10:00:05Z", expect.Same.Text}, {nil, expect.Null.Text}} {
		f, _ := pull()
		r := githubtest.With(githubtest.Run("CR_kwDOskip1", 1, "docs"), "conclusion", "SKIPPED", "startedAt", c.started, "completedAt", "2026-05-01T10:00:04Z")
		f.AddChecks(githubtest.Suite("CS_1", 90, r))
		job := githubtest.Job(r, "2026-05-01T10:00:05Z")
		job["conclusion"], job["completed_at"] = "failure", "2026-05-01T11:11:11Z" // the job's own word does not count
		f.Jobs[90] = []githubtest.M{job}
		got := run(t, f, nil, nil).Lines(t)
		if len(got.Checks) != 1 || len(got.Gaps) != 0 {
			t.Fatalf("%d checks, gaps %v", len(got.Checks), got.Gaps)
		}
		if m := metadata(t, got.Checks[0]); m != c.want {
			t.Errorf("got  %s\nwant %s", m, c.want)
		}
	}
}

func yearOne(t *testing.T) {
	f, _ := pull()
	made := func(id string, n int64, conclusion string) githubtest.M {
		return githubtest.With(githubtest.Run(id, n, "docs"), "conclusion", conclusion, "startedAt", "0001-01-01T00:00:00Z", "completedAt", "2026-05-01T10:00:04Z")
	}
	a, b := made("CR_kwDOskip2", 1, "SKIPPED"), made("CR_kwDOok9", 2, "SUCCESS")
	f.AddChecks(githubtest.Suite("CS_1", 90, a, b))
	f.Jobs[90] = []githubtest.M{githubtest.Job(a, githubtest.At(0)), githubtest.Job(b, githubtest.At(0))}
	var expect struct {
		Text string `json:"skipped_metadata_json"`
		Gaps []gap
	}
	forgetest.Scenario(t, "ctx-fetch-year-one-means-absent", &expect)
	got := run(t, f, nil, nil).Lines(t)
	forgetest.CheckGaps(t, got.Gaps, expect.Gaps)
	if len(got.Checks) != 1 || metadata(t, got.Checks[0]) != expect.Text {
		t.Errorf("checks %+v", got.Checks)
	}
}

func noBirthday(t *testing.T) {
	f, _ := pull()
	cla := githubtest.With(githubtest.Run("CR_kwDOcla", 1, "cla"), "startedAt", "2026-05-01T10:00:02Z", "completedAt", "2026-05-01T10:00:01Z")
	f.AddChecks(githubtest.Suite("CS_1", 0, cla), githubtest.Suite("CS_2", 91, githubtest.Run("CR_ok", 2, "build")))
	got := run(t, f, nil, nil).Lines(t)
	forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "checks", Code: "invalid_metadata", Count: 1}})
	if len(got.Checks) != 1 || got.Checks[0].ID != "CR_ok" {
		t.Errorf("checks %+v", got.Checks)
	}
}

func commitStatus(t *testing.T) {
	f, _ := pull()
	r := githubtest.With(githubtest.Run("CR_1", 1, "build"), "status", "QUEUED", "conclusion", nil, "completedAt", nil)
	f.AddChecks(githubtest.Suite("CS_1", 90, r))
	f.Commits[githubtest.Head]["status"] = githubtest.M{"contexts": []githubtest.M{
		{"__typename": "StatusContext", "context": "ci/legacy", "state": "FAILURE"}, {"__typename": "StatusContext", "context": "deploy", "state": "PENDING"},
	}}
	got := run(t, f, nil, nil).Lines(t)
	forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "checks", Code: "invalid_metadata", Count: 2}}) // AMB-86
	if c := got.Checks[0]; len(got.Checks) != 1 || c.Status != contract.Queued || c.StartedAt+c.CompletedAt+string(c.Conclusion) != "" {
		t.Errorf("checks %+v", got.Checks)
	}
}

func fourConclusions(t *testing.T) {
	f, _ := pull()
	var runs []githubtest.M
	want := map[string]bool{"action_required": true, "failure": true, "stale": true, "timed_out": true}
	byID := map[int64]string{}
	for n, c := range []string{"success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required", "stale"} {
		id := int64(n + 1)
		byID[id] = c
		runs = append(runs, githubtest.With(githubtest.Run("CR_"+c, id, c), "conclusion", strings.ToUpper(c)))
		f.Logs[id] = githubtest.Reply{Body: "log"}
	}
	f.AddChecks(githubtest.Suite("CS_1", 90, runs...))
	o := run(t, f, nil, nil)
	if got := o.Lines(t); len(got.Checks) != 8 || len(got.Logs) != 4 || len(got.Gaps) != 0 {
		t.Errorf("%d checks, %d logs, gaps %v", len(got.Checks), len(got.Logs), got.Gaps)
	}
	for id, c := range byID {
		if asked := len(asks(o, fmt.Sprintf("actions/jobs/%d/logs", id))) > 0; asked != want[c] {
			t.Errorf("%s: log asked for: %v", c, asked)
		}
	}
}

// failedCheck gives a fake with one failed check on the head, job 1.
func failedCheck() *githubtest.Fake {
	f, _ := pull()
	f.AddChecks(githubtest.Suite("CS_1", 90, githubtest.With(githubtest.Run("CR_1", 1, "build"), "conclusion", "FAILURE")))
	return f
}

func logGone(t *testing.T) {
	for _, c := range []struct {
		status int
		want   contract.GapCode
	}{{410, contract.FetchFailed}, {404, contract.FetchFailed}, {403, contract.AuthorizationFailed}} {
		f := failedCheck()
		f.Logs[1] = githubtest.Reply{Status: c.status, Body: `{"message":"Must have admin rights to Repository.","status":"410"}`}
		o := run(t, f, nil, nil)
		got := o.Lines(t)
		if len(got.Checks) != 1 || len(got.Logs) != 1 || got.Logs[0].Content.Form != contract.FormMissing || got.Logs[0].Content.Missing != c.want ||
			len(asks(o, "/logs")) != 1 || len(got.Gaps) != 0 {
			t.Errorf("%d: logs %+v, asked %v, gaps %v", c.status, got.Logs, asks(o, "/logs"), got.Gaps)
		}
	}
}

func logRedirect(t *testing.T) {
	f := failedCheck()
	f.Logs[1] = githubtest.Reply{Body: "the log"}
	for _, fault := range []forgetest.Fault{nil, forgetest.Answer(403, nil, "<Error>AuthenticationFailed</Error>"), forgetest.Answer(404, nil, "")} {
		net := &forgetest.Net{Fault: func(key string, nth int) forgetest.Fault {
			if strings.Contains(key, githubtest.LogHost) && nth == 0 {
				return fault
			}
			return nil
		}}
		o := run(t, f, net, nil)
		got := o.Lines(t)
		if len(got.Logs) != 1 || string(got.Logs[0].Content.Bytes) != "the log" || len(got.Gaps) != 0 {
			t.Errorf("logs %+v, gaps %v", got.Logs, got.Gaps)
		}
		for _, r := range o.Requests {
			if strings.Contains(r.URL, githubtest.LogHost) && (r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "") {
				t.Error("a credential went to the log store")
			}
		}
		if strings.Contains(o.Stderr, "SIGNED") {
			t.Errorf("the signature is in %s", o.Stderr)
		}
	}
}

// TestSuitesThatNeverHadRuns: a red head must not look like one without checks.
func TestSuitesThatNeverHadRuns(t *testing.T) {
	requirement.Claim(t, "AMB-85")
	skipped := githubtest.With(githubtest.Run("CR_1", 1, "build"), "conclusion", "SKIPPED", "startedAt", nil)
	failed := githubtest.With(githubtest.Run("CR_2", 2, "build"), "conclusion", "FAILURE")
	for _, c := range []struct {
		conclusion any
		runs       []githubtest.M
		want       int64
	}{
		{"STARTUP_FAILURE", nil, 1},
		{"FAILURE", nil, 1},
		{"STARTUP_FAILURE", []githubtest.M{skipped}, 1},
		{"STARTUP_FAILURE", []githubtest.M{failed}, 0},
		{"FAILURE", []githubtest.M{failed}, 0},
		{"SUCCESS", nil, 0},
		{"CANCELLED", nil, 0},
		{nil, nil, 0},
	} {
		f, _ := pull()
		f.AddChecks(githubtest.With(githubtest.Suite("CS_1", 90, c.runs...), "conclusion", c.conclusion))
		got := run(t, f, nil, nil).Lines(t)
		if got.Gaps["checks/unsupported"] != c.want || len(got.Checks) != len(c.runs) {
			t.Errorf("%v with %d runs: gaps %v", c.conclusion, len(c.runs), got.Gaps)
		}
	}
}

// TestCommitStatuses: they are counted, and their loss costs nothing but themselves.
func TestCommitStatuses(t *testing.T) {
	requirement.Claim(t, "AMB-86")
	build := func() *githubtest.Fake {
		f, _ := pull()
		f.AddChecks(githubtest.Suite("CS_1", 90, githubtest.Run("CR_1", 1, "build")))
		f.Commits[githubtest.Head]["status"] = githubtest.M{"contexts": []githubtest.M{{"context": "ci/legacy"}, {"context": "deploy"}}}
		return f
	}
	partly := func(kind string) forgetest.Fault {
		return forgetest.EditJSON(func(v any) any {
			o := v.(map[string]any)
			commit := o["data"].(map[string]any)["repository"].(map[string]any)["object"].(map[string]any)
			if _, asked := commit["status"]; asked {
				commit["status"] = nil
				o["errors"] = []any{map[string]any{"type": kind, "path": []any{"repository", "object", "status"}, "message": "no"}}
			}
			return o
		})
	}
	whole := func(status int, body string) forgetest.Fault { return forgetest.Answer(status, nil, body) }
	for name, c := range map[string]struct {
		fault forgetest.Fault
		gap   string
		count int64
	}{
		"counted":           {nil, "checks/invalid_metadata", 2},
		"refused":           {partly("FORBIDDEN"), "checks/authorization_failed", 1},
		"failed":            {partly("SOMETHING"), "checks/fetch_failed", 1},
		"refused as whole":  {whole(200, `{"errors":[{"type":"FORBIDDEN","message":"Resource not accessible by integration"}]}`), "checks/authorization_failed", 1},
		"too slow together": {whole(502, `{}`), "checks/fetch_failed", 1},
	} {
		n := &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
			if strings.Contains(key, "query Checks") && strings.Contains(key, `"statuses":true`) {
				return c.fault
			}
			return nil
		}}
		got := subject(build).Run(context.Background(), t, n).Lines(t)
		if len(got.Checks) != 1 || got.Gaps[c.gap] != c.count || len(got.Gaps) != 1 {
			t.Errorf("%s: %d checks, gaps %v", name, len(got.Checks), got.Gaps)
		}
	}
}
