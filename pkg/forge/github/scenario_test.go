package github_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

type gap = forgetest.Gap

var maintainer = githubtest.User("U_kgDOmaint", "maint")

// pull gives a fake with pull request 7 by an admin.
func pull() (*githubtest.Fake, githubtest.M) {
	f := githubtest.New()
	f.Grant(maintainer, "admin")
	f.AddChecks()
	p := githubtest.Pull(7, maintainer)
	f.Entities[7] = p
	return f, p
}

// run runs the stage over a fake; change may be nil.
func run(t *testing.T, f *githubtest.Fake, net *forgetest.Net, change func(*forgetest.Subject)) forgetest.Outcome {
	t.Helper()
	s := subject(func() *githubtest.Fake { return f })
	s.MaxWait = 2 * time.Minute
	if change != nil {
		change(&s)
	}
	if net == nil {
		net = &forgetest.Net{}
	}
	return s.Run(context.Background(), t, net)
}

func asks(o forgetest.Outcome, part string) (urls []string) {
	for _, r := range o.Requests {
		if strings.Contains(r.URL, part) {
			urls = append(urls, r.URL)
		}
	}
	return urls
}

func TestEveryScenarioOfGitHubIsTested(t *testing.T) {
	others := []string{
		"ctx-fetch-second-page-by-marker", "ctx-fetch-merged-results-pipeline", "ctx-fetch-ids-beyond-32-bits", "ctx-fetch-gitlab-internal-note",
		"ctx-fetch-gitlab-bot-is-not-a-name", "ctx-fetch-gitlab-locked-is-open", "ctx-fetch-forgejo-inline-comments", "ctx-fetch-gitea-is-refused",
		"ctx-fetch-enterprise-host", // tested where the tokens are: pkg/forge
	}
	for _, c := range forgetest.Scenarios(t) {
		if _, ok := scenarioTests[c.ID]; !ok && !slices.Contains(others, c.ID) {
			t.Errorf("%s has no test", c.ID)
		}
	}
}

func TestScenarios(t *testing.T) {
	requirement.Claim(t, "ID-01", "KEY-06", "CHK-02", "CHK-05", "CHK-16", "CHK-18", "MAP-03", "MAP-22", "COL-07", "GAP-05",
		"ADM-14", "ADM-15", "MAP-11", "REV-05", "SRC-04", "AMB-16", "AMB-34", "AMB-37", "AMB-40", "AMB-42", "AMB-45", "AMB-64", "AMB-67", "AMB-68", "AMB-72", "AMB-73", "AMB-77")
	for id, test := range scenarioTests {
		t.Run(id, test)
	}
}

var scenarioTests = map[string]func(*testing.T){
	"ctx-fetch-thread-101st-reply":                longThread,
	"ctx-fetch-graphql-errors-in-200":             errorsIn200,
	"ctx-fetch-same-comment-on-two-pages":         sameCommentTwice,
	"ctx-fetch-secondary-limit-is-not-a-refusal":  secondaryLimit,
	"ctx-fetch-deleted-comment-author":            deletedAuthor,
	"ctx-fetch-bot-login-differs-per-api":         botLogin,
	"ctx-fetch-no-permission-lookup-for-bots":     noLookupForBots,
	"ctx-fetch-404-for-a-human-is-unverified":     unverifiedHuman,
	"ctx-fetch-role-name-wins-over-permission":    roleName,
	"ctx-fetch-head-captured-once":                headOnce,
	"ctx-fetch-reruns-share-a-name":               reruns,
	"ctx-fetch-skipped-ends-before-it-starts":     skippedBackwards,
	"ctx-fetch-year-one-means-absent":             yearOne,
	"ctx-fetch-third-party-check-has-no-birthday": noBirthday,
	"ctx-fetch-commit-status-is-not-a-check":      commitStatus,
	"ctx-fetch-failed-means-four-conclusions":     fourConclusions,
	"ctx-fetch-log-gone":                          logGone,
	"ctx-fetch-log-redirect-without-token":        logRedirect,
	"ctx-fetch-own-pending-review":                pendingReview,
	"ctx-fetch-dismissed-review-stays":            dismissedReview,
	"ctx-fetch-outdated-thread-has-no-line":       outdatedThread,
	"ctx-fetch-issues-url-of-a-pull":              issuesURLOfAPull,
	"ctx-fetch-empty-issue-is-complete":           emptyIssue,
	"ctx-fetch-minimized-comment-stays":           minimized,
	"ctx-fetch-renamed-repository-keeps-keys":     renamed,
	"ctx-fetch-lone-surrogate":                    loneSurrogate,
}

func longThread(t *testing.T) {
	f, p := pull()
	writer := githubtest.User("U_kgDOwriter", "writer")
	f.Grant(writer, "write")
	var comments []githubtest.M
	var want []string
	for i := 1; i <= 101; i++ {
		id := fmt.Sprintf("PRRC_kwDO%03d", i)
		comments = append(comments, githubtest.Inline(id, "reply", writer, githubtest.At(i), "PRR_kwDO1", ""))
		want = append(want, tree.Key(contract.Source{Forge: "github", Host: "github.com", RepositoryID: f.ID}, contract.KindComment, id))
	}
	githubtest.Append(p, "reviewThreads", githubtest.Thread("PRRT_kwDOlong", comments...))
	githubtest.Append(p, "reviews", githubtest.Review("PRR_kwDO1", "COMMENTED", writer, githubtest.At(1)))

	whole := run(t, f, nil, nil).Lines(t)
	if len(whole.Threads) != 1 || !slices.Equal(whole.Threads[0].RecordKeys, want) || len(whole.Gaps) != 0 {
		t.Errorf("threads %v, gaps %v", whole.Threads, whole.Gaps)
	}
	net := &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
		if strings.Contains(key, "PRRT_kwDOlong") {
			return forgetest.Answer(502, nil, "<html>")
		}
		return nil
	}}
	var expect struct {
		B struct {
			GapsInclude []gap `json:"gaps_include"`
		}
	}
	forgetest.Scenario(t, "ctx-fetch-thread-101st-reply", &expect)
	cut := run(t, f, net, nil).Lines(t)
	forgetest.CheckGaps(t, cut.Gaps, expect.B.GapsInclude)
	if len(cut.IDs("comment")) != 0 || len(cut.Threads) != 0 || len(cut.IDs("review")) != 1 {
		t.Errorf("comments %v, threads %v, reviews %v", cut.IDs("comment"), cut.Threads, cut.IDs("review"))
	}
}

// onOperation hits requests whose query has the name.
func onOperation(name string, f forgetest.Fault) *forgetest.Net {
	return &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
		if strings.Contains(key, "query "+name+"(") {
			return f
		}
		return nil
	}}
}

func issue() (*githubtest.Fake, githubtest.M) {
	f := githubtest.New()
	f.Grant(maintainer, "admin")
	i := githubtest.Issue(7, maintainer)
	f.Entities[7] = i
	return f, i
}

func onIssue(s *forgetest.Subject) { s.Address = "https://github.com/acme/tool/issues/7" }

func errorsIn200(t *testing.T) {
	var c struct {
		Inputs struct{ Body json.RawMessage }
	}
	var expect struct{ Gaps []gap }
	if err := json.Unmarshal(forgetest.Scenario(t, "ctx-fetch-graphql-errors-in-200", &expect).Given, &c); err != nil {
		t.Fatal(err)
	}
	f, i := issue()
	githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", maintainer, githubtest.At(1)))
	fault := forgetest.Answer(200, http.Header{"Content-Type": {"application/json"}}, string(c.Inputs.Body))
	o := run(t, f, onOperation("Comments", fault), onIssue)
	got := o.Lines(t)
	forgetest.CheckGaps(t, got.Gaps, expect.Gaps)
	if len(got.Records) != 1 || strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr, "rate limit") {
		t.Errorf("records %d, stderr %q", len(got.Records), o.Stderr)
	}
	// Had the entity itself met the limit: exit 4 and nothing written.
	o = run(t, f, onOperation("Entity", fault), onIssue)
	if o.Err == nil || len(o.Stream) != 0 || !strings.Contains(o.Err.Error(), "rate limit") {
		t.Errorf("err %v, stream %q", o.Err, o.Stream)
	}
}

func sameCommentTwice(t *testing.T) {
	comment := func(id, body string) githubtest.M { return githubtest.Comment(id, body, maintainer, githubtest.At(1)) }
	lists := func(readings ...[]githubtest.M) (*forgetest.Outcome, int) {
		f, i := issue()
		reading := 0
		i["comments"] = func(args map[string]any) any {
			if args["after"] == nil {
				reading++
			}
			total := 4
			return githubtest.Connection{Nodes: readings[min(reading, len(readings))-1], Total: &total}
		}
		o := run(t, f, nil, func(s *forgetest.Subject) { onIssue(s); s.MaxPage = 3 })
		return &o, reading
	}
	same := []githubtest.M{comment("7000", ""), comment("7001", ""), comment("7002", ""), comment("7001", ""), comment("7003", "")}
	moved := []githubtest.M{comment("7000", ""), comment("7001", ""), comment("7002", ""), comment("7001", ""), comment("7002", "edited"), comment("7003", "")}
	still := []githubtest.M{comment("7000", ""), comment("7001", ""), comment("7002", "edited"), comment("7003", "")}

	var expect struct {
		B struct {
			MovedAgain struct{ Gaps []gap } `json:"moved_again"`
		}
	}
	forgetest.Scenario(t, "ctx-fetch-same-comment-on-two-pages", &expect)
	o, readings := lists(same)
	got := o.Lines(t)
	if ids := got.IDs("comment"); readings != 1 || len(ids) != 4 || len(got.Gaps) != 0 {
		t.Errorf("A: %d readings, %v, gaps %v", readings, ids, got.Gaps)
	}
	o, readings = lists(moved, still)
	got = o.Lines(t)
	if readings != 2 || len(got.IDs("comment")) != 4 || string(got.Record("7002").Content.Bytes) != "edited" || len(got.Gaps) != 0 {
		t.Errorf("B: %d readings, %v, gaps %v", readings, got.IDs("comment"), got.Gaps)
	}
	o, readings = lists(moved)
	got = o.Lines(t)
	forgetest.CheckGaps(t, got.Gaps, expect.B.MovedAgain.Gaps)
	if readings != 2 || len(got.IDs("comment")) != 0 {
		t.Errorf("B again: %d readings, %v", readings, got.IDs("comment"))
	}
}

func secondaryLimit(t *testing.T) {
	f, i := issue()
	for n := range 15 {
		githubtest.Append(i, "comments", githubtest.Comment(fmt.Sprintf("IC_%d", n), "x", maintainer, githubtest.At(n)))
	}
	limit := forgetest.Answer(403, http.Header{"Retry-After": {"1"}, "X-Ratelimit-Remaining": {"4200"}},
		`{"message":"You have exceeded a secondary rate limit. Please wait."}`)
	for _, lasting := range []bool{false, true} {
		net := &forgetest.Net{Fault: func(key string, nth int) forgetest.Fault {
			if strings.Contains(key, `"cursor":"10"`) && (nth == 0 || lasting) {
				return limit
			}
			return nil
		}}
		got := run(t, f, net, func(s *forgetest.Subject) { onIssue(s); s.MaxPage = 10 }).Lines(t)
		want := []gap{}
		if lasting {
			want = []gap{{Scope: "comments", Code: "fetch_failed", Count: 1}}
		}
		forgetest.CheckGaps(t, got.Gaps, want)
		if n := len(got.IDs("comment")); n != 15 && !lasting || lasting && n != 0 {
			t.Errorf("lasting %v: %d comments", lasting, n)
		}
	}
}

func deletedAuthor(t *testing.T) {
	f, p := pull()
	f.Grant(maintainer, "write")
	githubtest.Append(p, "comments", githubtest.Comment("IC_kwDOhere", "hello", maintainer, githubtest.At(1)),
		githubtest.Comment("IC_kwDOgone", "still relevant", nil, githubtest.At(2)))
	githubtest.Append(p, "reviews", githubtest.Review("PRR_kwDOgone", "COMMENTED", nil, githubtest.At(3)))
	o := run(t, f, nil, func(s *forgetest.Subject) { s.Profile = "mutation" })
	if raw := o.Lines(t); len(raw.Actors) != 1 || raw.Record("IC_kwDOgone").AuthorID != nil {
		t.Errorf("actors %v", raw.Actors)
	}
	got, err := o.Filtered(t, "")
	if err != nil {
		t.Fatal(err)
	}
	var expect struct{ Gaps []gap }
	forgetest.Scenario(t, "ctx-fetch-deleted-comment-author", &expect)
	forgetest.CheckGaps(t, got.Gaps, expect.Gaps)
	if got.Admitted() != "IC_kwDOhere" {
		t.Errorf("admitted %s", got.Admitted())
	}
}

const registry = `{"bots":[{"forge":"github","host":"github.com","id":"%s","role":"reviewer"}]}`

func registered(t *testing.T, id string) func(*forgetest.Subject) {
	return func(s *forgetest.Subject) {
		s.Change = func(c *fetch.Config) {
			bots, err := fetch.ParseRegistry([]byte(fmt.Sprintf(registry, id)))
			if err != nil {
				t.Fatal(err)
			}
			c.Bots = bots
		}
	}
}

func botLogin(t *testing.T) {
	f, p := pull()
	bot := githubtest.Bot("BOT_kgDOAcme01", "acme-review")
	githubtest.Append(p, "comments", githubtest.Comment("IC_1", "x", bot, githubtest.At(1)))
	githubtest.Append(p, "reviews", githubtest.Review("PRR_1", "COMMENTED", bot, githubtest.At(2)))
	githubtest.Append(p, "reviewThreads", githubtest.Thread("PRRT_1", githubtest.Inline("PRRC_1", "x", bot, githubtest.At(3), "PRR_1", "")))
	o := run(t, f, nil, registered(t, "BOT_kgDOAcme01"))
	got, err := o.Filtered(t, "")
	if err != nil {
		t.Fatal(err)
	}
	a := got.Actor("BOT_kgDOAcme01")
	if got.Admitted() != "IC_1 PRR_1 PRRC_1" || len(got.Gaps) != 0 || len(got.Actors) != 2 ||
		a.Kind != contract.Bot || *a.Login != "acme-review" || *a.Role != "bot" || a.RoleVerified {
		t.Errorf("admitted %s, gaps %v, row %+v", got.Admitted(), got.Gaps, a)
	}
}

func noLookupForBots(t *testing.T) {
	f, p := pull()
	githubtest.Append(p, "comments", githubtest.Comment("IC_1", "x", githubtest.Bot("BOT_helper", "Helper"), githubtest.At(1)),
		githubtest.Comment("IC_2", "x", githubtest.Bot("BOT_other", "Other"), githubtest.At(2)))
	o := run(t, f, nil, registered(t, "BOT_helper"))
	got, err := o.Filtered(t, "")
	if err != nil {
		t.Fatal(err)
	}
	forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "comments", Code: "authorization_failed", Count: 1}})
	if got.Admitted() != "IC_1" || len(asks(o, "/permission")) != 1 {
		t.Errorf("admitted %s, asked %v", got.Admitted(), asks(o, "/permission"))
	}
}

func unverifiedHuman(t *testing.T) {
	f, i := issue()
	githubtest.Append(i, "comments", githubtest.Comment("IC_1", "x", githubtest.User("U_kgDOxyz", "xyz"), githubtest.At(1)))
	o := run(t, f, nil, onIssue)
	if a := o.Lines(t).Actor("U_kgDOxyz"); a.Kind != contract.Human || a.Role != nil || a.RoleVerified {
		t.Errorf("row %+v", a)
	}
	got, err := o.Filtered(t, "")
	if err != nil {
		t.Fatal(err)
	}
	forgetest.CheckGaps(t, got.Gaps, []gap{{Scope: "comments", Code: "authorization_failed", Count: 1}})
}

func roleName(t *testing.T) {
	var c struct{ Inputs map[string]map[string]any }
	var expect struct {
		Roles            map[string]string
		AdmittedAtTriage []string `json:"admitted_at_triage"`
		AdmittedAtWrite  []string `json:"admitted_at_write"`
	}
	if err := json.Unmarshal(forgetest.Scenario(t, "ctx-fetch-role-name-wins-over-permission", &expect).Given, &c); err != nil {
		t.Fatal(err)
	}
	f, i := issue()
	for n, name := range []string{"a", "b", "c", "d", "e"} {
		reply := c.Inputs[name]
		user, ok := reply["user"].(map[string]any)
		if !ok {
			user = map[string]any{}
			reply["user"] = user
		}
		user["node_id"] = "U_" + name
		f.Permissions[name] = githubtest.JSON(reply)
		githubtest.Append(i, "comments", githubtest.Comment(name, "x", githubtest.User("U_"+name, name), githubtest.At(n)))
	}
	o := run(t, f, nil, onIssue)
	for name, role := range expect.Roles {
		if a := o.Lines(t).Actor("U_" + name); a.Role == nil || *a.Role != role || !a.RoleVerified {
			t.Errorf("%s: %+v, want %s", name, a, role)
		}
	}
	for role, want := range map[string][]string{"triage": expect.AdmittedAtTriage, "write": expect.AdmittedAtWrite} {
		got, err := o.Filtered(t, role)
		if err != nil || got.Admitted() != strings.Join(want, " ") {
			t.Errorf("at %s: %v, %v", role, got, err)
		}
	}
}

func pendingReview(t *testing.T) {
	build := func(drafts bool) *githubtest.Fake {
		f, p := pull()
		old := githubtest.Thread("PRRT_kwDOold", githubtest.Inline("PRRC_1", "x", maintainer, githubtest.At(1), "PRR_1", ""))
		githubtest.Append(p, "reviews", githubtest.Review("PRR_1", "COMMENTED", maintainer, githubtest.At(1)))
		if drafts {
			draft := func(id, reply string) githubtest.M {
				return githubtest.With(githubtest.Inline(id, "draft", maintainer, githubtest.At(2), "PRR_kwDOpend", reply), "state", "PENDING")
			}
			githubtest.Append(p, "reviews", githubtest.With(githubtest.Review("PRR_kwDOpend", "PENDING", maintainer, githubtest.At(2)), "submittedAt", nil))
			githubtest.Append(old, "comments", draft("PRRC_2", "PRRC_1"))
			githubtest.Append(p, "reviewThreads", githubtest.Thread("PRRT_kwDOnew", draft("PRRC_3", "")))
		}
		githubtest.Append(p, "reviewThreads", old)
		return f
	}
	mine, theirs := run(t, build(true), nil, nil), run(t, build(false), nil, nil)
	if string(mine.Stream) != string(theirs.Stream) {
		t.Errorf("the token's owner sees another stream:\n%s\n%s", mine.Stream, theirs.Stream)
	}
	got := mine.Lines(t)
	if len(got.Threads) != 1 || got.Threads[0].ID != "PRRT_kwDOold" || len(got.Threads[0].RecordKeys) != 1 || len(got.Gaps) != 0 {
		t.Errorf("threads %+v, gaps %v", got.Threads, got.Gaps)
	}
}

func dismissedReview(t *testing.T) {
	f, p := pull()
	reviewer := githubtest.User("U_kgDOrev1", "rev1")
	f.Grant(reviewer, "write")
	r := githubtest.Review("PRR_kwDOdis1", "DISMISSED", reviewer, "2026-03-01T08:00:00Z")
	r["body"], r["commit"] = "Please add a test", githubtest.M{"oid": strings.Repeat("1", 40)}
	githubtest.Append(p, "reviews", r)
	githubtest.Append(p, "timelineItems", githubtest.Dismissal("RDE_1", "PRR_kwDOdis1", maintainer, "2026-03-02T09:00:00Z"))
	var expect struct {
		Row tree.Review `json:"reviews_row"`
	}
	forgetest.Scenario(t, "ctx-fetch-dismissed-review-stays", &expect)
	got := run(t, f, nil, nil).Lines(t)
	v := got.Record("PRR_kwDOdis1")
	row := tree.Review{
		ID: v.ID, RecordKey: v.RecordKey, ReviewedSHA: v.ReviewedSHA, State: v.State, SubmittedAt: v.CreatedAt,
		DismissedAt: &v.DismissedAt, DismissedByActorID: &v.DismissedBy,
	}
	a, _ := json.Marshal(row)
	b, _ := json.Marshal(expect.Row)
	if string(a) != string(b) || string(v.Content.Bytes) != "Please add a test" || len(got.Gaps) != 0 ||
		got.Actor("U_kgDOmaint") == nil || got.Actor("U_kgDOrev1") == nil {
		t.Errorf("got  %s\nwant %s\ngaps %v", a, b, got.Gaps)
	}
}

func outdatedThread(t *testing.T) {
	f, p := pull()
	t1 := githubtest.With(githubtest.Thread("PRRT_1", githubtest.Inline("PRRC_1", "x", maintainer, githubtest.At(1), "", "")),
		"isOutdated", true, "line", nil, "startLine", nil, "originalLine", 42, "originalStartLine", 40, "diffSide", "RIGHT", "path", "src/main.go")
	t2 := githubtest.With(githubtest.Thread("PRRT_2", githubtest.Inline("PRRC_2", "x", maintainer, githubtest.At(2), "", "")),
		"isOutdated", true, "line", 7, "originalLine", 7)
	githubtest.Append(p, "reviewThreads", t1, t2)
	got := run(t, f, nil, nil).Lines(t).Threads
	if a := got[0]; a.OriginalLine != 42 || a.OriginalStartLine != 40 || a.Side != contract.Right || a.Path != "src/main.go" || a.Line != 0 || a.StartLine != 0 || !a.Outdated {
		t.Errorf("t1 %+v", a)
	}
	if b := got[1]; b.Line != 7 || b.OriginalLine != 7 || !b.Outdated {
		t.Errorf("t2 %+v", b)
	}
}

func issuesURLOfAPull(t *testing.T) {
	f := githubtest.New()
	f.Entities[42] = githubtest.Pull(42, maintainer)
	o := run(t, f, nil, func(s *forgetest.Subject) { s.Address = "https://github.com/acme/tool/issues/42#issuecomment-1" })
	if o.Err == nil || len(o.Requests) != 1 || len(o.Stream) != 0 ||
		!strings.Contains(o.Err.Error(), "change_proposal") || !strings.Contains(o.Err.Error(), "https://github.com/acme/tool/pull/42") {
		t.Errorf("err %v, %d requests, stream %q", o.Err, len(o.Requests), o.Stream)
	}
}

func emptyIssue(t *testing.T) {
	f, i := issue()
	i["body"], i["id"], i["createdAt"] = nil, "I_kwDOExample7", "2026-02-03T04:05:06Z"
	got := run(t, f, nil, onIssue).Lines(t)
	forgetest.CheckGaps(t, got.Gaps, nil)
	e := got.Records[0]
	var expect struct {
		File string `json:"record_file"`
	}
	forgetest.Scenario(t, "ctx-fetch-empty-issue-is-complete", &expect)
	if len(got.Records) != 1 || tree.RecordPath(e.Kind, e.CreatedAt, e.RecordKey) != expect.File || len(e.Content.Bytes) != 0 || e.Content.Form != contract.FormText {
		t.Errorf("records %+v", got.Records)
	}
}

func minimized(t *testing.T) {
	f, i := issue()
	githubtest.Append(i, "comments", githubtest.With(githubtest.Comment("IC_kwDOmin1", "old plan", maintainer, githubtest.At(1)),
		"isMinimized", true, "minimizedReason", "outdated"))
	o := run(t, f, nil, onIssue)
	got := o.Lines(t)
	if string(got.Record("IC_kwDOmin1").Content.Bytes) != "old plan" || len(got.Gaps) != 0 || strings.Contains(string(o.Stream), "inimized") {
		t.Errorf("%s", o.Stream)
	}
}

func renamed(t *testing.T) {
	build := func(owner, name string) *githubtest.Fake {
		f := githubtest.New()
		f.Owner, f.Name = owner, name
		f.Grant(maintainer, "admin")
		i := githubtest.Issue(7, maintainer)
		githubtest.Append(i, "comments", githubtest.Comment("IC_kwDOmoved1", "x", maintainer, githubtest.At(1)))
		f.Entities[7] = i
		return f
	}
	var expect struct {
		A struct {
			Key string `json:"comment_key"`
		}
	}
	forgetest.Scenario(t, "ctx-fetch-renamed-repository-keeps-keys", &expect)
	f := build("New-Org", "Tool")
	// GraphQL follows the rename; a REST call under any former name is redirected by id.
	f.Permissions = map[string]githubtest.Reply{"maint": {Status: 301, Header: http.Header{"Location": {"https://api.github.com/repositories/555/collaborators/maint/permission"}}}}
	f.More["/repositories/555/collaborators/maint/permission"] = githubtest.JSON(githubtest.M{"permission": "admin", "role_name": "admin", "user": githubtest.M{"node_id": "U_kgDOmaint"}})
	s := subject(func() *githubtest.Fake { return f })
	s.Address = "https://github.com/old-owner/tool/issues/7"
	f.Former = "old-owner/tool"
	got := s.Run(context.Background(), t, &forgetest.Net{}).Lines(t)
	if got.Header.Source.Repository != "new-org/tool" || got.Header.Source.RepositoryID != "R_kgDOExample" || got.Record("IC_kwDOmoved1").RecordKey != expect.A.Key ||
		*got.Actor("U_kgDOmaint").Role != "admin" {
		t.Errorf("source %+v, key %s", got.Header.Source, got.Record("IC_kwDOmoved1").RecordKey)
	}
	before := build("old-owner", "tool")
	s.Hosts = func() map[string]http.Handler { return before.Hosts() }
	old := s.Run(context.Background(), t, &forgetest.Net{}).Lines(t)
	for i := range old.Records {
		if a, b := fmt.Sprintf("%+v", old.Records[i].RecordKey), got.Records[i].RecordKey; a != b {
			t.Errorf("key %s became %s", a, b)
		}
	}
	// B: a redirect to another host is refused, and the token stays.
	f.Permissions["maint"] = githubtest.Reply{Status: 301, Header: http.Header{"Location": {"https://api.evil.example/repositories/555"}}}
	s.Hosts = func() map[string]http.Handler {
		h := f.Hosts()
		h["api.evil.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Error("the other host was asked") })
		return h
	}
	if o := s.Run(context.Background(), t, &forgetest.Net{}); fault.ExitOf(o.Err) != fault.Environment {
		t.Errorf("the role was read from another host: %v", o.Err)
	}
}

func loneSurrogate(t *testing.T) {
	f, i := issue()
	githubtest.Append(i, "comments", githubtest.Comment("IC_1", "BODY1", maintainer, githubtest.At(1)), githubtest.Comment("IC_2", "BODY2", maintainer, githubtest.At(2)))
	half := forgetest.EditBody(func(b []byte) []byte {
		s := strings.Replace(string(b), "BODY1", `ok \ud83d end`, 1)
		return []byte(strings.Replace(s, "BODY2", `go \ud83d\ude80`, 1))
	})
	o := run(t, f, onOperation("Comments", half), onIssue)
	got := o.Lines(t)
	a, b := got.Record("IC_1").Content, got.Record("IC_2").Content
	if a.Form != contract.FormBytes || string(a.Bytes) != "ok \xed\xa0\xbd end" || b.Form != contract.FormText || string(b.Bytes) != "go 🚀" {
		t.Errorf("%+v %+v", a, b)
	}
	if len(got.Gaps) != 0 {
		t.Errorf("gaps %v", got.Gaps)
	}
}
