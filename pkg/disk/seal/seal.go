// Package seal makes memory files that nobody can write any more, the maker included:
// what was put in and judged is what a later reader gets, whatever other processes do
// (VER-05, VER-06). It needs Linux; elsewhere every call says so.
package seal

import (
	"errors"
	"hash"
	"io"
)

// errUnsupported means that this system cannot seal memory.
var errUnsupported = errors.New("this system has no sealed memory files")

// errSealed is returned by a write after the seal.
var errSealed = errors.New("the file is sealed")

// ErrChanged is returned by Seal when the file does not hold what was written: whoever runs
// as the same user could open it before it was sealed (AMB-98).
var ErrChanged = errors.New("the memory file was changed while it was written")

// writer counts and digests what it passes on.
type writer struct {
	w      io.Writer
	n      int64
	digest hash.Hash
	sealed bool
}

func (w *writer) Write(p []byte) (int, error) {
	if w.sealed {
		return 0, errSealed
	}
	n, err := w.w.Write(p)
	w.n += int64(n)
	w.digest.Write(p[:n])
	return n, err
}
