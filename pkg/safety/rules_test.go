package safety_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/safety/rules"
)

// TestGenerated fails when a generated table is not what the rules say.
func TestGenerated(t *testing.T) {
	files, err := rules.Files(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the rules say: go generate ./pkg/safety/...", name)
		}
	}
}

// markers puts the marker of a code in the place of its name in a sample.
var markers = strings.NewReplacer("«", "[REDACTED-", "»", "]")

// TestSamples runs the hits and misses of every rule that has them.
func TestSamples(t *testing.T) {
	requirement.Claim(t, "FLT-09")
	engine, err := safety.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := engine.NewWorker()
	codes := func(text string) (string, string) {
		r, err := w.Filter(safety.Body, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range r.Findings {
			out = append(out, f.Code)
		}
		return strings.Join(out, " "), string(r.Text)
	}
	set, err := rules.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	judge := func(s rules.Samples, code string) {
		for _, hit := range s.Hits {
			hit, want, exact := strings.Cut(hit, " ⇒ ")
			got, text := codes(hit)
			if !strings.Contains(got, code) {
				t.Errorf("%s:%d: %s: the hit %q gives %q", s.Entry.File, s.Entry.Line, s.Entry.ID, hit, got)
			}
			if want = markers.Replace(want) + "\n"; exact && text != want {
				t.Errorf("%s:%d: %s: the hit %q becomes %q", s.Entry.File, s.Entry.Line, s.Entry.ID, hit, text)
			}
		}
		for _, miss := range s.Misses {
			if got, _ := codes(miss); strings.Contains(got, code) {
				t.Errorf("%s:%d: %s: the miss %q gives %q", s.Entry.File, s.Entry.Line, s.Entry.ID, miss, got)
			}
		}
	}
	for _, token := range set.Tokens {
		judge(token.Samples, token.Code.ID)
	}
	for _, l := range set.Lists {
		judge(l.Samples, l.Code)
	}
	for _, c := range set.Classes {
		judge(c.Samples, "injection.")
	}
	for _, l := range set.Languages {
		for _, p := range l.Phrases {
			judge(p.Samples, p.Code)
		}
	}
}
