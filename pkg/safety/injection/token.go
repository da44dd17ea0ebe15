package injection

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// gap says what stands between a word and the one before it.
type gap uint16

const (
	gHard    gap = 1 << iota // end of a sentence, or of the text
	gSoft                    // other punctuation
	gColon                   // a colon or dash
	gComma                   // a comma
	gLine                    // a line break
	gBlank                   // an empty line
	gItem                    // the word begins a list item
	gJoined                  // nothing but one underscore
	gHyphen                  // nothing but one hyphen
	gBarrier                 // the edge of an HTML comment
	gEdge                    // the beginning or end of the text
)

// clause are the gaps that begin a clause.
const clause = gHard | gSoft | gBlank | gItem | gBarrier | gEdge

// stop are the gaps over which no phrase runs.
const stop = gHard | gBarrier | gEdge

// token is one word of the view.
type token struct {
	start, end int
	id         wid
	gap        gap // before the word
}

// cursor reads the words around one place of the text, only as far as asked.
type cursor struct {
	text   []byte
	lo, hi int
	words  []token // from the place where the cursor was set, forwards
	before []token // the words before that, nearest first
	pos    int     // index of at(0): in words, or negative in before
	edge   gap     // gap behind the last word, once it was reached
	quiet  span    // indexes of words without a word of sending, see sendsNear
	ahead  token   // the word before the last of before, once read
	known  bool    // ahead is read
	ended  bool
	begun  bool // the first word was reached
}

func (c *cursor) reset(text []byte, lo, hi int) {
	c.text, c.lo, c.hi = text, lo, hi
	c.words, c.before = c.words[:0], c.before[:0]
	c.pos, c.edge, c.ended, c.begun, c.known, c.quiet = 0, 0, false, false, false, span{}
}

// keep is the number of words after which the cursor forgets those behind it.
const keep = 4096

// seek sets at(0) to the word that holds offset h, and reports whether there is one.
// Offsets must ascend, or the cursor starts anew.
func (c *cursor) seek(h int) bool {
	if n := len(c.words); n > 0 && n < keep && h >= c.words[0].start && h < c.words[n-1].end {
		i := c.pos
		if c.words[i].start > h {
			i = 0
		}
		for ; i < n; i++ {
			if h < c.words[i].end {
				c.pos = i
				return h >= c.words[i].start
			}
		}
	}
	if c.byteClass(h) != inWord {
		return false
	}
	start := c.wordStart(h)
	t, ok := c.take(start)
	if !ok {
		return false
	}
	c.words, c.before = append(c.words[:0], t), c.before[:0]
	c.pos, c.edge, c.ended, c.begun, c.known, c.quiet = 0, 0, false, false, false, span{}
	c.prevGap(&c.words[0])
	return true
}

// glance is what the word around offset h can be, and whether that is all: a hyphen or
// an escape beside it, or letters beyond ASCII, need a closer look.
func (c *cursor) glance(h int) (r uint64, whole bool) {
	text := c.text
	start, end := h, h
	for start > c.lo && wordByte[text[start-1]] {
		start--
		if h-start > maxWord {
			return 0, true
		}
	}
	for end < c.hi && wordByte[text[end]] {
		end++
		if end-h > maxWord {
			return 0, true
		}
	}
	if start > c.lo {
		switch b := text[start-1]; {
		case b == '-' || b == '\\' || b == '%' || b == '\'' || b >= utf8.RuneSelf || b == '\n':
			return 0, false
		}
	}
	if end < c.hi {
		switch b := text[end]; {
		case b == '-' || b == '\'' || b >= utf8.RuneSelf:
			return 0, false
		}
	}
	if end-start > maxWord {
		return 0, true
	}
	var buf [maxWord + 2]byte
	return roles[vocabulary[string(c.fold(buf[:0], start, end))]], true
}

// at is the word i places after the current one (before it, if negative). Beyond the
// text there are words without meaning behind an edge.
func (c *cursor) at(i int) token {
	if j := c.pos + i; uint(j) < uint(len(c.words)) {
		return c.words[j]
	}
	return c.far(c.pos + i)
}

// far is at for words that may not have been read.
func (c *cursor) far(i int) token {
	if i >= 0 {
		for i >= len(c.words) {
			if !c.grow() {
				return token{start: c.hi, end: c.hi, gap: gHard | gEdge | c.edge}
			}
		}
		return c.words[i]
	}
	for -i > len(c.before) {
		if !c.growBack() {
			return token{start: c.lo, end: c.lo, gap: gHard | gEdge}
		}
	}
	return c.before[-i-1]
}

// grow reads one more word at the end.
func (c *cursor) grow() bool {
	if c.ended {
		return false
	}
	from := c.words[len(c.words)-1].end
	if t, ok := c.plainNext(from); ok {
		c.words = append(c.words, t)
		return true
	}
	t, ok := c.next(from)
	if !ok {
		c.ended = true
		c.edge = c.gapFlags(from, c.hi)
		return false
	}
	t.gap = c.gapFlags(from, t.start)
	c.words = append(c.words, t)
	return true
}

// plainNext is the word behind one space at from, if nothing but a space follows it:
// what next and gapFlags find there, for less.
func (c *cursor) plainNext(from int) (token, bool) {
	text := c.text[:c.hi]
	start := from + 1
	if start >= len(text) || text[from] != ' ' || !wordByte[text[start]] || !wordByte[text[from-1]] {
		return token{}, false
	}
	end := start + 1
	for end < len(text) && wordByte[text[end]] {
		end++
	}
	if end == len(text) || text[end] != ' ' {
		return token{}, false
	}
	return token{start: start, end: end, id: c.lookup(start, end)}, true
}

// growBack reads one more word at the beginning.
func (c *cursor) growBack() bool {
	if c.begun {
		return false
	}
	if !c.known {
		c.begun = true
		return false
	}
	t := c.ahead
	c.prevGap(&t)
	c.before = append(c.before, t)
	return true
}

// prevGap fills the gap before t, the first word that was read, and reads the one
// before it ahead.
func (c *cursor) prevGap(t *token) {
	p, ok := c.previous(t.start)
	c.ahead, c.known = p, ok
	if !ok {
		t.gap = gHard | gEdge | c.gapFlags(c.lo, t.start)
		return
	}
	t.gap = c.gapFlags(p.end, t.start)
}

// next is the first word at or after from that counts.
func (c *cursor) next(from int) (token, bool) {
	for i := from; i < c.hi; {
		n := c.byteClass(i)
		if n == inWord {
			if t, ok := c.take(i); ok {
				return t, true
			}
			i = c.wordEnd(i)
			continue
		}
		i += n
	}
	return token{}, false
}

// previous is the last word before to that counts.
func (c *cursor) previous(to int) (token, bool) {
	if i := to - 1; i-2 > c.lo && c.text[i] == ' ' && wordByte[c.text[i-1]] {
		start := i - 1
		for start > c.lo && wordByte[c.text[start-1]] {
			start--
		}
		if start-1 > c.lo && c.text[start-1] == ' ' && wordByte[c.text[start-2]] {
			return token{start: start, end: i, id: c.lookup(start, i)}, true
		}
	}
	for i := to; i > c.lo; {
		j := c.back(i)
		if c.byteClass(j) != inWord {
			i = j
			continue
		}
		start := c.wordStart(j)
		if joined, ok := c.joinBefore(start, c.wordEnd(j)); ok {
			return joined, true
		}
		if t, ok := c.single(start, i); ok {
			return t, true
		}
		i = start
	}
	return token{}, false
}

// take is the word at start, with what a hyphen joins to it; false if the word is
// markup: a plain tag, an entity or the number of a list item.
func (c *cursor) take(start int) (token, bool) {
	end := c.wordEnd(start)
	if joined, ok := c.joinBefore(start, end); ok {
		return joined, true
	}
	if c.isMarkup(start, end) {
		return token{}, false
	}
	if at := c.joint(end); at > 0 {
		e2 := c.wordEnd(at)
		if id := c.lookupTwo(start, end, at, e2); id != 0 {
			return token{start: start, end: e2, id: id}, true
		}
	}
	return token{start: start, end: end, id: c.lookup(start, end)}, true
}

func (c *cursor) single(start, end int) (token, bool) {
	if c.isMarkup(start, end) {
		return token{}, false
	}
	return token{start: start, end: end, id: c.lookup(start, end)}, true
}

// joinBefore is the word that a hyphen makes of [start, end) and the word before it.
func (c *cursor) joinBefore(start, end int) (token, bool) {
	i := start
	if i > c.lo+1 && c.text[i-1] == ' ' && wordByte[c.text[i-2]] {
		return token{}, false
	}
	for i > c.lo && start-i < maxJoint && (c.text[i-1] == ' ' || c.text[i-1] == '\n' || c.text[i-1] == '>' || c.text[i-1] == '\t') {
		i--
	}
	if i <= c.lo+1 || c.text[i-1] != '-' || c.byteClass(i-2) != inWord {
		return token{}, false
	}
	e1 := i - 1
	if c.joint(e1) != start {
		return token{}, false
	}
	s1 := c.wordStart(e1 - 1)
	if id := c.lookupTwo(s1, e1, start, end); id != 0 {
		return token{start: s1, end: end, id: id}, true
	}
	return token{}, false
}

// maxJoint bounds the white space of a hyphenated line break, in bytes.
const maxJoint = 64

// joint is the offset of the letter to which a hyphen at end leads, within a line or
// over a line break; 0 if there is none.
func (c *cursor) joint(end int) int {
	if end >= c.hi || c.text[end] != '-' {
		return 0
	}
	line := false
	for i := end + 1; i < c.hi && i-end < maxJoint; i++ {
		switch b := c.text[i]; {
		case b == '\n':
			line = true
		case b == ' ' || b == '\t' || b == '>':
			if !line {
				return 0
			}
		case isLetter(b):
			return i
		default:
			return 0
		}
	}
	return 0
}

// isMarkup reports whether the word is the name of a tag without attributes, an
// entity, or the number of a list item.
func (c *cursor) isMarkup(start, end int) bool {
	if start == c.lo || end == c.hi || end-start > 10 {
		return false
	}
	b, a := c.text[start-1], c.text[end]
	switch {
	case b == '<' || b == '/' && start-2 >= c.lo && c.text[start-2] == '<':
		return isLetter(c.text[start]) && (a == '>' || (a == '/' || a == ' ') && end+1 < c.hi && c.text[end+1] == '>')
	case b == '&' || b == '#' && start-2 >= c.lo && c.text[start-2] == '&':
		return a == ';'
	case (a == '.' || a == ')') && end-start <= 3 && isDigits(c.text[start:end]):
		return end+1 < c.hi && isSpace(c.text[end+1]) && c.atLineStart(start)
	}
	return false
}

// atLineStart reports whether only white space and quote marks stand between the
// beginning of the line and i.
func (c *cursor) atLineStart(i int) bool {
	for ; i > c.lo; i-- {
		switch c.text[i-1] {
		case '\n':
			return true
		case ' ', '\t', '>':
		default:
			return false
		}
	}
	return true
}

// gapFlags says what the bytes of [a, b) are, which hold no word that counts.
func (c *cursor) gapFlags(a, b int) gap {
	text := c.text
	switch {
	case b-a == 1 && text[a] == ' ':
		return 0
	case b-a == 1 && text[a] == '_':
		return gJoined
	case b-a == 1 && text[a] == '-':
		return gHyphen
	}
	var g gap
	lineStart := a == c.lo || text[a-1] == '\n'
	open := false
	for i := a; i < b; i++ {
		ch := text[i]
		if ch == ' ' || ch == '\t' {
			continue
		}
		if ch == '\n' {
			if lineStart && g&gLine != 0 {
				g |= gBlank
			}
			g |= gLine
			lineStart = true
			continue
		}
		next := byte(' ')
		if i+1 < c.hi {
			next = text[i+1]
		}
		atStart := lineStart
		lineStart = false
		switch {
		case ch >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(text[i:b])
			i += n - 1
			switch {
			case r == '。' || r == '！' || r == '？':
				g |= gHard
			case r == '—' || r == '–':
				g |= gColon | gSoft
			case isWordRune(r): // an unknown markup word
			default:
				g |= gSoft
			}
		case ch == '*' || ch == '_' || ch == '~' || ch == '`':
			if atStart && ch == '*' && isSpace(next) {
				g |= gItem
			}
			lineStart = atStart
		case ch == '>' && atStart:
			lineStart = true
		case atStart && (ch == '-' || ch == '+') && isSpace(next):
			g |= gItem
		case ch == '.':
			n := i
			for n+1 < b && text[n+1] == '.' {
				n++
			}
			if n > i || (i+1 == b && b < c.hi) {
				g |= gSoft
			} else {
				g |= gHard
			}
			i = n
		case ch == '!' && next == '-' && i > a && text[i-1] == '<':
			open = true
		case ch == '!' || ch == '?':
			if i+1 >= b || isSpace(next) || next == '"' || next == '\'' || next == '!' || next == '?' || next == ')' || next == '*' {
				g |= gHard
			} else {
				g |= gSoft
			}
		case ch == '-' && next == '-' && closes(text[i:b]):
			if open {
				open = false
			} else {
				g |= gBarrier
			}
			i += 2
		case ch == ';':
			g |= gHard
		case ch == ':' || ch == '-':
			g |= gColon | gSoft
		case ch == ',':
			g |= gComma | gSoft
		case ch == '&' || ch == '<' || ch == '#':
			if g&gSoft == 0 && ch != '#' && i+1 < b && wordByte[text[i+1]] || ch == '#' && i > a && text[i-1] == '&' {
				continue // opens an entity or a tag
			}
			g |= gSoft
		case wordByte[ch]:
			e := i
			for e < b && wordByte[text[e]] {
				e++
			}
			// What ends the markup word belongs to it.
			for e < b && (text[e] == ';' || text[e] == '/' || text[e] == '.' || text[e] == ')') && e-i <= 10 {
				e++
				if text[e-1] != '/' {
					break
				}
			}
			if atStart && isDigits(text[i:i+1]) {
				g |= gItem
			}
			if e < b && text[e] == '>' {
				e++
			}
			i = e - 1
		default:
			g |= gSoft
		}
	}
	if open {
		g |= gBarrier
	}
	return g
}

// closes reports whether b begins with a closer of an HTML comment.
func closes(b []byte) bool {
	return len(b) >= 3 && b[0] == '-' && b[1] == '-' && (b[2] == '>' || b[2] == '!' && len(b) >= 4 && b[3] == '>')
}

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
