package secret

import "bytes"

// What stands behind the operator may be no text at all but code: a list, an object, a
// call. Rewriting a bracket or a call breaks the code around it, and nothing in it is
// secret because of the name before it: names inside decide about their own values. Of
// lists the texts are looked at.

// maxStructure bounds how far brackets are followed, maxDepth how deep.
const (
	maxStructure = 192
	maxDepth     = 5
)

// structure handles a list, object or tuple at n.value and tells whether it is one. It
// calls item for the texts that are elements of it, without a name.
func (d *Detector) structure(n nameAt, item func(from, to int)) bool {
	text, i := d.text, n.value
	if text[i] != '[' && text[i] != '{' && text[i] != '(' {
		return false
	}
	if markerAt(text, i) > 0 || hasAt(text, i, "{{") && n.quote == 0 {
		return false
	}
	if opensObject(text, i) {
		return true
	}
	end := bracketEnd(text, i)
	d.spend(max(end, i+1) - i)
	shut := end - 1
	if end == unclosed {
		shut = min(len(text), i+maxStructure)
	}
	inner := text[i+1 : shut]
	if k := bytes.IndexByte(inner, '\n'); k >= 0 {
		inner = inner[:k]
	}
	switch {
	case n.quote != 0 && n.op != '=': // JSON and the like have no bare texts
	case (n.spaced || n.argument(text)) && namesOnly(text, i, end, inner):
	case end == unclosed:
		if k := run(inner, 0, nameSet); !opensStructure(inner) && !(n.op == ':' && k > 0 && hasAt(inner, k, ":")) {
			return false
		}
	case end < len(text) && is(text[end], alnum|underscore), !bytes.ContainsAny(inner, "\"'`,()[]{} ") && len(inner) > 0:
		return false
	case text[i] == '{' && n.op == '=' && !n.spaced && !n.argument(text) && !opensStructure(inner) && !isObject(inner) && !bytes.ContainsAny(inner, "\"'`"):
		return false // Pwd={a (b) c}
	}
	d.items(i, shut, item)
	if n.op == ':' && n.quote == 0 && text[i] == '[' && end != unclosed {
		d.bareItems(i, shut, item)
	}
	return true
}

// opensObject tells whether the bracket at text[i] opens an object: its first element
// has a name in quotes. No text in it stands without a name then.
func opensObject(text []byte, i int) bool {
	limit := min(len(text), i+maxStructure)
	from := i + 1
	for from < limit && (is(text[from], blank) || text[from] == '\n') {
		from++
	}
	_, _, ok := quoteAt(text[:limit], from)
	if !ok {
		return false
	}
	_, to, ok := quoted(text[:limit], from)
	if !ok {
		return false
	}
	for to < limit && (text[to] == '\\' || isQuote(text[to])) {
		to++
	}
	return hasAt(text, run(text, to, blank), ":")
}

// namesOnly tells whether names of variables stand in the bracket at text[i], which ends
// at end: (a.b or … and (a.b without an end on the line, and [a_b] where code goes on.
func namesOnly(text []byte, i, end int, inner []byte) bool {
	if len(inner) == 0 || !is(inner[0], letter|underscore) {
		return false
	}
	name := run(inner, 0, alnum|underscore|dot)
	if end == unclosed {
		return text[i] == '(' && (name == len(inner) && bytes.IndexByte(inner, '.') > 0 || name < len(inner) && bytes.IndexByte([]byte("( ["), inner[name]) >= 0)
	}
	return text[i] == '[' && name == len(inner) && (union(inner)&(underscore|dot) != 0 || hasAt(text, end, ";")) && end < len(text) && bytes.IndexByte([]byte(",;)"), text[end]) >= 0
}

// isObject tells whether members stand in a brace: a:!0,b:!1.
func isObject(inner []byte) bool {
	name := run(inner, 0, nameSet)
	return name > 0 && hasAt(inner, name, ":") && bytes.IndexByte(inner, ',') > name
}

// opensStructure tells whether what follows an opening bracket is no text.
func opensStructure(inner []byte) bool {
	j := run(inner, 0, blank)
	if j == len(inner) {
		return true
	}
	if _, _, ok := quoteAt(inner, j); ok || bytes.IndexByte([]byte("[{("), inner[j]) >= 0 {
		return true
	}
	k := run(inner, j, nameSet)
	return k > j && k < len(inner) && inner[k] == ',' && run(inner, k+1, blank) == len(inner)
}

// bracketEnd gives the index behind the bracket that closes the one at text[i] on its
// line, or unclosed. Brackets in quotes do not count.
func bracketEnd(text []byte, i int) int {
	limit, depth := min(len(text), i+maxStructure), 0
	for k := i; k < limit; k++ {
		switch text[k] {
		case '\n':
			return unclosed
		case '(', '[', '{':
			if depth++; depth > maxDepth {
				return unclosed
			}
		case ')', ']', '}':
			if depth--; depth == 0 && pairs(text[i], text[k]) {
				return k + 1
			} else if depth == 0 {
				return unclosed
			}
		case '"', '\'', '`':
			if _, to, ok := quoted(text[:limit], k-backslashes(text[i:], k-i)); ok {
				k = to + backslashes(text[i:], k-i)
			}
		}
	}
	return unclosed
}

// pairs tells whether shut is the bracket that closes open.
func pairs(open, shut byte) bool {
	return open == '(' && shut == ')' || open == '[' && shut == ']' || open == '{' && shut == '}'
}

// items calls item for every text in quotes that is an element of the list or set
// between text[i] and text[shut], which may be on several lines.
func (d *Detector) items(i, shut int, item func(from, to int)) {
	text, depth := d.text, 0
	for k := i + 1; k < shut && depth >= 0 && depth < maxDepth; k++ {
		switch c := text[k]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'', '`', '\\':
			q, at, ok := quoteAt(text, k)
			if !ok {
				continue
			}
			from, to, _ := quoted(text, k)
			d.spend(to - from)
			before := k - 1
			for is(text[before], blank) || text[before] == '\n' || is(text[before], letter) && before == k-1 && isPrefix(text[before]) {
				before--
			}
			k = to + q.escapes
			behind := run(text, k+1, blank)
			if depth == 0 && bytes.IndexByte([]byte("[({,\"'"), text[before]) >= 0 &&
				(behind >= len(text) || bytes.IndexByte([]byte(",])}\n\"'"), text[behind]) >= 0) {
				found := len(d.spans)
				if item(at+1, to); len(d.spans) > found {
					shut = max(shut, min(len(text), to+maxStructure))
				}
			}
		}
	}
}

// conversion gives the place of the argument of a conversion to a slice or the like, or
// of its first element: []byte("…"), []byte{…}, [...]uint8{…}, map[string]int{…}.
func conversion(text []byte, i int) (argument int, ok bool) {
	limit := min(len(text), i+maxStructure)
	k := i
	if hasAt(text, k, "map[") {
		k += len("map")
	}
	brackets := k
	for k < limit && text[k] == '[' {
		set := digit | dot
		if brackets > i {
			set |= alnum
		}
		if k = run(text[:limit], k+1, set); k == limit || text[k] != ']' {
			return 0, false
		}
		k++
	}
	if k == brackets || markerAt(text, i) > 0 {
		return 0, false
	}
	name := run(text[:limit], k, alnum|underscore|dot)
	if name == k {
		return 0, false
	}
	if hasAt(text, k, "struct {") {
		name++
	}
	return name + 1, name+1 < limit && (text[name] == '(' || text[name] == '{')
}

// composite gives the place of the brace of a composite literal at text[i], or 0: a type,
// and in braces nothing, the line end, or names: token_t{, jwt.Token{Raw: raw}, T{a, b}.
func composite(text []byte, i int) int {
	limit := min(len(text), i+maxStructure)
	k := i
	for k < limit && (text[k] == '&' || text[k] == '*') {
		k++
	}
	if k == limit || !is(text[k], letter|underscore) {
		return 0
	}
	if k = run(text[:limit], k, alnum|underscore|dot); k+1 >= limit || text[k] != '{' {
		return 0
	}
	j := run(text[:limit], k+1, blank)
	name := run(text[:limit], j, alnum|underscore)
	switch {
	case j == limit, text[j] == '\n':
		return k
	case text[j] == '}', name > j && name < limit && (text[name] == ':' || text[name] == ','):
		if end := bracketEnd(text, k); end == unclosed || end == len(text) || !is(text[end], alnum|underscore) {
			return k
		}
	}
	return 0
}

// codeEnd gives the end of the expression at text[i], or 0 if there is none: names
// joined by dots and the like, with a call or a subscript: f(x), a["b"].c, $_ENV['X'].
// A call may go on on the next line. index tells that a bare word may be a subscript.
func codeEnd(text []byte, i int, index bool) int {
	limit := min(len(text), i+maxStructure+maxStructure)
	brackets := 0
	k := i
	for k < limit && bytes.IndexByte([]byte("$*@!"), text[k]) >= 0 {
		k++
	}
	for joined := true; joined && k < limit && is(text[k], letter|underscore); {
		name := k
		k = run(text[:limit], k, alnum|underscore)
		macro := isMacro(text, name, k)
		if macro {
			k++
		}
		k = typeArguments(text[:limit], k)
		for k < limit {
			arrow := hasAt(text, k, "->{") || hasAt(text, k, "->[")
			if arrow { // $x->{name} of Perl
				k += len("->")
			} else if text[k] != '(' && text[k] != '[' {
				break
			}
			if text[k] == '[' && !arrow && !macro && !isSubscript(text, k+1, index) {
				return 0
			}
			end := bracketEnd(text, k)
			if end == unclosed {
				if goesOn(text, k) && !isVariableLine(text, i) {
					return k
				}
				return 0
			}
			brackets++
			k = end
		}
		for k < limit && (text[k] == '?' || text[k] == '!' || text[k] == '&') && k+1 < limit && text[k+1] == '.' {
			k++
		}
		joined = false
		switch {
		case hasAt(text, k, "->"), hasAt(text, k, "::"):
			k, joined = k+2, true
		case index && k+1 < limit && (text[k] == '+' || text[k] == ':') && callFollows(text[:limit], k+1): // a.n+len(b), lexer:next()
			k, joined = k+1, true
		case hasAt(text, k, ".(") && brackets > 0: // a type assertion
			if end := bracketEnd(text, k+1); end > 0 {
				k = end
			}
		case hasAt(text, k, "."):
			k, joined = k+1, true
		}
	}
	if brackets == 0 || k < len(text) && (is(text[k], alnum|underscore) || bytes.IndexByte([]byte("@$%!~^"), text[k]) >= 0) {
		return 0
	}
	return k
}

// typeArguments gives the end of the type arguments of a call at text[i:], or i:
// parse::<Token>(x), make_unique<Token>(x).
func typeArguments(text []byte, i int) int {
	k := i
	if hasAt(text, k, "::") {
		k += len("::")
	}
	if !hasAt(text, k, "<") {
		return i
	}
	for k++; k < len(text) && (is(text[k], alnum|underscore|dot) || bytes.IndexByte([]byte(":*&?[]"), text[k]) >= 0); {
		k++
	}
	if !hasAt(text, k, ">(") {
		return i
	}
	return k + 1
}

// callFollows tells whether a call stands at text[i:].
func callFollows(text []byte, i int) bool {
	return i < len(text) && is(text[i], letter|underscore) && hasAt(text, run(text, i, alnum|underscore|dot), "(")
}

// isMacro tells whether the name text[from:to] is that of a macro of Rust: format!("…").
func isMacro(text []byte, from, to int) bool {
	return to > from && union(text[from:to])&^(lower|underscore) == 0 && (hasAt(text, to, "!(") || hasAt(text, to, "!["))
}

func isSubscript(text []byte, i int, index bool) bool {
	if i >= len(text) {
		return true
	}
	switch c := text[i]; {
	case isQuote(c), c == ':', c == '$', c == '@', c == '\\', c == '\n', index && c == '[':
		return true
	default:
		return index && is(c, alnum|underscore|dash|blank)
	}
}

// goesOn tells whether the call whose bracket stands at text[i] goes on on the next
// line, or beyond what is looked at.
func goesOn(text []byte, i int) bool {
	rest := text[i:min(len(text), i+maxStructure)]
	k := bytes.IndexByte(rest, '\n')
	if k < 0 {
		return bytes.IndexByte(rest, ')') >= 0
	}
	line := rest[:k]
	if comment := bytes.Index(line, []byte("  # ")); comment > 0 {
		line = line[:comment]
	}
	line = bytes.TrimRight(line, " \t")
	if hasAt(line, len(line)-3, `"""`) || hasAt(line, len(line)-3, "'''") || hasAt(line, 1, "`") && bytes.Count(line, []byte("`"))%2 == 1 {
		return true // a text of several lines
	}
	return bytes.IndexByte([]byte("([{,\\+|&%"), line[len(line)-1]) >= 0
}

// isPattern tells whether v begins like a regular expression.
func isPattern(v []byte) bool {
	if len(v) == 0 || bytes.IndexByte([]byte(`.[\(|/q%`), v[0]) < 0 {
		return false
	}
	for _, start := range []string{".*", ".+", "[^", "[A-", "[a-", "[0-", `[\`, `\S`, `\s`, `\w`, `\d`, "(.", "(?", "([", `(\`, "/^", "qr/", "%r{", `/\`} {
		if hasAt(v, 0, start) {
			return true
		}
	}
	if hasAt(v, 0, "|") { // password=|token=
		return secretName(v[1:run(v, 1, nameSet)])
	}
	if hasAt(v, 0, "/") && (bytes.Contains(v, []byte("([")) || bytes.Contains(v, []byte("(?"))) {
		return true
	}
	k := bytes.LastIndexByte(v, '/')
	return k > 1 && v[0] == '/' && run(v, k+1, lower) == len(v) && bytes.ContainsAny(v[1:k], `^[(\*?$`)
}
