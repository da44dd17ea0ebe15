package prefilter

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
	out := map[string]Placement{}
	for _, it := range items {
		bucket, behind := p.place(it)
		at := out[it.pattern.name]
		at.Bucket[it.parity], at.Behind[it.parity] = uint8(bucket), int8(behind)
		out[it.pattern.name] = at
	}
	return out
}

type placer struct {
	places  [][lanes]uint16
	hit     []uint16 // buckets that fire at each place
	members [lanes][1 << 16]uint16
}

type placed struct {
	pattern Pattern
	parity  int
	hits    int
}

// items gives every pattern at both parities, the most frequent first.
func (p *placer) items(patterns []Pattern) []placed {
	var out []placed
	for _, pattern := range patterns {
		for parity := range 2 {
			it := placed{pattern, parity, len(p.places)}
			for behind := -parity; behind < len(pattern.sets); behind += 2 {
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

// place chooses bucket and window with the fewest new hits and enters the item.
func (p *placer) place(it placed) (bucket, behind int) {
	least := len(p.places) + 1
	var chosen *[lanes][1 << 16]bool
	for at := -it.parity; at < len(it.pattern.sets); at += 2 {
		bits := windowBits(it.pattern, at)
		for b, n := range p.newHits(bits) {
			if b < specialBucket && n < least {
				least, bucket, behind, chosen = n, b, at, bits
			}
		}
	}
	for k := range lanes {
		for pair, in := range chosen[k] {
			if in {
				p.members[k][pair] |= 1 << bucket
			}
		}
	}
	for i, at := range p.places {
		p.hit[i] = p.members[0][at[0]] & p.members[1][at[1]] & p.members[2][at[2]] & p.members[3][at[3]]
	}
	return bucket, behind
}

// newHits counts, for every bucket, the places that would be named in addition.
func (p *placer) newHits(bits *[lanes][1 << 16]bool) (n [buckets]int) {
	for i, at := range p.places {
		all := ^p.hit[i]
		for k := range lanes {
			if !bits[k][at[k]] {
				if all &= p.members[k][at[k]]; all == 0 {
					break
				}
			}
		}
		for ; all != 0; all &= all - 1 {
			n[trailing(all)]++
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
