package injection

import "bytes"

// How an agent is spoken of.
type address uint8

const (
	mentioned  address = iota // no more than mentioned: by an agent, the file system
	agentFirst                // the subject of its clause, or called by its name
	anyone                    // any agent, all agents
	hailed                    // greeted: dear assistant, note to the model, you are an AI
)

// addressed reports whether the agent at the current word is told to do something.
func addressed(c *cursor) bool {
	t := c.at(0)
	before := c.at(-1)
	if before.can(mNoAgent) && t.gap&(clause|gColon) == 0 {
		return false // the user agent
	}
	how := spokenTo(c)
	if how == mentioned || t.end < c.hi && c.text[t.end] == ')' {
		return false
	}
	sure := t.id != wSystem && (t.id == wAi || t.id == ais || before.is(rAgentAttr) && t.gap&(clause|gColon) == 0 || t.can(mAgentName))

	// The words that say which agent: "AI agents reading this:".
	i, relative := 1, false
	for ; i <= 9; i++ {
		n := c.at(i)
		if n.gap&(gBarrier|gEdge) != 0 {
			return false
		}
		if n.gap&(gHard|gColon|gComma|gSoft|gLine|gItem) != 0 {
			break
		}
		if n.id == wWill || n.can(mPassive) {
			return false // what it will do, what it was used for
		}
		if n.is(rModal) || n.id == wPlease || n.id == wNever || n.id == always || n.id == wYou ||
			n.id == need || n.id == have || n.is(rNegate) || n.id == wDo {
			break
		}
		if i == 1 && n.is(rVerb) && (how == hailed || n.is(rStrongVerb) || !t.can(mMany) && c.at(2).is(rDet|rFill|rYour)) &&
			orderTo(c, i, sure, false) {
			return true
		}
		if n.id == only || how == hailed && n.id == wNone && agentNoun(c.text[n.start:n.end]) ||
			n.id == codeWord && c.at(i+1).is(rUser|rAgent) {
			continue // the AI screener, the AI code reviewer
		}
		if relative = relative || n.can(mRelative) || how == hailed && (n.can(mReading) || n.id == wIs || n.id == wAre); !relative && !n.is(rAgent) {
			return false // the AI policy, the agent version
		}
		if i > 1 && !sure && how < anyone {
			return false
		}
	}
	if i > 9 {
		return false
	}
	// Directives (markdownlint-disable, model: x) have no space behind the colon.
	asked := bytes.IndexByte(c.text[c.at(i-1).end:c.at(i).start], '?') >= 0 // did you use an AI? Describe how
	called := how == hailed || c.at(i).gap&(gColon|gComma) != 0 && i <= 2
	for k := i; k <= i+6; k++ {
		n := c.at(k)
		if n.gap&(gBarrier|gEdge) != 0 {
			return false
		}
		if b := c.text[c.at(k-1).end:n.start]; bytes.IndexByte(b, '"') >= 0 || bytes.IndexByte(b, '=') >= 0 {
			return false // a member of JSON, a setting
		}
		if n.is(rVerb) && (!asked || n.is(rStrongVerb)) && orderTo(c, k, sure, called) {
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

// spokenTo reads backwards from the agent at the current word to where it is called.
func spokenTo(c *cursor) address {
	t := c.at(0)
	narrow := t.id == wSystem || isModel(t.id) // also parts of programs and devices
	all, bare := false, true                   // no article yet: words before it are its kind
	for k := 0; k > -7; k-- {
		w := c.at(k - 1)
		if g := c.at(k).gap & (clause | gLine | gColon); g != 0 && !(g == gLine && goesOn(c, k)) {
			if g&(fence|gLine) == 0 && w.can(mGreeting) && !w.is(rAll) {
				return hailed
			}
			if all {
				return anyone
			}
			return agentFirst
		}
		switch {
		case w.id == wTo || w.id == forWord || w.id == wAs:
			if two := c.at(k - 2); w.gap&(clause|gLine) != 0 || two.can(mGreeting) || two.id == wIs || two.id == only {
				return hailed
			}
			return mentioned
		case w.id == wAre && c.at(k-2).id == wYou || w.id == youre:
			return hailed
		case w.id == wIf || w.id == when || w.id == whenever:
			return reads(c)
		case w.can(mGreeting) && !w.is(rAll):
			return hailed
		case w.id == wOf && !c.at(k-2).is(rAll):
			return mentioned // the output of the agent
		case w.is(rAll):
			all = true
		case w.is(rAgent | rAgentAttr | rAndOr):
		case w.is(rFill|rDet) || w.id == wAn:
			bare = false
		case bare && k > -3 && (w.can(mKind|mReading) || w.id == wNone && !narrow && !verbal(c.text[w.start:w.end])):
		default:
			return mentioned
		}
	}
	return mentioned
}

// goesOn reports whether the words before a line break lead over it: "written by an".
func goesOn(c *cursor, k int) bool {
	w, article := c.at(k-1), c.at(k-2)
	switch {
	case w.id == wThe || w.id == wA || w.id == wAn || w.id == wOf || w.is(rPreposition):
		return true
	case c.at(k-1).gap&(clause|gLine) == 0 && (w.id == wNone || w.can(mKind)):
		return (article.id == wThe || article.id == wA || article.id == wAn) && (c.at(k-3).is(rPreposition) || c.at(k-3).id == wOf)
	}
	return false
}

// reads reports whether the agent of a condition is the one who reads the text: "if an
// AI reads this", not "if an AI wrote this".
func reads(c *cursor) address {
	for i := 1; i <= 4 && c.at(i).gap&clause == 0; i++ {
		switch n := c.at(i); {
		case n.can(mReading):
			return hailed
		case !n.is(rAgent) && n.id != wIs && n.id != wAre:
			return mentioned
		}
	}
	return mentioned
}

// agentNoun reports whether a word looks like the name of somebody who does something.
func agentNoun(w []byte) bool {
	n := len(w)
	return n > 4 && (foldEqual(w[n-2:], "er") || foldEqual(w[n-2:], "or"))
}

// verbal reports whether a word looks like a participle.
func verbal(w []byte) bool {
	n := len(w)
	return n > 4 && (foldEqual(w[n-2:], "ed") || foldEqual(w[n-3:], "ing"))
}

// orderTo reports whether the verb at k is an order that one gives to an agent. sure is
// set for an agent that is an AI for sure, called for one that a colon or comma sets
// apart: what follows the name of a program or device may also fill in a form.
func orderTo(c *cursor, k int, sure, called bool) bool {
	v, object := c.at(k), c.at(k+1)
	if object.gap&(gColon|gJoined) != 0 && object.gap&gLine == 0 && !v.is(rStrongVerb) {
		return false // a label: "model: report: 3"
	}
	if v.is(rStrongVerb) {
		return true
	}
	if object.gap&(gEdge|gBlank|gLine|gItem) != 0 {
		return false // a value, not an order: "agent: deploy"
	}
	agent := c.at(0).id
	switch {
	case sure:
		return true
	case agent == wSystem || isModel(agent):
		return called && (object.is(rFunction|rFill|rDet) || object.can(mMe) || v.can(mNeverNoun)) && !fillsIn(c, k)
	default:
		return !fillsIn(c, k)
	}
}

// fillsIn reports whether the verb at k asks for what goes into a form: "model: add the
// name of the printer".
func fillsIn(c *cursor, k int) bool {
	for i := k + 1; i <= k+10 && c.at(i).gap&(stop|gBlank) == 0; i++ {
		if c.at(i).can(mForm) {
			return true
		}
	}
	return false
}

func isModel(id wid) bool { return id == model || id == models }

const (
	ais      = wAis
	codeWord = wCode
	only     = wOnly
	whenever = wWhenever
	always   = wAlways
	need     = wNeed
	have     = wHave
	forWord  = wFor
	model    = wModel
	models   = wModels
)
