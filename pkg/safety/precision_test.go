package safety_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

var update = flag.Bool("update", false, "write the generated part of docs/precision.md anew")

// sample is one line of testdata/precision/corpus.ndjson.gz.
type sample struct {
	Group string `json:"group"`
	Kind  string `json:"kind"` // log, body or title
	Name  string `json:"name"`
	Text  string `json:"text"`
}

func publicTexts(t testing.TB) []sample {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "precision", "corpus.ndjson.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range bytes.Lines(data) {
		var s sample
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if len(out) < 350 {
		t.Fatalf("the corpus holds %d texts, want at least 350", len(out))
	}
	return out
}

// verdicts says of each rejected text of the corpus, by name, what was looked at and
// found. A rejection without a verdict fails the test.
func verdicts(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "precision", "verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, verdict, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok {
			out[name] = verdict
		}
	}
	return out
}

var kindOf = map[string]safety.Kind{"log": safety.Log, "body": safety.Body, "title": safety.Display}

var plural = map[string]string{"log": "logs", "body": "bodies", "title": "titles"}

type precisionRow struct {
	texts, bytes, unchanged, modified, rejected int
}

// TestPrecision filters public CI logs and issue texts and compares the outcome with
// the published table.
func TestPrecision(t *testing.T) {
	w := newWorker(t)
	known := verdicts(t)
	rows := map[string]*precisionRow{}
	type count struct {
		texts    int
		findings int64
	}
	codes := map[string]*count{}
	var rejected []string
	for _, s := range publicTexts(t) {
		key := s.Group + " " + plural[s.Kind]
		if rows[key] == nil {
			rows[key] = &precisionRow{}
		}
		row := rows[key]
		row.texts++
		row.bytes += len(s.Text)
		r, err := w.Filter(kindOf[s.Kind], []byte(s.Text))
		if err != nil {
			t.Fatal(err)
		}
		switch r.Status {
		case contract.Rejected:
			row.rejected++
			why := known[s.Name]
			if why == "" {
				t.Errorf("%s is rejected (%v) and nobody has looked at it", s.Name, r.Findings)
			}
			rejected = append(rejected, fmt.Sprintf("- `%s`: %v. %s\n", s.Name, r.Findings, why))
		case contract.Modified:
			row.modified++
		default:
			row.unchanged++
		}
		for _, f := range r.Findings {
			if codes[f.Code] == nil {
				codes[f.Code] = &count{}
			}
			codes[f.Code].texts++
			codes[f.Code].findings += f.Count
		}
	}
	var b strings.Builder
	b.WriteString(precisionHead)
	b.WriteString("| texts | number | bytes | unchanged | modified | rejected |\n|---|--:|--:|--:|--:|--:|\n")
	var all precisionRow
	for _, key := range sortedKeys(rows) {
		r := rows[key]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", key, r.texts, r.bytes, r.unchanged, r.modified, r.rejected)
		all.texts, all.bytes = all.texts+r.texts, all.bytes+r.bytes
		all.unchanged, all.modified, all.rejected = all.unchanged+r.unchanged, all.modified+r.modified, all.rejected+r.rejected
	}
	fmt.Fprintf(&b, "| **all** | %d | %d | %d | %d | %d |\n", all.texts, all.bytes, all.unchanged, all.modified, all.rejected)
	b.WriteString("\n### By code\n\n| code | texts | findings | what they are |\n|---|--:|--:|---|\n")
	for _, code := range sortedKeys(codes) {
		what := known[code]
		if what == "" {
			t.Errorf("%s was found and nobody has looked at it", code)
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s |\n", code, codes[code].texts, codes[code].findings, what)
	}
	b.WriteString("\n### Rejected texts\n\n")
	if len(rejected) == 0 {
		b.WriteString("None.\n")
	}
	for _, line := range rejected {
		b.WriteString(line)
	}
	path := filepath.Join("..", "..", "docs", "precision.md")
	published, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written, _, ok := strings.Cut(string(published), precisionMark)
	if !ok {
		t.Fatalf("docs/precision.md has no line %q", precisionMark)
	}
	if *update {
		if err := os.WriteFile(path, []byte(written+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(published) != written+b.String() {
		t.Errorf("docs/precision.md is not what the corpus gives; look at the difference, then run go test -run TestPrecision -update\n%s", b.String())
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// precisionMark begins the part of docs/precision.md that the test writes.
const precisionMark = "<!-- From here on generated: go test ./pkg/safety -run TestPrecision -update -->\n"

const precisionHead = precisionMark + `
## Texts of the repository

The texts of pkg/safety/testdata/precision are public: CI logs, issue and comment bodies, and titles as the three forges' interfaces return
them; those of the group shapes are written after public ones, with what tools and manuals print everywhere. A plain test run compares. None of
them is an attack, so each rejected text is a false rejection unless the list at the end says otherwise, and each redaction deserves a look.

`

// TestNoResidueInCorpus and the oracle on real text.
func TestNoResidueInCorpus(t *testing.T) {
	w, patterns := newWorker(t), residuePatterns(t)
	o := newOracle()
	for _, s := range publicTexts(t) {
		clean(t, w, patterns, s.Name, []byte(s.Text))
		if len(s.Text) < 8000 {
			agree(t, w, o, kindOf[s.Kind], []byte(s.Text))
		}
	}
}
