package stream

import (
	"math/bits"
	"sync"
)

const (
	pooledLarge = 6         // buffers of largeBuffer bytes or more that are kept
	largeBuffer = 64 << 10  // from here on by best fit, below by class
	smallBuffer = 1 << 10   // below this a buffer is not worth keeping
	hugeBuffer  = 256 << 20 // and from here on too dear
	slack       = 32 << 10  // spare room of a large buffer: a reuse costs a few bytes in front
	pooledSmall = 64        // buffers kept in a class
	classes     = 6         // of powers of two from smallBuffer on
	searched    = 4         // buffers of the own class that are looked at
)

// pool keeps buffers for reuse.
type pool struct {
	mu    sync.Mutex
	large [][]byte
	small [classes][][]byte
}

func class(n int) int { return bits.Len(uint(n)/smallBuffer) - 1 }

// get gives an empty buffer with room for n bytes, and for a line end spelled in JSON.
// Small sizes are rounded up by an eighth at most, so that one text fits where another
// was.
func (p *pool) get(n int) []byte {
	if n += len(`\n`); n < smallBuffer {
		return make([]byte, 0, n)
	}
	if n < largeBuffer {
		step := 1 << (bits.Len(uint(n)) - 4)
		n = (n + step - 1) &^ (step - 1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n >= largeBuffer {
		return p.fit(n)
	}
	list := &p.small[class(n)]
	for i := len(*list) - 1; i >= max(0, len(*list)-searched); i-- {
		if b := (*list)[i]; cap(b) >= n {
			*list = remove(*list, i)
			return b[:0]
		}
	}
	return make([]byte, 0, n)
}

// fit gives the smallest large buffer that has room, and none that is far too large.
func (p *pool) fit(n int) []byte {
	best := -1
	for i, b := range p.large {
		if cap(b) >= n && (best < 0 || cap(b) < cap(p.large[best])) {
			best = i
		}
	}
	if best < 0 || cap(p.large[best]) > 4*n {
		return make([]byte, 0, n+slack)
	}
	b := p.large[best]
	p.large = remove(p.large, best)
	return b[:0]
}

func remove(list [][]byte, i int) [][]byte {
	last := len(list) - 1
	list[i], list[last] = list[last], nil
	return list[:last]
}

// put takes a buffer that nobody uses any more.
func (p *pool) put(b []byte) {
	n := cap(b)
	if n < smallBuffer || n >= hugeBuffer {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n < largeBuffer {
		if list := &p.small[class(n)]; len(*list) < pooledSmall {
			*list = append(*list, b)
		}
		return
	}
	if len(p.large) < pooledLarge {
		p.large = append(p.large, b)
		return
	}
	smallest := 0
	for i := range p.large {
		if cap(p.large[i]) < cap(p.large[smallest]) {
			smallest = i
		}
	}
	if cap(p.large[smallest]) < n {
		p.large[smallest] = b
	}
}
