package secret

import (
	"slices"
	"strings"
	"testing"

	"snapline/pkg/safety/rules"
)

// sweepFloor is the share of words, in percent, whose samples have to change when a word
// is taken out of its list. The others are doubled by another rule, or are in a list that
// is read when the rules are made.
const sweepFloor = 65

// TestWordsDecide takes every word out of every list, one at a time, and every prefix out
// of the tokens, and runs the samples of the entry.
func TestWordsDecide(t *testing.T) {
	set, err := rules.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	outcome := func(r *Rules, samples rules.Samples) (out []string) {
		for _, text := range slices.Concat(samples.Hits, samples.Misses) {
			text, _, _ = strings.Cut(text, " ⇒ ")
			redacted, _ := scan(r, text)
			out = append(out, redacted)
		}
		return out
	}
	tried, caught := 0, 0
	for _, l := range set.Lists {
		list := wordLists[l.ID]
		if l.Folder != "secret" || list == nil {
			continue
		}
		full, before := *list, outcome(plainRules, l.Samples)
		for _, w := range l.Words {
			*list = slices.DeleteFunc(slices.Clone(full), func(o string) bool { return o == w })
			tried++
			if !slices.Equal(before, outcome(plainRules, l.Samples)) {
				caught++
			}
			*list = full
		}
	}
	t.Logf("%d words of lists taken out, %d noticed", tried, caught)
	if caught*100 < tried*sweepFloor {
		t.Errorf("of %d words only %d decide a sample", tried, caught)
	}
	tried, caught = 0, 0
	prefixes := map[string]int{}
	for k := range providers {
		prefixes[providers[k].prefix] = k
	}
	for _, token := range set.Tokens {
		for _, prefix := range token.Prefixes {
			k := prefixes[prefix]
			without := &Rules{list: slices.Delete(slices.Clone(plainRules.list), k, k+1)}
			tried++
			if slices.Equal(outcome(plainRules, token.Samples), outcome(without, token.Samples)) {
				t.Errorf("no sample of %s needs the prefix %s", token.Entry.ID, prefix[:2])
				continue
			}
			caught++
		}
	}
	t.Logf("%d prefixes of tokens taken out, %d noticed", tried, caught)
}
