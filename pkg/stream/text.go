package stream

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// The codec of JSON string literals. It looks at eight bytes at a time and copies what
// lies between escapes in bulk: bodies and logs are nearly all of a stream.

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special marks, in the high bit of each byte, the bytes of x that end plain text
// inside a literal: quote, backslash, and controls below 0x20. Marks above the
// lowest one may be false.
func special(x uint64) uint64 {
	quote := x ^ lowBits*'"'
	slash := x ^ lowBits*'\\'
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (x-lowBits*0x20)&^x) & highBits
}

// escapes maps the letter of a two-character escape to its byte; 0 is none.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// shortEscape maps a byte to the letter of its two-character escape; 0 is none.
var shortEscape = [0x5d]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

const hexDigits = "0123456789abcdef"

// literal is a decoded JSON string.
type literal struct {
	text    []byte // decoded, inside the buffer given to unquote
	end     int    // index behind the closing quote
	minimal bool   // spelled as AppendString would spell it
}

// unquote decodes the literal whose opening quote is src[i-1] into buf, which must be
// as long as the rest of src. It returns the rule that is broken, or "".
func unquote(buf, src []byte, i int) (literal, string) {
	n, minimal := 0, true
	var seen uint64
	for {
		start := i
		for i+8 <= len(src) {
			x := binary.LittleEndian.Uint64(src[i:])
			seen |= x
			if m := special(x); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(src) {
			return literal{}, RuleSyntax
		}
		n += copy(buf[n:], src[start:i])
		c := src[i]
		switch {
		case c == '"':
			text := buf[:n]
			if seen&highBits != 0 && !utf8.Valid(text) {
				return literal{}, RuleUTF8
			}
			return literal{text, i + 1, minimal}, ""
		case c == '\\':
			if i+1 >= len(src) {
				return literal{}, RuleSyntax
			}
			e := src[i+1]
			if d := escapes[e]; d != 0 {
				buf[n] = d
				n++
				i += 2
				minimal = minimal && e != '/'
				continue
			}
			if e != 'u' {
				return literal{}, RuleSyntax
			}
			r, width, rule := unicodeEscape(src[i:])
			if rule != "" {
				return literal{}, rule
			}
			minimal = minimal && r < 0x20 && shortEscape[r] == 0 &&
				src[i+5] == hexDigits[r&15]
			n += utf8.EncodeRune(buf[n:], r)
			i += width
		case c < 0x20:
			return literal{}, RuleSyntax
		default: // fewer than eight bytes are left
			buf[n] = c
			n++
			i++
			seen |= uint64(c)
		}
	}
}

// unicodeEscape decodes \uXXXX, or a pair of them for a code point above U+FFFF.
func unicodeEscape(src []byte) (r rune, width int, rule string) {
	r, ok := hex4(src)
	if !ok {
		return 0, 0, RuleSyntax
	}
	switch {
	case r < 0xd800 || r > 0xdfff:
		return r, 6, ""
	case r > 0xdbff || len(src) < 8 || src[6] != '\\' || src[7] != 'u':
		return 0, 0, RuleSurrogate
	}
	low, ok := hex4(src[6:])
	if !ok {
		return 0, 0, RuleSyntax
	}
	if low < 0xdc00 || low > 0xdfff {
		return 0, 0, RuleSurrogate
	}
	return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), 12, ""
}

// hexValue maps a hexadecimal digit to its value; 0xff is none.
var hexValue = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xff
	}
	for i := range 16 {
		t["0123456789abcdef"[i]], t["0123456789ABCDEF"[i]] = byte(i), byte(i)
	}
	return t
}()

// hex4 reads the four digits of src = \uXXXX….
func hex4(src []byte) (rune, bool) {
	if len(src) < 6 {
		return 0, false
	}
	a, b, c, d := hexValue[src[2]], hexValue[src[3]], hexValue[src[4]], hexValue[src[5]]
	return rune(a)<<12 | rune(b)<<8 | rune(c)<<4 | rune(d), (a|b|c|d)&0xf0 == 0
}

// AppendString appends s as a JSON string literal, quotes included, escaping only
// what JSON requires: quote, backslash and controls below 0x20, by the two-character
// form where there is one. s must be valid UTF-8.
func AppendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst = slices.Grow(dst, len(s)+len(s)/16+2)
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(s) {
		for i+8 <= len(s) {
			m := special(load(s, i))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(s) {
			break
		}
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		if e := shortEscape[c]; e != 0 {
			dst = append(dst, '\\', e)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// load reads eight bytes of s at i.
func load[T ~string | ~[]byte](s T, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
