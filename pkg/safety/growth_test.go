package safety

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

// widest is the character that grows most when it is cleaned, from 3 bytes to 33.
const widest = "\ufdfa"

// TestGrowth holds texts against their limit: twice the source, and 1 MiB.
func TestGrowth(t *testing.T) {
	requirement.Claim(t, "AMB-100")
	w := newWorker(t)
	for _, c := range []struct {
		name     string
		source   string
		oversize bool
	}{
		{"less than 1 MiB", strings.Repeat(widest, 1<<20/33), false},
		{"more than 1 MiB", strings.Repeat(widest, 1<<20/33+1), true},
		{"more than 1 MiB, not twice", strings.Repeat(widest, 1<<20/33+1) + strings.Repeat("a", 1<<20), false},
		{"twice and no more", strings.Repeat(widest, 40_000) + strings.Repeat("a", 27*40_000), false},
		{"twice and more", strings.Repeat(widest, 40_000) + strings.Repeat("a", 27*40_000-1), true},
		{"not at all", strings.Repeat("a b\n", 1<<19), false},
		{"in the last segment", strings.Repeat("\u2003", 1<<17) + strings.Repeat(widest, 30_000), true},
	} {
		for _, kind := range []Kind{Body, Log, Display, Structural} {
			r, err := w.Filter(kind, []byte(c.source))
			if err != nil {
				t.Fatal(err)
			}
			if r.Oversize != c.oversize {
				t.Errorf("%s, kind %d: oversize %v, %d bytes of %d", c.name, kind, r.Oversize, len(r.Text), len(c.source))
			}
			if found := len(r.Findings) == 1 && r.Findings[0] == (contract.Finding{Code: Oversize, Count: 1}); r.Oversize && (!found || r.Text != nil || r.Status != contract.Rejected) {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
	}
}

// TestGrowthMemory holds what lives while the text that grows most is filtered against four and
// a half times its length, beside the text itself: AMB-100 allows eight in all.
func TestGrowthMemory(t *testing.T) {
	requirement.Claim(t, "AMB-100")
	if testing.Short() {
		t.Skip("64 MiB")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	for _, n := range []int{16 << 20, 64 << 20} {
		source := bytes.Repeat([]byte(widest), n/len(widest))
		w := newWorker(t)
		if _, err := w.Filter(Body, []byte("\u00bd")); err != nil { // the tables
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := w.Filter(Body, source)
		runtime.ReadMemStats(&after)
		if err != nil || !r.Oversize {
			t.Fatalf("%+v, %v", r, err)
		}
		// All that was allocated, living or not, is no less than what lived at any time.
		grown := float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		t.Logf("%d MiB: %.2f times the source", n>>20, grown)
		if grown > 4.5 {
			t.Errorf("%d MiB: %.2f times the source was allocated", n>>20, grown)
		}
		runtime.KeepAlive(source)
	}
}
