package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"snapline/pkg/contract/tree"
)

// Mutation is one changed document: what was done, and the value it became.
type Mutation struct {
	What  string
	Value any
}

// Mutate calls visit with the document after each single change in it: a member
// removed, retyped, nulled, altered or added; an array reversed, shortened, repeated.
// The document is as encoding/json decodes it with UseNumber.
func Mutate(document any, visit func(Mutation)) {
	mutate(document, "", func(v any) any { return v }, visit)
}

// mutate changes node, which stands at place; set puts a replacement there.
func mutate(node any, place string, set func(any) any, visit func(Mutation)) {
	say := func(op string, v any) { visit(Mutation{place + " " + op, set(v)}) }
	if place != "" {
		if node != nil {
			say("nulled", nil)
		}
		for _, other := range retyped(node) {
			say("retyped", other)
		}
	}
	switch n := node.(type) {
	case map[string]any:
		say("extended", with(n, "extra", true))
		for _, name := range slices.Sorted(maps.Keys(n)) {
			shorter := maps.Clone(n)
			delete(shorter, name)
			say("without "+name, shorter)
			mutate(n[name], place+"/"+name, func(v any) any { return set(with(n, name, v)) }, visit)
		}
	case []any:
		if len(n) > 1 {
			reversed := slices.Clone(n)
			slices.Reverse(reversed)
			if !equalJSON(reversed, n) {
				say("reversed", reversed)
			}
		}
		if len(n) > 0 {
			say("repeated", append(slices.Clone(n), n[len(n)-1]))
			say("shortened", n[1:])
			say("lengthened", append(slices.Clone(n), json.Number("1")))
		}
		for i := range n {
			mutate(n[i], fmt.Sprintf("%s/%d", place, i), func(v any) any {
				c := slices.Clone(n)
				c[i] = v
				return set(c)
			}, visit)
		}
	case bool:
		say("altered", !n)
	case json.Number:
		v, _ := n.Int64()
		say("altered", v+1)
		say("emptied", 0)
		say("oversized", json.RawMessage("1e+21"))
		say("oversized", json.RawMessage("9007199254740992"))
	case string:
		for _, other := range altered(n) {
			say("altered", other)
		}
	}
}

func with(m map[string]any, name string, v any) map[string]any {
	c := maps.Clone(m)
	c[name] = v
	return c
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

func retyped(node any) []any {
	var out []any
	for _, v := range []any{"text", json.Number("3"), true, []any{}, map[string]any{}} {
		if fmt.Sprintf("%T", v) != fmt.Sprintf("%T", node) {
			out = append(out, v)
		}
	}
	return out
}

// altered gives neighbours of a string: some keep its form, some do not.
func altered(s string) []any {
	out := []any{"", s + "x", s + "\u200b", s + "\n"}
	if s != "" {
		last := s[len(s)-1]
		next := last + 1
		switch last {
		case '9':
			next = '8'
		case 'z':
			next = 'y'
		case 'f':
			next = 'e'
		}
		out = append(out, s[:len(s)-1]+string(rune(next)))
		if up := strings.ToUpper(s); up != s {
			out = append(out, up)
		}
	}
	switch {
	case tree.ValidTimestamp(s):
		out = append(out, "2025"+s[4:], "2027"+s[4:], "2026-02-30"+s[10:], s[:17]+"60"+s[19:], strings.Replace(s, "Z", "+00:00", 1))
	case vocabulary[s] != nil:
		for _, other := range vocabulary[s] {
			if other != s {
				out = append(out, other)
			}
		}
	}
	return out
}

var vocabularies = [][]string{
	{"unchanged", "modified", "truncated", "rejected"},
	{"admin", "maintain", "write", "triage", "read", "none", "external", "bot"},
	{"human", "bot"},
	{"entity", "comment", "review", "check", "thread"},
	{"success", "failure", "cancelled", "skipped", "timed_out", "action_required", "stale", "neutral"},
	{"queued", "in_progress", "completed"},
	{"approved", "changes_requested", "commented", "dismissed"},
	{"open", "closed", "merged"},
	{"left", "right"},
	{"none", "failed", "all"},
	{"partial", "unusable"},
	{"entity", "comments", "reviews", "checks", "check_logs", "agent_runs", "actors"},
	{"profile_bound", "history_unavailable", "unsupported", "authorization_failed", "fetch_failed", "source_too_large", "invalid_metadata", "unsafe_content"},
	{"github", "gitlab", "forgejo"},
	{"work_item", "change_proposal"},
	{"application/json", "text/markdown", "text/plain"},
	{"oldest", "newest"},
}

var vocabulary = func() map[string][]string {
	m := map[string][]string{}
	for _, words := range vocabularies {
		for _, w := range words {
			m[w] = append(m[w], words...)
		}
	}
	return m
}()
