package gitlab_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/gitlab"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

const (
	project = "/api/v4/projects/1234"
	issue   = project + "/issues/7"
	merge   = project + "/merge_requests/12"
	users   = "/api/v4/users/"
	members = project + "/members/all/"
)

var head = strings.Repeat("a", 40)

func capture(t testing.TB, name string) forgetest.Reply {
	t.Helper()
	return forgetest.Recorded(t, filepath.Join("testdata/captures", name))
}

func TestCapturesAreThere(t *testing.T) {
	files, err := filepath.Glob("testdata/captures/[0-9]*")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d recorded files: %v", len(files), err)
	}
}

// last marks the last page of a list.
func last(body string) forgetest.Reply {
	return forgetest.Reply{Header: http.Header{"X-Next-Page": {""}}, Body: body}
}

func page(next, body string) forgetest.Reply {
	return forgetest.Reply{Header: http.Header{"X-Next-Page": {next}}, Body: body}
}

func author(id int) string {
	return fmt.Sprintf(`{"id":%d,"username":"u%d","name":"User %d","state":"active"}`, id, id, id)
}

func note(id int, more string) string {
	return fmt.Sprintf(`{"id":%d,"type":null,"body":"b%d","author":%s,"created_at":"2026-05-05T10:00:%02d.500Z","updated_at":"2026-05-05T10:00:00Z","system":false%s}`, id, id, author(1), id%60, more)
}

func single(id int, more string) string {
	return fmt.Sprintf(`{"id":"d%d","individual_note":true,"notes":[%s]}`, id, note(id, more))
}

func list(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// server is a project with one issue and one merge request whose author and
// commenter is a developer.
func server() map[string][]forgetest.Reply {
	entity := func(iid int, more string) forgetest.Reply {
		return forgetest.JSON(fmt.Sprintf(`{"id":%d,"iid":%d,"title":"T","description":"D","state":"opened","author":%s,"created_at":"2026-05-05T09:00:00.000+02:00","updated_at":"2026-05-05T09:00:00Z","labels":["b","a::x, y"]%s}`, 9000+iid, iid, author(1), more))
	}
	return map[string][]forgetest.Reply{
		"/api/v4/projects/Group%2FSub%2Fname": {forgetest.JSON(`{"id":1234,"path_with_namespace":"Group/Sub/Name"}`)},
		issue:                                 {entity(7, "")},
		merge:                                 {entity(12, `,"sha":"`+head+`","discussion_locked":true`)},
		issue + "/discussions":                {last(`[]`)},
		merge + "/discussions":                {last(`[]`)},
		merge + "/pipelines":                  {last(`[]`)},
		project + "/repository/commits/" + head + "/statuses": {last(`[]`)},
		users + "1":   {forgetest.JSON(`{"id":1,"username":"u1","bot":false}`)},
		members + "1": {forgetest.JSON(`{"id":1,"username":"u1","state":"active","access_level":30}`)},
	}
}

func subject(path string, routes map[string][]forgetest.Reply) forgetest.Subject {
	return forgetest.Subject{
		Driver: gitlab.Driver, Address: "https://gitlab.com/Group/Sub/name/-/" + path,
		Hosts: func() map[string]http.Handler {
			routes := maps.Clone(routes)
			for _, path := range []string{issue, merge} { // the project's path leads to them too
				routes[strings.Replace(path, project, "/api/v4/projects/Group%2FSub%2Fname", 1)] = routes[path]
			}
			return map[string]http.Handler{"gitlab.com": &forgetest.REST{Routes: routes}}
		},
	}
}

func run(t testing.TB, s forgetest.Subject) *forgetest.Stream {
	t.Helper()
	return s.Run(context.Background(), t, &forgetest.Net{}).Lines(t)
}

func with(path string, replies ...forgetest.Reply) map[string][]forgetest.Reply {
	routes := server()
	routes[path] = replies
	return routes
}

func TestIssue(t *testing.T) {
	requirement.Claim(t, "ID-02", "SRC-05", "MAP-24", "CAN-02", "AMB-43")
	s := run(t, subject("issues/7", server()))
	if got, want := s.Header.Source, (contract.Source{Forge: contract.GitLab, Host: "gitlab.com", RepositoryID: "1234", Repository: "Group/Sub/Name"}); got != want {
		t.Errorf("source %+v", got)
	}
	e := s.Header.Entity
	if e.ID != "9007" || e.Number != 7 || e.CreatedAt != "2026-05-05T07:00:00.000000000Z" || strings.Join(e.Labels, "|") != "b|a::x, y" {
		t.Errorf("entity %+v: the id is global, the iid is only the number", e)
	}
	if len(s.Gaps) != 0 {
		t.Errorf("gaps %v", s.Gaps)
	}
}

func TestStates(t *testing.T) {
	requirement.Claim(t, "MAP-24", "MAP-26", "ABT-05")
	for _, c := range []struct {
		path, native string
		want         contract.EntityState // "" aborts
	}{
		{"issues/7", "opened", "open"},
		{"issues/7", "closed", "closed"},
		{"issues/7", "merged", ""},
		{"issues/7", "locked", ""},
		{"merge_requests/12", "opened", "open"},
		{"merge_requests/12", "closed", "closed"},
		{"merge_requests/12", "merged", "merged"},
		{"merge_requests/12", "locked", "open"},
		{"merge_requests/12", "OPENED", ""},
	} {
		routes := server()
		for _, key := range []string{issue, merge} {
			r := routes[key][0]
			r.Body = strings.Replace(r.Body, `"opened"`, `"`+c.native+`"`, 1)
			routes[key] = []forgetest.Reply{r}
		}
		o := subject(c.path, routes).Run(context.Background(), t, &forgetest.Net{})
		if c.want == "" {
			if o.Err == nil {
				t.Errorf("%s %s was accepted", c.path, c.native)
			}
			continue
		}
		if s := o.Lines(t); s.Header.Entity.State != c.want || strings.Contains(string(o.Stream), "discussion_locked") {
			t.Errorf("%s %s: %s", c.path, c.native, s.Header.Entity.State)
		}
	}
}

func TestProjectWithoutIdentifier(t *testing.T) {
	requirement.Claim(t, "ABT-07")
	for _, id := range []string{"null", "0", "-1"} {
		routes := with("/api/v4/projects/Group%2FSub%2Fname", forgetest.JSON(`{"id":`+id+`,"path_with_namespace":"Group/Sub/Name"}`))
		o := subject("issues/7", routes).Run(context.Background(), t, &forgetest.Net{})
		if fault.ExitOf(o.Err) != fault.Aborted || len(o.Requests) != 2 {
			t.Errorf("id %s: %v after %d requests", id, o.Err, len(o.Requests))
		}
	}
}

// A null identifier costs its object, not the list.
func TestNullIdentifiers(t *testing.T) {
	requirement.Claim(t, "KEY-07")
	nameless := strings.Replace(single(8, ""), `"notes":[{"id":8`, `"notes":[{"id":null`, 1)
	s := run(t, subject("issues/7", with(issue+"/discussions", last(list(nameless, single(9, ""))))))
	if got := s.IDs(contract.KindComment); len(got) != 1 || got[0] != "9" || s.Gaps["comments/invalid_metadata"] != 1 || len(s.Gaps) != 1 {
		t.Errorf("comments %v, gaps %v", got, s.Gaps)
	}
}

// singles is a page of n notes of their own, with ids from from on.
func singles(from, n int) string {
	var l []string
	for i := range n {
		l = append(l, single(from+i, ""))
	}
	return list(l...)
}

func TestPagesEndByTheMarkerOnly(t *testing.T) {
	requirement.Claim(t, "GAP-05", "AMB-42")
	at := func(n string) string { return issue + "/discussions?per_page=100&page=" + n }
	routes := server()
	delete(routes, issue+"/discussions")
	routes[at("1")] = []forgetest.Reply{page("2", singles(100, 20))}
	routes[at("2")] = []forgetest.Reply{page("3", singles(200, 3))}
	routes[at("3")] = []forgetest.Reply{page("4", `[]`)}
	routes[at("4")] = []forgetest.Reply{page("", singles(300, 12))}
	s := run(t, subject("issues/7", routes))
	if n := len(s.IDs(contract.KindComment)); n != 35 || s.Gaps["comments/fetch_failed"] != 0 {
		t.Errorf("%d comments, gaps %v", n, s.Gaps)
	}
	// Behind a proxy only the Link header is left; its host does not matter.
	link := func(n string) http.Header {
		return http.Header{"Link": {`<https://inside.example/api/v4/x?page=1>; rel="first", <https://inside.example/api/v4/x?page=` + n + `&per_page=100>; rel="next"`}}
	}
	routes[at("1")] = []forgetest.Reply{{Header: link("2"), Body: singles(100, 2)}}
	routes[at("2")] = []forgetest.Reply{{Body: singles(200, 2)}}
	if n := len(run(t, subject("issues/7", routes)).IDs(contract.KindComment)); n != 4 {
		t.Errorf("by Link: %d comments", n)
	}
	// Lists that are paged by keys have no numbers: the query of the link leads on.
	byKey := http.Header{"Link": {`<https://inside.example/api/v4/x?cursor=k,1&per_page=100>; rel="next"`}}
	routes[at("1")] = []forgetest.Reply{{Header: byKey, Body: singles(100, 2)}}
	routes[issue+"/discussions?cursor=k,1&per_page=100"] = []forgetest.Reply{{Body: singles(200, 3)}}
	if n := len(run(t, subject("issues/7", routes)).IDs(contract.KindComment)); n != 5 {
		t.Errorf("by keys: %d comments", n)
	}
	routes[at("1")] = []forgetest.Reply{{Header: http.Header{"Link": {`<https://inside.example/api/v4/x>; rel="next"`}}, Body: singles(100, 2)}}
	s = run(t, subject("issues/7", routes))
	if len(s.IDs(contract.KindComment)) != 0 || s.Gaps["comments/fetch_failed"] != 1 {
		t.Errorf("a link to nowhere: gaps %v", s.Gaps)
	}
	// A marker that is no page number fails the list; it does not end it.
	routes[at("1")] = []forgetest.Reply{page("soon", singles(100, 2))}
	s = run(t, subject("issues/7", routes))
	if len(s.IDs(contract.KindComment)) != 0 || s.Gaps["comments/fetch_failed"] != 1 {
		t.Errorf("bad marker: gaps %v", s.Gaps)
	}
}

// Where something between has taken every marker, no short page ends a list: it is read
// until a page brings nothing, and until two readings agree.
func TestPagesWithoutMarkers(t *testing.T) {
	requirement.Claim(t, "GAP-05", "AMB-42", "AMB-82")
	first := http.Header{"Link": {`<https://inside.example/api/v4/x?page=1>; rel="first"`}}
	none := forgetest.Reply{Body: `[]`}
	for name, c := range map[string]struct {
		pages []forgetest.Reply // the last one for ever
		want  int
		asked int // pages of one reading
	}{
		"none":                       {[]forgetest.Reply{none}, 0, 2},
		"one short":                  {[]forgetest.Reply{{Body: singles(1, 99)}, none}, 99, 3},
		"one full":                   {[]forgetest.Reply{{Body: singles(1, 100)}, none}, 100, 3},
		"two full":                   {[]forgetest.Reply{{Body: singles(1, 100)}, {Body: singles(101, 100)}, {Body: singles(201, 1)}, none}, 201, 5},
		"capped at 20":               {[]forgetest.Reply{{Body: singles(1, 20)}, {Body: singles(21, 20)}, {Body: singles(41, 3)}, none}, 43, 5},
		"null instead of nothing":    {[]forgetest.Reply{{Body: singles(1, 3)}, {Body: `null`}}, 3, 3},
		"empty in the middle":        {[]forgetest.Reply{{Body: singles(1, 20)}, none, {Body: singles(21, 5)}, none}, 25, 5},
		"a server without pages":     {[]forgetest.Reply{{Body: singles(1, 19)}}, 19, 2},
		"all of it without pages":    {[]forgetest.Reply{{Body: singles(1, 40)}}, 40, 2},
		"the first page always":      {[]forgetest.Reply{{Body: singles(1, 20)}}, -1, 2},
		"the first page, full":       {[]forgetest.Reply{{Body: singles(1, 100)}}, -1, 2},
		"the first page, promising":  {[]forgetest.Reply{page("2", singles(1, 5))}, -1, 2},
		"the marker says so":         {[]forgetest.Reply{last(singles(1, 100))}, 100, 1},
		"the link says so":           {[]forgetest.Reply{{Header: first, Body: singles(1, 100)}}, 100, 1},
		"beyond the range":           {[]forgetest.Reply{{Body: singles(1, 100)}, {Status: http.StatusBadRequest, Body: `{}`}}, -1, 2},
		"a total that demands pages": {[]forgetest.Reply{total(3, "2", singles(1, 2)), total(3, "2", singles(3, 1))}, 3, 2},
		"a total over empty pages":   {[]forgetest.Reply{total(7, "2", `[]`), total(7, "2", `[]`), total(7, "2", `null`), total(7, "2", singles(3, 1))}, 1, 4},
	} {
		routes := server()
		delete(routes, issue+"/discussions")
		for i := range 9 {
			routes[issue+"/discussions?per_page=100&page="+strconv.Itoa(i+1)] = c.pages[min(i, len(c.pages)-1) : min(i, len(c.pages)-1)+1]
		}
		s := subject("issues/7", routes).Run(context.Background(), t, &forgetest.Net{})
		pages := map[string]bool{}
		for _, r := range s.Requests {
			if strings.Contains(r.URL, "/discussions?") {
				pages[r.URL] = true
			}
		}
		got := s.Lines(t)
		if n := len(got.IDs(contract.KindComment)); n != max(c.want, 0) || len(pages) != c.asked || (got.Gaps["comments/fetch_failed"] == 1) != (c.want < 0) {
			t.Errorf("%s: %d comments from %d pages, gaps %v", name, n, len(pages), got.Gaps)
		}
	}
}

// total is a page that states the total and the size of pages, and has no marker.
func total(n int, size, body string) forgetest.Reply {
	return forgetest.Reply{Header: http.Header{"X-Total": {strconv.Itoa(n)}, "X-Per-Page": {size}, "X-Next-Page": {""}}, Body: body}
}

func TestNotes(t *testing.T) {
	requirement.Claim(t, "AMB-50", "MAP-13", "MAP-14", "MAP-19", "KEY-01", "AMB-64", "AMB-23")
	routes := with(issue+"/discussions", last(list(
		single(1, `,"internal":false`),
		`{"id":"d2","individual_note":true,"notes":[`+strings.Replace(note(2, `,"internal":true,"confidential":true`), "b2", "customer name, do not share", 1)+`]}`,
		single(3, ""),
		strings.Replace(single(4, ""), `"system":false`, `"system":true`, 1),
		strings.Replace(single(5, `,"confidential":true`), "b5", "old spelling", 1),
		strings.ReplaceAll(single(6, ""), `"id":6`, `"id":3055500338`),
	)))
	o := subject("issues/7", routes).Run(context.Background(), t, &forgetest.Net{})
	s := o.Lines(t)
	if got := strings.Join(s.IDs(contract.KindComment), " "); got != "1 3 3055500338" {
		t.Errorf("comments %s", got)
	}
	if s.Gaps["comments/authorization_failed"] != 2 {
		t.Errorf("gaps %v", s.Gaps)
	}
	for _, secret := range []string{"customer name", "old spelling"} {
		if strings.Contains(string(o.Stream)+o.Stderr, secret) {
			t.Errorf("%q is in the output", secret)
		}
	}
	r := s.Record("3055500338")
	if r.RecordKey != "eb308a30902cac6b7eb535648a82f3cc3302a89a3c7deddd6ffc604ee91cad9b" {
		t.Errorf("key %s", r.RecordKey)
	}
	if r.CreatedAt != "2026-05-05T10:00:06.500000000Z" || r.State != "" {
		t.Errorf("time %s, state %q: a note has its creation time and no submission", r.CreatedAt, r.State)
	}
	if len(s.Threads) != 0 {
		t.Error("an issue has no threads in v1")
	}
	m := run(t, subject("merge_requests/12", with(merge+"/discussions", last(list(single(1, ""))))))
	if m.Gaps["reviews/history_unavailable"] != 1 || len(m.IDs(contract.KindReview)) != 0 {
		t.Errorf("gaps %v", m.Gaps)
	}
}

func TestThreads(t *testing.T) {
	requirement.Claim(t, "ID-03", "ID-08", "AMB-22", "MAP-21", "MAP-22", "THR-07", "AMB-53", "REV-05")
	position := func(more string) string {
		return `,"position":{"base_sha":"x","head_sha":"` + strings.Repeat("b", 40) + `","old_path":"old.go","new_path":"new.go",` + more + `}`
	}
	diff := func(id int, more string) string {
		return strings.Replace(note(id, more), `"type":null`, `"type":"DiffNote"`, 1)
	}
	thread := func(id string, notes ...string) string {
		return fmt.Sprintf(`{"id":%q,"individual_note":false,"notes":%s}`, id, list(notes...))
	}
	resolver := `,"resolvable":true,"resolved":true,"resolved_by":` + author(1)
	cases := []struct{ name, discussion, want string }{
		{"new line", thread("6a9c", diff(1, position(`"position_type":"text","old_line":null,"new_line":19,"line_range":null`)+`,"resolvable":true,"resolved":false`), note(2, "")), "new.go right 0-19 [1 2] [2>1] open"},
		{"removed line of a moved file", thread("6a9c", diff(1, position(`"position_type":"text","old_line":5,"new_line":null`))), "old.go left 0-5 [1] [] open"},
		{"context line", thread("6a9c", diff(1, position(`"position_type":"text","old_line":4,"new_line":6`))), "new.go right 0-6 [1] [] open"},
		{"range", thread("6a9c", diff(1, position(`"position_type":"text","old_line":null,"new_line":19,"line_range":{"start":{"type":"new","new_line":12},"end":{"new_line":19}}`))), "new.go right 12-19 [1] [] open"},
		{"range with equal ends", thread("6a9c", diff(1, position(`"position_type":"text","new_line":19,"line_range":{"start":{"new_line":19},"end":{"new_line":19}}`))), "new.go right 0-19 [1] [] open"},
		{"range over both sides", thread("6a9c", diff(1, position(`"position_type":"text","new_line":19,"line_range":{"start":{"old_line":3},"end":{"new_line":19}}`))), "new.go right 0-19 [1] [] open"},
		{"image", thread("6a9c", diff(1, position(`"position_type":"image","x":1,"y":2,"width":3,"height":4`))), "new.go  0-0 [1] [] open"},
		{"file", thread("6a9c", diff(1, position(`"position_type":"file","old_line":null,"new_line":null`))), "new.go  0-0 [1] [] open"},
		{"legacy", thread("6a9c", strings.Replace(note(1, ""), `"type":null`, `"type":"LegacyDiffNote"`, 1)), "  0-0 [1] [] open"},
		{"resolved", thread("6a9c", note(1, resolver), note(2, resolver)), "  0-0 [1 2] [2>1] resolved by 1"},
		{"half resolved", thread("6a9c", note(1, resolver), note(2, `,"resolvable":true,"resolved":false`)), "  0-0 [1 2] [2>1] open"},
		{"half resolved, the last one", thread("6a9c", note(1, `,"resolvable":true,"resolved":false`), note(2, resolver)), "  0-0 [1 2] [2>1] open"},
		{"resolver withheld", thread("6a9c", note(1, `,"resolvable":true,"resolved":true,"resolved_by":null`)), "  0-0 [1] [] resolved by nobody"},
		{"resolver deleted", thread("6a9c", note(1, `,"resolvable":true,"resolved":true,"resolved_by":{"id":77,"username":"ghost1","name":"Ghost User"}`)), "  0-0 [1] [] resolved by nobody"},
		{"starts with an internal note", thread("6a9c", note(1, `,"internal":true`), note(2, ""), note(3, "")), "  0-0 [2 3] [] open"},
		{"system note inside", thread("6a9c", note(1, ""), strings.Replace(note(2, ""), `"system":false`, `"system":true`, 1), note(3, "")), "  0-0 [1 3] [3>1] open"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := run(t, subject("merge_requests/12", with(merge+"/discussions", last(list(c.discussion)))))
			if len(s.Threads) != 1 {
				t.Fatalf("%d threads, gaps %v", len(s.Threads), s.Gaps)
			}
			th := s.Threads[0]
			ids := map[string]string{}
			for _, r := range s.Records {
				ids[r.RecordKey] = r.ID
			}
			var keys, replies []string
			for _, k := range th.RecordKeys {
				keys = append(keys, ids[k])
			}
			for _, r := range th.Replies {
				replies = append(replies, ids[r.RecordKey]+">"+ids[r.ParentRecordKey])
			}
			state := "open"
			if th.Resolved {
				state = "resolved by nobody"
				if th.ResolvedByActorID != nil {
					state = "resolved by " + *th.ResolvedByActorID
				}
			}
			got := fmt.Sprintf("%s %s %d-%d %v %v %s", th.Path, th.Side, th.StartLine, th.Line, keys, replies, state)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if th.ID != "6a9c" || th.Outdated || th.CreatedAt != "2026-05-05T10:00:01.500000000Z" {
				t.Errorf("thread %+v", th)
			}
		})
	}
	// A first note that is left out dates the thread all the same.
	first := strings.Replace(strings.Replace(note(1, ""), `"system":false`, `"system":true`, 1), "2026-05-05T10:00:01.500", "2026-05-05T09:00:00.000", 1)
	s := run(t, subject("merge_requests/12", with(merge+"/discussions", last(list(thread("6a9c", first, note(2, "")))))))
	if len(s.Threads) != 1 || s.Threads[0].CreatedAt != "2026-05-05T09:00:00.000000000Z" || len(s.Threads[0].RecordKeys) != 1 {
		t.Errorf("threads %+v", s.Threads)
	}
	none := run(t, subject("merge_requests/12", with(merge+"/discussions", last(list(
		strings.Replace(single(1, ""), `"system":false`, `"system":true`, 1),
		thread("6a9d", strings.Replace(note(2, ""), `"system":false`, `"system":true`, 1)),
		single(3, ""),
	)))))
	if len(none.Threads) != 0 {
		t.Errorf("%d threads of system notes and single notes", len(none.Threads))
	}
}

func TestFailedDiscussionsCountInBothScopes(t *testing.T) {
	requirement.Claim(t, "AMB-72")
	s := run(t, subject("merge_requests/12", with(merge+"/discussions", forgetest.Reply{Status: 403, Body: `{"message":"403 Forbidden"}`})))
	if s.Gaps["comments/fetch_failed"]+s.Gaps["comments/authorization_failed"] != 1 || s.Gaps["reviews/fetch_failed"] != 1 || s.Gaps["reviews/history_unavailable"] != 1 {
		t.Errorf("gaps %v", s.Gaps)
	}
}

func job(id int, status, sha, started, finished string) string {
	return fmt.Sprintf(`{"id":%d,"name":"build: [a, b]","status":%q,"created_at":"2026-05-05T10:00:00.000Z","started_at":%s,"finished_at":%s,"pipeline":{"id":900,"sha":%q}}`, id, status, started, finished, sha)
}

func checks(t *testing.T, pipelines string, jobs ...string) *forgetest.Stream {
	t.Helper()
	routes := with(merge+"/pipelines", last(pipelines))
	routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(list(jobs...))}
	routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
	for i := 1; i < 20; i++ {
		routes[fmt.Sprintf("%s/jobs/%d/trace", project, i)] = []forgetest.Reply{{Body: "section_start:1:x\r\x1b[0Klog\n"}}
	}
	return run(t, subject("merge_requests/12", routes))
}

func pipelines(sha, ref string) string {
	return fmt.Sprintf(`[{"id":900,"project_id":1234,"sha":%q,"ref":%q}]`, sha, ref)
}

func TestJobStatuses(t *testing.T) {
	requirement.Claim(t, "MAP-04", "MAP-05", "MAP-06", "MAP-10", "CHK-16", "CHK-17", "CHK-18", "CHK-19")
	const start, stop = `"2026-05-05T10:00:01.000Z"`, `"2026-05-05T10:00:09.000Z"`
	cases := []struct{ native, started, finished, want string }{
		{"created", "null", "null", "queued   false "},
		{"waiting_for_resource", "null", "null", "queued   false "},
		{"waiting_for_callback", "null", "null", "queued   false "},
		{"preparing", "null", "null", "queued   false "},
		{"pending", start, "null", "queued   false "},
		{"scheduled", "null", "null", "queued   false "},
		{"manual", "null", "null", "queued   false "},
		{"running", start, "null", "in_progress   false 10:00:01"},
		{"canceling", start, "null", "in_progress   false 10:00:01"},
		{"running", "null", "null", ""},
		{"success", start, stop, "completed success 10:00:09 false 10:00:01"},
		{"failed", start, stop, "completed failure 10:00:09 false 10:00:01"},
		{"failed", "null", stop, ""},
		{"success", start, "null", ""},
		{"canceled", start, stop, "completed cancelled 10:00:09 false 10:00:01"},
		{"canceled", "null", stop, "completed cancelled 10:00:09 true "},
		{"skipped", "null", "null", "completed skipped 10:00:00 true "},
		{"skipped", start, stop, "completed skipped 10:00:09 false 10:00:01"},
		{"cancelled", start, stop, ""},
		{"neutral", start, stop, ""},
	}
	clock := func(s string) string {
		if s == "" {
			return ""
		}
		return s[11:19]
	}
	for _, c := range cases {
		t.Run(c.native+" "+c.want, func(t *testing.T) {
			s := checks(t, pipelines(head, "feature"), job(1, c.native, head, c.started, c.finished))
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
			got := fmt.Sprintf("%s %s %s %v %s", k.Status, k.Conclusion, clock(k.CompletedAt), k.NeverStarted, clock(k.StartedAt))
			if got != c.want || k.Name != "build: [a, b]" || k.ID != "1" {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMergedResultsJobsAreCountedNotReattributed(t *testing.T) {
	requirement.Claim(t, "AMB-63", "CHK-04", "CHK-05")
	other := strings.Repeat("b", 40)
	for _, ref := range []string{"refs/merge-requests/12/merge", "refs/merge-requests/12/train"} {
		s := checks(t, pipelines(other, ref), job(1, "success", other, `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:02Z"`), job(2, "success", other, `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:02Z"`))
		if len(s.Checks) != 0 || s.Gaps["checks/invalid_metadata"] != 2 {
			t.Errorf("%s: %d checks, gaps %v", ref, len(s.Checks), s.Gaps)
		}
	}
	// A pipeline of an older push is another head's and asked no further, nor is a
	// temporary one from before it.
	for _, list := range []string{
		pipelines(other, "feature"),
		`[{"id":901,"project_id":1234,"sha":"` + other + `","ref":"feature"},{"id":900,"project_id":1234,"sha":"` + other + `","ref":"refs/merge-requests/12/merge"}]`,
	} {
		olderPipelines(t, list)
	}
}

func olderPipelines(t *testing.T, list string) {
	t.Helper()
	o := subject("merge_requests/12", with(merge+"/pipelines", last(list))).Run(context.Background(), t, &forgetest.Net{})
	if s := o.Lines(t); len(s.Gaps) > 1 || s.Gaps["reviews/history_unavailable"] != 1 {
		t.Errorf("gaps %v", s.Gaps)
	}
	for _, r := range o.Requests {
		if strings.Contains(r.URL, "/pipelines/900/") {
			t.Errorf("asked for %s", r.URL)
		}
	}
}

func TestExternalStatusesAndBridges(t *testing.T) {
	requirement.Claim(t, "CHK-18", "CHK-04", "AMB-49")
	routes := with(merge+"/pipelines", last(pipelines(head, "feature")))
	routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(list(job(1, "pending", head, "null", "null")))}
	routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(list(
		strings.TrimSuffix(job(2, "manual", head, "null", "null"), "}")+`,"downstream_pipeline":null}`,
		strings.TrimSuffix(job(3, "manual", head, "null", "null"), "}")+`,"downstream_pipeline":{"id":1,"sha":"`+strings.Repeat("c", 40)+`"}}`,
	))}
	status := func(id int, status string) string {
		return fmt.Sprintf(`{"id":%d,"sha":%q,"status":%q,"name":"ext","created_at":"2026-05-05T10:00:00Z","started_at":null,"finished_at":null}`, id, head, status)
	}
	routes[project+"/repository/commits/"+head+"/statuses"] = []forgetest.Reply{last(list(status(1, "pending"), status(4, "pending"), status(5, "success")))}
	s := run(t, subject("merge_requests/12", routes))
	var ids []string
	for _, c := range s.Checks {
		ids = append(ids, c.ID)
	}
	if len(ids) != 3 || s.Gaps["checks/invalid_metadata"] != 2 {
		t.Errorf("checks %v, gaps %v: the job, the bridge without a pipeline and the pending status stay", ids, s.Gaps)
	}
}

func TestRecordedJobs(t *testing.T) {
	requirement.Claim(t, "MAP-05", "MAP-06")
	for _, c := range []struct {
		file, sha string
		want      string
	}{
		{"19-pipeline-jobs-1053733851.json", "0f70911cf8be855821e2eacd73762dbd2b07ff0b", "failure:1 skipped:4"},
		{"20-pipeline-jobs-1097349658.json", "85ff3602e090f7a5c2e2691982ff3d8a6dfb1e22", "cancelled:4"},
	} {
		routes := server()
		r := routes[merge][0]
		r.Body = strings.Replace(r.Body, head, c.sha, 1)
		routes[merge] = []forgetest.Reply{r}
		routes[merge+"/pipelines"] = []forgetest.Reply{last(pipelines(c.sha, "feature"))}
		routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(capture(t, c.file).Body)}
		routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
		routes[project+"/repository/commits/"+c.sha+"/statuses"] = []forgetest.Reply{last(`[]`)}
		routes[project+"/jobs/5409135570/trace"] = []forgetest.Reply{capture(t, "40-trace-runner-11.log")}
		s := run(t, subject("merge_requests/12", routes))
		count := map[string]int{}
		for _, k := range s.Checks {
			if k.NeverStarted != (k.StartedAt == "") {
				t.Errorf("%s: never started %v, started at %q", k.ID, k.NeverStarted, k.StartedAt)
			}
			count[string(k.Conclusion)]++
		}
		if got := strings.Trim(fmt.Sprint(count), "map[]"); got != c.want || len(s.Gaps) > 2 {
			t.Errorf("%s: %s, gaps %v", c.file, got, s.Gaps)
		}
	}
}

func TestLogs(t *testing.T) {
	requirement.Claim(t, "AMB-68", "COL-10")
	failed := job(1, "failed", head, `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:02Z"`)
	trace := project + "/jobs/1/trace"
	for _, c := range []struct {
		name  string
		reply forgetest.Reply
		want  string
	}{
		{"as it is", capture(t, "44-trace-timestamped-bytes.log"), "text"},
		{"empty", forgetest.JSON(""), "empty"},
		{"gone", forgetest.Reply{Status: 404, Body: "{}"}, "fetch_failed"},
		{"refused", forgetest.Reply{Status: 403, Body: "{}"}, "authorization_failed"},
	} {
		routes := with(merge+"/pipelines", last(pipelines(head, "feature")))
		routes[project+"/pipelines/900/jobs"] = []forgetest.Reply{last(list(failed, job(2, "success", head, `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:02Z"`)))}
		routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
		routes[trace] = []forgetest.Reply{c.reply}
		s := run(t, subject("merge_requests/12", routes))
		if len(s.Logs) != 1 {
			t.Fatalf("%s: %d logs", c.name, len(s.Logs))
		}
		l := s.Logs[0].Content
		got := string(l.Missing)
		if l.Form == contract.FormText && len(l.Bytes) == 0 {
			got = "empty"
		} else if l.Form == contract.FormText && string(l.Bytes) == c.reply.Body {
			got = "text"
		}
		if got != c.want {
			t.Errorf("%s: %s (%v)", c.name, got, l.Form)
		}
	}
}

func TestAccounts(t *testing.T) {
	requirement.Claim(t, "ADM-15", "AMB-40", "AMB-70", "AMB-37", "ADM-14", "ACT-02", "AMB-39")
	user := func(bot string) forgetest.Reply { return forgetest.JSON(`{"id":2,"username":"u2"` + bot + `}`) }
	member := func(level int, state string) forgetest.Reply {
		return forgetest.JSON(fmt.Sprintf(`{"id":2,"username":"u2","state":%q,"access_level":%d}`, state, level))
	}
	cases := []struct {
		name         string
		user, member forgetest.Reply
		want         string
	}{
		{"owner", user(`,"bot":false`), member(50, "active"), "human admin true"},
		{"maintainer", user(`,"bot":false`), member(40, "active"), "human maintain true"},
		{"developer", user(`,"bot":false`), member(30, "active"), "human write true"},
		{"unknown level", user(`,"bot":false`), member(25, "active"), "human - false"},
		{"reporter", user(`,"bot":false`), member(20, "active"), "human triage true"},
		{"planner", user(`,"bot":false`), member(15, "active"), "human read true"},
		{"guest", user(`,"bot":false`), member(10, "active"), "human read true"},
		{"minimal", user(`,"bot":false`), member(5, "active"), "human none true"},
		{"no access", user(`,"bot":false`), member(0, "active"), "human none true"},
		{"blocked", user(`,"bot":false`), member(50, "blocked"), "human - false"},
		{"awaiting", user(`,"bot":false`), forgetest.JSON(`{"id":2,"state":"active","access_level":50,"membership_state":"awaiting"}`), "human - false"},
		{"somebody else", user(`,"bot":false`), forgetest.JSON(`{"id":3,"state":"active","access_level":50}`), "human - false"},
		{"no member", user(`,"bot":false`), forgetest.Reply{Status: 404, Body: "{}"}, "human - false"},
		{"bot", user(`,"bot":true`), member(50, "active"), "bot bot false"},
		{"no flag", user(""), member(50, "active"), "unknown - false"},
		{"look-up refused", forgetest.Reply{Status: 403, Body: "{}"}, member(50, "active"), "unknown - false"},
		{"recorded bot", capture(t, "26-user-bot.json"), member(50, "active"), "bot bot false"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			routes := with(issue+"/discussions", last(list(strings.Replace(single(1, ""), author(1), author(2), 1))))
			routes[users+"2"] = []forgetest.Reply{c.user}
			routes[members+"2"] = []forgetest.Reply{c.member}
			a := run(t, subject("issues/7", routes)).Actor("2")
			role := "-"
			if a.Role != nil {
				role = *a.Role
			}
			if got := fmt.Sprintf("%s %s %v", a.Kind, role, a.RoleVerified); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestBotIsNotAName(t *testing.T) {
	requirement.Claim(t, "AMB-40", "AMB-76", "ADM-07", "ADM-08")
	names := map[int]string{501: "project_42_bot_9f3c", 502: "project_42_bot", 503: "group_7_bot_ab12", 504: "my_project_42_bot_thing"}
	var discussions []string
	routes := server()
	for _, id := range []int{501, 502, 503, 504} {
		a := fmt.Sprintf(`{"id":%d,"username":%q,"name":"n"}`, id, names[id])
		discussions = append(discussions, strings.Replace(single(id, ""), author(1), a, 1))
		routes[users+fmt.Sprint(id)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`{"id":%d,"username":%q,"bot":%v}`, id, names[id], id%2 == 1))}
	}
	routes[members+"502"] = []forgetest.Reply{forgetest.JSON(`{"id":502,"state":"active","access_level":30}`)}
	routes[issue+"/discussions"] = []forgetest.Reply{last(list(discussions...))}
	s := subject("issues/7", routes)
	s.Change = func(cfg *fetch.Config) {
		var err error
		if cfg.Bots, err = fetch.ParseRegistry([]byte(`{"bots":[{"forge":"gitlab","host":"gitlab.com","id":"501","role":"coder"}]}`)); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t, s)
	for id, want := range map[string]string{"501": "bot bot coder", "502": "human write -", "503": "bot bot -", "504": "human - -"} {
		a := got.Actor(id)
		text := func(p *string) string {
			if p == nil {
				return "-"
			}
			return *p
		}
		if g := fmt.Sprintf("%s %s %s", a.Kind, text(a.Role), text(a.BotRole)); g != want {
			t.Errorf("%s: got %s, want %s", id, g, want)
		}
	}
}

func TestGhostIsNobody(t *testing.T) {
	requirement.Claim(t, "AMB-61", "ID-05")
	for _, c := range []struct {
		user    string
		deleted bool
	}{
		{`{"id":77,"username":"ghost","name":"Ghost User"}`, true},
		{`{"id":77,"username":"ghost1","name":"Ghost User"}`, true},
		{`{"id":77,"username":"ghost","name":"Casper"}`, false},
		{`{"id":77,"username":"ghostwriter","name":"Ghost User"}`, false},
	} {
		routes := with(issue+"/discussions", last(list(strings.Replace(single(1, ""), author(1), c.user, 1))))
		r := run(t, subject("issues/7", routes)).Record("1")
		if (r.AuthorID == nil) != c.deleted {
			t.Errorf("%s: author %v", c.user, r.AuthorID)
		}
	}
}

func TestHeadUnknown(t *testing.T) {
	requirement.Claim(t, "AMB-74")
	routes := server()
	r := routes[merge][0]
	r.Body = strings.Replace(r.Body, `"sha":"`+head+`"`, `"sha":null`, 1)
	routes[merge] = []forgetest.Reply{r}
	if s := run(t, subject("merge_requests/12", routes)); s.Gaps["checks/fetch_failed"] != 1 || s.Header.HeadSHA != "" {
		t.Errorf("gaps %v", s.Gaps)
	}
}

func TestRelativeRootAndNestedGroups(t *testing.T) {
	requirement.Claim(t, "SRC-02", "SRC-05", "SRC-06")
	env := func(name string) string {
		return map[string]string{"CI_SERVER_HOST": "forge.example.test", "CI_API_V4_URL": "https://forge.example.test/gitlab/api/v4"}[name]
	}
	target, err := forge.Parse([]forge.Facts{gitlab.Driver.Facts}, "https://forge.example.test/gitlab/a/b/c/-/merge_requests/3/diffs?x=1#note_4", forge.Hints{}, env)
	if err != nil {
		t.Fatal(err)
	}
	if got := gitlab.Driver.Endpoint(target).Base.String(); got != "https://forge.example.test/gitlab/api/v4" || target.Repository != "a/b/c" {
		t.Errorf("endpoint %s, repository %s", got, target.Repository)
	}
}

func TestProbe(t *testing.T) {
	requirement.Claim(t, "AMB-88")
	for name, c := range map[string]struct {
		path  string
		reply forgetest.Reply
		line  string
		exit  fault.Exit
	}{
		"enough":              {"/api/v4/user", forgetest.JSON(`{"id":99}`), "roles: readable", 0},
		"a job's token":       {"/api/v4/user", forgetest.Reply{Status: 401, Body: `{}`}, "roles: cannot be probed here", 0},
		"discussions refused": {issue + "/discussions", forgetest.Reply{Status: 403, Body: `{"error":"insufficient_scope","scope":"api read_api"}`}, "comments: not readable: discussions: access is refused (status 403): the token needs one of the scopes api, read_api", 1},
		"members refused":     {members + "1", forgetest.Reply{Status: 403, Body: `{"message":"403 Forbidden"}`}, "roles: not readable", 4},
	} {
		routes := with(c.path, c.reply)
		if c.path != "/api/v4/user" {
			routes["/api/v4/user"] = []forgetest.Reply{forgetest.JSON(`{"id":99}`)}
		}
		lines, err := subject("issues/7", routes).Probe(t, &forgetest.Net{})
		if fault.ExitOf(err) != c.exit || !strings.Contains(strings.Join(lines, "\n"), c.line) {
			t.Errorf("%s: %v\n%s", name, err, strings.Join(lines, "\n"))
		}
	}
}

// TestConformance runs the suite of all adapters against a merge request with several
// pages of discussions and jobs, threads, external statuses, logs, people and bots.
func TestConformance(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-45", "AMB-72", "AMB-77", "DET-02", "GAP-05")
	routes := server()
	paged := func(path string, items []string, totals bool) {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		for p := 0; p <= (len(items)-1)/3; p++ {
			next := ""
			if 3*p+3 < len(items) {
				next = fmt.Sprint(p + 2)
			}
			r := page(next, list(items[3*p:min(3*p+3, len(items))]...))
			if totals {
				r.Header.Set("X-Total", fmt.Sprint(len(items)))
			}
			routes[fmt.Sprintf("%s%sper_page=100&page=%d", path, separator, p+1)] = []forgetest.Reply{r}
		}
	}
	var discussions, jobs, statuses []string
	for i := range 8 {
		n := func(id int) string {
			return strings.Replace(note(id, `,"resolvable":true,"resolved":true,"resolved_by":`+author(10+i)), author(1), author(10+i), 1)
		}
		discussions = append(discussions, fmt.Sprintf(`{"id":"t%d","individual_note":false,"notes":%s}`, i, list(n(100+2*i), n(101+2*i))))
		jobs = append(jobs, job(500+i, "failed", head, `"2026-05-05T10:00:01Z"`, `"2026-05-05T10:00:02Z"`))
		statuses = append(statuses, fmt.Sprintf(`{"id":%d,"sha":%q,"status":"pending","name":"s","created_at":"2026-05-05T10:00:00Z","started_at":null,"finished_at":null}`, 600+i, head))
		routes[fmt.Sprintf("%s/jobs/%d/trace", project, 500+i)] = []forgetest.Reply{{Header: http.Header{"Content-Type": {"text/plain"}}, Body: fmt.Sprintf("log %d\n", i)}}
		routes[users+fmt.Sprint(10+i)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`{"id":%d,"username":"u","bot":%v}`, 10+i, i == 0))}
		routes[members+fmt.Sprint(10+i)] = []forgetest.Reply{forgetest.JSON(fmt.Sprintf(`{"id":%d,"state":"active","access_level":30}`, 10+i))}
	}
	paged(merge+"/discussions", discussions, false)
	paged(merge+"/pipelines", []string{strings.Trim(pipelines(head, "feature"), "[]")}, true)
	paged(project+"/pipelines/900/jobs?include_retried=true", jobs, true)
	paged(project+"/repository/commits/"+head+"/statuses", statuses, true)
	routes[project+"/pipelines/900/bridges"] = []forgetest.Reply{last(`[]`)}
	s := subject("merge_requests/12", routes)
	got := run(t, s)
	if len(got.IDs(contract.KindComment)) != 16 || len(got.Threads) != 8 || len(got.Checks) != 16 || len(got.Logs) != 8 {
		t.Fatalf("%d comments, %d threads, %d checks, %d logs, gaps %v", len(got.IDs(contract.KindComment)), len(got.Threads), len(got.Checks), len(got.Logs), got.Gaps)
	}
	// docs/requests.md: project and entity, three pages of discussions, twice, one of
	// pipelines, three of jobs, one of bridges, three of statuses, kind and role of nine
	// accounts, eight logs.
	if n := len(s.Run(context.Background(), t, &forgetest.Net{}).Requests); n != 2+2*3+1+3+1+3+2*9+8 {
		t.Errorf("%d requests", n)
	}
	forgetest.Conform(t, s, forgetest.NamedFault{Name: "one element fewer where totals are kept", JSONOnly: true, Fault: fewer})
}

// fewer drops an element from the lists whose totals GitLab keeps.
func fewer(r *http.Request, good *http.Response) (*http.Response, error) {
	if good.Header.Get("X-Total") == "" {
		return good, nil
	}
	return forgetest.EditJSON(func(v any) any {
		if a, ok := v.([]any); ok && len(a) > 0 {
			return a[1:]
		}
		return v
	})(r, good)
}
