package prefilter

import (
	"encoding/binary"
	"math/bits"
)

// Hit is a place where a pattern begins.
type Hit struct {
	Pos     int // offset of the first byte, behind the boundary
	Pattern int // index into the patterns of the table
}

// A Scanner walks over one text. Hits come in ascending order within a call; from
// one call to the next they may step back by less than the longest pattern.
type Scanner struct {
	table *Table
	text  []byte
	at    int // next block
	mask  uint64
	state uint64 // lane k holds a zero for each bucket whose first k+1 lanes fit
}

const block = 16

// Reset starts a new text. With stopAtSpecial the scan ends at the first byte that
// is neither printable ASCII nor TAB nor LF.
func (s *Scanner) Reset(t *Table, text []byte, stopAtSpecial bool) {
	s.ResetFrom(t, text, 0)
	if stopAtSpecial {
		s.mask = hitMask
	}
}

// ResetFrom starts a text at which only the patterns are wanted that begin at from or
// later.
func (s *Scanner) ResetFrom(t *Table, text []byte, from int) {
	*s = Scanner{table: t, text: text, at: from &^ 1, mask: hitMask &^ specialBit}
}

// Next appends hits until hits is nearly full or the text ends. done tells that
// there are no more; special that a special byte ended the scan.
func (s *Scanner) Next(hits []Hit) (out []Hit, done, special bool) {
	const slack = 256 // hits that one block can give
	pairs := s.table.pairs
	text, mask, state := s.text, s.mask, s.state
	i := s.at
	for i+block <= len(text) {
		bytes := (*[block]byte)(text[i:])
		a, b := binary.LittleEndian.Uint64(bytes[:8]), binary.LittleEndian.Uint64(bytes[8:])
		s0 := state<<buckets | pairs[uint16(a)]
		s1 := s0<<buckets | pairs[uint16(a>>16)]
		s2 := s1<<buckets | pairs[uint16(a>>32)]
		s3 := s2<<buckets | pairs[uint16(a>>48)]
		s4 := s3<<buckets | pairs[uint16(b)]
		s5 := s4<<buckets | pairs[uint16(b>>16)]
		s6 := s5<<buckets | pairs[uint16(b>>32)]
		s7 := s6<<buckets | pairs[uint16(b>>48)]
		state = s7
		if ^(s0&s1&s2&s3&s4&s5&s6&s7)&mask != 0 {
			first := (^s0&mask)>>48 | (^s1&mask)>>32 | (^s2&mask)>>16 | ^s3&mask
			second := (^s4&mask)>>48 | (^s5&mask)>>32 | (^s6&mask)>>16 | ^s7&mask
			if first != 0 {
				if hits, special = s.verify(first, a, i, hits); special {
					return hits, true, true
				}
			}
			if second != 0 {
				if hits, special = s.verify(second, b, i+8, hits); special {
					return hits, true, true
				}
			}
			if cap(hits)-len(hits) < slack {
				s.at, s.state = i+block, state
				return hits, false, false
			}
		}
		i += block
	}
	s.at, s.state = i, state
	return s.tail(hits)
}

// tail scans the last bytes behind a padding of zeros.
func (s *Scanner) tail(hits []Hit) (out []Hit, done, special bool) {
	var last [block]byte
	if copy(last[:], s.text[s.at:]) == 0 {
		return hits, true, false
	}
	state := s.state
	for i := 0; i < block && !special; i += 8 {
		word := binary.LittleEndian.Uint64(last[i:])
		fired := uint64(0)
		for k := range lanes {
			state = state<<buckets | s.table.pairs[uint16(word>>(16*k))]
			fired |= (^state & s.mask) >> (48 - 16*k)
		}
		if fired != 0 {
			hits, special = s.verify(fired, word, s.at+i, hits)
		}
	}
	return hits, true, special
}

// verify appends the true occurrences among the candidates of four pairs, which stand
// at i and make up word. Bit 16*k+b of fired tells that bucket b fired at pair k.
func (s *Scanner) verify(fired, word uint64, i int, hits []Hit) ([]Hit, bool) {
	for ; fired != 0; fired &= fired - 1 {
		place := bits.TrailingZeros64(fired)
		k, b := place/buckets, place%buckets
		at := i + 2*k
		if b == specialBucket {
			for _, c := range s.text[min(at, len(s.text)):min(at+2, len(s.text))] {
				if isSpecial(c) {
					return hits, true
				}
			}
			continue
		}
		index := &s.table.index[b]
		h := hash(uint16(word >> (16 * k)))
		for _, n := range s.table.list[index[h]:index[h+1]] {
			it := &s.table.items[n]
			start := at - int(it.behind)
			if start >= 0 && start+int(it.room) <= len(s.text) {
				if (binary.LittleEndian.Uint64(s.text[start:])^it.value)&it.mask == 0 && (it.rest == nil || holds(s.text[start:], it.rest)) {
					hits = insert(hits, Hit{start + int(it.boundary), int(it.pattern)})
				}
				continue
			}
			// At the edges of the text.
			if pos := start + int(it.boundary); pos >= 0 && s.table.patterns[it.pattern].At(s.text, pos) {
				hits = insert(hits, Hit{pos, int(it.pattern)})
			}
		}
	}
	return hits, false
}

func holds(text []byte, rest []condition) bool {
	for _, c := range rest {
		if !c.set.Has(text[c.at]) {
			return false
		}
	}
	return true
}

// insert keeps the hits of a block in order.
func insert(hits []Hit, h Hit) []Hit {
	hits = append(hits, h)
	for k := len(hits) - 1; k > 0 && hits[k-1].Pos > h.Pos; k-- {
		hits[k-1], hits[k] = hits[k], hits[k-1]
	}
	return hits
}
