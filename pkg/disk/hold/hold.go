// Package hold runs a command and lets none of its processes outlive it: daemonized ones
// included, and whether the command ends, its holder is asked to end it, or the process on
// whose behalf it runs is gone (HAR-03).
package hold

import "errors"

// ErrUnsupported says that this system has no way to find a daemonized process again.
var ErrUnsupported = errors.New("processes can be held on Linux only")

// ErrGone says that the process to watch had ended before the command began.
var ErrGone = errors.New("the process to watch is gone")
