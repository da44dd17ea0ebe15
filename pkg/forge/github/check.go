package github

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// statuses and conclusions map native words (MAP-01, MAP-02); startup_failure is a
// failure that never started.
var (
	statuses = map[string]contract.CheckStatus{
		"QUEUED": contract.Queued, "WAITING": contract.Queued, "REQUESTED": contract.Queued, "PENDING": contract.Queued,
		"IN_PROGRESS": contract.InProgress, "COMPLETED": contract.Completed,
	}
	conclusions = map[string]contract.Conclusion{
		"SUCCESS": contract.Success, "FAILURE": contract.Failure, "NEUTRAL": contract.Neutral, "CANCELLED": contract.Cancelled,
		"SKIPPED": contract.Skipped, "TIMED_OUT": contract.TimedOut, "ACTION_REQUIRED": contract.ActionRequired,
		"STALE": contract.Stale, startupFailure: contract.Failure,
	}
)

const startupFailure = "STARTUP_FAILURE"

// suite is one check suite as it was listed.
type suite struct {
	id    string
	run   int64 // database id of its workflow run, 0 when it has none
	first embedded[checkRun]
}

type checkRun struct {
	forge.Check
	databaseID int64
}

func readSuite(o strictjson.Object) (string, suite) {
	s := suite{id: o.ID("id"), first: embed1(o.Object("checkRuns"), readRun)}
	if run := o.OptObject("workflowRun").OptInt("databaseId"); run != nil {
		s.run = *run
	}
	return s.id, s
}

func readRun(o strictjson.Object) (string, checkRun) {
	conclusion := textOr(o.Get("conclusion"))
	r := checkRun{Check: forge.Check{
		ID:           o.ID("id"),
		Name:         forge.NewText(o.Nullable("name")),
		Status:       statuses[o.Text("status")],
		Conclusion:   conclusions[conclusion],
		HeadSHA:      o.OptObject("checkSuite").OptObject("commit").OptText("oid"),
		StartedAt:    o.OptText("startedAt"),
		CompletedAt:  o.OptText("completedAt"),
		NeverStarted: conclusion == startupFailure,
	}}
	if id := o.OptInt("databaseId"); id != nil {
		r.databaseID = *id
	}
	return r.ID, r
}

// job is a workflow job: the same object as its check run, with a creation time
// (AMB-34).
type job struct {
	id      int64
	head    string
	created *string
}

// Checks implements forge.Adapter: check runs from GraphQL, and of their jobs the
// creation time alone (AMB-67).
func (a *adapter) Checks(ctx context.Context, e *forge.Entity) forge.Checks {
	n := e.Native.(native)
	suites, err := list(ctx, &pages{
		adapter: a, operation: "checks", where: "checks", size: a.page(suitePage),
		variables: variables{"owner": n.owner, "name": n.name, "oid": e.HeadSHA, "inner": a.page(innerPage)},
		pick:      func(data strictjson.Object) (strictjson.Object, error) { return headSuites(data, e.HeadSHA) },
		total:     "totalCount",
	}, readSuite)
	if err != nil {
		return forge.Checks{Failed: err}
	}
	runs := make([][]checkRun, len(suites))
	jobs := make([]map[int64]job, len(suites))
	errs := make([]error, len(suites))
	forge.Parallel(len(suites), func(i int) {
		p := a.nodePages("suite_runs", suites[i].id, "checkRuns", listPage)
		p.where = "checks"
		runs[i], errs[i] = suites[i].first.rest(ctx, p, readRun)
		if errs[i] == nil && len(runs[i]) > 0 && suites[i].run > 0 {
			jobs[i], errs[i] = a.jobs(ctx, e, suites[i].run)
		}
	})
	if err := forge.FirstError(errs); err != nil {
		return forge.Checks{Failed: err}
	}
	var out forge.Checks
	for i := range suites {
		for _, r := range runs[i] {
			if j, ok := jobs[i][r.databaseID]; ok && r.databaseID > 0 && r.HeadSHA != nil && j.head == *r.HeadSHA {
				r.CreatedAt = j.created
			}
			r.Native = a.rest(e, "actions", "jobs", strconv.FormatInt(r.databaseID, 10), "logs")
			out.Checks = append(out.Checks, r.Check)
		}
	}
	return out
}

// headSuites picks the suites of the head, which may be missing here.
func headSuites(data strictjson.Object, head string) (strictjson.Object, error) {
	commit := data.Object("repository").OptObject("object")
	if !commit.Exists() || commit.Text("__typename") != "Commit" || commit.Text("oid") != head {
		return strictjson.Object{}, &client.Error{Kind: client.NotFound, Detail: "the head is no commit of the repository"}
	}
	return commit.Object("checkSuites"), nil
}

// jobs lists the jobs of a workflow run, of all attempts. A run that is gone has none.
func (a *adapter) jobs(ctx context.Context, e *forge.Entity, run int64) (map[int64]job, error) {
	first := a.rest(e, "actions", "runs", strconv.FormatInt(run, 10), "jobs") + "?filter=all&per_page=" + strconv.Itoa(a.page(listPage))
	jobs, err := restList(ctx, a, first, "jobs of checks", "jobs", func(o strictjson.Object) (string, job) {
		j := job{id: o.Int("id"), head: o.Text("head_sha"), created: o.OptText("created_at")}
		return strconv.FormatInt(j.id, 10), j
	})
	if client.IsKind(err, client.NotFound) {
		return nil, nil
	}
	byID := make(map[int64]job, len(jobs))
	for _, j := range jobs {
		byID[j.id] = j
	}
	return byID, err
}

// restList reads all pages of a REST list: an array, or the named member of an object
// with a total_count. The cursor is the address of the next page. Where an answer has
// neither total nor link, a full page is followed by the next.
func restList[T any](ctx context.Context, a *adapter, first, where, member string, read func(o strictjson.Object) (string, T)) ([]T, error) {
	return forge.Collect(ctx, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		var page forge.Page[T]
		path := first
		if cursor != "" {
			path = cursor
		}
		header, err := a.get(ctx, path, where, func(v strictjson.Value) error {
			if member != "" {
				page.Total = v.Object().OptInt("total_count")
				v = v.Object().Get(member)
			}
			nodes := v.Array()
			for _, n := range nodes {
				if n.Null() {
					return forge.ErrNullObject
				}
			}
			page.Items = itemsOf(nodes, read)
			return nil
		})
		if err != nil {
			return page, err
		}
		if strings.HasPrefix(header.Get("X-Github-Sso"), "partial-results") {
			return page, &client.Error{Kind: client.Forbidden, Where: where, Reason: "sso", Detail: "single sign-on hides a part of the list"}
		}
		page.Next = client.Next(header)
		if header.Get("Link") == "" && page.Total == nil && len(page.Items) >= a.page(listPage) {
			page.Next, page.Guess = following(path), true
		}
		return page, nil
	})
}

// following gives the address of the page after the one at address by its number.
func following(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	q := u.Query()
	n, err := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
	if err != nil {
		return ""
	}
	q.Set("page", strconv.Itoa(n+1))
	u.RawQuery = q.Encode()
	return u.String()
}

// get reads one REST resource.
func (a *adapter) get(ctx context.Context, path, where string, read func(v strictjson.Value) error) (http.Header, error) {
	doc, header, err := forge.GetJSON(ctx, a.client, path, where, a.settings.MaxAnswerBytes)
	if err != nil {
		return nil, err
	}
	if err := read(doc.Root()); err != nil {
		return nil, err
	}
	if err := doc.Err(); err != nil {
		return nil, &client.Error{Kind: client.Malformed, Where: where, Detail: err.Error()}
	}
	return header, nil
}

// Log implements forge.Adapter: one redirect to another host, which gets no
// credential.
func (a *adapter) Log(ctx context.Context, c *forge.Check, limit int64) ([]byte, error) {
	resp, err := a.client.Download(ctx, client.Request{
		Path: c.Native.(string), Where: "log", Limit: limit, Header: http.Header{"Accept": {"*/*"}},
	})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
