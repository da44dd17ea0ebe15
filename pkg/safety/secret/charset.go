package secret

// charset is a set of byte classes; a byte is in a class if the bits meet.
type charset uint16

const (
	lower charset = 1 << iota
	upper
	digit
	dash
	underscore
	dot
	slash
	plus
	equals
	percent
	blank // space and tab

	letter  = lower | upper
	alnum   = letter | digit
	b64u    = alnum | dash | underscore // base64url
	b64     = alnum | plus | slash      // base64
	nameSet = alnum | dash | underscore | dot
)

var charsets = func() (t [256]charset) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c] = lower
		t[c-0x20] = upper
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = digit
	}
	t['-'], t['_'], t['.'], t['/'], t['+'], t['='], t['%'] = dash, underscore, dot, slash, plus, equals, percent
	t[' '], t['\t'] = blank, blank
	return t
}()

func is(c byte, set charset) bool { return charsets[c]&set != 0 }

// run gives the end of the run of set that starts at text[i].
func run(text []byte, i int, set charset) int {
	for i < len(text) && charsets[text[i]]&set != 0 {
		i++
	}
	return i
}

// runBack gives the start of the run of set that ends before text[i], not below low.
func runBack(text []byte, i, low int, set charset) int {
	for i > low && charsets[text[i-1]]&set != 0 {
		i--
	}
	return i
}

// union tells which classes occur in b.
func union(b []byte) charset {
	var u charset
	for _, c := range b {
		u |= charsets[c]
	}
	return u
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// startsToken tells whether a token may begin at text[i]: no letter or digit stands
// before it, unless that letter or digit ends an escape (\n, \u000a, %3D).
func startsToken(text []byte, i int) bool {
	if i == 0 || !is(text[i-1], alnum) {
		return true
	}
	switch c := text[i-1]; {
	case i >= 2 && text[i-2] == '\\' && (c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f'):
		return true
	case i >= 3 && text[i-3] == '%' && isHex(text[i-2]) && isHex(c):
		return true
	case i >= 6 && text[i-6] == '\\' && text[i-5] == 'u' &&
		isHex(text[i-4]) && isHex(text[i-3]) && isHex(text[i-2]) && isHex(c):
		return true
	}
	return false
}

// equalFold tells whether text[i:] begins with s, an ASCII text in lower case, in
// any case.
func equalFold(text []byte, i int, s string) bool {
	if i < 0 || i+len(s) > len(text) {
		return false
	}
	for k := range len(s) {
		c := text[i+k]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != s[k] {
			return false
		}
	}
	return true
}

func hasAt(text []byte, i int, s string) bool {
	return i >= 0 && i+len(s) <= len(text) && string(text[i:i+len(s)]) == s
}

// folded is a short text in lower case, for look-ups without allocation.
type folded struct {
	text [24]byte
	n    int
}

// fold gives b in lower case; a text that is too long gives nothing.
func fold(b []byte) (f folded) {
	if len(b) > len(f.text) {
		return f
	}
	for i, c := range b {
		if is(c, upper) {
			c |= 0x20
		}
		f.text[i] = c
	}
	f.n = len(b)
	return f
}

// word gives the text.
func (f *folded) word() string { return string(f.text[:f.n]) }

func (f *folded) in(words wordList) bool { return words.has(f.text[:f.n]) }

// containsFold tells whether b holds s, a word in lower case, in any case.
func containsFold(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if b[i]|0x20 == s[0] && equalFold(b, i, s) {
			return true
		}
	}
	return false
}
