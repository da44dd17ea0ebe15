package ndjson

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/fault"
)

func captureTo(t *testing.T, path, text string) *Capture {
	t.Helper()
	c, err := NewCapture(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.MultiWriter(io.Discard, c).Write([]byte(text)); err != nil {
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
	for _, name := range []string{"a", "a.zst", "a.gz"} {
		c := captureTo(t, filepath.Join(dir, name), "text")
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
	if f := faultOf(t, c.Keep()); f.Exit != fault.Usage || f.Hint == "" {
		t.Errorf("kept over a file: %v", f)
	}
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

// TestCaptureThatFails: after a failing write nothing is kept.
func TestCaptureThatFails(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "a.zst", "a.gz"} {
		c := captureTo(t, filepath.Join(dir, name), "text")
		if err := c.file.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := c.Write(bytes.Repeat([]byte("more"), 1<<20))
		keep := c.Keep()
		if err == nil && keep == nil {
			t.Errorf("%s: kept", name)
		}
		if f := faultOf(t, keep); f.Exit != fault.Environment {
			t.Errorf("%s: %v", name, keep)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) && err != fs.ErrNotExist {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := names(t, dir); got != "" {
		t.Errorf("left behind: %s", got)
	}
}
