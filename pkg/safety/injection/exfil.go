package injection

import (
	"bytes"
	"unicode"
)

// thing is what must not leave: a credential file, a variable, the environment.
type thing uint8

const (
	noThing      thing = iota
	file               // a credential file
	dotenv             // .env, which builds name all the time
	variable           // $…TOKEN and its like
	dump               // env, printenv: the whole environment
	procDump           // /proc/*/environ
	surroundings       // "your environment variables", "env vars", "your env"
)

// exfilAt judges the command and the sentence around the thing that holds offset h.
func (s *Scanner) exfilAt(h int) {
	if h < s.exfilDone {
		return
	}
	what, at := thingAt(s.cur.text, h)
	if what == noThing {
		return
	}
	if what != surroundings && h >= s.lineDone {
		line := commandLine(s.cur.text, at)
		s.lineDone = line.end
		if m, ok := s.command(line); ok {
			s.found(exfil, m)
			s.exfilDone = line.end
			return
		}
	}
	if what == variable && !upper(variableName(s.cur.text, at)) {
		return
	}
	if m, ok := sentence(&s.cur, what, at); ok {
		s.found(exfil, m)
		s.exfilDone = max(s.exfilDone, m.end)
	}
}

func upper(name []byte) bool {
	for _, b := range name {
		if 'a' <= b && b <= 'z' {
			return false
		}
	}
	return true
}

// camelCase reports whether a name has capitals and small letters: that of a variable of
// a program, not of the environment.
func camelCase(name []byte) bool {
	return !upper(name) && bytes.ContainsFunc(name, unicode.IsUpper)
}

// maxName bounds the name of a variable on each side of its anchor, in bytes.
const maxName = 64

// thingAt is the thing that holds offset h, and its place.
func thingAt(text []byte, h int) (thing, span) {
	switch text[h] {
	case '.':
		return fileAt(text, h)
	case '/':
		return procAt(text, h)
	}
	start, end := h, h
	for start > 0 && h-start < maxName && nameByte(text[start-1]) {
		start--
	}
	if start < h && !maybeReference(text, start) {
		return noThing, span{}
	}
	for end < len(text) && end-h < maxName && nameByte(text[end]) {
		end++
	}
	if what, at := variableAt(text, start, end); what != noThing {
		return what, at
	}
	if end < len(text) && text[end] == '.' && foldEqual(text[start:end], "secrets") {
		name := end + 1
		for end = name; end < len(text) && end-name < maxName && nameByte(text[end]); {
			end++
		}
		return variableAt(text, name, end)
	}
	if start == h && end-h >= len("env") {
		return wordAt(text, start, end)
	}
	return noThing, span{}
}

// wordAt is the thing that the whole word [start, end) is: the environment, what prints it,
// or the ending of a file's name.
func wordAt(text []byte, start, end int) (thing, span) {
	switch word := text[start:end]; {
	case foldEqual(word, "env") && (startsWord(text, end+1, "vars", "variables") || start >= 5 && foldEqual(text[start-5:start], "your ")):
		return surroundings, span{start, end}
	case foldEqual(word, "env"), foldEqual(word, "printenv"):
		if what, at := dumpAt(text, start, end); what != noThing {
			return what, at
		}
		if what, at := printedAt(text, start, end); what != noThing {
			return what, at
		}
	case foldEqual(word, "environ"):
		if start > 0 && text[start-1] == '/' {
			return procAt(text, start-1)
		}
	case foldEqual(word, "environment"):
		return surroundings, span{start, end}
	}
	if start > 0 && text[start-1] == '.' {
		return fileAt(text, start-1)
	}
	return noThing, span{}
}

// fileAt is the credential file whose name begins with the dot at h.
func fileAt(text []byte, h int) (thing, span) {
	if h > 0 && (nameByte(text[h-1]) || text[h-1] == ')' || text[h-1] == ']' || text[h-1] == '.' || text[h-1] == '-') {
		return noThing, span{}
	}
	if bytes.HasPrefix(text[h:], []byte(".Env.")) {
		return noThing, span{} // a template: {{ .Env.VERSION }}
	}
	kind, end := fileEnd(text, h)
	if kind == noThing {
		return noThing, span{}
	}
	start := h
	for start > 0 && h-start < 64 && pathByte(text[start-1]) {
		start--
	}
	return kind, span{start, end}
}

// fileEnd is the kind of the credential file whose name begins with the dot at h, and
// where it ends.
func fileEnd(text []byte, h int) (thing, int) {
	if n := beginsWith(text[h:], credentialStarts); n > 0 {
		end := h + n
		for end < len(text) && nameByte(text[end]) {
			end++
		}
		if bytes.HasPrefix(text[end:], []byte(".pub")) {
			return noThing, 0
		}
		return file, end
	}
	kind, n := file, beginsWith(text[h:], credentialFiles)
	if n == 0 {
		kind, n = dotenv, beginsWith(text[h:], environmentFiles)
	}
	if n == 0 {
		return noThing, 0
	}
	end := h + n
	if end < len(text) && (nameByte(text[end]) || text[end] == '-' || text[end] == '/' || text[end] == '=' ||
		text[end] == '.' && end+1 < len(text) && nameByte(text[end+1])) {
		// .env.example is a template; .env.local and .env.production are not.
		if kind != dotenv || text[end] != '.' || beginsWith(text[end+1:], templateWords) > 0 {
			return noThing, 0
		}
	}
	return kind, end
}

// beginsWith gives the length of the first word of the list with which text begins,
// whatever the case, 0 if there is none.
func beginsWith(text []byte, words wordList) int {
	for _, w := range words {
		if len(text) >= len(w) && foldEqual(text[:len(w)], w) {
			return len(w)
		}
	}
	return 0
}

// procAt is /proc/*/environ, if the slash at h is its last.
func procAt(text []byte, h int) (thing, span) {
	const tail, head = "/environ", "/proc/"
	if h+len(tail) > len(text) || !foldEqual(text[h:h+len(tail)], tail) {
		return noThing, span{}
	}
	if end := h + len(tail); end < len(text) && nameByte(text[end]) {
		return noThing, span{}
	}
	start := h
	for start > 0 && h-start < 32 && !isSpace(text[start-1]) && text[start-1] != '/' {
		start--
	}
	if start -= len(head); start < 0 || !foldEqual(text[start:start+len(head)], head) {
		return noThing, span{}
	}
	return procDump, span{start, h + len(tail)}
}

// secretStarts are the letters with which they begin, in both cases.
var secretStarts = func() (t [256]bool) {
	for _, w := range secretWords {
		t[w[0]], t[w[0]-0x20] = true, true
	}
	return
}()

// variableAt reports whether [start, end) is a variable reference with a secret name, or
// the name of a secret in an expression of a workflow.
func variableAt(text []byte, start, end int) (thing, span) {
	at := start
	if start == 0 || start == end {
		return noThing, span{}
	}
	switch b := text[start-1]; {
	case b == '$':
		at--
	case b == '{' && at >= 2 && text[at-2] == '$':
		at -= 2
	case b == ':' && at >= 5 && foldEqual(text[at-5:at], "$env:"):
		at -= 5
	case b == ':' && at >= 6 && foldEqual(text[at-6:at], "${env:"):
		at -= 6
	case b == '.':
		return expressionAt(text, start, end)
	case b == '%' && end < len(text) && text[end] == '%' && isLetter(text[start]) && !isHex(text[start+1]) && upper(text[start:end]):
		at--
	default:
		return noThing, span{}
	}
	if !secretName(text[start:end]) {
		return noThing, span{}
	}
	return variable, span{at, end}
}

// publicFacts are the last words of names under which workflows keep what is no
// credential among their secrets.
var publicFacts = []string{"user", "username", "email", "host", "hostname", "url", "endpoint", "region", "name", "project", "org", "account", "id", "bucket", "domain", "server", "port", "path"}

// expressionAt reports whether [start, end) is the name behind a dot of a credential in an
// expression of a workflow: ${{ secrets.NAME }}, ${{ github.token }}.
func expressionAt(text []byte, start, end int) (thing, span) {
	const secrets, github = "secrets.", "github."
	name := text[start:end]
	at := start - len(secrets)
	switch {
	case at >= 0 && foldEqual(text[at:start], secrets):
		k := bytes.LastIndexByte(name, '_')
		if oneOf(name[k+1:], publicFacts) {
			return noThing, span{}
		}
	case start >= len(github) && foldEqual(text[start-len(github):start], github) && foldEqual(name, "token"):
		at = start - len(github)
	default:
		return noThing, span{}
	}
	for at > 0 && text[at-1] == ' ' && start-at < 2*len(secrets) {
		at--
	}
	if at < 3 || string(text[at-3:at]) != "${{" {
		return noThing, span{}
	}
	return variable, span{at - 3, end}
}

// variableName is the name by which the owner of the variable at is known.
func variableName(text []byte, at span) []byte {
	start := at.end
	for start > at.start && nameByte(text[start-1]) {
		start--
	}
	if name := text[start:at.end]; !foldEqual(name, "token") || start == at.start || text[start-1] != '.' {
		return name
	}
	return []byte("GITHUB_TOKEN")
}

// maybeReference reports whether a reference to a variable can end before its name.
func maybeReference(text []byte, name int) bool {
	if name == 0 {
		return false
	}
	switch text[name-1] {
	case '$', '{', ':', '.', '%':
		return true
	}
	return false
}

// openKeys are the words before "key" in the names of what everybody may know.
var openKeys = []string{"public", "publishable", "anon", "pub", "cache", "primary", "foreign", "sort", "partition"}

// openKey reports whether a name is that of a key that is no credential: ANON_KEY.
func openKey(name []byte) bool {
	name = bytes.TrimRight(name, "_")
	last := bytes.LastIndexByte(name, '_')
	if last < 0 || !foldEqual(name[last+1:], "key") {
		return false
	}
	return oneOf(name[bytes.LastIndexByte(name[:last], '_')+1:last], openKeys)
}

// secretName reports whether a variable of that name holds a credential.
func secretName(name []byte) bool {
	name = bytes.TrimRight(name, "_") // of emphasis
	if openKey(name) {
		return false
	}
	for _, w := range secretWords {
		n := len(name) - len(w)
		if n < 0 || !foldEqual(name[n:], w) {
			continue
		}
		if n == 0 && !upper(name) && len(w) <= 4 {
			return false // $key of every loop
		}
		if n > 0 && name[n-1] != '_' && !upper(name) && isLetter(name[n-1]) && name[n]&0x20 != 0 {
			continue // monkey
		}
		return true
	}
	return false
}

// maxPrinted bounds the arguments of printenv that are read.
const maxPrinted = 4

// printedAt is the variable that the command printenv at [start, end) prints: the first
// of its arguments that is a secret name in capitals.
func printedAt(text []byte, start, end int) (thing, span) {
	if end-start != len("printenv") {
		return noThing, span{}
	}
	for range maxPrinted {
		from := end
		for from < len(text) && (text[from] == ' ' || text[from] == '\t' || quoteByte(text[from])) {
			from++
		}
		if from == end {
			break
		}
		for end = from; end < len(text) && end-from < maxName && (nameByte(text[end]) || text[end] == '-'); {
			end++
		}
		if name := text[from:end]; upper(name) && secretName(name) {
			return variable, span{from, end}
		}
	}
	return noThing, span{}
}

// dumpAt reports whether the word env or printenv at [start, end) lists the whole
// environment: nothing but a redirection, a pipe or an end follows, and a command can
// begin there.
func dumpAt(text []byte, start, end int) (thing, span) {
	if start > 0 {
		switch b := text[start-1]; {
		case b == ' ' || b == '\t':
			if !commandCanBegin(text, start) && !pipedOut(text, end) {
				return noThing, span{}
			}
		case b == '\n' || b == '`' || b == ';' || b == '&' || b == '"' || b == '\'' || b == '*':
		case b == '(' && end < len(text) && text[end] != ',':
		case bytes.IndexByte([]byte("-./@$=|"), b) < 0 && pipedOut(text, end):
		case b == '/' && end-start == 3 && start >= 9 && foldEqual(text[start-9:start], "/usr/bin/"):
		default:
			return noThing, span{}
		}
	}
	if start > 0 && end < len(text) && (text[end] == '"' || text[end] == '\'') && text[start-1] == text[end] {
		// A quoted name, not a command: "env": {…}
		if i := end + 1; i < len(text) && bytes.IndexByte([]byte(":,]})="), text[i]) >= 0 {
			return noThing, span{}
		}
	}
	i := end
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i < len(text) && i > end && text[i] == '-' && i+2 < len(text) && (text[i+1] == '0' || text[i+1] == 'p') && !nameByte(text[i+2]) {
		i += 2
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
	}
	for i > end && i+1 < len(text) && text[i] == '\\' && text[i+1] == '\n' {
		for i += 2; i < len(text) && (text[i] == ' ' || text[i] == '\t'); {
			i++
		}
	}
	if i > end && i+1 < len(text) && isDigits(text[i:i+1]) && text[i+1] == '>' {
		i++ // 2>&1
	}
	if i < len(text) {
		switch b := text[i]; b {
		case '|', '>', ';', '&', ')', '`', '"', '\'', '\n', '.', ',', '*':
			if b == '.' && i+1 < len(text) && nameByte(text[i+1]) {
				return noThing, span{}
			}
		default:
			// "send env to", "the env output"
			if end-start == 8 && !startsWord(text, i, "and", "to", "output", "in", "into", "then", "as", "here") ||
				end-start == 3 && !startsWord(text, i, "and", "output", "to", "in", "into", "then", "here") {
				return noThing, span{}
			}
		}
	}
	return dump, span{start, end}
}

func startsWord(text []byte, i int, words ...string) bool {
	for _, w := range words {
		if e := i + len(w); e <= len(text) && foldEqual(text[i:e], w) && (e == len(text) || !nameByte(text[e])) {
			return true
		}
	}
	return false
}

// commandCanBegin reports whether a command can begin at i, behind white space: at the
// start of a line or prompt, behind an operator, or behind a word such as "run".
func commandCanBegin(text []byte, i int) bool {
	if logged(text, 0, i) {
		return true
	}
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	if i == 0 {
		return true
	}
	switch text[i-1] {
	case '\n', ';', '&', '(', '$', '+', '#', '>', '%', '`', ':', '"', '\'', '{', ']', '=', '-', '*', '.', ',', '!', '?':
		return true
	}
	e := i
	for i > 0 && e-i < 9 && nameByte(text[i-1]) {
		i--
	}
	if e-i < 9 {
		return startsWord(text, i, "run", "of", "then", "do", "sudo", "execute", "and", "exec", "call", "output", "with", "type", "from", "send", "paste", "post", "upload", "the")
	}
	return false
}

func nameByte(b byte) bool { return wordByte[b] || b == '_' }

func pathByte(b byte) bool {
	return nameByte(b) || b == '/' || b == '~' || b == '$' || b == '{' || b == '}' || b == '.' || b == '-'
}

// foldEqual compares with an ASCII lower-case text, without regard to case.
func foldEqual(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i := range b {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
