package injection

import (
	"unicode"
	"unicode/utf8"
)

const inWord = -1

// byteClass is inWord if offset i is inside a word, else the length of what is there.
func (c *cursor) byteClass(i int) int {
	b := c.text[i]
	if b < utf8.RuneSelf {
		if wordByte[b] {
			return inWord
		}
		if b == '\'' && c.apostrophe(i, 1) {
			return inWord
		}
		return 1
	}
	at := i
	for i > c.lo && !utf8.RuneStart(c.text[i]) {
		i--
	}
	r, n := utf8.DecodeRune(c.text[i:c.hi])
	if r == '’' && c.apostrophe(i, n) || isWordRune(r) {
		return inWord
	}
	return max(1, i+n-at) // a stray byte counts as one
}

// apostrophe reports whether letters stand on both sides of the n bytes at i.
func (c *cursor) apostrophe(i, n int) bool {
	return i > c.lo && i+n < c.hi && isLetter(c.text[i-1]) && isLetter(c.text[i+n])
}

// back is the offset of the character before i.
func (c *cursor) back(i int) int {
	i--
	for i > c.lo && !utf8.RuneStart(c.text[i]) {
		i--
	}
	return i
}

func (c *cursor) wordEnd(i int) int {
	text := c.text[:c.hi]
	for i < len(text) {
		b := text[i]
		switch {
		case wordByte[b]:
			i++
		case b == '\'' && c.apostrophe(i, 1):
			i++
		case b >= utf8.RuneSelf && c.byteClass(i) == inWord:
			_, n := utf8.DecodeRune(text[i:])
			i += n
		default:
			return i
		}
	}
	return i
}

func (c *cursor) wordStart(i int) int {
	for i > c.lo {
		b := c.text[i-1]
		switch {
		case wordByte[b]:
			i--
		case (b == '\'' || b >= utf8.RuneSelf) && c.byteClass(c.back(i)) == inWord:
			i = c.back(i)
		default:
			return i
		}
	}
	return i
}

// plain reports whether a byte is ASCII that is never inside a word.
func plain(b byte) bool { return b < utf8.RuneSelf && !wordByte[b] && b != '\'' }

// lookup is the number of the word, 0 if it is not in the vocabulary. A letter that
// belongs to an escape (\n, \r, \t) or a percent code before it does not count.
func (c *cursor) lookup(start, end int) wid {
	if end-start > maxWord+2 {
		return 0
	}
	if id := c.whole(start, end); id != 0 || start == c.lo {
		return id
	}
	switch b := c.text[start]; c.text[start-1] {
	case '\\':
		if b|0x20 == 'n' || b|0x20 == 'r' || b|0x20 == 't' {
			return c.whole(start+1, end)
		}
	case '%':
		if end-start > 2 && isHex(b) && isHex(c.text[start+1]) {
			return c.whole(start+2, end)
		}
	}
	return 0
}

// whole is the number of the word of which all bytes count.
func (c *cursor) whole(start, end int) wid {
	if !mayBeWord(c.text[start:end]) {
		return 0
	}
	return dictionary.find(c.text[start:end:len(c.text)])
}

func (c *cursor) lookupTwo(s1, e1, s2, e2 int) wid {
	n := e1 - s1 + e2 - s2
	if n > maxWord || e1-s1 > 1 && !begins(c.text[s1:], n) {
		return 0
	}
	var buf [maxWord]byte
	return dictionary.find(append(append(buf[:0], c.text[s1:e1]...), c.text[s2:e2]...))
}

// wordByte are the ASCII letters and digits.
var wordByte = func() (t [256]bool) {
	for b := range t {
		t[b] = isLetter(byte(b)) || '0' <= b && b <= '9'
	}
	return
}()

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f' }

func isDigits(b []byte) bool {
	for _, d := range b {
		if d < '0' || d > '9' {
			return false
		}
	}
	return len(b) > 0
}
