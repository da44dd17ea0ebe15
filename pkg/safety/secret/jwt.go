package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
)

// jwtStarts are how base64url of a JSON object begins: with a name at once, behind a space,
// or behind a line feed.
var jwtStarts = []string{"eyJ", "eyA", "ewo"}

// jwt handles the start of base64url of a JSON object at pos. A JWT has three parts between
// dots, of which the first two are objects and the last may be empty; an encrypted one has
// five.
func (d *Detector) jwt(pos int) {
	const most = 8192 // bytes of the head or payload
	text := d.text
	if !startsToken(text, pos) || pos > 0 && is(text[pos-1], dash|underscore) {
		return
	}
	var ends [5]int
	n, i := 0, pos
	for n < len(ends) {
		r := d.run(i, b64u)
		end := max(i, r.end)
		if i >= len(text) || !is(text[i], b64u) {
			end = i
		}
		ends[n] = end
		n++
		if end >= len(text) || text[end] != '.' {
			break
		}
		i = end + 1
	}
	if n < 3 || ends[0]-pos > most {
		return
	}
	head, ok := jsonObject(text[pos:ends[0]])
	d.spend(ends[0] - pos)
	switch {
	case !ok:
	case n == 5 && head["enc"] != nil:
		d.add(pos, ends[4], JWT)
	case head["alg"] != nil && ends[1]-ends[0] <= most:
		d.spend(ends[1] - ends[0])
		if _, ok := jsonObject(text[ends[0]+1 : ends[1]]); ok {
			d.add(pos, ends[2], JWT)
		}
	}
}

// jsonObject gives the members of the JSON object that b is base64url of.
func jsonObject(b []byte) (members map[string]json.RawMessage, ok bool) {
	decoded, err := base64.RawURLEncoding.AppendDecode(nil, b)
	if err != nil || !bytes.HasPrefix(bytes.TrimSpace(decoded), []byte("{")) {
		return nil, false
	}
	return members, json.Unmarshal(decoded, &members) == nil
}

// nativeName handles a word for a password in another script at pos: behind it and a sign a
// value with a letter and a digit.
func (d *Detector) nativeName(pos int) {
	text := d.text
	i := pos
	for i < len(text) && (text[i] >= 0x80 || is(text[i], alnum|underscore)) && i-pos < maxIndent {
		i++
	}
	n := nameAt{start: pos, end: i}
	if !n.operator(text) || n.op == ',' || n.op == 'a' || n.value < d.valueEnd {
		return
	}
	from, to, ok := quoted(text, n.value)
	if !ok {
		from, to = n.value, d.unquotedEnd(n)
	}
	d.spend(min(to-from, maxMixed))
	v := text[from:to]
	if u := union(v[:min(len(v), maxMixed)]); u&letter == 0 || u&digit == 0 || u&blank != 0 || isPath(v) || isAddress(v) || codeEnd(text, n.value, n.spaced) > 0 {
		return
	}
	d.report(from, to, EnvValue)
}
