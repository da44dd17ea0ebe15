package gitlab

import (
	"context"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Probe implements forge.Adapter. There is no history of reviews (MAP-13).
func (a *adapter) Probe(ctx context.Context, e *forge.Entity, source contract.Scope) (people []forge.Account, err error) {
	at := e.Native.(place)
	switch source {
	case contract.ScopeComments:
		err = a.first(ctx, numbered(at.entity+"/discussions", "1"), "discussions", func(o strictjson.Object) {
			for _, n := range readDiscussion(o).Value.notes {
				if n.comment.Author != nil {
					people = append(people, *n.comment.Author)
				}
			}
		})
		return people, err
	case contract.ScopeChecks:
		return nil, a.first(ctx, numbered(at.entity+"/pipelines", "1"), "pipelines", func(o strictjson.Object) { readPipeline(o) })
	case contract.ScopeCheckLogs:
		return nil, a.first(ctx, numbered(at.project+"/jobs", "1"), "jobs", func(strictjson.Object) {})
	}
	return nil, forge.ErrUnsupported
}

// first reads one page of a list.
func (a *adapter) first(ctx context.Context, path, where string, each func(strictjson.Object)) error {
	doc, _, err := forge.GetJSON(ctx, a.client, path, where, a.limit)
	if err != nil {
		return explain(err)
	}
	for _, v := range doc.Root().List() {
		if v.Null() {
			return forge.ErrNullObject
		}
		each(v.Object())
	}
	if doc.Err() != nil {
		return &client.Error{Kind: client.Malformed, Where: where, Detail: doc.Err().Error()}
	}
	return nil
}

// Owner implements forge.Adapter. A job's token may not ask.
func (a *adapter) Owner(ctx context.Context) (string, error) {
	doc, _, err := a.get(ctx, a.root+"/user", "owner of the token")
	if client.IsKind(err, client.Forbidden, client.NotFound, client.Unauthenticated) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return doc.Object().Digits("id"), nil
}

// Budget implements forge.Adapter.
func (a *adapter) Budget(_ context.Context, e *forge.Entity) ([]string, error) {
	if left := e.Native.(place).budget; left != "" {
		return []string{"budget: " + left + " requests left in the current window"}, nil
	}
	return []string{"budget: the server does not say"}, nil
}
