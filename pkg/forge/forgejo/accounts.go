package forgejo

import (
	"context"
	"slices"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// Accounts implements forge.Adapter. Every account is human here; its role is looked
// up once, as it is now. The first look-up shows whether the token may ask at all.
func (a *adapter) Accounts(ctx context.Context, e *forge.Entity, accounts []forge.Account) ([]forge.Account, []string, error) {
	at := e.Native.(place)
	resolved := slices.Clone(accounts)
	var asked []*forge.Account
	for i := range resolved {
		if resolved[i].ID != "" && resolved[i].Login != "" && !resolved[i].NoRole {
			asked = append(asked, &resolved[i])
		}
	}
	errs := make([]error, len(asked))
	ask := func(i int) {
		var role *string
		role, errs[i] = a.permission(ctx, at, *asked[i])
		asked[i].Role, asked[i].Verified = role, role != nil
	}
	if len(asked) > 0 {
		ask(0)
		if client.IsKind(errs[0], client.Forbidden, client.Unauthenticated) {
			return resolved, []string{missing(errs[0])}, ctx.Err()
		}
		forge.Parallel(len(asked)-1, func(i int) { ask(i + 1) })
	}
	var notes []string
	for i, err := range errs {
		if err != nil && !client.IsKind(err, client.NotFound) {
			notes = append(notes, "role of "+asked[i].ID+" is unverified: "+err.Error())
		}
	}
	return resolved, notes, ctx.Err()
}

// Rights implements forge.Adapter.
func (a *adapter) Rights(ctx context.Context) (r forge.Rights, err error) {
	e, err := a.Entity(ctx)
	if err != nil {
		return r, err
	}
	r.Lines = append(r.Lines, "the entity can be read")
	if e.Author == nil {
		r.Lines = append(r.Lines, "its author's account is deleted: nothing by that author can be admitted")
		return r, nil
	}
	role, err := a.permission(ctx, e.Native.(place), *e.Author)
	switch {
	case client.IsKind(err, client.Forbidden, client.Unauthenticated):
		r.Missing = append(r.Missing, missing(err))
	case err != nil && !client.IsKind(err, client.NotFound):
		return r, err
	case role == nil:
		r.Lines = append(r.Lines, "the role of the entity's author cannot be verified")
	default:
		r.Lines = append(r.Lines, "the role of the entity's author is "+*role)
	}
	r.Lines = append(r.Lines, "Forgejo itself has no request budget")
	return r, nil
}
