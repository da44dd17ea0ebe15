package bound

import (
	"maps"
	"slices"

	"snapline/pkg/contract"
)

// actor bounds a login and writes the actor; the stream may hold actors that nothing
// refers to. A login that is unsafe when cut, or of which nothing is left, becomes
// null (DSP-05).
func (s *stage) actor(a *contract.Actor) error {
	if a.Kind == contract.Unknown {
		s.unknown[a.ID] = false // until a written line names it
	}
	if a.Login != nil {
		filter := a.LoginFilter.Clone()
		login, what, err := s.display(*a.Login, &filter)
		if err != nil {
			return err
		}
		a.Login, a.LoginFilter = &login, &filter
		switch what {
		case unsafe, emptied:
			a.Login = nil
			filter.Status = contract.Modified // even if the cut left nothing (AMB-28)
			s.note("actor "+a.ID, contract.ScopeActors, "login is unsafe or empty when cut and becomes null")
		case cut:
			s.note("actor "+a.ID, contract.ScopeActors, "login cut")
		case kept:
		}
	}
	return s.write(a)
}

// reference marks an actor of unknown kind that a written line names.
func (s *stage) reference(id *string) {
	if id == nil {
		return
	}
	if _, unknown := s.unknown[*id]; unknown {
		s.unknown[*id] = true
	}
}

// countUnknownActors counts the referenced actors whose kind the forge could not
// tell (AMB-70): any gap of this scope makes authorization unusable.
func (s *stage) countUnknownActors() {
	for _, id := range slices.Sorted(maps.Keys(s.unknown)) {
		if s.unknown[id] {
			s.miss("actor "+id, contract.ScopeActors, contract.InvalidMetadata)
		}
	}
}
