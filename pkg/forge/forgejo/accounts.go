package forgejo

import (
	"context"
	"errors"
	"sync"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

const missingRight = "permission look-ups are refused: the token must belong to an administrator of the repository"

// Accounts implements forge.Adapter. Every account is human here; its role is looked
// up once, as it is now.
func (a *adapter) Accounts(ctx context.Context, _ *forge.Entity, accounts []forge.Account) (resolved []forge.Account, notes []string, err error) {
	resolved = make([]forge.Account, len(accounts))
	errs := make([]error, len(accounts))
	var wait sync.WaitGroup
	for i, acc := range accounts {
		resolved[i] = acc
		if acc.ID == "" || acc.Login == "" {
			continue
		}
		wait.Go(func() {
			role, err := a.permission(ctx, acc)
			resolved[i].Role, resolved[i].Verified = role, role != nil
			errs[i] = err
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	for _, err := range errs {
		if client.IsKind(err, client.Forbidden, client.Unauthenticated) {
			return resolved, []string{missingRight}, nil
		}
	}
	for _, err := range errs {
		var failed *client.Error
		if errors.As(err, &failed) && failed.Kind != client.NotFound {
			notes = append(notes, failed.Error())
			break // one line tells; the others failed alike or are unverified too
		}
	}
	return resolved, notes, nil
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
	role, err := a.permission(ctx, *e.Author)
	switch {
	case client.IsKind(err, client.Forbidden, client.Unauthenticated):
		r.Missing = append(r.Missing, missingRight)
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
