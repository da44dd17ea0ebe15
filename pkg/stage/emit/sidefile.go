package emit

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
)

// sideFile is what --receipt and --statement ask for: for audits, never a root of trust.
// Its path is checked before anything is read; the file is written right before the tree
// appears and removed if that fails.
type sideFile struct {
	what    string // receipt, statement
	path    string
	name    string
	dir     disk.Dir
	written bool
}

func newSideFile(fsys disk.FS, what, path string) (*sideFile, error) {
	if path == "" {
		return nil, nil
	}
	dir, err := fsys.Dir(filepath.Dir(path))
	if err != nil {
		return nil, unusable(what, path, "the directory of the "+what+" cannot be opened", err)
	}
	r := &sideFile{what: what, path: path, name: filepath.Base(path), dir: dir}
	_, err = dir.Stat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err == nil:
		err = sideFault(fault.Usage, what, path, "the path exists; --"+what+" must not exist", nil)
	default:
		err = unusable(what, path, "it cannot be told whether the path exists", err)
	}
	return nil, errors.Join(err, dir.Close())
}

// write creates the file, mode 0600, and checks that it is written and closed.
func (r *sideFile) write(content []byte) error {
	if r == nil {
		return nil
	}
	file, err := r.dir.Create(r.name)
	if err != nil {
		return sideFault(fault.Environment, r.what, r.path, "the "+r.what+" cannot be created", err)
	}
	r.written = true
	n, err := file.Write(content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return sideFault(fault.Environment, r.what, r.path, "the "+r.what+" cannot be written", err)
	}
	return nil
}

// close releases the directory and removes the file unless the run has succeeded.
func (r *sideFile) close(keep bool) error {
	if r == nil {
		return nil
	}
	var err error
	if r.written && !keep {
		err = r.dir.Remove(r.name)
	}
	if err = errors.Join(err, r.dir.Close()); err != nil && !keep {
		return sideFault(fault.Environment, r.what, r.path, "the "+r.what+" of a failed run cannot be removed", err)
	}
	return nil
}

// unusable is a usage error for a path at which nothing can be made.
func unusable(what, path, detail string, err error) error {
	if errno, no := disk.NoPlace(err); no {
		return sideFault(fault.Usage, what, path, detail, errno)
	}
	return sideFault(fault.Environment, what, path, detail, err)
}

func sideFault(exit fault.Exit, what, path, detail string, err error) error {
	return &fault.Error{Exit: exit, File: path, Rule: what + ".file", Detail: detail, Cause: err}
}
