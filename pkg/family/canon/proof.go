package canon

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Proof is a mechanical proof of read: what someone who had the section before them
// can quote. Its form is that of the protocol's helper.
type Proof struct {
	Source    string   `json:"source"`
	Heading   string   `json:"heading"`
	LineRange [2]int   `json:"line_range"` // 1-based, inclusive
	First     []string `json:"first_5_words"`
	Last      []string `json:"last_5_words"`
	Words     int      `json:"word_count"`
}

// The reasons why there is no proof.
var (
	errNoHeading = errors.New("heading not found")
	errNotText   = errors.New("not UTF-8 text")
)

// ProofOfRead proves the whole text, or the section under a heading: an exact line
// first, then a heading's text. The section ends before the next heading of the same
// or a higher level; under a line that is no heading it runs to the end. Lines end at
// every Unicode line break, and code fences are not understood: both as the protocol's
// helper has it. Ten words or fewer stand in both lists.
func ProofOfRead(source string, raw []byte, heading string) (Proof, error) {
	if !utf8.Valid(raw) {
		return Proof{}, errNotText
	}
	text := strings.TrimPrefix(string(raw), "\ufeff")
	lines := splitLines(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	p := Proof{Source: normalPath(source), Heading: "FULL_FILE", LineRange: [2]int{1, len(lines)}}
	if heading != "" {
		at := findHeading(lines, heading)
		if at < 0 {
			return Proof{}, errNoHeading
		}
		end := sectionEnd(lines, at)
		p.Heading, p.LineRange = strings.TrimRight(lines[at], "\n"), [2]int{at + 1, end}
		lines = lines[at:end]
	}
	words := strings.FieldsFunc(strings.Join(lines, ""), isSpace)
	p.Words, p.First, p.Last = len(words), words, words
	if len(words) > 10 {
		p.First, p.Last = words[:5], words[len(words)-5:]
	}
	return p, nil
}

func findHeading(lines []string, heading string) int {
	for i, l := range lines {
		if strings.TrimRight(l, "\n") == heading {
			return i
		}
	}
	wanted := headingText(heading)
	for i, l := range lines {
		if l = strings.TrimRight(l, "\n"); level(l) > 0 && headingText(l) == wanted {
			return i
		}
	}
	return -1
}

func headingText(line string) string {
	return strings.TrimFunc(strings.TrimLeft(strings.TrimFunc(line, isSpace), "#"), isSpace)
}

func sectionEnd(lines []string, at int) int {
	top := level(strings.TrimRight(lines[at], "\n"))
	for i := at + 1; i < len(lines); i++ {
		if l := level(lines[i]); l > 0 && l <= top {
			return i
		}
	}
	return len(lines)
}

// level gives the level of a heading line, 0 for any other. White space after the
// marks is needed; the line's own end counts as such.
func level(line string) int {
	rest := strings.TrimLeft(line, "#")
	marks := len(line) - len(rest)
	if marks > 6 || strings.IndexFunc(rest, isSpace) != 0 {
		return 0
	}
	return marks
}

// isSpace is white space as the helper's language has it: Unicode's and the four
// information separators.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// splitLines cuts after every Unicode line break and keeps it.
func splitLines(text string) []string {
	var out []string
	from := 0
	for i, r := range text {
		switch r {
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			end := i + len(string(r))
			out = append(out, text[from:end])
			from = end
		}
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

// String gives the proof as the helper prints it without its JSON option.
func (p Proof) String() string {
	return fmt.Sprintf("source: %s\nheading: %s\nline_range: %d-%d\nfirst_5_words: %s\nlast_5_words: %s\nword_count: %d\n",
		p.Source, p.Heading, p.LineRange[0], p.LineRange[1], strings.Join(p.First, " "), strings.Join(p.Last, " "), p.Words)
}
