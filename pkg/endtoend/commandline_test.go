package endtoend_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// asked runs a program for a text that it prints about itself.
func asked(t *testing.T, program *cli.Program, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := &cli.Env{Args: append([]string{program.Name}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if exit := cli.Run(context.Background(), program, env); exit != fault.Done || errs.Len() > 0 {
		t.Fatalf("%s %v: exit %d, %s", program.Name, args, exit, errs.String())
	}
	return out.String()
}

// everyCommand gives each program and each subcommand as the words that choose it.
func everyCommand() map[string][]string {
	commands := map[string][]string{}
	for name, program := range programs {
		commands[name] = append(commands[name], "")
		for _, c := range program().Commands {
			commands[name] = append(commands[name], c.Name)
		}
	}
	return commands
}

// Help fits a terminal, and a manual page has its sections in the usual order and passes
// the formatter that is here.
func TestHelpAndManual(t *testing.T) {
	sections := []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"}
	for name, commands := range everyCommand() {
		for _, command := range commands {
			args := strings.Fields(command)
			for line := range strings.Lines(asked(t, programs[name](), append(args, "--help")...)) {
				if line = strings.TrimSuffix(line, "\n"); len(line) > 80 && strings.Contains(strings.TrimSpace(line), "  ") {
					t.Errorf("%s %s: %d columns: %s", name, command, len(line), line)
				}
			}
			page := asked(t, programs[name](), append(args, "--man")...)
			at := -1
			for _, section := range sections {
				i := strings.Index(page, "\n.SH "+section+"\n")
				switch {
				case i < 0 && (section == "ENVIRONMENT" || section == "FILES" || section == "EXAMPLES"):
				case i <= at:
					t.Errorf("%s %s: section %s is missing or out of order", name, command, section)
				default:
					at = i
				}
			}
			lintManual(t, page)
		}
	}
}

func lintManual(t *testing.T, page string) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // the order of sections has been judged; only the formatter is not here
	}
	lint := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	lint.Stdin = strings.NewReader(page)
	if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v %s\n%s", err, out, page)
	}
}

// Completion is tried in the shell itself: flags, subcommands, and the values of flags.
func TestCompletionInBash(t *testing.T) {
	cases := []struct{ program, line, want string }{
		{"fetch", "fetch --prof", "--profile --profile-file"},
		{"fetch", "fetch --profile m", "mutation"},
		{"filter", "filter --human-min-role tr", "triage"},
		{"verify", "verify ga", "gaps"},
		{"verify", "verify gaps --tol", "--tolerate"},
		{"verify", "verify gaps DIR --format ma", "markdown"},
		{"verify", "verify blocks DIR --view unr", "unresolved-review"},
		{"emit", "emit --log-format j", "json"},
		{"bound", "bound --completion z", "zsh"},
	}
	dir := t.TempDir()
	for _, c := range cases {
		script := filepath.Join(dir, c.program)
		text := asked(t, programs[c.program](), "--completion", "bash")
		must(t, os.WriteFile(script, []byte(text), 0o600))
		for _, newer := range []string{"mapfile", "readarray", "declare -A", "${word,,}"} {
			if strings.Contains(text, newer) {
				t.Errorf("%s: %s is not in bash 3.2", c.program, newer)
			}
		}
		run := exec.Command("bash", "-euc", `source "$1"; read -ra COMP_WORDS <<<"$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _snapline_`+c.program+`; echo "${COMPREPLY[*]}"`, "bash", script, c.line)
		run.Dir = dir
		out, err := run.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.line, got, c.want, err)
		}
	}
}

// The other shells read their scripts without a complaint, where they are here.
func TestCompletionParses(t *testing.T) {
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not here", shell)
			continue
		}
		for name, program := range programs {
			script := filepath.Join(t.TempDir(), name)
			must(t, os.WriteFile(script, []byte(asked(t, program(), "--completion", shell)), 0o600))
			if out, err := exec.Command(path, check, script).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s %s: %v %s", shell, name, err, out)
			}
		}
	}
}
