package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"
)

func TestInterruptibleReadsEverything(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 3*stdinBuffer/16+1)
	for name, r := range map[string]io.Reader{
		"whole":          bytes.NewReader(want),
		"odd":            iotest.HalfReader(bytes.NewReader(want)),
		"data and error": iotest.DataErrReader(bytes.NewReader(want)),
	} {
		got, err := io.ReadAll(interruptible(t.Context(), r))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	broken := errors.New("broken")
	in := interruptible(t.Context(), iotest.ErrReader(broken))
	for range 2 {
		if _, err := in.Read(make([]byte, 1)); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

// A reader that waits for a writer that never writes comes back when it is told to.
func TestInterruptibleStopsWaiting(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := interruptible(ctx, r)
	go func() { _, _ = w.Write([]byte("first")) }()
	p := make([]byte, 16)
	if n, err := in.Read(p); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	time.AfterFunc(5*time.Millisecond, cancel)
	if n, err := in.Read(p); n != 0 || !errors.Is(err, context.Canceled) {
		t.Error(n, err)
	}
}
