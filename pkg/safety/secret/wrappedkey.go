package secret

import "bytes"

// breaks are spellings of a line break that separatorAt does not know: those of URLs
// and form bodies, and of HTML.
var breaks = [][]byte{
	[]byte("%0a"), []byte("%0d"), []byte("%20"),
	[]byte("&#10;"), []byte("&#13;"), []byte("&#xa;"), []byte("&#xd;"), []byte("&#x0a;"), []byte("&#x0d;"),
}

// shortKey is the least length of a key whose labels match.
const shortKey = 16

// minWidth is the least length of a line of a key that is wrapped narrowly.
const minWidth = 8

// wrappedKey gives the end of a key that stands between its label, which ends at body,
// and the same end label with nothing but base64 between: lines of one length, the
// last of which may be shorter. The equal length tells narrow lines from words, so
// that lines of any width and breaks of other spellings do not hide a key.
func (d *Detector) wrappedKey(body int, label []byte) int {
	text, i := d.text, body
	defer func() { d.spend(i - body) }()
	width, total, classes := 0, 0, charset(0)
	for last := false; ; {
		i = skipBreaks(text, i)
		l := lineReader{text: text, start: i}
		if end, ok := l.endLabel(label); ok {
			if total < shortKey || total < longLine && classes&(upper|digit|plus|slash) == 0 {
				return 0
			}
			return end
		}
		n := run(text, i, b64) - i
		n = run(text, i+n, equals) - i
		if width == 0 {
			width = n
		}
		if n == 0 || width < minWidth || n > width || last {
			return 0
		}
		last = n < width
		total += n
		classes |= union(text[i : i+n])
		i += n
	}
}

func skipBreaks(text []byte, i int) int {
	for i < len(text) {
		n, _ := separatorAt(text, i)
		for _, b := range breaks {
			if n == 0 && len(text)-i >= len(b) && bytes.EqualFold(text[i:i+len(b)], b) {
				n = len(b)
			}
		}
		if n == 0 && isQuoting(text[i]) && text[i] != '<' {
			n = 1
		}
		if n == 0 {
			break
		}
		i += n
	}
	return i
}
