package secret

import (
	"slices"

	"snapline/pkg/safety/prefilter"
)

// rule is what runs at a place where one of its patterns begins.
type rule struct {
	pattern prefilter.Pattern
	apply   func(d *Detector, pos int)
}

// Rules are the compiled rules of one run. They are immutable.
type Rules struct {
	list       []rule
	registered *automaton
}

// wordsEnd is what may stand behind a secret word: not a small letter, which would
// make it another word (author, keys, tokenizer).
const wordsEnd = "[^a-z]"

// New gives the rules with the registered credentials, which must be clean text.
func New(credentials []string) *Rules {
	r := &Rules{}
	add := func(p prefilter.Pattern, apply func(d *Detector, pos int)) {
		r.list = append(r.list, rule{p, apply})
	}
	for k := range providers {
		p := &providers[k]
		apply := func(d *Detector, pos int) { _ = d.token(p, pos) }
		if p.code == AWS && p.opt&closed != 0 {
			apply = func(d *Detector, pos int) {
				if d.token(p, pos) {
					d.awsSecret(pos, 160, 160)
				}
			}
		}
		add(prefilter.Literal(p.prefix), apply)
	}
	for k := range programs {
		add(prefilter.Literal(programs[k].name), func(d *Detector, pos int) { d.program(k, pos) })
	}
	add(prefilter.Literal("pass:"), (*Detector).openssl)
	add(prefilter.Literal("--creds"), (*Detector).creds)
	add(prefilter.Classes(":[0-9]{4}:[A-Za-z*_]"), (*Detector).pgpass)
	add(prefilter.Classes(":[0-9]{5}:[A-Za-z*_]"), (*Detector).pgpass)
	add(prefilter.Classes(":[*]:[A-Za-z*_]"), (*Detector).pgpass)
	add(prefilter.Folded("identified "), (*Detector).identifiedBy)
	for _, start := range jwtStarts {
		add(prefilter.Literal(start), (*Detector).jwt)
	}
	for _, name := range nativeNames {
		add(prefilter.Literal(name), (*Detector).nativeName)
	}
	add(prefilter.Classes("(?i)[a-z0-9_.-]pass[^a-z]"), func(d *Detector, pos int) { d.assignment(pos + 1) })
	add(prefilter.Classes("(?i)[<^a-z0-9_.-]pass[= ]"), (*Detector).assignment)
	add(prefilter.Literal("PRIVATE KEY"), (*Detector).pem)
	add(prefilter.Literal("LS0tLS1CRUdJTi"), (*Detector).encodedPEM)
	add(prefilter.Classes("MII[A-P][A-Za-z0-9+/][AQgw]IBA[AD]"), (*Detector).headlessKey)
	add(prefilter.Literal("Private-Lines:"), (*Detector).putty)
	add(prefilter.Classes("[A-Za-z0-9]://"), (*Detector).url)
	add(prefilter.Classes(`[A-Za-z0-9]:\/\/`), (*Detector).url)
	for _, word := range []string{"key", "password", "passwd", "passphrase"} {
		add(prefilter.Folded(word), (*Detector).assignment)
	}
	for _, word := range []string{"auth", "pwd"} {
		add(prefilter.Classes("(?i)"+word+wordsEnd), (*Detector).assignment)
	}
	add(prefilter.Folded("credential"), (*Detector).assignment)
	add(prefilter.Folded("authorization"), (*Detector).assignment)
	add(prefilter.Classes("(?i)cookie[: \"']"), (*Detector).assignment)
	add(prefilter.Folded("token"), func(d *Detector, pos int) {
		d.assignment(pos)
		d.sessionToken(pos)
		d.vaultToken(pos)
	})
	add(prefilter.Folded("vault login"), (*Detector).oldVault)
	add(prefilter.Folded("secret"), func(d *Detector, pos int) {
		d.assignment(pos)
		d.awsContext(pos)
	})
	add(prefilter.Classes("[<^A-Za-z0-9_-][0-9]{3}-[0-9]{2}-[0-9]{4}"), (*Detector).ssn)
	add(prefilter.Classes("(?i)ssn[^a-z]"), (*Detector).ssnName)
	add(prefilter.Folded("social sec"), (*Detector).ssnWord)
	add(prefilter.Folded("social-sec"), (*Detector).ssnWord)
	// No issuer has 20 or 21, with which the stamps of this century begin.
	add(prefilter.Classes("[<^A-Za-z0-9_]2[2-7][0-9]{8}"), (*Detector).card)
	add(prefilter.Classes("[<^A-Za-z0-9_][3-6][0-9]{9}"), (*Detector).card)
	add(prefilter.Classes("[0-9]{4}[ -][0-9]{3}"), (*Detector).card)
	add(prefilter.Classes("[<^A-Za-z0-9_][A-Z]{2}[0-9]{2}[A-Z0-9 ][A-Z0-9]{2}"), (*Detector).iban)
	add(prefilter.Classes("[<^A-Za-z0-9_][a-z]{2}[0-9]{2}[a-z0-9 ][a-z0-9]{3}"), (*Detector).iban)
	if list := spellings(credentials); len(list) > 0 {
		r.registered = newAutomaton(list)
		seen := map[string]bool{}
		for _, s := range list {
			if start := s.text[:min(len(s.text), 12)]; !seen[start] {
				seen[start] = true
				add(prefilter.Literal(start), (*Detector).registered)
			}
		}
		texts, of := pieces(credentials)
		for _, text := range texts {
			list := of[text]
			add(prefilter.Literal(text), func(d *Detector, pos int) { d.spelled(list, pos) })
		}
		rows, gramsOf := wrappedGrams(credentials)
		for _, row := range rows {
			list := gramsOf[row]
			add(prefilter.Literal(row), func(d *Detector, pos int) { d.wrapped(list, pos) })
		}
	}
	return r
}

// Patterns gives the patterns of the rules; their indexes are the arguments of
// Detector.At.
func (r *Rules) Patterns() []prefilter.Pattern {
	out := make([]prefilter.Pattern, len(r.list))
	for i := range r.list {
		out[i] = r.list[i].pattern
	}
	return out
}

// Reach is how many bytes beyond the lines around it a change of text can matter to
// a rule.
func (r *Rules) Reach() int {
	const reach = 2*maxStructure + 128 // more than any rule looks around for context
	if r.registered == nil {
		return reach
	}
	return max(reach, r.registered.longest*2*widest) // escapes, and lines with their prefixes
}

// A Detector applies rules to one text at a time and owns the spans.
type Detector struct {
	rules *Rules
	text  []byte
	spans []Span
	spare []Span // the buffer of the text before

	// How far rules have judged the text, so that no byte is judged over and over.
	steps, budget int // see spend

	programEnd [programCount]int // see program

	nameEnd, valueEnd, keyEnd, encodedEnd, urlEnd, digitsEnd, cardEnd, awsAt, vaultAt, registeredEnd, besideEnd, itemsEnd int

	atFrom, atFound     int // see firstAt
	stopFrom, stopFound int // see headerStop
	unquoted            measured

	factsName   [48]byte // see facts
	factsLength int
	factsOf     nameFacts

	openFrom, openLast int // see openField

	escapeFrom, escapeNext, escapeLast int // see escapeNear
	literals                           literals
	runs                               []bodyRun
}

// NewDetector gives a Detector of r.
func (r *Rules) NewDetector() *Detector { return &Detector{rules: r} }

// Reset starts a new text. The spans of the text before stay valid until the next
// Reset.
func (d *Detector) Reset(text []byte) {
	*d = Detector{rules: d.rules, text: text, spans: d.spare[:0], spare: d.spans, runs: d.runs[:0], openLast: -1}
	d.budget = stepsPerByte*len(text) + 1<<16
}

// stepsPerByte is how many bytes rules may look at for each byte of text. They are
// made to stay far below: the budget turns a mistake in that into an error instead of
// hours.
const stepsPerByte = 64

// spend counts n bytes that a rule has looked at.
func (d *Detector) spend(n int) { d.steps += n }

// Exhausted tells whether the rules have used up the step budget of the text; they
// then have stopped looking.
func (d *Detector) Exhausted() bool { return d.steps > d.budget }

// At applies the rule of a pattern at pos, where that pattern begins. Places come in
// nearly ascending order.
func (d *Detector) At(pattern, pos int) {
	if d.spend(1); d.steps <= d.budget {
		d.rules.list[pattern].apply(d, pos)
	}
}

// Spans gives the merged spans of the text. Valid until the next Reset but one.
func (d *Detector) Spans() []Span {
	if len(d.spans) == 0 {
		return nil
	}
	d.spans = merge(d.clip(d.spans))
	return d.spans
}

func (d *Detector) add(start, end int, code Code) {
	if start < end {
		d.spans = append(d.spans, Span{start, end, code})
	}
}

// clip takes text of markers out of registered matches: markers are never looked at.
func (d *Detector) clip(spans []Span) []Span {
	for k := 0; k < len(spans); k++ {
		s := spans[k]
		if s.Code != Registered {
			continue
		}
		m := d.markerNear(s)
		if m.End == 0 {
			continue
		}
		spans[k].End = max(s.Start, min(s.End, m.Start))
		if s.End > m.End {
			spans = append(spans, Span{max(s.Start, m.End), s.End, Registered})
		}
	}
	return slices.DeleteFunc(spans, func(s Span) bool { return s.Start >= s.End })
}

// markerNear gives the first marker that shares a byte with s.
func (d *Detector) markerNear(s Span) Span {
	for i := max(0, s.Start-longestMarker); i < s.End; i++ {
		if d.text[i] == '[' {
			if n := markerAt(d.text, i); n > 0 && i+n > s.Start {
				return Span{Start: i, End: i + n}
			}
		}
	}
	return Span{}
}
