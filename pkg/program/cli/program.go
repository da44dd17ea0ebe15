package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
)

// Action does the work of a program or subcommand.
type Action func(*Call) error

// Program is one of the five programs or, inside Commands, one of its subcommands.
type Program struct {
	Name        string
	Summary     string // one line
	Arguments   string // how positional arguments are shown, for example "DIR"
	Description string // paragraphs, already wrapped
	Examples    []string
	Flags       []ucli.Flag
	Commands    []*Program // subcommands, chosen by the first positional argument
	MinArgs     int
	MaxArgs     int  // -1: any number
	TakesRest   bool // what follows "--" is not an argument but Call.Rest
	Action      Action
	Version     string              // printed by --version after the program name; root only
	Values      map[string][]string // the closed sets of flag values, for completion
	Environment []Term              // variables that the program reads; root only
	Files       []Term              // files that it reads or writes; root only
}

// Term is a name and what it means, in one sentence.
type Term struct{ Name, Meaning string }

// packagePrefix stands before a program's name where packages put it on the PATH: the
// plain names are too common for that.
const packagePrefix = "snapline-"

// plainName is the name of a program without the prefix of packages.
func plainName(name string) string { return strings.TrimPrefix(name, packagePrefix) }

// Call is what an action gets.
type Call struct {
	Context context.Context
	Env     *Env
	Log     *fault.Log
	Flags   *ucli.Context // values of the flags
	Args    []string      // positional arguments
	Rest    []string      // what followed "--", if the program takes it
	givens  givens
}

// Usagef gives a usage error: exit 2.
func Usagef(format string, args ...any) *fault.Error {
	return &fault.Error{Exit: fault.Usage, Detail: fmt.Sprintf(format, args...)}
}

// Run runs a program in env, prints its error if it has one, and gives the exit
// code. A panic is a failed component: one line without content, exit 1. The library
// keeps its help flag in a global, so one Run at a time in a process.
func Run(ctx context.Context, p *Program, env *Env) (exit fault.Exit) {
	log := fault.NewLog(env.Stderr, p.Name, logFormat(env.Args[1:]))
	defer func() {
		if r := recover(); r != nil {
			log.Failure(&fault.Error{
				Exit: fault.Aborted, Rule: "internal.panic", Detail: "a component failed at " + panicPlace(),
				Hint: "please report this with the command line",
			})
			exit = fault.Aborted
		}
	}()
	err := run(ctx, p, env, &log)
	exit = exitOf(err)
	var silent *SilentError
	if err == nil || exit == fault.Quiet || errors.As(err, &silent) {
		return exit
	}
	err = standing(p, env.Args[1:]).unnamed(err)
	var e *fault.Error
	if exit == fault.Usage && errors.As(err, &e) && e.Hint == "" {
		hinted := *e
		hinted.Hint = "try '" + helpOf(p, env.Args[1:]) + " --help'"
		err = &hinted
	}
	if errors.Is(err, context.Canceled) {
		err = &fault.Error{Exit: exit, Detail: "interrupted; nothing was left behind"}
	}
	log.Failure(err)
	return exit
}

// helpOf names the program or subcommand whose help a wrong command line needs.
func helpOf(p *Program, args []string) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			if sub := subcommand(p, arg); sub != nil {
				return p.Name + " " + sub.Name
			}
			break
		}
	}
	return p.Name
}

// helpCommand reads "help" and "help COMMAND" as the --help that they mean.
func helpCommand(p *Program, args []string) []string {
	switch {
	case len(args) == 0 || args[0] != "help" || subcommand(p, "help") != nil:
		return args
	case len(args) == 1:
		return []string{"--help"}
	case len(args) == 2 && subcommand(p, args[1]) != nil:
		return []string{args[1], "--help"}
	}
	return args
}

func run(ctx context.Context, p *Program, env *Env, log **fault.Log) error {
	line, err := parse(p, helpCommand(p, env.Args[1:]))
	if err != nil {
		return err
	}
	var action func() error
	stdout := &firstFailure{w: env.Stdout}
	app := newApp(p, line.program, stdout)
	app.Action = func(c *ucli.Context) error {
		format := fault.Format(c.String("log-format"))
		if format != fault.Text && format != fault.JSON {
			return Usagef("--log-format takes text or json")
		}
		*log = fault.NewLog(env.Stderr, p.Name, format)
		switch {
		case c.Bool("quiet") && c.Bool("verbose"):
			return Usagef("--quiet and --verbose exclude each other")
		case c.Bool("quiet"):
			(*log).Level = fault.Failures
			silent := *env
			silent.Terminal = false
			env = &silent
		case c.Bool("verbose"):
			(*log).Level = fault.Details
		}
		done, err := describe(p, line.program, c, env.Stdout)
		if done || err != nil {
			return err
		}
		if err := checkCount(line); err != nil {
			return err
		}
		call := &Call{Context: ctx, Env: env, Log: *log, Flags: c, Args: line.positional, Rest: line.rest, givens: standing(p, env.Args[1:])}
		action = func() error { return line.program.Action(call) }
		return nil
	}
	// The library only reads flags here: the work happens after it has returned, so
	// that none of its own error paths can print or end the process.
	if err := app.Run(append([]string{p.Name}, line.flags...)); err != nil {
		var e *fault.Error
		if errors.As(err, &e) {
			return err
		}
		return Usagef("the flags cannot be read")
	}
	if action == nil { // help or version was printed
		return Unwritten(stdout.err)
	}
	return action()
}

func checkCount(l *commandLine) error {
	p, n := l.program, len(l.positional)
	switch {
	case p.Action == nil:
		return Usagef("a command is needed: %s", strings.Join(commandNames(l.root), ", "))
	case n < p.MinArgs:
		return Usagef("%s is missing", p.Arguments)
	case p.MaxArgs >= 0 && n > p.MaxArgs:
		return Usagef("argument %d: nothing more is expected here", l.standing[p.MaxArgs]+1)
	case slices.Contains(l.positional, ""):
		return Usagef("an argument is empty")
	case p.TakesRest && !l.dashes:
		return Usagef("-- and a command are missing")
	}
	return nil
}

func commandNames(p *Program) []string {
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return names
}

func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "snapline/") {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// newApp makes the library's application for one program or subcommand. It prints
// help and version only when asked for, and never ends the process.
func newApp(root, p *Program, stdout io.Writer) *ucli.App {
	name := root.Name
	if p != root {
		name += " " + p.Name
	}
	flags := append(append([]ucli.Flag{}, p.Flags...), commonFlags()...)
	for _, f := range flags {
		if b, ok := f.(*ucli.BoolFlag); ok {
			b.DisableDefaultText = true // "(default: false)" tells nobody anything
		}
	}
	app := &ucli.App{
		Name:                      root.Name,
		HelpName:                  name,
		Usage:                     p.Summary,
		ArgsUsage:                 p.Arguments,
		Description:               p.Description,
		UsageText:                 usageLine(name, p),
		Flags:                     flags,
		Version:                   root.Version,
		HideVersion:               true, // --version is one of commonFlags: -v stays free
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		Writer:                    stdout,
		ErrWriter:                 io.Discard,
		ExitErrHandler:            func(*ucli.Context, error) {},
		OnUsageError:              func(_ *ucli.Context, err error, _ bool) error { return err },
		CustomAppHelpTemplate:     helpTemplate(root, p),
	}
	return app
}

func usageLine(name string, p *Program) string {
	line := name + " [flags]"
	if p.Arguments != "" {
		line += " " + p.Arguments
	}
	return line
}

func commonFlags() []ucli.Flag {
	return []ucli.Flag{
		&ucli.StringFlag{Name: "log-format", Value: "text", Usage: "form of the diagnostics on stderr is `FORMAT`: text or json"},
		&ucli.BoolFlag{Name: "quiet", Usage: "say nothing on stderr but why the program failed"},
		&ucli.BoolFlag{Name: "verbose", Usage: "say on stderr, too, what was done"},
		&ucli.BoolFlag{Name: "version", Usage: "print program, stream and filter version"},
		&ucli.StringFlag{Name: "completion", Usage: "print a completion script for `SHELL`: bash, zsh or fish"},
		&ucli.BoolFlag{Name: "man", Usage: "print the manual page"},
	}
}
