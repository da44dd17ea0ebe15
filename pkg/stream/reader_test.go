package stream

import (
	"bytes"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	for pos := 1; pos <= 3; pos++ {
		raw := write(t, testHeader(pos), testLines(pos)...)
		h, lines, err := readAll(NewReader(bytes.NewReader(raw), ReaderOptions{Name: "stdin", Position: pos}))
		if err != nil {
			t.Fatalf("position %d: %v\n%s", pos, err, raw)
		}
		if again := write(t, h, lines...); !bytes.Equal(again, raw) {
			t.Errorf("position %d: written again as\n%s\nwant\n%s", pos, again, raw)
		}
	}
}
