package report

import (
	"io"
	"slices"
	"strings"

	"snapline/pkg/read"
	"snapline/pkg/read/diff"
)

// DiffPage is what a page says about two trees.
type DiffPage struct {
	*diff.Diff
	Old, New *Page
}

// NewDiff gathers what a page says about two trees and their difference.
func NewDiff(d *diff.Diff, before, after *read.Tree) (*DiffPage, error) {
	older, err := New(before, nil)
	if err != nil {
		return nil, err
	}
	newer, err := New(after, nil)
	return &DiffPage{d, older, newer}, err
}

// WriteHTML writes one page that needs nothing else, as private as a capture.
func (p *DiffPage) WriteHTML(w io.Writer) error { return execute(w, "diff", p) }

// Tiles are the counts of changes that are not zero.
func (p *DiffPage) Tiles() []Count {
	count := map[diff.Change]int{}
	for _, r := range p.Records {
		count[r.Change]++
	}
	var tiles []Count
	for _, c := range []Count{
		{"new texts", count[diff.New]},
		{"edited texts", count[diff.Edited]},
		{"texts gone", count[diff.Gone]},
		{"threads", len(p.Diff.Threads)},
		{"reviews", len(p.Reviews)},
		{"checks", len(p.Diff.Checks)},
		{"accounts", len(p.Actors)},
		{"counts of gaps", len(p.Diff.Gaps)},
		{"agent runs", len(p.Runs)},
	} {
		if c.N > 0 {
			tiles = append(tiles, c)
		}
	}
	return tiles
}

// Share is how much of the old prompt stays, in percent of its bytes.
func (p *DiffPage) Share() int64 { return Size{"", p.Prompt.Bytes, p.Prompt.OldBytes}.Percent() }

// ChangedText is a record that is new, gone or edited.
type ChangedText struct {
	Change diff.Change
	Shown  *Record // the later one, or the one that is gone
	Lines  []Line  // of a text that is another
}

// Texts are the records that changed, in their order.
func (p *DiffPage) Texts() ([]ChangedText, error) {
	var list []ChangedText
	for _, r := range p.Records {
		before, after := p.Old.Tree.Record(r.RecordKey), p.New.Tree.Record(r.RecordKey)
		t := ChangedText{Change: r.Change}
		if after != nil {
			t.Shown = p.New.record(after)
		} else {
			t.Shown = p.Old.record(before)
		}
		if slices.Contains(r.What, "text") {
			old, err := p.Old.Body(before)
			if err != nil {
				return nil, err
			}
			text, err := p.New.Body(after)
			if err != nil {
				return nil, err
			}
			t.Lines = lines(old, text)
		}
		list = append(list, t)
	}
	return list, nil
}

// Line is a run of lines that stayed, came (+) or went (-).
type Line struct{ Op, Text string }

// maxCells bounds the table of a comparison by lines. Longer texts are shown whole, the
// old one and the new one.
const maxCells = 4 << 20

// lines tells by lines how old became text.
func lines(old, text string) []Line {
	a, b := strings.SplitAfter(old, "\n"), strings.SplitAfter(text, "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []Line
	add := func(op string, lines []string) {
		text := strings.Join(lines, "")
		switch {
		case text == "":
		case len(out) > 0 && out[len(out)-1].Op == op:
			out[len(out)-1].Text += text
		default:
			out = append(out, Line{op, text})
		}
	}
	add("", a[:head])
	middle(a[head:len(a)-tail], b[head:len(b)-tail], add)
	add("", a[len(a)-tail:])
	return out
}

// middle gives a shortest way from a to b, by the longest common subsequence.
func middle(a, b []string, add func(string, []string)) {
	if len(a)*len(b) > maxCells {
		add("-", a)
		add("+", b)
		return
	}
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width) // of the rests from i and j
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			add("", a[i:i+1])
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			add("-", a[i:i+1])
			i++
		default:
			add("+", b[j:j+1])
			j++
		}
	}
	add("-", a[i:])
	add("+", b[j:])
}
