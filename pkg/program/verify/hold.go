package verify

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/disk/hold"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

func verifyHoldCommand() *cli.Program {
	return &cli.Program{
		Name:      "hold",
		Summary:   "run a command and let none of its processes outlive it",
		Arguments: "-- COMMAND [ARGUMENT]...",
		Description: `Runs a command with the streams of this process and ends with its status, when no process
that descends from it is left: what it has left behind is killed, daemonized or not. The
end of the process that --watch names ends the command too. scripts/harness.sh runs every
step this way. Linux only.`,
		Examples:  []string{`verify hold --watch $$ -- ./pre.sh`},
		Flags:     []ucli.Flag{&ucli.IntFlag{Name: "watch", Usage: "end everything when the process `PID` ends"}},
		TakesRest: true,
		Action:    runVerifyHold,
	}
}

func runVerifyHold(call *cli.Call) error {
	if len(call.Rest) == 0 {
		return cli.Usagef("a command is missing behind --")
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	status, err := hold.Run(call.Rest, call.Flags.Int("watch"), signals)
	if err != nil {
		text := "the command cannot be held"
		var start *exec.Error
		var path *fs.PathError
		switch { // neither repeats the name
		case errors.As(err, &start):
			text, err = "the command cannot be run", start.Err
		case errors.As(err, &path):
			text, err = "the command cannot be run", path.Err
		}
		return &fault.Error{Exit: fault.Aborted, Rule: "hold.command", Detail: text, Cause: err}
	}
	if status != 0 {
		return &cli.SilentError{Exit: fault.Exit(status)}
	}
	return nil
}
