package secret

import "bytes"

// A reference reads a value from somewhere else and holds no secret of its own. A value
// is a pure reference if it is one, or several joined by punctuation. Words may stand
// around references only if those have edges of their own (braces, a name in capitals
// behind a character that is no letter or digit, or blanks) and the words are too short
// for a secret: prefix-${B} is a reference, Micro$oft123 and $ummer2024! are passwords.

// maxReference bounds the search for the end of a reference.
const maxReference = 512

// maxReferences is the length of a value from which it is no reference.
const maxReferences = 2048

// startsReference are the characters with which codeReferences begin.
var startsReference = func() (t [256]bool) {
	for _, r := range codeReferences {
		t[r[0]] = true
	}
	return t
}()

// isReference tells whether v is a pure reference. code tells that v stands where code
// may: expressions without a mark of their own are references only there.
func isReference(v []byte, code bool) bool {
	if len(v) == 0 || len(v) > maxReferences {
		return false
	}
	if readsEnvironment(v, code) || code && (isDotted(v) || hasAt(v, len(v)-2, "[]") && union(v)&^lower == 0 && run(v, 0, lower) == len(v)-2) {
		return true
	}
	if pairs(v[0], v[len(v)-1]) && bytes.IndexByte(v, '$') == 1 {
		v = v[1 : len(v)-1] // [$list]
	}
	words, bare, found, joint := 0, false, false, 0
	for i := 0; i < len(v); {
		switch end, edges := referenceEnd(v, i, len(v)); {
		case end == unclosed:
			return false
		case end > 0:
			if !edges {
				// A small name may be a part of a password: another reference has to
				// stand on the other side of what joins it.
				bare = bare || i > 0 && (joint == 0 || i != joint+1) || end < len(v) && !joins(v, end)
			}
			found, joint = true, end
			i = end
			continue
		}
		if v[i] == '[' {
			if m := markerAt(v, i); m > 0 {
				i += m
				continue
			}
		}
		if is(v[i], alnum) || v[i] >= 0x80 {
			if words++; words >= minValue {
				return false
			}
		}
		i++
	}
	return found && !bare
}

// joins tells whether one punctuation mark and a reference behind it stand at v[i:].
func joins(v []byte, i int) bool {
	return bytes.IndexByte([]byte(":/@,|.-+"), v[i]) >= 0 && i+2 < len(v) && bytes.IndexByte([]byte("${%"), v[i+1]) >= 0
}

// readsEnvironment tells whether v begins like an expression that reads the
// environment and the like. In a text it has to go on with a name in capitals.
func readsEnvironment(v []byte, code bool) bool {
	if !startsReference[v[0]] {
		return false
	}
	for _, p := range codeReferences {
		if !hasAt(v, 0, p) {
			continue
		}
		rest := v[len(p):]
		if code || p[0] == '!' || p[0] == '$' {
			return len(rest) == 0 || !is(p[len(p)-1], alnum) || !is(rest[0], alnum|underscore|dash)
		}
		return union(rest)&lower == 0 && (len(rest) == 0 || !is(rest[0], dash))
	}
	return false
}

// inCode tells whether the value at text[i:to] may be code: it stands neither in quotes
// nor behind another word nor in a URL. Behind a variable of the environment its last
// part has to have a secret name: TOKEN=secrets.token.
func inCode(text []byte, i, to int) bool {
	if isVariableLine(text, i) {
		last := text[i+bytes.LastIndexByte(text[i:to], '.')+1 : to]
		return run(last, 0, letter|underscore) == len(last) && secretName(last)
	}
	k := runBack(text, i, max(0, i-8), blank)
	return (k == 0 || !isQuote(text[k-1]) && (k == i || !is(text[k-1], alnum))) && (to >= len(text) || text[to] != '@')
}

// unclosed is the end of a reference that begins and does not end on its line.
const unclosed = -1

// referenceEnd gives the end of the reference that starts at text[i], or 0: $VAR,
// ${VAR}, $(…), ${{ … }}, {{ … }}, {name}, #{…}, %VAR%, %{…}, %(…)s, <%= … %>. edges
// tells that one can say where it begins and ends whatever adjoins it.
func referenceEnd(text []byte, i, limit int) (end int, edges bool) {
	if i+1 >= limit {
		return 0, false
	}
	switch c, next := text[i], text[i+1]; c {
	case '$':
		switch {
		case next == '{' && i+2 < limit && text[i+2] == '{':
			return closing(text, i, 3, limit, "}}"), true
		case next == '{':
			return balanced(text, i+1, limit, '{', '}'), true
		case next == '(':
			return balanced(text, i+1, limit, '(', ')'), true
		case is(next, letter|underscore):
			end = dollarName(text, i, limit)
			if union(text[i:max(i, end)])&lower == 0 {
				return end, i == 0 || !is(text[i-1], alnum) && text[i-1] != '$'
			}
			return end, (i == 0 || is(text[i-1], blank)) && (end >= limit || is(text[end], blank))
		case is(next, digit) && (i+2 == limit || !is(text[i+2], alnum) && text[i+2] != '$'):
			return i + 2, true
		}
	case '{':
		if next == '{' {
			end = closing(text, i, 2, limit, "}}")
		} else if k := run(text[:limit], i+1, alnum|underscore|dot); is(next, letter|underscore) && k < limit && text[k] == '}' {
			end = k + 1
		} else if is(next, letter|underscore) && k < limit && formatEnd(text[:limit], k) > 0 {
			end = formatEnd(text[:limit], k)
		} else if k > i+1 && k < limit && text[k] == '(' {
			end = balanced(text, i, limit, '{', '}')
		}
		return end, standsFree(text, i, end, limit)
	case '#':
		if next == '{' {
			return closing(text, i, 2, limit, "}"), true
		}
	case '<':
		if next == '%' {
			return closing(text, i, 2, limit, "%>"), true
		}
	case '%':
		switch {
		case next == '(':
			return closing(text, i, 2, limit, ")s"), true
		case next == '{':
			return closing(text, i, 2, limit, "}"), true
		case is(next, letter|underscore):
			if k := run(text[:limit], i+1, alnum|underscore); k > i+2 && k < limit && text[k] == '%' {
				return k + 1, standsFree(text, i, k+1, limit)
			}
		}
	}
	return 0, false
}

// formatEnd gives the end of a replacement field of Python whose name ends at text[k], or
// 0: {name!r}, {name[:2]}.
func formatEnd(text []byte, k int) int {
	switch text[k] {
	case '!':
		if k+2 < len(text) && bytes.IndexByte([]byte("rsa"), text[k+1]) >= 0 && text[k+2] == '}' {
			return k + 3
		}
	case '[':
		for k++; k < len(text) && (is(text[k], digit|dash) || text[k] == ':'); {
			k++
		}
		if hasAt(text, k, "]}") {
			return k + 2
		}
	}
	return 0
}

// dollarName gives the end of the $name at text[i], or 0: in the middle of a word, or
// behind another dollar sign, $ is a character like others unless the name has capitals
// only. Members belong to a name that has not: $this->key, and behind a dot those of a
// name that is known or that have a secret name: $request.header.x-api-key.
func dollarName(text []byte, i, limit int) int {
	text = text[:limit]
	end := run(text, i+1, alnum|underscore)
	if k := run(text, end+1, alnum|underscore); hasAt(text, end, "{") && k > end+1 && hasAt(text, k, "}") {
		end = k + 1 // $ENV{NAME}
	}
	if union(text[i:end])&lower == 0 {
		return end
	}
	if i > 0 && (is(text[i-1], alnum) || text[i-1] == '$') {
		return 0
	}
	for hasAt(text, end, "->") && end+2 < limit && is(text[end+2], letter|underscore) {
		end = run(text, end+2, alnum|underscore)
	}
	if end+1 >= limit || text[end] != '.' || !is(text[end+1], letter|underscore) {
		return end
	}
	if referenceRoots.has(text[i+1 : end]) {
		return run(text, end, nameSet)
	}
	members := run(text, end, alnum|underscore|dot)
	if last := bytes.LastIndexByte(text[end:members], '.') + 1; secretName(text[end+last : members]) {
		return members
	}
	return end
}

// standsFree tells whether neither a letter nor a digit adjoins text[i:end].
func standsFree(text []byte, i, end, limit int) bool {
	return end > 0 && (i == 0 || !is(text[i-1], alnum)) && (end == limit || !is(text[end], alnum))
}

// closing gives the end of the first mark in the line from text[i+skip] on, or unclosed.
func closing(text []byte, i, skip, limit int, mark string) int {
	rest := text[min(i+skip, limit):min(limit, i+maxReference)]
	if k := bytes.IndexByte(rest, '\n'); k >= 0 {
		rest = rest[:k]
	}
	if k := bytes.Index(rest, []byte(mark)); k >= 0 {
		return i + skip + k + len(mark)
	}
	return unclosed
}

// balanced gives the index behind the bracket that closes the one at text[i], or
// unclosed.
func balanced(text []byte, i, limit int, open, shut byte) int {
	depth := 0
	for k := i; k < min(limit, i+maxReference) && text[k] != '\n'; k++ {
		switch text[k] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return k + 1
			}
		}
	}
	return unclosed
}

// openCommand tells whether text[from:to] begins a command that goes on on the next
// line: a $( without an end, and arguments.
func openCommand(text []byte, from, to int) bool {
	if !hasAt(text, from, "$(") || bytes.IndexByte(text[from:to], ')') >= 0 {
		return false
	}
	v := text[from+2 : to]
	return len(v) == 0 || bytes.IndexByte(v, ' ') >= 0 || v[len(v)-1] == '\\' || to < len(text) && is(text[to], blank)
}

// isDotted tells whether v is a member of something: config.token, req.body?.token,
// !user!.token. It is if one knows what it is a member of, or which.
func isDotted(v []byte) bool {
	v = bytes.TrimRight(bytes.TrimLeft(v, "!"), "!")
	i := run(v, 0, letter|underscore)
	if i == 0 || len(v) > maxReference {
		return false
	}
	last := 0
	for k := i; k < len(v); k++ {
		switch c := v[k]; {
		case c == '.':
			last = k + 1
		case (c == '?' || c == '!') && hasAt(v, k+1, "."):
		case !is(c, alnum|underscore):
			return false
		}
	}
	switch {
	case last == 0:
		return false
	case referenceRoots.has(v[:i]), secretName(v[last:]), memberNames.has(v[last:]):
		return true
	}
	return last == i+1 && secretName(v[:i]) && union(v[last:])&^(upper|underscore) == 0 // TokenType.BEARER
}

// defaultLiteral gives the place of the literal for an unset variable in the reference that
// starts with ${ at text[i]: ${NAME:-literal}, ${NAME:=literal}, ${NAME-literal},
// ${name:literal}.
func defaultLiteral(text []byte, i int) (from, to int, ok bool) {
	name := i + 2
	k := run(text, name, alnum|underscore|dot)
	if k == name || k >= len(text) {
		return 0, 0, false
	}
	// ${env:NAME} and ${ssm:/path} read from a named source.
	variable := union(text[name:k])&lower == 0 || secretName(text[name:k])
	switch {
	case text[k] == ':' && k+1 < len(text) && (text[k+1] == '-' || text[k+1] == '='):
		from = k + 2
	case text[k] == ':' && k+1 < len(text) && text[k+1] != '+' && text[k+1] != '?' && variable:
		from = k + 1
	case text[k] == '-' && variable:
		from = k + 1
	default:
		return 0, 0, false
	}
	if to = balanced(text, i+1, len(text), '{', '}'); to == unclosed {
		return 0, 0, false
	}
	if f, t, quote := quoted(text[:to-1], from); quote {
		return f, t, true
	}
	return from, to - 1, true
}
