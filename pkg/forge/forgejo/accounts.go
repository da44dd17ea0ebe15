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
	notes, refused, err := forge.LookUp(ctx, asked, e.Author, func(ctx context.Context, acc *forge.Account) error {
		role, err := a.permission(ctx, at, *acc)
		acc.Role, acc.Verified = role, role != nil
		return err
	})
	if refused != nil {
		notes = append(notes, missing(refused))
	}
	return resolved, notes, err
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
