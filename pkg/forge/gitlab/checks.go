package gitlab

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// outcome is a mapped native status.
type outcome struct {
	status     contract.CheckStatus
	conclusion contract.Conclusion
}

// statuses maps native job statuses (MAP-04, MAP-05).
var statuses = map[string]outcome{
	"created":              {contract.Queued, ""},
	"waiting_for_resource": {contract.Queued, ""},
	"waiting_for_callback": {contract.Queued, ""},
	"preparing":            {contract.Queued, ""},
	"pending":              {contract.Queued, ""},
	"scheduled":            {contract.Queued, ""},
	"manual":               {contract.Queued, ""},
	"running":              {contract.InProgress, ""},
	"canceling":            {contract.InProgress, ""},
	"success":              {contract.Completed, contract.Success},
	"failed":               {contract.Completed, contract.Failure},
	"canceled":             {contract.Completed, contract.Cancelled},
	"skipped":              {contract.Completed, contract.Skipped},
}

// pipeline is a row of the merge request's pipelines, newest first.
type pipeline struct {
	id, project, sha, ref, status, page string
}

// temporary marks pipelines that run on a temporary commit: merged results and merge
// trains.
var temporary = regexp.MustCompile(`^refs/merge-requests/[0-9]+/(merge|train)$`)

// Checks implements forge.Adapter. Checks are the jobs, bridges and external statuses
// of the head. Jobs of merged-results and train pipelines run on a commit of their
// own; those that are newer than any pipeline of an older head are delivered with
// that revision, so that they are counted (AMB-63). An external status has the same
// sort of identifier as a job; a list of them that is refused or fails costs itself
// alone (AMB-86).
func (a *adapter) Checks(ctx context.Context, e *forge.Entity) (c forge.Checks) {
	at := e.Native.(place)
	var (
		pipelines []pipeline
		statuses  []forge.Check
		errs      [2]error
	)
	forge.Parallel(2, func(i int) {
		switch i {
		case 0:
			pipelines, errs[0] = a.pipelines(ctx, at)
		case 1:
			path := at.project + "/repository/commits/" + e.HeadSHA + "/statuses"
			statuses, errs[1] = list(ctx, a, path, "commit statuses", kept, statusReader(e.RepositoryID))
		}
	})
	if errs[0] != nil {
		return forge.Checks{Failed: errs[0]}
	}
	if c = a.runs(ctx, at, chosen(pipelines, e.HeadSHA)); c.Failed != nil {
		return c
	}
	if errs[1] != nil {
		c.Gaps = append(c.Gaps, contract.Gap{Scope: contract.ScopeChecks, Code: forge.PartCode(errs[1]), Count: 1})
		c.Notes = append(c.Notes, errs[1].Error())
	}
	seen := map[string]bool{}
	all := append(c.Checks, statuses...)
	c.Checks = nil
	for _, check := range all {
		if check.ID == "" || !seen[check.ID] { // statuses repeat the jobs
			seen[check.ID] = true
			c.Checks = append(c.Checks, check)
		}
	}
	return c
}

func (a *adapter) pipelines(ctx context.Context, at place) ([]pipeline, error) {
	return list(ctx, a, at.entity+"/pipelines", "pipelines", kept, readPipeline)
}

// chosen gives the pipelines whose jobs are of the head, or would be if they did not run
// on a commit of their own.
func chosen(pipelines []pipeline, head string) (out []pipeline) {
	older := false
	for _, p := range pipelines {
		switch {
		case p.sha == head:
			out = append(out, p)
		case temporary.MatchString(p.ref):
			if !older {
				out = append(out, p)
			}
		default:
			older = true
		}
	}
	return out
}

// runs reads jobs and bridges of pipelines. A pipeline that failed before it had any is
// counted, or a red change would look as if nothing had run (AMB-85). One that was
// deleted meanwhile is left out (AMB-83).
func (a *adapter) runs(ctx context.Context, at place, pipelines []pipeline) (c forge.Checks) {
	jobs := make([][]forge.Check, len(pipelines))
	errs := make([]error, len(pipelines))
	forge.Parallel(len(pipelines), func(i int) { jobs[i], errs[i] = a.jobs(ctx, pipelines[i]) })
	var gone []string
	for i, err := range errs {
		switch {
		case client.IsKind(err, client.NotFound):
			gone = append(gone, pipelines[i].id)
			c.Notes = append(c.Notes, a.target.Named("pipeline "+pipelines[i].id, pipelines[i].page)+" was deleted while it was read and is left out")
		case err != nil:
			return forge.Checks{Failed: err}
		}
	}
	if len(gone) > 0 {
		again, err := a.pipelines(ctx, at)
		if err != nil {
			return forge.Checks{Failed: err}
		}
		for _, p := range again {
			if slices.Contains(gone, p.id) {
				return forge.Checks{Failed: forge.FirstError(errs)}
			}
		}
	}
	empty := int64(0)
	for i, p := range pipelines {
		if errs[i] == nil && len(jobs[i]) == 0 && p.status == "failed" {
			empty++
			c.Notes = append(c.Notes, a.target.Named("pipeline "+p.id, p.page)+" failed before it had jobs")
		}
		c.Checks = append(c.Checks, jobs[i]...)
	}
	if empty > 0 {
		c.Gaps = append(c.Gaps, contract.Gap{Scope: contract.ScopeChecks, Code: contract.Unsupported, Count: empty})
	}
	return c
}

// jobs reads the jobs of one pipeline, then its bridges, all attempts.
func (a *adapter) jobs(ctx context.Context, p pipeline) ([]forge.Check, error) {
	base := a.projectPath(p.project) + "/pipelines/" + p.id
	var (
		lists [2][]forge.Check
		errs  [2]error
	)
	forge.Parallel(2, func(i int) {
		switch i {
		case 0:
			lists[0], errs[0] = list(ctx, a, base+"/jobs?include_retried=true", "jobs", kept, jobReader(p.project))
		case 1:
			lists[1], errs[1] = list(ctx, a, base+"/bridges?include_retried=true", "bridges", kept, readBridge)
		}
	})
	return append(lists[0], lists[1]...), forge.FirstError(errs[:])
}

func readPipeline(o strictjson.Object) forge.Item[pipeline] {
	p := pipeline{id: o.Digits("id"), project: o.Digits("project_id"), sha: o.Text("sha"), ref: o.Text("ref")}
	if status := o.OptText("status"); status != nil {
		p.status = *status
	}
	if page := o.OptText("web_url"); page != nil {
		p.page = *page
	}
	return forge.Item[pipeline]{ID: p.id, Value: p, Changed: forge.Newest(o.OptText("created_at"))}
}

// job is what Log needs.
type job struct{ project, id string }

func readCheck(o strictjson.Object, project string) forge.Check {
	mapped := statuses[o.Text("status")]
	id := o.Digits("id")
	page := ""
	if sent := o.OptText("web_url"); sent != nil {
		page = *sent
	}
	return forge.Check{
		ID:          id,
		URL:         page,
		Name:        forge.NewText(o.Nullable("name")),
		Status:      mapped.status,
		Conclusion:  mapped.conclusion,
		CreatedAt:   o.OptText("created_at"),
		StartedAt:   o.OptText("started_at"),
		CompletedAt: o.OptText("finished_at"),
		Native:      job{project, id},
	}
}

// item is a check in its list. Only its creation shows that the list moved: checks that
// run change all the time, and keep their places.
func item(c forge.Check) forge.Item[forge.Check] {
	return forge.Item[forge.Check]{ID: c.ID, Value: c, Changed: forge.Newest(c.CreatedAt)}
}

func jobReader(project string) func(strictjson.Object) forge.Item[forge.Check] {
	return func(o strictjson.Object) forge.Item[forge.Check] {
		c := readCheck(o, project)
		c.HeadSHA = o.OptObject("pipeline").OptText("sha")
		return item(c)
	}
}

// readBridge reads a trigger job. What it stands for is its downstream pipeline, so
// one of another revision is a check of that revision. It has no log.
func readBridge(o strictjson.Object) forge.Item[forge.Check] {
	c := readCheck(o, "")
	c.HeadSHA = o.OptObject("pipeline").OptText("sha")
	if downstream := o.OptObject("downstream_pipeline"); downstream.Exists() {
		c.HeadSHA = downstream.OptText("sha")
	}
	return item(c)
}

func statusReader(project string) func(strictjson.Object) forge.Item[forge.Check] {
	return func(o strictjson.Object) forge.Item[forge.Check] {
		c := readCheck(o, project)
		c.HeadSHA = o.OptText("sha")
		return item(c)
	}
}

// Log implements forge.Adapter. A job without a log and an erased one answer with
// nothing.
func (a *adapter) Log(ctx context.Context, c *forge.Check, limit int64) ([]byte, error) {
	j := c.Native.(job)
	if j.project == "" {
		return nil, forge.ErrUnsupported
	}
	resp, err := a.client.Download(ctx, client.Request{
		Path: a.projectPath(j.project) + "/jobs/" + j.id + "/trace", Where: "job log", Limit: limit,
	})
	if err != nil {
		return nil, explain(err)
	}
	return resp.Body, nil
}

// levels maps access levels (ADM-15). A number that is not listed is unverified, never
// the nearest one.
var levels = map[int64]string{
	50: "admin", 40: "maintain", 30: "write", 20: "triage", 15: "read", 10: "read", 5: "none", 0: "none",
}

// role asks for the effective membership of one account. A membership that gives no
// access at the moment verifies nothing.
func (a *adapter) role(ctx context.Context, at place, acc forge.Account) (*string, error) {
	doc, _, err := a.get(ctx, at.project+"/members/all/"+acc.ID, "membership")
	if err != nil {
		return nil, err
	}
	o := doc.Object()
	role, known := levels[o.Int("access_level")]
	active := o.Digits("id") == acc.ID && o.Text("state") == "active"
	if state := o.OptText("membership_state"); state != nil && *state != "active" {
		active = false
	}
	if doc.Err() != nil {
		return nil, &client.Error{Kind: client.Malformed, Where: "membership", Detail: doc.Err().Error()}
	}
	if !known || !active {
		return nil, nil
	}
	return &role, nil
}

// kind asks whether an account is a bot: the only evidence there is. An answer without
// the flag tells nothing.
func (a *adapter) kind(ctx context.Context, acc forge.Account) (contract.ActorKind, error) {
	id, err := strconv.ParseInt(acc.ID, 10, 64)
	if err != nil {
		return contract.Unknown, nil
	}
	doc, _, err := a.get(ctx, a.root+"/users/"+acc.ID, "user")
	if err != nil {
		return contract.Unknown, err
	}
	o := doc.Object()
	bot := o.OptBool("bot")
	switch {
	case o.Int("id") != id || doc.Err() != nil || bot == nil:
		return contract.Unknown, nil
	case *bot:
		return contract.Bot, nil
	}
	return contract.Human, nil
}
