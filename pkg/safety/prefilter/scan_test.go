package prefilter

import (
	"math/rand/v2"
	"slices"
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
