// Package command defines the five programs: their flags, help and examples, and how
// flag values become the configuration of a stage. Files and environment variables
// are resolved here; the stages see values.
package command

import (
	"fmt"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// versionLine is what --version prints after the program name: program, stream and
// filter version.
var versionLine = fmt.Sprintf("%s (stream %s, filter %s)", contract.ProgramVersion, contract.Version, safety.Version)
