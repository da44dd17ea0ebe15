package gitlab

import (
	"context"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

const missingRight = "look-ups of users or members are refused: the token needs the scope read_api and, for a private group, membership"

// Accounts implements forge.Adapter: one look-up for the kind of each account and, for
// humans, one for the role.
func (a *adapter) Accounts(ctx context.Context, e *forge.Entity, accounts []forge.Account) ([]forge.Account, []string, error) {
	at := e.Native.(place)
	resolved := slices.Clone(accounts)
	errs := make([]error, len(accounts))
	forge.Parallel(len(accounts), func(i int) { resolved[i], errs[i] = a.resolve(ctx, at, accounts[i]) })
	var notes []string
	for i, err := range errs {
		switch {
		case err == nil || client.IsKind(err, client.NotFound):
		case client.IsKind(err, client.Forbidden, client.Unauthenticated):
			return resolved, []string{missingRight}, ctx.Err()
		default:
			notes = append(notes, "account "+accounts[i].ID+" is unverified: "+err.Error())
		}
	}
	return resolved, notes, ctx.Err()
}

// resolve gives an account its kind and role. A failed look-up leaves the kind unknown
// (AMB-70) or the role unverified (AMB-37); the error is for the note alone.
func (a *adapter) resolve(ctx context.Context, at place, acc forge.Account) (forge.Account, error) {
	kind, err := a.kind(ctx, acc)
	acc.Kind = kind
	if kind != contract.Human || acc.NoRole {
		return acc, err
	}
	acc.Role, err = a.role(ctx, at, acc)
	acc.Verified = acc.Role != nil
	return acc, err
}
