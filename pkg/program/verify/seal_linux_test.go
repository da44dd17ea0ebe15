package verify

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/check"
	"snapline/pkg/check/textrule"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
)

// sealTo runs verify seal with an uploader that keeps its input and its environment.
func sealTo(t *testing.T, e emitted, script string, args ...string) (r ran, uploaded []byte) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "uploaded")
	t.Setenv("UPLOADED", out)
	r = runProgram(Program(), "", append(append([]string{"seal", e.dir, "--index-sha256", e.digest}, args...), "--", "sh", "-c", script)...)
	uploaded, err := os.ReadFile(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return r, uploaded
}

// What the uploader gets is the verified tree, byte for byte, as a tar that depends on
// the tree alone and that nobody can write.
func TestVerifySeal(t *testing.T) {
	requirement.Claim(t, "VER-05", "VER-06", "DET-02")
	e := emitTree(t, reviewed())
	r, first := sealTo(t, e, `cat >"$UPLOADED"; echo "$SNAPLINE_TAR_SHA256 $SNAPLINE_TAR_BYTES $SNAPLINE_INDEX_SHA256"`)
	if r.exit != fault.Done {
		t.Fatalf("%+v", r)
	}
	facts := strings.Fields(r.stdout)
	if len(facts) != 3 || facts[0] != tree.Digest(first) || facts[1] != strconv.Itoa(len(first)) || facts[2] != e.digest {
		t.Errorf("environment %v, %d bytes", facts, len(first))
	}
	got := map[string]string{}
	var names []string
	archive := tar.NewReader(bytes.NewReader(first))
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		noError(t, err)
		want := int64(0o444)
		if h.Typeflag == tar.TypeDir {
			want = 0o555
		} else {
			content, err := io.ReadAll(archive)
			noError(t, err)
			got[h.Name] = string(content)
			names = append(names, h.Name)
		}
		if h.Mode != want || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.ModTime.Unix() != 0 {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("order %v", names)
	}
	onDisk := 0
	noError(t, filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		onDisk++
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(e.dir, path)
		if got[filepath.ToSlash(name)] != string(content) {
			t.Errorf("%s differs", name)
		}
		return err
	}))
	if onDisk != len(got) {
		t.Errorf("%d files in the tar, %d on disk", len(got), onDisk)
	}
	_, second := sealTo(t, emitTree(t, reviewed()), `cat >"$UPLOADED"`)
	if !bytes.Equal(first, second) {
		t.Error("two trees of one stream give two tars")
	}
}

// The uploader cannot change what it was given.
func TestVerifySealCannotBeWritten(t *testing.T) {
	requirement.Claim(t, "VER-05", "ABT-09")
	e := emitTree(t, reviewed())
	r, _ := sealTo(t, e, `if (echo x >/dev/fd/0) 2>/dev/null; then exit 7; fi; if (: >/proc/self/fd/0) 2>/dev/null; then exit 8; fi; cat >"$UPLOADED"`)
	if r.exit != fault.Done {
		t.Errorf("%+v", r)
	}
}

// While the uploader runs the tree may be rewritten: it gets what was verified.
func TestVerifySealOutlivesTheTree(t *testing.T) {
	requirement.Claim(t, "VER-06")
	e := emitTree(t, reviewed())
	_, before := sealTo(t, e, `cat >"$UPLOADED"`)
	r, after := sealTo(t, e, `rm -r "`+e.dir+`" && cat >"$UPLOADED"`)
	if r.exit != fault.Done || !bytes.Equal(before, after) {
		t.Errorf("%+v", r)
	}
}

// Nothing starts when anything is wrong, and the uploader's failure is ours.
func TestVerifySealFailures(t *testing.T) {
	requirement.Claim(t, "ABT-09", "VER-04", "VER-05")
	keep := `cat >"$UPLOADED"`
	damages := map[string]func(e *emitted){
		"another root": func(e *emitted) { e.digest = strings.Repeat("0", 64) },
		"a byte appended": func(e *emitted) {
			f, err := os.OpenFile(filepath.Join(e.dir, tree.TimelinePath), os.O_APPEND|os.O_WRONLY, 0)
			noError(t, err)
			_, err = f.WriteString("x")
			noError(t, errors.Join(err, f.Close()))
		},
		"a file added":   func(e *emitted) { noError(t, os.WriteFile(filepath.Join(e.dir, "x"), nil, 0o600)) },
		"a file missing": func(e *emitted) { noError(t, os.Remove(filepath.Join(e.dir, tree.EntityPath))) },
		"a link": func(e *emitted) {
			noError(t, os.Rename(filepath.Join(e.dir, "state"), filepath.Join(e.dir, "../state")))
			noError(t, os.Symlink("../state", filepath.Join(e.dir, "state")))
		},
		"a mode": func(e *emitted) { noError(t, os.Chmod(filepath.Join(e.dir, tree.EntityPath), 0o640)) },
	}
	for name, damage := range damages {
		e := emitTree(t, reviewed())
		damage(&e)
		r, uploaded := sealTo(t, e, keep)
		if r.exit != fault.Aborted || r.stdout == "" || uploaded != nil {
			t.Errorf("%s: %+v, uploaded %d bytes", name, r, len(uploaded))
		}
	}
	e := emitTree(t, reviewed())
	if r, _ := sealTo(t, e, "exit 3"); r.exit != fault.Environment || !strings.Contains(r.stderr, "exit status 3") {
		t.Errorf("a failing uploader: %+v", r)
	}
	if r, _ := sealTo(t, e, "kill -9 $$"); r.exit != fault.Environment || !strings.Contains(r.stderr, "killed") {
		t.Errorf("a killed uploader: %+v", r)
	}
	if r := runProgram(Program(), "", "seal", e.dir, "--index-sha256", e.digest, "--", "/nonexistent/uploader"); r.exit != fault.Environment {
		t.Errorf("no uploader there: %+v", r)
	}
	for _, args := range [][]string{{"--index-sha256", e.digest}, {"--index-sha256", e.digest, "--"}, {"--", "true"}} {
		if r := runProgram(Program(), "", append([]string{"seal", e.dir}, args...)...); r.exit != fault.Usage {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// The judge sees the sealed bytes and not the disk's: a tree that changes between copy
// and judgement cannot slip through.
// meddler alters the tree as soon as the first text of it is judged.
type meddler struct {
	textrule.Scanner
	meddle func()
}

func (m *meddler) Filter(kind safety.Kind, source []byte) (safety.Result, error) {
	m.meddle()
	return m.Scanner.Filter(kind, source)
}

func TestSealJudgesItsCopy(t *testing.T) {
	requirement.Claim(t, "VER-06")
	e := emitTree(t, reviewed())
	worker, err := newScanner()
	noError(t, err)
	altered := 0
	scanner := &meddler{worker, func() {
		records, err := filepath.Glob(filepath.Join(e.dir, "records", "*.md"))
		noError(t, err)
		for _, r := range records {
			noError(t, os.Truncate(r, 0))
			altered++
		}
	}}
	sealed, err := check.Seal(t.Context(), e.dir, check.Options{IndexSHA256: e.digest, Scanner: scanner})
	noError(t, err)
	defer sealed.Close()
	if len(sealed.Report.Findings) != 0 || sealed.Report.Files < 15 || altered == 0 {
		t.Errorf("%+v, %d files altered", sealed.Report, altered)
	}
	if _, err := sealed.File.Write([]byte("x")); err == nil {
		t.Error("written after the seal")
	}
}

// An agent that is root, or the owner, or has a capability can alter a tree.
func TestVerifySandboxCommand(t *testing.T) {
	requirement.Claim(t, "LIF-02", "ABT-09")
	e := emitTree(t, reviewed())
	r := runProgram(Program(), "", "sandbox", e.dir)
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "sandbox.mode") {
		t.Errorf("the host's tree: %+v", r)
	}
	if r := runProgram(Program(), "", "sandbox", filepath.Join(e.dir, "none")); r.exit != fault.Environment {
		t.Errorf("no tree: %+v", r)
	}
	link := filepath.Join(t.TempDir(), "link")
	noError(t, os.Symlink(e.dir, link))
	if r := runProgram(Program(), "", "sandbox", link); r.exit != fault.Aborted || !strings.Contains(r.stdout, "sandbox.entry") {
		t.Errorf("a link: %+v", r)
	}
}
