package secret

import "bytes"

// A word without quotes is the name of a variable where an operator stands before or behind
// it that only code has, or the end of a call.

// endsCall tells whether the name may be that of an argument, the line ends behind it at
// text[i], and the next one begins with the bracket that ends the call. Names in capitals
// stand in lists of the shell as well.
func (n *nameAt) endsCall(text []byte, i int) bool {
	u := union(text[n.start:n.end])
	return text[i] == '\n' && u&lower != 0 && u&(dash|dot) == 0 && hasAt(text, run(text[:min(len(text), i+maxIndent)], i+1, blank), ")")
}

// inStatement tells whether the operator before the value is one that only code has: name :=,
// name +=, or is so by the name: self.name =, x["name"] =, f(x).name =, x, name =. Makefiles
// have the first two as well, mostly behind names in capitals.
func (n *nameAt) inStatement(text []byte) bool {
	if n.op != '=' || !n.spaced {
		return false
	}
	name := text[n.start:n.end]
	switch {
	case n.quote != 0:
		return text[n.end+n.escapes+1] == ']'
	case hasAt(name, 0, "self."), hasAt(name, 0, "this."), hasAt(text, n.start-2, "]."), hasAt(text, n.start-2, ")."):
		return true
	case hasAt(text, n.start-2, ", "):
		return n.isOneOf(text)
	}
	equal := runBack(text, n.value, n.end, blank) - 1
	return (text[equal-1] == ':' || text[equal-1] == '+') && union(name)&lower != 0
}

// isOneOf tells whether the names before this one on the line get their values with it, from
// one variable of several words: user, password = user_password.
func (n *nameAt) isOneOf(text []byte) bool {
	const most = 4 // names before this one
	k := n.start
	for range most {
		if !hasAt(text, k-2, ", ") {
			break
		}
		k = runBack(text, k-2, max(0, k-maxIndent), alnum|underscore|dot)
	}
	k = runBack(text, k, max(0, k-maxIndent), blank)
	v := text[n.value:run(text[:min(len(text), n.value+maxMixed)], n.value, letter|underscore)]
	return (k == 0 || text[k-1] == '\n') && len(v) > 0 && wordEnd(v, 0) < len(v)
}

// repeats tells whether the name of a variable ends like the name that it is given to, of
// several words: PrivateKey: testRSA2048PrivateKey.
func repeats(v, name []byte) bool {
	name = name[bytes.LastIndexByte(name, '.')+1:]
	k := len(v) - len(name)
	return k > 0 && len(name) > 0 && wordEnd(name, 0) < len(name) && bytes.EqualFold(v[k:], name) &&
		is(v[0], letter|underscore) && run(v, 0, alnum|underscore) == len(v)
}

// operators stand between blanks behind a variable. Prose and tables have those that are
// true too.
var operators = map[string]bool{
	"+": false, "%": false, "=": false, "==": false, "!=": false, "===": false, "!==": false, "||": false, "&&": false, "??": false,
	"|": true, "?": true, "or": true, "and": true, "is": true,
}

// isOperand tells whether the name of a variable, or a type, ends at text[to] as an operand:
// an operator stands behind it, and behind that what no text has.
func isOperand(text []byte, n nameAt, to int) bool {
	const longest = 3
	if !hasAt(text, to, " ") || n.op == '=' && !n.spaced {
		return false
	}
	end := to + 1
	for end < len(text) && end-to <= longest && text[end] > ' ' {
		end++
	}
	operator, set := text[to+1:end], letter|underscore|dot
	prose, ok := operators[string(operator)]
	if n.op == ':' { // of what may stand here only a type has this
		ok, set = string(operator) == "=", set|digit
	}
	v := text[n.value:to]
	if !ok || !hasAt(text, end, " ") || run(v, 0, set) < len(v) {
		return false
	}
	switch {
	case !prose:
		return n.op == '=' && string(operator) == "=" || operandAt(text, end+1, true)
	case operator[0] == '|': // of constants
		return union(v)&^(upper|underscore) == 0 && operandAt(text, end+1, false)
	}
	return wordEnd(v, 0) < len(v) && operandAt(text, end+1, operator[0] == '?')
}

// operandAt tells whether what only code has begins at text[i]: a call, a member, a name of
// several words, nothing, or, if that may be, a literal or a bracket.
func operandAt(text []byte, i int, literal bool) bool {
	if i == len(text) {
		return false
	}
	if literal {
		if q := prefixEnd(text, i); q < len(text) && isQuote(text[q]) || bytes.IndexByte([]byte("([{"), text[i]) >= 0 {
			return true
		}
	} else if hasAt(text, i, "not None") {
		return true
	}
	k := run(text[:min(len(text), i+maxMixed)], i, alnum|underscore|dot)
	switch w := bytes.TrimRight(text[i:k], "."); string(w) {
	case "None", "nil", "null":
		return true
	default:
		return len(w) > 0 && is(w[0], letter|underscore) && (bytes.IndexByte(w, '_') >= 0 || bytes.IndexByte(w, '.') > 1 || hasAt(text, k, "("))
	}
}

// isIdentifier tells whether the bare value text[n.value:to] is the name of a variable by its
// own shape and that of the name: words joined in the ways of code, with digits only at the
// end, behind a name in camel case, in quotes, or of a member, where code goes on behind it.
// NAME=value without blanks, a name in capitals, and a value alone on its line are none.
func (n *nameAt) isIdentifier(text []byte, to int) bool {
	name, v := text[n.start:n.end], text[n.value:to]
	if n.op == '=' && !n.spaced && !n.argument(text) || union(name)&lower == 0 || len(v) > maxMixed {
		return false
	}
	end := runBack(v, len(v), 0, digit)
	if sameLast(v, name) && run(v, 0, alnum) == len(v) && is(v[0], lower) && to < len(text) && bytes.IndexByte([]byte(",;)"), text[to]) >= 0 {
		return true // calculateToken: calculateSha2Token,
	}
	if end == 0 || run(v, 0, letter|underscore|dot) < end || !is(v[0], letter|underscore) || v[end-1] == '.' {
		return false
	}
	if n.spaced && n.op == '=' && to < len(text) && text[to] == ';' && end == len(v) && is(v[0], upper) && innerCapital(v) {
		return true
	}
	joined := bytes.IndexByte(v[:end], '_') >= 0 || bytes.IndexByte(v[:end], '.') >= 0 || is(v[0], lower) && union(v)&upper != 0
	if !joined && (end < len(v) || union(v)&upper != 0) {
		return false
	}
	declared := isDeclared(text, n.start)
	if n.quote == 0 && !n.isMember(text) && !declared && (union(name)&upper == 0 || wordEnd(name, 0) == len(name)) {
		return false
	}
	assigned := n.op == '=' && n.spaced
	if to == len(text) || text[to] == '\n' {
		shuts := run(text[:min(len(text), to+maxIndent)], min(to+1, len(text)), blank)
		ends := n.quote != 0 && shuts < len(text) && (text[shuts] == '}' || text[shuts] == ')')
		return joined && (declared || ends || assigned)
	}
	for _, word := range []string{" if ", " unless ", " do ", " as "} {
		if assigned && hasAt(text, to, word) {
			return joined
		}
	}
	if assigned && declared && hasAt(text, to, " +") {
		return joined
	}
	return bytes.IndexByte([]byte(",;)"), text[to]) >= 0
}

// isMember tells whether the name is of a member: a.name, @name.
func (n *nameAt) isMember(text []byte) bool {
	return n.start > 0 && (text[n.start-1] == '.' || text[n.start-1] == '@') || bytes.IndexByte(text[n.start:n.end], '.') >= 0
}

// sameLast tells whether v and a name end with the same word behind another one.
func sameLast(v, name []byte) bool {
	k := lastWord(v)
	return k > 0 && k < len(v) && is(v[k], upper) && bytes.EqualFold(v[k:], name[lastWord(name):])
}

// isDeclared tells whether a word that declares a variable stands before text[i].
func isDeclared(text []byte, i int) bool {
	for _, word := range []string{"const ", "let ", "var ", "val ", "final ", "type "} {
		if hasAt(text, i-len(word), word) {
			return true
		}
	}
	return false
}

// isCommand tells whether text[n.value:] is a call of a name with dashes: HKDF-Expand(a, b),
// Get-Secret -Name a.
func (n *nameAt) isCommand(text []byte, to int) bool {
	end := run(text[:min(len(text), n.value+maxIndent)], n.value, letter|dash)
	if end == n.value || end == len(text) || bytes.IndexByte(text[n.value:end], '-') <= 0 || !is(text[n.value], upper) {
		return false
	}
	if text[end] == '(' {
		shut := bracketEnd(text, end)
		return shut != unclosed && (shut == len(text) || bytes.IndexByte([]byte(" \n;,.)"), text[shut]) >= 0)
	}
	dollar := n.start > 0 && text[n.start-1] == '$'
	return end == to && (dollar || hasAt(text, end, " -") && end+2 < len(text) && is(text[end+2], letter))
}
