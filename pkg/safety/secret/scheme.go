package secret

import "bytes"

// credentials handles the value of an Authorization header: the scheme word stays,
// what follows it goes. A first word that is no scheme goes too.
func (d *Detector) credentials(from, to int) {
	text := d.text
	first := word(text, from, to)
	rest := first
	for rest < to && bytes.IndexByte([]byte(wordClosers), text[rest]) >= 0 {
		rest++
	}
	rest = run(text, rest, blank)
	scheme := fold(text[from:first])
	known := scheme.in(schemes)
	if known && rest >= to && to < len(text) && text[to] == '\n' {
		d.wrappedCredential(from, to)
		return
	}
	if rest >= to || first == from || !known && first-from >= minValue && rest > first && onlySigns(text, rest, to) {
		d.report(from, first, AuthHeader)
		return
	}
	if !known && text[rest] == '[' && bytes.Contains(text[rest:to], []byte("](")) {
		return // a link in prose
	}
	end, prose := word(text, rest, to), false
	behind := end
	for behind < to && bytes.IndexByte([]byte(wordClosers), text[behind]) >= 0 {
		behind++
	}
	behind = run(text, behind, blank)
	switch {
	case known:
		d.report(rest, end, AuthHeader)
		return
	case behind >= to || onlySigns(text, behind, to):
		const longest = 16 // of a word of prose: authorization: authentication settings
		words := end-rest < longest && union(text[from:first])|union(text[rest:end]) == lower
		if prose = words || end-rest < minValue && run(text, rest, letter) >= end; !words {
			d.report(rest, end, AuthHeader)
		}
	case union(text[rest:min(to, rest+2*maxMixed)])&(digit|equals|slash|underscore|plus) != 0:
		for to > rest && is(text[to-1], blank) {
			to--
		}
		d.report(rest, to, AuthHeader)
	default:
		prose = true
	}
	if !isWords(text[from:first]) || prose && union(text[from:first])&digit != 0 {
		d.report(from, first, AuthHeader)
	}
}

// onlySigns tells whether what stands at text[i:to] up to a space is the sign of a
// comment, the border of a table, or punctuation.
func onlySigns(text []byte, i, to int) bool {
	for ; i < to && !is(text[i], blank); i++ {
		if is(text[i], alnum) || text[i] >= 0x80 || isQuote(text[i]) || text[i] == '[' {
			return false
		}
	}
	return true
}

// isWords tells whether v looks like the name of a scheme or like words, which digits
// only end: AWS4-HMAC-SHA256.
func isWords(v []byte) bool {
	const longest = 24
	if len(v) >= longest {
		return false
	}
	for i := 1; i < len(v); i++ {
		if is(v[i-1], digit) && is(v[i], letter) {
			return false
		}
	}
	return true
}

// wrappedCredential handles the credential on the line behind text[to], which begins like the
// line with its scheme at text[from] and is indented deeper.
func (d *Detector) wrappedCredential(from, to int) {
	text := d.text
	low := max(0, from-maxMixed)
	line := bytes.LastIndexByte(text[low:from], '\n') + 1 + low
	i := to + 1
	for k := line; k < from && i < len(text) && !is(text[k], letter) && (text[k] == text[i] || is(text[k], digit) && is(text[i], digit)); k++ {
		i++
	}
	value := run(text[:min(len(text), i+maxIndent)], i, blank)
	if value == i {
		return
	}
	end := value
	for end < len(text) && text[end] > ' ' && !isQuote(text[end]) {
		end++
	}
	d.spend(end - to)
	if endsLine(text, end) && text[end-1] != ':' {
		d.report(value, end, AuthHeader)
	}
}
