package filter_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"snapline/pkg/contract"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

// The benchmarks report ratios to crypto/sha256 over the same stream bytes, measured
// in the same run, between the runs of the filter: x-sha256 of wall time, x-sha256-cpu
// of processor time, which a busy machine distorts less. Two cores are judged by their
// gain over one, beside the gain that sha256 itself has.

// logText gives about n bytes of a CI log; every tenth line has colours if ansi.
func logText(n int, ansi bool) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "2026-01-21T09:%02d:%02d.%07dZ ", i/60%60, i%60, i*7919%10_000_000)
		switch {
		case ansi && i%2 == 0:
			fmt.Fprintf(&b, "\x1b[36;1mStep %d/%d\x1b[0m : compiling module_%d \x1b[32mok\x1b[0m\n", i%90, 90, i*31%1000)
		case i%5 == 0:
			fmt.Fprintf(&b, "--- PASS: TestReader/case_%d (%d.%02ds)\n", i, i%3, i%100)
		case i%7 == 0:
			fmt.Fprintf(&b, "##[group]Run actions/setup-go@v5\nwith:\n  go-version: \"1.26\"\n  cache: %v\n", i%2 == 0)
		default:
			fmt.Fprintf(&b, "npm http fetch GET 200 /package-%d/-/package-%d.tgz %dms (cache miss)\n", i%513, i%513, i%977)
		}
	}
	return b.Bytes()
}

// markdownText gives about n bytes of issue text with code, links and non-ASCII.
func markdownText(n, seed int) []byte {
	parts := []string{
		"## Steps to reproduce\n\n1. Open the *settings* page\n2. Click \u201cSave\u201d \u2014 nothing happens\n\n",
		"```go\nfunc main() {\n\tfmt.Println(\"caf\u00e9\")\n}\n```\n\n",
		"The build fails since [v2.3.%d](https://example.com/releases/v2.3.%d), see also #%d and the table below.\n\n",
		"| key | value |\n| --- | ---: |\n| retries | %d |\n| timeout | %d ms |\n| region | %d |\n\n",
		"\u65e5\u672c\u8a9e\u306e\u8aac\u660e\u3082\u3042\u308a\u307e\u3059\u3002 Gr\u00fc\u00dfe aus K\u00f6ln! \u2705\n\n",
		"> I can't see why `parseConfig()` would return null here; the author of the change may know more.\n\n",
	}
	var b bytes.Buffer
	for i := seed; b.Len() < n; i++ {
		p := parts[i*7%len(parts)]
		if strings.Count(p, "%d") == 3 {
			fmt.Fprintf(&b, p, i, i+1, i*3)
		} else {
			b.WriteString(p)
		}
	}
	return b.Bytes()
}

// logStream is a stream of logs, markdownStream one of comments.
func logStream(t testing.TB, logs, size int, ansi bool) []byte {
	f := newFixture("triage")
	f.header.Collection.Bounds.MaxSourceBytes = 64 << 20
	body := logText(size, ansi)
	var checks []*contract.Check
	for i := range logs {
		checks = append(checks, f.check(fmt.Sprintf("CR_%06d", i), "build"))
	}
	for _, c := range checks {
		f.log(c, contract.Text(body))
	}
	return f.bytes(t)
}

func markdownStream(t testing.TB, comments, size int) []byte {
	f := newFixture("triage")
	for i := range comments {
		f.clock = i % 1400
		f.comment(fmt.Sprintf("IC_kwDO%06d", i), owner, string(markdownText(size, i)))
	}
	return f.bytes(t)
}

func BenchmarkFilter(b *testing.B) {
	streams := []struct {
		name string
		make func() []byte
	}{
		{"logs", func() []byte { return logStream(b, 64, 1<<20, false) }},
		{"ansi-logs", func() []byte { return logStream(b, 64, 1<<20, true) }},
		{"markdown", func() []byte { return markdownStream(b, 6000, 8<<10) }},
	}
	for _, s := range streams {
		in := s.make()
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/%d-core", s.name, cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				cfg := config(b)
				cfg.Workers = cores
				var filtering, hashing span
				b.SetBytes(int64(len(in)))
				for b.Loop() {
					start := now(b)
					hash(in, cores)
					hashing.add(now(b), start)
					start = now(b)
					r := stream.NewReader(bytes.NewReader(in), stream.ReaderOptions{Name: "stdin", Position: 1})
					if err := filter.Run(context.Background(), r, stream.NewWriter(io.Discard), cfg, nil); err != nil {
						b.Fatal(err)
					}
					filtering.add(now(b), start)
				}
				b.ReportMetric(float64(hashing.wall)/float64(filtering.wall), "x-sha256")
				b.ReportMetric(float64(hashing.cpu)/float64(filtering.cpu), "x-sha256-cpu")
				b.ReportMetric(hashing.wall.Seconds()*1e9/float64(len(in)*b.N), "sha256-ns/B")
			})
		}
	}
}

// span is wall and processor time.
type span struct{ wall, cpu time.Duration }

func (s *span) add(end, start span) {
	s.wall += end.wall - start.wall
	s.cpu += end.cpu - start.cpu
}

var started = time.Now()

// now gives the time since the start of the process and the processor time it took.
func now(b *testing.B) span {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return span{time.Since(started), time.Duration(u.Utime.Nano() + u.Stime.Nano())}
}

// hash runs SHA-256 over b, divided among cores.
func hash(b []byte, cores int) {
	var wait sync.WaitGroup
	for i := range cores {
		wait.Go(func() { sha256.Sum256(b[i*len(b)/cores : (i+1)*len(b)/cores]) })
	}
	wait.Wait()
}

// BenchmarkMemory reports the highest live heap of a run over a stream of 16 MiB logs
// as a multiple of its largest line.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct {
		name string
		logs int
		body []byte
	}{
		{"logs", 64, append(logText(16<<20, false)[:16<<20-1], 0x0a)},
		{"logs-without-last-line-feed", 64, append(logText(16<<20, false)[:16<<20-1], 0x2e)},
		{"ansi-logs", 64, append(logText(16<<20, true)[:16<<20-1], 0x0a)},
		{"esc-only-logs", 11, bytes.Repeat([]byte{0x1b}, 16<<20)},
	} {
		b.Run(c.name, func(b *testing.B) {
			path, largest := logFile(b, c.logs, c.body)
			for b.Loop() {
				in, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				live := peak(func() {
					r := stream.NewReader(in, stream.ReaderOptions{Name: "stdin", Position: 1})
					if err := filter.Run(context.Background(), r, stream.NewWriter(io.Discard), config(b), nil); err != nil {
						b.Fatal(err)
					}
				})
				in.Close()
				b.ReportMetric(float64(live)/float64(largest), "x-line")
			}
		})
	}
}

// logFile writes a stream of logs with the same body and gives the size that it has in a
// line.
func logFile(b *testing.B, logs int, body []byte) (path string, largest int) {
	f := newFixture("triage")
	f.header.Collection.Bounds.MaxSourceBytes = 64 << 20
	var checks []*contract.Check
	for i := range logs {
		checks = append(checks, f.check(fmt.Sprintf("CR_%06d", i), "build"))
	}
	path = filepath.Join(b.TempDir(), "logs.ndjson")
	out, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	buffer := bufio.NewWriter(out)
	w := stream.NewWriter(buffer)
	lines := f.lines()
	for _, c := range checks {
		lines = append(lines, &contract.Log{RecordKey: c.RecordKey, Content: contract.Text(body)})
	}
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		b.Fatal(err)
	}
	if err := buffer.Flush(); err != nil {
		b.Fatal(err)
	}
	return path, len(stream.AppendString(nil, body))
}

// peak gives the highest live heap while f runs: what the collector found reachable,
// which it is made to look for often.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	var highest uint64
	for {
		select {
		case <-done:
			return highest - min(before, highest)
		case <-time.After(time.Millisecond):
			metrics.Read(sample)
			highest = max(highest, sample[0].Value.Uint64())
		}
	}
}
