package fetch

import (
	"context"
	"errors"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

type gapKey struct {
	scope contract.Scope
	code  contract.GapCode
}

// count adds to a gap of a selected source; a source that is not selected has none
// (GAP-06).
func (r *run) count(scope contract.Scope, code contract.GapCode, n int64) {
	if r.selected(scope) && n > 0 {
		r.gaps[gapKey{scope, code}] += n
	}
}

// invalid is lost for an object that does not have its form.
func (r *run) invalid(scope contract.Scope, object, why string) {
	r.lost(scope, contract.InvalidMetadata, object, why)
}

// lost counts an object that cannot be written, by its cause, and names it once.
func (r *run) lost(scope contract.Scope, code contract.GapCode, object, why string) {
	r.count(scope, code, 1)
	r.log.Notice(fault.Notice{Record: object, Scope: string(scope), Code: string(code), Text: why})
}

// failed counts a whole source that could not be read, once, and says why in one
// line (AMB-42, AMB-77).
func (r *run) failed(scope contract.Scope, err error) {
	if !r.selected(scope) {
		return
	}
	code := contract.FetchFailed
	if errors.Is(err, forge.ErrUnsupported) {
		code = contract.Unsupported
	}
	r.gaps[gapKey{scope, code}]++
	r.log.Notice(fault.Notice{Scope: string(scope), Code: string(code), Count: 1, Text: err.Error()})
}

// counted takes over the gaps that only the adapter can know.
func (r *run) counted(gaps []contract.Gap) {
	for _, g := range gaps {
		r.count(g.Scope, g.Code, g.Count)
		if r.selected(g.Scope) && g.Count > 0 {
			r.log.Notice(fault.Notice{Scope: string(g.Scope), Code: string(g.Code), Count: g.Count})
		}
	}
}

// notes passes on what the adapter has to say of a source.
func (r *run) notes(scope contract.Scope, notes []string) {
	for _, n := range notes {
		r.log.Notice(fault.Notice{Scope: string(scope), Text: n})
	}
}

// gapLines gives the gaps sorted by scope, then code.
func (r *run) gapLines() []*contract.Gap {
	var lines []*contract.Gap
	for k, n := range r.gaps {
		lines = append(lines, &contract.Gap{Scope: k.scope, Code: k.code, Count: n})
	}
	slices.SortFunc(lines, func(a, b *contract.Gap) int {
		return order(string(a.Scope), string(b.Scope), string(a.Code), string(b.Code))
	})
	return lines
}

// EntityFault turns the failure to read the entity into the fault that ends the run:
// environment when there was no answer, aborted when the answer cannot be used.
func EntityFault(err error) error {
	var (
		mismatch    *forge.KindMismatch
		unsupported *forge.UnsupportedEntity
		invalid     *forge.InvalidEntity
		imported    *forge.ImportedEntity
		failure     *client.Error
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &mismatch):
		return &fault.Error{
			Exit: fault.Aborted, Rule: "fetch.kind-mismatch",
			Detail: "the entity is a " + string(mismatch.Kind), Hint: "use " + mismatch.URL,
		}
	case errors.As(err, &unsupported):
		return &fault.Error{Exit: fault.Unsupported, Rule: "fetch.unsupported-entity", Detail: unsupported.Detail}
	case errors.As(err, &invalid):
		return entityGap(contract.InvalidMetadata, "fetch.entity", invalid.Detail)
	case errors.As(err, &imported):
		return entityGap(contract.AuthorizationFailed, "fetch.imported", imported.Error())
	case errors.As(err, &failure) && failure.Kind == client.TooLarge:
		return entityGap(contract.SourceTooLarge, "fetch.entity", failure.Error())
	case errors.As(err, &failure):
		return &fault.Error{Exit: fault.Environment, Rule: "fetch.entity", Detail: failure.Error(), Hint: hint(failure)}
	}
	return &fault.Error{Exit: fault.Environment, Rule: "fetch.entity", Detail: "the entity could not be read", Cause: err}
}

// rolesFault turns look-ups without an answer into the fault that ends the run: without
// them nobody can tell who may be heard (AMB-79).
func rolesFault(err error) error {
	fail := &fault.Error{
		Exit: fault.Environment, Rule: "fetch.roles", Scope: string(contract.ScopeActors), Code: string(contract.FetchFailed), Detail: err.Error(),
	}
	var failure *client.Error
	if errors.As(err, &failure) {
		fail.Hint = hint(failure)
	}
	return fail
}

const seeCheck = "check the address, and run fetch --check to see which right the token lacks"

func hint(e *client.Error) string {
	switch e.Kind {
	case client.Unauthenticated:
		return "the token is wrong or expired: set a new one"
	case client.Forbidden, client.NotFound:
		if e.Reason == "sso" {
			return "authorise the token for the organisation's single sign-on"
		}
		return seeCheck
	case client.Limited:
		return "run again later, or allow a longer --max-wait"
	case client.TooLarge:
		return "allow a larger --max-total"
	case client.Unreachable, client.ServerError, client.Malformed:
		return "run again later"
	}
	return ""
}

// entityGap is an unusable gap of scope entity: it aborts (ABT-10).
func entityGap(code contract.GapCode, rule, detail string) error {
	return &fault.Error{Exit: fault.Aborted, Rule: rule, Scope: string(contract.ScopeEntity), Code: string(code), Detail: detail}
}
