package stream

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

func captureTo(t *testing.T, path, text string) *Capture {
	t.Helper()
	c, err := NewCapture(path)
	if err != nil {
		t.Fatal(err)
	}
	c.write([]byte(text))
	if err := c.failure(); err != nil {
		t.Fatal(err)
	}
	return c
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestCapture(t *testing.T) {
	plain := base(t, 1).seal()
	for _, name := range []string{"a.ndjson", "a.ndjson.zst", "a.ndjson.gz", "a"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		c := captureTo(t, path, plain)
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: there before it is complete", name)
		}
		if err := c.finish(nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Keep(); err != nil {
			t.Fatal(err)
		}
		c.Discard()
		if err := c.Keep(); err != nil {
			t.Errorf("%s: kept twice: %v", name, err)
		}
		if got := names(t, dir); got != name {
			t.Errorf("%s: the folder holds %s", name, got)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: mode %v, %v", name, info.Mode(), err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if compressed(raw) != (filepath.Ext(name) == ".zst" || filepath.Ext(name) == ".gz") {
			t.Errorf("%s: starts with %x", name, raw[:4])
		}
		h, lines, err := readAll(NewReader(bytes.NewReader(raw), ReaderOptions{}))
		if err != nil || string(write(t, h, lines...)) != plain {
			t.Errorf("%s: read back: %v", name, err)
		}
	}
}

func TestDiscardedCapture(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "a.zst", "a.gz", "finished"} {
		c := captureTo(t, filepath.Join(dir, name), "text")
		if name == "finished" { // the trailer itself cannot be written
			if err := c.finish(nil); err != nil {
				t.Fatal(err)
			}
		}
		c.Discard()
		c.Discard()
		if got := names(t, dir); got != "" {
			t.Errorf("left behind: %s", got)
		}
	}
}

func TestCaptureReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	c := captureTo(t, path, "new")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := faultOf(t, c.finish(nil)); f.Exit != fault.Environment || f.File != path {
		t.Errorf("finished over a file: %v", f)
	}
	if err := c.Keep(); err == nil {
		t.Error("kept over a file")
	}
	c.Discard()
	if _, err := NewCapture(path); faultOf(t, err).Exit != fault.Usage {
		t.Errorf("started over a file: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCapture(link); faultOf(t, err).Exit != fault.Usage {
		t.Errorf("started over a dangling link: %v", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if got := names(t, dir); got != "a link" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestCaptureInAWorkTree(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "tree", "sub")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tree", ".git"), []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(dir, "link")
	if err := os.Symlink(inside, outside); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(inside, "a"), filepath.Join(outside, "a"), filepath.Join(dir, "tree", "a.zst")} {
		_, err := NewCapture(path)
		if f := faultOf(t, err); f.Exit != fault.Usage || f.Hint == "" || !strings.Contains(f.Detail, "unfiltered") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got := names(t, inside); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

// Where no file can be made the command line is wrong.
func TestCaptureWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	file, loop := filepath.Join(dir, "file"), filepath.Join(dir, "loop")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(loop, loop)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		filepath.Join(dir, "none", "a"), filepath.Join(file, "a"), filepath.Join(loop, "a"), filepath.Join(dir, strings.Repeat("a", 250)),
		filepath.Join(dir, strings.Repeat("a", 300)), filepath.Join(dir, strings.Repeat("a", 300), "a"),
	} {
		_, err := NewCapture(path)
		if f := faultOf(t, err); f.Exit != fault.Usage || f.File != path || f.Hint == "" {
			t.Errorf("%v", err)
		}
	}
	if got := names(t, dir); got != "file loop" {
		t.Errorf("left behind: %s", got)
	}
}

// A stage that fails for its capture says so to the rest of the pipe: what is on stdout
// is whole lines without a trailer, and an abort line can follow. Nothing is kept.
func TestCaptureThatFails(t *testing.T) {
	h, lines, err := readAll(NewReader(strings.NewReader(base(t, 1).seal()), ReaderOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	large := &contract.Record{}
	for _, l := range lines {
		if r, ok := l.(*contract.Record); ok {
			*large = *r
		}
	}
	large.Content.Bytes = bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	abort := contract.Abort{Stage: "fetch", Exit: int64(fault.Environment), Cause: contract.CauseEnvironment}
	const last = `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n"
	for _, name := range []string{"a", "a.zst", "a.gz"} {
		for failsAt, more := range map[string][]contract.Line{"the trailer": nil, "a large line": {large}, "a flush": {large, large, large}} {
			dir := t.TempDir()
			c := captureTo(t, filepath.Join(dir, name), "")
			if err := c.file.Close(); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			w := NewWriter(&out)
			w.Tee(c)
			err := w.Write(h)
			for _, l := range append(slices.Clone(lines), more...) {
				if err == nil {
					err = w.Write(l)
				}
			}
			if err == nil {
				err = w.End()
			}
			if f := faultOf(t, err); f.Exit != fault.Environment || f.Rule != RuleCapture {
				t.Errorf("%s, %s: %v", name, failsAt, err)
			}
			if err := w.Abort(abort); err != nil {
				t.Errorf("%s, %s: %v", name, failsAt, err)
			}
			if got := out.String(); !strings.HasSuffix(got, "}\n"+last) || strings.Contains(got, `"type":"end"`) {
				t.Errorf("%s, %s: stdout ends in %q", name, failsAt, got[max(0, len(got)-100):])
			}
			if c.Keep() == nil {
				t.Errorf("%s, %s: kept", name, failsAt)
			}
			c.Discard()
			if got := names(t, dir); got != "" {
				t.Errorf("%s, %s: left behind: %s", name, failsAt, got)
			}
		}
	}
}

// A capture that does not get its name fails before anybody can read the trailer.
func TestCaptureWithoutItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	c := captureTo(t, path, "")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	w.Tee(c)
	if err := w.Write(testHeader(1)); err != nil {
		t.Fatal(err)
	}
	if f := faultOf(t, w.End()); f.Exit != fault.Environment || f.Rule != RuleCapture {
		t.Error(f)
	}
	if strings.Contains(out.String(), `"type":"end"`) {
		t.Errorf("the trailer was written:\n%s", out.String())
	}
}

// A stream that has not ended leaves no capture, whoever asks.
func TestUnfinishedCapture(t *testing.T) {
	dir := t.TempDir()
	c := captureTo(t, filepath.Join(dir, "a"), "text")
	if f := faultOf(t, c.Keep()); f.Exit != fault.Environment {
		t.Errorf("kept: %v", f)
	}
	c.Discard()
	if got := names(t, dir); got != "" {
		t.Errorf("left behind: %s", got)
	}
}
