package contract

// Forge is a Git forge.
type Forge string

// The forges (SRC-01).
const (
	GitHub  Forge = "github"
	GitLab  Forge = "gitlab"
	Forgejo Forge = "forgejo"
)

// Forges are all of them.
var Forges = []Forge{GitHub, GitLab, Forgejo}

// EntityKind is what the handled entity is (ID-12).
type EntityKind string

// The entity kinds.
const (
	WorkItem       EntityKind = "work_item"
	ChangeProposal EntityKind = "change_proposal"
)

// EntityState is the normalized state (MAP-26).
type EntityState string

// The entity states. StateMerged is for change proposals only.
const (
	StateOpen   EntityState = "open"
	StateClosed EntityState = "closed"
	StateMerged EntityState = "merged"
)

// Kind is the third field of a key (KEY-04).
type Kind string

// The record kinds. Thread never stands in a manifest record (KEY-05).
const (
	KindEntity  Kind = "entity"
	KindComment Kind = "comment"
	KindReview  Kind = "review"
	KindCheck   Kind = "check"
	KindThread  Kind = "thread"
)

// ActorKind is what the forge says an account is.
type ActorKind string

// The actor kinds. Unknown exists in the stream only (AMB-70).
const (
	Human   ActorKind = "human"
	Bot     ActorKind = "bot"
	Unknown ActorKind = "unknown"
)

// Roles are the repository roles, from most to least privileged (ADM-02).
var Roles = [...]string{"admin", "maintain", "write", "triage", "read", "none", "external"}

// RoleBot is the actor-state marker of bots; no permission.
const RoleBot = "bot"

// ReviewState is the outcome of a formal review.
type ReviewState string

// The review states (REV-01).
const (
	Approved         ReviewState = "approved"
	ChangesRequested ReviewState = "changes_requested"
	Commented        ReviewState = "commented"
	Dismissed        ReviewState = "dismissed"
)

// Side is a side of a diff.
type Side string

// The sides (MAP-21).
const (
	Left  Side = "left"
	Right Side = "right"
)

// CheckStatus is the normalized check status (CHK-10).
type CheckStatus string

// The check statuses.
const (
	Queued     CheckStatus = "queued"
	InProgress CheckStatus = "in_progress"
	Completed  CheckStatus = "completed"
)

// Conclusion is the normalized outcome of a completed check (CHK-10).
type Conclusion string

// The conclusions.
const (
	Success        Conclusion = "success"
	Failure        Conclusion = "failure"
	Neutral        Conclusion = "neutral"
	Cancelled      Conclusion = "cancelled"
	Skipped        Conclusion = "skipped"
	TimedOut       Conclusion = "timed_out"
	ActionRequired Conclusion = "action_required"
	Stale          Conclusion = "stale"
)

// RunStatus is the outcome of an agent run (RUN-02).
type RunStatus string

// The run statuses.
const (
	RunSuccess   RunStatus = "success"
	RunFailure   RunStatus = "failure"
	RunCancelled RunStatus = "cancelled"
	RunSkipped   RunStatus = "skipped"
	RunTimedOut  RunStatus = "timed_out"
)

// Selection says which end of an ordered source a count bound keeps.
type Selection string

// The selections.
const (
	Oldest Selection = "oldest"
	Newest Selection = "newest"
)

// LogSelection says which checks' logs are collected.
type LogSelection string

// The log selections.
const (
	LogsNone   LogSelection = "none"
	LogsFailed LogSelection = "failed"
	LogsAll    LogSelection = "all"
)

// Selects reports whether the log of a check is to be collected (COL-07, AMB-68).
func (s LogSelection) Selects(c *Check) bool {
	if c.Status != Completed || c.NeverStarted {
		return false
	}
	switch s {
	case LogsAll:
		return true
	case LogsFailed:
		switch c.Conclusion {
		case Failure, TimedOut, ActionRequired, Stale:
			return true
		case Success, Neutral, Cancelled, Skipped:
			return false
		}
	case LogsNone:
	}
	return false
}

// Scope is a gap scope; the collection's sources have the same names, actors apart.
type Scope string

// The scopes (GAP-01). ScopeDocuments is the scope of the document families.
const (
	ScopeEntity    Scope = "entity"
	ScopeComments  Scope = "comments"
	ScopeReviews   Scope = "reviews"
	ScopeChecks    Scope = "checks"
	ScopeCheckLogs Scope = "check_logs"
	ScopeAgentRuns Scope = "agent_runs"
	ScopeActors    Scope = "actors"
	ScopeDocuments Scope = "documents"
)

// GapCode says why something is missing (GAP-02).
type GapCode string

// The gap codes.
const (
	ProfileBound        GapCode = "profile_bound"
	HistoryUnavailable  GapCode = "history_unavailable"
	Unsupported         GapCode = "unsupported"
	AuthorizationFailed GapCode = "authorization_failed"
	FetchFailed         GapCode = "fetch_failed"
	SourceTooLarge      GapCode = "source_too_large"
	InvalidMetadata     GapCode = "invalid_metadata"
	UnsafeContent       GapCode = "unsafe_content"
)

// GapCodes lists every code with its usability (GAP-02).
var GapCodes = [...]struct {
	Code      GapCode
	Usability string
}{
	{ProfileBound, "partial"},
	{HistoryUnavailable, "partial"},
	{Unsupported, "unusable"},
	{AuthorizationFailed, "unusable"},
	{FetchFailed, "unusable"},
	{SourceTooLarge, "unusable"},
	{InvalidMetadata, "unusable"},
	{UnsafeContent, "unusable"},
}

// Usability gives partial or unusable, or "" for a code that does not exist.
func (c GapCode) Usability() string {
	for _, g := range GapCodes {
		if g.Code == c {
			return g.Usability
		}
	}
	return ""
}

// FilterStatus is the outcome of filtering (FLT-01 to FLT-04).
type FilterStatus string

// The statuses, weakest first.
const (
	Unchanged FilterStatus = "unchanged"
	Modified  FilterStatus = "modified"
	Truncated FilterStatus = "truncated"
	Rejected  FilterStatus = "rejected"
)

// AbortCause is why a stream ended without a result.
type AbortCause string

// The causes.
const (
	CauseGap         AbortCause = "gap"
	CauseComponent   AbortCause = "component"
	CauseInput       AbortCause = "input"
	CauseEnvironment AbortCause = "environment"
	CauseUnsupported AbortCause = "unsupported"
)
