package tree

import "snapline/pkg/contract"

// The documents of a tree, one Go type per closed JSON object; field order is not
// significant, canonical bytes come from pkg/json/canonicaljson. A *string without
// omitempty is required and nullable; omitempty marks optional and conditional
// members.

// SchemaVersion is index.json's schema_version.
const SchemaVersion = 1

// MaxDocumentBytes bounds a JSON document and an order file. The largest is the index:
// a few hundred bytes a record.
const MaxDocumentBytes = 64 << 20

// Finding is a filter finding: code and count, never text.
type Finding struct {
	Code  string `json:"code"`
	Count int64  `json:"count"`
}

// Filter is the filter object of the documents (FLT-05).
type Filter struct {
	Findings []Finding             `json:"findings"`
	Status   contract.FilterStatus `json:"status"`
}

// Index is index.json (MAN-01).
type Index struct {
	CollectionProfile string           `json:"collection_profile"`
	Entity            IndexEntity      `json:"entity"`
	Files             []File           `json:"files"`
	Filter            Filter           `json:"filter"`
	FilterVersion     string           `json:"filter_version"`
	Gaps              []Gap            `json:"gaps"`
	Records           []ManifestRecord `json:"records"`
	SchemaVersion     int64            `json:"schema_version"`
	Source            Source           `json:"source"`
}

// Source is index.json's source.
type Source struct {
	Forge        contract.Forge `json:"forge"`
	Host         string         `json:"host"`
	Repository   string         `json:"repository"`
	RepositoryID string         `json:"repository_id"`
}

// IndexEntity is index.json's entity (MAN-07).
type IndexEntity struct {
	ID        string              `json:"id"`
	Kind      contract.EntityKind `json:"kind"`
	UpdatedAt string              `json:"updated_at"`
}

// File is one entry of files[] (MAN-03).
type File struct {
	Bytes     int64   `json:"bytes"`
	Filter    *Filter `json:"filter,omitempty"`
	MediaType string  `json:"media_type"`
	Path      string  `json:"path"`
	Role      Role    `json:"role"`
	SHA256    string  `json:"sha256"`
}

// ManifestRecord is one entry of records[] (MAN-08 to MAN-11). Author and AuthorID
// are null or a string for entity, comment and review and absent for check, hence
// the double pointers: nil is absent, a pointer to nil is null.
type ManifestRecord struct {
	Author       **string      `json:"author,omitempty"`
	AuthorID     **string      `json:"author_id,omitempty"`
	ContentPath  string        `json:"content_path,omitempty"`
	CreatedAt    string        `json:"created_at"`
	Filter       Filter        `json:"filter"`
	ID           string        `json:"id"`
	Kind         contract.Kind `json:"kind"`
	LogPath      string        `json:"log_path,omitempty"`
	MetadataPath string        `json:"metadata_path,omitempty"`
	RecordKey    string        `json:"record_key"`
	UpdatedAt    string        `json:"updated_at,omitempty"`
}

// Gap is one entry of gaps[] (GAP-01).
type Gap struct {
	Code      contract.GapCode `json:"code"`
	Count     int64            `json:"count"`
	Scope     contract.Scope   `json:"scope"`
	Usability string           `json:"usability"`
}

// Collection is collection.json (COL-01).
type Collection struct {
	Admission         Admission             `json:"admission"`
	Bounds            Bounds                `json:"bounds"`
	CheckLogSelection contract.LogSelection `json:"check_log_selection"`
	EntityKind        contract.EntityKind   `json:"entity_kind"`
	IncludedSources   []string              `json:"included_sources"`
	RecordSelection   contract.Selection    `json:"record_selection"`
}

// Admission is collection.json's admission (COL-02).
type Admission struct {
	HumanMinRole string `json:"human_min_role"`
}

// Bounds is collection.json's bounds (COL-08).
type Bounds struct {
	MaxLabels              int64 `json:"max_labels"`
	MaxLogBytes            int64 `json:"max_log_bytes"`
	MaxMetadataStringBytes int64 `json:"max_metadata_string_bytes"`
	MaxRecordBytes         int64 `json:"max_record_bytes"`
	MaxRecordsPerSource    int64 `json:"max_records_per_source"`
	MaxSourceBytes         int64 `json:"max_source_bytes"`
}

// NewCollection turns the profile of a stream into collection.json.
func NewCollection(c *contract.Collection) Collection {
	return Collection{
		Admission:         Admission{c.HumanMinRole},
		Bounds:            newBounds(c.Bounds),
		CheckLogSelection: c.CheckLogSelection,
		EntityKind:        c.EntityKind,
		IncludedSources:   c.IncludedSources,
		RecordSelection:   c.RecordSelection,
	}
}

func newBounds(b contract.Bounds) Bounds {
	return Bounds{
		MaxLabels:              b.MaxLabels,
		MaxLogBytes:            b.MaxLogBytes,
		MaxMetadataStringBytes: b.MaxMetadataStringBytes,
		MaxRecordBytes:         b.MaxRecordBytes,
		MaxRecordsPerSource:    b.MaxRecordsPerSource,
		MaxSourceBytes:         b.MaxSourceBytes,
	}
}

// Entity is entity/metadata.json (MAN-06).
type Entity struct {
	Author    *string              `json:"author"`
	AuthorID  *string              `json:"author_id"`
	CreatedAt string               `json:"created_at"`
	ID        string               `json:"id"`
	Kind      contract.EntityKind  `json:"kind"`
	Labels    []string             `json:"labels"`
	Number    int64                `json:"number"`
	State     contract.EntityState `json:"state"`
	Title     string               `json:"title"`
	UpdatedAt string               `json:"updated_at"`
}

// Relations is relations/reviews.json.
type Relations struct {
	Reviews []Review `json:"reviews"`
	Threads []Thread `json:"threads"`
}

// Review is one formal review outcome (REV-01, REV-02). The dismissed members are
// absent unless State is dismissed: nil is absent, a pointer to nil is null.
type Review struct {
	DismissedAt        **string             `json:"dismissed_at,omitempty"`
	DismissedByActorID **string             `json:"dismissed_by_actor_id,omitempty"`
	ID                 string               `json:"id"`
	RecordKey          string               `json:"record_key"`
	ReviewedSHA        string               `json:"reviewed_sha,omitempty"`
	State              contract.ReviewState `json:"state"`
	SubmittedAt        string               `json:"submitted_at"`
}

// Thread is one relationship thread (THR-05).
type Thread struct {
	CreatedAt         string        `json:"created_at"`
	ID                string        `json:"id"`
	Line              int64         `json:"line,omitempty"`
	OrderPath         string        `json:"order_path"`
	OriginalLine      int64         `json:"original_line,omitempty"`
	OriginalSide      contract.Side `json:"original_side,omitempty"`
	OriginalStartLine int64         `json:"original_start_line,omitempty"`
	Path              string        `json:"path,omitempty"`
	RecordKeys        []string      `json:"record_keys"`
	Replies           []Reply       `json:"replies"`
	ReviewID          string        `json:"review_id,omitempty"`
	ReviewRecordKey   string        `json:"review_record_key,omitempty"`
	ReviewedSHA       string        `json:"reviewed_sha,omitempty"`
	Side              contract.Side `json:"side,omitempty"`
	StartLine         int64         `json:"start_line,omitempty"`
	ThreadKey         string        `json:"thread_key"`
}

// Reply is a reply edge.
type Reply struct {
	ParentRecordKey string `json:"parent_record_key"`
	RecordKey       string `json:"record_key"`
}

// AgentRuns is history/agent-runs.json.
type AgentRuns struct {
	Runs []Run `json:"runs"`
}

// Run is one agent-run receipt (RUN-02).
type Run struct {
	Agent              string             `json:"agent"`
	CompletedAt        string             `json:"completed_at"`
	ID                 string             `json:"id"`
	InputHeadSHA       string             `json:"input_head_sha,omitempty"`
	InputRevision      string             `json:"input_revision"`
	ResultRecordKeys   []string           `json:"result_record_keys"`
	ResultingCommitSHA string             `json:"resulting_commit_sha,omitempty"`
	StartedAt          string             `json:"started_at,omitempty"`
	Status             contract.RunStatus `json:"status"`
}

// Check is checks/<key>/metadata.json (CHK-09). NeverStarted is nil unless the check
// is completed.
type Check struct {
	CompletedAt  string               `json:"completed_at,omitempty"`
	Conclusion   contract.Conclusion  `json:"conclusion,omitempty"`
	CreatedAt    string               `json:"created_at"`
	HeadSHA      string               `json:"head_sha"`
	ID           string               `json:"id"`
	Name         string               `json:"name"`
	NeverStarted *bool                `json:"never_started,omitempty"`
	StartedAt    string               `json:"started_at,omitempty"`
	Status       contract.CheckStatus `json:"status"`
}

// ActorState is state/actors.json.
type ActorState struct {
	Actors []Actor `json:"actors"`
}

// Actor is one account (ACT-03 to ACT-05).
type Actor struct {
	ID           string             `json:"id"`
	Kind         contract.ActorKind `json:"kind"`
	Login        *string            `json:"login"`
	Role         *string            `json:"role"`
	RoleVerified bool               `json:"role_verified"`
}

// ThreadState is state/threads.json.
type ThreadState struct {
	Threads []ThreadStateRow `json:"threads"`
}

// ThreadStateRow is the mutable state of one thread (THR-02, THR-03).
// ResolvedByActorID is nil unless resolved, a pointer to nil for null.
type ThreadStateRow struct {
	ID                string   `json:"id"`
	Minimized         *bool    `json:"minimized,omitempty"`
	Outdated          bool     `json:"outdated"`
	Resolved          bool     `json:"resolved"`
	ResolvedByActorID **string `json:"resolved_by_actor_id,omitempty"`
	ThreadKey         string   `json:"thread_key"`
}
