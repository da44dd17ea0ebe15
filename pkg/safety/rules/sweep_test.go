package rules_test

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"snapline/pkg/safety/rules"
)

// TestMisspellings changes a letter of every word of every entry of the rules, one at a
// time, and of every name of a class, condition or code that an entry refers to, and reads
// the rules anew: each time the generator has to refuse them.
func TestMisspellings(t *testing.T) {
	known, err := rules.ReadKnown("..")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	root := os.DirFS("..")
	var names []string
	err = fs.WalkDir(root, "rules", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".rules" {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = &fstest.MapFile{Data: text}
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.Load(files, known); err != nil {
		t.Fatal(err)
	}
	// Each file is tried with the others of its folder, which it may refer to.
	step := 1
	if testing.Short() {
		step = 17
	}
	tried, caught, n := 0, 0, 0
	for _, name := range names {
		lines := strings.Split(string(files[name].Data), "\n")
		alone := fstest.MapFS{}
		for other, file := range files {
			if path.Dir(other) == path.Dir(name) && (path.Base(path.Dir(name)) != "language" || other == name) {
				alone[other] = file
			}
		}
		for k, line := range lines {
			field, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !misspelt[field] || line == strings.TrimSpace(line) {
				continue
			}
			for _, at := range letters(value) {
				if n++; n%step != 0 {
					continue
				}
				tried++
				wrong := value[:at] + "q" + value[at:]
				lines[k] = "    " + field + " " + wrong
				alone[name] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}
				if _, err := rules.Load(alone, known); err != nil {
					caught++
				} else {
					t.Errorf("%s:%d: %s is read like %s", name, k+1, strings.TrimSpace(wrong), strings.TrimSpace(value))
				}
			}
			lines[k] = line
		}
		alone[name] = files[name]
	}
	t.Logf("%d misspellings tried, %d caught", tried, caught)
}

// misspelt are the fields whose words are tried.
var misspelt = map[string]bool{
	"words": true, "item": true, "row": true, "prefix": true, "code": true, "body": true, "need": true, "tail": true,
	"when": true, "unless": true,
}

// letters gives a place inside of each word of a value.
func letters(value string) []int {
	var out []int
	start := -1
	for i, r := range value + " " {
		letter := r >= 0x80 || 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
		switch {
		case letter && start < 0:
			start = i
		case !letter && start >= 0:
			out = append(out, start)
			start = -1
		}
	}
	return out
}
