package gitlab

import (
	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
)

// location is where a note on code was written. Image and file notes have a path
// alone; legacy notes have no location that could be used.
type location struct {
	path      *string
	sha       *string
	line      *int64
	startLine *int64
	side      *contract.Side
}

// end is one end of a place: a line of the new or of the old file. A context line is
// in both and counts as one of the new file.
type end struct {
	line *int64
	side contract.Side
}

func readEnd(o strictjson.Object) end {
	if line := o.OptInt("new_line"); line != nil {
		return end{line, contract.Right}
	}
	if line := o.OptInt("old_line"); line != nil {
		return end{line, contract.Left}
	}
	return end{}
}

func readLocation(position strictjson.Object) (l location) {
	if !position.Exists() {
		return l
	}
	l.sha = position.OptText("head_sha")
	l.path = position.OptText("new_path")
	if kind := position.OptText("position_type"); kind == nil || *kind != "text" {
		return l
	}
	last := readEnd(position)
	if last.line == nil {
		return l
	}
	l.line, l.side = last.line, &last.side
	if last.side == contract.Left {
		l.path = position.OptText("old_path")
	}
	// A range that starts on the other side cannot be said in v1, and one that starts
	// where it ends is no range.
	first := readEnd(position.OptObject("line_range").OptObject("start"))
	if first.line != nil && first.side == last.side && *first.line < *last.line {
		l.startLine = first.line
	}
	return l
}

func (l location) place(t *forge.Thread) {
	t.Path, t.ReviewedSHA = l.path, l.sha
	t.Line, t.StartLine, t.Side = l.line, l.startLine, l.side
}
