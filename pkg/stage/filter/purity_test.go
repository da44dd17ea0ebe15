package filter_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/requirement"
)

// filter is pure: nothing of clock, environment, files, network or randomness, so that
// no state of one assembly reaches another.
func TestImportsNothingImpure(t *testing.T) {
	requirement.Claim(t, "DET-03")
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			for _, impure := range []string{"os", "net", "time", "math/rand", "crypto/rand", "syscall", "golang.org/x/sys", "snapline/pkg/stage", "snapline/pkg/disk"} {
				if path == impure || strings.HasPrefix(path, impure+"/") {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}
