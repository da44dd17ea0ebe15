package fetch

import (
	"slices"
	"strings"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// actorSet collects every account that a line refers to, once by id, in the order of
// first reference.
type actorSet struct {
	order []*forge.Account
	byID  map[string]*forge.Account
}

func (s *actorSet) add(a forge.Account) *forge.Account {
	if known := s.byID[a.ID]; known != nil {
		if known.Kind == "" {
			known.Kind = a.Kind
		} else if a.Kind != "" && a.Kind != known.Kind {
			known.Kind = contract.Unknown // the forge contradicts itself
		}
		if known.Login == "" {
			known.Login = a.Login
		}
		if known.Number == "" {
			known.Number = a.Number
		}
		return known
	}
	if s.byID == nil {
		s.byID = map[string]*forge.Account{}
	}
	s.order = append(s.order, &a)
	s.byID[a.ID] = &a
	return &a
}

// reference registers an account and gives its id: null for a deleted account and for
// an id that is none on this forge (AMB-61).
func (r *run) reference(a *forge.Account) *string {
	if a == nil || !tree.ValidActorID(r.source.Forge, a.ID) {
		return nil
	}
	id := r.actors.add(*a).ID
	return &id
}

// privileged is reference for resolvers and dismissers, whose rows are written
// whether or not they may be heard (ACT-02).
func (r *run) privileged(a *forge.Account) *string {
	id := r.reference(a)
	if id != nil {
		r.actors.byID[*id].NeedsRow = true
	}
	return id
}

// writeActors resolves all accounts and writes them sorted by id.
func (r *run) writeActors() error {
	r.progress("actors")
	r.reference(r.entity.Editor.Account)
	accounts := make([]forge.Account, len(r.actors.order))
	for i, a := range r.actors.order {
		accounts[i] = *a
	}
	if r.entity.Author != nil && len(accounts) > 0 {
		if author := r.actors.byID[r.entity.Author.ID]; author != nil {
			accounts[slices.Index(r.actors.order, author)].NeedsRow = true
		}
	}
	resolved, notes, err := r.adapter.Accounts(client.Reserved(r.ctx), r.entity, accounts)
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.notes(contract.ScopeActors, notes)
	if err != nil {
		return rolesFault(err)
	}
	slices.SortFunc(resolved, func(a, b forge.Account) int { return strings.Compare(a.ID, b.ID) })
	for i := range resolved {
		if err := r.out.Write(r.actor(&resolved[i])); err != nil {
			return err
		}
	}
	return nil
}

// actor makes the row of an account (ADM-14, AMB-70, AMB-76).
func (r *run) actor(a *forge.Account) *contract.Actor {
	l := &contract.Actor{ID: a.ID, Kind: a.Kind}
	if a.Login != "" && utf8.ValidString(a.Login) {
		login := a.Login
		l.Login = &login
	}
	switch a.Kind {
	case contract.Bot:
		role := contract.RoleBot
		l.Role, l.BotRole = &role, r.cfg.Bots.role(r.source, a.ID, a.Number)
	case contract.Human:
		if a.Verified && a.Role != nil && slices.Contains(contract.Roles[:], *a.Role) {
			l.Role, l.RoleVerified = a.Role, true
		}
	default:
		l.Kind = contract.Unknown
		r.log.Notice(fault.Notice{Record: "actor " + a.ID, Scope: string(contract.ScopeActors), Code: string(contract.InvalidMetadata), Text: "it cannot be told whether this is a person or a bot"})
	}
	return l
}
