package prefilter

import (
	"encoding/binary"
	"math"
	"slices"
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
	pattern int32
	// behind is the distance from the first byte of the pattern to the pair in the
	// last lane; -1 if the pair starts one byte before the pattern.
	behind int32
	length int32
	value  uint64 // first bytes of the pattern, under mask
	mask   uint64
	exact  bool // value and mask decide for the first 8 bytes
}

// Table is a compiled set of patterns. It is immutable.
type Table struct {
	pairs    *[1 << 16]uint64
	items    [buckets][]item
	patterns []Pattern
}

// New compiles patterns. pinned gives, by Pattern.String, the buckets of the even and
// the odd item; a pattern that it does not know goes where it seems to cost least.
// The result finds the same places whatever the buckets are.
func New(patterns []Pattern, pinned map[string][2]uint8) *Table {
	t := &Table{pairs: new([1 << 16]uint64), patterns: patterns}
	for pair := range t.pairs {
		t.pairs[pair] = 1<<specialBucket | 1<<(buckets+specialBucket) | 1<<(2*buckets+specialBucket)
		if isSpecial(byte(pair)) || isSpecial(byte(pair>>8)) {
			t.pairs[pair] |= specialBit
		}
	}
	var load [buckets][lanes]float64
	wild := uint64(0) // lanes in which some window has no condition
	for _, w := range windows(patterns) {
		b := -1
		if at, ok := pinned[patterns[w.pattern].name]; ok {
			b = int(at[w.parity])
		}
		if b < 0 {
			b = cheapest(&load, w.cost)
		}
		for k := range load[b] {
			load[b][k] += w.cost[k]
		}
		wild |= t.fill(w, b)
		t.items[b] = append(t.items[b], makeItem(patterns[w.pattern], w))
	}
	if wild != 0 {
		for pair := range t.pairs {
			t.pairs[pair] |= wild
		}
	}
	return t
}

func isSpecial(b byte) bool { return b >= 0x7F || b < 0x20 && b != '\n' && b != '\t' }

// window is the choice of four pairs for one pattern and parity.
type window struct {
	pattern int
	parity  int
	behind  int
	cost    [lanes]float64 // estimated share of pairs of text that fit each lane
}

func (w window) total() float64 { return w.cost[0] * w.cost[1] * w.cost[2] * w.cost[3] }

// windows chooses the rarest window for every pattern and parity, rarest last.
func windows(patterns []Pattern) []window {
	var out []window
	for i, p := range patterns {
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
		for parity := range 2 {
			best := window{cost: [lanes]float64{2, 2, 2, 2}}
			// A pair at even offset B stands B-start behind the first byte.
			for behind := -parity; behind < len(p.sets); behind += 2 {
				w := window{pattern: i, parity: parity, behind: behind}
				for k := range lanes {
					first := behind - 2*(lanes-1-k)
					w.cost[k] = at(first) * at(first+1)
				}
				if w.total() < best.total() {
					best = w
				}
			}
			out = append(out, best)
		}
	}
	slices.SortStableFunc(out, func(a, b window) int {
		switch {
		case a.total() > b.total():
			return -1
		case a.total() < b.total():
			return 1
		}
		return 0
	})
	return out
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

// fill enters the pairs of a window into bucket b, and gives the bits of the lanes in
// which every pair fits.
func (t *Table) fill(w window, b int) (wild uint64) {
	p := t.patterns[w.pattern]
	for k := range lanes {
		at := w.behind - 2*(lanes-1-k)
		bit := uint64(1) << (buckets*k + b)
		first, second := bytesOf(p, at), bytesOf(p, at+1)
		if len(first) == 256 && len(second) == 256 {
			wild |= bit
			continue
		}
		for _, x := range first {
			for _, y := range second {
				t.pairs[uint16(x)|uint16(y)<<8] |= bit
			}
		}
	}
	return wild
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
func makeItem(p Pattern, w window) item {
	it := item{
		pattern: int32(w.pattern),
		behind:  int32(w.behind),
		length:  int32(len(p.sets)),
		exact:   true,
	}
	var value, mask [8]byte
	for k := range min(8, len(p.sets)) {
		members := bytesOf(p, k)
		switch {
		case len(members) == 1:
			value[k], mask[k] = members[0], 0xFF
		case len(members) == 2 && members[0]^members[1] == 0x20 && members[1] >= 'a':
			value[k], mask[k] = members[0], 0xDF
		default:
			it.exact = false
		}
	}
	it.value = binary.LittleEndian.Uint64(value[:])
	it.mask = binary.LittleEndian.Uint64(mask[:])
	return it
}
