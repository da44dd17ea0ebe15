package secret

import "bytes"

// A value may stand on the lines behind its name, or behind marks of YAML and Markdown.

// maxBlock bounds how far a value on other lines is looked for.
const maxBlock = 2048

// skipMarks moves the value behind an anchor or tag of YAML, or the end of bold type:
// password: &a value, password: !!str value, **password:** value.
func (n *nameAt) skipMarks(text []byte) {
	const longest = 64
	i := n.value
	k := i
	switch {
	case text[i] == '&', hasAt(text, i, "!!"):
		k = run(text[:min(len(text), i+longest)], i+1, nameSet)
		if text[i] == '!' {
			k = run(text[:min(len(text), i+longest)], i+2, nameSet)
		}
	case hasAt(text, i, "**") && hasAt(text, n.start-2, "**"):
		k = i + 2
	}
	if k > i && k < len(text) && is(text[k], blank) {
		if k = run(text, k, blank); k < len(text) {
			n.value = k
		}
	}
}

// tripled finds the text in three quotes at text[i:], if it is one line, and, where that
// line stands by itself, one word.
func tripled(text []byte, i int) (from, to int, ok bool) {
	i = prefixEnd(text, i)
	if !hasAt(text, i, `"""`) && !hasAt(text, i, "'''") || text[runBack(text, i, max(0, i-maxMixed), blank)-1] == '\n' {
		return 0, 0, false
	}
	from = i + 3
	n := bytes.Index(text[from:min(len(text), from+maxBlock)], text[i:from])
	if n <= 0 {
		return 0, 0, false
	}
	v := text[from : from+n]
	from += n - len(bytes.TrimLeft(v, " \t\n"))
	to = from + len(bytes.TrimSpace(v))
	alone := v[0] == '\n'
	return from, to, !bytes.ContainsAny(text[from:max(from, to)], "\n") && (!alone || !bytes.ContainsAny(text[from:max(from, to)], " \t"))
}

// block handles a value on the lines behind NAME: that are indented deeper than it, and
// tells whether there may be one. Behind | or > every word that stands alone on its line
// is one; else a text in quotes, or a word with a letter and a digit, on the first line.
func (d *Detector) block(n nameAt, code Code) bool {
	const most = 16
	text, k := d.text, n.value
	marked := text[k] == '|' || text[k] == '>'
	if marked {
		k = run(text, k+1, plus|dash|digit)
		k = run(text, k, blank)
	}
	if n.op != ':' || k >= len(text) || text[k] != '\n' || !startsLine(text, n.start) || !endsSecret(text[n.start:n.end]) {
		return false
	}
	line := bytes.LastIndexByte(text[max(0, n.start-maxMixed):n.start], '\n') + 1 + max(0, n.start-maxMixed)
	indent := run(text, line, blank) - line
	limit := min(len(text), k+maxBlock)
	for range most {
		from := run(text[:limit], k+1, blank)
		end := bytes.IndexByte(text[from:limit], '\n')
		if end += from; end < from {
			end = limit
		}
		d.spend(end - k)
		if from-k-1 <= indent || end == limit && limit < len(text) {
			break
		}
		v := bytes.TrimRight(text[from:end], " \t")
		f, t, quote := quoted(text[:end], from)
		u := union(v[:min(len(v), maxMixed)])
		switch {
		case quote && t+1 == from+len(v):
			d.report(f, t, code)
		case !quote && len(v) > 0 && u&blank == 0 && v[len(v)-1] != ':' && (marked || u&digit != 0 && u&letter != 0) && codeEnd(text[:end], from, true) == 0:
			d.report(from, from+len(v), code)
		}
		if k = end; !marked || k >= limit {
			break
		}
	}
	return marked
}

// element handles the text of the XML element whose name stands at text[start:end], and
// tells whether it is one: <password>…</password>.
func (d *Detector) element(start, end int) bool {
	const longest = 1024
	text := d.text
	if start == 0 || text[start-1] != '<' || end == len(text) || text[end] != '>' {
		return false
	}
	name, from := text[start:end], end+1
	to := bytes.IndexByte(text[from:min(len(text), from+longest)], '<')
	if to += from; to < from || !secretName(name) || !endsSecret(name) {
		return false
	}
	d.spend(to - from)
	tag := text[to+1:]
	if !hasAt(tag, 0, "/") || !bytes.HasPrefix(tag[1:], name) || !hasAt(tag, 1+len(name), ">") {
		return false
	}
	if u := union(text[from:min(to, from+maxMixed)]); u&blank == 0 && bytes.IndexByte(text[from:to], '\n') < 0 {
		d.report(from, to, EnvValue)
	}
	return true
}

// sibling reads a name that is a value itself, beside which its own value stands, as in
// lists of variables and headers: name: DB_PASSWORD, value: x.
func (n *nameAt) sibling(text []byte) bool {
	const longest = 64
	i, before := n.end, n.start
	q, k, quoted := quoteAt(text, i)
	if quoted {
		i, before = k+1, n.start-q.escapes-1
	}
	before = runBack(text, before, max(0, before-8), blank)
	if before <= 0 || text[before-1] != ':' && text[before-1] != '=' {
		return false
	}
	key := runBack(text, before-1, max(0, before-9), blank)
	for low := max(0, key-4); key > low && (isQuote(text[key-1]) || text[key-1] == '\\'); {
		key--
	}
	word := runBack(text, key, max(0, key-5), letter)
	if name := fold(text[word:key]); string(name.text[:name.n]) != "name" && string(name.text[:name.n]) != "key" {
		return false
	}
	if hasAt(text, i, ",") {
		i++
	}
	for limit := min(len(text), i+longest); i < limit && (is(text[i], blank) || text[i] == '\n'); {
		i++
	}
	if _, k, ok := quoteAt(text, i); ok {
		i = k + 1
	}
	if !equalFold(text, i, "value") {
		return false
	}
	i += len("value")
	q, k, quoted = quoteAt(text, i)
	if quoted {
		i = k + 1
	}
	i = run(text, i, blank)
	if i >= len(text) || text[i] != ':' && text[i] != '=' {
		return false
	}
	n.op, n.spaced, n.value = text[i], text[i] == '=', run(text, i+1, blank)
	if quoted {
		n.quote, n.escapes = q.quote, q.escapes
	}
	return n.value < len(text)
}
