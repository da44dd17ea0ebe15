package unicodesafety

import "sort"

// An origin says where a piece of clean text comes from: the piece begins at a place of it
// and ends where the next one begins. A piece that was copied is as long in the source, and
// each byte has its place there; one that was made from several has the place of all.
type origin struct {
	at         int // in the clean text
	start, end int // in the source
	copied     bool
}

// from notes that what is appended next comes from a range of the source.
func (c *Cleaner) from(start, end int) {
	if c.Explain {
		c.origins = append(c.origins, origin{at: len(c.dst), start: start, end: end})
	}
}

// join notes that a range of the source becomes a part of the last segment.
func (c *Cleaner) join(start, end int) {
	if !c.Explain {
		return
	}
	n := len(c.origins)
	if n == 0 || len(c.dst) == 0 {
		c.from(start, end)
		return
	}
	last := &c.origins[n-1]
	if last.copied && last.at < c.segment {
		first := last.start + c.segment - last.at
		last.end, last = first, nil
		c.origins = append(c.origins, origin{at: c.segment, start: first})
		last = &c.origins[n]
	}
	last.end, last.copied = end, false
}

// Source gives the range of the source of the last call from which a range of its clean text
// comes. It answers only if Explain was set.
func (c *Cleaner) Source(start, end int) (from, to int) {
	from, _ = c.source(start)
	if end <= start {
		return from, from
	}
	_, to = c.source(end - 1)
	return from, max(from, to)
}

// source gives the range of the source from which the byte at a place of the clean text comes.
func (c *Cleaner) source(pos int) (start, end int) {
	k := sort.Search(len(c.origins), func(k int) bool { return c.origins[k].at > pos }) - 1
	if k < 0 {
		return 0, 0
	}
	o := c.origins[k]
	if !o.copied {
		return o.start, o.end
	}
	at := min(o.start+pos-o.at, o.end)
	return at, min(at+1, o.end)
}
