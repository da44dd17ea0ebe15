package secret

import "bytes"

// What stands where a value does may be another thing: a path, a name in capitals, the name
// of a file, a rule, an identity of an object.

// isPath tells whether v is the path of a file. Base64 may begin with a slash, but has no
// short words between several.
func isPath(v []byte) bool {
	for _, start := range []string{"./", "../", "~/", "classpath:", "file:", `.\`, `..\`, `\\`} {
		if hasAt(v, 0, start) {
			return true
		}
	}
	if len(v) > 2 && is(v[0], letter) && v[1] == ':' && (v[2] == '\\' || v[2] == '/') {
		return true
	}
	const longest = 512
	if len(v) == 0 || v[0] != '/' || len(v) > longest || run(v, 0, nameSet|slash) < len(v) && bytes.IndexByte(v, '$') < 0 {
		return false
	}
	for part := range bytes.SplitSeq(v[1:], []byte("/")) {
		if u := union(part); len(part) > 4 && u&letter == letter && u&digit != 0 && u&(dash|dot|underscore) == 0 {
			return false
		}
	}
	return bytes.Count(v, []byte("/")) > 1 || bytes.IndexByte(v, '.') > 0 || union(v)&(upper|digit) == 0
}

// isFileName tells whether v names a file of the kinds that hold keys.
func isFileName(v []byte) bool {
	dot := bytes.LastIndexByte(v, '.')
	if dot <= 0 || dot+1 == len(v) || !keyFiles.has(v[dot+1:]) {
		return false
	}
	for _, c := range v {
		if !is(c, nameSet|slash|blank) && bytes.IndexByte([]byte(`$\{}:*~`), c) < 0 {
			return false
		}
	}
	return true
}

// isCapitals tells whether v is words in capitals with marks or blanks between: YOUR_TOKEN.
func isCapitals(v []byte) bool {
	return run(v, 0, upper|underscore|blank) == len(v) && union(v)&upper != 0
}

// isConstant tells whether v is the name of a constant with a secret word in it.
func isConstant(v []byte) bool {
	return len(v) <= maxMixed && run(v, 0, upper|digit|underscore) == len(v) && bytes.IndexByte(v, '_') > 0 && secretName(v)
}

// isRules tells whether v is a list of rules that a value has to obey: required|min:8.
func isRules(v []byte) bool {
	const longest = 256
	if len(v) > longest || bytes.IndexByte(v, '|') < 0 {
		return false
	}
	known := false
	for part := range bytes.SplitSeq(v, []byte("|")) {
		name, _, _ := bytes.Cut(part, []byte(":"))
		if len(name) == 0 || run(name, 0, lower|underscore) < len(name) {
			return false
		}
		known = known || ruleWords.has(name)
	}
	return known
}

// isIdentity tells whether v is the identity of an object: a.b.Class@2bd79ce, Class{2bd79ce.
func isIdentity(v []byte) bool {
	if k := run(v, 0, letter); k > 1 && k < len(v) && v[k] == '{' && is(v[0], upper) {
		n := k + 1
		for n < len(v) && isHex(v[n]) && !is(v[n], upper) {
			n++
		}
		return n-k > 5 && (n == len(v) || v[n] == '}')
	}
	k := bytes.IndexByte(v, '@')
	if k < 2 || len(v)-k > 17 || run(v[:k], 0, alnum|dot|underscore) < k && bytes.IndexByte(v[:k], '$') < 0 || !is(v[0], letter) {
		return false
	}
	for _, c := range v[k+1:] {
		if !isHex(c) || is(c, upper) {
			return false
		}
	}
	return len(v)-k > 4 && (bytes.IndexByte(v[:k], '.') > 0 || is(v[0], upper) && union(v[:k])&lower != 0)
}

// isSelection tells whether a member of what $( ) selects stands at text[i:]: $('a').attr(x).
func isSelection(text []byte, i int) bool {
	if !hasAt(text, i, "$(") {
		return false
	}
	end := bracketEnd(text, i+1)
	return end != unclosed && end+1 < len(text) && text[end] == '.' && is(text[end+1], letter)
}

// isTemplated tells whether v is an address whose start is filled in: ${options.issuer}/oauth/token.
func isTemplated(v []byte) bool {
	if len(v) > maxReference || !hasAt(v, 0, "${") {
		return false
	}
	end := balanced(v, 1, len(v), '{', '}')
	return end > 0 && end < len(v) && bytes.IndexByte(v[end:], '/') >= 0 && run(v, end, lower|slash|digit|dash|underscore) >= min(len(v), end+4)
}

// isURN tells whether v is an address of the web or the name of a resource: https://…, urn:….
func isURN(v []byte) bool {
	return hasAt(v, 0, "urn:") || hasAt(v, 0, "http://") || hasAt(v, 0, "https://") || isTemplated(v)
}

// namesOne tells whether v is the name of what the name of several words says, words without
// digits that end like it: APP_TOKEN = "app-token". A password may be such words.
func namesOne(v, name []byte) bool {
	last, end := fold(name[lastWord(name):]), fold(v[min(lastWord(v), len(v)):])
	switch last.word() {
	case "token", "key", "credentials", "auth":
	default:
		return false
	}
	return end.word() == last.word() && lastWord(v) > 0 && union(v)&digit == 0 && run(v, 0, nameSet|blank) == len(v)
}

// isWordless tells whether v has no letter or digit of ASCII.
func isWordless(v []byte) bool {
	for i := 0; i < len(v); i++ {
		if v[i] == '[' {
			if m := markerAt(v, i); m > 0 {
				return false
			}
		}
		if is(v[i], alnum) {
			return false
		}
	}
	return true
}

// isProse tells whether text[i:to] is a word of a sentence: letters only, of which only the
// first may be a capital, and a word in small letters behind it.
func isProse(text []byte, i, to int) bool {
	if to-i > 64 || !isWordLetters(text[i:to], true) {
		return false
	}
	for to < len(text) && bytes.IndexByte([]byte(",`*"), text[to]) >= 0 {
		to++
	}
	k := run(text[:min(len(text), to+4)], to, blank)
	if k == to || k >= len(text) {
		return false
	}
	end := k
	for end < len(text) && (is(text[end], letter) || text[end] >= 0x80) {
		end++
	}
	return end > k && isWordLetters(text[k:end], false) && (end == len(text) || bytes.IndexByte([]byte(" \t\n.,;:!?)'-/`*"), text[end]) >= 0)
}

// isWordLetters tells whether v is letters only, small but for perhaps the first.
func isWordLetters(v []byte, capital bool) bool {
	for k, c := range v {
		if !is(c, lower) && c < 0x80 && !(k == 0 && capital && is(c, upper)) {
			return false
		}
	}
	return len(v) > 0
}

// functionWords begin functions, by their first letters.
var functionWords = [256][]string{
	'a': {"async ", "async("}, 'l': {"lambda ", "lambda:"}, 'f': {"function ", "function(", "func(", "fn(", "fn ("},
	'p': {"proc ", "proc{"}, 'P': {"Proc.new"},
}

// isFunction tells whether a function is written down at text[i:]: its parameters before an
// arrow or a body, or a word that begins one.
func isFunction(text []byte, i int) bool {
	const longest = 256
	switch text[i] {
	case '[':
		return hasAt(text, i, "[:") || hasAt(text, i, "[/")
	case ':':
		return hasAt(text, i, "::") && i+2 < len(text) && is(text[i+2], upper)
	case '(', '|':
	default:
		if !is(text[i], letter|underscore) {
			return false
		}
		for _, word := range functionWords[text[i]] {
			if hasAt(text, i, word) {
				return true
			}
		}
		if typeAssertion(text, i) {
			return true
		}
	}
	limit := min(len(text), i+longest)
	switch text[i] {
	case '(':
		return bracketed(text, i, limit)
	case '|':
		bar := bytes.IndexByte(text[i+1:limit], '|')
		return bar >= 0 && bytes.IndexByte(text[i+1:i+1+bar], '\n') < 0 && i+bar+2 < len(text) && is(text[i+bar+2], blank)
	}
	k := run(text[:limit], i, alnum|underscore|dot)
	return hasAt(text, run(text, k, blank), "=>")
}

// bracketed tells whether the bracket at text[i] holds the parameters of a function, before an
// arrow or a body, or a type that what stands behind it is made.
func bracketed(text []byte, i, limit int) bool {
	end := bracketEnd(text, i)
	if end == unclosed {
		return isParameters(text[i+1:limit]) && bytes.IndexByte([]byte("{[,\n"), lastOfLine(text[i:limit])) >= 0
	}
	if isCast(text, i, end) {
		return true
	}
	k := end
	if hasAt(text, run(text, k, blank), ":") && k < limit { // the type of what it gives
		if arrow := bytes.Index(text[k:limit], []byte("=>")); arrow >= 0 && bytes.IndexByte(text[k:k+arrow], '\n') < 0 {
			k += arrow
		}
	}
	k = run(text, k, blank)
	return hasAt(text, k, "=>") || hasAt(text, k, "->") || hasAt(text, k, "{\n")
}

// isCast tells whether text[i:end] is a type in brackets before what is made that type: (Type)x,
// (*T)(nil).
func isCast(text []byte, i, end int) bool {
	k := i + 1
	if hasAt(text, k, "*") {
		k++
	}
	name := run(text, k, alnum|underscore|dot)
	if name == k || name+1 != end || end+1 >= len(text) || !is(text[k], letter) {
		return false
	}
	if is(text[end], blank) { // (Type) value;
		return is(text[end+1], letter) && hasAt(text, run(text, end+1, alnum|underscore|dot), ";")
	}
	return is(text[end], letter) || text[end] == '('
}

// isNamedWords tells whether v is words in small letters behind a name of code that tells more
// than the secret: DeviceTokenPending = "authorization_pending".
func isNamedWords(v, name []byte) bool {
	return !endsSecret(name) && union(name)&underscore == 0 && union(name)&lower != 0 && wordEnd(name, 0) < len(name) &&
		union(v)&(underscore|dash) != 0 && run(v, 0, lower|underscore|dash) == len(v)
}

// isOpenTemplate tells whether v begins with an expression of a template that goes on behind it.
func isOpenTemplate(v []byte) bool {
	return hasAt(v, 0, "${") && balanced(v, 1, len(v), '{', '}') == unclosed
}

// typeAssertion tells whether a member with a type in brackets stands at text[i:], as in Go
// (a.b.(string)), or a call of a member that may not be there (a!.b?.( ).
func typeAssertion(text []byte, i int) bool {
	limit := min(len(text), i+maxMixed)
	k := run(text[:limit], i, alnum|underscore|dot)
	for k > i && k+1 < limit && (text[k] == '!' || text[k] == '?') && text[k+1] == '.' {
		k = run(text[:limit], k+1, alnum|underscore|dot)
	}
	return k > i && k < limit && text[k] == '(' && text[k-1] == '.'
}

// isParameters tells whether b, behind a bracket, begins with the name of a parameter, or with
// one that is taken apart.
func isParameters(b []byte) bool {
	k := run(b, 0, letter|underscore)
	return k == 0 && len(b) > 0 && (b[0] == '{' || b[0] == '[') || k > 0 && k < len(b) && (b[k] == ',' || b[k] == ':')
}

func lastOfLine(b []byte) byte {
	if k := bytes.IndexByte(b, '\n'); k >= 0 {
		b = b[:k]
	}
	b = bytes.TrimRight(b, " \t")
	if len(b) == 0 {
		return '\n'
	}
	return b[len(b)-1]
}
