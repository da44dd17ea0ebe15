package unicodesafety

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Consistent tells whether the toolchain's character categories, the normalization tables
// and the tables that were made of them are of one Unicode version (AMB-75).
func Consistent() bool { return norm.Version == unicode.Version && Version == unicode.Version }
