// Command requirements prints how many rows of the ledger are claimed by tests that
// passed, and lists the rest. It runs "go test ./..." itself, which costs next to nothing
// behind a run that passed, so that no claim of an earlier state of the code counts.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"snapline/docs"
	"snapline/pkg/requirement"
)

func main() {
	fmt.Fprintln(os.Stderr, "requirements: go test ./...")
	if err := report(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

// report writes the coverage of the module in the working directory.
func report(out io.Writer) error {
	if text, err := exec.Command("go", "test", "./...").CombinedOutput(); err != nil {
		return fmt.Errorf("nothing is proved while a test fails\n%s", text)
	}
	claims, err := readClaims()
	if err != nil {
		return err
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
	fmt.Fprintf(out, "requirements: %d of %d\n", proved, counted)
	if len(missing) > 0 {
		fmt.Fprintf(out, "claimed by no test:\n%s\n", strings.Join(missing, "\n"))
	}
	if len(outside) > 0 {
		fmt.Fprintf(out, "consumer rows outside this project:\n%s\n", strings.Join(outside, "\n"))
	}
	return nil
}

// readClaims gives what the tests of each package claimed when they ran last. A package
// that is gone claims nothing.
func readClaims() (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(requirement.Directory, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, errors.New("no claims found (run go test -count=1 ./... in this folder first)")
	}
	claims := map[string]bool{}
	for _, f := range files {
		folder := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(f), ".txt"), "+", string(filepath.Separator))
		if tests, err := filepath.Glob(filepath.Join(folder, "*_test.go")); err != nil || len(tests) == 0 {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		for _, id := range strings.Fields(string(b)) {
			claims[id] = true
		}
	}
	return claims, nil
}

func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "..."
	}
	return s
}
