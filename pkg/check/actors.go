package check

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// reference is one place that names an actor.
type reference struct {
	path, position string
	id             string
	author         bool // its record was admitted, so the actor had to be; login stands beside it
	login          *string
}

// actorReferences lists every actor id of the tree (ACT-01, AMB-15): rejected rows count,
// since they keep their author.
func (v *verifier) actorReferences() []reference {
	var refs []reference
	add := func(r reference, id *string) {
		switch {
		case id != nil:
			r.id = *id
			refs = append(refs, r)
		case r.login != nil:
			v.add(RuleActorLogin, r.path, r.position) // a login comes from an actor's row only
		}
	}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		if row.Kind != contract.KindCheck {
			add(reference{path: tree.IndexPath, position: at("/records", i, "author_id"), author: true, login: nullable(row.Author)}, nullable(row.AuthorID))
		}
	}
	if v.entity != nil {
		add(reference{path: tree.EntityPath, position: "/author_id", author: true, login: v.entity.Author}, v.entity.AuthorID)
	}
	if v.relations != nil {
		for i := range v.relations.Reviews {
			by := nullable(v.relations.Reviews[i].DismissedByActorID)
			add(reference{path: tree.ReviewsPath, position: at("/reviews", i, "dismissed_by_actor_id")}, by)
		}
	}
	if v.threadState != nil {
		for i := range v.threadState.Threads {
			by := nullable(v.threadState.Threads[i].ResolvedByActorID)
			add(reference{path: tree.ThreadStatePath, position: at("/threads", i, "resolved_by_actor_id")}, by)
		}
	}
	return refs
}

// actorRules judges state/actors.json and everything that points into it (ACT-01 to
// ACT-09, invariant 9).
func (v *verifier) actorRules() error {
	if v.actors == nil {
		return nil
	}
	v.explained(tree.ActorsPath, len(v.actors.Actors), slices.ContainsFunc(v.actors.Actors, func(a tree.Actor) bool { return a.Login == nil }))
	rows := map[string]*tree.Actor{}
	for i := range v.actors.Actors {
		a := &v.actors.Actors[i]
		if i > 0 && v.actors.Actors[i-1].ID >= a.ID {
			v.add(RuleActorsOrder, tree.ActorsPath, at("/actors", i))
		}
		v.actorID(tree.ActorsPath, at("/actors", i, "id"), &a.ID)
		rows[a.ID] = a
		if a.Login != nil {
			if err := v.display(tree.ActorsPath, at("/actors", i, "login"), *a.Login, v.statusOf(tree.ActorsPath)); err != nil {
				return err
			}
		}
	}
	referenced := map[string]bool{}
	for _, r := range v.actorReferences() {
		referenced[r.id] = true
		a := rows[r.id]
		switch {
		case a == nil:
			v.add(RuleActorMissing, r.path, r.position)
			continue
		case r.author && !v.admitted(a):
			v.add(RuleActorAdmitted, r.path, r.position)
		}
		if r.author && !equalString(r.login, a.Login) {
			v.add(RuleActorLogin, r.path, r.position)
		}
	}
	if v.entity == nil || v.relations == nil || v.threadState == nil {
		return nil // their references are unknown
	}
	for i := range v.actors.Actors {
		if !referenced[v.actors.Actors[i].ID] {
			v.add(RuleActorExtra, tree.ActorsPath, at("/actors", i))
		}
	}
	return nil
}

// admitted reports whether the profile lets the actor be heard: any bot row, since an
// admitted bot's row says no more, and a person whose verified role is at least
// human_min_role (ADM-02, ADM-04, ADM-09).
func (v *verifier) admitted(a *tree.Actor) bool {
	if a.Kind == contract.Bot || v.collection == nil {
		return true
	}
	return tree.HumanAdmitted(a.Role, a.RoleVerified, v.collection.Admission.HumanMinRole)
}
