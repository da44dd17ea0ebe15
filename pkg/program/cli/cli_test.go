package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// program is a small command with every sort of flag.
func program(action cli.Action) *cli.Program {
	return &cli.Program{
		Name: "tool", Summary: "does a thing", Arguments: "DIR", Description: "A description.\nTwo lines.",
		Examples: []string{"tool --out x DIR"},
		Flags: []ucli.Flag{
			&ucli.StringFlag{Name: "out", Usage: "write to `DIR`"},
			&ucli.BoolFlag{Name: "json", Usage: "as JSON"},
			&ucli.DurationFlag{Name: "wait", Usage: "wait `DURATION`"},
			&ucli.Int64Flag{Name: "most", Usage: "at most `BYTES`"},
			&ucli.StringSliceFlag{Name: "name", Usage: "`NAME`, may be given again"},
		},
		Commands: []*cli.Program{
			{
				Name: "seal", Summary: "seals", Arguments: "DIR -- COMMAND", MinArgs: 1, MaxArgs: 1, TakesRest: true,
				Flags: []ucli.Flag{&ucli.StringFlag{Name: "digest"}}, Action: action,
			},
			{Name: "list", Summary: "lists", MaxArgs: 2, Action: action},
		},
		MinArgs: 1, MaxArgs: 1, Action: action, Version: "1.2.3 (stream s, filter f)",
	}
}

func run(action cli.Action, args ...string) (exit fault.Exit, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := &cli.Env{Args: append([]string{"tool"}, args...), Stdout: &out, Stderr: &errs}
	exit = cli.Run(context.Background(), program(action), env)
	return exit, out.String(), errs.String()
}

func TestFlagsWorkOnBothSides(t *testing.T) {
	cases := []struct {
		args []string
		want string
	}{
		{[]string{"--out", "x", "dir"}, "x false [] [dir] []"},
		{[]string{"dir", "--out", "x"}, "x false [] [dir] []"},
		{[]string{"dir", "--out=x", "--json"}, "x true [] [dir] []"},
		{[]string{"--json", "dir", "-out", "x"}, "x true [] [dir] []"},
		{[]string{"--name", "a,b", "dir", "--name", "c"}, " false [a,b c] [dir] []"},
		{[]string{"--json", "--", "--out"}, " true [] [--out] []"},
		{[]string{"-"}, " false [] [-] []"},
		{[]string{"./help"}, " false [] [./help] []"},
		{[]string{"h"}, " false [] [h] []"},
		{[]string{"--out", "-", "dir"}, "- false [] [dir] []"},
		{[]string{"seal", "dir", "--digest", "d", "--", "up", "--out", "--"}, " false [] [dir] [up --out --]"},
		{[]string{"--digest", "d", "seal", "dir", "--", "up"}, " false [] [dir] [up]"},
		{[]string{"list", "seal", "list"}, " false [] [seal list] []"},
	}
	for _, c := range cases {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			var got string
			exit, stdout, stderr := run(func(call *cli.Call) error {
				f := call.Flags
				got = fmt.Sprintf("%s %v %v %v %v", f.String("out"), f.Bool("json"), f.StringSlice("name"), call.Args, call.Rest)
				return nil
			}, c.args...)
			if exit != 0 || stdout != "" || stderr != "" || got != c.want {
				t.Errorf("exit %d, stdout %q, stderr %q\ngot  %q\nwant %q", exit, stdout, stderr, got, c.want)
			}
		})
	}
}

func TestUsageErrorsAreOneLineAndLeaveStdoutEmpty(t *testing.T) {
	cases := []struct{ name, args, want string }{
		{"unknown flag", "dir --nope", "tool: argument 2: unknown flag (try 'tool --help')\n"},
		{"hostile flag", "dir --\x1b[31m", "tool: argument 2: unknown flag (try 'tool --help')\n"},
		{"value missing at the end", "dir --out", "tool: --out needs a value (try 'tool --help')\n"},
		{"value missing before a flag", "--out --json dir", "tool: --out needs a value (try 'tool --help')\n"},
		{"twice", "--out a --out b dir", "tool: --out is given twice (try 'tool --help')\n"},
		{"bad boolean", "--json=perhaps dir", "tool: --json takes no value, or true or false (try 'tool --help')\n"},
		{"no argument", "", "tool: DIR is missing (try 'tool --help')\n"},
		{"surplus argument", "a b", `tool: argument 2: nothing more is expected here (try 'tool --help')` + "\n"},
		{"no command behind --", "seal dir", "tool: -- and a command are missing (try 'tool seal --help')\n"},
		{"a slip", "dir --jsn", "tool: argument 2: unknown flag; did you mean --json? (try 'tool --help')\n"},
		{"a letter", "dir -x", "tool: argument 2: unknown flag (try 'tool --help')\n"},
		{"a flag of a subcommand", "--digest d dir", "tool: argument 1: unknown flag (try 'tool --help')\n"},
		{"a flag of another subcommand", "--digest=d list dir", "tool: argument 1: unknown flag (try 'tool list --help')\n"},
		{"a flag before the subcommand", "--out x seal dir -- up", "tool: argument 1: unknown flag (try 'tool --help')\n"},
		{"a subcommand's unknown flag", "seal dir --nope", "tool: argument 3: unknown flag (try 'tool seal --help')\n"},
		{"duration without a unit", "dir --wait 5", `tool: --wait takes a duration like 90s or 2m (try 'tool --help')` + "\n"},
		{"no number", "dir --most=1MiB", `tool: --most takes a whole number (try 'tool --help')` + "\n"},
		{"log format", "--log-format xml dir", `tool: --log-format takes text or json (try 'tool --help')` + "\n"},
		{"completion", "--completion powershell", `tool: --completion takes bash, zsh or fish (try 'tool --help')` + "\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			exit, stdout, stderr := run(func(*cli.Call) error { t.Error("the action ran"); return nil }, strings.Fields(c.args)...)
			if exit != fault.Usage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
			}
		})
	}
}

// A shell variable that is not set must not turn a check off.
func TestNothingIsEmpty(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"dir", "--out", ""}, "--out is empty"},
		{[]string{"dir", "--out="}, "--out is empty"},
		{[]string{"dir", "--name", "a", "--name", ""}, "--name is empty"},
		{[]string{"dir", "--wait="}, "--wait is empty"},
		{[]string{"dir", "--log-format="}, "--log-format is empty"},
		{[]string{""}, "an argument is empty"},
		{[]string{"--", ""}, "an argument is empty"},
		{[]string{"list", "a", ""}, "an argument is empty"},
	} {
		exit, stdout, stderr := run(func(*cli.Call) error { t.Error("the action ran"); return nil }, c.args...)
		if exit != fault.Usage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", c.args, exit, stdout, stderr)
		}
	}
	ran := false
	run(func(call *cli.Call) error { ran = len(call.Rest) == 2 && call.Rest[1] == ""; return nil }, "seal", "dir", "--", "up", "")
	if !ran {
		t.Error("what follows -- is the uploader's")
	}
}

func TestExitTable(t *testing.T) {
	cases := []struct {
		name   string
		err    error
		exit   fault.Exit
		stderr string
	}{
		{"done", nil, 0, ""},
		{"aborted", &fault.Error{Exit: fault.Aborted, Detail: "x"}, 1, "tool: x\n"},
		{"wrapped", fmt.Errorf("y: %w", &fault.Error{Exit: fault.Input, Detail: "x"}), 3, "tool: x\n"},
		{"plain", errors.New("plain"), 4, "tool: plain\n"},
		{"unsupported", &fault.Error{Exit: fault.Unsupported, Detail: "x"}, 5, "tool: x\n"},
		{"already said", &cli.SilentError{Exit: 5}, 5, ""},
		{"nobody reads", fmt.Errorf("write: %w", syscall.EPIPE), 141, ""},
		{"closed pipe", &fault.Error{Exit: fault.Environment, Cause: io.ErrClosedPipe}, 141, ""},
		{"interrupted", fmt.Errorf("read: %w", context.Canceled), 4, "tool: interrupted; nothing was left behind\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			exit, stdout, stderr := run(func(*cli.Call) error { return c.err }, "dir")
			if exit != c.exit || stdout != "" || stderr != c.stderr {
				t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
			}
		})
	}
}

func TestPanicIsOneLineWithoutContent(t *testing.T) {
	exit, stdout, stderr := run(func(*cli.Call) error { panic("the body of a comment") }, "dir")
	if exit != fault.Aborted || stdout != "" || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "comment") ||
		!strings.HasPrefix(stderr, "tool: internal.panic: a component failed at cli_test.go:") {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
}

func TestAskedForText(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"--version", []string{"tool 1.2.3 (stream s, filter f)\n"}},
		{"--help", []string{"tool - does a thing", "tool [flags] DIR", "tool seal [flags] DIR -- COMMAND", "EXAMPLES\n   tool --out x DIR", "--out DIR", "EXIT CODES\n     0  done", "141"}},
		{"seal --help", []string{"tool seal - seals", "--digest"}},
		{"help", []string{"tool - does a thing"}},
		{"help seal", []string{"tool seal - seals", "--digest"}},
		{"seal --man", []string{".TH \"TOOL-SEAL\" 1", "tool\\-seal \\- seals", ".B tool seal [flags] DIR"}},
		{"--man", []string{".TH \"TOOL\" 1", ".SH EXIT STATUS", ".SH EXAMPLES", ".SH SEE ALSO\nfetch(1), filter(1)"}},
		{"--completion bash", []string{
			"complete -o filenames -F _snapline_tool tool", "flags='--out --json", "seal) flags='--digest --log-format --quiet --verbose --version", "'seal list'", "--log-format) flags='text json'",
		}},
		{"--completion zsh", []string{"#compdef tool", "flags=('--out:", "seal) flags=('--digest:", "'seal:seals'", "--log-format) compadd -- text json; return"}},
		{"--completion fish", []string{
			"complete -c tool -n '! __fish_seen_subcommand_from seal list' -l out -r", "-a seal -d 'seals'",
			"complete -c tool -n '__fish_seen_subcommand_from seal' -l digest -r", "-l log-format -x -a 'text json' -d 'form of the diagnostics",
		}},
	} {
		t.Run(c.args, func(t *testing.T) {
			exit, stdout, stderr := run(func(*cli.Call) error { t.Error("the action ran"); return nil }, strings.Fields(c.args)...)
			if exit != 0 || stderr != "" {
				t.Errorf("exit %d, stderr %q", exit, stderr)
			}
			for _, w := range c.want {
				if !strings.Contains(stdout, w) {
					t.Errorf("no %q in\n%s", w, stdout)
				}
			}
		})
	}
}

// What was asked for and could not be printed is not done.
func TestAskedForTextThatCannotBeWritten(t *testing.T) {
	for _, args := range []string{"--version", "--help", "seal --help", "--man", "--completion bash"} {
		for err, exit := range map[error]fault.Exit{syscall.ENOSPC: fault.Environment, syscall.EPIPE: fault.Quiet} {
			var errs bytes.Buffer
			env := &cli.Env{Args: append([]string{"tool"}, strings.Fields(args)...), Stdout: failing{err}, Stderr: &errs}
			got := cli.Run(context.Background(), program(nil), env)
			if got != exit || strings.Count(errs.String(), "\n") != map[fault.Exit]int{fault.Environment: 1}[exit] {
				t.Errorf("%s: exit %d, want %d; stderr %q", args, got, exit, errs.String())
			}
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestJSONDiagnosticsFromTheFirstLine(t *testing.T) {
	_, _, stderr := run(func(call *cli.Call) error {
		call.Log.Notice(fault.Notice{Text: "n"})
		return &fault.Error{Exit: fault.Input, Detail: "d"}
	}, "dir", "--log-format", "json")
	if want := "{\"stage\":\"tool\",\"text\":\"n\"}\n{\"stage\":\"tool\",\"exit\":3,\"detail\":\"d\"}\n"; stderr != want {
		t.Errorf("got %q", stderr)
	}
}

// A command line that cannot be parsed is told in the form that it asks for.
func TestUsageErrorsAsJSON(t *testing.T) {
	const unknown = `: unknown flag"`
	cases := []struct{ args, want string }{
		{"dir --log-format json --nope", unknown},
		{"--nope dir --log-format json", unknown},
		{"dir --nope --log-format=json", unknown},
		{"dir --nope -log-format json", unknown},
		{"--log-format json", `"detail":"DIR is missing"`},
		{"--log-format json dir --json=perhaps", `"detail":"--json takes no value, or true or false"`},
		{"dir --log-format json --log-format text", `"detail":"--log-format is given twice"`},
		{"dir --nope --log-format xml", "tool: argument 2: unknown flag"},
		{"dir --nope --log-format", "tool: argument 2: unknown flag"},
		{"dir --nope log-format=json", "tool: argument 2: unknown flag"},
		{"dir --nope -- --log-format json", "tool: argument 2: unknown flag"},
	}
	for _, c := range cases {
		exit, stdout, stderr := run(func(*cli.Call) error { t.Error("the action ran"); return nil }, strings.Fields(c.args)...)
		wantJSON := !strings.HasPrefix(c.want, "tool:")
		if exit != fault.Usage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) || json.Valid([]byte(stderr)) != wantJSON {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", c.args, exit, stdout, stderr)
		}
	}
}

// --quiet leaves why a program failed, --verbose adds what was done.
func TestHowMuchIsSaid(t *testing.T) {
	action := func(call *cli.Call) error {
		call.Log.Notice(fault.Notice{Text: "dropped"})
		call.Log.Detail(fault.Notice{Text: "done"})
		return fault.New(fault.Aborted, "rule", "failed")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"dir"}, "tool: dropped\ntool: rule: failed\n"},
		{[]string{"dir", "--verbose"}, "tool: dropped\ntool: done\ntool: rule: failed\n"},
		{[]string{"--quiet", "dir"}, "tool: rule: failed\n"},
		{[]string{"list", "--quiet"}, "tool: rule: failed\n"},
		{[]string{"dir", "--quiet", "--verbose"}, "tool: --quiet and --verbose exclude each other (try 'tool --help')\n"},
	} {
		if _, stdout, stderr := run(action, c.args...); stderr != c.want || stdout != "" {
			t.Errorf("%v: %q %q", c.args, stdout, stderr)
		}
	}
}
