package injection

import (
	"bytes"
	"slices"
)

// programLengths holds, for the first letter in either case, a bit for each length that
// the name of a client or channel has: most words are none.
var programLengths = func() (t [32]uint32) {
	for _, name := range slices.Concat(clients, channels, httpies, forges) {
		t[name[0]&31] |= 1 << len(name)
	}
	return
}()

// note takes down what the program at w can do.
func (p *part) note(text []byte, w span, end int) {
	word := text[w.start:w.end]
	if programLengths[word[0]&31]>>len(word)&1 == 0 {
		return
	}
	is := func(name string) bool { return foldEqual(word, name) }
	if p.forge < 0 && slices.Contains(forges, string(word)) {
		p.forge = w.start
	}
	switch {
	case slices.ContainsFunc(clients, is):
		p.client = p.client || !prose(text, w.end, end)
	case slices.ContainsFunc(channels, is):
		// gh secret set KEY < file stores it where it is to be.
		p.channel = p.channel || !startsWord(text[:end], w.end+1, "secret", "variable", "auth", "ssh")
	case slices.Contains(httpies, string(word)):
		p.client = p.client || httpie(text, w.end, end)
	}
}

// pipedOut reports whether what is written at i goes through a pipe to a program that
// sends or encodes it: so env is a command, whatever stands before it.
func pipedOut(text []byte, i int) bool {
	line := text[i:]
	if k := bytes.IndexByte(line[:min(len(line), maxArgument)], '\n'); k >= 0 {
		line = line[:k]
	}
	line = bytes.TrimLeft(line[:min(len(line), maxArgument)], " \t")
	if len(line) == 0 || line[0] != '|' {
		return false
	}
	line = bytes.TrimLeft(line[1:], " \t")
	n := 0
	for n < len(line) && nameByte(line[n]) {
		n++
	}
	program, rest := line[:n], bytes.TrimSpace(line[n:])
	options := len(rest) > 0 && rest[0] == '-'
	if foldEqual(program, "base64") {
		return (options || len(rest) == 0) && !decodes(line, n, len(line))
	}
	for _, c := range clients {
		if foldEqual(program, c) {
			return options || bytes.Contains(rest, []byte("://"))
		}
	}
	return false
}

// prose reports whether the name of a program that ends at i stands in a sentence: in
// an enumeration, or as the subject of a verb.
func prose(text []byte, i, end int) bool {
	if i >= end {
		return false
	}
	switch text[i] {
	case ',', ')':
		return true
	case '.':
		return i+1 == end || isSpace(text[i+1])
	case ' ':
		return startsWord(text[:end], i+1, "and", "or", "is", "are", "can", "will", "reads", "uses")
	}
	return false
}

// methods are the HTTP methods that take a body, or a query.
var methods = []string{"GET ", "POST ", "PUT ", "PATCH ", "DELETE "}

// httpie reports whether the arguments at i are those of the HTTPie client: options, a
// method, and a place to send to.
func httpie(text []byte, i, end int) bool {
	for range 4 {
		for i < end && text[i] == ' ' {
			i++
		}
		for _, m := range methods {
			if bytes.HasPrefix(text[i:end], []byte(m)) {
				i += len(m)
			}
		}
		e := i
		for e < end && e-i < maxArgument && !isSpace(text[e]) {
			e++
		}
		if i == e {
			return false
		}
		if text[i] != '-' {
			dot := bytes.IndexByte(text[i:e], '.')
			return dot > 0 && i+dot+1 < e || bytes.Contains(text[i:e], []byte("://"))
		}
		i = e
	}
	return false
}

// maxArgument bounds an argument that is looked at as a whole, in bytes.
const maxArgument = 96

// besideURL reports whether an argument next to the URL is nothing but a thing, and not
// the variable at placed, which is in its own place.
func besideURL(text []byte, line, url span, placed int) bool {
	i := url.end
	if i < line.end && quoteByte(text[i]) {
		i++
	}
	if i < line.end && text[i] == ' ' {
		for i < line.end && (text[i] == ' ' || quoteByte(text[i])) {
			i++
		}
		e := i
		for e < line.end && e-i < maxArgument && !isSpace(text[e]) && !quoteByte(text[e]) {
			e++
		}
		if isThing(text, span{i, e}) {
			return true
		}
	}
	i = url.start
	for i > line.start && (text[i-1] == ' ' || quoteByte(text[i-1])) {
		i--
	}
	if i == url.start || text[i] != ' ' && text[url.start-1] != ' ' {
		return false
	}
	before := wordBefore(text, line.start, i)
	if !isThing(text, before) || before.start <= placed && placed < before.end {
		return false
	}
	// What an option is given is no argument of its own.
	i = before.start
	for i > line.start && (text[i-1] == ' ' || quoteByte(text[i-1])) {
		i--
	}
	option := wordBefore(text, line.start, i)
	return option.start == option.end || text[option.start] != '-'
}

// wordBefore is the argument that ends at i.
func wordBefore(text []byte, from, i int) span {
	at := span{i, i}
	for at.start > from && i-at.start < maxArgument && !isSpace(text[at.start-1]) && !quoteByte(text[at.start-1]) {
		at.start--
	}
	return at
}

func quoteByte(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// isThing reports whether the argument is a variable in capitals with a secret name, or
// the path of a credential file.
func isThing(text []byte, at span) bool {
	if at.end-at.start < 4 {
		return false
	}
	if text[at.start] == '$' {
		start, end := at.start+1, at.end
		if text[start] == '{' && text[end-1] == '}' {
			start, end = start+1, end-1
		}
		for _, b := range text[start:end] {
			if !nameByte(b) {
				return false
			}
		}
		what, _ := variableAt(text, start, end)
		return what == variable && upper(text[start:end])
	}
	for i := at.start; i < at.end; i++ {
		if text[i] == '.' {
			if what, f := fileAt(text, i); what == file && f.end == at.end {
				return true
			}
		}
	}
	return false
}

// fed reports whether the file is read for a program: redirected, in a pipe, or by a
// command in an argument.
func fed(text []byte, line, at span) bool {
	i := at.start
	for i > line.start && (text[i-1] == ' ' || quoteByte(text[i-1])) {
		i--
	}
	if i > line.start && text[i-1] == '<' {
		return at.end == line.end || text[at.end] != '>'
	}
	reader := wordBefore(text, line.start, i)
	if k := bytes.IndexAny(text[reader.start:reader.end], "(`"); k >= 0 {
		reader.start += k + 1 // "$(cat file)"
	} else {
		e := at.end
		for e < line.end && (text[e] == ' ' || quoteByte(text[e])) {
			e++
		}
		if e+1 >= line.end || text[e] != '|' || text[e+1] == '|' {
			return false
		}
	}
	return isReader(text[reader.start:reader.end])
}

func isReader(program []byte) bool {
	return slices.ContainsFunc(readers, func(r string) bool { return foldEqual(program, r) })
}

// optionOfReader reports whether the option at i is one of a program that hands on a
// file: the same letters that lead to the key of ssh.
func optionOfReader(text []byte, from, i int) bool {
	for range maxTries {
		for i > from && text[i-1] == ' ' {
			i--
		}
		w := wordBefore(text, from, i)
		if w.start == w.end || text[w.start] != '-' {
			return isReader(text[w.start:w.end])
		}
		i = w.start
	}
	return false
}

// argued reports whether the word is a text that a function is given: a name of an
// encoding, no command.
func argued(text []byte, at span) bool {
	if at.start < 2 || at.end+1 >= len(text) || !quoteByte(text[at.start-1]) || text[at.end] != text[at.start-1] {
		return false
	}
	b, e := text[at.start-2], text[at.end+1]
	return (b == '(' || b == ',' || b == ' ') && e == ')'
}

// braces is where the list in braces of which a comma stands before i begins; i if
// there is none.
func braces(text []byte, from, i int) int {
	for k := i - 1; k > from && i-k < maxArgument && !isSpace(text[k]); k-- {
		if text[k] == '{' {
			return k
		}
	}
	return i
}

// decodes reports whether the base64 command whose name ends at i turns text back.
func decodes(text []byte, i, end int) bool {
	if bytes.HasPrefix(text[i:end], []byte("-decode")) || bytes.HasPrefix(text[i:end], []byte("_decode")) {
		return true
	}
	for i < end && text[i] == ' ' {
		i++
	}
	if i+1 >= end || text[i] != '-' {
		return false
	}
	rest := text[i:min(end, i+9)]
	return text[i+1]|0x20 == 'd' || bytes.HasPrefix(rest, []byte("--decode"))
}

// opensslEncodes reports whether a command is openssl without the option to decode.
func opensslEncodes(command []byte) bool {
	command = command[:min(len(command), maxArgument)]
	return bytes.Contains(command, []byte("openssl ")) && !bytes.Contains(command, []byte(" -d "))
}

// endsPipe reports whether the program is the last of a pipe and of its sentence: behind
// it stand full stops, and no name.
func endsPipe(text []byte, line, program span) bool {
	i := program.end
	for i < line.end && text[i] == '.' {
		i++
	}
	if i == program.end || i < line.end && !isSpace(text[i]) {
		return false
	}
	i = program.start
	for i > line.start && text[i-1] == ' ' {
		i--
	}
	return i > line.start && text[i-1] == '|'
}

// setsVariable reports whether the '=' at i ends the name of an environment variable:
// KUBECONFIG=file is no reading of the file.
func setsVariable(text []byte, from, i int) bool {
	e := i
	for i > from && nameByte(text[i-1]) && e-i < maxName {
		i--
	}
	return i < e && upper(text[i:e]) && (i == from || isSpace(text[i-1]))
}

// read reports whether the file is read there: not written to, not the key that a
// program is given, not named by an assignment.
func read(text []byte, from int, at span) bool {
	i := at.start
	for i > from && (text[i-1] == '"' || text[i-1] == '\'' || text[i-1] == '`') {
		i--
	}
	if i > from && text[i-1] == ',' {
		i = braces(text, from, i)
	}
	for i > from && text[i-1] == ' ' {
		i--
	}
	if i > from && text[i-1] == '>' && !quoteMark(text, from, i-1) {
		return false
	}
	if i > from && text[i-1] == '=' {
		if i--; setsVariable(text, from, i) {
			return false
		}
	}
	e := i
	for i > from && (nameByte(text[i-1]) || text[i-1] == '-') {
		i--
	}
	for _, w := range instruments {
		if foldEqual(text[i:e], w) {
			// curl -F file=@.env and -T .env read it; -f and -o do not.
			return w == "-f" && text[i+1] == 'F' || len(w) == 2 && optionOfReader(text, from, i)
		}
	}
	return true
}
