package check

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// free are the changes that leave another valid tree: facts of the forge that no
// other byte of the tree repeats, and members that may be absent. Everything else
// must be refused. The expressions match "file pointer operation".
var free = regexp.MustCompile(`^(` + strings.Join([]string{
	// facts told once
	`entity/metadata\.json /(number|state|title|labels/\d+) altered`,
	`entity/metadata\.json /labels (shortened|emptied)`,
	`index\.json /source/repository altered`, // navigation only, no key input
	`state/actors\.json /actors/\d+/role altered`,
	`state/actors\.json /actors/\d+/login (retyped|altered|nulled)`, // of an actor who wrote nothing
	`collection\.json /included_sources shortened`,
	`collection\.json /check_log_selection altered`,
	`collection\.json /(record_selection|bounds/\w+) altered`,
	`collection\.json /admission/human_min_role altered`,
	`relations/reviews\.json /reviews/\d+/state altered`,
	`relations/reviews\.json /reviews/\d+/dismissed_(at|by_actor_id) nulled`,
	`relations/reviews\.json /reviews/\d+/dismissed_at altered`,
	`relations/reviews\.json /threads/\d+/created_at altered`,
	`relations/reviews\.json /threads/\d+/(path|(original_)?(line|start_line|side)) altered`,
	`relations/reviews\.json /(reviews|threads)/\d+ without (reviewed_sha|path|(original_)?(line|start_line|side))`,
	`relations/reviews\.json /(reviews|threads)/\d+/reviewed_sha altered`,
	`relations/reviews\.json /threads/\d+/replies shortened`,
	`relations/reviews\.json /threads/\d+/replies retyped`,
	`state/threads\.json /threads/\d+ without minimized`,
	`state/threads\.json /threads/\d+/minimized altered`,
	`state/threads\.json /threads/\d+/outdated altered`, // of a resolved thread
	`state/threads\.json /threads/\d+/resolved_by_actor_id (nulled|altered)`,
	`history/agent-runs\.json /runs shortened`,
	`history/agent-runs\.json /runs/\d+/(agent|status|input_revision|input_head_sha|resulting_commit_sha|started_at|id) altered`,
	`history/agent-runs\.json /runs/\d+/completed_at altered`,
	`history/agent-runs\.json /runs/\d+ without (input_head_sha|resulting_commit_sha|started_at)`,
	`history/agent-runs\.json /runs/\d+/result_record_keys (shortened|altered)`,
	`checks/\w+/metadata\.json /(name|status|conclusion|started_at|completed_at) altered`,
	// counts and codes of what is not there
	`index\.json /gaps/\d+/count altered`,
	`index\.json /gaps/\d+/(code|scope) altered`,
	`index\.json /gaps shortened`,
	// finding codes and counts
	`index\.json /((records|files)/\d+/)?filter/findings/\d+/(code|count) altered`,
	`index\.json /files/\d+/filter/status altered`,
	`index\.json /records/\d+/filter/status altered`,
	`index\.json /records/\d+/updated_at altered`,
	`index\.json /records/\d+ without updated_at`,
	`index\.json /records/\d+/created_at altered`, // of a rejected check
}, "|") + `)$`)

// fullDamage tries every damage instead of every stride-th.
var fullDamage = flag.Bool("damage.full", false, "try every consistent damage (minutes)")

// stride is how many damages pass for one that is tried; no factor of the number of
// changes that one value gets.
const stride = 97

// Every consistent damage of a document, digests repaired up to a new root that the
// verifier is told to trust, is refused by a rule, but for the changes named in free.
func TestConsistentDamage(t *testing.T) {
	requirement.Claim(t, "CMP-02", "CMP-04", "CAN-02", "CAN-03", "CAN-04", "AMB-51")
	caught, tried, allowed, made := 0, 0, 0, 0
	trees := specimens(t)
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		s := trees[name]
		for _, path := range slices.Sorted(maps.Keys(s.files)) {
			if !strings.HasSuffix(path, ".json") {
				continue
			}
			var document any
			decode(t, s.files[path], &document)
			testkit.Mutate(document, func(m testkit.Mutation) {
				made++
				if !*fullDamage && made%stride != 0 {
					return
				}
				d := s.clone()
				d.files[path] = encode(t, m.Value)
				if string(d.files[path]) == string(s.files[path]) {
					return
				}
				if path != tree.IndexPath {
					d.reseal(t)
				}
				tried++
				if got := d.judge(t, d.digest()); len(got) > 0 {
					caught++
					return
				}
				if free.MatchString(path + " " + m.What) {
					allowed++
					return
				}
				t.Errorf("%s: %s %s: accepted", name, path, m.What)
			})
		}
	}
	t.Logf("consistent damages of documents: %d caught of %d, %d leave another valid tree, %d made", caught, tried, allowed, made)
	if tried < 500 {
		t.Fatalf("only %d damages tried", tried)
	}
}

// The bytes of a document are its RFC 8785 form: no other spelling of the same value
// is accepted, however consistently its digests are repaired.
func TestSpellingDamage(t *testing.T) {
	requirement.Claim(t, "CAN-01")
	s := changeProposal(t, contract.GitHub)
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if !strings.HasSuffix(path, ".json") {
			continue
		}
		text := string(s.files[path])
		first := text[1 : strings.IndexByte(text, ':')+1]
		for _, c := range []struct {
			name, text string
			want       Rule
		}{
			{"final line feed", text + "\n", RuleNotCanonical},
			{"byte-order mark", "\ufeff" + text, RuleNotJSON},
			{"space", strings.Replace(text, ":", ": ", 1), RuleNotCanonical},
			{"duplicate member", "{" + first + "1," + text[1:], RuleNotJSON},
			{"escaped name", `{"\u00` + fmt.Sprintf("%02x", first[1]) + first[2:] + text[len(first)+1:], RuleNotCanonical},
			{"second document", text + "{}", RuleNotJSON},
			{"invalid UTF-8", strings.Replace(text, `":`, "\xff\":", 1), RuleNotJSON},
			{"empty", "", RuleNotJSON},
			{"cut", text[:len(text)-1], RuleNotJSON},
			{"bomb", `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", RuleNotJSON},
			{"float beyond the range", "[1e400]", RuleNotJSON},
		} {
			d := s.clone()
			d.files[path] = []byte(c.text)
			if path != tree.IndexPath {
				d.reseal(t)
			}
			if got := d.judge(t, d.digest()); !has(got, c.want, path) {
				t.Errorf("%s: %s: want %s, got %v", path, c.name, c.want.Name, names(got))
			}
		}
	}
}
