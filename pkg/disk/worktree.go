package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GitWorkTree gives the root of the Git work tree that path lies in, "" for none.
// path need not exist; both its spelling and what its existing part resolves to are
// looked at, since a collector of artifacts may follow a link (LIF-05).
func GitWorkTree(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if root, err := workTreeAbove(absolute); root != "" || err != nil {
		return root, err
	}
	for existing := absolute; ; existing = filepath.Dir(existing) {
		resolved, err := filepath.EvalSymlinks(existing)
		if err == nil {
			return workTreeAbove(resolved)
		}
		if !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			return "", err
		}
	}
}

func workTreeAbove(dir string) (string, error) {
	for {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrNotExist) && !isNotDir(err):
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// NoPlace reports whether err says of a path that nothing can be made there, on any
// disk: a part of it is missing or no directory, is too long, or is a link to itself.
// It gives the reason without the path.
func NoPlace(err error) (reason error, no bool) {
	for _, errno := range [...]syscall.Errno{syscall.ENOENT, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP} {
		if errors.Is(err, errno) {
			return errno, true
		}
	}
	return nil, false
}
