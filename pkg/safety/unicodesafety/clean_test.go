package unicodesafety

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"snapline/pkg/safety/rules"
)

// invisibleCode gives the characters that the rules remove, read anew.
func invisibleCode(t testing.TB) func(rune) (string, bool) {
	t.Helper()
	set, err := rules.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	return set.Invisible
}

// TestTablesAgreeWithNormalization compares the class of every code point with what
// x/text says about it, alone and behind a letter.
func TestTablesAgreeWithNormalization(t *testing.T) {
	code := invisibleCode(t)
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		s := string(r)
		k := classOf(r)
		name, gone := code(r)
		switch {
		case gone:
			if k < removed || !strings.EqualFold(strings.ReplaceAll(Code(k-removed).String(), "-", ""), "unicode."+name) {
				t.Fatalf("%U: class %d, want removed as %s", r, k, name)
			}
			continue
		case r < 0xA0 || r == 0x2028 || r == 0x2029:
			continue
		}
		p := norm.NFKC.PropertiesString(s)
		form := norm.NFKC.String(s)
		switch k {
		case plain:
			if form != s || !p.BoundaryBefore() {
				t.Fatalf("%U: plain, but %+q", r, form)
			}
		case mapped:
			if form == s || form != replacement(r) || !p.BoundaryBefore() {
				t.Fatalf("%U: mapped, but %+q", r, form)
			}
		case mark:
			if form != s || p.BoundaryBefore() || p.CCC() == 0 || p.CCC() != combiningClass(r) {
				t.Fatalf("%U: mark, but %+q", r, form)
			}
		case joins:
			if p.BoundaryBefore() && norm.NFKC.PropertiesString(form).BoundaryBefore() {
				t.Fatalf("%U: joins, but is a boundary", r)
			}
		default:
			t.Fatalf("%U: class %d", r, k)
		}
	}
}

// reference is the obvious recipe for text without controls and without long runs
// of non-starters. It takes the two steps of the definition: NFKC of x/text alone does
// not compose jamo of compatibility, so that a second run changes them again.
func reference(s string, invisible func(rune) (string, bool)) string {
	return norm.NFC.String(norm.NFKD.String(strings.Map(func(r rune) rune {
		if _, gone := invisible(r); gone {
			return -1
		}
		return r
	}, s)))
}

func TestSegmentsAreCounted(t *testing.T) {
	c := NewCleaner()
	for in, want := range map[string]int64{
		"a\u0301b":             1,
		"a\u0301\u0302e\u0301": 2,
		"\uff32\uff35\uff2e":   3,
		"\ufb01\u0301":         1,
		"\u00e9\u0316":         0,
		"\u00e9\u0323":         1,
		"\u1100\u1161\u11a8":   1,
		"\u3145\u3153\u3147":   2,
		"1\u00bd\u00a0x":       2,
		"x\u0316\u0301":        0,
		"x\u0301\u0316":        1,
		"\u0344":               1,
	} {
		if c.Clean([]byte(in), false); c.Counts()[NFKC] != want {
			t.Errorf("%+q: %d segments, want %d", in, c.Counts()[NFKC], want)
		}
	}
}

func TestCleanAgreesWithNormalization(t *testing.T) {
	invisible := invisibleCode(t)
	pool := []rune("aeo<=>ｆ［ﬁ½™…éậ가각각\u0301\u0302\u0323\u0327\u0316\u0338\u3099か\u200b\u00ad\u0344\u0f73\u09be\u09c7\u1100\u05b0\u05b7ﷺ ㄱㅏㄳﾡￂￜ \u00a8\u1fee\u212b日本я")
	rnd := rand.New(rand.NewPCG(1, 2))
	c := NewCleaner()
	for range 50_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(12) {
			if rnd.IntN(20) == 0 {
				r := rune(0xA0 + rnd.IntN(0x2FFFF))
				if !utf8.ValidRune(r) || r == 0x2028 || r == 0x2029 {
					continue
				}
				b.WriteRune(r)
				continue
			}
			b.WriteRune(pool[rnd.IntN(len(pool))])
		}
		want := reference(b.String(), invisible)
		got := string(c.Clean([]byte(b.String()), false))
		if got != want {
			t.Fatalf("%+q: got %+q, want %+q", b.String(), got, want)
		}
	}
}

func TestCleanCases(t *testing.T) {
	c := NewCleaner()
	for _, tc := range []struct{ in, want, codes string }{
		{"a\tb\n", "a\tb\n", ""},
		{"a\r\nb\rc\r\r\n", "a\nb\nc\n\n", ""},
		{"first\u2028second\u2029x\u0085y", "first\nsecond\nx\ny", "control control control"},
		{"\x1b[31mred\x1b[0m", "red", "terminal-escape*9"},
		{"see \x1b]8;;https://evil.example\x1b\\docs\x1b]8;;\x1b\\", "see docs", "*"},
		{"a\u009b31mb\u009d0;t\u009cc", "abc", "*"},
		{"a\u0090q\x1b\\b\x1bPq\u009cc", "abc", "*"},
		{"one\x1b]0;never\ntwo", "one\ntwo", "*"},
		{"one\x1b]0;never\r\ntwo", "one\ntwo", "*"},
		{"a\x1b\u200b[31mb", "ab", "*"},
		{"a\x1b\uff3b31mb", "ab", "*"},
		{"a\x1b\x1b[31m[32mb", "a[32mb", "*"},
		{"a\x1bcb\x1b(Bc\x1b7d\x1bMe", "abcde", "*"},
		{"progress 50%\x1b[", "progress 50%", "*"},
		{"x\x1b", "x", "terminal-escape"},
		{"x\u009cy\u0080", "xy", "control control"},
		{"x\x00y\x7f\x01", "xy", "control control null"},
		{"\u3145\u3153 \u3131\u314f\u3133 \uffa1\uffc2\uffa1", "\uc11c \uac03 \uac00\u1100", "*"},
		{"\uac00\u3133", "\uac03", "nfkc"},
		{"e\u200b\u0301", "\u00e9", "nfkc zero-width"},
		{"e\x1b[0m\u0301", "\u00e9", "*"},
		{"ok\xe2\x82", "ok\ufffd", "invalid-utf8"},
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd", "invalid-utf8 invalid-utf8 invalid-utf8"},
		{"\xc0\xaf\xf0\x9f\x98", "\ufffd\ufffd\ufffd", "invalid-utf8 invalid-utf8 invalid-utf8"},
		{"\x1b[38:2:1:2:3m\x1b[?25l\x1b[>c", "", "*"},
		{"\x1b[3\x00\u200b1mred", "red", "*"},
		{"\x1b]0;a\x18b", "b", "*"},
		{"\x1b]0;a\x1b[1mb", "b", "*"},
		{"\x1b]0;a\x1b\u200b\\b", "b", "*"},
		{"\x1b[31\u00e9", "\u00e9", "*"},
	} {
		got := string(c.Clean([]byte(tc.in), false))
		if got != tc.want {
			t.Errorf("%+q: got %+q, want %+q", tc.in, got, tc.want)
		}
		if tc.codes == "*" || strings.Contains(tc.codes, "*") {
			continue
		}
		var names []string
		for code, n := range c.Counts() {
			for range n {
				names = append(names, strings.TrimPrefix(Code(code).String(), "unicode."))
			}
		}
		if s := strings.Join(names, " "); s != tc.codes {
			t.Errorf("%+q: findings %q, want %q", tc.in, s, tc.codes)
		}
	}
}

func TestOneLine(t *testing.T) {
	c := NewCleaner()
	got := string(c.Clean([]byte("a\tb\nc\r\nd\u2028e"), true))
	if got != "a b c d e" || c.Counts()[Control] != 4 {
		t.Errorf("got %q, %d", got, c.Counts()[Control])
	}
}

func TestManyMarks(t *testing.T) {
	c := NewCleaner()
	in := "a" + strings.Repeat("\u0301", 40) + strings.Repeat("\u0323", 100)
	got := append([]byte(nil), c.Clean([]byte(in), false)...)
	if want := "\u1ea1" + strings.Repeat("\u0323", 99) + strings.Repeat("\u0301", 40); string(got) != want {
		t.Errorf("got %+q", got)
	}
	if again := c.Clean(got, false); !bytes.Equal(again, got) || *c.Counts() != ([Codes]int64{}) {
		t.Error("no fixed point")
	}
}

func FuzzClean(f *testing.F) {
	f.Add([]byte("a\x1b\x1b[31m[32mb\r\n\u200d\uff3b\xff"))
	c := NewCleaner()
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, oneLine := range []bool{false, true} {
			got := append([]byte(nil), c.Clean(src, oneLine)...)
			if !utf8.Valid(got) || bytes.ContainsAny(got, "\r\x1b\x00\ufeff\u200b\u034f") {
				t.Fatalf("%+q", got)
			}
			if again := c.Clean(got, oneLine); !bytes.Equal(again, got) || *c.Counts() != ([Codes]int64{}) {
				t.Fatalf("no fixed point: %+q then %+q, %v", got, again, *c.Counts())
			}
		}
	})
}
