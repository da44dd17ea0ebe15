package injection

import "bytes"

// concealRule matches "do not tell the user" and its like at the verb.
func concealRule(c *cursor) (span, bool) {
	verb := c.at(0)
	if verb.is(rTold) {
		return toldRule(c)
	}
	start, ok := withheld(c)
	if !ok {
		return span{}, false
	}
	direct := true     // nothing but articles stands between the verb and the user
	unknown := true    // nothing but words without meaning
	subclause := false // the user may be the subject of another verb
	for i := 1; i <= 8; i++ {
		t := c.at(i)
		if t.gap&stop != 0 {
			return span{}, false
		}
		if t.is(rUser) && !owns(c, t) {
			if subclause || direct && (named1(c, i, verb) || spokenOf(c, i, verb)) {
				return span{}, false
			}
			d := c.at(i - 1)
			if t.id != wUser && t.id != wUsers && !d.is(rDet|rAll) {
				return span{}, false
			}
			return span{start, t.end}, true
		}
		unknown = unknown && (t.id == wNone || t.id == wTo)
		switch {
		case t.is(rDet|rAll|rFill) && t.id != wThis && t.id != wThat, t.id == end:
		case t.id == wTo || t.id == wWith:
			direct = true
			if n := c.at(i + 1); !n.is(rUser) && !c.at(i+2).is(rUser) && !c.at(i+3).is(rUser) {
				return span{}, false
			}
			d := i + 1
			for !c.at(d).is(rUser) {
				if u := c.at(d); !u.is(rDet|rFill|rAll) && u.id != end {
					return span{}, false
				}
				d++
			}
			if unknown && i > 1 && (verb.id == wShow || verb.id == showing) && many(c, c.at(d)) && !c.at(d-1).is(rDet|rFill|rAll) {
				return span{}, false // what a page shows to users: stack traces
			}
			return span{start, c.at(d).end}, c.at(d).gap&stop == 0
		default:
			direct = false
			subclause = subclause || t.can(mAsks) && t.gap&gSoft == 0
			if t.is(rPreposition) && t.id != wAbout || t.is(rSubject) && t.id != wIt && t.id != wThis && t.id != wThat && t.id != those && t.id != these {
				return span{}, false
			}
			if n := c.at(i + 1); n.is(rUser) {
				return span{}, false // another noun's user
			}
		}
	}
	return span{}, false
}

const (
	end   = wEnd
	those = wThose
	these = wThese
)

// named1 reports whether the user at i is only the first word of another noun (the
// user menu, the user a blank page): what the verb shows is not withheld.
func named1(c *cursor, i int, verb token) bool {
	n := c.at(i + 1)
	if n.gap&(clause|gLine|gColon) != 0 {
		return false
	}
	if n.gap&(gJoined|gHyphen) != 0 {
		return true
	}
	if verb.is(rTell|rTelling) && (verb.id == wShow || verb.id == showing) && (n.id == wA || n.id == wAn) {
		return true
	}
	return !n.is(rFunction|rEverything|rAdverb|rPerson|rFill|rEarlier) && n.id != wA && n.id != wAn
}

// spokenOf reports whether the user at i, right behind the verb, is what is not to be
// mentioned, and nobody who is not told: nobody mentions users something. Nor is it kept
// from anybody what to do: tell users to run it.
func spokenOf(c *cursor, i int, verb token) bool {
	n := c.at(i + 1)
	if (verb.id == tell || verb.id == telling) && n.id == wTo && n.gap&clause == 0 {
		return true
	}
	return verb.can(mMention) && (n.id == wBy || many(c, c.at(i)) && (closed(c, i+1) || n.is(rPreposition) && n.id != wAbout))
}

// owns reports whether an apostrophe behind the word for the users makes it the owner of
// what follows: the users' data. One that closes a quotation does not.
func owns(c *cursor, t token) bool {
	mark := c.at(0).end // of the verb: a quotation may begin behind it
	for _, quote := range []string{"'", "’"} {
		if rest, ok := bytes.CutPrefix(c.text[t.end:c.hi], []byte(quote)); ok && len(rest) > 1 && rest[0] == ' ' && isLetter(rest[1]) {
			return many(c, t) && !bytes.ContainsAny(c.text[mark:t.start], "'‘")
		}
	}
	return false
}

// many reports whether the word for the user is a plural.
func many(c *cursor, t token) bool { return c.text[t.end-1]|0x20 == 's' }

const (
	showing = wShowing
	tell    = wTell
	telling = wTelling
)

// withheld reports whether the verb at the current word is denied by an order, and
// where that begins.
func withheld(c *cursor) (int, bool) {
	verb := c.at(0)
	i := -1
	for c.at(i+1).gap&stop == 0 && i > -7 && (c.at(i).is(rAdverb|rTell|rTelling|rHide) && !c.at(i).is(rNegate) && c.at(i).id != wDo && c.at(i).id != wTo || c.at(i).is(rAndOr) || c.at(i).id == ever || c.at(i).can(mCircumstance)) {
		i--
	}
	n := c.at(i)
	if c.at(i+1).gap&stop != 0 {
		return 0, false
	}
	if verb.is(rTelling) {
		return n.start, (n.id == wWithout && ordered(c, i) || n.id == avoid && imperative(c, i))
	}
	if n.id == wTo && c.at(i-1).is(rNegate) {
		i--
		n = c.at(i)
	}
	if !n.is(rNegate) {
		return 0, false
	}
	at := i
	if n.id == wNot {
		if b := c.at(i - 1); b.id == wDo || b.is(rModal) || b.id == can {
			at = i - 1
		}
	}
	return c.at(at).start, !stated(c, at)
}

const (
	ever  = wEver
	avoid = wAvoid
)

// stated reports whether the denial at i is a statement about somebody: "we do not
// tell", "logs never mention".
func stated(c *cursor, i int) bool {
	if opens(c, i) || called(c.text, c.lo, c.at(i).start) {
		return false
	}
	b := c.at(i - 1)
	if b.is(rImperative) && b.id != wYou {
		return false
	}
	if b.id == wYou {
		two := c.at(i - 2)
		return c.at(i-1).gap&(clause|gLine) == 0 && (two.id == wIf || two.id == when)
	}
	return b.is(rSubject) || b.id == wNone && c.text[b.end-1]|0x20 == 's'
}

const when = wWhen

// ordered reports whether "without" at i belongs to an imperative, not to a statement
// such as "the program exits without telling the user". A line break may begin a
// clause or not: where the two readings differ, only a subject at the line's
// beginning makes it a statement.
func ordered(c *cursor, i int) bool {
	k := i
	for i-k < 12 && c.at(k).gap&clause == 0 && c.at(k-1).id != wAnd && c.at(k-1).id != wThen {
		if c.at(k).gap&gLine != 0 && k < i && mood(c, k, i) == subject && !objectOf(c, k, i) {
			return false
		}
		k--
		if t := c.at(k); t.is(rSubject) && t.id != wIt && t.id != wThis && t.id != wThat && t.id != these && t.id != those {
			return false
		}
	}
	return mood(c, k, i) == order
}

// objectOf reports whether the words from k to i, at the beginning of a line, are the
// object of an order that the line before is: delete, and the branch.
func objectOf(c *cursor, k, i int) bool {
	v, last := c.at(k-1), c.at(i-1)
	w := c.text[last.start:last.end]
	return (v.is(rVerb|rSend|rInclude|rChange) || v.id == wDo) && opens(c, k-1) &&
		!plural(w) && !foldEqual(w[max(0, len(w)-2):], "ed")
}

// The moods of a clause, by its first word.
const (
	order     = iota // may be an imperative
	subject          // an article, a pronoun: a statement
	statement        // a verb of the third person, a participle
)

// mood reads the first word of the clause from k to i.
func mood(c *cursor, k, i int) int {
	for k < i && c.at(k).is(rAdverb) && c.at(k).id != wDo {
		k++
	}
	first := c.at(k)
	if k == i || first.is(rVerb|rSend|rInclude|rChange) {
		return order
	}
	if first.is(rDet|rSubject|rAll) || first.id == wA || first.id == wAn || first.id == wIf || first.id == when {
		return subject
	}
	w := c.text[first.start:first.end]
	n := len(w)
	if first.id != wNone || n < 4 {
		return order
	}
	if tail := w[n-2:]; plural(w) || foldEqual(tail, "ed") || foldEqual(w[n-3:], "ing") {
		return statement
	}
	if second := c.at(k + 1); k+1 < i && second.id == wNone && plural(c.text[second.start:second.end]) {
		return subject // the installer exits
	}
	return order
}

// plural reports whether a word ends in one s.
func plural(w []byte) bool {
	n := len(w)
	return n > 3 && w[n-1]|0x20 == 's' && w[n-2]|0x20 != 's'
}

// toldRule matches "the user must not be told".
func toldRule(c *cursor) (span, bool) {
	told := c.at(0)
	negated := false
	for i := -1; i >= -5; i-- {
		t := c.at(i)
		if c.at(i+1).gap&stop != 0 {
			return span{}, false
		}
		switch {
		case t.is(rUser):
			return span{t.start, told.end}, negated && t.id != wNone
		case t.is(rNegate):
			negated = true
		case t.is(rModal) || t.id == wBe || t.is(rAdverb) && t.id != wTo:
		default:
			return span{}, false
		}
	}
	return span{}, false
}

// hideRule matches "hide this from the user" and "keep it secret from the user" at the
// word hide or secret.
func hideRule(c *cursor) (span, bool) {
	verb := c.at(0)
	start := verb.start
	own := false // what is hidden are the reader's acts
	switch {
	case verb.id == wSecret || verb.id == hiddenWord:
		k := -1
		for ; k >= -6; k-- {
			if c.at(k+1).gap&stop != 0 {
				return span{}, false
			}
			if c.at(k).id == wKeep {
				break
			}
		}
		if k < -6 || c.at(k).gap&stop == 0 && c.at(k-1).is(rNegate) {
			return span{}, false
		}
		start, own = c.at(k).start, true
	case verb.gap&stop == 0 && c.at(-1).is(rNegate), !imperative(c, 0):
		return span{}, false
	}
	for i := 1; i <= 8; i++ {
		t := c.at(i)
		if t.gap&stop != 0 {
			return span{}, false
		}
		if t.id == wFrom {
			for j := i + 1; j <= i+4; j++ {
				u := c.at(j)
				if u.gap&stop != 0 {
					return span{}, false
				}
				if u.is(rUser) {
					own = own || i == 1 && c.at(j+1).can(mDeed) && c.at(j+1).gap&stop == 0
					return span{start, u.end}, own && !named1(c, j, verb)
				}
				if !u.is(rDet|rFill|rAll) && u.id != end {
					return span{}, false
				}
			}
			return span{}, false
		}
		if n := c.at(i + 1); t.can(mDeed) && (n.id == wFrom || !(t.id == wThis || t.id == wThat || t.id == these || t.id == those || t.id == wFollowing)) {
			own = true
		}
	}
	return span{}, false
}

const hiddenWord = wHidden
