package github

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
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
	// failed tells that the suite ended badly by itself, before it had runs that say so.
	failed func(runs []checkRun) bool
}

// failedSuites maps the conclusions of suites that are red by themselves to what must be
// missing for that. A start that failed has at most runs that were skipped for it.
var failedSuites = map[string]func(runs []checkRun) bool{
	"FAILURE": func(runs []checkRun) bool { return len(runs) == 0 },
	startupFailure: func(runs []checkRun) bool {
		return !slices.ContainsFunc(runs, func(r checkRun) bool { return r.Conclusion == contract.Failure })
	},
}

type checkRun struct {
	forge.Check
	databaseID int64
}

func readSuite(o strictjson.Object) forge.Item[suite] {
	s := suite{id: o.ID("id"), first: embed1(o.Object("checkRuns"), readRun), failed: failedSuites[textOr(o.Get("conclusion"))]}
	if run := o.OptObject("workflowRun").OptInt("databaseId"); run != nil {
		s.run = *run
	}
	return forge.Item[suite]{ID: s.id, Value: s, Changed: forge.Newest(o.OptText("updatedAt"))}
}

func readRun(o strictjson.Object) forge.Item[checkRun] {
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
		URL:          textOr(o.Get("url")),
	}}
	if id := o.OptInt("databaseId"); id != nil {
		r.databaseID = *id
	}
	return forge.Item[checkRun]{ID: r.ID, Value: r, Changed: forge.Newest(r.StartedAt, r.CompletedAt)}
}

// job is a workflow job: the same object as its check run, with a creation time
// (AMB-34).
type job struct {
	id      int64
	head    string
	created *string
}

// Checks implements forge.Adapter: check runs from GraphQL, and of their jobs the
// creation time alone (AMB-67). What is red and no check run is counted: suites that
// failed before they had runs (AMB-85), and commit statuses (AMB-86).
func (a *adapter) Checks(ctx context.Context, e *forge.Entity) forge.Checks {
	all, err := a.headChecks(ctx, e)
	if client.IsKind(err, client.NotFound) && len(all.suites) > 0 {
		all, err = a.headChecks(ctx, e) // a suite went between its list and its runs (AMB-83)
	}
	if err != nil {
		return forge.Checks{Failed: err}
	}
	var (
		out    forge.Checks
		failed int64
	)
	for i, s := range all.suites {
		if s.failed != nil && s.failed(all.runs[i]) {
			failed++
		}
		for _, r := range all.runs[i] {
			if j, ok := all.jobs[i][r.databaseID]; ok && r.databaseID > 0 && r.HeadSHA != nil && j.head == *r.HeadSHA {
				r.CreatedAt = j.created
			}
			r.Native = a.rest(e, "actions", "jobs", strconv.FormatInt(r.databaseID, 10), "logs")
			out.Checks = append(out.Checks, r.Check)
		}
	}
	out.Gaps = []contract.Gap{{Scope: contract.ScopeChecks, Code: contract.Unsupported, Count: failed}, all.statuses.gap()}
	if failed > 0 {
		out.Notes = append(out.Notes, strconv.FormatInt(failed, 10)+" check suites of the head failed before they had check runs")
	}
	if note := all.statuses.note(); note != "" {
		out.Notes = append(out.Notes, note)
	}
	return out
}

// headChecks is all that is read of the checks of the head; runs and jobs by suite.
type headChecks struct {
	suites   []suite
	runs     [][]checkRun
	jobs     []map[int64]job
	statuses *commitStatuses
}

func (a *adapter) headChecks(ctx context.Context, e *forge.Entity) (c headChecks, err error) {
	if c.suites, c.statuses, err = a.suites(ctx, e); err != nil {
		return c, err
	}
	ctx, ledger := client.WithLedger(ctx)
	defer func() {
		if err != nil {
			ledger.Discard()
		}
	}()
	n := len(c.suites)
	c.runs, c.jobs = make([][]checkRun, n), make([]map[int64]job, n)
	errs := make([]error, 2*n)
	forge.Parallel(2*n, func(i int) {
		s := c.suites[i/2]
		if i%2 == 0 {
			p := a.nodePages("suite_runs", s.id, "checkRuns", listPage)
			p.where = "checks"
			c.runs[i/2], errs[i] = s.first.rest(ctx, p, readRun)
		} else if len(s.first.items) > 0 && s.run > 0 {
			c.jobs[i/2], errs[i] = a.jobs(ctx, e, s.run)
		}
	})
	return c, forge.FirstError(errs)
}

// commitStatuses is what became of the commit statuses of the head.
type commitStatuses struct {
	contexts int64
	err      error
}

func (s commitStatuses) gap() contract.Gap {
	g := contract.Gap{Scope: contract.ScopeChecks, Code: contract.InvalidMetadata, Count: s.contexts}
	switch {
	case client.IsKind(s.err, client.Forbidden):
		g.Code, g.Count = contract.AuthorizationFailed, 1
	case s.err != nil:
		g.Code, g.Count = contract.FetchFailed, 1
	}
	return g
}

func (s commitStatuses) note() string {
	switch {
	case client.IsKind(s.err, client.Forbidden):
		return "commit statuses are not read: the token needs statuses: read"
	case s.err != nil:
		return "commit statuses: " + s.err.Error()
	case s.contexts > 0:
		return strconv.FormatInt(s.contexts, 10) + " commit statuses of the head are no check runs and are only counted"
	}
	return ""
}

// suitePages gives the pages of the check suites of the head, and what becomes of the
// commit statuses, which are asked for along with them.
func (a *adapter) suitePages(e *forge.Entity) (*pages, *commitStatuses) {
	n := e.Native.(native)
	of := &commitStatuses{}
	return &pages{
		adapter: a, operation: "checks", where: "checks", size: a.page(suitePage),
		variables: variables{"owner": n.owner, "name": n.name, "oid": e.HeadSHA, "inner": a.page(innerPage), "statuses": true},
		pick: func(data strictjson.Object) (strictjson.Object, error) {
			commit, err := headCommit(data, e.HeadSHA)
			if err != nil {
				return commit, err
			}
			if status := commit.Get("status"); !status.Missing() {
				of.contexts = int64(len(status.Object().Array("contexts")))
			}
			return commit.Object("checkSuites"), nil
		},
		total: "totalCount", optional: []string{"repository", "object", "status"}, lost: &of.err,
	}, of
}

// suites lists the check suites of the head. Commit statuses cost nothing but themselves
// when they are refused or fail.
func (a *adapter) suites(ctx context.Context, e *forge.Entity) ([]suite, *commitStatuses, error) {
	p, of := a.suitePages(e)
	all, err := list(ctx, p, readSuite)
	if err != nil && partOf(err) {
		p.variables["statuses"] = false
		of.contexts, of.err = 0, err
		all, err = list(ctx, p, readSuite)
	}
	for i := range all {
		all[i].first.date = p.date
	}
	return all, of, err
}

// partOf reports a failure that may be one of a part of the query alone.
func partOf(err error) bool {
	return client.IsKind(err, client.Forbidden, client.ServerError, client.TooLarge, client.Malformed, client.Unexpected)
}

// headCommit picks the head, which may be missing here.
func headCommit(data strictjson.Object, head string) (strictjson.Object, error) {
	commit := data.Object("repository").OptObject("object")
	if !commit.Exists() || commit.Text("__typename") != "Commit" || commit.Text("oid") != head {
		return strictjson.Object{}, &client.Error{Kind: client.NotFound, Detail: "the head is no commit of the repository"}
	}
	return commit, nil
}

// jobs lists the jobs of a workflow run, of all attempts. A run that is gone has none.
func (a *adapter) jobs(ctx context.Context, e *forge.Entity, run int64) (map[int64]job, error) {
	first := a.rest(e, "actions", "runs", strconv.FormatInt(run, 10), "jobs") + "?filter=all&per_page=" + strconv.Itoa(a.page(listPage))
	jobs, err := restList(ctx, a, first, "jobs of checks", "jobs", func(o strictjson.Object) forge.Item[job] {
		j := job{id: o.Int("id"), head: o.Text("head_sha"), created: o.OptText("created_at")}
		changed := forge.Newest(j.created, o.OptText("started_at"), o.OptText("completed_at"))
		return forge.Item[job]{ID: strconv.FormatInt(j.id, 10), Value: j, Changed: changed}
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
// with a total_count; null is an empty page. The cursor is the address of the next page.
// Pages are numbered, so the list may move while it is read (AMB-82). Where an answer has
// neither total nor link, a full page is followed by the next.
func restList[T any](ctx context.Context, a *adapter, first, where, member string, read func(o strictjson.Object) forge.Item[T]) ([]T, error) {
	return forge.CollectNumbered(ctx, false, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		var page forge.Page[T]
		path := cmp.Or(cursor, first)
		header, err := a.get(ctx, path, where, func(v strictjson.Value) error {
			page = forge.Page[T]{}
			if member != "" && !v.Null() {
				page.Total = v.Object().OptInt("total_count")
				v = v.Object().Get(member)
			}
			if v.Null() {
				return nil
			}
			for _, n := range v.Array() {
				if n.Null() {
					return forge.ErrNullObject
				}
				item := read(n.Object())
				item.Raw = n.Raw()
				page.Items = append(page.Items, item)
			}
			return nil
		})
		if err != nil {
			return page, err
		}
		if strings.HasPrefix(header.Get("X-Github-Sso"), "partial-results") {
			return page, &client.Error{Kind: client.Forbidden, Where: where, Reason: "sso", Detail: "single sign-on hides a part of the list"}
		}
		page.Date = forge.Date(header)
		size := int64(a.page(listPage))
		if page.Total != nil {
			page.Most = int((*page.Total + size - 1) / size)
		}
		page.Next = client.Next(header)
		if header.Get("Link") == "" && int64(len(page.Items)) >= size && (page.Total == nil || *page.Total > size) {
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

// get reads one REST resource. An answer that does not have its form is asked for again,
// so read may run more than once.
func (a *adapter) get(ctx context.Context, path, where string, read func(v strictjson.Value) error) (http.Header, error) {
	resp, err := a.client.Do(ctx, client.Request{
		Path: path, Where: where, Limit: a.settings.MaxAnswerBytes,
		Judge: func(r *client.Response) error {
			doc, err := strictjson.Parse(r.Body)
			if err != nil {
				return &client.Error{Kind: client.Malformed}
			}
			if err := read(doc.Root()); err != nil {
				return err
			}
			if err := doc.Err(); err != nil {
				return &client.Error{Kind: client.Malformed, Detail: err.Error()}
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return resp.Header, nil
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
