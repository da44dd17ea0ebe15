package stream

import (
	"bytes"
	"os/exec"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// TestStageInShell reads a stream that a shell script makes with sha256sum, and
// refuses it when any one byte of it is another.
func TestStageInShell(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("no sha256sum here")
	}
	cmd := exec.Command("bash", "testdata/shell/stage.sh", "testdata/shell")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	raw, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	h, lines, err := readAll(NewReader(bytes.NewReader(raw), ReaderOptions{Name: "stdin", Position: 1}))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	if want := `Quotes "here" and a back\slash`; h.Entity.Title != want || h.Stages[0].Program != "stage.sh" {
		t.Errorf("title %q of %v", h.Entity.Title, h.Stages)
	}
	var got []string
	for _, l := range lines {
		switch l := l.(type) {
		case *contract.Actor:
			got = append(got, l.ID)
		case *contract.Record:
			got = append(got, string(l.Kind)+" "+l.ID+" "+string(l.Content.Bytes))
		}
	}
	want := []string{
		"11", "12", "9", `entity 5678 The build fails on "arm64" since v1.2, see C:\logs – naïve fix attached`,
		"comment 101 Same here", `comment 102 Fixed by "go mod tidy"`, "comment 103 Thanks",
	}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("got %q\nwant %q", got, want)
		}
	}
	for i := range raw {
		for _, flip := range []byte{1, 0x80} {
			changed := bytes.Clone(raw)
			changed[i] ^= flip
			_, _, err := readAll(NewReader(bytes.NewReader(changed), ReaderOptions{Name: "stdin", Position: 1}))
			if f := faultOf(t, err); f.Exit != fault.Input || f.Rule == "" {
				t.Fatalf("byte %d, %#x: %v", i, flip, err)
			}
		}
	}
}
