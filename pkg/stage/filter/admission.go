package filter

import (
	"fmt"
	"slices"

	"snapline/pkg/contract"
)

// admission decides who may be heard (ADM rows). It judges before anything is
// filtered, by values that fetch resolved for this very stream (DET-03).
type admission struct {
	source    contract.Source
	threshold string // "" for the document families, which have no people
	actors    map[string]standing
}

// standing is all that admission knows of an actor. The zero value, that of an account
// without an actor line, is not admitted.
type standing struct {
	admitted   bool
	registered bool   // a bot with a registered role
	refusal    string // why the actor is not admitted
}

func newAdmission(h *contract.Snapshot) *admission {
	a := &admission{source: h.Source, actors: map[string]standing{}}
	if h.Collection != nil {
		a.threshold = h.Collection.HumanMinRole
	}
	return a
}

// judge looks at one line. A line that may not pass leaves it with a gap, or with an
// error when it is the entity.
func (a *admission) judge(it *item) {
	switch l := it.line.(type) {
	case *contract.Actor:
		refusal := a.refusal(l)
		a.actors[l.ID] = standing{refusal == "", l.Kind == contract.Bot && l.BotRole != nil, refusal}
	case *contract.Record:
		a.record(it, l)
	case *contract.Run:
		if reason := a.bot(l.PublisherID); reason != "" {
			it.drop(contract.ScopeAgentRuns, contract.AuthorizationFailed, reason)
		}
	}
}

func (a *admission) record(it *item, l *contract.Record) {
	reason := a.author(l)
	if l.Kind == contract.KindEntity {
		if reason != "" {
			it.err = abort(it, "filter.not-admitted", contract.AuthorizationFailed,
				fmt.Sprintf("%s; the threshold for people is %s", reason, a.threshold),
				"someone at or above the threshold has to open the entity")
			it.line = nil
		}
		return
	}
	if reason != "" {
		it.drop(recordScope(l.Kind), contract.AuthorizationFailed, reason)
	}
}

// author tells why a record is not admitted, or nothing. Besides its author the last
// editor counts: an edit can put words under a trusted name (AMB-65).
func (a *admission) author(l *contract.Record) string {
	if l.AuthorID == nil {
		return "it has no author" // AMB-16
	}
	if author := a.actors[*l.AuthorID]; !author.admitted {
		return "its author is not admitted: " + author.refusal
	}
	if !l.Edited {
		return ""
	}
	if l.EditorID == nil {
		return "it was edited by an account that the forge does not name"
	}
	if editor := a.actors[*l.EditorID]; !editor.admitted {
		return "its last editor is not admitted: " + editor.refusal
	}
	return ""
}

// bot tells why an agent-run receipt is not admitted, or nothing: only a registered
// bot may publish one (AMB-76).
func (a *admission) bot(publisher *string) string {
	if publisher == nil {
		return "it has no publisher"
	}
	if !a.actors[*publisher].registered {
		return "its publisher is no registered bot"
	}
	return ""
}

// refusal tells why an actor may not be heard, or nothing. Only its registration
// counts for a bot, only a verified role for a human (ADM-04, ADM-05, ADM-07,
// ADM-08); the rest is never admitted (AMB-70).
func (a *admission) refusal(l *contract.Actor) string {
	switch l.Kind {
	case contract.Bot:
		if l.BotRole == nil {
			return "a bot without a registered role; its row for --bots is " + a.row(l.ID)
		}
		return ""
	case contract.Human:
		if !l.RoleVerified || l.Role == nil {
			return "a role that is not verified"
		}
		if !atLeast(*l.Role, a.threshold) {
			return "role " + *l.Role + " is below " + a.threshold
		}
		return ""
	case contract.Unknown:
	}
	return "an account of unknown kind"
}

// row is the row of a registry that would register a bot (AMB-90). The reader has checked
// the form of its parts.
func (a *admission) row(id string) string {
	return fmt.Sprintf(`{"forge":"%s","host":"%s","id":"%s","role":"ROLE"}`, a.source.Forge, a.source.Host, id)
}

// atLeast compares roles by rank (ADM-02). A role or threshold outside the seven
// reaches nothing.
func atLeast(role, threshold string) bool {
	r, t := slices.Index(contract.Roles[:], role), slices.Index(contract.Roles[:], threshold)
	return r >= 0 && t >= 0 && r <= t
}

// recordScope gives the gap scope of a record (ADM-05, ADM-06, AMB-23).
func recordScope(kind contract.Kind) contract.Scope {
	switch kind {
	case contract.KindEntity:
		return contract.ScopeEntity
	case contract.KindReview:
		return contract.ScopeReviews
	default:
		return contract.ScopeComments
	}
}
