package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/json/strictjson"
	"snapline/pkg/requirement"
)

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":               "",
		"space":                 " \n",
		"two values":            "{} {}",
		"a member twice":        `{"a":1,"a":1}`,
		"twice by escape":       `{"a":1,"\u0061":2}`,
		"twice in a wide one":   `{` + wide(40) + `"m7":0}`,
		"no name":               `{1:2}`,
		"no colon":              `{"a" 1}`,
		"open object":           `{"a":1`,
		"comma at the end":      `{"a":1,}`,
		"open array":            `[1`,
		"array comma":           `[1,]`,
		"leading zero":          `01`,
		"plus":                  `+1`,
		"point":                 `1.`,
		"exponent":              `1e`,
		"minus":                 `-`,
		"long number":           strings.Repeat("1", 40000),
		"word":                  `nul`,
		"other word":            `NaN`,
		"open string":           `"a`,
		"control in a string":   "\"a\nb\"",
		"bad escape":            `"\x41"`,
		"short escape":          `"\u12"`,
		"escape at the end":     `"\`,
		"BOM":                   "\ufeff{}",
		"too deep":              strings.Repeat("[", strictjson.MaxDepth+2) + strings.Repeat("]", strictjson.MaxDepth+2),
		"much too deep":         strings.Repeat("[", 1<<20),
		"name is no Unicode":    "{\"\xff\":1}",
		"name half a surrogate": `{"\ud800":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := strictjson.Parse([]byte(text)); !errors.Is(err, strictjson.ErrSyntax) {
				t.Errorf("err %v", err)
			}
		})
	}
}

func wide(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"m` + string(rune('0'+i%10)) + strings.Repeat("x", i/10) + `":0,`)
	}
	return b.String()
}

func parse(t *testing.T, text string) *strictjson.Document {
	t.Helper()
	d, err := strictjson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

func TestDepthAndWidthThatAreAllowed(t *testing.T) {
	parse(t, strings.Repeat("[", strictjson.MaxDepth)+strings.Repeat("]", strictjson.MaxDepth))
	d := parse(t, `{`+wide(40)+`"last":5}`)
	if d.Object().Int("last") != 5 || d.Err() != nil {
		t.Error("the last of many members is lost")
	}
}

func TestTexts(t *testing.T) {
	requirement.Claim(t, "AMB-05")
	for _, c := range []struct{ literal, want string }{
		{`"plain"`, "plain"},
		{`""`, ""},
		{`"\" \\ \/ \b\f\n\r\t"`, "\" \\ / \b\f\n\r\t"},
		{`"\u0041\u00e9\u20AC"`, "Aé€"},
		{`"\ud83d\ude80"`, "🚀"},
		{`"ok \ud83d end"`, "ok \xed\xa0\xbd end"},     // lone, first half
		{`"\ude80"`, "\xed\xba\x80"},                   // lone, second half
		{`"\ude80\ud83d"`, "\xed\xba\x80\xed\xa0\xbd"}, // reversed
		{`"\ud83d\ud83d\ude80"`, "\xed\xa0\xbd🚀"},
		{`"\ud83dx"`, "\xed\xa0\xbdx"},
		{`"\ud83d\n"`, "\xed\xa0\xbd\n"},
		{"\"raw \xff\"", "raw \xff"},
		{`"\u0000"`, "\x00"},
	} {
		v := parse(t, c.literal).Root()
		if got := string(v.Bytes()); got != c.want || v.Len() != int64(len(c.want)) {
			t.Errorf("%s: %q of %d bytes, want %q", c.literal, got, v.Len(), c.want)
		}
	}
}

func TestQuestions(t *testing.T) {
	const text = `{"s":"x","i":13305603274,"b":true,"n":null,"o":{"k":1},"a":[1,null],"z":0,"neg":-2,"S":"other"}`
	o := parse(t, text).Object()
	if o.Text("s") != "x" || o.Text("S") != "other" || o.Int("i") != 13305603274 || !o.Bool("b") || o.Object("o").Int("k") != 1 || len(o.Array("a")) != 2 {
		t.Error("a plain question got a wrong answer")
	}
	if !o.Array("a")[1].Null() || o.Get("n").Absent() || !o.Get("n").Null() || !o.Get("q").Absent() || o.Get("q").Null() {
		t.Error("null and absent are mixed up")
	}
	if o.OptText("n") != nil || o.OptText("q") != nil || *o.OptText("s") != "x" || o.OptInt("n") != nil || o.OptBool("q") != nil || o.OptObject("n").Exists() {
		t.Error("an optional question got a wrong answer")
	}
	if o.ID("nothing") != "" {
		t.Error("an absent identifier is something")
	}
	if o.Digits("i") != "13305603274" || o.Digits("z") != "" || o.Digits("neg") != "" || o.Digits("nothing") != "" {
		t.Error("digits")
	}
	if extra, found := o.Other([]string{"s", "i", "b", "n", "o", "a", "z", "neg"}); !found || extra != "S" {
		t.Error("names match without their case")
	}
	for name, ask := range map[string]func(strictjson.Object){
		"s is number":   func(o strictjson.Object) { o.Int("s") },
		"i is text":     func(o strictjson.Object) { o.Text("i") },
		"null as text":  func(o strictjson.Object) { o.Text("n") },
		"absent":        func(o strictjson.Object) { o.Text("q") },
		"other case":    func(o strictjson.Object) { o.Text("I") },
		"no object":     func(o strictjson.Object) { o.Object("a").Text("x") },
		"no array":      func(o strictjson.Object) { o.Array("o") },
		"optional type": func(o strictjson.Object) { o.OptText("b") },
		"nullable":      func(o strictjson.Object) { o.Nullable("q") },
		"length":        func(o strictjson.Object) { o.Get("b").Len() },
	} {
		d := parse(t, text)
		ask(d.Object())
		if d.Err() == nil || strings.Contains(d.Err().Error(), "other") {
			t.Errorf("%s: %v", name, d.Err())
		}
	}
	for _, number := range []string{"1.0", "1e3", "9223372036854775808", "-9223372036854775809"} {
		d := parse(t, `{"n":`+number+`}`)
		if d.Object().Int("n"); d.Err() == nil {
			t.Errorf("%s passes for an integer", number)
		}
	}
	if d := parse(t, `{"n":9223372036854775807}`); d.Object().Int("n") != 1<<63-1 || d.Err() != nil {
		t.Error("the largest integer")
	}
	// An object that does not exist answers everything with nothing, once complained of.
	d := parse(t, `{"a":{"b":"text"}}`)
	if got := d.Object().Object("a").Object("b").Object("c").Text("d"); got != "" || !strings.Contains(d.Err().Error(), "a.b is a string") {
		t.Errorf("%q, %v", got, d.Err())
	}
}

func TestRaw(t *testing.T) {
	d := parse(t, `{"a": {"x" : [1, 2]} ,"s":"q\n"}`)
	if got := string(d.Object().Object("a").Raw()); got != `{"x" : [1, 2]}` {
		t.Errorf("%q", got)
	}
	if got := string(d.Object().Get("s").Raw()); got != `q\n` {
		t.Errorf("%q", got)
	}
}

// FuzzParse compares with the standard library: what it refuses, we refuse; what we
// accept, it accepts unless only the library's leniency or limits differ; and texts
// decode alike, lone surrogates apart.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `[1,"a",null,true]`, `{"a":{"b":[1.5e-3]}}`, `"\ud83d\ude80"`, `"\ud83d"`, `{"a":1,"\u0061":2}`, "\"\xff\"", `-0`, `[[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := strictjson.Parse(data)
		if err != nil {
			if d != nil {
				t.Fatal("a document beside an error")
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted what is no JSON: %q", data)
		}
		visit(t, d.Root())
		if d.Err() != nil {
			t.Fatalf("right questions, wrong answers: %v", d.Err())
		}
	})
}

func visit(t *testing.T, v strictjson.Value) {
	switch {
	case v.IsText():
		got := v.Bytes()
		if int64(len(got)) != v.Len() {
			t.Fatalf("length %d of %q", v.Len(), got)
		}
		var want string
		literal := append(append([]byte{'"'}, v.Raw()...), '"')
		if err := json.Unmarshal(literal, &want); err != nil {
			t.Fatal(err)
		}
		if utf8.Valid(got) && string(got) != want {
			t.Fatalf("%q, the library says %q", got, want)
		}
		if !utf8.Valid(got) && bytes.Count([]byte(want), []byte("\ufffd")) == 0 {
			t.Fatalf("%q is broken, the library found nothing", got)
		}
	case v.IsObject():
		var names map[string]json.RawMessage
		if err := json.Unmarshal(v.Raw(), &names); err != nil {
			t.Fatal(err)
		}
		for name := range names {
			visit(t, v.Object().Get(name))
		}
	case !v.Missing() && v.Raw() != nil && v.Raw()[0] == '[':
		for _, e := range v.Array() {
			visit(t, e)
		}
	}
}
