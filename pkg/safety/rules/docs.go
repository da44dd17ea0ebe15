package rules

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// docFile is the documentation of the filter, from the folder of the package safety on.
const docFile = "../../docs/filters.md"

// The parts of the documentation that are made of the rules stand between two such lines,
// of which the first names the part.
const (
	partStart = "<!-- made by go generate: "
	partEnd   = "<!-- end -->"
)

// document gives the documentation with its parts made anew.
func (s *Set) document(safety string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(safety, docFile))
	if err != nil {
		return nil, err
	}
	parts := map[string]func() string{"unicode": s.unicodeTable, "tokens": s.tokenTable, "languages": s.languageTable}
	var out bytes.Buffer
	for len(text) > 0 {
		before, rest, found := bytes.Cut(text, []byte(partStart))
		out.Write(before)
		if !found {
			break
		}
		name, rest, _ := bytes.Cut(rest, []byte(" -->\n"))
		_, rest, ended := bytes.Cut(rest, []byte(partEnd))
		table := parts[string(name)]
		if table == nil || !ended {
			return nil, fmt.Errorf("docs/filters.md: there is no part %q, or it has no end", name)
		}
		delete(parts, string(name))
		fmt.Fprintf(&out, "%s%s -->\n%s%s", partStart, name, table(), partEnd)
		text = rest
	}
	for name := range parts {
		return nil, fmt.Errorf("docs/filters.md: the part %q is missing", name)
	}
	return out.Bytes(), nil
}

func (s *Set) unicodeTable() string {
	var b strings.Builder
	b.WriteString("| class | code points | what |\n|---|---|---|\n")
	for _, r := range s.Ranges {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, strings.Join(r.Entry.words("points"), " "), r.Doc)
	}
	return b.String()
}

func (s *Set) tokenTable() string {
	var b strings.Builder
	b.WriteString("| code | prefixes | characters | what |\n|---|---|---|---|\n")
	for _, t := range s.Tokens {
		var prefixes []string
		for _, p := range t.Prefixes {
			prefixes = append(prefixes, "`"+p+"`")
		}
		length := fmt.Sprintf("%d and more", t.Min)
		if slices.Contains(t.Need, "closed") {
			length = fmt.Sprint(t.Min)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Code.ID, strings.Join(prefixes, " "), length, t.Doc)
	}
	return b.String()
}

func (s *Set) languageTable() string {
	var b strings.Builder
	b.WriteString("| language | code | an order is |\n|---|---|---|\n")
	for _, l := range s.Languages {
		for _, p := range l.Phrases {
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", l.Name, p.Code, p.Doc)
		}
	}
	return b.String()
}
