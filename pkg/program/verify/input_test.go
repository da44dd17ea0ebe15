package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapline/pkg/program/emit"
	"snapline/pkg/program/fetch"
	"snapline/pkg/program/filter"

	"golang.org/x/sys/unix"

	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// One rule for every input that the command line names: what cannot be opened or read
// is exit 4, and a stage says so down its pipe. Where an unreadable document is a
// verdict it is that, and the protocol's helpers answer as the reference does.
func TestUnreadableInput(t *testing.T) {
	const url, digest = "https://github.com/acme/tool/issues/7", "0000000000000000000000000000000000000000000000000000000000000000"
	dir := t.TempDir()
	e := emitTree(t, reviewed())
	stream := filepath.Join(dir, "stream")
	noError(t, os.WriteFile(stream, []byte(e.stream), 0o600))
	noError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	names := map[string]string{
		"missing": filepath.Join(dir, "none"), "below a file": filepath.Join(stream, "x"),
		"too long": filepath.Join(dir, strings.Repeat("n", 300)), "a folder": filepath.Join(dir, "folder"),
	}
	tree := []string{"missing", "below a file", "too long"}
	file := append(tree, "a folder")
	for _, c := range []struct {
		program *cli.Program
		args    string // NAME is the input
		exit    fault.Exit
		inputs  []string
	}{
		{fetch.Program(), "--replay NAME", fault.Environment, file},
		{fetch.Program(), url + " --profile-file NAME", fault.Environment, file},
		{fetch.Program(), url + " --bots NAME", fault.Environment, file},
		{fetch.Program(), url + " --agent-runs NAME", fault.Environment, file},
		{fetch.Program(), "canon NAME", fault.Environment, file},
		{fetch.Program(), "msp " + stream + " NAME", fault.Environment, file},
		{filter.Program(), "--credentials-file NAME", fault.Environment, file},
		{emit.Program(), "scavenge --root NAME", fault.Environment, tree},
		{Program(), "NAME --index-sha256 " + digest, fault.Environment, tree},
		{Program(), e.dir + " --stream NAME --index-sha256 " + e.digest, fault.Environment, file},
		{Program(), "stream NAME", fault.Environment, file},
		{Program(), "stream " + stream + " --against NAME", fault.Environment, file},
		{Program(), "gaps NAME", fault.Environment, tree},
		{Program(), "blocks NAME --view timeline", fault.Environment, tree},
		{Program(), "canon --fingerprint NAME", fault.Environment, []string{"too long"}},
		{Program(), "canon --fingerprint NAME", fault.Done, []string{"missing", "below a file", "a folder"}},
		{Program(), "canon --proof-of-read NAME", fault.Aborted, file},
		{Program(), "canon NAME", fault.Aborted, file},
		{Program(), "canon --state NAME --delta NAME", fault.Aborted, file},
		{Program(), "msp NAME", fault.Aborted, file},
		{Program(), "msp " + stream + " NAME", fault.Aborted, file},
	} {
		for _, input := range c.inputs {
			r := runProgram(c.program, "", strings.Fields(strings.ReplaceAll(c.args, "NAME", names[input]))...)
			if r.exit != c.exit {
				t.Errorf("%s %s, %s: %+v", c.program.Name, c.args, input, r)
			}
			if c.exit != fault.Environment {
				continue
			}
			stdout := ""
			if c.program.Name == "fetch" || c.program.Name == "filter" {
				stdout = fmt.Sprintf(`{"type":"abort","stage":"%s","exit":4,"cause":"environment"}`+"\n", c.program.Name)
			}
			// Where nothing is, a name may be a secret: the place on the command line is told.
			at := `(--[a-z-]+|argument \d)`
			if input == "a folder" {
				at = regexp.QuoteMeta(names[input])
			}
			if r.stdout != stdout || strings.Count(r.stderr, "\n") != 1 || !regexp.MustCompile("^"+c.program.Name+": "+at+": ").MatchString(r.stderr) {
				t.Errorf("%s %s, %s: %+v", c.program.Name, c.args, input, r)
			}
		}
	}
}

// A program that waits for a FIFO, for its writer or for what that writes, ends when it
// is told to, and closes the FIFO.
func TestInterruptedFIFO(t *testing.T) {
	for _, c := range []struct {
		program *cli.Program
		args    string
		abort   bool
	}{
		{fetch.Program(), "--replay NAME", true},
		{fetch.Program(), "msp NAME", true},
		{fetch.Program(), "https://github.com/acme/tool/issues/7 --bots NAME", true},
		{filter.Program(), "--credentials-file NAME", true},
		{Program(), "stream NAME", false},
		{Program(), "canon NAME", false},
		{Program(), "canon --proof-of-read NAME", false},
	} {
		for _, silent := range []bool{false, true} {
			if silent && runtime.GOOS != "linux" {
				continue // see inputFile
			}
			fifo := filepath.Join(t.TempDir(), "fifo")
			noError(t, unix.Mkfifo(fifo, 0o600))
			if silent {
				writer, err := os.OpenFile(fifo, os.O_RDWR, 0)
				noError(t, err)
				defer writer.Close()
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			var stdout, stderr bytes.Buffer
			args := append([]string{c.program.Name}, strings.Fields(strings.ReplaceAll(c.args, "NAME", fifo))...)
			exit := cli.Run(ctx, c.program, &cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
			if exit != fault.Environment || strings.Contains(stdout.String(), `"type":"abort"`) != c.abort ||
				stderr.String() != c.program.Name+": interrupted; nothing was left behind\n" {
				t.Errorf("%v, silent writer %v: exit %d, %q, %q", args, silent, exit, stdout.String(), stderr.String())
			}
			if !silent {
				released(t, fifo)
			}
		}
	}
}

// released lets the open of a FIFO go on that nobody waits for any more, and waits for
// its close.
func released(t *testing.T, fifo string) {
	t.Helper()
	var writer *os.File
	for range 500 {
		switch {
		case writer == nil: // it fails until the other open has begun
			if f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
				defer f.Close()
				writer = f
			}
		default:
			if _, err := writer.Write([]byte("x")); errors.Is(err, syscall.EPIPE) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the FIFO stays open, or nobody opened it: %v", writer)
}
