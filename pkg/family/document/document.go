// Package document reads the documents of the two state families, Canon Boundary
// Guard states and MSP snapshots, as bytes that are never serialised again: strict
// JSON with the place of every value (Parse), the rules of a JSON Schema with the
// place of every fault (Schema.Check), the strings that the filter looks at (Text),
// and replacement of string literals in the raw bytes (Splice).
//
// What a family adds, which formats it has, how its documents are ordered and what
// may be changed in them, is in pkg/family/canon and pkg/family/msp.
package document

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/stream"
)

// FormatUnreadable is the format of a document that is no strict JSON. It travels as it is:
// the filter rejects it and bound counts it.
const FormatUnreadable = "unreadable"

// Policy says what the filter does about a string in which it finds something.
type Policy uint8

// The policies.
const (
	// Replace: display text. The literal is replaced by the filtered text, or by Removed.
	Replace Policy = iota
	// Report: the string is counted and stays; under a strict filter the document is
	// rejected.
	Report
	// Refuse: a hidden character or a secret rejects the document; anything else is
	// counted and stays.
	Refuse
)

// Refuses reports whether what was found in a string of this policy rejects its
// document. What refuses a protocol text is a hidden character or a secret: neither the
// protocol's own words, which match injection rules by design, nor a visible character
// that has a plainer form.
func (p Policy) Refuses(found []contract.Finding, strict bool) bool {
	switch p {
	case Replace:
		return false
	case Report:
		return strict && len(found) > 0
	case Refuse:
	}
	return slices.ContainsFunc(found, func(f contract.Finding) bool {
		return !strings.HasPrefix(f.Code, "injection.") && f.Code != "unicode.nfkc"
	})
}

// Removed stands in place of display text that cannot be made safe.
const Removed = "[unsafe text removed]"

// Text is one string of a document: a value, or the name of a member that no schema
// knows.
type Text struct {
	Start, End int // of its literal in the raw bytes, quotes included
	Value      string
	Policy     Policy
}

// Reading is what the stages need to know of a document.
type Reading struct {
	Format string // what the document is, in the words of its family
	Order  string // order key: documents are ordered bytewise by it, then as they came
	Texts  []Text // every string to scan, in document order
}

// Family reads a document of one family. The error of an unreadable document is its
// first *Fault; its order key counts nevertheless.
type Family func(raw []byte) (Reading, error)

// Replacement is new text for one string literal.
type Replacement struct {
	Start, End int // of the literal, quotes included
	Value      string
}

// Splice gives raw with each literal replaced by the JSON spelling of its new text.
// Every other byte stays. The replacements must not overlap; values must be valid
// UTF-8.
func Splice(raw []byte, replacements []Replacement) []byte {
	if len(replacements) == 0 {
		return raw
	}
	sorted := slices.SortedFunc(slices.Values(replacements), func(a, b Replacement) int { return cmp.Compare(a.Start, b.Start) })
	var out bytes.Buffer
	last := 0
	for _, r := range sorted {
		out.Write(raw[last:r.Start])
		out.Write(stream.AppendString(nil, r.Value))
		last = r.End
	}
	out.Write(raw[last:])
	return out.Bytes()
}
