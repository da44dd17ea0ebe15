package emit_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/disk"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

const (
	goldenDir   = "testdata/golden"
	goldenFloor = 7
)

// publish emits a stream at a new path and gives the path and the receipt.
func publish(t testing.TB, raw []byte) (out string, receipt []byte) {
	t.Helper()
	out = filepath.Join(memoryDir(t), "context")
	receipt, err := emitTo(out, raw)
	if err != nil {
		t.Fatal(err)
	}
	return out, receipt
}

func emitTo(out string, raw []byte) ([]byte, error) {
	var stdout bytes.Buffer
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "stdin", Position: 3})
	err := emit.Run(context.Background(), in, &stdout, emit.Config{FS: disk.OS{}, Out: out}, nil)
	return stdout.Bytes(), err
}

// files reads a tree: path to content.
func files(t testing.TB, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		found[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestGolden(t *testing.T) {
	requirement.Claim(t, "DET-02", "TREE-01", "TREE-02", "TREE-03", "TREE-04", "CAN-01", "MAN-01", "MAN-03", "REC-01", "ORD-04", "ACT-01")
	if len(goldenCases) < goldenFloor {
		t.Fatalf("there are %d cases, fewer than %d", len(goldenCases), goldenFloor)
	}
	for name, make := range goldenCases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(goldenDir, name)
			raw := make().Bytes(t)
			out, receipt := publish(t, raw)
			got := files(t, out)
			if *update {
				writeGolden(t, dir, raw, receipt, got)
			}
			if want, err := os.ReadFile(filepath.Join(dir, "bounded.ndjson")); err != nil || !bytes.Equal(want, raw) {
				t.Errorf("the stream is not the committed one (%v)", err)
			}
			if want, err := os.ReadFile(filepath.Join(dir, "receipt.json")); err != nil || !bytes.Equal(want, receipt) {
				t.Errorf("the receipt is not the committed one (%v):\n%s", err, receipt)
			}
			if diff := cmp.Diff(files(t, filepath.Join(dir, "context")), got); diff != "" {
				t.Errorf("(-golden +emitted)\n%s", diff)
			}
		})
	}
	entries, err := os.ReadDir(goldenDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && goldenCases[e.Name()] == nil {
			t.Errorf("%s has no case", e.Name())
		}
	}
}

func writeGolden(t *testing.T, dir string, raw, receipt []byte, tree map[string]string) {
	t.Helper()
	all := map[string]string{"bounded.ndjson": string(raw), "receipt.json": string(receipt)}
	for path, data := range tree {
		all["context/"+path] = data
	}
	errs := []error{os.RemoveAll(dir)}
	for path, data := range all {
		path = filepath.Join(dir, path)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(data), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// loadGolden gives the committed streams by case.
func loadGolden(t testing.TB) map[string][]byte {
	t.Helper()
	streams := map[string][]byte{}
	for name := range goldenCases {
		data, err := os.ReadFile(filepath.Join(goldenDir, name, "bounded.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		streams[name] = data
	}
	if len(streams) < goldenFloor {
		t.Fatalf("there are %d golden streams, fewer than %d", len(streams), goldenFloor)
	}
	return streams
}

func TestModesOfATree(t *testing.T) {
	requirement.Claim(t, "LIF-01")
	for name, raw := range loadGolden(t) {
		out, _ := publish(t, raw)
		err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Lstat(path)
			want := disk.FileMode
			if d.IsDir() {
				want = fs.ModeDir | disk.DirMode
			}
			if err == nil && info.Mode() != want {
				t.Errorf("%s: %s has mode %v", name, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// The same stream gives the same bytes, any number of times, with one processor and
// many, in another time zone and under another name.
func TestDeterminism(t *testing.T) {
	requirement.Claim(t, "DET-01", "DET-02")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, raw := range loadGolden(t) {
		want, err := os.ReadFile(filepath.Join(goldenDir, name, "context", "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			runtime.GOMAXPROCS(1 + i%8)
			t.Setenv("TZ", []string{"UTC", "Asia/Kathmandu"}[i%2])
			t.Setenv("LC_ALL", []string{"C", "tr_TR.UTF-8"}[i%2])
			out, _ := publish(t, raw)
			got, err := os.ReadFile(filepath.Join(out, "index.json"))
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s, run %d: another index.json (%v)", name, i, err)
			}
			if i == 0 {
				noForeignWords(t, name, out, string(raw))
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// noForeignWords looks for what comes from the machine, not from the stream.
func noForeignWords(t *testing.T, name, out, raw string) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range files(t, out) {
		for _, word := range []string{"generated_at", filepath.Dir(out), host + "\"", "unsupported_entity", "http://", "https://"} {
			if strings.Contains(data, word) {
				t.Errorf("%s: %s holds %q", name, path, word)
			}
		}
		for _, stamp := range timestamps(data) {
			if !strings.Contains(raw, stamp) {
				t.Errorf("%s: %s holds the time %s, the stream does not", name, path, stamp)
			}
		}
	}
}

func timestamps(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == '"' || r == '\n' })
	return slices.DeleteFunc(words, func(w string) bool { return len(w) != 30 || w[29] != 'Z' })
}
