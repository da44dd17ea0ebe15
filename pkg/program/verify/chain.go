package verify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/family"
	"snapline/pkg/family/canon"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/pipe"
	"snapline/pkg/safety"
	"snapline/pkg/stage/bound"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

func verifyChainCommand() *cli.Program {
	return &cli.Program{
		Name:      "chain",
		Summary:   "replay every stage and say where the first byte differs",
		Arguments: "RAW FILTERED BOUNDED DIR",
		Description: `Runs filter on RAW, bound on FILTERED and emit on BOUNDED once more and compares what
comes out with FILTERED, BOUNDED and the files of DIR, byte by byte: for who has all of
them and trusts none. Streams may be packed; their plain bytes count. Each stage is
judged by itself, so that one that was tampered with does not hide the others.

The credentials and the threshold must be those of the run: another number of registered
credentials is a usage error, another credential or threshold is a difference. A stream
that another program wrote differs in the header, where it names itself.`,
		Examples: []string{
			"verify chain raw.ndjson.zst filtered.ndjson bounded.ndjson context",
			`verify chain raw.ndjson.zst filtered.ndjson bounded.ndjson context --credential-env GH_TOKEN`,
		},
		Flags: append(pipe.FilterFlags(),
			&ucli.BoolFlag{Name: "strict", Usage: "filter ran with --strict"},
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object instead of lines"},
			&ucli.BoolFlag{Name: "host", Usage: "want the host's modes of DIR, 0700 and 0600 (the default)"},
			&ucli.BoolFlag{Name: "sandbox", Usage: "want the modes of the agent's copy, 0555 and 0444"},
		),
		MinArgs: 4,
		MaxArgs: 4,
		Action:  runVerifyChain,
	}
}

// The rules of a chain, beyond those of files.
const (
	ruleReplay = "chain.differs" // the replay writes another byte
	ruleStops  = "chain.stops"   // the stage stops on this input
)

func runVerifyChain(call *cli.Call) error {
	raw, filtered, bounded, dir := call.Args[0], call.Args[1], call.Args[2], call.Args[3]
	if slices.Contains(call.Args, "-") {
		return cli.Usagef("the streams of a chain are files")
	}
	m, err := modes(call)
	if err != nil {
		return err
	}
	role, err := pipe.HumanMinRole(call)
	if err != nil {
		return err
	}
	credentials, err := pipe.Credentials(call)
	if err != nil {
		return err
	}
	engine, err := safety.New(credentials)
	if err != nil {
		return err
	}
	if err := sameCredentials(call, filtered, int64(len(credentials))); err != nil {
		return err
	}
	judged := filter.Config{
		Engine: engine, Credentials: int64(len(credentials)), HumanMinRole: role, Workers: runtime.GOMAXPROCS(0),
		Strict: call.Flags.Bool("strict"), Families: family.Readers,
	}
	var findings []finding.Finding
	for _, s := range []struct {
		input, output string
		position      int
		run           func(context.Context, *stream.Reader, *stream.Writer) error
	}{
		{raw, filtered, 1, func(ctx context.Context, in *stream.Reader, out *stream.Writer) error {
			return filter.Run(ctx, in, out, judged, nil)
		}},
		{filtered, bounded, 2, func(ctx context.Context, in *stream.Reader, out *stream.Writer) error {
			return bound.Run(ctx, in, out, nil)
		}},
	} {
		found, err := replayStage(call, s.input, s.output, s.position, s.run)
		if err != nil {
			return err
		}
		findings = append(findings, found...)
	}
	found, err := replayTree(call, bounded, dir, m)
	if err != nil {
		return err
	}
	return printFindings(call, "every stage gives what it gave", struct{}{}, append(findings, found...))
}

// sameCredentials refuses another number of credentials than filter had: nothing could
// follow from the comparison.
func sameCredentials(call *cli.Call, filtered string, given int64) error {
	in, closeStream, err := openStream(call, filtered, 2)
	if err != nil {
		return err
	}
	defer closeStream()
	header, err := in.Header()
	if err != nil || header.CredentialsRegistered == given {
		return nil // a header that cannot be read has its finding
	}
	return cli.Usagef("filter had %d registered credentials and %d are given: --credentials-file, --credential-env", header.CredentialsRegistered, given)
}

// replayStage runs a stage on the stream in input and compares its output with output.
func replayStage(call *cli.Call, input, output string, position int, run func(context.Context, *stream.Reader, *stream.Writer) error) ([]finding.Finding, error) {
	in, closeInput, err := openStream(call, input, position)
	if err != nil {
		return nil, err
	}
	defer closeInput()
	file, err := pipe.OpenInput(call.Context, output)
	if err != nil {
		return nil, pipe.Unreadable(output, err)
	}
	defer file.Close()
	given, err := stream.Plain(file)
	if err != nil {
		return []finding.Finding{{Rule: ruleReplay, Path: output, Position: "byte 0", Detail: "the file cannot be unpacked, or is empty"}}, nil
	}
	defer given.Close()
	compared := &comparer{given: bufio.NewReaderSize(given, 64<<10), line: 1}
	err = run(call.Context, in, stream.NewWriter(compared))
	switch {
	case call.Context.Err() != nil:
		return nil, call.Context.Err()
	case err != nil:
		return stops(input, err)
	}
	if compared.end(); compared.differs {
		return []finding.Finding{{
			Rule: ruleReplay, Path: output, Position: fmt.Sprintf("byte %d", compared.offset), Detail: fmt.Sprintf("on line %d the stage gives another byte of this input", compared.line),
		}}, nil
	}
	return nil, nil
}

// stops is the finding of a stage that does not come to its end: its input is broken, or
// cannot give a result. A failure of the environment is one of this program.
func stops(input string, err error) ([]finding.Finding, error) {
	var e *fault.Error
	var aborted *stream.AbortError
	switch {
	case errors.As(err, &aborted):
		return []finding.Finding{{Rule: ruleStops, Path: input, Detail: "the stream ends without a result"}}, nil
	case errors.As(err, &e) && e.Exit != fault.Environment:
		f := finding.Finding{Rule: ruleStops, Path: input, Detail: e.Rule}
		if e.Line > 0 {
			f.Position = fmt.Sprintf("line %d", e.Line)
		}
		return []finding.Finding{f}, nil
	}
	return nil, err
}

func replayTree(call *cli.Call, bounded, dir string, m check.Modes) ([]finding.Finding, error) {
	in, closeStream, err := openStream(call, bounded, 3)
	if err != nil {
		return nil, err
	}
	defer closeStream()
	found, err := check.Replayed(call.Context, dir, m, func(ctx context.Context, put func(string, []byte) error) error {
		return emit.Build(ctx, in, sinkFunc(put), canon.Rejudge)
	})
	if err != nil {
		return stops(bounded, err)
	}
	return found, nil
}

// comparer compares what is written to it with what is given, up to the first difference.
type comparer struct {
	given   *bufio.Reader
	offset  int64
	line    int64
	differs bool
}

// Write implements io.Writer; it never fails.
func (c *comparer) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && !c.differs; i++ {
		b, err := c.given.ReadByte()
		if err != nil || b != p[i] {
			c.differs = true
			break
		}
		c.offset++
		if b == '\n' {
			c.line++
		}
	}
	return len(p), nil
}

// end: nothing may be given beyond what was written.
func (c *comparer) end() {
	if !c.differs {
		_, err := c.given.ReadByte()
		c.differs = !errors.Is(err, io.EOF)
	}
}
