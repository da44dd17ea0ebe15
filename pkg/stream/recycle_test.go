package stream

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"snapline/pkg/contract"
)

// A literal without escapes is its text: the two share one buffer, which must not be
// given to two lines.
func TestRecycleGivesASharedBufferBackOnce(t *testing.T) {
	var r Reader
	shared := bytes.Repeat([]byte("x"), 2*largeBuffer)
	r.Recycle(&contract.Record{Content: contract.Content{Form: contract.FormText, Bytes: shared, Literal: shared}})
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
			c := lines[4].(*contract.Record).Content
			if got := string(AppendString(nil, c.Bytes)); got != text && text != `"\u0041"` || cap(c.Bytes)+cap(c.Literal) > 4<<10 {
				t.Errorf("%d spaces: %s with buffers of %d and %d bytes", spaces, got, cap(c.Bytes), cap(c.Literal))
			}
		}
	}
}

// TestRecycleFromOtherGoroutines reads while several goroutines check lines and give
// them back: no two lines may share memory.
func TestRecycleFromOtherGoroutines(t *testing.T) {
	var lines []contract.Line
	lines = append(lines, testLines(1)[:4]...)
	for i := range 60 {
		id := fmt.Sprintf("IC_%03d", i)
		body := bytes.Repeat([]byte(id+"\n"), []int{200, 3000, 40 << 10, 120 << 10}[i%4])
		lines = append(lines, &contract.Record{
			Kind: contract.KindComment, ID: id, RecordKey: key("comment", id), AuthorID: ptr("U_author"),
			CreatedAt: fmt.Sprintf("2026-09-08T11:00:00.%09dZ", i), Content: contract.Text(body),
		})
	}
	r := NewReader(bytes.NewReader(write(t, testHeader(1), lines...)), ReaderOptions{})
	work := make(chan *contract.Record)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for rec := range work {
				if bytes.Count(rec.Content.Bytes, []byte(rec.ID+"\n"))*len(rec.ID+"\n") != len(rec.Content.Bytes) {
					t.Errorf("%s holds another text", rec.ID)
				}
				r.Recycle(rec)
			}
		})
	}
	for {
		l, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
		if rec, ok := l.(*contract.Record); ok && rec.Kind == contract.KindComment {
			work <- rec
		}
	}
	close(work)
	wg.Wait()
}

// TestBuffersOfEverySize: each has the room that was asked for, and a line end more.
func TestBuffersOfEverySize(t *testing.T) {
	var p pool
	for n := range 3 * largeBuffer / 2 {
		b := p.get(n)
		if len(b) != 0 || cap(b) < n+len(`\n`) || n >= smallBuffer && n < largeBuffer/2 && cap(b) > n+n/8+smallBuffer {
			t.Fatalf("%d bytes: a buffer of %d, %d used", n, cap(b), len(b))
		}
		if n%7 == 0 {
			p.put(b)
		}
	}
}
