// Package contract holds the wire types of the stream snapline/1: one Go type per
// line, closed vocabularies, and how filter outcomes add up. Framing, strictness and order live in
// pkg/stream.
//
// A *string is a required, nullable member: nil is JSON null. A plain string that
// is optional on the wire is absent when empty; no optional string may be empty.
package contract

import (
	"cmp"
	"slices"
)

// Version names the stream. A change of meaning is a new version.
const Version = "snapline/1"

// Type is the value of a line's "type" member.
type Type string

// The line types, in stream order. Gap lines may stand anywhere after the header.
const (
	TypeSnapshot Type = "snapshot"
	TypeActor    Type = "actor"
	TypeRecord   Type = "record"
	TypeThread   Type = "thread"
	TypeCheck    Type = "check"
	TypeRun      Type = "run"
	TypeLog      Type = "log"
	TypeDocument Type = "document"
	TypeGap      Type = "gap"
	TypeEnd      Type = "end"
	TypeAbort    Type = "abort"
)

// Line is one line of a stream. Its implementations are pointers to the types of
// this package.
type Line interface{ LineType() Type }

// LineType implements Line.
func (*Snapshot) LineType() Type { return TypeSnapshot }

// LineType implements Line.
func (*Actor) LineType() Type { return TypeActor }

// LineType implements Line.
func (*Record) LineType() Type { return TypeRecord }

// LineType implements Line.
func (*Thread) LineType() Type { return TypeThread }

// LineType implements Line.
func (*Check) LineType() Type { return TypeCheck }

// LineType implements Line.
func (*Run) LineType() Type { return TypeRun }

// LineType implements Line.
func (*Log) LineType() Type { return TypeLog }

// LineType implements Line.
func (*Document) LineType() Type { return TypeDocument }

// LineType implements Line.
func (*Gap) LineType() Type { return TypeGap }

// LineType implements Line.
func (*End) LineType() Type { return TypeEnd }

// LineType implements Line.
func (*Abort) LineType() Type { return TypeAbort }

// Describe names the object of a line as Name does, with its web address behind if the
// line states one. Package fault prints such a name with the address whole.
func Describe(l Line) string {
	if _, header := l.(*Snapshot); header {
		return Name(l)
	}
	return Located(Name(l), WebURL(l))
}

// Name names the object of a line by kind and id, never by text; a line without an
// object by its type, and nil by nothing. A log knows its check's record key only.
func Name(l Line) string {
	switch l := l.(type) {
	case *Actor:
		return named("actor", l.ID)
	case *Record:
		return named(cmp.Or(string(l.Kind), string(l.LineType())), l.ID)
	case *Thread:
		return named("thread", l.ID)
	case *Check:
		return named("check", l.ID)
	case *Run:
		return named("run", l.ID)
	case *Log:
		return named("log of check", l.RecordKey)
	case *Document:
		return named("document", l.Name)
	case nil:
		return ""
	}
	return string(l.LineType())
}

// Located puts the web address of an object in quotes behind its name.
func Located(name, url string) string {
	if url == "" {
		return name
	}
	return name + ` "` + url + `"`
}

// named leaves out what a broken line does not say.
func named(sort, id string) string {
	if id == "" {
		return sort
	}
	return sort + " " + id
}

// Snapshot is the header, the first line.
type Snapshot struct {
	Family Family
	Stages []Stage // exactly fetch, then filter, then bound, as far as the stream has come
	Replay bool    // true when a capture was replayed

	// Family entity-context-snapshot only.
	Source       Source
	Entity       Entity
	EntityFilter *Filter // title and labels; from filter on
	HeadSHA      string  // captured head; absent when unknown or not needed
	Collection   *Collection
	Acquisition  *Acquisition // optional

	// The document families only.
	Limits *Limits

	// From filter on.
	FilterVersion         string
	CredentialsRegistered int64
}

// Acquisition is how the snapshot came to be, for receipts and for people: it reaches no
// tree. Every member is optional, absent when empty.
type Acquisition struct {
	Address     string // web address of the entity, its path as the caller spelled it
	ProfileName string // the built-in profile
	RequestID   string // the caller's name for the request
	Date        string // the forge's clock at its first answer
	NotAfter    string // the moment whose state was read (AMB-93)
}

// Position reports how far the stream has come: 1 written by fetch, 2 by filter,
// 3 by bound.
func (s *Snapshot) Position() int { return len(s.Stages) }

// Stage is one member of the stage chain.
type Stage struct {
	Stage   string // fetch, filter or bound
	Program string // name of the program that wrote this stage
	Version string // its version
}

// StageNames is the only legal chain, in order.
var StageNames = [...]string{"fetch", "filter", "bound"}

// Family is what kind of state the stream carries.
type Family string

// The families.
const (
	FamilyEntity Family = "entity-context-snapshot"
	FamilyCanon  Family = "canon-state"
	FamilyMSP    Family = "msp-snapshot"
)

// Source names the repository. Only Forge, Host and RepositoryID are key inputs.
type Source struct {
	Forge        Forge
	Host         string
	RepositoryID string
	Repository   string
}

// Entity is the metadata of the handled issue or change proposal. Its body is the
// record of kind entity; the author's login is in the actor line.
type Entity struct {
	Kind      EntityKind
	ID        string
	Number    int64
	Title     string
	State     EntityState
	AuthorID  *string
	CreatedAt string
	UpdatedAt string
	Labels    []string
}

// Collection is the exact collection profile; its canonical bytes are
// collection.json.
type Collection struct {
	EntityKind        EntityKind
	IncludedSources   []string // of Scope names without actors; ASCII-sorted
	HumanMinRole      string   // admission.human_min_role: triage or write
	RecordSelection   Selection
	CheckLogSelection LogSelection
	Bounds            Bounds
}

// Includes reports whether the profile selects the source.
func (c *Collection) Includes(source Scope) bool {
	return slices.Contains(c.IncludedSources, string(source))
}

// MaxSourceBytes is the largest max_source_bytes and max_document_bytes that a header may
// state, in bytes: 64 MiB. The length of a line is bounded by it.
const MaxSourceBytes = 64 << 20

// Bounds are the limits of a profile: counts, or bytes where the name says so.
type Bounds struct {
	MaxRecordsPerSource    int64
	MaxSourceBytes         int64
	MaxRecordBytes         int64
	MaxLogBytes            int64
	MaxMetadataStringBytes int64
	MaxLabels              int64
}

// Limits are the bounds of the document families.
type Limits struct {
	MaxDocuments     int64
	MaxDocumentBytes int64
	Selection        Selection
}

// Actor is an account that the stream may reference.
type Actor struct {
	ID           string
	Kind         ActorKind
	Login        *string
	Role         *string // admin..external, "bot", or nil
	RoleVerified bool
	BotRole      *string // bots only, absent in a bounded stream; nil means none registered
	LoginFilter  *Filter // from filter on; never rejected
}

// Record is the entity body, a comment or a formal review.
type Record struct {
	Kind      Kind
	ID        string
	RecordKey string
	CreatedAt string
	UpdatedAt string // optional
	AuthorID  *string

	// Edited tells that the forge names a last edit. EditorID nil then means that
	// it names nobody. Absent in a bounded stream.
	Edited   bool
	EditorID *string

	URL string // web address at the forge, optional; in no tree

	Content Content

	// Reviews only. The two dismissed members are present exactly when State is
	// dismissed.
	State       ReviewState
	ReviewedSHA string
	DismissedAt *string
	DismissedBy *string

	Filter *Filter // from filter on; absent only beside oversize content
}

// Form is how a content or log travels.
type Form uint8

// The forms.
const (
	FormNone     Form = iota // no member: rejected
	FormText                 // body: valid UTF-8
	FormBytes                // body_base64: the source is not valid UTF-8; fetch only
	FormOversize             // oversize: true; over max_source_bytes, not carried
	FormMissing              // missing: a log that could not be obtained
)

// Content is the text of a record or log.
type Content struct {
	Form    Form
	Bytes   []byte  // FormText, FormBytes
	Missing GapCode // FormMissing: fetch_failed, authorization_failed or unsupported

	// Literal is the canonical JSON spelling of Bytes, without the quotes, if it is
	// known (the reader sets it), so that unchanged text is copied and not encoded
	// again. Whoever changes Bytes must clear it; Text does.
	Literal []byte
}

// Text gives content of valid UTF-8 text.
func Text(b []byte) Content { return Content{Form: FormText, Bytes: b} }

// Thread is relation and state of one review thread.
type Thread struct {
	ID                string
	ThreadKey         string
	CreatedAt         string
	Resolved          bool
	ResolvedByActorID *string // present exactly when Resolved
	Outdated          bool
	Minimized         *bool // optional
	RecordKeys        []string
	Replies           []Reply
	ReviewID          string // with ReviewRecordKey or not at all
	ReviewRecordKey   string
	ReviewedSHA       string
	Path              string
	Line              int64 // the four lines: absent when 0
	StartLine         int64
	Side              Side // absent when empty
	OriginalLine      int64
	OriginalStartLine int64
	OriginalSide      Side
	URL               string // as of a record
}

// Reply is one reply edge of a thread.
type Reply struct {
	RecordKey       string
	ParentRecordKey string
}

// Check is one check run of the captured head.
type Check struct {
	ID           string
	RecordKey    string
	Name         string // absent when rejected
	Status       CheckStatus
	Conclusion   Conclusion // completed only, as NeverStarted and CompletedAt
	CreatedAt    string
	HeadSHA      string
	StartedAt    string
	NeverStarted bool
	CompletedAt  string
	UpdatedAt    string // optional
	URL          string // as of a record
	Filter       *Filter
	RejectedAs   GapCode // unsafe_content, invalid_metadata, source_too_large
}

// Run is one agent-run receipt.
type Run struct {
	ID                 string
	Agent              string // absent when rejected
	Status             RunStatus
	InputRevision      string
	InputHeadSHA       string
	ResultRecordKeys   []string
	ResultingCommitSHA string
	StartedAt          string
	CompletedAt        string
	PublisherID        *string // not in a bounded stream
	Filter             *Filter
	RejectedAs         GapCode
}

// Log is the log of one check.
type Log struct {
	RecordKey string
	Content   Content
	Filter    *Filter
}

// Document is one document of the canon-state or msp-snapshot family: bytes that
// are never serialised again.
type Document struct {
	Name    string
	Format  string
	Raw     []byte
	HasRaw  bool   // false when rejected
	SHA256  string // of the raw bytes
	Strings int64  // number of strings scanned; from filter on
	Filter  *Filter
}

// Gap counts what is missing from one scope for one reason.
type Gap struct {
	Scope Scope
	Code  GapCode
	Count int64
}

// End is the trailer.
type End struct {
	Lines       int64    // lines before it
	SHA256      string   // of all bytes before it, line feeds included
	InputSHA256 string   // SHA256 of the stage's own input; absent in fetch's output
	Chain       []string // SHA256 of every earlier stream of the run, fetch's first; the last is InputSHA256
}

// Abort is the last line of a stream that ends without a result.
type Abort struct {
	Stage string
	Exit  int64
	Cause AbortCause
	Scope Scope   // when Cause is gap
	Code  GapCode // when Cause is gap

	RequestID string // the acquisition's, where the stage that stopped knows it
}

// Filter is the outcome of filtering one object.
type Filter struct {
	Status   FilterStatus
	Findings []Finding // sorted by code, one per code
}

// Finding is a code and how often it was found; never text.
type Finding struct {
	Code  string
	Count int64
}

// WebURL gives the web address of the object of a line, "" where the line states none.
// The header speaks of the entity by the address that was asked for.
func WebURL(l Line) string {
	switch l := l.(type) {
	case *Snapshot:
		if l.Acquisition != nil {
			return l.Acquisition.Address
		}
	case *Record:
		return l.URL
	case *Thread:
		return l.URL
	case *Check:
		return l.URL
	}
	return ""
}
