package verify

import (
	"regexp"
	"strings"
	"testing"

	"snapline/pkg/program/cli"
)

// The page on reading names commands, flags, formats and kinds of blocks that there are.
func TestReadingPage(t *testing.T) {
	page := readTest(t, "../../../docs/reading.md")
	flags, formats := map[string]bool{}, map[string]bool{}
	for _, c := range Program().Commands {
		for _, f := range c.Flags {
			flags[f.Names()[0]] = true
		}
		for _, v := range c.Values["format"] {
			formats[v] = true
		}
	}
	for _, m := range regexp.MustCompile("`[^`\n]*?--([a-z0-9-]+)").FindAllStringSubmatch(page, -1) {
		if !flags[m[1]] {
			t.Errorf("there is no flag --%s", m[1])
		}
	}
	for format := range formats {
		if !strings.Contains(page, "`"+format+"`") {
			t.Errorf("the page does not tell of format %s", format)
		}
	}
	help := func(c *cli.Program) string { return runProgram(Program(), "", c.Name, "--help").stdout }
	for _, c := range Program().Commands {
		if m := regexp.MustCompile("`" + c.Name + "[` ]").FindString(page); m == "" && flags["format"] && strings.Contains(help(c), "--format") {
			t.Errorf("the page does not tell of %s", c.Name)
		}
	}
	for _, word := range []string{"authors", "omitted", "gone", "stable_blocks", "cache_control"} {
		if !strings.Contains(page, "`"+word+"`") {
			t.Errorf("the page does not tell of %s", word)
		}
	}
}
