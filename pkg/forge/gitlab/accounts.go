package gitlab

import (
	"context"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
)

// Accounts implements forge.Adapter: one look-up for the kind of each account and, for
// humans, one for the role.
func (a *adapter) Accounts(ctx context.Context, e *forge.Entity, accounts []forge.Account) ([]forge.Account, []string, error) {
	at := e.Native.(place)
	resolved := slices.Clone(accounts)
	asked := make([]*forge.Account, len(resolved))
	first := map[*forge.Account]int{}
	errs := make([]error, len(resolved))
	for i := range resolved {
		asked[i] = &resolved[i]
		first[asked[i]] = i
	}
	// Anyone may ask for kinds, so everybody is asked about at once.
	forge.Parallel(len(resolved), func(i int) { resolved[i], errs[i] = a.resolve(ctx, at, resolved[i]) })
	notes, refused, err := forge.LookUp(ctx, asked, e.Author, func(ctx context.Context, acc *forge.Account) (err error) {
		if i, known := first[acc]; known {
			return errs[i]
		}
		*acc, err = a.resolve(ctx, at, *acc)
		return err
	})
	if refused != nil {
		notes = append(notes, missing(refused))
	}
	return resolved, notes, err
}

// resolve gives an account its kind and role, both asked for at once: a role counts for a
// person only. A failed look-up leaves the kind unknown (AMB-70) or the role unverified
// (AMB-37); the error is for the note alone.
func (a *adapter) resolve(ctx context.Context, at place, acc forge.Account) (forge.Account, error) {
	var (
		kind contract.ActorKind
		role *string
		errs [2]error
	)
	forge.Parallel(2, func(i int) {
		switch {
		case i == 0:
			kind, errs[0] = a.kind(ctx, acc)
		case !acc.NoRole:
			role, errs[1] = a.role(ctx, at, acc)
		}
	})
	acc.Kind = kind
	if acc.Kind != contract.Human || acc.NoRole {
		return acc, errs[0]
	}
	acc.Role, acc.Verified = role, role != nil
	return acc, errs[1]
}
