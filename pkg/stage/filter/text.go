package filter

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// engine is what this stage needs of a *safety.Worker.
type engine interface {
	Filter(kind safety.Kind, source []byte) (safety.Result, error)
}

// text runs the engine over the texts of one line at a time.
type text struct {
	worker  engine
	explain bool
	strict  bool
	family  document.Family
	bounds  contract.Bounds
}

func newText(cfg Config, h *contract.Snapshot) *text {
	worker := cfg.Engine.NewWorker()
	worker.Explain = cfg.Explain
	t := &text{worker: worker, explain: cfg.Explain, strict: cfg.Strict, family: cfg.Families[h.Family]}
	if h.Collection != nil {
		t.bounds = h.Collection.Bounds
	}
	return t
}

// filter makes the line of it safe. What cannot be made safe is marked, dropped with
// a gap, or an error. A panic below is a failed component (ABT-08).
func (t *text) filter(it *item) {
	defer func() {
		if r := recover(); r != nil {
			it.err = component(it, nil)
		}
	}()
	if err := t.address(it); err != nil {
		it.err = err
	}
	if it.err == nil && it.line != nil {
		it.err = t.line(it)
	}
}

func (t *text) line(it *item) error {
	switch l := it.line.(type) {
	case *contract.Actor:
		return t.actor(it, l)
	case *contract.Record:
		return t.record(it, l)
	case *contract.Thread:
		return t.thread(it, l)
	case *contract.Check:
		return t.name(it, &l.Name, &l.Filter, &l.RejectedAs)
	case *contract.Run:
		return t.name(it, &l.Agent, &l.Filter, &l.RejectedAs)
	case *contract.Log:
		f, err := t.content(it, safety.Log, &l.Content)
		l.Filter = f
		return err
	case *contract.Document:
		return t.document(it, l)
	}
	return nil
}

// address judges the web address of the line's object, even of a line that is dropped,
// as diagnostics print it. One that the engine would change is left out.
func (t *text) address(it *item) error {
	url := it.url
	if it.url = ""; url == "" { // a failure must not print it
		return nil
	}
	safe, err := t.safePath(it, url)
	if err != nil {
		return err
	}
	if safe {
		it.url = url
		return nil
	}
	switch l := it.line.(type) {
	case *contract.Snapshot:
		l.Acquisition.Address = ""
	case *contract.Record:
		l.URL = ""
	case *contract.Thread:
		l.URL = ""
	case *contract.Check:
		l.URL = ""
	default:
		return nil // dropped, or a log, whose check has said so
	}
	it.notice(string(contract.UnsafeContent), 0, "its web address is unsafe and left out")
	return nil
}

// acquisition judges the header's acquisition, on which nothing depends: the address,
// and the names that the caller gave.
func (t *text) acquisition(it *item, a *contract.Acquisition) error {
	if err := t.address(it); err != nil || a == nil {
		return err
	}
	for _, s := range []struct {
		field string
		value *string
	}{{"profile_name", &a.ProfileName}, {"request_id", &a.RequestID}} {
		safe, err := t.safePath(it, *s.value)
		if err != nil {
			return err
		}
		if !safe {
			*s.value = ""
			it.notice(string(contract.UnsafeContent), 0, "acquisition."+s.field+" is unsafe and left out")
		}
	}
	return nil
}

// actor filters a login; one that is unsafe, oversize or empty becomes null and keeps
// its findings (DSP-05, AMB-10, AMB-27).
func (t *text) actor(it *item, l *contract.Actor) error {
	l.LoginFilter = &contract.Filter{Status: contract.Unchanged, Findings: []contract.Finding{}}
	if l.Login == nil {
		return nil
	}
	login, err := t.display(it, "login", *l.Login)
	if err != nil {
		return err
	}
	f := login.filter
	l.Login = &login.value
	if login.value == "" {
		l.Login, f.Status = nil, contract.Modified
	}
	l.LoginFilter = &f
	return nil
}

// record filters a body. The entity's has to survive (ABT-03, ABT-04).
func (t *text) record(it *item, l *contract.Record) error {
	f, err := t.content(it, safety.Body, &l.Content)
	if err != nil {
		return err
	}
	l.Filter = f
	if l.Kind != contract.KindEntity {
		return nil
	}
	switch l.Content.Form {
	case contract.FormOversize:
		return abort(it, "filter.oversize-body", contract.SourceTooLarge, fmt.Sprintf("the body is over max_source_bytes, %d, or grows to more than twice its length while it is cleaned", t.bounds.MaxSourceBytes), "shorten the body at the forge")
	case contract.FormNone:
		return abort(it, "filter.unsafe-body", contract.UnsafeContent, "the body cannot be made safe: "+counts(f.Findings), "remove the named construct from the body at the forge")
	}
	return nil
}

// thread judges a thread by its path, which is structural: kept as it is or unsafe,
// and then the relationship goes while its comments stay (STR-02 to STR-05, AMB-26).
func (t *text) thread(it *item, l *contract.Thread) error {
	if l.Path == "" {
		return nil
	}
	safe, err := t.safePath(it, l.Path)
	switch {
	case err != nil:
		return err
	case !safe:
		it.drop(contract.ScopeReviews, contract.UnsafeContent, "its path is unsafe")
	case !tree.ValidPath(l.Path):
		it.drop(contract.ScopeReviews, contract.InvalidMetadata, "its path does not have the form of a path")
	}
	return nil
}

// name filters the display name of a check or run. One that is unsafe, oversize or
// empty costs the object, which travels on without it until bound has counted it
// (DSP-06, AMB-10, AMB-14).
func (t *text) name(it *item, name *string, f **contract.Filter, rejectedAs *contract.GapCode) error {
	d, err := t.display(it, "name", *name)
	if err != nil {
		return err
	}
	code := d.unusable
	if code == "" && d.value == "" {
		code = contract.InvalidMetadata
		it.notice(string(code), 0, "rejected: its name is empty")
	}
	if code != "" {
		d.value, d.filter.Status, *rejectedAs = "", contract.Rejected, code
	}
	*name, *f = d.value, &d.filter
	return nil
}

// content filters a body or log in place. It gives no filter for content that does
// not travel: oversize (BND-05) or missing.
func (t *text) content(it *item, kind safety.Kind, c *contract.Content) (*contract.Filter, error) {
	switch c.Form {
	case contract.FormText, contract.FormBytes:
	default:
		return nil, nil
	}
	if int64(len(c.Bytes)) > t.bounds.MaxSourceBytes {
		*c = contract.Content{Form: contract.FormOversize}
		return nil, nil
	}
	r, err := t.worker.Filter(kind, c.Bytes)
	if err != nil {
		return nil, component(it, err)
	}
	t.report(it, "", r)
	if r.Oversize {
		*c = contract.Content{Form: contract.FormOversize}
		return nil, nil
	}
	f := filterOf(r)
	if r.Status == contract.Rejected {
		*c = contract.Content{}
		return &f, nil
	}
	replace(c, r.Text)
	return &f, nil
}

// replace gives c the filtered text, which may lie in the engine's memory. Unchanged
// text keeps its spelling, and so does what stands before a line end that is new
// (CAN-07): a body of a forge rarely has one. Other text is copied over the source and
// spelled over the old spelling, if it fits: by the worker and not by the one writer.
func replace(c *contract.Content, text []byte) {
	if c.Form == contract.FormText && bytes.HasPrefix(text, c.Bytes) {
		switch added := text[len(c.Bytes):]; {
		case len(added) == 0:
			return
		case string(added) == "\n" && c.Literal != nil:
			if &c.Literal[0] == &c.Bytes[0] { // one memory for both: nothing was escaped
				c.Literal = slices.Clip(c.Literal)
			}
			c.Bytes, c.Literal = append(c.Bytes, '\n'), append(c.Literal, `\n`...)
			return
		}
	}
	spelling := c.Literal[:0]
	if c.Literal == nil || &c.Literal[0] == &c.Bytes[0] {
		spelling = make([]byte, 0, len(text)+len(text)/16+2)
	}
	spelling = stream.AppendString(spelling, text)
	*c = contract.Content{Form: contract.FormText, Bytes: append(c.Bytes[:0], text...), Literal: spelling[1 : len(spelling)-1]}
}

// displayed is the outcome of a display string.
type displayed struct {
	value    string
	filter   contract.Filter
	unusable contract.GapCode // why there is no value; "" when there is one
}

// display filters one display string; its size is measured here (AMB-10, DSP-02).
func (t *text) display(it *item, field, s string) (displayed, error) {
	if int64(len(s)) > t.bounds.MaxSourceBytes {
		f := contract.Filter{Status: contract.Rejected, Findings: []contract.Finding{{Code: safety.Oversize, Count: 1}}}
		it.notice(string(contract.SourceTooLarge), 0, field+" is over max_source_bytes")
		return displayed{filter: f, unusable: contract.SourceTooLarge}, nil
	}
	r, err := t.worker.Filter(safety.Display, []byte(s))
	if err != nil {
		return displayed{}, component(it, err)
	}
	t.report(it, field, r)
	d := displayed{filter: filterOf(r)}
	switch {
	case r.Oversize:
		d.unusable = contract.SourceTooLarge
		return d, nil
	case r.Status == contract.Rejected:
		d.unusable = contract.UnsafeContent
		return d, nil
	}
	d.value = string(r.Text)
	return d, nil
}

// safePath reports whether the engine would leave a structural string as it is.
func (t *text) safePath(it *item, s string) (bool, error) {
	r, err := t.worker.Filter(safety.Structural, []byte(s))
	if err != nil {
		return false, component(it, err)
	}
	return r.Status == contract.Unchanged, nil
}

func filterOf(r safety.Result) contract.Filter {
	return contract.Filter{Status: r.Status, Findings: r.Findings}.Clone()
}

// component is the failure of a part of the engine: always an abort, never a gap, and
// nothing unfiltered passes (ABT-08, AMB-56).
func component(it *item, cause error) *fault.Error {
	return &fault.Error{
		Exit: fault.Aborted, File: "stdin", Line: it.no, Record: it.object(),
		Rule: "filter.component", Detail: "a filter component failed", Cause: cause,
	}
}

// report names a changed or rejected text once: what was found, never the text.
func (t *text) report(it *item, field string, r safety.Result) {
	if r.Status == contract.Unchanged && len(r.Findings) == 0 {
		return
	}
	what := string(r.Status)
	if field != "" {
		what = field + " " + what
	}
	if r.Status == contract.Rejected {
		it.notice(string(contract.UnsafeContent), 0, what+": "+counts(r.Findings))
	} else {
		it.notice(codes(r.Findings), total(r.Findings), what)
	}
	t.locate(it, field, r)
}

// locate says where the findings lie, if that is asked for.
func (t *text) locate(it *item, field string, r safety.Result) {
	if !t.explain {
		return
	}
	for _, f := range r.Findings {
		it.notice(f.Code, f.Count, strings.TrimSpace(field+" at bytes "+offsets(r.Spans, f.Code)))
	}
}

// notice adds a diagnostic about the line.
func (it *item) notice(code string, count int64, text string) {
	it.notices = append(it.notices, fault.Notice{
		Line: it.no, Scope: string(scopeOf(it.line)), Code: code, Count: count, Text: text,
	})
}

func codes(findings []contract.Finding) string {
	all := make([]string, len(findings))
	for i, f := range findings {
		all[i] = f.Code
	}
	return strings.Join(all, ",")
}

func counts(findings []contract.Finding) string {
	all := make([]string, len(findings))
	for i, f := range findings {
		all[i] = fmt.Sprintf("%s %d", f.Code, f.Count)
	}
	return strings.Join(all, ", ")
}

func total(findings []contract.Finding) (n int64) {
	for _, f := range findings {
		n += f.Count
	}
	return n
}

// maxOffsets is how many places of one code --explain lists.
const maxOffsets = 20

func offsets(spans []safety.Span, code string) string {
	var places []string
	n := 0
	for _, s := range spans {
		if s.Code != code {
			continue
		}
		if n++; n <= maxOffsets {
			places = append(places, span(s.Start, s.End))
		}
	}
	if n > maxOffsets {
		places = append(places, fmt.Sprintf("and %d more", n-maxOffsets))
	}
	return strings.Join(places, " ")
}

func span(start, end int) string { return fmt.Sprintf("%d-%d", start, end) }
