package forgejo_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/forgejo"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

const (
	api  = "/api/v1/repos/owner1/Demo"
	head = "3e7bb25b8ac8a298b83e498f67efe5c4ee51f100"
)

func capture(t testing.TB, name string) forgetest.Reply {
	t.Helper()
	return forgetest.Recorded(t, filepath.Join("testdata/captures", name))
}

// demo is the recorded server: one pull request and one issue with their lists.
func demo(t testing.TB) map[string][]forgetest.Reply {
	t.Helper()
	none := forgetest.JSON(`[]`)
	routes := map[string][]forgetest.Reply{
		"/api/v1/version":                        {capture(t, "10-forgejo-version.http")},
		api + "/issues/1":                        {capture(t, "27-issue.http")},
		api + "/issues/1/comments":               {capture(t, "28-issue-comments-ghost-and-bot.http")},
		api + "/issues/2":                        {capture(t, "31-pull-as-issue.http")},
		api + "/pulls/2":                         {capture(t, "30-pull-open.http")},
		api + "/issues/2/comments":               {capture(t, "51-comments-actions-user.http")},
		api + "/pulls/2/reviews":                 {capture(t, "33-pull-reviews-with-pending.http"), none},
		api + "/pulls/2/reviews/3/comments":      {capture(t, "34-review-comments-threads.http")},
		api + "/pulls/2/reviews/5/comments":      {capture(t, "36-review-comments-ghost.http")},
		api + "/issues/2/timeline":               {capture(t, "53-pull-timeline.http"), none},
		api + "/actions/runs":                    {capture(t, "48-actions-runs-v12.http")},
		api + "/commits/" + head + "/statuses":   {capture(t, "50-commit-statuses-after-actions.http")},
		api + "/collaborators/owner1/permission": {capture(t, "40-permission-owner1.http")},
	}
	for _, login := range []string{"maint1", "dev1", "reader1", "outsider1"} {
		routes[api+"/collaborators/"+login+"/permission"] = []forgetest.Reply{capture(t, "40-permission-"+login+".http")}
	}
	return routes
}

// subject gives a run of fetch against routes, on Codeberg.
func subject(path string, routes map[string][]forgetest.Reply) forgetest.Subject {
	return forgetest.Subject{
		Driver:  forgejo.Driver,
		Address: "https://codeberg.org" + path,
		Hosts: func() map[string]http.Handler {
			return map[string]http.Handler{"codeberg.org": &forgetest.REST{Routes: maps.Clone(routes)}}
		},
	}
}

func run(t testing.TB, s forgetest.Subject) *forgetest.Stream {
	t.Helper()
	return s.Run(context.Background(), t, &forgetest.Net{}).Lines(t)
}

func TestCapturesAreThere(t *testing.T) {
	files, err := filepath.Glob("testdata/captures/*.http")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d recorded exchanges: %v", len(files), err)
	}
}

func TestRecordedIssue(t *testing.T) {
	requirement.Claim(t, "SRC-04", "MAP-25", "AMB-39", "AMB-61", "AMB-64")
	s := run(t, subject("/owner1/Demo/issues/1", demo(t)))
	h := s.Header
	if got, want := h.Source, (contract.Source{Forge: contract.Forgejo, Host: "codeberg.org", RepositoryID: "1", Repository: "owner1/demo"}); got != want {
		t.Errorf("source %v", got)
	}
	e := h.Entity
	if e.ID != "1" || e.Number != 1 || e.State != contract.StateOpen || e.CreatedAt != "2026-11-30T10:04:39.000000000Z" {
		t.Errorf("entity %+v", e)
	}
	if got := strings.Join(e.Labels, "|"); got != "kind/bug|prio: high, urgent" {
		t.Errorf("labels %q", got)
	}
	if got := string(s.Record("1").Content.Bytes); !strings.HasPrefix(got, "Steps:\r\n1. start\r\n") {
		t.Errorf("the body was changed: %q", got)
	}
	ghosts := 0
	for _, r := range s.Records {
		if r.Kind == contract.KindComment && r.AuthorID == nil {
			ghosts++
		}
		if r.Edited || r.EditorID != nil {
			t.Errorf("%s: Forgejo names no editor", r.ID)
		}
	}
	if ghosts != 1 {
		t.Errorf("%d comments of deleted accounts, want the one of Ghost", ghosts)
	}
	for _, a := range s.Actors {
		if a.Kind != contract.Human {
			t.Errorf("actor %s is %s: Forgejo marks no bots", a.ID, a.Kind)
		}
	}
	if a := s.Actor("5"); a == nil || a.Role == nil || *a.Role != "read" || !a.RoleVerified {
		t.Errorf("actor 5: %+v", a)
	}
}

func TestRecordedPullRequest(t *testing.T) {
	requirement.Claim(t, "MAP-12", "REV-05", "AMB-25", "AMB-58", "AMB-59", "AMB-60", "ID-04", "ID-05")
	outcome := subject("/owner1/Demo/pulls/2", demo(t)).Run(context.Background(), t, &forgetest.Net{})
	s := outcome.Lines(t)
	if e := s.Header.Entity; e.ID != "1" || e.Number != 2 || s.Header.HeadSHA != head {
		t.Errorf("entity %s, number %d, head %s: the id is that of the pulls endpoint", e.ID, e.Number, s.Header.HeadSHA)
	}
	states := map[contract.ReviewState]int{}
	for _, r := range s.Records {
		if r.Kind != contract.KindReview {
			continue
		}
		states[r.State]++
		if r.State == contract.Dismissed && r.ID != "" && r.DismissedBy != nil && (*r.DismissedBy != "2" || *r.DismissedAt != "2026-11-30T10:04:43.000000000Z") {
			t.Errorf("review %s dismissed by %s at %v", r.ID, *r.DismissedBy, r.DismissedAt)
		}
	}
	if got := fmt.Sprint(states); got != "map[changes_requested:1 commented:2 dismissed:2]" || s.Gaps["reviews/invalid_metadata"] != 0 {
		t.Errorf("reviews %s, gaps %v", got, s.Gaps)
	}
	if strings.Contains(string(outcome.Stream), "PENDING") || strings.Contains(string(outcome.Stream), "pending review") {
		t.Error("something of a pending review is in the stream")
	}
	if len(s.Threads) != 0 {
		t.Error("a thread was made up")
	}
	if n := len(s.IDs(contract.KindComment)); n != 8 || s.Gaps["reviews/unsupported"] != 6 {
		t.Errorf("%d comments, gaps %v: two are of the conversation, six on code", n, s.Gaps)
	}
	// The runs of this version have no times, and the statuses that Actions did not
	// post have no identifier.
	if len(s.Checks) != 0 || s.Gaps["checks/invalid_metadata"] == 0 {
		t.Errorf("checks %d, gaps %v", len(s.Checks), s.Gaps)
	}
}

// check runs a pull request with one Actions run.
func check(t *testing.T, row string) *forgetest.Stream {
	t.Helper()
	routes := demo(t)
	routes[api+"/actions/runs"] = []forgetest.Reply{forgetest.JSON(`{"workflow_runs":[` + row + `],"total_count":1}`)}
	routes[api+"/commits/"+head+"/statuses"] = []forgetest.Reply{forgetest.JSON(`[]`)}
	return run(t, subject("/owner1/Demo/pulls/2", routes))
}

// TestReviewRows: one row for each state, each way to say when and by whom, and what
// each becomes.
func TestReviewRows(t *testing.T) {
	requirement.Claim(t, "MAP-12", "MAP-15", "MAP-16", "MAP-18", "AMB-60", "AMB-64", "REV-02")
	const (
		submitted = `"created_at":"2026-11-30T09:00:00Z","submitted_at":"2026-11-30T10:00:00Z"`
		at        = " 2026-11-30T10:00:00.000000000Z"
	)
	rows := []struct{ members, want string }{ // "" is left out, "invalid" a gap
		{`"state":"APPROVED",` + submitted, "approved" + at},
		{`"state":"REQUEST_CHANGES",` + submitted, "changes_requested" + at},
		{`"state":"COMMENT",` + submitted, "commented" + at},
		{`"state":"DISMISSED",` + submitted, "dismissed" + at + " by 3 at 2026-11-30T12:00:00.000000000Z"},
		{`"state":"APPROVED","dismissed":true,` + submitted, "dismissed" + at + " by - at -"},
		{`"state":"APPROVED","dismissed":false,` + submitted, "approved" + at},
		{`"state":"PENDING",` + submitted, ""},
		{`"state":"PENDING","dismissed":true,` + submitted, ""},
		{`"state":"REQUEST_REVIEW",` + submitted, ""},
		{`"state":"APPROVED","created_at":"2026-11-30T10:00:00Z"`, "approved" + at},
		{`"state":"APPROVED","created_at":"2026-11-30T10:00:00Z","submitted_at":null`, "invalid"},
		{`"state":"APPROVED","created_at":"2026-11-30T10:00:00Z","submitted_at":"1970-01-01T01:00:00+01:00"`, "invalid"},
		{`"state":"COMMENT"`, "invalid"},
		{`"state":"UNKNOWN",` + submitted, "invalid"},
		{`"state":"approved",` + submitted, "invalid"},
	}
	var list []string
	want := map[string]string{}
	invalid := int64(0)
	for i, r := range rows {
		id := fmt.Sprint(100 + i)
		list = append(list, fmt.Sprintf(`{"id":%s,"body":"x","user":{"id":2,"login":"maint1"},"comments_count":0,%s}`, id, r.members))
		switch r.want {
		case "":
		case "invalid":
			invalid++
		default:
			want[id] = r.want
		}
	}
	routes := demo(t)
	none := forgetest.JSON(`[]`)
	routes[api+"/pulls/2/reviews"] = []forgetest.Reply{forgetest.JSON("[" + strings.Join(list, ",") + "]"), none}
	routes[api+"/issues/2/timeline"] = []forgetest.Reply{forgetest.JSON(`[` +
		`{"id":1,"type":"dismiss_review","review_id":103,"created_at":"2026-11-30T11:00:00Z","user":{"id":2,"login":"maint1"}},` +
		`{"id":2,"type":"dismiss_review","review_id":103,"created_at":"2026-11-30T12:00:00Z","user":{"id":3,"login":"dev1"}},` +
		`{"id":3,"type":"review","review_id":103,"created_at":"2026-11-30T13:00:00Z","user":{"id":5,"login":"reader1"}},` +
		`{"id":4,"type":"review","review_id":104,"created_at":"2026-11-30T13:00:00Z","user":{"id":5,"login":"reader1"}}]`), none}
	s := run(t, subject("/owner1/Demo/pulls/2", routes))
	got := map[string]string{}
	for _, r := range s.Records {
		if r.Kind != contract.KindReview {
			continue
		}
		got[r.ID] = string(r.State) + " " + r.CreatedAt
		if r.State == contract.Dismissed {
			by, when := "-", "-"
			if r.DismissedBy != nil {
				by = *r.DismissedBy
			}
			if r.DismissedAt != nil {
				when = *r.DismissedAt
			}
			got[r.ID] += " by " + by + " at " + when
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("reviews\n got  %v\n want %v", got, want)
	}
	if s.Gaps["reviews/invalid_metadata"] != invalid {
		t.Errorf("gaps %v, want %d invalid reviews", s.Gaps, invalid)
	}
}

func TestRunStatuses(t *testing.T) {
	requirement.Claim(t, "MAP-07", "MAP-08", "MAP-09", "MAP-10", "CHK-16", "CHK-17", "CHK-19", "AMB-64")
	const zero = `"1970-01-01T01:00:00+01:00"`
	cases := []struct {
		native, started, stopped string
		want                     string // "" is invalid
	}{
		{"pending", `"2026-05-05T10:00:01Z"`, zero, "queued   false -"},
		{"waiting", zero, zero, "queued   false -"},
		{"blocked", zero, zero, "queued   false -"},
		{"running", `"2026-05-05T10:00:01Z"`, zero, "in_progress   false 10:00:01"},
		{"running", zero, zero, ""},
		{"success", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, "completed success 10:00:09 false 10:00:01"},
		{"success", zero, `"2026-05-05T10:00:09Z"`, ""},
		{"failure", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, "completed failure 10:00:09 false 10:00:01"},
		{"error", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, "completed failure 10:00:09 false 10:00:01"},
		{"warning", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, "completed neutral 10:00:09 false 10:00:01"},
		{"cancelled", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, "completed cancelled 10:00:09 false 10:00:01"},
		{"canceled", `null`, zero, "completed cancelled 10:00:00 true -"},
		{"cancelled", `"0001-01-01T00:00:00Z"`, `"2026-05-05T10:00:09Z"`, "completed cancelled 10:00:09 true -"},
		{"skipped", zero, zero, "completed skipped 10:00:00 true -"},
		{"unknown", zero, zero, ""},
		{"completed", `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:09Z"`, ""},
	}
	clock := func(s string) string {
		if s == "" {
			return ""
		}
		return s[11:19]
	}
	for _, c := range cases {
		t.Run(c.native+" "+c.want, func(t *testing.T) {
			s := check(t, fmt.Sprintf(`{"id":70,"workflow_id":"ci.yml","status":%q,"commit_sha":%q,"created":"2026-05-05T10:00:00Z","started":%s,"stopped":%s}`,
				c.native, head, c.started, c.stopped))
			if c.want == "" {
				if len(s.Checks) != 0 || s.Gaps["checks/invalid_metadata"] != 1 {
					t.Errorf("%d checks, gaps %v", len(s.Checks), s.Gaps)
				}
				return
			}
			if len(s.Checks) != 1 {
				t.Fatalf("%d checks, gaps %v", len(s.Checks), s.Gaps)
			}
			k := s.Checks[0]
			started := clock(k.StartedAt)
			if started == "" {
				started = "-"
			}
			got := fmt.Sprintf("%s %s %s %v %s", k.Status, k.Conclusion, clock(k.CompletedAt), k.NeverStarted, started)
			if got != c.want || k.Name != "ci.yml" || k.ID != "70" || k.HeadSHA != head {
				t.Errorf("got %q (%+v), want %q", got, k, c.want)
			}
		})
	}
}

func TestRunOfAnotherRevisionIsInvalid(t *testing.T) {
	requirement.Claim(t, "CHK-04")
	s := check(t, `{"id":70,"workflow_id":"ci.yml","status":"waiting","commit_sha":"`+strings.Repeat("a", 40)+`","created":"2026-05-05T10:00:00Z"}`)
	if len(s.Checks) != 0 || s.Gaps["checks/invalid_metadata"] != 1 {
		t.Errorf("%d checks, gaps %v", len(s.Checks), s.Gaps)
	}
}

func TestLogsAreUnsupported(t *testing.T) {
	requirement.Claim(t, "AMB-58")
	s := check(t, `{"id":70,"workflow_id":"ci.yml","status":"failure","commit_sha":"`+head+`","created":"2026-05-05T10:00:00Z","started":"2026-05-05T10:00:01Z","stopped":"2026-05-05T10:00:02Z"}`)
	if len(s.Logs) != 1 || s.Logs[0].Content.Form != contract.FormMissing || s.Logs[0].Content.Missing != contract.Unsupported {
		t.Errorf("logs %+v", s.Logs)
	}
}

func TestStatusesOfActionsAreNotCounted(t *testing.T) {
	requirement.Claim(t, "AMB-58", "AMB-49")
	routes := demo(t)
	routes[api+"/actions/runs"] = []forgetest.Reply{forgetest.JSON(`{"workflow_runs":[],"total_count":0}`)}
	routes[api+"/commits/"+head+"/statuses"] = []forgetest.Reply{forgetest.JSON(`[
		{"id":1,"status":"success","target_url":"/owner1/Demo/actions/runs/1/jobs/0"},
		{"id":2,"status":"success","target_url":"https://ci.example.test/1"},
		{"id":3,"status":"pending","target_url":""},
		{"id":4,"status":"error","target_url":"https://ci.example.test/x?y=/actions/runs/1"}]`)}
	s := run(t, subject("/owner1/Demo/pulls/2", routes))
	if s.Gaps["checks/invalid_metadata"] != 3 {
		t.Errorf("gaps %v", s.Gaps)
	}
}

func TestGiteaIsRefused(t *testing.T) {
	requirement.Claim(t, "AMB-62")
	cases := []struct {
		version, own string
		refused      bool
	}{
		{"1.26.0", "", true},
		{"1.23.0+dev-608-gec2d1593c2", "", true},
		{"15.0.3+gitea-1.22.0", "", false},
		{"11.0.0-dev-617-1d1e0ced3e+gitea-1.22.0", "", false},
		{"development", "", true},
		{"development", `{"version":"12.0.0-dev"}`, false},
	}
	for _, c := range cases {
		routes := demo(t)
		routes["/api/v1/version"] = []forgetest.Reply{forgetest.JSON(`{"version":"` + c.version + `"}`)}
		if c.own != "" {
			routes["/api/forgejo/v1/version"] = []forgetest.Reply{forgetest.JSON(c.own)}
		}
		o := subject("/owner1/Demo/issues/1", routes).Run(context.Background(), t, &forgetest.Net{})
		if refused := o.Err != nil && strings.Contains(o.Err.Error(), "Gitea"); refused != c.refused || len(o.Stream) > 0 && c.refused {
			t.Errorf("%s: %v, %d bytes", c.version, o.Err, len(o.Stream))
		}
	}
}

func TestKindMismatchNamesTheRightAddress(t *testing.T) {
	requirement.Claim(t, "AMB-73")
	o := subject("/owner1/Demo/issues/2", demo(t)).Run(context.Background(), t, &forgetest.Net{})
	if o.Err == nil || !strings.Contains(o.Err.Error(), "https://codeberg.org/owner1/Demo/pulls/2") || len(o.Stream) != 0 {
		t.Errorf("pull asked as issue: %v", o.Err)
	}
	o = subject("/owner1/Demo/pulls/1", demo(t)).Run(context.Background(), t, &forgetest.Net{})
	if o.Err == nil || !strings.Contains(o.Err.Error(), "https://codeberg.org/owner1/Demo/issues/1") {
		t.Errorf("issue asked as pull: %v", o.Err)
	}
}

// A list that comes in one answer is taken as it is. Once a header promises more, the
// pages decide, and a server that sends the first page again and again has not shown its
// list.
func TestPromisedPages(t *testing.T) {
	requirement.Claim(t, "AMB-45", "GAP-05", "AMB-82")
	comment := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"body":"b","user":{"id":4,"login":"dev1"},"created_at":"2026-05-05T10:00:00Z","updated_at":"2026-05-05T10:00:00Z"}`, id)
	}
	next := http.Header{"Link": {`<https://codeberg.org/x?page=2>; rel="next"`}}
	list := api + "/issues/1/comments"
	for name, c := range map[string]struct {
		whole  forgetest.Reply
		pages  []forgetest.Reply
		want   int
		failed bool
	}{
		"one answer":            {forgetest.JSON(`[` + comment(1) + `,` + comment(2) + `]`), nil, 2, false},
		"null is none":          {forgetest.JSON(`null`), nil, 0, false},
		"pages after all":       {forgetest.Reply{Header: next, Body: `[` + comment(1) + `]`}, []forgetest.Reply{{Header: next, Body: `[` + comment(1) + `]`}, forgetest.JSON(`[` + comment(2) + `]`)}, 2, false},
		"null in the middle":    {forgetest.Reply{Header: next, Body: `[` + comment(1) + `]`}, []forgetest.Reply{{Header: next, Body: `null`}, {Header: next, Body: `[` + comment(1) + `]`}, forgetest.JSON(`[` + comment(2) + `]`)}, 2, false},
		"repeats itself always": {forgetest.Reply{Header: next, Body: `[` + comment(1) + `]`}, nil, 0, true},
	} {
		routes := demo(t)
		routes["/api/v1/settings/api"] = []forgetest.Reply{capture(t, "08-settings-api.http")}
		routes[list] = []forgetest.Reply{c.whole}
		for i, p := range c.pages {
			routes[fmt.Sprintf("%s?limit=50&page=%d", list, i+1)] = []forgetest.Reply{p}
		}
		s := run(t, subject("/owner1/Demo/issues/1", routes))
		if got := len(s.IDs(contract.KindComment)); got != c.want || (s.Gaps["comments/fetch_failed"] == 1) != c.failed {
			t.Errorf("%s: %d comments, want %d, gaps %v", name, got, c.want, s.Gaps)
		}
	}
}

func TestInlineCommentsOfTheScenario(t *testing.T) {
	requirement.Claim(t, "AMB-25", "AMB-60", "KEY-01", "AMB-23")
	comment := func(id int, at string) string {
		return fmt.Sprintf(`{"id":%d,"body":"b%d","user":{"id":4,"login":"dev1"},"created_at":"2026-05-05T%sZ","updated_at":"2026-05-05T%sZ","path":"a"}`, id, id, at, at)
	}
	comments := map[int]string{11: comment(11, "10:00:00"), 12: comment(12, "10:00:00"), 13: comment(13, "09:59:59")}
	var streams []string
	for _, order := range [][]int{{12, 13, 11}, {11, 12, 13}} {
		var list []string
		for _, id := range order {
			list = append(list, comments[id])
		}
		routes := demo(t)
		pull := capture(t, "30-pull-open.http")
		pull.Body = strings.ReplaceAll(pull.Body, `"repo":{"id":1,`, `"repo":{"id":77,`)
		routes[api+"/pulls/2"] = []forgetest.Reply{pull}
		routes[api+"/issues/2/comments"] = []forgetest.Reply{forgetest.JSON(`[]`)}
		routes[api+"/pulls/2/reviews"] = []forgetest.Reply{forgetest.JSON(`[{"id":7,"user":{"id":4,"login":"dev1"},"state":"COMMENT","body":"","commit_id":"","dismissed":false,"comments_count":3,"submitted_at":"2026-05-05T10:00:00Z"}]`), forgetest.JSON(`[]`)}
		routes[api+"/pulls/2/reviews/7/comments"] = []forgetest.Reply{forgetest.JSON(`[` + strings.Join(list, ",") + `]`)}
		o := subject("/owner1/Demo/pulls/2", routes).Run(context.Background(), t, &forgetest.Net{})
		s := o.Lines(t)
		if got := strings.Join(s.IDs(contract.KindComment), " "); got != "13 12 11" {
			t.Errorf("comments %s", got)
		}
		if key := s.Record("12").RecordKey; key != "184d50649f0c8b414cdd2526af77fc875cf74f5a662d8106f4b2f8e734c1ffe0" {
			t.Errorf("key of 12 is %s", key)
		}
		if len(s.Threads) != 0 || s.Gaps["reviews/unsupported"] != 3 {
			t.Errorf("threads %d, gaps %v", len(s.Threads), s.Gaps)
		}
		streams = append(streams, string(o.Stream))
	}
	if streams[0] != streams[1] {
		t.Error("the order in which the server lists comments shows in the stream")
	}
}

// The comments of a review without an identifier cannot be asked for, which must show.
func TestCommentsOfANamelessReview(t *testing.T) {
	requirement.Claim(t, "GAP-05", "KEY-07")
	routes := demo(t)
	row := `[{"id":null,"user":{"id":4,"login":"dev1"},"state":"COMMENT","body":"","commit_id":"","comments_count":2,"submitted_at":"2026-05-05T10:00:00Z"}]`
	routes[api+"/pulls/2/reviews"] = []forgetest.Reply{forgetest.JSON(row)} // for every page
	s := run(t, subject("/owner1/Demo/pulls/2", routes))
	if s.Gaps["reviews/invalid_metadata"] != 1 || s.Gaps["comments/fetch_failed"] != 1 || len(s.IDs(contract.KindComment)) != 0 {
		t.Errorf("comments %v, gaps %v", s.IDs(contract.KindComment), s.Gaps)
	}
}

func TestInlineCommentsAreCountedWithoutTheCommentsSource(t *testing.T) {
	requirement.Claim(t, "AMB-24", "GAP-06")
	s := subject("/owner1/Demo/pulls/2", demo(t))
	s.Change = func(cfg *fetch.Config) {
		cfg.Collection.IncludedSources = []string{"entity", "reviews"}
		cfg.Collection.CheckLogSelection = contract.LogsNone
	}
	got := run(t, s)
	if len(got.IDs(contract.KindComment)) != 0 || got.Gaps["reviews/unsupported"] == 0 || len(got.Gaps) != 1 {
		t.Errorf("gaps %v", got.Gaps)
	}
}

func TestPermissionWords(t *testing.T) {
	requirement.Claim(t, "AMB-39", "AMB-37", "ADM-14", "ACT-02")
	for _, c := range []struct {
		answer forgetest.Reply
		want   string // "" is unverified
	}{
		{forgetest.JSON(`{"permission":"owner","role_name":"owner","user":{"id":5}}`), "admin"},
		{forgetest.JSON(`{"permission":"admin","role_name":"admin","user":{"id":5}}`), "admin"},
		{forgetest.JSON(`{"permission":"write","role_name":"write","user":{"id":5}}`), "write"},
		{forgetest.JSON(`{"permission":"read","user":{"id":5}}`), "read"},
		{forgetest.JSON(`{"permission":"none","role_name":"none","user":{"id":5}}`), "none"},
		{forgetest.JSON(`{"permission":"maintain","role_name":"maintain","user":{"id":5}}`), ""},
		{forgetest.JSON(`{"permission":"admin","role_name":"admin","user":{"id":6}}`), ""}, // taken over
		{capture(t, "40-permission-ghost.http"), ""},
		{capture(t, "41-permission-forbidden.http"), ""},
	} {
		routes := demo(t)
		routes[api+"/collaborators/reader1/permission"] = []forgetest.Reply{c.answer}
		a := run(t, subject("/owner1/Demo/issues/1", routes)).Actor("5")
		got := ""
		if a.Role != nil {
			got = *a.Role
		}
		if got != c.want || a.RoleVerified != (c.want != "") {
			t.Errorf("%s: %q, verified %v", c.answer.Body, got, a.RoleVerified)
		}
	}
}

func TestPullRequestStates(t *testing.T) {
	requirement.Claim(t, "MAP-25", "MAP-26", "ABT-05")
	for _, c := range []struct {
		state  string
		merged bool
		want   contract.EntityState
	}{{"open", false, "open"}, {"closed", false, "closed"}, {"closed", true, "merged"}, {"open", true, "merged"}, {"locked", false, ""}} {
		routes := demo(t)
		pull := capture(t, "30-pull-open.http")
		pull.Body = strings.Replace(pull.Body, `"state":"open"`, fmt.Sprintf(`"state":%q`, c.state), 1)
		pull.Body = strings.Replace(pull.Body, `"merged":false`, fmt.Sprintf(`"merged":%v`, c.merged), 1)
		routes[api+"/pulls/2"] = []forgetest.Reply{pull}
		o := subject("/owner1/Demo/pulls/2", routes).Run(context.Background(), t, &forgetest.Net{})
		if c.want == "" {
			if o.Err == nil {
				t.Errorf("%s was accepted", c.state)
			}
			continue
		}
		if got := o.Lines(t).Header.Entity.State; got != c.want {
			t.Errorf("%s, merged %v: %s", c.state, c.merged, got)
		}
	}
}

func TestHeadUnknown(t *testing.T) {
	requirement.Claim(t, "AMB-74")
	routes := demo(t)
	pull := capture(t, "30-pull-open.http")
	pull.Body = strings.ReplaceAll(pull.Body, `"sha":"`+head+`"`, `"sha":""`)
	routes[api+"/pulls/2"] = []forgetest.Reply{pull}
	s := run(t, subject("/owner1/Demo/pulls/2", routes))
	if s.Header.HeadSHA != "" || s.Gaps["checks/fetch_failed"] != 1 || len(s.Checks) != 0 {
		t.Errorf("head %q, gaps %v", s.Header.HeadSHA, s.Gaps)
	}
}

func TestSubPathAndPort(t *testing.T) {
	requirement.Claim(t, "SRC-02", "SRC-03")
	const address = "https://git.example.test:8443/forge/owner1/Demo/issues/1"
	sites := []forge.Facts{forgejo.Driver.Facts}
	nothing := func(string) string { return "" }
	// The address alone does not tell that the forge lives below a path.
	if _, err := forge.Parse(sites, address+"?x#y", forge.Hints{}, nothing); fault.ExitOf(err) != fault.Usage {
		t.Errorf("%v", err)
	}
	target, err := forge.Parse(sites, address, forge.Hints{API: "https://git.example.test:8443/forge/api/v1"}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if got := forgejo.Driver.Endpoint(target).Base.String(); got != "https://git.example.test:8443/forge/api/v1" {
		t.Errorf("endpoint %s", got)
	}
	if target.Host != "git.example.test:8443" || !tree.ValidHost(target.Host) || target.Repository != "owner1/Demo" {
		t.Errorf("target %+v", target)
	}
}

// TestConformance runs the suite of all adapters. A long list of pages, reviews with
// comments, runs and people are generated around the recorded pull request.
func TestConformance(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-72", "AMB-77", "DET-02", "GAP-05")
	person := func(i int) string { return fmt.Sprintf(`{"id":%d,"login":"p%d"}`, 100+i, i) }
	routes := demo(t)
	var comments, reviews, runs []string
	for i := range 7 {
		comments = append(comments, fmt.Sprintf(`{"id":%d,"body":"c","user":%s,"created_at":"2026-05-05T10:00:0%dZ","updated_at":"2026-05-05T10:00:00Z"}`, 1000+i, person(i), i))
		reviews = append(reviews, fmt.Sprintf(`{"id":%d,"user":%s,"state":"COMMENT","body":"","commit_id":%q,"dismissed":%v,"comments_count":1,"submitted_at":"2026-05-05T11:00:0%dZ","updated_at":"2026-05-05T11:00:00Z"}`, 200+i, person(i), head, i == 0, i))
		runs = append(runs, fmt.Sprintf(`{"id":%d,"workflow_id":"w%d.yml","status":"failure","commit_sha":%q,"created":"2026-05-05T10:00:00Z","started":"2026-05-05T10:00:01Z","stopped":"2026-05-05T10:00:02Z"}`, 300+i, i, head))
		routes[fmt.Sprintf("%s/pulls/2/reviews/%d/comments", api, 200+i)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`[{"id":%d,"body":"i","user":%s,"created_at":"2026-05-05T12:00:00Z","updated_at":"2026-05-05T12:00:00Z"}]`, 2000+i, person(i)))}
		routes[fmt.Sprintf("%s/collaborators/p%d/permission", api, i)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`{"permission":"write","role_name":"write","user":{"id":%d}}`, 100+i))}
	}
	pages := func(path string, in string, items []string) {
		for page := 0; page <= (len(items)+2)/3; page++ {
			part := strings.Join(items[min(3*page, len(items)):min(3*page+3, len(items))], ",")
			body := `[` + part + `]`
			if in != "" {
				body = fmt.Sprintf(`{%q:[%s],"total_count":%d}`, in, part, len(items)+1)
			}
			separator := "?"
			if strings.Contains(path, "?") {
				separator = "&"
			}
			routes[fmt.Sprintf("%s%slimit=50&page=%d", path, separator, page+1)] = []forgetest.Reply{forgetest.JSON(body)}
		}
		body := `[` + strings.Join(items, ",") + `]`
		if in != "" {
			body = fmt.Sprintf(`{%q:[%s],"total_count":%d}`, in, strings.Join(items, ","), len(items))
		}
		routes[path] = []forgetest.Reply{forgetest.JSON(body)}
	}
	routes[api+"/issues/2/comments"] = []forgetest.Reply{forgetest.JSON(`[` + strings.Join(comments, ",") + `]`)}
	pages(api+"/pulls/2/reviews", "", reviews)
	pages(api+"/actions/runs?head_sha="+head, "workflow_runs", runs)
	pages(api+"/issues/2/timeline", "", []string{`{"id":1,"type":"dismiss_review","review_id":200,"user":` + person(1) + `,"created_at":"2026-05-05T13:00:00Z"}`})
	s := subject("/owner1/Demo/pulls/2", routes)
	got := run(t, s)
	if n := len(got.IDs(contract.KindComment)); n != 14 || len(got.IDs(contract.KindReview)) != 7 || len(got.Checks) != 7 {
		t.Fatalf("%d comments, %d reviews, %d checks, gaps %v", n, len(got.IDs(contract.KindReview)), len(got.Checks), got.Gaps)
	}
	if r := got.Record("200"); r.State != contract.Dismissed || *r.DismissedBy != "101" {
		t.Errorf("dismissal %+v", r)
	}
	// docs/requests.md: version and entity, comments, reviews, the comments of seven
	// reviews, the timeline, runs, statuses, the roles of eight people.
	if n := len(s.Run(context.Background(), t, &forgetest.Net{}).Requests); n != 2+1+1+7+1+1+1+8 {
		t.Errorf("%d requests", n)
	}
	forgetest.Conform(t, s)
}

func TestProbe(t *testing.T) {
	requirement.Claim(t, "AMB-37", "AMB-88")
	for name, c := range map[string]struct {
		path  string
		reply forgetest.Reply
		line  string
		exit  fault.Exit
	}{
		"enough":        {"/collaborators/reader1/permission", capture(t, "40-permission-reader1.http"), "roles: readable", 0},
		"no right":      {"/collaborators/reader1/permission", capture(t, "41-permission-forbidden.http"), "roles: not readable", 4},
		"no read:issue": {"/issues/1/comments", forgetest.Reply{Status: 403, Body: `{"message":"token does not have at least one of required scope(s): [read:issue]"}`}, "comments: not readable: comments: access is refused (status 403): the token lacks the scope read:issue", 1},
	} {
		routes := demo(t)
		routes["/api/v1/user"] = []forgetest.Reply{forgetest.JSON(`{"id":999}`)}
		routes[api+"/collaborators/reader1/permission"] = []forgetest.Reply{capture(t, "40-permission-reader1.http")}
		routes[api+c.path] = []forgetest.Reply{c.reply}
		lines, err := subject("/owner1/Demo/issues/1", routes).Probe(t, &forgetest.Net{})
		if fault.ExitOf(err) != c.exit || !strings.Contains(strings.Join(lines, "\n"), c.line) {
			t.Errorf("%s: %v\n%s", name, err, strings.Join(lines, "\n"))
		}
	}
}
