package fetch

import (
	"snapline/pkg/contract"
	"snapline/pkg/family/canon"
	"snapline/pkg/family/document"
	"snapline/pkg/program/cli"
)

// fetchCanonCommand is the subcommand fetch canon.
func fetchCanonCommand() *cli.Program {
	return fetchDocuments(cli.Program{
		Name:    "canon",
		Summary: "read Canon Boundary Guard states and deltas from files",
		Description: `Reads SESSION_STATE and CANON_STATE_DELTA documents and writes them as a stream,
ordered by sequence number. A file is one document, one document a line, or the
pasted text of a conversation, of which the fenced blocks with a delta are taken.
- is stdin. No byte of a document changes, here or later.`,
		Examples: []string{
			"fetch canon _SESSION_STATE.json deltas.ndjson | filter | bound | emit --out DIR",
			"fetch canon - <conversation.txt",
		},
	}, contract.FamilyCanon, func(raw []byte) ([]document.Part, int) { return canon.Split(raw), 0 })
}
