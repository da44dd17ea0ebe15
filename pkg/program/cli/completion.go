package cli

import (
	"fmt"
	"slices"
	"strings"
)

// completion gives a script that completes the flags of the program or of the
// subcommand that is its first word, the values of flags that take a closed set,
// subcommands, and file names. It lists words and evaluates nothing that was typed.
func completion(root *Program, shell string) (string, error) {
	scripts := map[string]func(*Program) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	script := scripts[shell]
	if script == nil {
		return "", Usagef("--completion takes bash, zsh or fish")
	}
	return script(root), nil
}

// functionName is a name that a shell takes for a function.
func functionName(root *Program) string {
	return "_" + strings.ReplaceAll(packagePrefix+plainName(root.Name), "-", "_")
}

// bashCompletion keeps to what bash 3.2 knows, which macOS ships.
func bashCompletion(root *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%[1]s() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags=%[2]s line
  COMPREPLY=()
  case ${COMP_WORDS[1]-} in
`, functionName(root), quoteShell(flagWords(root)))
	for _, c := range root.Commands {
		fmt.Fprintf(&b, "    %s) flags=%s ;;\n", c.Name, quoteShell(flagWords(c)))
	}
	b.WriteString("  esac\n  case $before in\n")
	for _, f := range valueFlags(root) {
		fmt.Fprintf(&b, "    --%s) flags=%s word=\" $word\" ;;\n", f.name, quoteShell(strings.Join(f.values, " ")))
	}
	fmt.Fprintf(&b, `  esac
  case $word in
    -*|" "*) while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$flags" -- "${word# }") ;;
    *)
      if ((COMP_CWORD == 1)); then
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W %[3]s -- "$word")
      fi
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F %[1]s %[2]s
`, functionName(root), root.Name, quoteShell(strings.Join(commandNames(root), " ")))
	return b.String()
}

func zshCompletion(root *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n%[2]s() {\n  local -a flags commands\n  flags=(%[3]s)\n  commands=(", root.Name, functionName(root), zshFlags(root))
	for _, c := range root.Commands {
		b.WriteString(" " + quoteShell(c.Name+":"+c.Summary))
	}
	b.WriteString(")\n  case ${words[2]-} in\n")
	for _, c := range root.Commands {
		fmt.Fprintf(&b, "    %s) flags=(%s) ;;\n", c.Name, zshFlags(c))
	}
	b.WriteString("  esac\n  case ${words[CURRENT-1]-} in\n")
	for _, f := range valueFlags(root) {
		fmt.Fprintf(&b, "    --%s) compadd -- %s; return ;;\n", f.name, strings.Join(f.values, " "))
	}
	fmt.Fprintf(&b, `  esac
  if [[ $PREFIX == -* ]]; then
    _describe flag flags -o
  else
    ((CURRENT > 2)) || _describe command commands
    _files
  fi
}
compdef %s %s
`, functionName(root), root.Name)
	return b.String()
}

func zshFlags(p *Program) string {
	var words []string
	for _, f := range flagsOf(p) {
		words = append(words, quoteShell("--"+f.name+":"+strings.ReplaceAll(f.usage, ":", `\:`)))
	}
	return strings.Join(words, " ")
}

func fishCompletion(root *Program) string {
	var b strings.Builder
	fishFlags(&b, root, root, "")
	for _, c := range root.Commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", root.Name, c.Name, quoteShell(c.Summary))
		fishFlags(&b, root, c, " -n '__fish_seen_subcommand_from "+c.Name+"'")
	}
	return b.String()
}

// fishFlags lists the flags of p under a condition. Those of a program with
// subcommands hold where none was chosen.
func fishFlags(b *strings.Builder, root, p *Program, condition string) {
	if len(p.Commands) > 0 {
		condition = " -n '! __fish_seen_subcommand_from " + strings.Join(commandNames(p), " ") + "'"
	}
	for _, f := range flagsOf(p) {
		values := ""
		switch {
		case f.values != nil:
			values = " -x -a " + quoteShell(strings.Join(f.values, " "))
		case f.value != "":
			values = " -r"
		}
		fmt.Fprintf(b, "complete -c %s%s -l %s%s -d %s\n", root.Name, condition, f.name, values, quoteShell(f.usage))
	}
}

// flagWords gives the flags of a program or subcommand, separated by spaces.
func flagWords(p *Program) string {
	var words []string
	for _, f := range flagsOf(p) {
		words = append(words, "--"+f.name)
	}
	return strings.Join(words, " ")
}

// valueFlags are the flags of a program and its subcommands that take a closed set; where
// two have one name their sets are one.
func valueFlags(root *Program) []shownFlag {
	var found []shownFlag
	at := map[string]int{}
	for _, p := range append([]*Program{root}, root.Commands...) {
		for _, f := range flagsOf(p) {
			if f.values == nil {
				continue
			}
			i, ok := at[f.name]
			if !ok {
				at[f.name] = len(found)
				f.values = slices.Clone(f.values)
				found = append(found, f)
				continue
			}
			for _, v := range f.values {
				if !slices.Contains(found[i].values, v) {
					found[i].values = append(found[i].values, v)
				}
			}
		}
	}
	return found
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
