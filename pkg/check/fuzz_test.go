package check

import (
	"bytes"
	"slices"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
)

// FuzzDocument puts any bytes in a document's place, with digests repaired. Nothing
// panics, and what is accepted is canonical.
func FuzzDocument(f *testing.F) {
	s := changeProposal(f, contract.GitHub)
	paths := []string{
		tree.IndexPath, tree.CollectionPath, tree.EntityPath, tree.ReviewsPath, tree.AgentRunsPath, tree.ActorsPath,
		tree.ThreadStatePath, tree.CheckPath(s.keys["k1"]),
	}
	for i, p := range paths {
		f.Add(uint8(i), s.files[p])
		f.Add(uint8(i), []byte(`{"a":1e1000000,"b":[[[]]]}`))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		path := paths[int(which)%len(paths)]
		d := s.clone()
		d.files[path] = text
		if path != tree.IndexPath {
			d.reseal(t)
		}
		findings, err := d.judgeError(marked{}, d.digest())
		if err != nil {
			t.Fatal(err)
		}
		if len(findings) == 0 && canonicaljson.Check(text) != nil {
			t.Errorf("%s: accepted and not canonical", path)
		}
	})
}

// FuzzText puts any bytes in a text file's place. An order file is accepted only as
// derived; a record or log only with its header, in form and within its bound.
func FuzzText(f *testing.F) {
	s := changeProposal(f, contract.GitHub)
	paths := []string{
		tree.TimelinePath, tree.UnresolvedReviewPath, threadOf(s), tree.ReviewViewPath(s.keys["r1"]),
		s.path("c1"), s.path("c6"), tree.LogPath(s.keys["k1"]),
	}
	const orders = 4
	for i, p := range paths {
		f.Add(uint8(i), s.files[p])
		f.Add(uint8(i), append(slices.Clone(s.files[p]), "\r\n\xff"...))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		i := int(which) % len(paths)
		d := s.clone()
		d.files[paths[i]] = text
		d.reseal(t)
		findings, err := d.judgeError(marked{}, d.digest())
		if err != nil {
			t.Fatal(err)
		}
		if len(findings) > 0 {
			return
		}
		if i < orders && !bytes.Equal(text, s.files[paths[i]]) {
			t.Errorf("%s: accepted and not as derived", paths[i])
		}
		if len(text) > 4096 || bytes.IndexByte(text, '\r') >= 0 || len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s: accepted out of form", paths[i])
		}
	})
}
