//go:build !linux

package seal

import "os"

// File is a memory file, which this system does not have.
type File struct{ writer }

// New gives ErrUnsupported.
func New(string) (*File, error) { return nil, ErrUnsupported }

// Size is 0.
func (f *File) Size() int64 { return f.n }

// Seal gives ErrUnsupported.
func (f *File) Seal() (string, error) { return "", ErrUnsupported }

// ReadAt gives ErrUnsupported.
func (f *File) ReadAt([]byte, int64) (int, error) { return 0, ErrUnsupported }

// Stdin gives ErrUnsupported.
func (f *File) Stdin() (*os.File, error) { return nil, ErrUnsupported }

// Close does nothing.
func (f *File) Close() error { return nil }
