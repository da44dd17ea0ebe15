package safety

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

var updateGolden = flag.Bool("update-golden", false, "write testdata/golden anew")

const (
	goldenInputs = "testdata/golden/inputs.b64"
	goldenDigest = "testdata/golden/digest"
	goldenFloor  = 1500
)

// TestGolden fails when the bytes, findings or status that come out for a committed
// corpus change while Version stays (FLT-09, AMB-75).
func TestGolden(t *testing.T) {
	requirement.Claim(t, "FLT-09", "SEC-09", "INJ-02", "UNI-08", "AMB-75")
	if *updateGolden {
		writeGoldenInputs(t)
	}
	file, err := os.Open(goldenInputs)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := newWorker(t, fuzzCredentials...)
	sum := sha256.New()
	n := 0
	for lines := bufio.NewScanner(file); lines.Scan(); n++ {
		in, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil || len(in) == 0 {
			t.Fatalf("line %d: %v", n+1, err)
		}
		r, err := w.Filter(Kind(in[0]), in[1:])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %v %q\n", r.Status, r.Findings, r.Text)
	}
	if n < goldenFloor {
		t.Fatalf("only %d inputs", n)
	}
	got := Version + " " + hex.EncodeToString(sum.Sum(nil)) + "\n"
	if *updateGolden {
		if err := os.WriteFile(goldenDigest, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenDigest)
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(string(want), " ")
	switch {
	case got == string(want):
	case version == Version:
		t.Fatalf("the filter gives other bytes under the same version %s: raise Version, then -update-golden", Version)
	default:
		t.Fatalf("version %s is new: -update-golden", Version)
	}
}

// writeGoldenInputs writes random texts of known parts, each with its kind before it.
func writeGoldenInputs(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var b bytes.Buffer
	for range goldenFloor + 100 {
		in := append([]byte{byte(r.IntN(4))}, randomText(r)...)
		b.WriteString(base64.StdEncoding.EncodeToString(in) + "\n")
	}
	if err := os.WriteFile(goldenInputs, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
