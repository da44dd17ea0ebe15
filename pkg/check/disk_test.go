package check

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/requirement"
)

// hooked is a file system that calls before each operation; an error of it is the
// operation's.
type hooked struct {
	disk.FS
	before func(op, name string) error
}

// Aliases, so that the embedded value is not called like the method.
type (
	directory = disk.Dir
	file      = disk.File
)

type hookedDir struct {
	directory
	before func(op, name string) error
}

type hookedFile struct {
	file
	before func(op, name string) error
}

func (h hooked) Dir(path string) (disk.Dir, error) {
	if err := h.before("root", path); err != nil {
		return nil, err
	}
	d, err := h.FS.Dir(path)
	if err != nil {
		return nil, err
	}
	return hookedDir{d, h.before}, nil
}

func (h hookedDir) Dir(name string) (disk.Dir, error) {
	if err := h.before("dir", name); err != nil {
		return nil, err
	}
	d, err := h.directory.Dir(name)
	if err != nil {
		return nil, err
	}
	return hookedDir{d, h.before}, nil
}

func (h hookedDir) Open(name string) (disk.File, error) {
	if err := h.before("open", name); err != nil {
		return nil, err
	}
	f, err := h.directory.Open(name)
	if err != nil {
		return nil, err
	}
	return hookedFile{f, h.before}, nil
}

func (h hookedDir) Stat(name string) (disk.Info, error) {
	if err := h.before("stat", name); err != nil {
		return disk.Info{}, err
	}
	return h.directory.Stat(name)
}

func (h hookedDir) Names() ([]string, error) {
	if err := h.before("names", ""); err != nil {
		return nil, err
	}
	return h.directory.Names()
}

func (h hookedDir) Info() (disk.Info, error) {
	if err := h.before("dir-info", ""); err != nil {
		return disk.Info{}, err
	}
	return h.directory.Info()
}

func (h hookedFile) Info() (disk.Info, error) {
	if err := h.before("file-info", ""); err != nil {
		return disk.Info{}, err
	}
	return h.file.Info()
}

func (h hookedFile) Read(p []byte) (int, error) {
	if err := h.before("read", ""); err != nil {
		return 0, err
	}
	return h.file.Read(p)
}

// verifyThrough verifies a tree on disk through a hooked file system.
func verifyThrough(t testing.TB, root, digest string, before func(op, name string) error) ([]finding.Finding, error) {
	t.Helper()
	list := &finding.List{}
	d, err := OpenDisk(hooked{disk.OS{}, before}, root, HostModes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	err = judge(context.Background(), d, d, Options{IndexSHA256: digest, Scanner: marked{}}, list, &Report{})
	return list.Sorted(), err
}

// A file that becomes a link after the tree was listed, or that is exchanged for
// another, is not read.
func TestChangeBetweenReads(t *testing.T) {
	requirement.Claim(t, "VER-04", "AMB-69")
	s := workItem(t, contract.GitHub)
	name := filepath.Base(s.path("c1"))
	for _, c := range []struct {
		name   string
		op     string // the operation just before which it happens
		at     string
		change func(root string)
		want   Rule
		path   string
	}{
		{"the file becomes a link", "open", name, func(root string) {
			must(t, os.Rename(at1(root, s.path("c1")), filepath.Join(root, "../same")))
			must(t, os.Symlink("../../same", at1(root, s.path("c1"))))
		}, RuleMoved, s.path("c1")},
		{"the file is exchanged", "open", name, func(root string) {
			must(t, os.Rename(at1(root, s.path("c1")), filepath.Join(root, "../same")))
			must(t, os.WriteFile(at1(root, s.path("c1")), s.files[s.path("c1")], 0o600))
		}, RuleMoved, s.path("c1")},
		{"the file gets a second name", "open", name, func(root string) {
			must(t, os.Link(at1(root, s.path("c1")), root+".second"))
		}, RuleMoved, s.path("c1")},
		{"the file is opened to others", "open", name, func(root string) { must(t, os.Chmod(at1(root, s.path("c1")), 0o666)) }, RuleMoved, s.path("c1")},
		{"the file goes away", "open", name, func(root string) { must(t, os.Remove(at1(root, s.path("c1")))) }, RuleMoved, s.path("c1")},
		{"the file grows", "open", name, func(root string) {
			must(t, os.WriteFile(at1(root, s.path("c1")), append(slices.Clone(s.files[s.path("c1")]), 'x'), 0o600))
		}, RuleSize, s.path("c1")},
		{"the file goes away while listing", "stat", name, func(root string) { must(t, os.Remove(at1(root, s.path("c1")))) }, RuleMoved, s.path("c1")},
		{"a directory becomes a link while listing", "dir", "records", func(root string) {
			must(t, os.Rename(filepath.Join(root, "records"), filepath.Join(root, "../records")))
			must(t, os.Symlink("../records", filepath.Join(root, "records")))
		}, RuleMoved, "records"},
		{"the index goes away", "open", tree.IndexPath, func(root string) { must(t, os.Remove(at1(root, tree.IndexPath))) }, RuleMoved, tree.IndexPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := s.write(t)
			done := false
			got, err := verifyThrough(t, root, s.digest(), func(op, name string) error {
				if op == c.op && name == c.at && !done {
					done = true
					c.change(root)
				}
				return nil
			})
			must(t, err)
			if !done || !has(got, c.want, c.path) {
				t.Errorf("done %v: want %s, got %v", done, c.want.Name, got)
			}
		})
	}
	t.Run("the root becomes a link", func(t *testing.T) {
		root := s.write(t)
		done := false
		list := &finding.List{}
		_, err := OpenDisk(hooked{disk.OS{}, func(op, name string) error {
			if op == "dir" && name == "context" && !done {
				done = true
				must(t, os.Rename(root, root+"2"))
				must(t, os.Symlink(root+"2", root))
			}
			return nil
		}}, root, HostModes, uint32(os.Geteuid()), list)
		must(t, err)
		if got := list.Sorted(); !done || !has(got, RuleRoot, "") {
			t.Errorf("got %v", got)
		}
	})
}

// An error of the disk at any operation is exit 4 and no verdict.
func TestFaultsOfTheDisk(t *testing.T) {
	s := workItem(t, contract.GitHub)
	root := s.write(t)
	var operations int
	_, err := verifyThrough(t, root, s.digest(), func(string, string) error { operations++; return nil })
	must(t, err)
	if operations < 50 {
		t.Fatalf("only %d operations", operations)
	}
	for _, errno := range []error{syscall.EIO, syscall.EACCES, syscall.EMFILE} {
		for n := range operations {
			i := 0
			findings, err := verifyThrough(t, root, s.digest(), func(op, name string) error {
				if i++; i == n+1 {
					return &fs.PathError{Op: op, Path: name, Err: errno}
				}
				return nil
			})
			if fault.ExitOf(err) != fault.Environment || !errors.Is(err, errno) {
				t.Errorf("operation %d, %v: %v, findings %v", n, errno, err, findings)
			}
		}
	}
}

// A mode that keeps the caller out is a finding and no failure of the disk; the rest is
// judged all the same.
func TestClosedByItsMode(t *testing.T) {
	requirement.Claim(t, "LIF-01")
	s := workItem(t, contract.GitHub)
	for _, path := range []string{s.path("c1"), tree.EntityPath, tree.IndexPath, "records", "state"} {
		root := s.write(t)
		info, err := os.Stat(at1(root, path))
		must(t, err)
		must(t, os.Chmod(at1(root, path), 0o200))
		op := "open"
		if info.IsDir() {
			op = "dir"
		}
		got, err := verifyThrough(t, root, s.digest(), func(o, name string) error {
			if o == op && name == filepath.Base(path) {
				return &fs.PathError{Op: op, Path: name, Err: syscall.EACCES}
			}
			return nil
		})
		must(t, os.Chmod(at1(root, path), 0o700))
		if err != nil || !has(got, RuleMode, path) || info.IsDir() && !slices.Contains(names(got), RuleMissingFile.Name) {
			t.Errorf("%s: %v %v", path, err, got)
		}
	}
}

// Who may own the directory that the root lies in.
func TestTrustedParent(t *testing.T) {
	requirement.Claim(t, "AMB-69")
	for _, c := range []struct {
		uid   uint32
		mode  fs.FileMode
		modes Modes
		want  bool
	}{
		{1000, 0o700, HostModes, true},
		{1000, 0o777, HostModes, true},
		{0, 0o777 | fs.ModeSticky, HostModes, true},
		{0, 0o755, HostModes, false},
		{0, 0o755, SandboxModes, true},
		{0, 0o775, SandboxModes, false},
		{1001, 0o755, HostModes, false},
		{1001, 0o755, SandboxModes, false},
	} {
		if got := trustedParent(disk.Info{UID: c.uid, Mode: c.mode}, c.modes, 1000); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	s := workItem(t, contract.GitHub)
	root := s.write(t)
	must(t, os.Chmod(filepath.Dir(root), 0o700))
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, root, HostModes, uint32(os.Geteuid())+1, list)
	must(t, err)
	d.Close()
	if !has(list.Sorted(), RuleParent, "") {
		t.Errorf("someone else's parent: %v", list.Sorted())
	}
}

// The root may be named in any way that names it.
func TestNamesOfTheRoot(t *testing.T) {
	s := workItem(t, contract.GitHub)
	root := s.write(t)
	t.Chdir(root)
	for _, name := range []string{".", "./", "../context", "../context/.", root + "/", root + "/records/.."} {
		if got := verifyAt(t, name, s.digest()); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
	t.Chdir(filepath.Join(root, "records"))
	if got := verifyAt(t, "..", s.digest()); len(got) != 0 {
		t.Errorf("..: %v", got)
	}
}

// Files that are longer than any may be are not read.
func TestTooLarge(t *testing.T) {
	requirement.Claim(t, "CMP-02")
	s := changeProposal(t, contract.GitHub)
	s.index(t, func(d map[string]any) {
		put(d, maxDocument+1, "files", find(d, "files", "path", tree.EntityPath), "bytes")
	})
	if got := s.judgeWith(t, marked{}); !has(got, RuleTooLarge, tree.EntityPath) {
		t.Errorf("got %v", got)
	}
	big := memory{tree.IndexPath: make([]byte, maxDocument+1)}
	list := &finding.List{}
	d := &Disk{entries: big.entries(), list: list}
	must(t, judge(context.Background(), d, big, Options{IndexSHA256: tree.Digest(big[tree.IndexPath]), Scanner: marked{}}, list, &Report{}))
	if got := list.Sorted(); len(got) != 1 || got[0].Rule != RuleTooLarge.Name {
		t.Errorf("index: %v", got)
	}
}

// A record's bound counts the body and not the header, however long that is.
func TestHeaderIsNoBody(t *testing.T) {
	requirement.Claim(t, "BND-02")
	s := changeProposal(t, contract.GitHub)
	body("c1", "a\n")(t, s)
	s.edit(t, tree.CollectionPath, func(d map[string]any) { put(d, 38, "bounds", "max_record_bytes") })
	s.reseal(t)
	if got := s.judgeWith(t, marked{}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestCancelled(t *testing.T) {
	s := workItem(t, contract.GitHub)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tree(ctx, s.write(t), Options{IndexSHA256: s.digest(), Scanner: marked{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
