package safety_test

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// oracleClean is Unicode safety the plain way: repair, line ends, invisible characters,
// escapes and normalization are passes of their own over a list of code points. joints
// are the places in the text where letters meet between which single characters were.
func oracleClean(source []byte, oneLine bool) (out []byte, joints []int, counts map[string]int64) {
	counts = map[string]int64{}
	source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	all := oracleRunes(bytes.ReplaceAll(source, []byte("\r"), []byte("\n")))
	var runes []rune
	var places []int // of runes in all
	for k, r := range all {
		if code := oracleInvisible(r); code != "" {
			counts[code]++
			continue
		}
		runes, places = append(runes, r), append(places, k)
	}
	runes, kept := oracleEscapes(runes, counts)
	var text []rune
	var at []int // of text in all
	for k, r := range runes {
		switch {
		case r == invalid:
			counts["unicode.invalid-utf8"]++
			r = utf8.RuneError
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			counts["unicode.control"]++
			r = '\n'
			if oneLine {
				r = ' '
			}
		case (r == '\n' || r == '\t') && oneLine:
			counts["unicode.control"]++
			r = ' '
		case r == '\n' || r == '\t':
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			counts["unicode.control"]++
			continue
		}
		text, at = append(text, r), append(at, places[kept[k]])
	}
	for i := 0; i < len(text); {
		if i > 0 && oracleAlnum(text[i-1]) && oracleAlnum(text[i]) && at[i] > at[i-1]+1 && !slices.ContainsFunc(all[at[i-1]+1:at[i]], oracleNotSingle) {
			joints = append(joints, len(out))
		}
		j := i + 1
		for j < len(text) && !oracleBegins(text[j]) {
			j++
		}
		form := oracleNFKC(text[i:j])
		if form != string(text[i:j]) {
			counts["unicode.nfkc"]++
		}
		out = append(out, form...)
		i = j
	}
	return out, joints, counts
}

func oracleAlnum(r rune) bool {
	return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// oracleNotSingle tells whether a character that is gone belonged to a terminal escape.
func oracleNotSingle(r rune) bool {
	return r == esc || oracleInvisible(r) == "" && (r >= 0xa0 || r < 0 || r >= 0x20 && r < 0x7f || slices.Contains([]rune{0x9b, 0x9d, 0x90, 0x98, 0x9e, 0x9f}, r))
}

// invalid stands for a maximal invalid subpart.
const invalid rune = -1

// oracleRunes decodes b. An invalid subpart is the longest proper prefix of some
// well-formed sequence, or one byte.
func oracleRunes(b []byte) (out []rune) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = invalid
			for k := 2; k <= 3 && k <= len(b); k++ {
				if startsRune(b[:k]) {
					n = k
				}
			}
		}
		out = append(out, r)
		b = b[n:]
	}
	return out
}

// startsRune reports whether some continuation bytes make a code point of b: utf8
// knows no other way to tell a sequence that is cut short from one that is wrong.
func startsRune(b []byte) bool {
	return !utf8.FullRune(b) && b[0] >= 0xc2
}

// oracleInvisible is the code of a character that goes wherever it stands.
func oracleInvisible(r rune) string {
	in := func(first, last rune) bool { return first <= r && r <= last }
	switch {
	case r == 0:
		return "unicode.null"
	case in(0x200b, 0x200d), r == 0xfeff:
		return "unicode.zero-width"
	case in(0x202a, 0x202e), in(0x2066, 0x2069):
		return "unicode.bidi"
	case in(0xfe00, 0xfe0f), in(0xe0100, 0xe01ef):
		return "unicode.variation-selector"
	case in(0xfff9, 0xfffb):
		return "unicode.annotation"
	case in(0xe0000, 0xe007f):
		return "unicode.tag"
	case unicode.Is(unicode.Cf, r),
		r == 0x34f, in(0x115f, 0x1160), in(0x17b4, 0x17b5), in(0x180b, 0x180d), r == 0x180f, r == 0x2065, r == 0x3164,
		r == 0xffa0, in(0xfff0, 0xfff8), in(0xe0080, 0xe00ff), in(0xe01f0, 0xe0fff):
		return "unicode.format"
	}
	return ""
}

// oracleEscapes removes terminal escapes. Characters with an ASCII normal form count
// as it; other C0 controls than the ones with a meaning in sequences do not count.
func oracleEscapes(in []rune, counts map[string]int64) (out []rune, kept []int) {
	ascii := func(r rune) rune {
		if r >= 0xa0 {
			if s := norm.NFKC.String(string(r)); len(s) == 1 && norm.NFKC.PropertiesString(string(r)).BoundaryBefore() {
				return rune(s[0])
			}
		}
		return r
	}
	ignored := func(r rune) bool {
		return r >= 0 && r < 0x20 && r != '\t' && r != '\n' && r != esc && r != 0x18 && r != 0x1a || r == 0x7f
	}
	i := 0
	escapes := func(n int) { counts["unicode.terminal-escape"] += int64(n) }
	// skip steps over ignored controls and reports whether there is a character.
	skip := func() bool {
		for i < len(in) && ignored(in[i]) {
			counts["unicode.control"]++
			i++
		}
		return i < len(in)
	}
	take := func(low, high rune) bool {
		if skip() && ascii(in[i]) >= low && ascii(in[i]) <= high {
			escapes(1)
			i++
			return true
		}
		return false
	}
	cancelled := func() bool { return take(0x18, 0x18) || take(0x1a, 0x1a) }
	for i < len(in) {
		r := in[i]
		kind := map[rune]rune{0x9b: '[', 0x9d: ']', 0x90: 'P', 0x98: 'X', 0x9e: '^', 0x9f: '_'}[r]
		if r != esc && kind == 0 {
			out, kept = append(out, r), append(kept, i)
			i++
			continue
		}
		escapes(1)
		i++
		if kind == 0 {
			switch {
			case cancelled():
			case take(0x20, 0x2f):
				for take(0x20, 0x2f) {
				}
				if !take(0x30, 0x7e) {
					cancelled()
				}
			case skip() && slices.Contains([]rune("[]PX^_"), ascii(in[i])):
				kind = ascii(in[i])
				take(kind, kind)
			default:
				take(0x30, 0x7e)
			}
		}
		switch kind {
		case '[':
			for take(0x20, 0x3f) {
			}
			if !take(0x40, 0x7e) {
				cancelled()
			}
		case ']', 'P', 'X', '^', '_':
		payload:
			for i < len(in) {
				switch r := in[i]; {
				case r == 7 || r == 0x9c || r == 0x18 || r == 0x1a:
					escapes(1)
					i++
					break payload
				case r == '\n' || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029:
					break payload
				case r == esc:
					j := i + 1
					for j < len(in) && ignored(in[j]) {
						j++
					}
					if j < len(in) && ascii(in[j]) == '\\' {
						escapes(2)
						counts["unicode.control"] += int64(j - i - 1)
						i = j + 1
					}
					break payload
				case r == invalid:
					counts["unicode.invalid-utf8"]++
				case ignored(r):
					counts["unicode.control"]++
				default:
					escapes(1)
				}
				i++
			}
		}
	}
	return out, kept
}

const esc = 0x1b

// oracleBegins tells whether a segment begins with r: neither r nor what r decomposes
// to has to do with what stands before.
func oracleBegins(r rune) bool {
	return norm.NFKC.PropertiesString(string(r)).BoundaryBefore() &&
		norm.NFKC.PropertiesString(norm.NFKD.String(string(r))).BoundaryBefore()
}

// oracleNFKC is the textbook algorithm: decompose, order, compose.
func oracleNFKC(segment []rune) string {
	class := func(r rune) uint8 { return norm.NFKD.PropertiesString(string(r)).CCC() }
	var d []rune
	for _, r := range segment {
		d = append(d, []rune(norm.NFKD.String(string(r)))...)
	}
	for swapped := true; swapped; {
		swapped = false
		for i := 1; i < len(d); i++ {
			if a, b := class(d[i-1]), class(d[i]); b != 0 && a > b {
				d[i-1], d[i] = d[i], d[i-1]
				swapped = true
			}
		}
	}
	var out []rune
	starter, last := -1, -1
	for _, r := range d {
		k := int(class(r))
		if starter >= 0 && last < k {
			if c := []rune(norm.NFC.String(string([]rune{out[starter], r}))); len(c) == 1 {
				out[starter] = c[0]
				continue
			}
		}
		if k == 0 {
			starter, last = len(out), -1
		} else {
			last = k
		}
		out = append(out, r)
	}
	return string(out)
}
