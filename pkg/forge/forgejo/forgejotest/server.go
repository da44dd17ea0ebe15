// Package forgejotest is a Forgejo inside the process that answers as a live server of
// version 16 does: lists come whole where no page is asked for, and rows are taken out
// after a page is cut where one is; the timeline is null where it has nothing to show and
// states the length of each page; comments ignore pages; comments on code come in another
// order each time.
//
// The package is for tests only.
package forgejotest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/forge/forgetest"
)

// The repository and its entity.
const (
	Host   = "codeberg.org"
	API    = "/api/v1/repos/team/Demo"
	Number = 7
)

// Head is the pull request's head.
var Head = strings.Repeat("3e7b", 10)

// Server is one repository with one issue or pull request.
type Server struct {
	*forgetest.World
	Pull bool
	// Size is the most rows of a page (max_response_items).
	Size int
	// Capped servers cut an answer without a page as well.
	Capped bool
	// Old is the path that the repository had before it was renamed, "" if it never was.
	Old string
	// Settings says whether the server tells its page sizes.
	Settings bool

	turn int
}

// Tables of a server; those of code hang on a review: "code/" and its id.
const (
	Comments = "comments"
	Reviews  = "reviews"
	Timeline = "timeline"
	Runs     = "runs"
	Statuses = "statuses"
)

// New gives an empty server.
func New(pull bool) *Server {
	s := &Server{World: forgetest.NewWorld(), Pull: pull, Size: 50, Settings: true}
	for _, name := range []string{Comments, Reviews, Timeline, Runs, Statuses} {
		s.Tables[name] = &forgetest.Table{}
	}
	s.Parents = map[string]string{"code": Reviews}
	s.Counts = map[string]string{Statuses: "checks/invalid_metadata"}
	return s
}

// Person is the account of a number.
func Person(n int) string { return fmt.Sprintf(`{"id":%d,"login":"p%d"}`, n, n) }

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// Comment makes a comment.
func Comment(id, by int, created, updated time.Time) forgetest.Row {
	return forgetest.Row{
		ID: strconv.Itoa(id), Objects: []forgetest.Object{{Scope: contract.ScopeComments, ID: strconv.Itoa(id)}},
		JSON: fmt.Sprintf(`{"id":%d,"body":"at %s","user":%s,"original_author":"","assets":[],"html_url":"https://%s/team/Demo/issues/%d#issuecomment-%d","created_at":%q,"updated_at":%q}`,
			id, stamp(updated), Person(by), Host, Number, id, stamp(created), stamp(updated)),
	}
}

// Review makes a row of the review list. Drafts of others are hidden and no object.
func Review(id, by int, state string, dismissed bool, inline int, at time.Time) forgetest.Row {
	r := forgetest.Row{
		ID: strconv.Itoa(id), Hidden: state == "PENDING",
		JSON: fmt.Sprintf(`{"id":%d,"user":%s,"team":null,"state":%q,"body":"r","commit_id":%q,"stale":false,"dismissed":%v,"comments_count":%d,"submitted_at":%q,"updated_at":%q,"html_url":"https://%s/team/Demo/pulls/%d#issuecomment-9%d"}`,
			id, Person(by), state, Head, dismissed, inline, stamp(at), stamp(at), Host, Number, id),
	}
	if state != "PENDING" && state != "REQUEST_REVIEW" {
		r.Objects = []forgetest.Object{{Scope: contract.ScopeReviews, ID: r.ID}}
	}
	return r
}

// Event makes a row of the timeline; rows of code are hidden.
func Event(id, by int, kind string, review int, at time.Time) forgetest.Row {
	return forgetest.Row{
		ID: strconv.Itoa(id), Hidden: kind == "code",
		JSON: fmt.Sprintf(`{"id":%d,"type":%q,"review_id":%d,"user":%s,"body":"","created_at":%q,"updated_at":%q}`, id, kind, review, Person(by), stamp(at), stamp(at)),
	}
}

// Run makes an Actions run.
func Run(id int, status string, created time.Time) forgetest.Row {
	return forgetest.Row{
		ID: strconv.Itoa(id), Objects: []forgetest.Object{{Scope: contract.ScopeChecks, ID: strconv.Itoa(id)}},
		JSON: fmt.Sprintf(`{"id":%d,"workflow_id":"ci.yml","status":%q,"commit_sha":%q,"created":%q,"started":%q,"stopped":%q,"updated":%q,"html_url":"https://%s/team/Demo/actions/runs/%d"}`,
			id, status, Head, stamp(created), stamp(created), stamp(created.Add(time.Minute)), stamp(created), Host, id),
	}
}

// Status makes a commit status of another service: no object, but counted.
func Status(id int, at time.Time) forgetest.Row {
	return forgetest.Row{
		ID:   strconv.Itoa(id),
		JSON: fmt.Sprintf(`{"id":%d,"status":"failure","target_url":"https://ci.example.test/%d","context":"ci","created_at":%q,"updated_at":%q}`, id, id, stamp(at), stamp(at)),
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Arrive(func(now time.Time) {
		path := r.URL.EscapedPath()
		if s.Old != "" && strings.HasPrefix(path, s.Old+"/") {
			forgetest.Write(w, now, http.StatusMovedPermanently, map[string]string{"Location": API + strings.TrimPrefix(r.URL.RequestURI(), s.Old), "Content-Type": "text/html"}, "<a>Moved Permanently</a>.")
			return
		}
		status, header, body := s.answer(path, r.URL.Query())
		forgetest.Write(w, now, status, header, body)
	})
}

const notFound = `{"message":"The target couldn't be found.","url":"https://codeberg.org/api/swagger","errors":[]}`

func (s *Server) answer(path string, q url.Values) (status int, header map[string]string, body string) {
	entity := fmt.Sprintf("%s/issues/%d", API, Number)
	pull := fmt.Sprintf("%s/pulls/%d", API, Number)
	switch {
	case path == "/api/v1/version":
		return 200, nil, `{"version":"16.0.0+gitea-1.22.0"}`
	case path == "/api/v1/settings/api" && s.Settings:
		return 200, nil, fmt.Sprintf(`{"max_response_items":%d,"default_paging_num":%d}`, s.Size, min(s.Size, 30))
	case path == entity:
		return 200, nil, s.entity()
	case path == pull && s.Pull:
		return 200, nil, s.entity()
	case path == entity+"/comments":
		rows, total := s.Tables[Comments].Cut(0, 0)
		return 200, map[string]string{"X-Total-Count": strconv.Itoa(total)}, forgetest.Array(rows, "[]")
	case path == entity+"/timeline":
		rows, _ := s.cut(Timeline, q)
		return 200, map[string]string{"X-Total-Count": strconv.Itoa(len(rows))}, forgetest.Array(rows, "null")
	case path == pull+"/reviews":
		rows, total := s.cut(Reviews, q)
		return 200, map[string]string{"X-Total-Count": strconv.Itoa(total)}, forgetest.Array(rows, "[]")
	case path == API+"/actions/runs" && q.Get("head_sha") == Head:
		rows, total := s.cut(Runs, q)
		return 200, nil, fmt.Sprintf(`{"workflow_runs":%s,"total_count":%d}`, forgetest.Array(rows, "[]"), total)
	case path == API+"/commits/"+Head+"/statuses":
		rows, total := s.cut(Statuses, q)
		return 200, map[string]string{"X-Total-Count": strconv.Itoa(total)}, forgetest.Array(rows, "[]")
	case strings.HasPrefix(path, pull+"/reviews/"):
		return s.code(strings.TrimPrefix(path, pull+"/reviews/"))
	case strings.HasPrefix(path, API+"/collaborators/p"):
		n, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(path, API+"/collaborators/p"), "/permission"))
		return 200, nil, fmt.Sprintf(`{"permission":"write","role_name":"write","user":%s}`, Person(n))
	}
	return 404, nil, notFound
}

// cut gives the page that is asked for. Without a page number the limit is ignored.
func (s *Server) cut(table string, q url.Values) ([]forgetest.Row, int) {
	page, _ := strconv.Atoi(q.Get("page"))
	size := s.Size
	if limit, err := strconv.Atoi(q.Get("limit")); err == nil && page > 0 {
		size = min(size, limit)
	}
	if page == 0 && s.Capped {
		page = 1
	}
	return s.Tables[table].Cut(page, size)
}

// code gives the comments of a review, in an order of its own each time.
func (s *Server) code(rest string) (int, map[string]string, string) {
	id, _ := strings.CutSuffix(rest, "/comments")
	listed := slices.ContainsFunc(s.Tables[Reviews].Rows, func(r forgetest.Row) bool { return r.ID == id && !r.Hidden })
	table := s.Tables["code/"+id]
	if !listed {
		return 404, nil, `{"message":"GetReviewByID","url":"https://codeberg.org/api/swagger","errors":["review does not exist [id: ` + id + `]"]}`
	}
	if table == nil {
		return 200, nil, "[]"
	}
	rows, _ := table.Cut(0, 0)
	rows = slices.Clone(rows)
	s.turn++
	for range s.turn % max(len(rows), 1) {
		rows = append(rows[1:], rows[0])
	}
	return 200, nil, forgetest.Array(rows, "[]")
}

func (s *Server) entity() string {
	start := forgetest.NewClock().Now().Add(-72 * time.Hour)
	base := fmt.Sprintf(`"number":%d,"user":%s,"title":"T","body":"B","labels":null,"state":"open","original_author":"","comments":%d,"created_at":%q,"updated_at":%q,"html_url":"https://%s/team/Demo/issues/%d"`,
		Number, Person(1), len(s.Tables[Comments].Rows), stamp(start), stamp(start), Host, Number)
	if !s.Pull {
		return fmt.Sprintf(`{"id":9,%s,"pull_request":null,"repository":{"id":3,"name":"Demo","owner":"team","full_name":"team/Demo"}}`, base)
	}
	return fmt.Sprintf(`{"id":5,%s,"merged":false,"head":{"sha":%q},"base":{"repo":{"id":3,"full_name":"team/Demo","has_actions":true}}}`, base, Head)
}
