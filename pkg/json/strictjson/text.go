package strictjson

import (
	"bytes"
	"unicode/utf8"
)

// unescape decodes a literal that str has checked. An escaped lone surrogate gives
// three bytes (WTF-8), a pair gives its character.
func unescape(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return bytes.Clone(raw)
	}
	out := make([]byte, 0, decodedLen(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			next := bytes.IndexByte(raw[i:], '\\')
			if next < 0 {
				next = len(raw) - i
			}
			out = append(out, raw[i:i+next]...)
			i += next
			continue
		}
		r, width := escape(raw[i:])
		out = appendWTF8(out, r)
		i += width
	}
	return out
}

// decodedLen gives len(unescape(raw)).
func decodedLen(raw []byte) int64 {
	var n int64
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			next := bytes.IndexByte(raw[i:], '\\')
			if next < 0 {
				next = len(raw) - i
			}
			n += int64(next)
			i += next
			continue
		}
		r, width := escape(raw[i:])
		if isSurrogate(r) {
			n += 3
		} else {
			n += int64(utf8.RuneLen(r))
		}
		i += width
	}
	return n
}

var simpleEscapes = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape decodes the escape at the start of raw and gives its width.
func escape(raw []byte) (r rune, width int) {
	if raw[1] != 'u' {
		if r, ok := simpleEscapes[raw[1]]; ok {
			return r, 2
		}
		return rune(raw[1]), 2
	}
	high, _ := hex4(raw[2:])
	if high < 0xd800 || high > 0xdbff || len(raw) < 12 || raw[6] != '\\' || raw[7] != 'u' {
		return high, 6
	}
	low, ok := hex4(raw[8:])
	if !ok || low < 0xdc00 || low > 0xdfff {
		return high, 6
	}
	return 0x10000 + (high-0xd800)<<10 + (low - 0xdc00), 12
}

func isSurrogate(r rune) bool { return r >= 0xd800 && r <= 0xdfff }

func appendWTF8(dst []byte, r rune) []byte {
	if isSurrogate(r) {
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0xbf, 0x80|byte(r)&0xbf)
	}
	return utf8.AppendRune(dst, r)
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
