package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
	"snapline/schemas"
)

const folder = "entity-context-snapshot/v1"

var full = flag.Bool("schema.full", false, "compare the validators on every mutation (minutes)")

// raw gives every schema of the bundle, decoded.
func raw(t testing.TB) map[string]map[string]any {
	t.Helper()
	files, err := fs.Glob(schemas.Files, folder+"/*.schema.json")
	must(t, err)
	out := map[string]map[string]any{}
	for _, f := range files {
		b, err := fs.ReadFile(schemas.Files, f)
		must(t, err)
		var v map[string]any
		must(t, json.Unmarshal(b, &v))
		out[path.Base(f)] = v
	}
	if len(out) != 9 {
		t.Fatalf("%d schemas, not 9", len(out))
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keywords are what the validator is known to evaluate. Anything else it ignores in
// silence, and the document passes.
var keywords = []string{
	"$defs", "$id", "$ref", "$schema", "additionalProperties", "allOf", "anyOf", "const", "contains", "description", "else", "enum",
	"format", "if", "items", "maximum", "minItems", "minLength", "minimum", "not", "oneOf", "pattern", "properties", "required",
	"then", "title", "type", "uniqueItems",
}

// walk visits every schema object below v with its keywords.
func walk(v any, root bool, visit func(schema map[string]any, root bool)) {
	switch s := v.(type) {
	case map[string]any:
		visit(s, root)
		for k, sub := range s {
			switch k {
			case "properties", "$defs":
				for _, p := range sub.(map[string]any) {
					walk(p, false, visit)
				}
			case "allOf", "anyOf", "oneOf":
				for _, p := range sub.([]any) {
					walk(p, false, visit)
				}
			case "items", "contains", "not", "if", "then", "else", "additionalProperties":
				walk(sub, false, visit)
			}
		}
	case bool:
	default:
		panic("no schema")
	}
}

// Only keywords that the validator evaluates, in forms that it evaluates.
func TestKeywords(t *testing.T) {
	requirement.Claim(t, "CMP-02", "STR-08")
	for name, schema := range raw(t) {
		walk(schema, true, func(s map[string]any, root bool) {
			for k, v := range s {
				if !slices.Contains(keywords, k) {
					t.Errorf("%s: keyword %s is not evaluated", name, k)
				}
				if k == "$ref" {
					for sibling := range s {
						if sibling != "$ref" && sibling != "title" && sibling != "description" {
							t.Errorf("%s: %s beside a $ref is ignored", name, sibling)
						}
					}
				}
				if e, ok := v.([]any); k == "enum" && (!ok || len(e) == 0) {
					t.Errorf("%s: an empty enum means anything", name)
				}
				if k == "format" && v != "date-time" {
					t.Errorf("%s: format %v", name, v)
				}
				if k == "format" && s["pattern"] == nil {
					t.Errorf("%s: a format without a pattern", name)
				}
				if k == "items" {
					if _, ok := v.(map[string]any); !ok {
						t.Errorf("%s: items must be one schema", name)
					}
				}
				if k == "$id" && !root {
					t.Errorf("%s: $id below the root", name)
				}
			}
		})
		for k := range schema {
			if k == "$anchor" || k == "$dynamicRef" {
				t.Errorf("%s: %s", name, k)
			}
		}
	}
}

// Every object is closed, every definition is used, and every id is the file's name.
func TestClosedAndReferenced(t *testing.T) {
	requirement.Claim(t, "CMP-03", "CMP-04")
	defined, referenced := map[string]bool{}, map[string]bool{}
	for name, schema := range raw(t) {
		if id, _ := schema["$id"].(string); path.Base(id) != name {
			t.Errorf("%s: $id %s", name, id)
		}
		if defs, ok := schema["$defs"].(map[string]any); ok {
			for d := range defs {
				defined[name+"#/$defs/"+d] = true
			}
		}
		walk(schema, true, func(s map[string]any, _ bool) {
			if ref, ok := s["$ref"].(string); ok {
				if strings.HasPrefix(ref, "#") {
					ref = name + ref
				}
				referenced[ref] = true
			}
			if s["type"] == "object" && s["additionalProperties"] != false {
				t.Errorf("%s: an open object %v", name, s)
			}
		})
	}
	for d := range defined {
		if !referenced[d] {
			t.Errorf("%s is never used, so never compiled", d)
		}
	}
	for r := range referenced {
		if !defined[r] {
			t.Errorf("%s does not exist", r)
		}
	}
}

// An array that does not say its order in its schema has none to be held to.
func TestArraysStateTheirOrder(t *testing.T) {
	requirement.Claim(t, "CMP-06")
	arrays := 0
	for name, schema := range raw(t) {
		walk(schema, true, func(s map[string]any, _ bool) {
			if s["type"] != "array" {
				return
			}
			arrays++
			description, _ := s["description"].(string)
			if !slices.ContainsFunc([]string{"Sorted by ", "ASCII-sorted", "Native thread order"}, func(order string) bool {
				return strings.HasPrefix(description, order)
			}) {
				t.Errorf("%s: an array described as %q", name, description)
			}
		})
	}
	if arrays < 14 {
		t.Errorf("%d arrays", arrays)
	}
}

// version1 is what the schemas of version 1 say, as the SHA-256 of their canonical bytes
// without titles and descriptions. A document that is valid by another text is of
// another version: its schemas stand in a folder of their own, beside these.
const version1 = "c495e27d5f2f8f77c4b64f12eec8773192ec2af46f07bca57e911c01307a79a7"

func TestVersion1IsClosed(t *testing.T) {
	requirement.Claim(t, "CMP-05")
	all := raw(t)
	for _, schema := range all {
		walk(schema, true, func(s map[string]any, _ bool) {
			delete(s, "title")
			delete(s, "description")
		})
	}
	b, err := canonicaljson.Marshal(all)
	must(t, err)
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:]); got != version1 {
		t.Errorf("the schemas of version 1 have changed: %s", got)
	}
}

// Nothing is fetched: not when compiling, not for a missing sibling, not for an
// unknown name.
func TestOffline(t *testing.T) {
	requirement.Claim(t, "CMP-03")
	saved := http.DefaultTransport
	http.DefaultTransport = transport(func(r *http.Request) (*http.Response, error) {
		t.Errorf("a request for %s", r.URL)
		return nil, errors.New("no network")
	})
	defer func() { http.DefaultTransport = saved }()
	b, err := Load(schemas.Files, folder)
	must(t, err)
	for name := range raw(t) {
		if name == "common.schema.json" {
			continue
		}
		for _, known := range []string{name, "https://snapline.invalid/schemas/" + folder + "/" + name} {
			v, err := b.Check(known, []byte(`{}`))
			if err != nil || len(v) == 0 {
				t.Errorf("%s: %v %v", known, v, err)
			}
		}
	}
	if _, err := b.Check("https://snapline.invalid/other.schema.json", []byte(`{}`)); err == nil {
		t.Error("an unknown schema was found")
	}
	broken := func(name, text string) error {
		_, err := Load(fstest.MapFS{"d/" + name: {Data: []byte(text)}}, "d")
		return err
	}
	for name, text := range map[string]string{
		"missing sibling":   `{"$id":"https://snapline.invalid/a.schema.json","$ref":"b.schema.json#/$defs/x"}`,
		"missing file":      `{"$id":"https://snapline.invalid/a.schema.json","properties":{"a":{"$ref":"file:///etc/hostname"}}}`,
		"missing pointer":   `{"$id":"https://snapline.invalid/a.schema.json","$ref":"#/$defs/x"}`,
		"no id":             `{"type":"object"}`,
		"look-ahead":        `{"$id":"https://snapline.invalid/a.schema.json","pattern":"^(?!x)"}`,
		"regex escape":      `{"$id":"https://snapline.invalid/a.schema.json","pattern":"\\u200b"}`,
		"unclosed class":    `{"$id":"https://snapline.invalid/a.schema.json","properties":{"a":{"pattern":"[a"}}}`,
		"too many repeats":  `{"$id":"https://snapline.invalid/a.schema.json","pattern":"a{2000}"}`,
		"fraction in count": `{"$id":"https://snapline.invalid/a.schema.json","minLength":2.5}`,
		"no JSON":           `{`,
	} {
		if err := broken("a.schema.json", text); err == nil {
			t.Errorf("%s: compiled", name)
		}
	}
	if _, err := Load(fstest.MapFS{}, "d"); err == nil {
		t.Error("an empty folder is a bundle")
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A document that makes the validator panic is an error, not an acceptance and not a
// crash.
func TestPanicIsAnError(t *testing.T) {
	requirement.Claim(t, "STR-08", "ABT-09")
	b, err := EntityContextSnapshot()
	must(t, err)
	if v, err := b.Check("index.schema.json", []byte(`{"schema_version":1e400}`)); err == nil && len(v) == 0 {
		t.Error("accepted")
	}
	if err := guarded(func() error { panic("inside") }); err == nil {
		t.Error("a panic is no error")
	}
}

// document is a JSON document and the schema that it obeys.
type document struct {
	name, schema string
	text         []byte
}

func documents(t testing.TB) []document {
	t.Helper()
	names := map[string]string{
		"index.json": "index", "collection.json": "collection", "entity-metadata.json": "entity", "relations-reviews.json": "reviews",
		"history-agent-runs.json": "agent-runs", "state-actors.json": "actor-state", "state-threads.json": "thread-state",
	}
	paths, err := filepath.Glob("testdata/documents/*/*.json")
	must(t, err)
	var out []document
	for _, p := range paths {
		text, err := os.ReadFile(p)
		must(t, err)
		schema := names[filepath.Base(p)]
		if strings.HasPrefix(filepath.Base(p), "check-") {
			schema = "check"
		}
		if schema == "" {
			t.Fatalf("%s: no schema for it", p)
		}
		out = append(out, document{p, schema + ".schema.json", text})
	}
	if len(out) < 20 {
		t.Fatalf("only %d documents", len(out))
	}
	return out
}

// compileOracle compiles the bundle with the second validator.
func compileOracle(t testing.TB) map[string]*oracle.Schema {
	t.Helper()
	c := oracle.NewCompiler()
	c.AssertFormat()
	base := "https://snapline.invalid/schemas/" + folder + "/"
	all := raw(t)
	for name := range all {
		b, err := fs.ReadFile(schemas.Files, folder+"/"+name)
		must(t, err)
		v, err := oracle.UnmarshalJSON(bytes.NewReader(b))
		must(t, err)
		must(t, c.AddResource(base+name, v))
	}
	out := map[string]*oracle.Schema{}
	for name := range all {
		s, err := c.Compile(base + name)
		must(t, err)
		out[name] = s
	}
	return out
}

// Two validators agree on the documents of whole trees and on thousands of single
// changes to them.
func TestTwoValidatorsAgree(t *testing.T) {
	requirement.Claim(t, "CMP-02", "CMP-04", "AMB-51", "CAN-02", "CAN-03", "CAN-04", "CAN-05")
	b, err := EntityContextSnapshot()
	must(t, err)
	second := compileOracle(t)
	agree := func(d document, what string, text []byte) bool {
		t.Helper()
		violations, err := b.Check(d.schema, text)
		must(t, err)
		v, err := oracle.UnmarshalJSON(bytes.NewReader(text))
		must(t, err)
		want := second[d.schema].Validate(v) == nil
		if got := len(violations) == 0; got != want {
			t.Errorf("%s: %s: we say %v, the second validator %v: %v", d.name, what, got, want, violations)
		}
		return want
	}
	made, tried, valid := 0, 0, 0
	for _, d := range documents(t) {
		if !agree(d, "as it is", d.text) {
			t.Errorf("%s breaks its schema", d.name)
		}
		decoder := json.NewDecoder(bytes.NewReader(d.text))
		decoder.UseNumber()
		var v any
		must(t, decoder.Decode(&v))
		testkit.Mutate(v, func(m testkit.Mutation) {
			if made++; !*full && made%17 != 0 {
				return
			}
			plain, err := json.Marshal(m.Value)
			must(t, err)
			text, err := canonicaljson.Transform(plain) // Marshal would refuse what the schemas have to
			must(t, err)
			tried++
			if agree(d, m.What, text) {
				valid++
			}
		})
	}
	t.Logf("two validators: %d mutated documents of %d, %d of them valid", tried, made, valid)
	if tried < 1200 || valid < 80 {
		t.Fatalf("only %d mutations, %d valid", tried, valid)
	}
}

// Violations come out sorted, once, and without values of the document.
func TestViolations(t *testing.T) {
	b, err := EntityContextSnapshot()
	must(t, err)
	text := []byte(`{"reviews":[{"id":"a secret value"},{"id":"x","state":"nothing","submitted_at":"z","` + strings.Repeat("k", 100) + `":1}],"threads":{}}`)
	first, err := b.Check("reviews.schema.json", text)
	must(t, err)
	for range 20 {
		again, err := b.Check("reviews.schema.json", text)
		must(t, err)
		if !slices.Equal(first, again) {
			t.Fatal("the order changes")
		}
	}
	for _, v := range first {
		if strings.Contains(v.Position+v.Keyword+v.Detail, "secret") || len(v.Detail) > 100 {
			t.Errorf("content in %v", v)
		}
	}
	if first[0].Position == "" || !strings.HasPrefix(first[0].Position, "/reviews/0") {
		t.Errorf("position %q", first[0].Position)
	}
	many := []byte(`{"reviews":[` + strings.TrimSuffix(strings.Repeat("{},", 200), ",") + `],"threads":[]}`)
	v, err := b.Check("reviews.schema.json", many)
	must(t, err)
	if len(v) != maxViolations {
		t.Errorf("%d violations", len(v))
	}
}
