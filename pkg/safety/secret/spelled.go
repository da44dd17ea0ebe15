package secret

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Tools print a credential with any of its characters escaped: in strings of JSON and in JSON
// inside of JSON, in URLs, in HTML. A piece of letters and digits, which nobody escapes, or two
// escaped characters at its start, tell where it may stand; from there it is compared one
// character after the other with every way to spell it.

const (
	pieceLength = 12 // most bytes of a piece that is looked for
	minPiece    = 4  // least bytes, if there is a piece so long
	maxPieces   = 6  // of one credential
	// widest is the most bytes that the spelling of one byte is taken to need.
	widest = 16
)

// piece is a part of a credential from which on it is compared.
type piece struct {
	target string // the credential
	offset int    // where the piece stands in it
}

// pieces gives the texts to look for, each with the credentials that have it, in order.
func pieces(credentials []string) (texts []string, of map[string][]piece) {
	of = map[string][]piece{}
	add := func(text string, p piece) {
		if of[text] == nil {
			texts = append(texts, text)
		}
		if !slices.Contains(of[text], p) {
			of[text] = append(of[text], p)
		}
	}
	for _, part := range credentialParts(credentials) {
		least := minPiece
		for least > 2 && len(runsOf(part, least)) == 0 {
			least--
		}
		for k, at := range runsOf(part, least) {
			if k == maxPieces {
				break
			}
			add(part[at[0]:min(at[1], at[0]+pieceLength)], piece{part, at[0]})
		}
		first, n := utf8.DecodeRuneInString(part)
		second, _ := utf8.DecodeRuneInString(part[n:])
		for _, escape := range []func(r rune) string{
			func(r rune) string { return "\\u" + hex4(r, false) },
			func(r rune) string { return "\\u" + hex4(r, true) },
			func(r rune) string { return "&#" + strconv.Itoa(int(r)) + ";" },
			func(r rune) string { return "&#x" + strconv.FormatInt(int64(r), 16) + ";" },
			func(r rune) string { return "&#X" + string(bytes.ToUpper(strconv.AppendInt(nil, int64(r), 16))) + ";" },
			func(r rune) string { return percentSpelling(string(r), "", "%20") },
		} {
			add(escape(first)+escape(second), piece{part, 0})
		}
	}
	return texts, of
}

// hex4 gives four hexadecimal digits of a code point of the first plane, or the first unit of
// a pair.
func hex4(r rune, capital bool) string {
	s := strconv.FormatInt(int64(utf16.AppendRune(nil, r)[0])+0x10000, 16)[1:]
	if capital {
		return string(bytes.ToUpper([]byte(s)))
	}
	return s
}

// runsOf gives where runs of at least n letters and digits stand in s, the first ones first.
func runsOf(s string, n int) (out [][2]int) {
	for i := 0; i < len(s); {
		k := i
		for k < len(s) && is(s[k], alnum) {
			k++
		}
		if k-i >= n {
			out = append(out, [2]int{i, k})
		}
		i = max(k, i+1)
	}
	return out
}

// spelled handles a piece of the credentials in list at pos.
func (d *Detector) spelled(list []piece, pos int) {
	for _, p := range list {
		if !d.escapeNear(pos, widest*len(p.target)) {
			continue
		}
		start := spelledBefore(d.text, pos, p.target[:p.offset])
		if start < 0 {
			continue
		}
		steps := 4 * len(p.target)
		end := spelledBehind(d.text, pos, p.target[p.offset:], &steps)
		d.spend(4*len(p.target) - steps + p.offset)
		if end > 0 {
			d.add(start, end, Registered)
		}
	}
}

// escapeNear tells whether a character that begins an escape stands within reach of pos. It is
// asked with nearly ascending pos and looks at every byte about once.
func (d *Detector) escapeNear(pos, reach int) bool {
	if pos < d.escapeFrom {
		d.escapeFrom, d.escapeNext, d.escapeLast = pos, pos, -1
		if k := lastEscape(d.text[max(0, pos-reach):pos]); k >= 0 {
			d.escapeLast = max(0, pos-reach) + k
		}
	}
	for d.escapeNext < len(d.text) && (d.escapeNext < pos || !startsEscape[d.text[d.escapeNext]]) {
		if startsEscape[d.text[d.escapeNext]] {
			d.escapeLast = d.escapeNext
		}
		d.escapeNext++
		d.spend(1)
	}
	d.escapeFrom = pos
	return d.escapeNext < min(len(d.text), pos+reach) || d.escapeLast >= 0 && d.escapeLast >= pos-reach
}

var startsEscape = func() (t [256]bool) {
	for _, c := range []byte(`\%&`) {
		t[c] = true
	}
	return t
}()

func lastEscape(b []byte) int {
	for k := len(b) - 1; k >= 0; k-- {
		if startsEscape[b[k]] {
			return k
		}
	}
	return -1
}

// spelledBehind gives the end of target in some spelling at text[i:], or -1. steps bounds how
// often it tries another length of a row of backslashes.
func spelledBehind(text []byte, i int, target string, steps *int) int {
	for len(target) > 0 {
		if *steps--; *steps < 0 {
			return -1
		}
		if target[0] == '\\' {
			// A row of them is as long as in the credential, or doubled once or more often.
			if end := escapeEndAt(text, i, '\\'); end > 0 {
				if end = spelledBehind(text, end, target[1:], steps); end >= 0 {
					return end
				}
			}
			n, have := rowOf(target), 0
			for have < len(text)-i && text[i+have] == '\\' {
				have++
			}
			for times := 1; n*times <= have; times *= 2 {
				if end := spelledBehind(text, i+n*times, target[n:], steps); end >= 0 {
					return end
				}
			}
			return -1
		}
		r, n := utf8.DecodeRuneInString(target)
		end := spellingEnd(text, i, r)
		if end < 0 {
			return -1
		}
		i, target = end, target[n:]
	}
	return i
}

func rowOf(s string) (n int) {
	for n < len(s) && s[n] == '\\' {
		n++
	}
	return n
}

// spellingEnd gives the end of one spelling of r at text[i:], or -1.
func spellingEnd(text []byte, i int, r rune) int {
	if i >= len(text) {
		return -1
	}
	var raw [utf8.UTFMax]byte
	n := utf8.EncodeRune(raw[:], r)
	if startsEscape[text[i]] {
		if end := escapeEnd(text, i, r); end > 0 {
			return end
		}
	}
	if bytes.HasPrefix(text[i:], raw[:n]) {
		return i + n
	}
	if r == ' ' && text[i] == '+' {
		return i + 1
	}
	return -1
}

// escapeEndAt gives the end of an escape of r if there is one at text[i:], or -1.
func escapeEndAt(text []byte, i int, r rune) int {
	if i >= len(text) || !startsEscape[text[i]] {
		return -1
	}
	return escapeEnd(text, i, r)
}

// escapeEnd gives the end of an escape of r at text[i:], or -1.
func escapeEnd(text []byte, i int, r rune) int {
	end := i
	if text[i] != '%' {
		if escapeOf(text, i, r, &end) {
			return end
		}
		return -1
	}
	var raw [utf8.UTFMax]byte
	for _, c := range raw[:utf8.EncodeRune(raw[:], r)] {
		if end = percentEnd(text, end, c); end < 0 {
			return -1
		}
	}
	return end
}

// percentEnd gives the end of the percent escape of c at text[i:], itself escaped perhaps, or
// -1.
func percentEnd(text []byte, i int, c byte) int {
	if !hasAt(text, i, "%") {
		return -1
	}
	for i++; hasAt(text, i, "25") && i+3 < len(text) && isHex(text[i+2]) && isHex(text[i+3]) && c != '%'; {
		i += len("25")
	}
	if i+2 > len(text) || !isHex(text[i]) || !isHex(text[i+1]) {
		return -1
	}
	if b, err := strconv.ParseUint(string(text[i:i+2]), 16, 8); err != nil || byte(b) != c {
		return -1
	}
	return i + 2
}

// escapeOf tells whether an escape of r stands at text[i:], of JSON with any number of
// backslashes or of HTML, and gives its end.
func escapeOf(text []byte, i int, r rune, end *int) bool {
	if text[i] == '&' {
		return entityOf(text, i, r, end)
	}
	k := i
	for k < len(text) && text[k] == '\\' && k-i < widest {
		k++
	}
	if k >= len(text) {
		return false
	}
	switch c := text[k]; {
	case c == 'u':
		units := utf16.AppendRune(nil, r)
		for n, unit := range units {
			if n > 0 {
				for k < len(text) && text[k] == '\\' {
					k++
				}
			}
			if !hasAt(text, k, "u") || k+5 > len(text) {
				return false
			}
			v, err := strconv.ParseUint(string(text[k+1:k+5]), 16, 16)
			if err != nil || uint16(v) != unit {
				return false
			}
			k += 5
		}
		*end = k
		return true
	case c == 'x' && r < 0x80 && k+3 <= len(text):
		v, err := strconv.ParseUint(string(text[k+1:k+3]), 16, 8)
		*end = k + 3
		return err == nil && rune(v) == r
	case rune(c) == r && !is(c, alnum), r == '\n' && c == 'n', r == '\t' && c == 't', r == '\r' && c == 'r':
		*end = k + 1
		return true
	}
	return false
}

// entityNames are the names of characters in HTML that encoders use.
var entityNames = map[string]rune{
	"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "plus": '+', "equals": '=', "sol": '/', "colon": ':', "semi": ';',
	"commat": '@', "num": '#', "dollar": '$', "percnt": '%', "quest": '?', "excl": '!', "lpar": '(', "rpar": ')', "ast": '*',
	"comma": ',', "period": '.', "lsqb": '[', "lbrack": '[', "rsqb": ']', "rbrack": ']', "lcub": '{', "lbrace": '{', "rcub": '}',
	"rbrace": '}', "vert": '|', "verbar": '|', "bsol": '\\', "Hat": '^', "lowbar": '_', "grave": '`', "Tab": '\t', "NewLine": '\n',
}

// entityOf tells whether an entity of r stands at text[i:], of which the sign & may be an
// entity itself.
func entityOf(text []byte, i int, r rune, end *int) bool {
	const longest = 10
	k := i + 1
	for hasAt(text, k, "amp;") && r != '&' {
		k += len("amp;")
	}
	n := bytes.IndexByte(text[k:min(len(text), k+longest)], ';')
	if n < 1 {
		return false
	}
	name := text[k : k+n]
	*end = k + n + 1
	if name[0] != '#' {
		for r == '&' && hasAt(text, *end, "amp;") {
			*end += len("amp;")
		}
		return entityNames[string(name)] == r
	}
	base := 10
	if name = name[1:]; len(name) > 1 && name[0]|0x20 == 'x' {
		base, name = 16, name[1:]
	}
	v, err := strconv.ParseUint(string(name), base, 32)
	return err == nil && rune(v) == r
}

// outermost gives the start of the escape of r that ends at text[i] and begins at text[k], or
// before if that is a part of it: the %2B of %252B, of more than one byte, &#43; of &amp;#43;.
func outermost(text []byte, k int, r rune, i int) int {
	for low := max(0, k-2*widest); k > low; {
		j := lastEscape(text[low:k])
		if j < 0 || escapeEnd(text, low+j, r) != i {
			break
		}
		k = low + j
	}
	return k
}

// spelledBefore gives the start of target in some spelling that ends at text[i], or -1.
func spelledBefore(text []byte, i int, target string) int {
	for len(target) > 0 {
		r, n := utf8.DecodeLastRuneInString(target)
		target = target[:len(target)-n]
		escaped := false
		if i, escaped = spellingStart(text, i, r); i < 0 {
			return -1
		}
		// The backslashes before it are of its escape, and spell those of the credential.
		row := i
		for row > 0 && text[row-1] == '\\' {
			row--
		}
		rest := target
		for len(rest) > 0 && rest[len(rest)-1] == '\\' {
			rest = rest[:len(rest)-1]
		}
		switch {
		case row == i:
		case len(rest) < len(target) && i-row >= len(target)-len(rest):
			i, target = row, rest
		case escaped, r < utf8.RuneSelf && !is(byte(r), alnum):
			i = row
		}
	}
	return i
}

// spellingStart gives the start of one spelling of r that ends at text[i], or -1, behind the
// backslashes before it, which it has to have if it is escaped.
func spellingStart(text []byte, i int, r rune) (start int, escaped bool) {
	const farthest = 2 * (widest + len("u0000"))
	for k := i - 2; k >= 0 && i-k <= farthest; k-- {
		if startsEscape[text[k]] && escapeEnd(text, k, r) == i {
			if text[k] != '\\' {
				return outermost(text, k, r, i), false
			}
			if is(text[k+1], alnum) {
				return k + 1, true
			}
		}
	}
	var raw [utf8.UTFMax]byte
	n := utf8.EncodeRune(raw[:], r)
	if i >= n && bytes.Equal(text[i-n:i], raw[:n]) {
		return i - n, false
	}
	if r == ' ' && i > 0 && text[i-1] == '+' {
		return i - 1, false
	}
	return -1, false
}
