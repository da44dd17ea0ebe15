// Package prefilter finds, in one pass over a text, every place where one of some
// hundred short patterns begins, and hands nothing else on. It is what makes exact
// rules affordable: a rule runs only around a place that the prefilter names.
//
// The method is shift-or over pairs of bytes at even offsets. A pattern becomes two
// items, one for occurrences at even and one for occurrences at odd offsets; an item
// is a window of four pairs, put into one of sixteen buckets. One table of 65536
// words holds, for each pair of bytes, in which bucket it may stand at which of the
// four places. One word of state, moved on by a place and joined with the table's word
// at each pair, tells which buckets have all four.
package prefilter

import (
	"fmt"
	"math/bits"
)

// Set is a set of bytes.
type Set [4]uint64

// Add adds b.
func (s *Set) Add(b byte) { s[b>>6] |= 1 << (b & 63) }

// Has tells whether b is a member.
func (s *Set) Has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// Size is the number of members.
func (s *Set) Size() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

func (s Set) complement() Set { return Set{^s[0], ^s[1], ^s[2], ^s[3]} }

// A Pattern is a sequence of byte sets.
type Pattern struct {
	sets []Set
	// boundary is 1 if the first set is a condition on the byte before the pattern,
	// which the start of the text satisfies.
	boundary int
	name     string
}

// String gives the notation from which the pattern was made.
func (p Pattern) String() string { return p.name }

// Literal matches s exactly.
func Literal(s string) Pattern {
	p := Pattern{name: s, sets: make([]Set, len(s))}
	for i := range len(s) {
		p.sets[i].Add(s[i])
	}
	return p
}

// Folded matches s without regard to the case of ASCII letters.
func Folded(s string) Pattern {
	p := Literal(s)
	p.name = "(?i)" + s
	for i := range p.sets {
		p.sets[i] = p.sets[i].fold()
	}
	return p
}

func (s Set) fold() Set {
	for b := byte('a'); b <= 'z'; b++ {
		if s.Has(b) || s.Has(b-0x20) {
			s.Add(b)
			s.Add(b - 0x20)
		}
	}
	return s
}

// Classes reads a small notation: plain characters; [a-z_] and [^a-z] for sets; {n}
// behind either for repetition; (?i) at the start for plain characters of any case; and [<...] for a set
// that the byte before the pattern must be in unless the text starts there. A
// mistake in the notation panics: it is a mistake in a table of the program.
func Classes(notation string) Pattern {
	p := Pattern{name: notation}
	rest, fold := notation, false
	if len(rest) > 4 && rest[:4] == "(?i)" {
		rest, fold = rest[4:], true
	}
	for rest != "" {
		set := Set{}
		switch rest[0] {
		case '[':
			set, rest = p.readSet(rest[1:])
		case '{':
			n := int(rest[1] - '0')
			if len(rest) < 3 || rest[2] != '}' || n < 2 || n > 9 || len(p.sets) == 0 {
				panic(fmt.Sprintf("prefilter: repetition in %q", notation))
			}
			for range n - 1 {
				p.sets = append(p.sets, p.sets[len(p.sets)-1])
			}
			rest = rest[3:]
			continue
		default:
			set.Add(rest[0])
			rest = rest[1:]
			if fold {
				set = set.fold()
			}
		}
		p.sets = append(p.sets, set)
	}
	return p
}

func (p *Pattern) readSet(rest string) (Set, string) {
	var set Set
	negated := false
	if rest[0] == '<' {
		p.boundary = 1
		rest = rest[1:]
	}
	if rest[0] == '^' {
		negated = true
		rest = rest[1:]
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == ']' && i > 0:
			if negated {
				set = set.complement()
			}
			return set, rest[i+1:]
		case i+2 < len(rest) && rest[i+1] == '-' && rest[i+2] != ']':
			for b := rest[i]; b <= rest[i+2]; b++ {
				set.Add(b)
			}
			i += 2
		default:
			set.Add(rest[i])
		}
	}
	panic(fmt.Sprintf("prefilter: set in %q", p.name))
}

// At tells whether the pattern stands at text[i:], by the obvious comparison.
func (p Pattern) At(text []byte, i int) bool {
	start := i - p.boundary
	if start+len(p.sets) > len(text) {
		return false
	}
	for k := range p.sets {
		at := start + k
		if at < 0 {
			continue // the start of the text is a boundary
		}
		if !p.sets[k].Has(text[at]) {
			return false
		}
	}
	return true
}
