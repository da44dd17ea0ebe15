package canon

import (
	"bytes"

	"snapline/pkg/family/document"
)

// Split gives the documents in a file: the file itself, its lines if they are one
// object each, or the deltas in the fenced blocks of a conversation. A file that is none
// of these is one document, so that what cannot be read is reported and not left out. A
// state pasted into a conversation is no recovery source and stays out.
func Split(raw []byte) []document.Part {
	whole := []document.Part{{Raw: raw}}
	if document.Grammatical(raw, tolerating) {
		return whole
	}
	if lines := document.Lines(bytes.TrimPrefix(raw, []byte("\ufeff"))); lines != nil {
		return lines
	}
	if blocks := fenced(raw); blocks != nil {
		return blocks
	}
	return whole
}

// fenced gives the deltas in code fences (three or more backticks or tildes), alone or
// one a line. A fence that is never closed ends with the file.
func fenced(raw []byte) []document.Part {
	var out []document.Part
	var fence []byte // of the open block
	start, startLine := 0, 0
	end := func(at int) {
		block := []document.Part{{Line: 1, Raw: raw[start:at]}}
		if lines := document.Lines(raw[start:at]); lines != nil {
			block = lines
		}
		for _, p := range block {
			if speaksOfDelta(p.Raw) {
				out = append(out, document.Part{Line: startLine + p.Line - 1, Raw: p.Raw})
			}
		}
		fence = nil
	}
	at, line := 0, 0
	for at < len(raw) {
		line++
		next := len(raw)
		if n := bytes.IndexByte(raw[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		marks, rest := fenceMarks(raw[at:next])
		switch {
		case fence == nil && marks != nil:
			fence, start, startLine = marks, next, line+1
		case fence != nil && marks != nil && bytes.HasPrefix(marks, fence) && len(rest) == 0:
			end(at)
		}
		at = next
	}
	if fence != nil {
		end(len(raw))
	}
	return out
}

// speaksOfDelta reports whether a block is a delta, or JSON in the making that names
// itself one. Other JSON that mentions the name, such as its schema, is none.
func speaksOfDelta(block []byte) bool {
	if !bytes.HasPrefix(bytes.TrimSpace(block), []byte("{")) || !bytes.Contains(block, []byte(deltaType())) {
		return false
	}
	v, _ := document.Parse(block, tolerating)
	kind := v.Member("type")
	return v == nil || kind.Is(document.String) && kind.Text == deltaType() || v.Member("current_state") != nil
}

// fenceMarks gives the marks that open or close a fence on this line, if it has any,
// and what follows them.
func fenceMarks(line []byte) (marks, rest []byte) {
	text := bytes.TrimSpace(line)
	for _, mark := range []byte("`~") {
		if n := len(text) - len(bytes.TrimLeft(text, string(mark))); n >= 3 {
			return text[:n], bytes.TrimSpace(text[n:])
		}
	}
	return nil, nil
}
