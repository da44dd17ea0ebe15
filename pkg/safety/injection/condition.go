package injection

import "unicode/utf8"

// A condition is what the data of a phrase can ask for by its name, with the words that it
// looks for. Each function of this file that has its shape is one: the generator reads
// them here.
type condition func(s *speech, set uint16) bool

// opening holds for a phrase that begins a clause, a line, the message of a log line, or
// stands behind a name that is called, or behind one of the words.
func opening(s *speech, set uint16) bool {
	c := s.c
	if s.unspaced {
		return s.opensAtOffset(set)
	}
	t := c.at(s.from)
	return t.gap&(clause|gLine|gColon) != 0 || logged(c.text, c.lo, t.start) || called(c.text, c.lo, t.start) || behind(s, set)
}

func (s *speech) opensAtOffset(set uint16) bool {
	c := s.c
	i := s.from
	for i > c.lo && (isSpace(c.text[i-1]) || emphasis(c.text[i-1])) {
		i--
	}
	if i == c.lo {
		return true
	}
	r, _ := utf8.DecodeLastRune(c.text[c.lo:i])
	return !isWordRune(r) || r < utf8.RuneSelf || behind(s, set)
}

// behind holds for a phrase right behind one of the words, with no end of a sentence
// between them.
func behind(s *speech, set uint16) bool {
	if set == anyWord {
		return false
	}
	c := s.c
	if s.unspaced {
		return langSets[set].ends(c.text[c.lo:s.from])
	}
	t := c.at(s.from - 1)
	return c.at(s.from).gap&stop == 0 && langSets[set].has(c.text[t.start:t.end])
}

// before holds for a phrase right before one of the words, in the same clause.
func before(s *speech, set uint16) bool {
	c := s.c
	if s.unspaced {
		_, ok := s.word(set, s.to)
		return ok
	}
	t := c.at(s.to)
	return t.gap&clause == 0 && langSets[set].has(c.text[t.start:t.end])
}

// preceded holds for a phrase that one of the words stands before in the same sentence, at
// most eight words away, or sixteen letters.
func preceded(s *speech, set uint16) bool {
	const words, letters = 8, 16
	c := s.c
	if s.unspaced {
		i := s.from
		for n := 0; n < letters && i > c.lo; n++ {
			i = c.back(i)
			if r, _ := utf8.DecodeRune(c.text[i:]); endsSentence(r) {
				break
			}
			if langSets[set].begins(c.text[i:s.from]) > 0 {
				return true
			}
		}
		return false
	}
	for i := s.from - 1; i >= s.from-words && c.at(i+1).gap&stop == 0; i-- {
		if t := c.at(i); langSets[set].has(c.text[t.start:t.end]) {
			return true
		}
	}
	return false
}

// ended holds for a phrase that ends a clause or a line.
func ended(s *speech, _ uint16) bool {
	c := s.c
	if s.unspaced {
		at := skipMarks(c.text[:c.hi], s.to)
		if at == c.hi {
			return true
		}
		r, _ := utf8.DecodeRune(c.text[at:c.hi])
		return !isWordRune(r)
	}
	return c.at(s.to).gap&(clause|gLine|gColon) != 0
}

// calling holds for a phrase that an at sign stands right before.
func calling(s *speech, _ uint16) bool {
	c := s.c
	i := s.from
	if !s.unspaced {
		i = c.at(s.from).start
	}
	return i > c.lo && c.text[i-1] == '@'
}
