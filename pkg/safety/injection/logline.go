package injection

// maxLogPrefix bounds what a log puts before a message, in bytes.
const maxLogPrefix = 96

// opens reports whether the word at i begins a clause, a line or the message of a log
// line.
func opens(c *cursor, i int) bool {
	t := c.at(i)
	return t.gap&(clause|gLine) != 0 || logged(c.text, c.lo, t.start)
}

// logged reports whether what stands at i begins a message: nothing but stamps, numbers,
// names in brackets and a level stand between it and the beginning of the line, or of a
// column behind a tab. The lines of check logs have such prefixes.
func logged(text []byte, lo, i int) bool {
	for from := max(lo, i-maxLogPrefix); ; {
		for i > from && (text[i-1] == ' ' || emphasis(text[i-1])) {
			i--
		}
		if i == from {
			return i == lo
		}
		end := i
		if isSpace(text[i-1]) {
			return true // a line break or a tab
		}
		if !endsField[text[i-1]] {
			return false
		}
		for i > from && !isSpace(text[i-1]) {
			i--
		}
		if field := text[i:end]; !stamp(field) && !level(field) && !bracketed(field) && field[0] != '>' {
			return false
		}
	}
}

// endsField holds the bytes with which a field before a message can end.
var endsField = func() (t [256]bool) {
	t = stampByte
	t[']'], t['>'] = true, true
	for _, l := range levels {
		b := l[len(l)-1]
		t[b], t[b-0x20] = true, true
	}
	return
}()

func emphasis(b byte) bool { return b == '*' || b == '_' || b == '~' || b == '`' }

// stamp reports whether a field is a date, a time, a number or the mark of a stream:
// 2026-01-02T03:04:05.678Z, +0200, #12, 0.345, 00O.
func stamp(field []byte) bool {
	if b := field[0]; len(field) > 1 && (b == '#' || b == '+' || b == '-') {
		field = field[1:]
	}
	if !isDigits(field[:1]) {
		return false
	}
	for _, b := range field {
		if !stampByte[b] {
			return false
		}
	}
	return true
}

// stampByte holds the bytes of a stamp.
var stampByte = func() (t [256]bool) {
	for _, b := range []byte("0123456789:.,-+/TZOEms") {
		t[b] = true
	}
	return
}()

// bracketed is a field that a log sets apart: [main].
func bracketed(field []byte) bool { return field[0] == '[' && field[len(field)-1] == ']' }

func level(field []byte) bool {
	for _, l := range levels {
		if foldEqual(field, l) {
			return true
		}
	}
	return false
}

// called reports whether what stands at i stands behind a name that is called: @claude.
func called(text []byte, lo, i int) bool {
	if i--; i < lo || text[i] != ' ' {
		return false
	}
	from := max(lo, i-maxName)
	for i > from && (nameByte(text[i-1]) || text[i-1] == '-') {
		i--
	}
	return i > from && text[i-1] == '@' && (i-1 == lo || !wordByte[text[i-2]])
}
