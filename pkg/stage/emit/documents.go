package emit

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// singletons writes the six documents that every tree has (TREE-02). Order files come
// later.
func (b *builder) singletons() error {
	none := contract.Clean()
	actors, logins := b.actorState()
	entity, entityFilter := b.entity()
	for _, document := range []struct {
		role   tree.Role
		path   string
		value  any
		filter *contract.Filter
	}{
		{tree.RoleCollection, tree.CollectionPath, tree.NewCollection(b.header.Collection), nil},
		{tree.RoleEntityMetadata, tree.EntityPath, entity, &entityFilter},
		{tree.RoleReviews, tree.ReviewsPath, b.relations(), &none}, // structural text only (AMB-29)
		{tree.RoleAgentRuns, tree.AgentRunsPath, b.agentRuns(), &b.agents},
		{tree.RoleActorState, tree.ActorsPath, actors, &logins},
		{tree.RoleThreadState, tree.ThreadStatePath, b.threadState(), nil},
	} {
		if err := b.json(document.role, document.path, document.value, document.filter); err != nil {
			return err
		}
	}
	return nil
}

// entity gives the metadata and their filter value: title, labels and the author's
// login (AMB-31).
func (b *builder) entity() (tree.Entity, contract.Filter) {
	e, filter := b.header.Entity, b.header.EntityFilter.Clone()
	if e.AuthorID != nil {
		filter.Add(*b.actors[*e.AuthorID].LoginFilter)
	}
	return tree.Entity{
		Author: b.login(e.AuthorID), AuthorID: e.AuthorID, CreatedAt: e.CreatedAt, ID: e.ID, Kind: e.Kind,
		Labels: notNil(e.Labels), Number: e.Number, State: e.State, Title: e.Title, UpdatedAt: e.UpdatedAt,
	}, filter
}

// relations gives reviews by submission time and id, threads by creation time and id
// (REV-03, THR-06).
func (b *builder) relations() tree.Relations {
	slices.SortFunc(b.reviews, func(x, y tree.Review) int {
		return order(x.SubmittedAt, y.SubmittedAt, x.ID, y.ID)
	})
	slices.SortFunc(b.threads, func(x, y *contract.Thread) int {
		return order(x.CreatedAt, y.CreatedAt, x.ID, y.ID)
	})
	threads := make([]tree.Thread, len(b.threads))
	for i, t := range b.threads {
		threads[i] = tree.Thread{
			CreatedAt: t.CreatedAt, ID: t.ID, Line: t.Line, OrderPath: tree.ThreadPath(t.ThreadKey), OriginalLine: t.OriginalLine,
			OriginalSide: t.OriginalSide, OriginalStartLine: t.OriginalStartLine, Path: t.Path, RecordKeys: t.RecordKeys,
			Replies: make([]tree.Reply, len(t.Replies)), ReviewID: t.ReviewID, ReviewRecordKey: t.ReviewRecordKey,
			ReviewedSHA: t.ReviewedSHA, Side: t.Side, StartLine: t.StartLine, ThreadKey: t.ThreadKey,
		}
		for j, reply := range t.Replies {
			threads[i].Replies[j] = tree.Reply{ParentRecordKey: reply.ParentRecordKey, RecordKey: reply.RecordKey}
		}
	}
	return tree.Relations{Reviews: notNil(b.reviews), Threads: threads}
}

// agentRuns gives runs by completion time and id (RUN-04).
func (b *builder) agentRuns() tree.AgentRuns {
	slices.SortFunc(b.runs, func(x, y tree.Run) int {
		return order(x.CompletedAt, y.CompletedAt, x.ID, y.ID)
	})
	return tree.AgentRuns{Runs: notNil(b.runs)}
}

// actorState gives exactly the actors that the tree names, by id, and the sum of
// their login findings (ACT-01, ACT-09). An actor of unknown kind is written as a
// human of whom nothing is verified (AMB-70).
func (b *builder) actorState() (tree.ActorState, contract.Filter) {
	state, logins := tree.ActorState{Actors: []tree.Actor{}}, contract.Clean()
	for id := range b.referenced {
		a := b.actors[id]
		row := tree.Actor{ID: a.ID, Kind: a.Kind, Login: a.Login, Role: a.Role, RoleVerified: a.RoleVerified}
		if a.Kind == contract.Unknown {
			row.Kind, row.Role, row.RoleVerified = contract.Human, nil, false
		}
		state.Actors = append(state.Actors, row)
		logins.Add(*a.LoginFilter)
	}
	slices.SortFunc(state.Actors, func(x, y tree.Actor) int { return strings.Compare(x.ID, y.ID) })
	return state, logins
}

// threadState gives the mutable state of every thread by key (THR-01 to THR-03).
func (b *builder) threadState() tree.ThreadState {
	state := tree.ThreadState{Threads: make([]tree.ThreadStateRow, len(b.threads))}
	for i, t := range b.threads {
		row := tree.ThreadStateRow{ID: t.ID, Minimized: t.Minimized, Outdated: t.Outdated, Resolved: t.Resolved, ThreadKey: t.ThreadKey}
		if t.Resolved {
			row.ResolvedByActorID = nullable(t.ResolvedByActorID)
		}
		state.Threads[i] = row
	}
	slices.SortFunc(state.Threads, func(x, y tree.ThreadStateRow) int { return strings.Compare(x.ThreadKey, y.ThreadKey) })
	return state
}

// order compares by time, then by a second string, both bytewise (AMB-21).
func order(timeA, timeB, thenA, thenB string) int {
	if c := strings.Compare(timeA, timeB); c != 0 {
		return c
	}
	return strings.Compare(thenA, thenB)
}
