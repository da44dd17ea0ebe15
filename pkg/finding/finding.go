// Package finding is the report of a check: every broken rule with its place,
// sorted, each once. Findings name rules, places and counts, never content.
package finding

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"snapline/pkg/fault"
)

// Finding is one broken rule at one place.
type Finding struct {
	Rule     string `json:"rule"`               // stable name, for example "records.order"
	Path     string `json:"path,omitempty"`     // file below the root; empty for the root itself
	Position string `json:"position,omitempty"` // JSON pointer, "line 3" or "byte 17"
	Detail   string `json:"detail"`             // what the rule wants
}

// String prints the place first, as a compiler does, in printable ASCII.
func (f Finding) String() string {
	var parts []string
	if f.Path != "" {
		parts = append(parts, fault.Printable(f.Path, maxPlace))
	}
	if f.Position != "" {
		parts = append(parts, fault.Printable(f.Position, maxPlace))
	}
	return strings.Join(append(parts, f.Rule, f.Detail), ": ")
}

// maxPlace bounds a printed path or position, in bytes.
const maxPlace = 256

// List collects findings. The zero value is ready to use.
type List struct{ findings []Finding }

// Add appends a finding.
func (l *List) Add(f Finding) { l.findings = append(l.findings, f) }

// Len is the number of findings added so far, repetitions included.
func (l *List) Len() int { return len(l.findings) }

// Sorted gives the findings by path, position, rule and detail, each once.
// Positions compare number by number, so that /records/9 precedes /records/10.
func (l *List) Sorted() []Finding {
	out := slices.Clone(l.findings)
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path),
			compareNatural(a.Position, b.Position),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Detail, b.Detail),
		)
	})
	return slices.Compact(out)
}

// compareNatural orders strings with runs of digits compared by value.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		na, nb := digits(a), digits(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// WriteText prints one finding a line.
func WriteText(w io.Writer, findings []Finding) error {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON prints one JSON object: facts, then the findings.
func WriteJSON(w io.Writer, facts any, findings []Finding) error {
	printable := make([]Finding, len(findings))
	for i, f := range findings {
		f.Path, f.Position = ascii(f.Path), ascii(f.Position)
		printable[i] = f
	}
	b, err := json.Marshal(struct {
		Facts    any       `json:"facts,omitempty"`
		Findings []Finding `json:"findings"`
	}{facts, printable})
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

func ascii(s string) string {
	if s == "" {
		return ""
	}
	return fault.Printable(s, maxPlace)
}
