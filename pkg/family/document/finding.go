package document

import (
	"fmt"
	"sort"
)

// Level tells what a finding means for the verdict.
type Level string

// The levels.
const (
	Error    Level = "error"    // the document is invalid
	Protocol Level = "protocol" // valid, against a rule that only the protocol's prose states
	Warning  Level = "warning"  // valid, at odds with itself or with a known vocabulary
	Note     Level = "note"     // worth knowing
)

// Finding is one thing to say about a document. It carries no content beyond names
// and enum values, quoted and cut.
type Finding struct {
	Level  Level  `json:"level"`
	Code   string `json:"code"`
	Place  string `json:"place"` // JSON Pointer; "" is the whole document
	Offset int    `json:"offset"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Detail string `json:"detail"`
}

// NewFinding makes a finding at an offset. Locate gives it its line and column.
func NewFinding(level Level, code, place string, offset int, format string, args ...any) Finding {
	return Finding{Level: level, Code: code, Place: place, Offset: offset, Detail: fmt.Sprintf(format, args...)}
}

// Locate gives the findings in raw their line and column. It reads raw once, however
// many findings there are: a hostile document may have one for each of its values.
func Locate(raw []byte, findings []Finding) {
	if len(findings) == 0 {
		return
	}
	starts := []int{0}
	for at, b := range raw {
		if b == '\n' {
			starts = append(starts, at+1)
		}
	}
	for i := range findings {
		f := &findings[i]
		f.Line = sort.SearchInts(starts, f.Offset+1)
		f.Column = f.Offset - starts[f.Line-1] + 1
	}
}

// Unreadable turns the faults of Parse into findings.
func Unreadable(faults []*Fault) []Finding {
	var out []Finding
	for _, f := range faults {
		out = append(out, Finding{Error, f.Rule, "", f.Offset, f.Line, f.Column, f.Detail})
	}
	return out
}

// Has reports whether a finding of the level is among them.
func Has(findings []Finding, level Level) bool {
	for _, f := range findings {
		if f.Level == level {
			return true
		}
	}
	return false
}
