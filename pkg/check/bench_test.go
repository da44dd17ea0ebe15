package check

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/finding"
	"snapline/pkg/safety"
	"snapline/pkg/schema"
)

// manyRecords is a work item with n comments of about 600 bytes.
func manyRecords(b *testing.B, n int) *specimen {
	m := newBuilder(b, contract.GitHub, contract.WorkItem)
	m.collection.Bounds.MaxRecordsPerSource = int64(n)
	m.collection.Bounds.MaxRecordBytes = 4096
	text := strings.Repeat("The parser reads a line and counts it, then the next one. ", 8) + "\n"
	start := time.Date(2026, 9, 8, 10, 0, 0, 0, time.UTC)
	for i := range n {
		created := start.Add(time.Duration(i)*time.Second).Format("2006-01-02T15:04:05") + ".000000000Z"
		m.add(specimenRecord{name: fmt.Sprint(i), kind: contract.KindComment, id: fmt.Sprintf("IC_%06d", i), created: created, author: &m.ids.alice, body: text})
	}
	return m.build()
}

// BenchmarkTenThousandRecords compares opening, listing, reading and hashing a tree of
// ten thousand records with sha256 over the same files read by path, and reports the
// schemas and a whole verification beside it, all in the same run.
func BenchmarkTenThousandRecords(b *testing.B) {
	s := manyRecords(b, 10_000)
	root := filepath.Join(b.TempDir(), "context")
	must(b, os.Mkdir(root, 0o700))
	s.writeTo(b, root)
	var paths []string
	var size int64
	for p, content := range s.files {
		paths = append(paths, p)
		size += int64(len(content))
	}
	slices.Sort(paths)
	bundle, err := schema.EntityContextSnapshot()
	must(b, err)
	e, err := safety.New(nil)
	must(b, err)
	plain := func() {
		for _, p := range paths {
			content, err := os.ReadFile(filepath.Join(root, p))
			must(b, err)
			_ = sha256.Sum256(content)
		}
	}
	handles := func() {
		list := &finding.List{}
		d, err := OpenDisk(disk.OS{}, root, HostModes, uint32(os.Geteuid()), list)
		must(b, err)
		defer d.Close()
		for _, p := range paths {
			_, err := d.Read(p, int64(len(s.files[p])))
			must(b, err)
		}
		if list.Len() > 0 {
			b.Fatal(list.Sorted())
		}
	}
	schemas := func() {
		v, err := bundle.Check("index.schema.json", s.files[tree.IndexPath])
		must(b, err)
		if len(v) > 0 {
			b.Fatal(v)
		}
	}
	whole := func() {
		r, err := Tree(context.Background(), root, Options{IndexSHA256: s.digest(), Scanner: e.NewWorker()})
		must(b, err)
		if len(r.Findings) > 0 {
			b.Fatal(r.Findings[0])
		}
	}
	for _, f := range []func(){plain, handles} {
		f() // warm the page cache
	}
	var took [4]time.Duration
	b.SetBytes(size)
	for b.Loop() {
		for i, f := range []func(){plain, handles, schemas, whole} {
			start := time.Now()
			f()
			took[i] += time.Since(start)
		}
	}
	base := float64(took[0])
	b.ReportMetric(float64(took[1])/base, "open+hash/sha256")
	b.ReportMetric(float64(took[2])/base, "schema/sha256")
	b.ReportMetric(float64(took[3])/base, "verify/sha256")
	b.ReportMetric(float64(took[2].Milliseconds())/float64(b.N), "schema-ms")
}
