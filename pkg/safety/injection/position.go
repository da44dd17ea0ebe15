package injection

import (
	"bytes"
	"strings"
)

// A credential in its own place is used, not sent away: in a header that is there to say
// who asks, behind an option for a user, in the user information of a URL.

// place is where a variable stands in a command.
type place uint8

const (
	elsewhere place = iota
	inHeader        // a header, or what an option makes one
	asUser          // a user and password, or the file that holds them
	inBody          // the body or a form
)

// placeOptions are the options of network clients that give their argument a place.
var placeOptions = []struct {
	name string
	at   place
}{
	{"-H", inHeader},
	{"--header", inHeader},
	{"--proxy-header", inHeader},
	{"-headers", inHeader},
	{"-u", asUser},
	{"-U", asUser},
	{"--user", asUser},
	{"--proxy-user", asUser},
	{"--oauth2-bearer", asUser},
	{"--password", asUser},
	{"--http-password", asUser},
	{"--ftp-password", asUser},
	{"--proxy-password", asUser},
	{"--pass", asUser},
	{"--auth", asUser},
	{"--bearer", asUser},
	{"-a", asUser},
	{"-b", asUser},
	{"--cookie", asUser},
	{"-authentication", asUser},
	{"-token", asUser},
	{"--netrc-file", asUser},
	{"-d", inBody},
	{"--data", inBody},
	{"--data-raw", inBody},
	{"--data-ascii", inBody},
	{"--data-binary", inBody},
	{"--data-urlencode", inBody},
	{"--json", inBody},
	{"-F", inBody},
	{"--form", inBody},
	{"--form-string", inBody},
	{"--post-data", inBody},
	{"--body-data", inBody},
	{"-body", inBody},
}

// argument is where an argument of a command begins, and the one before it.
type argument struct {
	start  int
	before span
	quote  byte // the quote that holds the place looked at, 0 outside of quotes
	inner  bool // that quote is escaped
	closed bool // white space ended it; the next byte begins another
}

// step moves on to the byte at i, which is no white space inside quotes.
func (a *argument) step(text []byte, i int) {
	b := text[i]
	switch {
	case a.quote != 0:
		if b == a.quote && (i > 0 && text[i-1] == '\\') == a.inner {
			a.quote = 0
		}
	case isSpace(b) && (i == 0 || text[i-1] != '\\' || b == '\n') || b == '\\' && i+1 < len(text) && text[i+1] == '\n':
		if !a.closed {
			a.before, a.closed = span{a.start, i}, true
		}
		return
	}
	if a.closed {
		a.start, a.closed = i, false
	}
}

// escaped takes down an escaped quote at i that begins an argument or its value.
func (a *argument) escaped(text []byte, i int) {
	if a.quote == 0 && (i-1 == a.start || text[i-2] == '=') {
		a.quote, a.inner = text[i], true
	}
}

// placeOf is the place of the variable at, which stands in the argument a of a command
// that begins at from and ends at end.
func placeOf(text []byte, from, end int, a *argument, at span) place {
	if at.start-a.start > maxHeaders {
		return elsewhere // each variable of a long argument is judged for itself: nothing is read to its ends
	}
	option, value := optionOf(text, a)
	if value > at.start {
		return elsewhere
	}
	found := optionPlace(option)
	if n := len(option); found == elsewhere && n > 2 && n < 6 && option[1] != '-' {
		found = optionPlace([]byte{'-', option[n-1]}) // flags in a row: -sSH
	}
	switch {
	case found == inBody:
		return inBody
	case found == asUser:
		return alone(text, value, end, at, asUser)
	case found == inHeader && credentialHeader(text[value:at.start]):
		return alone(text, value, end, at, inHeader)
	case found == elsewhere && len(option) == 0 && bytes.IndexByte(text[value:at.start], '=') < 0 && credentialHeader(text[value:at.start]):
		// HTTPie takes a header as an argument of its own; one with = is of the body.
		return alone(text, value, end, at, inHeader)
	case found != elsewhere:
		return elsewhere
	}
	if start := headerList(text, max(from, at.start-maxHeaders), at.start); start >= 0 && credentialHeader(text[start:at.start]) {
		return alone(text, start, end, at, inHeader)
	}
	return elsewhere
}

// optionPlace is the place that an option gives its argument.
func optionPlace(option []byte) place {
	for _, o := range placeOptions {
		if len(option) == len(o.name) && (string(option) == o.name || len(option) > 2 && strings.EqualFold(string(option), o.name)) {
			return o.at
		}
	}
	return elsewhere
}

// optionOf splits the argument into an option and where its value begins: the option may
// be the argument before, or stand in front of the value.
func optionOf(text []byte, a *argument) (option []byte, value int) {
	value = a.start
	if b := text[a.before.start:a.before.end]; len(b) > 1 && b[0] == '-' && bytes.IndexByte(b, '=') < 0 {
		option = b
	}
	if text[value] == '-' && value+1 < len(text) {
		option = nil
		i := value
		for i < len(text) && (text[i] == '-' || wordByte[text[i]]) && i-value < maxOption {
			i++
		}
		switch {
		case i < len(text) && text[i] == '=':
			option, value = text[value:i], i+1
		case text[value+1] != '-':
			option, value = text[value:value+2], value+2 // -HName: x
		default:
			return text[value:i], i
		}
	}
	for value < len(text) && (quoteByte(text[value]) || text[value] == '\\') {
		value++
	}
	return option, value
}

// maxOption bounds the name of an option, in bytes.
const maxOption = 32

// maxHeaders bounds how far before a variable a list of headers begins, in bytes.
const maxHeaders = 256

// headerList is where the header of the variable at end begins, if it is one of a list
// that a name such as headers= or -Headers opens behind from; -1 if it is none.
func headerList(text []byte, from, end int) int {
	for i := end - len("eaders"); i >= from; i-- {
		if !foldEqual(text[i:i+len("eaders")], "eaders") {
			continue
		}
		list := text[i+len("eaders") : end]
		if bytes.IndexByte(list, '}') >= 0 || !bytes.ContainsAny(list, "{=:") {
			return -1
		}
		start := i + len("eaders")
		if k := bytes.LastIndexAny(list, "{,;"); k >= 0 {
			start += k + 1
		}
		for start < end && (isSpace(text[start]) || quoteByte(text[start])) {
			start++
		}
		return start
	}
	return -1
}

// headerWords are those of which a header that carries a credential has one.
var headerWords = []string{"auth", "token", "key", "secret", "password", "credential", "cookie", "session", "bearer"}

// schemeWords may stand between the colon of a header and its credential.
var schemeWords = []string{"bearer", "token", "basic", "apikey", "key", "bot", "negotiate", "splunk", "genie-key", "genieKey", "oauth", "discord", "private", "sso-key", "access_token", "session", "client-id"}

// credentialHeader reports whether head is the name of a header for credentials, a colon
// and no more than the name of a scheme.
func credentialHeader(head []byte) bool {
	k := bytes.IndexAny(head, ":=")
	if k <= 0 || len(head) > maxHeaders {
		return false
	}
	name := bytes.TrimRight(head[:k], " \t\"'`")
	known := false
	for i := range name {
		if !wordByte[name[i]] && name[i] != '-' && name[i] != '_' {
			return false
		}
		known = known || begunBy(name[i:], headerWords)
	}
	return known && scheme(head[k+1:])
}

func begunBy(b []byte, words []string) bool {
	for _, w := range words {
		if len(b) >= len(w) && foldEqual(b[:len(w)], w) {
			return true
		}
	}
	return false
}

// scheme reports whether what stands between the colon of a header and a variable is
// nothing but the name of a scheme, quotes and the name of a value in front of an equals sign.
func scheme(between []byte) bool {
	between = bytes.Trim(between, " \t\"'`\\(+")
	if len(between) == 0 || between[len(between)-1] == '=' {
		return !bytes.ContainsAny(between, "$`(")
	}
	return oneOf(bytes.TrimRight(between, ": "), schemeWords)
}

// alone gives the place of the variable at if nothing else is in its argument, from value
// to the next quote or white space, that hands over what a command reads.
func alone(text []byte, value, end int, at span, found place) place {
	i := at.end
	for i < end && !isSpace(text[i]) && text[i] != '"' && text[i] != '\'' {
		if i++; i-at.end > maxHeaders {
			return elsewhere
		}
	}
	all := text[value:i]
	if bytes.Contains(all, []byte("$(")) || bytes.IndexByte(all, '`') >= 0 && bytes.Count(all, []byte("`")) > 1 {
		return elsewhere
	}
	return found
}
