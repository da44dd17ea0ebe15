// Command requirements prints how many rows of the ledger were claimed by tests that
// ran and passed, and lists the rest. Run it after "go test ./...".
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"snapline/docs"
	"snapline/pkg/requirement"
)

func main() {
	claims := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(requirement.Directory, "*.txt"))
	if err != nil || len(files) == 0 {
		fmt.Fprintln(os.Stderr, "requirements: no claims found (run go test ./... in this folder first)")
		os.Exit(1)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			fmt.Fprintln(os.Stderr, "requirements:", err)
			os.Exit(1)
		}
		for _, id := range strings.Fields(string(b)) {
			claims[id] = true
		}
	}
	proved, counted := 0, 0
	var missing, outside []string
	for _, r := range docs.Ledger() {
		if r.Counted() {
			counted++
			if claims[r.ID] {
				proved++
			}
		}
		switch {
		case claims[r.ID]:
		case r.NotOurs != "":
			outside = append(outside, fmt.Sprintf("  %s not ours: %s", r.ID, r.NotOurs))
		default:
			missing = append(missing, fmt.Sprintf("  %s (%s) %s", r.ID, r.Kind, short(r.Statement)))
		}
	}
	fmt.Printf("requirements: %d of %d\n", proved, counted)
	if len(missing) > 0 {
		fmt.Printf("claimed by no test:\n%s\n", strings.Join(missing, "\n"))
	}
	if len(outside) > 0 {
		fmt.Printf("consumer rows outside this project:\n%s\n", strings.Join(outside, "\n"))
	}
}

func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "..."
	}
	return s
}
