// Command precision filters real text and tells what the filter did to it, so that false
// alarms can be counted and looked at.
//
//	go run ./scripts/precision [flags] FILE...
//
// A file has one text a line, as {"repo", "kind", "name", "text"} in NDJSON, and may be
// compressed with zstd. The tables give numbers of texts and of findings; -show prints every
// finding with the text around it.
package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// sample is one line of a file.
type sample struct {
	Repo string `json:"repo"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Text string `json:"text"`
}

func main() {
	show := flag.String("show", "", "print the findings whose code begins with `PREFIX`")
	around := flag.Int("around", 60, "bytes of text before and behind a finding that -show prints")
	pairs := flag.String("pairs", "", "write each modified text as it was and as it is to `DIR`")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: precision [flags] FILE...")
		flag.PrintDefaults()
		os.Exit(2)
	}
	for _, path := range flag.Args() {
		if err := run(path, *show, *around, *pairs); err != nil {
			fmt.Fprintln(os.Stderr, "precision:", err)
			os.Exit(1)
		}
	}
}

func run(path, show string, around int, pairs string) error {
	texts, digest, err := read(path)
	if err != nil {
		return err
	}
	engine, err := safety.New(nil)
	if err != nil {
		return err
	}
	w := engine.NewWorker()
	w.Explain = show != ""
	m := newMeasure()
	for k, s := range texts {
		r, err := w.Filter(safety.Body, []byte(s.Text))
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		m.add(s, r)
		if show != "" {
			tell(s, r, show, around)
		}
		if pairs != "" && r.Status == contract.Modified {
			if err := writePair(pairs, k, s, r.Text); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%s, sha256 %s\n\n", filepath.Base(path), digest)
	m.print()
	return nil
}

// read gives the texts of a file and the digest of its lines, before compression.
func read(path string) (texts []sample, digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			return nil, "", err
		}
		defer z.Close()
		in = z
	}
	sum := sha256.New()
	lines := bufio.NewReader(io.TeeReader(in, sum))
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var s sample
			if err := json.Unmarshal(line, &s); err != nil {
				return nil, "", fmt.Errorf("%s, line %d: %w", path, len(texts)+1, err)
			}
			texts = append(texts, s)
		}
		if err == io.EOF {
			return texts, fmt.Sprintf("%x", sum.Sum(nil)), nil
		}
		if err != nil {
			return nil, "", err
		}
	}
}

// row counts texts, and those of them that have each outcome. A text is redacted if a
// secret or personal data was found in it.
type row struct{ texts, rejected, redacted, findings int }

type measure struct {
	all   row
	kinds map[string]*row
	codes map[string]*row // texts and findings only
}

func newMeasure() *measure {
	return &measure{kinds: map[string]*row{}, codes: map[string]*row{}}
}

func isRedaction(code string) bool {
	return strings.HasPrefix(code, "secret.") || strings.HasPrefix(code, "pii.")
}

func at(rows map[string]*row, key string) *row {
	if rows[key] == nil {
		rows[key] = &row{}
	}
	return rows[key]
}

func (m *measure) add(s sample, r safety.Result) {
	redacted, findings := false, 0
	for _, f := range r.Findings {
		c := at(m.codes, f.Code)
		c.texts++
		c.findings += int(f.Count)
		if isRedaction(f.Code) {
			redacted, findings = true, findings+int(f.Count)
		}
	}
	for _, row := range []*row{&m.all, at(m.kinds, kind(s))} {
		row.texts++
		row.findings += findings
		if redacted {
			row.redacted++
		}
		if r.Status == contract.Rejected {
			row.rejected++
		}
	}
}

// kind gives the kind of a text without what tells one language or folder from another:
// i18n of i18n-de, dockerfile of a/b/dockerfile.
func kind(s sample) string {
	k := s.Kind[strings.LastIndexByte(s.Kind, '/')+1:]
	k, _, _ = strings.Cut(k, "-")
	if k == "" {
		return "other"
	}
	return k
}

func (m *measure) print() {
	fmt.Print("| kind | texts | rejected | redacted | findings |\n|---|--:|--:|--:|--:|\n")
	for _, kind := range sortedKeys(m.kinds) {
		m.kinds[kind].print(kind)
	}
	m.all.print("**all**")
	percent := func(n int) float64 { return 100 * float64(n) / float64(max(1, m.all.texts)) }
	fmt.Printf("\n%.2f %% rejected, %.2f %% redacted\n", percent(m.all.rejected), percent(m.all.redacted))
	fmt.Print("\n| code | texts | findings |\n|---|--:|--:|\n")
	for _, code := range sortedKeys(m.codes) {
		fmt.Printf("| `%s` | %d | %d |\n", code, m.codes[code].texts, m.codes[code].findings)
	}
}

func (r *row) print(name string) {
	fmt.Printf("| %s | %d | %d | %d | %d |\n", name, r.texts, r.rejected, r.redacted, r.findings)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// tell prints the findings of one text with the source around them.
func tell(s sample, r safety.Result, prefix string, around int) {
	for _, f := range r.Spans {
		if !strings.HasPrefix(f.Code, prefix) {
			continue
		}
		before := s.Text[max(0, f.Start-around):f.Start]
		behind := s.Text[f.End:min(len(s.Text), f.End+around)]
		fmt.Printf("%s %s %s:%d\n\t%q\n", f.Code, s.Repo, s.Name, f.Start, before+"⟦"+s.Text[f.Start:f.End]+"⟧"+behind)
	}
}

// writePair writes a text before and after under names that end like its own.
func writePair(dir string, k int, s sample, text []byte) error {
	name := fmt.Sprintf("%05d-%s", k, strings.ReplaceAll(s.Name, "/", "_"))
	for folder, b := range map[string][]byte{"before": []byte(s.Text), "after": text} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, folder, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
