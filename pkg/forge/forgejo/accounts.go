package forgejo

import (
	"context"
	"slices"

	"snapline/pkg/forge"
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
