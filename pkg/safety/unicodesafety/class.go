package unicodesafety

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class says what the cleaner does with a code point.
type class uint8

const (
	plain     class = iota // starts a segment and is its own normal form
	mark                   // a non-starter that never composes: only its order matters
	joins                  // may compose with, or move before, what precedes it
	mapped                 // starts a segment; its normal form is another text
	separator              // line separator: becomes LF, with a finding
	c1                     // C1 control
	removed                // removed+k is removed as Code k
)

const (
	pageBits = 8
	pageSize = 1 << pageBits
	// scanned is the end of the planes in which classes can differ from plain, apart
	// from the tag and selector plane.
	scanned = 0x30000
)

type page [pageSize]class

// tables are derived once from the Unicode tables of the toolchain and of x/text.
type tables struct {
	index        [(utf8.MaxRune + 1) >> pageBits]uint8
	pages        []page
	ccc          map[rune]uint8
	replacement  map[rune]string
	ascii        map[rune]byte // code points whose normal form is one ASCII character
	compositions map[[2]rune]rune
}

func (t *tables) class(r rune) class {
	return t.pages[t.index[r>>pageBits]][r&(pageSize-1)]
}

var derive = sync.OnceValue(func() *tables {
	t := &tables{
		pages:        make([]page, 1, 128),
		ccc:          map[rune]uint8{},
		replacement:  map[rune]string{},
		ascii:        map[rune]byte{},
		compositions: map[[2]rune]rune{},
	}
	for r := rune(0x80); r < scanned; r++ {
		if ideographs(r) {
			continue
		}
		t.add(r)
	}
	for r := rune(0xE0000); r < 0xE1000; r++ {
		t.add(r)
	}
	for pair := range t.compositions {
		if r := pair[1]; t.class(r) == mark {
			t.pages[t.index[r>>pageBits]][r&(pageSize-1)] = joins
		}
	}
	return t
})

// ideographs tells whether r lies in a large block whose members are all plain. It
// only saves time at start; a test compares the tables over all code points.
func ideographs(r rune) bool {
	switch {
	case r >= 0x3400 && r < 0xA000,
		r >= hangulBase && r < hangulEnd,
		r >= 0xD800 && r < 0xF900,
		r >= 0x17000 && r < 0x1B000,
		r >= 0x20000 && r < 0x2F800:
		return true
	}
	return false
}

func (t *tables) add(r rune) {
	c := t.classify(r)
	if c == plain {
		return
	}
	p := t.index[r>>pageBits]
	if p == 0 {
		t.pages = append(t.pages, page{})
		p = uint8(len(t.pages) - 1)
		t.index[r>>pageBits] = p
	}
	t.pages[p][r&(pageSize-1)] = c
}

func (t *tables) classify(r rune) class {
	switch {
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return separator
	case r < 0xA0:
		return c1
	}
	if code, ok := invisibleCode(r); ok {
		return removed + class(code)
	}
	var room [utf8.UTFMax]byte
	p := norm.NFKC.Properties(utf8.AppendRune(room[:0], r))
	switch {
	case p.CCC() != 0:
		t.ccc[r] = p.CCC()
	case p.BoundaryBefore() && p.Decomposition() == nil:
		return plain
	}
	s := string(r)
	form := norm.NFKC.String(s)
	switch {
	// A jamo of compatibility begins a segment for x/text, its form may end one.
	case form != s && p.BoundaryBefore() && norm.NFKC.PropertiesString(form).BoundaryBefore():
		t.replacement[r] = form
		if len(form) == 1 {
			t.ascii[r] = form[0]
		}
		return mapped
	case form != s:
		return joins
	}
	t.addComposition(r, s)
	switch {
	case p.BoundaryBefore():
		return plain
	case p.CCC() != 0:
		return mark // unless it is the second half of a composition, see derive
	}
	return joins
}

// addComposition enters r, its own normal form, under the two code points that
// compose to it.
func (t *tables) addComposition(r rune, s string) {
	d := []rune(norm.NFD.String(s))
	if len(d) < 2 {
		return
	}
	head := []rune(norm.NFC.String(string(d[:len(d)-1])))
	if len(head) == 1 {
		t.compositions[[2]rune{head[0], d[len(d)-1]}] = r
	}
}
