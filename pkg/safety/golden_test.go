package safety

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"snapline/pkg/requirement"
	"snapline/pkg/safety/rules"
)

// TestGolden fails when the bytes, findings or status that come out for the golden corpus
// change, or a table of the rules, while the version of the filter stays (FLT-09, AMB-75,
// AMB-94).
func TestGolden(t *testing.T) {
	requirement.Claim(t, "FLT-09", "SEC-09", "INJ-02", "UNI-08", "AMB-75", "AMB-94")
	set, err := rules.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(t)
	texts := 0
	output, err := set.OutputDigest(".", func(kind byte, text []byte) (string, error) {
		texts++
		r, err := w.Filter(Kind(kind), text)
		return fmt.Sprintf("%s %v %q\n", r.Status, r.Findings, r.Text), err
	})
	if err != nil {
		t.Fatal(err)
	}
	if floor := 10_000; texts < floor {
		t.Fatalf("the corpus has %d texts, want at least %d", texts, floor)
	}
	if output != outputDigest {
		t.Error("the filter gives other bytes under the same version: scripts/regen.sh raises it")
	}
	want, err := rules.Version(".", output)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(rules.VersionFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not of these tables and this output: scripts/regen.sh", rules.VersionFile)
	}
}
