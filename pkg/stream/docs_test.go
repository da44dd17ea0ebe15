package stream

import (
	"os"
	"strings"
	"testing"

	"snapline/pkg/contract"
)

// TestDocumentation holds docs/stream.md against the tables: every member of every
// line with its three letters, and every rule.
func TestDocumentation(t *testing.T) {
	raw, err := os.ReadFile("../../docs/stream.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for _, rule := range declaredRules(t) {
		if !strings.Contains(text, "`"+rule+"`") {
			t.Errorf("docs/stream.md does not name %s", rule)
		}
	}
	n := checkDocumented(t, text, "snapshot", &entityHeader) + checkDocumented(t, text, "actor", &actorTable) +
		checkDocumented(t, text, "record", &recordTable) + checkDocumented(t, text, "thread", &threadTable) +
		checkDocumented(t, text, "check", &checkTable) + checkDocumented(t, text, "run", &runTable) +
		checkDocumented(t, text, "log", &logTable) + checkDocumented(t, text, "document", &documentTable) +
		checkDocumented(t, text, "gap", &gapTable) + checkDocumented(t, text, "end", &endTable) +
		checkDocumented(t, text, "abort", &abortTable)
	if n < 95 {
		t.Errorf("%d members", n)
	}
	for _, word := range []string{string(contract.Version), "limits", "max_documents", "credentials_registered is optional"} {
		if !strings.Contains(text, word) {
			t.Errorf("docs/stream.md does not name %s", word)
		}
	}
}

func checkDocumented[T any](t *testing.T, text, line string, table *table[T]) int {
	t.Helper()
	_, section, found := strings.Cut(text, "\n### "+line+"\n")
	if !found {
		t.Fatalf("docs/stream.md has no section %s", line)
	}
	section, _, _ = strings.Cut(section, "\n#")
	var rows []string
	for _, row := range strings.Split(section, "\n") {
		if strings.HasPrefix(row, "| `") {
			rows = append(rows, row)
		}
	}
	if len(rows) != len(table.members) {
		t.Errorf("%s: %d rows, %d members", line, len(rows), len(table.members))
	}
	for i, m := range table.members {
		want := "| `" + m.name + "` |"
		for _, letter := range strings.Split(m.need, "") {
			want += " " + strings.Replace(letter, "-", "–", 1) + " |"
		}
		if i >= len(rows) || !strings.HasPrefix(rows[i], want) {
			t.Errorf("%s: row %d must start with %s", line, i+1, want)
		}
	}
	return len(table.members)
}
