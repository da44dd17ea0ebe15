package injection

import (
	"unicode"
	"unicode/utf8"
)

// The phrases of languages are data (pkg/safety/rules/language). A phrase is a row of
// elements, each a set of words; where an anchor of it stands, the row is tried at every
// place before it at which it could begin.

// wordSet is a set of words in small letters, the longest first.
type wordSet []langWord

// langWord is one of them; open is set if it is only the beginning of one.
type langWord struct {
	text string
	open bool
}

// element is one place of a row: at least so many words of the set, at most so many. The
// set anyWord has every word.
type element struct {
	set         uint16
	least, most uint8
}

const anyWord = 0

// langPhrase is one row of a phrase, with what must hold where it stands.
type langPhrase struct {
	class    class
	unspaced bool
	hidden   bool  // an order only in hidden text
	before   uint8 // words, or letters, between its beginning and its anchor at most
	row      []element
	when     []langCondition
	unless   []langCondition
}

// langCondition is a named condition with the words that it looks for.
type langCondition struct {
	holds condition
	set   uint16
}

// langAnchor is a word in small letters, of which each of the phrases has one.
type langAnchor struct {
	text    string
	phrases []uint16
	hidden  bool // all of them are orders only in hidden text
}

// maxSteps bounds the elements that are tried for one row at one place.
const maxSteps = 256

// maxMost is the greatest number of words of one element.
const maxMost = 12

// speech is a row that is tried at a place. Places are indexes of words, or offsets if
// words follow each other without blanks.
type speech struct {
	c        *cursor
	unspaced bool
	steps    int
	from, to int // the row stands from one place to before the other
}

// languages reports the phrases of languages of which an anchor stands at h; those that
// are orders only in hidden text are looked for if the text is hidden.
func (c *cursor) languages(h int, hidden bool, found func(class, span)) {
	text := c.text[h:c.hi]
	if len(text) < 2 {
		return
	}
	at := letters(text[0], text[1])
	for _, k := range langAnchorList[langAnchorIndex[at]:langAnchorIndex[at+1]] {
		a := &langAnchors[k]
		if a.hidden && !hidden || foldPrefix(text, a.text) == 0 {
			continue
		}
		for _, k := range a.phrases {
			if p := &langPhrases[k]; hidden || !p.hidden {
				if at, ok := p.around(c, h); ok {
					found(p.class, at)
				}
			}
		}
	}
}

// around tries the phrase at its anchor at h and at the places before it.
func (p *langPhrase) around(c *cursor, h int) (span, bool) {
	s := &c.spoken
	*s = speech{c: c, unspaced: p.unspaced}
	if p.unspaced {
		return s.aroundOffset(p, h)
	}
	if !c.seek(h) {
		return span{}, false
	}
	for i := 0; i >= -int(p.before); i-- {
		if s.try(p, i) && s.to > 0 {
			return span{c.at(s.from).start, c.at(s.to - 1).end}, true
		}
		if c.at(i).gap&stop != 0 {
			break
		}
	}
	return span{}, false
}

// aroundOffset is around for words without blanks.
func (s *speech) aroundOffset(p *langPhrase, h int) (span, bool) {
	for i, n := h, 0; ; n++ {
		if s.try(p, i) && s.to > h {
			return span{s.from, s.to}, true
		}
		if i == s.c.lo || n == int(p.before) {
			return span{}, false
		}
		i = s.c.back(i)
		if r, _ := utf8.DecodeRune(s.c.text[i:]); endsSentence(r) {
			return span{}, false
		}
	}
}

// try matches the row at a place, and judges its conditions.
func (s *speech) try(p *langPhrase, at int) bool {
	s.steps, s.from = maxSteps, at
	end, ok := s.match(p.row, at)
	if !ok {
		return false
	}
	s.to = end
	for _, w := range p.when {
		if !w.holds(s, w.set) {
			return false
		}
	}
	for _, w := range p.unless {
		if w.holds(s, w.set) {
			return false
		}
	}
	return true
}

// match gives the place behind the row that begins at a place: with as many words for
// each element as there may be, else with fewer.
func (s *speech) match(row []element, at int) (int, bool) {
	if len(row) == 0 {
		return at, true
	}
	e := row[0]
	var ends [maxMost + 1]int // behind so many words
	ends[0] = at
	n := 0
	for n < int(e.most) {
		end, ok := s.word(e.set, ends[n])
		if !ok {
			break
		}
		n++
		ends[n] = end
	}
	for ; n >= int(e.least); n-- {
		if end, ok := s.match(row[1:], ends[n]); ok {
			return end, true
		}
	}
	return 0, false
}

// word gives the place behind the word of a set that stands at a place.
func (s *speech) word(set uint16, at int) (int, bool) {
	if s.steps--; s.steps < 0 {
		return 0, false
	}
	if s.unspaced {
		return s.wordAtOffset(set, at)
	}
	t := s.c.at(at)
	if t.end == t.start || at > s.from && t.gap&stop != 0 {
		return 0, false
	}
	return at + 1, set == anyWord || langSets[set].has(s.c.text[t.start:t.end])
}

// wordAtOffset is word where no blanks stand between words: any word is one letter.
func (s *speech) wordAtOffset(set uint16, at int) (int, bool) {
	c := s.c
	if at > s.from {
		at = skipMarks(c.text[:c.hi], at)
	}
	if at == c.hi {
		return 0, false
	}
	if set == anyWord {
		r, n := utf8.DecodeRune(c.text[at:c.hi])
		return at + n, !endsSentence(r)
	}
	n := langSets[set].begins(c.text[at:c.hi])
	return at + n, n > 0
}

// maxMarks bounds the blanks, quotes and emphasis between two words, in bytes.
const maxMarks = 16

// skipMarks gives the place of the next letter if only blanks, one line break, quotes and
// emphasis stand before it.
func skipMarks(text []byte, at int) int {
	for i, lines := at, 0; i < len(text) && i-at <= maxMarks; {
		r, n := utf8.DecodeRune(text[i:])
		switch r {
		case '\n':
			if lines++; lines > 1 {
				return at
			}
		case ' ', '\t', '*', '_', '~', '`', '"', '\'', '「', '」', '『', '』', '“', '”', '‘', '’', '《', '》':
		default:
			return i
		}
		i += n
	}
	return at
}

// endsSentence reports whether a phrase of a language without blanks ends at r.
func endsSentence(r rune) bool {
	switch r {
	case '\n', '。', '！', '？', '!', '?', ';', '；':
		return true
	}
	return false
}

// has reports whether word is in the set, whatever the case.
func (w wordSet) has(word []byte) bool {
	for k := range w {
		if n := foldPrefix(word, w[k].text); n > 0 && (n == len(word) || w[k].open) {
			return true
		}
	}
	return false
}

// begins gives the length of the longest word of the set with which text begins, 0 if
// there is none.
func (w wordSet) begins(text []byte) int {
	for k := range w {
		if n := foldPrefix(text, w[k].text); n > 0 {
			return n
		}
	}
	return 0
}

// foldPrefix gives the length of the beginning of text that is word, which is in small
// letters, whatever the case; 0 if it is another.
func foldPrefix(text []byte, word string) int {
	i := 0
	for k := 0; k < len(word); {
		if i == len(text) {
			return 0
		}
		b, w := text[i], word[k]
		if b < utf8.RuneSelf && w < utf8.RuneSelf {
			if 'A' <= b && b <= 'Z' {
				b |= 0x20
			}
			if b != w {
				return 0
			}
			i, k = i+1, k+1
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		want, m := utf8.DecodeRuneInString(word[k:])
		if foldRune(r) != want {
			return 0
		}
		i, k = i+n, k+m
	}
	return i
}

// foldRune gives a letter as words are compared: small, the dotless i as an i, the
// typographic apostrophe as a plain one.
func foldRune(r rune) rune {
	switch r {
	case 'ı', 'İ':
		return 'i'
	case '’':
		return '\''
	}
	return unicode.ToLower(r)
}

// langAnchorAt reports whether an anchor of a phrase begins at i that counts in any text.
func langAnchorAt(text []byte, i int) bool {
	if i+1 >= len(text) {
		return false
	}
	at := letters(text[i], text[i+1])
	for _, k := range langAnchorList[langAnchorIndex[at]:langAnchorIndex[at+1]] {
		if a := &langAnchors[k]; !a.hidden && foldPrefix(text[i:], a.text) > 0 {
			return true
		}
	}
	return false
}

// ends reports whether text ends with a word of the set.
func (w wordSet) ends(text []byte) bool {
	for k := range w {
		if i := len(text) - len(w[k].text); i >= 0 && foldPrefix(text[i:], w[k].text) == len(w[k].text) {
			return true
		}
	}
	return false
}
