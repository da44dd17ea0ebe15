package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// What is missing is told with its meaning, and a harness can insist.
func TestVerifyGaps(t *testing.T) {
	requirement.Claim(t, "GAP-10", "GAP-11", "GAP-12", "GAP-13", "GAP-14", "AMB-77")
	e := emitTree(t, reviewed())
	gaps := func(args ...string) ran {
		return runProgram(Program(), "", append([]string{"gaps", e.dir, "--index-sha256", e.digest}, args...)...)
	}
	r := gaps()
	if r.exit != fault.Done || r.stderr != "" {
		t.Errorf("plain: %+v", r)
	}
	for _, want := range []string{
		"comments/profile_bound: 3, partial: ", "reviews/authorization_failed: 1, unusable: ",
		"\ncomments: partial\n", "\nreviews: unusable\n", "\nchecks: complete\n", "the index has the digest that was given",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("text lacks %q:\n%s", want, r.stdout)
		}
	}
	for require, exit := range map[string]fault.Exit{
		"comments=usable":                   fault.Done,
		"comments=complete":                 fault.Aborted,
		"reviews=usable":                    fault.Aborted,
		"reviews=complete":                  fault.Aborted,
		"checks=complete,actors=complete":   fault.Done,
		"entity=complete,check_logs=usable": fault.Done,
		"comments=usable,reviews=usable":    fault.Aborted,
		"comments=some":                     fault.Usage,
		"comments":                          fault.Usage,
		"coments=usable":                    fault.Usage,
		"comments=usable,comments=complete": fault.Usage,
		"documents=complete":                fault.Usage,
	} {
		if r := gaps("--require", require); r.exit != exit || exit == fault.Usage && r.stdout != "" {
			t.Errorf("%s: %+v", require, r)
		}
	}
	if r := gaps("--require", "coments=usable"); !strings.Contains(r.stderr, "no such scope; use one of actors, ") || strings.Contains(r.stderr, "coments") {
		t.Errorf("a misspelt scope: %q", r.stderr)
	}
	r = gaps("--format", "json", "--require", "reviews=usable")
	var report struct {
		IndexChecked  bool              `json:"index_checked"`
		Scopes        map[string]string `json:"scopes"`
		Authorization bool              `json:"authorization_usable"`
		Gaps          []struct{ Scope, Code, Usability, Meaning string }
		Unmet         []struct{ Scope, Level, Standing string }
	}
	noError(t, json.Unmarshal([]byte(r.stdout), &report))
	if !report.IndexChecked || !report.Authorization || report.Scopes["agent_runs"] != "complete" || len(report.Gaps) != 2 || report.Gaps[0].Meaning == "" ||
		len(report.Unmet) != 1 || report.Unmet[0].Standing != "unusable" {
		t.Errorf("json: %s", r.stdout)
	}
	r = gaps("--format", "markdown", "--require", "reviews=usable")
	if !strings.Contains(r.stdout, "| comments | profile_bound | 3 | partial |") || !strings.Contains(r.stdout, "**Not met:** reviews=usable, it is unusable.") {
		t.Errorf("markdown: %s", r.stdout)
	}
	if r := gaps("--format", "yaml"); r.exit != fault.Usage {
		t.Errorf("format: %+v", r)
	}
	// A scope with both sorts of gaps is unusable.
	both := reviewed()
	both.Gap(contract.ScopeComments, contract.AuthorizationFailed, 1)
	e = emitTree(t, both)
	if r := gaps("--require", "comments=usable"); r.exit != fault.Aborted || !strings.Contains(r.stdout, "\ncomments: unusable\n") {
		t.Errorf("partial and unusable: %+v", r)
	}
}

// An outsider's comment is a gap like any other, and no reason to stop a harness that
// wants everything of those who may be heard.
func TestVerifyGapsOfOutsiders(t *testing.T) {
	requirement.Claim(t, "GAP-11", "GAP-13")
	e := emitTree(t, reviewed()) // comments/profile_bound 3, reviews/authorization_failed 1
	for _, c := range []struct {
		args, stdout string
		exit         fault.Exit
	}{
		{"--require reviews=admitted", "what is required is complete but for reviews/authorization_failed\n", fault.Done},
		{"--require reviews=complete --tolerate reviews/authorization_failed", "complete but for reviews/authorization_failed\n", fault.Done},
		{"--require reviews=complete,comments=complete --tolerate reviews/authorization_failed,comments/profile_bound", "complete but for reviews/authorization_failed, comments/profile_bound\n", fault.Done},
		{"--require reviews=complete --tolerate comments/authorization_failed", "not met: reviews=complete, it is unusable\n", fault.Aborted},
		{"--require reviews=complete --tolerate reviews/fetch_failed", "not met: reviews=complete", fault.Aborted},
		{"--require comments=admitted", "not met: comments=admitted, it is partial\n", fault.Aborted},
		{"--require comments=usable --tolerate comments/profile_bound", "\ncomments: partial\n", fault.Done},
		{"--require comments=admitted --tolerate comments/profile_bound", "complete but for comments/profile_bound\n", fault.Done},
		{"--require checks=admitted", "\nchecks: complete\n", fault.Done},
		{"--require entity=admitted", "", fault.Usage},
		{"--require actors=admitted", "", fault.Usage},
		{"--require reviews=complete --tolerate entity/unsafe_content", "", fault.Usage},
		{"--require reviews=complete --tolerate actors/invalid_metadata", "", fault.Usage},
		{"--require reviews=complete --tolerate reviews", "", fault.Usage},
		{"--require reviews=complete --tolerate reviews/any", "", fault.Usage},
		{"--require reviews=complete --tolerate documents/unsafe_content", "", fault.Usage},
	} {
		args := append([]string{"gaps", e.dir, "--index-sha256", e.digest}, strings.Fields(c.args)...)
		r := runProgram(Program(), "", args...)
		if r.exit != c.exit || !strings.Contains(r.stdout, c.stdout) || c.exit == fault.Usage && r.stdout != "" {
			t.Errorf("%s: %+v", c.args, r)
		}
		if strings.Contains(c.stdout, "complete but for") != strings.Contains(r.stdout, "complete but for") {
			t.Errorf("%s: what was set aside: %s", c.args, r.stdout)
		}
	}
	// What was not selected is not there to be tolerated.
	e = emitTree(t, testkit.New(contract.GitLab, contract.WorkItem, 3))
	if r := runProgram(Program(), "", "gaps", e.dir, "--index-sha256", e.digest, "--require", "reviews=admitted"); r.exit != fault.Aborted {
		t.Errorf("not selected: %+v", r)
	}
}

// A source that was not selected is not complete, and a tree that is not held against
// a digest says so.
func TestVerifyGapsOfAWorkItem(t *testing.T) {
	requirement.Claim(t, "GAP-06", "GAP-14")
	e := emitTree(t, testkit.New(contract.GitLab, contract.WorkItem, 3))
	r := runProgram(Program(), "", "gaps", e.dir, "--require", "reviews=usable")
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "not met: reviews=usable, it is not_selected\n") ||
		!strings.Contains(r.stdout, "was not held against a digest") || !strings.Contains(r.stderr, "--index-sha256") {
		t.Errorf("%+v", r)
	}
	r = runProgram(Program(), "", "gaps", e.dir, "--format", "markdown")
	if r.exit != fault.Done || !strings.Contains(r.stdout, "Nothing is missing") {
		t.Errorf("%+v", r)
	}
	r = runProgram(Program(), "", "gaps", e.dir, "--index-sha256", strings.Repeat("0", 64))
	if r.exit != fault.Aborted || r.stdout != "" || !strings.Contains(r.stderr, "index.root-differs") {
		t.Errorf("another root: %+v", r)
	}
}

// Any gap of actors fails closed, whatever was required.
func TestVerifyGapsOfActors(t *testing.T) {
	requirement.Claim(t, "GAP-13", "ACT-06", "AMB-70")
	s := reviewed()
	resolver := s.UnknownActor(7)
	for _, l := range s.Lines {
		if th, ok := l.(*contract.Thread); ok && th.Resolved {
			th.ResolvedByActorID = &resolver
		}
	}
	s.Gap(contract.ScopeActors, contract.InvalidMetadata, 1)
	e := emitTree(t, s)
	r := runProgram(Program(), "", "gaps", e.dir, "--index-sha256", e.digest)
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "rely on nobody's role") || !strings.Contains(r.stderr, "gaps.authorization") {
		t.Errorf("%+v", r)
	}
	if r := runProgram(Program(), "", e.dir, "--index-sha256", e.digest); r.exit != fault.Done {
		t.Errorf("the tree itself holds: %+v", r)
	}
}

type block struct {
	Type, Path, SHA256, Text, View string
	Untrusted                      bool
	Blocks                         int
	IndexChecked                   bool `json:"index_checked"`
	StableBlocks                   int  `json:"stable_blocks"`
}

func blocksOf(t *testing.T, r ran) []block {
	t.Helper()
	if r.exit != fault.Done {
		t.Fatalf("%+v", r)
	}
	var out []block
	for _, line := range strings.Split(strings.TrimSuffix(r.stdout, "\n"), "\n") {
		var b block
		noError(t, json.Unmarshal([]byte(line), &b))
		out = append(out, b)
	}
	return out
}

// A view comes as one block a record, in order, with what can change behind.
func TestVerifyBlocks(t *testing.T) {
	requirement.Claim(t, "VIEW-01", "VIEW-02", "VIEW-03", "VIEW-06", "VIEW-07", "CHK-20")
	s := reviewed()
	never := s.Check(2, testkit.Time(3, "10:01"), "deploy", contract.Skipped)
	never.NeverStarted, never.StartedAt = true, ""
	e := emitTree(t, s)
	path := func(kind contract.Kind, n int, created string) string {
		return tree.RecordPath(kind, created, s.Key(kind, n))
	}
	comment := func(n int) string {
		return path(contract.KindComment, n, testkit.Time(2, fmt.Sprintf("10:%02d", n-1)))
	}
	entity := path(contract.KindEntity, 1, testkit.Time(1, "08:00"))
	review := path(contract.KindReview, 1, testkit.Time(2, "11:00"))
	for view, want := range map[string][]string{
		"timeline":          {entity, comment(1), comment(2), comment(3), review},
		"unresolved-review": {comment(1), comment(3)},
		"review:" + s.Key(contract.KindReview, 1): {review, comment(1), comment(3)},
	} {
		blocks := blocksOf(t, runProgram(Program(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", view))
		var records, kinds []string
		for i, b := range blocks[:len(blocks)-1] {
			if b.Type == "record" {
				if len(kinds) > 0 {
					t.Errorf("%s: a record behind state", view)
				}
				records = append(records, b.Path)
			} else {
				kinds = append(kinds, b.Type)
			}
			content, err := os.ReadFile(filepath.Join(e.dir, b.Path))
			if b.Path != "" && (err != nil || string(content) != b.Text || tree.Digest(content) != b.SHA256) || !b.Untrusted {
				t.Errorf("%s: block %d: %+v %v", view, i, b, err)
			}
		}
		behind := []string{"authors", "relationship", "history", "state", "state", "gaps"}
		if view == "timeline" { // checks belong to the whole
			behind = slices.Insert(behind, 5, "state", "state")
			check := slices.IndexFunc(blocks, func(b block) bool { return b.Path == tree.CheckPath(s.Key(contract.KindCheck, 2)) })
			if check < 0 || !strings.Contains(blocks[check].Text, `"never_started":true`) {
				t.Errorf("the check that never started does not say so")
			}
		}
		if !slices.Equal(records, want) || !slices.Equal(kinds, behind) {
			t.Errorf("%s: records %v, then %v", view, records, kinds)
		}
		if end := blocks[len(blocks)-1]; end.Type != "end" || end.Blocks != len(blocks)-1 || !end.IndexChecked || end.View != view {
			t.Errorf("%s: end %+v", view, end)
		}
	}
	plain := blocksOf(t, runProgram(Program(), "", "blocks", e.dir, "--view", "timeline"))
	if plain[len(plain)-1].IndexChecked {
		t.Error("checked without a digest")
	}
	for view, exit := range map[string]fault.Exit{
		"":                                  fault.Usage,
		"threads":                           fault.Usage,
		"review:../index":                   fault.Usage,
		"review:" + strings.Repeat("0", 64): fault.Aborted,
	} {
		if r := runProgram(Program(), "", "blocks", e.dir, "--view="+view); r.exit != exit || r.stdout != "" {
			t.Errorf("%q: %+v", view, r)
		}
	}
}

// A later reply adds lines and leaves the earlier ones; an edit ends reuse at the first
// line that it changes.
func TestVerifyBlocksKeepTheirPrefix(t *testing.T) {
	requirement.Claim(t, "VIEW-03", "VIEW-04", "VIEW-05")
	lines := func(s *testkit.Stream) []string {
		e := emitTree(t, s)
		r := runProgram(Program(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", "timeline")
		var records []string
		for _, l := range strings.SplitAfter(r.stdout, "\n") {
			if strings.HasPrefix(l, `{"type":"record"`) {
				records = append(records, l)
			}
		}
		return records
	}
	before := lines(reviewed())
	later := reviewed()
	later.Header.Collection.Bounds.MaxRecordsPerSource = 4
	later.Comment(8, testkit.Time(5, "10:00"), later.ID("actor", 1), "later\n")
	for _, l := range later.Lines {
		switch l := l.(type) {
		case *contract.Thread: // resolved meanwhile
			l.Resolved, l.ResolvedByActorID = true, ptrTo(later.ID("actor", 1))
		case *contract.Actor: // renamed, promoted
			if l.Kind == contract.Human {
				l.Login, l.Role = ptrTo("renamed-"+*l.Login), ptrTo("admin")
			}
		}
	}
	if after := lines(later); len(after) != len(before)+1 || !slices.Equal(after[:len(before)], before) {
		t.Errorf("a later reply changed earlier lines")
	}
	edited := reviewed()
	for _, l := range edited.Lines {
		if r, ok := l.(*contract.Record); ok && r.ID == edited.ID(contract.KindComment, 2) {
			r.Content = contract.Text([]byte("2\n"))
		}
	}
	after := lines(edited)
	if !slices.Equal(after[:2], before[:2]) || after[2] == before[2] || !slices.Equal(after[3:], before[3:]) {
		t.Errorf("an edit changed other lines")
	}
}

func ptrTo[T any](v T) *T { return &v }

// A file that is not what the index lists ends the output without an end line.
func TestVerifyBlocksRefuseDamage(t *testing.T) {
	requirement.Claim(t, "VER-03", "VER-04", "VIEW-07")
	s := reviewed()
	damaged := tree.RecordPath(contract.KindComment, testkit.Time(2, "10:02"), s.Key(contract.KindComment, 3))
	for name, damage := range map[string]func(e emitted){
		"changed": func(e emitted) {
			b, err := os.ReadFile(filepath.Join(e.dir, damaged))
			noError(t, err)
			noError(t, os.WriteFile(filepath.Join(e.dir, damaged), bytes.ToUpper(b), 0o600))
		},
		"removed": func(e emitted) { noError(t, os.Remove(filepath.Join(e.dir, damaged))) },
		"linked": func(e emitted) {
			noError(t, os.Rename(filepath.Join(e.dir, damaged), filepath.Join(e.dir, "..", "x")))
			noError(t, os.Symlink("../../x", filepath.Join(e.dir, damaged)))
		},
		"order changed": func(e emitted) {
			noError(t, os.WriteFile(filepath.Join(e.dir, tree.TimelinePath), []byte("/etc/passwd\n"), 0o600))
		},
	} {
		e := emitTree(t, reviewed())
		damage(e)
		r := runProgram(Program(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", "timeline")
		if r.exit != fault.Aborted || strings.Contains(r.stdout, `"type":"end"`) || strings.Contains(r.stdout, "THREE") || strings.Contains(r.stdout, "root:") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
