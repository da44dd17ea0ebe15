package fetch

import (
	"context"
	"errors"
	"io"

	"snapline/pkg/stream"
)

// Replay checks a capture of fetch's output and forwards it, marked as a replay: the
// mark reaches the receipt, and no agent is started on such a tree.
func Replay(ctx context.Context, in *stream.Reader, out *stream.Writer) error {
	header, err := in.Header()
	if err != nil {
		return err
	}
	header.Replay = true
	if err := out.Write(header); err != nil {
		return err
	}
	for {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out.End()
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := out.Write(l); err != nil {
			return err
		}
		in.Recycle(l)
	}
}
