package bound

import (
	"context"

	"snapline/pkg/program/pipe"

	"snapline/pkg/program/cli"
	"snapline/pkg/stage/bound"
	"snapline/pkg/stream"
)

// Program is the program bound.
func Program() *cli.Program {
	return &cli.Program{
		Name:    "bound",
		Summary: "keep a filtered stream within the limits of its profile",
		Description: `Reads a filtered stream on stdin and writes a bounded stream on stdout. It
refuses a stream that filter did not write last. The limits stand in the stream's
header: how many records of each source are kept, from which end, and how long a
body, a log or a display string may be. What is cut is scanned again exactly as it
will be read. References to what is gone are removed, and everything that is missing
is counted in one gap line for each scope and code. What was cut or dropped is named
on stderr once, by id and code, never by text.`,
		Examples: []string{
			"bound <filtered.ndjson >bounded.ndjson",
			"fetch URL | filter | bound | emit --out DIR",
		},
		Flags:   pipe.Flags(),
		Version: pipe.Version,
		Action: func(call *cli.Call) error {
			in := pipe.Input(call, 2)
			return pipe.Run(call, "bound", call.Flags.String("capture"), func(ctx context.Context, out *stream.Writer) error {
				return bound.Run(ctx, in, out, call.Log)
			})
		},
	}
}
