package emit

import (
	"context"

	"snapline/pkg/ndjson"
)

// Build gives out the files of the tree of a bounded stream, each once, in any order,
// and publishes nothing: for who compares them with a tree.
func Build(ctx context.Context, in *ndjson.Reader, out sink, recovered Recover) error {
	header, err := in.Header()
	if err != nil {
		return err
	}
	if _, err := build(ctx, header, in.Next, out, recovered); err != nil {
		return position(err, in.Line())
	}
	return nil
}
