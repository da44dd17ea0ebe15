package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// WriteText writes the page for a terminal. It holds titles, texts and logins and is as
// private as a capture. Each line of somebody's text stands behind a bar, so that none of
// it can be taken for a line of ours, and what a terminal would obey is spelled out.
func (p *Page) WriteText(w io.Writer) error {
	t := newTerminal(w)
	t.line("%s %s, %s", p.KindName(), p.Name(), p.Singletons.Entity.State)
	t.quote("", p.Singletons.Entity.Title)
	t.line("on %s, created %s, updated %s", p.Index.Source.Host, clock(p.Singletons.Entity.CreatedAt), clock(p.Singletons.Entity.UpdatedAt))
	if p.Head != "" {
		t.line("head %s", p.Head)
	}
	for _, l := range p.Singletons.Entity.Labels {
		t.line("label %s", harmless(l))
	}
	t.line("root digest %s", p.IndexSHA256)
	p.textGaps(t)
	t.head("Conversation")
	for _, item := range p.Conversation {
		if item.Record != nil {
			if err := t.record("", item.Record); err != nil {
				return err
			}
		}
		for _, thread := range item.Threads {
			if err := t.thread(thread); err != nil {
				return err
			}
		}
	}
	if err := p.textChecks(t); err != nil {
		return err
	}
	if len(p.Singletons.Runs.Runs) > 0 {
		t.head("Agent runs")
	}
	for _, r := range p.Singletons.Runs.Runs {
		t.line("%s: %s, completed %s", words(string(r.Status)), harmless(r.Agent), clock(r.CompletedAt))
	}
	t.head("Sizes")
	for _, s := range p.Sizes {
		t.line("%s: %d of %d", s.Name, s.Value, s.Bound)
	}
	return t.w.Flush()
}

func (p *Page) textGaps(t *terminal) {
	t.head("What is missing")
	if len(p.Gaps.Gaps) == 0 {
		t.line("nothing that the profile selects")
	}
	for _, g := range p.Gaps.Gaps {
		t.line("%s/%s: %d, %s: %s", g.Scope, g.Code, g.Count, g.Usability, g.Meaning)
	}
}

func (p *Page) textChecks(t *terminal) error {
	if len(p.Checks) > 0 {
		t.head("Checks")
	}
	for _, c := range p.Checks {
		name := "name rejected"
		if c.Metadata != nil {
			name = harmless(c.Metadata.Name)
		}
		t.line("%s: %s", c.Outcome(), name)
		if !c.Failed || c.Row.LogPath == "" {
			continue
		}
		runs, err := c.Tail()
		if err != nil {
			return err
		}
		var log strings.Builder
		for _, r := range runs {
			log.WriteString(r.Text)
		}
		t.quote("  ", log.String())
	}
	return nil
}

// terminal writes lines for people; its first error is that of Flush.
type terminal struct{ w *bufio.Writer }

func newTerminal(w io.Writer) *terminal { return &terminal{w: bufio.NewWriter(w)} }

// plain gives codes and counts without marks of Markdown.
func plain(f tree.Filter) string { return strings.ReplaceAll(findings(f), "`", "") }

func (t *terminal) line(format string, args ...any) { fmt.Fprintf(t.w, format+"\n", args...) }

func (t *terminal) head(name string) { t.line("\n%s\n%s", name, strings.Repeat("-", len(name))) }

// quote writes the lines of somebody's text behind a bar.
func (t *terminal) quote(indent, text string) {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		t.line("%s| %s", indent, harmless(line))
	}
}

func (t *terminal) record(indent string, r *Record) error {
	kind := string(r.Row.Kind)
	if r.Review != nil {
		kind = "review, " + words(string(r.Review.State))
	}
	t.line("\n%s%s by %s (%s), %s", indent, kind, harmless(r.Author.Name()), r.Author.Role, clock(r.Row.CreatedAt))
	if r.Link != "" {
		t.line("%s%s", indent, r.Link)
	}
	if f := r.Row.Filter; f.Status != contract.Unchanged {
		t.line("%s%s: %s", indent, f.Status, plain(f))
	}
	body, err := r.Body()
	if err != nil {
		return err
	}
	t.quote(indent, body)
	return nil
}

func (t *terminal) thread(thread *Thread) error {
	state := "open"
	if thread.State.Resolved {
		state = "resolved"
	}
	if thread.State.Outdated {
		state += ", outdated"
	}
	where := "thread"
	if thread.Path != "" {
		where = "thread on " + thread.Path
	}
	if lines := thread.Lines(); lines != "" {
		where += ", " + lines
	}
	t.line("\n  %s: %s", where, state)
	for _, r := range thread.Records {
		if err := t.record("    ", r); err != nil {
			return err
		}
	}
	return nil
}

// harmless spells out what is no printable character, tabulators apart.
func harmless(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}
