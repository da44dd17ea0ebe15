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
func describe(root, p *Program, app *ucli.App, c *ucli.Context, w io.Writer) (bool, error) {
	switch {
	case c.Bool("version"):
		return true, write(w, root.Name+" "+root.Version+"\n")
	case c.Bool("man"):
		app.HideHelp, app.Name = true, app.HelpName
		page, err := app.ToManWithSection(1)
		if err != nil {
			return true, &fault.Error{Exit: fault.Environment, Detail: "the manual page could not be made", Cause: err}
		}
		page = strings.Replace(page, ".TH "+app.Name+" 1", ".TH \""+app.Name+"\" 1", 1)
		return true, write(w, page+manTail(root, p))
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
			fmt.Fprintf(&b, "   %-10s %s\n", c.Name, c.Summary)
		}
	}
	b.WriteString("\nFLAGS\n   {{range .VisibleFlags}}{{.}}\n   {{end}}\n")
	if len(p.Examples) > 0 {
		b.WriteString("EXAMPLES\n   " + strings.Join(p.Examples, "\n   ") + "\n\n")
	}
	b.WriteString("EXIT CODES\n")
	for _, e := range fault.ExitTable {
		fmt.Fprintf(&b, "   %3d  %s\n", e.Code, e.Meaning)
	}
	return b.String()
}

func indent(s string) string {
	return "   " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n   ")
}

// manTail adds to the generated page what the library does not know.
func manTail(root, p *Program) string {
	var b strings.Builder
	if len(p.Commands) > 0 {
		b.WriteString("\n.SH COMMANDS\n")
		for _, c := range p.Commands {
			fmt.Fprintf(&b, ".PP\n\\fB%s\\fP\n.br\n%s\n", roff(usageLine(root.Name+" "+c.Name, c)), roff(c.Summary))
		}
	}
	if len(p.Examples) > 0 {
		b.WriteString("\n.SH EXAMPLES\n.nf\n")
		for _, e := range p.Examples {
			b.WriteString(roff(e) + "\n")
		}
		b.WriteString(".fi\n")
	}
	b.WriteString("\n.SH EXIT STATUS\n")
	for _, e := range fault.ExitTable {
		fmt.Fprintf(&b, ".PP\n\\fB%d\\fP %s\n", e.Code, roff(e.Meaning))
	}
	return b.String()
}

func roff(s string) string {
	s = strings.NewReplacer(`\`, `\\`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
