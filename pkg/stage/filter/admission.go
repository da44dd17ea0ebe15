package filter

import (
	"fmt"
	"slices"

	"snapline/pkg/fault"
	"snapline/pkg/record"
)

// admission decides who may be heard (ADM rows). It judges before anything is
// filtered, by values that fetch resolved for this very stream (DET-03).
type admission struct {
	threshold  string
	actors     map[string]standing
	entitySeen bool
	active     bool // false for the document families, which have no people
}

// standing is all that admission knows of an actor.
type standing struct {
	kind     record.ActorKind
	role     string // "" when not verified
	botRole  bool
	admitted bool
}

func newAdmission(h *record.Snapshot) *admission {
	a := &admission{actors: map[string]standing{}, active: h.Family == record.FamilyEntity}
	if a.active {
		a.threshold = h.Collection.HumanMinRole
	}
	return a
}

// judge looks at one line. A line that may not pass leaves it with a gap, or with an
// error when it is the entity.
func (a *admission) judge(it *item) {
	switch l := it.line.(type) {
	case *record.Actor:
		a.actors[l.ID] = a.standing(l)
	case *record.Record:
		a.record(it, l)
	case *record.Run:
		if reason := a.bot(l.PublisherID); reason != "" {
			it.drop(record.ScopeAgentRuns, record.AuthorizationFailed, reason)
		}
	}
}

// complete gives the error of a stream without an entity record (ABT-02).
func (a *admission) complete() error {
	if !a.active || a.entitySeen {
		return nil
	}
	return &fault.Error{
		Exit: fault.Aborted, File: "stdin", Rule: "filter.no-entity", Scope: string(record.ScopeEntity),
		Code: string(record.FetchFailed), Detail: "the stream has no entity record",
	}
}

func (a *admission) standing(l *record.Actor) standing {
	s := standing{kind: l.Kind, botRole: l.BotRole != nil}
	if l.Role != nil && l.RoleVerified {
		s.role = *l.Role
	}
	s.admitted = a.refusal(s) == ""
	return s
}

func (a *admission) record(it *item, l *record.Record) {
	reason := a.author(l)
	if l.Kind == record.KindEntity {
		a.entitySeen = true
		if reason != "" {
			it.err = abort(it, "filter.not-admitted", record.AuthorizationFailed,
				fmt.Sprintf("%s; the threshold for people is %s", reason, a.threshold),
				"someone at or above the threshold has to open the entity")
			it.line = nil
		}
		return
	}
	if reason != "" {
		it.drop(ScopeOf(l.Kind), record.AuthorizationFailed, reason)
	}
}

// author tells why a record is not admitted, or nothing. Besides its author the last
// editor counts: an edit can put words under a trusted name (AMB-65).
func (a *admission) author(l *record.Record) string {
	if l.AuthorID == nil {
		return "it has no author" // AMB-16
	}
	author, known := a.actors[*l.AuthorID]
	if !known || !author.admitted {
		return "its author is not admitted: " + a.refusal(author)
	}
	if !l.Edited {
		return ""
	}
	if l.EditorID == nil {
		return "it was edited by an account that the forge does not name"
	}
	editor, known := a.actors[*l.EditorID]
	if *l.EditorID != *l.AuthorID && (!known || !editor.admitted) {
		return "its last editor is not admitted: " + a.refusal(editor)
	}
	return ""
}

// bot tells why an agent-run receipt is not admitted, or nothing: only a registered
// bot may publish one (AMB-76).
func (a *admission) bot(publisher *string) string {
	if publisher == nil {
		return "it has no publisher"
	}
	if s := a.actors[*publisher]; s.kind != record.Bot || !s.botRole {
		return "its publisher is no registered bot"
	}
	return ""
}

// refusal tells why somebody of this standing may not be heard, or nothing. Only a
// bot's registration counts for a bot, only a verified role for a human (ADM-04,
// ADM-05, ADM-07, ADM-08); the rest is never admitted (AMB-70).
func (a *admission) refusal(s standing) string {
	switch s.kind {
	case record.Bot:
		if !s.botRole {
			return "a bot without a registered role"
		}
		return ""
	case record.Human:
		if s.role == "" {
			return "a role that is not verified"
		}
		if !atLeast(s.role, a.threshold) {
			return "role " + s.role + " is below " + a.threshold
		}
		return ""
	case record.Unknown:
	}
	return "an account of unknown kind"
}

// atLeast compares roles by rank (ADM-02). A role or threshold outside the seven
// reaches nothing.
func atLeast(role, threshold string) bool {
	r, t := slices.Index(record.Roles[:], role), slices.Index(record.Roles[:], threshold)
	return r >= 0 && t >= 0 && r <= t
}

// ScopeOf gives the gap scope of a record (ADM-05, ADM-06, AMB-23).
func ScopeOf(kind record.Kind) record.Scope {
	switch kind {
	case record.KindEntity:
		return record.ScopeEntity
	case record.KindReview, record.KindThread:
		return record.ScopeReviews
	case record.KindCheck:
		return record.ScopeChecks
	case record.KindComment:
	}
	return record.ScopeComments
}
