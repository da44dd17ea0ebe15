package filter

import (
	"context"
	"runtime"
	"slices"

	"snapline/pkg/family"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/program/cli"
	"snapline/pkg/safety"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

// Program is the program filter.
func Program() *cli.Program {
	return &cli.Program{
		Name:    "filter",
		Summary: "decide who may be heard and make safe what is left",
		Description: `Reads a fetch stream on stdin and writes a filtered stream on stdout.
Records of people below the profile's threshold and of bots that are not
registered are dropped and counted. Every body, log and display string that is
left goes through Unicode safety, redaction and the injection scan; structural
strings are scanned and never rewritten. What was changed or dropped is named on
stderr once, by id and code, never by text.

A credentials file holds one JSON string a line. A value under 8 bytes is refused
by its position.`,
		Examples: []string{
			"fetch --replay pr.ndjson | filter --explain >filtered.ndjson",
			"fetch URL | filter --credential-env GH_TOKEN | bound | emit --out DIR",
		},
		Flags: slices.Concat(pipe.FilterFlags(), []ucli.Flag{
			&ucli.BoolFlag{Name: "explain", Usage: "name codes, counts and byte offsets of every finding on stderr; offsets count in the field as it was read"},
			&ucli.BoolFlag{Name: "strict", Usage: "reject an MSP document with a finding in a string that is never rewritten"},
		}, pipe.Flags()),
		Values: map[string][]string{"human-min-role": {"triage", "write"}},
		Environment: []cli.Term{
			{Name: "NAME of --credential-env", Meaning: "holds a credential of the run; its value is redacted wherever it stands."},
		},
		Version: pipe.Version,
		Action:  runFilter,
	}
}

func runFilter(call *cli.Call) error {
	role, err := pipe.HumanMinRole(call)
	if err != nil {
		return err
	}
	credentials, err := pipe.Credentials(call)
	if err != nil {
		return pipe.End(filter.Name, stream.NewWriter(call.Env.Stdout), err)
	}
	engine, err := safety.New(credentials)
	if err != nil {
		return pipe.End(filter.Name, stream.NewWriter(call.Env.Stdout), err)
	}
	cfg := filter.Config{
		Engine:       engine,
		Credentials:  int64(len(credentials)),
		HumanMinRole: role,
		Workers:      runtime.GOMAXPROCS(0),
		Explain:      call.Flags.Bool("explain"),
		Strict:       call.Flags.Bool("strict"),
		Families:     family.Readers,
	}
	in := pipe.Input(call, 1)
	return pipe.Run(call, filter.Name, call.Flags.String("capture"), func(ctx context.Context, out *stream.Writer) error {
		return filter.Run(ctx, in, out, cfg, call.Log)
	})
}
