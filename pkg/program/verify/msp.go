package verify

import (
	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/program/pipe"

	"snapline/pkg/contract"
	"snapline/pkg/family/document"
	"snapline/pkg/family/msp"
	"snapline/pkg/program/cli"
)

// verifyMSPCommand is the subcommand verify msp.
func verifyMSPCommand() *cli.Program {
	return &cli.Program{
		Name:      "msp",
		Summary:   "judge MSP session snapshots, bare or in response frames",
		Arguments: "FILE...|STREAM|DIR",
		Description: `Judges each state: strict JSON, the schema with absent and null told apart, open and
closed enums, the envelope of a frame, and, when that holds, whether the state
contradicts itself, which is reported and makes nothing invalid without --strict.
Unknown members are notes. A state that has items and nothing else comes from a
known defect of one serving path and is named as that; --tolerant accepts it as
items only. Of a stream of the family the documents are judged.`,
		Examples: []string{
			"verify msp --json state.json",
			`verify msp --manifest-sha256 "$digest" DIR`,
		},
		Flags: documentFlags(
			&ucli.BoolFlag{Name: "tolerant", Usage: "accept a state that has items and nothing else, as items-only"},
		),
		MinArgs: 1,
		MaxArgs: -1,
		Action:  runVerifyMSP,
	}
}

func runVerifyMSP(call *cli.Call) error {
	s := &documentSet{family: contract.FamilyMSP, in: pipe.DocumentInput{Call: call}, split: msp.Split}
	if err := s.gather(call); err != nil {
		return err
	}
	for _, d := range s.documents {
		r := msp.Check(d.Raw, "", call.Flags.Bool("tolerant"))
		s.judged(d.Name, r.Format, string(r.Result), r.Findings, mspText)
	}
	return s.print(call)
}

// mspText words a finding with its place as a JSON Pointer.
func mspText(f document.Finding) string { return findingText(f.Place, f) }
