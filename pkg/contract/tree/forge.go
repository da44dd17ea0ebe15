package tree

import "snapline/pkg/contract"

// forge is what the contract knows of a forge: the forms of its names and ids, and what
// it has. How a forge is asked is told in its folder of pkg/forge.
type forge struct {
	// id is the form of ids, thread that of the ids of threads.
	id, thread func(string) bool
	// groups says that a repository's name may have more than two segments, and capitals.
	groups bool
	// reviews says that there are formal reviews, outdated that threads are told outdated.
	reviews, outdated bool
	// proposal is what people call a change proposal, mark what stands before its number.
	proposal, mark string
}

var forges = map[contract.Forge]forge{
	contract.GitHub:  {id: nodeID, thread: nodeID, reviews: true, outdated: true, proposal: "Pull request", mark: "#"}, // ID-06
	contract.GitLab:  {id: numeric, thread: discussionID, groups: true, proposal: "Merge request", mark: "!"},          // ID-07, ID-08
	contract.Forgejo: {id: numeric, thread: numeric, reviews: true, proposal: "Pull request", mark: "#"},               // ID-07
}

func nodeID(id string) bool { return alphanumeric(id, "_=-") }

func discussionID(id string) bool { return alphanumeric(id, "._:-") }

// TellsOutdated reports whether a forge says which threads are outdated. On the others no
// thread is: that is never inferred (MAP-22, AMB-92).
func TellsOutdated(f contract.Forge) bool { return forges[f].outdated }

// HasReviews tells what a forge has: GitLab has no formal reviews (MAP-13).
func HasReviews(f contract.Forge) bool { return forges[f].reviews }

// KindName is what people of a forge call an entity, and Mark what they write before its
// number.
func KindName(f contract.Forge, kind contract.EntityKind) string {
	if kind == contract.WorkItem {
		return "Issue"
	}
	return forges[f].proposal
}

// Mark: see KindName.
func Mark(f contract.Forge, kind contract.EntityKind) string {
	if kind == contract.WorkItem {
		return "#"
	}
	return forges[f].mark
}
