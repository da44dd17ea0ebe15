package diff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"snapline/pkg/check"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// Documents is what changed between two trees of documents. JSON members are stable; it
// names documents and holds no text of one.
type Documents struct {
	OldManifest string     `json:"old_manifest_sha256"`
	NewManifest string     `json:"new_manifest_sha256"`
	Documents   []Document `json:"documents"`
	Gaps        []Gap      `json:"gaps"`
	Chain       *Value     `json:"chain,omitempty"`     // verdict
	Recovered   *Value     `json:"recovered,omitempty"` // digest of the recovered state
	// Same are the leading documents that are the same bytes, and how many there were.
	Same    int `json:"same_leading"`
	OldSize int `json:"old_documents"`
}

// Document is a document that is new, gone or edited. Documents of one name are told apart
// by their order.
type Document struct {
	Change Change   `json:"change"`
	Name   string   `json:"name"`
	Old    int      `json:"old_number,omitempty"` // place in the tree, from 1
	New    int      `json:"new_number,omitempty"`
	What   []string `json:"what"` // of an edited one: bytes, format, filter, rejected, restored
}

// CompareDocuments tells what changed between two trees of documents with the given roots.
// Trees of different families, limits or filter versions are refused.
func CompareDocuments(before, after *check.DocumentTree, oldRoot, newRoot string) (*Documents, error) {
	a, b := &before.Manifest, &after.Manifest
	refused := func(rule, detail string) (*Documents, error) {
		return nil, &fault.Error{Exit: fault.Aborted, Rule: rule, Detail: detail}
	}
	switch {
	case a.Family != b.Family:
		return refused("compare.family", "the trees hold documents of different families")
	case a.Limits != b.Limits:
		return refused("compare.profile", "the trees were taken with different limits: what differs need not have changed")
	case a.FilterVersion != b.FilterVersion:
		return refused("compare.filter-version", "the trees were filtered by different versions: what differs need not have changed")
	}
	d := &Documents{
		OldManifest: oldRoot, NewManifest: newRoot,
		Documents: []Document{}, Gaps: gapChanges(a.Gaps, b.Gaps), Chain: changed(verdict(a), verdict(b)), Recovered: changed(recovered(a), recovered(b)),
		OldSize: len(a.Documents),
	}
	for d.Same < min(len(a.Documents), len(b.Documents)) && a.Documents[d.Same].SHA256 == b.Documents[d.Same].SHA256 &&
		a.Documents[d.Same].Path == b.Documents[d.Same].Path {
		d.Same++
	}
	d.documents(numbered(a.Documents), numbered(b.Documents))
	return d, nil
}

func verdict(m *tree.Manifest) string {
	if m.Chain == nil {
		return ""
	}
	return m.Chain.Verdict
}

func recovered(m *tree.Manifest) string {
	if m.Recovered == nil {
		return ""
	}
	return m.Recovered.SHA256
}

// numberedDocument is a document, its place, and which of its name it is.
type numberedDocument struct {
	*tree.ManifestDocument
	number, nth int
}

func numbered(list []tree.ManifestDocument) []numberedDocument {
	seen := map[string]int{}
	var out []numberedDocument
	for i := range list {
		d := &list[i]
		out = append(out, numberedDocument{d, i + 1, seen[d.Name]})
		seen[d.Name]++
	}
	return out
}

func (d *Documents) documents(before, after []numberedDocument) {
	key := func(n *numberedDocument) string { return fmt.Sprint(n.Name, "/", n.nth) }
	matched(before, after, key, func(b, a *numberedDocument) {
		switch {
		case b == nil:
			d.Documents = append(d.Documents, Document{New, a.Name, 0, a.number, []string{}})
		case a == nil:
			d.Documents = append(d.Documents, Document{Gone, b.Name, b.number, 0, []string{}})
		default:
			if what := edits(b.ManifestDocument, a.ManifestDocument); len(what) > 0 {
				d.Documents = append(d.Documents, Document{Edited, a.Name, b.number, a.number, what})
			}
		}
	})
}

func edits(b, a *tree.ManifestDocument) []string {
	var what []string
	switch had, has := b.Path != "", a.Path != ""; {
	case had && !has:
		what = append(what, "rejected")
	case !had && has:
		what = append(what, "restored")
	case b.SHA256 != a.SHA256:
		what = append(what, "bytes")
	}
	if b.Format != a.Format {
		what = append(what, "format")
	}
	if !sameFilter(b.Filter, a.Filter) {
		what = append(what, "filter")
	}
	slices.Sort(what)
	return what
}

// WriteJSON writes one JSON object.
func (d *Documents) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

// WriteText writes one fact a line.
func (d *Documents) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range d.Sections() {
		for _, row := range s.Rows {
			fmt.Fprintf(&b, "%s\n", row.plain())
		}
	}
	if b.Len() == 0 {
		b.WriteString("nothing changed\n")
	}
	b.WriteString(d.Sentence() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes a job summary.
func (d *Documents) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### What changed\n\nFrom `%s` to `%s`.\n", d.OldManifest, d.NewManifest)
	writeSections(&b, d.Sections())
	fmt.Fprintf(&b, "\n%s.\n", d.Sentence())
	_, err := io.WriteString(w, b.String())
	return err
}

// Sentence says how many leading documents stay as they were.
func (d *Documents) Sentence() string {
	return fmt.Sprintf("documents: the first %d of %d stay as they were", d.Same, d.OldSize)
}

// Sections words all changes.
func (d *Documents) Sections() []Section {
	var list []Section
	add := func(title string, rows []Row) {
		if len(rows) > 0 {
			list = append(list, Section{title, rows})
		}
	}
	add("Documents", rows(d.Documents, func(c Document) Row { return Row{"document", c.Name, wording(c.Change, c.What)} }))
	add("What is missing", gapRows(d.Gaps))
	var whole []Row
	for _, v := range []struct {
		name  string
		value *Value
	}{{"chain", d.Chain}, {"recovered state", d.Recovered}} {
		if v.value != nil {
			whole = append(whole, Row{v.name, "", v.value.String()})
		}
	}
	add("As a whole", whole)
	return list
}
