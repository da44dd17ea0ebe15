package stream

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestRandomDamage damages legal streams at random, with a fitting trailer each time,
// and holds reader and reference against each other: members take values from
// elsewhere in the stream, lines are doubled, dropped and moved. The seed is fixed;
// SNAPLINE_DAMAGE sets another number of rounds.
func TestRandomDamage(t *testing.T) {
	rounds := 700
	if s := os.Getenv("SNAPLINE_DAMAGE"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	v := mustValidators(t)
	r := rand.New(rand.NewPCG(uint64(rounds), 7))
	accepted := 0
	for range rounds {
		pos := 1 + r.IntN(3)
		make := []func(testing.TB, int) *stream{base, base, base, issue, documents}[r.IntN(5)]
		s := make(t, pos)
		values := valuesOf(t, s)
		for range 1 + r.IntN(3) {
			damage(t, r, s, values)
		}
		raw := s.seal()
		_, _, err := readAll(NewReader(strings.NewReader(raw), ReaderOptions{}))
		if want := referenceAccepts(v, []byte(raw)); (err == nil) != (want == nil) {
			t.Fatalf("reader: %v\nreference: %v\n%s", err, want, raw)
		}
		if err == nil {
			accepted++
			checkSurvives(t, []byte(raw))
		}
	}
	if accepted < rounds/50 || accepted > rounds*9/10 {
		t.Errorf("%d of %d damaged streams are legal", accepted, rounds)
	}
}

// valuesOf collects every value of a stream by the name of its member.
func valuesOf(t *testing.T, s *stream) map[string][]any {
	values := map[string][]any{}
	var collect func(any)
	collect = func(v any) {
		switch v := v.(type) {
		case members:
			for name, e := range v {
				values[name] = append(values[name], e)
				collect(e)
			}
		case []any:
			for _, e := range v {
				collect(e)
			}
		}
	}
	for _, line := range s.lines {
		collect(decoded(t, line))
	}
	for name := range values {
		slices.SortFunc(values[name], func(a, b any) int { return strings.Compare(encoded(t, a), encoded(t, b)) })
	}
	return values
}

func decoded(t *testing.T, line string) members {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var v members
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return v
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func damage(t *testing.T, r *rand.Rand, s *stream, values map[string][]any) {
	if len(s.lines) == 0 {
		return
	}
	line := 1 + r.IntN(len(s.lines))
	switch r.IntN(10) {
	case 0:
		s.remove(line)
	case 1:
		s.insert(1+r.IntN(len(s.lines)), s.lines[line-1])
	case 2:
		s.swap(line, 1+r.IntN(len(s.lines)))
	default:
		doc := decoded(t, s.lines[line-1])
		change(r, doc, values)
		s.set(line, encoded(t, doc)+"\n")
	}
}

// change changes one member of a line or of an object in it.
func change(r *rand.Rand, doc members, values map[string][]any) {
	names := make([]string, 0, len(doc))
	for name := range doc {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return
	}
	name := names[r.IntN(len(names))]
	if inner, ok := doc[name].(members); ok && r.IntN(2) == 0 {
		change(r, inner, values)
		return
	}
	any1 := func(of string) any { return values[of][r.IntN(len(values[of]))] }
	switch r.IntN(8) {
	case 0:
		delete(doc, name)
	case 1: // a value of any member, under any name
		all := make([]string, 0, len(values))
		for n := range values {
			all = append(all, n)
		}
		slices.Sort(all)
		doc[all[r.IntN(len(all))]] = any1(all[r.IntN(len(all))])
	case 2:
		doc[name] = []any{nil, true, false, json.Number("0"), json.Number("1"), "", "U_bot", members{}, []any{}}[r.IntN(9)]
	default: // the same member's value elsewhere
		doc[name] = any1(name)
		if list, ok := doc[name].([]any); ok && r.IntN(2) == 0 {
			doc[name] = append(slices.Clone(list), list...)
		}
	}
}
