package filter

import (
	"bytes"
	"errors"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/safety"
)

// document filters the strings of a document by their policy and splices new
// literals into the raw bytes, of which every other byte stays. A document that
// cannot be read cannot be scanned: it is rejected.
func (t *text) document(it *item, l *contract.Document) error {
	f := contract.Clean()
	l.Filter = &f
	reading, err := t.family(l.Raw)
	if err != nil {
		code := "document.unreadable"
		var broken *document.Fault
		if errors.As(err, &broken) {
			code = broken.Rule
		}
		it.notice(code, 1, "rejected: the document cannot be read")
		f.AddFindings([]contract.Finding{{Code: code, Count: 1}})
		reject(l)
		return nil
	}
	l.Strings = int64(len(reading.Texts))
	var replacements []document.Replacement
	for _, s := range reading.Texts {
		r, err := t.worker.Filter(safety.Body, []byte(s.Value))
		if err != nil {
			return component(it, err)
		}
		if len(r.Findings) == 0 {
			continue
		}
		f.AddFindings(r.Findings)
		outcome := "kept"
		switch {
		case s.Policy.Refuses(r.Findings, t.strict), r.Oversize && s.Policy != document.Replace:
			f.Status, outcome = contract.Rejected, "rejects the document"
		case s.Policy == document.Replace:
			f.Status = contract.Highest(f.Status, contract.Modified)
			value := document.Removed // an unsafe string costs only itself, as an unsafe label does
			outcome = "removed"
			if r.Status != contract.Rejected {
				value, outcome = sameEnd(r.Text, s.Value), "modified"
			}
			replacements = append(replacements, document.Replacement{Start: s.Start, End: s.End, Value: value})
		}
		field := "string at bytes " + span(s.Start, s.End)
		it.notice(codes(r.Findings), total(r.Findings), field+" "+outcome)
		t.locate(it, field, r)
	}
	if f.Status == contract.Rejected {
		reject(l)
		return nil
	}
	if len(replacements) > 0 {
		l.Raw = document.Splice(l.Raw, replacements)
		l.SHA256 = tree.Digest(l.Raw)
	}
	return nil
}

func reject(l *contract.Document) {
	l.Raw, l.HasRaw, l.Filter.Status = nil, false, contract.Rejected
}

// sameEnd takes back the one line feed that a body gets at its end, if the literal
// had none there.
func sameEnd(filtered []byte, source string) string {
	if !strings.HasSuffix(source, "\n") && !strings.HasSuffix(source, "\r") {
		filtered = bytes.TrimSuffix(filtered, []byte("\n"))
	}
	return string(filtered)
}
