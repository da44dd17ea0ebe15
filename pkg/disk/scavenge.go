package disk

import (
	"errors"
	"io/fs"
	"strings"

	"snapline/pkg/fault"
)

// Abandoned is what Scavenge found in one directory.
type Abandoned struct {
	Name    string
	Removed bool
	Reason  string // why it was kept
	Err     error  // why it could not be removed
}

// Scavenge removes the run directories below root that were left behind by a process
// that was killed (LIF-04): directories named snapline-* that belong to the caller,
// whose lock file carries the magic line and can be locked without waiting. It works
// by directory handles, follows no link and holds the lock to the end.
func Scavenge(fsys FS, root string) ([]Abandoned, error) {
	dir, err := fsys.Dir(root)
	if err != nil {
		return nil, &fault.Error{Exit: fault.Environment, File: root, Rule: "scavenge.root", Detail: "the directory cannot be opened", Cause: err}
	}
	defer dir.Close()
	names, err := dir.Names()
	if err != nil {
		return nil, &fault.Error{Exit: fault.Environment, File: root, Rule: "scavenge.root", Detail: "the directory cannot be listed", Cause: err}
	}
	var found []Abandoned
	for _, name := range names {
		if strings.HasPrefix(name, RunPrefix) {
			reason, err := scavenge(dir, name)
			found = append(found, Abandoned{Name: name, Removed: reason == "" && err == nil, Reason: reason, Err: err})
		}
	}
	return found, nil
}

// scavenge removes one run directory or tells why not.
func scavenge(parent Dir, name string) (reason string, err error) {
	entry, err := parent.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it is gone already", nil
	case err != nil:
		return "", err
	case entry.Kind != Directory:
		return "it is no directory", nil
	}
	dir, err := parent.Dir(name)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	lock, is, err := asRunDir(dir)
	if err == nil && !is && strings.HasPrefix(name, newPrefix) {
		return scavengeNew(parent, name, dir)
	}
	if err != nil || !is {
		return "it is no run directory of this user", err
	}
	defer lock.Close()
	got, err := lock.Lock()
	if err != nil || !got {
		return "it is in use", err
	}
	// Between looking and locking another process may have removed it.
	if same, err := isStill(parent, name, dir, lock); err != nil || !same {
		return "it is gone already", err
	}
	names, err := dir.Names()
	errs := []error{err}
	for _, inside := range names {
		if inside != LockName {
			errs = append(errs, removeEntry(dir, inside, maxDepth))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return "", err // the lock file stays, so that the next run can try again
	}
	return "", errors.Join(dir.Remove(LockName), parent.RemoveDir(name))
}

// scavengeNew removes a directory whose maker was killed before it had lock and line: an
// empty one of the caller, or one whose only entry is a lock that nobody holds (AMB-97).
func scavengeNew(parent Dir, name string, dir Dir) (reason string, err error) {
	const foreign = "it is no run directory of this user"
	info, err := dir.Info()
	if err != nil || info.Mode != DirMode || info.UID != userID() {
		return foreign, err
	}
	names, err := dir.Names()
	switch {
	case err != nil:
		return "", err
	case len(names) == 0:
		return "", ignoreGone(parent.RemoveDir(name))
	case len(names) > 1 || names[0] != LockName:
		return foreign, nil
	}
	lock, err := dir.Open(LockName)
	if err != nil {
		return "it is gone already", ignoreGone(err)
	}
	defer lock.Close()
	entry, err := lock.Info()
	if err != nil || !isLock(entry) {
		return foreign, err
	}
	if got, err := lock.Lock(); err != nil || !got {
		return "it is in use", err
	}
	if same, err := isStill(parent, name, dir, lock); err != nil || !same {
		return "it is gone already", err
	}
	return "", ignoreGone(errors.Join(dir.Remove(LockName), parent.RemoveDir(name)))
}

func isStill(parent Dir, name string, dir Dir, lock File) (bool, error) {
	for _, look := range []struct {
		now    func() (Info, error)
		opened func() (Info, error)
	}{
		{func() (Info, error) { return parent.Stat(name) }, dir.Info},
		{func() (Info, error) { return dir.Stat(LockName) }, lock.Info},
	} {
		now, err := look.now()
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		opened, err2 := look.opened()
		if err := errors.Join(err, err2); err != nil || !now.Same(opened) {
			return false, err
		}
	}
	return true, nil
}
