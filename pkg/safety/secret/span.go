package secret

import "slices"

// Span is a piece of text to be replaced.
type Span struct {
	Start, End int
	Code       Code
}

// merge sorts spans and joins those that overlap; the most specific code of a group
// wins. The result is in place.
func merge(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			last := &out[n-1]
			last.End = max(last.End, s.End)
			last.Code = min(last.Code, s.Code)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Redact appends text to dst with every span, which merge has ordered, replaced by
// the marker of its code. The spans become the places of the markers in dst.
func Redact(dst, text []byte, spans []Span) []byte {
	grow := len(text)
	for _, s := range spans {
		grow += len(s.Code.Marker()) - (s.End - s.Start)
	}
	dst = slices.Grow(dst, grow)
	at := 0
	for k, s := range spans {
		dst = append(dst, text[at:s.Start]...)
		spans[k].Start = len(dst)
		dst = append(dst, s.Code.Marker()...)
		spans[k].End = len(dst)
		at = s.End
	}
	return append(dst, text[at:]...)
}
