package gitlab

import (
	"context"
	"regexp"
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
	id, project, sha, ref string
}

// temporary marks pipelines that run on a temporary commit: merged results and merge
// trains.
var temporary = regexp.MustCompile(`^refs/merge-requests/[0-9]+/(merge|train)$`)

// Checks implements forge.Adapter. Checks are the jobs, bridges and external statuses
// of the head. Jobs of merged-results and train pipelines run on a commit of their
// own; those that are newer than any pipeline of an older head are delivered with
// that revision, so that they are counted (AMB-63). An external status has the same
// sort of identifier as a job.
func (a *adapter) Checks(ctx context.Context, e *forge.Entity) (c forge.Checks) {
	at := e.Native.(place)
	pipelines, err := list(ctx, a, at.entity+"/pipelines", "pipelines", true, readPipeline)
	if err != nil {
		return forge.Checks{Failed: err}
	}
	var chosen []pipeline
	older := false
	for _, p := range pipelines {
		switch {
		case p.sha == e.HeadSHA:
			chosen = append(chosen, p)
		case temporary.MatchString(p.ref):
			if !older {
				chosen = append(chosen, p)
			}
		default:
			older = true
		}
	}
	type source struct {
		path, where string
		read        func(strictjson.Object) (string, forge.Check)
	}
	var sources []source
	for _, p := range chosen {
		base := a.projectPath(p.project) + "/pipelines/" + p.id
		sources = append(sources,
			source{base + "/jobs?include_retried=true", "jobs", jobReader(p.project)},
			source{base + "/bridges?include_retried=true", "bridges", readBridge})
	}
	sources = append(sources, source{
		at.project + "/repository/commits/" + e.HeadSHA + "/statuses", "commit statuses", statusReader(e.RepositoryID),
	})
	lists := make([][]forge.Check, len(sources))
	errs := make([]error, len(sources))
	forge.Parallel(len(sources), func(i int) {
		s := sources[i]
		lists[i], errs[i] = list(ctx, a, s.path, s.where, true, s.read)
	})
	if err := forge.FirstError(errs); err != nil {
		return forge.Checks{Failed: err}
	}
	seen := map[string]bool{}
	for _, l := range lists {
		for _, check := range l {
			if check.ID == "" || !seen[check.ID] { // statuses repeat the jobs
				seen[check.ID] = true
				c.Checks = append(c.Checks, check)
			}
		}
	}
	return c
}

func readPipeline(o strictjson.Object) (string, pipeline) {
	p := pipeline{id: o.Digits("id"), project: o.Digits("project_id"), sha: o.Text("sha"), ref: o.Text("ref")}
	return p.id, p
}

// job is what Log needs.
type job struct{ project, id string }

func readCheck(o strictjson.Object, project string) forge.Check {
	mapped := statuses[o.Text("status")]
	id := o.Digits("id")
	return forge.Check{
		ID:          id,
		Name:        forge.NewText(o.Nullable("name")),
		Status:      mapped.status,
		Conclusion:  mapped.conclusion,
		CreatedAt:   o.OptText("created_at"),
		StartedAt:   o.OptText("started_at"),
		CompletedAt: o.OptText("finished_at"),
		Native:      job{project, id},
	}
}

func jobReader(project string) func(strictjson.Object) (string, forge.Check) {
	return func(o strictjson.Object) (string, forge.Check) {
		c := readCheck(o, project)
		c.HeadSHA = o.OptObject("pipeline").OptText("sha")
		return c.ID, c
	}
}

// readBridge reads a trigger job. What it stands for is its downstream pipeline, so
// one of another revision is a check of that revision. It has no log.
func readBridge(o strictjson.Object) (string, forge.Check) {
	c := readCheck(o, "")
	c.HeadSHA = o.OptObject("pipeline").OptText("sha")
	if downstream := o.OptObject("downstream_pipeline"); downstream.Exists() {
		c.HeadSHA = downstream.OptText("sha")
	}
	return c.ID, c
}

func statusReader(project string) func(strictjson.Object) (string, forge.Check) {
	return func(o strictjson.Object) (string, forge.Check) {
		c := readCheck(o, project)
		c.HeadSHA = o.OptText("sha")
		return c.ID, c
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
		return nil, err
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
