package secret

import (
	"bytes"
	"unicode/utf8"
)

// minValue is the number of characters from which a value behind a secret name is
// secret.
const minValue = 8

// maxReference bounds the search for the end of a reference.
const maxReference = 512

// maxReferences is the length of a value from which it is no reference.
const maxReferences = 2048

// codeReferences begin expressions that read a value from somewhere else.
var codeReferences = []string{
	"os.environ", "os.getenv", "os.Getenv", "process.env", "ENV[", "ENV.", "System.getenv",
	"getenv(", "env(", "Deno.env", "import.meta.env", "std::env", "env::var", "$env:", "%env",
	"Environment.GetEnvironmentVariable", "!Ref", "!Sub", "!GetAtt", "!vault", "!secret",
}

// referenceRoots are the first parts of dotted expressions in configuration and
// code.
var referenceRoots = map[string]bool{
	"self": true, "this": true, "args": true, "config": true, "cfg": true, "conf": true,
	"settings": true, "env": true, "opts": true, "options": true, "secrets": true, "vars": true,
	"var": true, "params": true, "request": true, "req": true, "res": true, "response": true,
	"data": true, "ctx": true, "context": true, "local": true, "module": true, "inputs": true,
	"github": true, "steps": true, "needs": true, "props": true, "state": true, "input": true,
}

var maskWords = map[string]bool{
	"masked": true, "redacted": true, "hidden": true, "filtered": true, "removed": true,
	"censored": true, "sanitized": true, "omitted": true, "scrubbed": true, "secured": true,
}

var emptyWords = map[string]bool{
	"true": true, "false": true, "null": true, "none": true, "nil": true, "undefined": true,
}

// notSecret tells whether text[from:to] stands for a value and is none: a mask, a
// placeholder, a number, a constant, a pure reference, or a marker.
func (d *Detector) notSecret(from, to int) bool {
	v := bytes.TrimSpace(d.text[from:to])
	if len(v) == 0 || v[0] == '<' && v[len(v)-1] == '>' && bytes.IndexByte(v[1:], '<') < 0 {
		return true
	}
	if v[0] == '[' && markerAt(v, 0) == len(v) {
		return true
	}
	w := fold(v)
	return w.in(emptyWords) || isMask(v) || isNumber(v) || isReference(v)
}

func isMask(v []byte) bool {
	switch v[0] {
	case '*', 'x', 'X', '.', '-', '_', '#', '?':
		if len(bytes.TrimLeft(v, string(v[:1]))) == 0 {
			return true
		}
	}
	if hasAt(v, 0, "•") && len(bytes.TrimLeft(v, "•")) == 0 {
		return true
	}
	if len(v) > 24 {
		return false
	}
	w := fold(bytes.Trim(v, "[](){}<>*"))
	return w.in(maskWords)
}

func isNumber(v []byte) bool {
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

// isReference tells whether v reads its value from somewhere else and holds no
// secret of its own.
func isReference(v []byte) bool {
	if len(v) == 0 || len(v) > maxReferences {
		return false
	}
	for _, p := range codeReferences {
		if hasAt(v, 0, p) {
			return true
		}
	}
	if isDotted(v) {
		return true
	}
	// Whatever is left when references are taken out must be too short for a secret.
	rest, found := 0, false
	for i := 0; i < len(v); {
		if end := referenceEnd(v, i, len(v)); end > 0 {
			found = true
			i = end
			continue
		}
		if v[i] == '[' {
			if m := markerAt(v, i); m > 0 {
				i += m
				continue
			}
		}
		if is(v[i], alnum) || v[i] >= 0x80 {
			if rest++; rest >= minValue {
				return false
			}
		}
		i++
	}
	return found
}

// referenceEnd gives the end of the reference that starts at text[i], or 0: $VAR,
// ${VAR}, $(…), ${{ … }}, {{ … }}, #{…}, %VAR%, `…`, <%= … %>.
func referenceEnd(text []byte, i, limit int) int {
	if c := text[i]; c != '$' && c != '{' && c != '#' && c != '<' && c != '%' {
		return 0
	}
	rest := text[i:min(limit, i+maxReference)]
	if k := bytes.IndexByte(rest, '\n'); k >= 0 {
		rest = rest[:k]
	}
	if len(rest) < 2 {
		return 0
	}
	closing := func(open int, mark string) int {
		if k := bytes.Index(rest[open:], []byte(mark)); k >= 0 {
			return i + open + k + len(mark)
		}
		return i + len(rest)
	}
	switch {
	case rest[0] == '$':
		switch c := rest[1]; {
		case c == '{' && len(rest) > 2 && rest[2] == '{':
			return closing(3, "}}")
		case c == '{':
			return i + balanced(rest, 1, '{', '}')
		case c == '(':
			return i + balanced(rest, 1, '(', ')')
		case is(c, letter|underscore):
			return i + run(rest, 1, alnum|underscore)
		case is(c, digit) && (len(rest) == 2 || !is(rest[2], alnum) && rest[2] != '$'):
			return i + 2
		}
	case rest[0] == '{' && rest[1] == '{':
		return closing(2, "}}")
	case rest[0] == '#' && rest[1] == '{':
		return closing(2, "}")
	case rest[0] == '<' && rest[1] == '%':
		return closing(2, "%>")
	case rest[0] == '%':
		if k := run(rest, 1, alnum|underscore); k > 2 && k < len(rest) && rest[k] == '%' {
			return i + k + 1
		}
		switch rest[1] {
		case '(':
			return closing(2, ")s")
		case '{':
			return closing(2, "}")
		}
	}
	return 0
}

// balanced gives the index behind the bracket that closes the one at b[i].
func balanced(b []byte, i int, open, shut byte) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// isCall tells whether a function call starts at text[i]: name(…) on one line.
func isCall(text []byte, i int) bool {
	if !is(text[i], letter|underscore) {
		return false
	}
	rest := text[i:min(len(text), i+maxReference/2)]
	k := run(rest, 0, alnum|underscore|dot)
	if k >= len(rest) || rest[k] != '(' {
		return false
	}
	end := bytes.IndexAny(rest[k:], ")\n")
	return end > 0 && rest[k+end] == ')'
}

// isDotted tells whether v is a member of something: config.token.
func isDotted(v []byte) bool {
	i := run(v, 0, letter|underscore)
	if i == 0 || i >= len(v) || v[i] != '.' || len(v) > maxReference || run(v, i, alnum|underscore|dot) != len(v) {
		return false
	}
	if referenceRoots[string(v[:i])] {
		return true
	}
	last := v[bytes.LastIndexByte(v, '.')+1:]
	return secretName(last)
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
