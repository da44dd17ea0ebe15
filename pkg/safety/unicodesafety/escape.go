package unicodesafety

import "unicode/utf8"

const (
	bel = 0x07
	can = 0x18
	sub = 0x1A
	esc = 0x1B
	del = 0x7F
	st  = 0x9C
)

// escapeState is where the parser of terminal escapes stands.
type escapeState uint8

const (
	escaped      escapeState = iota // behind ESC
	intermediate                    // behind ESC and intermediates
	csi                             // control sequence
	control                         // string control: OSC, DCS, SOS, PM, APC
)

// opener gives the state behind an introducer that follows ESC.
func opener(c rune) (escapeState, bool) {
	switch c {
	case '[':
		return csi, true
	case ']', 'P', 'X', '^', '_':
		return control, true
	}
	return escaped, false
}

// escape removes the terminal escape that starts at src[i] with ESC or a C1 opener
// and gives the index behind it. Invisible characters inside a sequence are removed
// first, so that they cannot hide it; characters whose normal form is one ASCII
// character count as that character. A sequence that is cut short loses what
// belongs to it and no more: CAN, SUB, a new escape, a line end or the end of text
// stops every sequence, any other unfit character stops all but string controls.
//
// Since every ESC and every C1 control is consumed here or by the caller, removal
// cannot put a new escape together.
func (c *Cleaner) escape(src []byte, i int) int {
	r, size := utf8.DecodeRune(src[i:])
	state := escaped
	if r != esc {
		state, _ = opener(r - 0x40)
	}
	c.note(TerminalEscape, i, i+size)
	i += size
	for i < len(src) {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			if state != control {
				return i
			}
			size = invalidLength(src[i:])
			c.note(InvalidUTF8, i, i+size)
			c.invalid += size
			i += size
			continue
		}
		if r >= 0x80 {
			k := classOf(r)
			switch {
			case k >= removed:
				c.note(Code(k-removed), i, i+size)
				i += size
				continue
			case k == separator:
				return i
			case k == c1 && r == st && state == control:
				c.note(TerminalEscape, i, i+size)
				return i + size
			case k == c1:
				return i
			case k == mapped && len(replacement(r)) == 1:
				r = rune(replacement(r)[0])
			case state != control:
				return i
			}
		}
		switch {
		case r == '\n' || r == '\r' || r == esc:
			if r == esc && state == control {
				if end, ok := c.terminator(src, i); ok {
					return end
				}
			}
			return i
		case r == can || r == sub:
			c.note(TerminalEscape, i, i+size)
			return i + size
		case r == bel && state == control:
			c.note(TerminalEscape, i, i+size)
			return i + size
		case r == '\t' && state != control:
			return i
		case (r < 0x20 || r == del) && r != '\t':
			c.note(controlCode(r), i, i+size)
			i += size
			continue
		}
		done := false
		switch state {
		case escaped, intermediate:
			next, opens := opener(r)
			switch {
			case r < 0x30 && r < 0x80:
				state = intermediate
			case opens && state == escaped:
				state = next
			case r < del:
				done = true
			default:
				return i
			}
		case csi:
			if r >= 0x80 {
				return i
			}
			done = r >= 0x40
		case control:
		}
		c.note(TerminalEscape, i, i+size)
		i += size
		if done {
			return i
		}
	}
	return i
}

// simpleCSI gives the end of a control sequence of nothing but ASCII at src[i], or 0:
// the usual case, colours. It is what escape finds there, for less.
func simpleCSI(src []byte, i int) int {
	if i+2 >= len(src) || src[i] != esc || src[i+1] != '[' {
		return 0
	}
	for i += 2; i < len(src); i++ {
		switch b := src[i]; {
		case b >= 0x40 && b < del:
			return i + 1
		case b < 0x20 || b >= del:
			return 0
		}
	}
	return 0
}

// terminator consumes ESC \ at src[i], which starts with ESC, seeing through
// characters that are removed anyway.
func (c *Cleaner) terminator(src []byte, i int) (int, bool) {
	for j := i + 1; j < len(src); {
		r, size := utf8.DecodeRune(src[j:])
		k := plain
		if r >= 0x80 && (r != utf8.RuneError || size > 1) {
			k = classOf(r)
		}
		switch {
		case k >= removed, r < 0x80 && removableControl(r) && r != esc && r != can && r != sub:
			j += size
			continue
		case r == '\\' || k == mapped && replacement(r) == `\`:
			c.note(TerminalEscape, i, i+1)
			c.noteRemoved(src, i+1, j)
			c.note(TerminalEscape, j, j+size)
			return j + size, true
		}
		return i, false
	}
	return i, false
}

// noteRemoved counts the removable characters of src[i:j].
func (c *Cleaner) noteRemoved(src []byte, i, j int) {
	for i < j {
		r, size := utf8.DecodeRune(src[i:])
		if r < 0x80 {
			c.note(controlCode(r), i, i+size)
		} else {
			c.note(Code(classOf(r)-removed), i, i+size)
		}
		i += size
	}
}

func removableControl(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == del
}

func controlCode(r rune) Code {
	if r == 0 {
		return Null
	}
	return Control
}
