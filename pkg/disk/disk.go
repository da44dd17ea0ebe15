// Package disk is the file-system side of a snapshot tree. Every operation works
// on an open directory and a single name below it, follows no symbolic link, creates
// exclusively and gives private modes from the first byte whatever the umask is
// (LIF-01, VER-04). Publication is one rename that does not replace.
//
// FS, Dir and File are interfaces so that tests can put a fault at every method. OS
// is the only implementation outside tests.
package disk

import (
	"errors"
	"io"
	"io/fs"
)

// The modes of a tree on the host (LIF-01).
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// Kind is the kind of a directory entry.
type Kind uint8

// The kinds. Everything that is no directory, regular file or symbolic link is
// Special.
const (
	Special Kind = iota
	Regular
	Directory
	Symlink
)

// Info is what an entry is.
type Info struct {
	Kind  Kind
	Mode  fs.FileMode // permission bits with setuid, setgid and sticky
	Size  int64       // bytes
	Links uint64      // hard links
	UID   uint32      // owner
	Dev   uint64      // device and Inode identify the entry
	Inode uint64
}

// Same reports whether i and o are one entry.
func (i Info) Same(o Info) bool { return i.Dev == o.Dev && i.Inode == o.Inode }

// Errors of this package. Errors of the system are *fs.PathError with the entry's
// bare name.
var (
	ErrName       = errors.New("not a single path component")
	ErrNoReplace  = errors.New("the file system cannot rename without replacing")
	ErrNotPrivate = errors.New("not what was created here")
)

// FS opens directories by path.
type FS interface {
	// Dir opens the directory at path. Symbolic links above and at path are
	// followed: this is the one resolution of a root's parent (AMB-69).
	Dir(path string) (Dir, error)
}

// Dir is an open directory. Names are single components; anything else is ErrName.
type Dir interface {
	// Info describes the directory itself.
	Info() (Info, error)
	// Stat describes an entry without following it.
	Stat(name string) (Info, error)
	// Names lists the entries, sorted bytewise.
	Names() ([]string, error)
	// Dir opens a real directory.
	Dir(name string) (Dir, error)
	// Open opens an entry for reading. It neither follows a link nor blocks on a
	// pipe; the caller judges File.Info before it reads.
	Open(name string) (File, error)
	// Mkdir creates a directory that did not exist, mode DirMode, and opens it.
	Mkdir(name string) (Dir, error)
	// Create creates a regular file that did not exist, mode FileMode, and opens it
	// for writing.
	Create(name string) (File, error)
	// Rename moves an entry of this directory to name in to. It replaces nothing:
	// fs.ErrExist if name exists, ErrNoReplace if the file system cannot promise it.
	Rename(old string, to Dir, name string) error
	// Remove removes a file or link, never a directory.
	Remove(name string) error
	// RemoveDir removes an empty directory.
	RemoveDir(name string) error
	// Sync makes everything written to this file system durable.
	Sync() error
	// Close releases the handle.
	Close() error
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	// Info describes the open file.
	Info() (Info, error)
	// Lock takes the exclusive advisory lock without waiting and reports whether it
	// got it. Close releases it.
	Lock() (bool, error)
	// Close releases the handle; its error means that written bytes may be lost.
	Close() error
}

// checkName refuses what is not one component.
func checkName(op, name string) error {
	if name == "" || name == "." || name == ".." {
		return &fs.PathError{Op: op, Path: name, Err: ErrName}
	}
	for i := range len(name) {
		if name[i] == '/' || name[i] == 0 {
			return &fs.PathError{Op: op, Path: name, Err: ErrName}
		}
	}
	return nil
}
