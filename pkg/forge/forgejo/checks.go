package forgejo

import (
	"context"
	"net/url"
	"strings"

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

// statuses maps native status words (MAP-07, MAP-08). Any other word, "unknown" among
// them, is invalid (MAP-10).
var statuses = map[string]outcome{
	"pending":   {contract.Queued, ""},
	"waiting":   {contract.Queued, ""},
	"blocked":   {contract.Queued, ""},
	"running":   {contract.InProgress, ""},
	"success":   {contract.Completed, contract.Success},
	"failure":   {contract.Completed, contract.Failure},
	"error":     {contract.Completed, contract.Failure},
	"warning":   {contract.Completed, contract.Neutral},
	"cancelled": {contract.Completed, contract.Cancelled},
	"canceled":  {contract.Completed, contract.Cancelled},
	"skipped":   {contract.Completed, contract.Skipped},
}

// Checks implements forge.Adapter. A check is an Actions run, the only object with an
// identifier, a revision and all times. A commit status has a counter instead of an
// identifier: each is counted as invalid, but for those that Actions itself posts
// (AMB-58). A list of statuses that is refused or fails costs itself alone (AMB-86).
func (a *adapter) Checks(ctx context.Context, e *forge.Entity) (c forge.Checks) {
	at := e.Native.(place)
	var (
		foreign []bool
		failed  error
	)
	forge.Parallel(2, func(i int) {
		switch {
		case i == 0 && at.actions:
			c.Checks, c.Failed = list(ctx, a, listing{
				path: at.repository + "/actions/runs?head_sha=" + url.QueryEscape(e.HeadSHA), where: "action runs",
				member: "workflow_runs", total: inAnswer,
			}, readRun)
		case i == 1:
			foreign, failed = list(ctx, a, listing{
				path: at.repository + "/commits/" + url.PathEscape(e.HeadSHA) + "/statuses", where: "commit statuses",
			}, readStatus)
		}
	})
	if failed != nil {
		c.Gaps = append(c.Gaps, contract.Gap{Scope: contract.ScopeChecks, Code: forge.PartCode(failed), Count: 1})
		c.Notes = append(c.Notes, failed.Error())
	}
	n := int64(0)
	for _, isForeign := range foreign {
		if isForeign {
			n++
		}
	}
	if n > 0 {
		c.Gaps = append(c.Gaps, contract.Gap{Scope: contract.ScopeChecks, Code: contract.InvalidMetadata, Count: n})
	}
	return c
}

// readRun reads a run in the shape of any supported version: older ones name the
// revision head_sha and have no times at all.
func readRun(o strictjson.Object) forge.Item[forge.Check] {
	mapped := statuses[o.Text("status")]
	c := forge.Check{
		ID:          o.Digits("id"),
		Name:        forge.NewText(o.Get("workflow_id")),
		Status:      mapped.status,
		Conclusion:  mapped.conclusion,
		HeadSHA:     o.OptText("commit_sha"),
		CreatedAt:   instant(o, "created"),
		StartedAt:   instant(o, "started"),
		CompletedAt: instant(o, "stopped"),
		UpdatedAt:   instant(o, "updated"),
		URL:         page(o),
	}
	if c.HeadSHA == nil {
		c.HeadSHA = o.OptText("head_sha")
	}
	return forge.Item[forge.Check]{ID: c.ID, Value: c, Changed: forge.Newest(c.CreatedAt)}
}

// readStatus tells whether a commit status was posted by something else than Actions.
func readStatus(o strictjson.Object) forge.Item[bool] {
	foreign := true
	if target := o.OptText("target_url"); target != nil {
		if u, err := url.Parse(*target); err == nil && strings.Contains(u.Path, "/actions/runs/") {
			foreign = false
		}
	}
	return forge.Item[bool]{ID: o.Digits("id"), Value: foreign, Changed: forge.Newest(o.OptText("created_at"))}
}

// roles maps native permissions (AMB-39). Forgejo has neither maintain nor triage.
var roles = map[string]string{"owner": "admin", "admin": "admin", "write": "write", "read": "read", "none": "none"}

// permission asks for one account's role. The look-up goes by login, so the answer
// has to be about the same identifier: names can be taken over.
func (a *adapter) permission(ctx context.Context, at place, acc forge.Account) (role *string, err error) {
	path := at.repository + "/collaborators/" + url.PathEscape(acc.Login) + "/permission"
	doc, _, err := a.get(ctx, path, "permission")
	if err != nil {
		return nil, err
	}
	o := doc.Object()
	word := o.OptText("role_name")
	if word == nil || *word == "" {
		word = o.OptText("permission")
	}
	same := o.Object("user").Digits("id") == acc.ID
	if doc.Err() != nil {
		return nil, &client.Error{Kind: client.Malformed, Where: "permission", Detail: doc.Err().Error()}
	}
	if !same || word == nil {
		return nil, nil
	}
	if mapped, ok := roles[*word]; ok {
		return &mapped, nil
	}
	return nil, nil
}
