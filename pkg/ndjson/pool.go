package ndjson

import "sync"

const (
	pooled    = 6         // buffers kept
	pooledMin = 64 << 10  // smaller ones are not worth it
	pooledMax = 256 << 20 // and larger ones too dear to keep
	slack     = 32 << 10
)

// pool keeps a few large buffers for reuse.
type pool struct {
	mu   sync.Mutex
	free [][]byte
}

// get gives an empty buffer with room for n bytes: the smallest that fits, and none
// that is far too large.
func (p *pool) get(n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.free {
		if cap(b) >= n && (best < 0 || cap(b) < cap(p.free[best])) {
			best = i
		}
	}
	if best < 0 || cap(p.free[best]) > 4*n+pooledMin {
		// The spare room outlives the few bytes that a reuse costs in front.
		return make([]byte, 0, n+slack)
	}
	b := p.free[best]
	p.free[best] = p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return b[:0]
}

// put takes a buffer that nobody uses any more.
func (p *pool) put(b []byte) {
	if cap(b) < pooledMin || cap(b) > pooledMax {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == pooled {
		smallest := 0
		for i := range p.free {
			if cap(p.free[i]) < cap(p.free[smallest]) {
				smallest = i
			}
		}
		if cap(p.free[smallest]) >= cap(b) {
			return
		}
		p.free[smallest] = b
		return
	}
	p.free = append(p.free, b)
}
