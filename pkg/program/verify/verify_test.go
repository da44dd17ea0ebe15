package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/program/bound"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/emit"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// emitted is a tree that emit wrote from a bounded stream of a test.
type emitted struct {
	dir, digest, stream string
}

func emitTree(t *testing.T, s *testkit.Stream) emitted {
	t.Helper()
	e := emitted{dir: filepath.Join(t.TempDir(), "context"), stream: string(s.Bytes(t))}
	r := runProgram(emit.Program(), e.stream, "--out", e.dir)
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
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	author, other, bot := s.ID("actor", 1), s.Human(2, "maintain"), s.Bot(3)
	s.Comment(1, testkit.Time(2, "10:00"), author, "one\n")
	s.Comment(2, testkit.Time(2, "10:01"), bot, "two\n")
	s.Comment(3, testkit.Time(2, "10:02"), other, "three\n")
	s.Review(1, testkit.Time(2, "11:00"), other, "fine\n", contract.Approved)
	open := s.Thread(1, testkit.Time(2, "10:00"), 1, 3)
	open.ReviewID, open.ReviewRecordKey = s.ID(contract.KindReview, 1), s.Key(contract.KindReview, 1)
	done := s.Thread(2, testkit.Time(2, "10:01"), 2)
	done.Resolved, done.ResolvedByActorID = true, &other
	s.Check(1, testkit.Time(3, "10:00"), "build", contract.Failure)
	s.Log(1, "failed\n")
	s.Run(1, testkit.Time(4, "10:00"), "reviewer", s.Key(contract.KindComment, 2))
	s.Header.Collection.Bounds.MaxRecordsPerSource = 3
	s.Gap(contract.ScopeComments, contract.ProfileBound, 3)
	s.Gap(contract.ScopeReviews, contract.AuthorizationFailed, 1)
	return s
}

func TestVerifyTree(t *testing.T) {
	requirement.Claim(t, "VER-02", "VER-03", "CMP-01")
	e := emitTree(t, reviewed())
	if r := runProgram(Program(), "", e.dir, "--index-sha256", e.digest); r != (ran{}) {
		t.Errorf("a good tree: %+v", r)
	}
	r := runProgram(Program(), "", "--json", e.dir, "--index-sha256", e.digest)
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
	r = runProgram(Program(), "", e.dir, "--index-sha256", other)
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
		if r := runProgram(Program(), "", args...); r.exit != fault.Usage || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := runProgram(Program(), "", filepath.Join(e.dir, "nothing"), "--index-sha256", e.digest); r.exit != fault.Environment {
		t.Errorf("no tree: %+v", r)
	}
	r = runProgram(Program(), "", e.dir, "--index-sha256", e.digest, "--sandbox")
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
	if r := runProgram(Program(), "", e.dir, "--index-sha256", e.digest, "--sandbox"); r != (ran{}) {
		t.Errorf("%+v", r)
	}
	if r := runProgram(Program(), "", e.dir, "--index-sha256", e.digest); r.exit != fault.Aborted {
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
	if r := runProgram(Program(), "", e.dir, "--index-sha256", e.digest, "--stream", stream); r != (ran{}) {
		t.Errorf("its own stream: %+v", r)
	}
	if r := runProgram(Program(), e.stream, e.dir, "--index-sha256", e.digest, "--stream", "-"); r != (ran{}) {
		t.Errorf("from stdin: %+v", r)
	}
	other := reviewed()
	other.Lines = slices.DeleteFunc(other.Lines, func(l contract.Line) bool {
		r, ok := l.(*contract.Record)
		return ok && r.ID == other.ID(contract.KindComment, 2) || l.LineType() == contract.TypeRun || l.LineType() == contract.TypeThread
	})
	other.Comment(9, testkit.Time(2, "10:09"), other.ID("actor", 1), "nine\n")
	for _, l := range other.Lines {
		if r, ok := l.(*contract.Record); ok && r.ID == other.ID(contract.KindComment, 3) {
			r.Content = contract.Text([]byte("thrice\n"))
		}
	}
	r := runProgram(Program(), string(other.Bytes(t)), e.dir, "--index-sha256", e.digest, "--stream", "-")
	changed := tree.RecordPath(contract.KindComment, testkit.Time(2, "10:02"), other.Key(contract.KindComment, 3))
	for _, want := range []string{
		"index.json: byte ",
		changed + ": byte 123: rebuild.differs",
		tree.RecordPath(contract.KindComment, testkit.Time(2, "10:09"), other.Key(contract.KindComment, 9)) + ": rebuild.missing",
		tree.RecordPath(contract.KindComment, testkit.Time(2, "10:01"), other.Key(contract.KindComment, 2)) + ": rebuild.extra",
		tree.ThreadPath(other.Key(contract.KindThread, 1)) + ": rebuild.extra",
	} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	if r.exit != fault.Aborted {
		t.Errorf("exit %d", r.exit)
	}
	if r := runProgram(Program(), e.stream[:len(e.stream)-3], e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Input {
		t.Errorf("a broken stream: %+v", r)
	}
	aborted := `{"type":"abort","stage":"bound","exit":1,"cause":"component"}` + "\n"
	if r := runProgram(Program(), aborted, e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Aborted {
		t.Errorf("an aborted stream: %+v", r)
	}
	filtered := testkit.New(contract.GitHub, contract.WorkItem, 2)
	if r := runProgram(Program(), string(filtered.Bytes(t)), e.dir, "--index-sha256", e.digest, "--stream", "-"); r.exit != fault.Input {
		t.Errorf("a stream that is not bounded: %+v", r)
	}
}

// Bound's output of a real run, alone and against its input.
func TestVerifyStream(t *testing.T) {
	requirement.Claim(t, "GAP-05", "FLT-01", "BND-02")
	dir := t.TempDir()
	filtered := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	filtered.Header.Collection.Bounds.MaxRecordsPerSource = 2
	filtered.Header.Collection.Bounds.MaxRecordBytes = 16
	author := filtered.ID("actor", 1)
	for i := range 4 {
		filtered.Comment(i+1, testkit.Time(2+i, "10:00"), author, strings.Repeat("words ", i+1)+"\n")
	}
	filtered.Thread(1, testkit.Time(2, "10:00"), 1, 4)
	filtered.Thread(2, testkit.Time(2, "10:00"), 2)
	input := string(filtered.Bytes(t))
	r := runProgram(bound.Program(), input)
	if r.exit != fault.Done {
		t.Fatalf("bound: %+v", r)
	}
	before, after := filepath.Join(dir, "filtered"), filepath.Join(dir, "bounded")
	noError(t, os.WriteFile(before, []byte(input), 0o600))
	noError(t, os.WriteFile(after, []byte(r.stdout), 0o600))
	for _, args := range [][]string{
		{"stream", before}, {"stream", after}, {"stream", after, "--against", before}, {"stream", "--against", before, "-"},
	} {
		if got := runProgram(Program(), r.stdout, args...); got != (ran{}) {
			t.Errorf("%v: %+v", args, got)
		}
	}
	cut := strings.Replace(r.stdout, `"count":2`, `"count":1`, 1)
	if got := runProgram(Program(), cut, "stream", "-"); got.exit != fault.Input || !strings.Contains(got.stderr, stream.RuleTrailerDigest) {
		t.Errorf("changed: %+v", got)
	}
	got := runProgram(Program(), string(refit(t, cut)), "stream", "-", "--against", before, "--json")
	if got.exit != fault.Aborted || !strings.Contains(got.stdout, `"against.dropped"`) || !strings.Contains(got.stdout, `"stage":"bound"`) {
		t.Errorf("a gap too small: %+v", got)
	}
	if got := runProgram(Program(), "", "stream", "-", "--against", "-"); got.exit != fault.Usage {
		t.Errorf("two times stdin: %+v", got)
	}
	if got := runProgram(Program(), "", "stream", filepath.Join(dir, "nothing")); got.exit != fault.Environment {
		t.Errorf("no file: %+v", got)
	}
	if got := runProgram(Program(), `{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}`+"\n", "stream", "-"); got.exit != fault.Unsupported {
		t.Errorf("aborted: %+v", got)
	}
}

// refit gives a changed stream the trailer that it needs.
func refit(t *testing.T, stream string) []byte {
	t.Helper()
	body := stream[:strings.LastIndex(strings.TrimSuffix(stream, "\n"), "\n")+1]
	_, tail, _ := strings.Cut(stream[len(body):], `"input_sha256":`)
	end := fmt.Sprintf(`{"type":"end","lines":%d,"sha256":"%s","input_sha256":%s`, strings.Count(body, "\n"), tree.Digest([]byte(body)), tail)
	return append([]byte(body), end...)
}

// Somebody who looks at a terminal is told what was verified; a script has the exit code.
func TestVerifiedIsSaidToPeople(t *testing.T) {
	e := emitTree(t, reviewed())
	file := filepath.Join(t.TempDir(), "stream")
	noError(t, os.WriteFile(file, []byte(e.stream), 0o600))
	on := func(terminal bool, args ...string) (string, string) {
		var out, errs bytes.Buffer
		cli.Run(t.Context(), Program(), &cli.Env{Args: append([]string{"verify"}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTerminal: terminal})
		return out.String(), errs.String()
	}
	said := regexp.MustCompile(`^(verify: )?verified: [0-9]+ (files|lines of bound), digest [0-9a-f]{64}\n$`)
	for _, args := range [][]string{{e.dir, "--index-sha256", e.digest}, {"stream", file}} {
		if out, errs := on(true, args...); !said.MatchString(out) || errs != "" {
			t.Errorf("%v: %q %q", args, out, errs)
		}
		if out, errs := on(true, append(args, "--quiet")...); out+errs != "" {
			t.Errorf("%v quiet: %q %q", args, out, errs)
		}
		if out, errs := on(false, args...); out+errs != "" {
			t.Errorf("%v in a script: %q %q", args, out, errs)
		}
		if out, errs := on(false, append(args, "--verbose")...); out != "" || !said.MatchString(errs) {
			t.Errorf("%v verbose: %q %q", args, out, errs)
		}
		if out, _ := on(true, append(args, "--json")...); !json.Valid([]byte(out)) {
			t.Errorf("%v json: %q", args, out)
		}
	}
	if out, _ := on(true, e.dir, "--index-sha256", strings.Repeat("0", 64)); strings.Contains(out, "verified") {
		t.Errorf("another root: %q", out)
	}
}
