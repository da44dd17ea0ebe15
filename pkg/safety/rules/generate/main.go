// Command generate writes the tables that are made of the rules, below the folder of the
// package safety that is its argument. go generate runs it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"snapline/pkg/safety/rules"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("it takes one argument, the folder of the package safety")
	}
	files, err := rules.Files(args[0])
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(args[0], name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
			continue
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
