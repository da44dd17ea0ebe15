package github_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

func up(n, size int) int { return (max(n, 0) + size - 1) / size }

// TestRequests counts against the published formula (docs/requests.md).
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		size githubtest.Size
		want int // 0: by the formula alone
	}{
		{githubtest.Large, 129},
		{githubtest.Size{Authors: 1}, 0},
		{githubtest.Size{Comments: 100, Threads: 50, Reviews: 100, Checks: 60, Authors: 50, LongThread: 50}, 0},
		{githubtest.Size{Comments: 101, Threads: 51, Reviews: 101, Checks: 61, Authors: 51, LongThread: 51}, 0},
		{githubtest.Size{Comments: 1, Threads: 1, Reviews: 9, Checks: 1, Authors: 2, LongThread: 151}, 0},
	} {
		s := c.size
		f := githubtest.Generate(s)
		suites := up(s.Checks, 60)
		want := 1 + max(1, up(s.Comments, 100)) + max(1, up(s.Reviews, 100)) + up(s.Reviews/10, 100) +
			max(1, up(s.Threads, 50)) + max(1, up(suites, 25)) + suites + 2*up(s.Checks, 3)
		if s.Threads > 0 {
			want += up(s.LongThread-50, 100)
		}
		for left := s.Checks; left > 0; left -= 60 {
			want += up(min(left, 60)-50, 100)
		}
		people := map[any]bool{}
		for _, r := range run(t, f, nil, nil).Lines(t).Actors {
			people[r.ID] = true
		}
		if len(people) > 50 {
			want += up(len(f.Collaborators), 100)
		} else {
			want += len(people)
		}
		if c.want != 0 && c.want != want {
			t.Errorf("the formula gives %d for the published %d", want, c.want)
		}
		if got := len(run(t, f, nil, nil).Requests); got != want {
			t.Errorf("%+v: %d requests, the formula says %d", s, got, want)
		}
	}
	doc, err := os.ReadFile("../../../docs/requests.md")
	if err != nil || !bytes.Contains(doc, []byte("2·50 = 129")) {
		t.Errorf("docs/requests.md does not publish 129: %v", err)
	}
}

// TestCollaboratorsListGivesTheSame: above 50 people one list replaces single look-ups.
// After filtering nothing differs, whoever is listed or not.
func TestCollaboratorsListGivesTheSame(t *testing.T) {
	requirement.Claim(t, "ADM-13", "ADM-15", "ACT-02")
	build := func() *githubtest.Fake {
		f, p := pull()
		roles := []string{"admin", "maintain", "write", "triage", "read", "none"}
		for n := range 51 {
			u := githubtest.User(fmt.Sprintf("U_%02d", n), fmt.Sprintf("user%02d", n))
			f.Grant(u, roles[n%len(roles)])
			githubtest.Append(p, "comments", githubtest.Comment(fmt.Sprintf("IC_%02d", n), "x", u, githubtest.At(n)))
		}
		// A reader and a stranger who need a row: they resolved and dismissed.
		reader, stranger := githubtest.User("U_reader", "reader"), githubtest.User("U_stranger", "stranger")
		f.Grant(reader, "read")
		githubtest.Append(p, "reviewThreads", githubtest.With(githubtest.Thread("PRRT_1", githubtest.Inline("PRRC_1", "x", maintainer, githubtest.At(1), "", "")), "isResolved", true, "resolvedBy", reader))
		githubtest.Append(p, "reviews", githubtest.Review("PRR_1", "DISMISSED", maintainer, githubtest.At(1)))
		githubtest.Append(p, "timelineItems", githubtest.Dismissal("RDE_1", "PRR_1", stranger, githubtest.At(2)))
		return f
	}
	listed := run(t, build(), nil, nil)
	// The same with a list that fails: every role is looked up.
	broken := onPath("/collaborators?", forgetest.Answer(500, nil, ""))
	single := run(t, build(), broken, nil)
	if n := len(asks(listed, "/permission")); n != 2 {
		t.Errorf("%d look-ups beside the list", n)
	}
	if n := len(asks(single, "/permission")); n != 54 {
		t.Errorf("%d single look-ups", n)
	}
	for _, role := range []string{"triage", "write"} {
		a, err := listed.Filtered(t, role)
		if err != nil {
			t.Fatal(err)
		}
		b, err := single.Filtered(t, role)
		if err != nil {
			t.Fatal(err)
		}
		if a.Admitted() != b.Admitted() || fmt.Sprint(a.Gaps) != fmt.Sprint(b.Gaps) {
			t.Errorf("%s: %s %v\n%s %v", role, a.Admitted(), a.Gaps, b.Admitted(), b.Gaps)
		}
	}
	for _, o := range []forgetest.Outcome{listed, single} {
		if a := o.Lines(t).Actor("U_reader"); a.Role == nil || *a.Role != "read" {
			t.Errorf("the resolver: %+v", a)
		}
		if a := o.Lines(t).Actor("U_stranger"); a.Role != nil || a.RoleVerified {
			t.Errorf("the dismisser: %+v", a)
		}
	}
}

// A list of people whose answers have lost their links does not end at a full page: who
// stands behind it would not be heard. It states no total, so that two readings have to
// agree (AMB-82).
func TestCollaboratorsWithoutLinks(t *testing.T) {
	requirement.Claim(t, "GAP-05", "AMB-42", "ADM-15")
	for _, c := range []struct{ people, pages int }{{99, 1}, {100, 4}, {101, 4}, {200, 6}} {
		f, p := pull()
		for n := range c.people - len(f.Collaborators) {
			u := githubtest.User(fmt.Sprintf("U_%03d", n), fmt.Sprintf("user%03d", n))
			f.Grant(u, "write")
			githubtest.Append(p, "comments", githubtest.Comment(fmt.Sprintf("IC_%03d", n), "x", u, githubtest.At(n)))
		}
		unlinked := func(_ *http.Request, good *http.Response) (*http.Response, error) {
			good.Header.Del("Link")
			return good, nil
		}
		o := run(t, f, onPath("/collaborators?", unlinked), nil)
		if n := len(asks(o, "/collaborators?")); n != c.pages {
			t.Errorf("%d people: %d pages", c.people, n)
		}
		for _, a := range o.Lines(t).Actors {
			if a.Kind == contract.Human && a.Role == nil {
				t.Errorf("%d people: %s has no role", c.people, a.ID)
			}
		}
	}
}

func onPath(part string, f forgetest.Fault) *forgetest.Net {
	return &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
		if strings.Contains(key, part) {
			return f
		}
		return nil
	}}
}

// TestNullIdentifier: it costs its object, not the list.
func TestNullIdentifier(t *testing.T) {
	requirement.Claim(t, "KEY-07")
	f, i := issue()
	nameless := githubtest.Comment("IC_1", "x", maintainer, githubtest.At(1))
	nameless["id"] = nil
	githubtest.Append(i, "comments", nameless)
	githubtest.Append(i, "comments", githubtest.Comment("IC_2", "x", maintainer, githubtest.At(2)))
	got := run(t, f, &forgetest.Net{}, onIssue).Lines(t)
	if len(got.IDs("comment")) != 1 || got.Gaps["comments/invalid_metadata"] != 1 || len(got.Gaps) != 1 {
		t.Errorf("comments %v, gaps %v", got.IDs("comment"), got.Gaps)
	}
}

// TestSmallerPages: a query that is too slow for the server is asked in halves, and the
// list is whole all the same.
func TestSmallerPages(t *testing.T) {
	f, i := issue()
	for n := range 230 {
		githubtest.Append(i, "comments", githubtest.Comment(fmt.Sprintf("IC_%03d", n), "x", maintainer, githubtest.At(n)))
	}
	for name, fault := range map[string]forgetest.Fault{
		"502":            forgetest.Answer(502, nil, `{"data":null,"errors":[{"message":"Something went wrong"}]}`),
		"504":            forgetest.Answer(504, nil, "<html>"),
		"200":            forgetest.Answer(200, nil, `{"data":null,"errors":[{"message":"Something went wrong while executing your query."}]}`),
		"too many nodes": forgetest.Answer(200, nil, `{"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"x"}]}`),
	} {
		net := &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
			if strings.Contains(key, "query Comments") && (strings.Contains(key, `"first":100`) || strings.Contains(key, `"first":50`)) {
				return fault
			}
			return nil
		}}
		o := run(t, f, net, onIssue)
		if got := o.Lines(t); len(got.IDs("comment")) != 230 || len(got.Gaps) != 0 {
			t.Errorf("%s: %d comments, gaps %v", name, len(got.IDs("comment")), got.Gaps)
		}
	}
}

// TestAnswersOverTheirCap: a page that is too large to read is asked for in halves.
func TestAnswersOverTheirCap(t *testing.T) {
	f, i := issue()
	for n := range 130 {
		githubtest.Append(i, "comments", githubtest.Comment(fmt.Sprintf("IC_%03d", n), strings.Repeat("x", 400), maintainer, githubtest.At(n)))
	}
	for limit, whole := range map[int64]bool{1 << 20: true, 40 << 10: true, 2 << 10: false} {
		got := run(t, f, nil, func(s *forgetest.Subject) { onIssue(s); s.MaxAnswer = limit }).Lines(t)
		if n := len(got.IDs("comment")); whole && (n != 130 || len(got.Gaps) != 0) || !whole && (n != 0 || got.Gaps["comments/fetch_failed"] != 1) {
			t.Errorf("%d bytes: %d comments, gaps %v", limit, n, got.Gaps)
		}
	}
}

func TestLabelsBeyondTheFirstPage(t *testing.T) {
	f, i := issue()
	var names []string
	for n := range 205 {
		names = append(names, fmt.Sprintf("label %03d", n))
	}
	i["labels"] = githubtest.Labels(names...)
	o := run(t, f, nil, onIssue)
	if got := o.Lines(t).Header.Entity.Labels; !slices.Equal(got, names) {
		t.Errorf("%d labels", len(got))
	}
	// The labels belong to the entity: a page that fails ends the run (ABT-04).
	o = run(t, f, onOperation("Labels", forgetest.Answer(500, nil, "")), onIssue)
	if o.Err == nil || len(o.Stream) != 0 {
		t.Errorf("a lost page of labels: %v", o.Err)
	}
	i["labels"] = nil
	if got := run(t, f, nil, onIssue).Lines(t).Header.Entity.Labels; len(got) != 0 {
		t.Errorf("labels %v", got)
	}
}

func TestDismissals(t *testing.T) {
	requirement.Claim(t, "ID-05", "REV-02", "AMB-61")
	f, p := pull()
	other := githubtest.User("U_other", "other")
	for _, id := range []string{"PRR_1", "PRR_2", "PRR_3", "PRR_4", "PRR_6"} {
		githubtest.Append(p, "reviews", githubtest.Review(id, "DISMISSED", maintainer, githubtest.At(1)))
	}
	githubtest.Append(p, "reviews", githubtest.Review("PRR_5", "APPROVED", maintainer, githubtest.At(1)))
	githubtest.Append(p, "timelineItems",
		githubtest.Dismissal("RDE_1", "PRR_1", other, githubtest.At(30)), // the newest counts, wherever it stands
		githubtest.Dismissal("RDE_2", "PRR_1", maintainer, githubtest.At(20)),
		githubtest.Dismissal("RDE_3", "PRR_2", nil, githubtest.At(20)),
		githubtest.Dismissal("RDE_4", "PRR_4", githubtest.Bot("BOT_1", "stale"), githubtest.At(20)),
		githubtest.Dismissal("RDE_5", "", other, githubtest.At(20)),
		githubtest.Dismissal("RDE_6", "PRR_5", other, githubtest.At(20)),
		githubtest.Dismissal("RDE_7", "PRR_6", maintainer, githubtest.At(10)),
		githubtest.Dismissal("RDE_8", "PRR_6", other, githubtest.At(40)))
	got := run(t, f, nil, nil).Lines(t)
	for id, want := range map[string]string{
		"PRR_1": "2026-05-01T10:00:30.000000000Z U_other", "PRR_2": "2026-05-01T10:00:20.000000000Z -", "PRR_3": "- -", "PRR_4": "2026-05-01T10:00:20.000000000Z BOT_1", "PRR_5": "- -",
		"PRR_6": "2026-05-01T10:00:40.000000000Z U_other",
	} {
		at, by := "-", "-"
		r := got.Record(id)
		if r.DismissedAt != nil {
			at = *r.DismissedAt
		}
		if r.DismissedBy != nil {
			by = *r.DismissedBy
		}
		if at+" "+by != want {
			t.Errorf("%s: %s %s, want %s", id, at, by, want)
		}
	}
	// Without the events the outcome is half known: the reviews are gone, not the rest.
	cut := run(t, f, onOperation("Dismissals", forgetest.Answer(500, nil, "")), nil).Lines(t)
	forgetest.CheckGaps(t, cut.Gaps, []gap{{Scope: "reviews", Code: "fetch_failed", Count: 1}})
	if len(cut.IDs("review")) != 0 {
		t.Errorf("reviews %v", cut.IDs("review"))
	}
}

// TestPublishers: of a receipt's publisher only the id is known; the forge says what it
// is. An id of nobody, or of something that is no account, does not hide the others.
func TestPublishers(t *testing.T) {
	requirement.Claim(t, "AMB-76", "AMB-70")
	const row = `{"id":"RUN_%d","agent":"fixer","status":"success","input_revision":"%064d","result_record_keys":[],"completed_at":"2026-05-01T10:00:0%dZ","publisher_id":"%s"}` + "\n"
	kinds := map[string]contract.ActorKind{"BOT_pub": contract.Bot, "U_pub": contract.Human, "BOT_gone": contract.Unknown, "U_kgDOmaint": contract.Human, "I_kwDO7": contract.Unknown}
	for _, ids := range [][]string{{"BOT_pub"}, {"BOT_pub", "U_pub", "U_kgDOmaint"}, {"I_kwDO7", "BOT_pub"}, {"BOT_gone"}, {"BOT_gone", "BOT_pub", "U_pub", "I_kwDO7"}} {
		var text string
		for n, id := range ids {
			text += fmt.Sprintf(row, n, n, n, id)
		}
		runs, err := fetch.ParseReceipts("runs", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		f, _ := issue()
		f.Objects = []githubtest.M{githubtest.Bot("BOT_pub", "publisher"), githubtest.User("U_pub", "person")}
		f.Grant(f.Objects[1], "admin")
		o := run(t, f, nil, func(s *forgetest.Subject) {
			onIssue(s)
			registered(t, "BOT_pub")(s)
			change := s.Change
			s.Change = func(c *fetch.Config) {
				change(c)
				c.Collection.IncludedSources = []string{"agent_runs", "comments", "entity"}
				c.Runs, c.HasRuns = runs, true
			}
		})
		got := o.Lines(t)
		kept := 0
		for _, id := range ids {
			if a := got.Actor(id); a == nil || a.Kind != kinds[id] {
				t.Errorf("%v: %s is %+v", ids, id, a)
			}
			if id == "BOT_pub" {
				kept = 1
			}
		}
		left, err := o.Filtered(t, "")
		if err != nil || len(left.Runs) != kept || left.Gaps["agent_runs/authorization_failed"] != int64(len(ids)-kept) {
			t.Errorf("%v: %v, gaps %v, %v", ids, left.Runs, left.Gaps, err)
		}
	}
}

// TestProbe: what a token can read, by GitHub's own words where it has some.
func TestProbe(t *testing.T) {
	requirement.Claim(t, "AMB-88", "AMB-89")
	probe := func(f *githubtest.Fake, net *forgetest.Net) (string, error) {
		lines, err := subject(func() *githubtest.Fake { return f }).Probe(t, net)
		return strings.Join(lines, "\n"), err
	}
	build := func() *githubtest.Fake {
		return githubtest.Generate(githubtest.Size{Comments: 3, Threads: 2, Reviews: 2, Checks: 2, Authors: 3})
	}
	whole := "entity: readable\ncomments: readable\nreviews: readable\nchecks: readable\ncheck_logs: readable\nroles: readable, asked about 1 of the people who take part\nbudget core: 4999 of 5000 requests left\nbudget graphql: 4990 of 5000 requests left"
	net := &forgetest.Net{}
	f := build()
	if lines, err := probe(f, net); err != nil || lines != whole {
		t.Errorf("%v\n%s", err, lines)
	}
	for _, r := range net.Requests() {
		if strings.Contains(r.URL, "/collaborators/") && strings.Contains(r.URL, "/collaborators/"+fmt.Sprint(f.Viewer["login"])+"/") {
			t.Errorf("the token's owner was asked about: %s", r.URL)
		}
	}
	// The owner is the author: somebody else is asked about.
	f.Viewer = f.Entities[7]["author"].(githubtest.M)
	net = &forgetest.Net{}
	if lines, err := probe(f, net); err != nil || lines != whole {
		t.Errorf("%v\n%s", err, lines)
	}
	for _, r := range net.Requests() {
		if strings.Contains(r.URL, "/collaborators/"+fmt.Sprint(f.Viewer["login"])+"/") {
			t.Errorf("the token's owner was asked about: %s", r.URL)
		}
	}
	refuse := func(part string, header http.Header) *forgetest.Net {
		return &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
			if strings.Contains(key, part) {
				return forgetest.Answer(403, header, `{"message":"Resource not accessible by personal access token"}`)
			}
			return nil
		}}
	}
	needs := http.Header{"X-Accepted-Github-Permissions": {"actions=read"}}
	lines, err := probe(f, refuse("/actions/runs?", needs))
	if fault.ExitOf(err) != fault.Aborted || !strings.Contains(lines, "check_logs: not readable: workflow runs: access is refused (status 403): the token needs one of the permissions actions=read") {
		t.Errorf("%v\n%s", err, lines)
	}
	lines, err = probe(f, refuse("/permission", nil))
	if fault.ExitOf(err) != fault.Environment || !strings.Contains(lines, "an installation token or GITHUB_TOKEN needs Metadata (read); the token of a person") {
		t.Errorf("%v\n%s", err, lines)
	}
	if lines, err = probe(f, refuse("query Comments", nil)); fault.ExitOf(err) != fault.Aborted || !strings.Contains(lines, "comments: not readable") {
		t.Errorf("%v\n%s", err, lines)
	}
	scopes := forgetest.Answer(200, nil, `{"errors":[{"type":"INSUFFICIENT_SCOPES","message":"Your token has not been granted the required scopes. The 'x' field requires one of the following scopes: ['repo', 'read:org'], but"}]}`)
	lines, err = probe(f, &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
		if strings.Contains(key, "query Reviews") {
			return scopes
		}
		return nil
	}})
	if fault.ExitOf(err) != fault.Aborted || !strings.Contains(lines, "the token needs one of the scopes repo, read:org") {
		t.Errorf("%v\n%s", err, lines)
	}
}

// TestInlineCommentsWithoutReviews: they belong to comments (AMB-23), threads to
// reviews with comments (AMB-24).
func TestInlineCommentsWithoutReviews(t *testing.T) {
	requirement.Claim(t, "AMB-23", "AMB-24", "GAP-06")
	build := func() *githubtest.Fake {
		return githubtest.Generate(githubtest.Size{Comments: 2, Threads: 2, Reviews: 2, Checks: 2, Authors: 2})
	}
	for sources, want := range map[string]string{
		"comments entity":         "5 comments 0 reviews 0 threads 0 checks",
		"entity reviews":          "0 comments 2 reviews 0 threads 0 checks",
		"comments entity reviews": "5 comments 2 reviews 2 threads 0 checks",
		"entity":                  "0 comments 0 reviews 0 threads 0 checks",
		"checks entity":           "0 comments 0 reviews 0 threads 2 checks",
	} {
		o := run(t, build(), nil, func(s *forgetest.Subject) {
			s.Change = func(c *fetch.Config) {
				c.Collection.IncludedSources, c.Collection.CheckLogSelection = strings.Fields(sources), contract.LogsNone
			}
		})
		got := o.Lines(t)
		text := fmt.Sprintf("%d comments %d reviews %d threads %d checks", len(got.IDs("comment")), len(got.IDs("review")), len(got.Threads), len(got.Checks))
		if text != want || len(got.Gaps) != 0 || len(asks(o, "/logs")) != 0 {
			t.Errorf("%s: %s, want %s, gaps %v", sources, text, want, got.Gaps)
		}
	}
}

// TestPrefixStability: a comment more leaves every earlier record line as it is.
func TestPrefixStability(t *testing.T) {
	size := githubtest.Size{Comments: 20, Threads: 5, Reviews: 5, Checks: 5, Authors: 3}
	before := run(t, githubtest.Generate(size), nil, nil)
	f := githubtest.Generate(size)
	p := f.Entities[7]
	githubtest.Append(p, "comments", githubtest.Comment("IC_new", "one more", githubtest.User("U_kgDO0000", "renamed"), githubtest.At(9000)))
	p["updatedAt"] = githubtest.At(9000)
	p["reviewThreads"].(githubtest.Connection).Nodes[0]["isResolved"] = true
	f.Grant(githubtest.User("U_kgDO0001", "user0001"), "read")
	f.Name = "renamed"
	after := string(run(t, f, nil, func(s *forgetest.Subject) { s.Address = "https://github.com/acme/renamed/pull/7" }).Stream)
	n := 0
	for _, line := range strings.Split(string(before.Stream), "\n") {
		if strings.HasPrefix(line, `{"type":"record"`) && !strings.Contains(line, `"kind":"entity"`) {
			n++
			if !strings.Contains(after, line+"\n") {
				t.Errorf("changed or lost: %s", line)
			}
		}
	}
	if n < 25 {
		t.Errorf("%d records compared", n)
	}
}
