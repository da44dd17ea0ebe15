package canon

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/family/document"
	"snapline/schemas"
)

// TestSchemaOracle changes every value and name of complete samples in turn and asks
// another engine for the verdict of the schema alone.
func TestSchemaOracle(t *testing.T) {
	c := jsonschema.NewCompiler()
	const id = "https://snapline.invalid/schemas/canon/v1/"
	engines := map[string]*jsonschema.Schema{}
	for _, file := range []string{"session-state.schema.json", "state-delta.schema.json"} {
		b, err := schemas.Files.ReadFile("canon/v1/" + file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err == nil {
			err = c.AddResource(id+file, d)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	engines[State], engines[Delta] = c.MustCompile(id+"session-state.schema.json"), c.MustCompile(id+"state-delta.schema.json")
	compared := 0
	for format, file := range map[string]string{State: "state-02-full.json", Delta: "delta-03-full.json"} {
		raw := read(t, "testdata/documents", file)
		v, _ := document.Parse(raw, document.Options{})
		for _, changed := range append(mutations(raw, v), raw) {
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(changed))
			if err != nil {
				t.Fatal(err)
			}
			parsed, faults := document.Parse(changed, document.Options{})
			if faults != nil {
				t.Fatal(faults[0])
			}
			findings, _ := formats()[format].Check(parsed, "")
			if got, want := !document.Has(findings, document.Error), engines[format].Validate(instance) == nil; got != want {
				t.Fatalf("%s: valid %t, the other engine says %t: %s", file, got, want, changed)
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("%d documents compared", compared)
	}
}

// mutations gives raw with each value in turn replaced or doubled, and each member in
// turn renamed.
func mutations(raw []byte, v *document.Value) [][]byte {
	var out [][]byte
	replace := func(start, end int, with string) {
		out = append(out, slices.Concat(raw[:start], []byte(with), raw[end:]))
	}
	for _, with := range []string{"null", "1", "-1", "1.5", "2.0", "0e9", `"x"`, "[]", "{}", "true"} {
		replace(v.Start, v.End, with)
	}
	for i := range v.Members {
		m := &v.Members[i]
		if v.Kind == document.Object {
			name, _ := json.Marshal(strings.ToUpper(m.Name))
			replace(m.NameStart, m.NameEnd, string(name))
		}
		out = append(out, mutations(raw, m)...)
	}
	return out
}
