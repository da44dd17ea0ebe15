package safety

import (
	"slices"

	"snapline/pkg/safety/injection"
	"snapline/pkg/safety/secret"
)

// A rewrite is one round of redaction: what was replaced, and where the markers stand.
type rewrite struct{ before, after []secret.Span }

// explainSecrets adds the spans of one look, moved back to where they stood in the source.
func (w *Worker) explainSecrets(spans []secret.Span) {
	if !w.Explain {
		return
	}
	for _, s := range spans {
		start, end := w.place(s.Start, s.End)
		w.spans = append(w.spans, Span{Code: s.Code.String(), Start: start, End: end})
	}
}

// explainInjection makes the injection scanner report its matches.
func (w *Worker) explainInjection() {
	w.injection.OnMatch = nil
	if w.Explain {
		w.injection.OnMatch = func(m injection.Match) {
			start, end := w.place(m.Start, m.End)
			w.spans = append(w.spans, Span{Code: m.Code, Start: start, End: end})
		}
	}
}

// place moves a range of the redacted text back to the source.
func (w *Worker) place(start, end int) (int, int) {
	for _, r := range slices.Backward(w.rewrites) {
		start, _ = r.back(start)
		_, end = r.back(end)
	}
	if w.cleaned {
		start, end = w.cleaner.Source(start, end)
	}
	return min(start, w.length), min(end, w.length)
}

// back gives where a position stood before the rewrite: for one inside a marker, the
// start and the end of what the marker replaced.
func (r rewrite) back(pos int) (low, high int) {
	shift := 0
	for k, m := range r.after {
		if pos <= m.Start {
			break
		}
		if pos < m.End {
			return r.before[k].Start, r.before[k].End
		}
		shift = r.before[k].End - m.End
	}
	return pos + shift, pos + shift
}
