package endtoend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// ran is what a program did.
type ran struct {
	exit           fault.Exit
	stdout, stderr string
}

// run runs one of the five programs in this process.
func run(program string, stdin []byte, args ...string) ran {
	var out, errs bytes.Buffer
	env := &cli.Env{
		Args: append([]string{program}, args...), Stdin: bytes.NewReader(stdin), Stdout: &out, Stderr: &errs,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	exit := cli.Run(context.Background(), programs[program](), env)
	return ran{exit, out.String(), errs.String()}
}

// piped is what filter, bound and emit made of a fetch stream.
type piped struct {
	filter, bound, emit ran
	dir                 string
	index               index
}

// index is what tests look at in index.json.
type index struct {
	Gaps []struct {
		Scope, Code, Usability string
		Count                  int
	}
	Records []tree.ManifestRecord
	Files   []tree.File
	Filter  tree.Filter
}

// pipe runs the stages one after the other, as a pipe does.
func pipe(t testing.TB, stream []byte) piped {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "context")
	p := piped{dir: dir}
	p.filter = run("filter", stream)
	p.bound = run("bound", []byte(p.filter.stdout))
	p.emit = run("emit", []byte(p.bound.stdout), "--out", dir)
	return p
}

// published runs the pipe on shorthand; it has to give a tree that verify accepts.
func published(t testing.TB, shorthand string) piped {
	t.Helper()
	p := pipe(t, sealed(t, shorthand))
	if p.emit.exit != fault.Done {
		t.Fatalf("emit: exit %d\n%s%s%s", p.emit.exit, p.filter.stderr, p.bound.stderr, p.emit.stderr)
	}
	if err := json.Unmarshal([]byte(p.file(t, tree.IndexPath)), &p.index); err != nil {
		t.Fatal(err)
	}
	if v := run("verify", nil, p.dir, "--index-sha256", p.digest(t)); v.exit != fault.Done || v.stdout != "" {
		t.Fatalf("verify: exit %d\n%s%s", v.exit, v.stdout, v.stderr)
	}
	return p
}

func sealed(t testing.TB, shorthand string) []byte {
	t.Helper()
	stream, err := seal([]byte(shorthand))
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// digest gives the root digest from the receipt.
func (p piped) digest(t testing.TB) string {
	t.Helper()
	var receipt struct {
		IndexSHA256 string `json:"index_sha256"`
	}
	if err := json.Unmarshal([]byte(p.emit.stdout), &receipt); err != nil {
		t.Fatalf("receipt: %v", err)
	}
	return receipt.IndexSHA256
}

func (p piped) file(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// body gives the text of a record file, without its header.
func (p piped) body(t testing.TB, r tree.ManifestRecord) string {
	t.Helper()
	_, body, _ := strings.Cut(p.file(t, r.ContentPath), "\n\n")
	return body
}

// record gives the manifest row of an id.
func (p piped) record(t testing.TB, id string) tree.ManifestRecord {
	t.Helper()
	for _, r := range p.index.Records {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no record %s", id)
	panic("unreachable")
}

// ids gives the ids of the comments and reviews, in manifest order.
func (p piped) ids() []string {
	ids := []string{}
	for _, r := range p.index.Records {
		if r.Kind == "comment" || r.Kind == "review" {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// lines gives the lines of an order file.
func (p piped) lines(t testing.TB, path string) []string {
	t.Helper()
	return strings.Fields(p.file(t, path))
}

// gaps gives the gaps as the scenarios write them.
func (p piped) gaps() []any {
	gaps := []any{}
	for _, g := range p.index.Gaps {
		gaps = append(gaps, object{"scope": g.Scope, "code": g.Code, "usability": g.Usability, "count": float64(g.Count)})
	}
	return gaps
}

// files gives every file of a tree by its path.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
