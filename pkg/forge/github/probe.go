package github

import (
	"context"
	"strconv"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Probe implements forge.Adapter. Checks need the jobs of a workflow too, if there is one.
func (a *adapter) Probe(ctx context.Context, e *forge.Entity, source contract.Scope) ([]forge.Account, error) {
	var people []forge.Account
	author := func(nodes []strictjson.Value) error {
		for _, n := range nodes {
			if p := who(n.Object().Nullable("author")); p != nil {
				people = append(people, *p)
			}
		}
		return nil
	}
	switch source {
	case contract.ScopeComments:
		_, err := a.nodePages("comments", e.ID, "comments", listPage).read(ctx, "", author)
		return people, err
	case contract.ScopeReviews:
		_, err := a.nodePages("reviews", e.ID, "reviews", listPage).read(ctx, "", author)
		return people, err
	case contract.ScopeChecks:
		return nil, a.probeChecks(ctx, e)
	case contract.ScopeCheckLogs:
		_, err := a.get(ctx, a.rest(e, "actions", "runs")+"?per_page=1", "workflow runs", object)
		return nil, err
	}
	return nil, forge.ErrUnsupported
}

func (a *adapter) probeChecks(ctx context.Context, e *forge.Entity) error {
	suites, statuses := a.suitePages(e)
	var run int64
	_, err := suites.read(ctx, "", func(nodes []strictjson.Value) error {
		for _, n := range nodes {
			if s := readSuite(n.Object()).Value; s.run > 0 {
				run = s.run
			}
		}
		return nil
	})
	if err == nil {
		err = statuses.err
	}
	if err == nil && run > 0 {
		_, err = a.get(ctx, a.rest(e, "actions", "runs", strconv.FormatInt(run, 10), "jobs")+"?per_page=1", "jobs of checks", object)
	}
	if client.IsKind(err, client.NotFound) {
		return nil // nothing is there to be read
	}
	return err
}

func object(v strictjson.Value) error {
	v.Object()
	return nil
}

// Owner implements forge.Adapter.
func (a *adapter) Owner(ctx context.Context) (id string, err error) {
	err = a.query(ctx, "owner", "owner of the token", variables{}, func(data strictjson.Object) error {
		id = data.Object("viewer").ID("id")
		return nil
	})
	if client.IsKind(err, client.Forbidden, client.NotFound, client.Unexpected) {
		return "", nil
	}
	return id, err
}

// Budget implements forge.Adapter.
func (a *adapter) Budget(ctx context.Context, _ *forge.Entity) (lines []string, err error) {
	_, err = a.get(ctx, a.base.EscapedPath()+"/rate_limit", "budget", func(v strictjson.Value) error {
		lines = nil
		for _, name := range []string{"core", "graphql"} {
			b := v.Object().Object("resources").Object(name)
			lines = append(lines, "budget "+name+": "+strconv.FormatInt(b.Int("remaining"), 10)+" of "+strconv.FormatInt(b.Int("limit"), 10)+" requests left")
		}
		return nil
	})
	if client.IsKind(err, client.NotFound) { // Enterprise Server without limits
		return []string{"budget: the server has no limits"}, nil
	}
	return lines, err
}
