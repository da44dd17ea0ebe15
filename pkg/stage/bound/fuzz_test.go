package bound

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"snapline/pkg/ndjson"
)

// FuzzRun: no stream makes bound panic, and a stream that it ends with a trailer is one
// that the strict reader of bounded streams accepts.
func FuzzRun(f *testing.F) {
	for _, s := range goldenCases() {
		f.Add(s.Bytes(f))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		var out bytes.Buffer
		in := ndjson.NewReader(bytes.NewReader(stream), ndjson.ReaderOptions{Position: 2})
		if err := Run(context.Background(), in, ndjson.NewWriter(&out), nil); err != nil {
			return
		}
		r := ndjson.NewReader(&out, ndjson.ReaderOptions{Position: 3})
		for {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
