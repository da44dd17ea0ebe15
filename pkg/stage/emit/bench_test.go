package emit_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"snapline/pkg/disk"
)

// BenchmarkEmit publishes a tree of 2,000 comments and reports the time as a ratio to
// writing the same files plainly, and the throughput of both.
func BenchmarkEmit(b *testing.B) {
	stream := many(b, 2000)
	out, _ := publish(b, stream)
	tree := files(b, out)
	size := 0
	for _, data := range tree {
		size += len(data)
	}
	var emitted, plain time.Duration
	for b.Loop() {
		dir := memoryDir(b)
		start := time.Now()
		if _, err := emitTo(filepath.Join(dir, "context"), stream); err != nil {
			b.Fatal(err)
		}
		emitted += time.Since(start)
		start = time.Now()
		writePlainly(b, filepath.Join(dir, "plain"), tree)
		plain += time.Since(start)
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(emitted)/float64(plain), "x-plain")
	b.ReportMetric(float64(size*b.N)/1e6/emitted.Seconds(), "emit-MB/s")
	b.ReportMetric(float64(size*b.N)/1e6/plain.Seconds(), "plain-MB/s")
	b.ReportMetric(float64(len(tree)*b.N)/emitted.Seconds(), "files/s")
}

func writePlainly(b *testing.B, dir string, tree map[string]string) {
	made := map[string]bool{}
	for path, data := range tree {
		path = filepath.Join(dir, path)
		if parent := filepath.Dir(path); !made[parent] {
			made[parent] = true
			if err := os.MkdirAll(parent, disk.DirMode); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, []byte(data), disk.FileMode); err != nil {
			b.Fatal(err)
		}
	}
}
