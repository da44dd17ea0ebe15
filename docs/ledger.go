// Package docs embeds the ledger of requirements and decisions, so that tests can
// claim its rows and the report can count them.
package docs

import (
	_ "embed"
	"strings"
)

//go:embed requirements.tsv
var requirements string

//go:embed decisions.tsv
var decisions string

//go:embed not-ours.tsv
var notOurs string

// Row is one row of the ledger.
type Row struct {
	ID        string // for example ADM-05 or AMB-16
	Kind      string // producer, verifier, consumer, process, or decision
	Statement string
	NotOurs   string // why a consumer row is outside this project; "" when it is ours
}

// Counted reports whether the row counts in the coverage figure: producer and
// verifier rows and decisions.
func (r Row) Counted() bool {
	return r.Kind == "producer" || r.Kind == "verifier" || r.Kind == "decision"
}

// Ledger gives every requirement in its order, then every decision.
func Ledger() []Row {
	reasons := map[string]string{}
	for _, f := range fields(notOurs) {
		reasons[f[0]] = f[1]
	}
	var rows []Row
	for _, f := range fields(requirements) {
		rows = append(rows, Row{ID: f[0], Kind: f[1], Statement: f[3], NotOurs: reasons[f[0]]})
	}
	for _, f := range fields(decisions) {
		rows = append(rows, Row{ID: f[0], Kind: "decision", Statement: f[1] + ": " + f[2]})
	}
	return rows
}

// fields splits a table into its rows, without the heading.
func fields(table string) [][]string {
	var rows [][]string
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if i > 0 {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}
