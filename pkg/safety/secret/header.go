package secret

import "bytes"

// headerName is an HTTP header that carries a credential.
type headerName struct {
	name string
	// scheme tells that a scheme word stands before the credential and stays.
	scheme bool
	// pairs tells that the value is name=value pairs to the end of the header.
	pairs bool
}

var headerNames = []headerName{
	{name: "authorization", scheme: true},
	{name: "proxy-authorization", scheme: true},
	{name: "x-api-key"},
	{name: "api-key"},
	{name: "x-auth-token"},
	{name: "x-access-token"},
	{name: "x-goog-api-key"},
	{name: "private-token"},
	{name: "job-token"},
	{name: "deploy-token"},
	{name: "cookie", pairs: true},
	{name: "set-cookie", pairs: true},
}

func headerNamed(name []byte) *headerName {
	for k := range headerNames {
		h := &headerNames[k]
		if len(name) == len(h.name) && equalFold(name, 0, h.name) {
			return h
		}
	}
	if k := bytes.LastIndexByte(name, '.'); k >= 0 { // extraheader.authorization
		return headerNamed(name[k+1:])
	}
	return nil
}

// header handles the value of a header and tells whether it has judged it.
func (d *Detector) header(h *headerName, n nameAt) bool {
	text := d.text
	if argument, ok := conversion(text, n.value); ok { // []string{"…"}
		n.value = argument
	}
	if tag := d.markup(n.value); tag > 0 {
		n.value = tag
	}
	from, to, ok := quoted(text, n.value)
	printed := d.printedByGo(n)
	switch {
	case ok:
		whole := d.inLiteral(n.value, from, to)
		if d.joinedScheme(from, to) {
			return true
		}
		if to = withoutName(text, from, whole); to < whole && run(text, word(text, from, to), blank) >= to {
			return true // only the scheme stands here
		}
	case printed > 0:
		from, to = n.value+1, printed
	case d.structure(n, func(from, to int) {
		if n.op != ',' || union(text[from:min(to, from+maxMixed)])&(digit|equals) != 0 {
			d.headerValue(h, from, to, true)
		}
	}):
		return true
	case n.op == ',':
		return false
	case d.codeBehind(n, func(from, to int) { d.headerValue(h, from, to, true) }):
		return true
	default:
		from = n.value
		to = d.headerEnd(n)
	}
	if n.op == ',' && isHeaderName(text[from:to]) {
		return true // a list of names
	}
	if !ok && !h.scheme && !h.pairs && n.isSent(text) {
		end := word(text, from, to)
		if v := text[from:end]; longEnough(v) && isReference(v, true) && !isReference(v, false) {
			d.add(from, end, AuthHeader) // it would be one in code only
			d.valueEnd = end
			return true
		}
	}
	d.headerValue(h, from, to, ok)
	return true
}

// joinedScheme handles a literal text[from:to] that is a scheme only, and the credential in
// the literal that is joined to it: 'Basic ' + 'value'. It tells whether there is one.
func (d *Detector) joinedScheme(from, to int) bool {
	text := d.text
	end := run(text[:to], from, nameSet)
	if scheme := fold(text[from:end]); end == to || run(text[:to], end, blank) < to || !scheme.in(schemes) {
		return false
	}
	i := to
	for i < len(text) && (text[i] == '\\' || isQuote(text[i])) {
		i++
	}
	i = run(text, i, blank)
	if i >= len(text) || bytes.IndexByte([]byte("+.&"), text[i]) < 0 {
		return false
	}
	f, t, ok := quoted(text, run(text, i+1, blank))
	if ok {
		d.spend(t - f)
		d.report(f, t, AuthHeader)
	}
	return ok
}

// isSent tells whether the name is of a header as it is sent: in code a name with a dash
// is in quotes.
func (n *nameAt) isSent(text []byte) bool {
	return n.quote == 0 && n.op == ':' && bytes.IndexByte(text[n.start:n.end], '-') >= 0
}

// withoutName gives the end of text[from:to] without a name at its end whose value is
// joined to the literal: "AWS4-HMAC-SHA256 Credential=" + credential.
func withoutName(text []byte, from, to int) int {
	if to == from || text[to-1] != '=' || !hasAt(text, run(text, to+1, blank), "+") {
		return to
	}
	name := runBack(text, to-1, from, letter|underscore)
	if name > from && name < to-1 && is(text[name-1], blank) && to-name <= maxMixed && secretName(text[name:to-1]) {
		return name
	}
	return to
}

// codeBehind tells whether code stands behind the name of a header where code may: a
// call, a member, the name of a variable. It calls item for a text joined to it.
func (d *Detector) codeBehind(n nameAt, item func(from, to int)) bool {
	text := d.text
	if n.isSent(text) {
		return false
	}
	for _, operator := range []string{"await ", "new "} {
		if hasAt(text, n.value, operator) {
			n.value += len(operator)
		}
	}
	end := codeEnd(text, n.value, n.op == '=' && n.spaced)
	if end == 0 && (n.quote != 0 || d.inList(n.start)) {
		end = variableEnd(text, n.value)
	}
	if end == 0 {
		return false
	}
	d.spend(end - n.value)
	d.beside(n, n.value, AuthHeader)
	i := run(text, end, blank)
	for i < len(text) && bytes.IndexByte([]byte("+|?"), text[i]) >= 0 {
		i++
	}
	if from, to, ok := quoted(text, run(text, i, blank)); ok && i > end {
		d.spend(to - from)
		item(from, to)
	}
	return true
}

// variableEnd gives the end of a secret name of several words, or of a member (a.b), at
// text[i] that is all of an expression, or 0.
func variableEnd(text []byte, i int) int {
	end := run(text[:min(len(text), i+maxMixed)], i, letter|underscore|dot)
	behind := run(text, end, blank)
	if behind < len(text) && bytes.IndexByte([]byte(",;)}]\n+|?"), text[behind]) < 0 || end == i {
		return 0
	}
	name := text[i:end]
	if k := bytes.IndexByte(name, '.'); k > 0 && k+1 < len(name) && name[len(name)-1] != '.' {
		return end
	}
	if wordEnd(name, 0) == len(name) || !secretName(name) {
		return 0
	}
	return end
}

// printedByGo gives the end of a list without quotes, as Go prints the headers of a
// request (map[Authorization:[Bearer …] …]), or 0.
func (d *Detector) printedByGo(n nameAt) int {
	const longest = 2048
	text, from := d.text, n.value+1
	if n.quote != 0 || text[n.value] != '[' || from == len(text) || !is(text[from], alnum) || markerAt(text, n.value) > 0 {
		return 0
	}
	to := d.headerStop(from)
	k := bytes.IndexByte(text[from:min(to, from+longest)], ']')
	if to = from + k; k < 0 || to+1 < len(text) && bytes.IndexByte([]byte(" ]}\n"), text[to+1]) < 0 {
		return 0
	}
	return to
}

// headerValue handles the value text[from:to] of a header; whole tells that it stands
// in quotes of its own.
func (d *Detector) headerValue(h *headerName, from, to int, whole bool) {
	text := d.text
	switch {
	case h.scheme:
		if !whole || !isURN(text[from:to]) {
			d.credentials(from, to)
		}
		return
	case h.pairs:
		d.cookies(from, to)
		return
	case !whole:
		to = word(text, from, to)
	}
	d.report(from, to, AuthHeader)
}

// cookies handles the pairs name=value between text[from] and text[to].
func (d *Detector) cookies(from, to int) {
	text := d.text
	for i := from; i < to; {
		i = run(text[:to], i, blank)
		end := to
		if k := bytes.IndexByte(text[i:to], ';'); k >= 0 {
			end = i + k
		}
		name := i
		for name < end && text[name] > ' ' && text[name] != '=' && text[name] != ',' {
			name++
		}
		if name == end || text[name] != '=' {
			if i == from {
				return // prose
			}
		} else if w := fold(text[i:name]); !w.in(cookieAttributes) {
			value, stop := name+1, end
			for stop > value && (is(text[stop-1], blank) || isQuote(text[stop-1])) {
				stop--
			}
			if value < stop && isQuote(text[value]) {
				value++
			}
			d.report(value, stop, AuthHeader)
		}
		i = end + 1
	}
}

// isHeaderName tells whether v is a header's name: words in capitals and small letters
// with dashes, words in small letters of which the first tells it, or the name of a header
// with a credential.
func isHeaderName(v []byte) bool {
	if len(v) == 0 || len(v) > maxMixed || headerNamed(v) != nil {
		return len(v) > 0 && len(v) <= maxMixed
	}
	for _, start := range fieldStarts {
		if hasAt(v, 0, start) {
			return run(v, 0, lower|dash) == len(v)
		}
	}
	for i := 0; i < len(v); i++ {
		first := i == 0 || v[i-1] == '-'
		if !is(v[i], letter|dash) || first != is(v[i], upper) && v[i] != '-' {
			return false
		}
	}
	return bytes.IndexByte(v, '-') > 0
}

// headerEnd gives the end of the value of a header that is not in quotes itself: the
// end of the line, real or escaped, or of the literal around it. A quote right before
// the name tells that literal, as does the one around an escaped line feed before the name;
// another further to the left does so only if JSON goes on behind its end, since a value
// may hold quotes (Digest username="…").
func (d *Detector) headerEnd(n nameAt) int {
	text := d.text
	end := d.headerStop(n.value)
	if n.start == 0 {
		return end
	}
	q := literal{text[n.start-1], backslashes(text, n.start-1)}
	near, limit := isQuote(q.quote), end
	if !near {
		const farthest = 1024
		l := d.literalsAt(n.start)
		if l.n == 0 {
			return end
		}
		q, limit, near = l.open[l.n-1], min(end, n.value+farthest), hasAt(text, n.start-2, `\n`)
	}
	for k := n.value; k < limit; k++ {
		m := bytes.IndexByte(text[k:limit], q.quote)
		if m < 0 {
			break
		}
		if k += m; backslashes(text[n.value:], k-n.value) == q.escapes && (near || jsonGoesOn(text, k+1)) {
			return k - q.escapes
		}
	}
	if near {
		d.spend(end - n.value)
	}
	return end
}

// jsonGoesOn tells whether what stands behind a text of JSON stands at text[i:]: a
// bracket that closes, or a comma and what begins the next value.
func jsonGoesOn(text []byte, i int) bool {
	if i = run(text, i, blank); i == len(text) {
		return true
	}
	if text[i] == ',' {
		i = run(text, i+1, blank)
		_, _, ok := quoteAt(text, i)
		return ok || i < len(text) && bytes.IndexByte([]byte("{[\n"), text[i]) >= 0
	}
	return bytes.IndexByte([]byte("}]\n"), text[i]) >= 0
}

// headerStop gives the first line end, real or escaped, or angle bracket from i on.
// It is asked with ascending i and looks at every byte once.
func (d *Detector) headerStop(i int) int {
	if i >= d.stopFrom && i <= d.stopFound {
		return d.stopFound
	}
	k := i
	for ; k < len(d.text); k++ {
		c := d.text[k]
		if c == '<' && k > 0 && bytes.IndexByte([]byte(" \t:=\"'"), d.text[k-1]) >= 0 && angleWord(d.text, k) > 0 {
			continue
		}
		if c == '\n' || c == '<' || c == '\\' && k+1 < len(d.text) && (d.text[k+1] == 'n' || d.text[k+1] == 'r') {
			break
		}
	}
	d.stopFrom, d.stopFound = i, k
	d.spend(k - i)
	return k
}

// angleWord gives the end of a word in angle brackets at text[i] that a letter or digit
// follows, or 0: it is no placeholder then.
func angleWord(text []byte, i int) int {
	const longest = 32
	k := run(text[:min(len(text), i+longest)], i+1, alnum|dash|underscore)
	if k > i+1 && k+1 < len(text) && text[k] == '>' && is(text[k+1], alnum) {
		return k + 1
	}
	return 0
}

// markup gives the end of the tag at text[i] if its closing tag is the next one: what
// stands between them is the value. It gives 0 if there is none.
func (d *Detector) markup(i int) int {
	const farthest = 1024
	text := d.text
	if text[i] != '<' {
		return 0
	}
	from := angleWord(text, i)
	k := bytes.IndexByte(text[from:min(len(text), from+farthest)], '<')
	if from == 0 || k < 0 || !hasAt(text, from+k, "</") || !bytes.HasPrefix(text[from+k+2:], text[i+1:from]) {
		return 0
	}
	d.spend(k)
	return from
}

// wordClosers may stand behind a word and are none of it.
const wordClosers = ",;)]}\\"

// word gives the end of the word at text[from:to], without punctuation behind it.
func word(text []byte, from, to int) int {
	k, whole, broken := from, from, false
scan:
	for k < to {
		switch text[k] {
		case '<':
			if end := angleWord(text, k); k == from && end > 0 && end < to {
				k = end
				continue
			}
			break scan
		case ' ', '\t', '"', '\'', '`', '>':
			break scan
		case '$', '{', '%', '#', '[':
			if end := stepOver(text, k, to, &broken); end > k {
				k, whole = end, end
				continue
			}
		}
		k++
	}
	for k > whole && bytes.IndexByte([]byte(wordClosers), text[k-1]) >= 0 {
		k--
	}
	return k
}
