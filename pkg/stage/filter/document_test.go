package filter_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

// flat is a family whose documents are one object of strings; a name's first letter
// is the policy: d replace, o report, p refuse. A document that starts with x cannot
// be read, one that starts with ! breaks the reader.
func flat(raw []byte) (document.Reading, error) {
	switch raw[0] {
	case 'x':
		return document.Reading{}, errors.New("unreadable")
	case '!':
		panic("a broken family")
	}
	v, faults := document.Parse(raw, document.Options{})
	if len(faults) > 0 {
		return document.Reading{}, faults[0]
	}
	r := document.Reading{}
	for _, m := range v.Members {
		policy := map[byte]document.Policy{'d': document.Replace, 'o': document.Report, 'p': document.Refuse}[m.Name[0]]
		r.Texts = append(r.Texts, document.Text{Start: m.Start, End: m.End, Value: m.Text, Policy: policy})
	}
	return r, nil
}

func filterDocument(t *testing.T, raw string, strict bool) (*contract.Document, result) {
	t.Helper()
	in := encode(t, []contract.Line{
		&contract.Snapshot{
			Family: contract.FamilyMSP, Stages: []contract.Stage{contract.Self("fetch")},
			Limits: &contract.Limits{MaxDocuments: 10, MaxDocumentBytes: 1 << 20, Selection: contract.Newest},
		},
		&contract.Document{Name: "one", Format: "state", Raw: []byte(raw), HasRaw: true, SHA256: tree.Digest([]byte(raw))},
	})
	cfg := config(t)
	cfg.Strict = strict
	cfg.Families = map[contract.Family]document.Family{contract.FamilyMSP: flat}
	r := runBytes(t, in, cfg)
	if r.err != nil {
		return nil, r
	}
	r.read(t)
	return line(t, r, func(*contract.Document) bool { return true }), r
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestDocumentStrings(t *testing.T) {
	requirement.Claim(t, "DSP-02")
	hidden := `"a\u200bb"`
	token := quoted("see " + githubToken)
	inject := quoted(injection)
	cases := []struct {
		name, raw, want string // want "": rejected
		strict          bool
		status          contract.FilterStatus
		said            string // on stderr: what became of the string
	}{
		{"nothing found", `{ "d":"caf\u00e9\r\n",  "o" : "x\ty" }`, `{ "d":"caf\u00e9\r\n",  "o" : "x\ty" }`, false, contract.Unchanged, ""},
		{"display is spliced", `{ "d1":` + hidden + `, "d2":"a\u200b\n", "o":"\u0041" }`, `{ "d1":"ab", "d2":"a\n", "o":"\u0041" }`, false, contract.Modified, "modified"},
		{"unsafe display is removed", `{"d":` + inject + `,"o":"x"}`, `{"d":"` + document.Removed + `","o":"x"}`, false, contract.Modified, "removed"},
		{"a plainer form refuses nothing", `{"p":"½…"}`, `{"p":"½…"}`, false, contract.Unchanged, "kept"},
		{"opaque is reported", `{"o":` + hidden + `}`, `{"o":` + hidden + `}`, false, contract.Unchanged, "kept"},
		{"strict opaque rejects", `{"o":` + hidden + `}`, "", true, contract.Rejected, "rejects the document"},
		{"hidden character in protocol text rejects", `{"p":` + hidden + `}`, "", false, contract.Rejected, "rejects the document"},
		{"secret in protocol text rejects", `{"p":` + token + `}`, "", false, contract.Rejected, "rejects the document"},
		{"injection in protocol text is reported", `{"p":` + inject + `}`, `{"p":` + inject + `}`, false, contract.Unchanged, "kept"},
		{"unreadable", "xyz", "", false, contract.Rejected, "rejected: the document cannot be read"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, r := filterDocument(t, c.raw, c.strict)
			if got == nil {
				t.Fatal(r.err)
			}
			if got.Filter.Status != c.status || got.HasRaw != (c.want != "") {
				t.Errorf("status %s, raw %v", got.Filter.Status, got.HasRaw)
			}
			if diff := cmp.Diff(c.want, string(got.Raw)); diff != "" {
				t.Error(diff)
			}
			if got.HasRaw && got.SHA256 != tree.Digest(got.Raw) {
				t.Error("the digest is not of these bytes")
			}
			if found := len(got.Filter.Findings) > 0; found != (r.stderr != "") {
				t.Errorf("findings %v, stderr %q", got.Filter.Findings, r.stderr)
			}
			if !strings.HasSuffix(strings.TrimSpace(r.stderr), c.said) {
				t.Errorf("stderr %q does not say %q", r.stderr, c.said)
			}
			if strings.Contains(r.stderr, "ghp") || strings.Contains(r.stderr, "previous") {
				t.Errorf("stderr holds text: %s", r.stderr)
			}
		})
	}
}

func TestBrokenComponentAborts(t *testing.T) {
	requirement.Claim(t, "ABT-08", "AMB-56")
	_, r := filterDocument(t, "!", false)
	var e *fault.Error
	if !errors.As(r.err, &e) || e.Exit != fault.Aborted || e.Rule != "filter.component" || e.Line != 2 {
		t.Fatalf("got %v", r.err)
	}
	if strings.Contains(string(r.out), `"type":"document"`) || strings.Contains(string(r.out), `"type":"end"`) {
		t.Errorf("unfiltered bytes passed:\n%s", r.out)
	}
}

func TestFamilyAndFlagHaveToFit(t *testing.T) {
	in := encode(t, []contract.Line{&contract.Snapshot{
		Family: contract.FamilyCanon, Stages: []contract.Stage{contract.Self("fetch")},
		Limits: &contract.Limits{MaxDocuments: 10, MaxDocumentBytes: 1 << 20, Selection: contract.Newest},
	}})
	cfg := config(t)
	if got := fault.ExitOf(runBytes(t, in, cfg).err); got != fault.Input {
		t.Errorf("unknown family: exit %d", got)
	}
	cfg.Families = map[contract.Family]document.Family{contract.FamilyCanon: flat}
	if err := runBytes(t, in, cfg).err; err != nil {
		t.Errorf("no documents: %v", err)
	}
	cfg.HumanMinRole = "write"
	if got := fault.ExitOf(runBytes(t, in, cfg).err); got != fault.Usage {
		t.Errorf("a threshold without people: exit %d", got)
	}
}
