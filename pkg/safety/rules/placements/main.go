// Command placements writes where the patterns of the filter go in the table of the
// prefilter, into the folder of the package safety that is its argument. go generate runs
// it behind the generator of the rules.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"snapline/pkg/safety"
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/rules"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "placements:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("it takes one argument, the folder of the package safety")
	}
	set, err := rules.Read(args[0])
	if err != nil {
		return err
	}
	source, err := rules.Placements(prefilter.Place(safety.Patterns(), set.PlacementSample()))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(args[0], rules.PlacementFile), source, 0o644)
}
