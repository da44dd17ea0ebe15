package unicodesafety

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Hangul syllables compose by arithmetic.
const (
	hangulBase = 0xAC00
	hangulEnd  = hangulBase + leadCount*vowelCount*tailCount
	leadBase   = 0x1100
	vowelBase  = 0x1161
	tailBase   = 0x11A7
	leadCount  = 19
	vowelCount = 21
	tailCount  = 28
)

// A character is a code point with its canonical combining class.
type character struct {
	r   rune
	ccc uint8
}

// A segmenter brings single normalization segments to NFKC. It does what x/text
// does, except that it never inserts U+034F: the stream-safe format of x/text does,
// after thirty non-starters, and so has no fixed point under removal of invisible
// characters. Its work is linear in the length of the segment.
type segmenter struct {
	characters []character
	sorted     []character
	out        []byte
}

// normalize gives the NFKC form of segment in a buffer that is valid until the next
// call.
func (s *segmenter) normalize(segment []byte) []byte {
	s.characters = s.characters[:0]
	for i := 0; i < len(segment); {
		r, size := utf8.DecodeRune(segment[i:])
		s.decompose(r, segment[i:i+size])
		i += size
	}
	s.order()
	s.compose()
	s.out = s.out[:0]
	for _, c := range s.characters {
		s.out = utf8.AppendRune(s.out, c.r)
	}
	return s.out
}

func (s *segmenter) decompose(r rune, encoded []byte) {
	if r < 0x80 {
		s.characters = append(s.characters, character{r, 0})
		return
	}
	if r >= hangulBase && r < hangulEnd {
		n := r - hangulBase
		s.characters = append(s.characters,
			character{leadBase + n/(vowelCount*tailCount), 0},
			character{vowelBase + n%(vowelCount*tailCount)/tailCount, 0})
		if n%tailCount != 0 {
			s.characters = append(s.characters, character{tailBase + n%tailCount, 0})
		}
		return
	}
	d := norm.NFKC.Properties(encoded).Decomposition()
	if d == nil {
		s.characters = append(s.characters, character{r, combiningClass(r)})
		return
	}
	for len(d) > 0 {
		r, size := utf8.DecodeRune(d)
		s.characters = append(s.characters, character{r, combiningClass(r)})
		d = d[size:]
	}
}

// order sorts each run of non-starters by class, stably.
func (s *segmenter) order() {
	for i := 0; i < len(s.characters); {
		if s.characters[i].ccc == 0 {
			i++
			continue
		}
		j := i
		for j < len(s.characters) && s.characters[j].ccc != 0 {
			j++
		}
		s.orderRun(s.characters[i:j])
		i = j
	}
}

func (s *segmenter) orderRun(run []character) {
	byClass := func(a, b character) int { return int(a.ccc) - int(b.ccc) }
	if slices.IsSortedFunc(run, byClass) {
		return
	}
	if len(run) < 64 {
		slices.SortStableFunc(run, byClass)
		return
	}
	var start [257]int
	for _, c := range run {
		start[int(c.ccc)+1]++
	}
	for k := 1; k < len(start); k++ {
		start[k] += start[k-1]
	}
	s.sorted = slices.Grow(s.sorted[:0], len(run))[:len(run)]
	for _, c := range run {
		s.sorted[start[c.ccc]] = c
		start[c.ccc]++
	}
	copy(run, s.sorted)
}

// compose is the canonical composition algorithm: a character joins the last starter
// unless a character of the same or a higher class stands between them.
func (s *segmenter) compose() {
	in := s.characters
	out := in[:0]
	starter := -1
	lastClass := -1 // class of the character before, -1 right behind the starter
	for _, c := range in {
		if starter >= 0 && lastClass < int(c.ccc) {
			if joined, ok := s.pair(out[starter].r, c.r); ok {
				out[starter].r = joined
				continue
			}
		}
		if c.ccc == 0 {
			starter, lastClass = len(out), -1
		} else {
			lastClass = int(c.ccc)
		}
		out = append(out, c)
	}
	s.characters = out
}

func (s *segmenter) pair(a, b rune) (rune, bool) {
	switch {
	case a >= leadBase && a < leadBase+leadCount && b >= vowelBase && b < vowelBase+vowelCount:
		return hangulBase + ((a-leadBase)*vowelCount+b-vowelBase)*tailCount, true
	case a >= hangulBase && a < hangulEnd && (a-hangulBase)%tailCount == 0 && b > tailBase && b < tailBase+tailCount:
		return a + b - tailBase, true
	}
	return composition(a, b)
}

// changed normalizes segment and tells whether the form differs.
func (s *segmenter) changed(segment []byte) ([]byte, bool) {
	form := s.normalize(segment)
	return form, !bytes.Equal(form, segment)
}
