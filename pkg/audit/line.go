package audit

import (
	"slices"
	"strings"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
)

// line judges one line after the header by the promises of the stage that wrote it.
func (a *auditor) line(l contract.Line) error {
	a.structural(l)
	if a.position == bounded {
		a.hold(l)
	}
	if err := a.unchanged(contract.Name(l), "the web address", contract.WebURL(l)); err != nil {
		return err
	}
	switch l := l.(type) {
	case *contract.Actor:
		return a.actor(l)
	case *contract.Record:
		return a.record(l)
	case *contract.Thread:
		return a.thread(l)
	case *contract.Check:
		a.counts[contract.ScopeChecks]++
		return a.named(contract.Describe(l), l.Name, l.Filter)
	case *contract.Run:
		a.counts[contract.ScopeAgentRuns]++
		a.publisher(l)
		return a.named(contract.Describe(l), l.Agent, l.Filter)
	case *contract.Log:
		return a.content(contract.Describe(l), safety.Log, l.Content, l.Filter, a.bounds().MaxLogBytes)
	case *contract.Document:
		return a.document(l)
	}
	return nil
}

func (a *auditor) actor(l *contract.Actor) error {
	a.actors[l.ID] = l
	if a.position < filtered {
		return nil
	}
	if l.Login != nil || l.LoginFilter.Status != contract.Modified { // a cut may have left nothing (AMB-28)
		a.status(contract.Describe(l), l.LoginFilter)
	}
	if l.Login == nil {
		return nil
	}
	return a.display(contract.Describe(l), *l.Login, l.LoginFilter)
}

func (a *auditor) record(l *contract.Record) error {
	switch l.Kind {
	case contract.KindComment:
		a.counts[contract.ScopeComments]++
	case contract.KindReview:
		a.counts[contract.ScopeReviews]++
	case contract.KindEntity, contract.KindCheck, contract.KindThread:
	}
	if l.Kind == contract.KindReview && !tree.HasReviews(a.header.Source.Forge) {
		a.add(ruleForge, contract.Describe(l), "%s has no formal reviews", a.header.Source.Forge)
	}
	if a.position >= filtered {
		a.admitted(l)
	}
	return a.content(contract.Describe(l), safety.Body, l.Content, l.Filter, a.bounds().MaxRecordBytes)
}

// admitted: from filter on nobody is heard whom the profile does not admit, neither as
// author nor as last editor (ADM-04, ADM-05, ADM-07, AMB-16, AMB-65).
func (a *auditor) admitted(l *contract.Record) {
	switch {
	case l.AuthorID == nil && a.position == filtered:
		a.add(ruleAdmission, contract.Describe(l), "a record without an author cannot be admitted")
	case l.AuthorID == nil: // accepted from there on, as in a tree
	case !a.heard(*l.AuthorID):
		a.add(ruleAdmission, contract.Describe(l), "its author is not admitted")
	case l.Edited && (l.EditorID == nil || !a.heard(*l.EditorID)):
		a.add(ruleAdmission, contract.Describe(l), "its last editor is not admitted")
	}
}

// heard reports whether an actor is admitted. A bounded stream has no registered bot
// roles any more, so a bot there is taken at its row.
func (a *auditor) heard(id string) bool {
	actor := a.actors[id]
	switch {
	case actor == nil || actor.Kind == contract.Unknown:
		return false
	case actor.Kind == contract.Bot:
		return a.position == bounded || actor.BotRole != nil
	}
	return tree.HumanAdmitted(actor.Role, actor.RoleVerified, a.header.Collection.HumanMinRole)
}

// publisher: a receipt counts only from a registered bot (AMB-76).
func (a *auditor) publisher(l *contract.Run) {
	if a.position != filtered {
		return
	}
	if l.PublisherID == nil || a.actors[*l.PublisherID] == nil || a.actors[*l.PublisherID].BotRole == nil {
		a.add(ruleAdmission, contract.Describe(l), "its publisher is no registered bot")
	}
}

func (a *auditor) thread(l *contract.Thread) error {
	if a.position == bounded && !tree.RepliesOrdered(l) {
		a.add(ruleReplies, contract.Describe(l), "replies do not follow the thread's records, each once and to another record")
	}
	return a.unchanged(contract.Describe(l), "the path", l.Path)
}

// structural strings are as long as they are or invalid, from filter on (STR-06, AMB-91).
func (a *auditor) structural(l contract.Line) {
	if a.position < filtered {
		return
	}
	for _, m := range tree.Structural(l) {
		if a.header.Collection != nil && int64(len(m.Value)) > a.bounds().MaxMetadataStringBytes {
			a.add(ruleStructural, "", "%s is longer than max_metadata_string_bytes", m.Name)
		}
	}
}

// unchanged judges an optional structural string that filter has scanned (STR-02).
func (a *auditor) unchanged(object, what, s string) error {
	if a.position < filtered || s == "" {
		return nil
	}
	v, err := textrule.FixedPoint(a.scanner, safety.Structural, []byte(s))
	if err == nil && v.Fault != textrule.None {
		a.add(rulePath, object, "the filters would change or reject %s: %s", what, v.Codes)
	}
	return a.component(object, err)
}

// named judges the display name of a check or run, which a rejected one has not.
func (a *auditor) named(object, name string, f *contract.Filter) error {
	if a.position < filtered || f == nil || f.Status == contract.Rejected {
		return nil
	}
	a.status(object, f)
	return a.display(object, name, f)
}

// rules and words of the faults of text.
var textFaults = map[textrule.Fault]struct{ rule, detail string }{
	textrule.Form:   {ruleForm, "text must be UTF-8 with LF lines and end in exactly one LF unless empty"},
	textrule.Length: {ruleLength, "longer than its bound"},
	textrule.Unsafe: {ruleUnsafe, "the filters would change or reject this text"},
	textrule.Rescan: {ruleRescan, "truncated text that is unsafe on its own"},
	textrule.Empty:  {ruleStatus, "nothing is left of a text that was changed or cut"},
}

func (a *auditor) verdict(object string, v textrule.Verdict, err error) error {
	if err == nil && v.Fault != textrule.None {
		f := textFaults[v.Fault]
		a.add(f.rule, object, "%s: %s", f.detail, v.Codes)
	}
	return a.component(object, err)
}

func (a *auditor) component(object string, err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{
		Exit: fault.Aborted, File: a.name, Line: a.in.Line(), Record: object, Rule: "safety.component",
		Detail: "a filter component failed", Cause: err,
	}
}

func (a *auditor) display(object, s string, f *contract.Filter) error {
	bound := textrule.NoBound
	if a.position == bounded {
		bound = a.bounds().MaxMetadataStringBytes
	}
	v, err := textrule.Display(a.scanner, s, f.Status, bound)
	return a.verdict(object, v, err)
}

// content judges a body or log: within max_source_bytes when fetched, unchanged by the
// filters from filter on, within its bound at the end.
func (a *auditor) content(object string, kind safety.Kind, c contract.Content, f *contract.Filter, bound int64) error {
	if c.Form != contract.FormText && c.Form != contract.FormBytes {
		return nil
	}
	if a.position == fetched {
		if int64(len(c.Bytes)) > a.bounds().MaxSourceBytes {
			a.add(ruleSourceBytes, object, "longer than max_source_bytes and not marked oversize")
		}
		return nil
	}
	a.status(object, f)
	if a.position == filtered {
		bound = textrule.NoBound
	}
	v, err := textrule.Text(a.scanner, kind, c.Bytes, f.Status, bound)
	return a.verdict(object, v, err)
}

// status: what was changed is explained by findings, what was not has none (FLT-01,
// FLT-02).
func (a *auditor) status(object string, f *contract.Filter) {
	if !tree.Explained(f.Status, len(f.Findings)) {
		a.add(ruleStatus, object, "status and findings do not fit each other")
	}
}

// document judges one document: within its bound, and each of its strings as the
// family's policy wants it.
func (a *auditor) document(l *contract.Document) error {
	a.documents++
	if !l.HasRaw {
		return nil
	}
	if a.header.Limits != nil && a.position == bounded && int64(len(l.Raw)) > a.header.Limits.MaxDocumentBytes {
		a.add(ruleLength, contract.Describe(l), "longer than max_document_bytes")
	}
	if a.position < filtered || a.family == nil {
		return nil
	}
	reading, err := a.family(l.Raw)
	if err != nil {
		a.add(ruleDocument, contract.Describe(l), "the document cannot be read")
		return nil
	}
	if int64(len(reading.Texts)) != l.Strings {
		a.add(ruleDocument, contract.Describe(l), "strings must count the strings of the document")
	}
	for _, t := range reading.Texts {
		r, err := a.scanner.Filter(safety.Body, []byte(t.Value))
		if err != nil {
			return a.component(contract.Describe(l), err)
		}
		if refused(t.Policy, r.Findings) {
			a.add(ruleUnsafe, contract.Describe(l), "the filters would change or reject the string at byte %d", t.Start)
		}
	}
	return nil
}

// refused reports whether a filtered document cannot hold a string with these
// findings: display text has none, a protocol's own text no hidden character and no
// secret.
func refused(p document.Policy, findings []contract.Finding) bool {
	return slices.ContainsFunc(findings, func(f contract.Finding) bool {
		switch p {
		case document.Replace:
			return true
		case document.Refuse:
			return !strings.HasPrefix(f.Code, "injection.") && f.Code != "unicode.nfkc"
		case document.Report:
		}
		return false
	})
}
