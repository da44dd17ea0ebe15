package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

func TestVerifyDiff(t *testing.T) {
	requirement.Claim(t, "VIEW-05", "LIF-05")
	old := talkative(t)
	later := reviewed()
	later.Header.Entity.Title, later.Header.Entity.Labels = "a titleword again", []string{"labelnew"}
	later.Header.Collection.Bounds.MaxRecordsPerSource = 3
	e := emitTree(t, later)
	run := func(args ...string) ran {
		return runProgram(Program(), "", append([]string{"diff", old.dir, e.dir, "--old-sha256", old.digest, "--new-sha256", e.digest}, args...)...)
	}
	words := append([]string{"labelnew", "human-2"}, spoken...)
	for _, format := range []string{"text", "markdown", "json"} {
		r := run("--format", format)
		if r.exit != fault.Done || r.stderr != "" {
			t.Fatalf("%s: %+v", format, r)
		}
		for _, word := range words {
			if strings.Contains(r.stdout, word) && (!strings.HasPrefix(word, "label") || format == "markdown") {
				t.Errorf("%s holds %s:\n%s", format, word, r.stdout)
			}
		}
		if want := map[string]string{"json": `"reason":"edited"`}[format]; !strings.Contains(r.stdout, want) || want == "" && !strings.Contains(r.stdout, " was edited") {
			t.Errorf("%s does not tell what broke the prompt:\n%s", format, r.stdout)
		}
		if format == "json" && !json.Valid([]byte(r.stdout)) {
			t.Errorf("json: %s", r.stdout)
		}
		for _, id := range []string{later.ID(contract.KindComment, 1), later.ID(contract.KindReview, 1), later.ID("actor", 2)} {
			if !strings.Contains(r.stdout, id) {
				t.Errorf("%s lacks %s", format, id)
			}
		}
	}
	out := filepath.Join(t.TempDir(), "diff.html")
	if r := run("--format", "html"); r.exit != fault.Usage || !strings.Contains(r.stderr, "--out is missing") {
		t.Errorf("html without a file: %+v", r)
	}
	if r := run("--format", "html", "--out", out); r != (ran{}) {
		t.Errorf("html: %+v", r)
	}
	info, err := os.Lstat(out)
	noError(t, err)
	page := readTest(t, out)
	for _, want := range []string{"<del>a bodyword\n</del>", "<ins>two\n</ins>", "labelnew", old.digest, e.digest} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	for name, args := range map[string][]string{
		"--new-sha256 is missing":    {"diff", old.dir, e.dir, "--old-sha256", old.digest},
		"--old-sha256 takes 64":      {"diff", old.dir, e.dir, "--old-sha256", "x", "--new-sha256", e.digest},
		"root-differs":               {"diff", old.dir, e.dir, "--old-sha256", e.digest, "--new-sha256", e.digest},
		"OLD NEW is missing":         {"diff", old.dir, "--old-sha256", old.digest},
		"text, markdown, json, html": {"diff", old.dir, e.dir, "--format", "yaml"},
	} {
		if r := runProgram(Program(), "", args...); r.exit == fault.Done || r.stdout != "" || !strings.Contains(r.stderr, name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Trees of two filter versions are compared on demand only.
func TestVerifyDiffOfVersions(t *testing.T) {
	requirement.Claim(t, "CMP-01")
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	old, e := emitTree(t, s), emitTree(t, s)
	path := filepath.Join(old.dir, tree.IndexPath)
	index := strings.Replace(readTest(t, path), `"filter_version":"`, `"filter_version":"other-`, 1)
	noError(t, os.WriteFile(path, []byte(index), 0o600))
	old.digest = tree.Digest([]byte(index))
	args := []string{"diff", old.dir, e.dir, "--old-sha256", old.digest, "--new-sha256", e.digest}
	if r := runProgram(Program(), "", args...); r.exit != fault.Aborted || r.stdout != "" || !strings.Contains(r.stderr, "filter-version") {
		t.Errorf("two versions: %+v", r)
	}
	if r := runProgram(Program(), "", append(args, "--any-version")...); r.exit != fault.Done || !strings.HasPrefix(r.stdout, "filter version: ") || !strings.Contains(r.stdout, "\nprompt: 7 of 7 blocks") {
		t.Errorf("any version: %+v", r)
	}
}
