// Command emit writes a bound stream as a content-addressed tree and publishes it by one rename.
//
// Stage 4: bounded records -> tree.
package main

import (
	"os"

	"snapline/pkg/program/cli"
	"snapline/pkg/program/emit"
)

func main() { os.Exit(cli.Main(emit.Program())) }
