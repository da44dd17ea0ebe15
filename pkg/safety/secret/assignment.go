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
	if end < len(text) && text[end] == ' ' && (end+1 == len(text) || is(text[end+1], alnum)) && !hasAt(text, end, " string = ") {
		// A word of prose, the most frequent case, or a name with its value.
		d.juxtaposed(runBack(text, pos, d.nameEnd, nameSet), end)
		d.nameEnd = end
		return
	}
	if end < len(text) && !mayFollowName[text[end]] {
		d.nameEnd = end
		return
	}
	start := runBack(text, pos, d.nameEnd, nameSet)
	d.nameEnd = end
	d.spend(end - start)
	if end < len(text) && (is(text[end], blank) || text[end] == '`') && d.juxtaposed(start, end) {
		return
	}
	flag := start
	if start > 0 && text[start-1] == '\\' && start < end && bytes.IndexByte([]byte("nrtbf"), text[start]) >= 0 {
		start++ // an escaped line feed or tab stands before the name
	}
	if start+2 < end && text[start] == '-' && (text[start+1] == 'D' || text[start+1] == 'P') && is(text[start+2], lower) {
		start += 2 // a property on a command line: -Dtoken=…
	}
	if hasAt(text, start, "-H") && start+2 < end && is(text[start+2], letter) {
		start += len("-H") // of curl
	}
	for start < end && (text[start] == '-' || text[start] == '.') {
		start++
	}
	for end > start && (text[end-1] == '-' || text[end-1] == '.') {
		end--
	}
	if start == end {
		return
	}
	if d.element(start, end) {
		return
	}
	n := nameAt{start: start, end: end}
	if d.named(&n) || text[flag] == '-' && d.listedFlag(&n, flag) {
		return
	}
	// A name inside a value that goes is judged only if its own value lies behind.
	if !n.sibling(text) && !n.operator(text) || n.value < d.valueEnd {
		return
	}
	name := text[start:end]
	if hasAt(text, start-2, "${") { // ${TOKEN:-…} is a reference
		if secretName(name) {
			d.fallback(start-2, len(text), EnvValue)
		}
		return
	}
	if n.inResource(text) || n.inTernary(text) || !d.behindLiteral(&n) {
		return
	}
	if h := headerNamed(name); h != nil && n.op != '=' || h != nil && h.scheme {
		if !n.behindSlash(text) && d.header(h, n) {
			return
		}
	}
	if n.op == ',' {
		return
	}
	switch {
	case secretName(name), n.op == '=' && isPass(name):
		if d.mayHold(&n) {
			d.value(n)
		}
	case secretPlural(name):
		d.list(n)
	}
}

// mayHold tells whether the value of a secret name may be one, by the rest of the name.
func (d *Detector) mayHold(n *nameAt) bool {
	text := d.text
	k := d.facts(text[n.start:n.end])
	n.auth = k.auth
	if k.text {
		return false
	}
	if !k.thing {
		return true
	}
	from, to, ok := quoted(text, n.value)
	if !ok {
		from, to = n.value, unquotedEnd(text, n.value, inList)
	}
	switch {
	case k.secretID:
		return to-from == 36 && isUUID(text[from:to])
	case k.header:
		if end := run(text[:to], from, letter); ok && end < to {
			if w := fold(text[from:end]); w.in(schemes) {
				d.credentials(from, to)
			}
		}
	}
	return false
}

// mayFollowName are the characters that may stand between a name and its value.
var mayFollowName = func() (t [256]bool) {
	for _, c := range []byte("\"'`\\=:?+,*[> \t\n") {
		t[c] = true
	}
	return t
}()

// nameAt is a name with the operator that follows it.
type nameAt struct {
	start, end int
	quote      byte // the quote around the name, or 0
	escapes    int  // backslashes before that quote
	op         byte // ':', '=', 'a' for an arrow, ',' for the next argument
	spaced     bool // white space stands before the operator
	value      int  // where the value starts
	auth       bool // auth is the only secret word of the name
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
	if n.quote == 0 {
		i = behindName(text, n.start, i)
	}
	j := run(text, i, blank)
	if j < len(text) && text[j] == '\n' && n.quote != 0 { // JSON may be broken here
		if k := run(text[:min(len(text), j+maxIndent)], j+1, blank); hasAt(text, k, ":") {
			j = k
		}
	}
	n.spaced = j > i
	if j >= len(text) {
		return false
	}
	if n.quote == 0 && (n.spaced || text[j] == ':' || text[j] == '?') {
		if value := declared(text, j); value > 0 {
			n.op, n.spaced, n.value = '=', true, value
			return true
		}
	}
	next := byte(0)
	if j+1 < len(text) {
		next = text[j+1]
	}
	switch c := text[j]; {
	case c == '=' && next == '>' && n.quote != 0 && hasAt(text, j+2, "\n"): // var_dump
		k := run(text[:min(len(text), j+maxIndent)], j+3, blank)
		if !hasAt(text, k, "string(") {
			return false
		}
		if k = run(text[:min(len(text), k+maxIndent)], k+len("string("), digit); !hasAt(text, k, ") \"") {
			return false
		}
		n.op, j = '=', k+1
	case c == '=' && (next == '=' || next == '~' || next == '>') && isVariableLine(text, j+1) && !is(text[min(j+2, len(text)-1)], blank):
		n.op, j = '=', j+1
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
	if n.quote != 0 && n.op == ':' && n.value < len(text) && text[n.value] == '\n' {
		n.nextLine(text)
	}
	return n.value < len(text)
}

// behindName gives the place of the operator behind the name text[start:end], which may
// be in bold type or that of an array: **name**:, char name[] =.
func behindName(text []byte, start, end int) int {
	k := end
	switch {
	case k < len(text) && text[k] == '*' && start > 0 && text[start-1] == '*':
		for k < len(text) && text[k] == '*' && k-end < 2 {
			k++
		}
	case hasAt(text, k, "["):
		if k = run(text[:min(len(text), k+8)], k+1, digit); !hasAt(text, k, "] = ") {
			return end
		}
		k++
	}
	return k
}

// declared gives the place of the literal that is the value of a declared name, of which
// the type starts at text[i], or 0: name string = "…", name: &'static str = "…".
func declared(text []byte, i int) int {
	const longest = 48
	limit := min(len(text), i+longest)
	k := i
	if hasAt(text, k, "?:") {
		k++
	}
	if text[k] == ':' {
		k = run(text[:limit], k+1, blank)
	}
	from := k
kind:
	for k < limit {
		switch {
		case is(text[k], alnum|underscore|dot) || bytes.IndexByte([]byte("&<>[]:*?"), text[k]) >= 0:
			k++
		case hasAt(text, k, " | "):
			k += len(" | ")
		case hasAt(text, k, "'static "):
			k += len("'static ")
		default:
			break kind
		}
	}
	equal := run(text[:limit], k, blank)
	if k == from || !is(text[from], letter) && text[from] != '&' && text[from] != '*' && text[from] != '[' || !hasAt(text, equal, "= ") {
		return 0
	}
	value := run(text[:limit], equal+1, blank)
	if quote := prefixEnd(text, value); quote < len(text) && isQuote(text[quote]) {
		return value
	}
	return 0
}

// isAnnotation tells whether the text in quotes that ends at text[to] is no value but the
// type of one: name: 'Type' = read(
func (n *nameAt) isAnnotation(text []byte, to int) bool {
	return n.op == ':' && n.quote == 0 && hasAt(text, to+1, " = ") && operandAt(text, to+len("' = "), true)
}

// isVariableLine tells whether text[:i] ends with the start of a line that sets a
// variable of the environment, NAME=: what follows is text and no code.
func isVariableLine(text []byte, i int) bool {
	if i == 0 || text[i-1] != '=' {
		return false
	}
	start := runBack(text, i-1, max(0, i-1-maxMixed), alnum|underscore)
	if start == i-1 || union(text[start:i-1])&lower != 0 {
		return false
	}
	if hasAt(text, start-len("export "), "export ") {
		start -= len("export ")
	}
	return start == 0 || text[start-1] == '\n'
}

// argument tells whether the name is that of an argument of a call, which may begin its
// line: f(name=, f(x, name=.
func (n *nameAt) argument(text []byte) bool {
	if n.op != '=' {
		return false
	}
	k := runBack(text, n.start, max(0, n.start-maxIndent), blank)
	if k > 1 && k < n.start && text[k-1] == '\n' {
		k--
	}
	return k > 0 && (text[k-1] == '(' || text[k-1] == ',' && k < n.start)
}

// maxIndent bounds the indentation of a line that JSON goes on on.
const maxIndent = 64

// nextLine moves the value to a text in quotes on the next line, as JSON allows.
func (n *nameAt) nextLine(text []byte) {
	i := run(text[:min(len(text), n.value+maxIndent)], n.value+1, blank)
	if _, _, ok := quoteAt(text, i); ok {
		n.value = i
	}
}

// inTernary tells whether the name is the first choice of a condition: ok ? "token" : "".
func (n *nameAt) inTernary(text []byte) bool {
	quote := n.start - n.escapes - 1
	k := runBack(text, quote, max(0, quote-8), blank)
	return n.quote != 0 && n.op == ':' && k > 0 && k < quote && text[k-1] == '?'
}

// inResource tells whether the name is the part of an Amazon resource name that says
// what it names: arn:aws:secretsmanager:…:secret:name.
func (n *nameAt) inResource(text []byte) bool {
	const longest = 96
	if n.op != ':' || n.quote != 0 || n.start == 0 || text[n.start-1] != ':' {
		return false
	}
	before := text[max(0, n.start-longest):n.start]
	k := bytes.LastIndex(before, []byte("arn:"))
	return k >= 0 && (k == 0 || !is(before[k-1], alnum)) && !bytes.ContainsAny(before[k:], " \t\n=,;&|<>\"'`")
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
	if n.quote != 0 && n.quote != '`' && n.op == ':' {
		code = JSONValue
	}
	if text[n.value] == '`' && n.op == '=' && !n.spaced {
		return // a command of the shell
	}
	if n.op == ':' {
		n.skipMarks(text)
	}
	if n.spaced && hasAt(text, n.start-len("type "), "type ") || !n.spaced && hasAt(text, n.start-len("def "), "def ") {
		return // a type of TypeScript, a method of Ruby
	}
	if isFunction(text, n.value) || isSelection(text, n.value) || d.printed(n) {
		return
	}
	if from, to, ok := tripled(text, n.value); ok {
		d.report(from, to, code)
		return
	}
	if d.block(n, code) || endsSecret(text[n.start:n.end]) && d.blockItems(n, code) {
		return
	}
	if from, to, ok := quoted(text, n.value); ok {
		d.spend(to - from)
		end := d.inLiteral(n.value, from, to)
		if n.mayBe(text, from, end) && !n.saysOther(text, from, end) && !n.isAnnotation(text, end) {
			d.report(from, end, code)
		}
		d.replaced(end, to, code)
		if end == to && goesOnBeside(text, to) {
			d.beside(n, to+1, code)
		}
		return
	}
	d.beside(n, n.value, code)
	if literal, ok := conversion(text, n.value); ok {
		from, to, ok := quoted(text, literal)
		d.spend(to - from)
		switch {
		case ok && text[literal-1] == '{' && !opensObject(text, literal-1):
			d.listed(n, from, to, code)
		case ok && text[literal-1] == '(':
			d.report(from, to, code)
		}
		return
	}
	expression := n.spaced || n.op == ':' || n.argument(text)
	if expression {
		if brace := composite(text, n.value); brace > 0 {
			return
		}
	}
	if d.structure(n, func(from, to int) { d.listed(n, from, to, code) }) {
		return
	}
	i := n.value
	if text[i] == '{' && i+1 < len(text) && text[i+1] != '{' && n.op == '=' && !n.spaced && d.braced(i) {
		return
	}
	if n.op == 'a' || codeEnd(text, i, expression) > 0 {
		return
	}
	to := d.unquotedEnd(n)
	if i == to {
		to = d.inAngles(n)
	}
	if to-i < minValue || !n.mayBe(text, i, to) || n.isBareOther(text, to) || d.isVariable(n, to) || isPattern(text[i:min(to, i+maxMixed)]) || n.saysOther(text, i, to) {
		return
	}
	if n.op == ':' && (n.quote == 0 || n.quote == '`') && !d.plainValue(n, to) {
		return
	}
	d.report(i, to, code)
}

// mayBe tells whether text[from:to] may be the value of the name: behind auth alone it wants
// a digit or a capital.
func (n *nameAt) mayBe(text []byte, from, to int) bool {
	v := text[from:to]
	if n.auth && union(v)&(digit|upper) == 0 {
		return false
	}
	if name := text[n.start:n.end]; n.op == ':' && n.quote == 0 && n.value > n.end+1 && len(v) >= minValue && endsIn(bytes.ToLower(name), "secret") && bytes.ContainsAny(v, "-.") && isWordList(v, dash|dot) {
		return false // the name of an object of Kubernetes
	}
	if quote := text[max(0, from-1)]; isQuote(quote) && len(v) >= minValue {
		name := text[n.start:n.end]
		if isURN(v) || namesOne(v, name) || isNamedWords(v, name) || quote == '`' && isOpenTemplate(v) ||
			v[0] == '{' && v[len(v)-1] == '}' && bytes.Contains(v, []byte(": ")) || v[len(v)-1] == ':' && union(v)&digit == 0 || n.auth && bytes.Count(v, []byte(" ")) > 2 && union(v)&digit == 0 || hasAt(v, 0, "-----BEGIN") || quote == '`' && hasAt(v, 0, "export ") {
			return false
		}
		if last := fold(text[n.start+lastWord(text[n.start:n.end]) : n.end]); last.word() != "password" && len(v) == last.n && equalFold(v, 0, last.word()) {
			return false // credentials: "Credentials"
		}
	}
	return len(v) < minValue || !(isWordless(v) || isConstant(v) || isFileName(v) || isCapitals(v) && bytes.ContainsAny(v, "_ "))
}

// isBareOther tells whether the bare value text[n.value:to] is another thing than a secret: a
// path, a word of prose, the name of a variable, a command, an identity.
func (n *nameAt) isBareOther(text []byte, to int) bool {
	v := text[n.value:to]
	switch {
	case isPath(v), isIdentity(v):
		return true
	case n.op == ':' || n.spaced:
		if isProse(text, n.value, to) || n.isCommand(text, to) {
			return true
		}
	}
	return n.isIdentifier(text, to)
}

// replaced handles the second of two texts in quotes, the first of which ends at to, as in the
// plan of a change: name = "old" -> "new".
func (d *Detector) replaced(end, to int, code Code) {
	if end != to {
		return
	}
	k := run(d.text, to+1, blank)
	if !hasAt(d.text, k, "-> ") && !hasAt(d.text, k, "=> ") {
		return
	}
	if from, to, ok := quoted(d.text, run(d.text, k+3, blank)); ok {
		d.spend(to - from)
		d.report(from, to, code)
	}
}

// fallback handles the reference ${NAME:-literal} at the start of text[i:limit], of
// which the literal is a value, and tells whether it is one.
func (d *Detector) fallback(i, limit int, code Code) bool {
	if !hasAt(d.text, i, "${") {
		return false
	}
	from, to, ok := defaultLiteral(d.text[:limit], i)
	if ok && union(d.text[from:to])&^(upper|dash|underscore|blank) != 0 {
		d.report(from, to, code)
	}
	return ok
}

// report adds the value text[from:to] if it is long enough and no stand-in.
func (d *Detector) report(from, to int, code Code) {
	v := d.text[from:to]
	if !longEnough(v) || d.fallback(from, to, code) || d.notSecret(from, to) {
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
