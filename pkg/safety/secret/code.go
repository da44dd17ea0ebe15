// Package secret is the second step of filtering: it finds credentials and structured
// personal data in clean text and replaces each by a fixed marker (SEC-01 to SEC-08).
//
// Every rule is called at a place where one of its patterns begins. It looks at the
// text around that place and reports spans; spans that overlap are merged, and each
// group is replaced once.
package secret

// Code is a class of finding. Smaller codes are more specific: they win where spans
// overlap.
type Code uint8

// Codes is the number of codes.
const Codes = int(codeCount)

// String gives the finding code.
func (c Code) String() string { return codeNames[c] }
