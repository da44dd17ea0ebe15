package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// minLine is the length from which a line of a registered credential is a secret of
// its own.
const minLine = 5

// minEncoded is the length from which an encoded spelling is looked for.
const minEncoded = 8

// spelling is one text whose occurrences are replaced. In base64 the character before
// and the character behind may hold some of its bits; they go as well.
type spelling struct {
	text                  string
	sharedHead, sharedEnd bool
}

// spellings gives every text to look for: each credential, each of its lines, and
// their JSON, percent and base64 spellings. credentials are in clean text.
func spellings(credentials []string) []spelling {
	var out []spelling
	seen := map[string]bool{}
	add := func(text string, least int, head, end bool) {
		if len(text) >= least && !seen[text] {
			seen[text] = true
			out = append(out, spelling{text, head, end})
		}
	}
	for _, part := range credentialParts(credentials) {
		quoted := jsonSpelling(part, false)
		for _, s := range []string{
			part,
			quoted, jsonSpelling(part, true), strings.ReplaceAll(quoted, "/", `\/`), asciiSpelling(quoted),
		} {
			add(s, minLine, false, false)
		}
		for _, kept := range percentKept {
			for _, space := range []string{"%20", "+"} {
				s := percentSpelling(part, kept, space)
				add(s, minLine, false, false)
				add(lowerEscapes(s), minLine, false, false)
			}
		}
		for _, s := range base64Spellings(part) {
			add(s.text, minEncoded, s.sharedHead, s.sharedEnd)
		}
	}
	return out
}

// credentialParts gives each credential and each of its lines that is a secret of its own.
func credentialParts(credentials []string) (out []string) {
	for _, credential := range credentials {
		whole := strings.TrimSpace(credential)
		for _, part := range append([]string{whole}, strings.Split(whole, "\n")...) {
			if part = strings.TrimSpace(part); len(part) >= minLine && !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	return out
}

// base64Spellings gives part in both alphabets of base64 at each of the three alignments.
func base64Spellings(part string) (out []spelling) {
	for shift := range 3 {
		s := base64Spelling(part, shift)
		end := 8*(shift+len(part))%6 != 0
		out = append(out, spelling{s, shift != 0, end})
		if other := strings.NewReplacer("+", "-", "/", "_").Replace(s); other != s {
			out = append(out, spelling{other, shift != 0, end})
		}
	}
	return out
}

func jsonSpelling(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(s) != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// asciiSpelling writes what is not ASCII in a JSON string as escapes.
func asciiSpelling(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteByte(byte(r))
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, "\\u%04x", u)
		}
	}
	return b.String()
}

// percentKept are the signs that the encoders in use leave as they are.
var percentKept = []string{
	"",                       // not even letters and digits
	"-_.~",                   // RFC 3986
	"-_.~/",                  // for paths
	"-_.*",                   // for forms
	"-_.~!*'()",              // for a component of a URL
	"-_.~!*'();/?:@&=+$,#",   // for a whole URL
	"-_.~!*'();/?:@&=+$,#[]", // the same, with the brackets of a host
	"-_.~$&+=:@",             // for a segment of a path
	"-_.~$&+,;=",             // for userinfo
	"-_.~!$%&'()*+,",         // for userinfo, as browsers write it
}

// percentSpelling writes s with percent escapes for all but letters, digits and kept, or
// for all if nothing is kept.
func percentSpelling(s, kept, space string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case kept != "" && is(c, alnum), strings.IndexByte(kept, c) >= 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteString(space)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// lowerEscapes writes the hexadecimal digits of escapes small.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// base64Spelling gives the characters that hold nothing but bits of s when s is
// encoded behind shift other bytes.
func base64Spelling(s string, shift int) string {
	e := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), s...))
	bits := 8 * (shift + len(s))
	return e[(8*shift+5)/6 : bits/6]
}

// An automaton finds every occurrence of any spelling in one pass (Aho and Corasick).
type automaton struct {
	spellings []spelling
	nodes     []node
	longest   int
}

type node struct {
	edges []edge // sorted by byte
	fail  int32
	match int32 // spelling that ends here, or -1
	next  int32 // nearest node on the chain of failures with a match, or -1
	depth int32
}

type edge struct {
	c  byte
	to int32
}

func newAutomaton(list []spelling) *automaton {
	a := &automaton{spellings: list, nodes: []node{{match: -1, next: -1}}}
	for k, s := range list {
		at := int32(0)
		for i := range len(s.text) {
			to, ok := a.child(at, s.text[i])
			if !ok {
				to = int32(len(a.nodes))
				a.nodes = append(a.nodes, node{match: -1, next: -1, depth: int32(i + 1)})
				n := &a.nodes[at]
				place, _ := slices.BinarySearchFunc(n.edges, s.text[i], func(e edge, c byte) int { return int(e.c) - int(c) })
				n.edges = slices.Insert(n.edges, place, edge{s.text[i], to})
			}
			at = to
		}
		a.nodes[at].match = int32(k)
		a.longest = max(a.longest, len(s.text))
	}
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range a.nodes[at].edges {
			if at != 0 {
				fail := a.step(a.nodes[at].fail, e.c)
				a.nodes[e.to].fail = fail
				a.nodes[e.to].next = a.nodes[fail].next
				if a.nodes[fail].match >= 0 {
					a.nodes[e.to].next = fail
				}
			}
			queue = append(queue, e.to)
		}
	}
	return a
}

func (a *automaton) child(at int32, c byte) (int32, bool) {
	edges := a.nodes[at].edges
	for _, e := range edges {
		if e.c == c {
			return e.to, true
		}
	}
	return 0, false
}

func (a *automaton) step(at int32, c byte) int32 {
	for {
		if to, ok := a.child(at, c); ok {
			return to
		}
		if at == 0 {
			return 0
		}
		at = a.nodes[at].fail
	}
}

// registered handles the beginning of a spelling at pos: the automaton runs from
// there until it has nothing in hand.
func (d *Detector) registered(pos int) {
	if pos < d.registeredEnd {
		return
	}
	a := d.rules.registered
	at := int32(0)
	i := pos
	for i < len(d.text) {
		if at = a.step(at, d.text[i]); at == 0 {
			break
		}
		i++
		// Only the longest match that ends here matters: the others lie inside it.
		m := at
		if a.nodes[m].match < 0 {
			m = a.nodes[m].next
		}
		if m > 0 {
			d.addRegistered(i, &a.spellings[a.nodes[m].match])
		}
	}
	d.registeredEnd = i
	d.spend(i - pos)
}

// addRegistered reports the spelling that ends at end. Where base64 shares a
// character with what stands beside it, that character goes too.
func (d *Detector) addRegistered(end int, s *spelling) {
	start := end - len(s.text)
	if s.sharedHead && start > 0 && is(d.text[start-1], b64|b64u) {
		start--
	}
	if s.sharedEnd && end < len(d.text) && is(d.text[end], b64|b64u) {
		end = run(d.text[:min(len(d.text), end+3)], end+1, equals)
	}
	if n := len(d.spans); n > 0 {
		// Matches that overlap come in order of their ends; join them at once so that
		// a repeated credential does not fill the list.
		if last := &d.spans[n-1]; last.Code == Registered && start < last.End && start >= last.Start {
			last.End = max(last.End, end)
			return
		}
	}
	d.add(start, end, Registered)
}
