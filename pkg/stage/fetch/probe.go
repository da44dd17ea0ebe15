package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
)

// Probe tells what the token can read of what the profile selects, before anybody relies
// on it: one request for each source, and the role of somebody who is not the token's
// owner, as anyone may ask about oneself (AMB-88). say gets one line at a time.
//
// It fails as Run would if the entity or the roles cannot be read, and as aborted if a
// selected source cannot.
func Probe(ctx context.Context, a forge.Adapter, cfg Config, say func(line string) error) error {
	e, err := a.Entity(ctx)
	if err != nil {
		err = EntityFault(err)
		var e *fault.Error
		if errors.As(err, &e) && e.Hint == seeCheck {
			e.Hint = "check the address, and that the token may read the repository"
		}
		return err
	}
	p := probe{ctx: ctx, adapter: a, entity: e, collection: cfg.Collection, say: say}
	if c, ok := cfg.ByKind[e.Kind]; ok {
		p.collection = c
	}
	if err := say("entity: readable"); err != nil {
		return err
	}
	return p.rest()
}

type probe struct {
	ctx        context.Context
	adapter    forge.Adapter
	entity     *forge.Entity
	collection contract.Collection
	say        func(string) error

	people  []forge.Account
	missing []string // selected sources that cannot be read
}

func (p *probe) rest() error {
	if p.entity.Author != nil {
		p.people = append(p.people, *p.entity.Author)
	}
	for _, source := range []contract.Scope{contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks, contract.ScopeCheckLogs} {
		if !p.collection.Includes(source) {
			continue
		}
		if err := p.source(source); err != nil {
			return err
		}
	}
	if err := p.roles(); err != nil {
		return err
	}
	lines, err := p.adapter.Budget(p.ctx, p.entity)
	if err != nil {
		lines = []string{"budget: not readable: " + err.Error()}
	}
	for _, line := range lines {
		if err := p.say(line); err != nil {
			return err
		}
	}
	if len(p.missing) > 0 {
		return &fault.Error{
			Exit: fault.Aborted, Rule: "fetch.rights", Detail: "selected sources cannot be read: " + strings.Join(p.missing, ", "),
			Hint: "give the token the rights that are named, or select less",
		}
	}
	return p.ctx.Err()
}

// source asks for the first page of one source.
func (p *probe) source(source contract.Scope) error {
	if source == contract.ScopeChecks && p.entity.HeadSHA == "" {
		return p.say(string(source) + ": the head revision is unknown")
	}
	people, err := p.adapter.Probe(p.ctx, p.entity, source)
	if ctxErr := p.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	switch {
	case errors.Is(err, forge.ErrUnsupported):
		return p.say(string(source) + ": this forge does not offer them")
	case err != nil:
		p.missing = append(p.missing, string(source))
		return p.say(string(source) + ": not readable: " + err.Error())
	}
	p.people = append(p.people, people...)
	return p.say(string(source) + ": readable")
}

// roles looks somebody up who is not the owner of the token. Where the forge does not say
// who that is, two people are asked about: one of them is somebody else.
func (p *probe) roles() error {
	owner, err := p.adapter.Owner(p.ctx)
	if err != nil {
		return rolesFault(err)
	}
	need := 1
	if owner == "" {
		need = 2
	}
	var asked []forge.Account
	for _, a := range p.people {
		person := a.Kind != contract.Bot && a.Kind != contract.Unknown && !a.NoRole && a.ID != "" && a.ID != owner
		if person && !slices.ContainsFunc(asked, func(b forge.Account) bool { return a.ID == b.ID }) {
			asked = append(asked, a)
		}
	}
	if len(asked) < need {
		return p.say("roles: cannot be probed here: nobody but the token's owner is known to take part")
	}
	_, notes, err := p.adapter.Accounts(p.ctx, p.entity, asked[:need])
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case err != nil:
		return rolesFault(err)
	case len(notes) > 0:
		if err := p.say("roles: not readable: " + notes[0]); err != nil {
			return err
		}
		return &fault.Error{
			Exit: fault.Environment, Rule: "fetch.rights", Scope: string(contract.ScopeActors), Code: string(contract.AuthorizationFailed),
			Detail: notes[0], Hint: "without roles nobody can be heard",
		}
	}
	return p.say(fmt.Sprintf("roles: readable, asked about %d of the people who take part", need))
}
