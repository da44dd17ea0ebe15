package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Range is a set of characters that are removed wherever they stand.
type Range struct {
	Samples
	ID, Code string // Code is the name in Go
	Points   [][2]rune
}

// resolve reads the points of the range.
func (r *Range) resolve(known Known) error {
	e := r.Entry
	if r.Code = e.one("code"); !known.UnicodeCodes[r.Code] {
		return e.Errorf("no code of package unicodesafety is called %q", r.Code)
	}
	for _, text := range e.words("points") {
		first, last, ok := strings.Cut(text, "-")
		if !ok {
			last = first
		}
		var at [2]rune
		for k, hex := range []string{first, last} {
			n, err := strconv.ParseUint(hex, 16, 32)
			if err != nil || n > utf8.MaxRune {
				return e.Errorf("%q is no code point", hex)
			}
			at[k] = rune(n)
		}
		if at[0] > at[1] {
			return e.Errorf("%q ends before it begins", text)
		}
		r.Points = append(r.Points, at)
	}
	return nil
}

// Invisible gives the name in Go of the finding of a character that is always removed.
func (s *Set) Invisible(r rune) (code string, ok bool) {
	for _, row := range s.Ranges {
		for _, at := range row.Points {
			if at[0] <= r && r <= at[1] {
				return row.Code, true
			}
		}
	}
	return "Format", unicode.Is(unicode.Cf, r)
}

// unicodeTables are what the cleaner knows of each character.
type unicodeTables struct {
	set          *Set
	classes      map[rune]string // names in Go; plain is left out
	combining    map[rune]uint8
	replacement  map[rune]string
	compositions map[[2]rune]rune
}

// writeUnicode writes the classes of characters, from the tables of the toolchain and of
// the library for normalization.
func writeUnicode(w *writer, s *Set) error {
	t := &unicodeTables{s, map[rune]string{}, map[rune]uint8{}, map[rune]string{}, map[[2]rune]rune{}}
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if r < 0xD800 || r > 0xDFFF {
			t.add(r)
		}
	}
	for pair := range t.compositions {
		if r := pair[1]; t.classes[r] == "mark" {
			t.classes[r] = "joins"
		}
	}
	w.line("// Version is the Unicode version of the tables.\nconst Version = %q\n", norm.Version)
	writePages(w, "classes", "class", t.classes, func(name string) string { return name })
	writePages(w, "combining", "uint8", t.combining, func(c uint8) string { return fmt.Sprint(c) })
	t.writeReplacements(w)
	t.writeCompositions(w)
	return nil
}

func (t *unicodeTables) add(r rune) {
	switch {
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		t.classes[r] = "separator"
		return
	case r < 0xA0:
		t.classes[r] = "c1"
		return
	}
	if code, ok := t.set.Invisible(r); ok {
		t.classes[r] = "removed + class(" + code + ")"
		return
	}
	s := string(r)
	p := norm.NFKC.PropertiesString(s)
	if p.CCC() != 0 {
		t.combining[r] = p.CCC()
	}
	form := norm.NFKC.String(s)
	switch {
	// A jamo of compatibility begins a segment for x/text, its form may end one.
	case form != s && p.BoundaryBefore() && norm.NFKC.PropertiesString(form).BoundaryBefore():
		t.replacement[r] = form
		t.classes[r] = "mapped"
		return
	case form != s:
		t.classes[r] = "joins"
		return
	}
	t.addComposition(r, s)
	switch {
	case p.BoundaryBefore():
	case p.CCC() != 0:
		t.classes[r] = "mark" // unless it is the second half of a composition
	default:
		t.classes[r] = "joins"
	}
}

// addComposition enters r, its own normal form, under the two code points that compose to
// it. Those of Hangul are computed.
func (t *unicodeTables) addComposition(r rune, s string) {
	d := []rune(norm.NFD.String(s))
	if len(d) < 2 || r >= 0xAC00 && r < 0xD7A4 {
		return
	}
	head := []rune(norm.NFC.String(string(d[:len(d)-1])))
	if len(head) == 1 {
		t.compositions[[2]rune{head[0], d[len(d)-1]}] = r
	}
}

// writePages writes a table of two levels: the number of the page of each 256 characters,
// and the pages, of which the first is empty.
func writePages[T any](w *writer, name, of string, values map[rune]T, text func(T) string) {
	var index [(utf8.MaxRune + 1) >> 8]uint64
	pages := []string{"{}"}
	known := map[string]uint64{}
	runes := sortedRunes(values)
	for k := 0; k < len(runes); {
		var page strings.Builder
		high := runes[k] >> 8
		for ; k < len(runes) && runes[k]>>8 == high; k++ {
			fmt.Fprintf(&page, "%d: %s, ", runes[k]&0xFF, text(values[runes[k]]))
		}
		n, ok := known[page.String()]
		if !ok {
			n = uint64(len(pages))
			known[page.String()] = n
			pages = append(pages, "{"+page.String()+"}")
		}
		index[high] = n
	}
	w.line("// %sPages hold the %s of 256 characters each, %sIndex the number of the page.\nvar %sPages = [...][256]%s{", name, name, name, name, of)
	for _, p := range pages {
		w.line("\t%s,", p)
	}
	w.line("}\n\nvar %sIndex = [%d]uint8{", name, len(index))
	for high, n := range index {
		if n != 0 {
			w.line("\t%d: %d,", high, n)
		}
	}
	w.line("}\n")
}

func sortedRunes[T any](values map[rune]T) []rune {
	runes := make([]rune, 0, len(values))
	for r := range values {
		runes = append(runes, r)
	}
	slices.Sort(runes)
	return runes
}

// writeReplacements writes the normal forms of the mapped characters, one behind the other,
// and where each begins.
func (t *unicodeTables) writeReplacements(w *writer) {
	var forms strings.Builder
	numbers := map[rune]int{}
	w.line("// replacementStarts are where the normal forms of the mapped characters begin in\n// replacements: that of number n ends where the next begins.\nvar replacementStarts = [...]uint16{")
	for n, r := range sortedRunes(t.replacement) {
		numbers[r] = n
		w.line("\t%d,", forms.Len())
		forms.WriteString(t.replacement[r])
	}
	w.line("\t%d,\n}\n\nconst replacements = \"\" +", forms.Len())
	text := forms.String()
	for text != "" {
		n := min(len(text), 64)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		plus := " +"
		if n == len(text) {
			plus = "\n"
		}
		w.line("\t%+q%s", text[:n], plus)
		text = text[n:]
	}
	writePages(w, "replacement", "uint16", numbers, func(n int) string { return fmt.Sprint(n) })
}

// writeCompositions writes the pairs that compose, sorted.
func (t *unicodeTables) writeCompositions(w *writer) {
	pairs := make([][2]rune, 0, len(t.compositions))
	for p := range t.compositions {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]rune) int { return slices.Compare(a[:], b[:]) })
	w.line("// compositions are the pairs of characters that compose, and to which, sorted.\nvar compositions = [...]struct{ first, second, composed rune }{")
	for _, p := range pairs {
		w.line("\t{%#x, %#x, %#x},", p[0], p[1], t.compositions[p])
	}
	w.line("}")
}
