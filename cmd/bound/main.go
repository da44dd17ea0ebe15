// Command bound selects and shortens records to the limits of the profile.
//
// Stage 3: safe records -> records within limits, gaps counted.
package main

import (
	"os"

	"snapline/pkg/program/cli"
	"snapline/pkg/program/command"
)

func main() { os.Exit(cli.Main(command.Bound())) }
