package strictjson

import (
	"fmt"
	"math"
	"unicode/utf8"
)

type parser struct {
	data []byte
	at   int
}

func (p *parser) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, p.at)
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

func (p *parser) literal(word string, n node) (node, error) {
	if len(p.data)-p.at < len(word) || string(p.data[p.at:p.at+len(word)]) != word {
		return node{}, p.fail("unknown word")
	}
	p.at += len(word)
	return n, nil
}

func (p *parser) value(depth int) (node, error) {
	if depth > MaxDepth {
		return node{}, p.fail("nesting too deep")
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		raw, err := p.str()
		return node{kind: text, raw: raw}, err
	case c == 't':
		return p.literal("true", node{kind: boolean, truth: true})
	case c == 'f':
		return p.literal("false", node{kind: boolean})
	case c == 'n':
		return p.literal("null", node{kind: null})
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case p.at == len(p.data):
		return node{}, p.fail("end of input")
	}
	return node{}, p.fail("unexpected byte")
}

func (p *parser) object(depth int) (n node, err error) {
	n = node{kind: object}
	start := p.at
	defer func() { n.raw = p.data[start:p.at] }()
	var seen map[string]bool // only for objects too wide to search
	p.at++
	for first := true; ; first = false {
		p.space()
		if first && p.peek() == '}' {
			p.at++
			return n, nil
		}
		if p.peek() != '"' {
			return n, p.fail("a member name is missing")
		}
		raw, err := p.str()
		if err != nil {
			return n, err
		}
		name := string(unescape(raw))
		if !utf8.ValidString(name) {
			return n, p.fail("a member name is not Unicode")
		}
		if len(n.names) == 32 {
			seen = make(map[string]bool, 64)
			for _, old := range n.names {
				seen[old] = true
			}
		}
		twice := seen[name]
		if seen == nil {
			for _, old := range n.names {
				twice = twice || old == name
			}
		} else {
			seen[name] = true
		}
		if twice {
			return n, p.fail("a member comes twice")
		}
		p.space()
		if p.peek() != ':' {
			return n, p.fail("a colon is missing")
		}
		p.at++
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.names, n.items = append(n.names, name), append(n.items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return n, nil
		default:
			return n, p.fail("an object is not closed")
		}
	}
}

func (p *parser) array(depth int) (n node, err error) {
	n = node{kind: array}
	start := p.at
	defer func() { n.raw = p.data[start:p.at] }()
	p.at++
	p.space()
	if p.peek() == ']' {
		p.at++
		return n, nil
	}
	for {
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return n, nil
		default:
			return n, p.fail("an array is not closed")
		}
	}
}

func (p *parser) number() (node, error) {
	start := p.at
	digits := func() int {
		from := p.at
		for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
			p.at++
		}
		return p.at - from
	}
	if p.peek() == '-' {
		p.at++
	}
	leading := p.peek()
	if n := digits(); n == 0 || n > 1 && leading == '0' {
		return node{}, p.fail("a number is malformed")
	}
	if p.peek() == '.' {
		p.at++
		if digits() == 0 {
			return node{}, p.fail("a number is malformed")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if digits() == 0 {
			return node{}, p.fail("a number is malformed")
		}
	}
	if p.at-start > math.MaxInt16 {
		return node{}, p.fail("a number is too long")
	}
	return node{kind: number, raw: p.data[start:p.at]}, nil
}

// str reads a string literal and gives its bytes between the quotes.
func (p *parser) str() ([]byte, error) {
	p.at++
	start := p.at
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			raw := p.data[start:p.at]
			p.at++
			return raw, nil
		case c < 0x20:
			return nil, p.fail("a control character in a string")
		case c == '\\':
			if p.at+1 >= len(p.data) {
				return nil, p.fail("end of input")
			}
			switch p.data[p.at+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				p.at += 2
			case 'u':
				if _, ok := hex4(p.data[p.at+2:]); !ok {
					return nil, p.fail("a malformed escape")
				}
				p.at += 6
			default:
				return nil, p.fail("a malformed escape")
			}
		default:
			p.at++
		}
	}
	return nil, p.fail("end of input")
}
