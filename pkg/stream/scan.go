package stream

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
)

const (
	maxDepth = 6
	// maxMembers bounds the search for duplicates. No object of the format has as
	// many members, so an object with more has an unknown one.
	maxMembers = 64
	maxInteger = 1<<53 - 1
)

// kind is the first byte of a JSON value, '0' for any number.
type kind byte

func (k kind) String() string {
	switch k {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	}
	return "null"
}

// value is a scanned JSON value. It aliases the line and the scanner's buffer.
type value struct {
	kind    kind
	raw     []byte // as written; a string without its quotes
	text    []byte // a string decoded
	minimal bool   // of a string: raw is AppendString's spelling
}

// integer gives the value of a number that the scanner accepted.
func (v value) integer() int64 {
	n, _ := strconv.ParseInt(string(v.raw), 10, 64)
	return n
}

// entry is a member of an object.
type entry struct {
	name []byte
	value
}

// scanner checks the JSON of one line: grammar, depth, duplicates, surrogates,
// UTF-8 and numbers, whatever the members mean. Strings are decoded into scratch,
// but the one large string of a line into a buffer of its own that the line can keep.
type scanner struct {
	pool    *pool
	scratch []byte
	n       int    // scratch in use
	text    []byte // the line's own buffer, nil while there is none
}

const (
	ownText     = 2 << 10 // bytes left of a line from which on its text gets its own buffer
	keptScratch = 1 << 20 // a larger scratch is not kept for the next line
)

// reset prepares for a line.
func (s *scanner) reset() {
	if len(s.scratch) > keptScratch {
		s.scratch = nil
	}
	s.n, s.text = 0, nil
}

func space(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t') {
		i++
	}
	return i
}

// line scans a whole line that must be one object.
func (s *scanner) line(src []byte, out []entry) ([]entry, string) {
	i := space(src, 0)
	if i < len(src) && src[i] != '{' {
		if _, end, rule := s.value(src, i, 1); rule != "" || space(src, end) != len(src) {
			return nil, cmp.Or(rule, RuleSyntax)
		}
		return nil, RuleObject
	}
	out, end, rule := s.object(src, i, 1, out)
	if rule == "" && space(src, end) != len(src) {
		rule = RuleSyntax
	}
	return out, rule
}

// object scans the object at src[i] and appends its members. Their strings stay in
// the buffer.
func (s *scanner) object(src []byte, i, depth int, out []entry) ([]entry, int, string) {
	if i >= len(src) || src[i] != '{' {
		return out, i, RuleSyntax
	}
	if depth > maxDepth {
		return out, i, RuleDepth
	}
	base := len(out)
	i = space(src, i+1)
	if i < len(src) && src[i] == '}' {
		return out, i + 1, ""
	}
	for {
		if i >= len(src) || src[i] != '"' {
			return out, i, RuleSyntax
		}
		name, rule := s.string(src, i+1)
		if rule != "" {
			return out, i, rule
		}
		for _, e := range out[base:] {
			if bytes.Equal(e.name, name.text) {
				return out, i, RuleDuplicateMember
			}
		}
		if len(out)-base == maxMembers {
			return out, i, RuleUnknownMember
		}
		i = space(src, name.end)
		if i >= len(src) || src[i] != ':' {
			return out, i, RuleSyntax
		}
		var v value
		i = space(src, i+1)
		if depth == 1 && i < len(src) && src[i] == '"' && (string(name.text) == "body" || string(name.text) == "raw") {
			var l literal
			l, rule = s.large(src, i+1)
			v, i = stringValue(src, i, l), l.end
		} else {
			v, i, rule = s.value(src, i, depth)
		}
		if rule != "" {
			return out, i, rule
		}
		out = append(out, entry{name.text, v})
		i = space(src, i)
		if i >= len(src) {
			return out, i, RuleSyntax
		}
		switch src[i] {
		case ',':
			i = space(src, i+1)
		case '}':
			return out, i + 1, ""
		default:
			return out, i, RuleSyntax
		}
	}
}

// array scans the array at src[i] and gives each element to f. The buffer is
// rewound after each element.
func (s *scanner) array(src []byte, i, depth int, f func(value) error) (int, string, error) {
	if depth > maxDepth {
		return i, RuleDepth, nil
	}
	i = space(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1, "", nil
	}
	for {
		mark := s.n
		v, end, rule := s.value(src, i, depth)
		if rule != "" {
			return i, rule, nil
		}
		if f != nil {
			if err := f(v); err != nil {
				return i, "", err
			}
		}
		s.n = mark
		i = space(src, end)
		if i >= len(src) {
			return i, RuleSyntax, nil
		}
		switch src[i] {
		case ',':
			i = space(src, i+1)
		case ']':
			return i + 1, "", nil
		default:
			return i, RuleSyntax, nil
		}
	}
}

// string decodes the literal behind the quote src[i-1]. What is decoded into scratch
// stays until the caller rewinds s.n.
func (s *scanner) string(src []byte, i int) (literal, string) {
	end := literalEnd(src, i)
	if end < 0 {
		return literal{}, RuleSyntax
	}
	if need := s.n + end - i; need > len(s.scratch) {
		s.scratch, s.n = make([]byte, max(need, 2*len(s.scratch), 4<<10)), 0
	}
	l, rule := unquote(s.scratch[s.n:], src[:end], i)
	s.n += len(l.text)
	return l, rule
}

// large decodes a literal as string does, into a buffer of its own where it pays.
func (s *scanner) large(src []byte, i int) (literal, string) {
	if len(src)-i < ownText || s.text != nil {
		return s.string(src, i)
	}
	s.text = s.pool.get(len(src) - i)
	return unquote(s.text[:cap(s.text)], src, i)
}

// literalEnd gives the index behind the quote that closes a literal, or -1.
func literalEnd(src []byte, i int) int {
	for start := i; ; {
		at := bytes.IndexByte(src[i:], '"')
		if at < 0 {
			return -1
		}
		i += at
		slashes := 0
		for i-slashes > start && src[i-slashes-1] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
		start = i
	}
}

// value scans the value at src[i], which stands inside depth containers.
func (s *scanner) value(src []byte, i, depth int) (value, int, string) {
	if i >= len(src) {
		return value{}, i, RuleSyntax
	}
	switch c := src[i]; c {
	case '"':
		l, rule := s.string(src, i+1)
		return stringValue(src, i, l), l.end, rule
	case '{':
		mark := s.n
		var room [12]entry
		_, end, rule := s.object(src, i, depth+1, room[:0])
		s.n = mark
		return container(src, i, end, rule)
	case '[':
		end, rule, _ := s.array(src, i, depth+1, nil)
		return container(src, i, end, rule)
	case 't':
		return constant(src, i, "true")
	case 'f':
		return constant(src, i, "false")
	case 'n':
		return constant(src, i, "null")
	}
	end, rule := number(src, i)
	return value{kind: '0', raw: src[i:end]}, end, rule
}

func container(src []byte, i, end int, rule string) (value, int, string) {
	if rule != "" {
		return value{}, i, rule
	}
	return value{kind: kind(src[i]), raw: src[i:end]}, end, ""
}

func stringValue(src []byte, i int, l literal) value {
	if l.end == 0 {
		return value{}
	}
	return value{'"', src[i+1 : l.end-1], l.text, l.minimal}
}

func constant(src []byte, i int, w string) (value, int, string) {
	if len(src)-i < len(w) || string(src[i:i+len(w)]) != w {
		return value{}, i, RuleSyntax
	}
	return value{kind: kind(w[0]), raw: src[i : i+len(w)]}, i + len(w), ""
}

// number scans the number at src[i]: JSON's grammar first, then the format's.
func number(src []byte, i int) (end int, rule string) {
	digits := func(i int) int {
		for i < len(src) && src[i] >= '0' && src[i] <= '9' {
			i++
		}
		return i
	}
	start := i
	if i < len(src) && src[i] == '-' {
		i++
	}
	whole := i
	if i = digits(i); i == whole || src[whole] == '0' && i > whole+1 {
		return i, RuleSyntax
	}
	integer := i
	if i < len(src) && src[i] == '.' {
		fraction := i + 1
		if i = digits(fraction); i == fraction {
			return i, RuleSyntax
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		exponent := i
		if i = digits(i); i == exponent {
			return i, RuleSyntax
		}
	}
	if i != integer || i-whole > 16 {
		return i, RuleNumber
	}
	n, err := strconv.ParseInt(string(src[start:i]), 10, 64)
	if err != nil || n == math.MinInt64 || n > maxInteger || n < -maxInteger {
		return i, RuleNumber
	}
	return i, ""
}
