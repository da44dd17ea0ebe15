package cli

import (
	"fmt"
	"strings"

	ucli "github.com/urfave/cli/v2"
)

// shownFlag is a flag as help, manual and completion show it.
type shownFlag struct {
	name   string
	value  string // the placeholder of its value; "" if it takes none
	usage  string
	preset string // what holds if it is not given, or ""
	values []string
}

// flagsOf lists the flags of a program or subcommand, its own ones first.
func flagsOf(p *Program) []shownFlag {
	var shown []shownFlag
	for _, list := range [][]ucli.Flag{p.Flags, commonFlags()} {
		for _, f := range list {
			shown = append(shown, show(f, valuesOf(p, f.Names()[0])))
		}
	}
	return append(shown, shownFlag{name: "help", usage: "print this help"})
}

func show(f ucli.Flag, values []string) shownFlag {
	s := shownFlag{name: f.Names()[0], values: values}
	d, ok := f.(ucli.DocGenerationFlag)
	if !ok {
		return s
	}
	s.value, s.usage = placeholder(d.GetUsage())
	if !d.TakesValue() {
		s.value = ""
		return s
	}
	if s.value == "" {
		s.value = "VALUE"
	}
	s.preset = strings.Trim(d.GetDefaultText(), `"`)
	return s
}

// placeholder takes the word in backquotes out of a usage text.
func placeholder(usage string) (word, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	word, after, ok := strings.Cut(rest, "`")
	if !ok {
		return "", usage
	}
	return word, before + word + after
}

func (f shownFlag) synopsis() string {
	if f.value == "" {
		return "--" + f.name
	}
	return "--" + f.name + " " + f.value
}

func (f shownFlag) meaning() string {
	if f.preset == "" {
		return f.usage
	}
	return fmt.Sprintf("%s (default: %s)", f.usage, f.preset)
}

// commonValues are the closed sets of the flags that every program has.
var commonValues = map[string][]string{
	"log-format": {"text", "json"},
	"completion": {"bash", "zsh", "fish"},
}

// valuesOf gives the closed set of a flag's values, if it has one.
func valuesOf(p *Program, flag string) []string {
	if v := p.Values[flag]; v != nil {
		return v
	}
	return commonValues[flag]
}
