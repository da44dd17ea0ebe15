package cli

import (
	"fmt"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// family are the programs that a manual page points to.
var family = [...]string{"fetch", "filter", "bound", "emit", "verify"}

// manual gives the page of a program or subcommand in the order of man-pages(7). It has
// no clock: the date is the release's.
func manual(root, p *Program) string {
	name := root.Name
	if p != root {
		name += "-" + p.Name
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 %q %q \"snapline manual\"\n", strings.ToUpper(name), contract.ReleaseDate, "snapline "+contract.ProgramVersion)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(p.Summary))
	b.WriteString(".SH SYNOPSIS\n")
	for _, line := range synopses(root, p) {
		fmt.Fprintf(&b, ".B %s\n.br\n", roff(line))
	}
	b.WriteString(".SH DESCRIPTION\n")
	for _, paragraph := range strings.Split(strings.TrimSpace(p.Description), "\n\n") {
		fmt.Fprintf(&b, ".PP\n%s\n", roffLines(paragraph))
	}
	if len(p.Commands) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(c.Name), roff(c.Summary))
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, f := range flagsOf(p) {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(f.synopsis()), roff(f.meaning()))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range fault.ExitTable {
		fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.Code, roff(e.Meaning))
	}
	terms(&b, "ENVIRONMENT", root.Environment)
	terms(&b, "FILES", root.Files)
	if len(p.Examples) > 0 {
		b.WriteString(".SH EXAMPLES\n.nf\n")
		for _, e := range p.Examples {
			b.WriteString(roff(e) + "\n")
		}
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH SEE ALSO\n" + roff(seeAlso(root)) + "\n")
	return b.String()
}

// synopses are the lines of how p is called: its own, and those of its commands.
func synopses(root, p *Program) []string {
	name := root.Name
	if p != root {
		name += " " + p.Name
	}
	lines := []string{usageLine(name, p)}
	for _, c := range p.Commands {
		lines = append(lines, usageLine(root.Name+" "+c.Name, c))
	}
	return lines
}

func terms(b *strings.Builder, title string, entries []Term) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	for _, e := range entries {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(e.Name), roff(e.Meaning))
	}
}

// seeAlso names the other programs as they are installed: plain in an archive, with the
// name of the project in a package.
func seeAlso(root *Program) string {
	prefix, _ := strings.CutSuffix(root.Name, plainName(root.Name))
	var pages []string
	for _, name := range family {
		if prefix+name != root.Name {
			pages = append(pages, prefix+name+"(1)")
		}
	}
	return strings.Join(pages, ", ")
}

func roffLines(s string) string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		lines = append(lines, roff(strings.TrimSpace(line)))
	}
	return strings.Join(lines, "\n")
}

// roff escapes a line of text: a hyphen is one that can be copied, and no line of text is
// a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
