package github_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
)

const captureFloor = 40

func TestCapturesAreThere(t *testing.T) {
	n := 0
	err := filepath.WalkDir("testdata/captures", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".tsv") {
			n++
		}
		return err
	})
	if err != nil || n < captureFloor {
		t.Errorf("%d captures, at least %d are expected (%v)", n, captureFloor, err)
	}
}

// exchange is a recorded answer.
type exchange struct {
	Status  int
	Headers map[string]any
	Body    json.RawMessage
}

func capture(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/captures/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// reply reads an exchange or a bare body as an answer.
func reply(t *testing.T, name string) githubtest.Reply {
	t.Helper()
	var e exchange
	capture(t, name, &e)
	if e.Status == 0 {
		b, err := os.ReadFile("testdata/captures/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return githubtest.Reply{Body: string(b)}
	}
	r := githubtest.Reply{Status: e.Status, Header: http.Header{}, Body: string(e.Body)}
	var html string
	if json.Unmarshal(e.Body, &html) == nil {
		r.Body = html
	}
	for k, v := range e.Headers {
		switch strings.ToLower(k) {
		case "content-length", "content-encoding", "transfer-encoding":
			continue
		}
		r.Header.Set(k, fmt.Sprint(v))
	}
	return r
}

func answerOf(r githubtest.Reply) forgetest.Fault {
	return forgetest.Answer(max(r.Status, 200), r.Header, r.Body)
}

// TestRecordedErrorsOfLists: each error shape at the list of comments gives a gap and no
// comment; at the entity it ends the run.
func TestRecordedErrorsOfLists(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-77", "GAP-05")
	for name, says := range map[string]string{
		"graphql/error_node_not_found.json":      "not found",
		"graphql/error_saml_partial_data.json":   "single sign-on",
		"graphql/error_rate_limited.json":        "rate limit",
		"graphql/error_rate_limit_code.json":     "rate limit",
		"graphql/error_max_node_limit.json":      "too large",
		"rest/error_401_bad_credentials.json":    "credentials are refused",
		"rest/error_403_abuse_retry_after.json":  "secondary rate limit",
		"rest/error_403_admin_rights.json":       "access is refused",
		"rest/error_403_primary_rate_limit.json": "primary rate limit",
		"rest/error_404.json":                    "not found",
		"rest/error_429_retry_after.json":        "rate limit",
		"rest/error_503_html.json":               "the server failed",
	} {
		t.Run(name, func(t *testing.T) {
			r := reply(t, name)
			f, i := issue()
			githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", maintainer, githubtest.At(1)))
			o := run(t, f, onOperation("Comments", answerOf(r)), onIssue)
			got := o.Lines(t)
			forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "comments", Code: "fetch_failed", Count: 1}})
			if len(got.Records) != 1 || strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr, says) {
				t.Errorf("stderr %q, want %q", o.Stderr, says)
			}
			if o = run(t, f, onOperation("Entity", answerOf(r)), onIssue); o.Err == nil || len(o.Stream) != 0 || !strings.Contains(o.Err.Error(), says) {
				t.Errorf("entity: %v, stream %q", o.Err, o.Stream)
			}
		})
	}
}

func TestRecordedPermissions(t *testing.T) {
	requirement.Claim(t, "ADM-14", "ADM-15", "ACT-02", "AMB-37", "AMB-39")
	for name, want := range map[string]string{
		"permission_admin": "admin", "permission_read": "read", "permission_maintain_role": "maintain", "permission_none_empty_role_name": "none",
		"permission_old_no_role_name": "admin", "permission_403_no_push": "", "error_404": "", "error_503_html": "",
	} {
		t.Run(name, func(t *testing.T) {
			r := reply(t, "rest/"+name+".json")
			var body struct {
				User struct {
					NodeID string `json:"node_id"`
				}
			}
			_ = json.Unmarshal([]byte(r.Body), &body)
			id := body.User.NodeID
			if id == "" {
				id = "U_x"
			}
			f, i := issue()
			f.Permissions["x"] = r
			githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", githubtest.User(id, "x"), githubtest.At(1)))
			o := run(t, f, nil, onIssue)
			got := o.Lines(t)
			a := got.Actor(id)
			if want == "" && (a.Role != nil || a.RoleVerified) || want != "" && (a.Role == nil || *a.Role != want || !a.RoleVerified) {
				t.Errorf("%+v, want %q", a, want)
			}
			forgetest.CheckGaps(t, got.Gaps, nil)
			// Somebody else now has the login: the role is not the author's.
			if want != "" {
				i["comments"] = githubtest.Connection{Nodes: []githubtest.M{githubtest.Comment("IC_1", "x", githubtest.User("U_former", "x"), githubtest.At(1))}}
				if a := run(t, f, nil, onIssue).Lines(t).Actor("U_former"); a.Role != nil || a.RoleVerified {
					t.Errorf("another account's role: %+v", a)
				}
			}
		})
	}
}

func TestTokenWithoutPushAccess(t *testing.T) {
	requirement.Claim(t, "AMB-37", "ADM-14")
	f, i := issue()
	no := reply(t, "rest/permission_403_no_push.json")
	for n := range 5 {
		login := fmt.Sprintf("x%d", n)
		f.Permissions[login] = no
		githubtest.Append(i, "comments", githubtest.Comment("IC_"+login, "x", githubtest.User("U_"+login, login), githubtest.At(n)))
	}
	f.Permissions["maint"] = no
	o := run(t, f, nil, onIssue)
	if got := o.Lines(t); len(got.Actors) != 6 || len(got.Gaps) != 0 || len(asks(o, "/permission")) != 1 || !strings.Contains(o.Stderr, "push access") {
		t.Errorf("%d actors, gaps %v, asked %v, stderr %q", len(got.Actors), got.Gaps, asks(o, "/permission"), o.Stderr)
	}
}

// checkRun is a recorded REST check run or job.
type checkRun struct {
	ID          int64
	NodeID      string `json:"node_id"`
	HeadSHA     string `json:"head_sha"`
	Name        string
	Status      string
	Conclusion  *string
	CreatedAt   string  `json:"created_at"`
	StartedAt   *string `json:"started_at"`
	CompletedAt *string `json:"completed_at"`
}

// asGraphQL gives the GraphQL spelling of a recorded REST check run.
func (c checkRun) asGraphQL(head string) githubtest.M {
	var conclusion any
	if c.Conclusion != nil {
		conclusion = strings.ToUpper(*c.Conclusion)
	}
	value := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	return githubtest.With(githubtest.Run(c.NodeID, c.ID, c.Name), "status", strings.ToUpper(c.Status), "conclusion", conclusion,
		"startedAt", value(c.StartedAt), "completedAt", value(c.CompletedAt), "checkSuite", githubtest.M{"commit": githubtest.M{"oid": head}})
}

// onHead makes a pull request whose head is the recorded one.
func onHead(runs []checkRun, jobs string, actions bool) *githubtest.Fake {
	f, p := pull()
	head := runs[0].HeadSHA
	p["headRefOid"] = head
	var nodes []githubtest.M
	for _, r := range runs {
		nodes = append(nodes, r.asGraphQL(head))
	}
	workflow := int64(0)
	if actions {
		workflow = 90
	}
	f.Commits[head] = githubtest.M{"__typename": "Commit", "oid": head, "status": nil, "checkSuites": githubtest.Connection{Nodes: []githubtest.M{githubtest.Suite("CS_1", workflow, nodes...)}}}
	f.More["/repos/acme/tool/actions/runs/90/jobs"] = githubtest.Reply{Body: jobs}
	for _, r := range runs {
		f.Logs[r.ID] = githubtest.Reply{Body: "log"}
	}
	return f
}

func TestRecordedChecks(t *testing.T) {
	requirement.Claim(t, "CHK-02", "CHK-06", "CHK-16", "CHK-18", "MAP-01", "MAP-02", "MAP-03", "AMB-34", "AMB-67", "ID-01")
	var listed struct {
		CheckRuns []checkRun `json:"check_runs"`
		Jobs      []checkRun
	}
	t.Run("a job is its check run", func(t *testing.T) {
		capture(t, "rest/check_runs_actions_same_ids_as_jobs.json", &listed)
		jobs := reply(t, "rest/jobs_same_ids_as_check_runs.json").Body
		capture(t, "rest/jobs_same_ids_as_check_runs.json", &listed)
		got := run(t, onHead(listed.CheckRuns, jobs, true), nil, nil).Lines(t)
		created := map[string]string{}
		for _, j := range listed.Jobs {
			created[j.NodeID] = strings.TrimSuffix(j.CreatedAt, "Z") + ".000000000Z"
		}
		if len(got.Checks) != 5 || len(got.Gaps) != 0 {
			t.Fatalf("%d checks, gaps %v", len(got.Checks), got.Gaps)
		}
		for _, c := range got.Checks {
			if c.CreatedAt != created[c.ID] || c.HeadSHA != listed.CheckRuns[0].HeadSHA {
				t.Errorf("%s: created %s, the job says %s", c.ID, c.CreatedAt, created[c.ID])
			}
		}
	})
	for _, name := range []string{"check_runs_cancelled_skipped", "check_runs_skipped_started_after_completed"} {
		t.Run(name, func(t *testing.T) {
			listed.CheckRuns = nil
			capture(t, "rest/"+name+".json", &listed)
			var jobs []githubtest.M
			for _, r := range listed.CheckRuns {
				jobs = append(jobs, githubtest.M{"id": r.ID, "node_id": r.NodeID, "head_sha": r.HeadSHA, "created_at": *r.StartedAt})
			}
			b, _ := json.Marshal(githubtest.M{"total_count": len(jobs), "jobs": jobs})
			got := run(t, onHead(listed.CheckRuns, string(b), true), nil, nil).Lines(t)
			if len(got.Checks) != len(listed.CheckRuns) || len(got.Gaps) != 0 {
				t.Fatalf("%d of %d checks, gaps %v", len(got.Checks), len(listed.CheckRuns), got.Gaps)
			}
			byID := map[string]checkRun{}
			for _, r := range listed.CheckRuns {
				byID[r.NodeID] = r
			}
			for _, c := range got.Checks {
				r := byID[c.ID]
				if string(c.Conclusion) != *r.Conclusion || c.NeverStarted || c.StartedAt != strings.TrimSuffix(*r.StartedAt, "Z")+".000000000Z" ||
					c.CompletedAt != strings.TrimSuffix(*r.CompletedAt, "Z")+".000000000Z" {
					t.Errorf("%+v from %+v", c, r)
				}
			}
		})
	}
	t.Run("other Apps have no creation time", func(t *testing.T) {
		listed.CheckRuns = nil
		capture(t, "rest/check_runs_third_party_apps.json", &listed)
		got := run(t, onHead(listed.CheckRuns, "", false), nil, nil).Lines(t)
		forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "checks", Code: "invalid_metadata", Count: int64(len(listed.CheckRuns))}})
	})
	t.Run("queued with a start", func(t *testing.T) {
		var e struct{ Body checkRun }
		capture(t, "rest/check_run_queued.json", &e)
		b, _ := json.Marshal(githubtest.M{"total_count": 1, "jobs": []githubtest.M{{"id": e.Body.ID, "node_id": e.Body.NodeID, "head_sha": e.Body.HeadSHA, "created_at": *e.Body.StartedAt}}})
		got := run(t, onHead([]checkRun{e.Body}, string(b), true), nil, nil).Lines(t)
		if c := got.Checks[0]; c.Status != contract.Queued || c.StartedAt != "" || len(got.Gaps) != 0 {
			t.Errorf("%+v, gaps %v", c, got.Gaps)
		}
	})
	t.Run("a job of another revision dates nothing", func(t *testing.T) {
		var e struct{ Body checkRun }
		capture(t, "rest/check_run_queued.json", &e)
		b, _ := json.Marshal(githubtest.M{"total_count": 1, "jobs": []githubtest.M{{
			"id": e.Body.ID, "node_id": e.Body.NodeID, "head_sha": strings.Repeat("b", 40), "created_at": *e.Body.StartedAt,
		}}})
		got := run(t, onHead([]checkRun{e.Body}, string(b), true), nil, nil).Lines(t)
		forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "checks", Code: "invalid_metadata", Count: 1}})
	})
	t.Run("fewer jobs than the total", func(t *testing.T) {
		requirement.Claim(t, "AMB-42", "GAP-05")
		var e struct{ Body checkRun }
		capture(t, "rest/check_run_queued.json", &e)
		b, _ := json.Marshal(githubtest.M{"total_count": 2, "jobs": []githubtest.M{{
			"id": e.Body.ID, "node_id": e.Body.NodeID, "head_sha": e.Body.HeadSHA, "created_at": *e.Body.StartedAt,
		}}})
		got := run(t, onHead([]checkRun{e.Body}, string(b), true), nil, nil).Lines(t)
		forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "checks", Code: "fetch_failed", Count: 1}})
		if len(got.Checks) != 0 {
			t.Errorf("checks %+v", got.Checks)
		}
	})
	t.Run("jobs of several conclusions", func(t *testing.T) {
		capture(t, "rest/jobs_cancelled_skipped.json", &listed)
		got := run(t, onHead(listed.Jobs, reply(t, "rest/jobs_cancelled_skipped.json").Body, true), nil, nil).Lines(t)
		if len(got.Checks) != len(listed.Jobs) || len(got.Gaps) != 0 {
			t.Errorf("%d of %d, gaps %v", len(got.Checks), len(listed.Jobs), got.Gaps)
		}
	})
}

func TestRecordedThreads(t *testing.T) {
	requirement.Claim(t, "ID-01", "MAP-21", "MAP-22", "THR-03", "REV-05", "AMB-22")
	type connection struct{ Nodes []githubtest.M }
	for name, floor := range map[string]int{"pr_threads_full": 2, "pr_threads_resolved": 4, "threads_line_vs_original_line": 18} {
		t.Run(name, func(t *testing.T) {
			var doc struct {
				Data struct {
					Repository struct {
						PullRequest struct{ ReviewThreads connection }
					}
				}
			}
			capture(t, "graphql/"+name+".json", &doc)
			nodes := doc.Data.Repository.PullRequest.ReviewThreads.Nodes
			if len(nodes) < floor {
				t.Fatalf("%d threads", len(nodes))
			}
			f, p := pull()
			want := map[string]githubtest.M{}
			for _, n := range nodes {
				var comments []githubtest.M
				list, _ := n["comments"].(map[string]any)["nodes"].([]any)
				for _, raw := range list {
					c := raw.(map[string]any)
					reply := ""
					if r, ok := c["replyTo"].(map[string]any); ok {
						reply, _ = r["id"].(string)
					}
					comments = append(comments, githubtest.Inline(c["id"].(string), c["body"].(string), maintainer, c["createdAt"].(string), "", reply))
				}
				made := githubtest.Thread(n["id"].(string), comments...)
				for _, member := range []string{"isResolved", "isOutdated", "path", "line", "startLine", "originalLine", "diffSide"} {
					if v, ok := n[member]; ok {
						made[member] = v
					}
				}
				if r, ok := n["resolvedBy"].(map[string]any); ok {
					made["resolvedBy"] = githubtest.User("U_"+fmt.Sprint(r["login"]), fmt.Sprint(r["login"]))
				}
				want[n["id"].(string)] = made
				githubtest.Append(p, "reviewThreads", made)
			}
			got := run(t, f, nil, nil).Lines(t)
			if len(got.Threads) != len(nodes) || len(got.Gaps) != 0 {
				t.Fatalf("%d of %d threads, gaps %v", len(got.Threads), len(nodes), got.Gaps)
			}
			for _, th := range got.Threads {
				n := want[th.ID]
				if th.Resolved != n["isResolved"].(bool) || th.Outdated != n["isOutdated"].(bool) || th.Path != n["path"] || th.Side != contract.Right {
					t.Errorf("%+v from %v", th, n)
				}
				if line, ok := n["line"].(float64); ok && th.Line != int64(line) || n["line"] == nil && th.Line != 0 {
					t.Errorf("%s: line %d from %v", th.ID, th.Line, n["line"])
				}
				if who, ok := n["resolvedBy"].(githubtest.M); ok && (th.ResolvedByActorID == nil || *th.ResolvedByActorID != who["id"]) {
					t.Errorf("%s: resolved by %v", th.ID, th.ResolvedByActorID)
				}
				first := n["comments"].(githubtest.Connection).Nodes[0]
				if th.CreatedAt != strings.TrimSuffix(first["createdAt"].(string), "Z")+".000000000Z" {
					t.Errorf("%s: created %s", th.ID, th.CreatedAt)
				}
			}
		})
	}
}

func TestRecordedReviews(t *testing.T) {
	requirement.Claim(t, "MAP-11", "MAP-16", "MAP-17", "ID-01", "ID-05", "AMB-61")
	type account struct {
		Login, Type string
		NodeID      string `json:"node_id"`
	}
	type recorded struct {
		NodeID      string `json:"node_id"`
		User        *account
		Body, State string
		SubmittedAt *string `json:"submitted_at"`
		CommitID    string  `json:"commit_id"`
	}
	var all []recorded
	for _, name := range []string{"reviews_bots", "reviews_copilot_bot_login", "reviews_deleted_user_null"} {
		var list []recorded
		capture(t, "rest/"+name+".json", &list)
		all = append(all, list...)
	}
	var pending recorded
	capture(t, "rest/review_pending.json", &pending)
	all = append(all, pending)
	f, p := pull()
	for _, r := range all {
		var author any
		if r.User != nil {
			author = githubtest.M{"__typename": r.User.Type, "id": r.User.NodeID, "login": strings.TrimSuffix(r.User.Login, "[bot]"), "databaseId": 1}
		}
		v := githubtest.With(githubtest.Review(r.NodeID, r.State, author, githubtest.At(0)), "body", r.Body, "commit", githubtest.M{"oid": r.CommitID}, "submittedAt", nil)
		if r.SubmittedAt != nil {
			v["submittedAt"] = *r.SubmittedAt
		}
		githubtest.Append(p, "reviews", v)
	}
	got := run(t, f, nil, nil).Lines(t)
	if n := len(got.IDs("review")); n != len(all)-1 || len(got.Gaps) != 0 {
		t.Fatalf("%d of %d reviews, gaps %v", n, len(all), got.Gaps)
	}
	for _, r := range all[:len(all)-1] {
		v := got.Record(r.NodeID)
		if string(v.State) != strings.ToLower(r.State) || v.ReviewedSHA != r.CommitID || v.CreatedAt != strings.TrimSuffix(*r.SubmittedAt, "Z")+".000000000Z" ||
			string(v.Content.Bytes) != r.Body || (v.AuthorID == nil) != (r.User == nil) {
			t.Errorf("%+v from %+v", v, r)
		}
	}
	if a := got.Actor("BOT_kgDOCnlnWA"); a == nil || a.Kind != contract.Bot || *a.Login != "copilot-pull-request-reviewer" {
		t.Errorf("the bot of three spellings: %+v", a)
	}
}

// TestRecordedGhost: the account that stands for all deleted ones is nobody.
func TestRecordedGhost(t *testing.T) {
	requirement.Claim(t, "ID-05", "AMB-61", "AMB-16")
	var e struct {
		User struct {
			NodeID string `json:"node_id"`
			Login  string
		}
	}
	capture(t, "rest/pull_deleted_author_ghost.json", &e)
	f, i := issue()
	githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", githubtest.User(e.User.NodeID, e.User.Login), githubtest.At(1)))
	o := run(t, f, nil, onIssue)
	if got := o.Lines(t); got.Record("IC_1").AuthorID != nil || len(got.Actors) != 1 || len(asks(o, "ghost")) != 0 {
		t.Errorf("%+v, actors %v", got.Record("IC_1"), got.Actors)
	}
}

func TestRecordedLogs(t *testing.T) {
	requirement.Claim(t, "AMB-68", "CHK-21")
	for _, name := range []string{"job_log_section_crlf.txt", "job_log_bom_failure.txt"} {
		want, err := os.ReadFile("testdata/captures/logs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		f := failedCheck()
		f.Logs[1] = githubtest.Reply{Body: string(want)}
		got := run(t, f, nil, nil).Lines(t)
		if len(got.Logs) != 1 || string(got.Logs[0].Content.Bytes) != string(want) {
			t.Errorf("%s: the bytes changed", name)
		}
	}
	// The recorded redirect: its address is signed and appears nowhere.
	r := reply(t, "logs/job_logs_redirect_302.json")
	location := r.Header.Get("Location")
	f := failedCheck()
	f.More["/repos/acme/tool/actions/jobs/1/logs"] = r
	var saw []http.Header
	s := subject(func() *githubtest.Fake { return f })
	s.Hosts = func() map[string]http.Handler {
		h := f.Hosts()
		h[strings.Split(location, "/")[2]] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			saw = append(saw, r.Header.Clone())
			http.Error(w, "no", http.StatusGone)
		})
		return h
	}
	o := s.Run(t.Context(), t, &forgetest.Net{})
	got := o.Lines(t)
	_, query, signed := strings.Cut(location, "?")
	if len(saw) != 1 || saw[0].Get("Authorization") != "" || got.Logs[0].Content.Missing != contract.FetchFailed || !signed || strings.Contains(o.Stderr, query) {
		t.Errorf("saw %v, stderr %q", saw, o.Stderr)
	}
}
