package emit_test

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
	"snapline/schemas"
)

// documentSchemas gives the schema of each JSON document's path; checks share one.
func documentSchemas(t *testing.T) func(path string) *jsonschema.Schema {
	t.Helper()
	const dir = "entity-context-snapshot/v1"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	names, err := fs.Glob(schemas.Files, dir+"/*.schema.json")
	if err != nil || len(names) < 9 {
		t.Fatalf("%d schemas, %v", len(names), err)
	}
	ids := map[string]string{}
	for _, name := range names {
		text, err := schemas.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		id := document.(map[string]any)["$id"].(string)
		ids[path.Base(name)] = id
		if err := c.AddResource(id, document); err != nil {
			t.Fatal(err)
		}
	}
	compiled := map[string]*jsonschema.Schema{}
	for file, name := range map[string]string{
		"index.json": "index", "collection.json": "collection", "entity/metadata.json": "entity", "relations/reviews.json": "reviews",
		"history/agent-runs.json": "agent-runs", "state/actors.json": "actor-state", "state/threads.json": "thread-state", "checks": "check",
	} {
		if compiled[file], err = c.Compile(ids[name+".schema.json"]); err != nil {
			t.Fatal(err)
		}
	}
	return func(path string) *jsonschema.Schema {
		if strings.HasPrefix(path, "checks/") {
			path = "checks"
		}
		return compiled[path]
	}
}

func TestDocumentsConformToTheirSchemas(t *testing.T) {
	requirement.Claim(t, "CMP-04", "MAN-01", "MAN-06", "CHK-09", "REV-01", "THR-02", "THR-05", "ACT-03", "RUN-02", "COL-01", "GAP-01", "FLT-05", "CAN-02", "CAN-03")
	schemaOf := documentSchemas(t)
	checked := 0
	for name, stream := range loadGolden(t) {
		out, _ := publish(t, stream)
		for path, data := range files(t, out) {
			if !strings.HasSuffix(path, ".json") {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schemaOf(path).Validate(value); err != nil {
				t.Errorf("%s: %s: %v", name, path, err)
			}
			checked++
		}
	}
	if checked < 80 {
		t.Errorf("only %d documents were checked", checked)
	}
}

// What has no place in a tree ends the run: an id of another forge or kind, a kind
// that no key has, a thread twice.
func TestForeignIdentifiersAreRefused(t *testing.T) {
	requirement.Claim(t, "ID-06", "ID-07", "ID-08", "ID-09", "ID-12", "KEY-01", "KEY-04", "THR-04", "STR-07", "AMB-53")
	comment := func(s *testkit.Stream, id string) {
		s.Identify(s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "c\n"), id)
	}
	thread := func(s *testkit.Stream, id string) {
		s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "c\n")
		th := s.Thread(1, testkit.Time(2, "10:00"), 1)
		r := s.Identify(&contract.Record{Kind: contract.KindThread}, id)
		th.ID, th.ThreadKey = r.ID, r.RecordKey
	}
	check := func(s *testkit.Stream, id string) {
		c := s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Success)
		r := s.Identify(&contract.Record{Kind: contract.KindCheck}, id)
		c.ID, c.RecordKey = r.ID, r.RecordKey
	}
	actor := func(s *testkit.Stream, id string) { s.Actor(s.Human(2, "write")).ID = id }
	run := func(s *testkit.Stream, id string) { s.Run(1, testkit.Time(2, "10:00"), "coder").ID = id }
	repository := func(s *testkit.Stream, id string) {
		s.Header.Source.RepositoryID = id
		for _, l := range s.Lines {
			if r, ok := l.(*contract.Record); ok {
				s.Identify(r, r.ID)
			}
		}
	}
	entity := func(s *testkit.Stream, id string) {
		s.Header.Entity.ID = id
		for _, l := range s.Lines {
			if r, ok := l.(*contract.Record); ok {
				s.Identify(r, id)
			}
		}
	}
	sets := map[string]func(*testkit.Stream, string){
		"comment": comment, "thread": thread, "check": check, "actor": actor, "run": run, "repository": repository, "entity": entity,
	}
	for _, c := range []struct {
		forge     contract.Forge
		good, bad []string
		only      string
	}{
		{contract.GitHub, []string{"IC_kwDO-1=", "a", "7"}, []string{"a.b", "a:b", "_a", "a/b", "", "a b", "é"}, ""},
		{contract.GitLab, []string{"9007199254740993"}, []string{"0", "01", "-1", "1.0", "IC_kwDO1", "1 "}, ""},
		{contract.GitLab, []string{"6a9c1750b37d513a43987b574953fceb50b03ce7", "a.b:c_d-e"}, []string{"a=b", ".a", "a/b", ""}, "thread"},
		{contract.Forgejo, []string{"1", "42"}, []string{"0", "042", "-2", "x"}, ""},
	} {
		for name, set := range sets {
			if c.only != "" && c.only != name || c.only == "" && name == "thread" && c.forge != contract.GitHub {
				continue
			}
			for i, id := range append(append([]string{}, c.good...), c.bad...) {
				s := testkit.New(c.forge, contract.ChangeProposal, 3)
				s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1) // GitLab's
				set(s, id)
				_, err := emitTo(memoryDir(t)+"/context", s.Bytes(t))
				var e *fault.Error
				switch {
				case i < len(c.good) && err != nil:
					t.Errorf("%s %s %q: %v", c.forge, name, id, err)
				case i >= len(c.good) && (!errors.As(err, &e) || e.Exit != fault.Input):
					t.Errorf("%s %s %q: %v", c.forge, name, id, err)
				}
			}
		}
	}
	for name, c := range map[string]struct{ from, to, rule string }{
		"thread as a record": {`"type":"record","kind":"comment"`, `"type":"record","kind":"thread"`, "stream.vocabulary"},
		"check as a record":  {`"type":"record","kind":"comment"`, `"type":"record","kind":"check"`, "stream.vocabulary"},
		"conversation":       {`"entity":{"kind":"change_proposal"`, `"entity":{"kind":"conversation"`, "stream.vocabulary"},
	} {
		s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
		comment(s, "IC_1")
		_, err := emitTo(memoryDir(t)+"/context", bytes.Replace(s.Bytes(t), []byte(c.from), []byte(c.to), 1))
		var e *fault.Error
		if !errors.As(err, &e) || e.Rule != c.rule {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "c\n")
	s.Thread(1, testkit.Time(2, "10:00"), 1)
	s.Thread(1, testkit.Time(2, "10:00"), 1)
	_, err := emitTo(memoryDir(t)+"/context", s.Bytes(t))
	var e *fault.Error
	if !errors.As(err, &e) || e.Rule != "stream.duplicate-key" {
		t.Error(err)
	}
}
