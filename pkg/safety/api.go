// Package safety is the engine that filter, bound and verify share: Unicode
// safety, then redaction of secrets and personal data, then injection scanning,
// each over the complete source (BND-01).
package safety

import (
	"snapline/pkg/contract"
	"snapline/pkg/safety/injection"
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/secret"
	"snapline/pkg/safety/unicodesafety"
)

// Kind says what sort of text is filtered.
type Kind uint8

// The kinds.
const (
	Body       Kind = iota // record body: LF line ends, one trailing LF when not empty
	Log                    // check log: as Body, and AMB-05's rules on bytes that are no UTF-8
	Display                // display string: one line, no trailing LF (AMB-46)
	Structural             // path or identifier: scanned, never rewritten; Status tells whether it would change
)

// Span is one finding's place in the source for --explain: byte offsets, never text.
type Span struct {
	Code       string
	Start, End int
}

// Result is the outcome of filtering one text.
type Result struct {
	// Status is unchanged, modified or rejected.
	Status contract.FilterStatus
	// Text is the filtered text, nil when rejected. It may alias the source or the
	// worker's buffers: valid until the worker's next call.
	Text []byte
	// Oversize tells that the text was rejected because it became longer than twice its
	// source and than 1 MiB while it was cleaned (AMB-100); its one finding is Oversize.
	Oversize bool
	// Findings are sorted by code. Nil when nothing was found.
	Findings []contract.Finding
	// Spans are filled only if Worker.Explain is set.
	Spans []Span
}

// Oversize is the code of a text that is too large (AMB-10, AMB-100).
const Oversize = "bound.oversize"

// Engine holds compiled rules and the registered run credentials. It is immutable
// and safe for concurrent use.
type Engine struct {
	rules *secret.Rules
	table *prefilter.Table
	// Patterns of the table below secrets have a rule; anchor tells which are
	// injection anchors.
	secrets int
	anchor  []bool
}

// New compiles an engine. credentials are exact run credentials (SEC-01); a value
// under 8 bytes after trimming is an error that names its position, never its text.
// It fails (exit Environment) when the Unicode tables of the toolchain and of
// x/text differ (AMB-75).
func New(credentials []string) (*Engine, error) { return compile(credentials) }

// Revision names what is raised by hand, if the bytes of bounds change, and the Unicode
// version of the tables.
const Revision = "snapline-1.unicode-" + unicodesafety.Version

// Version is the filter_version. Its digest is over the tables of the rules and over what
// the filter makes of the golden corpus: neither another rule nor another condition in the
// code keeps it (AMB-75, AMB-94).
const Version = Revision + "." + rulesDigest

// Supported reports whether v is a filter version that this program implements.
func Supported(v string) bool { return v == Version }

// Worker filters one text at a time and owns scratch memory.
type Worker struct {
	Explain bool
	engine  *Engine

	cleaner   *unicodesafety.Cleaner
	detector  *secret.Detector
	scanner   prefilter.Scanner
	injection injection.Scanner
	room      []prefilter.Hit
	anchors   []int // injection anchors of the text, ascending
	moved     []int
	joints    []int32   // where letters meet that invisible characters kept apart
	apart     []byte    // the text with spaces there
	dense     bool      // there are too many anchors to keep
	buffers   [2][]byte // texts that are neither the source nor the cleaner's
	findings  []contract.Finding
	spans     []Span
	rewrites  []rewrite // rounds of redaction, if Explain is set
	cleaned   bool      // the text is the cleaner's
	length    int       // of the source
}

// NewWorker gives a worker of e.
func (e *Engine) NewWorker() *Worker { return &Worker{engine: e} }

// Filter runs the three steps over the complete source. An error means that a
// component failed: the caller aborts (ABT-08, AMB-56).
func (w *Worker) Filter(kind Kind, source []byte) (Result, error) {
	return w.filter(kind, source)
}

// Rescan runs the injection scan over text that a bound has shortened, exactly as it
// will be emitted (INJ-04, DSP-03). The result is unchanged or rejected.
func (w *Worker) Rescan(text []byte) (Result, error) {
	w.injection.OnMatch = nil
	if found := w.injection.ScanAll(text); len(found) > 0 {
		return Result{Status: contract.Rejected, Findings: found}, nil
	}
	return Result{Status: contract.Unchanged, Text: text}, nil
}
