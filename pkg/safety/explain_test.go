package safety

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"snapline/pkg/safety/secret"
	"snapline/pkg/safety/unicodesafety"
)

// TestExplainedSource looks whether the place of each value in the source is that of the bytes
// from which the value came, in random text in which all steps change something: cleaned by
// itself, the piece of the source gives the value.
func TestExplainedSource(t *testing.T) {
	w := newWorker(t)
	w.Explain = true
	r := rand.New(rand.NewPCG(31, 32))
	noise := []string{
		"\u200b", "\u00ad", "\x1b[31m", "\x1b]0;t\x07", "\u009b1m", "\x00", "\ufdfa", "\u00bd", "e\u0301", "e\u200b\u0301", "\u1112\u1161\u200d\u11ab",
		"a\u0323\u0307\u0301", "\r\n", "\n", "\u2028", "\xff", "\xe2\x82", "plain words ", "\u65e5\u672c", "\u00a0", "\U0001f600\ufe0f", "x\u0338",
	}
	checked := 0
	for n := range 4000 {
		var source []byte
		for range 2 + r.IntN(6) {
			for range r.IntN(4) {
				source = append(source, noise[r.IntN(len(noise))]...)
			}
			source = append(source, "\nDB_PASS"+"WORD="...)
			for _, c := range "Kq7" + string(rune('a'+n%26)) + "Wx2Tz9Lm" {
				if r.IntN(3) == 0 {
					source = append(source, noise[r.IntN(3)]...)
				}
				if r.IntN(4) == 0 {
					c += 0xFF00 - 0x20 // the wide letter
				}
				source = append(source, string(c)...)
			}
			source = append(source, " \n"...)
		}
		got, err := w.Filter(Body, source)
		if err != nil {
			t.Fatal(err)
		}
		clean := bytes.Clone(unicodesafety.NewCleaner().Clean(source, false))
		for _, s := range got.Spans {
			if s.Code != secret.EnvValue.String() {
				if s.Start < 0 || s.End < s.Start || s.End > len(source) || s.Start == s.End {
					t.Fatalf("%q: %v", source, s)
				}
				continue
			}
			value := unicodesafety.NewCleaner().Clean(source[s.Start:s.End], false)
			want := "Kq7" + string(rune('a'+n%26)) + "Wx2Tz9Lm"
			if string(value) != want || !bytes.Contains(clean, value) {
				t.Fatalf("%q: the piece %q at %d gives %q, want %q", source, source[s.Start:s.End], s.Start, value, want)
			}
			checked++
		}
		if !slices.IsSortedFunc(got.Spans, func(a, b Span) int {
			if a.Code != b.Code || a.Code != secret.EnvValue.String() {
				return 0
			}
			return a.Start - b.Start
		}) {
			t.Fatalf("%v", got.Spans)
		}
	}
	if checked < 8000 {
		t.Errorf("only %d values were looked at", checked)
	}
}
