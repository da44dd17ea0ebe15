// Package pipe is what the programs have in common on both sides of a stage: where their
// input comes from, how a stream that stops says so, what --version prints.
package pipe

import (
	"fmt"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// Version is what --version prints after the program name: program, stream and
// filter version.
var Version = fmt.Sprintf("%s (stream %s, filter %s)", contract.ProgramVersion, contract.Version, safety.Version)
