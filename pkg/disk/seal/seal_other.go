//go:build !linux

package seal

import "os"

// File is a memory file, which this system does not have.
type File struct{ writer }

// New gives errUnsupported.
func New(string) (*File, error) { return nil, errUnsupported }

// Size is 0.
func (f *File) Size() int64 { return f.n }

// Seal gives errUnsupported.
func (f *File) Seal() (string, error) { return "", errUnsupported }

// ReadAt gives errUnsupported.
func (f *File) ReadAt([]byte, int64) (int, error) { return 0, errUnsupported }

// Stdin gives errUnsupported.
func (f *File) Stdin() (*os.File, error) { return nil, errUnsupported }

// Close does nothing.
func (f *File) Close() error { return nil }

// Undumpable gives errUnsupported.
func Undumpable() error { return errUnsupported }
