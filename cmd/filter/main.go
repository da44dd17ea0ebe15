// Command filter decides who may be heard and makes every text safe.
//
// Stage 2: records -> records made safe, findings counted.
package main

import (
	"os"

	"snapline/pkg/program/cli"
	"snapline/pkg/program/filter"
)

func main() { os.Exit(cli.Main(filter.Program())) }
