package injection

import (
	"math/rand/v2"
	"testing"
)

// The short ways of the cursor read what the long ones read.
func TestShortWaysOfTheCursor(t *testing.T) {
	alphabet := []string{
		"a", "x", "send", "7", "12", " ", " ", " ", "\n", "\t", "-", "'", "’", "_", "<", ">", "/", "&", "#", ";", ".", ",", ":", "!", "?", "(", ")",
		"*", "`", "\\n", "%20", "é", "—", "</b>", "<b>", "&nbsp;", "1. ", "> ", "- ", "se-\nnd", "over-ride", "<!--", "-->",
	}
	random := rand.New(rand.NewPCG(11, 7))
	next, previous := 0, 0
	for range 100_000 {
		var text []byte
		for range 2 + random.IntN(14) {
			text = append(text, alphabet[random.IntN(len(alphabet))]...)
		}
		c := &cursor{}
		c.reset(text, 0, len(text))
		for _, w := range everyWord(text, 0, len(text)).words {
			if got, ok := c.plainNext(w.end); ok {
				next++
				want, _ := c.next(w.end)
				if want.gap = c.longGap(w.end, want.start); got != want {
					t.Fatalf("%q: the word behind %d is %+v, want %+v", text, w.end, got, want)
				}
			}
			if got, ok := c.plainPrevious(w.start); ok {
				previous++
				if want, _ := c.anyPrevious(w.start); got != want {
					t.Fatalf("%q: the word before %d is %+v, want %+v", text, w.start, got, want)
				}
				if got, want := c.gapFlags(got.end, w.start), c.longGap(got.end, w.start); got != want {
					t.Fatalf("%q: the gap before %d is %b, want %b", text, w.start, got, want)
				}
			}
		}
	}
	if next < 10_000 || previous < 5_000 {
		t.Fatalf("only %d and %d words were read the short way", next, previous)
	}
}
