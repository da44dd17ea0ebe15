package secret

import (
	"bytes"
	"encoding/base64"
)

// A private key is a label, lines of base64 and an end label. The lines may carry the
// prefix of a log, stand escaped or folded in one line, or lack their end label.

const (
	maxLabel = 64 // from the dashes before BEGIN to the dashes behind the label
	// longLine is the length from which a run of base64 characters is no word.
	longLine = 32
	// maxNoise is how many lines that are no base64 may stand in a row inside a
	// block whose end label follows.
	maxNoise = 4
	// maxHeaders is how many lines may stand before the first line of base64.
	maxHeaders = 16
)

// pem handles "PRIVATE KEY" at pos.
func (d *Detector) pem(pos int) {
	text := d.text
	if pos < d.keyEnd {
		return
	}
	low := max(pos-maxLabel, 0)
	begin := bytes.LastIndex(text[low:pos], []byte("BEGIN "))
	if begin < 0 {
		return
	}
	begin += low
	for _, c := range text[begin:pos] {
		if !is(c, upper|digit) && c != ' ' {
			return
		}
	}
	start := begin
	if start > 0 && text[start-1] == ' ' {
		start--
	}
	// Of more than five dashes the first are no part of the label: a removed line of a
	// diff begins with one.
	dashes := max(runBack(text, start, low, dash), start-5)
	if start-dashes < 4 {
		return
	}
	label := text[begin+len("BEGIN ") : pos+len("PRIVATE KEY")]
	end := pos + len("PRIVATE KEY")
	if hasAt(text, end, " BLOCK") {
		end += len(" BLOCK")
		label = text[begin+len("BEGIN ") : end]
	}
	if end < len(text) && text[end] == ' ' {
		end++
	}
	body := run(text, end, dash)
	if body-end < 4 {
		return
	}
	d.keyEnd = body
	to := d.keyBody(dashes, body, label)
	if to == 0 {
		to = d.wrappedKey(body, label)
	}
	if to > 0 {
		d.add(dashes, to, PrivateKey)
		d.keyEnd = to
	}
}

// keyBody gives the end of the key whose label ends at body, or 0 if no key follows.
func (d *Detector) keyBody(labelStart, body int, label []byte) int {
	l := lineReader{text: d.text, at: body}
	l.setPrefix(labelStart)
	var (
		keyEnd int // end of the last line of the key
		found  bool
		full   bool // a long line has been seen
		noise  int  // lines in a row that are no base64
		before int  // lines before the first of the key
	)
	defer func() { d.spend(l.at - body) }()
	for l.next() {
		if end, ok := l.endLabel(label); ok {
			if found {
				return end
			}
			return 0
		}
		if l.beginsLabel() {
			break
		}
		switch {
		case l.empty():
		case l.base64(full):
			if noise > 0 {
				noise = 0
				continue // belongs to the key only if an end label follows
			}
			found, full = true, full || l.end-l.start >= longLine
			keyEnd = l.end
		case !found && !l.header():
			return 0
		case !found:
			if before += l.weight(); before > maxHeaders {
				return 0
			}
		default:
			if noise += l.weight(); noise > maxNoise {
				return keyEnd
			}
		}
	}
	if !full {
		return 0
	}
	return keyEnd
}

// lineReader cuts the text behind a label into lines: at line feeds, at escaped line
// feeds and, within a line, at spaces.
type lineReader struct {
	text   []byte
	at     int
	prefix []byte // what stood before the label on its line

	start, end int  // the current line without prefix and quotes
	physical   bool // it ended at a line feed, real or escaped, not at a space
	fresh      bool // it began at a line feed, real or escaped
	below      bool // a real line feed stands between the label and it
	first      bool // it is the first of its real line
}

func (l *lineReader) setPrefix(labelStart int) {
	from := bytes.LastIndexByte(l.text[max(labelStart-256, 0):labelStart], '\n') + 1
	if from == 0 && labelStart > 256 {
		return
	}
	l.prefix = l.text[max(labelStart-256, 0)+from : labelStart]
}

// next moves to the next line.
func (l *lineReader) next() bool {
	l.fresh, l.first = false, false
	for l.at < len(l.text) {
		n, feed := separatorAt(l.text, l.at)
		if n == 0 {
			break
		}
		if l.text[l.at] == '\n' {
			l.below, l.first = true, true
		}
		l.at += n
		if feed {
			l.fresh = true
			l.skipPrefix()
		}
	}
	if l.at >= len(l.text) {
		return false
	}
	l.start = l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		if !is(c, b64|equals) {
			if n, _ := separatorAt(l.text, l.at); n > 0 || l.at > l.start && (isQuoting(c) || hasAt(l.text, l.at, "----")) {
				break
			}
			if l.at-l.start >= longLine && punctuates(l.text, l.at) {
				break
			}
			// Not base64: the line runs to the next separator.
			for l.at < len(l.text) {
				if n, _ := separatorAt(l.text, l.at); n > 0 {
					break
				}
				l.at++
			}
			break
		}
		l.at++
	}
	l.end = l.at
	if l.at == l.start { // a quoting character alone
		l.at++
		l.end = l.at
	}
	// What is left may begin with the closing quote of a string literal.
	_, l.physical = separatorAt(l.text, l.at)
	if l.at >= len(l.text) || isQuoting(l.text[l.at]) {
		l.physical = true
	}
	return true
}

// punctuates tells whether text[i] ends a sentence or closes what was opened before a
// key that was pasted into prose, a call or a query.
func punctuates(text []byte, i int) bool {
	switch text[i] {
	case ')', ']', '}', '&', ';', '?', '!':
		return true
	case '.':
		return i+1 >= len(text) || is(text[i+1], blank) || text[i+1] == '\n'
	}
	return false
}

func isQuoting(c byte) bool { return c == '"' || c == '\'' || c == '`' || c == ',' || c == '<' }

// separatorAt gives the length of the separator at text[i:] and whether it ends a
// line: LF, \n, \r, \\n, \u000a, spaces, and the quotes and joins of string literals.
func separatorAt(text []byte, i int) (n int, feed bool) {
	if i >= len(text) {
		return 0, true
	}
	switch text[i] {
	case '\n':
		return 1, true
	case ' ', '\t', '|', '>':
		return 1, false
	case '\\':
		j := i
		for j < len(text) && text[j] == '\\' && j-i < 8 {
			j++
		}
		switch {
		case j >= len(text) || text[j] == '\n':
			return j - i, false
		case text[j] == 'n', text[j] == 'r':
			return j - i + 1, true
		case text[j] == 't':
			return j - i + 1, false
		case equalFold(text, j, "u000a"), equalFold(text, j, "u000d"):
			return j - i + 5, true
		}
	}
	return 0, false
}

// skipPrefix steps over what stands before every line of the block.
func (l *lineReader) skipPrefix() {
	i := l.at
	for _, p := range l.prefix {
		if i >= len(l.text) || l.text[i] != p && !(is(p, digit) && is(l.text[i], digit)) {
			i = l.at
			break
		}
		i++
	}
	if i > l.at {
		l.at = i
		return
	}
	for i < len(l.text) {
		switch l.text[i] {
		case ' ', '\t', '>', '|', '+', '#', '*', '"', '\'', '`', ';':
			i++
			continue
		case '-': // a removed line of a diff, or two dashes of a label
			if i+1 < len(l.text) && l.text[i+1] != '-' {
				i++
				continue
			}
		}
		if l.text[i] == '/' && i+1 < len(l.text) && l.text[i+1] == '/' {
			i += 2
			continue
		}
		break
	}
	l.at = i
}

// weight counts a line that is not of the key. Pieces of one real line below the
// label count once, so that what is redacted in it does not change the count.
func (l *lineReader) weight() int {
	if l.below && !l.first {
		return 0
	}
	return 1
}

func (l *lineReader) line() []byte { return l.text[l.start:l.end] }

func (l *lineReader) empty() bool { return l.start == l.end }

// base64 tells whether the line is base64 of a key: long, or short and not a word.
func (l *lineReader) base64(full bool) bool {
	b := l.line()
	for i, c := range b {
		if !is(c, b64) && !(c == '=' && (i == 0 || i >= len(b)-2)) {
			return false
		}
	}
	switch {
	case len(b) >= longLine:
		return true
	case !full:
		return false
	case b[0] == '=' || b[len(b)-1] == '=':
		return len(b) > 1
	}
	u := union(b)
	return l.physical && u&(digit|plus|slash) != 0 || u&letter == letter && len(b) >= 12
}

// header tells whether the line is an encapsulated header, or a piece of one in a
// folded key.
func (l *lineReader) header() bool {
	b := l.line()
	return bytes.ContainsAny(b, ":,") || !l.fresh && len(b) < longLine
}

// endLabel tells whether the line starts the end label that belongs to label, and
// gives its end.
func (l *lineReader) endLabel(label []byte) (int, bool) {
	i := run(l.text, l.start, dash)
	if i-l.start < 4 {
		return 0, false
	}
	if i < len(l.text) && l.text[i] == ' ' {
		i++
	}
	if !hasAt(l.text, i, "END ") || !hasAt(l.text, i+4, string(label)) {
		return 0, false
	}
	i += 4 + len(label)
	if i < len(l.text) && l.text[i] == ' ' && i+1 < len(l.text) && l.text[i+1] == '-' {
		i++
	}
	end := i
	for end < len(l.text) && l.text[end] == '-' && end-i < 5 {
		end++
	}
	return end, true
}

func (l *lineReader) beginsLabel() bool {
	b := l.text[l.start:min(l.start+16, len(l.text))]
	return bytes.HasPrefix(b, []byte("----")) && bytes.Contains(b, []byte("BEGIN"))
}

// encodedPEM handles base64 of a whole PEM file at pos; public material stays.
func (d *Detector) encodedPEM(pos int) {
	if pos < d.encodedEnd {
		return
	}
	var head [96]byte
	n := run(d.text[:min(pos+96, len(d.text))], pos, b64) - pos
	n, _ = base64.StdEncoding.Decode(head[:], d.text[pos:pos+n&^3])
	if !bytes.Contains(head[:n], []byte("PRIVATE KEY")) {
		return
	}
	d.encodedEnd = d.base64Lines(pos)
	d.add(pos, d.encodedEnd, PrivateKey)
}

// headlessKey handles the start of the DER form of an RSA or PKCS #8 key in base64.
func (d *Detector) headlessKey(pos int) {
	if pos < d.encodedEnd || pos > 0 && is(d.text[pos-1], b64) {
		return
	}
	end := d.base64Lines(pos)
	d.encodedEnd = end
	if end-pos >= 200 {
		d.add(pos, end, PrivateKey)
	}
}

// base64Lines gives the end of the base64 text that starts at pos and goes on over
// lines of the same form.
func (d *Detector) base64Lines(pos int) (end int) {
	end = run(d.text, pos, b64)
	end = run(d.text, end, equals)
	defer func() { d.spend(end - pos) }()
	if end-pos < longLine || d.text[end-1] == '=' {
		return end
	}
	l := lineReader{text: d.text, at: end}
	l.setPrefix(pos)
	for l.next() && !l.empty() && l.fresh && l.base64(true) {
		end = l.end
		if d.text[end-1] == '=' {
			break
		}
	}
	return end
}

// putty handles "Private-Lines:" of a PuTTY key file at pos.
func (d *Detector) putty(pos int) {
	i := run(d.text, pos+len("Private-Lines:"), blank)
	i = run(d.text, i, digit)
	l := lineReader{text: d.text, at: i}
	l.setPrefix(pos)
	start, end := 0, 0
	for l.next() && l.base64(end > 0) {
		if end == 0 {
			start = l.start
		}
		end = l.end
	}
	if end > 0 {
		d.add(start, end, PrivateKey)
	}
}
