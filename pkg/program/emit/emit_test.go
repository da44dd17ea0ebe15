package emit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/program/bound"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/emit"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

func runStdin(p *cli.Program, stdin []byte, args ...string) (exit fault.Exit, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := &cli.Env{Args: append([]string{p.Name}, args...), Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &errs}
	exit = cli.Run(context.Background(), p, env)
	return exit, out.String(), errs.String()
}

// bound and emit in a row; the receipt is all that emit prints.
func TestBoundThenEmit(t *testing.T) {
	requirement.Claim(t, "VER-01", "LIF-06")
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "A secret remark.\n")
	s.Header.Collection.Bounds.MaxRecordBytes = 10
	exit, bounded, stderr := runStdin(bound.Program(), s.Bytes(t))
	if exit != fault.Done || stderr != "bound: comment IC_kwDO001: comments: body cut\n" {
		t.Fatalf("exit %d, stderr %q", exit, stderr)
	}
	out := filepath.Join(t.TempDir(), "context")
	exit, receipt, stderr := runStdin(emit.Program(), []byte(bounded), "--out", out)
	if exit != fault.Done || stderr != "" || strings.Count(receipt, "\n") != 1 || !strings.HasPrefix(receipt, `{"bytes":`) {
		t.Fatalf("exit %d, stdout %q, stderr %q", exit, receipt, stderr)
	}
	body, err := os.ReadFile(filepath.Join(out, "records", "20260302T100000000000000Z-"+s.Key(contract.KindComment, 1)+".md"))
	if err != nil || !strings.HasSuffix(string(body), "\n\nA secret \n") {
		t.Errorf("%q %v", body, err)
	}
}

// An abort from upstream is forwarded by both, without a message.
// A harness needs the digest alone; the receipt stays to be had.
func TestPrintDigest(t *testing.T) {
	requirement.Claim(t, "VER-01")
	dir := t.TempDir()
	bounded := testkit.New(contract.GitHub, contract.WorkItem, 3).Bytes(t)
	exit, stdout, stderr := runStdin(emit.Program(), bounded, "--out", filepath.Join(dir, "context"), "--receipt", filepath.Join(dir, "receipt"), "--print", "digest")
	receipt, err := os.ReadFile(filepath.Join(dir, "receipt"))
	if exit != fault.Done || stderr != "" || err != nil || len(stdout) != 65 || !bytes.Contains(receipt, []byte(`"index_sha256":"`+strings.TrimSpace(stdout)+`"`)) {
		t.Errorf("exit %d, stdout %q, stderr %q, %v", exit, stdout, stderr, err)
	}
	if exit, stdout, _ := runStdin(emit.Program(), bounded, "--out", filepath.Join(dir, "other"), "--print", "tree"); exit != fault.Usage || stdout != "" {
		t.Errorf("another word: exit %d, stdout %q", exit, stdout)
	}
}

// A standard output that nobody can read loses the digest, unless a file keeps it.
func TestClosedStandardOutput(t *testing.T) {
	requirement.Claim(t, "AMB-95")
	dir := t.TempDir()
	bounded := testkit.New(contract.GitHub, contract.WorkItem, 3).Bytes(t)
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for i, args := range []string{"", "--receipt " + filepath.Join(dir, "receipt")} {
		want := []fault.Exit{fault.Environment, fault.Done}[i]
		var errs bytes.Buffer
		out := filepath.Join(dir, "context")
		env := &cli.Env{Args: append([]string{"emit", "--out", out}, strings.Fields(args)...), Stdin: bytes.NewReader(bounded), Stdout: null, Stderr: &errs}
		exit := cli.Run(context.Background(), emit.Program(), env)
		_, err := os.Stat(out)
		if exit != want || (err == nil) != (want == fault.Done) {
			t.Errorf("%q: exit %d, %v, %s", args, exit, err, errs.String())
		}
	}
}

func TestAbortsAreForwarded(t *testing.T) {
	requirement.Claim(t, "ABT-11")
	abort := []byte(`{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}` + "\n")
	exit, stdout, stderr := runStdin(bound.Program(), abort)
	if exit != fault.Unsupported || stdout != string(abort) || stderr != "" {
		t.Errorf("bound: exit %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
	dir := t.TempDir()
	exit, stdout, stderr = runStdin(emit.Program(), abort, "--out", filepath.Join(dir, "context"))
	if left, _ := os.ReadDir(dir); exit != fault.Unsupported || stdout != string(abort) || stderr != "" || len(left) != 0 {
		t.Errorf("emit: exit %d, stdout %q, stderr %q, left %v", exit, stdout, stderr, left)
	}
}

// An entity that cannot be published ends the stream of bound with its gap.
func TestAbortOfTheEntity(t *testing.T) {
	requirement.Claim(t, "ABT-06", "ABT-10", "ABT-11")
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	s.Header.Entity.Title = "🚀"
	s.Header.Collection.Bounds.MaxMetadataStringBytes = 3
	exit, stdout, stderr := runStdin(bound.Program(), s.Bytes(t))
	if exit != fault.Aborted || stdout != `{"type":"abort","stage":"bound","exit":1,"cause":"gap","scope":"entity","code":"invalid_metadata"}`+"\n" ||
		!strings.HasPrefix(stderr, "bound: bound.entity-title: entity/invalid_metadata: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
}

func TestEmitUsage(t *testing.T) {
	requirement.Claim(t, "LIF-05")
	repository := t.TempDir()
	if err := os.Mkdir(filepath.Join(repository, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--out is missing"},
		{[]string{"--out", ""}, "--out is empty"},
		{[]string{"--out", repository}, "--out must not exist"},
		{[]string{"--out", filepath.Join(repository, "context")}, `(use: emit --out "$(mktemp -d)/context")`},
		{[]string{"scavenge"}, "--root is missing"},
		{[]string{"x"}, "argument 1: nothing more"},
	} {
		exit, stdout, stderr := runStdin(emit.Program(), nil, c.args...)
		if c.args != nil && c.args[len(c.args)-1] == repository { // it is a work tree before it exists
			c.want = "Git work tree"
		}
		if exit != fault.Usage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", c.args, exit, stdout, stderr)
		}
	}
}

func TestScavengeSaysWhatItDid(t *testing.T) {
	requirement.Claim(t, "LIF-04")
	root := t.TempDir()
	for name, lock := range map[string]string{"snapline-gone": disk.LockMagic, "snapline-foreign": "x\n"} {
		dir := filepath.Join(root, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, disk.LockName), []byte(lock), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	exit, stdout, stderr := runStdin(emit.Program(), nil, "scavenge", "--root", root)
	if exit != fault.Done || stdout != "" || stderr != "emit: kept snapline-foreign: it is no run directory of this user\nemit: removed snapline-gone\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
	if exit, _, _ := runStdin(emit.Program(), nil, "scavenge", "--root", filepath.Join(root, "absent")); exit != fault.Environment {
		t.Errorf("exit %d", exit)
	}
}
