package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// maxRows bounds the rows of a table of changes: a job summary is short.
const maxRows = 200

func number(n int64) string { return strconv.FormatInt(n, 10) }

// WriteMarkdown writes a job summary: counts, ids, codes, gaps, sizes, digests and
// links. It holds no title, body, login, label, name or log.
func (p *Page) WriteMarkdown(w io.Writer) error {
	m := &markdown{}
	p.markdownHead(m)
	p.markdownGaps(m)
	m.table("What is there", "| | |\n| --- | --: |\n", len(p.Counts), func(i int) string {
		return fmt.Sprintf("| %s | %d |", p.Counts[i].Name, p.Counts[i].N)
	})
	outcomes := p.Outcomes()
	m.table("Checks", "| outcome | checks |\n| --- | --: |\n", len(outcomes), func(i int) string {
		return fmt.Sprintf("| %s | %d |", outcomes[i].Name, outcomes[i].N)
	})
	m.table("What was changed", "| object | id | status | findings |\n| --- | --- | --- | --- |\n", len(p.Changes), func(i int) string {
		c := p.Changes[i]
		return fmt.Sprintf("| %s | %s | %s | %s |", c.Kind, reference(c.ID, c.Link), c.Filter.Status, findings(c.Filter))
	})
	m.table("Sizes", "| | size | bound |\n| --- | --: | --: |\n", len(p.Sizes), func(i int) string {
		return fmt.Sprintf("| %s | %d | %d |", p.Sizes[i].Name, p.Sizes[i].Value, p.Sizes[i].Bound)
	})
	_, err := io.WriteString(w, m.String())
	return err
}

func (p *Page) markdownHead(m *markdown) {
	kind := map[contract.EntityKind]string{contract.WorkItem: "Issue", contract.ChangeProposal: "Change proposal"}[p.Singletons.Entity.Kind]
	m.printf("### %s %s, %s\n\n", kind, reference(p.Name(), p.Link()), p.Singletons.Entity.State)
	files, bytes := p.Total()
	m.printf("- on %s, id `%s`\n", p.Index.Source.Host, p.Singletons.Entity.ID)
	m.printf("- created %s, updated %s\n", p.Singletons.Entity.CreatedAt, p.Singletons.Entity.UpdatedAt)
	if p.Head != "" {
		m.printf("- head `%s`\n", p.Head)
	}
	m.printf("- root digest `%s`: %d files, %d bytes\n", p.IndexSHA256, files, bytes)
	m.printf("- profile `%s`, people are heard from %s upwards\n", p.Index.CollectionProfile, p.Singletons.Collection.Admission.HumanMinRole)
	m.printf("- filter version `%s`\n", p.Index.FilterVersion)
}

func (p *Page) markdownGaps(m *markdown) {
	if !p.Gaps.Authorization {
		m.printf("\n**Authorization is unusable: rely on nobody's role.**\n")
	}
	if len(p.Gaps.Gaps) == 0 {
		m.printf("\n#### What is missing\n\nNothing that the profile selects.\n")
		return
	}
	m.table("What is missing", "| scope | code | count | usability | meaning |\n| --- | --- | --: | --- | --- |\n", len(p.Gaps.Gaps), func(i int) string {
		g := p.Gaps.Gaps[i]
		return fmt.Sprintf("| %s | %s | %d | %s | %s |", g.Scope, g.Code, g.Count, g.Usability, g.Meaning)
	})
}

type markdown struct{ strings.Builder }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// table writes a heading and n rows, nothing for none.
func (m *markdown) table(heading, head string, n int, row func(int) string) {
	if n == 0 {
		return
	}
	m.printf("\n#### %s\n\n%s", heading, head)
	for i := range min(n, maxRows) {
		m.printf("%s\n", row(i))
	}
	if n > maxRows {
		m.printf("\nand %d more\n", n-maxRows)
	}
}

// reference is an identifier, as a link if there is an address. Identifiers and
// addresses have closed alphabets without backquotes, brackets apart: in code they do
// nothing.
func reference(id, link string) string {
	switch {
	case id == "":
		return ""
	case link == "":
		return "`" + id + "`"
	}
	return "[`" + id + "`](<" + link + ">)"
}

// findings gives codes and counts.
func findings(f tree.Filter) string {
	var parts []string
	for _, c := range f.Findings {
		parts = append(parts, fmt.Sprintf("`%s` %d", c.Code, c.Count))
	}
	return strings.Join(parts, ", ")
}
