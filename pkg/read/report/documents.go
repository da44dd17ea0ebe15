package report

import (
	"fmt"
	"io"
	"strings"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/read"
	"snapline/pkg/read/diff"
)

// DocumentPage is what a report says about a tree of documents.
type DocumentPage struct {
	*check.DocumentTree
	Root string // digest of the manifest
}

// Document is one document of the tree.
type Document struct {
	Number int
	Row    *tree.ManifestDocument
	raw    []byte
}

// List gives the documents in their order.
func (p *DocumentPage) List() []Document {
	var list []Document
	for i := range p.Manifest.Documents {
		list = append(list, Document{i + 1, &p.Manifest.Documents[i], p.Documents[i].Raw})
	}
	return list
}

// Text is the document's text in parts, for the page.
func (d Document) Text() *Text {
	t := newText(fmt.Sprint("d", d.Number), string(d.raw), d.Row.Filter)
	for i := range t.Parts {
		t.Parts[i].Code = true
	}
	return t
}

// Meaning says what a gap of the tree means.
func (p *DocumentPage) Meaning(code contract.GapCode) string { return read.Meaning(code) }

// Sizes measures what the limits bound.
func (p *DocumentPage) Sizes() []Size {
	var longest int64
	for _, d := range p.Manifest.Documents {
		if d.Bytes != nil {
			longest = max(longest, *d.Bytes)
		}
	}
	return []Size{
		{"documents", int64(len(p.Manifest.Documents)), p.Manifest.Limits.MaxDocuments},
		{"bytes of the longest document", longest, p.Manifest.Limits.MaxDocumentBytes},
	}
}

// WriteHTML writes one page that needs nothing else, as private as a capture.
func (p *DocumentPage) WriteHTML(w io.Writer) error { return execute(w, "documents", p) }

// verdict words what the documents are as a chain, "" where they are none.
func (p *DocumentPage) verdict() string {
	c := p.Manifest.Chain
	if c == nil {
		return ""
	}
	text := "chain " + c.Verdict
	for _, part := range []string{c.Finding, c.Refusal} {
		if part != "" {
			text += ", " + part
		}
	}
	if c.FirstBadSeq != "" {
		text += ", first bad seq " + c.FirstBadSeq
	}
	return text
}

// Facts are what is said of the tree as a whole.
func (p *DocumentPage) Facts() []string {
	facts := []string{fmt.Sprintf("%d documents of %s, the %s are kept", len(p.Manifest.Documents), p.Manifest.Family, p.Manifest.Limits.Selection)}
	if v := p.verdict(); v != "" {
		facts = append(facts, v)
	}
	if r := p.Manifest.Recovered; r != nil {
		facts = append(facts, fmt.Sprintf("recovered state %s, %d bytes", r.SHA256, r.Bytes))
	}
	return append(facts, "root digest "+p.Root, "filter version "+p.Manifest.FilterVersion)
}

// WriteText writes the page for a terminal, as private as a capture.
func (p *DocumentPage) WriteText(w io.Writer) error {
	t := newTerminal(w)
	for _, f := range p.Facts() {
		t.line("%s", f)
	}
	t.head("What is missing")
	if len(p.Manifest.Gaps) == 0 {
		t.line("nothing that the limits allow")
	}
	for _, g := range p.Manifest.Gaps {
		t.line("%s/%s: %d, %s: %s", g.Scope, g.Code, g.Count, g.Usability, p.Meaning(g.Code))
	}
	t.head("Documents")
	for _, d := range p.List() {
		t.line("\n%d %s, %s, %s", d.Number, d.Row.Name, d.Row.Format, strings.TrimSpace(string(d.Row.Filter.Status)+" "+plain(d.Row.Filter)))
		t.quote("", string(d.raw))
	}
	return t.w.Flush()
}

// WriteMarkdown writes a job summary: names, counts and digests, and no text of a
// document.
func (p *DocumentPage) WriteMarkdown(w io.Writer) error {
	m := &markdown{}
	m.printf("### Documents of %s\n\n", p.Manifest.Family)
	for _, f := range p.Facts() {
		m.printf("- %s\n", f)
	}
	m.table("What is missing", "| scope | code | count | usability | meaning |\n| --- | --- | --: | --- | --- |\n", len(p.Manifest.Gaps), func(i int) string {
		g := p.Manifest.Gaps[i]
		return fmt.Sprintf("| %s | %s | %d | %s | %s |", g.Scope, g.Code, g.Count, g.Usability, p.Meaning(g.Code))
	})
	m.table("Documents", "| | name | format | bytes | status | findings |\n| --: | --- | --- | --: | --- | --- |\n", len(p.Manifest.Documents), func(i int) string {
		d := p.Manifest.Documents[i]
		bytes := ""
		if d.Bytes != nil {
			bytes = number(*d.Bytes)
		}
		return fmt.Sprintf("| %d | `%s` | %s | %s | %s | %s |", i+1, d.Name, d.Format, bytes, d.Filter.Status, findings(d.Filter))
	})
	sizes := p.Sizes()
	m.table("Sizes", "| | size | bound |\n| --- | --: | --: |\n", len(sizes), func(i int) string {
		return fmt.Sprintf("| %s | %d | %d |", sizes[i].Name, sizes[i].Value, sizes[i].Bound)
	})
	_, err := io.WriteString(w, m.String())
	return err
}

// DocumentDiffPage is what a page says about two trees of documents.
type DocumentDiffPage struct {
	*diff.Documents
	Before, After *check.DocumentTree
}

// WriteHTML writes one page that needs nothing else, as private as a capture.
func (p *DocumentDiffPage) WriteHTML(w io.Writer) error { return execute(w, "documentdiff", p) }

// DocumentText is a document that changed, by lines.
type DocumentText struct {
	Change diff.Change
	Name   string
	Lines  []Line
}

// Texts are the documents that changed, in their order.
func (p *DocumentDiffPage) Texts() []DocumentText {
	var list []DocumentText
	raw := func(t *check.DocumentTree, number int) string {
		if number == 0 {
			return ""
		}
		return string(t.Documents[number-1].Raw)
	}
	for _, d := range p.Documents.Documents {
		list = append(list, DocumentText{d.Change, d.Name, lines(raw(p.Before, d.Old), raw(p.After, d.New))})
	}
	return list
}
