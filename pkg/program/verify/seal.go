package verify

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/check"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

func verifySealCommand() *cli.Program {
	return &cli.Program{
		Name:      "seal",
		Summary:   "verify a tree and hand exactly the verified bytes to an uploader",
		Arguments: "DIR -- UPLOADER...",
		Description: `Copies the tree into memory that is then sealed against every change, verifies that
copy as 'verify DIR' does, and starts the uploader with it as standard input: a tar
whose bytes depend on the tree alone (sorted paths, directories 0555 and files 0444 of
root, time 0). What is uploaded is what was verified, whatever another process does to
the tree meanwhile.

The uploader's environment has SNAPLINE_TAR_SHA256, SNAPLINE_TAR_BYTES and
SNAPLINE_INDEX_SHA256. It is not started if anything is wrong, or where memory cannot
be sealed (exit 1); if it fails or cannot be started the exit code is 4. Linux only.`,
		Examples: []string{
			`verify seal "$context" --index-sha256 "$digest" -- tar -C /mnt/context -xf -`,
		},
		Flags: []ucli.Flag{
			indexDigestFlag(),
			&ucli.BoolFlag{Name: "json", Usage: "print findings as one JSON object instead of lines"},
			&ucli.BoolFlag{Name: "host", Usage: "want the host's modes, 0700 and 0600 (the default)"},
			&ucli.BoolFlag{Name: "sandbox", Usage: "want the modes of the agent's copy, 0555 and 0444"},
		},
		MinArgs:   1,
		MaxArgs:   1,
		TakesRest: true,
		Action:    onEntityTree(runVerifySeal),
	}
}

func runVerifySeal(call *cli.Call) error {
	digest, err := indexDigest(call)
	if err != nil {
		return err
	}
	m, err := modes(call)
	if err != nil {
		return err
	}
	if len(call.Rest) == 0 {
		return cli.Usagef("no uploader behind --")
	}
	if err := shutOut(); err != nil {
		return err
	}
	o := check.Options{IndexSHA256: digest, Modes: m}
	if o.Scanner, err = newScanner(); err != nil {
		return err
	}
	sealed, err := check.Seal(call.Context, call.Args[0], o)
	if err != nil {
		return err
	}
	defer sealed.Close()
	if len(sealed.Report.Findings) > 0 {
		return printReport(call, sealed.Report)
	}
	return upload(call, sealed)
}

// upload runs the uploader on the sealed bytes.
func upload(call *cli.Call, sealed *check.Sealed) error {
	stdin, err := sealed.Stdin()
	if err != nil {
		return &fault.Error{Exit: fault.Environment, Rule: "seal.read", Detail: "the sealed bytes cannot be opened", Cause: err}
	}
	defer stdin.Close()
	uploader := exec.CommandContext(call.Context, call.Rest[0], call.Rest[1:]...)
	uploader.Stdin, uploader.Stdout, uploader.Stderr = stdin, call.Env.Stdout, call.Env.Stderr
	uploader.Env = append(os.Environ(),
		"SNAPLINE_TAR_SHA256="+sealed.Digest,
		"SNAPLINE_TAR_BYTES="+strconv.FormatInt(sealed.Size(), 10),
		"SNAPLINE_INDEX_SHA256="+sealed.Report.IndexSHA256)
	err = uploader.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &fault.Error{Exit: fault.Environment, Rule: "seal.uploader", Detail: fmt.Sprintf("the uploader failed: %s", exit.ProcessState)}
	}
	return &fault.Error{Exit: fault.Environment, Rule: "seal.uploader", Detail: "the uploader could not be run", Cause: errors.Unwrap(err)}
}
