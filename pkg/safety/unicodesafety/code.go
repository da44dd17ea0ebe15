// Package unicodesafety is the first step of filtering: it repairs bytes that are no
// UTF-8, normalizes line ends, removes invisible characters and terminal escapes, and
// brings text to NFKC, in one pass and to a fixed point (UNI-01 to UNI-07).
package unicodesafety

// Code is a class of Unicode finding.
type Code uint8

// The classes, in the order of their names.
const (
	Annotation Code = iota
	Bidi
	Control
	Format
	InvalidUTF8
	NFKC
	Null
	Tag
	TerminalEscape
	VariationSelector
	ZeroWidth
	codeCount
)

// Codes is the number of classes.
const Codes = int(codeCount)

var codeNames = [Codes]string{
	Annotation:        "unicode.annotation",
	Bidi:              "unicode.bidi",
	Control:           "unicode.control",
	Format:            "unicode.format",
	InvalidUTF8:       "unicode.invalid-utf8",
	NFKC:              "unicode.nfkc",
	Null:              "unicode.null",
	Tag:               "unicode.tag",
	TerminalEscape:    "unicode.terminal-escape",
	VariationSelector: "unicode.variation-selector",
	ZeroWidth:         "unicode.zero-width",
}

// String gives the finding code.
func (c Code) String() string { return codeNames[c] }

// A Mark is the place of one finding in the source, for explanations.
type Mark struct {
	Code       Code
	Start, End int
}
