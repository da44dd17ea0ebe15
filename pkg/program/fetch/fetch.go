package fetch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/forge/forgejo"
	"snapline/pkg/forge/github"
	"snapline/pkg/forge/gitlab"
	"snapline/pkg/profile"
	"snapline/pkg/program/cli"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

// drivers are the forges that fetch can read.
var drivers = []forge.Driver{github.Driver, gitlab.Driver, forgejo.Driver}

func sites() (all []forge.Facts) {
	for _, d := range drivers {
		all = append(all, d.Facts)
	}
	return all
}

func driverOf(name contract.Forge) forge.Driver {
	return drivers[slices.IndexFunc(drivers, func(d forge.Driver) bool { return d.Forge == name })]
}

// environment are the variables that fetch reads (docs/fetch.md).
var environment = []cli.Term{
	{Name: "GH_TOKEN, GITHUB_TOKEN", Meaning: "a token for github.com, *.ghe.com or the host of GITHUB_SERVER_URL; the first that is set counts."},
	{Name: "GH_ENTERPRISE_TOKEN", Meaning: "a token for GH_HOST or the host of GITHUB_SERVER_URL."},
	{Name: "GITLAB_TOKEN", Meaning: "a token for CI_SERVER_HOST or GITLAB_HOST, else gitlab.com."},
	{Name: "FORGEJO_TOKEN", Meaning: "a token for FORGEJO_SERVER_URL, else codeberg.org."},
	{Name: "HTTPS_PROXY, NO_PROXY", Meaning: "the proxy of requests by https."},
}

// Program is the program fetch.
func Program() *cli.Program {
	return &cli.Program{
		Name:      "fetch",
		Summary:   "read one issue or pull request of a forge once",
		Arguments: "URL",
		Description: `Reads the entity that a browser address names, with everything that the profile
selects, and writes it as a stream on stdout. What cannot be read is a counted gap;
without the entity itself there is no stream. Content is not changed and nobody is
judged: that is filter's work.

Tokens come from the environment and go only to the host that their environment
names: GH_TOKEN, GITHUB_TOKEN to github.com, *.ghe.com or the host of
GITHUB_SERVER_URL; GH_ENTERPRISE_TOKEN to GH_HOST or the host of GITHUB_SERVER_URL;
GITLAB_TOKEN to CI_SERVER_HOST or GITLAB_HOST, else gitlab.com; FORGEJO_TOKEN to
FORGEJO_SERVER_URL, else codeberg.org. Ports count. Any other host needs --token-env
and --token-host.

` + profileHelp(),
		Examples: []string{
			"fetch https://github.com/OWNER/REPO/pull/12 --capture pr.ndjson.zst >stream.ndjson",
			"fetch https://git.example/team/tool/issues/7 --token-env TOOL_TOKEN --token-host git.example",
			"fetch --check https://github.com/OWNER/REPO/pull/12",
			"fetch --replay pr.ndjson.zst | filter | bound | emit --out DIR",
		},
		Flags: append([]ucli.Flag{
			&ucli.StringFlag{Name: "profile", Usage: "collect by the built-in profile `NAME`: observation or mutation", Value: profile.Names[0]},
			&ucli.StringFlag{Name: "profile-file", Usage: "collect by the profile in `FILE` (the form of collection.json)"},
			&ucli.StringFlag{Name: "bots", Usage: "registered bots are those in `FILE`: {\"bots\":[{\"forge\",\"host\",\"id\",\"role\"}]}"},
			&ucli.StringFlag{Name: "agent-runs", Usage: "agent-run receipts are the rows of `FILE` (NDJSON with publisher_id)"},
			&ucli.StringFlag{Name: "not-after", Usage: "read the state at `TIME` (RFC 3339): what came later is left out, what was edited later is a gap"},
			&ucli.StringFlag{Name: "not-after-undated", Usage: "with --not-after, `accept` titles and descriptions whose edits the forge does not date"},
			&ucli.StringFlag{Name: "request-id", Usage: "the stream and the receipt call this request `ID`"},
			&ucli.StringFlag{Name: "forge", Usage: "the address is one of the forge `NAME`: github, gitlab or forgejo"},
			&ucli.StringFlag{Name: "api-url", Usage: "the API is at `URL`, if it does not follow from the address"},
			&ucli.StringFlag{Name: "token-env", Usage: "the token is in the environment variable `NAME`; needs --token-host"},
			&ucli.StringFlag{Name: "token-host", Usage: "the token of --token-env is for `HOST[:PORT]` and no other"},
			&ucli.DurationFlag{Name: "max-wait", Usage: "wait at most `DURATION` for rate limits, in all, for example 90s or 2m", Value: client.DefaultMaxWait},
			&ucli.DurationFlag{Name: "timeout", Usage: "wait at most `DURATION` for one answer", Value: client.DefaultTimeout},
			&ucli.Int64Flag{Name: "max-total", Usage: "hold at most `BYTES` of answers, logs apart", Value: maxTotal},
			&ucli.BoolFlag{Name: "check", Usage: "say what the token can read, and write no stream"},
			&ucli.StringFlag{Name: "replay", Usage: "re-check and forward the capture in `FILE` instead of asking a forge"},
		}, pipe.Flags()...),
		Values:      map[string][]string{"profile": profile.Names},
		Environment: environment,
		Files: []cli.Term{
			{Name: "captures", Meaning: "--capture writes what was read, unfiltered: the file is private (mode 0600), new, and never in a Git work tree."},
			{Name: "collection.json", Meaning: "the form of --profile-file; the built-in profiles are shown above."},
		},
		Commands: []*cli.Program{fetchCanonCommand(), fetchMSPCommand()},
		MaxArgs:  1,
		Version:  pipe.Version,
		Action:   runFetch,
	}
}

// maxTotal is how much metadata and text a run holds by default: 256 MiB.
const maxTotal = 256 << 20

// profileHelp shows the built-in profiles as they are.
func profileHelp() string {
	var b strings.Builder
	b.WriteString("The built-in profiles:\n")
	for _, name := range profile.Names {
		for _, kind := range []contract.EntityKind{contract.WorkItem, contract.ChangeProposal} {
			c, err := profile.Builtin(name, kind)
			if err != nil {
				panic("command: a built-in profile is broken: " + err.Error())
			}
			v := c.Bounds
			fmt.Fprintf(&b, "  %s of a %s: people from %s up; %s;\n", name, kind, c.HumanMinRole, strings.Join(c.IncludedSources, ", "))
			fmt.Fprintf(&b, "    records %s %d a source, labels %d, logs of checks: %s; bytes: source %d, record %d,\n    log %d, display string %d\n",
				c.RecordSelection, v.MaxRecordsPerSource, v.MaxLabels, c.CheckLogSelection, v.MaxSourceBytes, v.MaxRecordBytes, v.MaxLogBytes, v.MaxMetadataStringBytes)
		}
	}
	return b.String()
}

func runFetch(call *cli.Call) error {
	f := call.Flags
	if replay := f.String("replay"); replay != "" {
		if len(call.Args) > 0 {
			return cli.Usagef("--replay takes no URL: a capture is forwarded as it is")
		}
		if err := cli.TakesOnly(f, "a capture is forwarded as it is", "replay", "capture"); err != nil {
			return err
		}
		return runReplay(call, replay)
	}
	if f.Bool("check") && f.IsSet("capture") {
		return cli.Usagef("--check takes no --capture: it writes no stream")
	}
	if len(call.Args) == 0 {
		return cli.Usagef("URL is missing")
	}
	if f.Duration("max-wait") < 0 || f.Duration("timeout") <= 0 || f.Int64("max-total") <= 0 {
		return cli.Usagef("--max-wait, --timeout and --max-total are not negative, and the last two not zero")
	}
	var cfg fetch.Config
	adapter, done, err := prepare(call, &cfg)
	if f.Bool("check") {
		if err != nil {
			return err
		}
		defer done()
		return runCheck(call, adapter, cfg)
	}
	if err != nil {
		return pipe.End(fetch.Name, pipe.Writer(call), err)
	}
	defer done()
	return pipe.Run(call, fetch.Name, f.String("capture"), func(ctx context.Context, out *stream.Writer) error {
		return fetch.Run(ctx, adapter, out, cfg, call.Log)
	})
}

// prepare does everything that can go wrong before anything is sent.
func prepare(call *cli.Call, cfg *fetch.Config) (adapter forge.Adapter, done func(), err error) {
	target, err := forge.Parse(sites(), call.Args[0], forge.Hints{API: call.Flags.String("api-url"), Forge: call.Flags.String("forge")}, call.Env.Getenv)
	var unsupported *forge.UnsupportedEntity
	if errors.As(err, &unsupported) {
		err = &fault.Error{Exit: fault.Unsupported, Rule: "fetch.unsupported-entity", Detail: unsupported.Detail}
	}
	if err != nil {
		return nil, nil, err
	}
	if *cfg, err = fetchConfig(call, target); err != nil {
		return nil, nil, err
	}
	if err := acquisition(call, target, cfg); err != nil {
		return nil, nil, err
	}
	return connect(call, target, cfg)
}

// fetchConfig reads profile, registry and receipts: everything that can be wrong
// before anything is sent (ABT-01).
func fetchConfig(call *cli.Call, target forge.Target) (cfg fetch.Config, err error) {
	f := call.Flags
	cfg.Target = target
	if path := f.String("profile-file"); path != "" {
		if f.IsSet("profile") {
			return cfg, cli.Usagef("--profile and --profile-file exclude each other")
		}
		text, err := pipe.ReadInput(call.Context, path, maxProfile)
		if err != nil {
			return cfg, err
		}
		err = collect(&cfg, func(kind contract.EntityKind) (contract.Collection, error) { return profile.Parse(text, kind) })
		if err != nil {
			return cfg, inFile(path, err)
		}
	} else {
		err = collect(&cfg, func(kind contract.EntityKind) (contract.Collection, error) {
			return profile.Builtin(f.String("profile"), kind)
		})
		if err != nil {
			return cfg, err
		}
	}
	if path := f.String("bots"); path != "" {
		text, err := pipe.ReadInput(call.Context, path, maxInputFile)
		if err != nil {
			return cfg, err
		}
		if cfg.Bots, err = fetch.ParseRegistry(text); err != nil {
			return cfg, inFile(path, err)
		}
	}
	path := f.String("agent-runs")
	if path == "" {
		return cfg, nil
	}
	text, err := pipe.ReadInput(call.Context, path, maxInputFile)
	if err != nil {
		return cfg, err
	}
	cfg.HasRuns = true
	if cfg.Runs, err = fetch.ParseReceipts(path, text); err == nil && !cfg.Collection.Includes(contract.ScopeAgentRuns) {
		call.Log.Notice(fault.Notice{Text: "the profile does not select agent_runs: --agent-runs is not used"})
	}
	return cfg, err
}

// collect gives cfg the collection of the target's kind, or those of both kinds where the
// address does not tell; a profile of a file is for one of them.
func collect(cfg *fetch.Config, of func(contract.EntityKind) (contract.Collection, error)) (err error) {
	if cfg.Target.Kind != "" {
		cfg.Collection, err = of(cfg.Target.Kind)
		return err
	}
	cfg.ByKind = map[contract.EntityKind]contract.Collection{}
	for _, kind := range []contract.EntityKind{contract.WorkItem, contract.ChangeProposal} {
		c, failed := of(kind)
		if failed != nil {
			err = failed
			continue
		}
		cfg.Collection, cfg.ByKind[kind] = c, c
	}
	if len(cfg.ByKind) > 0 {
		return nil
	}
	return err
}

// Caps of the files that options name, in bytes.
const (
	maxProfile   = 1 << 20
	maxInputFile = 64 << 20
)

// inFile says which file an error is about.
func inFile(path string, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.File != "" {
		return err
	}
	named := *e
	named.File = path
	return &named
}

// connect finds the driver and the token and makes the one client. It sends nothing.
func connect(call *cli.Call, target forge.Target, cfg *fetch.Config) (adapter forge.Adapter, done func(), err error) {
	f := call.Flags
	driver := driverOf(target.Forge)
	endpoint := driver.Endpoint(target)
	token, err := forge.Token(target, endpoint.Base, forge.TokenOptions{Env: f.String("token-env"), Host: f.String("token-host")}, call.Env.Getenv)
	if err != nil {
		return nil, nil, err
	}
	show := newProgress(call.Env)
	c, err := client.New(client.Config{
		Origin:     endpoint.Base.Scheme + "://" + endpoint.Base.Host,
		Credential: driver.Credential(token),
		Header:     driver.Header,
		UserAgent:  contract.Program + "/" + contract.ProgramVersion,
		MaxWait:    f.Duration("max-wait"),
		Timeout:    f.Duration("timeout"),
		MaxTotal:   f.Int64("max-total"),
		Observe:    show.event,
	})
	if err != nil {
		return nil, nil, err
	}
	cfg.Progress, cfg.Date = show.step, c.Date
	settings := forge.Settings{MaxAnswerBytes: f.Int64("max-total"), Edits: !cfg.NotAfter.IsZero()}
	open := func(t forge.Target) forge.Adapter { return driver.Open(t, endpoint, c, settings) }
	done = func() {
		show.clear()
		call.Log.Detail(fault.Notice{Count: int64(c.Requests()), Text: "requests sent"})
	}
	if target.Kind == "" {
		return &either{open: open, at: target}, done, nil
	}
	return open(target), done, nil
}

// runCheck prints what the token can read.
func runCheck(call *cli.Call, adapter forge.Adapter, cfg fetch.Config) error {
	return fetch.Probe(call.Context, adapter, cfg, func(line string) error {
		if _, err := fmt.Fprintln(call.Env.Stdout, line); err != nil {
			return cli.Unwritten(err)
		}
		return nil
	})
}

func runReplay(call *cli.Call, path string) error {
	return pipe.Run(call, fetch.Name, call.Flags.String("capture"), func(ctx context.Context, out *stream.Writer) error {
		file, err := pipe.OpenInput(ctx, path)
		if err != nil {
			return pipe.Unreadable(path, err)
		}
		defer file.Close()
		return fetch.Replay(ctx, stream.NewReader(file, stream.ReaderOptions{Name: path, Position: 1}), out)
	})
}
