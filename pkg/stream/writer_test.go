package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// TestWrittenBytes spells a whole stream out.
func TestWrittenBytes(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	h := &contract.Snapshot{Family: contract.FamilyMSP, Limits: &contract.Limits{MaxDocuments: 1, MaxDocumentBytes: 2, Selection: contract.Oldest}, Replay: true}
	stamp(h, 2)
	h.Stages[1].Version = "2 \"x\""
	lines := []contract.Line{
		h,
		&contract.Document{Name: "a\tb", Format: "f", Raw: []byte("\x00\x1f\x7f\b\f\n\r\t\"\\/<>&\u2028é\U0001f600"), HasRaw: true, SHA256: rev, Strings: 3, Filter: &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "a", Count: 1}, {Code: "b", Count: 2}}}},
		&contract.Document{Name: "gone", Format: "f", SHA256: rev, Filter: &contract.Filter{Status: contract.Rejected}},
		&contract.Gap{Scope: contract.ScopeDocuments, Code: contract.UnsafeContent, Count: 1},
	}
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(rev); err != nil {
		t.Fatal(err)
	}
	body := `{"type":"snapshot","stream":"snapline/1","family":"msp-snapshot","stages":[{"stage":"fetch","program":"fetch","version":"1.0.0"},{"stage":"filter","program":"filter","version":"2 \"x\""}],"replay":true,"limits":{"max_documents":1,"max_document_bytes":2,"selection":"oldest"},"filter_version":"example-1"}
{"type":"document","name":"a\tb","format":"f","raw":"\u0000\u001f` + "\x7f" + `\b\f\n\r\t\"\\/<>&` + "\u2028é\U0001f600" + `","sha256":"` + rev + `","filter":{"status":"modified","findings":[{"code":"a","count":1},{"code":"b","count":2}]},"strings":3}
{"type":"document","name":"gone","format":"f","sha256":"` + rev + `","filter":{"status":"rejected","findings":[]},"strings":0}
{"type":"gap","scope":"documents","code":"unsafe_content","count":1}
`
	want := body + `{"type":"end","lines":4,"sha256":"` + tree.Digest([]byte(body)) + `","input_sha256":"` + rev + `","chain":["` + rev + `"]}` + "\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestWriteAgain: a stream of our own spelling comes back byte for byte, with and
// without the literals that the reader keeps.
func TestWriteAgain(t *testing.T) {
	for _, body := range []string{"", "x", strings.Repeat("plain ", bulk), strings.Repeat("line\t\"\x1b[0m\n", bulk), strings.Repeat("é\U0001f600", chunkSize)} {
		raw := commentCapture(t, []byte(body), 3)
		for _, drop := range []bool{false, true} {
			r := NewReader(bytes.NewReader(raw), ReaderOptions{})
			h, lines, err := readAll(r)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				rec, ok := l.(*contract.Record)
				if !ok || rec.Kind != contract.KindComment {
					continue
				}
				if string(rec.Content.Bytes) != body {
					t.Fatal("another body")
				}
				if rec.Content.Literal == nil {
					t.Error("a minimal spelling was not kept")
				}
				if drop {
					rec.Content.Literal = nil
				}
			}
			if again := write(t, h, lines...); !bytes.Equal(again, raw) {
				t.Errorf("body of %d bytes, literals dropped %v: other bytes", len(body), drop)
			}
			if sum := r.Digest(); tree.Digest(raw[:bytes.LastIndex(raw[:len(raw)-1], []byte("\n"))+1]) != sum {
				t.Errorf("digest %s", sum)
			}
		}
	}
}

// TestLinesOwnTheirMemory keeps all lines, and changes one, while others are read
// and given back.
func TestLinesOwnTheirMemory(t *testing.T) {
	var lines []contract.Line
	lines = append(lines, testLines(1)[:4]...)
	sizes := []int{10, 2000, 70 << 10, 3000, chunkSize + 5, 20, 900 << 10, 1500, 70 << 10, 2000, 900 << 10}
	for i, n := range sizes {
		id := "IC_" + string(rune('a'+i))
		lines = append(lines, &contract.Record{
			Kind: contract.KindComment, ID: id, RecordKey: key("comment", id), AuthorID: ptr("U_author"),
			CreatedAt: strings.Replace(at1, "T11", "T1"+string(rune('0'+i/10)), 1)[:18] + string(rune('0'+i%10)) + at1[19:],
			Content:   contract.Text(bytes.Repeat([]byte(string(rune('a'+i))+"\n"), n/2)),
		})
	}
	raw := write(t, testHeader(1), lines...)
	r := NewReader(bytes.NewReader(raw), ReaderOptions{})
	var kept []*contract.Record
	for n := 0; ; n++ {
		l, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rec, ok := l.(*contract.Record)
		if !ok || rec.Kind == contract.KindEntity {
			continue
		}
		if n%3 == 0 {
			r.Recycle(rec)
			r.Recycle(rec)
			continue
		}
		kept = append(kept, rec)
		rec.Content.Bytes[0] = rec.ID[3] // as any owner may
	}
	for _, rec := range kept {
		for i, c := range rec.Content.Bytes {
			if want := [2]byte{rec.ID[3], '\n'}[i%2]; c != want {
				t.Fatalf("%s: byte %d is %q", rec.ID, i, c)
			}
		}
		if want := AppendString(nil, rec.Content.Bytes); !bytes.Equal(want[1:len(want)-1], rec.Content.Literal) {
			t.Errorf("%s: the literal is another text", rec.ID)
		}
	}
	if len(kept) < 5 {
		t.Errorf("%d records kept", len(kept))
	}
}

// TestRecycleLeavesForeignMemoryAlone: content that a stage has put into a line does
// not reach the reader's buffers.
func TestRecycleLeavesForeignMemoryAlone(t *testing.T) {
	r := NewReader(nil, ReaderOptions{})
	l := &contract.Log{Content: contract.Text(bytes.Repeat([]byte("z"), largeBuffer))}
	r.Recycle(l)
	if len(r.pool.large) != 0 || l.Content.Bytes == nil {
		t.Error("foreign memory was taken")
	}
	r.Recycle(&contract.Gap{})
	r.Recycle(nil)
}

func TestWriterOutOfTurn(t *testing.T) {
	header, gap := testHeader(1), &contract.Gap{Scope: contract.ScopeComments, Code: contract.FetchFailed, Count: 1}
	for name, misuse := range map[string]func(*Writer) error{
		"line before header": func(w *Writer) error { return w.Write(gap) },
		"end before header":  func(w *Writer) error { return w.End() },
		"two headers":        func(w *Writer) error { return errors.Join(drop(w.Write(header)), w.Write(header)) },
		"header of no stage": func(w *Writer) error { return w.Write(&contract.Snapshot{Family: contract.FamilyEntity}) },
		"end as a line":      func(w *Writer) error { return w.Write(&contract.End{}) },
		"abort as a line":    func(w *Writer) error { return w.Write(&contract.Abort{}) },
		"line after end":     func(w *Writer) error { return errors.Join(drop(w.Write(header)), drop(w.End()), w.Write(gap)) },
		"two ends":           func(w *Writer) error { return errors.Join(drop(w.Write(header)), drop(w.End()), w.End()) },
		"abort after end": func(w *Writer) error {
			return errors.Join(drop(w.Write(header)), drop(w.End()), w.Abort(contract.Abort{}))
		},
		"line after abort": func(w *Writer) error {
			return errors.Join(drop(w.Write(header)), drop(w.Abort(contract.Abort{Stage: "fetch", Exit: 1, Cause: contract.CauseComponent})), w.Write(gap))
		},
		"input digest in fetch": func(w *Writer) error { return errors.Join(drop(w.Write(header)), w.End(rev)) },
		"a digest too many":     func(w *Writer) error { return errors.Join(drop(w.Write(testHeader(2))), w.End(rev, rev)) },
		"no input digest":       func(w *Writer) error { return errors.Join(drop(w.Write(testHeader(2))), w.End()) },
		"no filter":             func(w *Writer) error { return errors.Join(drop(w.Write(testHeader(2))), w.Write(testLines(1)[0])) },
	} {
		w := NewWriter(io.Discard)
		if f := faultOf(t, misuse(w)); f.Rule != RuleUsage || f.Exit != fault.Environment {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// drop fails loudly where a step before the misuse must succeed.
func drop(err error) error {
	if err != nil {
		panic(err)
	}
	return nil
}

// TestWriterCap: a line over the cap is refused before a byte of it is written, and
// the stream can go on.
func TestWriterCap(t *testing.T) {
	for name, content := range map[string]func(n int) contract.Content{
		"encoded": func(n int) contract.Content { return contract.Text(bytes.Repeat([]byte("x"), n)) },
		"literal": func(n int) contract.Content {
			b := bytes.Repeat([]byte("x"), n)
			return contract.Content{Form: contract.FormText, Bytes: b, Literal: b}
		},
	} {
		h := testHeader(1)
		h.Collection.Bounds.MaxSourceBytes = 1
		lines := testLines(1)[:4]
		entity := lines[3].(*contract.Record)
		rest := len(write(t, h, lines...)) - len(write(t, h, lines[:3]...)) - 1 - len(`The body.\n`)
		for over := range 2 {
			var b bytes.Buffer
			w := NewWriter(&b)
			for _, l := range append([]contract.Line{h}, lines[:3]...) {
				drop(w.Write(l))
			}
			drop(w.Flush())
			before := b.Len()
			entity.Content = content(16 + 64<<10 - rest + over)
			err := w.Write(entity)
			if (err != nil) != (over > 0) {
				t.Fatalf("%s, %d over: %v", name, over, err)
			}
			if over == 0 {
				continue
			}
			if f := faultOf(t, err); f.Rule != RuleLineCap || f.Record != "entity PR_kwDOExample" {
				t.Errorf("%s: %v", name, err)
			}
			drop(w.Flush())
			if b.Len() != before {
				t.Errorf("%s: %d bytes of the refused line were written", name, b.Len()-before)
			}
			entity.Content = contract.Text(nil)
			drop(w.Write(entity))
			drop(w.End())
			if _, _, err := readAll(NewReader(&b, ReaderOptions{})); err != nil {
				t.Errorf("%s: the stream after a refused line: %v", name, err)
			}
		}
	}
}

// failing takes some bytes and then fails.
type failing struct {
	room int
	err  error
}

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, f.err
	}
	return n, nil
}

func TestFailingOutput(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 3*bulk)
	for name, c := range map[string]struct {
		err  error
		want fault.Exit
	}{
		"closed by its reader": {syscall.EPIPE, fault.Quiet},
		"closed pipe":          {io.ErrClosedPipe, fault.Quiet},
		"disk full":            {syscall.ENOSPC, fault.Environment},
		"short write":          {nil, fault.Environment},
	} {
		whole := len(commentCapture(t, body, 2))
		for room := 0; room < whole; room += 997 {
			w := NewWriter(&failing{room, c.err})
			err := w.Write(testHeader(1))
			for _, l := range testLines(1)[:4] {
				err = errors.Join(err, w.Write(l))
			}
			for _, id := range []string{"IC_1", "IC_2"} {
				err = errors.Join(err, w.Write(&contract.Record{
					Kind: contract.KindComment, ID: id, RecordKey: key("comment", id), CreatedAt: at1,
					Content: contract.Content{Form: contract.FormText, Bytes: body, Literal: body},
				}))
			}
			err = errors.Join(err, w.End())
			f := faultOf(t, err)
			if f.Exit != c.want || f.Rule != RuleWrite || c.err != nil && !errors.Is(err, c.err) {
				t.Fatalf("%s after %d bytes: %v", name, room, err)
			}
		}
	}
}

func TestAbort(t *testing.T) {
	for _, begun := range []bool{false, true} {
		var b bytes.Buffer
		w := NewWriter(&b)
		if begun {
			drop(w.Write(testHeader(3)))
		}
		a := contract.Abort{Stage: "filter", Exit: 1, Cause: contract.CauseGap, Scope: contract.ScopeEntity, Code: contract.AuthorizationFailed}
		drop(w.Abort(a))
		want := `{"type":"abort","stage":"filter","exit":1,"cause":"gap","scope":"entity","code":"authorization_failed"}` + "\n"
		if !strings.HasSuffix(b.String(), want) || !begun && b.String() != want {
			t.Errorf("written:\n%s", b.String())
		}
		r := NewReader(&b, ReaderOptions{Name: "stdin"})
		_, _, err := readAll(r)
		var got *AbortError
		if !errors.As(err, &got) || got.Abort != a || err.Error() == "" {
			t.Errorf("read: %v", err)
		}
		if _, again := r.Next(); again != err {
			t.Errorf("then %v", again)
		}
	}
}

func TestPosition(t *testing.T) {
	for is := 1; is <= 3; is++ {
		for needed := range 4 {
			raw := edited(base, is, func(*stream) {})(t)
			_, _, err := readAll(NewReader(strings.NewReader(raw), ReaderOptions{Position: needed}))
			if ok := needed == 0 || needed == is; ok != (err == nil) || !ok && (faultOf(t, err).Rule != RulePosition || faultOf(t, err).Line != 1) {
				t.Errorf("written by %d, needed %d: %v", is, needed, err)
			}
		}
	}
}

// TestErrorsCarryNoContent: a fault says where and what, never what the text was.
func TestErrorsCarryNoContent(t *testing.T) {
	_, _, err := readAll(NewReader(strings.NewReader(replaced(1, 6, commentKey, rev)(t)), ReaderOptions{Name: "stdin"}))
	if got, want := err.Error(), `stdin:6: comment IC_kwDOExample "`+page+`#issuecomment-1": stream.key: the key is not that of source, kind and id`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	const secret = "hunter2hunter2"
	for _, line := range []int{5, 6, 13} {
		for _, damage := range []string{`{"x":1}`, `null`, `"` + secret + `\ud800"`, `"` + secret + "\xff\"", `"` + secret + "\t\"", `"` + secret + `","body":""`} {
			s := base(t, 1)
			from := strings.Index(s.lines[line-1], `"body":`) + len(`"body":`)
			s.lines[line-1] = s.lines[line-1][:from] + damage + "}\n"
			_, _, err := readAll(NewReader(strings.NewReader(s.seal()), ReaderOptions{}))
			if f := faultOf(t, err); f.Line != int64(line) || strings.Contains(err.Error(), secret) {
				t.Errorf("line %d, %s: %v", line, damage, err)
			}
		}
	}
}
