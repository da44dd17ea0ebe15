package ndjson

import (
	"bytes"
	"strings"
	"testing"

	"snapline/pkg/record"
)

// A literal without escapes is its text: the two share one buffer, which must not be
// given to two lines.
func TestRecycleGivesASharedBufferBackOnce(t *testing.T) {
	var r Reader
	shared := bytes.Repeat([]byte("x"), 2*largeBuffer)
	r.Recycle(&record.Record{Content: record.Content{Form: record.FormText, Bytes: shared, Literal: shared}})
	first, second := r.pool.get(largeBuffer)[:1], r.pool.get(largeBuffer)[:1]
	first[0], second[0] = 'a', 'b'
	if first[0] != 'a' {
		t.Error("one buffer was handed out twice")
	}
}

// TestShortTextInALongLine: a line whose text is a small part of it does not keep the
// buffers that the line needed.
func TestShortTextInALongLine(t *testing.T) {
	for _, spaces := range []int{100, 3 << 10, chunkSize, 2 * chunkSize} {
		for _, text := range []string{`"x"`, `"\n"`, `"\u0041"`, `""`} {
			raw := edited(base, 1, func(s *stream) {
				s.sub(6, commentBody, `"body":`+text)
				s.sub(6, "}\n", strings.Repeat(" ", spaces)+"}\n")
				s.sub(7, `"body":""`, `"body":"`+strings.Repeat("y", spaces)+`"`)
			})(t)
			_, lines, err := readAll(NewReader(strings.NewReader(raw), ReaderOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			c := lines[4].(*record.Record).Content
			if got := string(AppendString(nil, c.Bytes)); got != text && text != `"\u0041"` || cap(c.Bytes)+cap(c.Literal) > 4<<10 {
				t.Errorf("%d spaces: %s with buffers of %d and %d bytes", spaces, got, cap(c.Bytes), cap(c.Literal))
			}
		}
	}
}
