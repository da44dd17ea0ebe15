package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseFaults(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cases := []struct {
		name, raw string
		bom       bool
		want      string // rule@offset(line,column) of each fault
	}{
		{"empty", "", false, "json.syntax@0(1,1)"},
		{"blank", " \n", false, "json.syntax@2(2,1)"},
		{"scalars", `[null,true,false,0,-0,1.5e+3,"x"]`, false, ""},
		{"white space everywhere", " { \"a\" : [ 1 , 2 ] } \r\n\t", false, ""},
		{"one byte-order mark, tolerated", "\ufeff{}", true, ""},
		{"two byte-order marks", "\ufeff\ufeff{}", true, "json.syntax@3(1,4)"},
		{"a byte-order mark, not tolerated", "\ufeff{}", false, "json.syntax@0(1,1)"},
		{"not UTF-8", "{\n\"a\":\"\xff\"}", false, "json.utf-8@7(2,6)"},
		{"UTF-16", "\xff\xfe{\x00", true, "json.utf-8@0(1,1)"},
		{"encoded surrogate", "\"\xed\xa0\x80\"", false, "json.utf-8@1(1,2)"},
		{"overlong", "\"\xc0\xaf\"", false, "json.utf-8@1(1,2)"},
		{"something after the value", "{}\n{}", false, "json.trailing@3(2,1)"},
		{"NaN", `{"a":NaN}`, false, "json.syntax@5(1,6)"},
		{"Infinity", `[-Infinity]`, false, "json.syntax@2(1,3)"},
		{"comment", `{} // x`, false, "json.trailing@3(1,4)"},
		{"trailing comma in an object", `{"a":1,}`, false, "json.syntax@7(1,8)"},
		{"trailing comma in an array", `[1,]`, false, "json.syntax@3(1,4)"},
		{"no comma", `[1 2]`, false, "json.syntax@3(1,4)"},
		{"no colon", `{"a" 1}`, false, "json.syntax@5(1,6)"},
		{"name without quotes", `{a:1}`, false, "json.syntax@1(1,2)"},
		{"single quotes", `['a']`, false, "json.syntax@1(1,2)"},
		{"leading zero", `[01]`, false, "json.syntax@2(1,3)"},
		{"plus sign", `[+1]`, false, "json.syntax@1(1,2)"},
		{"no digit after the point", `[1.]`, false, "json.syntax@3(1,4)"},
		{"no digit before the point", `[.5]`, false, "json.syntax@1(1,2)"},
		{"no digit in the exponent", `[1e]`, false, "json.syntax@3(1,4)"},
		{"raw line feed in a string", "[\"a\nb\"]", false, "json.syntax@3(1,4)"},
		{"raw NUL in a string", "[\"a\x00b\"]", false, "json.syntax@3(1,4)"},
		{"escaped NUL", `["\u0000"]`, false, ""},
		{"unknown escape", `["\x"]`, false, "json.syntax@2(1,3)"},
		{"short escape", `["\u12"]`, false, "json.syntax@2(1,3)"},
		{"control characters are no digits", "[\"\\u\x10\x11\x12\x13\"]", false, "json.syntax@2(1,3)"},
		{"end in a string", `["a`, false, "json.syntax@3(1,4)"},
		{"end after a backslash", `["a\`, false, "json.syntax@3(1,4)"},
		{"end in an array", `[1`, false, "json.syntax@2(1,3)"},
		{"end in an object", `{"a":`, false, "json.syntax@5(1,6)"},
		{"pair", `["\ud83d\ude00"]`, false, ""},
		{"high surrogate alone", `["\ud83d"]`, false, "json.lone-surrogate@2(1,3)"},
		{"low surrogate alone", `["\ude00"]`, false, "json.lone-surrogate@2(1,3)"},
		{"reversed pair", `["\ude00\ud83d"]`, false, "json.lone-surrogate@2(1,3) json.lone-surrogate@8(1,9)"},
		{"two high surrogates", `["\ud83d\ud83d\ude00"]`, false, "json.lone-surrogate@2(1,3)"},
		{"high surrogate and another escape", `["\ud83d\n"]`, false, "json.lone-surrogate@2(1,3)"},
		{"lone surrogate in a name", `{"\udc00":1}`, false, "json.lone-surrogate@2(1,3)"},
		{"duplicate", "{\"a\":1,\n\"a\":2}", false, "json.duplicate-member@8(2,1)"},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, false, "json.duplicate-member@7(1,8)"},
		{"duplicate deep inside", `[{"x":[{"b":1,"c":2,"b":3}]}]`, false, "json.duplicate-member@20(1,21)"},
		{"names differ in case", `{"a":1,"A":2}`, false, ""},
		{"one name in two objects", `[{"a":1},{"a":1}]`, false, ""},
		{"duplicates and then a syntax error", `{"a":1,"a":2,"a":3} x`, false, "json.duplicate-member@7(1,8) json.duplicate-member@13(1,14) json.trailing@20(1,21)"},
		{"999 levels", deep(999), false, ""},
		{"1000 levels", deep(1000), false, ""},
		{"1001 levels", deep(1001), false, "json.depth@1000(1,1001)"},
		{"a million levels", strings.Repeat("[", 1<<20), false, "json.depth@1000(1,1001)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, faults := Parse([]byte(c.raw), Options{ByteOrderMark: c.bom})
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprintf("%s@%d(%d,%d)", f.Rule, f.Offset, f.Line, f.Column))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
			if (v == nil) != (c.want != "") {
				t.Errorf("value %v", v)
			}
		})
	}
}

// TestByteOrderMarkIsNamed: nobody sees a byte-order mark, so the fault says that it is one.
func TestByteOrderMarkIsNamed(t *testing.T) {
	for raw, named := range map[string]bool{"\ufeff{}": true, "\ufeff": true, "x": false, "": false} {
		_, faults := Parse([]byte(raw), Options{})
		if got := strings.Contains(faults[0].Detail, "byte-order mark"); got != named {
			t.Errorf("%q: %s", raw, faults[0].Detail)
		}
	}
}

func TestManyMembersAndValues(t *testing.T) {
	object := func(n int, last string) []byte {
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			fmt.Fprintf(&b, `"m%d":0,`, i)
		}
		b.WriteString(last + "}")
		return []byte(b.String())
	}
	for _, n := range []int{15, 16, 17, 18, 1000} {
		if _, faults := Parse(object(n, `"x":0`), Options{}); faults != nil {
			t.Errorf("%d members: %v", n, faults[0])
		}
		if _, faults := Parse(object(n, `"m3":0`), Options{}); len(faults) != 1 || faults[0].Rule != "json.duplicate-member" {
			t.Errorf("%d members and a repetition: %v", n, faults)
		}
	}
	list := func(n int) []byte { return []byte("[" + strings.Repeat("0,", n-2) + "0]") }
	for n, want := range map[int]bool{maxValues - 1: true, maxValues: true, maxValues + 1: false} {
		if _, faults := Parse(list(n), Options{}); (faults == nil) != want {
			t.Errorf("%d values: %v", n, faults)
		}
	}
	if _, faults := Parse(object(200, strings.Repeat(`"m0":0,`, 150)+`"m0":0`), Options{}); len(faults) != maxFaults {
		t.Errorf("%d faults, want %d", len(faults), maxFaults)
	}
}

// spell writes a value again from its places: the raw text of every leaf, and what
// lies between. It is the input if the places are right.
func spell(raw []byte, v *Value) []byte {
	var out bytes.Buffer
	at := v.Start
	for i := range v.Members {
		m := &v.Members[i]
		if v.Kind == Object {
			out.Write(raw[at:m.NameStart])
			out.Write(raw[m.NameStart:m.NameEnd])
			at = m.NameEnd
		}
		out.Write(raw[at:m.Start])
		out.Write(spell(raw, m))
		at = m.End
	}
	out.Write(raw[at:v.End])
	return out.Bytes()
}

// same reports whether a value has the meaning that encoding/json gives to its text.
func same(v *Value, want any) bool {
	switch w := want.(type) {
	case nil:
		return v.Kind == Null
	case bool:
		return v.Kind == Bool && v.Text == fmt.Sprint(w)
	case json.Number:
		return v.Kind == Number && v.Text == string(w)
	case string:
		return v.Kind == String && v.Text == w
	case []any:
		ok := v.Kind == Array && len(v.Members) == len(w)
		for i := 0; ok && i < len(w); i++ {
			ok = same(&v.Members[i], w[i])
		}
		return ok
	case map[string]any:
		ok := v.Kind == Object && len(v.Members) == len(w)
		for i := 0; ok && i < len(v.Members); i++ {
			member, has := w[v.Members[i].Name]
			ok = has && same(&v.Members[i], member)
		}
		return ok
	}
	return false
}

// FuzzParse holds the parser against encoding/json, which accepts more: what is
// accepted means the same, what is refused by grammar is refused there too, and every
// place is where it says.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e3,"\ud83d\ude00\n",null,true],"b":{}}`, `{"a":1,"\u0061":2}`, "[\"\\ud800\"]", "\ufeff{}", "[1,]", "\"\xff\"", `{"":""}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, faults := Parse(raw, Options{})
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var want any
		err := d.Decode(&want)
		oracle := err == nil && !d.More() && json.Valid(raw) && utf8.Valid(raw)
		if v == nil {
			grammar := false
			for _, fault := range faults {
				if fault.Offset < 0 || fault.Offset > len(raw) {
					t.Fatalf("fault at %d of %d bytes", fault.Offset, len(raw))
				}
				switch fault.Rule {
				case "json.syntax", "json.trailing", "json.utf-8":
					grammar = true
				}
			}
			if grammar && oracle {
				t.Fatalf("refused %q: %v", raw, faults[0])
			}
			return
		}
		if !oracle {
			t.Fatalf("accepted %q, which encoding/json refuses: %v", raw, err)
		}
		if !same(v, want) {
			t.Fatalf("%q means something else", raw)
		}
		if got := spell(raw, v); !bytes.Equal(got, raw[v.Start:v.End]) {
			t.Fatalf("places of %q give %q", raw, got)
		}
		if strings.TrimSpace(string(raw)) != string(raw[v.Start:v.End]) {
			t.Fatalf("the value of %q is %q", raw, raw[v.Start:v.End])
		}
	})
}

func TestSplice(t *testing.T) {
	raw := []byte("{ \"a\" :\t\"x\\u200by\", \"b\":[\"\\/\", 1.0], \"c\":\"z\"}\n")
	v, _ := Parse(raw, Options{})
	a, c := v.Member("a"), v.Member("c")
	got := Splice(raw, []Replacement{{c.Start, c.End, "say \"hi\"\n\u2028"}, {a.Start, a.End, "xy"}})
	want := "{ \"a\" :\t\"xy\", \"b\":[\"\\/\", 1.0], \"c\":\"say \\\"hi\\\"\\n\u2028\"}\n"
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Splice(raw, nil); &got[0] != &raw[0] {
		t.Error("without a replacement the bytes are the same ones")
	}
}

// FuzzSplice replaces every string of a document by the same text: the result means
// the same, and only literals differ.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"a":["x\u0041","\n"],"b":{"c":"\ud83d\ude00"}}`))
	f.Add([]byte(" [\"\", \"\\u0000\", 1.0] "))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, faults := Parse(raw, Options{})
		if faults != nil {
			return
		}
		_, texts := (&Schema{}).Check(v, "")
		var all []Replacement
		for _, s := range texts {
			all = append(all, Replacement{s.Start, s.End, s.Value})
		}
		spliced := Splice(raw, all)
		again, faults := Parse(spliced, Options{})
		if faults != nil {
			t.Fatalf("%q is not JSON any more: %v", spliced, faults[0])
		}
		_, after := (&Schema{}).Check(again, "")
		if len(after) != len(texts) {
			t.Fatalf("%d strings, then %d", len(texts), len(after))
		}
		last, lastBefore := 0, 0
		for i := range texts {
			if texts[i].Value != after[i].Value {
				t.Fatalf("string %d changed", i)
			}
			if !bytes.Equal(raw[lastBefore:texts[i].Start], spliced[last:after[i].Start]) {
				t.Fatalf("bytes before string %d changed", i)
			}
			last, lastBefore = after[i].End, texts[i].End
		}
	})
}

func TestLines(t *testing.T) {
	cases := []struct {
		name, raw, want string
	}{
		{"two", "{\"a\":1}\n{\"b\":2}\n", "1:{\"a\":1}|2:{\"b\":2}"},
		{"blank lines and CR", "{}\r\n\r\n {} \r\n", "1:{}|3: {} "},
		{"one", "{}\n", ""},
		{"pretty-printed", "{\n\"a\":1\n}\n", ""},
		{"something else", "{}\n[]\n", ""},
		{"a broken one stays", "{}\n{,}\n", "1:{}|2:{,}"},
		{"one cut off stays", "{}\n{\"a\":\n{}\n{\"b", "1:{}|2:{\"a\":|3:{}|4:{\"b"},
		{"all cut off", "{\"a\":\n{\"b", ""},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range Lines([]byte(c.raw)) {
				got = append(got, fmt.Sprintf("%d:%s", p.Line, p.Raw))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}
