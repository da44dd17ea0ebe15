// Package cli is the command frame of the five programs: it parses the command
// line, prints help, completion and man page, maps errors to the exit table, and is
// the only place that ends a process.
package cli

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"snapline/pkg/fault"
)

// Env is everything that a program touches from outside, so that tests can give
// their own.
type Env struct {
	Args      []string // program name first
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	LookupEnv func(string) (string, bool)
	Terminal  bool // stderr is a terminal: progress may be shown

	StdoutTerminal bool // a person reads what the program prints
	StdinTerminal  bool // a person would have to type what the program reads
}

// osEnv gives the environment of the process.
func osEnv() *Env {
	return &Env{
		Args:      os.Args,
		Stdin:     os.Stdin,
		Stdout:    os.Stdout,
		Stderr:    os.Stderr,
		LookupEnv: os.LookupEnv,
		Terminal:  isTerminal(os.Stderr),

		StdoutTerminal: isTerminal(os.Stdout),
		StdinTerminal:  isTerminal(os.Stdin),
	}
}

// Getenv gives the value of an environment variable, "" when it is unset.
func (e *Env) Getenv(name string) string {
	if e.LookupEnv == nil {
		return ""
	}
	v, _ := e.LookupEnv(name)
	return v
}

// Main runs a program in the process environment and gives its exit code. An
// interrupt, hang-up or termination signal cancels the context of the action and ends a read of
// stdin, so that it can remove its work; a second one ends the process. A closed stdout
// is an error to the action, not a signal. What the standard library logs by itself is
// dropped: net/http quotes there what a server sends unasked.
func Main(p *Program) int {
	log.SetOutput(io.Discard)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // ignored, a child would ignore it too
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup wants it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop)
	env := osEnv()
	if name := filepath.Base(env.Args[0]); name == packagePrefix+p.Name {
		p.Name = name // as packages install it: help, manual and completion say so
	}
	env.Stdin = interruptible(ctx, env.Stdin)
	return int(Run(ctx, p, env))
}

// exitOf maps the error of an action to the exit table. A reader of stdout that went
// away ends the program quietly.
func exitOf(err error) fault.Exit {
	var silent *SilentError
	switch {
	case err == nil:
		return fault.Done
	case ReaderLeft(err):
		return fault.Quiet
	case errors.As(err, &silent):
		return silent.Exit
	}
	return fault.ExitOf(err)
}

// ReaderLeft reports whether err says that nobody reads stdout any more.
func ReaderLeft(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// Unwritten is the failure of a write to stdout with err; nil for nil.
func Unwritten(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Exit: fault.Environment, Rule: "output.unwritable", Detail: "stdout could not be written", Cause: err}
}

// SilentError ends a program with a code and without a message: someone else has
// already said what happened.
type SilentError struct{ Exit fault.Exit }

// Error implements error.
func (e *SilentError) Error() string { return "the message has been given" }
