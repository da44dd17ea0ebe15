// Command fetch acquires one issue or change proposal from its forge and writes it as a stream.
//
// Stage 1: source API -> records.
package main

import (
	"os"

	"snapline/pkg/program/cli"
	"snapline/pkg/program/fetch"
)

func main() { os.Exit(cli.Main(fetch.Program())) }
