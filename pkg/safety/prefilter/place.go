package prefilter

import "math"

// rounds is how often every item is taken out and put where it then costs least.
const rounds = 2

// Place finds placements for patterns by counting, on a sample of text, how many
// places each bucket names. It is slow and meant for the generator of placement
// tables: tables from one sample serve all text, only speed depends on them.
func Place(patterns []Pattern, sample []byte) map[string]Placement {
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
	out := map[string]Placement{}
	for _, it := range items {
		at := out[it.pattern.name]
		at.Bucket[it.parity], at.Behind[it.parity] = uint8(it.bucket), int8(it.behind)
		out[it.pattern.name] = at
	}
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
				it.hits = min(it.hits, p.count(windowBits(pattern, behind)))
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

func (p *placer) count(bits *[lanes][1 << 16]bool) (n int) {
	for _, at := range p.places {
		if bits[3][at[3]] && bits[2][at[2]] && bits[1][at[1]] && bits[0][at[0]] {
			n++
		}
	}
	return n
}

func windowBits(p Pattern, behind int) *[lanes][1 << 16]bool {
	bits := new([lanes][1 << 16]bool)
	for k := range lanes {
		at := behind - 2*(lanes-1-k)
		first, second := bytesOf(p, at), bytesOf(p, at+1)
		for _, x := range first {
			for _, y := range second {
				bits[k][uint16(x)|uint16(y)<<8] = true
			}
		}
	}
	return bits
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
		for b, n := range p.cost(windowBits(it.pattern, at)) {
			if b < specialBucket && n < least {
				least, it.bucket, it.behind = n, b, at
			}
		}
	}
	p.enter(it, 1)
	it.in = true
}

func (p *placer) enter(it *placedItem, step int) {
	bits := windowBits(it.pattern, it.behind)
	for k := range lanes {
		for pair, in := range bits[k] {
			if !in {
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
	for i, at := range p.places {
		p.hit[i] = p.members[0][at[0]] & p.members[1][at[1]] & p.members[2][at[2]] & p.members[3][at[3]]
	}
}

// What a place costs at which a bucket fires, and what each more item to compare there.
const fireCost, itemCost = 4, 1

// cost adds up, for every bucket, what an item of that window would cost in it.
func (p *placer) cost(bits *[lanes][1 << 16]bool) (n [buckets]int) {
	for i, at := range p.places {
		if bits[lanes-1][at[lanes-1]] {
			for again := p.hit[i]; again != 0; again &= again - 1 {
				n[trailing(again)] += itemCost
			}
		}
		all := ^p.hit[i]
		for k := range lanes {
			if !bits[k][at[k]] {
				if all &= p.members[k][at[k]]; all == 0 {
					break
				}
			}
		}
		for ; all != 0; all &= all - 1 {
			n[trailing(all)] += fireCost
		}
	}
	return n
}

func trailing(w uint16) int {
	n := 0
	for w&1 == 0 {
		w >>= 1
		n++
	}
	return n
}
