package stream

import (
	"fmt"

	"snapline/pkg/contract"
)

// AbortError is what Reader.Next returns when the stream ends with an abort line.
// A stage returns it unchanged; the command frame forwards the line, prints
// nothing, and exits with its code.
type AbortError struct{ Abort contract.Abort }

// Error implements error.
func (e *AbortError) Error() string {
	return fmt.Sprintf("the %s stage aborted with exit %d", e.Abort.Stage, e.Abort.Exit)
}
