package injection

import "bytes"

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
		case t.is(rPhrase) && phrase(c, t.id):
			return true
		case t.is(rAgent) && addressed(c):
			return true
		case t.is(rApprove) && approval(c):
			return true
		}
		things = things || (t.is(rThing) || t.can(mDotted))
	}
	return things && s.leaks(region)
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

// phrase runs the phrase rules on the current word.
func phrase(c *cursor, id wid) bool {
	r := roles[id]
	try := func(role uint64, rule func(*cursor) (span, bool)) bool {
		if r&role == 0 {
			return false
		}
		_, ok := rule(c)
		return ok
	}
	if try(rIgnore, overrideRule) || try(rNoun1|rNoun2, followRule) || try(rLimit, roleRule) ||
		try(rTell|rTelling|rTold, concealRule) || try(rHide, hideRule) || try(rDecode, translateRule) {
		return true
	}
	if id == wPrompt || id == wSystemPrompt {
		_, ok := promptRule(c)
		return ok
	}
	return false
}

// leaks looks for exfiltration inside a hidden region.
func (s *Scanner) leaks(region span) bool {
	judged := 0 // command lines before it
	s.inner.reset(s.cur.text, 0, len(s.cur.text))
	for h := region.start; h < region.end; h++ {
		if anchorAt(s.cur.text, h) == 0 {
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
		if what == variable && !upper(s.cur.text[at.start:at.end]) {
			continue
		}
		if _, ok := sentence(&s.inner, what, at); ok {
			return true
		}
		h = max(h, at.end-1)
	}
	return false
}

// addressed reports whether the agent at the current word is told to do something.
func addressed(c *cursor) bool {
	t := c.at(0)
	before := c.at(-1)
	qualified := t.id != wSystem && (t.id == wAI || t.id == ais || before.is(rAgentAttr) && t.gap&(clause|gColon) == 0 || t.can(mAgentName))
	if before.can(mNoAgent) && t.gap&(clause|gColon) == 0 {
		return false // the user agent
	}
	if t.id == wSystem {
		if t.gap&clause == 0 && !(before.is(rFill|rDet|rAndOr) || before.can(mGreeting)) {
			return false // the file system, the build system
		}
		if t.gap&clause == 0 && before.is(rDet) && c.at(-2).gap&clause == 0 && !c.at(-2).can(mGreeting) {
			return false
		}
	}
	// The words that say which agent: "AI agents reading this:".
	i := 1
	for ; i <= 9; i++ {
		n := c.at(i)
		if n.gap&(gBarrier|gEdge) != 0 {
			return false
		}
		if n.gap&(gHard|gColon|gComma|gSoft|gLine|gItem) != 0 {
			break
		}
		if n.is(rModal) || n.id == wPlease || n.id == wNever || n.id == always || n.id == wYou ||
			n.id == need || n.id == have || n.is(rNegate) || n.id == wDo {
			break
		}
		if n.can(mPassive) {
			return false
		}
		if i == 1 && n.is(rVerb) && orderTo(c, i, t.id, qualified) {
			return true
		}
		if i == 1 && !n.can(mRelative) && !n.is(rAgent) {
			return false // the AI policy, the agent version
		}
		if i > 1 && !qualified && !before.can(mGreeting) && !c.at(-2).can(mGreeting) {
			return false
		}
	}
	if i > 9 {
		return false
	}
	// Directives (markdownlint-disable, model: x) have no space behind the colon.
	for k := i; k <= i+6; k++ {
		n := c.at(k)
		if n.gap&(gBarrier|gEdge) != 0 {
			return false
		}
		if b := c.text[c.at(k-1).end:n.start]; bytes.IndexByte(b, '"') >= 0 || bytes.IndexByte(b, '=') >= 0 {
			return false // a member of JSON, a setting
		}
		if n.is(rVerb) && orderTo(c, k, t.id, qualified) {
			return true
		}
		if n.gap&gHard != 0 && k > i {
			return false
		}
		if !(n.is(rAdverb|rNegate|rFill) || n.can(mGreeting)) && n.id != wThis && n.id != wThat && n.id != wTo && n.id != wIf && n.id != wReview {
			return false
		}
	}
	return false
}

var (
	ais    = vocabulary["ais"]
	always = vocabulary["always"]
	need   = vocabulary["need"]
	have   = vocabulary["have"]
)

// orderTo reports whether the verb at k is an order that one gives to an agent: any verb
// for an AI, only a strong one for a word that also names programs and devices.
func orderTo(c *cursor, k int, agent wid, qualified bool) bool {
	v := c.at(k)
	if c.at(k+1).gap&(gColon|gJoined) != 0 && c.at(k+1).gap&gLine == 0 && !v.is(rStrongVerb) {
		return false // a label: "model: report: 3"
	}
	if v.is(rStrongVerb) {
		return true
	}
	if c.at(k+1).gap&(gEdge|gBlank|gLine|gItem) != 0 {
		return false // a value, not an order: "agent: deploy"
	}
	if qualified {
		return true
	}
	return agent != wSystem && !isModel(agent)
}

func isModel(id wid) bool { return id == model || id == models }

var (
	model  = vocabulary["model"]
	models = vocabulary["models"]
)

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
	start := must || imperative(c, 0) && !c.at(-1).is(rAgentAttr)
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
		if t.gap&stop != 0 {
			return false
		}
		switch {
		case t.id == wThis || t.id == wThe || t.is(rDet|rAll|rYour|rEarlier):
			det = true
		case t.id == wWithout:
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
			if det {
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

var (
	approve   = vocabulary["approve"]
	mergeWord = vocabulary["merge"]
)

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

var lint = vocabulary["lint"]

// obliged reports whether the verb at the current word stands behind "you must".
func obliged(c *cursor) bool {
	for i := -1; i >= -5; i-- {
		t := c.at(i)
		if c.at(i+1).gap&stop != 0 {
			return false
		}
		if t.is(rModal) || t.id == need || t.id == have || t.id == required {
			y := c.at(i - 1)
			return y.id == wYou || y.is(rAgent) || c.at(i-2).id == wYou
		}
		if !t.is(rAdverb | rAndOr | rApprove | rFill) {
			return false
		}
	}
	return false
}

var required = vocabulary["required"]

// hint reports whether the verb at the current word is asked of a person who fills in
// a template.
func hint(c *cursor) bool {
	b := c.at(-1)
	return c.at(0).gap&stop == 0 && (b.id == wPlease || b.id == wTo || b.id == wYou)
}
