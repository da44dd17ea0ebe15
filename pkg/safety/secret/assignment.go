package secret

import "bytes"

// assignment handles a secret word at pos: it finds the name around it, the operator
// behind the name, and the value behind the operator.
func (d *Detector) assignment(pos int) {
	text := d.text
	if pos < d.nameEnd {
		return
	}
	end := run(text, pos, nameSet)
	if end < len(text) && text[end] == ' ' && (end+1 == len(text) || is(text[end+1], alnum)) {
		d.nameEnd = end // a word of prose, the most frequent case
		return
	}
	start := runBack(text, pos, d.nameEnd, nameSet)
	d.nameEnd = end
	d.spend(end - start)
	if start > 0 && text[start-1] == '\\' && start < end && bytes.IndexByte([]byte("nrtbf"), text[start]) >= 0 {
		start++ // an escaped line feed or tab stands before the name
	}
	if start+2 < end && text[start] == '-' && (text[start+1] == 'D' || text[start+1] == 'P') && is(text[start+2], lower) {
		start += 2 // a property on a command line: -Dtoken=…
	}
	for start < end && (text[start] == '-' || text[start] == '.') {
		start++
	}
	for end > start && (text[end-1] == '-' || text[end-1] == '.') {
		end--
	}
	if start == end || hasAt(text, start-2, "${") { // ${TOKEN:-…} is a reference
		return
	}
	n := nameAt{start: start, end: end}
	// A name inside a value that goes is judged only if its own value lies behind.
	if !n.operator(text) || n.value < d.valueEnd {
		return
	}
	name := text[start:end]
	if h := headerNamed(name); h != nil && n.op != '=' || h != nil && h.scheme {
		if !n.behindSlash(text) && d.header(h, n) {
			return
		}
	}
	if n.op == ',' || !secretName(name) {
		return
	}
	d.value(n)
}

// nameAt is a name with the operator that follows it.
type nameAt struct {
	start, end int
	quote      byte // the quote around the name, or 0
	escapes    int  // backslashes before that quote
	op         byte // ':', '=', 'a' for an arrow, ',' for the next argument
	spaced     bool // white space stands before the operator
	value      int  // where the value starts
}

// operator reads the operator behind the name.
func (n *nameAt) operator(text []byte) bool {
	i := n.end
	k := i
	for k < len(text) && text[k] == '\\' && k-i < maxEscapes {
		k++
	}
	if k < len(text) && (text[k] == '"' || text[k] == '\'' || text[k] == '`') {
		if n.start > k-i && text[n.start-1] == text[k] && backslashes(text, n.start-1) == k-i {
			n.quote, n.escapes = text[k], k-i
			i = k + 1
			if i < len(text) && text[i] == ']' {
				i++
			}
		}
	}
	j := run(text, i, blank)
	n.spaced = j > i
	if j >= len(text) {
		return false
	}
	next := byte(0)
	if j+1 < len(text) {
		next = text[j+1]
	}
	switch c := text[j]; {
	case c == '=' && next == '>':
		n.op, j = 'a', j+2
	case c == '=' && next != '=' && next != '~':
		n.op, j = '=', j+1
	case (c == '?' || c == '+' || c == ':') && next == '=':
		n.op, j = '=', j+2
	case c == ':' && next != ':' && !(next == '/' && j+2 < len(text) && text[j+2] == '/'):
		n.op, j = ':', j+1
	case c == ',' && n.quote != 0:
		n.op, j = ',', j+1
	default:
		return false
	}
	n.value = run(text, j, blank)
	return n.value < len(text)
}

// behindSlash tells whether the name is a part of a path or URL.
func (n *nameAt) behindSlash(text []byte) bool {
	return n.start > 0 && text[n.start-1] == '/'
}

const maxEscapes = 7

// backslashes counts the backslashes before text[i].
func backslashes(text []byte, i int) int {
	k := i
	for k > 0 && text[k-1] == '\\' && i-k < maxEscapes {
		k--
	}
	return i - k
}

// value handles the value of a secret-named assignment.
func (d *Detector) value(n nameAt) {
	text := d.text
	code := EnvValue
	if n.quote != 0 && n.op == ':' {
		code = JSONValue
	}
	if text[n.value] == '`' && n.op == '=' && !n.spaced {
		return // a command of the shell
	}
	if from, to, ok := quoted(text, n.value); ok {
		d.spend(to - from)
		d.report(from, to, code)
		return
	}
	i := n.value
	if text[i] == '{' && i+1 < len(text) && text[i+1] != '{' && n.op == '=' && !n.spaced {
		d.braced(i)
		return
	}
	if n.op == 'a' || isCall(text, i) {
		return
	}
	to := d.unquotedEnd(n)
	if n.spaced && bytes.HasSuffix(text[n.start:n.end], text[i:to]) {
		return // self.password = password
	}
	if n.op == ':' && n.quote == 0 && !d.plainValue(n, to) {
		return
	}
	d.report(i, to, code)
}

// report adds the value text[from:to] if it is long enough and no stand-in.
func (d *Detector) report(from, to int, code Code) {
	v := d.text[from:to]
	if !longEnough(v) || d.notSecret(from, to) {
		return
	}
	if d.text[from] == '/' && d.workingDirectory(from) {
		return
	}
	d.add(from, to, code)
	d.valueEnd = to
}

// workingDirectory tells whether the value at from belongs to the shell variable PWD.
func (d *Detector) workingDirectory(from int) bool {
	i := from
	for i > 0 && (d.text[i-1] == '=' || d.text[i-1] == ' ' || d.text[i-1] == ':' || d.text[i-1] == '"' || d.text[i-1] == '\'') {
		i--
	}
	return hasAt(d.text, i-3, "PWD") && (i == 3 || !is(d.text[i-4], nameSet))
}

// quoted finds the value in quotes at text[i:], which may be escaped, without them.
// It ends at the first quote of the same kind and depth of escape, or at the line end.
func quoted(text []byte, i int) (from, to int, ok bool) {
	if i+1 < len(text) && bytes.IndexByte([]byte("bBrRuUfFL"), text[i]) >= 0 && (text[i+1] == '"' || text[i+1] == '\'') {
		i++
	}
	k := i
	for k < len(text) && text[k] == '\\' && k-i < maxEscapes {
		k++
	}
	if k >= len(text) || text[k] != '"' && text[k] != '\'' && text[k] != '`' {
		return 0, 0, false
	}
	depth, quote := k-i, text[k]
	from = k + 1
	for j := from; j < len(text); j++ {
		switch text[j] {
		case '\n':
			return from, j, true
		case quote:
			if n := backslashes(text[from:], j-from); n&(2*depth+1) == depth {
				return from, j - depth, true
			}
		}
	}
	return from, len(text), true
}

// braced handles a value in braces, as in ODBC strings; {name} is a placeholder.
func (d *Detector) braced(i int) {
	const maxBraced = 512
	rest := d.text[i+1 : min(len(d.text), i+maxBraced)]
	for k := 0; k < len(rest) && rest[k] != '\n'; k++ {
		switch {
		case rest[k] != '}':
		case k+1 < len(rest) && rest[k+1] == '}':
			k++ // a doubled brace is one of the value
		case run(rest, 0, alnum|underscore|dot) < k:
			d.report(i+1, i+1+k, EnvValue)
			return
		default:
			return
		}
	}
}

// unquotedEnd gives the end of the value that starts at n.value without a quote. A
// value within the last one that was measured ends where that one does.
func (d *Detector) unquotedEnd(n nameAt) int {
	list := n.op == ':' || n.quote != 0 || d.inList(n.start)
	m := &d.unquoted
	if n.value < m.start || n.value >= m.end || m.list != list {
		*m = measured{start: n.value, end: unquotedEnd(d.text, n.value, list), list: list}
		d.spend(m.end - m.start)
	}
	return trimClosers(d.text, n.value, m.end)
}

// measured is a value without quotes whose end is known.
type measured struct {
	start, end int
	list       bool
}

// unquotedEnd gives the end of the value at text[i:]. In a list a comma ends it.
func unquotedEnd(text []byte, i int, list bool) int {
	k := i
	for k < len(text) {
		switch c := text[k]; c {
		case ' ', '\t', '\n', ';', '&', ')', '<', '>', '`':
			return k
		case ',':
			if list {
				return k
			}
		case '"', '\'':
			if k+1 == len(text) || bytes.IndexByte([]byte(" \t\n,;)}]>:&|\\"), text[k+1]) >= 0 {
				return k
			}
		case '\\':
			if k+1 < len(text) && (text[k+1] == '"' || text[k+1] == '\'' || k-i >= minValue && bytes.IndexByte([]byte("nrt"), text[k+1]) >= 0) {
				return k
			}
		case '$', '{', '%':
			if end := referenceEnd(text, k, len(text)); end > k {
				k = end
				continue
			}
		case '[':
			if m := markerAt(text, k); m > 0 {
				k += m
				continue
			}
		}
		k++
	}
	return k
}

// trimClosers takes commas and unmatched closing brackets off the end of a value.
func trimClosers(text []byte, i, k int) int {
	v := text[max(i, k-maxMixed):k]
	square, curly := bytes.IndexByte(v, '[') < 0, bytes.IndexByte(v, '{') < 0
	for k > i && (text[k-1] == ',' || square && text[k-1] == ']' || curly && text[k-1] == '}') {
		k--
	}
	return k
}

// inList tells whether the name at i follows a bracket or comma.
func (d *Detector) inList(i int) bool {
	k := runBack(d.text, i, max(0, i-8), blank)
	return k > 0 && (d.text[k-1] == '{' || d.text[k-1] == ',' || d.text[k-1] == '[')
}

// plainValue judges NAME: value without quotes, which prose has as well. It wants a
// name in capitals, or a name that begins its line and a value that ends it, or a
// value that is no word.
func (d *Detector) plainValue(n nameAt, to int) bool {
	text := d.text
	if n.behindSlash(text) || to-n.value < minValue {
		return false
	}
	name, v := text[n.start:n.end], text[n.value:to]
	u := union(v[:min(len(v), maxMixed)])
	switch {
	case union(name)&lower == 0:
		return true
	case startsLine(text, n.start) && endsLine(text, to):
		return u&letter != u || len(v) >= 16 || isPasswordName(name)
	}
	return len(v) >= 16 && u&digit != 0 && u&letter != 0 && !bytes.Contains(v[:min(len(v), maxMixed)], []byte("://"))
}

func isPasswordName(name []byte) bool {
	name = name[:min(len(name), maxMixed)]
	return containsFold(name, "pass") || containsFold(name, "pwd")
}

// startsLine tells whether nothing but indentation, list and quote marks, a diff
// marker or a timestamp stands on the line before text[i].
func startsLine(text []byte, i int) bool {
	for k := i - 1; k >= 0 && i-k < 80; k-- {
		switch c := text[k]; {
		case c == '\n':
			return true
		case is(c, blank|digit|dash|plus), c == '>', c == '|', c == '#', c == '*', c == ':', c == '.', c == 'T', c == 'Z':
		default:
			return false
		}
	}
	return i < 80
}

func endsLine(text []byte, i int) bool {
	i = run(text, i, blank)
	return i >= len(text) || text[i] == '\n' || text[i] == '#' || hasAt(text, i, "\\n") || hasAt(text, i, "\\r")
}
