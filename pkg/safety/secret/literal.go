package secret

import "bytes"

// literals follows the quotes of a line, so that the quote that ends a string literal
// with a secret name in it ("token: ") is not taken for one that begins a value.
type literals struct {
	at   int // the line is read up to here
	open [4]literal
	n    int // number of literals that are open at that place
}

// literal is a string literal that has begun: its quote, with backslashes before it.
type literal struct {
	quote   byte
	escapes int
}

// isQuote tells whether c is a quote of any kind.
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// literalsAt gives the literals that are open at text[i]. It is asked with ascending i
// and looks at every byte once.
func (d *Detector) literalsAt(i int) *literals {
	l := &d.literals
	if i < l.at {
		*l = literals{at: bytes.LastIndexByte(d.text[:i], '\n') + 1}
	} else if k := bytes.LastIndexByte(d.text[l.at:i], '\n'); k >= 0 {
		*l = literals{at: l.at + k + 1}
	}
	d.spend(i - l.at)
	for k := l.at; k < i; k++ {
		c := d.text[k]
		if !isQuote(c) {
			continue
		}
		if k+2 < len(d.text) && d.text[k+1] == c && d.text[k+2] == c { // begins or ends a text of several lines
			k += 2
			continue
		}
		l.quote(d.text, k)
	}
	l.at = max(l.at, i)
	return l
}

// quote takes in the quote at text[k].
func (l *literals) quote(text []byte, k int) {
	q := literal{text[k], backslashes(text, k)}
	if m := l.find(q); m >= 0 {
		l.n = m
		return
	}
	if l.n < len(l.open) && opens(text, k-q.escapes) {
		l.open[l.n] = q
		l.n++
	}
}

// find gives the index of the open literal that q closes, or -1.
func (l *literals) find(q literal) int {
	for m := l.n - 1; m >= 0; m-- {
		if l.open[m] == q {
			return m
		}
	}
	return -1
}

// opens tells whether a quote at text[i] may begin a literal, by what stands before
// it: not a word (don't) and not the end of a sentence or expression.
func opens(text []byte, i int) bool {
	if i == 0 {
		return true
	}
	switch c := text[i-1]; c {
	case '.', '!', '?', ')', ']', '}':
		return false
	default:
		return !is(c, alnum) || isPrefix(c) && (i == 1 || !is(text[i-2], alnum))
	}
}

// closes tells whether a quote at text[k] may end a literal, by what stands behind it:
// white space, or what joins, separates or closes in code and prose. Where quotes do not
// pair, a value in quotes must not be taken for what stands behind one.
func closes(text []byte, k int) bool {
	if k+1 == len(text) {
		return true
	}
	next := byte('\n')
	if k+2 < len(text) {
		next = text[k+2]
	}
	switch c := text[k+1]; c {
	case ' ', '\t', '\n', ',', ')', ';', '+', ']', '}', '>', '\\', '"', '\'', '`':
		return true
	case '.':
		name := run(text, k+2, letter|underscore) // "…".format(x)
		return is(next, blank) || next == '\n' || name > k+2 && name < len(text) && text[name] == '('
	case '<':
		return next == '<' || next == '/'
	case ':', '|', '&':
		return next == c || is(next, blank) || next == '\n'
	}
	return false
}

// isPrefix tells whether c may stand before the quote of a literal: b"…", f'…'.
func isPrefix(c byte) bool { return bytes.IndexByte([]byte("bBrRuUfFL"), c) >= 0 }

// prefixEnd gives the place of the quote behind a prefix of a literal at text[i:], or i:
// rb"…", $@"…", r#"…"#.
func prefixEnd(text []byte, i int) int {
	const longest = 3
	for k := i; k < len(text) && k-i <= longest; k++ {
		switch c := text[k]; {
		case c == '"', c == '\'':
			return k
		case !isPrefix(c) && c != '$' && c != '@' && (c != '#' || k == i):
			return i
		}
	}
	return i
}

// behindLiteral handles a name whose operator ends a string literal. The value is then
// what is joined to the literal, if that is a literal itself: "token=" + "…". It tells
// whether there is a value, or none of this applies.
func (d *Detector) behindLiteral(n *nameAt) bool {
	text := d.text
	q, k, ok := quoteAt(text, n.value)
	if !ok || !closes(text, k) || d.literalsAt(k-q.escapes).find(q) < 0 {
		return true
	}
	j := run(text, k+1, blank)
	glued := j == k+1
	for j < len(text) && (text[j] == '+' || text[j] == '.' || text[j] == '&' || text[j] == '<' || text[j] == '~') {
		glued = true
		j++
	}
	j = run(text, j, blank)
	if _, _, ok := quoteAt(text, j); ok && glued {
		n.value = j
		return true
	}
	return false
}

// quoteAt reads a quote with the backslashes before it at text[i:]; k is its place.
func quoteAt(text []byte, i int) (q literal, k int, ok bool) {
	k = i
	for k < len(text) && text[k] == '\\' && k-i < maxEscapes {
		k++
	}
	if k >= len(text) || !isQuote(text[k]) {
		return q, k, false
	}
	return literal{text[k], k - i}, k, true
}

// quoted finds the value in quotes at text[i:], which may be escaped, without them.
// It ends at the first quote of the same kind and depth of escape, or at the line end.
func quoted(text []byte, i int) (from, to int, ok bool) {
	q, k, ok := quoteAt(text, prefixEnd(text, i))
	if !ok {
		return 0, 0, false
	}
	depth, quote, broken := q.escapes, q.quote, false
	from = k + 1
	for j := from; j < len(text); j++ {
		switch text[j] {
		case '\n':
			return from, j, true
		case '$', '#':
			// Quotes inside of `${…}` and "#{…}" are of the code there.
			code := quote == '`' && text[j] == '$' || quote == '"' && (text[j] == '#' || opensQuote(text, j))
			if code && !broken && depth == 0 && hasAt(text, j+1, "{") {
				if end := balanced(text, j+1, min(len(text), j+maxStructure), '{', '}'); end > 0 {
					j = end - 1
				} else {
					broken = true
				}
			}
		case quote:
			if n := backslashes(text[from:], j-from); n&(2*depth+1) == depth {
				return from, j - depth, true
			}
		}
	}
	return from, len(text), true
}

// opensQuote tells whether a name or a call in the ${ at text[i] has a text in quotes in
// it: "${data.token["x"]}".
func opensQuote(text []byte, i int) bool {
	const longest = 64
	k := run(text[:min(len(text), i+longest)], i+2, nameSet)
	return k > i+2 && (hasAt(text, k, `["`) || hasAt(text, k, `("`))
}

// inLiteral gives the end of text[from:to], which a nested quote begins, if the
// literal around it ends before: '{"token":"' + value + '"}'.
func (d *Detector) inLiteral(value, from, to int) int {
	l := d.literalsAt(value)
	if l.n == 0 {
		return to
	}
	q := l.open[l.n-1]
	for k := from; k < to; k++ {
		if d.text[k] != q.quote || backslashes(d.text[from:], k-from) != q.escapes {
			continue
		}
		if j := run(d.text, k+1, blank); j == len(d.text) || bytes.IndexByte([]byte("\n+.,);]}&<~\"'$"), d.text[j]) >= 0 {
			return k - q.escapes
		}
		return to
	}
	return to
}
