package injection

import (
	"bytes"
	"strconv"
)

// tag is a start tag.
type tag struct {
	name   span
	end    int // behind its '>'
	hidden bool
	spoken [4]span // values of alt and title
	n      int
}

// readTag reads the start tag at i.
func readTag(text []byte, i int) (t tag, ok bool) {
	limit := min(len(text), i+maxTag)
	i++
	t.name.start = i
	for i < limit && (wordByte[text[i]] || text[i] == '-') {
		i++
	}
	t.name.end = i
	if t.name.start == i || !isLetter(text[t.name.start]) {
		return t, false
	}
	for i < limit {
		for i < limit && (isSpace(text[i]) || text[i] == '/') {
			i++
		}
		if i >= limit {
			return t, false
		}
		if text[i] == '<' {
			return t, false
		}
		if text[i] == '>' {
			t.end = i + 1
			return t, true
		}
		a := i
		for i < limit && !isSpace(text[i]) && text[i] != '=' && text[i] != '>' && text[i] != '/' && text[i] != '<' {
			i++
		}
		name := text[a:i]
		if i == a {
			i++ // a stray '='
			continue
		}
		v := i
		for v < limit && isSpace(text[v]) {
			v++
		}
		var value span
		if v < limit && text[v] == '=' {
			v++
			for v < limit && isSpace(text[v]) {
				v++
			}
			if v >= limit {
				return t, false
			}
			if q := text[v]; q == '"' || q == '\'' {
				n := bytes.IndexByte(text[v+1:limit], q)
				if n < 0 {
					return t, false
				}
				value = span{v + 1, v + 1 + n}
				i = value.end + 1
			} else {
				i = v
				for i < limit && !isSpace(text[i]) && text[i] != '>' {
					i++
				}
				value = span{v, i}
			}
		}
		switch {
		case foldEqual(name, "hidden"):
			t.hidden = true
		case foldEqual(name, "style"):
			t.hidden = t.hidden || hides(text[value.start:value.end])
		case foldEqual(name, "alt"), foldEqual(name, "title"):
			if t.n < len(t.spoken) {
				t.spoken[t.n] = value
				t.n++
			}
		}
	}
	return t, false
}

// hides reports whether a style makes its element invisible.
func hides(style []byte) bool {
	var buf [512]byte
	css := buf[:0]
	for i := 0; i < len(style) && len(css) < len(buf); i++ {
		b := style[i]
		if b == '&' {
			if e, n := entity(style[i:]); n > 0 {
				b, i = e, i+n-1
			}
		}
		switch {
		case isSpace(b) || b == '\\':
			continue
		case b == '/' && i+1 < len(style) && style[i+1] == '*':
			n := bytes.Index(style[i+2:], []byte("*/"))
			if n < 0 {
				i = len(style)
			} else {
				i += n + 3
			}
			continue
		case 'A' <= b && b <= 'Z':
			b += 'a' - 'A'
		}
		css = append(css, b)
	}
	for len(css) > 0 {
		d, rest, _ := bytes.Cut(css, []byte(";"))
		css = rest
		name, value, _ := bytes.Cut(d, []byte(":"))
		value = bytes.TrimSuffix(value, []byte("!important"))
		switch string(name) {
		case "display":
			if string(value) == "none" {
				return true
			}
		case "visibility":
			if string(value) == "hidden" || string(value) == "collapse" {
				return true
			}
		case "opacity":
			if zero(value) {
				return true
			}
		case "font-size":
			if zero(value) {
				return true
			}
		case "font":
			size, _, _ := bytes.Cut(value, []byte("/"))
			if zero(bytes.TrimRight(size, "abcdefghijklmnopqrstuvwxyz,-'\"")) {
				return true
			}
		}
	}
	return false
}

// maxEntity is longer than each entity that entity knows, in bytes.
const maxEntity = 12

// entity is the ASCII character that the entity at the beginning of b stands for, and
// its length; 0 if there is none that a style needs.
func entity(b []byte) (byte, int) {
	n := bytes.IndexByte(b[:min(len(b), maxEntity)], ';')
	if n < 3 {
		return 0, 0
	}
	name := string(b[1:n])
	switch name {
	case "colon":
		return ':', n + 1
	case "semi":
		return ';', n + 1
	case "Tab", "NewLine":
		return ' ', n + 1
	}
	if name[0] != '#' {
		return 0, 0
	}
	base, digits := 10, name[1:]
	if digits[0]|0x20 == 'x' {
		base, digits = 16, digits[1:]
	}
	v, err := strconv.ParseUint(digits, base, 7)
	if err != nil {
		return 0, 0
	}
	return byte(v), n + 1
}

// zero reports whether a CSS number with or without a unit is nought.
func zero(v []byte) bool {
	digits := false
	i := 0
	if i < len(v) && (v[i] == '+' || v[i] == '-') {
		i++
	}
	for ; i < len(v) && (v[i] == '0' || v[i] == '.'); i++ {
		digits = digits || v[i] == '0'
	}
	for ; i < len(v); i++ {
		if !isLetter(v[i]) && v[i] != '%' {
			return false
		}
	}
	return digits
}

// closing is the end of the content of the element: its own end tag, or the end of the
// text.
func closing(text []byte, t *tag) int {
	name := text[t.name.start:t.name.end]
	for _, v := range voidElements {
		if foldEqual(name, v) {
			return t.end
		}
	}
	depth := 1
	for i := t.end; ; {
		n := bytes.IndexByte(text[i:], '<')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		end := i < len(text) && text[i] == '/'
		j := i
		if end {
			j++
		}
		e := j + len(name)
		if e > len(text) || !bytes.EqualFold(text[j:e], name) || e < len(text) && (wordByte[text[e]] || text[e] == '-') {
			continue
		}
		if !end {
			depth++
		} else if depth--; depth == 0 {
			return i - 1
		}
	}
}
