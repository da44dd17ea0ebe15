// Command bound selects and shortens records to the limits of the profile.
//
// Stage 3: safe records -> records within limits, gaps counted.
package main

import (
	"os"

	"snapline/pkg/program/bound"
	"snapline/pkg/program/cli"
)

func main() { os.Exit(cli.Main(bound.Program())) }
