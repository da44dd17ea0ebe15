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
	table  *Table
	text   []byte
	at     int // next block
	mask   uint64
	t      uint64 // table word of the last pair
	p1, p2 uint64 // last and last but one pair of pairs
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
	all := ^uint64(0)
	*s = Scanner{table: t, text: text, at: from &^ 1, mask: hitMask &^ specialBit, t: all, p1: all, p2: all}
}

// Next appends hits until hits is nearly full or the text ends. done tells that
// there are no more; special that a special byte ended the scan.
func (s *Scanner) Next(hits []Hit) (out []Hit, done, special bool) {
	const slack = 256 // hits that one block can give
	pairs := s.table.pairs
	text, mask := s.text, s.mask
	tp, p1, p2 := s.t, s.p1, s.p2
	i := s.at
	for i+block <= len(text) {
		a := binary.LittleEndian.Uint64(text[i:])
		b := binary.LittleEndian.Uint64(text[i+8:])
		t0, t1 := pairs[uint16(a)], pairs[uint16(a>>16)]
		t2, t3 := pairs[uint16(a>>32)], pairs[uint16(a>>48)]
		t4, t5 := pairs[uint16(b)], pairs[uint16(b>>16)]
		t6, t7 := pairs[uint16(b>>32)], pairs[uint16(b>>48)]
		q0 := t0 & (tp << buckets)
		q1 := t1 & (t0 << buckets)
		q2 := t2 & (t1 << buckets)
		q3 := t3 & (t2 << buckets)
		q4 := t4 & (t3 << buckets)
		q5 := t5 & (t4 << buckets)
		q6 := t6 & (t5 << buckets)
		q7 := t7 & (t6 << buckets)
		h0 := q0 & (p2 << (2 * buckets))
		h1 := q1 & (p1 << (2 * buckets))
		h2 := q2 & (q0 << (2 * buckets))
		h3 := q3 & (q1 << (2 * buckets))
		h4 := q4 & (q2 << (2 * buckets))
		h5 := q5 & (q3 << (2 * buckets))
		h6 := q6 & (q4 << (2 * buckets))
		h7 := q7 & (q5 << (2 * buckets))
		tp, p1, p2 = t7, q7, q6
		if (h0|h1|h2|h3|h4|h5|h6|h7)&mask != 0 {
			first := (h0&mask)>>48 | (h1&mask)>>32 | (h2&mask)>>16 | h3&mask
			second := (h4&mask)>>48 | (h5&mask)>>32 | (h6&mask)>>16 | h7&mask
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
				s.at, s.t, s.p1, s.p2 = i+block, tp, p1, p2
				return hits, false, false
			}
		}
		i += block
	}
	s.at, s.t, s.p1, s.p2 = i, tp, p1, p2
	return s.tail(hits)
}

// tail scans the last bytes behind a padding of zeros.
func (s *Scanner) tail(hits []Hit) (out []Hit, done, special bool) {
	var last [block]byte
	if copy(last[:], s.text[s.at:]) == 0 {
		return hits, true, false
	}
	tp, p1, p2 := s.t, s.p1, s.p2
	for i := 0; i < block && !special; i += 8 {
		word := binary.LittleEndian.Uint64(last[i:])
		fired := uint64(0)
		for k := range lanes {
			t := s.table.pairs[uint16(word>>(16*k))]
			q := t & (tp << buckets)
			h := q & (p2 << (2 * buckets)) & s.mask
			fired |= h >> (48 - 16*k)
			tp, p2, p1 = t, p1, q
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
		for _, n := range s.table.list[index[h]:index[int(h)+1]] {
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
