package disk

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"snapline/pkg/fault"
)

// Private is a file that only its owner may read, because it holds what people wrote. It
// is complete or it is not there: the bytes go to a temporary name beside it, and Keep
// gives it its own.
type Private struct {
	*os.File
	kind PrivateKind
	path string
}

// PrivateKind says in messages what a private file is.
type PrivateKind struct {
	Rule  string // the rule that a refusal names
	Name  string // what it is: "capture"
	Holds string // why it is private: "unfiltered text"
}

// NewPrivate starts a private file at path, mode 0600. It refuses with exit Usage a path
// that exists or lies in a Git work tree, where a collector of artifacts would find it, and
// one at which nothing can be made.
func NewPrivate(path string, kind PrivateKind) (*Private, error) {
	p := &Private{kind: kind, path: path}
	root, err := GitWorkTree(path)
	if err != nil {
		return nil, p.unmade(err)
	}
	if root != "" {
		return nil, p.refused("a "+kind.Name+" holds "+kind.Holds+" and cannot lie in a Git work tree",
			"name a file outside of it, for example below the runner's temporary directory")
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return nil, p.unmade(err)
		}
		return nil, p.refused("the file exists, and a "+kind.Name+" replaces nothing", "name a new file")
	}
	var salt [8]byte
	_, _ = rand.Read(salt[:]) // never fails
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+hex.EncodeToString(salt[:])+".tmp")
	if p.File, err = os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, FileMode); err != nil {
		return nil, p.unmade(err)
	}
	return p, nil
}

// Keep closes the complete file and gives it its name, without replacing a file that came
// there meanwhile. earlier is an error of finishing what was written.
func (p *Private) Keep(earlier error) error {
	err := errors.Join(earlier, p.Close())
	if err == nil {
		// A hard link, unlike a rename, never replaces.
		err = os.Link(p.Name(), p.path)
	}
	if err != nil {
		return p.Fault("the "+p.kind.Name+" cannot be kept", err)
	}
	return nil
}

// Discard removes what is left beside the path; what was kept stays.
func (p *Private) Discard() {
	_ = p.Close()
	_ = os.Remove(p.Name())
}

// Fault is an error of the environment about the file.
func (p *Private) Fault(detail string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: p.path, Rule: p.kind.Rule, Detail: detail, Cause: err}
}

func (p *Private) refused(detail, hint string) error {
	return &fault.Error{Exit: fault.Usage, File: p.path, Rule: p.kind.Rule, Detail: detail, Hint: hint}
}

// unmade is the error of a file that cannot be started: one of usage at a path at which
// nothing can be made.
func (p *Private) unmade(err error) error {
	detail := "the " + p.kind.Name + " file cannot be made"
	if errno, no := NoPlace(err); no {
		return &fault.Error{Exit: fault.Usage, File: p.path, Rule: p.kind.Rule, Detail: detail, Cause: errno, Hint: "name another file"}
	}
	return p.Fault(detail, err)
}
