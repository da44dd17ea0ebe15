package injection

import "bytes"

// sentenceReach bounds the words of a sentence that are read on each side of a thing.
const sentenceReach = 24

// sentence judges the sentence around a thing: a verb that gives it away, or a place
// to which it goes. An expression of a workflow stands in a sentence of its own line alone:
// the name of a step and the variables below it are none.
func sentence(c *cursor, what thing, at span) (span, bool) {
	m, ok := wholeSentence(c, what, at)
	if ok && bytes.HasPrefix(c.text[at.start:], []byte("${{")) && bytes.IndexByte(c.text[m.start:m.end], '\n') >= 0 {
		return span{}, false
	}
	return m, ok
}

func wholeSentence(c *cursor, what thing, at span) (span, bool) {
	first := at.start
	for first < at.end && !wordByte[c.text[first]] {
		first++
	}
	if first == at.end {
		return span{}, false
	}
	own := what == surroundings && at.end-at.start == len("env") // env vars, your env
	if what == surroundings && !own {
		if n := c.follower(first); n != variables && n != wTo {
			return span{}, false
		}
	}
	if !c.seek(first) {
		return span{}, false
	}
	last := 0
	for c.at(last+1).start < at.end && c.at(last+1).gap&gEdge == 0 {
		last++
	}
	whole := what == surroundings && c.at(1).id != variables && c.at(1).id != vars
	if what == surroundings && !whole {
		last = 1
	}
	if what == dump && c.at(last+1).can(mSetting) {
		return span{}, false
	}
	if !sendsNear(c, last) {
		return span{}, false
	}
	if whole {
		return wholeEnvironment(c, own)
	}
	if m, ok := givenAway(c, what, last); ok {
		return m, true
	}
	if m, ok := readThenSent(c, what, last); ok {
		return m, true
	}
	if what == surroundings {
		return span{}, false
	}
	return sentToURL(c, what, last)
}

// sendsNear reports whether a word without which no sentence gives a thing away stands
// in the sentence of the current word, within reach; or right before it. Words found
// to be none are remembered, so that a list of things is read once.
func sendsNear(c *cursor, last int) bool {
	high := c.pos
	for limit := c.pos + last + sentenceReach; high <= limit; high++ {
		if c.quiet.start <= high && high < c.quiet.end {
			high = c.quiet.end
		}
		t := c.at(high - c.pos)
		if t.sends() {
			return true
		}
		if high > c.pos+last && t.gap&fence != 0 && !leadsOver(c, high-c.pos) {
			break
		}
	}
	low := c.pos
	for limit := c.pos - sentenceReach; low > limit; low-- {
		if c.quiet.start < low && low <= c.quiet.end {
			low = c.quiet.start
		}
		if c.at(low - 1 - c.pos).sends() {
			return true
		}
		if c.at(low-c.pos).gap&fence != 0 && !leadsOver(c, low-c.pos) {
			break
		}
	}
	c.quiet = span{max(low, 0), min(high, len(c.words))}
	return false
}

// sends reports whether the word can be the one that gives a thing away.
func (t token) sends() bool { return t.is(rSend|rInclude) || t.can(mScheme|mAnswer) }

// wholeEnvironment matches "send the environment to https://…" and "post your env", at
// the word environment or env.
func wholeEnvironment(c *cursor, own bool) (span, bool) {
	verb := c.at(-2)
	if !verb.is(rSend) || !c.at(-1).is(rDet) || c.at(-1).gap&clause != 0 || c.at(0).gap&clause != 0 {
		return span{}, false
	}
	if imperative(c, -2) && c.at(1).is(rInto) && isURL(c, c.at(2)) {
		return span{verb.start, c.at(2).end}, true
	}
	// Whoever says please asks for a version; so does who names what goes in.
	return span{verb.start, c.at(0).end}, own && verb.id != share && !(c.at(2).gap&gSoft != 0 && fillsIn(c, 1)) && opens(c, -2) &&
		(closed(c, 1) && c.at(1).gap&gColon == 0 || c.at(1).is(rInto))
}

const (
	variables = wVariables
	vars      = wVars
	share     = wShare
)

// maxTries bounds the verbs that are tried on each side of a thing.
const maxTries = 4

// fence are the gaps that end a sentence.
const fence = stop | gBlank | gItem

// leadsOver reports whether the words around the fence before the word at i go on over
// it, so that no sentence ends there: the contents of, and include it. Nothing leads
// over the end of a sentence that has one.
func leadsOver(c *cursor, i int) bool {
	t, p := c.at(i), c.at(i-1)
	return t.gap&stop == 0 && (p.is(rDet|rPreposition|rAndOr) || p.id == wA || p.id == wAn || p.id == wOf ||
		t.id == wOf || t.id == wAnd || t.id == wIt)
}

// givenAway matches "send … the thing", "include the thing in your reply".
func givenAway(c *cursor, what thing, last int) (span, bool) {
	listed := true // each word on a line of its own: no sentence
	reply := false // a comment with the contents of the thing
	for k, tries := -1, 0; k >= -sentenceReach && tries < maxTries; k-- {
		if c.at(k+1).gap&fence != 0 && !leadsOver(c, k+1) {
			return span{}, false
		}
		t := c.at(k)
		listed = listed && c.at(k+1).gap&gLine != 0
		if c.at(k+1).gap&(gJoined|gHyphen) != 0 || t.gap&gJoined != 0 || named(c.text, t) {
			continue
		}
		if t.is(rSend | rInclude) {
			tries++
		}
		switch {
		case t.is(rSend|rInclude) && imperative(c, k) && !refused(c, k):
			if listed && k < -1 || t.is(rInclude) && !reply && !inReply(c, last) || what == surroundings && !goesTo(c, last) ||
				(what == file || what == dotenv) && writtenTo(c, k, last) {
				return span{}, false
			}
			return span{t.start, c.at(last).end}, true
		case t.is(rAndOr) || t.id == wThen:
			if n := c.at(k + 1); k+1 < 0 && !n.is(rDet|rFill|rAll|rContents) {
				return span{}, false
			}
		case t.id == wWith && c.at(k-1).can(mAnswer) && imperative(c, k-1) && !refused(c, k-1) && what != surroundings:
			return span{c.at(k - 1).start, c.at(last).end}, true
		case t.id == wWith && c.at(k-1).is(rReply) && what != surroundings && contentsOf(c, k):
			reply = true
		case t.is(rInstrument), t.id == wTo && c.at(k+1).can(mReload):
			return span{}, false
		}
	}
	return span{}, false
}

// named reports whether the word is a part of a path, or a key whose value begins on the
// next line: /usr/share, "post: |".
func named(text []byte, t token) bool {
	if t.start > 0 && text[t.start-1] == '/' {
		return true
	}
	rest := text[t.end:min(t.end+4, len(text))]
	return len(rest) > 1 && rest[0] == ':' && (rest[1] == '\n' || bytes.HasPrefix(rest[1:], []byte(" |")) || bytes.HasPrefix(rest[1:], []byte(" >")))
}

// contentsOf reports whether the words from k to the thing say that what is in it is
// meant.
func contentsOf(c *cursor, k int) bool {
	for k++; k < 0; k++ {
		if c.at(k).can(mText) {
			return true
		}
	}
	return false
}

// writtenTo reports whether the file at the current word is where the verb at k puts
// something, not what it gives away: "paste this into .env". What stands in a file may
// be given away just as well, so "in" and "to" say it only of what is one thing, and
// only if no other place to go to follows.
func writtenTo(c *cursor, k, last int) bool {
	p := -1
	for p > k && (c.at(p).is(rDet|rFill) || c.at(p).id == local) {
		p--
	}
	place := c.at(p)
	if p <= k || c.at(p+1).gap&(fence|gComma|gColon) != 0 {
		return false
	}
	sure := place.id == into || place.id == onto
	if !sure && (place.id != in && place.id != wTo || c.at(k).is(rSend) && c.at(k).id != paste || goesTo(c, last)) {
		return false
	}
	for i := k + 1; i < p; i++ {
		switch t := c.at(i); {
		case t.is(rReply|rInto) || t.id == wYou || t.id == wWhat, i > k+1 && t.is(rSubject) && t.id != wIt:
			return false // another place, or what somebody else put there
		case !sure && (t.can(mText) || t.is(rEverything|rAll)):
			return false
		}
	}
	for i := last + 1; !sure && i <= last+2; i++ {
		if t := c.at(i); t.gap&clause == 0 && (t.id == wHere || t.id == below) {
			return false
		}
	}
	return true
}

// refused reports whether the verb at k is denied: never post, don't share.
func refused(c *cursor, k int) bool {
	for i := k; i > k-4; i-- {
		if c.at(i).gap&(clause|gColon) != 0 {
			return false
		}
		if c.at(i - 1).is(rNegate) {
			return true
		}
		if b := c.at(i - 1); b.id == or && c.at(i-2).is(rVerb|rSend|rInclude) {
			i-- // never commit or upload
		} else if !b.is(rAdverb | rImperative) {
			return false
		}
	}
	return false
}

// readThenSent matches "read the thing and send it".
func readThenSent(c *cursor, what thing, last int) (span, bool) {
	for k, tries := last+1, 0; k <= last+sentenceReach && tries < maxTries; k++ {
		t := c.at(k)
		if t.gap&fence != 0 && !leadsOver(c, k) {
			return span{}, false
		}
		if !t.is(rSend | rInclude) {
			continue
		}
		if tries++; !joinsVerb(c, k) || refused(c, k) {
			continue
		}
		for j := k + 1; j <= k+5; j++ {
			o := c.at(j)
			if o.gap&fence != 0 && !leadsOver(c, j) {
				break
			}
			if o.is(rResult|rContents|rEverything) || o.id == wThis || o.id == wThat {
				if t.is(rInclude) && !inReply(c, j) {
					break
				}
				return span{c.at(0).start, o.end}, true
			}
			if !o.is(rDet|rFill|rAll) && !o.can(mMe) && o.id != base64 {
				break
			}
		}
	}
	return span{}, false
}

const base64 = wBase64

// inReply reports whether the words behind i lead into a reply: in your reply, to the
// comment.
func inReply(c *cursor, i int) bool {
	for j := i + 1; j <= i+7; j++ {
		t := c.at(j)
		if t.gap&stop != 0 {
			return false
		}
		if t.is(rReply) {
			p := c.at(j - 1)
			return p.is(rDet|rFill|rInto|rReply) || p.is(rChangeNoun) || p.id == wPull || p.id == wRequest || p.id == wA || p.id == next
		}
		if isURL(c, t) && c.at(j-1).is(rInto) {
			return true
		}
	}
	return false
}

const next = wNext

// goesTo reports whether a place to go to follows: to, in, into, here.
func goesTo(c *cursor, i int) bool {
	for j := i + 1; j <= i+4; j++ {
		t := c.at(j)
		if t.gap&stop != 0 {
			return false
		}
		if t.is(rInto) {
			return isURL(c, c.at(j+1)) || inReply(c, j-1)
		}
	}
	return false
}

// sentToURL matches a thing that goes to a URL, or whose contents stand in one
// sentence with one.
func sentToURL(c *cursor, what thing, last int) (span, bool) {
	for j := last + 1; j <= last+8; j++ {
		t := c.at(j)
		if t.gap&fence != 0 && !leadsOver(c, j) {
			break
		}
		if t.is(rInto) && t.id != in && isURL(c, c.at(j+1)) && (c.at(j+1).gap&fence == 0 || leadsOver(c, j+1)) {
			return span{c.at(0).start, c.at(j + 1).end}, true
		}
		if t.is(rSubject | rAndOr) {
			break
		}
	}
	contents := false
	for k := -1; k >= -5 && (c.at(k+1).gap&fence == 0 || leadsOver(c, k+1)); k-- {
		if t := c.at(k); t.can(mText) && (c.at(k+1).is(rInto) || c.at(k+1).can(mFrom)) || t.id == cat && k == -1 {
			contents = true
		}
		if isURL(c, c.at(k)) {
			break
		}
	}
	if !contents || what == dotenv {
		return span{}, false
	}
	for j := -1; j >= -sentenceReach && (c.at(j+1).gap&fence == 0 || leadsOver(c, j+1)); j-- {
		if isURL(c, c.at(j)) {
			return span{c.at(j).start, c.at(last).end}, true
		}
	}
	for j := last + 1; j <= last+sentenceReach && (c.at(j).gap&fence == 0 || leadsOver(c, j)); j++ {
		if isURL(c, c.at(j)) {
			return span{c.at(0).start, c.at(j).end}, true
		}
	}
	return span{}, false
}

const (
	in    = wIn
	or    = wOr
	into  = wInto
	onto  = wOnto
	paste = wPaste
	local = wLocal
	cat   = wCat
)

// isURL reports whether the word is the scheme of a URL.
func isURL(c *cursor, t token) bool {
	return t.can(mScheme) && t.end+3 <= c.hi && c.text[t.end] == ':' && c.text[t.end+1] == '/' && c.text[t.end+2] == '/'
}
