package injection

// instructs reports whether a hidden region holds an instruction: an imperative
// addressed to an agent, any phrase of the other classes, or an act of approval.
func (s *Scanner) instructs(region span) bool {
	c := &s.inner
	c.reset(s.cur.text, region.start, region.end)
	t, ok := c.next(region.start)
	if !ok {
		return false
	}
	t.gap = gHard | gEdge
	c.words = append(c.words, t)
	things := false
	for ; c.at(0).gap&gEdge == 0 || c.pos == 0; c.advance() {
		t := c.at(0)
		switch {
		case t.is(rPhrase) && phrase(c):
			return true
		case t.is(rAgent) && addressed(c):
			return true
		case t.is(rApprove) && approval(c):
			return true
		}
		things = things || (t.is(rThing) || t.can(mDotted))
	}
	return things && s.leaks(region) || c.speaks(region)
}

// speaks reports whether a phrase of a language stands in a hidden region, or one that is
// an order there.
func (c *cursor) speaks(region span) (found bool) {
	for h := region.start; h < region.end && !found; h++ {
		c.languages(h, true, func(class, span) { found = true })
	}
	return found
}

// advance moves to the next word and forgets the words far behind.
func (c *cursor) advance() {
	c.pos++
	if c.pos >= 2*keep {
		const behind = 64
		n := copy(c.words, c.words[c.pos-behind:])
		c.words = c.words[:n]
		c.pos, c.quiet = behind, span{}
	}
}

// phrase reports whether a phrase rule matches at the current word.
func phrase(c *cursor) bool {
	r := roles[c.at(0).id]
	for _, rule := range phraseRules {
		if r&rule.roles != 0 {
			if _, ok := rule.match(c); ok {
				return true
			}
		}
	}
	return false
}

// leaks looks for exfiltration inside a hidden region.
func (s *Scanner) leaks(region span) bool {
	judged := 0 // command lines before it
	s.concealed = true
	defer func() { s.concealed = false }()
	s.inner.reset(s.cur.text, 0, len(s.cur.text))
	for h := region.start; h < region.end; h++ {
		if !anchorAt(s.cur.text, h) {
			continue
		}
		what, at := thingAt(s.cur.text, h)
		if what == noThing || at.end > region.end {
			continue
		}
		if h >= judged {
			line := commandLine(s.cur.text, at)
			judged = line.end
			if _, ok := s.command(span{max(line.start, region.start), min(line.end, region.end)}); ok {
				return true
			}
		}
		if what == variable && !upper(variableName(s.cur.text, at)) {
			continue
		}
		if _, ok := sentence(&s.inner, what, at); ok {
			return true
		}
		h = max(h, at.end-1)
	}
	return false
}

// approval reports whether the verb at the current word approves, merges, executes,
// overrides or ignores a rule, policy, review or test; or whether the reader must
// approve or merge this change.
func approval(c *cursor) bool {
	v := c.at(0)
	if v.gap&(gHyphen|gJoined) != 0 || c.at(1).gap&(gHyphen|gJoined) != 0 || directive(c) {
		return false
	}
	if v.gap&stop == 0 && c.at(-1).is(rNegate) {
		return false
	}
	must := obliged(c)
	start := must || imperative(c, 0) && !c.at(-1).is(rAgentAttr) && !aside(c)
	if !start {
		return false
	}
	if must && (v.id == approve || v.id == wMerge) {
		// you must approve; you must merge this
		if n := c.at(1); n.gap&(stop|gBlank) != 0 || (n.id == wThis || n.id == wIt) && c.at(2).gap&(stop|gBlank) != 0 {
			return true
		}
	}
	det := false
	for i := 1; i <= 6; i++ {
		t := c.at(i)
		if t.gap&(stop|gColon) != 0 {
			return false
		}
		switch {
		case t.id == wThat && i > 1:
			return false // the way that rules are printed
		case t.id == wThis || t.id == wThe || t.is(rDet|rAll|rYour|rEarlier):
			det = true
		case t.id == wWithout || t.can(mDespite|mFailing):
			det = true
		case t.is(rChangeNoun) || t.id == wPull || t.id == wRequest || t.id == mergeWord && i > 1:
			if v.id == approve && det && (must || v.gap&clause != 0) || v.id == wMerge && must && det {
				return true
			}
			if !t.is(rObject) && t.id != wPull && t.id != wRequest {
				det = true
			}
		case t.is(rObject):
			if c.at(i+1).gap&(gHyphen|gJoined) != 0 {
				return false
			}
			if det || (v.id == wIgnore || v.id == wOverride) && c.at(i+1).can(mFindings) && c.at(i+1).gap == 0 {
				return v.id != wExecute || !hint(c)
			}
			if t.id == wReview {
				det = v.id == wIgnore || v.id == wOverride
				continue
			}
			return (v.id == wOverride || v.id == wIgnore) && closed(c, i+1) && v.gap&clause == 0 && c.at(-1).is(rAndOr|rModal)
		case t.is(rAndOr|rSubject) && t.id != wAnd:
			return false
		case t.is(rPreposition):
			return false
		}
	}
	return false
}

const (
	approve   = wApprove
	mergeWord = wMerge
)

// aside reports whether the verb at the current word is no order but says when or to
// what end something is done: before you merge, to override the rules.
func aside(c *cursor) bool {
	if c.at(0).gap&clause != 0 {
		return false
	}
	b, two := c.at(-1), c.at(-2)
	return b.id == wYou && b.gap&clause == 0 && (two.is(rPreposition|rInstrument) || two.id == when || two.id == wIf) ||
		b.id == wTo && b.gap&clause != 0
}

// directive reports whether the word is part of a formatter directive: the region
// begins with it or with one name before it, as in "lint ignore rule-name".
func directive(c *cursor) bool {
	v := c.at(0)
	if v.id != wIgnore {
		return false
	}
	if v.start > c.lo && (c.text[v.start-1] == ':' || c.text[v.start-1] == '/' || c.text[v.start-1] == '@') {
		return true
	}
	return c.at(-1).gap&gEdge != 0 && c.at(-1).id == lint && c.at(-1).end != c.at(-1).start
}

const lint = wLint

// obliged reports whether the verb at the current word stands behind "you must".
func obliged(c *cursor) bool {
	for i := -1; i >= -5; i-- {
		t := c.at(i)
		if c.at(i+1).gap&stop != 0 {
			return false
		}
		if t.is(rModal) || t.id == need || t.id == have || t.id == required {
			y := c.at(i - 1)
			return y.id == wYou || y.is(rAgent) && t.id != wWill || c.at(i-2).id == wYou
		}
		if !t.is(rAdverb | rAndOr | rApprove | rFill) {
			return false
		}
	}
	return false
}

const required = wRequired

// hint reports whether the verb at the current word is asked of a person who fills in
// a template.
func hint(c *cursor) bool {
	b := c.at(-1)
	return c.at(0).gap&stop == 0 && (b.id == wPlease || b.id == wTo || b.id == wYou)
}
