package verify

import (
	"errors"
	"fmt"

	"snapline/pkg/family"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/audit"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/stream"
)

func verifyStreamCommand() *cli.Program {
	return &cli.Program{
		Name:      "stream",
		Summary:   "audit one stage's stream",
		Arguments: "FILE|-",
		Description: `Reads a stream that fetch, filter or bound wrote, plain or compressed, and checks
shape, order, keys, references and trailer, and what that stage promises: a filtered
stream holds nothing that the filters would change and nobody who is not admitted; a
bounded one exceeds no bound besides and refers to nothing that is not there.

--against names the stream that the stage read: then nothing may be invented, nothing
dropped without a gap, no gap counted for nothing, and input_sha256 must be the
digest of that stream. Texts are compared exactly unless run credentials were
registered, which only filter knew.`,
		Examples: []string{
			"verify stream filtered.ndjson --against fetched.ndjson",
			"bound <filtered.ndjson | tee bounded.ndjson | verify stream - --against filtered.ndjson",
		},
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "against", Usage: "the stream in `FILE` that the stage read"},
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object instead of lines"},
		},
		MinArgs: 1,
		MaxArgs: 1,
		Action:  runVerifyStream,
	}
}

func runVerifyStream(call *cli.Call) error {
	name := call.Args[0]
	o := audit.Options{Families: family.Readers}
	var err error
	if o.Scanner, err = newScanner(); err != nil {
		return err
	}
	in, closeStream, err := openStream(call, name, 0)
	if err != nil {
		return err
	}
	defer closeStream()
	report, err := auditStream(call, in, name, o)
	if err != nil {
		return err
	}
	verified := fmt.Sprintf("%d lines of %s, digest %s", report.Lines, report.Stage, report.Digest)
	return printFindings(call, verified, struct {
		Stage  string `json:"stage"`
		Lines  int64  `json:"lines"`
		Digest string `json:"sha256"`
	}{report.Stage, report.Lines, report.Digest}, report.Findings)
}

func auditStream(call *cli.Call, in *stream.Reader, name string, o audit.Options) (*audit.Report, error) {
	against := call.Flags.String("against")
	if against == "" {
		return audit.Stream(call.Context, in, name, o)
	}
	if against == "-" && name == "-" {
		return nil, cli.Usagef("only one of the streams can be stdin")
	}
	input, closeInput, err := openStream(call, against, 0)
	if err != nil {
		return nil, err
	}
	defer closeInput()
	return audit.Against(call.Context, in, name, input, against, o)
}

// openStream gives the reader of a stream in a file, or of stdin for -.
func openStream(call *cli.Call, name string, position int) (*stream.Reader, func(), error) {
	if name == "-" {
		return pipe.Input(call, position), func() {}, nil
	}
	f, err := pipe.OpenInput(call.Context, name)
	if err != nil {
		return nil, nil, pipe.Unreadable(name, err)
	}
	return stream.NewReader(f, stream.ReaderOptions{Name: name, Position: position}), func() { _ = f.Close() }, nil
}

// upstreamFailure words the abort line of a stream that was to give a result.
func upstreamFailure(err error) error {
	var abort *stream.AbortError
	if errors.As(err, &abort) {
		return &fault.Error{Exit: fault.Exit(abort.Abort.Exit), Rule: "stream.aborted", Detail: "the stream ends without a result"}
	}
	return err
}
