package provenance

import (
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/statement"
	"snapline/pkg/contract/tree"
)

// sample gives a statement, and a tree and a stream that agree with it.
func sample(t testing.TB) ([]byte, Known, Stream) {
	t.Helper()
	header := &contract.Snapshot{
		Source:     contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_1", Repository: "acme/tool"},
		Entity:     contract.Entity{Kind: contract.WorkItem, ID: "I_1", Number: 7},
		Collection: &contract.Collection{HumanMinRole: "triage"},
		Stages: []contract.Stage{
			{Stage: "fetch", Program: "a", Version: "1"}, {Stage: "filter", Program: "b", Version: "2"}, {Stage: "bound", Program: "c", Version: "3"},
		},
		FilterVersion: "f-1",
		Acquisition:   &contract.Acquisition{Address: "https://github.com/acme/tool/issues/7", RequestID: "r"},
	}
	digest := func(s string) string { return tree.Digest([]byte(s)) }
	chain := []string{digest("1"), digest("2"), digest("3")}
	said, err := statement.New(statement.Facts{
		Header: header, Chain: chain, IndexSHA256: digest("index"), CollectionProfile: digest("profile"), CaptureSHA256: digest("capture"), BuilderID: "urn:x:y",
	}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	known := Known{IndexSHA256: digest("index")}
	known.Index.Source = tree.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_1", Repository: "acme/tool"}
	known.Index.Entity.Kind, known.Index.Entity.ID = contract.WorkItem, "I_1"
	known.Index.CollectionProfile, known.Index.FilterVersion, known.Index.Gaps = digest("profile"), "f-1", []tree.Gap{}
	known.Entity.Number, known.Collection.Admission.HumanMinRole = 7, "triage"
	return said, known, Stream{Header: header, Chain: chain, SHA256: digest("file")}
}

func TestCheck(t *testing.T) {
	said, known, stream := sample(t)
	for name, c := range map[string]struct {
		change func(s string, k *Known, st *Stream) string
		want   string // rule and place of the only finding; "" for none
	}{
		"as it is":        {func(s string, _ *Known, _ *Stream) string { return s }, ""},
		"no line feed":    {func(s string, _ *Known, _ *Stream) string { return strings.TrimSuffix(s, "\n") }, ""},
		"two line feeds":  {func(s string, _ *Known, _ *Stream) string { return s + "\n" }, "statement.not-canonical byte"},
		"no JSON":         {func(string, *Known, *Stream) string { return "{" }, "statement.not-json "},
		"nothing":         {func(string, *Known, *Stream) string { return "" }, "statement.not-json "},
		"another builder": {func(s string, k *Known, _ *Stream) string { k.BuilderID = "urn:x:z"; return s }, "statement.differs /predicate/runDetails/builder/id"},
		"another index":   {func(s string, k *Known, _ *Stream) string { k.IndexSHA256 = tree.Digest(nil); return s }, "statement.differs /subject/0/digest/sha256"},
		"more gaps": {func(s string, k *Known, _ *Stream) string {
			k.Index.Gaps = []tree.Gap{{Scope: contract.ScopeComments, Code: contract.FetchFailed, Count: 1, Usability: "unusable"}}
			return s
		}, "statement.differs /predicate/runDetails/byproducts/0/annotations/gaps"},
		"another filter stream": {func(s string, _ *Known, st *Stream) string {
			st.Chain[1] = tree.Digest(nil)
			return s
		}, "statement.differs /predicate/runDetails/byproducts/1/annotations/stream_sha256"},
		"a member too many": {func(s string, _ *Known, _ *Stream) string { return strings.Replace(s, `{"_type"`, `{"Z":1,"_type"`, 1) }, "statement.schema "},
		"stages swapped": {func(s string, _ *Known, _ *Stream) string {
			return strings.NewReplacer(`"name":"filter"`, `"name":"bound"`, `"name":"bound"`, `"name":"filter"`).Replace(s)
		}, "statement.schema /predicate/runDetails/byproducts/1/name"},
	} {
		t.Run(name, func(t *testing.T) {
			k, st := known, stream
			st.Chain = append([]string{}, stream.Chain...)
			findings, err := Check("statement.json", []byte(c.change(string(said), &k, &st)), k, []Stream{st})
			if err != nil {
				t.Fatal(err)
			}
			if (c.want == "") != (len(findings) == 0) || c.want != "" && !strings.HasPrefix(findings[0].Rule+" "+findings[0].Position, c.want) {
				t.Errorf("%+v, want %s", findings, c.want)
			}
		})
	}
}

// Whatever stands in a statement, it is judged: no panic, and what differs from the one that
// fits has a finding.
func FuzzCheck(f *testing.F) {
	said, known, stream := sample(f)
	known.BuilderID = "urn:x:y"
	f.Add(said)
	f.Add([]byte(`{"_type":null,"subject":[{}]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		findings, err := Check("statement.json", raw, known, []Stream{stream})
		if err != nil {
			t.Fatal(err)
		}
		// The digest of the stored capture is known only of fetch's own stream.
		if len(findings) == 0 && len(raw) < len(said)-1 {
			t.Errorf("no finding in %q", raw)
		}
	})
}
