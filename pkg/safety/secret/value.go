package secret

import (
	"bytes"
	"unicode/utf8"
)

// minValue is the number of characters from which a value behind a secret name is
// secret.
const minValue = 8

// notSecret tells whether text[from:to] stands for a value and is none: a mask, a
// placeholder, a number, a time, a constant, the name of a header or a resource, a pure
// reference, or a marker.
func (d *Detector) notSecret(from, to int) bool {
	v := bytes.TrimSpace(d.text[from:to])
	if len(v) == 0 || v[0] == '<' && v[len(v)-1] == '>' && bytes.IndexByte(v[1:], '<') < 0 {
		return true
	}
	if v[0] == '[' && markerAt(v, 0) == len(v) {
		return true
	}
	if from > 0 && isQuote(d.text[from-1]) && isMessage(v) {
		return true
	}
	if len(v) <= maxMixed && bytes.IndexByte(v, '.') < 0 && headerNamed(v) != nil || isResource(v) {
		return true
	}
	if isRules(v) || isIdentity(v) || isCapitals(v) && bytes.ContainsAny(v, "_ ") {
		return true
	}
	w := fold(v)
	return w.in(emptyWords) || isMask(v) || isPlaceholder(v) || isNumber(v) || isTime(v) || isReference(v, inCode(d.text, from, to)) || openCommand(d.text, from, to)
}

// isMask tells whether v is one character over and over, perhaps in groups, a few
// characters with stars for the others, or a word that says that a value was taken out.
func isMask(v []byte) bool {
	switch c := v[0]; c {
	case '*', 'x', 'X', '.', '-', '_', '#', '?':
		k := 0
		for k < len(v) && (v[k] == c || k > 0 && is(v[k], dash|blank|underscore|dot|slash)) {
			k++
		}
		if k == len(v) {
			return true
		}
	}
	if hasAt(v, 0, "•") && len(bytes.TrimLeft(v, "•")) == 0 {
		return true
	}
	if len(v) <= 2*maxMixed && bytes.Contains(v, []byte("****")) && letters(v) < minValue {
		return true
	}
	if len(v) > 24 {
		return string(v) == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER" // of Ansible
	}
	w := fold(bytes.Trim(v, "[](){}<>*."))
	return w.in(maskWords)
}

// isPlaceholder tells whether v is a name in capitals between marks that a program
// replaces: __NAME__, @NAME@, @@NAME@@, !NAME!.
func isPlaceholder(v []byte) bool {
	for _, mark := range []string{"__", "@@", "@", "!"} {
		n := len(mark)
		if len(v) > 2*n && hasAt(v, 0, mark) && hasAt(v, len(v)-n, mark) {
			name := v[n : len(v)-n]
			return is(name[0], upper) && run(name, 0, upper|digit|underscore) == len(name) &&
				(bytes.IndexByte(name, '_') > 0 || mark != "!" && union(name)&digit == 0)
		}
	}
	return false
}

// isMessage tells whether v is a sentence about a value: Password is required.
func isMessage(v []byte) bool {
	const longest = 256
	if len(v) > longest || bytes.IndexByte(v, ' ') < 0 {
		return false
	}
	about, says := false, false
	for i := 0; i < len(v); {
		end := run(v, i, alnum)
		w := fold(v[i:end])
		switch {
		case w.in(messageWords):
			says = true
		case !about:
			about = secretName(v[i:end])
		}
		if i = end; i < len(v) && bytes.IndexByte([]byte(" .,:;!?'-()"), v[i]) < 0 {
			return false
		}
		i++
	}
	return about && says
}

// isResource tells whether v names a resource of a cloud, or an item of a store of
// secrets, and is none: arn:aws:…, projects/…/secrets/…, op://….
func isResource(v []byte) bool {
	switch {
	case len(v) > maxReference:
		return false
	case hasAt(v, 0, "arn:"):
		return bytes.Count(v, []byte(":")) >= 5
	case hasAt(v, 0, "projects/"):
		return bytes.Contains(v, []byte("/secrets/"))
	}
	return hasAt(v, 0, "op://")
}

// isTime tells whether v is a date and time as in RFC 3339, or a duration: 720h0m0s.
func isTime(v []byte) bool {
	if isDuration(v) {
		return true
	}
	const form = "0000-00-00T00:00:00"
	if len(v) < len(form) {
		return false
	}
	for k, c := range v {
		switch {
		case k >= len(form):
			if !is(c, digit) && c != '.' && c != '+' && c != '-' && c != ':' && c != 'Z' {
				return false
			}
		case form[k] == '0' && !is(c, digit), form[k] == '-' && c != '-', form[k] == ':' && c != ':', form[k] == 'T' && c != 'T' && c != ' ':
			return false
		}
	}
	return true
}

// isDuration tells whether v is numbers with units of time.
func isDuration(v []byte) bool {
	for k := 0; k < len(v); {
		number := run(v, k, digit|dot)
		unit := run(v, number, lower)
		switch string(v[number:unit]) {
		case "d", "h", "m", "s", "ms", "us", "ns":
		default:
			return false
		}
		if number == k {
			return false
		}
		k = unit
	}
	return len(v) > 0
}

// isNumber tells whether v is a number, or the number of a version.
func isNumber(v []byte) bool {
	if len(v) <= len("0x")+8 && hasAt(v, 0, "0x") { // of 32 bits
		for _, c := range v[2:] {
			if !isHex(c) {
				return false
			}
		}
		return true
	}
	if isVersions(v) {
		return true
	}
	i := 0
	if v[0] == '-' || v[0] == '+' {
		i = 1
	}
	digits := false
	for ; i < len(v); i++ {
		switch c := v[i]; {
		case is(c, digit):
			digits = true
		case c == '.', c == '_', c == ',':
		case (c == 'e' || c == 'E') && digits && i+1 < len(v):
			if v[i+1] == '-' || v[i+1] == '+' {
				i++
			}
		default:
			return false
		}
	}
	return digits
}

// isVersions tells whether v is numbers of versions, of three parts and more, perhaps with
// marks of a range and the name of a stage: ^4.24.11, >=1.2.3 <2.0.0, v5.0.0-beta.25.
func isVersions(v []byte) bool {
	for k := 0; k < len(v); {
		for k < len(v) && bytes.IndexByte([]byte("~^<>=v |"), v[k]) >= 0 {
			k++
		}
		parts := 0
		for from := k; ; from = k + 1 {
			if k = run(v, from, digit); k == from {
				return false
			}
			if parts++; k == len(v) || v[k] != '.' {
				break
			}
		}
		if hasAt(v, k, "-") {
			from := k + 1
			stage := fold(v[from:run(v, from, letter)])
			if k = run(v, run(v, from, letter), digit|dot); !stage.in(stages) {
				return false
			}
		}
		if parts < 3 || k < len(v) && v[k] != ' ' && v[k] != '|' {
			return false
		}
	}
	return true
}

// longEnough tells whether the value has minValue characters that no marker covers.
func longEnough(v []byte) bool {
	const certain = 4096 // so long a value is not looked through for markers
	switch {
	case len(v) < minValue:
		return false
	case len(v) < certain && bytes.Contains(v, []byte(markerStart)):
		return letters(v) >= minValue
	}
	return len(v) >= utf8.UTFMax*minValue || utf8.RuneCount(v) >= minValue
}
