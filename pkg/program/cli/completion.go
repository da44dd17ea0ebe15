package cli

import (
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v2"

	"snapline/pkg/fault"
)

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
