package canonguard

import (
	"bytes"

	"snapline/pkg/document"
)

// Split gives the documents in a file: the file itself, its lines if they are one
// object each, or the fenced blocks of a conversation that speak of a
// CANON_STATE_DELTA. A file that is none of these is one document, so that what
// cannot be read is reported and not left out. A state pasted into a conversation is
// no recovery source and stays out.
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

// fenced gives the contents of the code fences (three or more backticks or tildes)
// that hold a delta. A fence that is never closed ends with the file.
func fenced(raw []byte) []document.Part {
	var out []document.Part
	var fence []byte // of the open block
	start, startLine := 0, 0
	end := func(at int) {
		if block := raw[start:at]; bytes.Contains(block, []byte(formats[Delta].Properties["type"].Const)) {
			out = append(out, document.Part{Line: startLine, Raw: block})
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
