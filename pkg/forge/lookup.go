package forge

import (
	"context"
	"errors"
	"fmt"

	"snapline/pkg/forge/client"
)

// RolesMissing says that the forge did not answer for people whose words are in the
// snapshot: nobody can tell who of them may be heard, so there is none (AMB-79).
type RolesMissing struct {
	Count int   // of the roles that are missing
	Cause error // of the first
}

// Error implements error.
func (e *RolesMissing) Error() string {
	return fmt.Sprintf("%d of the roles could not be read: %v", e.Count, e.Cause)
}

// Unwrap gives the cause to errors.As.
func (e *RolesMissing) Unwrap() error { return e.Cause }

// answered reports that a look-up which failed was answered all the same: the forge says
// that there is nothing, or that it does not tell.
func answered(err error) bool {
	return err == nil || client.IsKind(err, client.NotFound, client.Gone, client.Forbidden)
}

// LookUp asks for each account with ask, which fills it in, and tells an answer from the
// lack of one (AMB-79). The first look-up shows whether the token may ask at all; if not,
// its error is refused, and nobody else is asked about.
//
// A look-up without an answer is *RolesMissing. The exception is a single account, not
// that of the author, for which the server fails with 5xx every time while it goes on to
// answer for somebody else: that one is unverified, and named in the notes.
func LookUp(ctx context.Context, accounts []*Account, author *Account, ask func(context.Context, *Account) error) (notes []string, refused, err error) {
	if len(accounts) == 0 {
		return nil, nil, ctx.Err()
	}
	errs := make([]error, len(accounts))
	errs[0] = ask(ctx, accounts[0])
	if client.IsKind(errs[0], client.Forbidden) {
		return nil, errs[0], ctx.Err()
	}
	Parallel(len(accounts)-1, func(i int) { errs[i+1] = ask(ctx, accounts[i+1]) })
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	missing := &RolesMissing{}
	odd, other := -1, -1
	for i, err := range errs {
		switch {
		case !answered(err):
			if missing.Count++; missing.Cause == nil {
				missing.Cause = err
			}
			odd = i
		default:
			other = i
		}
		if client.IsKind(err, client.Forbidden) {
			notes = append(notes, "role of "+accounts[i].ID+" is unverified: "+err.Error())
		}
	}
	switch {
	case missing.Count == 0:
		return notes, nil, nil
	case missing.Count > 1 || other < 0 || !failing(errs[odd]) || author != nil && accounts[odd].ID == author.ID:
		return notes, nil, missing
	}
	again := *accounts[other]
	if !answered(ask(ctx, &again)) {
		return notes, nil, missing // the server fails for everybody by now
	}
	return append(notes, "role of "+accounts[odd].ID+" is unverified: "+errs[odd].Error()+", for this account alone"), nil, ctx.Err()
}

// failing reports that the server answered with a failure of its own.
func failing(err error) bool {
	var e *client.Error
	return errors.As(err, &e) && e.Kind == client.ServerError && e.Status >= 500
}
