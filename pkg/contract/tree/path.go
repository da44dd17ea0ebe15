package tree

import (
	"strings"

	"snapline/pkg/contract/pattern"

	"snapline/pkg/contract"
)

// Paths of the singleton files, relative to the context root (TREE-01, TREE-02).
const (
	IndexPath            = "index.json"
	CollectionPath       = "collection.json"
	EntityPath           = "entity/metadata.json"
	ReviewsPath          = "relations/reviews.json"
	AgentRunsPath        = "history/agent-runs.json"
	ActorsPath           = "state/actors.json"
	ThreadStatePath      = "state/threads.json"
	TimelinePath         = "views/timeline.order"
	UnresolvedReviewPath = "views/unresolved-review.order"
)

// RecordPath gives the path of an entity, comment or review file (REC-08, REC-09).
func RecordPath(kind contract.Kind, createdAt, key string) string {
	order := EntityOrderKey
	if kind != contract.KindEntity {
		order = OrderKey(createdAt)
	}
	return "records/" + order + "-" + key + ".md"
}

// ThreadPath gives the path of a thread's order file.
func ThreadPath(key string) string { return "threads/" + key + ".order" }

// ReviewViewPath gives the path of a review's view.
func ReviewViewPath(key string) string { return "views/reviews/" + key + ".order" }

// CheckPath gives the path of a check's metadata.
func CheckPath(key string) string { return "checks/" + key + "/metadata.json" }

// LogPath gives the path of a check's log.
func LogPath(key string) string { return "checks/" + key + "/log.txt" }

// Role is the closed role of a manifest file.
type Role string

// The roles (MAN-04).
const (
	RoleCollection       Role = "collection"
	RoleEntityMetadata   Role = "entity_metadata"
	RoleEntityRecord     Role = "entity_record"
	RoleCommentRecord    Role = "comment_record"
	RoleReviewRecord     Role = "review_record"
	RoleThreadOrder      Role = "thread_order"
	RoleTimelineView     Role = "timeline_view"
	RoleUnresolvedReview Role = "unresolved_review_view"
	RoleReviewView       Role = "review_view"
	RoleReviews          Role = "reviews"
	RoleAgentRuns        Role = "agent_runs"
	RoleCheckMetadata    Role = "check_metadata"
	RoleCheckLog         Role = "check_log"
	RoleActorState       Role = "actor_state"
	RoleThreadState      Role = "thread_state"
)

// The media types (MAN-05).
const (
	MediaJSON     = "application/json"
	MediaMarkdown = "text/markdown"
	MediaPlain    = "text/plain"
)

// RoleRule is what a role fixes.
type RoleRule struct {
	Role      Role
	MediaType string
	Filtered  bool             // its files[] entry must have a filter (FLT-06)
	Path      *pattern.Pattern // the paths that can carry the role
}

func path(text string) *pattern.Pattern { return pattern.New("^" + text + "$") }

// RoleRules is the closed table of roles (MAN-04, MAN-05, FLT-06).
var RoleRules = []RoleRule{
	{RoleCollection, MediaJSON, false, path(`collection[.]json`)},
	{RoleEntityMetadata, MediaJSON, true, path(`entity/metadata[.]json`)},
	{RoleEntityRecord, MediaMarkdown, false, path(`records/00000000T000000000000000Z-[0-9a-f]{64}[.]md`)},
	{RoleCommentRecord, MediaMarkdown, false, path(`records/[0-9]{8}T[0-9]{15}Z-[0-9a-f]{64}[.]md`)},
	{RoleReviewRecord, MediaMarkdown, false, path(`records/[0-9]{8}T[0-9]{15}Z-[0-9a-f]{64}[.]md`)},
	{RoleThreadOrder, MediaPlain, false, path(`threads/[0-9a-f]{64}[.]order`)},
	{RoleTimelineView, MediaPlain, false, path(`views/timeline[.]order`)},
	{RoleUnresolvedReview, MediaPlain, false, path(`views/unresolved-review[.]order`)},
	{RoleReviewView, MediaPlain, false, path(`views/reviews/[0-9a-f]{64}[.]order`)},
	{RoleReviews, MediaJSON, true, path(`relations/reviews[.]json`)},
	{RoleAgentRuns, MediaJSON, true, path(`history/agent-runs[.]json`)},
	{RoleCheckMetadata, MediaJSON, true, path(`checks/[0-9a-f]{64}/metadata[.]json`)},
	{RoleCheckLog, MediaPlain, true, path(`checks/[0-9a-f]{64}/log[.]txt`)},
	{RoleActorState, MediaJSON, true, path(`state/actors[.]json`)},
	{RoleThreadState, MediaJSON, false, path(`state/threads[.]json`)},
}

// RuleOf gives the rule of a role, or nil.
func RuleOf(role Role) *RoleRule {
	for i := range RoleRules {
		if RoleRules[i].Role == role {
			return &RoleRules[i]
		}
	}
	return nil
}

// ValidFilePath reports whether p may stand in files[] (TREE-01): it fits a role.
func ValidFilePath(p string) bool {
	for i := range RoleRules {
		if RoleRules[i].Path.MatchString(p) {
			return true
		}
	}
	return false
}

// Directories gives the directories above p, outermost first.
func Directories(p string) []string {
	var dirs []string
	for i := range len(p) {
		if p[i] == '/' {
			dirs = append(dirs, p[:i])
		}
	}
	return dirs
}

// ShellSafe reports whether an order-file line needs no quoting (ORD-08).
func ShellSafe(p string) bool {
	return strings.IndexFunc(p, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == 'T' || r == 'Z' || r == '-' || r == '/' || r == '.')
	}) < 0
}
