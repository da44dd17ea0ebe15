// Package textrule judges filtered text by itself: its form, its bound, and that the
// filters leave their own output alone. Trees and streams are judged alike.
package textrule

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/safety"
)

// Scanner is the part of a *safety.Worker that a judge needs.
type Scanner interface {
	Filter(kind safety.Kind, source []byte) (safety.Result, error)
	Rescan(text []byte) (safety.Result, error)
}

// Fault is what is wrong with a text.
type Fault uint8

// The faults.
const (
	None   Fault = iota
	Form         // not UTF-8 with LF lines and exactly one trailing LF
	Length       // over its bound
	Unsafe       // the filters would change or reject it
	Rescan       // cut text that is unsafe on its own
	Empty        // nothing, of which something was changed or cut
)

// Verdict is a fault with the finding codes that explain it; codes are names of ours.
type Verdict struct {
	Fault Fault
	Codes string
}

// NoBound is the bound of text that nothing has bounded yet.
const NoBound = int64(1) << 62

// Text judges a body or log of at most bound bytes with the given filter status. Text
// that no bound has cut must pass the filters unchanged. Cut text may hold half a
// marker or half a pattern: only the injection scan of exactly these bytes applies to
// it, and Unicode safety, since no cut of safe text makes it unsafe (INJ-04, AMB-66).
// An error is a failed component.
func Text(s Scanner, kind safety.Kind, b []byte, status contract.FilterStatus, bound int64) (Verdict, error) {
	switch {
	case !validForm(b):
		return Verdict{Form, "form"}, nil
	case int64(len(b)) > bound:
		return Verdict{Length, "length"}, nil
	case !tree.TextExplained(status, len(b)):
		return Verdict{Empty, "empty"}, nil
	case status == contract.Truncated:
		return rescan(s, kind, b)
	}
	return FixedPoint(s, kind, b)
}

// runeCut is how many bytes a cut between code points can leave below a bound.
const runeCut = 3

// Display judges a display string of at most bound bytes from a document with the
// given filter status. Only in a truncated document, and only as long as a cut leaves
// it, can the string be the one that was cut (BND-04, DSP-03).
func Display(s Scanner, text string, status contract.FilterStatus, bound int64) (Verdict, error) {
	switch n := int64(len(text)); {
	case n > bound:
		return Verdict{Length, "length"}, nil
	case status == contract.Truncated && n >= bound-runeCut:
		return rescan(s, safety.Display, []byte(text))
	}
	return FixedPoint(s, safety.Display, []byte(text))
}

// FixedPoint judges text that the filters must leave as it is.
func FixedPoint(s Scanner, kind safety.Kind, b []byte) (Verdict, error) {
	r, err := s.Filter(kind, b)
	switch {
	case err != nil:
		return Verdict{}, err
	case r.Status != contract.Unchanged || !bytes.Equal(r.Text, b):
		return Verdict{Unsafe, codes(r.Findings)}, nil
	}
	return Verdict{}, nil
}

func rescan(s Scanner, kind safety.Kind, b []byte) (Verdict, error) {
	r, err := s.Rescan(b)
	switch {
	case err != nil:
		return Verdict{}, err
	case r.Status != contract.Unchanged:
		return Verdict{Rescan, codes(r.Findings)}, nil
	}
	if r, err = s.Filter(kind, b); err != nil {
		return Verdict{}, err
	}
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Code, "unicode.") {
			return Verdict{Rescan, f.Code}, nil
		}
	}
	return Verdict{}, nil
}

// validForm is the form of bodies and logs (CAN-06, CAN-07). A source of line feeds
// alone is one line feed (AMB-08).
func validForm(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case !utf8.Valid(b), bytes.IndexByte(b, '\r') >= 0, bytes.HasPrefix(b, []byte("\ufeff")):
		return false
	}
	return b[len(b)-1] == '\n' && (len(b) == 1 || b[len(b)-2] != '\n')
}

// codes lists finding codes.
func codes(findings []contract.Finding) string {
	if len(findings) == 0 {
		return "form"
	}
	names := make([]string, len(findings))
	for i, f := range findings {
		names[i] = f.Code
	}
	return strings.Join(names, " ")
}
