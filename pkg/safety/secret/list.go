package secret

import "bytes"

// list handles the list behind the name of several secrets: every text in it that may be one
// goes. A single value behind such a name is no secret by the name.
func (d *Detector) list(n nameAt) {
	code := EnvValue
	if n.quote != 0 && n.quote != '`' && n.op == ':' {
		code = JSONValue
	}
	if name := d.text[n.start:n.end]; !holdsSecret(name) || isFunction(d.text, n.value) {
		return
	}
	if d.block(n, code) || d.blockItems(n, code) {
		return
	}
	if literal, ok := conversion(d.text, n.value); ok && d.text[literal-1] == '{' && !opensObject(d.text, literal-1) { // []string{…}
		d.items(literal-1, min(len(d.text), literal+maxStructure), func(from, to int) { d.listed(n, from, to, code) })
		return
	}
	if d.text[n.value] == '[' || d.text[n.value] == '(' || d.text[n.value] == '{' {
		d.structure(n, func(from, to int) { d.listed(n, from, to, code) })
	}
}

// blockItems handles the items of a list of YAML on the lines behind NAME:, and tells whether
// there is one.
func (d *Detector) blockItems(n nameAt, code Code) bool {
	const most, farthest = 64, 2048
	text, k := d.text, n.value
	if n.op != ':' || text[k] != '\n' || k < d.itemsEnd {
		return false
	}
	limit := min(len(text), k+farthest)
	indent, found := -1, false
	for range most {
		from := run(text[:limit], k+1, blank)
		if !hasAt(text, from, "- ") || indent >= 0 && from-k != indent {
			break
		}
		indent, found = from-k, true
		from = run(text[:limit], from+1, blank)
		end := bytes.IndexByte(text[from:limit], '\n')
		if end += from; end < from {
			end = limit
		}
		d.spend(end - k)
		k = end
		d.itemsEnd = k
		if f, t, ok := quoted(text[:end], from); ok {
			if behind := bytes.TrimSpace(text[min(t+1, end):end]); len(behind) == 0 || behind[0] == '#' {
				d.listed(n, f, t, code)
			}
			continue
		}
		to := from
		for to < end && text[to] > ' ' {
			to++
		}
		if endsLine(text, to) && !bytes.ContainsAny(text[from:to], "[{") && (bytes.IndexByte(text[from:to], ':') < 0 || !isAddress(text[from:to])) && !bytes.HasSuffix(text[from:to], []byte(":")) {
			d.listed(n, from, to, code)
		}
		if end == limit {
			break
		}
	}
	return found
}

// bareItems handles the items without quotes of the list of YAML on the line between text[i]
// and text[shut].
func (d *Detector) bareItems(i, shut int, item func(from, to int)) {
	text := d.text
	for k := i + 1; k < shut; {
		from := run(text, k, blank)
		end := from
		for end < shut && text[end] != ',' {
			if isQuote(text[end]) || bytes.IndexByte([]byte("[{(\n"), text[end]) >= 0 {
				break
			}
			end++
		}
		if end < shut && text[end] != ',' { // a text in quotes, which items handles
			next := bytes.IndexByte(text[end:shut], ',')
			if next < 0 {
				return
			}
			k = end + next + 1
			continue
		}
		to := end
		for to > from && is(text[to-1], blank) {
			to--
		}
		v := text[from:to]
		digits := runBack(v, len(v), 0, digit)
		if len(v) >= minValue && union(v)&blank == 0 && bytes.IndexByte(v, ':') < 0 && run(v, 0, letter|underscore|dot) < digits {
			item(from, to)
		}
		k = end + 1
	}
}

// listed judges an element of a list behind a secret name. Lists of words and names
// stand there too, so it wants a digit or a capital within.
func (d *Detector) listed(n nameAt, from, to int, code Code) {
	name, v := d.text[n.start:n.end], d.text[from:min(to, from+maxMixed)]
	u := union(v)
	if u&letter == 0 || u&digit == 0 && !innerCapital(v) || n.op == 'a' || !endsSecret(name) && !secretPlural(name) { // 'password' => ['required', 'between:8,64']
		return
	}
	constant := u&lower == 0 && u&underscore != 0
	named := run(v, 0, alnum|underscore|dot) == len(v) && (bytes.Count(v, []byte(".")) > 1 && run(v, 0, lower) > 0 || secretName(v)) ||
		isWordList(v, underscore) || !secretName(name) && isWordList(v, dash|dot|underscore) || u&digit == 0 && u&blank != 0
	if !constant && !named && !isPath(v) && !isFileName(v) && !isAddress(v) {
		d.report(from, to, code)
	}
}

// innerCapital tells whether a capital stands in v behind its first byte and before or behind
// a small letter.
func innerCapital(v []byte) bool {
	for k := 1; k < len(v); k++ {
		if is(v[k], upper) && union(v)&lower != 0 {
			return true
		}
	}
	return false
}
