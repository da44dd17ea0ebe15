// Command settle writes what follows from the rules once their tables are compiled: where
// the patterns of the filter go in the table of the prefilter, and the version of the
// filter. Its argument is the folder of the package safety; go generate runs it behind the
// generator of the rules.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"snapline/pkg/safety"
	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/rules"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "settle:", err)
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
	placements, err := rules.Placements(prefilter.Place(safety.Patterns(), set.PlacementSample()))
	if err != nil {
		return err
	}
	engine, err := safety.New(nil)
	if err != nil {
		return err
	}
	w := engine.NewWorker()
	output, err := set.OutputDigest(args[0], func(kind byte, text []byte) (string, error) {
		r, err := w.Filter(safety.Kind(kind), text)
		return fmt.Sprintf("%s %v %q\n", r.Status, r.Findings, r.Text), err
	})
	if err != nil {
		return err
	}
	version, err := rules.Version(args[0], output)
	if err != nil {
		return err
	}
	for name, source := range map[string][]byte{rules.PlacementFile: placements, rules.VersionFile: version} {
		path := filepath.Join(args[0], name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, source) {
			continue
		}
		if err := os.WriteFile(path, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}
