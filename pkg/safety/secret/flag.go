package secret

import "bytes"

// The word behind a flag with a secret name is its value, as is the one behind the flags of
// some programs that have short names for a password.

// flagName tells whether text[start:end] is a flag that takes a secret, and not the name of a
// file that holds one or a switch.
func (d *Detector) flagName(start, end int) bool {
	text := d.text
	if start > 0 && !is(text[start-1], blank) && bytes.IndexByte([]byte("\n\"'`[(,|"), text[start-1]) < 0 {
		return false
	}
	name := bytes.TrimLeft(text[start:end], "-")
	if len(name) == 0 || !secretName(name) {
		return false
	}
	k := describe(name)
	return !k.first.in(switchWords) && !k.thing() && !k.isText()
}

// flag handles the flag text[start:end], behind which a blank stands.
func (d *Detector) flag(start, end int) {
	text := d.text
	if !d.flagName(start, end) {
		return
	}
	i := run(text[:min(len(text), end+maxIndent)], end, blank)
	if hasAt(text, i, "\\\n") {
		i = run(text[:min(len(text), i+maxIndent)], i+2, blank)
	}
	from, to := d.shellWord(i)
	k := describe(bytes.TrimLeft(text[start:end], "-"))
	d.flagValue(from, to, k.auth)
}

// listedFlag handles a flag in a list of arguments, of which the next element is the value:
// ["--password", "value"], and in YAML an item below. It tells whether there is one.
func (d *Detector) listedFlag(n *nameAt, start int) bool {
	text := d.text
	i := n.end
	_, k, quotes := quoteAt(text, i)
	if quotes {
		i = k + 1
	}
	switch {
	case quotes && hasAt(text, i, ","):
		i++
		for i < len(text) && i-n.end < maxIndent && (is(text[i], blank) || text[i] == '\n') {
			i++
		}
	case hasAt(text, i, "\n"):
		item := start
		if quotes {
			item--
		}
		if item < 0 || quotes && !isQuote(text[item]) {
			return false
		}
		line := bytes.LastIndexByte(text[max(0, item-maxIndent):item], '\n') + 1 + max(0, item-maxIndent)
		if before := text[line:item]; len(before) < 2 || string(bytes.TrimSpace(before)) != "-" || !bytes.HasPrefix(text[i+1:], before) {
			return false
		}
		if i += 1 + item - line; i >= len(text) {
			return false
		}
		if !quotes {
			if d.flagName(start, n.end) {
				from, to := d.shellWord(i)
				d.flagValue(from, to, false)
			}
			return true
		}
	default:
		return false
	}
	from, to, ok := quoted(text, i)
	if !ok || !d.flagName(start, n.end) {
		return false
	}
	d.spend(to - from)
	d.flagValue(from, to, false)
	return true
}

// shellWord gives the word of a command line at text[i:], without quotes around it.
func (d *Detector) shellWord(i int) (from, to int) {
	text := d.text
	if from, to, ok := quoted(text, i); ok {
		d.spend(to - from)
		return from, d.inLiteral(i, from, to)
	}
	to = unquotedEnd(text, i, 0)
	if k := bytes.IndexByte(text[i:to], '|'); k >= 0 {
		to = i + k
	}
	d.spend(to - i)
	to = trimClosers(text, i, to)
	if to > i && text[to-1] == '.' && (to == len(text) || text[to] == '\n' || is(text[to], blank)) {
		to-- // a sentence ends
	}
	if to > i && text[to-1] == '\\' {
		to--
	}
	return i, to
}

// flagValue judges the word text[from:to] behind a flag; mixed tells that it wants a digit or
// a capital.
func (d *Detector) flagValue(from, to int, mixed bool) {
	text := d.text
	if to-from < minValue || from < d.valueEnd {
		return
	}
	v := text[from:to]
	bare := !isQuote(text[from-1])
	w := fold(v)
	switch u := union(v[:min(len(v), maxMixed)]); {
	case mixed && u&(digit|upper) == 0, isWordless(v),
		v[0] == '-' && (bare || is(v[1], letter|dash)), v[len(v)-1] == '=' && hasAt(text, to, "<"),
		bare && (v[0] == '[' || v[0] == '@' || v[0] == '\\'),
		isPath(v), isFileName(v), isAddress(v), isCapitals(v),
		bare && (w.in(flagProse) || d.assigns(from, to) || helpBehind(text, to)):
		return
	}
	for _, list := range []string{"id=", "src=", "source=", "env="} {
		if hasAt(v, 0, list) {
			return
		}
	}
	d.report(from, to, FlagValue)
}

// assigns tells whether the word text[from:to] is NAME=value, of which the value is judged by
// itself. Base64 has the sign at its end only.
func (d *Detector) assigns(from, to int) bool {
	k := run(d.text[:to], from, alnum|underscore|dash|dot)
	return k > from && k < to && d.text[k] == '=' && k+1 < to && d.text[k+1] != '=' && is(d.text[from], letter|underscore)
}

// helpBehind tells whether two blanks or a tab and a word stand at text[i:], as in the help of
// a program.
func helpBehind(text []byte, i int) bool {
	k := run(text[:min(len(text), i+maxIndent)], i, blank)
	return k < len(text) && (k > i+1 || k > i && text[i] == '\t') && is(text[k], letter)
}

// A program has flags for passwords whose names do not tell so.
type program struct {
	name  string
	flags []programFlag
	// login tells that the flags belong to the command login.
	login bool
}

type programFlag struct {
	name  string
	glued bool // the value may follow without a blank
	split bool // it may not follow with one
	pair  bool // the value is user:password
}

const programCount = 14

var programs = [programCount]program{
	{name: "sshpass ", flags: []programFlag{{name: "-p", glued: true}}},
	{name: "mysql", flags: []programFlag{{name: "-p", glued: true, split: true}}},
	{name: "mariadb", flags: []programFlag{{name: "-p", glued: true, split: true}}},
	{name: "curl ", flags: []programFlag{{name: "-u", glued: true, pair: true}, {name: "--user", pair: true}, {name: "--proxy-user", pair: true}, {name: "-U", glued: true, pair: true}}},
	{name: "wget ", flags: []programFlag{{name: "-u", glued: true, pair: true}, {name: "--user", pair: true}}},
	{name: "http ", flags: []programFlag{{name: "-a", glued: true, pair: true}, {name: "--auth", pair: true}, {name: "-u", pair: true}, {name: "--user", pair: true}}},
	{name: "https ", flags: []programFlag{{name: "-a", glued: true, pair: true}, {name: "--auth", pair: true}}},
	{name: " login ", login: true, flags: []programFlag{{name: "-p"}}},
	{name: "redis-cli ", flags: []programFlag{{name: "-a"}}},
	{name: "twine ", flags: []programFlag{{name: "-p"}}},
	{name: "mongo", flags: []programFlag{{name: "-p"}}},
	{name: "sqlcmd ", flags: []programFlag{{name: "-P", glued: true}}},
	{name: "ldap", flags: []programFlag{{name: "-w"}}},
	{name: "zip ", flags: []programFlag{{name: "-P"}}},
}

// program handles the name of programs[k] at pos: the flags of its command line, which ends
// with the line or at a sign of the shell.
func (d *Detector) program(k, pos int) {
	const longest = 2048
	text, p := d.text, &programs[k]
	if pos < d.programEnd[k] {
		return
	}
	if p.login {
		word := runBack(text, pos, max(0, pos-maxIndent), alnum|dash)
		if w := fold(text[word:pos]); !w.in(loginPrograms) {
			return
		}
	} else if pos > 0 && is(text[pos-1], alnum|dash|underscore|dot) && !(p.name == "zip " && hasAt(text, pos-2, "un")) {
		return
	}
	limit := min(len(text), pos+longest)
	i := pos + len(p.name)
	if p.name[len(p.name)-1] != ' ' {
		i = run(text[:limit], i, alnum|underscore|dash) // mysqldump
	}
	for i < limit {
		i = run(text[:limit], i, blank)
		if hasAt(text, i, "\\\n") {
			i += 2
			continue
		}
		if i >= limit || bytes.IndexByte([]byte("\n;|&`"), text[i]) >= 0 {
			break
		}
		i = d.programWord(p, i, limit)
		if p.name == "sshpass " && i < limit && is(text[min(i+1, limit-1)], letter) {
			break // what it runs has flags of its own
		}
	}
	d.spend(i - pos)
	d.programEnd[k] = i
}

// programWord handles the word at text[i:limit] of the command line of p and gives its end.
func (d *Detector) programWord(p *program, i, limit int) (end int) {
	text := d.text
	end = i
	for k := range p.flags {
		f := &p.flags[k]
		at := f.value(text[:limit], i)
		if at < 0 {
			continue
		}
		if at >= limit || text[at] == '\n' {
			return at
		}
		from, to := d.shellWord(at)
		end = max(to, at)
		if colon := bytes.IndexByte(text[from:to], ':'); !f.pair || colon > 0 {
			if f.pair {
				from += colon + 1
			}
			d.flagValue(from, to, false)
		}
		break
	}
	for ; end < limit; end++ {
		switch c := text[end]; {
		case is(c, blank), c == '\n', c == ';', c == '|', c == '`':
			return max(end, i+1)
		case c == '"' || c == '\'':
			if _, to, ok := quoted(text[:limit], end); ok {
				end = to
			}
		}
	}
	return end
}

// value gives the place of the value of a flag at text[i:], or -1 if it is not there or takes
// none.
func (f *programFlag) value(text []byte, i int) int {
	if text[i] != '-' {
		return -1
	}
	at := i + len(f.name)
	switch {
	case !hasAt(text, i, f.name): // -sSfu user:password
		short := run(text, i+1, letter)
		if !f.pair || len(f.name) != 2 || short == i+1 || text[short-1] != f.name[1] || short >= len(text) || !is(text[short], blank) {
			return -1
		}
		return run(text, short, blank)
	case at >= len(text):
	case is(text[at], blank) && !f.split:
		return run(text, at, blank)
	case text[at] == '=' && len(f.name) > 2:
		return at + 1
	case f.glued && text[at] > ' ':
		return at
	}
	return -1
}

// openssl handles pass: at pos, before a password on the command line of openssl.
func (d *Detector) openssl(pos int) {
	text := d.text
	if pos == 0 || !is(text[pos-1], blank) && !isQuote(text[pos-1]) {
		return
	}
	flag := text[max(0, pos-maxIndent):pos]
	if bytes.IndexByte(flag, '-') < 0 || !containsFold(flag, "pass") {
		return
	}
	from := pos + len("pass:")
	if from < len(text) {
		_, to := d.shellWord(from)
		d.flagValue(from, to, false)
	}
}

// creds handles the flag --creds at pos, and its value user:password.
func (d *Detector) creds(pos int) {
	text := d.text
	i := pos + len("--creds")
	for len(text) > i && text[i] != '=' && !is(text[i], blank) {
		if i++; i > pos+len("--creds")+1 {
			return
		}
	}
	if i = run(text, i+1, blank); i >= len(text) {
		return
	}
	from, to := d.shellWord(i)
	if colon := bytes.IndexByte(text[from:to], ':'); colon > 0 {
		d.flagValue(from+colon+1, to, false)
	}
}
