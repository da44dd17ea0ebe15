package fetch

import (
	"errors"

	"snapline/pkg/contract/tree"
)

var errNoTime = errors.New("the time is missing")

// unset is the latest instant by which servers say "no time" (AMB-64): year 1 and the
// epoch, in any offset.
const unset = "1970-01-01T00:00:00.000000000Z"

// optional normalizes a native time. "" without an error means that there is none.
func optional(native *string) (string, error) {
	if native == nil || *native == "" {
		return "", nil
	}
	t, err := tree.Timestamp(*native)
	if err != nil {
		return "", err
	}
	if t <= unset {
		return "", nil
	}
	return t, nil
}

// required normalizes a native time that must be there.
func required(native *string) (string, error) {
	t, err := optional(native)
	if err == nil && t == "" {
		err = errNoTime
	}
	return t, err
}
