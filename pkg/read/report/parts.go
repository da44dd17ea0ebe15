package report

import (
	"strings"
	"unicode/utf8"

	"snapline/pkg/contract/tree"
)

// Text is what a record says, cut into parts whose texts together are the whole.
type Text struct {
	Key   string
	Lines int
	Long  bool // folded until somebody asks for it
	Parts []Part
}

// Part is prose or a fenced block of code.
type Part struct {
	Code bool
	Runs []Run
}

// Run is a piece of text; Mark says that it stands for something that was redacted.
type Run struct {
	Text string
	Mark bool
}

// A text with more is folded.
const (
	longLines = 40
	longBytes = 6000
)

func newText(key, body string, f tree.Filter) *Text {
	t := &Text{Key: key, Lines: strings.Count(body, "\n")}
	t.Long = t.Lines > longLines || len(body) > longBytes
	for _, p := range parts(body) {
		for text := p.text; text != ""; {
			n := chunk(text)
			t.Parts = append(t.Parts, Part{p.code, marked(text[:n], f)})
			text = text[n:]
		}
	}
	return t
}

// chunkBytes bounds what a browser has to lay out at once: it leaves parts alone that
// nobody looks at, and a line of a million letters costs it half a minute.
const chunkBytes = 8192

// chunk gives how much of a text is one part: whole lines, or a piece of a long line.
func chunk(text string) int {
	if len(text) <= chunkBytes {
		return len(text)
	}
	if n := strings.LastIndexByte(text[:chunkBytes], '\n'); n >= 0 {
		return n + 1
	}
	n := chunkBytes
	for n > 1 && n > chunkBytes-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

type part struct {
	code bool
	text string
}

// parts splits a text at the lines of code fences. Nothing is left out or added.
func parts(body string) []part {
	var list []part
	fence := "" // the open one
	start := 0
	for at := 0; at < len(body); {
		end := len(body)
		if n := strings.IndexByte(body[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		mark := fenceOf(body[at:end])
		switch {
		case fence == "" && mark != "":
			list = appendPart(list, false, body[start:at])
			fence, start = mark, at
		case fence != "" && closes(body[at:end], fence):
			list = appendPart(list, true, body[start:end])
			fence, start = "", end
		}
		at = end
	}
	return appendPart(list, fence != "", body[start:])
}

func appendPart(list []part, code bool, text string) []part {
	if text == "" {
		return list
	}
	return append(list, part{code, text})
}

// fenceOf gives the three or more marks that open a block of code on a line, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, mark := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, mark))
		if n >= 3 && (mark == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// closes reports whether a line ends the block that fence opened.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// marked finds the marks of redactions: those whose code is among the findings. One that
// an author wrote with such a code cannot be told apart.
func marked(text string, f tree.Filter) []Run {
	const opening = "[REDACTED-"
	var runs []Run
	start := 0
	for at := 0; ; {
		n := strings.Index(text[at:], opening)
		if n < 0 {
			break
		}
		from := at + n
		at = from + len(opening)
		code, _, closed := strings.Cut(text[at:min(len(text), at+maxCode)], "]")
		if !closed || !found(f, code) {
			continue
		}
		at += len(code) + 1
		if from > start {
			runs = append(runs, Run{text[start:from], false})
		}
		runs = append(runs, Run{text[from:at], true})
		start = at
	}
	if start < len(text) {
		runs = append(runs, Run{text[start:], false})
	}
	return runs
}

// maxCode bounds the code of a mark and its bracket, in bytes.
const maxCode = 80

func found(f tree.Filter, code string) bool {
	for _, c := range f.Findings {
		if c.Code == code {
			return true
		}
	}
	return false
}

// How much of the end of a log is shown.
const (
	tailLines = 30
	tailBytes = 8000
)

// tail gives the last whole lines of a log, or the end of the last one if that is long.
func tail(log string) string {
	start, lines := len(log), 0
	for start > 0 && lines < tailLines {
		n := strings.LastIndexByte(log[:start-1], '\n') + 1
		if len(log)-n > tailBytes {
			break
		}
		start = n
		lines++
	}
	if start == len(log) && log != "" {
		start = max(0, len(log)-tailBytes)
		for start < len(log) && !utf8.RuneStart(log[start]) {
			start++
		}
	}
	return log[start:]
}
