package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxAnchor bounds an anchor, in bytes.
const maxAnchor = 12

// languageTables are the tables of all languages while they are made.
type languageTables struct {
	sample []byte // of text in small letters
	sets   []string
	number map[string]int // of a set, by what it is written as

	phrases []string
	anchors map[string]*anchor
	counts  map[string]int // how often each anchor stands in the sample
}

// anchor is a word of which a phrase needs one.
type anchor struct {
	phrases []int
	always  bool // not only in hidden text
}

func writeLanguages(w *writer, s *Set) error {
	t := &languageTables{
		sample: []byte(Fold(string(s.sample.logs) + string(s.sample.bodies))), sets: []string{"{}"},
		number: map[string]int{}, anchors: map[string]*anchor{}, counts: map[string]int{},
	}
	for _, l := range s.Languages {
		for _, p := range l.Phrases {
			for _, row := range p.Rows {
				if err := t.phrase(l, p, row); err != nil {
					return err
				}
			}
		}
	}
	w.line("// langSets are the sets of words of the phrases; the first has every word.\nvar langSets = [...]wordSet{")
	for i, set := range t.sets {
		w.line("\t%d: %s,", i, set)
	}
	w.line("}\n\n// langPhrases are the rows of the phrases of all languages.\nvar langPhrases = [...]langPhrase{")
	for _, p := range t.phrases {
		w.line("\t%s,", p)
	}
	w.line("}\n\n// langAnchors are the anchors of the phrases.\nvar langAnchors = [...]langAnchor{")
	var index [1<<10 + 1]int
	var list []string
	texts := sortedKeys(t.anchors)
	for _, text := range texts {
		a := t.anchors[text]
		w.line("\t{text: %q, phrases: []uint16{%s}, hidden: %v},", text, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(a.phrases)), ", "), "[]"), !a.always)
	}
	w.line("}\n")
	starts := make([]map[int]bool, len(texts))
	for k, text := range texts {
		starts[k] = pairsOf(text)
	}
	for pair := range len(index) - 1 {
		index[pair] = len(list)
		for k := range texts {
			if starts[k][pair] {
				list = append(list, fmt.Sprint(k))
			}
		}
	}
	index[len(index)-1] = len(list)
	w.line("// langAnchorList holds the anchors by their first two bytes: those of a pair stand from\n// its place in langAnchorIndex on.\nvar langAnchorList = [...]uint16{%s}\n", strings.Join(list, ", "))
	writeArray(w, "langAnchorIndex", "where the anchors of each pair begin", "uint16", index[:])
	w.line("// langPatterns are the anchors as patterns of the prefilter, those in hidden text apart.\nvar langPatterns = [...]string{")
	for _, text := range texts {
		if t.anchors[text].always {
			w.line("\t%q,", notation(text))
		}
	}
	w.line("}")
	return nil
}

// phrase adds a row of a phrase, and its anchors.
func (t *languageTables) phrase(l *Language, p *Phrase, row []Element) error {
	best, bestCost := -1, 0
	for i, e := range row {
		if e.Least == 0 || e.Any {
			continue
		}
		anchors, ok := l.anchorsOf(e.words())
		if !ok {
			continue
		}
		if cost := t.cost(anchors); best < 0 || cost < bestCost {
			best, bestCost = i, cost
		}
	}
	if best < 0 {
		return p.Entry.Errorf("no word that it must have is long enough for an anchor")
	}
	before := 0
	for _, e := range row[:best] {
		most := e.Most
		if l.Unspaced && !e.Any {
			longest := 0
			for _, w := range e.words() {
				longest = max(longest, utf8.RuneCountInString(w))
			}
			most *= longest
		}
		before += most
	}
	hidden := p.Code == "injection.hidden-html"
	n := len(t.phrases)
	var out strings.Builder
	fmt.Fprintf(&out, "{class: %s, unspaced: %v, hidden: %v, before: %d, row: []element{", classOf(p.Code), l.Unspaced, hidden, before)
	for _, e := range row {
		fmt.Fprintf(&out, "{%d, %d, %d}, ", t.set(l, e), e.Least, e.Most)
	}
	out.WriteString("}")
	for _, c := range []struct {
		name string
		list []Condition
	}{{"when", p.When}, {"unless", p.Unless}} {
		if len(c.list) == 0 {
			continue
		}
		fmt.Fprintf(&out, ", %s: []langCondition{", c.name)
		for _, cond := range c.list {
			set := 0
			if len(cond.Words.words()) > 0 {
				set = t.set(l, cond.Words)
			}
			fmt.Fprintf(&out, "{%s, %d}, ", cond.Name, set)
		}
		out.WriteString("}")
	}
	out.WriteString("}")
	t.phrases = append(t.phrases, out.String())
	anchors, _ := l.anchorsOf(row[best].words())
	for _, text := range anchors {
		a := t.anchors[text]
		if a == nil {
			a = &anchor{}
			t.anchors[text] = a
		}
		a.phrases = append(a.phrases, n)
		a.always = a.always || !hidden
	}
	return nil
}

// classOf is the name of a code in the scanner of injections.
func classOf(code string) string {
	switch code {
	case "injection.instruction-override":
		return "override"
	case "injection.system-prompt":
		return "prompt"
	case "injection.unrestricted-role":
		return "role"
	case "injection.concealment":
		return "conceal"
	case "injection.exfiltration":
		return "exfil"
	case "injection.translate-execute":
		return "translate"
	}
	return "hidden"
}

// words gives the words of an element, in small letters.
func (e Element) words() []string {
	var out []string
	add := func(words []string) {
		for _, w := range words {
			if w = Fold(w); !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	add(e.Words)
	for _, c := range e.Classes {
		add(c.Words)
	}
	return out
}

// set numbers the set of words of an element.
func (t *languageTables) set(l *Language, e Element) int {
	if e.Any {
		return 0
	}
	words := e.words()
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var out strings.Builder
	out.WriteString("{")
	for _, w := range words {
		text, open := strings.CutSuffix(w, "*")
		if l.Unspaced || !open {
			fmt.Fprintf(&out, "{text: %q}, ", text)
		} else {
			fmt.Fprintf(&out, "{text: %q, open: true}, ", text)
		}
	}
	out.WriteString("}")
	n, ok := t.number[out.String()]
	if !ok {
		n = len(t.sets)
		t.number[out.String()] = n
		t.sets = append(t.sets, out.String())
	}
	return n
}

// anchorsOf gives beginnings of the words, one of which each of them has; false if one is
// too short.
func (l *Language) anchorsOf(words []string) ([]string, bool) {
	var out []string
	for _, w := range words {
		a := l.anchorOf(strings.TrimSuffix(w, "*"))
		if len(a) < 2 {
			return nil, false
		}
		out = append(out, a)
	}
	slices.Sort(out)
	kept := out[:0]
	for _, a := range out {
		if len(kept) == 0 || !strings.HasPrefix(a, kept[len(kept)-1]) {
			kept = append(kept, a)
		}
	}
	return kept, true
}

// anchorOf cuts a word before the first letter that is longer in its other case.
func (l *Language) anchorOf(word string) string {
	end := 0
	for i, r := range word {
		n := utf8.RuneLen(r)
		if i+n > maxAnchor || r == 'i' && l.ID == "tr" { // İ and ı are longer
			break
		}
		for _, v := range variants(r) {
			if utf8.RuneLen(v) != n {
				return word[:end]
			}
		}
		end = i + n
	}
	return word[:end]
}

// variants are the letters that are read as r, without those of Turkish that are longer.
func variants(r rune) []rune {
	return append([]rune{r}, cases()[r]...)
}

// cases holds, for each small letter, the others that are read as it.
var cases = sync.OnceValue(func() map[rune][]rune {
	out := map[rune][]rune{'\'': {'’'}}
	for v := rune('A'); v < 0x2000; v++ {
		if r := foldRune(v); r != v && v != 'ı' && v != 'İ' {
			out[r] = append(out[r], v)
		}
	}
	return out
})

// cost is how often the anchors stand in the sample, and a little for the shortest: short
// words are frequent in their language.
func (t *languageTables) cost(anchors []string) int {
	sum, longest := 0, 0
	for _, a := range anchors {
		n, ok := t.counts[a]
		if !ok {
			n = bytes.Count(t.sample, []byte(a))
			t.counts[a] = n
		}
		sum += n
		longest = max(longest, maxAnchor+1-len(a))
	}
	return 100*sum + longest
}

// pairsOf gives the pairs of letters with which a text of the anchor can begin.
func pairsOf(text string) map[int]bool {
	sets := byteSets(text)
	out := map[int]bool{}
	for _, a := range sets[0] {
		for _, b := range sets[1] {
			out[letterPair(a, b)] = true
		}
	}
	return out
}

// byteSets gives the bytes that can stand at each place of a word, whatever its case.
func byteSets(text string) [][]byte {
	var out [][]byte
	for _, r := range text {
		n := utf8.RuneLen(r)
		at := make([][]byte, n)
		for _, v := range variants(r) {
			for k, b := range []byte(string(v)) {
				if !slices.Contains(at[k], b) {
					at[k] = append(at[k], b)
				}
			}
		}
		out = append(out, at...)
	}
	return out
}

// notation is the pattern of the prefilter for a word in whatever case.
func notation(text string) string {
	var b strings.Builder
	for _, set := range byteSets(text) {
		if len(set) == 1 {
			b.WriteByte(set[0])
			continue
		}
		slices.Sort(set)
		b.WriteString("[" + string(set) + "]")
	}
	return b.String()
}
