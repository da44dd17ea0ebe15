// Command verify re-checks a published tree from its documents alone.
//
// Stage 5: tree -> findings; silent and 0 when all holds.
package main

import (
	"os"

	"snapline/pkg/program/cli"
	"snapline/pkg/program/verify"
)

func main() { os.Exit(cli.Main(verify.Program())) }
