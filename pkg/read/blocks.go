package read

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"snapline/pkg/check"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/stream"
)

// The kinds of blocks. Records come first and never change while their record does
// not; the other kinds change with every snapshot and come after (VIEW-02).
const (
	BlockRecord       = "record"
	BlockRelationship = "relationship"
	BlockHistory      = "history"
	BlockState        = "state"
	BlockGaps         = "gaps"
)

// after are the documents behind the records of every view.
var after = [...]struct{ kind, path string }{
	{BlockRelationship, tree.ReviewsPath},
	{BlockHistory, tree.AgentRunsPath},
	{BlockState, tree.EntityPath},
	{BlockState, tree.ActorsPath},
	{BlockState, tree.ThreadStatePath},
}

// WriteBlocks writes the view at viewPath as NDJSON: one block a record, in view order,
// with path, digest and text; then relationships, history, mutable state (for the
// timeline that of checks too, without logs) and gaps; then
// an end line that counts the blocks. A line of a record depends on that record alone,
// so that a later reply leaves all earlier lines as they are (VIEW-01 to VIEW-04).
// Every file is held against the index before it is written; output without the end
// line is not to be used.
func WriteBlocks(w io.Writer, s *check.Snapshot, view, viewPath string) error {
	order, err := s.Read(viewPath)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(order, []byte("\n"))
	paths := make([]string, 0, len(lines))
	for _, line := range lines {
		if len(line) > 0 {
			paths = append(paths, string(bytes.TrimSuffix(line, []byte("\n"))))
		}
	}
	b := &blocks{w: w, s: s}
	for _, path := range paths {
		if f := s.File(path); f == nil || f.MediaType != tree.MediaMarkdown {
			return &fault.Error{Exit: fault.Aborted, File: viewPath, Rule: check.RuleOrderForm.Name, Detail: check.RuleOrderForm.Meaning}
		}
		if err := b.file(BlockRecord, path); err != nil {
			return err
		}
	}
	for _, d := range after {
		if err := b.file(d.kind, d.path); err != nil {
			return err
		}
	}
	if viewPath == tree.TimelinePath {
		// Checks belong to the whole and to no review; a check that never ran says so.
		for i := range s.Index.Files {
			if f := &s.Index.Files[i]; f.Role == tree.RoleCheckMetadata {
				if err := b.file(BlockState, f.Path); err != nil {
					return err
				}
			}
		}
	}
	gaps, err := canonicaljson.Marshal(s.Index.Gaps)
	if err != nil {
		return err
	}
	if err := b.block(BlockGaps, "", tree.Digest(gaps), gaps); err != nil {
		return err
	}
	return b.end(view)
}

type blocks struct {
	w      io.Writer
	s      *check.Snapshot
	line   []byte
	number int
}

func (b *blocks) file(kind, path string) error {
	text, err := b.s.Read(path)
	if err != nil {
		return err
	}
	if !utf8.Valid(text) {
		return &fault.Error{Exit: fault.Aborted, File: path, Rule: check.RuleTextForm.Name, Detail: check.RuleTextForm.Meaning}
	}
	return b.block(kind, path, b.s.File(path).SHA256, text)
}

// block writes one line. Its text is untrusted, whatever it says (VIEW-07, VIEW-08).
func (b *blocks) block(kind, path, digest string, text []byte) error {
	b.number++
	b.line = append(b.line[:0], `{"type":"`+kind+`",`...)
	if path != "" {
		b.line = append(b.line, `"path":`...)
		b.line = append(stream.AppendString(b.line, path), ',')
	}
	b.line = append(b.line, `"sha256":"`+digest+`","untrusted":true,"text":`...)
	b.line = append(stream.AppendString(b.line, text), "}\n"...)
	_, err := b.w.Write(b.line)
	return err
}

func (b *blocks) end(view string) error {
	line, err := json.Marshal(struct {
		Type         string `json:"type"`
		View         string `json:"view"`
		Blocks       int    `json:"blocks"`
		IndexSHA256  string `json:"index_sha256"`
		IndexChecked bool   `json:"index_checked"`
	}{"end", view, b.number, b.s.IndexSHA256, b.s.Checked})
	if err != nil {
		return err
	}
	_, err = b.w.Write(append(line, '\n'))
	return err
}
