package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE

// File is a memory file. It is written, then sealed, then read.
type File struct {
	f *os.File
	writer
}

// New makes an empty memory file.
func New(name string) (*File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		if errors.Is(err, unix.ENOSYS) {
			return nil, errUnsupported
		}
		return nil, fmt.Errorf("memory file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	return &File{f: f, writer: writer{w: f, digest: sha256.New()}}, nil
}

// Size is the number of bytes written.
func (f *File) Size() int64 { return f.n }

// Seal forbids every change and gives the digest of the bytes as they are then, read back
// from the sealed file. ErrChanged if they are not those that were written, or more.
func (f *File) Seal() (digest string, err error) {
	f.sealed = true
	if _, err := unix.FcntlInt(f.f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	got, err := unix.FcntlInt(f.f.Fd(), unix.F_GET_SEALS, 0)
	if err != nil || got&seals != seals {
		return "", errors.Join(errors.New("the seals did not hold"), err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f.f, 0, f.n)); err != nil {
		return "", fmt.Errorf("sealed file: %w", err)
	}
	info, err := f.f.Stat()
	if err != nil {
		return "", fmt.Errorf("sealed file: %w", err)
	}
	sealed := h.Sum(nil)
	if info.Size() != f.n || !bytes.Equal(sealed, f.digest.Sum(nil)) {
		return "", ErrChanged
	}
	return hex.EncodeToString(sealed), nil
}

// ReadAt reads from the file.
func (f *File) ReadAt(p []byte, offset int64) (int, error) { return f.f.ReadAt(p, offset) }

// Stdin gives the file as the standard input of a child: read-only, from its start.
// The caller closes it.
func (f *File) Stdin() (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", f.f.Fd()), os.O_RDONLY, 0)
}

// Close gives the memory back.
func (f *File) Close() error { return f.f.Close() }

// Undumpable keeps other processes of the same user from opening the files of this one
// through /proc.
func Undumpable() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
