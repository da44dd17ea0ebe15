package injection

import "bytes"

// reach bounds the words between a verb and its object.
const reach = 14

// imperative reports whether the word at i may be an imperative: it begins a clause or
// the message of a log line, or stands behind a word after which one can, or behind a
// name that is called.
func imperative(c *cursor, i int) bool {
	t := c.at(i)
	return t.gap&(clause|gLine|gColon) != 0 || c.at(i-1).is(rImperative) ||
		logged(c.text, c.lo, t.start) || called(c.text, c.lo, t.start)
}

// bare is imperative, seen through the adverbs before the verb: "later rules always
// override earlier rules" is a statement.
func bare(c *cursor, i int) bool {
	for k := 0; k < 4 && c.at(i).gap&(clause|gLine|gColon) == 0 && c.at(i-1).is(rAdverb) && c.at(i-1).id != wYou && c.at(i-1).id != wTo; k++ {
		i--
	}
	return imperative(c, i)
}

// purpose reports whether the verb at i says what something does: "causes the cache to
// ignore", not "you have to ignore".
func purpose(c *cursor, i int) bool {
	if c.at(i-1).id != wTo || c.at(i).gap&clause != 0 {
		return false
	}
	b := c.at(i - 2).id
	return b != wYou && b != wHave && b != wNeed
}

// possible reports whether the verb at i says what can be done, or how, and asks nobody
// to do it: how to, a flag to, used to, allows users to.
func possible(c *cursor, i int) bool {
	if c.at(i-1).id != wTo {
		return false
	}
	for k := i - 1; k > i-4 && c.at(k).gap&clause == 0; k-- {
		who := c.at(k - 1)
		if k == i-1 && who.can(mPossible) || k < i-1 && who.can(mLets) && !c.at(k).can(mUrges) {
			for j := k - 2; j > k-5 && c.at(j+1).gap&clause == 0; j-- {
				if t := c.at(j); t.id == wYou || t.is(rAgent) {
					return false // you are able to
				}
			}
			return true
		}
		if who.id == wYou || who.id == wTo || who.is(rImperative) {
			return false
		}
	}
	return false
}

// overrideRule matches an imperative of ignoring at the current word, with earlier or
// given instructions, or everything said before, as its object.
func overrideRule(c *cursor) (span, bool) {
	verb := c.at(0)
	before := c.at(-1)
	if verb.is(rIgnoring) {
		return span{}, false
	}
	if verb.gap&stop == 0 && (before.is(rNegate) || before.id == wTo && c.at(-2).is(rNegate)) {
		return span{}, false
	}
	if verb.id == wForget && c.at(1).id == wTo {
		return span{}, false
	}
	if (verb.id == wOverride || verb.id == wBypass) && verb.gap&gJoined != 0 {
		return span{}, false // a part of a name: PROMPT_OVERRIDE
	}
	if verb.gap&gColon != 0 && (before.id == typeWord || before.id == mypy || before.id == pyright) {
		return span{}, false // a directive of a type checker
	}
	how := senseOf(c)
	if how == asStatement {
		return span{}, false
	}
	return object(c, 0, how)
}

// sense is how a verb of ignoring is meant.
type sense uint8

const (
	asOrder     sense = iota
	asRefusal         // do not follow
	asMaybe           // an order only if the object is earlier, or the reader's own
	asStatement       // about somebody: we ignore, if you ignore, the cache will ignore
)

// senseOf reads what stands before the verb at the current word.
func senseOf(c *cursor) sense {
	if c.at(0).gap&clause != 0 {
		return asOrder
	}
	before, who := c.at(-1), c.at(-2)
	free := before.gap&clause != 0 // nothing before it belongs to it
	switch {
	case before.can(mThird):
		return asStatement
	case before.id == wYou:
		if !free && (who.id == wIf || who.id == when || who.is(rInstrument) || who.can(mLets)) {
			return asStatement
		}
	case before.id == wTo:
		if possible(c, 0) {
			return asStatement
		}
		if purpose(c, 0) && !who.can(mUrges) {
			return asMaybe
		}
	case before.id == wThat:
		if !free && (who.is(rNoun1|rNoun2) || who.id == wNone && plural(c.text[who.start:who.end])) {
			return asMaybe // instructions that override the default ones
		}
	case before.id == wIt:
		if !free && who.can(mLets) {
			return asMaybe // makes it ignore
		}
	case free || !before.is(rModal) && !before.can(mMayBe) || who.is(rAgent):
	case who.id == wYou:
		if before.can(mMayBe) && before.id != wWill && (c.at(0).id == wOverride || c.at(0).id == wBypass) {
			return asMaybe // you can override the default prompt
		}
	case who.id == self || who.id == we || before.is(rModal) && before.id != wWill:
		return asMaybe
	default:
		return asStatement
	}
	return asOrder
}

// followRule matches "do not follow …" with its object at the current word.
func followRule(c *cursor) (span, bool) {
	unknown := 0 // words that only an object of some length has
	for f := -1; f >= -reach; f-- {
		if c.at(f+1).gap&stop != 0 {
			return span{}, false
		}
		verb := c.at(f)
		if verb.is(rIgnore) && hyphened(c, verb) {
			return object(c, f, asOrder)
		}
		if !verb.is(rFollow | rFollowing) {
			if !verb.is(rWeak) {
				if unknown++; unknown > 3 {
					return span{}, false
				}
			}
			continue
		}
		start, ok := refusal(c, f)
		if !ok {
			return span{}, false
		}
		at, ok := object(c, f, asRefusal)
		if !ok || at.end < c.at(0).end {
			return span{}, false
		}
		at.start = c.at(start).start
		return at, true
	}
	return span{}, false
}

// everythingRule matches "do not follow everything said before" at the word everything.
func everythingRule(c *cursor) (span, bool) {
	f := -1
	if t := c.at(f); t.id == wTo || t.id == wWith {
		f-- // adhere to, comply with
	}
	if !c.at(f).is(rFollow | rFollowing) {
		return span{}, false
	}
	start, ok := refusal(c, f)
	if !ok {
		return span{}, false
	}
	end, ok := saidBefore(c, 0)
	return span{c.at(start).start, end}, ok
}

// hyphened reports whether a hyphen divides the word, so that it holds no anchor.
func hyphened(c *cursor, t token) bool { return bytes.IndexByte(c.text[t.start:t.end], '-') >= 0 }

// refusal reports whether the verb at f is refused by an imperative, and where that
// begins: do not, never, must not, stop, no longer.
func refusal(c *cursor, f int) (int, bool) {
	if c.at(f).gap&stop != 0 {
		return 0, false
	}
	following := c.at(f).is(rFollowing)
	if c.at(f-1).id == ever && c.at(f-1).gap&stop == 0 {
		f-- // do not ever follow
	}
	n := c.at(f - 1)
	if following {
		return f - 1, n.id == wStop && imperative(c, f-1)
	}
	if n.id == wLonger {
		return f - 2, true
	}
	if !n.is(rNegate) {
		return 0, false
	}
	at := f - 1
	if n.id == wNot {
		at--
		if b := c.at(at); b.id != wDo {
			return at, b.is(rModal) || b.id == wTo && c.at(at-1).is(rPerson)
		}
	}
	before := c.at(at - 1)
	return at, before.is(rImperative) && before.id != wYou || before.is(rModal) || opens(c, at) || called(c.text, c.lo, c.at(at).start)
}

// object reads the object of the verb at v.
func object(c *cursor, v int, how sense) (span, bool) {
	verb, follow := c.at(v), how == asRefusal
	var earlier, given, yours, all, strict bool
	unknown := 0
	for i := v + 1; i <= v+reach; i++ {
		t := c.at(i)
		if t.gap&stop != 0 {
			return span{}, false
		}
		if t.is(rEverything) && unknown == 0 && !follow {
			if end, ok := saidBefore(c, i); ok {
				return span{verb.start, end}, true
			}
		}
		switch {
		case t.is(rNoun1 | rNoun2):
			end, behind := qualified(c, v, i)
			if !behind {
				end = t.end
			}
			if t.is(rNoun1) {
				if verb.id == wOverride && c.at(i-1).id == wSystem && !earlier && !behind && !(yours && t.id != wPrompt) {
					return span{}, false // promptRule judges that
				}
				given = (given || all && t.id != wPrompt && t.id != prompts) && how != asMaybe && !compound(c, verb, i)
				if earlier || yours || behind || given && !(t.id == wPrompt && c.at(i+1).id == wInjection) {
					if follow && c.at(i+1).id == wWill {
						return span{}, false
					}
					return span{verb.start, end}, true
				}
			} else if earlier || behind || t.id != orders && t.id != commands && (yours || all && unknown == 0 && closed(c, i+1) && !purpose(c, v)) {
				if follow || bare(c, v) {
					return span{verb.start, end}, true
				}
				return span{}, false
			}
			unknown++
		case t.is(rEarlier) || t.id == wGiven || t.id == past && c.at(i+1).id != commands: // a shell forgets past commands
			earlier, strict = true, false
		case t.is(rGiven):
			given, strict = true, false
		case t.is(rYour):
			yours, strict = true, false
		case t.is(rAll):
			all, strict = true, false
		case t.is(rAndOr):
			strict = true
		case t.id == wFollowing && strict:
			strict = false
		case t.id == wAbout && i == v+1 || t.id == wTo && follow && i == v+1 || t.id == wWith && follow && i == v+1:
		case t.is(rFill):
			if t.id == wOf && unknown > 0 {
				return span{}, false
			}
		default:
			unknown++
			if strict || unknown > 2 || t.is(rPreposition|rSubject) {
				return span{}, false
			}
		}
	}
	return span{}, false
}

// compound reports whether the noun at i is only the first part of another noun, which a
// program lets one override: the default guidelines link.
func compound(c *cursor, verb token, i int) bool {
	n := c.at(i + 1)
	return (verb.id == wOverride || verb.id == wBypass) && n.gap == 0 &&
		!n.is(rFunction|rPreposition|rAndOr|rSubject|rAdverb|rImperative|rFill|rEarlier)
}

const (
	past    = wPast
	prompts = wPrompts
	self    = wI
	we      = wWe
)

// closed reports whether a clause ends before the word at i.
func closed(c *cursor, i int) bool {
	t := c.at(i)
	return t.gap&(clause|gColon|gLine) != 0 || t.is(rAndOr) || t.id == wThen || t.id == wYou
}

// qualified reports whether the noun at i, object of the verb at v, is followed by words
// that make it an earlier or given one, and where they end.
func qualified(c *cursor, v, i int) (int, bool) {
	person, given := false, false
	for j := i + 1; j <= i+7; j++ {
		t := c.at(j)
		if t.gap&stop != 0 {
			break
		}
		switch {
		case t.id == wBefore:
			n := c.at(j + 1)
			return t.end, closed(c, j+1) || n.id == wThis || n.id == wThat || n.id == wIt
		case t.is(rEarlier):
			return t.end, true
		case t.is(rSaid):
			if n := c.at(j + 1); person || j == i+1 && t.id == wGiven && closed(c, j+1) && (n.gap&clause != 0 || !n.is(rInto) && n.id != wBy && n.id != wWith) {
				return t.end, true
			}
			given = true
		case t.id == wYou:
			if given {
				return t.end, true
			}
			person = true
		case t.is(rPerson):
			person = true
		case t.id == wSystemprompt:
			return t.end, bare(c, v)
		case t.id == wSystem && c.at(j+1).id == wPrompt:
			return c.at(j + 1).end, bare(c, v)
		case t.is(rThat) || t.id == wTo || t.id == wHave || t.is(rGiven) || t.id == wFrom:
			if person && t.id == wHave && closed(c, j+1) {
				return t.end, true
			}
		default:
			return 0, false
		}
	}
	return 0, false
}

// saidBefore reports whether "everything" at i goes on as "… above", "… said before",
// "… you were told", and where.
func saidBefore(c *cursor, i int) (int, bool) {
	what := c.at(i).id == wWhat
	person, passive, said := false, false, false
	for j := i + 1; j <= i+9; j++ {
		t := c.at(j)
		if t.gap&stop != 0 {
			return 0, false
		}
		switch {
		case t.is(rEarlier) || t.id == wBefore:
			if n := c.at(j + 1); n.is(rSaid) {
				return n.end, true
			} else if closed(c, j+1) || n.id == wThis || n.id == wThat || n.id == wTo && (c.at(j+2).id == wThis || c.at(j+2).id == wThat) {
				return t.end, true
			}
			return 0, false
		case t.is(rSaid) && t.id != wBeen:
			if (t.id == know || t.id == knew) && c.at(j-1).id != wYou {
				return 0, false // what we know about a file
			}
			if passive || person && !what {
				return t.end, true
			}
			person, said = true, true
		case t.is(rPerson):
			person = true
		case t.id == far && said:
			return t.end, true
		case t.is(rThat | rFill):
			if t.id == wWas || t.id == wBeen || t.id == wAre || t.id == were {
				passive = true
			}
		default:
			return 0, false
		}
	}
	return 0, false
}

var (
	were = wWere
	far  = wFar

	typeWord = wType
	mypy     = wMypy
	pyright  = wPyright

	know = wKnow
	knew = wKnew

	orders   = wOrders
	commands = wCommands
)
