// Package gitlabtest is a GitLab inside the process that pages as a live server does: by
// offset, with the page cut first and the rows that the token may not see taken out of it
// afterwards, with totals that count them.
//
// The package is for tests only.
package gitlabtest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/forge/forgetest"
)

// The project and its entity.
const (
	Host    = "gitlab.com"
	Path    = "team/demo"
	Project = "/api/v4/projects/1234"
	Number  = 7
)

// Head is the merge request's head.
var Head = strings.Repeat("ab", 20)

// Headers say what is left of the headers that tell of pages.
type Headers uint8

// What may be left.
const (
	All    Headers = iota
	NoMore         // the total and its like are missing, as for lists of more than 10,000
	Link           // only the Link header
	None
)

// Server is one project with one issue or merge request.
type Server struct {
	*forgetest.World
	Merge   bool
	Size    int // most rows of a page
	Headers Headers
}

// Tables of a server; those of jobs and bridges hang on a pipeline: "jobs/" or "bridges/"
// and its id.
const (
	Discussions = "discussions"
	Pipelines   = "pipelines"
	Statuses    = "statuses"
)

// New gives an empty server.
func New(merge bool) *Server {
	s := &Server{World: forgetest.NewWorld(), Merge: merge, Size: 100}
	s.Parents = map[string]string{"jobs": Pipelines, "bridges": Pipelines}
	for _, name := range []string{Discussions, Pipelines, Statuses} {
		s.Tables[name] = &forgetest.Table{}
	}
	return s
}

// Person is the account of a number.
func Person(n int) string {
	return fmt.Sprintf(`{"id":%d,"username":"u%d","name":"User %d","state":"active"}`, n, n, n)
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Discussion makes a discussion of n notes whose ids follow its own.
func Discussion(id, by, n int, created, updated time.Time) forgetest.Row {
	r := forgetest.Row{ID: strconv.Itoa(id)}
	var notes []string
	for i := range n {
		note := strconv.Itoa(id + i)
		r.Objects = append(r.Objects, forgetest.Object{Scope: contract.ScopeComments, ID: note})
		notes = append(notes, fmt.Sprintf(`{"id":%s,"type":%s,"body":"at %s","author":%s,"created_at":%q,"updated_at":%q,"system":false,"resolvable":%v,"resolved":false,"imported":false,"imported_from":"none"}`,
			note, map[bool]string{true: "null", false: `"DiscussionNote"`}[n == 1], stamp(updated), Person(by), stamp(created), stamp(updated), n > 1))
	}
	if n > 1 { // a thread of a merge request
		r.Objects = append(r.Objects, forgetest.Object{Scope: contract.ScopeReviews, ID: fmt.Sprintf("%040x", id)})
	}
	r.JSON = fmt.Sprintf(`{"id":"%040x","individual_note":%v,"notes":[%s]}`, id, n == 1, strings.Join(notes, ","))
	return r
}

// Pipeline makes a pipeline of the head.
func Pipeline(id int, status string, at time.Time) forgetest.Row {
	return forgetest.Row{
		ID:   strconv.Itoa(id),
		JSON: fmt.Sprintf(`{"id":%d,"project_id":1234,"sha":%q,"ref":"topic","status":%q,"source":"push","created_at":%q,"updated_at":%q}`, id, Head, status, stamp(at), stamp(at)),
	}
}

// Job makes a job, bridge or external status that has succeeded.
func Job(id int, created time.Time) forgetest.Row {
	return forgetest.Row{
		ID: strconv.Itoa(id), Objects: []forgetest.Object{{Scope: contract.ScopeChecks, ID: strconv.Itoa(id)}},
		JSON: fmt.Sprintf(`{"id":%d,"name":"job","status":"success","sha":%q,"created_at":%q,"started_at":%q,"finished_at":%q,"pipeline":{"sha":%q},"web_url":"https://%s/%s/-/jobs/%d"}`,
			id, Head, stamp(created), stamp(created), stamp(created.Add(time.Minute)), Head, Host, Path, id),
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Arrive(func(now time.Time) {
		status, header, body := s.answer(r.URL.EscapedPath(), r.URL.Query())
		forgetest.Write(w, now, status, header, body)
	})
}

func (s *Server) answer(path string, q url.Values) (status int, header map[string]string, body string) {
	issue, merge := fmt.Sprintf("%s/issues/%d", Project, Number), fmt.Sprintf("%s/merge_requests/%d", Project, Number)
	entity := issue
	if s.Merge {
		entity = merge
	}
	path = strings.Replace(path, "/api/v4/projects/"+url.PathEscape(Path)+"/", Project+"/", 1)
	switch {
	case path == "/api/v4/projects/"+url.PathEscape(Path):
		return 200, nil, `{"id":1234,"path_with_namespace":"` + Path + `"}`
	case path == entity:
		return 200, nil, s.entity()
	case path == entity+"/discussions":
		return s.list(Discussions, path, q)
	case path == merge+"/pipelines" && s.Merge:
		return s.list(Pipelines, path, q)
	case path == Project+"/repository/commits/"+Head+"/statuses":
		return s.list(Statuses, path, q)
	case strings.HasPrefix(path, Project+"/pipelines/"):
		id, kind, _ := strings.Cut(strings.TrimPrefix(path, Project+"/pipelines/"), "/")
		for _, p := range s.Tables[Pipelines].Rows {
			if p.ID == id {
				return s.list(kind+"/"+id, path, q)
			}
		}
	case strings.HasPrefix(path, "/api/v4/users/"):
		return 200, nil, `{"id":` + strings.TrimPrefix(path, "/api/v4/users/") + `,"username":"u","bot":false}`
	case strings.HasPrefix(path, Project+"/members/all/"):
		return 200, nil, `{"id":` + strings.TrimPrefix(path, Project+"/members/all/") + `,"username":"u","state":"active","access_level":30}`
	}
	return 404, nil, `{"message":"404 Not found"}`
}

// list answers with a page of a table, its headers as far as they are left.
func (s *Server) list(table, path string, q url.Values) (int, map[string]string, string) {
	t := s.Tables[table]
	if t == nil {
		t = &forgetest.Table{}
	}
	page, _ := strconv.Atoi(q.Get("page"))
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil {
		size = 20
	}
	page, size = max(page, 1), min(size, s.Size)
	rows, total := t.Cut(page, size)
	pages := max((total+size-1)/size, 1)
	next := ""
	if page < pages {
		next = strconv.Itoa(page + 1)
	}
	link := fmt.Sprintf(`<https://%s%s?page=1&per_page=%d>; rel="first"`, Host, path, size)
	if next != "" {
		link = fmt.Sprintf(`<https://%s%s?page=%s&per_page=%d>; rel="next", `, Host, path, next, size) + link
	}
	header := map[string]string{}
	switch s.Headers {
	case All:
		header["X-Total"], header["X-Total-Pages"] = strconv.Itoa(total), strconv.Itoa(pages)
		fallthrough
	case NoMore:
		header["X-Next-Page"], header["X-Page"], header["X-Per-Page"] = next, strconv.Itoa(page), strconv.Itoa(size)
		fallthrough
	case Link:
		header["Link"] = link
	}
	return 200, header, forgetest.Array(rows, "[]")
}

func (s *Server) entity() string {
	start := forgetest.NewClock().Now().Add(-72 * time.Hour)
	base := fmt.Sprintf(`"id":9007,"iid":%d,"project_id":1234,"title":"T","description":"B","state":"opened","author":%s,"created_at":%q,"updated_at":%q,"labels":[],"imported":false,"imported_from":"none"`,
		Number, Person(1), stamp(start), stamp(start))
	if s.Merge {
		base += `,"sha":"` + Head + `"`
	}
	return "{" + base + "}"
}
