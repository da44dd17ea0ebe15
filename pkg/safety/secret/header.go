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

// schemes are the authentication schemes whose credential is one word.
var schemes = map[string]bool{
	"basic": true, "bearer": true, "token": true, "negotiate": true, "ntlm": true, "apikey": true,
	"api-key": true, "key": true, "jwt": true, "bot": true, "splunk": true, "kerberos": true,
	"sso-key": true, "genie-key": true, "dpop": true, "privatetoken": true, "gitlab-token": true,
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
	from, to, ok := quoted(text, n.value)
	switch {
	case ok:
	case n.op == ',':
		return false
	default:
		from = n.value
		to = d.headerEnd(n)
	}
	switch {
	case h.scheme:
		return d.credentials(from, to)
	case h.pairs:
		if run(text, from, nameSet) < to && text[run(text, from, nameSet)] == '=' {
			d.report(from, to, AuthHeader)
		}
		return true
	}
	if !ok {
		to = word(text, from, to)
	}
	d.report(from, to, AuthHeader)
	return true
}

// headerEnd gives the end of the value of a header that is not in quotes itself: the
// end of the line, real or escaped, or the quote that was opened before the name.
func (d *Detector) headerEnd(n nameAt) int {
	text := d.text
	end := d.headerStop(n.value)
	if n.start == 0 {
		return end
	}
	quote := text[n.start-1]
	if quote != '"' && quote != '\'' && quote != '`' {
		return end
	}
	escapes := backslashes(text, n.start-1)
	for k := n.value; k < end; k++ {
		if text[k] == quote && backslashes(text[n.value:], k-n.value) == escapes {
			d.spend(k - n.value)
			return k - escapes
		}
	}
	d.spend(end - n.value)
	return end
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
		if c == '\n' || c == '<' || c == '\\' && k+1 < len(d.text) && (d.text[k+1] == 'n' || d.text[k+1] == 'r') {
			break
		}
	}
	d.stopFrom, d.stopFound = i, k
	d.spend(k - i)
	return k
}

// word gives the end of the word at text[from:to], without punctuation behind it.
func word(text []byte, from, to int) int {
	k := from
scan:
	for k < to {
		switch text[k] {
		case ' ', '\t', '"', '\'', '`', '<', '>':
			break scan
		case '$', '{', '%':
			if end := referenceEnd(text, k, to); end > k {
				k = end
				continue
			}
		case '[':
			if m := markerAt(text, k); m > 0 {
				k += m
				continue
			}
		}
		k++
	}
	for k > from && bytes.IndexByte([]byte(",;)]}\\"), text[k-1]) >= 0 && !markerEnds(text, k) {
		k--
	}
	return k
}

// markerEnds tells whether a marker ends before text[k].
func markerEnds(text []byte, k int) bool {
	if text[k-1] != ']' {
		return false
	}
	i := bytes.LastIndexByte(text[max(0, k-longestMarker):k], '[')
	if i < 0 {
		return false
	}
	i += max(0, k-longestMarker)
	return markerAt(text, i) == k-i
}

// credentials handles the value of an Authorization header: the scheme word stays,
// what follows it goes.
func (d *Detector) credentials(from, to int) bool {
	text := d.text
	first := word(text, from, to)
	rest := run(text, first, blank)
	if rest >= to || first == from {
		d.report(from, first, AuthHeader)
		return true
	}
	scheme := fold(text[from:first])
	end := word(text, rest, to)
	switch {
	case scheme.in(schemes):
		d.report(rest, end, AuthHeader)
	case run(text, end, blank) >= to:
		d.report(rest, end, AuthHeader)
	case union(text[rest:min(to, rest+2*maxMixed)])&(digit|equals|slash|underscore|plus) != 0:
		for to > rest && is(text[to-1], blank) {
			to--
		}
		d.report(rest, to, AuthHeader)
	}
	return true
}
