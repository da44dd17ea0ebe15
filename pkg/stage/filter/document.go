package filter

import (
	"bytes"
	"slices"
	"strings"

	"snapline/pkg/ndjson"
	"snapline/pkg/record"
	"snapline/pkg/safety"
	"snapline/pkg/tree"
)

// Family finds the string literals of one document of a family. format is the
// line's format member. The literals come in the order of their places and do not
// overlap. An error means that the document cannot be read: it is rejected.
type Family func(format string, raw []byte) ([]Literal, error)

// Literal is one JSON string literal in the raw bytes of a document.
type Literal struct {
	Start, End int    // its place, quotes included
	Text       string // what it spells
	Use        Use
}

// Use says what may happen to a literal.
type Use uint8

// The uses.
const (
	// Display is text for people: replaced in place when the engine changes it; the
	// document is rejected when it cannot be made safe.
	Display Use = iota
	// Opaque is an id, cursor, digest or the like: scanned and reported, never changed;
	// with Config.Strict a finding rejects the document.
	Opaque
	// Protocol is text whose bytes are part of a protocol: a hidden character or a
	// secret rejects the document; an injection match is reported, because the
	// protocol's own words match by design.
	Protocol
)

// document filters a document by splicing literals. Bytes outside the literals that
// the engine changes stay as they are.
func (t *text) document(it *item, l *record.Document) error {
	f := record.Clean()
	l.Filter = &f
	literals, err := t.family(l.Format, l.Raw)
	if err != nil {
		it.notice(string(record.InvalidMetadata), 0, "rejected: the document cannot be read")
		reject(l)
		return nil
	}
	l.Strings = int64(len(literals))
	var spliced []byte
	from := 0
	for _, s := range literals {
		r, err := t.worker.Filter(safety.Body, []byte(s.Text))
		if err != nil {
			return component(it, err)
		}
		if len(r.Findings) == 0 {
			continue
		}
		f.AddFindings(r.Findings)
		t.report(it, "string", r)
		switch {
		case t.refuses(s.Use, r):
			f.Status = record.Rejected
		case s.Use == Display:
			f.Status = record.Highest(f.Status, record.Modified)
			spliced = append(spliced, l.Raw[from:s.Start]...)
			spliced = ndjson.AppendString(spliced, sameEnd(r.Text, s.Text))
			from = s.End
		}
	}
	if f.Status == record.Rejected {
		reject(l)
		return nil
	}
	if from > 0 {
		l.Raw = append(spliced, l.Raw[from:]...)
		l.SHA256 = tree.Digest(l.Raw)
	}
	return nil
}

func reject(l *record.Document) {
	l.Raw, l.HasRaw, l.Filter.Status = nil, false, record.Rejected
}

// refuses reports whether a finding in a literal of this use rejects the document.
func (t *text) refuses(use Use, r safety.Result) bool {
	switch use {
	case Display:
		return r.Status == record.Rejected
	case Opaque:
		return t.strict
	case Protocol:
	}
	return slices.ContainsFunc(r.Findings, func(f record.Finding) bool {
		return !strings.HasPrefix(f.Code, "injection.")
	})
}

// sameEnd takes back the one line feed that a body gets at its end, if the literal
// had none there.
func sameEnd(filtered []byte, source string) []byte {
	if strings.HasSuffix(source, "\n") || strings.HasSuffix(source, "\r") {
		return filtered
	}
	return bytes.TrimSuffix(filtered, []byte("\n"))
}
