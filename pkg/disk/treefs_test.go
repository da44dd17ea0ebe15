package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"snapline/pkg/disk"
	"snapline/pkg/requirement"
)

func root(t *testing.T) (disk.Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := disk.OS{}.Dir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d, path
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	requirement.Claim(t, "LIF-01")
	for _, mask := range []int{0, 0o022, 0o077, 0o777} {
		d, path := root(t)
		old := syscall.Umask(mask)
		sub, err := d.Mkdir("d")
		file, ferr := d.Create("f")
		syscall.Umask(old)
		if err != nil || ferr != nil {
			t.Fatal(mask, err, ferr)
		}
		for name, want := range map[string]fs.FileMode{"d": fs.ModeDir | disk.DirMode, "f": disk.FileMode} {
			st, err := os.Lstat(filepath.Join(path, name))
			if err != nil || st.Mode() != want {
				t.Errorf("umask %o: %s has mode %v, %v", mask, name, st.Mode(), err)
			}
		}
		_, _ = sub.Close(), file.Close()
	}
}

func TestModesInASetgidParent(t *testing.T) {
	d, path := root(t)
	if err := os.Chmod(path, 0o777|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	sub, err := d.Mkdir("d")
	if err != nil {
		t.Fatal(err)
	}
	info, err := sub.Info()
	if err != nil || info.Mode != disk.DirMode || info.Kind != disk.Directory {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestCreationIsExclusive(t *testing.T) {
	d, path := root(t)
	for _, kind := range []string{"file", "dir", "link", "dangling"} {
		name := filepath.Join(path, kind)
		var err error
		switch kind {
		case "file":
			err = os.WriteFile(name, []byte("old"), 0o644)
		case "dir":
			err = os.Mkdir(name, 0o755)
		case "link":
			err = os.Symlink(filepath.Join(path, "file"), name)
		case "dangling":
			err = os.Symlink(filepath.Join(path, "absent"), name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Create(kind); !errors.Is(err, fs.ErrExist) {
			t.Errorf("create over %s: %v", kind, err)
		}
		if _, err := d.Mkdir(kind); !errors.Is(err, fs.ErrExist) {
			t.Errorf("mkdir over %s: %v", kind, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(path, "absent")); err == nil {
		t.Error("a dangling link was followed")
	}
	if b, err := os.ReadFile(filepath.Join(path, "file")); err != nil || string(b) != "old" {
		t.Errorf("%q %v", b, err)
	}
}

func TestRenameReplacesNothing(t *testing.T) {
	requirement.Claim(t, "DET-03") // no assembly ends up in the tree of another
	for _, kind := range []string{"none", "file", "empty directory", "full directory", "link to nowhere"} {
		t.Run(kind, func(t *testing.T) {
			d, path := root(t)
			sub, err := d.Mkdir("from")
			if err != nil {
				t.Fatal(err)
			}
			target := filepath.Join(path, "to")
			switch kind {
			case "file":
				err = os.WriteFile(target, nil, 0o600)
			case "empty directory":
				err = os.Mkdir(target, 0o700)
			case "full directory":
				err = os.MkdirAll(filepath.Join(target, "x"), 0o700)
			case "link to nowhere":
				err = os.Symlink("nowhere", target)
			}
			if err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(target)
			err = d.Rename("from", d, "to")
			after, statErr := os.Lstat(target)
			if kind == "none" {
				made, _ := sub.Info()
				now, err2 := d.Stat("to")
				if err != nil || err2 != nil || !now.Same(made) {
					t.Errorf("%v %v", err, err2)
				}
				return
			}
			if !errors.Is(err, fs.ErrExist) || statErr != nil || !os.SameFile(before, after) {
				t.Errorf("%v, %v", err, statErr)
			}
		})
	}
}

func TestNothingFollowsALink(t *testing.T) {
	requirement.Claim(t, "VER-04")
	d, path := root(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"ld": outside, "lf": filepath.Join(outside, "f")} {
		if err := os.Symlink(target, filepath.Join(path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(path, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Dir("ld"); err == nil {
		t.Error("Dir followed a link")
	}
	if _, err := d.Open("lf"); err == nil {
		t.Error("Open followed a link")
	}
	for name, kind := range map[string]disk.Kind{"ld": disk.Symlink, "lf": disk.Symlink, "pipe": disk.Special} {
		if info, err := d.Stat(name); err != nil || info.Kind != kind {
			t.Errorf("%s: %+v %v", name, info, err)
		}
	}
	f, err := d.Open("pipe") // must not block
	if err != nil {
		t.Fatal(err)
	}
	if info, err := f.Info(); err != nil || info.Kind != disk.Special {
		t.Errorf("%+v %v", info, err)
	}
	_ = f.Close()
	names, err := d.Names()
	if want := []string{"ld", "lf", "pipe"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%q %v", names, err)
	}
}

func TestNamesAreSingleComponents(t *testing.T) {
	d, _ := root(t)
	for _, name := range []string{"", ".", "..", "a/b", "/", "a\x00b"} {
		_, e1 := d.Mkdir(name)
		_, e2 := d.Create(name)
		_, e3 := d.Open(name)
		_, e4 := d.Dir(name)
		_, e5 := d.Stat(name)
		for i, err := range []error{e1, e2, e3, e4, e5, d.Remove(name), d.RemoveDir(name), d.Rename(name, d, "x"), d.Rename("x", d, name)} {
			if !errors.Is(err, disk.ErrName) {
				t.Errorf("%q, operation %d: %v", name, i, err)
			}
		}
	}
}

func TestFileRoundTripAndLock(t *testing.T) {
	d, _ := root(t)
	f, err := d.Create("f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Lock(); !got || err != nil {
		t.Fatal(got, err)
	}
	if n, err := f.Write([]byte("hello")); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	g, err := d.Open("f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.Lock(); got || err != nil {
		t.Errorf("second lock: %v %v", got, err)
	}
	if b, err := io.ReadAll(g); string(b) != "hello" || err != nil {
		t.Errorf("%q %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := g.Lock(); !got || err != nil {
		t.Errorf("lock after close: %v %v", got, err)
	}
	_ = g.Close()
	if err := d.Sync(); err != nil {
		t.Error(err)
	}
	if err := d.Remove("f"); err != nil {
		t.Error(err)
	}
	if _, err := d.Open("f"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestGitWorkTree(t *testing.T) {
	requirement.Claim(t, "LIF-05")
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, worktree, out := filepath.Join(base, "repo"), filepath.Join(base, "linked"), filepath.Join(base, "out")
	for _, dir := range []string{filepath.Join(repo, ".git"), filepath.Join(repo, "a/b"), worktree, out} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(worktree, ".git"), []byte("gitdir: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{filepath.Join(out, "in"): filepath.Join(repo, "a"), filepath.Join(repo, "away"): out} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(out, "context"), ""},
		{filepath.Join(out, "not/yet/there"), ""},
		{filepath.Join(repo, "context"), repo},
		{filepath.Join(repo, "a/b/c/d/context"), repo},
		{filepath.Join(repo, ".git/context"), repo},
		{filepath.Join(worktree, "context"), worktree},
		{filepath.Join(out, "in/context"), repo},
		{filepath.Join(repo, "away/context"), repo},
	} {
		if got, err := disk.GitWorkTree(c.path); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.path, got, err, c.want)
		}
	}
}
