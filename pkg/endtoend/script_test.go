// Package endtoend_test runs the five programs as users do: in pipes, in the scripts
// that are shipped, and against golden pipelines.
package endtoend_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"snapline/pkg/program/bound"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/emit"
	"snapline/pkg/program/fetch"
	"snapline/pkg/program/filter"
	"snapline/pkg/program/verify"
	"snapline/pkg/requirement"
)

var programs = map[string]func() *cli.Program{
	"fetch": fetch.Program, "filter": filter.Program, "bound": bound.Program, "emit": emit.Program, "verify": verify.Program,
}

// TestMain runs the tests at the root of the module, where scripts, schemas, docs and
// testdata have the names that users know. Under the name of a program the test binary
// is that program, in the directory where it was started.
func TestMain(m *testing.M) {
	mains := map[string]func(){}
	for name, program := range programs {
		mains[name] = func() { os.Exit(cli.Main(program())) }
	}
	if mains[filepath.Base(os.Args[0])] == nil {
		if err := os.Chdir("../.."); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, mains)
}

// scripts are the files of testdata/script and what each proves.
var scripts = map[string][]string{
	"artifacts-stay-free-of-the-tree": {"LIF-01", "LIF-03"},
	"broken-pipe":                     nil,
	"capture":                         nil,
	"count-over-all-pages":            nil,
	"credentials":                     {"SEC-01"},
	"documents":                       nil,
	"demo":                            {"DET-02"},
	"each":                            {"DET-03"},
	"each-load":                       nil,
	"hangup":                          nil,
	"harness":                         {"LIF-03", "TREE-08", "ABT-11"},
	"harness-mask":                    nil,
	"harness-trust":                   {"ABT-09", "ABT-11"},
	"pipe":                            {"DET-02"},
	"producer-dies-in-the-pipe":       {"ABT-11"},
	"replay":                          nil,
	"title-is-never-shell":            {"STR-09"},
	"usage":                           nil,
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(scripts) {
		t.Fatalf("%d scripts in the folder, %d in the table", len(files), len(scripts))
	}
	for name, ids := range scripts {
		t.Run(name, func(t *testing.T) {
			requirement.Claim(t, ids...)
			testscript.Run(t, testscript.Params{
				Files:               []string{filepath.Join("testdata", "script", name+".txtar")},
				RequireExplicitExec: true,
				RequireUniqueNames:  true,
				Setup:               setup,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"seal":  cmdSeal,
					"exits": cmdExits,
				},
			})
		})
	}
}

// setup gives scripts the programs in $SNAPLINE_BIN, and in $STUB the same with a
// fetch that prints the stream in the file that is its first argument: a fetch
// without a forge, whose stream is not a replay.
func setup(e *testscript.Env) error {
	top, err := os.Getwd()
	if err != nil {
		return err
	}
	emit, err := exec.LookPath("emit")
	if err != nil {
		return err
	}
	bin, stub := filepath.Dir(emit), filepath.Join(e.WorkDir, "stub")
	if err := makeStub(bin, stub); err != nil {
		return err
	}
	e.Setenv("SNAPLINE_BIN", bin)
	e.Setenv("SNAPLINE_REAL", bin)
	e.Setenv("STUB", stub)
	e.Setenv("SCRIPTS", filepath.Join(top, "scripts"))
	// The scripts that build need the caches of the user, not those of an empty home.
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return err
	}
	caches := strings.Fields(string(out))
	e.Setenv("GOCACHE", caches[0])
	e.Setenv("GOMODCACHE", caches[1])
	return nil
}

func makeStub(bin, stub string) error {
	if err := os.Mkdir(stub, 0o755); err != nil {
		return err
	}
	for name := range programs {
		if name == "fetch" {
			continue
		}
		if err := os.Symlink(filepath.Join(bin, name), filepath.Join(stub, name)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(stub, "fetch"), []byte("#!/usr/bin/env bash\nexec cat -- \"$1\"\n"), 0o755)
}

// seal SHORTHAND STREAM turns shorthand into a fetch stream.
func cmdSeal(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: seal SHORTHAND STREAM")
	}
	stream, err := seal([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), stream, 0o600))
}

// exits CODE COMMAND... runs a command that has to end with this exit code.
func cmdExits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT]...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
