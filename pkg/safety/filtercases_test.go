package safety_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
)

// filterCase is one line of testdata/filter-cases.
type filterCase struct {
	ID          string   `json:"id"`
	Tier        string   `json:"tier"`
	Input       string   `json:"input"`
	InputBase64 string   `json:"input_base64"`
	Registered  []string `json:"registered"`
	Expect      struct {
		Status         string   `json:"status"`
		Codes          []string `json:"codes"`
		MustNotContain []string `json:"must_not_contain"`
		MustContain    []string `json:"must_contain"`
	} `json:"expect"`
	Why string `json:"why"`
}

func (c *filterCase) source(t testing.TB) []byte {
	if c.InputBase64 == "" {
		return []byte(c.Input)
	}
	b, err := base64.StdEncoding.DecodeString(c.InputBase64)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return b
}

var codeForm = regexp.MustCompile(`^[a-z][a-z0-9._-]*$`)

// caseFiles are the files of cases, each of 140 at least.
var caseFiles = []string{"published.b64", "published-2.b64", "own.ndjson"}

// divider stands inside everything that looks like a credential in own.ndjson.
const divider = "\u00a6"

// loadCases reads the cases of one file and fails below floor.
func loadCases(t testing.TB, name string, floor int) []filterCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "filter-cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []filterCase
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(name, ".b64") {
			b, err := base64.StdEncoding.DecodeString(line)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			line = string(b)
		}
		var c filterCase
		d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(line, divider, "")))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%s, case %d: %v", name, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	if len(cases) < floor {
		t.Fatalf("%s holds %d cases, want at least %d", name, len(cases), floor)
	}
	return cases
}

func TestPublishedCases(t *testing.T) {
	requirement.Claim(t, "UNI-01", "UNI-02", "UNI-03", "UNI-04", "UNI-05", "UNI-06", "UNI-07", "SEC-01", "SEC-02", "SEC-03", "SEC-04", "SEC-05", "SEC-06", "SEC-07", "INJ-01", "AMB-46", "AMB-47")
	runCases(t, loadCases(t, "published.b64", 140))
	runCases(t, loadCases(t, "published-2.b64", 230))
}

func TestOwnCases(t *testing.T) {
	requirement.Claim(t, "UNI-01", "UNI-02", "UNI-03", "UNI-04", "UNI-05", "UNI-06", "UNI-07", "SEC-01", "SEC-02", "SEC-03", "SEC-04", "SEC-05", "SEC-06", "SEC-07", "SEC-08", "INJ-01", "INJ-03", "FLT-01", "FLT-02", "FLT-04", "AMB-05", "AMB-46", "AMB-47")
	runCases(t, loadCases(t, "own.ndjson", 1300))
}

func runCases(t *testing.T, cases []filterCase) {
	plain := newWorker(t)
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			if seen[c.ID] {
				t.Fatal("the name is used twice")
			}
			seen[c.ID] = true
			w := plain
			if len(c.Registered) > 0 {
				w = newWorker(t, c.Registered...)
			}
			checkCase(t, w, &c)
		})
	}
}

func newWorker(t testing.TB, credentials ...string) *safety.Worker {
	t.Helper()
	e, err := safety.New(credentials)
	if err != nil {
		t.Fatal(err)
	}
	return e.NewWorker()
}

func checkCase(t *testing.T, w *safety.Worker, c *filterCase) {
	source := c.source(t)
	r, err := w.Filter(safety.Body, slices.Clone(source))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.Expect.Status; want != "any" && string(r.Status) != want {
		t.Errorf("status %s, want %s, findings %v\n in  %q\n out %q", r.Status, want, r.Findings, source, r.Text)
	}
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	for _, want := range c.Expect.Codes {
		if !slices.Contains(codes, want) {
			t.Errorf("findings %v, want %s\n in  %q\n out %q", r.Findings, want, source, r.Text)
		}
	}
	if r.Status == contract.Unchanged {
		if len(codes) > 0 {
			t.Errorf("unchanged, but findings %v", codes)
		}
		// FLT-01: the normalized source bytes.
		lines := bytes.ReplaceAll(bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		if want := append(bytes.TrimRight(lines, "\n"), '\n'); len(lines) > 0 && !bytes.Equal(r.Text, want) {
			t.Errorf("unchanged, but %q, want %q", r.Text, want)
		}
	}
	for i, f := range r.Findings {
		if !codeForm.MatchString(f.Code) || f.Count < 1 || i > 0 && f.Code <= r.Findings[i-1].Code {
			t.Errorf("findings out of form or order: %v", r.Findings)
		}
	}
	if r.Status == contract.Rejected {
		if r.Text != nil {
			t.Error("a rejected source has a text")
		}
		return
	}
	out := slices.Clone(r.Text)
	for _, s := range c.Expect.MustNotContain {
		if bytes.Contains(out, []byte(s)) {
			t.Errorf("%q is left\n in  %q\n out %q", s, source, out)
		}
	}
	for _, s := range c.Expect.MustContain {
		if !bytes.Contains(out, []byte(s)) {
			t.Errorf("%q is missing\n in  %q\n out %q", s, source, out)
		}
	}
	settled(t, w, safety.Body, out)
}

// settled checks what holds of every filtered text: valid UTF-8 without CR, BOM and
// ESC, and nothing more to do.
func settled(t testing.TB, w *safety.Worker, kind safety.Kind, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Errorf("the output is no valid UTF-8: %q", out)
	}
	for _, s := range []string{"\r", "\ufeff", "\x1b", "\u009b"} {
		if bytes.Contains(out, []byte(s)) {
			t.Errorf("the output contains %q: %q", s, out)
		}
	}
	again, err := w.Filter(kind, slices.Clone(out))
	if err != nil {
		t.Fatal(err)
	}
	if again.Status != contract.Unchanged || len(again.Findings) > 0 || !bytes.Equal(again.Text, out) {
		t.Errorf("filtered again: %s %v\n once  %q\n twice %q", again.Status, again.Findings, out, again.Text)
	}
}
