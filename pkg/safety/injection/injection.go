// Package injection finds text that tries to steer an agent: the injection floor of
// the filter version (INJ-01). It reads a view of the text, in which case, white
// space, quote and list markers and emphasis marks do not count, and builds that view
// only around anchors, rare words and marks of which every match contains one.
//
// Nothing is rewritten: a match rejects the source. Each rule looks at a bounded
// number of words around its anchor, and a region (command, comment, element) is read
// once, so the cost is proportional to the text.
package injection

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
)

// The finding codes.
const (
	CodeOverride  = "injection.instruction-override"
	CodePrompt    = "injection.system-prompt"
	CodeRole      = "injection.unrestricted-role"
	CodeConceal   = "injection.concealment"
	CodeExfil     = "injection.exfiltration"
	CodeHidden    = "injection.hidden-html"
	CodeTranslate = "injection.translate-execute"
)

// class numbers the codes.
type class uint8

const (
	override class = iota
	prompt
	role
	conceal
	exfil
	hidden
	translate
	classes
)

var codes = [classes]string{
	override: CodeOverride, prompt: CodePrompt, role: CodeRole, conceal: CodeConceal,
	exfil: CodeExfil, hidden: CodeHidden, translate: CodeTranslate,
}

// span is a half-open range of byte offsets.
type span struct{ start, end int }

// Match is one match, by byte offsets in the scanned text.
type Match struct {
	Code       string
	Start, End int
}

// Scanner scans one text at a time and owns scratch memory. The zero value is ready.
// It is not safe for concurrent use.
type Scanner struct {
	// OnMatch, if set, is told every counted match.
	OnMatch func(Match)

	cur    cursor // the words around the hit
	inner  cursor // the words of one hidden region
	counts [classes]int64
	done   [classes]int // end of the last counted match

	exfilDone  int       // commands and sentences before it are judged
	lineDone   int       // command lines before it are judged
	hiddenDone int       // hidden regions before it are judged
	concealed  bool      // what is judged is hidden: nothing in it is in its own place
	gluedDone  int       // glued words before it are judged
	cut        []byte    // the last such word, cut
	tags       tagMemory // the last '<' seen
}

// Scan reports the injection findings of text: sorted by code, one count a match,
// matches of a class do not overlap; nil if there are none. hits are the ascending byte
// offsets at which an anchor begins (ASCII case does not count); nil makes the scanner
// look for them itself.
func (s *Scanner) Scan(text []byte, hits []int) []contract.Finding {
	s.counts, s.done = [classes]int64{}, [classes]int{}
	s.exfilDone, s.lineDone, s.hiddenDone, s.gluedDone = 0, 0, 0, 0
	s.tags = tagMemory{last: -1, read: -1}
	s.cur.reset(text, 0, len(text))
	last := -1
	for _, h := range hits {
		if h > last {
			last = h
			s.hit(h)
		}
	}
	if hits == nil {
		for h := range text {
			if anchorAt(text, h) {
				last = h
				s.hit(h)
			}
		}
	}
	// "env" may also end the text.
	if h := len(text) - 3; h > last && foldEqual(text[h:], "env") {
		s.hit(h)
	}
	return s.findings()
}

// ScanAll is Scan without prepared hits.
func (s *Scanner) ScanAll(text []byte) []contract.Finding { return s.Scan(text, nil) }

func (s *Scanner) findings() []contract.Finding {
	var out []contract.Finding
	for c, n := range s.counts {
		if n > 0 {
			out = append(out, contract.Finding{Code: codes[c], Count: n})
		}
	}
	slices.SortFunc(out, func(a, b contract.Finding) int { return strings.Compare(a.Code, b.Code) })
	return out
}

// found counts a match unless it overlaps the last one of its class. Inside a hidden
// region matches only tell that there is one.
func (s *Scanner) found(c class, at span) {
	if at.start < s.done[c] {
		return
	}
	s.done[c] = at.end
	s.counts[c]++
	if s.OnMatch != nil {
		s.OnMatch(Match{Code: codes[c], Start: at.start, End: at.end})
	}
}

// hit judges one anchor.
func (s *Scanner) hit(h int) {
	text := s.cur.text
	switch text[h] {
	case '.', '/':
		s.exfilAt(h)
	case '!', '[', ']', '"':
		s.hiddenAt(h)
	default:
		if isLetter(text[h]) {
			s.word(h)
		}
		s.cur.languages(h, false, s.found)
	}
}

// word judges an anchor that begins with a letter: the rules of the word that holds it.
func (s *Scanner) word(h int) {
	c := &s.cur
	r, whole, long := c.glance(h)
	if r&rPhrase != 0 || !whole {
		if c.seek(h) {
			r = roles[c.at(0).id]
			s.phrases(c, r)
		}
	}
	// A word that no rule names may be the rest of a variable: $APIKEY.
	if r&rThing != 0 || r == 0 && secretStarts[c.text[h]] || !whole {
		s.exfilAt(h)
	}
	if r&rMarkup != 0 || !whole {
		s.hiddenAt(h)
	}
	if long && h >= s.gluedDone && !startsThing(c.text[h:]) {
		at, found := s.glued(h)
		s.gluedDone = at.end
		for k := range codes {
			if found[k] {
				s.found(class(k), at)
			}
		}
	}
}

// phraseRules are the rules of the word that is looked at, by the roles that it must
// have one of.
var phraseRules = []struct {
	class class
	roles uint64
	match func(*cursor) (span, bool)
}{
	{override, rIgnore, overrideRule},
	{override, rNoun1 | rNoun2, followRule},
	{override, rEverything, everythingRule},
	{role, rLimit, roleRule},
	{conceal, rTell | rTelling | rTold, concealRule},
	{conceal, rHide, hideRule},
	{translate, rDecode, translateRule},
	{prompt, rPhrase, promptRule},
}

// phrases runs the phrase rules on the word at c.at(0), of the roles r.
func (s *Scanner) phrases(c *cursor, r uint64) {
	for _, rule := range phraseRules {
		if r&rule.roles != 0 {
			if at, ok := rule.match(c); ok {
				s.found(rule.class, at)
			}
		}
	}
}
