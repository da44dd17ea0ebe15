package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// spoken are words that only people wrote, each in a place of its own of the tree.
var spoken = []string{"titleword", "labelword", "bodyword", "reviewword", "loginword", "checkword", "logword", "agentword"}

// talkative is a tree in which each sort of text holds its word.
func talkative(t *testing.T) emitted {
	s := reviewed()
	s.Header.Entity.Title, s.Header.Entity.Labels = "a titleword", []string{"labelword"}
	for _, l := range s.Lines {
		switch l := l.(type) {
		case *contract.Record:
			if l.Kind == contract.KindComment {
				l.Content = contract.Text([]byte("a bodyword\n"))
			}
			if l.Kind == contract.KindReview {
				l.Content = contract.Text([]byte("a reviewword\n"))
			}
		case *contract.Actor:
			login := "loginword-" + strings.ToLower(l.ID)
			l.Login = &login
		case *contract.Check:
			l.Name = "checkword"
		case *contract.Log:
			l.Content = contract.Text([]byte("a logword\n"))
		case *contract.Run:
			l.Agent = "agentword"
		}
	}
	return emitTree(t, s)
}

func TestVerifyReport(t *testing.T) {
	requirement.Claim(t, "LIF-05")
	e := talkative(t)
	report := func(args ...string) ran {
		return runProgram(Program(), "", append([]string{"report", e.dir, "--index-sha256", e.digest}, args...)...)
	}
	dir := t.TempDir()
	for _, format := range []string{"html", "text", "markdown"} {
		out := filepath.Join(dir, format)
		if r := report("--format", format, "--out", out); r != (ran{}) {
			t.Fatalf("%s: %+v", format, r)
		}
		page := readTest(t, out)
		info, err := os.Lstat(out)
		noError(t, err)
		if info.Mode() != 0o600 {
			t.Errorf("%s: mode %v", format, info.Mode())
		}
		if !strings.Contains(page, e.digest) {
			t.Errorf("%s lacks the root digest", format)
		}
		for _, word := range spoken {
			private := format != "markdown"
			if strings.Contains(page, word) != private {
				t.Errorf("%s holds %s: %v", format, word, !private)
			}
		}
		if r := report("--format", format, "--out", out); r.exit != fault.Usage || readTest(t, out) != page {
			t.Errorf("%s over a page: %+v", format, r)
		}
	}
	if r := report("--format", "markdown"); r.exit != fault.Done || r.stdout != readTest(t, filepath.Join(dir, "markdown")) {
		t.Errorf("markdown on stdout: %+v", r)
	}
	for _, args := range [][]string{{}, {"--format", "html"}, {"--format", "text"}} {
		if r := report(args...); r.exit != fault.Usage || r.stdout != "" || !strings.Contains(r.stderr, "--out is missing") {
			t.Errorf("%v without a file: %+v", args, r)
		}
	}
	if r := report("--format", "yaml"); r.exit != fault.Usage || !strings.Contains(r.stderr, "--format takes html, text, markdown (try") {
		t.Errorf("format: %+v", r)
	}
	work := filepath.Join(t.TempDir(), "work")
	noError(t, os.MkdirAll(filepath.Join(work, ".git"), 0o700))
	if r := report("--out", filepath.Join(work, "report.html")); r.exit != fault.Usage || !strings.Contains(r.stderr, "Git work tree") {
		t.Errorf("in a work tree: %+v", r)
	}
}

// Text without a file is for the eyes of who runs the program, not for logs.
func TestReportOnATerminal(t *testing.T) {
	e := talkative(t)
	var out, errs bytes.Buffer
	exit := cli.Run(t.Context(), Program(), &cli.Env{
		Args: []string{"verify", "report", e.dir, "--index-sha256", e.digest, "--format", "text"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutTerminal: true,
	})
	if exit != fault.Done || !strings.Contains(out.String(), "| a bodyword\n") {
		t.Errorf("exit %d, %s\n%s", exit, errs.String(), out.String())
	}
}

// A report says nothing of bytes that the root does not answer for.
func TestReportRefusesDamage(t *testing.T) {
	requirement.Claim(t, "VER-03")
	for _, damage := range []string{"index.json", "collection.json", "entity/metadata.json", "relations/reviews.json", "history/agent-runs.json", "state/actors.json", "state/threads.json", "records", "checks"} {
		e := talkative(t)
		path := filepath.Join(e.dir, damage)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			found, err := filepath.Glob(path + "/*.md")
			noError(t, err)
			logs, err := filepath.Glob(path + "/*/log.txt")
			noError(t, err)
			path = append(found, logs...)[0]
		}
		b, err := os.ReadFile(path)
		noError(t, err)
		b[len(b)/2] ^= 1
		noError(t, os.WriteFile(path, b, 0o600))
		out := filepath.Join(t.TempDir(), "report.html")
		r := runProgram(Program(), "", "report", e.dir, "--index-sha256", e.digest, "--out", out)
		if _, err := os.Lstat(out); r.exit != fault.Aborted || r.stdout != "" || err == nil {
			t.Errorf("%s: %+v, page %v", damage, r, err)
		}
	}
}

// A stream gives each object its address, if it is the stream of the tree.
func TestReportLinks(t *testing.T) {
	s := reviewed()
	for _, l := range s.Lines {
		switch l := l.(type) {
		case *contract.Record:
			l.URL = "https://github.com/example/project/pull/17#record-" + l.ID
		case *contract.Thread:
			l.URL = "https://github.com/example/project/pull/17#thread-" + l.ID
		case *contract.Check:
			l.URL = "https://github.com/example/project/runs/" + l.ID
		}
	}
	s.Header.Acquisition = &contract.Acquisition{Address: "https://github.com/example/project/pull/17"}
	e := emitTree(t, s)
	file := filepath.Join(t.TempDir(), "bounded.ndjson")
	noError(t, os.WriteFile(file, []byte(e.stream), 0o600))
	for format, anchor := range map[string]string{"html": `href="`, "text": "", "markdown": "](<"} {
		out := filepath.Join(t.TempDir(), "page")
		if r := runProgram(Program(), "", "report", e.dir, "--index-sha256", e.digest, "--stream", file, "--format", format, "--out", out); r != (ran{}) {
			t.Fatalf("%s: %+v", format, r)
		}
		page := readTest(t, out)
		for _, l := range s.Lines {
			address := contract.WebURL(l)
			changed := l.LineType() != contract.TypeThread && l.LineType() != contract.TypeCheck && format != "markdown"
			if address != "" && (format == "html" || changed) && !strings.Contains(page, anchor+address) {
				t.Errorf("%s lacks %s", format, address)
			}
		}
		if format != "text" && !strings.Contains(page, anchor+s.Header.Acquisition.Address) {
			t.Errorf("%s does not link the entity", format)
		}
	}
	other := filepath.Join(t.TempDir(), "other.ndjson")
	noError(t, os.WriteFile(other, reviewed().Bytes(t), 0o600))
	foreign := testkit.New(contract.GitHub, contract.WorkItem, 3)
	noError(t, os.WriteFile(file, foreign.Bytes(t), 0o600))
	for _, args := range [][]string{{"--stream", file}, {"--stream", "-"}, {"--stream", file + "x"}} {
		if r := runProgram(Program(), "", append([]string{"report", e.dir, "--index-sha256", e.digest, "--format", "markdown"}, args...)...); r.exit == fault.Done || r.stdout != "" {
			t.Errorf("%v: %+v", args, r)
		}
	}
}
