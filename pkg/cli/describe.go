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

// completion gives a script that completes the flags of the program or of the
// subcommand that is its first word, subcommands, and file names. It lists words and
// evaluates nothing that was typed.
func completion(root *Program, shell string) (string, error) {
	commands := strings.Join(commandNames(root), " ")
	var b strings.Builder
	switch shell {
	case "bash":
		fmt.Fprintf(&b, `_snapline_%[1]s() {
  local word=${COMP_WORDS[COMP_CWORD]} flags=%[2]s
  case ${COMP_WORDS[1]-} in
`, root.Name, quoteShell(flagWords(root)))
		for _, c := range root.Commands {
			fmt.Fprintf(&b, "    %s) flags=%s ;;\n", c.Name, quoteShell(flagWords(c)))
		}
		fmt.Fprintf(&b, `  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W %[2]s -- "$word"; compgen -f -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _snapline_%[1]s %[1]s
`, root.Name, quoteShell(commands))
	case "zsh":
		fmt.Fprintf(&b, `#compdef %[1]s
_snapline_%[1]s() {
  local flags=(%[2]s)
  case ${words[2]-} in
`, root.Name, flagWords(root))
		for _, c := range root.Commands {
			fmt.Fprintf(&b, "    %s) flags=(%s) ;;\n", c.Name, flagWords(c))
		}
		fmt.Fprintf(&b, `  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $flags
  else
    ((CURRENT > 2)) || compadd -- %[2]s
    _files
  fi
}
compdef _snapline_%[1]s %[1]s
`, root.Name, commands)
	case "fish":
		fishFlags(&b, root, root, "")
		for _, c := range root.Commands {
			fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", root.Name, c.Name, quoteShell(c.Summary))
			fishFlags(&b, root, c, " -n '__fish_seen_subcommand_from "+c.Name+"'")
		}
	default:
		return "", Usagef("--completion takes bash, zsh or fish, not %s", fault.Quote(shell))
	}
	return b.String(), nil
}

// fishFlags lists the flags of p under a condition. Those of a program with
// subcommands hold where none was chosen.
func fishFlags(b *strings.Builder, root, p *Program, condition string) {
	if len(p.Commands) > 0 {
		condition = " -n '! __fish_seen_subcommand_from " + strings.Join(commandNames(p), " ") + "'"
	}
	for _, f := range strings.Fields(flagWords(p)) {
		fmt.Fprintf(b, "complete -c %s%s -l %s\n", root.Name, condition, strings.TrimPrefix(f, "--"))
	}
}

// flagWords gives the flags of a program or subcommand, separated by spaces.
func flagWords(p *Program) string {
	var b strings.Builder
	for _, list := range [][]ucli.Flag{p.Flags, commonFlags()} {
		for _, f := range list {
			b.WriteString("--" + f.Names()[0] + " ")
		}
	}
	return b.String() + "--help"
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
