package injection

import "bytes"

// reach bounds the words between a verb and its object.
const reach = 14

// imperative reports whether the word at i may be an imperative: it begins a clause, or
// stands behind a word after which one can.
func imperative(c *cursor, i int) bool {
	return c.at(i).gap&(clause|gLine|gColon) != 0 || c.at(i-1).is(rImperative)
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
	return object(c, 0, false)
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
			return object(c, f, false)
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
		at, ok := object(c, f, true)
		if !ok || at.end < c.at(0).end {
			return span{}, false
		}
		at.start = c.at(start).start
		return at, true
	}
	return span{}, false
}

// hyphened reports whether a hyphen divides the word, so that it holds no anchor.
func hyphened(c *cursor, t token) bool { return bytes.IndexByte(c.text[t.start:t.end], '-') >= 0 }

// refusal reports whether the verb at f is refused by an imperative, and where that
// begins: do not, never, must not, stop, no longer.
func refusal(c *cursor, f int) (int, bool) {
	n := c.at(f - 1)
	if c.at(f).gap&stop != 0 {
		return 0, false
	}
	if c.at(f).is(rFollowing) {
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
	if c.at(at).gap&(clause|gLine) != 0 {
		return at, true
	}
	return at, before.is(rImperative) && before.id != wYou || before.is(rModal)
}

// object reads the object of the verb at v. follow is set for "do not follow".
func object(c *cursor, v int, follow bool) (span, bool) {
	verb := c.at(v)
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
			end, behind := qualified(c, i)
			if !behind {
				end = t.end
			}
			if t.is(rNoun1) {
				if verb.id == wOverride && c.at(i-1).id == wSystem && !earlier && !behind {
					return span{}, false // promptRule judges that
				}
				given = given || all && t.id != wPrompt && t.id != prompts
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
		case t.is(rEarlier):
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

var prompts = vocabulary["prompts"]

// closed reports whether a clause ends before the word at i.
func closed(c *cursor, i int) bool {
	t := c.at(i)
	return t.gap&(clause|gColon|gLine) != 0 || t.is(rAndOr) || t.id == wThen || t.id == wYou
}

// qualified reports whether the noun at i is followed by words that make it an earlier
// or given one, and where they end.
func qualified(c *cursor, i int) (int, bool) {
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
			if person {
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
			} else if closed(c, j+1) || n.id == wThis || n.id == wThat {
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
	were = vocabulary["were"]
	far  = vocabulary["far"]

	typeWord = vocabulary["type"]
	mypy     = vocabulary["mypy"]
	pyright  = vocabulary["pyright"]

	know = vocabulary["know"]
	knew = vocabulary["knew"]

	orders   = vocabulary["orders"]
	commands = vocabulary["commands"]
)
