package emit_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// watched is a sink that looks at the heap for every file.
type watched struct{ before, peak uint64 }

func (w *watched) WriteFile(string, []byte) error {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if w.before == 0 {
		w.before = m.HeapAlloc
	}
	w.peak = max(w.peak, m.HeapAlloc-min(w.before, m.HeapAlloc))
	return nil
}

// emit holds one text at a time, however many there are.
func TestMemoryIsOneText(t *testing.T) {
	const texts, size = 40, 400 << 10
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	s.Header.Collection.CheckLogSelection = contract.LogsAll
	s.Header.Collection.Bounds.MaxLogBytes, s.Header.Collection.Bounds.MaxRecordBytes = size, size
	text := strings.Repeat("a line of a text\n", size/17)
	for i := range texts {
		s.Comment(i, testkit.Time(2, fmt.Sprintf("10:%02d", i)), s.ID("actor", 1), text)
		s.Check(i, testkit.Time(3, fmt.Sprintf("10:%02d", i)), "ci", contract.Success)
		s.Log(i, text)
	}
	raw := s.Bytes(t)
	s.Lines = nil
	w := &watched{}
	if err := emit.Build(context.Background(), stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3}), w, nil); err != nil {
		t.Fatal(err)
	}
	if limit := uint64(10 * size); w.peak > limit {
		t.Errorf("the heap grew by %d bytes over %d bytes of input", w.peak, len(raw))
	}
	runtime.KeepAlive(raw)
}
