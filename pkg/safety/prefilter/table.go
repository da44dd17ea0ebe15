package prefilter

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
)

const (
	lanes   = 4
	buckets = 16
	// specialBucket fires on bytes that are neither printable ASCII nor TAB nor LF.
	specialBucket = buckets - 1
	laneMask      = 1<<buckets - 1
	hitMask       = laneMask << (buckets * (lanes - 1))
	specialBit    = 1 << (buckets*(lanes-1) + specialBucket)
)

// item is one pattern at one parity of its first byte.
type item struct {
	value uint64 // first bytes of the pattern, under mask
	mask  uint64
	// rest are the places that value and mask do not decide.
	rest    []condition
	pattern int32
	// behind is the distance from the first byte of the pattern to the pair in the
	// last lane; -1 if the pair starts one byte before the pattern.
	behind   int16
	room     uint8 // bytes of text that the comparison reads
	boundary uint8
}

// condition says that the byte at a place of the pattern is in a set.
type condition struct {
	at  int
	set *Set
}

// Table is a compiled set of patterns. It is immutable.
type Table struct {
	pairs    *[1 << 16]uint64 // bit 16*k+b is zero if the pair fits lane k of bucket b
	patterns []Pattern

	items []item
	// The items of bucket b that can end in a pair of hash h are
	// list[index[b][h]:index[b][h+1]].
	list  []uint32
	index [buckets][hashes + 1]uint32
}

// hashes is the number of hash values of a pair.
const hashes = 512

// hash keeps what tells letters apart, whatever their case, of the first byte and of the
// second (see endHashes): an item that takes any second byte has few values, and one that
// does not has one.
func hash(pair uint16) uint16 { return pair&0x1F | pair>>3&0x1E0 }

// Placement says where the items of a pattern go, even parity first: the bucket, and
// the distance from the first byte to the pair in the last lane.
type Placement struct {
	Pattern string // what Pattern.String gives
	Bucket  [2]uint8
	Behind  [2]int8
}

// New compiles patterns. placed gives placements as Place finds them, sorted by pattern; a
// pattern that it does not know, or cannot place so, goes where it seems to cost least. The
// result finds the same places whatever the placements are.
func New(patterns []Pattern, placed []Placement) *Table {
	t := &Table{pairs: new([1 << 16]uint64), patterns: patterns, items: make([]item, 0, 2*len(patterns))}
	f := filler{pairs: t.pairs}
	var load [buckets][lanes]float64
	chosen := make([]choice, 0, 2*len(patterns))
	for i, p := range patterns {
		at, known := find(placed, p.name)
		for parity := range 2 {
			c := choice{bucket: -1}
			var cost [lanes]float64
			if known && fits(p, parity, int(at.Behind[parity])) {
				c.behind, c.bucket = int(at.Behind[parity]), int(at.Bucket[parity])%specialBucket
				cost = windowCost(p, c.behind)
			} else {
				c.behind, cost = cheapestWindow(p, parity)
				c.bucket = cheapest(&load, cost)
			}
			for k := range load[c.bucket] {
				load[c.bucket][k] += cost[k]
			}
			f.fill(p, c.behind, c.bucket)
			c.firsts, c.seconds = endHashes(p, c.behind)
			chosen = append(chosen, c)
			t.items = append(t.items, makeItem(p, i, c.behind))
		}
	}
	f.finish()
	t.makeLists(chosen)
	return t
}

// find is the placement of the pattern of that name.
func find(placed []Placement, name string) (Placement, bool) {
	k := sort.Search(len(placed), func(k int) bool { return placed[k].Pattern >= name })
	if k < len(placed) && placed[k].Pattern == name {
		return placed[k], true
	}
	return Placement{}, false
}

// choice is where an item goes: its bucket and window, and the hashes of the pairs that can
// end it, as those of their first and of their second bytes.
type choice struct {
	bucket, behind int
	firsts         uint32
	seconds        uint16
}

// each calls use with every hash of the choice.
func (c *choice) each(use func(h int)) {
	for y := c.seconds; y != 0; y &= y - 1 {
		for x := c.firsts; x != 0; x &= x - 1 {
			use(bits.TrailingZeros32(x) | bits.TrailingZeros16(y)<<5)
		}
	}
}

// makeLists enters the items into the lists of their buckets and hashes.
func (t *Table) makeLists(chosen []choice) {
	n := uint32(0)
	var count [buckets][hashes]uint32
	for i := range chosen {
		chosen[i].each(func(h int) { count[chosen[i].bucket][h]++ })
	}
	for b := range count {
		for h := range count[b] {
			t.index[b][h] = n
			n += count[b][h]
			count[b][h] = t.index[b][h] // where the next item goes
		}
		t.index[b][hashes] = n
	}
	t.list = make([]uint32, n)
	for i := range chosen {
		chosen[i].each(func(h int) {
			at := &count[chosen[i].bucket][h]
			t.list[*at] = uint32(i)
			*at++
		})
	}
}

// fits tells whether a pair that stands so far behind the first byte of p belongs to an
// occurrence of the parity, and to each: the byte before a pattern at the start of a text
// is not there, nor is a pair before it.
func fits(p Pattern, parity, behind int) bool {
	first := -parity
	if p.boundary > 0 && parity == 1 {
		first = 1
	}
	return behind >= first && behind < len(p.sets) && (behind+parity)%2 == 0
}

func isSpecial(b byte) bool { return b >= 0x7F || b < 0x20 && b != '\n' && b != '\t' }

// windowCost estimates the share of pairs of text that fit each lane of a window.
func windowCost(p Pattern, behind int) (cost [lanes]float64) {
	for k := range lanes {
		first := behind - 2*(lanes-1-k)
		cost[k] = p.share(first) * p.share(first+1)
	}
	return cost
}

// share estimates how often a byte of text may stand at a place of the pattern.
func (p *Pattern) share(at int) float64 {
	if at < 0 || at >= len(p.sets) {
		return 1
	}
	return share(&p.sets[at])
}

// cheapestWindow estimates the rarest window.
func cheapestWindow(p Pattern, parity int) (behind int, cost [lanes]float64) {
	least := math.Inf(1)
	for at := -parity; at < len(p.sets); at += 2 {
		if !fits(p, parity, at) {
			continue
		}
		c := windowCost(p, at)
		if total := c[0] * c[1] * c[2] * c[3]; total < least {
			least, behind, cost = total, at, c
		}
	}
	return behind, cost
}

// share estimates how often a byte of text is in set.
func share(set *Set) float64 {
	sum := 0.0
	for w, word := range set {
		for ; word != 0; word &= word - 1 {
			sum += frequencies[w<<6|bits.TrailingZeros64(word)]
		}
	}
	return min(sum, 1)
}

var frequencies = func() (t [256]float64) {
	for b := range t {
		t[b] = frequency(byte(b))
	}
	return t
}()

// frequency is a rough estimate for logs and prose.
func frequency(b byte) float64 {
	const letters = "etaoinsrlhdcumpfgbywvkxjqz"
	switch {
	case b == ' ':
		return 0.14
	case b == '\n':
		return 0.02
	case b >= 'a' && b <= 'z':
		i := 0
		for i < len(letters) && letters[i] != b {
			i++
		}
		return 0.065 * math.Pow(0.89, float64(i))
	case b >= 'A' && b <= 'Z':
		return 0.003
	case b >= '0' && b <= '9':
		return 0.015
	case b == '-', b == '.', b == '/', b == ':', b == '_':
		return 0.012
	case b >= 0x80:
		return 0.0005
	case b < 0x20:
		return 0.0005
	}
	return 0.004
}

func cheapest(load *[buckets][lanes]float64, cost [lanes]float64) int {
	best, at := math.Inf(1), 0
	for b := range specialBucket {
		before, after := 1.0, 1.0
		for k := range lanes {
			before *= min(1, load[b][k])
			after *= min(1, load[b][k]+cost[k])
		}
		if after-before < best {
			best, at = after-before, b
		}
	}
	return at
}

// filler makes the table of pairs. Until it is finished, a bit of a pair is set if the pair
// fits; where a lane takes every first or every second byte, that is noted once.
type filler struct {
	pairs                *[1 << 16]uint64
	anyFirst, anySecond  [256]uint64 // by the other byte
	any                  uint64
	firstRoom, otherRoom [256]byte
}

// fill enters the pairs of the window of p into bucket b.
func (f *filler) fill(p Pattern, behind, b int) {
	for k := range lanes {
		at := behind - 2*(lanes-1-k)
		bit := uint64(1) << (buckets*k + b)
		first, all := members(p, at, f.firstRoom[:0])
		second, every := members(p, at+1, f.otherRoom[:0])
		switch {
		case all && every:
			f.any |= bit
		case all:
			for _, y := range second {
				f.anyFirst[y] |= bit
			}
		case every:
			for _, x := range first {
				f.anySecond[x] |= bit
			}
		default:
			for _, y := range second {
				for _, x := range first {
					f.pairs[uint16(x)|uint16(y)<<8] |= bit
				}
			}
		}
	}
}

// finish turns the bits over: in the table, zero means that a pair fits.
func (f *filler) finish() {
	f.any |= 1<<specialBucket | 1<<(buckets+specialBucket) | 1<<(2*buckets+specialBucket)
	for b := range 256 {
		if isSpecial(byte(b)) {
			f.anyFirst[b] |= specialBit
			f.anySecond[b] |= specialBit
		}
	}
	for y := range 256 {
		row, bits := f.pairs[y<<8:(y+1)<<8], f.any|f.anyFirst[y]
		for x := range row {
			row[x] = ^(row[x] | bits | f.anySecond[x])
		}
	}
}

// endHashes gives what hash makes of the bytes of the pairs in the last lane of a window.
func endHashes(p Pattern, behind int) (firsts uint32, seconds uint16) {
	var room [256]byte
	first, all := members(p, behind, room[:0])
	if all {
		firsts = math.MaxUint32
	}
	for _, x := range first {
		firsts |= 1 << (x & 31)
	}
	second, every := members(p, behind+1, room[:0])
	if every {
		seconds = math.MaxUint16
	}
	for _, y := range second {
		seconds |= 1 << (y & 15)
	}
	return firsts, seconds
}

// members appends the bytes that can stand at a place of the pattern to out, or tells that
// all can.
func members(p Pattern, at int, out []byte) (_ []byte, all bool) {
	if at < 0 || at >= len(p.sets) {
		return out, true
	}
	for w, word := range p.sets[at] {
		for ; word != 0; word &= word - 1 {
			out = append(out, byte(w<<6|bits.TrailingZeros64(word)))
		}
	}
	return out, false
}

// makeItem prepares the comparison of up to eight bytes at once: sets of one byte,
// and of the two cases of a letter, become value and mask.
func makeItem(p Pattern, index, behind int) item {
	it := item{
		pattern:  int32(index),
		behind:   int16(behind),
		room:     uint8(max(8, len(p.sets))),
		boundary: uint8(p.boundary),
	}
	var value, mask [8]byte
	var room [256]byte
	for k := range p.sets {
		members, _ := members(p, k, room[:0])
		switch {
		case k < 8 && len(members) == 1:
			value[k], mask[k] = members[0], 0xFF
		case k < 8 && len(members) == 2 && members[0]^members[1] == 0x20 && members[1] >= 'a':
			value[k], mask[k] = members[0], 0xDF
		default:
			it.rest = append(it.rest, condition{k, &p.sets[k]})
		}
	}
	it.value = binary.LittleEndian.Uint64(value[:])
	it.mask = binary.LittleEndian.Uint64(mask[:])
	return it
}
