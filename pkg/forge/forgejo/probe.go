package forgejo

import (
	"context"
	"net/url"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// Probe implements forge.Adapter.
func (a *adapter) Probe(ctx context.Context, e *forge.Entity, source contract.Scope) (people []forge.Account, err error) {
	at := e.Native.(place)
	add := func(p *forge.Account) {
		if p != nil {
			people = append(people, *p)
		}
	}
	switch source {
	case contract.ScopeComments:
		l := listing{path: at.issue + "/comments", where: "comments"}
		p, _, err := one(ctx, a, l, l.path, readRemark)
		for _, c := range p.Items {
			add(c.Value.Author)
		}
		return people, err
	case contract.ScopeReviews:
		l := listing{path: at.pull + "/reviews", where: "reviews"}
		p, _, err := one(ctx, a, l, l.path, readReview)
		for _, r := range p.Items {
			add(r.Value.Author)
		}
		return people, err
	case contract.ScopeChecks:
		l := listing{path: at.repository + "/actions/runs?head_sha=" + url.QueryEscape(e.HeadSHA), where: "action runs", member: "workflow_runs", total: inAnswer}
		if !at.actions {
			s := listing{path: at.repository + "/commits/" + url.PathEscape(e.HeadSHA) + "/statuses", where: "commit statuses"}
			_, _, err = one(ctx, a, s, s.path, readStatus)
			return nil, err
		}
		_, _, err = one(ctx, a, l, l.path, readRun)
		return nil, err
	}
	return nil, forge.ErrUnsupported
}

// Owner implements forge.Adapter. A token may lack the scope to tell whose it is.
func (a *adapter) Owner(ctx context.Context) (string, error) {
	doc, _, err := a.get(ctx, a.base+"/user", "owner of the token")
	if client.IsKind(err, client.Forbidden, client.NotFound, client.Unauthenticated) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return doc.Object().Digits("id"), nil
}

// Budget implements forge.Adapter.
func (a *adapter) Budget(context.Context, *forge.Entity) ([]string, error) {
	return []string{"budget: Forgejo itself has none"}, nil
}
