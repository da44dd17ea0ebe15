// Package audit judges one stage's stream: its shape, order and trailer, which the
// reader checks, and what that stage promises. A filtered stream holds nothing that the
// filters would change and nobody who is not admitted; a bounded one exceeds no bound
// besides. Against the stream that the stage read, nothing is invented and nothing is
// dropped without a gap.
package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// Options say how streams are judged.
type Options struct {
	Scanner  textrule.Scanner
	Families map[contract.Family]document.Family // how documents are read
}

// Report is the outcome of an audit.
type Report struct {
	Stage    string // the stage that wrote the stream
	Lines    int64  // the trailer included
	Digest   string // what the next stage states as input_sha256
	Findings []finding.Finding
}

// The positions of a stream.
const (
	fetched  = 1
	filtered = 2
	bounded  = 3
)

// Stream judges one stream; name is how findings call it. A broken or aborted stream
// is an error: nothing of it holds.
func Stream(ctx context.Context, in *stream.Reader, name string, o Options) (*Report, error) {
	a, err := newAuditor(in, name, o)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, stopped(err)
		}
		if err := a.line(l); err != nil {
			return nil, err
		}
		in.Recycle(l)
	}
	a.end()
	if a.position == bounded {
		a.gapsFit()
	}
	return a.report(), nil
}

// stopped words an abort line as the failure that it is here: an aborted stream
// carries no result.
func stopped(err error) error {
	var abort *stream.AbortError
	if errors.As(err, &abort) {
		return &fault.Error{
			Exit: fault.Exit(abort.Abort.Exit), Rule: "stream.aborted", Scope: string(abort.Abort.Scope), Code: string(abort.Abort.Code),
			Detail: "the " + abort.Abort.Stage + " stage ended this stream without a result", Cause: nil,
		}
	}
	return err
}

// auditor judges the lines of one stream.
type auditor struct {
	in       *stream.Reader
	name     string
	header   *contract.Snapshot
	position int
	scanner  textrule.Scanner
	family   document.Family
	list     *finding.List

	actors    map[string]*contract.Actor
	counts    map[contract.Scope]int64 // retained objects of each counted source
	documents int64
	held      holdings // of a bounded stream
}

func newAuditor(in *stream.Reader, name string, o Options) (*auditor, error) {
	header, err := in.Header()
	if err != nil {
		return nil, stopped(err)
	}
	a := &auditor{
		in: in, name: name, header: header, position: header.Position(), scanner: o.Scanner, family: o.Families[header.Family],
		list: &finding.List{}, actors: map[string]*contract.Actor{}, counts: map[contract.Scope]int64{},
		held: holdings{rejected: map[contract.Scope]int64{}, unknown: map[string]bool{}, gaps: tree.GapCounts{}},
	}
	return a, a.head()
}

func (a *auditor) report() *Report {
	return &Report{
		Stage: a.header.Stages[a.position-1].Stage, Lines: a.in.Line(), Digest: a.in.Digest(), Findings: a.list.Sorted(),
	}
}

// add reports a broken promise at the line read last.
func (a *auditor) add(rule, object, format string, args ...any) {
	position := "line " + strconv.FormatInt(a.in.Line(), 10)
	detail := fmt.Sprintf(format, args...)
	if object != "" {
		detail = fault.Object(object) + ": " + detail
	}
	a.list.Add(finding.Finding{Rule: rule, Path: a.name, Position: position, Detail: detail})
}

// bounds are those of the profile; a stream of documents has none.
func (a *auditor) bounds() contract.Bounds {
	if a.header.Collection == nil {
		return contract.Bounds{}
	}
	return a.header.Collection.Bounds
}

// The rules of an audit, beyond those of the reader.
const (
	ruleFilterVersion = "audit.filter-version"
	ruleStructural    = "audit.structural-length"
	ruleSourceBytes   = "audit.source-bytes"
	ruleAdmission     = "audit.admission"
	ruleForm          = "audit.text-form"
	ruleUnsafe        = "audit.text-unsafe"
	ruleRescan        = "audit.text-rescan"
	ruleLength        = "audit.text-length"
	ruleStatus        = "audit.filter-status"
	rulePath          = "audit.path-unsafe"
	ruleCount         = "audit.record-count"
	ruleLabels        = "audit.labels"
	ruleDocument      = "audit.document"
	ruleForge         = "audit.forge"
	ruleReplies       = "audit.replies"
	ruleGaps          = "audit.gaps"
)

// head judges the header: version, source and, once filtered, title and labels.
func (a *auditor) head() error {
	h := a.header
	if a.position >= filtered && !safety.Supported(h.FilterVersion) {
		return &fault.Error{
			Exit: fault.Input, File: a.name, Line: 1, Rule: ruleFilterVersion,
			Detail: "the stream was filtered by a version that this program does not know", Hint: "use the five programs of one release",
		}
	}
	if h.Family != contract.FamilyEntity {
		return nil
	}
	a.structural(h)
	if a.position < filtered {
		return nil
	}
	if err := a.unchanged("source.repository", "the path", h.Source.Repository); err != nil {
		return err
	}
	if h.Acquisition != nil {
		for _, s := range []string{h.Acquisition.Address, h.Acquisition.ProfileName, h.Acquisition.RequestID} {
			if err := a.unchanged("acquisition", "a string", s); err != nil {
				return err
			}
		}
	}
	a.status("", h.EntityFilter)
	if err := a.display("title", h.Entity.Title, h.EntityFilter); err != nil {
		return err
	}
	for _, label := range h.Entity.Labels {
		if err := a.display("a label", label, h.EntityFilter); err != nil {
			return err
		}
	}
	if a.position == bounded {
		a.labels()
	}
	return nil
}

// labels of a bounded stream are sorted, unique and within the bound (DSP-04, DSP-08).
func (a *auditor) labels() {
	labels := a.header.Entity.Labels
	for i := 1; i < len(labels); i++ {
		if labels[i-1] >= labels[i] {
			a.add(ruleLabels, "", "labels must be sorted, each once")
			break
		}
	}
	if int64(len(labels)) > a.bounds().MaxLabels {
		a.add(ruleLabels, "", "more than max_labels")
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// end judges what only the whole stream shows.
func (a *auditor) end() {
	if a.position != bounded {
		return
	}
	if l := a.header.Limits; l != nil && a.documents > l.MaxDocuments {
		a.add(ruleCount, "", "more than max_documents")
	}
	for _, scope := range [...]contract.Scope{contract.ScopeComments, contract.ScopeReviews, contract.ScopeChecks, contract.ScopeAgentRuns} {
		if a.header.Collection != nil && a.counts[scope] > a.bounds().MaxRecordsPerSource {
			a.add(ruleCount, "", "more than max_records_per_source in %s", scope)
		}
	}
}
