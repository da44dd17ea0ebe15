package emit_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

func documents(t testing.TB, family contract.Family, most int64, docs ...contract.Line) []byte {
	t.Helper()
	header := &contract.Snapshot{
		Family: family, FilterVersion: safety.Version, Limits: &contract.Limits{MaxDocuments: most, MaxDocumentBytes: 16, Selection: contract.Newest},
		Stages: []contract.Stage{contract.Self("fetch"), contract.Self("filter"), contract.Self("bound")},
	}
	return testkit.Frame(t, header, docs)
}

func document(name, raw string) *contract.Document {
	f := contract.Clean()
	return &contract.Document{Name: name, Format: "canon-delta", Raw: []byte(raw), HasRaw: true, SHA256: digest(raw), Strings: 3, Filter: &f}
}

func rejectedDocument(name string) *contract.Document {
	return &contract.Document{
		Name: name, Format: "canon-delta", SHA256: digest("what was rejected"),
		Filter: &contract.Filter{Status: contract.Rejected, Findings: findings("secret.github", 1)},
	}
}

func emitDocuments(t testing.TB, raw []byte, recovered emit.Recover) (map[string]string, string, error) {
	t.Helper()
	dir := memoryDir(t)
	var stdout bytes.Buffer
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3})
	err := emit.Run(context.Background(), in, &stdout, emit.Config{FS: disk.OS{}, Out: filepath.Join(dir, "context"), Recover: recovered}, nil)
	if err != nil {
		if left, _ := os.ReadDir(dir); len(left) != 0 || stdout.Len() != 0 {
			t.Errorf("left %v, receipt %q", left, stdout.String())
		}
		return nil, "", err
	}
	return files(t, filepath.Join(dir, "context")), stdout.String(), nil
}

// Documents leave as the bytes they are; the manifest names every other file.
func TestDocumentTrees(t *testing.T) {
	requirement.Claim(t, "DET-02", "GAP-03", "GAP-04")
	raw := "\ufeff{ \"b\" : 1.0e2,\n\"b\":\"\\u00e9\" }"
	raw = raw[:16]
	in := documents(t, contract.FamilyCanon, 3, document("one", raw), rejectedDocument("two"), document("three.v3", ""),
		&contract.Gap{Scope: contract.ScopeDocuments, Code: contract.UnsafeContent, Count: 1}, &contract.Gap{Scope: contract.ScopeDocuments, Code: contract.ProfileBound, Count: 2})
	var judged []contract.Document
	chain := &tree.Chain{Verdict: "valid"}
	got, receipt, err := emitDocuments(t, in, func(m tree.Manifest, docs []contract.Document) (*tree.Chain, []byte) {
		judged = docs
		if len(m.Documents) != 3 || len(m.Gaps) != 2 || m.Family != contract.FamilyCanon {
			t.Errorf("judged with %+v", m)
		}
		return chain, []byte("{ }\n")
	})
	if err != nil {
		t.Fatal(err)
	}
	manifest := `{"chain":{"verdict":"valid"},"documents":[` +
		`{"bytes":16,"filter":{"findings":[],"status":"unchanged"},"format":"canon-delta","name":"one","path":"documents/1-one.json","sha256":"` + digest(raw) + `","strings":3},` +
		`{"filter":{"findings":[{"code":"secret.github","count":1}],"status":"rejected"},"format":"canon-delta","name":"two","sha256":"` + digest("what was rejected") + `","strings":0},` +
		`{"bytes":0,"filter":{"findings":[],"status":"unchanged"},"format":"canon-delta","name":"three.v3","path":"documents/3-three.v3.json","sha256":"` + digest("") + `","strings":3}],` +
		`"family":"canon-state","filter_version":"` + safety.Version + `",` +
		`"gaps":[{"code":"profile_bound","count":2,"scope":"documents","usability":"partial"},{"code":"unsafe_content","count":1,"scope":"documents","usability":"unusable"}],` +
		`"limits":{"max_document_bytes":16,"max_documents":3,"selection":"newest"},` +
		`"recovered":{"bytes":4,"path":"recovered/_SESSION_STATE.json","sha256":"` + digest("{ }\n") + `"},"schema_version":1}`
	want := map[string]string{
		"documents/1-one.json": raw, "documents/3-three.v3.json": "", "recovered/_SESSION_STATE.json": "{ }\n", "manifest.json": manifest,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, member := range []string{`"manifest_sha256":"` + digest(manifest) + `"`, `"documents":3,`, `"files":4,`, `"family":"canon-state"`} {
		if !strings.Contains(receipt, member) {
			t.Errorf("the receipt lacks %s: %s", member, receipt)
		}
	}
	if len(judged) != 3 || judged[1].HasRaw || string(judged[0].Raw) != raw {
		t.Errorf("judged: %+v", judged)
	}
}

func TestNoRecoveryLeavesNoState(t *testing.T) {
	refused := func(tree.Manifest, []contract.Document) (*tree.Chain, []byte) {
		return &tree.Chain{Verdict: "broken", Refusal: "it is broken"}, nil
	}
	got, _, err := emitDocuments(t, documents(t, contract.FamilyCanon, 3, document("one", "{}")), refused)
	if err != nil || len(got) != 2 || strings.Contains(got["manifest.json"], `"recovered"`) || !strings.Contains(got["manifest.json"], `"recovery_refused":"it is broken"`) {
		t.Errorf("%v %v", got, err)
	}
	got, _, err = emitDocuments(t, documents(t, contract.FamilyMSP, 3, document("one", "{}")), func(tree.Manifest, []contract.Document) (*tree.Chain, []byte) {
		t.Error("an MSP snapshot is judged as a chain")
		return nil, nil
	})
	if err != nil || len(got) != 2 || strings.Contains(got["manifest.json"], `"chain"`) {
		t.Errorf("%v %v", got, err)
	}
	got, _, err = emitDocuments(t, documents(t, contract.FamilyMSP, 3), nil)
	if err != nil || len(got) != 1 || !strings.Contains(got["manifest.json"], `"documents":[]`) || !strings.Contains(got["manifest.json"], `"gaps":[]`) {
		t.Errorf("%v %v", got, err)
	}
}

func TestBrokenDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		docs []contract.Line
	}{
		"too large":        {"bounded.document", []contract.Line{document("a", strings.Repeat("x", 17))}},
		"too many":         {"bounded.selection", []contract.Line{document("a", ""), document("b", ""), rejectedDocument("c"), document("d", "")}},
		"slash":            {"bounded.document-name", []contract.Line{document("../x", "")}},
		"space":            {"bounded.document-name", []contract.Line{document("a b", "")}},
		"long name":        {"bounded.document-name", []contract.Line{document(strings.Repeat("x", 129), "")}},
		"bytes of another": {"stream.document-digest", []contract.Line{&contract.Document{Name: "a", Format: "f", HasRaw: true, SHA256: digest("x"), Filter: document("a", "").Filter}}},
	} {
		_, _, err := emitDocuments(t, documents(t, contract.FamilyMSP, 3, c.docs...), nil)
		var e *fault.Error
		if !errors.As(err, &e) || e.Rule != c.rule || e.Exit != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := emitDocuments(t, documents(t, contract.FamilyMSP, 3, document(strings.Repeat("x", 128), strings.Repeat("x", 16)), document("b", ""), document("c", "")), nil); err != nil {
		t.Error(err)
	}
}
