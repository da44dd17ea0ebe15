package bound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"snapline/pkg/stream"
)

// FuzzRun: no stream makes bound panic, and a stream that it ends with a trailer is one
// that the strict reader of bounded streams accepts.
func FuzzRun(f *testing.F) {
	for _, s := range goldenCases() {
		f.Add(s.Bytes(f))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out bytes.Buffer
		in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 2})
		if err := Run(context.Background(), in, stream.NewWriter(&out), nil); err != nil {
			return
		}
		r := stream.NewReader(&out, stream.ReaderOptions{Position: 3})
		for {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
