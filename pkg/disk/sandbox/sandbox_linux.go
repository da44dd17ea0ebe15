package sandbox

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
)

func check(path string, list *finding.List) error {
	identity, err := self()
	if err != nil {
		return environment(path, err)
	}
	clean := filepath.Clean(path)
	info, err := os.Lstat(clean)
	if err != nil {
		return environment(path, err)
	}
	if !info.IsDir() {
		list.Add(finding.Finding{Rule: ruleEntry, Detail: "the root must be a real directory, not a link"})
		return nil
	}
	fd, err := unix.Open(clean, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return environment(path, err)
	}
	defer unix.Close(fd)
	w := &walker{list: list, readOnly: true}
	root, err := (disk.OS{}).Dir(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return environment(path, err)
	}
	defer root.Close()
	if err := w.walk(root, fd, ""); err != nil {
		return environment(path, err)
	}
	if w.readOnly {
		return nil
	}
	for _, f := range w.found {
		list.Add(f)
	}
	identity.judge(list)
	return ancestors(fd, identity, list)
}

// walker looks at every entry. A read-only mount settles the question for what lies on
// it, so owners and modes count only if something does not.
type walker struct {
	list     *finding.List
	found    []finding.Finding // owners and modes
	readOnly bool
}

func (w *walker) walk(dir disk.Dir, fd int, path string) error {
	var mount unix.Statfs_t
	if err := unix.Fstatfs(fd, &mount); err != nil {
		return err
	}
	w.readOnly = w.readOnly && mount.Flags&unix.ST_RDONLY != 0
	info, err := dir.Info()
	if err != nil {
		return err
	}
	w.entry(info, path)
	names, err := dir.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		below := cmp.Or(path, ".") + "/" + name
		if path == "" {
			below = name
		}
		info, err := dir.Stat(name)
		if err != nil {
			return err
		}
		switch info.Kind {
		case disk.Regular:
			w.entry(info, below)
		case disk.Directory:
			if err := w.descend(dir, fd, name, below); err != nil {
				return err
			}
		case disk.Symlink, disk.Special:
			w.list.Add(finding.Finding{Rule: ruleEntry, Path: below, Detail: "neither a directory nor a regular file"})
		}
	}
	return nil
}

func (w *walker) descend(dir disk.Dir, fd int, name, below string) error {
	sub, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(sub)
	handle, err := dir.Dir(name)
	if err != nil {
		return err
	}
	defer handle.Close()
	return w.walk(handle, sub, below)
}

func (w *walker) entry(info disk.Info, path string) {
	want := fs.FileMode(0o444)
	if info.Kind == disk.Directory {
		want = 0o555
	}
	if info.UID != 0 {
		w.found = append(w.found, finding.Finding{Rule: ruleOwner, Path: path, Detail: "must belong to root"})
	}
	if info.Mode != want {
		w.found = append(w.found, finding.Finding{Rule: ruleMode, Path: path, Detail: fmt.Sprintf("must have mode %04o", uint32(want))})
	}
	if info.Kind == disk.Regular && info.Links != 1 {
		w.found = append(w.found, finding.Finding{Rule: ruleEntry, Path: path, Detail: "must have exactly one link"})
	}
}

// process is who asks.
type process struct {
	uids         []int
	capabilities uint64 // permitted, which the process may make effective
}

// overriding are the capabilities with which a process could alter a tree that belongs
// to root: those over owners, modes, identities, mounts, devices and other processes.
var overriding = []struct {
	name string
	bit  uint
}{
	{"CAP_CHOWN", unix.CAP_CHOWN},
	{"CAP_DAC_OVERRIDE", unix.CAP_DAC_OVERRIDE},
	{"CAP_FOWNER", unix.CAP_FOWNER},
	{"CAP_SETUID", unix.CAP_SETUID},
	{"CAP_SETPCAP", unix.CAP_SETPCAP},
	{"CAP_SYS_MODULE", unix.CAP_SYS_MODULE},
	{"CAP_SYS_RAWIO", unix.CAP_SYS_RAWIO},
	{"CAP_SYS_PTRACE", unix.CAP_SYS_PTRACE},
	{"CAP_SYS_ADMIN", unix.CAP_SYS_ADMIN},
	{"CAP_MKNOD", unix.CAP_MKNOD},
	{"CAP_SETFCAP", unix.CAP_SETFCAP},
}

func self() (process, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return process{}, err
	}
	r, e, s := unix.Getresuid()
	return process{
		uids:         []int{r, e, s},
		capabilities: uint64(data[0].Permitted|data[0].Effective) | uint64(data[1].Permitted|data[1].Effective)<<32,
	}, nil
}

func (p process) judge(list *finding.List) {
	if slices.Contains(p.uids, 0) {
		list.Add(finding.Finding{Rule: ruleRoot, Detail: "the process is root, which owns the tree and may change its modes"})
	}
	for _, c := range overriding {
		if p.capabilities&(1<<c.bit) != 0 {
			list.Add(finding.Finding{Rule: ruleCapability, Position: c.name, Detail: "the process has a capability that overrides owners or modes"})
		}
	}
}

// ancestors: nothing above the tree may be exchanged for something else.
func ancestors(fd int, p process, list *finding.List) error {
	at, err := unix.Dup(fd)
	if err != nil {
		return environment("..", err)
	}
	defer func() { _ = unix.Close(at) }()
	var child unix.Stat_t
	if err := unix.Fstat(at, &child); err != nil {
		return environment("..", err)
	}
	for level := 1; ; level++ {
		up, err := unix.Openat(at, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return environment("..", err)
		}
		_ = unix.Close(at)
		at = up
		var parent unix.Stat_t
		if err := unix.Fstat(at, &parent); err != nil {
			return environment("..", err)
		}
		if parent.Dev == child.Dev && parent.Ino == child.Ino {
			return nil
		}
		if !safeAbove(&parent, &child, p) {
			list.Add(finding.Finding{Rule: ruleAncestor, Position: fmt.Sprintf("level %d", level), Detail: "a directory above the tree in which the tree could be exchanged"})
		}
		child = parent
	}
}

// safeAbove reports whether the process cannot rename child in parent.
func safeAbove(parent, child *unix.Stat_t, p process) bool {
	if slices.Contains(p.uids, int(parent.Uid)) {
		return false
	}
	open := parent.Mode&0o022 != 0
	return !open || parent.Mode&unix.S_ISVTX != 0 && !slices.Contains(p.uids, int(child.Uid))
}

func environment(path string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: path, Rule: "sandbox.unreadable", Detail: "the tree cannot be looked at", Cause: err}
}
