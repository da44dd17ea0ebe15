package secret

import "bytes"

// Some languages and files set a name to a value without a sign between: ENV NAME value,
// #define NAME "value", login name password value, PASSWORD 'value', and the cells of a table.

// juxtaposed handles the name text[start:end] behind which a blank stands, and its value behind
// the blank, if a word before the name says that there is one. It tells whether that is so.
func (d *Detector) juxtaposed(start, end int) bool {
	text := d.text
	behind := end
	if text[end] == '`' {
		behind++
	}
	i := run(text[:min(len(text), end+maxIndent)], behind, blank)
	switch {
	case i >= len(text) || i == behind || bytes.IndexByte([]byte("=:?+,"), text[i]) >= 0:
		return false
	case behind > end:
		return text[i] == '|' && d.cell(start, end, i)
	case text[start] == '-':
		d.flag(start, end)
		return true
	}
	if start > 1 && is(text[start-1], blank) {
		if how := setsName(bytes.TrimRight(text[max(0, start-maxIndent):start], " \t")); how != 0 {
			d.set(how, text[start:end], i)
			return true
		}
	}
	switch name := text[start:end]; {
	case text[i] == '\'' && len(name) == len("password") && equalFold(name, 0, "password"): // of SQL
		if from, to, ok := quoted(text, i); ok {
			d.spend(to - from)
			d.report(from, to, EnvValue)
		}
		return true
	case string(name) == "password" && behindLogin(text, start):
		from, to := d.shellWord(i)
		if behind := run(text, to, blank); !isWordLetters(text[from:to], true) || behind == len(text) || text[behind] == '\n' {
			d.report(from, to, EnvValue)
		}
		return true
	case text[i] == '|':
		return d.cell(start, end, i)
	}
	return false
}

// set handles the value at text[i:] to which a name is set in one of the ways below.
func (d *Detector) set(how int, name []byte, i int) {
	if how == setHeader {
		if h := headerNamed(name); h != nil && d.text[i] != '$' && !h.pairs {
			d.headerWord(h, i)
		}
		return
	}
	if !secretName(name) || !holdsSecret(name) {
		return
	}
	_, _, quotes := quoted(d.text, i)
	switch {
	case how == setLine:
		d.setLine(i)
	case how == setWord, quotes:
		d.setValue(i)
	}
}

const (
	setWord   = iota + 1 // the next word is the value
	setLine              // the rest of the line is the value
	setQuoted            // the value stands in quotes
	setHeader            // the value is that of a header
)

// setsName tells how the words before a name set it.
func setsName(before []byte) int {
	if len(before) == 0 {
		return 0
	}
	// The last letter rules nearly all words out.
	if c := before[len(before)-1] | 0x20; bytes.IndexByte([]byte("vxgertd"), c) < 0 {
		return 0
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	from := len(line) - len(bytes.TrimLeft(line, " \t>+-#"))
	k := bytes.LastIndexByte(line, ' ') + 1
	last := string(line[max(k, from):])
	switch last {
	case "ENV":
		if k == 0 || k <= from {
			return setLine
		}
	case "setx", "setenv":
		return setWord
	case "-x", "-gx", "-xg", "-Ux", "-xU", "-U", "-g", "-lx":
		if hasAt(line, k-len("set "), "set ") {
			return setWord
		}
	case "#define", "define":
		return setQuoted
	case "proxy_set_header", "add_header", "more_set_headers", "fastcgi_param", "uwsgi_param", "proxy_pass_header":
		return setHeader
	case "set", "add", "append":
		if hasAt(line, k-len("Header "), "Header ") {
			return setHeader
		}
	}
	return 0
}

// behindLogin tells whether text[:i] ends with the word login, a name and a blank or line end.
func behindLogin(text []byte, i int) bool {
	k := i
	skip := func() {
		for k > 0 && i-k < 2*maxIndent && (is(text[k-1], blank) || text[k-1] == '\n') {
			k--
		}
	}
	skip()
	end := k
	for k > 0 && i-k < 2*maxIndent && text[k-1] > ' ' {
		k--
	}
	switch string(text[k:end]) {
	case "and", "or", "with", "using", "via", "by": // prose
		return false
	}
	skip()
	return hasAt(text, k-len("login"), "login") && (k == len("login") || text[k-len("login")-1] <= ' ')
}

// setValue handles the value at text[i:], a word or a text in quotes.
func (d *Detector) setValue(i int) {
	from, to := d.shellWord(i)
	if v := d.text[from:to]; len(v) >= minValue && !isPath(v) && !isFileName(v) && !isCapitals(v) && (isQuote(d.text[max(0, from-1)]) || v[0] != '-' && !isProse(d.text, from, to)) {
		d.report(from, to, EnvValue)
	}
}

// setLine handles the value at text[i:], which goes on to the end of the line.
func (d *Detector) setLine(i int) {
	if from, to, ok := quoted(d.text, i); ok {
		d.spend(to - from)
		d.report(from, to, EnvValue)
		return
	}
	const longest = 1024
	to := i
	for to < len(d.text) && to-i < longest && d.text[to] != '\n' {
		to++
	}
	v := bytes.TrimRight(d.text[i:to], " \t\\")
	d.spend(to - i)
	if len(v) >= minValue && !isPath(v) && !isFileName(v) && !isCapitals(v) && !isProse(d.text, i, i+run(v, 0, letter)) {
		d.report(i, i+len(v), EnvValue)
	}
}

// headerWord handles the value of a header at text[i:], a text in quotes or the rest of the
// directive.
func (d *Detector) headerWord(h *headerName, i int) {
	if from, to, ok := quoted(d.text, i); ok {
		d.spend(to - from)
		d.headerValue(h, from, to, true)
		return
	}
	to := d.headerStop(i)
	if k := bytes.IndexByte(d.text[i:to], ';'); k >= 0 {
		to = i + k
	}
	d.headerValue(h, i, to, false)
}

// cell handles a value in the cell of a table behind the cell text[start:end] with the name;
// text[bar] is the border between.
func (d *Detector) cell(start, end, bar int) bool {
	text := d.text
	name := text[start:end]
	k := start
	if k > 0 && text[k-1] == '`' && text[end] == '`' {
		k--
	}
	if k = runBack(text, k, max(0, k-maxIndent), blank); k == 0 || text[k-1] != '|' {
		return false
	}
	if bytes.IndexByte(name, '_') < 0 && union(name)&lower != 0 || bytes.IndexByte(name, '.') >= 0 || !secretName(name) || !holdsSecret(name) {
		return true
	}
	if last := fold(name[lastWord(name):]); last.word() == "auth" {
		return true
	}
	from := run(text[:min(len(text), bar+maxMixed)], bar+1, blank)
	quote := hasAt(text, from, "`")
	if quote {
		from++
	}
	to := from
	for to < len(text) && to-from < 4*maxMixed && text[to] > ' ' && text[to] != '`' && text[to] != '|' {
		to++
	}
	d.spend(to - start)
	behind := to
	if quote {
		if !hasAt(text, behind, "`") {
			return true
		}
		behind++
	}
	if behind = run(text, behind, blank); behind < len(text) && text[behind] != '|' && text[behind] != '\n' {
		return true
	}
	v := text[from:to]
	u := union(v)
	if u&digit == 0 || u&letter == 0 || bytes.ContainsAny(v, `\/([`) || isHeadRow(text, behind) {
		return true
	}
	if w := bytes.TrimLeft(v, "v^~>=<"); len(w) == 0 || run(w, 0, digit) > 0 && run(w, 0, digit|dot|dash|letter) == len(w) && bytes.Count(w, []byte(".")) > 1 {
		return true // the number of a version
	}
	d.report(from, to, EnvValue)
	return true
}

// isHeadRow tells whether the row with text[i] is followed by the line below the head of a
// table: |---|.
func isHeadRow(text []byte, i int) bool {
	rest := text[i:min(len(text), i+4*maxMixed)]
	k := bytes.IndexByte(rest, '\n')
	if k < 0 {
		return false
	}
	rest = bytes.TrimLeft(rest[k+1:], " \t")
	return hasAt(rest, 0, "|") && bytes.HasPrefix(bytes.TrimLeft(rest[1:], " :"), []byte("--"))
}

// pgpass handles host:port:database:user:password at pos, which is the colon before the port.
func (d *Detector) pgpass(pos int) {
	text := d.text
	start := runBack(text, pos, max(0, pos-maxMixed), nameSet)
	if host := text[start:pos]; string(host) == "" && hasAt(text, pos-1, "*") {
		start = pos - 1
	} else if len(host) == 0 || union(host)&letter == 0 && bytes.Count(host, []byte(".")) != 3 {
		return
	}
	if !startsLine(text, start) {
		return
	}
	i := pos
	for field := range 3 { // port, database, user
		from := i + 1
		if i = from; hasAt(text, i, "*") {
			i++
		} else if field == 0 {
			i = run(text, i, digit)
		} else {
			i = run(text[:min(len(text), i+maxMixed)], i, nameSet)
		}
		if i == from || !hasAt(text, i, ":") || field > 0 && union(text[from:i])&^digit == 0 && text[from] != '*' {
			return
		}
	}
	from := i + 1
	to := from
	for to < len(text) && to-from < 4*maxMixed && text[to] > ' ' && !isQuote(text[to]) {
		to++
	}
	d.spend(to - start)
	if endsLine(text, to) {
		d.report(from, to, EnvValue)
	}
}

// identifiedBy handles "identified" at pos, of SQL: IDENTIFIED BY 'value', with the name of a
// plugin between.
func (d *Detector) identifiedBy(pos int) {
	text := d.text
	i := pos + len("identified")
	line := text[i:min(len(text), i+maxMixed)]
	if k := bytes.IndexByte(line, '\n'); k >= 0 {
		line = line[:k]
	}
	for k := 0; k+4 < len(line); k++ {
		if equalFold(line, k, " by ") || hasAt(line, k, " AS ") {
			at := run(text, i+k+len(" by "), blank)
			if hasWordAt(text, at, "password") {
				at = run(text, at+len("password"), blank)
			}
			if from, to, ok := quoted(text, at); ok && text[from-1] != '`' {
				d.spend(to - from)
				d.report(from, to, EnvValue)
			}
			return
		}
		if !is(line[k], alnum|underscore|blank) && !isQuote(line[k]) {
			return
		}
	}
}

func hasWordAt(text []byte, i int, word string) bool {
	return equalFold(text, i, word) && i+len(word) < len(text) && is(text[i+len(word)], blank)
}

// printed handles the value of a field in a structure or map as Go prints them, behind the
// name n without a blank: {Host:db Password:value Port:1}, map[password:value user:x]. It
// tells whether it is one.
func (d *Detector) printed(n nameAt) bool {
	const farthest = 512
	text := d.text
	if n.op != ':' || n.quote != 0 || n.value != n.end+1 || n.start == 0 {
		return false
	}
	to := n.value
	for to < len(text) && to-n.value < farthest && text[to] > ' ' && text[to] != '}' && text[to] != ']' {
		to++
	}
	d.spend(to - n.value)
	if to == len(text) || text[to] == '\n' {
		return false
	}
	next := to + 1
	name := run(text[:min(len(text), next+maxIndent)], next, nameSet)
	another := text[to] == ' ' && name > next && is(text[next], letter) && hasAt(text, name, ":") && !hasAt(text, name, ": ")
	if text[to] == ' ' && !another {
		return false
	}
	switch c := text[n.start-1]; {
	case c == '{', c == '[' && hasAt(text, n.start-len("map["), "map["):
	case c == ' ':
		field := bytes.LastIndexByte(text[max(0, n.start-maxIndent):n.start-1], ' ') + 1 + max(0, n.start-maxIndent)
		if bytes.IndexByte(text[field:n.start], ':') < 0 || !d.openField(n.start) {
			return false
		}
	default:
		return false
	}
	if v := text[n.value:to]; len(v) >= minValue && bytes.IndexByte([]byte(`"'{[(&`), v[0]) < 0 && bytes.IndexByte(v, ',') < 0 {
		d.report(n.value, to, EnvValue)
	}
	return true
}

// openField tells whether a brace, or map[, stands before text[i] on its line. It is asked with
// ascending i and looks at every byte about once.
func (d *Detector) openField(i int) bool {
	if i < d.openFrom {
		d.openFrom, d.openLast = bytes.LastIndexByte(d.text[:i], '\n')+1, -1
	}
	if k := bytes.LastIndexByte(d.text[d.openFrom:i], '\n'); k >= 0 {
		d.openFrom, d.openLast = d.openFrom+k+1, -1
	}
	d.spend(i - d.openFrom)
	for k := d.openFrom; k < i; k++ {
		if c := d.text[k]; c == '{' || c == '[' && hasAt(d.text, k-len("map"), "map") {
			d.openLast = k
		}
	}
	d.openFrom = i
	return d.openLast >= 0
}

// named handles a value in another call or expression than an assignment: what a variable is
// set to, or what stands for it where there is none: setenv("NAME", "value"),
// getenv("NAME", "value"), process.env.NAME || "value". It tells whether there is one.
func (d *Detector) named(n *nameAt) bool {
	text := d.text
	i, quote := n.end, n.start-1
	q, k, quotes := quoteAt(text, i)
	if quotes = quotes && n.start > q.escapes && text[n.start-1] == q.quote; quotes {
		i, quote = k+1, n.start-q.escapes-1
	}
	closed := false
	for i < len(text) && i < n.end+12 && bytes.IndexByte([]byte(")] "), text[i]) >= 0 {
		closed = closed || text[i] != ' '
		i++
	}
	if i+1 >= len(text) {
		return false
	}
	switch c := text[i]; {
	case c == ',' && quotes && !closed:
		k := runBack(text, quote, max(0, quote-8), blank)
		if k == 0 || text[k-1] != '(' {
			return false
		}
		word := runBack(text, k-1, max(0, k-1-maxIndent), alnum|underscore)
		call := fold(text[word : k-1])
		setter := call.in(setters)
		if !setter && !call.in(readers) && !containsFold(text[word:k-1], "env") {
			return false
		}
		i = run(text, i+1, blank)
		for _, name := range []string{"default=", "default: ", "fallback=", "default = "} {
			if hasAt(text, i, name) {
				i += len(name)
			}
		}
		return d.namedValue(i, setter)
	case hasAt(text, i, "||"), hasAt(text, i, "??"), hasAt(text, i, "?:"):
		return d.namedValue(run(text, i+2, blank), false)
	case hasAt(text, i, "or ") && closed:
		return d.namedValue(run(text, i+2, blank), false)
	}
	return false
}

// namedValue handles the literal at text[i:], and tells whether there is one. As a default
// it is none if it is a plain word.
func (d *Detector) namedValue(i int, set bool) bool {
	from, to, ok := quoted(d.text, i)
	if !ok {
		return false
	}
	d.spend(to - from)
	v := d.text[from:min(to, from+maxMixed)]
	u := union(v)
	switch {
	case isPath(v), isFileName(v), isCapitals(v), isAddress(v):
	case set, u&digit != 0, u&blank == 0 && run(v, 0, lower) < len(v) && !secretName(v) && u&letter != 0:
		end := d.valueEnd
		d.report(from, to, EnvValue)
		d.valueEnd = end
	}
	return true
}
