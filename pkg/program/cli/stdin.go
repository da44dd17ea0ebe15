package cli

import (
	"context"
	"io"
)

// stdinBuffer is the size in bytes of each of the two buffers of an interruptible
// reader.
const stdinBuffer = 256 << 10

// interruptible gives a reader of r whose Read returns as soon as ctx is done: a
// program that is told to stop must not wait for whoever should write to it. A read
// of r that is under way then is left alone, its bytes are lost.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleReader{ctx: ctx, r: r}
}

type interruptibleReader struct {
	ctx  context.Context
	r    io.Reader
	full chan chunk  // filled buffers, from the goroutine that reads r
	free chan []byte // buffers to fill, to it
	now  chunk       // what Read is handing out
	rest []byte      // of now
}

type chunk struct {
	buffer []byte
	n      int
	err    error
}

// Read implements io.Reader. It is not safe for concurrent use.
func (i *interruptibleReader) Read(p []byte) (int, error) {
	if i.full == nil {
		i.full, i.free = make(chan chunk), make(chan []byte, 2)
		i.free <- make([]byte, stdinBuffer)
		i.free <- make([]byte, stdinBuffer)
		go i.fill()
	}
	for len(i.rest) == 0 {
		if i.now.err != nil {
			return 0, i.now.err
		}
		if i.now.buffer != nil {
			i.free <- i.now.buffer
			i.now = chunk{}
		}
		select {
		case <-i.ctx.Done():
			return 0, i.ctx.Err()
		case i.now = <-i.full:
			i.rest = i.now.buffer[:i.now.n]
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// fill reads r until it fails.
func (i *interruptibleReader) fill() {
	for buffer := range i.free {
		n, err := i.r.Read(buffer)
		select {
		case <-i.ctx.Done():
			return
		case i.full <- chunk{buffer, n, err}:
		}
		if err != nil {
			return
		}
	}
}
