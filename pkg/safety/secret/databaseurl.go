package secret

import "bytes"

const maxScheme = 16

// maxURLPart bounds how far userinfo is looked for.
const maxURLPart = 4096

// url handles "://" behind the character at pos.
func (d *Detector) url(pos int) {
	text := d.text
	if pos < d.urlEnd {
		return
	}
	colon := pos + 1
	authority := colon + 3
	if text[colon+1] == '\\' { // :\/\/
		authority = colon + 5
	}
	end := d.strictUserinfo(authority)
	if web := text[pos] == 's' && hasAt(text, pos-4, "http") || text[pos] == 'p' && hasAt(text, pos-3, "http"); !web {
		start := runBack(text, colon, max(colon-maxScheme, 0), alnum|plus|dot|dash)
		if start > 0 && text[start-1] == '\\' {
			start++ // the n of an escaped line feed is no part of the scheme
		}
		if scheme := fold(text[start:colon]); scheme.in(databaseSchemes) {
			end = d.databaseUserinfo(authority)
		}
	}
	if end == 0 {
		return
	}
	c := bytes.IndexByte(text[authority:end], ':')
	if c < 0 {
		return
	}
	from := authority + c + 1
	if from == end || isVerb(text[from:end]) || d.fallback(from, end, DatabaseURL) || d.notSecret(from, end) {
		return
	}
	if text[authority] == '[' && hasAt(text, end-1, "]@]") { // ://[user[:password]@]host
		return
	}
	d.add(from, end, DatabaseURL)
	d.urlEnd = end
}

// isVerb tells whether a format string or a template has its value filled in at v: %s,
// %[2]v, %2$s, {}, {0}, $[name].
func isVerb(v []byte) bool {
	last := len(v) - 1
	switch {
	case last < 1:
		return false
	case v[0] == '%' && bytes.IndexByte([]byte("sdvqr"), v[last]) >= 0:
		n := run(v, 1, digit)
		if v[1] == '[' {
			n = run(v, 2, digit)
		}
		return last == 1 || n == last-1 && (v[n] == ']' && v[1] == '[' || v[n] == '$' && n > 1)
	case v[0] == '{' && v[last] == '}':
		return run(v, 1, digit) == last
	case v[0] == '$' && v[1] == '[' && v[last] == ']':
		return last > 2 && run(v, 2, letter|underscore) == last
	}
	return false
}

// authorityEnd are the characters that end an authority, and @ and $.
var authorityEnd = func() (t [256]bool) {
	for _, c := range []byte("/?#\"'<>`\\, \t\n@$") {
		t[c] = true
	}
	return t
}()

// strictUserinfo gives the place of the @ that ends the userinfo of a URL whose
// authority starts at i, or 0.
func (d *Detector) strictUserinfo(i int) int {
	text := d.text[:min(len(d.text), i+maxURLPart)]
	at := 0
	for k := i; k < len(text); k++ {
		c := text[k]
		if !authorityEnd[c] {
			continue
		}
		switch c {
		case '@':
			at = k
		case '$':
			if end, _ := referenceEnd(d.text, k, len(text)); end > 0 {
				k = end - 1
			}
		default:
			d.spend(k - i)
			return at
		}
	}
	d.spend(len(text) - i)
	return at
}

// databaseUserinfo gives the place of the last @ before the host, or 0. The URL ends
// at white space, quotes and angle brackets, and where the next URL starts.
func (d *Detector) databaseUserinfo(i int) int {
	if d.firstAt(i) >= i+maxURLPart || d.hostsOnly(i) {
		return 0
	}
	window := d.text[i:min(len(d.text), i+maxURLPart)]
	if next := bytes.Index(window, []byte("://")); next >= 0 {
		cut := runBack(d.text, i+next, i, alnum|plus)
		end := d.endOfURL(i, cut)
		if at := d.lastAt(i, end); at > 0 || end < cut {
			return at
		}
	}
	return d.lastAt(i, d.endOfURL(i, i+len(window)))
}

// endOfURL gives the end of the URL text at i, at most limit.
func (d *Detector) endOfURL(i, limit int) int {
	for k := i; k < limit; k++ {
		switch c := d.text[k]; {
		case c <= ' ', c == '"', c == '\'', c == '<', c == '>', c == '`':
			d.spend(k - i)
			return k
		}
	}
	d.spend(limit - i)
	return limit
}

// lastAt gives the last @ of text[i:end] before a query or fragment; if there is
// none before it, the last at all; or 0.
func (d *Detector) lastAt(i, end int) int {
	if d.firstAt(i) >= end {
		return 0
	}
	part := d.text[i:end]
	if q := bytes.IndexByte(part, '?'); q >= 0 {
		part = part[:q]
	}
	if q := bytes.IndexByte(part, '#'); q >= 0 {
		part = part[:q]
	}
	if at := bytes.LastIndexByte(part, '@'); at >= 0 {
		return i + at
	}
	return i + bytes.LastIndexByte(d.text[i:end], '@')
}

// firstAt gives the place of the first @ from i on, or the length of the text. It is
// asked with ascending i and looks at every byte once.
func (d *Detector) firstAt(i int) int {
	if i < d.atFrom || i > d.atFound {
		d.atFrom, d.atFound = i, len(d.text)
		if k := bytes.IndexByte(d.text[i:], '@'); k >= 0 {
			d.atFound = i + k
		}
	}
	return d.atFound
}

// hostsOnly tells whether text[i:] begins with hosts and ports and what stands behind
// them, so that an @ further on is no end of userinfo: cache:6379/0@latest.
func (d *Detector) hostsOnly(i int) bool {
	const maxPort = 5
	text := d.text
	for {
		k := run(text, i, alnum|dash|dot|underscore)
		d.spend(k - i)
		if k < len(text) && text[k] == ':' {
			i = k + 1
			if k = run(text, i, digit); k == i || k-i > maxPort {
				return false
			}
		}
		switch {
		case k == len(text):
			return true
		case text[k] == ',':
			i = k + 1
		default:
			return text[k] == '/' || text[k] == '?' || text[k] == '#' || text[k] == '\\' && hasAt(text, k, `\/`)
		}
	}
}
