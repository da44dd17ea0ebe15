package injection

import (
	"bytes"
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
	for i > c.lo && !utf8.RuneStart(c.text[i]) {
		i--
	}
	r, n := utf8.DecodeRune(c.text[i:c.hi])
	if r == '’' && c.apostrophe(i, n) || isWordRune(r) {
		return inWord
	}
	return n
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
	for i < c.hi {
		b := c.text[i]
		if b < utf8.RuneSelf {
			if !wordByte[b] && (b != '\'' || !c.apostrophe(i, 1)) {
				return i
			}
			i++
			continue
		}
		if c.byteClass(i) != inWord {
			return i
		}
		_, n := utf8.DecodeRune(c.text[i:c.hi])
		i += n
	}
	return i
}

func (c *cursor) wordStart(i int) int {
	for i > c.lo && c.byteClass(c.back(i)) == inWord {
		i = c.back(i)
	}
	return i
}

// maxWord is the length of the longest word of the vocabulary, in bytes.
const maxWord = 18

// lookup is the number of the word, 0 if it is not in the vocabulary. A letter that
// belongs to an escape (\n, \r, \t) or a percent code before it does not count.
func (c *cursor) lookup(start, end int) wid {
	if end-start > maxWord+2 {
		return 0
	}
	plain := start == c.lo || c.text[start-1] != '\\' && c.text[start-1] != '%'
	if plain && wordLengths[c.text[start]]>>(end-start)&1 == 0 && bytes.IndexByte(c.text[start:end], 0xE2) < 0 {
		return 0
	}
	var buf [maxWord + 2]byte
	n := c.fold(buf[:0], start, end)
	if id, ok := vocabulary[string(n)]; ok {
		return id
	}
	if start > c.lo {
		switch c.text[start-1] {
		case '\\':
			if len(n) > 1 && (n[0] == 'n' || n[0] == 'r' || n[0] == 't') {
				return vocabulary[string(n[1:])]
			}
		case '%':
			if len(n) > 2 && isHex(n[0]) && isHex(n[1]) {
				return vocabulary[string(n[2:])]
			}
		}
	}
	return 0
}

func (c *cursor) lookupTwo(s1, e1, s2, e2 int) wid {
	if e1-s1+e2-s2 > maxWord {
		return 0
	}
	var buf [maxWord + 2]byte
	return vocabulary[string(c.fold(c.fold(buf[:0], s1, e1), s2, e2))]
}

// fold appends the bytes of a word: lower case, a typographic apostrophe as '.
func (c *cursor) fold(to []byte, start, end int) []byte {
	for i := start; i < end; i++ {
		b := c.text[i]
		switch {
		case 'A' <= b && b <= 'Z':
			b += 'a' - 'A'
		case b == 0xE2 && i+2 < end && c.text[i+1] == 0x80 && c.text[i+2] == 0x99:
			b = '\''
			i += 2
		}
		to = append(to, b)
	}
	return to
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
