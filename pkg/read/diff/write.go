package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"snapline/pkg/fault"
)

// WriteJSON writes one JSON object.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

func writeJSON(w io.Writer, d any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// WriteText writes one fact a line. Labels are the only words of people in it; they are
// quoted.
func (d *Diff) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range d.Sections() {
		for _, row := range s.Rows {
			fmt.Fprintf(&b, "%s\n", row.plain())
		}
	}
	for _, l := range d.Entity.LabelsAdded {
		fmt.Fprintf(&b, "label added: %s\n", fault.Quote(l))
	}
	for _, l := range d.Entity.LabelsRemoved {
		fmt.Fprintf(&b, "label removed: %s\n", fault.Quote(l))
	}
	if b.Len() == 0 {
		b.WriteString("nothing changed\n")
	}
	b.WriteString(d.Prompt.Sentence() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes a job summary: ids, counts and states, and nobody's words.
func (d *Diff) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### What changed\n\nFrom `%s` to `%s`.\n", d.OldIndex, d.NewIndex)
	sections := d.Sections()
	if len(sections) == 0 && d.Empty() {
		b.WriteString("\nNothing.\n")
	}
	writeSections(&b, sections)
	if added, removed := len(d.Entity.LabelsAdded), len(d.Entity.LabelsRemoved); added+removed > 0 {
		fmt.Fprintf(&b, "\nLabels: %d added, %d removed.\n", added, removed)
	}
	fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(d.Prompt.Sentence()[:1])+d.Prompt.Sentence()[1:]+".")
	_, err := io.WriteString(w, b.String())
	return err
}

func writeSections(b *strings.Builder, sections []Section) {
	for _, s := range sections {
		fmt.Fprintf(b, "\n#### %s\n\n| | id | change |\n| --- | --- | --- |\n", s.Title)
		for i, row := range s.Rows {
			if i == maxRows {
				fmt.Fprintf(b, "\nand %d more\n", len(s.Rows)-maxRows)
				break
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", row.Sort, code(row.ID), row.Change)
		}
	}
}

// maxRows bounds the rows of a table of a summary.
const maxRows = 200

func code(id string) string {
	if id == "" {
		return ""
	}
	return "`" + id + "`"
}

// Section is what changed of one sort, for people.
type Section struct {
	Title string
	Rows  []Row
}

// Row is one change in words: what sort of object, its identifier, what happened.
type Row struct{ Sort, ID, Change string }

func (r Row) plain() string {
	name := r.Sort
	if r.ID != "" {
		name += " " + r.ID
	}
	return name + ": " + r.Change
}

// Sections words all changes but those of labels. Sorts without a change are left out.
func (d *Diff) Sections() []Section {
	var list []Section
	section := func(title string, rows []Row) {
		if len(rows) > 0 {
			list = append(list, Section{title, rows})
		}
	}
	section("Entity", d.entityRows())
	section("Records", rows(d.Records, func(r Record) Row { return Row{string(r.Kind), r.ID, wording(r.Change, r.What)} }))
	section("What is missing", gapRows(d.Gaps))
	section("Reviews", rows(d.Reviews, func(r Review) Row { return Row{"review", r.ID, r.State.String()} }))
	section("Threads", rows(d.Threads, func(t Thread) Row {
		text := wording(t.Change, t.What)
		if len(t.Added) > 0 {
			text += fmt.Sprintf(", %d records more", len(t.Added))
		}
		if len(t.Removed) > 0 {
			text += fmt.Sprintf(", %d records less", len(t.Removed))
		}
		return Row{"thread", t.ID, text}
	}))
	section("Accounts", rows(d.Actors, func(a Actor) Row {
		var parts []string
		if a.Role != nil {
			parts = append(parts, "role "+a.Role.String())
		}
		if a.Kind != nil {
			parts = append(parts, "kind "+a.Kind.String())
		}
		if a.LoginChanged {
			parts = append(parts, "renamed")
		}
		return Row{"account", a.ID, strings.Join(parts, ", ")}
	}))
	section("Checks", rows(d.Checks, func(c Check) Row {
		parts := []string{string(c.Change)}
		if c.Outcome != nil {
			parts = append(parts, c.Outcome.String())
		}
		if c.LogChanged {
			parts = append(parts, "another log")
		}
		if c.NameChanged {
			parts = append(parts, "another name")
		}
		return Row{"check", c.ID, strings.Join(parts, ", ")}
	}))
	section("Agent runs", rows(d.Runs, func(r Run) Row { return Row{"agent run", r.ID, string(r.Change)} }))
	return list
}

func gapRows(gaps []Gap) []Row {
	return rows(gaps, func(g Gap) Row {
		return Row{string(g.Scope) + "/" + string(g.Code), "", fmt.Sprintf("%d, was %d", g.New, g.Old)}
	})
}

func rows[T any](list []T, row func(T) Row) []Row {
	var out []Row
	for _, v := range list {
		out = append(out, row(v))
	}
	return out
}

func (d *Diff) entityRows() []Row {
	e := d.Entity
	var list []Row
	add := func(v *Value, what string) {
		if v != nil {
			list = append(list, Row{what, "", v.String()})
		}
	}
	add(d.FilterVersion, "filter version")
	add(e.State, "state")
	add(e.Head, "head")
	add(e.UpdatedAt, "updated_at")
	if e.TitleChanged {
		list = append(list, Row{"title", "", "another"})
	}
	return list
}

// String words a value that changed.
func (v Value) String() string {
	name := func(s string) string {
		if s == "" {
			return "none"
		}
		return s
	}
	return name(v.New) + ", was " + name(v.Old)
}

func wording(c Change, what []string) string {
	if len(what) == 0 {
		return string(c)
	}
	return string(c) + ": " + strings.Join(what, ", ")
}

// Sentence says how much of the old prompt stays and what broke it.
func (p Prompt) Sentence() string {
	s := fmt.Sprintf("prompt: %d of %d blocks and %d of %d bytes stay as they were", p.Blocks, p.OldBlocks, p.Bytes, p.OldBytes)
	if p.Broken == nil {
		return s
	}
	s += fmt.Sprintf("; block %d: %s", p.Broken.Block, p.Broken.Kind)
	if p.Broken.ID != "" {
		s += " " + p.Broken.ID
	}
	return s + " " + map[Reason]string{
		Appended: "was appended", Inserted: "came before older ones", Edit: "was edited", Removed: "is gone", StateDiffer: "is another",
	}[p.Broken.Reason]
}
