package injection

import (
	"bytes"
	"math/bits"
	"slices"
)

// A phrase may arrive as one word: written so, or because escapes that stood between its
// words are removed before the scan. A long word around an anchor is therefore cut into
// words of the vocabulary, and the phrase rules read it once more.

const (
	minGlued    = 12  // letters that such a word has at least
	gluedBefore = 64  // letters before an anchor that are looked at
	gluedBehind = 128 // letters from the anchor on
	gluedAround = 96  // bytes of text behind the word that belong to its phrase
	minPieces   = 3   // different words that it falls into at least
)

// glued judges the letters around the anchor at h: it gives their place, and the classes
// of which the words that they are made of are a match.
func (s *Scanner) glued(h int) (at span, found [classes]bool) {
	text := s.cur.text
	at = span{h, h}
	for at.start > 0 && h-at.start < gluedBefore && isLetter(text[at.start-1]) {
		at.start--
	}
	for at.end < len(text) && at.end-h < gluedBehind && isLetter(text[at.end]) {
		at.end++
	}
	word := text[at.start:at.end]
	var cut [gluedBefore + gluedBehind]uint8
	if len(word) < minGlued || humped(word) || !divide(word, &cut) {
		return at, found
	}
	s.cut = s.cut[:0]
	for i := 0; i < len(word); i += int(cut[i]) {
		s.cut = append(append(s.cut, word[i:i+int(cut[i])]...), ' ')
	}
	end := len(s.cut) - 1
	s.cut = append(s.cut[:end], text[at.end:min(len(text), at.end+gluedAround)]...)
	c := &s.inner
	c.reset(s.cut, 0, len(s.cut))
	for from := 0; from < end && c.seek(from); from = c.at(0).end + 1 {
		r := roles[c.at(0).id]
		for _, rule := range phraseRules {
			if r&rule.roles != 0 && r&rPhrase != 0 && !found[rule.class] {
				_, found[rule.class] = rule.match(c)
			}
		}
	}
	return at, found
}

func startsThing(text []byte) bool {
	return slices.ContainsFunc(things, func(t string) bool { return len(text) >= len(t) && foldEqual(text[:len(t)], t) })
}

// humped reports whether a word is a name in camel case: testIgnorePreviousInstructions.
func humped(word []byte) bool {
	for i := 1; i < len(word); i++ {
		if word[i-1]&0x20 != 0 && word[i]&0x20 == 0 {
			return true
		}
	}
	return false
}

// divide cuts a word into words of the vocabulary with as few letters left over as can
// be: cut holds at the beginning of each piece its length. It reports whether enough
// pieces were found.
func divide(word []byte, cut *[gluedBefore + gluedBehind]uint8) bool {
	const short, stray = 2, 6 // costs of a piece of two letters, and of a letter left over
	var cost [gluedBefore + gluedBehind + 1]uint16
	for i := len(word) - 1; i >= 0; i-- {
		rest := word[i:]
		cost[i], cut[i] = cost[i+1]+stray, 1
		if len(rest) < 2 {
			continue
		}
		for lengths := wordLengths[letters(rest[0], rest[1])] &^ 3; lengths != 0; lengths &= lengths - 1 {
			n := bits.TrailingZeros32(lengths)
			if n > len(rest) {
				break
			}
			c := cost[i+n] + 1
			if n == 2 {
				c = cost[i+n] + short
			}
			if c <= cost[i] && mayBeWord(rest[:n]) && dictionary.find(rest[:n]) != wNone {
				cost[i], cut[i] = c, uint8(n)
			}
		}
	}
	var pieces [minPieces][]byte // different ones
	n, strays := 0, 0
	for i := 0; i < len(word); i += int(cut[i]) {
		piece := word[i : i+int(cut[i])]
		if len(piece) == 1 {
			strays++
		} else if n < minPieces && !slices.ContainsFunc(pieces[:n], func(p []byte) bool { return bytes.EqualFold(p, piece) }) {
			pieces[n] = piece
			n++
		}
	}
	if n < minPieces || strays*6 > len(word) {
		return false
	}
	// Letters left over in a row are one word.
	for i := 0; i < len(word); {
		n := int(cut[i])
		for n < len(word)-i && cut[i] == 1 && cut[i+n] == 1 {
			n++
		}
		if cut[i] == 1 {
			cut[i] = uint8(n)
		}
		i += n
	}
	return true
}
