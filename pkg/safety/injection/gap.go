package injection

import "unicode/utf8"

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

// gapFlags says what the bytes of [a, b) are, which hold no word that counts.
func (c *cursor) gapFlags(a, b int) gap {
	if n := b - a; n <= 2 && a > c.lo && b < c.hi && wordByte[c.text[a-1]] && wordByte[c.text[b]] {
		if g, ok := shortGap(c.text[a:b]); ok {
			return g
		}
	}
	return c.longGap(a, b)
}

// shortGap is what one or two bytes between the letters of two words are; false if it
// depends on more.
func shortGap(between []byte) (gap, bool) {
	switch {
	case len(between) == 1 && between[0] < utf8.RuneSelf:
		return gaps.alone[between[0]], true
	case len(between) == 2 && between[0] == ' ' && between[1] < utf8.RuneSelf:
		return gaps.behindSpace[between[1]], true
	case len(between) == 2 && between[1] == ' ' && between[0] < utf8.RuneSelf:
		return gaps.beforeSpace[between[0]], true
	}
	return 0, false
}

// gaps are those of one byte between two letters, and of two of which one is a space.
var gaps = func() (t struct{ alone, behindSpace, beforeSpace [utf8.RuneSelf]gap }) {
	for b := range utf8.RuneSelf {
		if wordByte[b] {
			continue
		}
		read := func(between ...byte) gap {
			text := append(append([]byte{'x'}, between...), 'x')
			c := &cursor{text: text, hi: len(text)}
			return c.longGap(1, len(text)-1)
		}
		t.alone[b], t.behindSpace[b], t.beforeSpace[b] = read(byte(b)), read(' ', byte(b)), read(byte(b), ' ')
	}
	return t
}()

// longGap is gapFlags for whatever stands there.
func (c *cursor) longGap(a, b int) gap {
	text := c.text
	switch {
	case b-a == 1 && a > c.lo && text[a] == '_':
		return gJoined
	case b-a == 1 && a > c.lo && text[a] == '-':
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
			if n > i || (i+1 == b && b < c.hi) || next == '/' {
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
