package secret

import "bytes"

// A bare value stands without quotes. Where it ends, and whether it is a value at all,
// is told by what stands around it.

// braced handles a value in braces, as in ODBC strings, and tells whether it is one;
// {name} is a placeholder.
func (d *Detector) braced(i int) bool {
	const maxBraced = 512
	if end, edges := referenceEnd(d.text, i, min(len(d.text), i+maxBraced)); end > 0 && edges {
		return true
	}
	rest := d.text[i+1 : min(len(d.text), i+maxBraced)]
	for k := 0; k < len(rest) && rest[k] != '\n'; k++ {
		switch {
		case rest[k] != '}':
		case k+1 < len(rest) && rest[k+1] == '}':
			k++ // a doubled brace is one of the value
		case k+1 < len(rest) && is(rest[k+1], alnum):
			return false
		default:
			d.report(i+1, i+1+k, EnvValue)
			return true
		}
	}
	return false
}

// unquotedEnd gives the end of the value that starts at n.value without a quote. A
// value within the last one that was measured ends where that one does.
func (d *Detector) unquotedEnd(n nameAt) int {
	var opt valueOptions
	if n.op == ':' || n.quote != 0 || d.inList(n.start) {
		opt |= inList
	}
	if d.inString(n.start, n.value) {
		opt |= inString
	}
	m := &d.unquoted
	if n.value < m.start || n.value >= m.end || m.opt != opt {
		*m = measured{start: n.value, end: unquotedEnd(d.text, n.value, opt), opt: opt}
		d.spend(m.end - m.start)
	}
	return trimClosers(d.text, n.value, m.end)
}

// measured is a value without quotes whose end is known.
type measured struct {
	start, end int
	opt        valueOptions
}

// valueOptions tell what may end a bare value.
type valueOptions uint8

const (
	inList   valueOptions = 1 << iota // a comma
	inString                          // an escaped line end
)

// inString tells whether the value at text[value:] stands in a string literal that begins
// before the name at text[start:] and ends behind it on the line.
func (d *Detector) inString(start, value int) bool {
	if start > 0 && isQuote(d.text[start-1]) {
		return true
	}
	if start > 1 && hasAt(d.text, start-2, `\n`) && d.literalsAt(start).n == 0 {
		return false
	}
	l := d.literalsAt(start)
	if l.n == 0 || bytes.IndexByte(d.text[value:min(len(d.text), value+maxBlock)], '\\') < 0 {
		return false
	}
	const farthest = 4096
	rest := d.text[value:min(len(d.text), value+farthest)]
	if k := bytes.IndexByte(rest, '\n'); k >= 0 {
		rest = rest[:k]
	}
	d.spend(len(rest))
	return bytes.IndexByte(rest, l.open[0].quote) >= 0 || len(rest) == farthest
}

// unquotedEnd gives the end of the value at text[i:].
func unquotedEnd(text []byte, i int, opt valueOptions) int {
	k, broken := i, false
	for k < len(text) {
		switch c := text[k]; c {
		case ' ', '\t', '\n', ';', '&', ')', '<', '>', '`':
			return k
		case ',':
			if opt&inList != 0 {
				return k
			}
		case '"', '\'':
			if k+1 == len(text) || bytes.IndexByte([]byte(" \t\n,;)}]>:&|\\"), text[k+1]) >= 0 || text[k+1] == '.' && closes(text, k) {
				return k
			}
		case '\\':
			if k+1 < len(text) && (text[k+1] == '"' || text[k+1] == '\'' || opt&inString != 0 && (k-i >= minValue || isFilledIn(text[i:k])) && bytes.IndexByte([]byte("nrt"), text[k+1]) >= 0) {
				return k
			}
		case '$', '{', '%', '#', '[':
			if end := stepOver(text, k, len(text), &broken); end > k {
				k = end
				continue
			}
		}
		k++
	}
	return k
}

// isFilledIn tells whether v is a mark or variable that a program puts a value in for: %s,
// {:?}, $name.
func isFilledIn(v []byte) bool {
	if len(v) < 2 {
		return false
	}
	const longest = 6 // of a mark: %-10s
	last := v[len(v)-1]
	return v[0] == '%' && is(last, letter) && len(v) <= longest || v[0] == '{' && last == '}' || v[0] == '$' && run(v, 1, alnum|underscore) == len(v)
}

// stepOver gives the place behind the reference or marker at text[k], or k. broken
// remembers that a reference has no end: the next ones are not looked for then.
func stepOver(text []byte, k, limit int, broken *bool) int {
	if text[k] == '[' {
		return k + markerAt(text, k)
	}
	if *broken {
		return k
	}
	end, _ := referenceEnd(text, k, limit)
	*broken = end == unclosed
	return max(k, end)
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
	if n.behindSlash(text) || to-n.value < minValue || isProgress(text[n.value:to]) || n.isModule(text, to) {
		return false
	}
	name, v := text[n.start:n.end], bytes.TrimSuffix(text[n.value:to], []byte(".")) // a sentence may end
	u := union(v[:min(len(v), maxMixed)])
	switch {
	case union(name)&lower == 0:
		return endsSecret(name) || !startsSentence(text, n.value, to)
	case startsLine(text, n.start) && endsLine(text, to):
		return (u&letter != u || len(v) >= 16 || isPasswordName(name)) && !isAddress(v)
	case d.inList(n.start) && to < len(text) && (text[to] == ',' || text[to] == '}'): // {token: …}
		return u&digit != 0 && u&letter != 0
	}
	if n.start > 0 && isQuote(text[n.start-1]) && to < len(text) && text[to] == text[n.start-1] { // -H "Api-Token: …"
		return u&digit != 0 && u&letter != 0 && !isAddress(v)
	}
	return len(v) >= 16 && u&digit != 0 && u&letter != 0 && !isAddress(v)
}

// startsSentence tells whether text[i:to] is a word with a capital before one without, as
// what describes a constant begins: AUTH_TYPE_UNSPECIFIED: Authentication is not set.
func startsSentence(text []byte, i, to int) bool {
	return is(text[i], upper) && run(text, i+1, lower) == to && to+1 < len(text) && text[to] == ' ' && is(text[to+1], lower)
}

// isAddress tells whether v is a URL. Secrets in it have names of their own.
func isAddress(v []byte) bool { return bytes.Contains(v[:min(len(v), maxMixed)], []byte("://")) }

// isProgress tells whether v says that something goes on: Creating...
func isProgress(v []byte) bool {
	k := run(v, 0, letter)
	return is(v[0], upper) && endsIn(v[:k], "ing") && k+3 == len(v) && hasAt(v, k, "...")
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
		case is(c, blank|digit|dash|plus), c == '>', c == '|', c == '#', c == '*', c == '`', c == ':', c == '.', c == 'T', c == 'Z':
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

// inAngles gives the end of a value that begins with < and is no placeholder, or the
// place of the bracket.
func (d *Detector) inAngles(n nameAt) int {
	text, i := d.text, n.value
	if text[i] == '>' && isVariableLine(text, i) {
		return unquotedEnd(text, i+1, 0)
	}
	if text[i] != '<' || n.op != '=' || n.spaced || i+1 == len(text) || !is(text[i+1], alnum) {
		return i
	}
	var opt valueOptions
	if n.quote != 0 || d.inList(n.start) {
		opt = inList
	}
	end := unquotedEnd(text, i+1, opt)
	d.spend(end - i)
	if end == len(text) || text[end] != '>' {
		return end
	}
	if end++; end == len(text) || !is(text[end], alnum) {
		return i
	}
	return unquotedEnd(text, end, 0)
}

// isVariable tells whether the bare value text[n.value:to] is the name of a variable: a
// repetition of the name before it (self.password = password), what an operator tells (see
// inStatement, isOperand), or where code goes on another secret name of several words
// (connect(token=access_token)), or any name of several behind one in quotes.
func (d *Detector) isVariable(n nameAt, to int) bool {
	text := d.text
	v := text[n.value:to]
	if len(v) > maxMixed {
		return false
	}
	if v[0] == '!' && n.spaced && run(v, 1, letter|underscore|dot) == len(v) && (hasAt(text, to, " || ") || hasAt(text, to, " && ")) {
		return true
	}
	if v[0] == '*' && n.op == ':' && run(v, 1, nameSet) == len(v) {
		return true // an alias of YAML
	}
	within := to < len(text) && (bytes.IndexByte([]byte(")}]"), text[to]) >= 0 || n.endsCall(text, to) ||
		text[to] == ',' && (n.quote != 0 || to+1 == len(text) || text[to+1] == '\n' || text[to+1] == ' ') || n.spaced && text[to] == ';')
	name := text[n.start:n.end]
	statement := n.inStatement(text)
	switch {
	case bytes.HasSuffix(name, v):
		return n.spaced || within
	case (statement || within) && repeats(v, name), isOperand(text, n, to):
		return true
	case run(v, 0, letter|underscore|dot) < len(v):
		return false
	case statement:
		return true
	case n.spaced && n.op == '=' && isChoice(text, to), !endsSecret(name) && hasAt(text, to, " + ") && is(text[min(to+3, len(text)-1)], digit):
		return true
	}
	if parts := bytes.Count(v, []byte(".")); parts > 1 && n.spaced && v[len(v)-1] != '.' {
		for part := range bytes.SplitSeq(v, []byte(".")) {
			if secretName(part) {
				return true // an attribute: random_password.redis.result
			}
		}
		if last := v[bytes.LastIndexByte(v, '.')+1:]; bytes.IndexByte(v, '_') > 0 && attributes.has(last) {
			return true
		}
	}
	return within && wordEnd(v, 0) < len(v) && (secretName(v) || n.quote != 0 && n.op == ':')
}

// isChoice tells whether a condition and another choice, or another type, stand behind
// text[:i]: a if b else c, A & {.
func isChoice(text []byte, i int) bool {
	if hasAt(text, i, " & {") || hasAt(text, i, " | null") || hasAt(text, i, " | undefined") {
		return true
	}
	if !hasAt(text, i, " if ") {
		return false
	}
	line, _, _ := bytes.Cut(text[i:min(len(text), i+maxStructure)], []byte("\n"))
	return bytes.Contains(line, []byte(" else "))
}

// saysOther tells whether text[from:to] is no secret by what the name says, but the path of
// the file that holds it, the name of the object that does, a pattern of what is one, or
// the name over again. Base64 may begin with a slash, and has no dot.
func (n *nameAt) saysOther(text []byte, from, to int) bool {
	const longest = 1024
	v := text[from:min(to, from+longest)]
	if len(v) < minValue {
		return false
	}
	name := text[n.start:n.end]
	last := fold(name[lastWord(name):])
	if last.in(patternWords) {
		return bytes.ContainsAny(v, `^[(*?\`)
	}
	if last.in(pathWords) || last.in(keyNames) {
		if dot := bytes.LastIndexByte(v, '.'); dot > 0 && keyFiles.has(v[dot+1:]) && run(v, 0, nameSet|slash) == len(v) {
			return true
		}
	}
	if isObjectName(v, name) || isOwnName(v, name) {
		return true
	}
	if !hasAt(v, 0, "/") && !hasAt(v, 0, "~/") && !hasAt(v, 0, "./") && !hasAt(v, 0, "../") {
		return false
	}
	return (last.in(pathWords) || !endsSecret(name) && hasWord(name, fileWords)) && (bytes.IndexByte(v, '.') >= 0 || union(v)&upper == 0)
}
