package stream

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/requirement"
	"snapline/pkg/schema"
	"snapline/schemas"
)

const schemaFolder = "stream/v1"

// validators judge a line as the output of a stage.
type validators struct {
	shipped *schema.Bundle
	second  map[string]*jsonschema.Schema
}

var loadValidators = sync.OnceValues(func() (*validators, error) {
	v := &validators{second: map[string]*jsonschema.Schema{}}
	var err error
	if v.shipped, err = schema.Load(schemas.Files, schemaFolder); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refuseAll{})
	files, err := fs.Glob(schemas.Files, schemaFolder+"/*.schema.json")
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, file := range files {
		text, err := fs.ReadFile(schemas.Files, file)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		id := doc.(map[string]any)["$id"].(string)
		if err := c.AddResource(id, doc); err != nil {
			return nil, err
		}
		ids[path.Base(file)] = id
	}
	for name, id := range ids {
		if v.second[name], err = c.Compile(id); err != nil {
			return nil, err
		}
	}
	return v, nil
})

// refuseAll keeps the second validator from reading anything by itself.
type refuseAll struct{}

func (refuseAll) Load(string) (any, error) { return nil, fs.ErrNotExist }

func mustValidators(t testing.TB) *validators {
	t.Helper()
	v, err := loadValidators()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// accepts gives the verdict that both validators must share.
func (v *validators) accepts(t testing.TB, pos int, line []byte) bool {
	t.Helper()
	violations, err := v.shipped.Check(stageName(pos)+".schema.json", line)
	if err != nil {
		t.Fatal(err)
	}
	second := v.secondAccepts(t, pos, line)
	if (len(violations) == 0) != second {
		t.Errorf("the two validators disagree: %v, %v\n%s", violations, second, line)
	}
	return second
}

// secondAccepts gives the verdict of the faster one.
func (v *validators) secondAccepts(t testing.TB, pos int, line []byte) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return v.second[stageName(pos)+".schema.json"].Validate(doc) == nil
}

// positionIn counts the stages of a stream's header.
func positionIn(raw []byte) int {
	header, _, _ := bytes.Cut(raw, []byte("\n"))
	return min(max(bytes.Count(header, []byte(`"stage":`)), 1), 3)
}

// TestSchemasAgreeWithTheReader holds the schemas against all vectors, line by line,
// as far as a single line can tell.
func TestSchemasAgreeWithTheReader(t *testing.T) {
	v := mustValidators(t)
	counts := map[sight]int{}
	for _, c := range vectors() {
		if c.see == inJSON {
			continue
		}
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			raw, err := os.ReadFile(c.path())
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.SplitAfter(raw, []byte("\n"))
			if v.accepts(t, positionIn(raw), lines[c.line-1]) != (c.see != inLine) {
				t.Errorf("the schemas' verdict on line %d is wrong:\n%s", c.line, lines[c.line-1])
			}
			for i, line := range lines[:c.line-1] {
				if !v.accepts(t, positionIn(raw), line) {
					t.Errorf("the schemas refuse line %d, which has no fault", i+1)
				}
			}
			counts[c.see]++
		})
	}
	for see, floor := range map[sight]int{inLine: 120, across: 60, blurred: 5} {
		if counts[see] < floor {
			t.Errorf("%d vectors of sort %d, at least %d are expected", counts[see], see, floor)
		}
	}
	for _, c := range acceptedVectors() {
		raw, err := os.ReadFile(filepath.Join("testdata", "accepted", c.name+".ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.SplitAfter(raw, []byte("\n")) {
			if len(line) > 0 && !v.accepts(t, positionIn(raw), line) {
				t.Errorf("%s: the schemas refuse line %d\n%s", c.name, i+1, line)
			}
		}
	}
}

// TestSchemasAgreeOnMutations removes, doubles and exchanges members of every line
// of every position: what the reader says of the line alone, the schemas say.
func TestSchemasAgreeOnMutations(t *testing.T) {
	v := mustValidators(t)
	values := []string{`null`, `""`, `"x"`, `0`, `1`, `-1`, `true`, `false`, `[]`, `{}`, `[{}]`, `["x"]`, `"rejected"`, `"bot"`, `"completed"`, `{"status":"rejected","findings":[]}`}
	n := 0
	for pos := 1; pos <= 3; pos++ {
		for _, s := range []*stream{base(t, pos), documents(t, pos)} {
			all := strings.SplitAfter(s.seal(), "\n")
			for _, line := range all[:len(all)-1] {
				for _, mutated := range mutations(t, line, values) {
					n++
					accepts := v.secondAccepts
					if n%5 == 0 {
						accepts = v.accepts // both, and slower
					}
					got := lineVerdict(t, pos, []byte(mutated))
					if got == "" != accepts(t, pos, []byte(mutated)) && !blurredRules[got] {
						t.Errorf("position %d: the reader says %q of\n%s", pos, got, mutated)
					}
				}
			}
		}
	}
	t.Logf("%d mutations", n)
	if n < 5000 {
		t.Errorf("%d mutations", n)
	}
}

// blurredRules are those of which the keywords in use cannot say everything.
var blurredRules = map[string]bool{
	RuleForgeIdentifier: true, RuleFindings: true, RuleBase64: true, RuleTimestamp: true, RuleRecordKeys: true, RuleURL: true,
}

// mutations drops each member, and gives each every other value; members of nested
// objects too.
func mutations(t testing.TB, line string, values []string) []string {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(line), &doc); err != nil {
		t.Fatal(err)
	}
	var out []string
	emit := func() {
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			names := make([]string, 0, len(v))
			for name := range v {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				was := v[name]
				delete(v, name)
				emit()
				for _, value := range values {
					v[name] = json.RawMessage(value)
					emit()
				}
				v[name] = was
				walk(was)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return out
}

// lineVerdict gives the rule that a line breaks by itself, as the output of the
// stage at pos, or "".
func lineVerdict(t testing.TB, pos int, line []byte) string {
	t.Helper()
	r := NewReader(nil, ReaderOptions{})
	if !bytes.Contains(line, []byte(`"snapshot"`)) && !bytes.Contains(line, []byte(`"stream"`)) {
		r.header = testHeader(pos)
	}
	r.line = 2
	_, err := r.parse(bytes.TrimSuffix(line, []byte("\n")))
	if err == nil {
		return ""
	}
	return faultOf(t, err).Rule
}

// TestSchemaKeywords allows no keyword that the shipped validator would ignore, or
// would ignore where it stands.
func TestSchemaKeywords(t *testing.T) {
	requirement.Claim(t, "STR-08")
	allowed := map[string]bool{}
	for _, k := range strings.Fields("$schema $id $defs $ref title description type const enum properties required additionalProperties " +
		"items contains minItems maxItems uniqueItems minLength maxLength pattern minimum maximum allOf anyOf oneOf not if then else") {
		allowed[k] = true
	}
	files, err := fs.Glob(schemas.Files, schemaFolder+"/*.schema.json")
	if err != nil || len(files) != 15 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(schemas.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		var root map[string]any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		checkKeywords(t, file, "", root, allowed)
	}
	// Every line type has its schema.
	for _, lt := range lineTypes {
		if !slices.Contains(files, schemaFolder+"/"+string(lt.name)+".schema.json") {
			t.Errorf("no schema for %s", lt.name)
		}
	}
}

func checkKeywords(t *testing.T, file, at string, s map[string]any, allowed map[string]bool) {
	t.Helper()
	if _, ref := s["$ref"]; ref && len(s) > 1 {
		t.Errorf("%s: %s: keywords beside $ref are ignored", file, at)
	}
	if list, ok := s["enum"].([]any); ok && len(list) == 0 {
		t.Errorf("%s: %s: an empty enum allows everything", file, at)
	}
	if _, ok := s["$id"]; ok && at != "" {
		t.Errorf("%s: %s: $id below the root", file, at)
	}
	for k, v := range s {
		if !allowed[k] {
			t.Errorf("%s: %s: keyword %s", file, at, k)
		}
		switch k {
		case "properties", "$defs":
			for name, sub := range v.(map[string]any) {
				if sub, ok := sub.(map[string]any); ok {
					checkKeywords(t, file, at+"/"+k+"/"+name, sub, allowed)
				}
			}
		case "allOf", "anyOf", "oneOf":
			for _, sub := range v.([]any) {
				checkKeywords(t, file, at+"/"+k, sub.(map[string]any), allowed)
			}
		case "items", "contains", "not", "if", "then", "else":
			if sub, ok := v.(map[string]any); ok {
				checkKeywords(t, file, at+"/"+k, sub, allowed)
			} else if _, ok := v.(bool); !ok {
				t.Errorf("%s: %s: %s is neither schema nor boolean", file, at, k)
			}
		}
	}
}
