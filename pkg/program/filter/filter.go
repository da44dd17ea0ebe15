package filter

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"snapline/pkg/family"
	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
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
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "credentials-file", Usage: "redact the run credentials in `FILE`, one JSON string a line"},
			&ucli.StringSliceFlag{Name: "credential-env", Usage: "redact the value of the environment variable `NAME`; may be repeated"},
			&ucli.StringFlag{Name: "human-min-role", Usage: "judge people by `ROLE` instead of the profile's threshold: triage or write"},
			&ucli.BoolFlag{Name: "explain", Usage: "name codes, counts and byte offsets of every finding on stderr; offsets count in the field as it was read"},
			&ucli.BoolFlag{Name: "strict", Usage: "reject an MSP document with a finding in a string that is never rewritten"},
		}, pipe.Flags()...),
		Values: map[string][]string{"human-min-role": {"triage", "write"}},
		Environment: []cli.Term{
			{Name: "NAME of --credential-env", Meaning: "holds a credential of the run; its value is redacted wherever it stands."},
		},
		Version: pipe.Version,
		Action:  runFilter,
	}
}

func runFilter(call *cli.Call) error {
	role := call.Flags.String("human-min-role")
	if call.Flags.IsSet("human-min-role") && role != "triage" && role != "write" {
		return cli.Usagef("--human-min-role takes triage or write, not %s", fault.Quote(role))
	}
	credentials, err := registeredCredentials(call)
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

// minCredential is the shortest credential that is told apart from ordinary text.
const minCredential = 8

// registeredCredentials gives the distinct run credentials of both options, in the
// order in which they were given. Refusals name the position, never the value.
func registeredCredentials(call *cli.Call) ([]string, error) {
	var values []string
	known := map[string]bool{}
	add := func(position, value string) error {
		value = strings.TrimSpace(value)
		if len(value) < minCredential {
			return cli.Usagef("%s: a credential has at least %d bytes", position, minCredential)
		}
		if !known[value] {
			known[value] = true
			values = append(values, value)
		}
		return nil
	}
	if call.Flags.IsSet("credentials-file") {
		path := call.Flags.String("credentials-file")
		f, err := pipe.OpenInput(call.Context, path)
		if err != nil {
			return nil, pipe.Unreadable(path, err)
		}
		defer f.Close()
		if err := readCredentials(f, path, add); err != nil {
			return nil, err
		}
	}
	for _, name := range call.Flags.StringSlice("credential-env") {
		value, set := "", false
		if call.Env.LookupEnv != nil {
			value, set = call.Env.LookupEnv(name)
		}
		if !set {
			return nil, cli.Usagef("--credential-env %s: the variable is not set", fault.Quote(name))
		}
		if err := add("--credential-env "+fault.Quote(name), value); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// maxCredentialLine bounds one line of a credentials file, in bytes.
const maxCredentialLine = 1 << 20

// readCredentials passes each JSON string of r on with its position.
func readCredentials(r io.Reader, path string, add func(position, value string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCredentialLine)
	n := 0
	for lines.Scan() {
		n++
		position := fmt.Sprintf("%s:%d", fault.Printable(path, 256), n)
		var value *string
		// The decoder turns a lone surrogate into U+FFFD, which would register another value.
		if !utf8.Valid(lines.Bytes()) || json.Unmarshal(lines.Bytes(), &value) != nil || value == nil ||
			strings.ContainsRune(*value, utf8.RuneError) {
			return cli.Usagef("%s: each line is one JSON string", position)
		}
		if err := add(position, *value); err != nil {
			return err
		}
	}
	switch err := lines.Err(); err {
	case nil:
		return nil
	case bufio.ErrTooLong:
		return cli.Usagef("%s:%d: a line has at most %d bytes", fault.Printable(path, 256), n+1, maxCredentialLine)
	default:
		return pipe.Unreadable(path, err)
	}
}
