package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/ndjson"
	"snapline/pkg/record"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
	"snapline/pkg/tree"
)

// emitted is a tree that emit wrote from a bounded stream of a test.
type emitted struct {
	dir, digest, stream string
}

func emitTree(t *testing.T, s *testkit.Stream) emitted {
	t.Helper()
	e := emitted{dir: filepath.Join(t.TempDir(), "context"), stream: string(s.Bytes(t))}
	r := runProgram(Emit(), e.stream, "--out", e.dir)
	if r.exit != fault.Done {
		t.Fatalf("emit: %d %s", r.exit, r.stderr)
	}
	var receipt struct {
		Index string `json:"index_sha256"`
	}
	noError(t, json.Unmarshal([]byte(r.stdout), &receipt))
	e.digest = receipt.Index
	return e
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reviewed is the bounded stream of a pull request with a review, two threads and
// gaps.
func reviewed() *testkit.Stream {
	s := testkit.New(record.GitHub, record.ChangeProposal, 3)
	author, other, bot := s.ID("actor", 1), s.Human(2, "maintain"), s.Bot(3)
	s.Comment(1, testkit.Time(2, "10:00"), author, "one\n")
	s.Comment(2, testkit.Time(2, "10:01"), bot, "two\n")
	s.Comment(3, testkit.Time(2, "10:02"), other, "three\n")
	s.Review(1, testkit.Time(2, "11:00"), other, "fine\n", record.Approved)
	open := s.Thread(1, testkit.Time(2, "10:00"), 1, 3)
	open.ReviewID, open.ReviewRecordKey = s.ID(record.KindReview, 1), s.Key(record.KindReview, 1)
	done := s.Thread(2, testkit.Time(2, "10:01"), 2)
	done.Resolved, done.ResolvedByActorID = true, &other
	s.Check(1, testkit.Time(3, "10:00"), "build", record.Failure)
	s.Log(1, "failed\n")
	s.Run(1, testkit.Time(4, "10:00"), "reviewer", s.Key(record.KindComment, 2))
	s.Gap(record.ScopeComments, record.ProfileBound, 3)
	s.Gap(record.ScopeReviews, record.AuthorizationFailed, 1)
	return s
}

func TestVerifyTree(t *testing.T) {
	requirement.Claim(t, "VER-02", "VER-03", "CMP-01")
	e := emitTree(t, reviewed())
	if r := runProgram(Verify(), "", e.dir, "--index-sha256", e.digest); r != (ran{}) {
		t.Errorf("a good tree: %+v", r)
	}
	r := runProgram(Verify(), "", "--json", e.dir, "--index-sha256", e.digest)
	var report struct {
		Facts struct {
			Index string `json:"index_sha256"`
			Files int    `json:"files"`
		}
		Findings []any
	}
	noError(t, json.Unmarshal([]byte(r.stdout), &report))
	if r.exit != fault.Done || report.Facts.Index != e.digest || report.Facts.Files < 15 || report.Findings == nil || len(report.Findings) > 0 {
		t.Errorf("json: %+v", r)
	}
	other := strings.Repeat("0", 64)
	r = runProgram(Verify(), "", e.dir, "--index-sha256", other)
	if r.exit != fault.Aborted || strings.Count(r.stdout, "\n") != 1 || !strings.HasPrefix(r.stdout, "index.json: index.root-differs: ") {
		t.Errorf("another root: %+v", r)
	}
	for _, args := range [][]string{
		{e.dir},
		{e.dir, "--index-sha256", strings.ToUpper(e.digest)},
		{e.dir, "--index-sha256", "sha256:" + e.digest},
		{e.dir, "--index-sha256", e.digest, "--host", "--sandbox"},
		{"--index-sha256", e.digest},
		{e.dir, "more", "--index-sha256", e.digest},
	} {
		if r := runProgram(Verify(), "", args...); r.exit != fault.Usage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := runProgram(Verify(), "", filepath.Join(e.dir, "nothing"), "--index-sha256", e.digest); r.exit != fault.Environment {
		t.Errorf("no tree: %+v", r)
	}
	r = runProgram(Verify(), "", e.dir, "--index-sha256", e.digest, "--sandbox")
	if r.exit != fault.Aborted || strings.Count(r.stdout, "tree.mode") < 20 {
		t.Errorf("sandbox modes on the host's tree: %+v", r)
	}
}

// The agent's copy has its own modes.
func TestVerifySandboxModes(t *testing.T) {
	requirement.Claim(t, "LIF-02")
	e := emitTree(t, reviewed())
	noError(t, filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o444)
	}))
	var dirs []string
	noError(t, filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	}))
	for _, d := range dirs {
		noError(t, os.Chmod(d, 0o555))
	}
	t.Cleanup(func() {
		for _, d := range dirs {
			_ = os.Chmod(d, 0o700)
		}
	})
	if r := runProgram(Verify(), "", e.dir, "--index-sha256", e.digest, "--sandbox"); r != (ran{}) {
		t.Errorf("%+v", r)
	}
	if r := runProgram(Verify(), "", e.dir, "--index-sha256", e.digest); r.exit != fault.Aborted {
		t.Errorf("host modes: %+v", r)
	}
}

// With a bounded stream the tree is built anew in memory and the first difference is
// named.
func TestVerifyAgainstStream(t *testing.T) {
	requirement.Claim(t, "DET-02")
	e := emitTree(t, reviewed())
	stream := filepath.Join(t.TempDir(), "bounded.ndjson")
	noError(t, os.WriteFile(stream, []byte(e.stream), 0o600))
	if r := runProgram(Verify(), "", e.dir, "--index-sha256", e.digest, "--stream", stream); r != (ran{}) {
		t.Errorf("its own stream: %+v", r)
	}
	if r := runProgram(Verify(), e.stream, e.dir, "--index-sha256", e.digest, "--stream", "-"); r != (ran{}) {
		t.Errorf("from stdin: %+v", r)
	}
	other := reviewed()
	other.Lines = slices.DeleteFunc(other.Lines, func(l record.Line) bool {
		r, ok := l.(*record.Record)
		return ok && r.ID == other.ID(record.KindComment, 2) || l.LineType() == record.TypeRun || l.LineType() == record.TypeThread
	})
	other.Comment(9, testkit.Time(2, "10:09"), other.ID("actor", 1), "nine\n")
	for _, l := range other.Lines {
		if r, ok := l.(*record.Record); ok && r.ID == other.ID(record.KindComment, 3) {
			r.Content = record.Text([]byte("thrice\n"))
		}
	}
	r := runProgram(Verify(), string(other.Bytes(t)), e.dir, "--index-sha256", e.digest, "--stream", "-")
	changed := tree.RecordPath(record.KindComment, testkit.Time(2, "10:02"), other.Key(record.KindComment, 3))
	for _, want := range []string{
		"index.json: byte ",
		changed + ": byte 123: rebuild.differs",
		tree.RecordPath(record.KindComment, testkit.Time(2, "10:09"), other.Key(record.KindComment, 9)) + ": rebuild.missing",
		tree.RecordPath(record.KindComment, testkit.Time(2, "10:01"), other.Key(record.KindComment, 2)) + ": rebuild.extra",
		tree.ThreadPath(other.Key(record.KindThread, 1)) + ": rebuild.extra",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	if r.exit != fault.Aborted {
		t.Errorf("exit %d", r.exit)
	}
	if r := runProgram(Verify(), e.stream[:len(e.stream)-3], e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Input {
		t.Errorf("a broken stream: %+v", r)
	}
	aborted := `{"type":"abort","stage":"bound","exit":1,"cause":"component"}` + "\n"
	if r := runProgram(Verify(), aborted, e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Aborted {
		t.Errorf("an aborted stream: %+v", r)
	}
	filtered := testkit.New(record.GitHub, record.WorkItem, 2)
	if r := runProgram(Verify(), string(filtered.Bytes(t)), e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Input {
		t.Errorf("a stream that is not bounded: %+v", r)
	}
}

// Bound's output of a real run, alone and against its input.
func TestVerifyStream(t *testing.T) {
	requirement.Claim(t, "GAP-05", "FLT-01", "BND-02")
	dir := t.TempDir()
	filtered := testkit.New(record.GitHub, record.ChangeProposal, 2)
	filtered.Header.Collection.Bounds.MaxRecordsPerSource = 2
	filtered.Header.Collection.Bounds.MaxRecordBytes = 16
	author := filtered.ID("actor", 1)
	for i := range 4 {
		filtered.Comment(i+1, testkit.Time(2+i, "10:00"), author, strings.Repeat("words ", i+1)+"\n")
	}
	filtered.Thread(1, testkit.Time(2, "10:00"), 1, 4)
	filtered.Thread(2, testkit.Time(2, "10:00"), 2)
	input := string(filtered.Bytes(t))
	r := runProgram(Bound(), input)
	if r.exit != fault.Done {
		t.Fatalf("bound: %+v", r)
	}
	before, after := filepath.Join(dir, "filtered"), filepath.Join(dir, "bounded")
	noError(t, os.WriteFile(before, []byte(input), 0o600))
	noError(t, os.WriteFile(after, []byte(r.stdout), 0o600))
	for _, args := range [][]string{
		{"stream", before}, {"stream", after}, {"stream", after, "--against", before}, {"stream", "--against", before, "-"},
	} {
		if got := runProgram(Verify(), r.stdout, args...); got != (ran{}) {
			t.Errorf("%v: %+v", args, got)
		}
	}
	cut := strings.Replace(r.stdout, `"count":2`, `"count":1`, 1)
	if got := runProgram(Verify(), cut, "stream", "-"); got.exit != fault.Input || !strings.Contains(got.stderr, ndjson.RuleTrailerDigest) {
		t.Errorf("changed: %+v", got)
	}
	got := runProgram(Verify(), string(refit(t, cut)), "stream", "-", "--against", before, "--json")
	if got.exit != fault.Aborted || !strings.Contains(got.stdout, `"against.dropped"`) || !strings.Contains(got.stdout, `"stage":"bound"`) {
		t.Errorf("a gap too small: %+v", got)
	}
	if got := runProgram(Verify(), "", "stream", "-", "--against", "-"); got.exit != fault.Usage {
		t.Errorf("two times stdin: %+v", got)
	}
	if got := runProgram(Verify(), "", "stream", filepath.Join(dir, "nothing")); got.exit != fault.Environment {
		t.Errorf("no file: %+v", got)
	}
	if got := runProgram(Verify(), `{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}`+"\n", "stream", "-"); got.exit != fault.Unsupported {
		t.Errorf("aborted: %+v", got)
	}
}

// refit gives a changed stream the trailer that it needs.
func refit(t *testing.T, stream string) []byte {
	t.Helper()
	body := stream[:strings.LastIndex(strings.TrimSuffix(stream, "\n"), "\n")+1]
	_, tail, _ := strings.Cut(stream[len(body):], `"input_sha256":"`)
	end := fmt.Sprintf(`{"type":"end","lines":%d,"sha256":"%s","input_sha256":"%s"}`+"\n", strings.Count(body, "\n"), tree.Digest([]byte(body)), tail[:64])
	return append([]byte(body), end...)
}

// What is missing is told with its meaning, and a harness can insist.
func TestVerifyGaps(t *testing.T) {
	requirement.Claim(t, "GAP-10", "GAP-11", "GAP-12", "GAP-13", "GAP-14", "AMB-77")
	e := emitTree(t, reviewed())
	gaps := func(args ...string) ran {
		return runProgram(Verify(), "", append([]string{"gaps", e.dir, "--index-sha256", e.digest}, args...)...)
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
}

// A source that was not selected is not complete, and a tree that is not held against
// a digest says so.
func TestVerifyGapsOfAWorkItem(t *testing.T) {
	requirement.Claim(t, "GAP-06", "GAP-14")
	e := emitTree(t, testkit.New(record.GitLab, record.WorkItem, 3))
	r := runProgram(Verify(), "", "gaps", e.dir, "--require", "reviews=usable")
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "not met: reviews=usable, it is not_selected\n") ||
		!strings.Contains(r.stdout, "was not held against a digest") || !strings.Contains(r.stderr, "--index-sha256") {
		t.Errorf("%+v", r)
	}
	r = runProgram(Verify(), "", "gaps", e.dir, "--format", "markdown")
	if r.exit != fault.Done || !strings.Contains(r.stdout, "Nothing is missing") {
		t.Errorf("%+v", r)
	}
	r = runProgram(Verify(), "", "gaps", e.dir, "--index-sha256", strings.Repeat("0", 64))
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
		if th, ok := l.(*record.Thread); ok && th.Resolved {
			th.ResolvedByActorID = &resolver
		}
	}
	s.Gap(record.ScopeActors, record.InvalidMetadata, 1)
	e := emitTree(t, s)
	r := runProgram(Verify(), "", "gaps", e.dir, "--index-sha256", e.digest)
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "rely on nobody's role") || !strings.Contains(r.stderr, "gaps.authorization") {
		t.Errorf("%+v", r)
	}
	if r := runProgram(Verify(), "", e.dir, "--index-sha256", e.digest); r.exit != fault.Done {
		t.Errorf("the tree itself holds: %+v", r)
	}
}

type block struct {
	Type, Path, SHA256, Text, View string
	Untrusted                      bool
	Blocks                         int
	IndexChecked                   bool `json:"index_checked"`
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
	never := s.Check(2, testkit.Time(3, "10:01"), "deploy", record.Skipped)
	never.NeverStarted, never.StartedAt = true, ""
	e := emitTree(t, s)
	path := func(kind record.Kind, n int, created string) string {
		return tree.RecordPath(kind, created, s.Key(kind, n))
	}
	comment := func(n int) string {
		return path(record.KindComment, n, testkit.Time(2, fmt.Sprintf("10:%02d", n-1)))
	}
	entity := path(record.KindEntity, 1, testkit.Time(1, "08:00"))
	review := path(record.KindReview, 1, testkit.Time(2, "11:00"))
	for view, want := range map[string][]string{
		"timeline":                              {entity, comment(1), comment(2), comment(3), review},
		"unresolved-review":                     {comment(1), comment(3)},
		"review:" + s.Key(record.KindReview, 1): {review, comment(1), comment(3)},
	} {
		blocks := blocksOf(t, runProgram(Verify(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", view))
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
		behind := []string{"relationship", "history", "state", "state", "state", "gaps"}
		if view == "timeline" { // checks belong to the whole
			behind = slices.Insert(behind, 5, "state", "state")
			check := slices.IndexFunc(blocks, func(b block) bool { return b.Path == tree.CheckPath(s.Key(record.KindCheck, 2)) })
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
	plain := blocksOf(t, runProgram(Verify(), "", "blocks", e.dir, "--view", "timeline"))
	if plain[len(plain)-1].IndexChecked {
		t.Error("checked without a digest")
	}
	for view, exit := range map[string]fault.Exit{
		"":                                  fault.Usage,
		"threads":                           fault.Usage,
		"review:../index":                   fault.Usage,
		"review:" + strings.Repeat("0", 64): fault.Aborted,
	} {
		if r := runProgram(Verify(), "", "blocks", e.dir, "--view="+view); r.exit != exit || r.stdout != "" {
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
		r := runProgram(Verify(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", "timeline")
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
	later.Comment(8, testkit.Time(5, "10:00"), later.ID("actor", 1), "later\n")
	for _, l := range later.Lines {
		switch l := l.(type) {
		case *record.Thread: // resolved meanwhile
			l.Resolved, l.ResolvedByActorID = true, ptrTo(later.ID("actor", 1))
		case *record.Actor: // renamed, promoted
			if l.Kind == record.Human {
				l.Login, l.Role = ptrTo("renamed-"+*l.Login), ptrTo("admin")
			}
		}
	}
	if after := lines(later); len(after) != len(before)+1 || !slices.Equal(after[:len(before)], before) {
		t.Errorf("a later reply changed earlier lines")
	}
	edited := reviewed()
	for _, l := range edited.Lines {
		if r, ok := l.(*record.Record); ok && r.ID == edited.ID(record.KindComment, 2) {
			r.Content = record.Text([]byte("2\n"))
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
	damaged := tree.RecordPath(record.KindComment, testkit.Time(2, "10:02"), s.Key(record.KindComment, 3))
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
		r := runProgram(Verify(), "", "blocks", e.dir, "--index-sha256", e.digest, "--view", "timeline")
		if r.exit != fault.Aborted || strings.Contains(r.stdout, `"type":"end"`) || strings.Contains(r.stdout, "THREE") || strings.Contains(r.stdout, "root:") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
