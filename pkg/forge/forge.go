// Package forge is what pkg/stage/fetch and the adapters of the forges agree on:
// the address of an entity, the tokens that may be sent for it, the neutral objects
// that an adapter delivers, and the Adapter interface.
//
// The division of work: an adapter knows one forge's endpoints, pages, errors and
// words. It maps native words to the closed vocabularies of pkg/contract through
// tables, and delivers everything else as the forge sent it. The stage owns what is
// the same for all forges: identifier patterns, timestamps, keys, the never-started
// rule, order, selection, actors, gaps. So an adapter never normalizes a time,
// never derives a key and never counts an invalid object.
package forge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"snapline/pkg/contract"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Driver is one forge. Each adapter package exports one as a variable named Driver.
type Driver struct {
	Facts

	// DatesEdits tells that the forge says when a body or title was last edited, so that
	// --not-after can judge the entity (AMB-93).
	DatesEdits bool

	// Endpoint gives where the API of the target lives. It sends nothing.
	Endpoint func(t Target) Endpoint
	// Credential turns a token into the header that carries it.
	Credential func(token string) client.Credential
	// Header is sent with every request to the API.
	Header http.Header
	// Open gives an adapter for one target. It sends nothing. c sends to the origin of
	// e.Base only.
	Open func(t Target, e Endpoint, c *client.Client, s Settings) Adapter
}

// Endpoint is where an API lives.
type Endpoint struct {
	// Base is scheme, authority and path of the REST API without a final slash, for
	// example "https://api.github.com" or "https://git.example/api/v1".
	Base *url.URL
}

// Settings are the limits an adapter obeys.
type Settings struct {
	MaxAnswerBytes int64 // of one answer, before it is decoded
	MaxPage        int   // elements of a page; 0 means as many as the forge gives
	// Edits asks for what Entity.EditedAt takes beyond what is read anyway.
	Edits bool
}

// Adapter reads one entity of one forge. Its methods are called in the order of this
// interface, each at most once but Log, and only for what the profile selects. They
// may send requests concurrently; what they return must not depend on which answer
// came first.
//
// Errors are *client.Error, or the types of this package. A list is complete or it is
// an error: after a failed page, a null element or fewer objects than a total that
// the forge keeps, the whole list is given up (AMB-42); Collect does that.
type Adapter interface {
	// Entity reads the entity from one answer (AMB-48), with its labels (further
	// pages of labels included) and its head. An entity of the other kind is a
	// *KindMismatch after one answer (AMB-73); a server that is no such forge is an
	// *UnsupportedEntity.
	Entity(ctx context.Context) (*Entity, error)

	// Discussion reads comments, reviews and threads as far as want selects them.
	// Inline comments belong to comments, with or without reviews (AMB-23); threads are
	// wanted only together with comments (AMB-24).
	Discussion(ctx context.Context, e *Entity, want Want) Discussion

	// Checks reads the check runs of the head e.HeadSHA, which is not empty. Runs of
	// other revisions that the listing yields anyway are delivered with their own
	// revision; the stage counts them (CHK-04).
	Checks(ctx context.Context, e *Entity) Checks

	// Accounts resolves kind and permission of each account, as observed now (ADM-13),
	// and returns them in the order given. A look-up that the forge answered with no is
	// role nil, unverified (AMB-37), and no error; look-ups without an answer are
	// *RolesMissing (AMB-79), and LookUp tells them apart. Notes are one-line diagnostics
	// in own words, for example a missing right.
	Accounts(ctx context.Context, e *Entity, accounts []Account) (resolved []Account, notes []string, err error)

	// Log reads the log of one check that Checks delivered, at most limit bytes: a
	// longer one is a client.TooLarge error. Unsupported: ErrUnsupported.
	Log(ctx context.Context, c *Check, limit int64) ([]byte, error)

	// Probe sends one request for a source, as the run would first ask for it, and gives
	// the people whom the answer names. ErrUnsupported: the forge does not have it.
	// It may be called any number of times, as fetch --check does, after Entity.
	Probe(ctx context.Context, e *Entity, source contract.Scope) ([]Account, error)

	// Owner gives the id of the account that the token is of, "" if the forge does not
	// say. Budget says in words how many requests the token has left.
	Owner(ctx context.Context) (string, error)
	Budget(ctx context.Context, e *Entity) ([]string, error)
}

// Want says which lists of a discussion are selected.
type Want struct{ Comments, Reviews, Threads bool }

// Entity is the entity as the forge sent it in one answer.
type Entity struct {
	RepositoryID string // native, as digits or node id
	Repository   string // canonical spelling of pkg/tree (SRC-04, SRC-05)
	Kind         contract.EntityKind
	ID           string
	Number       int64
	Title        Text
	Body         Text // null or empty is an empty body (AMB-09)
	State        contract.EntityState
	NativeState  string // for the diagnostic when State is "" (ABT-05)
	Author       *Account
	Editor       Editor
	CreatedAt    *string
	UpdatedAt    *string
	// EditedAt is when body or title were last edited, where the forge dates that
	// (Driver.DatesEdits).
	EditedAt *string
	URL      string // web address, as of a Comment
	Labels   []string
	HeadSHA  string // change proposals: the captured head, "" if unknown (AMB-74)

	// Native keeps what the adapter needs to go on, for example an internal id.
	Native any
}

// Text is a source text by its length, so that one over max_source_bytes is never
// decoded.
type Text struct {
	value  strictjson.Value
	length int64
}

// NewText gives the text of a string or null; any other type is the document's
// error, so ask before looking at Document.Err.
func NewText(v strictjson.Value) Text { return Text{v, v.Len()} }

// Len is the number of bytes.
func (t Text) Len() int64 { return t.length }

// Bytes decodes the text; empty for null. The bytes may be no UTF-8 (AMB-05).
func (t Text) Bytes() []byte {
	if t.value.Missing() {
		return nil
	}
	return t.value.Bytes()
}

func (t Text) equal(u Text) bool {
	return t.value.IsText() == u.value.IsText() && bytes.Equal(t.value.Raw(), u.value.Raw())
}

// Account is an account that something refers to. A deleted account is a nil
// *Account (AMB-61).
type Account struct {
	ID    string // native; a value outside the forge's pattern makes the reference null
	Login string
	// Number is a second immutable id by which people know the account, "" if it has none
	// (AMB-90).
	Number string
	// Kind is human, bot, unknown, or "" while it takes a look-up to tell.
	Kind contract.ActorKind

	// NoRole says that the account cannot hold a role and is never looked up
	// (placeholders of an import, organisations).
	NoRole bool

	// Set by Adapter.Accounts for humans.
	Role     *string
	Verified bool

	// NeedsRow says that the account may get a row even though it is not admitted: it
	// resolved a thread or dismissed a review. Set by the stage.
	NeedsRow bool
}

// Editor is who last edited a text, where the forge says so (AMB-65).
type Editor struct {
	Edited  bool
	Account *Account // nil: the forge names nobody
}

// Comment is a conversation comment or an inline comment.
type Comment struct {
	ID        string
	Body      Text
	Author    *Account
	Editor    Editor
	CreatedAt *string
	UpdatedAt *string
	Moments
	// URL is the web address as the forge sent it, "" if it sent none. The stage leaves
	// out what is no address on the source's host.
	URL string
}

// Moments are the times by which --not-after judges a comment or review (AMB-93); it
// needs them of no other object.
type Moments struct {
	// VisibleAt is when others could first see the object, nil if that is when it was
	// created or submitted.
	VisibleAt *string
	// EditedAt is when the text was last edited. A forge that does not date edits gives
	// the time of the last change of any kind. nil: never.
	EditedAt *string
}

// Review is a formal, submitted review. Unsubmitted ones are never delivered.
type Review struct {
	ID          string
	Body        Text
	Author      *Account
	Editor      Editor
	State       contract.ReviewState // "": outside the mapping (MAP-15)
	SubmittedAt *string
	UpdatedAt   *string
	ReviewedSHA *string
	Dismissed   Dismissal // for State dismissed
	Moments
	URL string // as of a Comment
}

// Dismissal is when and by whom a review was dismissed, as far as it is known.
type Dismissal struct {
	At *string
	By *Account
}

// Thread is a review thread over comments of the same discussion.
type Thread struct {
	ID                string // "" is invalid (AMB-25)
	CreatedAt         *string
	Resolved          *bool // nil: not said (AMB-53)
	ResolvedBy        *Account
	Outdated          *bool
	Minimized         *bool // only where the forge says it of the thread
	CommentIDs        []string
	Replies           []Reply
	ReviewID          string
	ReviewedSHA       *string
	Path              *string
	Line              *int64
	StartLine         *int64
	Side              *contract.Side // a value outside the mapping is delivered as ""
	OriginalLine      *int64
	OriginalStartLine *int64
	OriginalSide      *contract.Side
	URL               string // as of a Comment
}

// Reply says which comment answers which, in native thread order.
type Reply struct{ CommentID, ParentID string }

// Discussion is what Adapter.Discussion delivers. A list that is not wanted is empty.
type Discussion struct {
	Comments []Comment
	Reviews  []Review
	Threads  []Thread

	// Failures of whole sources: comments and reviews. Threads fail as reviews through
	// ThreadsFailed, which leaves the reviews alone (AMB-72).
	CommentsFailed error
	ReviewsFailed  error
	ThreadsFailed  error

	// Gaps are what only the adapter can know: history_unavailable, unsupported with the
	// number of affected objects, comments withheld as internal (AMB-25, AMB-50).
	Gaps []contract.Gap
	// Notes are one-line diagnostics in own words, for example that an object was deleted
	// while it was read (AMB-83).
	Notes []string
}

// Check is one check run.
type Check struct {
	ID          string
	Name        Text
	Status      contract.CheckStatus // "": outside the mapping (MAP-10)
	Conclusion  contract.Conclusion  // "": none, or outside the mapping
	HeadSHA     *string
	CreatedAt   *string
	StartedAt   *string
	CompletedAt *string
	UpdatedAt   *string
	// NeverStarted is the forge's explicit report (GitHub startup_failure); the rule
	// for skipped and cancelled runs is the stage's (CHK-16).
	NeverStarted bool
	URL          string // as of a Comment

	Native any // what Log needs
}

// Checks is what Adapter.Checks delivers.
type Checks struct {
	Checks []Check
	Failed error
	// Gaps are what only the adapter can know, for example commit statuses that are
	// no checks (AMB-58).
	Gaps  []contract.Gap
	Notes []string // as those of a Discussion
}

// ErrUnsupported is what a forge answers for what it does not have. It becomes an
// unsupported gap.
var ErrUnsupported = errors.New("not supported by this forge")

// KindMismatch says that the address names an entity of the other kind (AMB-73).
type KindMismatch struct {
	Kind contract.EntityKind // what it is
	URL  string              // the right address
}

// Error implements error.
func (e *KindMismatch) Error() string { return "the entity is a " + string(e.Kind) + ": use " + e.URL }

// UnsupportedEntity says that the address names nothing of which a snapshot can be
// taken: exit 5.
type UnsupportedEntity struct{ Detail string }

// Error implements error.
func (e *UnsupportedEntity) Error() string { return e.Detail }

// ImportedEntity says that the entity was imported from another forge and stands under
// the account that ran the import: who wrote it cannot be told (AMB-80).
type ImportedEntity struct{}

// Error implements error.
func (e *ImportedEntity) Error() string {
	return "the entity was imported from another forge under the account that ran the import: its author is unknown"
}

// ImportNotes says that n comments of a list were imported and so have no author.
func ImportNotes(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d imported from another forge: their authors are unknown", n)}
}

// PartCode is the gap of a part of a source that could not be read.
func PartCode(err error) contract.GapCode {
	if client.IsKind(err, client.Forbidden, client.Unauthenticated) {
		return contract.AuthorizationFailed
	}
	return contract.FetchFailed
}

// InvalidEntity says that the entity or its repository lacks what a snapshot needs.
type InvalidEntity struct{ Detail string }

// Error implements error.
func (e *InvalidEntity) Error() string { return e.Detail }
