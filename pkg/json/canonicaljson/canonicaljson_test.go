package canonicaljson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/requirement"
)

func TestMarshal(t *testing.T) {
	requirement.Claim(t, "CAN-01")
	type inner struct {
		B string  `json:"b"`
		A *string `json:"a"`
	}
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"members sorted, null kept", inner{B: "x"}, `{"a":null,"b":"x"}`},
		{"no HTML escapes", "<a href=\"x\">&</a>", `"<a href=\"x\">&</a>"`},
		{"line separators raw", "a\u2028b\u2029c", "\"a\u2028b\u2029c\""},
		{"short escapes", "\b\t\n\f\r\"\\/", `"\b\t\n\f\r\"\\/"`},
		{"other controls", "\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"by UTF-16 units", map[string]int{"\ufb33": 1, "\U0001f600": 2, "a": 3}, "{\"a\":3,\"\U0001f600\":2,\"\ufb33\":1}"},
		{"empty array", []string{}, `[]`},
		{"replacement character itself", "\ufffd", "\"\ufffd\""},
		{"text that looks like its escape", `\ufffd`, `"\\ufffd"`},
		{"largest integer", int64(1<<53 - 1), "9007199254740991"},
		{"smallest integer", -int64(1<<53 - 1), "-9007199254740991"},
		{"digits in a string", "9007199254740993", `"9007199254740993"`},
		{"quote before digits", `"9007199254740993`, `"\"9007199254740993"`},
	} {
		got, err := Marshal(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
		if err := Check(got); err != nil {
			t.Errorf("%s: its own bytes are refused: %v", c.name, err)
		}
	}
}

func TestMarshalRefuses(t *testing.T) {
	requirement.Claim(t, "AMB-51")
	for name, v := range map[string]any{
		"invalid UTF-8":           "a\xffb",
		"invalid UTF-8 in a name": map[string]int{"\xff": 1},
		"surrogate bytes":         "\xed\xa0\x80",
		"not a number":            math.NaN(),
		"channel":                 make(chan int),
		"2^53":                    int64(1 << 53),
		"2^53+1":                  []int64{1<<53 + 1},
		"-2^53":                   map[string]int64{"n": -(1 << 53)},
		"largest int64":           int64(math.MaxInt64),
	} {
		if got, err := Marshal(v); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestCheck(t *testing.T) {
	requirement.Claim(t, "CAN-01")
	for _, c := range []struct {
		name, in string
		verdict  int // 0 canonical, 1 I-JSON in another form, 2 not I-JSON
		differs  int // the first byte that does, with verdict 1
	}{
		{"object", `{"a":1,"b":[true,null,"x"]}`, 0, 0},
		{"unsorted", `{"b":1,"a":2}`, 1, 2},
		{"space", `{"a": 1}`, 1, 5},
		{"final newline", "{}\n", 1, 2},
		{"escaped solidus", `"\/"`, 1, 1},
		{"needless escape", `"\u0061"`, 1, 1},
		{"upper-case escape", `"\u001F"`, 1, 6},
		{"fraction", `1.0`, 1, 1},
		{"exponent", `1e3`, 1, 1},
		{"minus zero", `-0`, 1, 0},
		{"rounded integer", `9007199254740993`, 1, 15},
		{"sorted by bytes instead of units", "{\"\ufb33\":1,\"\U0001f600\":2}", 1, 2},
		{"duplicate member", `{"a":1,"a":1}`, 2, 0},
		{"duplicate by escape", `{"a":1,"\u0061":1}`, 2, 0},
		{"lone surrogate", `"\ud800"`, 2, 0},
		{"invalid UTF-8", "\"\xff\"", 2, 0},
		{"byte-order mark", "\ufeff{}", 2, 0},
		{"two values", `{}{}`, 2, 0},
		{"trailing comma", `[1,]`, 2, 0},
		{"leading zero", `01`, 2, 0},
		{"empty", ``, 2, 0},
		{"beyond a double", `1e400`, 2, 0},
		{"too deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), 2, 0},
	} {
		err := Check([]byte(c.in))
		got := 2
		var differs *NotCanonicalError
		switch {
		case err == nil:
			got = 0
		case errors.As(err, &differs):
			got = 1
			if differs.Offset != c.differs {
				t.Errorf("%s: differs at %d, want %d", c.name, differs.Offset, c.differs)
			}
		}
		if got != c.verdict {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if Check(nil) == nil {
		t.Error("nil is canonical")
	}
}

func TestString(t *testing.T) {
	requirement.Claim(t, "REC-02")
	got, err := String("IC_kwDOExample")
	if err != nil || got != `"IC_kwDOExample"` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := String("\xff"); err == nil {
		t.Errorf("invalid UTF-8 became %s", got)
	}
}

// FuzzMarshal: what is written is canonical, is what was meant, and stays itself.
func FuzzMarshal(f *testing.F) {
	for _, s := range []string{"", "a", "\x00\"\\", "é\u2028\U0001f600", "\xff", `\ufffd`, "\ufffd"} {
		f.Add(s, int64(len(s)))
	}
	f.Fuzz(func(t *testing.T, s string, n int64) {
		in := map[string]any{s: n, "z" + s: []string{s}}
		got, err := Marshal(in)
		legal := utf8.ValidString(s) && n >= -(1<<53-1) && n <= 1<<53-1
		if legal != (err == nil) {
			t.Fatalf("%q, %d: %v", s, n, err)
		}
		if err != nil {
			return
		}
		if err := Check(got); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber()
		var back map[string]any
		if err := d.Decode(&back); err != nil || back["z"+s].([]any)[0] != s {
			t.Fatalf("%s: %v, %v", got, back, err)
		}
		if again, err := Transform(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s became %s, %v", got, again, err)
		}
	})
}
