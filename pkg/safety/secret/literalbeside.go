package secret

import "bytes"

// A literal that stands beside code may be the value after all: where the code gives
// none (process.env.TOKEN || "…", os.getenv("TOKEN", "…")), as the argument of what makes
// a text (new String("…")), as the choice of a condition, or joined to something.

// beside looks at the literals of the expression at text[i:], which ends with its line,
// statement, bracket or list element.
func (d *Detector) beside(n nameAt, i int, code Code) {
	text := d.text
	k, depth, call, asked, named := max(i, d.besideEnd), 0, 0, false, false
	calls := uint64(0) // the brackets that are open: 1 for one behind a name
	limit := min(len(text), k+maxStructure)
	if n.op == ',' || k >= limit || !hasQuote(text[k:limit]) || !endsSecret(text[n.start:n.end]) {
		return
	}
scan:
	for ; k < limit; k++ {
		switch c := text[k]; c {
		case '\n', ';':
			break scan
		case ',':
			if depth == 0 {
				break scan
			}
		case '?':
			asked = asked || k+1 < limit && is(text[k+1], blank)
		case '(', '[', '{':
			depth, call, named = depth+1, k, false
			if calls <<= 1; k > 0 && is(text[k-1], alnum|underscore) {
				calls |= 1
			}
		case ')', ']', '}':
			calls >>= 1
			if depth--; depth < 0 {
				break scan
			}
		case '"', '\'', '`', '\\':
			q, _, ok := quoteAt(text, k)
			if !ok {
				continue
			}
			from, to, _ := quoted(text, k)
			d.spend(to - from)
			v := text[from:min(to, from+maxMixed)]
			u := union(v)
			mixed := u&digit != 0 && u&letter != 0 && u&(blank|slash|equals) == 0
			word := (u&blank == 0 || u&digit != 0) && !bytes.Contains(v, []byte("://")) && (u&digit != 0 || !secretName(v))
			constant := u&lower == 0 || secretName(v)
			value := false
			switch before := beforeLiteral(text, k, i); before {
			case "default":
				value = word
			case "or":
				value = word && calls == 0
			case ":", "?":
				value = word && asked && calls == 0
			case "+":
				value = mixed && calls == 0
			case "(":
				named = constant
				name := fold(text[runBack(text, call, max(i, call-20), alnum|underscore):call])
				value = word && name.in(makers) || mixed && hasAt(text, call-1, "!")
			case ",":
				name := fold(text[runBack(text, call, max(i, call-20), alnum|underscore):call])
				value = word && named && name.in(readers)
			}
			if value {
				end := d.valueEnd
				d.report(from, to, code)
				d.valueEnd = end // names in between decide about their own values
			}
			k = to + q.escapes
		}
	}
	d.besideEnd = max(d.besideEnd, k)
}

// hasQuote tells whether a quote or a backslash stands on the first line of b.
func hasQuote(b []byte) bool {
	if k := bytes.IndexByte(b, '\n'); k >= 0 {
		b = b[:k]
	}
	return bytes.IndexByte(b, '"') >= 0 || bytes.IndexByte(b, '\'') >= 0 || bytes.IndexByte(b, '`') >= 0 || bytes.IndexByte(b, '\\') >= 0
}

// beforeLiteral tells what stands before the literal at text[k], not before low: a mark,
// "or" for what gives a value where there is none, "default" for an argument that does.
func beforeLiteral(text []byte, k, low int) string {
	if k > low && isPrefix(text[k-1]) && (k == low+1 || !is(text[k-2], alnum)) {
		k--
	}
	k = runBack(text, k, low, blank)
	before := text[low:k]
	if len(before) == 0 || bytes.IndexByte([]byte("|?:+(,=re"), before[len(before)-1]) < 0 {
		return ""
	}
	for _, or := range []string{"||", "??", "?:", " or", ")or", " else"} {
		if bytes.HasSuffix(before, []byte(or)) {
			return "or"
		}
	}
	for _, name := range []string{"default=", "default:", "fallback="} {
		if bytes.HasSuffix(before, []byte(name)) {
			return "default"
		}
	}
	for _, mark := range []string{"?", ":", "+", "(", ","} {
		if bytes.HasSuffix(before, []byte(mark)) {
			return mark
		}
	}
	return ""
}

// goesOnBeside tells whether an expression goes on behind the literal that ends at text[to].
func goesOnBeside(text []byte, to int) bool {
	i := run(text, to+1, blank)
	for _, s := range []string{"+", "||", "??", "? ", "if ", "or "} {
		if hasAt(text, i, s) {
			return true
		}
	}
	return false
}
