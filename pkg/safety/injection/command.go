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
	shown   bool // the output goes where a forge shows it

	forge  int  // where the name of a forge's program begins, -1 if there is none
	posted bool // what a forge's program is handed is a thing
	piped  bool // a thing was read before a pipe

	placed bool   // a variable is in its own place
	used   owners // whose variables are in their own places
	formed owners // whose variables are in the body
	target target
}

// target is what is known of the hosts that a part names.
type target struct {
	named     bool // a literal host
	of        owners
	collector bool
	url       bool // there is a URL
}

// add takes down one more host.
func (t *target) add(host []byte) destination {
	d, of := hostOf(host)
	switch {
	case d == collector:
		t.collector = true
	case d == literal && t.named:
		t.of &= of
	case d == literal:
		t.named, t.of = true, of
	}
	return d
}

// astray reports whether credentials in their own places go to somebody they are not
// for: a collector, or the host of another owner.
func (p *part) astray() bool {
	return p.placed && (p.target.collector || p.target.named && p.used&^p.target.of != 0) || p.client && (p.used|p.formed).several()
}

// leaves reports whether a thing goes out in the part.
func (p *part) leaves(text []byte) bool {
	if p.client && !p.target.url && p.used|p.formed != 0 {
		p.target.add(bareHost(text, p.at))
	}
	if p.formed != 0 && !(p.target.named && p.formed&^p.target.of == 0) {
		p.thing = true
	}
	return p.thing && (p.client || p.encoder && p.shouted) || p.inURL || p.fed && p.channel || p.astray() || p.thing && p.shown ||
		p.forge >= 0 && (p.posted || p.piped) && posts(text, span{p.forge, p.at.end})
}

// commandReader reads one logical line.
type commandReader struct {
	s     *Scanner
	text  []byte
	line  span
	part  part
	arg   argument
	quote byte    // the quotes around the place looked at
	open  [2]bool // double and single quotes that do not close any more
	marks bool    // nothing but quote marks since the beginning of the line

	placed  int // the last variable in its own place, -1 if there is none
	carried int // where a part began that hands on what it read, -1 if there is none
	staged  int // the same of one that takes a file into a repository
}

// command judges one logical line: a thing and a way out in one part of it, or in two
// parts of which the first hands on what it read.
func (s *Scanner) command(line span) (span, bool) {
	r := commandReader{s: s, text: s.cur.text, line: line, marks: true, placed: -1, carried: -1, staged: -1}
	r.begin(line.start)
	for i := line.start; ; {
		n := 0
		if i < line.end && r.quote == 0 {
			n = operator(r.text, i, line.end)
		}
		if i < line.end && n == 0 {
			i = r.read(i)
			continue
		}
		if found, ok := r.judge(min(i, line.end)); ok {
			return found, true
		}
		if i >= line.end {
			return span{}, false
		}
		i += n
		r.begin(i)
	}
}

func (r *commandReader) begin(i int) {
	r.part = part{at: span{i, i}, forge: -1}
	r.arg = argument{start: i, before: span{i, i}, closed: true}
}

// judge ends the part at end.
func (r *commandReader) judge(end int) (span, bool) {
	p := &r.part
	p.at.end = end
	if p.leaves(r.text) {
		return p.at, true
	}
	if r.carried >= 0 && (p.client || p.encoder) {
		return span{r.carried, end}, true
	}
	git := p.forge >= 0 && foldEqual(r.text[p.forge:min(len(r.text), p.forge+3)], "git")
	if r.staged >= 0 && git && startsWord(r.text[:end], afterBlanks(r.text, p.forge+3), "commit", "push") {
		return span{r.staged, end}, true
	}
	if p.thing && p.carries {
		r.carried = p.at.start
	}
	if git && p.posted && startsWord(r.text[:end], afterBlanks(r.text, p.forge+3), "add", "stage") {
		r.staged = p.at.start
	}
	return span{}, false
}

func afterBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	return i
}

// read reads what stands at i and returns where it ends.
func (r *commandReader) read(i int) int {
	text, p := r.text, &r.part
	r.arg.step(text, i)
	b := text[i]
	marks := r.marks
	r.marks = b == '\n' || marks && (b == ' ' || b == '>')
	switch {
	case b == ' ' || r.marks:
	case b == r.quote && b != 0:
		r.quote = 0
	case b == '\'' || b == '"':
		r.openQuote(i)
	case b == '>':
		r.redirection(i)
	case b == '|':
		p.piped = p.piped || p.thing && p.forge < 0
	case b == '=' && i+2 < r.line.end && (text[i+1] == '$' && text[i+2] == '(' || text[i+1] == '`' || text[i+1] == '"' && text[i+2] == '$'):
		p.carries = true
	case b == '$' || b == '.' || b == '/' || nameByte(b):
		return r.piece(i)
	}
	return i + 1
}

// openQuote takes down a quote that opens: an operator inside quotes is part of the
// word, if the quotes close. Escaped ones only hold an argument together.
func (r *commandReader) openQuote(i int) {
	b, before := r.text[i], byte(' ')
	if i > r.line.start {
		before = r.text[i-1]
	}
	if before == '\\' {
		r.arg.escaped(r.text, i)
		return
	}
	glued := wordByte[before] && i-2 >= r.line.start && r.text[i-2] == '-' // -H"…"
	k := b & 1
	if r.quote != 0 || r.open[k] || !glued && bytes.IndexByte([]byte(" =(:,[{$@\n"), before) < 0 {
		return
	}
	if bytes.IndexByte(r.text[i+1:r.line.end], b) < 0 {
		r.open[k] = true
		return
	}
	r.quote = b
	if r.arg.quote == 0 {
		r.arg.quote, r.arg.inner = b, false
	}
}

// redirection takes down where the output goes.
func (r *commandReader) redirection(i int) {
	text, start := r.text, r.line.start
	if i+1 < r.line.end && text[i+1] != '&' && (i == start || text[i-1] != '-' && text[i-1] != '=' && text[i-1] != '2') {
		r.part.carries = true
		r.part.shown = r.part.shown || shownOutput(text, i+1, r.line.end)
	}
}

// shownFiles are the variables that name files of which a forge shows what is in them.
var shownFiles = []string{"github_step_summary", "github_output"}

// shownOutput reports whether the file named at i is one that a forge shows.
func shownOutput(text []byte, i, end int) bool {
	for i < end && (text[i] == '>' || text[i] == ' ' || quoteByte(text[i])) {
		i++
	}
	if i == end || text[i] != '$' {
		return false
	}
	for i++; i < end && text[i] == '{'; i++ {
	}
	if i+4 < end && foldEqual(text[i:i+4], "env:") {
		i += 4
	}
	return startsWord(text[:end], i, shownFiles...)
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
func (r *commandReader) piece(i int) int {
	text := r.text
	switch text[i] {
	case '.', '/':
		return r.path(i)
	case '$':
		return i + 1
	}
	start := i
	for i < r.line.end && nameByte(text[i]) {
		i++
	}
	if i+3 <= r.line.end && text[i] == ':' && text[i+1] == '/' && text[i+2] == '/' {
		end := r.url(i + 3)
		r.part.inURL = r.part.inURL || startsWord(text, start, schemes...) && besideURL(text, r.line, span{start, end}, r.placed)
		return end
	}
	if what, at := variableAt(text, start, i); what != noThing {
		r.variable(at)
		return i
	}
	if i-start == 3 || i-start == 8 {
		r.environment(start, i)
	}
	return r.program(start, i)
}

// path reads a path of which a dot or slash stands at i.
func (r *commandReader) path(i int) int {
	text, p := r.text, &r.part
	if text[i] == '.' {
		what, at := fileAt(text, i)
		if what == noThing || at.end > r.line.end {
			return i + 1
		}
		if read(text, r.line.start, at) {
			p.thing, p.shouted = true, true
			p.fed = p.fed || what == file && fed(text, r.line, at)
			p.posted = p.posted || handedOver(text, r.arg.start, at)
		}
		return max(at.end, i+1)
	}
	if what, at := procAt(text, i); what != noThing {
		p.thing, p.shouted, p.posted = true, true, true
		return at.end
	}
	if i+8 < r.line.end && foldEqual(text[i:i+8], "/dev/tcp") {
		p.client = true
	}
	return i + 1
}

// variable reads the variable at.
func (r *commandReader) variable(at span) {
	name := variableName(r.text, at)
	shouted := upper(name) || bytes.IndexByte(name, '_') > 0
	p, of, where := &r.part, ownersOf(name), elsewhere
	if !r.s.concealed {
		where = placeOf(r.text, p.at.start, r.line.end, &r.arg, at)
	}
	switch {
	case where == inHeader || where == asUser:
		p.placed, r.placed = true, at.start
		p.used |= of
	case where == inBody && of != 0:
		p.formed |= of
		p.shouted = p.shouted || shouted
	default:
		p.thing = true
		p.shouted = p.shouted || shouted
		p.posted = p.posted || p.forge >= 0
	}
}

// environment reads the word env or printenv, if it is one.
func (r *commandReader) environment(start, end int) {
	if w := r.text[start:end]; !foldEqual(w, "env") && !foldEqual(w, "printenv") {
		return
	}
	whole, _ := dumpAt(r.text, start, end)
	if one, _ := printedAt(r.text, start, end); whole != noThing || one != noThing {
		r.part.thing, r.part.shouted = true, true
		r.part.posted = r.part.posted || r.part.forge >= 0
	}
}

// program reads the word from start to i, which may be a program that sends or encodes.
func (r *commandReader) program(start, i int) int {
	text, p, end := r.text, &r.part, r.line.end
	word := text[start:i]
	if start > p.at.start && text[start-1] == '-' && foldEqual(word, "base64") && opensslEncodes(text[p.at.start:end]) {
		p.encoder = true
	}
	if start > r.line.start && (text[start-1] == '-' || text[start-1] == '.' || text[start-1] == '@' || text[start-1] == '$') {
		return i
	}
	if foldEqual(word, "base64") && (i == end || bytes.IndexByte([]byte(":(.="), text[i]) < 0 || endsPipe(text, r.line, span{start, i})) && !decodes(text, i, end) && !argued(text, span{start, i}) {
		p.encoder = true
		return i
	}
	if i < end && (text[i] == '-' || text[i] == '.' && i+1 < end && nameByte(text[i+1]) && !startsWord(text, i+1, "exe")) {
		if !foldEqual(word, "invoke") {
			return i
		}
		e := i + 1
		for e < end && nameByte(text[e]) {
			e++
		}
		if w := text[i+1 : e]; foldEqual(w, "webrequest") || foldEqual(w, "restmethod") {
			p.client = true
		}
		return e
	}
	if foldEqual(word, "tee") {
		p.shown = p.shown || shownOutput(text, afterOptions(text, i, end), end)
	}
	p.note(text, span{start, i}, end)
	return i
}

// afterOptions is where the first argument behind i begins that is no option.
func afterOptions(text []byte, i, end int) int {
	for i = afterBlanks(text[:end], i); i < end && text[i] == '-'; i = afterBlanks(text[:end], i) {
		for i < end && !isSpace(text[i]) {
			i++
		}
	}
	return i
}

// url reads the URL whose authority begins at i.
func (r *commandReader) url(i int) int {
	text, p, end := r.text, &r.part, r.line.end
	start := i
	for i < end && !isSpace(text[i]) && text[i] != '"' && text[i] != '\'' && text[i] != '<' && text[i] != '>' && text[i] != '`' {
		switch {
		case text[i] != '$' || i+1 == end:
		case text[i+1] == '(':
			// A command inside the URL belongs to it.
			from := i
			for i < end && text[i] != ')' {
				i++
			}
			p.inURL = r.s.inside(span{from, i}) || p.inURL
			continue
		case bytes.HasPrefix(text[i:end], []byte("${{")):
			// So does an expression, with its blanks.
			if k := bytes.Index(text[i:min(end, i+maxArgument)], []byte("}}")); k > 0 {
				i += k + 2
				continue
			}
		}
		i++
	}
	// The user information is no place to send to: https://user:$PASSWORD@host/
	body := start
	host := span{start, start}
	for host.end < i && text[host.end] != '/' && text[host.end] != '?' && text[host.end] != '#' {
		host.end++
	}
	if at := bytes.LastIndexByte(text[start:host.end], '@'); at >= 0 {
		body = start + at + 1
		host.start = body
	}
	to := p.target.add(withoutPort(text[host.start:host.end]))
	p.target.url = true
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
			r.inURL(span{k, e}, k >= body, to)
			k = e - 1
		}
	}
	return i
}

// inURL reads a word of a URL that goes to a host: in its path or query, or in the user
// information before the host.
func (r *commandReader) inURL(word span, behind bool, to destination) {
	p := &r.part
	what, at := variableAt(r.text, word.start, word.end)
	switch {
	case what == noThing || behind && to == loopback && !r.s.concealed:
	case behind || r.s.concealed:
		p.thing = true
		p.inURL = p.inURL || behind && !camelCase(r.text[word.start:word.end])
	default:
		p.placed = true
		p.used |= ownersOf(variableName(r.text, at))
	}
}

// withoutPort is the host of an authority.
func withoutPort(authority []byte) []byte {
	if k := bytes.LastIndexByte(authority, ':'); k >= 0 && bytes.IndexByte(authority[k:], ']') < 0 {
		return authority[:k]
	}
	return authority
}

// maxPart bounds how much of a part is looked at for a host without a scheme, in bytes.
const maxPart = 4096

// bareHost is the host without a scheme among the arguments of a client: the first that
// looks like one and stands behind no option. It is empty if there is none.
func bareHost(text []byte, at span) []byte {
	option := true // the first word is the program
	for rest := text[at.start:min(at.end, at.start+maxPart)]; ; {
		rest = bytes.TrimLeft(rest, " \t\n\\")
		if len(rest) == 0 {
			return nil
		}
		n := bytes.IndexAny(rest, " \t\n")
		if n < 0 {
			n = len(rest)
		}
		word := bytes.Trim(rest[:n], "\"'`")
		rest = rest[n:]
		switch {
		case len(word) > 0 && word[0] == '-':
			option = true
		case option:
			option = false
		default:
			host, _, _ := bytes.Cut(word, []byte("/"))
			if host = withoutPort(host); hostName(host) {
				return host
			}
		}
	}
}

// hostName reports whether a word can be the name of a host: labels of letters, digits
// and hyphens, the last of letters.
func hostName(b []byte) bool {
	k := bytes.LastIndexByte(b, '.')
	if k <= 0 || len(b)-k < 3 {
		return false
	}
	for i, c := range b {
		if c != '.' && c != '-' && !wordByte[c] || i > k && !isLetter(c) {
			return false
		}
	}
	return true
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
