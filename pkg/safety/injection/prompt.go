package injection

import "bytes"

// promptRule matches replacing the system prompt, or a new one being given, at the word
// "prompt".
func promptRule(c *cursor) (span, bool) {
	first := 0 // index of the first word of "system prompt"
	name := c.at(0)
	if name.id == wPrompt {
		if c.at(-1).id != wSystem || name.gap&stop != 0 {
			return span{}, false
		}
		first = -1
	} else if name.id != wSystemprompt {
		return span{}, false
	}
	start := c.at(first).start
	joined := name.gap&gJoined != 0 || c.at(first).gap&gJoined != 0
	next := c.at(1)

	// SYSTEM PROMPT OVERRIDE:
	if next.gap&(stop|gJoined) == 0 && next.is(rChange) || next.id == replacement {
		after := c.at(2).gap
		strong := next.id == wOverride || next.id == replacement
		behind := bytes.TrimLeft(c.text[next.end:min(c.hi, next.end+4)], "*_~")
		if next.gap&gHyphen != 0 && !bytes.HasPrefix(behind, []byte(":")) {
			return span{}, false // a name in a program
		}
		if !joined && (after&(gColon|gEdge) != 0 || strong && after&(clause|gLine) != 0) {
			return span{start, next.end}, true
		}
	}
	// system prompt changed to: …
	if n := c.at(2); next.gap&(stop|gJoined) == 0 && next.is(rChanged) && (n.id == wTo || n.id == wWith || n.id == wBy) && c.at(3).gap&gColon != 0 {
		return span{start, n.end}, true
	}
	// your system prompt is now, has been replaced with
	yours := c.at(first-1).id == wYour
	for i, is := 1, false; i <= 5; i++ {
		t := c.at(i)
		if t.gap&stop != 0 {
			break
		}
		if t.id == wIs || t.id == wHas || t.id == wBeen || t.id == wWas || t.id == wWill || t.id == wBe || t.id == hereby ||
			yours && (t.is(rModal) || t.id == needs || t.id == wTo && is) {
			if is = true; yours && t.id == wIs && c.at(i+1).gap&gColon != 0 {
				return span{start, t.end}, true
			}
			continue
		}
		if t.id == wNow && is {
			if yours || c.at(i+1).gap&gColon != 0 {
				return span{start, t.end}, true
			}
			continue
		}
		if t.is(rChanged) && is {
			n := c.at(i + 1)
			if yours || n.gap&gColon != 0 || (n.id == wWith || n.id == wBy || n.id == wTo || n.id == wAs) && (c.at(i-1).id != wWas || given(c, i+2)) {
				return span{start, t.end}, true
			}
		}
		break
	}
	// new system prompt: …
	if fresh := c.at(first - 1); fresh.id == wNew && !joined && c.at(first).gap&stop == 0 {
		b := c.at(first - 2)
		if next.gap&gColon != 0 || b.id == wYour || c.at(first-3).id == wHere || c.at(first-4).id == wHere || handed(c, first-2) ||
			b.id == wThis && c.at(first-3).can(mAdopt) && imperative(c, first-3) ||
			b.id == wFollowing && c.at(first-4).can(mAdopt) && imperative(c, first-4) || stands(c, 1) {
			return span{fresh.start, name.end}, true
		}
	}
	// here is your system prompt; use the following as your system prompt
	if yours && c.at(first-1).gap&stop == 0 {
		for i := first - 2; i >= first-6; i-- {
			t := c.at(i)
			if t.id == wHere || t.id == wFollowing || t.id == wUse {
				return span{t.start, name.end}, true
			}
			if t.gap&stop != 0 {
				break
			}
		}
	}
	// replace … the system prompt
	det := false
	for i := first - 1; i >= first-5; i-- {
		t := c.at(i)
		if c.at(i+1).gap&stop != 0 {
			return span{}, false
		}
		if t.can(mReplaces) && yours && replaces(c, i) {
			return span{t.start, name.end}, true
		}
		if t.is(rChange) {
			if c.at(i+1).gap&gJoined != 0 {
				return span{}, false
			}
			return span{t.start, name.end}, changes(c, i, det, yours)
		}
		if t.is(rPreposition) && t.id != wFrom {
			return span{}, false
		}
		det = det || t.is(rDet)
	}
	return span{}, false
}

// given reports whether the words at i are what the reader is given, here and now:
// what was done to a prompt by something else is history.
func given(c *cursor, i int) bool {
	for j := i; j <= i+4; j++ {
		t := c.at(j)
		if t.gap&gColon != 0 {
			return true
		}
		if t.gap&stop != 0 {
			return false
		}
		if t.is(rNoun1) || t.id == wThis || t.id == wFollowing || t.id == wNew || t.id == below || t.id == wYou || t.id == wYour {
			return true
		}
	}
	return false
}

// stands reports whether the words at i give a text: "is as follows", "follows", "is:".
func stands(c *cursor, i int) bool {
	for j := i; j <= i+4 && c.at(j).gap&stop == 0; j++ {
		switch t := c.at(j); {
		case j > i && t.gap&gColon != 0, t.id == wFollows, t.id == below:
			return true
		case !(t.id == wIs || t.id == readsWord || t.id == wAs || t.id == wThis || t.id == wThe || t.id == wFollowing || t.id == wNow || t.id == wGiven):
			return false
		}
	}
	return false
}

// handed reports whether the words up to i say that the reader is given something:
// giving you a, you have been given a.
func handed(c *cursor, i int) bool {
	given := false
	for k := i; k > i-7 && c.at(k+1).gap&stop == 0; k-- {
		switch t := c.at(k); {
		case t.id == wYou || t.id == youve:
			if g := c.at(k - 1).id; g == giving || g == give || g == gave {
				return true
			}
			return (given || t.id == youve) && c.at(k-1).id != wIf && c.at(k-1).id != when && !c.at(k-1).is(rInstrument)
		case t.can(mGot):
			given = true
		case !t.is(rFill|rThat) && t.id != wNow:
			return false
		}
	}
	return false
}

const (
	needs       = wNeeds
	readsWord   = wReads
	youve       = wYouVe
	giving      = wGiving
	give        = wGive
	gave        = wGave
	below       = wBelow
	hereby      = wHereby
	setWord     = wSet
	replacement = wReplacement
)

// changes reports whether the verb at i asks for another system prompt, and is no
// description of what a program can do.
func changes(c *cursor, i int, det, yours bool) bool {
	if c.at(i).gap&clause == 0 && c.at(i-1).is(rAndOr) && c.at(i-2).is(rChange) {
		i -= 2 // override or set
	}
	verb, before := c.at(i), c.at(i-1)
	if verb.gap&stop == 0 && before.is(rNegate) {
		return false
	}
	if verb.id == setWord && !yours {
		if n := c.at(1); n.id != wTo && n.id != wAs && n.gap&(gColon|gEdge) == 0 {
			return false // where it is set
		}
	}
	if before.id == wYou && verb.gap&clause == 0 && c.at(i-2).can(mLets) || possible(c, i) {
		return false // lets you change it
	}
	if yours {
		return true
	}
	if !det {
		n := c.at(1)
		return verb.id == wOverride && (n.id == wWith || n.id == wBy || n.gap&(gColon|gEdge) != 0) && imperative(c, i)
	}
	if verb.gap&clause != 0 {
		return true
	}
	if before.id == wTo {
		return c.at(i-2).id == wYou || c.at(i-2).id == wHave || c.at(i-2).id == wNeed
	}
	return imperative(c, i)
}

// replaces reports whether this text is the subject of the verb at i: this replaces
// your system prompt.
func replaces(c *cursor, i int) bool {
	for k := i - 1; k > i-4 && c.at(k+1).gap&stop == 0; k-- {
		switch t := c.at(k); {
		case t.id == wThis || t.id == wFollowing:
			return true
		case t.id != below && t.id != wMessage && t.id != text && t.id != hereby && !t.is(rNoun1):
			return false
		case t.id == text && c.at(k+1).id == below:
			return true
		}
	}
	return false
}

const text = wText
