package prefilter

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// rounds is how often every item is taken out and put where it then costs least.
const rounds = 2

// Place finds placements for patterns, sorted by them, by counting, on a sample of text,
// how many places each bucket names. It is slow and meant for the generator of placement
// tables: tables from one sample serve all text, only speed depends on them. The same
// patterns and sample give the same placements.
func Place(patterns []Pattern, sample []byte) []Placement {
	p := placer{}
	for i := 0; i+2*lanes <= len(sample); i++ {
		var at [lanes]uint16
		for k := range lanes {
			at[k] = uint16(sample[i+2*k]) | uint16(sample[i+2*k+1])<<8
		}
		p.places = append(p.places, at)
	}
	p.hit = make([]uint16, len(p.places))
	items := p.items(patterns)
	for range rounds {
		for k := range items {
			p.takeOut(&items[k])
			p.putIn(&items[k])
		}
	}
	byName := map[string]*Placement{}
	for _, it := range items {
		at := byName[it.pattern.name]
		if at == nil {
			at = &Placement{Pattern: it.pattern.name}
			byName[it.pattern.name] = at
		}
		at.Bucket[it.parity], at.Behind[it.parity] = uint8(it.bucket), int8(it.behind)
	}
	var out []Placement
	for _, at := range byName {
		out = append(out, *at)
	}
	slices.SortFunc(out, func(a, b Placement) int { return strings.Compare(a.Pattern, b.Pattern) })
	return out
}

type placer struct {
	places  [][lanes]uint16
	hit     []uint16 // buckets that fire at each place
	members [lanes][1 << 16]uint16
	users   [lanes][1 << 16][buckets]uint16 // items behind each member
}

type placedItem struct {
	pattern        Pattern
	parity         int
	hits           int
	in             bool
	bucket, behind int
}

// items gives every pattern at both parities, the most frequent first.
func (p *placer) items(patterns []Pattern) []placedItem {
	var out []placedItem
	for _, pattern := range patterns {
		for parity := range 2 {
			it := placedItem{pattern: pattern, parity: parity, hits: len(p.places)}
			for behind := -parity; behind < len(pattern.sets) && it.hits > 0; behind += 2 {
				if !fits(pattern, parity, behind) {
					continue
				}
				it.hits = min(it.hits, p.count(windowOf(pattern, behind)))
			}
			k := len(out)
			out = append(out, it)
			for ; k > 0 && out[k-1].hits < it.hits; k-- {
				out[k] = out[k-1]
			}
			out[k] = it
		}
	}
	return out
}

func (p *placer) count(w *window) (n int) {
	for i := range p.places {
		at := &p.places[i]
		if w.takes(3, at[3]) && w.takes(2, at[2]) && w.takes(1, at[1]) && w.takes(0, at[0]) {
			n++
		}
	}
	return n
}

// window says which bytes can stand in each lane of an item.
type window struct{ first, second [lanes][256]bool }

// takes tells whether a pair can stand in a lane.
func (w *window) takes(lane int, pair uint16) bool {
	return w.first[lane][uint8(pair)] && w.second[lane][pair>>8]
}

func windowOf(p Pattern, behind int) *window {
	w := new(window)
	for k := range lanes {
		at := behind - 2*(lanes-1-k)
		for _, x := range bytesAt(p, at) {
			w.first[k][x] = true
		}
		for _, y := range bytesAt(p, at+1) {
			w.second[k][y] = true
		}
	}
	return w
}

// takeOut removes an item from its bucket.
func (p *placer) takeOut(it *placedItem) {
	if it.in {
		p.enter(it, -1)
		it.in = false
	}
}

// putIn chooses the bucket and window that cost least and enters the item.
func (p *placer) putIn(it *placedItem) {
	least := math.MaxInt
	for at := -it.parity; at < len(it.pattern.sets) && least > 0; at += 2 {
		if !fits(it.pattern, it.parity, at) {
			continue
		}
		for b, n := range p.cost(windowOf(it.pattern, at)) {
			if b < specialBucket && n < least {
				least, it.bucket, it.behind = n, b, at
			}
		}
	}
	p.enter(it, 1)
	it.in = true
}

func (p *placer) enter(it *placedItem, step int) {
	w := windowOf(it.pattern, it.behind)
	for k := range lanes {
		for pair := range 1 << 16 {
			if !w.takes(k, uint16(pair)) {
				continue
			}
			n := &p.users[k][pair][it.bucket]
			*n = uint16(int(*n) + step)
			p.members[k][pair] &^= 1 << it.bucket
			if *n > 0 {
				p.members[k][pair] |= 1 << it.bucket
			}
		}
	}
	bit := uint16(1) << it.bucket
	for i := range p.places {
		at := &p.places[i]
		p.hit[i] &^= bit
		p.hit[i] |= p.members[0][at[0]] & p.members[1][at[1]] & p.members[2][at[2]] & p.members[3][at[3]] & bit
	}
}

// What a place costs at which a bucket fires, and what each more item to compare there.
const fireCost, itemCost = 4, 1

// cost adds up, for every bucket, what an item of that window would cost in it.
func (p *placer) cost(w *window) (n [buckets]int) {
	for i := range p.places {
		at := &p.places[i]
		hit := p.hit[i]
		if hit != 0 && w.takes(lanes-1, at[lanes-1]) {
			for ; hit != 0; hit &= hit - 1 {
				n[bits.TrailingZeros16(hit)] += itemCost
			}
		}
		all := ^p.hit[i]
		for k := lanes - 1; k >= 0; k-- {
			if !w.takes(k, at[k]) {
				if all &= p.members[k][at[k]]; all == 0 {
					break
				}
			}
		}
		for ; all != 0; all &= all - 1 {
			n[bits.TrailingZeros16(all)] += fireCost
		}
	}
	return n
}

// bytesAt gives the bytes that can stand at a place of the pattern.
func bytesAt(p Pattern, at int) []byte {
	out, all := members(p, at, nil)
	if all {
		for b := range 256 {
			out = append(out, byte(b))
		}
	}
	return out
}
