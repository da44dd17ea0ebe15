package injection

import (
	"slices"
	"testing"

	"snapline/pkg/safety/rules"
)

// sweepFloor is the share of words, in percent, whose samples have to change when a word
// is taken out of its class or list. The others are doubled by another rule: their
// samples show that they are spelt right.
const sweepFloor = 88

// TestWordsDecide takes every word out of every class of English, of every list and of
// every set of a language, one at a time, and runs the samples of the entry.
func TestWordsDecide(t *testing.T) {
	set, err := rules.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	var s Scanner
	verdicts := func(samples rules.Samples) (out []bool) {
		for _, text := range slices.Concat(samples.Hits, samples.Misses) {
			out = append(out, len(s.ScanAll([]byte(text))) > 0)
		}
		return out
	}
	tried, caught := 0, 0
	try := func(samples rules.Samples, out func(), in func()) {
		before := verdicts(samples)
		out()
		tried++
		if !slices.Equal(before, verdicts(samples)) {
			caught++
		}
		in()
	}
	bits := map[byte]int{}
	for _, c := range set.Classes {
		table := roles[:]
		if c.Go[0] == 'm' {
			table = moreRoles[:]
		}
		bit := uint64(1) << bits[c.Go[0]]
		bits[c.Go[0]]++
		for _, w := range c.Words {
			id := dictionary.find([]byte(w))
			if table[id]&bit == 0 {
				t.Fatalf("%q is not in the class %s", w, c.ID)
			}
			try(c.Samples, func() { table[id] &^= bit }, func() { table[id] |= bit })
		}
	}
	for _, l := range set.Lists {
		list := wordLists[l.ID]
		if l.Folder != "injection" || list == nil {
			continue
		}
		full := *list
		for _, w := range l.Words {
			try(l.Samples, func() { *list = slices.DeleteFunc(slices.Clone(full), func(o string) bool { return o == w }) }, func() { *list = full })
		}
	}
	t.Logf("%d words of classes and lists taken out, %d noticed", tried, caught)
	if caught*100 < tried*sweepFloor {
		t.Errorf("of %d words only %d decide a sample", tried, caught)
	}
	tried, caught = 0, 0
	var all rules.Samples
	for _, l := range set.Languages {
		for _, p := range l.Phrases {
			all.Hits, all.Misses = append(all.Hits, p.Hits...), append(all.Misses, p.Misses...)
		}
	}
	for k := range langSets {
		full := langSets[k]
		for _, w := range full {
			try(all, func() { langSets[k] = slices.DeleteFunc(slices.Clone(full), func(o langWord) bool { return o == w }) }, func() { langSets[k] = full })
		}
	}
	t.Logf("%d words of sets of languages taken out, %d noticed", tried, caught)
}
