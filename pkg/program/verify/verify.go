package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"snapline/pkg/family/canon"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/check/provenance"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/program/cli"
	"snapline/pkg/safety"
	"snapline/pkg/stage/emit"
)

// Program is the program verify. Each subcommand has a file of its own.
func Program() *cli.Program {
	return &cli.Program{
		Name:      "verify",
		Summary:   "re-check a published tree from its documents alone",
		Arguments: "DIR",
		Description: `Trusts nothing on disk but the digest that it is given: the index must have that
digest, every listed file its own, and nothing else may be there. Then every
document is judged by its schema and against the others, the views are derived
again, and the filters are run again over every text that no bound has cut.

All findings are printed, sorted, one a line, or as one JSON object with --json.
No finding: exit 0 and no output, but for a line that tells a terminal what was
verified. A changed index is another root; nothing that it says is looked at.

The digest is the one that emit printed in its receipt. Keep it in a variable that
nothing between emit and verify can write: a receipt file beside the tree proves
nothing. A tree named like a subcommand is given as ./stream.`,
		Examples: []string{
			`verify --index-sha256 "$digest" "$RUNNER_TEMP/context"`,
			`verify "$RUNNER_TEMP/context" --index-sha256 "$digest" --stream bounded.ndjson --json`,
		},
		Flags: []ucli.Flag{
			indexDigestFlag(),
			&ucli.BoolFlag{Name: "json", Usage: "print one JSON object instead of lines"},
			&ucli.BoolFlag{Name: "host", Usage: "want the host's modes, 0700 and 0600 (the default)"},
			&ucli.BoolFlag{Name: "sandbox", Usage: "want the modes of the agent's copy, 0555 and 0444"},
			&ucli.StringSliceFlag{Name: "stream", Usage: "also build the tree anew from the bounded stream in `FILE` and name what differs; with --statement any stage's stream, and may be repeated"},
			&ucli.StringFlag{Name: "statement", Usage: "also hold the statement in `FILE` against the tree and the streams: every digest, not its signature"},
			&ucli.StringFlag{Name: "builder-id", Usage: "want this `URI` as the statement's builder"},
		},
		Commands: []*cli.Program{
			verifyStreamCommand(), verifyGapsCommand(), verifyBlocksCommand(), verifyMCPCommand(), verifyReportCommand(), verifyDiffCommand(), verifyWhyCommand(), verifySealCommand(), verifyUnpackCommand(), verifySandboxCommand(), verifyHoldCommand(), verifyChainCommand(),
			verifyCanonCommand(), verifyMSPCommand(),
		},
		MinArgs: 1,
		MaxArgs: 1,
		Version: pipe.Version,
		Action:  onEntityTree(runVerify),
	}
}

func indexDigestFlag() ucli.Flag {
	return &ucli.StringFlag{Name: "index-sha256", Usage: "the root `DIGEST` that emit printed: 64 lowercase hex digits"}
}

// indexDigest gives the digest that the caller kept.
func indexDigest(call *cli.Call) (string, error) {
	digest := call.Flags.String("index-sha256")
	return digest, wanted("index-sha256", digest)
}

func modes(call *cli.Call) (check.Modes, error) {
	if call.Flags.Bool("host") && call.Flags.Bool("sandbox") {
		return 0, cli.Usagef("--host and --sandbox exclude each other")
	}
	if call.Flags.Bool("sandbox") {
		return check.SandboxModes, nil
	}
	return check.HostModes, nil
}

// onEntityTree gives an action whose error says which command is the right one if its
// argument is a tree of documents.
func onEntityTree(action cli.Action) cli.Action {
	return func(call *cli.Call) error {
		err := action(call)
		var e *fault.Error
		if !errors.As(err, &e) || !has(call.Args[0], tree.ManifestPath) || has(call.Args[0], tree.IndexPath) {
			return err
		}
		hinted := *e
		hinted.Hint = "this is a tree of documents: verify canon|msp DIR --manifest-sha256 DIGEST"
		return &hinted
	}
}

func has(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

func runVerify(call *cli.Call) error {
	digest, err := indexDigest(call)
	if err != nil {
		return err
	}
	m, err := modes(call)
	if err != nil {
		return err
	}
	o := check.Options{IndexSHA256: digest, Modes: m}
	if o.Scanner, err = newScanner(); err != nil {
		return err
	}
	if call.Flags.IsSet("builder-id") && call.Flags.String("statement") == "" {
		return cli.Usagef("--builder-id is for --statement")
	}
	streams, bounded, err := givenStreams(call)
	if err != nil {
		return err
	}
	if bounded != "" {
		in, closeStream, err := openStream(call, bounded, 3)
		if err != nil {
			return err
		}
		defer closeStream()
		o.Rebuild = func(ctx context.Context, put func(string, []byte) error) error {
			return upstreamFailure(emit.Build(ctx, in, sinkFunc(put), canon.Rejudge))
		}
	}
	report, err := check.Tree(call.Context, call.Args[0], o)
	if err != nil {
		return err
	}
	if len(report.Findings) == 0 && call.Flags.String("statement") != "" {
		if report.Findings, err = heldStatement(call, report, streams); err != nil {
			return err
		}
	}
	return printReport(call, report)
}

// givenStreams gives what the streams of --stream say and the one that bound wrote. Without
// a statement one bounded stream can be given, and stdin.
func givenStreams(call *cli.Call) (streams []provenance.Stream, bounded string, err error) {
	paths := call.Flags.StringSlice("stream")
	if call.Flags.String("statement") == "" {
		if len(paths) > 1 {
			return nil, "", cli.Usagef("--stream takes one bounded stream; several are for --statement")
		}
		return nil, strings.Join(paths, ""), nil
	}
	for _, path := range paths {
		if path == "-" {
			return nil, "", cli.Usagef("beside --statement a stream is a file")
		}
		s, err := pipe.ReadStream(call, path)
		if err != nil {
			return nil, "", upstreamFailure(err)
		}
		if s.Header.Family != contract.FamilyEntity {
			return nil, "", cli.Usagef("--stream takes streams of an issue or change proposal")
		}
		if s.Header.Position() == 3 {
			bounded = path
		}
		streams = append(streams, provenance.Stream(*s))
	}
	return streams, bounded, nil
}

// heldStatement judges the statement about a tree that holds.
func heldStatement(call *cli.Call, report *check.Report, streams []provenance.Stream) ([]finding.Finding, error) {
	path := call.Flags.String("statement")
	raw, err := pipe.ReadInput(call.Context, path, provenance.MaxBytes)
	if err != nil {
		return nil, err
	}
	for position, what := range [...]string{1: "of the capture", 3: "of the stages"} {
		held := slices.ContainsFunc(streams, func(s provenance.Stream) bool { return s.Header.Position() == position })
		if what != "" && !held {
			call.Log.Notice(fault.Notice{Text: "what the statement says " + what + " was not held against a stream; give --stream"})
		}
	}
	return provenance.Check(path, raw, provenance.Known{
		BuilderID: call.Flags.String("builder-id"), IndexSHA256: report.IndexSHA256, Index: report.Index, Collection: *report.Collection, Entity: *report.Entity,
	}, streams)
}

// sinkFunc takes the files of a tree that is built in memory.
type sinkFunc func(path string, content []byte) error

// WriteFile implements emit's sink.
func (f sinkFunc) WriteFile(path string, content []byte) error { return f(path, content) }

// newScanner gives the filters without registered credentials, which only the run
// that redacted them knew.
func newScanner() (*safety.Worker, error) {
	engine, err := safety.New(nil)
	if err != nil {
		return nil, err
	}
	return engine.NewWorker(), nil
}

// printReport writes the outcome of a verification.
func printReport(call *cli.Call, report *check.Report) error {
	verified := fmt.Sprintf("%d files, digest %s", report.Files, report.IndexSHA256)
	return printFindings(call, verified, struct {
		IndexSHA256 string `json:"index_sha256"`
		Files       int    `json:"files"`
		Bytes       int64  `json:"bytes"`
	}{report.IndexSHA256, report.Files, report.Bytes}, report.Findings)
}

// printFindings writes the report on stdout and turns it into the exit code. What was
// verified is said to somebody who reads it: a script has the exit code.
func printFindings(call *cli.Call, verified string, facts any, findings []finding.Finding) error {
	var err error
	if call.Flags.Bool("json") {
		err = finding.WriteJSON(call.Env.Stdout, facts, findings)
	} else {
		err = finding.WriteText(call.Env.Stdout, findings)
	}
	switch {
	case err != nil:
		return cli.Unwritten(err)
	case len(findings) == 0:
		return sayVerified(call, verified)
	}
	return damaged(call, findings)
}

// damaged is the error of a tree with findings.
func damaged(call *cli.Call, findings []finding.Finding) error {
	first := findings[0]
	return &fault.Error{
		Exit: fault.Aborted, File: cmp.Or(first.Path, call.Args[0]), Rule: first.Rule,
		Detail: fmt.Sprintf("findings: %d, this is the first", len(findings)),
	}
}

func sayVerified(call *cli.Call, verified string) error {
	if call.Env.StdoutTerminal && !call.Flags.Bool("json") && !call.Flags.Bool("quiet") {
		_, err := fmt.Fprintln(call.Env.Stdout, "verified: "+verified)
		return cli.Unwritten(err)
	}
	call.Log.Detail(fault.Notice{Text: "verified: " + verified})
	return nil
}
