package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

// A tree of documents has a page and a summary, too.
func TestReportOfDocuments(t *testing.T) {
	requirement.Claim(t, "LIF-05")
	raw, secret := mspState()
	file := filepath.Join(t.TempDir(), "state.json")
	noError(t, os.WriteFile(file, []byte(raw), 0o600))
	p := throughThePipe(t, "", "msp", []string{file})
	run := func(args ...string) ran {
		return runProgram(Program(), "", append([]string{"report", p.dir, "--manifest-sha256", p.digest}, args...)...)
	}
	for _, format := range []string{"html", "text", "markdown"} {
		out := filepath.Join(t.TempDir(), "page")
		if r := run("--format", format, "--out", out); r != (ran{}) {
			t.Fatalf("%s: %+v", format, r)
		}
		page := readTest(t, out)
		for _, want := range []string{p.digest, "msp-snapshot", p.manifest.FilterVersion, p.manifest.Documents[0].Name} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s", format, want)
			}
		}
		if strings.Contains(page, "percentComplete") == (format == "markdown") || strings.Contains(page, secret) || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: %s", format, page)
		}
	}
	if r := run(); r.exit != fault.Usage || !strings.Contains(r.stderr, "--out is missing") {
		t.Errorf("without a file: %+v", r)
	}
	if r := runProgram(Program(), "", "report", p.dir, "--format", "markdown"); r.exit != fault.Usage || !strings.Contains(r.stderr, "--manifest-sha256 is missing") {
		t.Errorf("without a digest: %+v", r)
	}
	noError(t, os.WriteFile(filepath.Join(p.dir, p.manifest.Documents[0].Path), []byte("{}"), 0o600))
	if r := run("--format", "markdown"); r.exit != fault.Aborted || r.stdout != "" {
		t.Errorf("damaged: %+v", r)
	}
}

// What changed between two trees of documents.
func TestDiffOfDocuments(t *testing.T) {
	files := glob(t, 6, canonSamples, "chain/ok/*.json")
	old := throughThePipe(t, "", "canon", append([]string{"--max-documents=6"}, files[:5]...))
	later := throughThePipe(t, "", "canon", append([]string{"--max-documents=6"}, files...))
	fewer := throughThePipe(t, "", "canon", append([]string{"--max-documents=2"}, files...))
	run := func(a, b piped, args ...string) ran {
		return runProgram(Program(), "", append([]string{"diff", a.dir, b.dir, "--old-sha256", a.digest, "--new-sha256", b.digest}, args...)...)
	}
	if r := run(old, later); r.exit != fault.Done || !strings.HasPrefix(r.stdout, "document 05-delta: new\n") || !strings.Contains(r.stdout, "\ndocuments: the first 5 of 5 stay as they were\n") {
		t.Errorf("one more: %+v", r)
	}
	if r := run(later, old); !strings.HasPrefix(r.stdout, "document 05-delta: gone\n") {
		t.Errorf("one less: %+v", r)
	}
	if r := run(later, later); r.stdout != "nothing changed\ndocuments: the first 6 of 6 stay as they were\n" {
		t.Errorf("itself: %+v", r)
	}
	if r := run(old, later, "--format", "json"); !json.Valid([]byte(r.stdout)) || !strings.Contains(r.stdout, `"documents":[{"change":"new","name":"05-delta","new_number":6,"what":[]}]`) {
		t.Errorf("json: %s", r.stdout)
	}
	if r := run(old, later, "--format", "markdown"); !strings.Contains(r.stdout, "| document | `05-delta` | new |") {
		t.Errorf("markdown: %s", r.stdout)
	}
	out := filepath.Join(t.TempDir(), "diff.html")
	if r := run(old, later, "--format", "html", "--out", out); r != (ran{}) || strings.Count(readTest(t, out), "<ins>") == 0 {
		t.Errorf("html: %+v", r)
	}
	edited := filepath.Join(t.TempDir(), filepath.Base(files[5]))
	noError(t, os.WriteFile(edited, []byte(readTest(t, files[5])+" "), 0o600))
	other := throughThePipe(t, "", "canon", append(append([]string{"--max-documents=6"}, files[:5]...), edited))
	if r := run(later, other); !strings.HasPrefix(r.stdout, "document 05-delta: edited: bytes\n") || !strings.Contains(r.stdout, "the first 5 of 6") {
		t.Errorf("edited: %+v", r)
	}
	raw, _ := mspState()
	state := filepath.Join(t.TempDir(), "state.json")
	noError(t, os.WriteFile(state, []byte(raw), 0o600))
	entity := emitTree(t, reviewed())
	for rule, other := range map[string]piped{
		"compare.profile": fewer,
		"compare.family":  throughThePipe(t, "", "msp", []string{state}),
		"one is a tree":   {dir: entity.dir, digest: entity.digest},
	} {
		if r := run(later, other); r.exit != fault.Aborted || r.stdout != "" || !strings.Contains(r.stderr, rule) {
			t.Errorf("%s: %+v", rule, r)
		}
	}
}
