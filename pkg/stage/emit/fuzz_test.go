package emit_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// memory is a sink that checks what it is given.
type memory struct {
	t     *testing.T
	files map[string]int
}

func (m memory) WriteFile(path string, data []byte) error {
	if _, twice := m.files[path]; twice {
		m.t.Errorf("%s is written twice", path)
	}
	if path != tree.IndexPath && !tree.ValidFilePath(path) && path != tree.ManifestPath && path != tree.RecoveredPath && !bytes.HasPrefix([]byte(path), []byte("documents/")) {
		m.t.Errorf("%s is no path of a tree", path)
	}
	m.files[path] = len(data)
	return nil
}

// FuzzBuild: no stream makes emit panic, write a file twice or to a foreign path, and
// what the reader accepts to its end becomes a tree with its root.
func FuzzBuild(f *testing.F) {
	for _, raw := range loadGolden(f) {
		f.Add(raw)
	}
	f.Add(documents(f, contract.FamilyCanon, 3, document("a", "{}"), rejectedDocument("b")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := memory{t, map[string]int{}}
		err := emit.Build(context.Background(), stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3}), m, noRecovery)
		_, index := m.files[tree.IndexPath]
		_, manifest := m.files[tree.ManifestPath]
		if rooted := index || manifest; rooted != (err == nil) {
			t.Errorf("root written %v, error %v", rooted, err)
		}
	})
}

// Streams with a byte changed, a line dropped, doubled or swapped, and a trailer that
// fits again, are refused or become a tree; nothing in between, and no panic.
func TestResealedDamage(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	accepted, refused := 0, 0
	for name, raw := range loadGolden(t) {
		lines := bytes.SplitAfter(raw, []byte("\n"))
		lines = lines[:len(lines)-2] // the trailer and what follows it
		for range 300 {
			damaged := slices.Clone(lines)
			at := random.IntN(len(lines))
			switch random.IntN(5) {
			case 0:
				damaged = slices.Delete(damaged, at, at+1)
			case 1:
				damaged = slices.Insert(damaged, at, damaged[random.IntN(len(damaged))])
			case 2:
				other := random.IntN(len(lines))
				damaged[at], damaged[other] = damaged[other], damaged[at]
			default:
				line := bytes.Clone(damaged[at])
				line[random.IntN(len(line)-1)] = `"0123456789abcdef{}[],:nultr é`[random.IntN(28)]
				damaged[at] = line
			}
			m := memory{t, map[string]int{}}
			in := stream.NewReader(bytes.NewReader(testkit.Reseal(damaged)), stream.ReaderOptions{Position: 3})
			err := emit.Build(context.Background(), in, m, nil)
			if _, rooted := m.files[tree.IndexPath]; rooted != (err == nil) {
				t.Errorf("%s: root written %v, error %v", name, rooted, err)
			}
			if err == nil {
				accepted++
			} else {
				refused++
			}
		}
	}
	t.Logf("%d refused, %d became a tree", refused, accepted)
	if accepted == 0 || refused == 0 {
		t.Error("the damage is of one sort only")
	}
}
