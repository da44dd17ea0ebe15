package secret

import "bytes"

// Base64 of a credential may be broken into lines of any width, bare, indented, behind the
// prefix of a log, or with \n as text between them. The rows of four characters that begin with
// one of its first four tell where it may stand: in lines of four and more no break divides all.

const (
	gramLength = 4
	grams      = gramLength
	// farthestPrefix bounds what stands before the base64 on its line.
	farthestPrefix = 96
	// maxWrapped is the number of parts of credentials of which wrapped base64 is looked for.
	maxWrapped = 64
)

// gram is a row of characters of a spelling in base64.
type gram struct {
	spelling
	offset int
}

// wrappedGrams gives the rows to look for, each with the spellings that have it, in order.
func wrappedGrams(credentials []string) (texts []string, of map[string][]gram) {
	of = map[string][]gram{}
	parts := credentialParts(credentials)
	for _, part := range parts[:min(len(parts), maxWrapped)] {
		for _, s := range base64Spellings(part) {
			if len(s.text) < minEncoded {
				continue
			}
			for k := range grams {
				if k+gramLength > len(s.text) {
					break
				}
				text := s.text[k : k+gramLength]
				if of[text] == nil {
					texts = append(texts, text)
				}
				of[text] = append(of[text], gram{s, k})
			}
		}
	}
	return texts, of
}

// wrapped handles a row of base64 of the spellings in list at pos.
func (d *Detector) wrapped(list []gram, pos int) {
	for _, g := range list {
		d.spans = append(d.spans, d.wrappedSpans(g, pos)...)
	}
}

// wrappedSpans gives the pieces on each line of the spelling of which g is a row at pos.
func (d *Detector) wrappedSpans(g gram, pos int) (pieces []Span) {
	text := d.text
	pieces, first, from := g.before(text, pos)
	if first < 0 {
		return nil
	}
	i := pos
	for j := g.offset; j < len(g.text); {
		if i < len(text) && text[i] == g.text[j] {
			i, j = i+1, j+1
			continue
		}
		if !is(g.text[j], alnum) {
			if end := spellingEnd(text, i, rune(g.text[j])); end > 0 {
				i, j = end, j+1
				continue
			}
		}
		next := breakBehind(text, i, g.text[j:])
		if next < 0 {
			d.spend(j - g.offset)
			return nil
		}
		pieces = append(pieces, Span{Start: from, End: i, Code: Registered})
		from, i = next, next
	}
	if g.sharedHead && first > 0 && is(text[first-1], b64|b64u) {
		pieces = append(pieces, Span{Start: first - 1, End: first, Code: Registered})
	}
	if g.sharedEnd {
		if i == len(text) || !is(text[i], b64|b64u) {
			if next := shareBehind(text, i); next > 0 {
				pieces = append(pieces, Span{Start: from, End: i, Code: Registered})
				from, i = next, next
			}
		}
		if i < len(text) && is(text[i], b64|b64u) {
			i++
		}
	}
	i = run(text[:min(len(text), i+2)], i, equals)
	d.spend(i - first)
	return append(pieces, Span{Start: from, End: i, Code: Registered})
}

// before follows what stands before the row at pos back to the start of the spelling. It gives
// the pieces on other lines, the place of the start, or -1, and where the piece with the row
// begins.
func (g *gram) before(text []byte, pos int) (pieces []Span, first, from int) {
	start := pos
	for j := g.offset; j > 0; j-- {
		if q := breakBefore(text, start); q > 0 && text[q-1] == g.text[j-1] && !(text[start-1] == g.text[j-1] && text[start-1] != 'n') {
			pieces = append(pieces, Span{Start: q - 1, End: q, Code: Registered})
			start = q - 1
			continue
		}
		if start == 0 || text[start-1] != g.text[j-1] {
			return nil, -1, 0
		}
		start--
		if n := len(pieces); n > 0 && pieces[n-1].Start == start+1 {
			pieces[n-1].Start = start
		}
	}
	if len(pieces) == 0 {
		return nil, start, start
	}
	from = pos
	for from > max(pieces[0].End, pos-g.offset) && is(text[from-1], b64|b64u) {
		from--
	}
	return pieces, start, from
}

// lineBreak gives the end of the break of a line at text[i:], real or escaped, behind what may
// close a text, or -1.
func lineBreak(text []byte, i int) int {
	for k := i; k < len(text) && k-i < 2*gramLength; k++ {
		switch c := text[k]; {
		case c == '\n':
			return k + 1
		case c == '\\':
			end := k
			for end < len(text) && text[end] == '\\' {
				end++
			}
			if end < len(text) && (text[end] == 'n' || text[end] == 'r') {
				end++
				if next := lineBreak(text, end); text[end-1] == 'r' && next > 0 && next-end <= gramLength {
					return next
				}
				return end
			}
		case hasFold(text, k, "%0a"), hasFold(text, k, "%0d"):
			if next := lineBreak(text, k+3); hasFold(text, k, "%0d") && next > 0 {
				return next
			}
			return k + 3
		case is(c, blank), isQuote(c), c == ',', c == '+', c == '.', c == ')':
		default:
			return -1
		}
	}
	return -1
}

func hasFold(text []byte, i int, s string) bool { return equalFold(text, i, s) }

// breakBehind gives where rest, a part of base64, goes on behind a break of the line at
// text[i:], or -1.
func breakBehind(text []byte, i int, rest string) int {
	line := lineBreak(text, i)
	if line < 0 {
		return -1
	}
	want := rest[:min(len(rest), gramLength)]
	for k := line; k < len(text) && k-line <= farthestPrefix; k++ {
		if (k == line || !is(text[k-1], b64|b64u)) && hasAt(text, k, want) {
			return k
		}
		if text[k] == '\n' {
			break
		}
	}
	return -1
}

// shareBehind gives the place of the last character of base64 that stands alone on the line
// behind a break at text[i:], or -1.
func shareBehind(text []byte, i int) int {
	line := lineBreak(text, i)
	if line < 0 {
		return -1
	}
	for k := line; k < len(text) && k-line <= farthestPrefix && text[k] != '\n'; k++ {
		if (k == line || !is(text[k-1], b64|b64u)) && is(text[k], b64|b64u) && k+1 < len(text) && text[k+1] == '=' {
			return k
		}
	}
	return -1
}

// breakBefore gives the end of the base64 on the line before the one on which a piece of it
// begins at text[i], or -1.
func breakBefore(text []byte, i int) int {
	low := max(0, i-farthestPrefix)
	k := i
	switch {
	case hasAt(text, i-2, `\n`), hasAt(text, i-2, `\r`):
		for k -= 1; k > 0 && text[k-1] == '\\'; {
			k--
		}
		if hasAt(text, k-2, `\r`) {
			for k -= 1; k > 0 && text[k-1] == '\\'; {
				k--
			}
		}
	case hasFold(text, i-3, "%0a"):
		if k -= 3; hasFold(text, k-3, "%0d") {
			k -= 3
		}
	default:
		n := bytes.LastIndexByte(text[low:i], '\n')
		if n < 0 {
			return -1
		}
		k = low + n
	}
	for k > 0 && (is(text[k-1], blank) || isQuote(text[k-1]) || bytes.IndexByte([]byte(`\,+.)`), text[k-1]) >= 0) {
		if text[k-1] == '+' && k > 1 && is(text[k-2], b64) {
			break
		}
		k--
	}
	return k
}
