// Package rules reads the knowledge of the filter: the tokens, names, words and phrases
// that it looks for, which are data (README.md says how they are written). No program
// links it: a generator makes tables of what it reads, and tests run the samples.
package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Samples are the literal sentences that an entry is judged by, and its line of the
// documentation.
type Samples struct {
	Entry        *Entry
	Doc          string
	Hits, Misses []string
}

// Code is a class of findings of package secret.
type Code struct {
	Samples
	ID, Go string
	Rank   int // codes of a lower rank win where spans overlap
}

// Token is the shape of a provider's tokens.
type Token struct {
	Samples
	Code     *Code
	Prefixes []string
	Body     []string // names of sets of characters
	Min      int
	Need     []string // names of conditions
	Tail     string   // name of the scanner of what follows the body
}

// Class is a set of words that mean the same to a rule.
type Class struct {
	Samples
	ID, Go string
	Words  []string
}

// List is a set of words for one condition of the code, in small letters.
type List struct {
	Samples
	Folder string // of the package that has it
	ID, Go string
	Code   string // that the samples are judged by
	Words  []string
	Rows   []Row // of a table: words that belong to others
}

// Row is one row of a table.
type Row struct {
	Key   string
	Words []string
}

// Language holds the classes and phrases of a language.
type Language struct {
	Samples
	ID, Name string
	Unspaced bool // words follow each other without blanks
	Classes  []*Class
	Phrases  []*Phrase
}

// class is the class of that name, nil if there is none.
func (l *Language) class(id string) *Class {
	for _, c := range l.Classes {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// Phrase is a row of words.
type Phrase struct {
	Samples
	ID, Code     string
	Rows         [][]Element // any of them
	When, Unless []Condition
}

// Element is one place of a row.
type Element struct {
	Any     bool     // any word
	Words   []string // plain words
	Classes []*Class
	Least   int
	Most    int
}

// Condition is a condition of the code, with the words that it looks for.
type Condition struct {
	Name  string
	Words Element
}

// Set is all that the files say.
type Set struct {
	Codes     []*Code
	Tokens    []*Token
	Classes   []*Class // of English
	Words     []string // that rules name, and no class of English has
	Lists     []*List
	Languages []*Language
	Ranges    []*Range // of characters that are removed
	sample    *sample  // on which anchors and placements are chosen
}

// Known holds the names that the code gives to what the data refer to.
type Known struct {
	Charsets, Needs, Tails, Conditions map[string]bool
	PhraseCodes, UnicodeCodes          map[string]bool
	Constants                          map[string]bool // that the rules of injections use
}

// Load reads the rules and the sample from the folder of the package safety.
func Load(fsys fs.FS, known Known) (*Set, error) {
	s := &Set{}
	for _, dir := range []string{"unicode", "secret", "injection", "language"} {
		entries, err := read(fsys, "rules/"+dir)
		if err != nil {
			return nil, err
		}
		ids := map[string]bool{}
		for _, e := range entries {
			key := e.Kind + " " + e.ID
			if dir == "language" {
				key = e.File + " " + key
			}
			if ids[key] {
				return nil, e.Errorf("there are two of this name")
			}
			ids[key] = true
		}
		for _, e := range entries {
			if err := s.add(e, dir, known); err != nil {
				return nil, err
			}
		}
	}
	for _, t := range s.Tokens {
		if err := t.resolve(s, known); err != nil {
			return nil, err
		}
	}
	for _, c := range s.Classes {
		if err := c.resolve(s.Classes); err != nil {
			return nil, err
		}
		if err := c.shown(); err != nil {
			return nil, err
		}
	}
	for _, l := range s.Lists {
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	for _, l := range s.Languages {
		if err := l.resolve(known); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.Codes, func(a, b *Code) int { return a.Rank - b.Rank })
	return s, nil
}

// A block is an entry on its way into the set.
type block struct {
	*Entry
	dir      string // the folder of its file
	samples  Samples
	language *Language // of its file, if that has begun
	known    Known
}

// adders make a thing of its kind of an entry.
var adders = map[string]func(*Set, block) error{
	"code": (*Set).addCode, "token": (*Set).addToken, "range": (*Set).addRange, "list": (*Set).addList, "table": (*Set).addList,
	"words": (*Set).addWords, "class": (*Set).addClass, "language": (*Set).addLanguage, "phrase": (*Set).addPhrase,
}

// add makes a thing of its kind of the entry.
func (s *Set) add(e *Entry, dir string, known Known) error {
	b := block{Entry: e, dir: dir, known: known}
	b.samples = Samples{Entry: e, Doc: e.one("doc"), Hits: e.all("hit"), Misses: e.all("miss")}
	if n := len(s.Languages); dir == "language" && n > 0 && s.Languages[n-1].Entry.File == e.File {
		b.language = s.Languages[n-1]
	}
	return adders[e.Kind](s, b)
}

func (s *Set) addCode(b block) error {
	rank, err := strconv.Atoi(b.one("rank"))
	if err != nil || b.one("go") == "" {
		return b.Errorf("a code has a rank and a name in Go")
	}
	s.Codes = append(s.Codes, &Code{Samples: b.samples, ID: b.ID, Go: b.one("go"), Rank: rank})
	return nil
}

func (s *Set) addToken(b block) error {
	s.Tokens = append(s.Tokens, &Token{Samples: b.samples, Prefixes: b.all("prefix"), Body: b.words("body"), Need: b.words("need"), Tail: b.one("tail")})
	return nil
}

func (s *Set) addRange(b block) error {
	r := &Range{Samples: b.samples, ID: b.ID}
	s.Ranges = append(s.Ranges, r)
	return r.resolve(b.known)
}

func (s *Set) addList(b block) error {
	l := &List{Samples: b.samples, Folder: b.dir, ID: b.ID, Go: b.one("go"), Code: b.one("code")}
	l.Words = append(b.words("words"), b.all("item")...)
	for _, row := range b.all("row") {
		key, words, ok := strings.Cut(row, ":")
		if !ok {
			return b.Errorf("a row is a key, a colon and words: %q", row)
		}
		l.Rows = append(l.Rows, Row{key, strings.Fields(words)})
	}
	s.Lists = append(s.Lists, l)
	return nil
}

func (s *Set) addWords(b block) error {
	for _, w := range b.words("words") {
		shown := slices.ContainsFunc(b.samples.Hits, func(hit string) bool { return holds(hit, w, false) })
		if !b.known.Constants[identifier(w)] && !shown {
			return b.Errorf("no rule names %q, and it stands in no hit", w)
		}
		s.Words = append(s.Words, w)
	}
	return nil
}

func (s *Set) addClass(b block) error {
	c := &Class{Samples: b.samples, ID: b.ID, Go: b.one("go"), Words: b.words("words")}
	switch {
	case len(c.Words) == 0:
		return b.Errorf("a class without words")
	case b.language != nil:
		b.language.Classes = append(b.language.Classes, c)
	case b.dir == "language":
		return b.Errorf("it stands before the language")
	default:
		s.Classes = append(s.Classes, c)
	}
	return nil
}

func (s *Set) addLanguage(b block) error {
	script := b.one("script")
	if b.dir != "language" || script != "spaced" && script != "unspaced" || strings.TrimSuffix(path.Base(b.File), ".rules") != b.ID {
		return b.Errorf("a language has a file of its name, and a script that is spaced or unspaced")
	}
	s.Languages = append(s.Languages, &Language{Samples: b.samples, ID: b.ID, Name: b.one("name"), Unspaced: script == "unspaced"})
	return nil
}

func (s *Set) addPhrase(b block) error {
	if b.language == nil {
		return b.Errorf("it stands before the language")
	}
	b.language.Phrases = append(b.language.Phrases, &Phrase{Samples: b.samples, ID: b.ID, Code: b.one("code")})
	return nil
}

// check demands of a list what a search in it relies on.
func (l *List) check() error {
	if l.Go == "" || len(l.Words)+len(l.Rows) == 0 {
		return l.Entry.Errorf("it has a name in Go, and words")
	}
	if family := strings.TrimSuffix(l.Code, "."); family == l.Code || !slices.Contains([]string{"secret", "pii", "injection"}, family) {
		return l.Entry.Errorf("no codes begin with %q", l.Code)
	}
	words := slices.Clone(l.Words)
	for _, r := range l.Rows {
		words = append(words, r.Key)
	}
	slices.Sort(words)
	for i, w := range words {
		if i > 0 && w == words[i-1] {
			return l.Entry.Errorf("%q stands twice", w)
		}
	}
	if len(l.Hits) < 2 || len(l.Misses) < 2 || l.Code == "" {
		return l.Entry.Errorf("it needs a code, two samples at least that are a hit, and two that are a miss")
	}
	return stand(l.Entry, words, append(l.Hits, l.Misses...), func(sample, word string) bool { return strings.Contains(Fold(sample), Fold(word)) })
}

// resolve looks up what a token refers to.
func (t *Token) resolve(s *Set, known Known) error {
	e := t.Entry
	for _, c := range s.Codes {
		if c.ID == e.one("code") {
			t.Code = c
		}
	}
	if t.Code == nil {
		return e.Errorf("no code is called %q", e.one("code"))
	}
	var err error
	if t.Min, err = strconv.Atoi(e.one("min")); err != nil || t.Min < 1 {
		return e.Errorf("min is the least number of characters behind the prefix")
	}
	for _, body := range t.Body {
		if !known.Charsets[body] {
			return e.Errorf("no set of characters is called %q", body)
		}
	}
	for _, need := range t.Need {
		if !known.Needs[need] {
			return e.Errorf("no condition of a token is called %q", need)
		}
	}
	if t.Tail != "" && !known.Tails[t.Tail] {
		return e.Errorf("no scanner of a tail is called %q", t.Tail)
	}
	if len(t.Prefixes) == 0 || len(t.Body) == 0 {
		return e.Errorf("a token has a prefix and a body")
	}
	return stand(e, t.Prefixes, t.Hits, func(hit, prefix string) bool { return strings.Contains(hit, prefix) })
}

// stand reports the first word that stands in no hit.
func stand(e *Entry, words, hits []string, in func(hit, word string) bool) error {
	for _, w := range words {
		if !slices.ContainsFunc(hits, func(hit string) bool { return in(hit, w) }) {
			return e.Errorf("%q stands in no sample that would show it", w)
		}
	}
	return nil
}

// resolve puts the words of other classes in the place of their names.
func (c *Class) resolve(all []*Class) error {
	var out []string
	for _, w := range c.Words {
		if name, ok := strings.CutPrefix(w, "["); ok {
			name = strings.TrimSuffix(name, "]")
			k := slices.IndexFunc(all, func(o *Class) bool { return o.ID == name })
			if k < 0 || all[k] == c || slices.ContainsFunc(all[k].Words, func(w string) bool { return strings.HasPrefix(w, "[") }) {
				return c.Entry.Errorf("no class of plain words is called %q", name)
			}
			out = append(out, all[k].Words...)
			continue
		}
		if slices.Contains(out, w) {
			return c.Entry.Errorf("%q stands twice", w)
		}
		out = append(out, w)
	}
	c.Words = out
	return nil
}

// shown demands of a class of English what a phrase demands of those of its language.
func (c *Class) shown() error {
	if len(c.Hits) < 2 || len(c.Misses) < 2 {
		return c.Entry.Errorf("it needs two samples at least that are a hit, and two that are a miss")
	}
	return stand(c.Entry, c.Words, c.Hits, func(hit, word string) bool { return holds(hit, word, false) })
}

// resolve reads the phrases of a language.
func (l *Language) resolve(known Known) error {
	if l.Name == "" {
		return l.Entry.Errorf("it has no name")
	}
	used := map[*Class]use{}
	for _, c := range l.Classes {
		if err := c.resolve(l.Classes); err != nil {
			return err
		}
	}
	for _, p := range l.Phrases {
		if err := p.resolve(l, known, used); err != nil {
			return err
		}
	}
	var hits, misses []string
	for _, p := range l.Phrases {
		hits, misses = append(hits, p.Hits...), append(misses, p.Misses...)
	}
	for _, c := range l.Classes {
		samples := hits
		switch use, ok := used[c]; {
		case !ok:
			return c.Entry.Errorf("no phrase names it")
		case use == excuse:
			samples = misses
		}
		if err := stand(c.Entry, c.Words, samples, func(text, word string) bool { return holds(text, word, l.Unspaced) }); err != nil {
			return err
		}
	}
	return nil
}

// use is what the words of a class do: a match needs one, or an excuse is one.
type use bool

const (
	excuse use = false
	needed use = true
)

// holds tells whether a word stands in a text, whatever the case; without blanks between
// words, anywhere.
func holds(text, word string, unspaced bool) bool {
	word, open := strings.CutSuffix(Fold(word), "*")
	text = Fold(text)
	for at := 0; ; at += len(word) {
		k := strings.Index(text[at:], word)
		if k < 0 {
			return false
		}
		at += k
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		behind, _ := utf8.DecodeRuneInString(text[at+len(word):])
		if unspaced || !inWord(before) && (open || !inWord(behind)) {
			return true
		}
	}
}

func (p *Phrase) resolve(l *Language, known Known, used map[*Class]use) error {
	e := p.Entry
	if !known.PhraseCodes[p.Code] {
		return e.Errorf("no code of a phrase is called %q", p.Code)
	}
	for _, f := range e.Fields {
		var err error
		switch f.Name {
		case "words":
			var row []Element
			if row, err = l.row(f.Value, used); err == nil {
				p.Rows = append(p.Rows, row)
			}
		case "when":
			p.When, err = l.conditions(f.Value, known, used, needed)
		case "unless":
			p.Unless, err = l.conditions(f.Value, known, used, excuse)
		}
		if err != nil {
			return e.at(f, "%v", err)
		}
	}
	if len(p.Rows) == 0 {
		return e.Errorf("a phrase without words")
	}
	for _, row := range p.Rows {
		if !slices.ContainsFunc(row, func(el Element) bool { return el.Least > 0 && !el.Any }) {
			return e.Errorf("a phrase without a word that it must have: no anchor")
		}
	}
	return nil
}

// row reads the elements of a phrase.
func (l *Language) row(text string, used map[*Class]use) ([]Element, error) {
	var out []Element
	for _, word := range strings.Fields(text) {
		el, err := l.element(word, used, needed)
		if err != nil {
			return nil, err
		}
		out = append(out, el)
	}
	return out, nil
}

// maxMany and maxAny bound what [class]* and .. stand for.
const (
	maxMany = 6
	maxAny  = 3
)

// element reads one of [class], [class|word], word, each with ? or * behind it; and .. or
// ..N for up to N words of any kind.
func (l *Language) element(word string, used map[*Class]use, as use) (Element, error) {
	if n, ok := strings.CutPrefix(word, ".."); ok {
		most := maxAny
		if n != "" {
			var err error
			if most, err = strconv.Atoi(n); err != nil || most < 1 || most > 12 {
				return Element{}, fmt.Errorf("%q: no number of words between 1 and 12", word)
			}
		}
		return Element{Any: true, Most: most}, nil
	}
	el := Element{Least: 1, Most: 1}
	if rest, ok := strings.CutSuffix(word, "?"); ok {
		word, el.Least = rest, 0
	} else if rest, ok := strings.CutSuffix(word, "]*"); ok {
		word, el.Least, el.Most = rest+"]", 0, maxMany
	}
	inner, ok := strings.CutPrefix(word, "[")
	if !ok {
		el.Words = []string{word}
		return el, nil
	}
	inner, ok = strings.CutSuffix(inner, "]")
	if !ok {
		return el, fmt.Errorf("%q: a bracket is missing", word)
	}
	for name := range strings.SplitSeq(inner, "|") {
		c := l.class(name)
		if c == nil {
			return el, fmt.Errorf("no class is called %q", name)
		}
		used[c] = used[c] || as
		el.Classes = append(el.Classes, c)
	}
	return el, nil
}

// conditions reads names, each with the classes that it looks for: opening behind[subject|not].
func (l *Language) conditions(text string, known Known, used map[*Class]use, as use) ([]Condition, error) {
	var out []Condition
	for _, word := range strings.Fields(text) {
		name, set, withSet := strings.Cut(word, "[")
		if !known.Conditions[name] {
			return nil, fmt.Errorf("no condition is called %q", name)
		}
		c := Condition{Name: name}
		if withSet {
			var err error
			if c.Words, err = l.element("["+set, used, as); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	return out, nil
}
