package secret

import "bytes"

// markerStart begins every marker. A marker is fixed per code and of letters, dots,
// dashes and square brackets only, so that JSON, quotes, URLs and Markdown around it
// stay well-formed (AMB-47).
const markerStart = "[REDACTED-"

var markers = func() (m [Codes]string) {
	for c := range m {
		m[c] = markerStart + Code(c).String() + "]"
	}
	return m
}()

// Marker gives the text that replaces a value of the code.
func (c Code) Marker() string { return markers[c] }

// longestMarker bounds how far a marker reaches.
var longestMarker = func() int {
	n := 0
	for _, m := range markers {
		n = max(n, len(m))
	}
	return n
}()

// markerAt gives the length of the marker that begins at text[i], or 0.
func markerAt(text []byte, i int) int {
	rest := text[i:min(i+longestMarker, len(text))]
	if !hasAt(rest, 0, markerStart) {
		return 0
	}
	n := bytes.IndexByte(rest, ']') + 1
	for _, m := range &markers {
		if len(m) == n && string(rest[:n]) == m {
			return n
		}
	}
	return 0
}

// InMarker tells whether the name of a code in a marker begins at text[i].
func InMarker(text []byte, i int) bool {
	return i >= len(markerStart) && text[i-1] == '-' && markerAt(text, i-len(markerStart)) > 0
}

// letters counts the letters and digits of b that stand in no marker.
func letters(b []byte) int {
	n := 0
	for i := 0; i < len(b); i++ {
		if b[i] == '[' {
			if m := markerAt(b, i); m > 0 {
				i += m - 1
				continue
			}
		}
		if is(b[i], alnum) || b[i] >= 0x80 {
			n++
		}
	}
	return n
}
