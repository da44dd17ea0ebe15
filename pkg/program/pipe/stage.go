package pipe

import (
	"context"
	"errors"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/stream"
)

// stage is the body of fetch, filter or bound: it writes header, lines and trailer.
type stage func(ctx context.Context, out *stream.Writer) error

// Run runs a stage that writes a stream on stdout, teed into a capture if one
// is asked for. A stage that fails ends its stream with an abort line, so that the
// rest of the pipe ends with the same code and says nothing more (stream rules on
// stopping). An abort from upstream is forwarded without a message. A stage that fails
// before it begins gives its error to End for the same reason.
func Run(call *cli.Call, name, capture string, body stage) error {
	if call.Env.StdoutTerminal && !call.Flags.Bool(force.Name) {
		return cli.Usagef("the stream would go to the terminal, with whatever its texts make of it: pipe it on, or give --%s", force.Name)
	}
	out := Writer(call)
	var tee *stream.Capture
	if capture != "" {
		var err error
		if tee, err = stream.NewCapture(capture); err != nil {
			return End(name, out, err)
		}
		defer tee.Discard()
		out.Tee(tee)
	}
	ctx, stop := untilReaderLeaves(call.Context, call.Env.Stdout)
	defer stop()
	err := body(ctx, out)
	if err == nil {
		lines, digest := out.Written()
		call.Log.Detail(fault.Notice{Count: lines, Digest: digest, Text: "lines written"})
		return keepCapture(call, name, tee, capture)
	}
	if cause := context.Cause(ctx); cli.ReaderLeft(cause) {
		return cause
	}
	return End(name, out, err)
}

// Writer gives the writer of a stage on stdout. Its abort line names the request of
// --request-id, if the stage has that option.
func Writer(call *cli.Call) *stream.Writer {
	out := stream.NewWriter(call.Env.Stdout)
	if id := call.Flags.String("request-id"); tree.ValidLabel(id) {
		out.Request(id)
	}
	return out
}

// End ends the stream of a stage that failed: an abort line from upstream is
// forwarded without a message, any other failure is told by an abort line of its own.
func End(name string, out *stream.Writer, err error) error {
	var upstream *stream.AbortError
	if errors.As(err, &upstream) {
		if werr := out.Abort(upstream.Abort); werr != nil {
			return cli.Unwritten(werr)
		}
		return &cli.SilentError{Exit: fault.Exit(upstream.Abort.Exit)}
	}
	if abort, ok := abortOf(name, err); ok {
		if werr := out.Abort(abort); werr != nil && !cli.ReaderLeft(err) {
			return errors.Join(err, cli.Unwritten(werr))
		}
	}
	return err
}

func keepCapture(call *cli.Call, name string, tee *stream.Capture, path string) error {
	if tee == nil {
		return nil
	}
	if err := tee.Keep(); err != nil {
		return err
	}
	text := "capture written to " + fault.Printable(path, 256)
	if name == contract.StageNames[0] {
		text += "; it holds unfiltered text"
	}
	call.Log.Notice(fault.Notice{Text: text})
	return nil
}

// abortOf gives the abort line of an error, unless the error is one of usage or
// stdout has no reader.
func abortOf(name string, err error) (contract.Abort, bool) {
	exit := fault.ExitOf(err)
	abort := contract.Abort{Stage: name, Exit: int64(exit), Cause: contract.CauseComponent}
	switch {
	case exit == fault.Usage || cli.ReaderLeft(err):
		return abort, false
	case exit == fault.Input:
		abort.Cause = contract.CauseInput
	case exit == fault.Environment:
		abort.Cause = contract.CauseEnvironment
	case exit == fault.Unsupported:
		abort.Cause = contract.CauseUnsupported
	}
	var e *fault.Error
	if errors.As(err, &e) && e.Scope != "" {
		abort.Cause, abort.Scope, abort.Code = contract.CauseGap, contract.Scope(e.Scope), contract.GapCode(e.Code)
	}
	return abort, true
}

// force is the flag of all stages that write a stream.
var force = &ucli.BoolFlag{Name: "force", Usage: "write the stream even to a terminal"}

// Flags are those of every stage that writes a stream.
func Flags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "capture", Usage: "also write the stream into `FILE`, which must be new (.gz and .zst compress)"},
		force,
	}
}

// Input gives the reader of stdin for a stage that reads what position wrote. Who starts
// a stage alone is told what it waits for.
func Input(call *cli.Call, position int) *stream.Reader {
	if call.Env.StdinTerminal {
		call.Log.Notice(fault.Notice{Text: "waiting for a stream on the terminal; pipe one in, or end with ^D"})
	}
	return stream.NewReader(call.Env.Stdin, stream.ReaderOptions{Name: "stdin", Position: position})
}
