package cli

import (
	"fmt"
	"io"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
)

// describe handles --version, --completion and --man: it reports whether one of
// them was asked for and printed.
func describe(root, p *Program, c *ucli.Context, w io.Writer) (bool, error) {
	switch {
	case c.Bool("version"):
		return true, write(w, root.Name+" "+root.Version+"\n")
	case c.Bool("man"):
		return true, write(w, manual(root, p))
	case c.IsSet("completion"):
		script, err := completion(root, c.String("completion"))
		if err != nil {
			return true, err
		}
		return true, write(w, script)
	}
	return false, nil
}

func write(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return Unwritten(err)
}

// firstFailure keeps the error that the library drops when it prints help.
type firstFailure struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (f *firstFailure) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

// helpTemplate is the library's help with examples, subcommands and the exit table.
func helpTemplate(root, p *Program) string {
	var b strings.Builder
	b.WriteString("{{.HelpName}} - {{.Usage}}\n\nUSAGE\n   {{.UsageText}}\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "   %s\n", usageLine(root.Name+" "+c.Name, c))
	}
	b.WriteString("\nDESCRIPTION\n" + indent(p.Description) + "\n")
	if len(p.Commands) > 0 {
		b.WriteString("\nCOMMANDS\n")
		for _, c := range p.Commands {
			name := c.Name
			for _, line := range wrap(c.Summary, helpWidth-14) {
				fmt.Fprintf(&b, "   %-10s %s\n", name, line)
				name = ""
			}
		}
	}
	b.WriteString("\nFLAGS\n" + flagTable(p) + "\n")
	if len(p.Examples) > 0 {
		b.WriteString("EXAMPLES\n   " + strings.Join(p.Examples, "\n   ") + "\n\n")
	}
	b.WriteString("EXIT CODES\n")
	for _, e := range fault.ExitTable {
		fmt.Fprintf(&b, "   %3d  %s\n", e.Code, e.Meaning)
	}
	return b.String()
}

// helpWidth is how wide help is at most: a terminal of the usual size shows it whole.
const helpWidth = 80

// flagColumn is where the meaning of a flag begins.
const flagColumn = 31

// flagTable lists the flags of p with their meaning, wrapped.
func flagTable(p *Program) string {
	var b strings.Builder
	for _, f := range flagsOf(p) {
		head := "   " + f.synopsis()
		if len(head) >= flagColumn {
			b.WriteString(head + "\n")
			head = ""
		}
		for _, line := range wrap(f.meaning(), helpWidth-flagColumn) {
			fmt.Fprintf(&b, "%-*s%s\n", flagColumn, head, line)
			head = ""
		}
	}
	return b.String()
}

// wrap breaks s at blanks into lines of at most width bytes; a longer word stands alone.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

func indent(s string) string {
	return "   " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n   ")
}
