package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"snapline/pkg/program/pipe"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/contract"
	"snapline/pkg/family/canon"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// verifyCanonCommand is the subcommand verify canon.
func verifyCanonCommand() *cli.Program {
	return &cli.Program{
		Name:      "canon",
		Summary:   "judge Canon Boundary Guard states, deltas and chains of them",
		Arguments: "FILE...|STREAM|DIR",
		Description: `Judges each document: strict JSON, the schema, seq against state_seq, and what the
protocol's prose asks, which is reported and makes nothing invalid without --strict.
Several documents, a directory, or a stream of the family are judged as one chain by
sequence number and hash; a broken chain is invalid. Each document is a recovery source
or text only; where valid documents give no recovery source, the reason is printed.

--fingerprint and --proof-of-read do instead what the protocol's two helpers do.`,
		Examples: []string{
			"verify canon --json _SESSION_STATE.json",
			"verify canon --state _SESSION_STATE.json --delta delta.json",
			`verify canon --manifest-sha256 "$digest" DIR`,
			"verify canon --proof-of-read --heading '## Scope' references/protocol.md",
		},
		Flags: documentFlags(
			&ucli.StringSliceFlag{Name: "state", Usage: "judge `FILE` as a state whatever it looks like, and in no chain; may be repeated"},
			&ucli.StringSliceFlag{Name: "delta", Usage: "judge `FILE` as a delta, likewise"},
			&ucli.BoolFlag{Name: "fingerprint", Usage: "print size, time and SHA-256 of the files instead"},
			&ucli.IntFlag{Name: "indent", Value: 2, Usage: "indent a fingerprint by `N` spaces"},
			&ucli.BoolFlag{Name: "proof-of-read", Usage: "print first and last words and lines of the one file instead"},
			&ucli.StringFlag{Name: "heading", Usage: "prove the section under `HEADING`, not the whole file"},
		),
		MaxArgs: -1,
		Action:  runVerifyCanon,
	}
}

func runVerifyCanon(call *cli.Call) error {
	states, deltas := call.Flags.StringSlice("state"), call.Flags.StringSlice("delta")
	named := len(states)+len(deltas) > 0
	var err error
	switch {
	case call.Flags.IsSet("indent") && !call.Flags.Bool("fingerprint"):
		return cli.Usagef("--indent is for --fingerprint")
	case call.Flags.IsSet("heading") && !call.Flags.Bool("proof-of-read"):
		return cli.Usagef("--heading is for --proof-of-read")
	case call.Flags.Bool("fingerprint"):
		err = cli.TakesOnly(call.Flags, "it judges nothing", "fingerprint", "indent", "json")
	case call.Flags.Bool("proof-of-read"):
		err = cli.TakesOnly(call.Flags, "it judges nothing", "proof-of-read", "heading", "json")
	}
	switch {
	case err != nil:
		return err
	case named == (len(call.Args) > 0):
		return cli.Usagef("FILE... or DIR is needed, or --state and --delta, and not both")
	case call.Flags.Bool("fingerprint"):
		return printFingerprints(call)
	case call.Flags.Bool("proof-of-read"):
		return printProof(call)
	}
	s := &documentSet{
		family: contract.FamilyCanon, in: pipe.DocumentInput{Call: call},
		split: func(raw []byte) ([]document.Part, int) { return canon.Split(raw), 0 },
	}
	if named {
		s.split = func(raw []byte) ([]document.Part, int) { return []document.Part{{Raw: raw}}, 0 }
		if err = s.gatherFiles(call, canon.State, states); err == nil {
			err = s.gatherFiles(call, canon.Delta, deltas)
		}
	} else {
		err = s.gather(call)
	}
	if err != nil {
		return err
	}
	reports, chain := canon.Judge(s.documents)
	for i, r := range reports {
		s.judged(s.documents[i].Name, r.Format, string(r.Use), r.Findings, canonText(r.Format))
	}
	if s.missing && chain.Refusal == "" {
		chain.Refusal = canon.MissesNewer
	}
	if s.chained {
		s.report.Chain = &chain
		if chain.Verdict == canon.ChainBroken {
			s.report.Errors = append(s.report.Errors, chain.Describe())
		}
	}
	if len(s.report.Errors) == 0 {
		s.report.Refused = refusedRecovery(reports, &chain, s.chained)
	}
	return s.print(call)
}

// refusedRecovery is why valid documents are no recovery source; of several that are
// judged in no chain each is one by itself.
func refusedRecovery(reports []canon.Report, chain *canon.Chain, chained bool) string {
	if chained || len(reports) == 1 {
		return chain.Refusal
	}
	for i := range reports {
		if why := reports[i].Refusal(); why != "" {
			return why
		}
	}
	return ""
}

// canonText words a finding as the reference does: the place as a path from the name
// of the document's type.
func canonText(format string) func(document.Finding) string {
	root := map[string]string{canon.State: "SESSION_STATE", canon.Delta: "CANON_STATE_DELTA"}[format]
	return func(f document.Finding) string {
		place := root
		for _, token := range strings.Split(f.Place, "/")[1:] {
			if _, err := strconv.Atoi(token); err == nil {
				place += "[" + token + "]"
			} else {
				place += "." + token
			}
		}
		return findingText(strings.TrimPrefix(place, "."), f)
	}
}

// findingText is a finding in words, at the place of its family's form.
func findingText(place string, f document.Finding) string {
	if place == "" {
		place = "the document"
	}
	return fmt.Sprintf("%s: %s: %s (line %d, column %d)", fault.Printable(place, 256), f.Code, f.Detail, f.Line, f.Column)
}

func printFingerprints(call *cli.Call) error {
	indent := call.Flags.Int("indent")
	if indent < 0 || indent > 16 {
		return cli.Usagef("--indent takes a number from 0 to 16")
	}
	prints := []canon.Fingerprint{}
	for _, name := range call.Args {
		f, err := canon.FingerprintOf(name)
		if err != nil {
			return pipe.Unreadable(name, pipe.WithoutPath(err))
		}
		prints = append(prints, f)
	}
	return writeJSON(call.Env.Stdout, prints, indent)
}

func printProof(call *cli.Call) error {
	if len(call.Args) != 1 {
		return cli.Usagef("--proof-of-read takes one file")
	}
	fail := func(detail string) error {
		return &fault.Error{Exit: fault.Aborted, File: call.Args[0], Rule: "canon.proof-of-read", Detail: detail}
	}
	raw, err := pipe.ReadFile(call.Context, call.Args[0])
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, os.ErrNotExist):
		return fail("missing file")
	case err != nil:
		return fail("the file cannot be read")
	}
	p, err := canon.ProofOfRead(call.Args[0], raw, call.Flags.String("heading"))
	if err != nil {
		return fail(err.Error())
	}
	if call.Flags.Bool("json") {
		return writeJSON(call.Env.Stdout, p, 2)
	}
	return writeText(call.Env.Stdout, p.String())
}
