package prefilter

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var sample = []Pattern{
	Literal("ghp_"), Literal("sk-"), Folded("token"), Folded("authorization"),
	Literal("-----BEGIN "), Classes("[<^0-9][2-6][0-9]{3}[0-9 -][0-9]{2}"),
	Classes("(?i)key[^a-z]"), Literal("xy"), Literal("a"), Classes("[A-Za-z0-9]://"),
	Literal("0123456789abcdefghij"),
}

func scanAll(t *Table, text []byte, stop bool, room int) ([]Hit, bool) {
	var s Scanner
	s.Reset(t, text, stop)
	var all []Hit
	for {
		hits, done, special := s.Next(make([]Hit, 0, room))
		all = append(all, hits...)
		if done {
			slices.SortFunc(all, order)
			return all, special
		}
	}
}

func order(a, b Hit) int {
	if a.Pos != b.Pos {
		return a.Pos - b.Pos
	}
	return a.Pattern - b.Pattern
}

func plain(patterns []Pattern, text []byte) []Hit {
	var all []Hit
	for i := range len(text) {
		for k, p := range patterns {
			if p.At(text, i) {
				all = append(all, Hit{i, k})
			}
		}
	}
	return all
}

// TestEveryOffset puts every pattern at every offset of a short text.
func TestEveryOffset(t *testing.T) {
	table := New(sample, nil)
	for n := range 60 {
		for i := range n {
			for _, s := range []string{"ghp_", "sk-", "ToKeN", "AUTHORIZATION", "-----BEGIN ", "4111 11", "key=", "xy", "h://", "0123456789abcdefghij"} {
				if i+len(s) > n {
					continue
				}
				text := make([]byte, n)
				for k := range text {
					text[k] = '.'
				}
				copy(text[i:], s)
				got, _ := scanAll(table, text, false, 1024)
				if want := plain(sample, text); !slices.Equal(got, want) {
					t.Fatalf("%q: got %v, want %v", text, got, want)
				}
			}
		}
	}
}

func TestRandomTexts(t *testing.T) {
	table := New(sample, nil)
	rnd := rand.New(rand.NewPCG(3, 4))
	parts := []string{"ghp_", "sk-", "token", "TOKEN", "authorization", "-----BEGIN ", "4111", " ", "-", "key", "=", "x", "y", "a", "://", "0123456789abcdefghij", "\n"}
	for range 20_000 {
		var text []byte
		for range rnd.IntN(20) {
			text = append(text, parts[rnd.IntN(len(parts))]...)
		}
		got, _ := scanAll(table, text, true, 300)
		if want := plain(sample, text); !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestSpecialBytes(t *testing.T) {
	table := New(sample, nil)
	for n := 1; n < 50; n++ {
		for i := range n {
			text := make([]byte, n)
			for k := range text {
				text[k] = "z\t\n~ "[k%5]
			}
			if _, special := scanAll(table, text, true, 1024); special {
				t.Fatalf("%q is special", text)
			}
			for _, b := range []byte{0, 0x1b, 0x7f, 0x80, 0xff, '\r'} {
				text[i] = b
				if _, special := scanAll(table, text, true, 1024); !special {
					t.Fatalf("%q is not special", text)
				}
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte("token ghp_ sk- 4111 1111"))
	table := New(sample, nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		got, _ := scanAll(table, text, false, 300)
		if want := plain(sample, text); !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}

// placementsOf makes placements of bytes: whatever a generator could write, and more.
func placementsOf(patterns []Pattern, choice []byte) []Placement {
	var out []Placement
	next := func(k int) byte {
		if len(choice) == 0 {
			return 0
		}
		return choice[k%len(choice)]
	}
	for k, p := range patterns {
		out = append(out, Placement{
			Pattern: p.String(),
			Bucket:  [2]uint8{next(4 * k), next(4*k + 1)},
			Behind:  [2]int8{int8(next(4*k+2)%24) - 3, int8(next(4*k+3)%24) - 3},
		})
	}
	slices.SortFunc(out, func(a, b Placement) int { return strings.Compare(a.Pattern, b.Pattern) })
	return out
}

// TestEveryPlacement tries every window of every pattern on texts that begin and end with
// an occurrence, whole and from the second byte on.
func TestEveryPlacement(t *testing.T) {
	texts := []string{
		"ghp_", "sk-", "tOken", "authorization", "-----BEGIN ", "4111 11", " 4111 11", "key=", "xy", "a", "h://", "0123456789abcdefghij",
	}
	for behind := -3; behind < 24; behind++ {
		for bucket := range buckets {
			var placed []Placement
			for _, p := range sample {
				placed = append(placed, Placement{p.String(), [2]uint8{uint8(bucket), uint8(bucket)}, [2]int8{int8(behind), int8(behind)}})
			}
			slices.SortFunc(placed, func(a, b Placement) int { return strings.Compare(a.Pattern, b.Pattern) })
			table := New(sample, placed)
			for _, text := range texts {
				for _, text := range []string{text, "." + text, text + "\n", "..." + text + text} {
					got, _ := scanAll(table, []byte(text), false, 1024)
					if want := plain(sample, []byte(text)); !slices.Equal(got, want) {
						t.Fatalf("behind %d, bucket %d, %q: got %v, want %v", behind, bucket, text, got, want)
					}
				}
			}
		}
	}
}

// FuzzPlacements looks for placements that lose or add a place, from any offset on.
func FuzzPlacements(f *testing.F) {
	f.Add([]byte("4111 1111 token ghp_ sk- key="), []byte{1, 2, 3, 2, 0, 9, 4, 1}, uint8(0))
	f.Add([]byte("xy4111 11"), []byte{0, 0, 2, 2}, uint8(3))
	f.Fuzz(func(t *testing.T, text, choice []byte, from uint8) {
		table := New(sample, placementsOf(sample, choice))
		start := min(int(from), len(text))
		var s Scanner
		s.ResetFrom(table, text, start)
		var got []Hit
		for {
			hits, done, _ := s.Next(make([]Hit, 0, 300))
			for _, h := range hits {
				if h.Pos >= start {
					got = append(got, h)
				}
			}
			if done {
				break
			}
		}
		slices.SortFunc(got, order)
		want := slices.DeleteFunc(plain(sample, text), func(h Hit) bool { return h.Pos < start })
		if !slices.Equal(got, want) {
			t.Fatalf("%q from %d: got %v, want %v", text, start, got, want)
		}
	})
}
