package ndjson

import (
	"bytes"
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
