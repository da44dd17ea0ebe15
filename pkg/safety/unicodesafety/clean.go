package unicodesafety

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Cleaner cleans one text at a time and owns the memory of the result. It is not
// safe for concurrent use.
type Cleaner struct {
	// Limit is how long a clean text may be; longer ones are given up. Zero is no limit.
	Limit   int
	Explain bool   // record Marks, and what Source needs
	Marks   []Mark // places of the last call's findings, if Explain is set
	// Joints are the places in the last result where two letters or digits of ASCII meet
	// that invisible or control characters kept apart. Escapes do not count.
	Joints []int32

	seg     segmenter
	dst     []byte
	grown   bool // the text was given up
	moved   bool // it has got other memory than it began with
	counts  [Codes]int64
	invalid int // bytes of invalid subparts

	// The segment at the end of dst. It starts at segment, is in normal form unless
	// dirty, and counted tells that it has been reported already.
	segment, segmentSource int
	dirty, counted         bool
	oneLine                bool
	mapEnd                 int // end in dst of the last replacement
	markEnd                int // end in dst of the last character with a class
	lastClass              uint8

	origins []origin // where the pieces of dst come from, if Explain is set

	copied int // end in the source of the last run of ASCII that was copied
	apart  int // end in the source of the removed characters right behind a letter, or -1
}

// NewCleaner gives a Cleaner.
func NewCleaner() *Cleaner {
	return &Cleaner{}
}

// Counts gives the number of findings of the last call, by Code.
func (c *Cleaner) Counts() *[Codes]int64 { return &c.counts }

// InvalidBytes gives the number of raw bytes of the last call that were no UTF-8.
func (c *Cleaner) InvalidBytes() int { return c.invalid }

// Reset forgets the findings of the last call.
func (c *Cleaner) Reset() {
	c.counts = [Codes]int64{}
	c.Marks, c.Joints, c.origins = c.Marks[:0], c.Joints[:0], c.origins[:0]
	c.invalid = 0
}

// noteASCII counts each of the ASCII characters of a range.
func (c *Cleaner) noteASCII(code Code, start, end int) {
	c.counts[code] += int64(end - start)
	if c.Explain {
		for ; start < end; start++ {
			c.Marks = append(c.Marks, Mark{code, start, start + 1})
		}
	}
}

func (c *Cleaner) note(code Code, start, end int) {
	c.counts[code]++
	if c.Explain {
		c.Marks = append(c.Marks, Mark{code, start, end})
	}
}

// Grown tells whether the last call gave its text up because it became longer than Limit.
func (c *Cleaner) Grown() bool { return c.grown }

// Clean gives the clean form of src: valid UTF-8 in NFKC without CR, BOM, ESC or any
// other character that the tables remove. oneLine is for display strings, in which
// TAB and LF become a space each (AMB-46). The result is valid until the next call.
func (c *Cleaner) Clean(src []byte, oneLine bool) []byte {
	c.Reset()
	c.dst = c.dst[:0]
	if cap(c.dst) < len(src)+16 {
		c.dst = make([]byte, 0, len(src)+len(src)/64+64)
	}
	c.segment, c.mapEnd, c.markEnd, c.lastClass = 0, -1, -1, 0
	c.dirty, c.counted, c.oneLine = false, false, oneLine
	c.copied, c.apart, c.grown, c.moved = -1, -1, false, false
	keep := [2]byte{'\n', '\t'}
	if oneLine {
		keep = [2]byte{' ', ' '}
	}
	for i := 0; i < len(src); {
		if i = c.copyASCII(src, i, keep); i == len(src) {
			break
		}
		if c.outgrown(len(src)) {
			return nil
		}
		if b := src[i]; b < 0x80 {
			i = c.control(src, i)
			continue
		}
		i = c.multibyte(src, i)
	}
	c.flush()
	if c.outgrown(len(src)) {
		return nil
	}
	return c.dst
}

// most is more bytes than one character becomes.
const most = 256

// outgrown tells whether the text is longer than Limit.
func (c *Cleaner) outgrown(source int) bool {
	if c.Limit == 0 {
		return false
	}
	if n := len(c.dst); n > source && n <= c.Limit {
		c.room(n + most)
	}
	c.grown = len(c.dst) > c.Limit
	return c.grown
}

// room makes sure that the clean text can have n bytes. A text that needs more memory than its
// source a second time gets at once what its limit allows: it is held twice while it moves, not
// many times.
func (c *Cleaner) room(n int) {
	if cap(c.dst) >= n {
		return
	}
	size := n + n/8
	if c.moved && c.Limit > 0 {
		size = max(n, c.Limit+most)
	}
	c.moved = true
	grown := make([]byte, len(c.dst), size)
	copy(grown, c.dst)
	c.dst = grown
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7F7F7F7F7F7F7F7F
)

// special marks the bytes of w that are not printable ASCII, in their high bits.
func special(w uint64) uint64 {
	low := w & lows
	atLeastSpace := low + 0x60*ones // high bit set for 0x20 and above
	isDel := low + ones             // high bit set for 0x7F only
	return (^atLeastSpace | isDel | w) & highs
}

// NeedsCleaning tells whether b holds a byte that is neither printable ASCII nor TAB
// nor LF: without one Clean changes nothing.
func NeedsCleaning(b []byte) bool { return asciiRun(b, [2]byte{'\n', '\t'}) < len(b) }

// zeroBytes marks the bytes of w that are zero, in their high bits.
func zeroBytes(w uint64) uint64 { return ^(w&lows + lows | w | lows) }

// copyASCII appends the characters from src[i] on that are printable ASCII or one of
// keep, leaves out the colours between them, and gives the index behind them.
func (c *Cleaner) copyASCII(src []byte, i int, keep [2]byte) int {
	if c.dirty {
		if !printable(src[i], keep) {
			return i
		}
		c.flush()
	}
	n := len(c.dst)
	if i == c.apart && isAlnum(src[i]) {
		c.Joints = append(c.Joints, int32(n))
	}
	if !printable(src[i], keep) && src[i] != esc {
		return i
	}
	c.room(n + len(src) - i)
	dst := c.dst[:cap(c.dst)]
	for {
		end := i + asciiRun(src[i:], keep)
		if end > i {
			if c.Explain {
				c.origins = append(c.origins, origin{at: n, start: i, end: end, copied: true})
			}
			n += copy(dst[n:], src[i:end])
			i, c.copied = end, end
		}
		if end = simpleCSI(src, i); end == 0 {
			c.dst = dst[:n]
			return i
		}
		c.noteASCII(TerminalEscape, i, end)
		i = end
	}
}

// asciiRun is the number of bytes at the beginning of b that are printable ASCII or one
// of keep.
func asciiRun(b []byte, keep [2]byte) int {
	first, second := uint64(keep[0])*ones, uint64(keep[1])*ones
	rest := b
	for ; len(rest) >= 16; rest = rest[16:] {
		v, w := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		if special(v)|special(w) == 0 {
			continue
		}
		if s := special(v) &^ (zeroBytes(v^first) | zeroBytes(v^second)); s != 0 {
			return len(b) - len(rest) + bits.TrailingZeros64(s)>>3
		}
		if s := special(w) &^ (zeroBytes(w^first) | zeroBytes(w^second)); s != 0 {
			return len(b) - len(rest) + 8 + bits.TrailingZeros64(s)>>3
		}
	}
	for len(rest) > 0 && printable(rest[0], keep) {
		rest = rest[1:]
	}
	return len(b) - len(rest)
}

func printable(b byte, keep [2]byte) bool {
	return b >= 0x20 && b < del || b == keep[0] || b == keep[1]
}

// control handles the ASCII control at src[i] and gives the index behind it.
func (c *Cleaner) control(src []byte, i int) int {
	switch b := src[i]; b {
	case esc:
		return c.escape(src, i)
	case '\r', '\n', '\t':
		start := i
		if b == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			i++
		}
		switch {
		case c.oneLine:
			c.note(Control, start, i+1)
			b = ' '
		case b == '\r':
			b = '\n'
		}
		c.boundary(b, start, i+1)
	default:
		c.remove(src, controlCode(rune(b)), i, i+1)
	}
	return i + 1
}

// remove leaves out the character src[i:end].
func (c *Cleaner) remove(src []byte, code Code, i, end int) {
	c.note(code, i, end)
	if i == c.apart || i == c.copied && isAlnum(src[i-1]) {
		c.apart = end
	}
}

func isAlnum(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// boundary appends an ASCII character that comes from a range of the source.
func (c *Cleaner) boundary(b byte, start, end int) {
	if c.dirty {
		c.flush()
	}
	c.from(start, end)
	c.dst = append(c.dst, b)
}

// plainRun appends the characters of two and three bytes from src[i] on that are
// plain, and gives the index behind them: the usual case, letters of other scripts.
func (c *Cleaner) plainRun(src []byte, i int) int {
	j, last := i, i
	for j+3 <= len(src) {
		b, next := src[j], src[j+1]
		size := 2
		var r rune
		switch {
		case next&0xC0 != 0x80:
		case b >= 0xC2 && b <= 0xDF:
			r = rune(b&0x1F)<<6 | rune(next&0x3F)
		case b >= 0xE1 && b <= 0xEF && b != 0xED && src[j+2]&0xC0 == 0x80:
			r = rune(b&0x0F)<<12 | rune(next&0x3F)<<6 | rune(src[j+2]&0x3F)
			size = 3
		}
		if r == 0 || classOf(r) != plain {
			break
		}
		last = j
		j += size
	}
	if j > i {
		c.starter(i, j)
		if c.Explain {
			c.origins[len(c.origins)-1].copied = true
		}
		c.dst = append(c.dst, src[i:j]...)
		c.segment, c.segmentSource = len(c.dst)-(j-last), last
	}
	return j
}

// multibyte handles the character of several bytes at src[i], and those behind it if
// they are plain.
func (c *Cleaner) multibyte(src []byte, i int) int {
	if end := c.plainRun(src, i); end > i {
		return end
	}
	r, size := utf8.DecodeRune(src[i:])
	if r == utf8.RuneError && size == 1 {
		size = invalidLength(src[i:])
		c.note(InvalidUTF8, i, i+size)
		c.invalid += size
		c.starter(i, i+size)
		c.dst = utf8.AppendRune(c.dst, utf8.RuneError)
		return i + size
	}
	switch k := classOf(r); k {
	case plain:
		c.starter(i, i+size)
		c.dst = append(c.dst, src[i:i+size]...)
	case mapped:
		c.starter(i, i+size)
		c.dst = append(c.dst, replacement(r)...)
		c.mapEnd = len(c.dst)
		c.note(NFKC, i, i+size)
		c.counted = true
		if c.dst[len(c.dst)-1] >= utf8.RuneSelf {
			last, _ := utf8.DecodeLastRune(c.dst)
			if ccc := combiningClass(last); ccc != 0 {
				c.markEnd, c.lastClass = len(c.dst), ccc
			}
		}
	case mark, joins:
		c.openSegment(i, i+size)
		ccc := uint8(0)
		if k == mark {
			ccc = combiningClass(r)
		}
		if k == joins || c.markEnd == len(c.dst) && c.lastClass > ccc {
			c.dirty = true
		}
		c.dst = append(c.dst, src[i:i+size]...)
		c.markEnd, c.lastClass = len(c.dst), ccc
	case separator:
		c.note(Control, i, i+size)
		if c.oneLine {
			c.boundary(' ', i, i+size)
		} else {
			c.boundary('\n', i, i+size)
		}
	case c1:
		if _, opens := opener(r - 0x40); opens {
			return c.escape(src, i)
		}
		c.remove(src, Control, i, i+size)
	default:
		c.remove(src, Code(k-removed), i, i+size)
	}
	return i + size
}

// starter opens a new segment at the end of dst, which comes from a range of the source.
func (c *Cleaner) starter(source, end int) {
	if c.dirty {
		c.flush()
	}
	c.segment, c.segmentSource, c.counted = len(c.dst), source, false
	c.from(source, end)
}

// openSegment makes sure that the segment fields describe the last segment of dst,
// which may have been copied as ASCII. What joins it comes from a range of the source.
func (c *Cleaner) openSegment(source, end int) {
	n := len(c.dst)
	if !c.dirty && n > 0 && c.dst[n-1] < 0x80 && c.mapEnd != n {
		c.segment, c.segmentSource, c.counted = n-1, max(source-1, 0), false
	}
	c.join(source, end)
}

// flush brings the last segment to normal form.
func (c *Cleaner) flush() {
	if !c.dirty {
		return
	}
	c.dirty = false
	form, changed := c.seg.changed(c.dst[c.segment:])
	if !changed {
		return
	}
	c.dst = append(c.dst[:c.segment], form...)
	if !c.counted {
		start, end := c.segmentSource, c.segmentSource
		if n := len(c.origins); n > 0 {
			start, end = c.origins[n-1].start, c.origins[n-1].end
		}
		c.note(NFKC, start, end)
		c.counted = true
	}
}
