package fetch

import (
	"snapline/pkg/contract"
	"snapline/pkg/family/msp"
	"snapline/pkg/program/cli"
)

// fetchMSPCommand is the subcommand fetch msp.
func fetchMSPCommand() *cli.Program {
	return fetchDocuments(cli.Program{
		Name:    "msp",
		Summary: "read MSP session snapshots from files",
		Description: `Reads SnapshotState documents of the Muse Session Protocol and writes them as a
stream, in the order in which they come. A file is a state, a response frame that
carries one, or a transcript of one frame a line; lines without a state are counted
on stderr. - is stdin.`,
		Examples: []string{
			"fetch msp state.json | filter | bound | emit --out DIR",
			"fetch msp transcript.ndjson --select newest --max-documents 1",
		},
	}, contract.FamilyMSP, msp.Split)
}
