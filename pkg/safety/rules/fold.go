package rules

import (
	"strings"
	"unicode"
)

// Fold gives text as words are compared: in small letters, the dotless i as an i, the
// typographic apostrophe as a plain one.
func Fold(text string) string { return strings.Map(foldRune, text) }

func foldRune(r rune) rune {
	switch r {
	case 'ı', 'İ':
		return 'i'
	case '’':
		return '\''
	}
	return unicode.ToLower(r)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
