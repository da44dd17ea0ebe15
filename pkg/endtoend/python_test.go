package endtoend_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/testkit"
)

// pythonBound runs the stage bound that is written in Python.
func pythonBound(t *testing.T, stream []byte) ran {
	t.Helper()
	cmd := exec.Command("python3", "-S", "pkg/endtoend/testdata/bound.py")
	cmd.Stdin = bytes.NewReader(stream)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("no Python here: %v", err)
	}
	return ran{exit: fault.Exit(cmd.ProcessState.ExitCode()), stdout: stdout.String(), stderr: stderr.String()}
}

var whoWrote = regexp.MustCompile(`\{"stage":"bound","program":"[^"]*","version":"[^"]*"\}`)

// lines gives a stream without its trailer and without the name of the program.
func streamLines(stream string) string {
	stream = stream[:strings.LastIndex(strings.TrimSuffix(stream, "\n"), "\n")+1]
	return whoWrote.ReplaceAllString(stream, "")
}

// A stage bound in another language, from the text of the stream alone, writes the same
// bytes as ours for every golden pipeline and every golden case of bound, but for its name;
// emit makes the same tree of them, and verify and the audits have nothing to say.
func TestBoundInPython(t *testing.T) {
	source, err := os.ReadFile("pkg/endtoend/testdata/bound.py")
	must(t, err)
	if n := bytes.Count(source, []byte("\n")); n >= 250 {
		t.Errorf("the stage has %d lines", n)
	}
	folders, err := filepath.Glob("testdata/pipeline/*/" + filterGolden)
	must(t, err)
	if len(folders) < pipelineFloor {
		t.Fatalf("%d golden pipelines", len(folders))
	}
	cases, err := filepath.Glob("pkg/stage/bound/testdata/golden/*/*/filtered.ndjson")
	must(t, err)
	if len(cases) < 6 {
		t.Fatalf("%d golden cases", len(cases))
	}
	for _, file := range append(folders, cases...) {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			filtered, err := os.ReadFile(file)
			must(t, err)
			ours, theirs := run("bound", filtered), pythonBound(t, filtered)
			if ours.exit != fault.Done || theirs.exit != fault.Done || theirs.stderr != "" {
				t.Fatalf("exit %d, %d: %s%s", ours.exit, theirs.exit, ours.stderr, theirs.stderr)
			}
			if streamLines(ours.stdout) != streamLines(theirs.stdout) {
				t.Errorf("ours\n%s\ntheirs\n%s", ours.stdout, theirs.stdout)
			}
			if filepath.Base(file) != filterGolden {
				return // its objects are not all of its forge
			}
			audited(t, string(filtered), theirs.stdout)
			dir := filepath.Join(t.TempDir(), "context")
			receipt := run("emit", []byte(theirs.stdout), "--out", dir)
			other := filepath.Join(t.TempDir(), "context")
			if r := run("emit", []byte(ours.stdout), "--out", other); r.exit != fault.Done || receipt.exit != fault.Done {
				t.Fatalf("emit: %s%s", r.stderr, receipt.stderr)
			}
			digest := tree.Digest([]byte(files(t, dir)[tree.IndexPath]))
			if digest != tree.Digest([]byte(files(t, other)[tree.IndexPath])) {
				t.Error("another tree")
			}
			if r := run("verify", nil, dir, "--index-sha256", digest); r.exit != fault.Done {
				t.Errorf("verify: exit %d: %s", r.exit, r.stdout)
			}
		})
	}
}

// It stops as every stage does: an abort line goes on, a broken stream is reported once,
// an entity that cannot be had ends the assembly.
func TestBoundInPythonStops(t *testing.T) {
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	good := s.Bytes(t)
	body := s.Lines[1].(*contract.Record)
	if body.Kind != contract.KindEntity {
		t.Fatal("the fixture has changed")
	}
	testkit.Reject(body, "injection.override")
	for name, c := range map[string]struct {
		stream string
		exit   fault.Exit
	}{
		"nothing":         {"", fault.Input},
		"cut off":         {string(good[:len(good)-5]), fault.Input},
		"without trailer": {string(good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1]), fault.Input},
		"a byte changed":  {strings.Replace(string(good), `"login":"`, `"login":"x`, 1), fault.Input},
		"more behind":     {string(good) + "{}\n", fault.Input},
		"no JSON":         {"{\n", fault.Input},
		"aborted":         {`{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n", fault.Environment},
		"rejected entity": {string(s.Bytes(t)), fault.Aborted},
		"documents":       {run("filter", []byte(run("fetch", nil, "msp", "pkg/family/msp/testdata/documents/valid-03-all-facts.state.json").stdout)).stdout, fault.Done},
	} {
		r := pythonBound(t, []byte(c.stream))
		if r.exit != c.exit || (r.exit == fault.Input) != (strings.Count(r.stderr, "\n") == 1) {
			t.Errorf("%s: exit %d: %s", name, r.exit, r.stderr)
		}
		if next := run("emit", []byte(r.stdout), "--out", filepath.Join(t.TempDir(), "context")); next.exit != c.exit || next.stderr != "" {
			t.Errorf("%s: emit: exit %d: %s", name, next.exit, next.stderr)
		}
	}
}
