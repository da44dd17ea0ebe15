package canon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProofOfRead has its expected values from a run of the protocol's helper.
func TestProofOfRead(t *testing.T) {
	const doc = "# Title\none two\n\n## A ##\nthree four five\n# not code\n### Deep\nsix\n## B\nseven\n"
	cases := []struct{ name, text, heading, want string }{
		{"whole file", "a b\nc\n", "", "FULL_FILE 1-2 a b c|a b c 3"},
		{"no final line feed", "a b\nc", "", "FULL_FILE 1-2 a b c|a b c 3"},
		{"empty file", "", "", "FULL_FILE 1-0 | 0"},
		{"byte-order mark", "\ufeffa", "", "FULL_FILE 1-1 a|a 1"},
		{"ten words", "1 2 3 4 5 6 7 8 9 10", "", "FULL_FILE 1-1 1 2 3 4 5 6 7 8 9 10|1 2 3 4 5 6 7 8 9 10 10"},
		{"eleven words", "1 2 3 4 5 6 7 8 9 10 11", "", "FULL_FILE 1-1 1 2 3 4 5|7 8 9 10 11 11"},
		{"exact heading", doc, "## A ##", "## A ## 4-5 ## A ## three four five|## A ## three four five 6"},
		{"text of a heading", doc, "A ##", "## A ## 4-5 ## A ## three four five|## A ## three four five 6"},
		{"text without marks finds the deeper level", doc, "Deep", "### Deep 7-8 ### Deep six|### Deep six 3"},
		{"last section", doc, "## B", "## B 9-10 ## B seven|## B seven 3"},
		{"a line that is no heading runs to the end", doc, "seven", "seven 10-10 seven|seven 1"},
		{"a comment in code is a heading", "## A\n```\n# x\n```\n", "## A", "## A 1-2 ## A ```|## A ``` 3"},
		{"empty marks with a line end are a heading", "## A\nx\n##\ny\n", "## A", "## A 1-2 ## A x|## A x 3"},
		{"seven marks are none", "# A\n####### x\n", "# A", "# A 1-2 # A ####### x|# A ####### x 4"},
		{"Unicode line breaks and spaces", "a\u2028b\u0085c\fd\u00a0e\x1ff", "", "FULL_FILE 1-4 a b c d e f|a b c d e f 6"},
		{"CRLF is one break", "a\r\nb\rc\r\n", "", "FULL_FILE 1-3 a b c|a b c 3"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := ProofOfRead(".//x.md", []byte(c.text), c.heading)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
			if lines[0] != "source: x.md" || p.First == nil || p.Last == nil {
				t.Errorf("%q", lines[0])
			}
			value := func(i int) string { _, v, _ := strings.Cut(lines[i], ": "); return v }
			got := value(1) + " " + value(2) + " " + value(3) + "|" + value(4) + " " + value(5)
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
	if _, err := ProofOfRead("x", []byte(doc), "None"); !errors.Is(err, errNoHeading) {
		t.Error(err)
	}
	if _, err := ProofOfRead("x", []byte("\xff"), ""); !errors.Is(err, errNotText) {
		t.Error(err)
	}
}

func TestNormalPath(t *testing.T) {
	for in, want := range map[string]string{
		".//a": "a", "a/./b//c/": "a/b/c", "": ".", ".": ".", "..": "..", "a/../b": "a/../b", "/": "/", "//x": "//x", "///x": "/x", "./": ".",
	} {
		if got := normalPath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("f", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, time.Time{}, time.Unix(1772442900, 123456789)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "link"} {
		f, err := FingerprintOf(dir + "/.//" + name)
		want := FileFacts{true, false, 3, "2026-03-02T09:15:00.123457+00:00", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
		if err != nil || f.Path != filepath.Join(dir, name) || !f.Exists || *f.FileFacts != want {
			t.Errorf("%s: %+v %+v, %v", name, f, f.FileFacts, err)
		}
	}
	for _, name := range []string{"missing", "dangling"} {
		if f, err := FingerprintOf(filepath.Join(dir, name)); err != nil || f.Exists || f.FileFacts != nil {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if f, err := FingerprintOf(dir); err != nil || !f.IsDir || f.IsFile || f.SHA256 != "" {
		t.Errorf("%+v, %v", f, err)
	}
	if got := isoTime(time.Unix(1772442900, 0)); got != "2026-03-02T09:15:00+00:00" {
		t.Error(got)
	}
}
