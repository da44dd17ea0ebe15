package verify

import (
	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/disk/sandbox"
	"snapline/pkg/program/cli"
)

func verifySandboxCommand() *cli.Program {
	return &cli.Program{
		Name:      "sandbox",
		Summary:   "check that this process cannot alter the agent's copy of a tree",
		Arguments: "DIR",
		Description: `Run it as the agent will run. The copy is out of reach if all of it lies on a
read-only mount; or if it belongs to root with directories 0555 and files 0444, no
directory above it lets it be exchanged, and the process is not root and has no
capability that overrides owners or modes. Anything else is exit 1: do not start the
agent. Linux only; elsewhere the answer is no.`,
		Examples: []string{"verify sandbox /context"},
		Flags:    []ucli.Flag{&ucli.BoolFlag{Name: "json", Usage: "print one JSON object instead of lines"}},
		MinArgs:  1,
		MaxArgs:  1,
		Action:   runVerifySandbox,
	}
}

func runVerifySandbox(call *cli.Call) error {
	findings, err := sandbox.Check(call.Args[0])
	if err != nil {
		return err
	}
	return printFindings(call, "the agent cannot change the tree", nil, findings)
}
