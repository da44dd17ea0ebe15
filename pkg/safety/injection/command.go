package injection

import "bytes"

// part is what one part of a command line has in it, between two operators.
type part struct {
	at      span
	thing   bool
	shouted bool // the thing is no variable in small letters
	client  bool // a program that talks to the network
	channel bool // a program that sends on what it is fed
	fed     bool // a file is fed to a program
	encoder bool // base64
	inURL   bool // the thing is in a URL, or next to it
	carries bool // hands its output on: a redirection or an assignment
}

// command judges one logical line: a thing and a way out in one part of it, or in two
// parts of which the first hands on what it read.
func (s *Scanner) command(line span) (span, bool) {
	text := s.cur.text
	p := part{at: span{line.start, line.start}}
	carried := -1     // where a part began that hands on what it read
	quote := byte(0)  // the quotes around i
	open := [2]bool{} // double and single quotes that do not close any more
	marks := true     // nothing but quote marks since the beginning of the line
	for i := line.start; ; {
		if i >= line.end || quote == 0 && operator(text, i, line.end) > 0 {
			p.at.end = min(i, line.end)
			if p.thing && (p.client || p.encoder && p.shouted) || p.inURL || p.fed && p.channel {
				return p.at, true
			}
			if carried >= 0 && (p.client || p.encoder) {
				return span{carried, p.at.end}, true
			}
			if p.thing && p.carries {
				carried = p.at.start
			}
			if i >= line.end {
				return span{}, false
			}
			i += operator(text, i, line.end)
			p = part{at: span{i, i}}
			continue
		}
		b := text[i]
		switch {
		case b == '\n':
			marks = true
			i++
			continue
		case b == ' ' || b == '>' && marks:
			i++
			continue
		case b == quote && quote != 0:
			quote = 0
			i++
		case b == '\'' || b == '"':
			// An operator inside quotes is part of the word, if the quotes close.
			if k := b & 1; quote == 0 && !open[k] && (i == line.start || bytes.IndexByte([]byte(" =(:,[{$@"), text[i-1]) >= 0) {
				if bytes.IndexByte(text[i+1:line.end], b) >= 0 {
					quote = b
				} else {
					open[k] = true
				}
			}
			i++
		case b == '>':
			if i+1 < line.end && text[i+1] != '&' && (i == line.start || text[i-1] != '-' && text[i-1] != '=' && text[i-1] != '2') {
				p.carries = true
			}
			i++
		case b == '=' && i+2 < line.end && (text[i+1] == '$' && text[i+2] == '(' || text[i+1] == '`' || text[i+1] == '"' && text[i+2] == '$'):
			p.carries = true
			i++
		case b == '$' || b == '.' || b == '/' || nameByte(b):
			i = s.piece(&p, line, i)
		default:
			i++
		}
		marks = false
	}
}

// operator is the length of the operator at i that ends a part: ; && or ||, 0 if there
// is none.
func operator(text []byte, i, end int) int {
	switch b := text[i]; {
	case b == ';':
		return 1
	case (b == '&' || b == '|') && i+1 < end && text[i+1] == b:
		return 2
	}
	return 0
}

// quoteMark reports whether the '>' at i is a quote mark at the beginning of a line.
func quoteMark(text []byte, start, i int) bool {
	for i > start && (text[i-1] == ' ' || text[i-1] == '>') {
		i--
	}
	return i == start || text[i-1] == '\n'
}

// piece reads the word, path, variable or URL at i and returns where it ends.
func (s *Scanner) piece(p *part, line span, i int) int {
	text := s.cur.text
	switch b := text[i]; {
	case b == '.':
		if what, at := fileAt(text, i); what != noThing && at.end <= line.end {
			if read(text, line.start, at) {
				p.thing, p.shouted = true, true
				p.fed = p.fed || what == file && fed(text, line, at)
			}
			return max(at.end, i+1)
		}
		return i + 1
	case b == '/':
		if what, at := procAt(text, i); what != noThing {
			p.thing, p.shouted = true, true
			return at.end
		}
		if i+8 < line.end && foldEqual(text[i:i+8], "/dev/tcp") {
			p.client = true
		}
		return i + 1
	case b == '$':
		return i + 1
	}
	start := i
	for i < line.end && nameByte(text[i]) {
		i++
	}
	if i+3 <= line.end && text[i] == ':' && text[i+1] == '/' && text[i+2] == '/' {
		end := s.url(p, line, i+3)
		p.inURL = p.inURL || startsWord(text, start, schemes...) && besideURL(text, line, span{start, end})
		return end
	}
	what, at := variableAt(text, start, i)
	switch {
	case what != noThing:
		p.thing = true
		p.shouted = p.shouted || upper(text[at.start:at.end]) || bytes.IndexByte(text[at.start:at.end], '_') > 0
		return i
	case i-start == 3 || i-start == 8:
		if w := text[start:i]; foldEqual(w, "env") || foldEqual(w, "printenv") {
			whole, _ := dumpAt(text, start, i)
			if one, _ := printedAt(text, start, i); whole != noThing || one != noThing {
				p.thing, p.shouted = true, true
			}
		}
	}
	if start > p.at.start && text[start-1] == '-' && foldEqual(text[start:i], "base64") && opensslEncodes(text[p.at.start:line.end]) {
		p.encoder = true
	}
	if start > line.start && (text[start-1] == '-' || text[start-1] == '.' || text[start-1] == '@' || text[start-1] == '$') {
		return i
	}
	if foldEqual(text[start:i], "base64") && (i == line.end || bytes.IndexByte([]byte(":(.="), text[i]) < 0 || endsPipe(text, line, span{start, i})) && !decodes(text, i, line.end) && !argument(text, span{start, i}) {
		p.encoder = true
		return i
	}
	if i < line.end && (text[i] == '-' || text[i] == '.' && i+1 < line.end && nameByte(text[i+1]) && !startsWord(text, i+1, "exe")) {
		if !foldEqual(text[start:i], "invoke") {
			return i
		}
		e := i + 1
		for e < line.end && nameByte(text[e]) {
			e++
		}
		if w := text[i+1 : e]; foldEqual(w, "webrequest") || foldEqual(w, "restmethod") {
			p.client = true
		}
		return e
	}
	p.note(text, span{start, i}, line.end)
	return i
}

// url reads the URL whose authority begins at i.
func (s *Scanner) url(p *part, line span, i int) int {
	text := s.cur.text
	start := i
	for i < line.end && !isSpace(text[i]) && text[i] != '"' && text[i] != '\'' && text[i] != '<' && text[i] != '>' && text[i] != '`' {
		if text[i] == '$' && i+1 < line.end && text[i+1] == '(' {
			// A command inside the URL belongs to it.
			from := i
			for i < line.end && text[i] != ')' {
				i++
			}
			p.inURL = s.inside(span{from, i}) || p.inURL
			continue
		}
		i++
	}
	// The whole user information is no place to send to: https://user:$PASSWORD@host/
	body := start
	host := start
	for host < i && text[host] != '/' && text[host] != '?' && text[host] != '#' {
		host++
	}
	if at := bytes.LastIndexByte(text[start:host], '@'); at >= 0 {
		body = start + at + 1
	}
	for k := start; k < i; k++ {
		switch b := text[k]; {
		case b == '.':
			if what, at := fileAt(text, k); what == file && at.end <= i && k > start && text[k-1] != '/' {
				p.thing, p.shouted, p.inURL = true, true, true
			}
		case nameByte(b) && !nameByte(text[k-1]):
			e := k
			for e < i && nameByte(text[e]) {
				e++
			}
			if what, _ := variableAt(text, k, e); what != noThing {
				p.thing = true
				p.inURL = p.inURL || k >= body && !camelCase(text[k:e])
			}
			k = e - 1
		}
	}
	return i
}

// inside reports whether the command in [at) reads a thing.
func (s *Scanner) inside(at span) bool {
	for k := at.start; k < at.end; k++ {
		if what, _ := thingAt(s.cur.text, k); what != noThing && what != surroundings {
			return true
		}
	}
	return false
}

// commandLine is the logical line around at: lines that a backslash or an operator
// continues belong together.
func commandLine(text []byte, at span) span {
	start := at.start
	for {
		i := bytes.LastIndexByte(text[:start], '\n')
		if i < 0 {
			start = 0
			break
		}
		if !continues(text, i) {
			start = i + 1
			break
		}
		start = i
	}
	end := at.end
	for {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		i += end
		if !continues(text, i) {
			end = i
			break
		}
		end = i + 1
	}
	return span{start, end}
}

// continues reports whether the command goes on over the line break at i.
func continues(text []byte, i int) bool {
	j := i
	for j > 0 && (text[j-1] == ' ' || text[j-1] == '\t') {
		j--
	}
	if j > 0 {
		switch text[j-1] {
		case '\\':
			return j == i
		case '|':
			return true
		case '&':
			return j > 1 && text[j-2] == '&'
		}
	}
	k := i + 1
	for k < len(text) && (text[k] == ' ' || text[k] == '\t' || text[k] == '>') {
		k++
	}
	if k+1 < len(text) && (text[k] == '-' || text[k] == '+' || text[k] == '*') && text[k+1] == ' ' {
		k += 2 // the mark of a list, or of an added line
	}
	return k+1 < len(text) && (text[k] == '|' && text[k+1] == ' ' && !table(text, i, k) || text[k] == '&' && text[k+1] == '&')
}

// table reports whether the line before i, and the one that begins with a pipe at k,
// are rows of a table.
func table(text []byte, i, k int) bool {
	e := bytes.IndexByte(text[k:min(len(text), k+256)], '\n')
	if e < 0 {
		e = min(len(text), k+256) - k
	}
	row := bytes.TrimRight(text[k:k+e], " \t")
	return len(row) > 1 && row[len(row)-1] == '|' || i > 0 && text[i-1] == '|'
}
