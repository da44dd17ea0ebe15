package verify

import (
	"os"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/disk/seal"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

func verifyUnpackCommand() *cli.Program {
	return &cli.Program{
		Name:      "unpack",
		Summary:   "make the agent's copy of a verified tree",
		Arguments: "DIR",
		Description: `Makes DIR, which must not exist, from the tar that 'verify seal' hands on (on stdin), or
from the tree --from, whatever its modes are: directories 0555, files 0444. The tree is
copied into sealed memory and verified there before anything is written, so nothing but
verified bytes arrives. Made by root, DIR is a copy that an agent without capabilities
cannot alter; made by anyone else it needs a read-only mount, and the command says so.
Linux only.`,
		Examples: []string{
			`verify unpack /context --index-sha256 "$digest" --from "$moved"`,
			`verify seal "$context" --index-sha256 "$digest" -- sudo verify unpack /context --index-sha256 "$digest"`,
		},
		Flags: []ucli.Flag{
			indexDigestFlag(),
			&ucli.StringFlag{Name: "from", Usage: "copy the tree `DIR` instead of the tar on stdin"},
			&ucli.BoolFlag{Name: "json", Usage: "print findings as one JSON object instead of lines"},
		},
		MinArgs: 1,
		MaxArgs: 1,
		Action:  runVerifyUnpack,
	}
}

func runVerifyUnpack(call *cli.Call) error {
	digest, err := indexDigest(call)
	if err != nil {
		return err
	}
	if err := shutOut(); err != nil {
		return err
	}
	o := check.Options{IndexSHA256: digest, Modes: check.AnyModes}
	if o.Scanner, err = newScanner(); err != nil {
		return err
	}
	sealed, err := sealedCopy(call, o)
	if err != nil {
		return err
	}
	defer sealed.Close()
	if len(sealed.Report.Findings) > 0 {
		return printReport(call, sealed.Report)
	}
	if err := check.Unpack(call.Args[0], sealed); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		call.Log.Notice(fault.Notice{Text: "the copy belongs to you, not to root: mount it read-only for the agent"})
	}
	return printReport(call, sealed.Report)
}

func sealedCopy(call *cli.Call, o check.Options) (*check.Sealed, error) {
	if from := call.Flags.String("from"); from != "" {
		return check.Seal(call.Context, from, o)
	}
	return check.SealTar(call.Context, call.Env.Stdin, o)
}

// shutOut keeps other processes of the user from writing into the copy through /proc while
// it is not sealed yet (AMB-98). Where that cannot be had the digests alone find it.
func shutOut() error {
	if err := seal.Undumpable(); err != nil {
		return &fault.Error{Exit: fault.Aborted, Rule: "seal.unenforceable", Detail: "the copy cannot be made immutable here", Cause: err}
	}
	return nil
}
