package pipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"snapline/pkg/fault"
)

// InputFile is a file that the command line names, open for reading. Its Read ends
// when the context does; on macOS, where the runtime does not poll FIFOs, that of a
// FIFO only when its writer writes or leaves.
type InputFile struct {
	file *os.File
	ctx  context.Context
	stop func() bool
}

// OpenInput opens a file that the command line names. Opening a FIFO waits for
// somebody to write to it; the end of ctx ends that wait and every later one. Errors
// do not repeat the name.
func OpenInput(ctx context.Context, name string) (*InputFile, error) {
	opened, failed := make(chan *os.File), make(chan error, 1)
	go func() {
		file, err := os.Open(name)
		if err != nil {
			failed <- err
			return
		}
		select {
		case opened <- file:
		case <-ctx.Done():
			_ = file.Close()
		}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-failed:
		return nil, WithoutPath(err)
	case file := <-opened:
		return &InputFile{file, ctx, context.AfterFunc(ctx, func() { _ = file.Close() })}, nil
	}
}

// Read implements io.Reader.
func (f *InputFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if err != nil && f.ctx.Err() != nil {
		return n, f.ctx.Err()
	}
	return n, WithoutPath(err)
}

// Close implements io.Closer.
func (f *InputFile) Close() error {
	if !f.stop() {
		return nil // the context's end closes it
	}
	return f.file.Close()
}

func WithoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Unreadable is the failure of an input that cannot be had, be it that it is not there
// or that its disk fails: one of the environment, so that a stage ends its pipe with
// the true code.
func Unreadable(name string, err error) error {
	return &fault.Error{Exit: fault.Environment, File: name, Rule: "input.unreadable", Detail: "the file cannot be read", Cause: err}
}

// ReadInput reads the file of an option; one over limit bytes is a usage error.
func ReadInput(ctx context.Context, name string, limit int64) ([]byte, error) {
	file, err := OpenInput(ctx, name)
	if err != nil {
		return nil, Unreadable(name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	if int64(len(text)) > limit {
		return nil, &fault.Error{Exit: fault.Usage, File: name, Rule: "input.too-large", Detail: fmt.Sprintf("the file is over %d bytes", limit)}
	}
	return text, nil
}
