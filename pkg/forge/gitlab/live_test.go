package gitlab_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/gitlab"
	"snapline/pkg/forge/gitlab/gitlabtest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

func past(n int) time.Time {
	return forgetest.NewClock().Now().Add(-48*time.Hour + time.Duration(n)*time.Minute)
}

// onServer runs fetch against a server.
func onServer(s *gitlabtest.Server) forgetest.Subject {
	kind := "issues"
	if s.Merge {
		kind = "merge_requests"
	}
	return forgetest.Subject{
		Driver: gitlab.Driver, Address: fmt.Sprintf("https://%s/%s/-/%s/%d", gitlabtest.Host, gitlabtest.Path, kind, gitlabtest.Number),
		Hosts: func() map[string]http.Handler { return map[string]http.Handler{gitlabtest.Host: s} },
	}
}

// busy is a merge request with something of everything.
func busy() *gitlabtest.Server {
	s := gitlabtest.New(true)
	ids := 1000
	next := func() int { ids += 10; return ids }
	fill := func(name string, make func(id int, at time.Time) forgetest.Row, n int) *forgetest.Table {
		t := s.Tables[name]
		if t == nil {
			t = &forgetest.Table{}
			s.Tables[name] = t
		}
		t.New = func(at time.Time) forgetest.Row { return make(next(), at) }
		for range n {
			t.Rows = append(t.Rows, make(next(), past(ids-1000)))
		}
		return t
	}
	discussion := func(id int, at time.Time) forgetest.Row {
		return gitlabtest.Discussion(id, id/10%3+1, id/10%2+1, at, at)
	}
	discussions := fill(gitlabtest.Discussions, discussion, 9)
	for _, i := range []int{1, 3, 4} { // notes of the server's own that the token may not see
		discussions.Rows[i].Hidden = true
	}
	discussions.Edited = func(r forgetest.Row, at time.Time) forgetest.Row {
		var id int
		_, _ = fmt.Sscan(r.ID, &id)
		edited := gitlabtest.Discussion(id, id/10%3+1, id/10%2+1, past(0), at)
		edited.Hidden = r.Hidden
		return edited
	}
	pipelines := fill(gitlabtest.Pipelines, func(id int, at time.Time) forgetest.Row { return gitlabtest.Pipeline(id, "success", at) }, 0)
	for _, id := range []int{904, 903, 902, 901} {
		pipelines.Rows = append(pipelines.Rows, gitlabtest.Pipeline(id, "success", past(id)))
	}
	fill("jobs/904", gitlabtest.Job, 5)
	fill("bridges/904", gitlabtest.Job, 1)
	fill("jobs/901", gitlabtest.Job, 4)
	fill(gitlabtest.Statuses, gitlabtest.Job, 4)
	return s
}

// TestMovingLists: whatever somebody changes while the lists are read, nothing that lived
// all the while is lost without a count, whatever is left of the headers.
func TestMovingLists(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-83", "AMB-42", "AMB-45", "GAP-05")
	for name, change := range map[string]func(*gitlabtest.Server){
		"all headers": func(*gitlabtest.Server) {},
		"no totals":   func(s *gitlabtest.Server) { s.Headers, s.Mute = gitlabtest.NoMore, true },
		"link":        func(s *gitlabtest.Server) { s.Headers, s.Mute = gitlabtest.Link, true },
		"no headers":  func(s *gitlabtest.Server) { s.Headers, s.Mute = gitlabtest.None, true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last *gitlabtest.Server
			tally := forgetest.WalkMoving(t, name, func(*forgetest.World) forgetest.Subject { return onServer(last) }, func() *forgetest.World {
				last = busy()
				last.Size = 3
				change(last)
				return last.World
			})
			t.Logf("%+v", tally)
			if tally.Complete < tally.Runs/2 {
				t.Errorf("most runs should get everything: %+v", tally)
			}
		})
	}
}

// TestTenEarlierOnesGo: ten discussions are deleted between two pages, and ten living
// ones change places with them.
func TestTenEarlierOnesGo(t *testing.T) {
	requirement.Claim(t, "AMB-82")
	s := gitlabtest.New(true)
	table := s.Tables[gitlabtest.Discussions]
	for i := range 140 {
		table.Rows = append(table.Rows, gitlabtest.Discussion(1000+i, 1, 1, past(i), past(i)))
	}
	subject := onServer(s)
	first := true
	net := &forgetest.Net{Fault: func(key string, _ int) forgetest.Fault {
		if first && strings.Contains(key, "page=1") && strings.Contains(key, "/discussions") {
			first = false
			return func(_ *http.Request, good *http.Response) (*http.Response, error) {
				table.Rows = table.Rows[10:]
				return good, nil
			}
		}
		return nil
	}}
	got := subject.Run(context.Background(), t, net).Lines(t)
	if n := len(got.IDs(contract.KindComment)); n != 130 {
		t.Errorf("%d comments, gaps %v", n, got.Gaps)
	}
}

// A pipeline that is deleted while it is read costs itself; one that cannot be found
// though it is listed costs the checks.
func TestVanishedPipeline(t *testing.T) {
	requirement.Claim(t, "AMB-83")
	for _, listed := range []bool{false, true} {
		routes := with(merge+"/pipelines", last(`[{"id":900,"project_id":1234,"sha":"`+head+`","ref":"a"},{"id":901,"project_id":1234,"sha":"`+head+`","ref":"a"}]`))
		if !listed {
			routes[merge+"/pipelines"] = append(routes[merge+"/pipelines"], last(`[{"id":900,"project_id":1234,"sha":"`+head+`","ref":"a"}]`))
		}
		routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(list(job(1, "pending", head, "null", "null")))}
		routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`null`)}
		o := subject("merge_requests/12", routes).Run(context.Background(), t, &forgetest.Net{})
		s := o.Lines(t)
		if listed != (s.Gaps["checks/fetch_failed"] == 1) || listed != (len(s.Checks) == 0) || listed == strings.Contains(o.Stderr, "901 was deleted") {
			t.Errorf("listed %v: %d checks, gaps %v\n%s", listed, len(s.Checks), s.Gaps, o.Stderr)
		}
	}
}

// A pipeline that failed before it had jobs leaves no check and must not look like none.
func TestPipelineWithoutJobs(t *testing.T) {
	requirement.Claim(t, "AMB-85")
	for status, want := range map[string]int64{"failed": 1, "success": 0, "skipped": 0, "canceled": 0} {
		for _, ref := range []string{"topic", "refs/merge-requests/12/merge"} {
			sha := head
			if ref != "topic" {
				sha = strings.Repeat("c", 40)
			}
			routes := with(merge+"/pipelines", last(fmt.Sprintf(`[{"id":900,"project_id":1234,"sha":%q,"ref":%q,"status":%q,"web_url":"https://gitlab.com/Group/Sub/Name/-/pipelines/900"}]`, sha, ref, status)))
			routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(`[]`)}
			routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
			o := subject("merge_requests/12", routes).Run(context.Background(), t, &forgetest.Net{})
			s := o.Lines(t)
			named := strings.Contains(o.Stderr, `pipeline 900 "https://gitlab.com/Group/Sub/Name/-/pipelines/900" failed`)
			if s.Gaps["checks/unsupported"] != want || len(s.Checks) != 0 || named != (want == 1) {
				t.Errorf("%s, %s: gaps %v\n%s", status, ref, s.Gaps, o.Stderr)
			}
		}
	}
}

// What is said of statuses costs nothing but itself.
func TestStatusesFailAlone(t *testing.T) {
	requirement.Claim(t, "AMB-86")
	for status, gap := range map[int]string{403: "checks/authorization_failed", 404: "checks/fetch_failed", 502: "checks/fetch_failed"} {
		routes := with(merge+"/pipelines", last(pipelines(head, "topic")))
		routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(list(job(1, "pending", head, "null", "null")))}
		routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
		routes[project+"/repository/commits/"+head+"/statuses"] = []forgetest.Reply{{Status: status, Body: `{"message":"no"}`}}
		if s := run(t, subject("merge_requests/12", routes)); s.Gaps[gap] != 1 || len(s.Checks) != 1 {
			t.Errorf("%d: %d checks, gaps %v", status, len(s.Checks), s.Gaps)
		}
	}
}

// Text that came from another forge is nobody's here, whoever ran the import.
func TestImported(t *testing.T) {
	requirement.Claim(t, "AMB-80")
	placeholder := `{"id":1,"username":"jane_placeholder_user_12","name":"Placeholder Jane"}`
	for _, c := range []struct {
		members, author string
		unknown         bool
	}{
		{`"imported":false,"imported_from":"none"`, author(1), false},
		{`"imported":true,"imported_from":"none"`, author(1), false},
		{`"imported":true,"imported_from":"github"`, author(1), true},
		{`"imported":true,"imported_from":"gitea"`, author(1), true},
		{`"imported":true,"imported_from":"gitlab_project"`, author(1), true},
		{`"imported":true,"imported_from":null`, author(1), true},
		{`"imported":true`, author(1), true},
		{`"imported":true,"imported_from":"gitlab_migration"`, author(1), false},
		{`"imported":true,"imported_from":"gitlab_migration"`, placeholder, true},
		{`"imported":false,"imported_from":"none"`, placeholder, false},
	} {
		row := strings.Replace(single(8, ","+c.members), author(1), c.author, 1)
		s := run(t, subject("issues/7", with(issue+"/discussions", last(list(row)))))
		if r := s.Record("8"); r == nil || (r.AuthorID == nil) != c.unknown {
			t.Errorf("note %s: %+v", c.members, r)
		}
		entity := server()[issue][0]
		entity.Body = strings.Replace(strings.TrimSuffix(entity.Body, "}")+","+c.members+"}", author(1), c.author, 1)
		o := subject("issues/7", with(issue, entity)).Run(context.Background(), t, &forgetest.Net{})
		if c.unknown != (fault.ExitOf(o.Err) == fault.Aborted) || c.unknown && !strings.Contains(o.Err.Error(), "imported") {
			t.Errorf("entity %s: %v", c.members, o.Err)
		}
	}
}

// A refusal repeats the scope that the server asks for, and nothing else of its answer.
func TestRefusalNamesTheScope(t *testing.T) {
	refused := forgetest.Reply{Status: 403, Body: `{"error":"insufficient_scope","error_description":"more for glpat-secret","scope":"api read_api glpat-secret"}`}
	o := subject("issues/7", with(issue+"/discussions", refused)).Run(context.Background(), t, &forgetest.Net{})
	if o.Lines(t); !strings.Contains(o.Stderr, "the scopes api, read_api") || strings.Contains(o.Stderr, "secret") {
		t.Errorf("discussions: %s", o.Stderr)
	}
	o = subject("issues/7", with(users+"1", refused)).Run(context.Background(), t, &forgetest.Net{})
	if o.Lines(t); !strings.Contains(o.Stderr, "the scopes api, read_api") || strings.Contains(o.Stderr, "secret") {
		t.Errorf("accounts: %s", o.Stderr)
	}
}

// 200 with null says nothing of the entity: it is asked for again and then exit 4.
func TestNullEntity(t *testing.T) {
	for _, path := range []string{"/api/v4/projects/Group%2FSub%2Fname", issue} {
		o := subject("issues/7", with(path, forgetest.JSON(`null`))).Run(context.Background(), t, &forgetest.Net{})
		if fault.ExitOf(o.Err) != fault.Environment || len(o.Requests) < 4 {
			t.Errorf("%s: %v after %d requests", path, o.Err, len(o.Requests))
		}
	}
}

// Every object says where people find it, as far as that is on the forge itself.
func TestAddresses(t *testing.T) {
	s := busy()
	s.Tables[gitlabtest.Statuses].Rows = nil
	got := run(t, onServer(s))
	page := "https://gitlab.com/team/demo/-/merge_requests/7"
	if url := got.Record("9007").URL; url != page {
		t.Errorf("entity at %q", url)
	}
	for _, id := range got.IDs(contract.KindComment) {
		if url := got.Record(id).URL; url != page+"#note_"+id {
			t.Errorf("note %s at %q", id, url)
		}
	}
	if len(got.Threads) == 0 {
		t.Error("no threads")
	}
	for _, l := range got.Threads {
		if !strings.HasPrefix(l.URL, page+"#note_") {
			t.Errorf("thread %s at %q", l.ID, l.URL)
		}
	}
	for _, c := range got.Checks {
		if c.URL != "https://gitlab.com/team/demo/-/jobs/"+c.ID {
			t.Errorf("check %s at %q", c.ID, c.URL)
		}
	}
}

// At a time before the last change of a note nobody knows what it said.
func TestNotAfter(t *testing.T) {
	requirement.Claim(t, "AMB-93")
	s := gitlabtest.New(false)
	s.Tables[gitlabtest.Discussions].Rows = []forgetest.Row{
		gitlabtest.Discussion(1000, 1, 1, past(1), past(1)), gitlabtest.Discussion(1010, 1, 1, past(1), past(9)), gitlabtest.Discussion(1020, 1, 1, past(7), past(7)),
	}
	subject := onServer(s)
	subject.Change = func(cfg *fetch.Config) { cfg.NotAfter = past(5) }
	got := run(t, subject)
	if ids := strings.Join(got.IDs(contract.KindComment), " "); ids != "1000" || got.Gaps["comments/history_unavailable"] != 1 {
		t.Errorf("comments %s, gaps %v", ids, got.Gaps)
	}
}

// TestRoundTrips: answers take 100 ms each; nothing waits for what it does not need.
func TestRoundTrips(t *testing.T) {
	issue := gitlabtest.New(false)
	for i := range 40 {
		issue.Tables[gitlabtest.Discussions].Rows = append(issue.Tables[gitlabtest.Discussions].Rows, gitlabtest.Discussion(1000+i, i%6+1, 1, past(i), past(i)))
	}
	if n := forgetest.RoundTrips(t, onServer(issue)); n > 4 {
		t.Errorf("an issue takes %d round trips", n)
	}
	if n := forgetest.RoundTrips(t, onServer(busy())); n > 6 {
		t.Errorf("a merge request takes %d round trips", n)
	}
}

// The path of a project may lead to another one by the time that the entity is asked for,
// and some proxies do not pass it on below the project: then the identifier decides.
func TestEntityByItsProject(t *testing.T) {
	requirement.Claim(t, "ID-02")
	for name, byPath := range map[string]forgetest.Reply{
		"another project": forgetest.JSON(strings.Replace(server()[issue][0].Body, `"iid":`, `"project_id":99,"iid":`, 1)),
		"not found":       {Status: 404, Body: `{"message":"404 Not found"}`},
	} {
		s := subject("issues/7", server())
		inner := s.Hosts
		s.Hosts = func() map[string]http.Handler {
			hosts := inner()
			hosts["gitlab.com"].(*forgetest.REST).Routes["/api/v4/projects/Group%2FSub%2Fname/issues/7"] = []forgetest.Reply{byPath}
			return hosts
		}
		o := s.Run(context.Background(), t, &forgetest.Net{})
		if got := o.Lines(t); got.Header.Entity.ID != "9007" || len(o.Requests) != 2+1+1+2 {
			t.Errorf("%s: entity %s after %d requests", name, got.Header.Entity.ID, len(o.Requests))
		}
	}
}

// The suite of all adapters, against a server that pages.
func TestConformancePaged(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-82", "DET-02", "GAP-05")
	s := busy()
	s.Size = 3
	forgetest.Conform(t, onServer(s))
}

// A project that was renamed redirects what is asked for by its old path, and by its
// identifier nothing does.
func TestRenamedProject(t *testing.T) {
	s := subject("issues/7", server())
	inner := s.Hosts
	s.Hosts = func() map[string]http.Handler {
		hosts := inner()
		routes := hosts["gitlab.com"].(*forgetest.REST).Routes
		for _, rest := range []string{"", "/issues/7"} {
			to := project + rest
			if rest == "" {
				routes[to] = routes["/api/v4/projects/Group%2FSub%2Fname"]
			}
			routes["/api/v4/projects/Group%2FSub%2Fname"+rest] = []forgetest.Reply{{Status: 301, Header: http.Header{"Location": {"https://gitlab.com" + to}}}}
		}
		return hosts
	}
	o := s.Run(context.Background(), t, &forgetest.Net{})
	if got := o.Lines(t); got.Header.Entity.ID != "9007" || len(o.Requests) > 2+2+1+2 {
		t.Errorf("entity %s after %d requests", got.Header.Entity.ID, len(o.Requests))
	}
}

// The numbers of docs/requests.md: project and entity, discussions, pipelines, jobs and
// bridges of four pipelines, statuses, kind and role of three people; in pages of three
// also two more readings of three pages of discussions, two of pipelines, jobs and statuses.
func TestRequests(t *testing.T) {
	for size, want := range map[int]int{100: 2 + 1 + 1 + 4*2 + 1 + 2*3, 3: 2 + 2*3 + 2 + 4*2 + 2 + 2 + 2*3} {
		s := busy()
		s.Size = size
		o := onServer(s).Run(context.Background(), t, &forgetest.Net{})
		if o.Lines(t); len(o.Requests) != want {
			t.Errorf("%d a page: %d requests, want %d", size, len(o.Requests), want)
		}
	}
}
