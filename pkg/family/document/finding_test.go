package document

import (
	"strings"
	"testing"
)

// TestLocate holds every offset of a text against a count from its start.
func TestLocate(t *testing.T) {
	raw := []byte("{\n\n  \"a\": 1,\r\n\"\u00e9\": [\n]}\n")
	var findings []Finding
	for at := len(raw); at >= 0; at-- { // in any order
		findings = append(findings, NewFinding(Note, "code", "", at, "detail"))
	}
	Locate(raw, findings)
	for _, f := range findings {
		if line, column := position(raw, f.Offset); f.Line != line || f.Column != column {
			t.Errorf("offset %d: line %d, column %d, want %d, %d", f.Offset, f.Line, f.Column, line, column)
		}
	}
}

// TestHostileDocument: documents with very many faults, or long names around very many
// values, cost about what their bytes cost. With work for each fault or value that
// grows with the document this does not end within the time that a test has.
func TestHostileDocument(t *testing.T) {
	s := load(t)
	const many = 400_000
	for name, raw := range map[string]string{
		"faults": strings.Repeat(" ", 8<<20) + `{"kind":"k","n":0,"list":[` + strings.Repeat("0,", many) + `0]}`,
		"names":  `{"kind":"k","n":0,"free":{"` + strings.Repeat("x", 32<<20) + `":[` + strings.Repeat("\"\",", many) + `0]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			v, faults := Parse([]byte(raw), Options{})
			if faults != nil {
				t.Fatal(faults[0])
			}
			findings, texts := s.Check(v, "")
			Locate([]byte(raw), findings)
			if len(findings)+len(texts) < many {
				t.Errorf("%d findings, %d texts", len(findings), len(texts))
			}
		})
	}
}
