package document

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of a readable document. They keep the memory for hostile input within a
// small multiple of its size.
const (
	maxDepth  = 1000    // nested arrays and objects
	maxValues = 1 << 19 // values
	maxFaults = 100     // faults reported of one document
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is one value and its place in the raw bytes.
type Value struct {
	Kind       Kind
	Start, End int     // raw[Start:End] is the value as it was written
	Text       string  // String: decoded. Number and Bool: as written
	Members    []Value // Array and Object: the values in document order

	// Of a value that is a member of an object:
	Name      string // decoded
	NameStart int    // of the name's literal
	NameEnd   int
}

// Member gives the member of an object with exactly this name, or nil.
func (v *Value) Member(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i]
		}
	}
	return nil
}

// At follows member names from v; nil when one is absent.
func (v *Value) At(names ...string) *Value {
	for _, n := range names {
		v = v.Member(n)
	}
	return v
}

// Is reports whether v exists and is of the kind.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Fault is why a document is unreadable, and where.
type Fault struct {
	Rule   string // json.syntax, json.utf-8, json.duplicate-member, …
	Offset int    // in bytes from the start
	Line   int    // 1-based; lines end at LF
	Column int    // 1-based, in bytes
	Detail string
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("line %d, column %d: %s: %s", f.Line, f.Column, f.Rule, f.Detail)
}

// Options tell what Parse tolerates.
type Options struct {
	ByteOrderMark bool // one leading byte-order mark is skipped
}

// Parse reads one JSON text strictly: valid UTF-8, no duplicate member at any depth
// (names compared after unescaping), no lone surrogate, nothing after the value, at
// most 1,000 levels deep and 524,288 values. Duplicates and surrogates are collected; any other fault
// ends the reading. With a fault the value is nil.
func Parse(raw []byte, o Options) (*Value, []*Fault) {
	p := &parser{raw: raw}
	if at := invalidUTF8(raw); at >= 0 {
		p.stop(at, "json.utf-8", "these bytes are not UTF-8")
		return nil, p.faults
	}
	if o.ByteOrderMark && bytes.HasPrefix(raw, []byte("\ufeff")) {
		p.pos = len("\ufeff")
	}
	var v Value
	p.space()
	p.value(&v, 0)
	p.space()
	if !p.stopped && p.pos < len(raw) {
		p.stop(p.pos, "json.trailing", "something follows the value")
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return &v, nil
}

func invalidUTF8(raw []byte) int {
	for i := 0; i < len(raw); {
		if raw[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

type parser struct {
	raw     []byte
	pos     int
	values  int
	faults  []*Fault
	stopped bool
}

func (p *parser) fault(at int, rule, detail string) {
	if len(p.faults) == maxFaults {
		return
	}
	line, column := position(p.raw, at)
	p.faults = append(p.faults, &Fault{Rule: rule, Offset: at, Line: line, Column: column, Detail: detail})
}

func (p *parser) stop(at int, rule, detail string) {
	if p.stopped {
		return
	}
	p.stopped = true
	p.fault(at, rule, detail)
}

// position gives line and column of an offset, both 1-based; the column counts bytes.
func position(raw []byte, offset int) (line, column int) {
	before := raw[:offset]
	return 1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')
}

func (p *parser) peek() byte {
	if p.stopped || p.pos == len(p.raw) {
		return 0
	}
	return p.raw[p.pos]
}

func (p *parser) space() {
	for p.pos < len(p.raw) && strings.IndexByte(" \t\r\n", p.raw[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value(v *Value, depth int) {
	v.Start = p.pos
	if p.values++; p.values > maxValues {
		p.stop(p.pos, "json.values", "more than 524,288 values")
		return
	}
	switch c := p.peek(); {
	case c == '{' || c == '[':
		if depth == maxDepth {
			p.stop(p.pos, "json.depth", "nested more than 1,000 levels deep")
			return
		}
		p.container(v, depth+1)
	case c == '"':
		v.Kind, v.Text = String, p.text()
	case c == '-' || c >= '0' && c <= '9':
		v.Kind = Number
		p.number()
		v.Text = string(p.raw[v.Start:p.pos])
	default:
		p.word(v)
	}
	v.End = p.pos
}

func (p *parser) word(v *Value) {
	for _, word := range [...]string{"null", "true", "false"} {
		if bytes.HasPrefix(p.raw[p.pos:], []byte(word)) {
			if v.Text = word; word != "null" {
				v.Kind = Bool
			}
			p.pos += len(word)
			return
		}
	}
	detail := "a value is expected"
	if bytes.HasPrefix(p.raw[p.pos:], []byte("\ufeff")) {
		detail = "a byte-order mark stands where none may"
	}
	p.stop(p.pos, "json.syntax", detail)
}

func (p *parser) container(v *Value, depth int) {
	v.Kind = Array
	closer := byte(']')
	if p.peek() == '{' {
		v.Kind, closer = Object, '}'
	}
	p.pos++
	p.space()
	if p.peek() == closer {
		p.pos++
		return
	}
	seen := names{}
	for !p.stopped {
		var m Value
		if v.Kind == Object {
			p.name(&m, &seen)
		}
		p.value(&m, depth)
		v.Members = append(v.Members, m)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case closer:
			p.pos++
			return
		default:
			p.stop(p.pos, "json.syntax", "a comma or the end of the array or object is expected")
		}
	}
}

func (p *parser) name(m *Value, seen *names) {
	m.NameStart = p.pos
	if p.peek() != '"' {
		p.stop(p.pos, "json.syntax", "a member name is expected")
		return
	}
	m.Name = p.text()
	m.NameEnd = p.pos
	if !p.stopped && !seen.add(m.Name) {
		p.fault(m.NameStart, "json.duplicate-member", "an earlier member has this name")
	}
	p.space()
	if p.peek() != ':' {
		p.stop(p.pos, "json.syntax", "a colon is expected")
		return
	}
	p.pos++
	p.space()
}

// names holds the member names of one object: a list while it is short.
type names struct {
	few  []string
	many map[string]bool
}

func (n *names) add(name string) bool {
	if n.many != nil {
		if n.many[name] {
			return false
		}
		n.many[name] = true
		return true
	}
	for _, f := range n.few {
		if f == name {
			return false
		}
	}
	if n.few = append(n.few, name); len(n.few) > 16 {
		n.many = make(map[string]bool, 64)
		for _, f := range n.few {
			n.many[f] = true
		}
	}
	return true
}

// number checks -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (p *parser) number() {
	digits := func() {
		from := p.pos
		for p.peek() >= '0' && p.peek() <= '9' {
			p.pos++
		}
		if p.pos == from {
			p.stop(p.pos, "json.syntax", "a digit is expected")
		}
	}
	if p.peek() == '-' {
		p.pos++
	}
	if p.peek() == '0' {
		p.pos++
	} else {
		digits()
	}
	if p.peek() == '.' {
		p.pos++
		digits()
	}
	if p.peek() == 'e' || p.peek() == 'E' {
		p.pos++
		if p.peek() == '+' || p.peek() == '-' {
			p.pos++
		}
		digits()
	}
}

// text reads a string literal and gives its meaning.
func (p *parser) text() string {
	p.pos++
	var b strings.Builder
	from := p.pos
	for p.pos < len(p.raw) {
		switch c := p.raw[p.pos]; {
		case c == '"':
			b.Write(p.raw[from:p.pos])
			p.pos++
			return b.String()
		case c == '\\':
			b.Write(p.raw[from:p.pos])
			p.escape(&b)
			if p.stopped {
				return ""
			}
			from = p.pos
		case c < ' ':
			p.stop(p.pos, "json.syntax", "a control character inside a string is not escaped")
			return ""
		default:
			p.pos++
		}
	}
	p.stop(p.pos, "json.syntax", "the text ends inside a string")
	return ""
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(b *strings.Builder) {
	at := p.pos
	if p.pos+1 < len(p.raw) {
		if c, ok := escapes[p.raw[p.pos+1]]; ok {
			b.WriteByte(c)
			p.pos += 2
			return
		}
	}
	r, ok := p.unit()
	if !ok {
		p.stop(at, "json.syntax", "this escape does not exist")
		return
	}
	if utf16.IsSurrogate(r) {
		before := p.pos
		low, _ := p.unit()
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			p.pos = before
			p.fault(at, "json.lone-surrogate", "half of a surrogate pair stands alone")
		}
	}
	b.WriteRune(r)
}

// unit reads the escape of one UTF-16 unit at the position, if it is there.
func (p *parser) unit() (rune, bool) {
	if p.pos+6 > len(p.raw) || p.raw[p.pos] != '\\' || p.raw[p.pos+1] != 'u' {
		return 0, false
	}
	r, err := hex.DecodeString(string(p.raw[p.pos+2 : p.pos+6]))
	if err != nil {
		return 0, false
	}
	p.pos += 6
	return rune(r[0])<<8 | rune(r[1]), true
}
