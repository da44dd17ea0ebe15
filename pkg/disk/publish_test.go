package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

// runDir makes a run directory as a harness does and gives its path; if held, the
// test holds its lock.
func runDir(t *testing.T, parent, name string, held bool) string {
	t.Helper()
	path := filepath.Join(parent, name)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(path, disk.LockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	if held {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if _, err2 := lock.WriteString(disk.LockMagic); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return path
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			found = append(found, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestPublish(t *testing.T) {
	requirement.Claim(t, "LIF-01", "LIF-03", "VER-04")
	write := func(p *disk.Publication) error {
		return errors.Join(p.WriteFile("a.json", []byte("1")), p.WriteFile("d/e/f", []byte("2")), p.WriteFile("d/g/f", nil),
			p.WriteFile("d/e/h", []byte("3")), p.WriteFile("d/x", []byte("4")), p.WriteFile("d/e/k/l/f", nil), p.WriteFile("d/e/k/f", nil))
	}
	content := []string{"a.json", "d", "d/e", "d/e/f", "d/e/h", "d/e/k", "d/e/k/f", "d/e/k/l", "d/e/k/l/f", "d/g", "d/g/f", "d/x"}
	for _, kind := range []string{"plain", "harness", "unheld"} {
		t.Run(kind, func(t *testing.T) {
			base := t.TempDir()
			parent := base
			if kind != "plain" {
				parent = runDir(t, base, "snapline-x", kind == "harness")
			}
			before := list(t, parent)
			p, err := disk.Begin(disk.OS{}, filepath.Join(parent, "context"))
			if err != nil {
				t.Fatal(err)
			}
			if err := write(p); err != nil {
				t.Fatal(err)
			}
			private(t, parent)
			if _, err := os.Lstat(filepath.Join(parent, "context")); err == nil {
				t.Error("the tree is there before it is published")
			}
			if kind == "harness" || kind == "unheld" {
				if _, err := os.Lstat(filepath.Join(parent, disk.BuildName)); err != nil {
					t.Error("the tree is not built in the run directory")
				}
			}
			if err := p.Publish(true); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(p.Discard(), p.Discard()); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(content, list(t, filepath.Join(parent, "context"))); diff != "" {
				t.Error(diff)
			}
			after := slices.DeleteFunc(list(t, parent), func(p string) bool { return strings.HasPrefix(p, "context") })
			if !slices.Equal(before, after) {
				t.Errorf("before %q, after %q", before, after)
			}
		})
	}
	for _, end := range []string{"discard", "withdraw"} {
		base := t.TempDir()
		p, err := disk.Begin(disk.OS{}, filepath.Join(base, "context"))
		if err != nil {
			t.Fatal(err)
		}
		err = write(p)
		if end == "withdraw" {
			err = errors.Join(err, p.Publish(false), p.Withdraw())
		}
		if err := errors.Join(err, p.Discard()); err != nil {
			t.Fatal(end, err)
		}
		if left := list(t, base); len(left) != 0 {
			t.Errorf("%s left %q", end, left)
		}
	}
}

// private checks that everything that emit made below dir is for its owner alone.
func private(t *testing.T, dir string) {
	t.Helper()
	for _, path := range list(t, dir) {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
}

func TestNamesOfRunDirectoriesCannotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	base := t.TempDir()
	for range 20 {
		p, err := disk.Begin(disk.OS{}, filepath.Join(base, "context"))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Discard()
	}
	entries, err := os.ReadDir(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := strings.TrimPrefix(e.Name(), disk.RunPrefix); len(name) != 32 || seen[name] {
			t.Errorf("%s", e.Name())
		}
		seen[e.Name()] = true
	}
	if len(entries) != 20 {
		t.Errorf("%d run directories", len(entries))
	}
}

func TestRefusedPaths(t *testing.T) {
	requirement.Claim(t, "LIF-01", "LIF-05", "AMB-69")
	base := t.TempDir()
	for _, dir := range []string{"full/x", "empty", "repo/.git", "snapline-used/context.tmp"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(base, "file"), nil, 0o600), os.Symlink("nowhere", filepath.Join(base, "link")),
		os.Symlink("loop", filepath.Join(base, "loop")),
		os.WriteFile(filepath.Join(base, "snapline-used", disk.LockName), []byte(disk.LockMagic), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	before := list(t, base)
	cases := map[string]string{
		"full": "out.exists", "empty": "out.exists", "file": "out.exists", "link": "out.exists", "absent/context": "out.parent",
		"repo/context": "out.git-work-tree", "repo/.git/context": "out.git-work-tree", "": "out.name", "a/..": "out.name", "a/.": "out.name",
		"snapline-used/context": "out.in-use", "empty/": "out.exists",
		"file/context": "out.path", "file/x/context": "out.path", "loop/context": "out.path", "link/context": "out.parent",
		strings.Repeat("n", 256): "out.path", strings.Repeat("n", 256) + "/context": "out.path", strings.Repeat("n/", 3000) + "context": "out.path",
	}
	for out, rule := range cases {
		path := base + "/" + out
		if out == "" {
			path = ""
		}
		_, err := disk.Begin(disk.OS{}, path)
		var e *fault.Error
		if !errors.As(err, &e) || e.Exit != fault.Usage || e.Rule != rule {
			t.Errorf("%q: %v, want %s", out, err, rule)
		}
		if rule == "out.git-work-tree" && !strings.Contains(err.Error(), "emit --out") {
			t.Errorf("%v does not say what to do", err)
		}
	}
	if diff := cmp.Diff(before, list(t, base)); diff != "" {
		t.Error(diff)
	}
}

// foreign is a file system whose directories belong to someone else.
type foreign struct {
	disk.OS
	mode fs.FileMode
}

type realDir = disk.Dir

type foreignDir struct {
	realDir
	mode fs.FileMode
}

func (f foreign) Dir(path string) (disk.Dir, error) {
	d, err := f.OS.Dir(path)
	return foreignDir{d, f.mode}, err
}

func (d foreignDir) Info() (disk.Info, error) {
	i, err := d.realDir.Info()
	i.UID, i.Mode = 4242, d.mode
	return i, err
}

func (d foreignDir) Rename(old string, to disk.Dir, name string) error {
	if f, ok := to.(foreignDir); ok {
		to = f.realDir
	}
	return d.realDir.Rename(old, to, name)
}

func TestAForeignParentMustBeSticky(t *testing.T) {
	requirement.Claim(t, "AMB-69")
	base := t.TempDir()
	_, err := disk.Begin(foreign{mode: 0o777}, filepath.Join(base, "context"))
	var e *fault.Error
	if !errors.As(err, &e) || e.Rule != "out.parent" || e.Exit != fault.Usage {
		t.Errorf("%v", err)
	}
	p, err := disk.Begin(foreign{mode: 0o777 | fs.ModeSticky}, filepath.Join(base, "context"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Discard(); err != nil {
		t.Error(err)
	}
}

func TestOneOfManyWins(t *testing.T) {
	requirement.Claim(t, "LIF-03")
	base := t.TempDir()
	const many = 8
	results := make([]error, many)
	var wait sync.WaitGroup
	for i := range many {
		wait.Go(func() {
			p, err := disk.Begin(disk.OS{}, filepath.Join(base, "context"))
			if err == nil {
				err = errors.Join(p.WriteFile("who", []byte{byte('0' + i)}), p.Publish(false))
				err = errors.Join(err, p.Discard())
			}
			results[i] = err
		})
	}
	wait.Wait()
	winners := ""
	for i, err := range results {
		var e *fault.Error
		switch {
		case err == nil:
			winners += string(rune('0' + i))
		case !errors.As(err, &e) || e.Rule != "out.exists":
			t.Error(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(base, "context", "who"))
	if err != nil || string(got) != winners || len(winners) != 1 {
		t.Errorf("winners %q, tree of %q, %v", winners, got, err)
	}
	if left := list(t, base); len(left) != 2 {
		t.Errorf("left: %q", left)
	}
}

func TestScavenge(t *testing.T) {
	requirement.Claim(t, "LIF-04", "VER-04")
	base, outside := t.TempDir(), t.TempDir()
	precious := filepath.Join(outside, "precious")
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(precious, []byte("x"), 0o600))
	abandoned := runDir(t, base, "snapline-abandoned", false)
	must(os.MkdirAll(filepath.Join(abandoned, "context.tmp/a/b"), 0o700), os.WriteFile(filepath.Join(abandoned, "context.tmp/a/f"), nil, 0o600),
		os.Symlink(outside, filepath.Join(abandoned, "context.tmp/link")), os.Symlink(precious, filepath.Join(abandoned, "file-link")),
		syscall.Mkfifo(filepath.Join(abandoned, "pipe"), 0o600))
	empty := runDir(t, base, "snapline-empty", false)
	held := runDir(t, base, "snapline-held", true)
	open := runDir(t, base, "snapline-open", false)
	must(os.Chmod(open, 0o755))
	noMagic := runDir(t, base, "snapline-no-magic", false)
	must(os.WriteFile(filepath.Join(noMagic, disk.LockName), []byte("something else\n"), 0o600))
	noLock := filepath.Join(base, "snapline-no-lock")
	must(os.Mkdir(noLock, 0o700))
	linked := runDir(t, base, "snapline-linked-lock", false)
	must(os.Remove(filepath.Join(linked, disk.LockName)), os.Symlink(filepath.Join(empty, disk.LockName), filepath.Join(linked, disk.LockName)))
	twice := runDir(t, base, "snapline-hard-link", false)
	must(os.Link(filepath.Join(twice, disk.LockName), filepath.Join(base, "other-name")))
	other := runDir(t, base, "other", false)
	target := runDir(t, outside, "snapline-target", false)
	must(os.Symlink(target, filepath.Join(base, "snapline-link")), os.WriteFile(filepath.Join(base, "snapline-file"), nil, 0o600))

	found, err := disk.Scavenge(disk.OS{}, base)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range found {
		got[f.Name] = f.Reason
		if f.Err != nil {
			t.Errorf("%s: %v", f.Name, f.Err)
		}
		if _, err := os.Lstat(filepath.Join(base, f.Name)); errors.Is(err, fs.ErrNotExist) != f.Removed {
			t.Errorf("%s: removed %v, %v", f.Name, f.Removed, err)
		}
	}
	const foreign = "it is no run directory of this user"
	if diff := cmp.Diff(map[string]string{
		"snapline-abandoned": "", "snapline-empty": "", "snapline-held": "it is in use", "snapline-open": foreign, "snapline-no-magic": foreign,
		"snapline-no-lock": foreign, "snapline-linked-lock": foreign, "snapline-hard-link": foreign, "snapline-link": "it is no directory", "snapline-file": "it is no directory",
	}, got); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{precious, held, other, target, filepath.Join(target, disk.LockName)} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := disk.Scavenge(disk.OS{}, filepath.Join(base, "absent")); fault.ExitOf(err) != fault.Environment {
		t.Error(err)
	}
}

// A publication that is under way is held, one whose process died is not.
func TestScavengeLeavesWhatIsUnderWay(t *testing.T) {
	requirement.Claim(t, "LIF-04")
	base := t.TempDir()
	p, err := disk.Begin(disk.OS{}, filepath.Join(base, "context"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := disk.Scavenge(disk.OS{}, base)
	if err != nil || len(found) != 1 || found[0].Removed || found[0].Reason != "it is in use" {
		t.Errorf("%+v, %v", found, err)
	}
	if err := errors.Join(p.WriteFile("f", nil), p.Publish(false), p.Discard()); err != nil {
		t.Error(err)
	}
}

func TestScavengeByManyAtOnce(t *testing.T) {
	requirement.Claim(t, "LIF-04")
	base := t.TempDir()
	for _, name := range []string{"snapline-a", "snapline-b", "snapline-c"} {
		if err := os.MkdirAll(filepath.Join(runDir(t, base, name, false), "context/x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			found, err := disk.Scavenge(disk.OS{}, base)
			if err != nil {
				t.Error(err)
			}
			for _, f := range found {
				if f.Err != nil && !errors.Is(f.Err, fs.ErrNotExist) {
					t.Errorf("%s: %v", f.Name, f.Err)
				}
			}
		})
	}
	wait.Wait()
	if left := list(t, base); len(left) != 0 {
		t.Errorf("left %q", left)
	}
}
