package unicodesafety

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Version is the Unicode version of the normalization tables.
const Version = norm.Version

// Consistent tells whether the toolchain's character categories and the
// normalization tables are of one Unicode version (AMB-75).
func Consistent() bool { return norm.Version == unicode.Version }
