package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// The names inside a run directory, and the start of its own name.
const (
	RunPrefix   = "snapline-"
	LockName    = "lock"
	ContextName = "context"
	BuildName   = "context.tmp"
)

// newPrefix is the start of a run directory's name until it has its lock and line: one of
// that name without them belongs to a maker that was killed in its first moments (AMB-97).
const newPrefix = RunPrefix + "new-"

// makeTries bounds how often a maker starts again when somebody took its directory away.
const makeTries = 64

// LockMagic is the first line of a run directory's lock file. Whoever makes a run
// directory takes flock on the file first and writes the line then: a directory
// without the line is nobody's run directory, and one with it and without a lock is
// abandoned.
const LockMagic = "snapline run directory\n"

// runDir is an open run directory.
type runDir struct {
	dir  Dir
	name string // in its parent, if it was made here
	lock File   // nil if its maker holds the lock
}

// makeRunDir makes a run directory in parent and takes its lock. It is made under a name
// that says so and renamed when it has its lock and line; a scavenger that takes it before
// is no failure (AMB-97).
func makeRunDir(parent Dir) (*runDir, error) {
	var last error
	for range makeTries {
		run, err := tryRunDir(parent)
		if err == nil {
			return run, nil
		}
		if last = err; !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errTaken) {
			return nil, err
		}
	}
	return nil, last
}

// errTaken says that what was made is no longer what stands there.
var errTaken = errors.New("another process removed the directory while it was made")

func tryRunDir(parent Dir) (*runDir, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	first, name := newPrefix+hex.EncodeToString(random), RunPrefix+hex.EncodeToString(random)
	dir, err := parent.Mkdir(first)
	if err != nil {
		return nil, err
	}
	run := &runDir{dir: dir, name: first}
	if err := run.settle(parent, name); err != nil {
		return nil, errors.Join(err, ignoreGone(run.close(parent)))
	}
	return run, nil
}

// settle locks a new directory, gives it its last name, and looks whether it is still there.
func (r *runDir) settle(parent Dir, name string) error {
	if err := r.makeLock(); err != nil {
		return err
	}
	if err := parent.Rename(r.name, parent, name); err != nil {
		return err
	}
	r.name = name
	if same, err := isStill(parent, name, r.dir, r.lock); err != nil || !same {
		return errors.Join(err, errTaken)
	}
	return nil
}

// ignoreGone drops errors of removing what another process has removed.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (r *runDir) makeLock() error {
	lock, err := r.dir.Create(LockName)
	if err != nil {
		return err
	}
	r.lock = lock
	got, err := lock.Lock()
	if err != nil {
		return err
	}
	if !got {
		return errTaken // a scavenger looks at it just now
	}
	return writeAll(lock, []byte(LockMagic))
}

// close closes a run directory; one that was made here, and is empty but for its
// lock, is removed before the lock is given back.
func (r *runDir) close(parent Dir) error {
	var errs []error
	if r.name != "" {
		if r.lock != nil {
			errs = append(errs, r.dir.Remove(LockName))
		}
		errs = append(errs, parent.RemoveDir(r.name), r.dir.Close())
	}
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	return errors.Join(errs...)
}

// asRunDir reports whether dir is a run directory of the caller: private, its own,
// with a lock file that carries the magic line. It gives that file, open.
func asRunDir(dir Dir) (lock File, is bool, err error) {
	info, err := dir.Info()
	if err != nil {
		return nil, false, err
	}
	if info.Kind != Directory || info.Mode != DirMode || info.UID != userID() {
		return nil, false, nil
	}
	entry, err := dir.Stat(LockName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !isLock(entry) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	lock, err = dir.Open(LockName)
	if err != nil {
		return nil, false, err
	}
	is, err = carriesMagic(lock, entry)
	if err != nil || !is {
		return nil, false, errors.Join(err, lock.Close())
	}
	return lock, true, nil
}

func carriesMagic(lock File, entry Info) (bool, error) {
	opened, err := lock.Info()
	if err != nil {
		return false, err
	}
	if !opened.Same(entry) || !isLock(opened) {
		return false, nil
	}
	line := make([]byte, len(LockMagic))
	n, err := io.ReadFull(lock, line)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(line[:n]) == LockMagic, err
}

func isLock(i Info) bool { return i.Kind == Regular && i.Links == 1 && i.UID == userID() }

func userID() uint32 { return uint32(os.Geteuid()) }

func writeAll(f File, data []byte) error {
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// removeTree removes the directory name and everything below it by handles, no link
// followed. It goes on after an error and gives them all.
func removeTree(parent Dir, name string, depth int) error {
	if depth == 0 {
		return &fs.PathError{Op: "remove", Path: name, Err: errors.New("nested too deeply")}
	}
	dir, err := parent.Dir(name)
	if err != nil {
		return err
	}
	names, err := dir.Names()
	errs := []error{err}
	for _, entry := range names {
		errs = append(errs, removeEntry(dir, entry, depth))
	}
	errs = append(errs, dir.Close(), parent.RemoveDir(name))
	return errors.Join(errs...)
}

func removeEntry(dir Dir, name string, depth int) error {
	info, err := dir.Stat(name)
	switch {
	case err != nil:
		return err
	case info.Kind == Directory:
		return removeTree(dir, name, depth-1)
	}
	return dir.Remove(name)
}

// maxDepth is the depth of the deepest tree that is removed, in directories.
const maxDepth = 32
