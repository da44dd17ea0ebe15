package verify

import (
	"context"
	"io"
	"runtime"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/family"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
	"snapline/pkg/program/pipe"
	"snapline/pkg/read/why"
	"snapline/pkg/safety"
	"snapline/pkg/stage/filter"
)

func verifyWhyCommand() *cli.Program {
	return &cli.Program{
		Name:      "why",
		Summary:   "tell why something is missing or changed",
		Arguments: "ID-OR-URL STREAM...",
		Description: `Follows an object through captures of the stages: where it came in, which stage took it
away or changed it, by which rule, how often. Asked for by its identifier, by a number
or key, or by the address that the browser shows, with #issuecomment-N, #discussion_rN,
#pullrequestreview-N or #note_N. A text is never shown.

Streams are those of one run, of one to three stages in any order. A capture of fetch
alone is filtered and bounded here; if the run had registered credentials, another
threshold or both, give --credentials-file, --credential-env and --human-min-role as it
had them: another number of credentials than a later stream states is exit 2, streams of
different runs are exit 3. Exit 1: no stream has such an object.`,
		Examples: []string{
			"verify why 'https://github.com/OWNER/REPO/pull/7#issuecomment-123' run.ndjson.zst",
			"verify why IC_kwDOExample 1-fetch.ndjson.zst 2-filter.ndjson 3-bound.ndjson",
		},
		Flags: append(pipe.FilterFlags(),
			&ucli.StringFlag{Name: "format", Value: "text", Usage: "write `FORMAT`: text or json"},
		),
		Values:  map[string][]string{"format": {"text", "json"}, "human-min-role": {"triage", "write"}},
		MinArgs: 2,
		MaxArgs: 4,
		Action:  runVerifyWhy,
	}
}

func runVerifyWhy(call *cli.Call) error {
	write := map[string]func(io.Writer, []why.Answer) error{"text": why.WriteText, "json": why.WriteJSON}[call.Flags.String("format")]
	if write == nil {
		return cli.Usagef("--format takes text or json")
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
	var sources []why.Source
	for _, name := range call.Args[1:] {
		if name == "-" {
			return cli.Usagef("the streams are read more than once and cannot be stdin")
		}
		sources = append(sources, why.Source{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
			f, err := pipe.OpenInput(ctx, name)
			if err != nil {
				return nil, pipe.Unreadable(name, err)
			}
			return f, nil
		}})
	}
	trace, err := why.New(call.Context, sources, why.Config{
		Filter: filter.Config{
			Engine: engine, Credentials: int64(len(credentials)), HumanMinRole: role, Workers: runtime.GOMAXPROCS(0), Families: family.Readers,
		},
		CredentialsGiven: call.Flags.IsSet("credentials-file") || call.Flags.IsSet("credential-env"),
	})
	if err != nil {
		return err
	}
	answers, err := trace.Ask(call.Args[0])
	if err != nil {
		return err
	}
	if err := write(call.Env.Stdout, answers); err != nil {
		return cli.Unwritten(err)
	}
	call.Log.Detail(fault.Notice{Count: int64(len(answers)), Text: "objects that the question means"})
	return nil
}
