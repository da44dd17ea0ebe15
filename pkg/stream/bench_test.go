package stream

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapline/pkg/contract"
)

// BenchmarkReadWrite reads a capture of large bodies and writes it again, with both
// digests, on one core. The metric x-sha256 is its speed as a share of crypto/sha256
// over the same bytes in the same run, by processor time (run it with -cpu 1).
// -changed means that every body has to be encoded anew.
func BenchmarkReadWrite(b *testing.B) {
	for _, c := range []struct {
		name string
		raw  []byte
	}{
		{"ansi-logs", logCapture(b, ansiLog(1<<20), 32)},
		{"plain-logs", logCapture(b, plainLog(1<<20), 32)},
		{"one-16MiB-log", logCapture(b, ansiLog(16<<20), 1)},
		{"markdown", commentCapture(b, markdown(8<<10), 2000)},
	} {
		for _, changed := range []bool{false, true} {
			name := c.name
			if changed {
				name += "-changed"
			}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(c.raw)))
				b.ReportAllocs()
				var own, hashing time.Duration
				for b.Loop() {
					start := processorTime(b)
					copyStream(b, c.raw, changed)
					own += processorTime(b) - start
					b.StopTimer()
					start = processorTime(b)
					sha256.Sum256(c.raw)
					hashing += processorTime(b) - start
					b.StartTimer()
				}
				b.ReportMetric(float64(hashing)/float64(own), "x-sha256")
			})
		}
	}
}

// processorTime is what the process has used, the collector's work included.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func copyStream(b *testing.B, raw []byte, changed bool) {
	r := NewReader(bytes.NewReader(raw), ReaderOptions{})
	w := NewWriter(io.Discard)
	h, err := r.Header()
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Write(h); err != nil {
		b.Fatal(err)
	}
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		if changed {
			switch l := l.(type) {
			case *contract.Log:
				l.Content.Literal = nil
			case *contract.Record:
				l.Content.Literal = nil
			}
		}
		if err := w.Write(l); err != nil {
			b.Fatal(err)
		}
		r.Recycle(l)
	}
	if err := w.End(); err != nil {
		b.Fatal(err)
	}
}

// fill repeats lines up to n bytes.
func fill(n int, line func(i int) string) []byte {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(line(i))
	}
	return []byte(b.String()[:n])
}

func ansiLog(n int) []byte {
	return fill(n, func(i int) string {
		return fmt.Sprintf("2026-09-08T10:15:%02d.%07dZ \x1b[36;1mgo test ./pkg/%d\x1b[0m\tok \"%x\"\n", i%60, i, i, i*7919)
	})
}

func plainLog(n int) []byte {
	return fill(n, func(i int) string {
		return fmt.Sprintf("2026-09-08T10:15:%02d.%07dZ compiled package number %d of the build, nothing to report\n", i%60, i, i)
	})
}

func markdown(n int) []byte {
	return fill(n, func(i int) string {
		return fmt.Sprintf("- point %d: see `pkg/%d` – it's \"done\" for naïve readers\n\n> quoted **text** with a [link](https://example.org/%d)\n", i, i, i)
	})
}

func logCapture(b testing.TB, body []byte, n int) []byte {
	h := testHeader(1)
	lines := testLines(1)[:4]
	var logs []contract.Line
	for i := range n {
		id := fmt.Sprintf("CR_%04d", i)
		lines = append(lines, &contract.Check{
			ID: id, RecordKey: key("check", id), Name: "job", Status: contract.Completed, Conclusion: contract.Failure,
			CreatedAt: fmt.Sprintf("2026-09-08T11:00:00.%09dZ", i), HeadSHA: sha, StartedAt: at1, CompletedAt: at2,
		})
		logs = append(logs, &contract.Log{RecordKey: key("check", id), Content: contract.Text(body)})
	}
	return write(b, h, append(lines, logs...)...)
}

func commentCapture(b testing.TB, body []byte, n int) []byte {
	lines := testLines(1)[:4]
	for i := range n {
		id := fmt.Sprintf("IC_%06d", i)
		lines = append(lines, &contract.Record{
			Kind: contract.KindComment, ID: id, RecordKey: key("comment", id),
			CreatedAt: fmt.Sprintf("2026-09-08T11:00:00.%09dZ", i), AuthorID: ptr("U_author"), Content: contract.Text(body),
		})
	}
	return write(b, testHeader(1), lines...)
}

// BenchmarkLiteral decodes and encodes the literal of one text.
func BenchmarkLiteral(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{{"ansi", ansiLog(1 << 20)}, {"plain", plainLog(1 << 20)}, {"markdown", markdown(1 << 20)}} {
		literal := AppendString(nil, c.text)
		buf := make([]byte, len(literal))
		for name, step := range map[string]func(){
			"decode": func() { unquote(buf, literal, 1) },
			"encode": func() { buf = AppendString(buf[:0], c.text) },
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(literal)))
				var own, hashing time.Duration
				for b.Loop() {
					start := processorTime(b)
					step()
					own += processorTime(b) - start
					b.StopTimer()
					start = processorTime(b)
					sha256.Sum256(literal)
					hashing += processorTime(b) - start
					b.StartTimer()
				}
				b.ReportMetric(float64(hashing)/float64(own), "x-sha256")
			})
		}
	}
}
