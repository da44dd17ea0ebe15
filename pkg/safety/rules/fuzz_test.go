package rules_test

import (
	"os"
	"testing"
	"testing/fstest"

	"snapline/pkg/safety/rules"
)

// FuzzLoad reads whatever a file of rules may hold: it is an error with a place, or rules.
func FuzzLoad(f *testing.F) {
	known, err := rules.ReadKnown("..")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"language/de", "secret/codes", "unicode/invisible"} {
		text, err := os.ReadFile(name + ".rules")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("language de\n script spaced\n doc x\nphrase a\n words [b|\n words ..99\n")
	f.Add(" words x\nclass\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"rules/language/de.rules", "rules/secret/x.rules", "rules/unicode/x.rules"} {
			set, err := rules.Load(fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}, known)
			if (set == nil) == (err == nil) {
				t.Fatalf("%v, %v", set, err)
			}
		}
	})
}
