package msp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/family/document"
	"snapline/schemas"
)

// TestDocumentedDisplayText holds the table of docs/msp.md against the schema.
func TestDocumentedDisplayText(t *testing.T) {
	marked := func(s *document.Schema) []string {
		var out []string
		for name, p := range s.Properties {
			if p.Display || p.Items != nil && p.Items.Display {
				out = append(out, "`"+name+"`")
			}
		}
		slices.Sort(out)
		return out
	}
	want := []string{}
	row := func(name string, s *document.Schema) {
		if m := marked(s); m != nil {
			want = append(want, fmt.Sprintf("| %s | %s |", name, strings.Join(m, " ")))
		}
	}
	row("SnapshotState", formats()[State])
	for name, d := range formats()[State].Defs {
		row(name, d)
	}
	for name, d := range formats()[Frame].Defs {
		if marked(d) != nil {
			t.Errorf("%s has display text of its own", name)
		}
	}
	text, err := os.ReadFile("../../../docs/msp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| object | members |\n|---|---|\n")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("docs/msp.md has no table of display text")
	}
	got := strings.Split(table, "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("\n docs   %q\n schema %q", got, want)
	}
}

// TestClosure counts what the protocol says of itself: 22 objects, 16 enums of which two
// are closed, and the nine places where null is allowed.
func TestClosure(t *testing.T) {
	objects, enums, closed, nullable := 1, 0, 0, 0
	all := []*document.Schema{formats()[State]}
	for _, d := range formats()[State].Defs {
		all = append(all, d)
		switch {
		case d.Type == "object":
			objects++
		case d.Enum != nil:
			enums++
			if d.Openness == "closed" {
				closed++
			} else if d.Openness != "open" {
				t.Errorf("openness %q", d.Openness)
			}
		}
	}
	for _, s := range all {
		for _, p := range s.Properties {
			if len(p.AnyOf) > 0 {
				nullable++
			}
		}
	}
	if objects != 22 || enums != 16 || closed != 2 || nullable != 9 {
		t.Errorf("%d objects, %d enums, %d closed, %d nullable places", objects, enums, closed, nullable)
	}
}

// oracle compiles a schema with another engine, open enums taken as the strings that
// they are and newer members as the unknown ones that they may be.
func oracle(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	for _, file := range []string{"snapshot-state.schema.json", "response-frame.schema.json"} {
		b, err := schemas.Files.ReadFile("msp/v1/" + file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		forgetNewer(d.(map[string]any))
		for _, def := range d.(map[string]any)["$defs"].(map[string]any) {
			m := def.(map[string]any)
			forgetNewer(m)
			if m["x-msp-openness"] == "open" {
				delete(m, "enum")
			}
		}
		if err := c.AddResource(d.(map[string]any)["$id"].(string), d); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile("https://snapline.invalid/schemas/msp/v1/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func forgetNewer(object map[string]any) {
	properties, _ := object["properties"].(map[string]any)
	maps.DeleteFunc(properties, func(_ string, p any) bool { return p.(map[string]any)["x-newer"] == true })
}

// TestSchemaOracle changes every member of every sample in turn, to null, to other
// types, to nothing, and asks another engine for the verdict of the schema alone.
func TestSchemaOracle(t *testing.T) {
	engines := map[string]*jsonschema.Schema{State: oracle(t, "snapshot-state.schema.json"), Frame: oracle(t, "response-frame.schema.json")}
	compared := 0
	for n, row := range verdicts(t) {
		raw := read(t, row["file"])
		format := map[string]string{"state": State, "frame": Frame}[row["kind"]]
		v, _ := document.Parse(raw, document.Options{})
		for i, changed := range append(mutations(raw, v), raw) {
			if (i+n)%7 != 0 {
				continue // every seventh is enough, and another one in each file
			}
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
			if err != nil {
				t.Fatal(err)
			}
			want := engines[format].Validate(instance) == nil
			parsed, faults := document.Parse(changed, document.Options{})
			if faults != nil {
				t.Fatal(faults[0])
			}
			findings, _ := formats()[format].Check(parsed, "")
			if got := !document.Has(findings, document.Error); got != want {
				t.Fatalf("%s: valid %t, the other engine says %t: %s", row["file"], got, want, changed)
			}
			compared++
		}
	}
	if compared < 1500 {
		t.Errorf("%d documents compared", compared)
	}
}

// mutations gives raw with each value in turn replaced, and each member in turn renamed.
func mutations(raw []byte, v *document.Value) [][]byte {
	var out [][]byte
	replace := func(start, end int, with string) {
		out = append(out, slices.Concat(raw[:start], []byte(with), raw[end:]))
	}
	for _, with := range []string{"null", "1", "1.5", "2.0", `"x"`, "[]", "{}", "true"} {
		replace(v.Start, v.End, with)
	}
	for i := range v.Members {
		m := &v.Members[i]
		if v.Kind == document.Object {
			name, _ := json.Marshal(strings.ToUpper(m.Name) + "x")
			replace(m.NameStart, m.NameEnd, string(name))
		}
		out = append(out, mutations(raw, m)...)
	}
	return out
}
