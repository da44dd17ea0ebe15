package document

import "bytes"

// Part is one document inside a file.
type Part struct {
	Line int // 1-based line of the file where it starts; 0 when the file is the document
	Raw  []byte
}

// Grammatical reports whether raw is one JSON text, duplicate members and lone
// surrogates aside.
func Grammatical(raw []byte, o Options) bool {
	_, faults := Parse(raw, o)
	for _, f := range faults {
		if f.Rule != "json.duplicate-member" && f.Rule != "json.lone-surrogate" {
			return false
		}
	}
	return true
}

// Lines gives the lines of raw that are not blank, without their ends, if there are at
// least two and each begins as a JSON object; otherwise nil. One that also ends as an
// object is enough: a line that was cut off costs itself and not the others.
func Lines(raw []byte) []Part {
	var out []Part
	whole := false
	number := 0
	for line := range bytes.SplitSeq(raw, []byte("\n")) {
		number++
		line = bytes.TrimSuffix(line, []byte("\r"))
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) == 0 {
			continue
		}
		if trimmed[0] != '{' {
			return nil
		}
		whole = whole || trimmed[len(trimmed)-1] == '}'
		out = append(out, Part{Line: number, Raw: line})
	}
	if len(out) < 2 || !whole {
		return nil
	}
	return out
}
