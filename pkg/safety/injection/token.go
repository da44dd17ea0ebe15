package injection

import "unicode/utf8"

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
	begun  bool   // the first word was reached
	spoken speech // the row of a language that is tried, so that trying allocates nothing
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
	if n := len(c.words); n > 0 && n < keep && h >= c.words[0].start && c.reach(h) {
		n, i := len(c.words), c.pos
		if i < 0 || i >= n || c.words[i].start > h {
			i = 0 // the cursor stood before what it keeps, or behind the last word
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

// reach reads on to offset h, if that is near, and reports whether it got there: what
// was read before stays read.
func (c *cursor) reach(h int) bool {
	for {
		last := c.words[len(c.words)-1].end
		if h < last {
			return true
		}
		if h-last > near || len(c.words) == keep || !c.grow() {
			return false
		}
	}
}

// near is the number of bytes that are rather read than begun anew behind.
const near = 48

// follower is the word behind the one at h.
func (c *cursor) follower(h int) wid {
	t, ok := c.take(c.wordStart(h))
	if !ok {
		return wNone
	}
	n, _ := c.next(t.end)
	return n.id
}

// glance is what the word around offset h can be, and whether that is all: a hyphen or
// an escape beside it, or letters beyond ASCII, need a closer look. long is set if
// words may be glued together in it.
func (c *cursor) glance(h int) (r uint64, whole, long bool) {
	text := c.text
	start, end := h, h
	for start > c.lo && wordByte[text[start-1]] {
		start--
		if h-start > maxWord {
			return 0, true, true
		}
	}
	for end < c.hi && wordByte[text[end]] {
		end++
		if end-h > maxWord {
			return 0, true, true
		}
	}
	if start > c.lo {
		switch b := text[start-1]; {
		case b == '\n':
			// Only a hyphen joins a word to the line before, maybe over blanks.
			if start-2 < c.lo {
				break
			}
			switch text[start-2] {
			case '-', ' ', '\t', '\n', '>':
				return 0, false, end-start >= minGlued
			}
		case b == '-' || b == '\\' || b == '%' || b == '\'' || b >= utf8.RuneSelf:
			return 0, false, end-start >= minGlued
		}
	}
	if end < c.hi {
		switch b := text[end]; {
		case b == '-' || b == '\'' || b >= utf8.RuneSelf:
			return 0, false, end-start >= minGlued
		}
	}
	r = roles[dictionary.find(text[start:end:len(text)])]
	return r, true, r == 0 && end-start >= minGlued
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

// plainNext is the word behind a short gap at from, if both are such that nothing else
// can be meant: what next and gapFlags find there, for less.
func (c *cursor) plainNext(from int) (token, bool) {
	text := c.text[:c.hi]
	start := from + 1
	if from+2 >= len(text) || !wordByte[text[from-1]] {
		return token{}, false
	}
	if !wordByte[text[start]] {
		start++
	}
	if !wordByte[text[start]] || !between(text[from:start], text[start]) {
		return token{}, false
	}
	g, ok := shortGap(text[from:start])
	end := start + 1
	for end < len(text) && wordByte[text[end]] {
		end++
	}
	if !ok || end == len(text) || !endsPlain(text[end]) {
		return token{}, false
	}
	return token{start: start, end: end, id: c.lookup(start, end), gap: g}, true
}

// between reports whether what stands between two words neither belongs to one, nor
// joins them, nor makes the second, which begins with first, a part of markup.
func between(gap []byte, first byte) bool {
	switch gap[len(gap)-1] {
	case '<', '&':
		return false
	case '-', '\'':
		return len(gap) > 1
	case '\n':
		return isLetter(first)
	case ' ':
		return len(gap) == 1 || gap[0] != '\n' || isLetter(first)
	}
	return true
}

// endsPlain reports whether a word ends before b, whatever follows.
func endsPlain(b byte) bool { return b != '-' && b != '\'' && b < utf8.RuneSelf }

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
		if plain(c.text[i]) {
			i++
			continue
		}
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
	if t, ok := c.plainPrevious(to); ok {
		return t, true
	}
	return c.anyPrevious(to)
}

// anyPrevious is previous for whatever stands there.
func (c *cursor) anyPrevious(to int) (token, bool) {
	for i := to; i > c.lo; {
		if plain(c.text[i-1]) {
			i--
			continue
		}
		if j := c.back(i); !wordByte[c.text[i-1]] && c.byteClass(j) != inWord {
			i = j
			continue
		}
		start := c.wordStart(i)
		if c.mayJoin(start) {
			if joined, ok := c.joinBefore(start, c.wordEnd(start)); ok {
				return joined, true
			}
		}
		if t, ok := c.single(start, i); ok {
			return t, true
		}
		i = start
	}
	return token{}, false
}

// plainPrevious is plainNext the other way: the word before a short gap that ends at to.
func (c *cursor) plainPrevious(to int) (token, bool) {
	text := c.text[:c.hi]
	end := to - 1
	if end-3 <= c.lo || to == len(text) || !wordByte[text[to]] {
		return token{}, false
	}
	if !wordByte[text[end-1]] {
		end--
	}
	if !wordByte[text[end-1]] || !between(text[end:to], text[to]) {
		return token{}, false
	}
	if _, ok := shortGap(text[end:to]); !ok || !endsPlain(text[end]) {
		return token{}, false
	}
	start := end - 1
	for start > c.lo && wordByte[text[start-1]] {
		start--
	}
	if start-1 <= c.lo {
		return token{}, false
	}
	switch b := text[start-1]; b {
	case '-', '\'', '\n', '>', '\t', '<', '&', '#', '/':
		return token{}, false
	default:
		if b >= utf8.RuneSelf || b == ' ' && !wordByte[text[start-2]] {
			return token{}, false
		}
	}
	return token{start: start, end: end, id: c.lookup(start, end)}, true
}

// take is the word at start, with what a hyphen joins to it; false if the word is
// markup: a plain tag, an entity or the number of a list item.
func (c *cursor) take(start int) (token, bool) {
	end := c.wordEnd(start)
	if c.mayJoin(start) {
		if joined, ok := c.joinBefore(start, end); ok {
			return joined, true
		}
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

// mayJoin reports whether what stands before start can be a hyphen, or the break of a
// line behind one: cheap to tell, and rarely so.
func (c *cursor) mayJoin(start int) bool {
	if start-1 <= c.lo {
		return false
	}
	switch c.text[start-1] {
	case '-', '\n', '>', '\t':
		return true
	case ' ':
		return !wordByte[c.text[start-2]]
	}
	return false
}

// joinBefore is the word that a hyphen makes of [start, end) and the word before it.
func (c *cursor) joinBefore(start, end int) (token, bool) {
	i := start
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
