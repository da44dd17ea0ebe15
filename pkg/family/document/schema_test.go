package document

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestInteger(t *testing.T) {
	big4300, big4301 := strings.Repeat("9", 4300), strings.Repeat("9", 4301)
	cases := []struct {
		literal, want string // "": no integer
		plain         bool
	}{
		{"0", "0", true},
		{"-0", "0", false},
		{"7", "7", true},
		{"-12", "-12", true},
		{"3.0", "3", false},
		{"3e0", "3", false},
		{"30e-1", "3", false},
		{"0.0001e4", "1", false},
		{"-1.50E+1", "-15", false},
		{"100", "100", true},
		{"0.0e999999999999", "0", false},
		{"3.5", "", false},
		{"31e-1", "", false},
		{"1e-1", "", false},
		{"9007199254740993", "9007199254740993", true},
		{"9007199254740993.0", "9007199254740993", false},
		{"1e309", "1" + strings.Repeat("0", 309), false},
		{"1e310", "", false},
		{"1e400", "", false},
		{"1e999999999", "", false},
		{"1e99999999999999999999", "", false},
		{"1e-99999999999999999999", "", false},
		{big4300, big4300, true},
		{"-" + big4300, "-" + big4300, true},
		{big4301, "", true},
		{"-" + big4301, "", true},
	}
	for _, c := range cases {
		n, plain := Integer(c.literal)
		got := ""
		if n != nil {
			got = n.String()
		}
		if got != c.want || plain != c.plain {
			t.Errorf("%.40s: %.40s %t, want %.40s %t", c.literal, got, plain, c.want, c.plain)
		}
	}
}

// FuzzInteger holds Integer against exact fractions.
func FuzzInteger(f *testing.F) {
	for _, s := range []string{"0", "-0", "10", "1.5e1", "25e-1", "0.10", "123456789012345678901234567890"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		v, faults := Parse([]byte(literal), Options{})
		if faults != nil || v.Kind != Number || len(v.Text) > 200 {
			return
		}
		if i := strings.IndexAny(v.Text, "eE"); i >= 0 && len(v.Text)-i > 4 {
			return // the oracle's work is not bounded
		}
		exact, ok := new(big.Rat).SetString(v.Text)
		n, _ := Integer(v.Text)
		if !ok || exact.IsInt() != (n != nil) && exact.Num().BitLen() < 1000 {
			t.Fatalf("%s: integer %t, got %v", v.Text, exact.IsInt(), n)
		}
		if n != nil && exact.Cmp(new(big.Rat).SetInt(n)) != 0 {
			t.Fatalf("%s: %s", v.Text, n)
		}
	})
}

const testSchema = `{
  "type": "object", "required": ["kind", "n"], "additionalProperties": false,
  "properties": {
    "kind": {"const": "k"}, "n": {"type": "integer", "minimum": 0}, "x": {"type": "number"}, "flag": {"type": "boolean"},
    "color": {"$ref": "#/$defs/Color"}, "shape": {"$ref": "#/$defs/Shape"}, "maybe": {"anyOf": [{"$ref": "#/$defs/Open"}, {"type": "null"}]},
    "list": {"type": "array", "items": {"type": "string", "x-display-text": true}}, "any": {}, "free": {"type": "object", "x-display-text": true}
  },
  "$defs": {
    "Color": {"type": "string", "enum": ["red", "blue"]}, "Shape": {"type": "string", "enum": ["round"], "x-msp-openness": "open"},
    "Open": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}
  }
}`

func load(t *testing.T) *Schema {
	t.Helper()
	return LoadSchemas(fstest.MapFS{"d/t.json": {Data: []byte(testSchema)}}, "d")["t.json"]
}

func TestCheck(t *testing.T) {
	cases := []struct{ raw, want string }{
		{`{"kind":"k","n":0}`, ""},
		{`[]`, "error type "},
		{`null`, "error null-not-allowed "},
		{`{}`, "error missing /kind,error missing /n"},
		{`{"kind":"K","n":-1}`, "error const /kind,error minimum /n"},
		{`{"kind":1,"n":"0"}`, "error type /kind,error type /n"},
		{`{"kind":"k","n":true}`, "error type /n"},
		{`{"kind":"k","n":1.5,"x":1.5}`, "error type /n"},
		{`{"kind":"k","n":2.0}`, "note number-notation /n"},
		{`{"kind":"k","n":-0}`, "note number-notation /n"},
		{`{"kind":"k","n":9007199254740991}`, ""},
		{`{"kind":"k","n":9007199254740992}`, "note integer-range /n"},
		{`{"kind":"k","n":0,"flag":1}`, "error type /flag"},
		{`{"kind":"k","n":0,"flag":null}`, "error null-not-allowed /flag"},
		{`{"kind":"k","n":0,"color":"Red"}`, "error closed-enum /color"},
		{`{"kind":"k","n":0,"color":null}`, "error null-not-allowed /color"},
		{`{"kind":"k","n":0,"shape":"square"}`, "warning open-enum /shape"},
		{`{"kind":"k","n":0,"shape":7}`, "error type /shape"},
		{`{"kind":"k","n":0,"maybe":null}`, ""},
		{`{"kind":"k","n":0,"maybe":{"id":"1","a/b~c":{"d":1}}}`, "note unknown-member /maybe/a~1b~0c"},
		{`{"kind":"k","n":0,"maybe":{}}`, "error missing /maybe/id"},
		{`{"kind":"k","n":0,"maybe":[]}`, "error type /maybe"},
		{`{"kind":"k","n":0,"list":["a",1,null]}`, "error type /list/1,error null-not-allowed /list/2"},
		{`{"kind":"k","n":0,"Kind":"k","any":[{"x":null}]}`, "error unknown-member /Kind"},
		{`{"kind":"k","n":0,"free":{"a":["b"]}}`, ""},
	}
	s := load(t)
	for _, c := range cases {
		v, faults := Parse([]byte(c.raw), Options{})
		if faults != nil {
			t.Fatal(faults[0])
		}
		findings, _ := s.Check(v, "")
		Locate([]byte(c.raw), findings)
		var got []string
		for _, f := range findings {
			got = append(got, fmt.Sprintf("%s %s %s", f.Level, f.Code, f.Place))
			if f.Line != 1 || f.Column != f.Offset+1 {
				t.Errorf("%s: offset %d, line %d, column %d", c.raw, f.Offset, f.Line, f.Column)
			}
		}
		if strings.Join(got, ",") != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.raw, strings.Join(got, ","), c.want)
		}
	}
}

// TestTexts lists every string with its policy: marked text is replaced, anything
// else reported, known member names are no text.
func TestTexts(t *testing.T) {
	raw := []byte(`{"kind":"k","n":"s1","list":["t1"],"any":{"u1":["s2"]},"free":{"u2":{"u3":"t2"}},"u4":"s3","maybe":{"id":"s4","u5":[{"u6":"s5"}]}}`)
	v, _ := Parse(raw, Options{})
	_, texts := load(t).Check(v, "")
	var got []string
	for _, s := range texts {
		got = append(got, s.Value+map[Policy]string{Replace: "!", Report: ""}[s.Policy])
		if string(raw[s.Start:s.End]) != `"`+s.Value+`"` {
			t.Errorf("%s lies at %s", s.Value, raw[s.Start:s.End])
		}
	}
	want := "k s1 t1! u1 s2 u2 u3 t2! u4 s3 s4 u5 u6 s5"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	if !slices.IsSortedFunc(texts, func(a, b Text) int { return a.Start - b.Start }) {
		t.Error("not in document order")
	}
}

// TestLoadSchemas refuses what would be evaluated wrongly.
func TestLoadSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"unknown keyword":     `{"type":"object","minProperties":1}`,
		"broken reference":    `{"properties":{"a":{"$ref":"#/$defs/None"}}}`,
		"reference elsewhere": `{"properties":{"a":{"$ref":"other.json"}}}`,
		"other anyOf":         `{"anyOf":[{"type":"string"},{"type":"number"}]}`,
		"not JSON":            `{`,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("loaded")
				}
			}()
			LoadSchemas(fstest.MapFS{"d/t.json": {Data: []byte(schema)}}, "d")
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("an empty folder loads")
		}
	}()
	LoadSchemas(fstest.MapFS{"d/t.txt": {}}, "d")
}
