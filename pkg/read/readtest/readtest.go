// Package readtest makes trees for tests of readers. It is imported by tests only.
package readtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"snapline/pkg/check"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/canon"
	"snapline/pkg/read"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
)

// directory takes the files of a tree.
type directory struct {
	path string
	made map[string]bool // directories
}

// WriteFile implements emit's sink.
func (d directory) WriteFile(path string, content []byte) error {
	full := filepath.Join(d.path, filepath.FromSlash(path))
	if dir := filepath.Dir(full); !d.made[dir] {
		d.made[dir] = true
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return os.WriteFile(full, content, 0o600)
}

// Build writes the tree of a bounded stream and gives its directory and root digest.
func Build(t testing.TB, bounded []byte) (dir, digest string) {
	t.Helper()
	dir = t.TempDir()
	in := stream.NewReader(bytes.NewReader(bounded), stream.ReaderOptions{Name: "test", Position: 3})
	if err := emit.Build(t.Context(), in, directory{dir, map[string]bool{}}, canon.Rejudge); err != nil {
		t.Fatal(err)
	}
	root, err := os.ReadFile(filepath.Join(dir, tree.IndexPath))
	if err != nil {
		root, err = os.ReadFile(filepath.Join(dir, tree.ManifestPath))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, tree.Digest(root)
}

// Tree builds the tree of a bounded stream and reads it.
func Tree(t testing.TB, bounded []byte) *read.Tree {
	t.Helper()
	dir, digest := Build(t, bounded)
	return Open(t, dir, digest)
}

// Open reads a tree that is there. It is closed when the test ends.
func Open(t testing.TB, dir, digest string) *read.Tree {
	t.Helper()
	s, err := check.Open(dir, digest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	loaded, err := read.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// Golden reads the golden tree of a case of testdata/pipeline; top is the way to the
// module's root.
func Golden(t testing.TB, top, name string) *read.Tree {
	t.Helper()
	dir := filepath.Join(top, "testdata", "pipeline", name, "4-emit")
	index, err := os.ReadFile(filepath.Join(dir, tree.IndexPath))
	if err != nil {
		t.Fatal(err)
	}
	return Open(t, dir, tree.Digest(index))
}

// GoldenNames lists the cases of testdata/pipeline.
func GoldenNames(t testing.TB, top string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(top, "testdata", "pipeline", "*", "4-emit"))
	if err != nil || len(dirs) < 6 {
		t.Fatalf("golden trees: %v, %v", dirs, err)
	}
	for i := range dirs {
		dirs[i] = filepath.Base(filepath.Dir(dirs[i]))
	}
	return dirs
}
