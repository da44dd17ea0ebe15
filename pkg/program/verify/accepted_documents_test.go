package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	families "snapline/pkg/family"
	"snapline/pkg/family/canon"
	"snapline/pkg/program/bound"
	"snapline/pkg/program/emit"
	"snapline/pkg/program/fetch"
	"snapline/pkg/program/filter"

	"snapline/pkg/check"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/testkit"
)

// Whatever emit publishes of documents, verify accepts, but for what only the reader of
// a family and the filters tell: single changes of a line, the trailer made to fit.
func TestChangedDocumentsAreRefusedOrAccepted(t *testing.T) {
	requirement.Claim(t, "CMP-01", "GAP-07", "GAP-09")
	filtersTell := []string{"document.unreadable", "document.unsafe", "manifest.strings"}
	engine, err := safety.New(nil)
	noError(t, err)
	state, _ := mspState()
	for kind, stream := range map[string]string{
		"canon": boundedDocuments("", append([]string{"canon", "--max-documents=5"}, glob(t, 6, canonSamples, "chain/ok/*.json")...)),
		"msp":   boundedDocuments(state, []string{"msp", "-"}),
	} {
		lines := bytes.SplitAfter([]byte(stream), []byte("\n"))
		lines = lines[:len(lines)-2]
		published, refused, made := 0, 0, 0
		for i, line := range lines {
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			var value any
			noError(t, d.Decode(&value))
			testkit.Mutate(value, func(m testkit.Mutation) {
				if made++; made%3 != 0 {
					return
				}
				text, err := json.Marshal(m.Value)
				noError(t, err)
				changed := append(append(append([][]byte{}, lines[:i]...), append(text, '\n')), lines[i+1:]...)
				sealed := string(testkit.Reseal(changed))
				dir := filepath.Join(t.TempDir(), "context")
				if r := runProgram(emit.Program(), sealed, "--out", dir); r.exit != fault.Done {
					refused++
					if _, err := os.Lstat(dir); err == nil || r.exit != fault.Input {
						t.Errorf("%s line %d %s: exit %d, left %v: %s", kind, i+1, m.What, r.exit, err == nil, r.stderr)
					}
					return
				}
				published++
				judged, err := check.Documents(dir, check.DocumentOptions{
					ManifestSHA256: tree.Digest([]byte(readTest(t, filepath.Join(dir, tree.ManifestPath)))), Engine: engine, Families: families.Readers, Rejudge: canon.Rejudge,
				})
				noError(t, err)
				for _, f := range judged.Findings {
					if !slices.Contains(filtersTell, f.Rule) {
						t.Errorf("%s line %d %s: published, and refused: %s", kind, i+1, m.What, f)
					}
				}
			})
		}
		t.Logf("%s: %d published, %d refused", kind, published, refused)
		if published < 10 || refused < 50 {
			t.Errorf("%s: too few of a sort", kind)
		}
	}
}

// boundedDocuments runs fetch ARGS | filter | bound.
func boundedDocuments(stdin string, args []string) string {
	fetched := runProgram(fetch.Program(), stdin, args...)
	return runProgram(bound.Program(), runProgram(filter.Program(), fetched.stdout).stdout).stdout
}
