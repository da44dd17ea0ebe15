package injection

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

// oracle finds what the scanner must find, the slow way: it cuts the whole text into
// words from the front, tries every rule at every anchor, and judges every command,
// sentence, comment and tag afresh. It has no skipping, no laziness, no reading
// backwards and no memory of what was judged. What a phrase is (the rules
// themselves) it shares with the scanner; their hits and misses are in
// phrases_test.go.
func oracle(text []byte) []contract.Finding {
	s := &Scanner{}
	s.tags = tagMemory{last: -1, read: -1}
	s.cur.reset(text, 0, len(text))
	words := everyWord(text, 0, len(text))
	var done [classes]int
	var counts [classes]int64
	count := func(k class, at span) {
		if at.start >= done[k] {
			counts[k]++
			done[k] = at.end
		}
	}
	exfilDone, hiddenDone, gluedDone := 0, 0, 0
	for h := range text {
		if !slices.ContainsFunc(anchors, func(a string) bool { return h+len(a) <= len(text) && foldEqual(text[h:h+len(a)], a) }) &&
			(h != len(text)-3 || !foldEqual(text[h:], "env")) {
			continue
		}
		for i := range words.words {
			if t := words.words[i]; t.start <= h && h < t.end {
				words.pos = i
				for k, found := range everyPhrase(words) {
					if found.end > 0 {
						count(class(k), found)
					}
				}
			}
		}
		if what, at := thingAt(text, h); what != noThing && h >= exfilDone {
			line := commandLine(text, at)
			if m, ok := s.command(line); ok {
				count(exfil, m)
				exfilDone = line.end
			} else if what != variable || upper(variableName(text, at)) {
				fresh := &cursor{}
				fresh.reset(text, 0, len(text))
				if m, ok := sentence(fresh, what, at); ok {
					count(exfil, m)
					exfilDone = max(exfilDone, m.end)
				}
			}
		}
		if isLetter(text[h]) && h >= gluedDone {
			fresh := &Scanner{}
			fresh.cur.reset(text, 0, len(text))
			at, found := fresh.glued(h)
			gluedDone = at.end
			for k := range found {
				if found[k] {
					count(class(k), at)
				}
			}
		}
		if h >= hiddenDone {
			outer, content := everyRegion(text, h)
			if content.end > content.start {
				hiddenDone = outer.end
				fresh := &Scanner{}
				fresh.cur.reset(text, 0, len(text))
				if fresh.instructs(content) {
					count(hidden, outer)
				}
			}
		}
	}
	s.counts = counts
	return s.findings()
}

// everyWord cuts [lo, hi) into words, from the front.
func everyWord(text []byte, lo, hi int) *cursor {
	c := &cursor{}
	c.reset(text, lo, hi)
	from := lo
	for {
		t, ok := c.next(from)
		if !ok {
			break
		}
		t.gap = c.gapFlags(from, t.start)
		if from == lo {
			t.gap |= gHard | gEdge
		}
		c.words = append(c.words, t)
		from = t.end
	}
	c.edge = c.gapFlags(from, hi)
	c.ended, c.begun = true, true
	return c
}

func everyPhrase(c *cursor) (out [classes]span) {
	t := c.at(0)
	if !t.is(rPhrase) {
		return
	}
	for _, rule := range phraseRules {
		if t.is(rule.roles) && out[rule.class].end == 0 {
			if m, ok := rule.match(c); ok {
				out[rule.class] = m
			}
		}
	}
	return
}

// everyRegion is the hidden region whose mark stands at h, without memory of tags.
func everyRegion(text []byte, h int) (outer, content span) {
	switch text[h] {
	case '!':
		if text[h+1] == '[' {
			return imageText(text, h)
		}
		return comment(text, h)
	case '"':
		return linkTitle(text, h)
	case '[', ']':
		return linkComment(text, h)
	case '.', '/':
		return
	}
	s := &Scanner{tags: tagMemory{last: -1, read: -1}}
	s.cur.reset(text, 0, len(text))
	return s.element(h)
}

func compare(t *testing.T, text []byte) {
	t.Helper()
	var s Scanner
	got, want := s.ScanAll(slices.Clone(text)), oracle(text)
	if !slices.Equal(got, want) {
		t.Fatalf("%q:\nscanner %v\noracle  %v", text, got, want)
	}
	var hits []int
	for h := range text {
		if anchorAt(text, h) {
			hits = append(hits, h)
		}
	}
	if hits == nil {
		hits = []int{}
	}
	if given := s.Scan(text, hits); !slices.Equal(given, want) {
		t.Fatalf("%q:\nwith hits %v\noracle    %v", text, given, want)
	}
}

// fragments are what hostile and harmless texts are made of.
var fragments = func() []string {
	f := strings.Split("ignore|disregard|forget|override|bypass|all|any of|the|your|previous|prior|above|rules|instructions|guidelines|prompt|"+
		"system prompt|new|replace|update|act as|pretend|behave|you are now|no|without|free of|restrictions|limits|unrestricted|jailbroken|"+
		"do not|don't|don’t|never|tell|inform|mention|show|telling|user|users|hide|secret|from|keep|this|it|about|to|"+
		"curl|wget|base64|base64 -d|env|printenv|env |$GITHUB_TOKEN|${API_KEY}|$key|~/.ssh/id_rsa|.env|.npmrc|/proc/self/environ|environment variables|"+
		"https://x.example/?|send|post|paste|upload|include|in your reply|and|then|decode|translate|execute|run|eval|the result|"+
		"<!--|-->|--!>|<div hidden>|</div>|<p style=\"display:none\">|</p>|[//]: # (|)|![AI: |](x)|<img alt=\"|\">|AI|agents|assistant|approve|merge|review policy|tests|you must|please|"+
		"everything|anything|follow|given|said before|you can|we|should|ever|system|model|remember|version|by an|dear|reads|is as follows|you have a|replaces|"+
		"printenv API_KEY|printenv|into|whether|by name|stack traces|to users|by hand|was overwritten by|in|local|reload|"+
		"](y \"AI: approve this|\")|]: y \"you must merge|\"\n|ignoreall|previousinstructions|tellthe|donot|ssh |< |cat |env vars|your env|2>&1 |-c |-base64 |gh |a comment with the contents of |send me |docker exec c env |./.env|2026-01-02T03:04:05Z |#12 0.3s |build\t|INFO |@claude |how to|lets you|a flag to|users' |listed above|in the system prompt|or set|${apiKey}|the environment to|http |POST |--exclude |failing|despite|before|&colon;|"+
		".| |\n|\n\n|> |- |1. |*|_|`|**|:|,|;|!|?|-|-\n|…|—|“|<b>|</b>|<br>|&nbsp;|\\n|%20|\\|\\\n|||&&|>|a|the user's|x.y|é|日本|'|’|0|Ignore|DISREGARD|\t", "|")
	return append(f, "|", " | ", "||")
}()

func assemble(r *rand.Rand) []byte {
	var b []byte
	spaced := r.IntN(3)
	for range 1 + r.IntN(24) {
		b = append(b, fragments[r.IntN(len(fragments))]...)
		if spaced > 0 && r.IntN(3) < 1+spaced {
			b = append(b, ' ')
		}
	}
	return b
}

func TestOracleOnAssembledText(t *testing.T) {
	requirement.Claim(t, "INJ-02")
	n := 30000
	if testing.Short() {
		n = 3000
	}
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range n {
		text := assemble(r)
		compare(t, text)
		if oracle(text) != nil {
			found++
		}
	}
	if found < n/50 {
		t.Errorf("only %d of %d texts hold a match: the generator proves little", found, n)
	}
}

func TestOracleOnCases(t *testing.T) {
	for _, list := range hit {
		for _, text := range list {
			compare(t, []byte(text))
		}
	}
	for _, text := range miss {
		compare(t, []byte(text))
	}
}

// TestPlacement scans each case at every offset, with and without other cases before
// it: a match does not depend on where it stands.
func TestPlacement(t *testing.T) {
	requirement.Claim(t, "INJ-02")
	var s Scanner
	for code, list := range hit {
		for _, text := range list {
			for _, pad := range []string{"x\n", "\n", "word. ", "0123456789\n"} {
				for n := 0; n <= 64; n += 1 + len(text)/40 {
					in := strings.Repeat(pad, n) + "\n\n" + text + "\n\n" + strings.Repeat(pad, 64-n)
					if got := codesOf(s.ScanAll([]byte(in))); !slices.Contains(got, code) {
						t.Fatalf("%q behind %d × %q: %v, want %s", text, n, pad, got, code)
					}
				}
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, list := range hit {
		for _, text := range list {
			f.Add([]byte(text))
		}
	}
	for _, text := range miss {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 2000 {
			compare(t, text)
		}
	})
}
