// Package githubtest is a fake GitHub for tests: GraphQL is executed over plain objects
// (so a query that forgets a member or a page size fails as it would at GitHub), REST
// has the endpoints that the adapter uses, and logs are served by a second host that
// refuses credentials.
package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The host names of the fake.
const (
	APIHost = "api.github.com"
	LogHost = "logs.store.example"
)

// Fake is one repository. Fill its fields, then serve Hosts.
type Fake struct {
	ID, Owner, Name string
	Former          string // "owner/name" under which GraphQL finds it too
	Entities        map[int]M
	Commits         map[string]M
	// Permissions are the answers of the permission endpoint by login; Collaborators
	// those of the list.
	Permissions   map[string]Reply
	Collaborators []M
	// Jobs are workflow jobs by run id, Logs the texts by job id.
	Jobs map[int64][]M
	Logs map[int64]Reply
	// More answers paths that the fake does not know.
	More map[string]Reply
	// Prefix is "/api/v3" for Enterprise Server.
	Prefix string
	// LogBase is where logs are redirected to; https://LogHost when empty.
	LogBase string
	Objects []M       // further objects that have an id
	Viewer  M         // whose token it is
	Now     time.Time // of the answers; a fixed time if zero
}

// Reply is a fixed answer; status 0 means 200.
type Reply struct {
	Status int
	Header http.Header
	Body   string
}

// JSON makes a Reply of a value.
func JSON(v any) Reply {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return Reply{Body: string(b)}
}

// New gives an empty repository acme/tool.
func New() *Fake {
	return &Fake{
		ID: "R_kgDOExample", Owner: "acme", Name: "tool",
		Entities: map[int]M{}, Commits: map[string]M{}, Permissions: map[string]Reply{},
		Viewer: Bot("BOT_kwDOviewer", "github-actions"),
		Jobs:   map[int64][]M{}, Logs: map[int64]Reply{}, More: map[string]Reply{},
	}
}

// Hosts gives the handlers of both hosts.
func (f *Fake) Hosts() map[string]http.Handler {
	return map[string]http.Handler{APIHost: f, LogHost: http.HandlerFunc(f.store)}
}

func (f *Fake) named(owner, repo string) bool {
	return strings.EqualFold(owner, f.Owner) && strings.EqualFold(repo, f.Name) || strings.EqualFold(owner+"/"+repo, f.Former)
}

func (f *Fake) repository() M {
	return M{
		"__typename": "Repository", "id": f.ID, "nameWithOwner": f.Owner + "/" + f.Name,
		"issueOrPullRequest": func(args map[string]any) any {
			n, _ := strconv.Atoi(fmt.Sprint(args["number"]))
			return f.Entities[n]
		},
		"object": func(args map[string]any) any { return f.Commits[fmt.Sprint(args["oid"])] },
	}
}

// byID finds an object anywhere in the fake.
func (f *Fake) byID(id string) M {
	var found M
	visit := func(o M) {
		if o["id"] == id && found == nil && o["__typename"] != nil {
			found = o
		}
	}
	for _, o := range f.Objects {
		visit(o)
	}
	for _, o := range f.Entities {
		walkObjects(o, visit)
	}
	for _, o := range f.Commits {
		walkObjects(o, visit)
	}
	return found
}

func walkObjects(v any, visit func(M)) {
	switch v := v.(type) {
	case M:
		visit(v)
		for _, member := range v {
			walkObjects(member, visit)
		}
	case []M:
		for _, o := range v {
			walkObjects(o, visit)
		}
	case Connection:
		walkObjects(v.Nodes, visit)
	}
}

// ServeHTTP implements the API host.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Ratelimit-Remaining", "4200")
	now := f.Now
	if now.IsZero() {
		now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	}
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if r.Header.Get("User-Agent") == "" {
		answer(w, http.StatusForbidden, M{"message": "Request forbidden by administrative rules."})
		return
	}
	if r.Header.Get("Authorization") == "" {
		answer(w, http.StatusUnauthorized, M{"message": "Requires authentication"})
		return
	}
	path := r.URL.EscapedPath()
	if r.Method == http.MethodPost && (path == "/graphql" || path == "/api/graphql") {
		f.graphql(w, r)
		return
	}
	if reply, ok := f.More[path]; ok {
		reply.write(w)
		return
	}
	path, ok := strings.CutPrefix(path, f.Prefix)
	if path == "/rate_limit" && ok {
		answer(w, http.StatusOK, M{"resources": M{"core": M{"limit": 5000, "remaining": 4999}, "graphql": M{"limit": 5000, "remaining": 4990}}})
		return
	}
	rest, found := strings.CutPrefix(path, "/repos/"+f.Owner+"/"+f.Name+"/")
	if !ok || !found || r.Method != http.MethodGet {
		answer(w, http.StatusNotFound, notFound)
		return
	}
	f.rest(w, r, strings.Split(rest, "/"))
}

var notFound = M{"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}

func (f *Fake) rest(w http.ResponseWriter, r *http.Request, s []string) {
	switch {
	case len(s) == 1 && s[0] == "collaborators":
		f.list(w, r, f.Collaborators, "")
		return
	case len(s) == 3 && s[0] == "collaborators" && s[2] == "permission":
		login, _ := url.PathUnescape(s[1])
		if reply, ok := f.Permissions[login]; ok {
			reply.write(w)
			return
		}
	case len(s) == 2 && s[0] == "actions" && s[1] == "runs":
		answer(w, http.StatusOK, M{"total_count": 0, "workflow_runs": []M{}})
		return
	case len(s) == 4 && s[0] == "actions" && s[1] == "runs" && s[3] == "jobs":
		id, _ := strconv.ParseInt(s[2], 10, 64)
		if jobs, ok := f.Jobs[id]; ok && r.URL.Query().Get("filter") == "all" {
			f.list(w, r, jobs, "jobs")
			return
		}
	case len(s) == 4 && s[0] == "actions" && s[1] == "jobs" && s[3] == "logs":
		id, _ := strconv.ParseInt(s[2], 10, 64)
		reply, ok := f.Logs[id]
		switch {
		case ok && reply.Status >= 400:
			reply.write(w)
			return
		case ok:
			base := f.LogBase
			if base == "" {
				base = "https://" + LogHost
			}
			w.Header().Set("Location", base+"/logs/"+s[2]+"?sig=SIGNED")
			w.WriteHeader(http.StatusFound)
			return
		}
	}
	answer(w, http.StatusNotFound, notFound)
}

// list answers one page of a REST list, with a Link header as GitHub writes it.
func (f *Fake) list(w http.ResponseWriter, r *http.Request, items []M, member string) {
	q := r.URL.Query()
	size, _ := strconv.Atoi(q.Get("per_page"))
	if size == 0 {
		size = 30
	}
	page, _ := strconv.Atoi(q.Get("page"))
	page = max(page, 1)
	start := min((page-1)*size, len(items))
	end := min(start+size, len(items))
	if end < len(items) {
		q.Set("page", strconv.Itoa(page+1))
		u := *r.URL
		u.Scheme, u.Host, u.RawQuery = "https", r.Host, q.Encode()
		w.Header().Set("Link", "<"+u.String()+">; rel=\"next\", <"+u.String()+">; rel=\"last\"")
	}
	part := items[start:end]
	if part == nil {
		part = []M{}
	}
	if member == "" {
		answer(w, http.StatusOK, part)
		return
	}
	answer(w, http.StatusOK, M{"total_count": len(items), member: part})
}

// Store serves the log host.
func (f *Fake) store(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.URL.Query().Get("sig") != "SIGNED" {
		http.Error(w, "AuthenticationFailed", http.StatusBadRequest)
		return
	}
	id, _ := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/logs/"), 10, 64)
	reply, ok := f.Logs[id]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	reply.write(w)
}

// Store gives the handler of the log host alone.
func (f *Fake) Store() http.Handler { return http.HandlerFunc(f.store) }

func (r Reply) write(w http.ResponseWriter) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	_, _ = w.Write([]byte(r.Body))
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
