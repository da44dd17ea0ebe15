package safety

import (
	"sort"

	"snapline/pkg/contract"
	"snapline/pkg/safety/injection"
)

// An invisible character between two words is removed like one inside a word, and then
// the words are one. Whoever reads them still sees two: so the text is looked at once
// more with spaces in those places.

// scanApart looks for injections in text with a space at each joint.
func (w *Worker) scanApart(text []byte) []contract.Finding {
	out, at := w.apart[:0], 0
	for _, j := range w.joints {
		out = append(append(out, text[at:j]...), ' ')
		at = int(j)
	}
	w.apart = append(out, text[at:]...)
	if tell := w.injection.OnMatch; tell != nil {
		w.injection.OnMatch = func(m injection.Match) {
			m.Start, m.End = w.together(m.Start), w.together(m.End)
			tell(m)
		}
	}
	return w.injection.ScanAll(w.apart)
}

// together gives the place in the text of a place in w.apart.
func (w *Worker) together(pos int) int {
	return pos - sort.Search(len(w.joints), func(k int) bool { return int(w.joints[k])+k >= pos })
}
