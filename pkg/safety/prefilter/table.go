package prefilter

import (
	"encoding/binary"
	"math"
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

// hash keeps what tells letters apart, whatever their case: an item that takes any
// second byte has few values, and one that does not has one.
func hash(pair uint16) uint16 { return pair&0x1F | pair>>3&0x1E0 }

// Placement says where the items of a pattern go, even parity first: the bucket, and
// the distance from the first byte to the pair in the last lane.
type Placement struct {
	Bucket [2]uint8
	Behind [2]int8
}

// New compiles patterns. placed gives placements by Pattern.String, as Place finds
// them; a pattern that it does not know goes where it seems to cost least. The result
// finds the same places whatever the placements are.
func New(patterns []Pattern, placed map[string]Placement) *Table {
	t := &Table{pairs: new([1 << 16]uint64), patterns: patterns}
	for pair := range t.pairs {
		t.pairs[pair] = ^uint64(1<<specialBucket | 1<<(buckets+specialBucket) | 1<<(2*buckets+specialBucket))
		if isSpecial(byte(pair)) || isSpecial(byte(pair>>8)) {
			t.pairs[pair] &^= specialBit
		}
	}
	var load [buckets][lanes]float64
	wild := uint64(0) // lanes in which some window has no condition
	var lists [buckets][hashes][]uint32
	for i, p := range patterns {
		for parity := range 2 {
			w := cheapestWindow(p, parity)
			b := -1
			if at, ok := placed[p.name]; ok && fits(p, parity, int(at.Behind[parity])) {
				w.behind, b = int(at.Behind[parity]), int(at.Bucket[parity])%specialBucket
			}
			if b < 0 {
				b = cheapest(&load, w.cost)
			}
			for k := range load[b] {
				load[b][k] += w.cost[k]
			}
			wild |= t.fill(p, w.behind, b)
			for h, in := range endHashes(p, w.behind) {
				if in {
					lists[b][h] = append(lists[b][h], uint32(len(t.items)))
				}
			}
			t.items = append(t.items, makeItem(p, i, w.behind))
		}
	}
	for b := range lists {
		for h, list := range lists[b] {
			t.index[b][h] = uint32(len(t.list))
			t.list = append(t.list, list...)
		}
		t.index[b][hashes] = uint32(len(t.list))
	}
	if wild != 0 {
		for pair := range t.pairs {
			t.pairs[pair] &^= wild
		}
	}
	return t
}

// fits tells whether a pair that stands behind the first byte of p belongs to an
// occurrence of the parity.
func fits(p Pattern, parity, behind int) bool {
	return behind >= -parity && behind < len(p.sets) && (behind+parity)%2 == 0
}

func isSpecial(b byte) bool { return b >= 0x7F || b < 0x20 && b != '\n' && b != '\t' }

// window is the choice of four pairs for one pattern and parity.
type window struct {
	behind int
	cost   [lanes]float64 // estimated share of pairs of text that fit each lane
}

func (w window) total() float64 { return w.cost[0] * w.cost[1] * w.cost[2] * w.cost[3] }

// cheapestWindow estimates the rarest window.
func cheapestWindow(p Pattern, parity int) window {
	shares := make([]float64, len(p.sets))
	for k := range shares {
		shares[k] = share(&p.sets[k])
	}
	at := func(k int) float64 {
		if k < 0 || k >= len(shares) {
			return 1
		}
		return shares[k]
	}
	best := window{cost: [lanes]float64{2, 2, 2, 2}}
	for behind := -parity; behind < len(p.sets); behind += 2 {
		w := window{behind: behind}
		for k := range lanes {
			first := behind - 2*(lanes-1-k)
			w.cost[k] = at(first) * at(first+1)
		}
		if w.total() < best.total() {
			best = w
		}
	}
	return best
}

// share estimates how often a byte of text is in set.
func share(set *Set) float64 {
	sum := 0.0
	for b, f := range frequencies {
		if set.Has(byte(b)) {
			sum += f
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

// fill enters the pairs of the window of p into bucket b, and gives the bits of the
// lanes in which every pair fits.
func (t *Table) fill(p Pattern, behind, b int) (wild uint64) {
	for k := range lanes {
		at := behind - 2*(lanes-1-k)
		bit := uint64(1) << (buckets*k + b)
		first, second := bytesOf(p, at), bytesOf(p, at+1)
		if len(first) == 256 && len(second) == 256 {
			wild |= bit
			continue
		}
		for _, x := range first {
			for _, y := range second {
				t.pairs[uint16(x)|uint16(y)<<8] &^= bit
			}
		}
	}
	return wild
}

// endHashes gives the hashes of the pairs in the last lane of a window.
func endHashes(p Pattern, behind int) (in [hashes]bool) {
	second := bytesOf(p, behind+1)
	for _, x := range bytesOf(p, behind) {
		for _, y := range second {
			in[hash(uint16(x)|uint16(y)<<8)] = true
		}
	}
	return in
}

var everyByte = func() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

func bytesOf(p Pattern, at int) []byte {
	if at < 0 || at >= len(p.sets) {
		return everyByte
	}
	var out []byte
	for b := range 256 {
		if p.sets[at].Has(byte(b)) {
			out = append(out, byte(b))
		}
	}
	return out
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
	for k := range p.sets {
		members := bytesOf(p, k)
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
