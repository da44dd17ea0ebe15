package filter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

// mixed is a stream with everything in it, in sizes around the batch limits.
func mixed() *fixture {
	f := newFixture("triage")
	f.human("U_kgDOreader", "read")
	f.bot("BOT_kgDOin", "in", "coder")
	for i := range 700 {
		author := []string{owner, "U_kgDOreader", "BOT_kgDOin"}[i%3]
		body := strings.Repeat(fmt.Sprintf("line %d of a comment\u200b\r\n", i), i%17)
		if i%50 == 0 {
			body = strings.Repeat(body+"0123456789abcdef\n", 1000)
		}
		if i%31 == 0 {
			body += injection
		}
		c := f.comment(fmt.Sprintf("IC_kwDO%04d", i), author, body)
		if i%90 == 0 {
			f.thread(fmt.Sprintf("PRRT_kwDO%04d", i), []string{"a.go", "\uff46.go", "it's"}[i/90%3], c)
		}
	}
	var checks []*contract.Check
	for i := range 20 {
		checks = append(checks, f.check(fmt.Sprintf("CR_%02d", i), "build"))
	}
	for i, c := range checks {
		f.log(c, text(strings.Repeat("\x1b[32mok\x1b[0m all is well\n", i*100)))
	}
	f.header.Collection.Bounds.MaxSourceBytes = 8 << 20
	large := f.check("CR_99", "build")
	f.log(large, text(strings.Repeat("one large line that travels alone\n", 5<<20/34)))
	last := f.check("CR_999", "build")
	f.log(last, text("after it\r\n"))
	return f
}

func TestOutputDoesNotDependOnWorkers(t *testing.T) {
	requirement.Claim(t, "DET-02", "DET-03")
	in := mixed().bytes(t)
	var first result
	for i, workers := range []int{1, 2, 3, 8} {
		old := runtime.GOMAXPROCS(1 + i%3)
		cfg := config(t)
		cfg.Workers = workers
		r := runBytes(t, in, cfg)
		runtime.GOMAXPROCS(old)
		if r.err != nil {
			t.Fatal(r.err)
		}
		if i == 0 {
			first = r
			continue
		}
		if !bytes.Equal(first.out, r.out) || first.stderr != r.stderr {
			t.Fatalf("%d workers give other bytes", workers)
		}
	}
	first.read(t)
	if len(first.records()) < 400 || len(first.gaps()) != 3 {
		t.Errorf("%d records, gaps %v", len(first.records()), first.gaps())
	}
}

// Scenario ctx-filter-line-longer-than-a-scanner.
func TestLongLinesPassAndTooLongOnesStop(t *testing.T) {
	requirement.Claim(t, "GAP-05")
	f := newFixture("triage")
	f.header.Collection.Bounds.MaxSourceBytes = 2_000_000
	f.comment("IC_kwDO1", owner, strings.Repeat("a", 1_500_000)+"\n")
	f.comment("IC_kwDO2", owner, "after it\n")
	r := f.filter(t)
	if n := len(r.record(t, "IC_kwDO1").Content.Bytes); n != 1_500_001 {
		t.Errorf("the long body has %d bytes", n)
	}
	r.record(t, "IC_kwDO2")
	tooLong := append(f.bytes(t)[:0:0], f.bytes(t)...)
	at := bytes.LastIndex(tooLong, []byte(`{"type":"end"`))
	tooLong = append(tooLong[:at:at], []byte(`{"type":"record","id":"`+strings.Repeat("a", 16*2_000_000+65536)+"\"}\n")...)
	r = runBytes(t, tooLong, config(t))
	var e *fault.Error
	if !errors.As(r.err, &e) || e.Exit != fault.Input || e.Line != 6 {
		t.Fatalf("got %v", r.err)
	}
	if bytes.Contains(r.out, []byte(`"type":"end"`)) {
		t.Error("there is an end line")
	}
}

// Scenario ctx-filter-member-spelled-twice.
func TestMemberSpelledTwiceAdmitsNobody(t *testing.T) {
	requirement.Claim(t, "ADM-04")
	f := newFixture("triage")
	f.human("U_kgDOreader", "read")
	f.comment("IC_kwDO1", "U_kgDOreader", "let me in\n")
	in := string(f.bytes(t))
	for _, second := range []string{`,"Role":"admin"`, `,"role":"admin"`} {
		changed := strings.Replace(in, `"role":"read"`, `"role":"read"`+second, 1)
		if changed == in {
			t.Fatal("the fixture has no such member")
		}
		r := runBytes(t, []byte(changed), config(t))
		var e *fault.Error
		if !errors.As(r.err, &e) || e.Exit != fault.Input || e.Line == 0 {
			t.Errorf("%s: got %v", second, r.err)
		}
		if strings.Contains(string(r.out), "let me in") {
			t.Errorf("%s: somebody was admitted", second)
		}
	}
}

// An abort from upstream comes through as it is.
func TestAbortFromUpstreamIsReturned(t *testing.T) {
	requirement.Claim(t, "ABT-11")
	var in bytes.Buffer
	w := stream.NewWriter(&in)
	for _, l := range newFixture("triage").lines() {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	abort := contract.Abort{Stage: "fetch", Exit: 4, Cause: contract.CauseEnvironment}
	if err := w.Abort(abort); err != nil {
		t.Fatal(err)
	}
	r := runBytes(t, in.Bytes(), config(t))
	var a *stream.AbortError
	if !errors.As(r.err, &a) || a.Abort != abort {
		t.Fatalf("got %v", r.err)
	}
}

// slowReader gives its bytes and then waits for the end of the test.
type slowReader struct {
	io.Reader
	end chan struct{}
}

func (r *slowReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		<-r.end
	}
	return n, err
}

// An interrupt ends a run that waits for its input.
func TestInterruptWhileWaitingForInput(t *testing.T) {
	in := mixed().bytes(t)
	end := make(chan struct{})
	defer close(end)
	ctx, cancel := context.WithCancel(context.Background())
	r := stream.NewReader(&slowReader{bytes.NewReader(in[:len(in)/2]), end}, stream.ReaderOptions{Name: "stdin", Position: 1})
	done := make(chan error)
	go func() {
		done <- filter.Run(ctx, r, stream.NewWriter(io.Discard), config(t), nil)
	}()
	time.Sleep(50 * time.Millisecond)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{ left int }

var errDisk = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestFailedWriteEndsTheRun(t *testing.T) {
	in := mixed().bytes(t)
	whole := runBytes(t, in, config(t))
	for _, left := range []int{0, 1000, len(whole.out) / 2, len(whole.out) - 1} {
		r := stream.NewReader(bytes.NewReader(in), stream.ReaderOptions{Name: "stdin", Position: 1})
		err := filter.Run(context.Background(), r, stream.NewWriter(&failingWriter{left}), config(t), nil)
		if !errors.Is(err, errDisk) {
			t.Errorf("after %d bytes: %v", left, err)
		}
	}
}
