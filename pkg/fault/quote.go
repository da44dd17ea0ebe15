package fault

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxUntrusted = 64  // bytes of an untrusted string in a diagnostic
	maxPath      = 256 // bytes of a path or record id
	maxCause     = 256 // bytes of a cause's own text
	maxURL       = 2048
)

// Quote makes an untrusted string printable: cut at 64 bytes, then Go-quoted
// ASCII.
func Quote(s string) string { return Harmless(strconv.QuoteToASCII(cut(s, maxUntrusted))) }

// commands are the marks by which a CI system finds a command anywhere in a line.
var commands = strings.NewReplacer("##[", `#\u0023[`, "##vso[", `#\u0023vso[`)

// Harmless gives s, the text of Go or JSON strings, with the marks of commands spelled
// by an escape: quotes around them would not stop a CI system.
func Harmless(s string) string { return commands.Replace(s) }

// Printable gives s unquoted when it is plain printable ASCII that cannot be
// taken for a workflow command, otherwise quoted; cut at limit bytes.
func Printable(s string, limit int) string {
	s = cut(s, limit)
	plain := s != "" && !strings.Contains(s, "::") && Harmless(s) == s
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= 0x20 && s[i] < 0x7f
	}
	if plain {
		return s
	}
	return Harmless(strconv.QuoteToASCII(s))
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}

// guard keeps a finished line from being a workflow command: one begins with two colons,
// white space aside, or has a mark anywhere.
func guard(line string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "::"); ok {
		line = `\u003a:` + rest
	}
	return Harmless(line)
}

// Object gives the name of an object printable: kind and id cut at 256 bytes, the web
// address behind them whole, so that it can be opened.
func Object(s string) string {
	name, url := located(s)
	if url == "" {
		return Printable(s, maxPath)
	}
	return Printable(name, maxPath) + Harmless(` "`+url+`"`)
}

// located parts a name from the quoted web address behind it; url is "" where there is
// none that is short and plain enough to be printed as it is.
func located(s string) (name, url string) {
	name, url, found := strings.Cut(s, ` "https://`)
	url, quoted := strings.CutSuffix(url, `"`)
	plain := found && quoted && len(url) < maxURL
	for i := 0; plain && i < len(url); i++ {
		plain = url[i] > ' ' && url[i] < 0x7f && url[i] != '"' && url[i] != '\\'
	}
	if !plain {
		return s, ""
	}
	return name, "https://" + url
}
