package diff

import (
	"snapline/pkg/contract/tree"
	"snapline/pkg/read/blocks"
)

// Prompt is how much of the old timeline prompt stays as it was: the leading blocks, which
// a provider's prompt cache can reuse.
type Prompt struct {
	Blocks    int    `json:"blocks"` // leading blocks that are the same
	OldBlocks int    `json:"old_blocks"`
	Bytes     int64  `json:"bytes"` // of the leading blocks
	OldBytes  int64  `json:"old_bytes"`
	Broken    *Break `json:"broken_by"` // null when every block is the same
}

// Break is what made the first block differ.
type Break struct {
	Block  int    `json:"block"` // its index in the old prompt, from 0
	Kind   string `json:"kind"`  // of the object that did it: a record's kind, or a block's
	ID     string `json:"id,omitempty"`
	Reason Reason `json:"reason"`
}

// Reason is why a block differs.
type Reason string

// The reasons.
const (
	Appended    Reason = "appended" // a record that follows all old ones: every old record stays
	Inserted    Reason = "inserted" // a record that stands before old ones
	Edit        Reason = "edited"   // the record's bytes are others
	Removed     Reason = "removed"  // the record or its text is gone
	StateDiffer Reason = "state"    // what stands behind the records is another
)

// prompt compares the blocks of the two timelines.
func (d *Diff) prompt() error {
	options := blocks.Options{ViewPath: tree.TimelinePath, Format: blocks.NDJSON}
	before, err := blocks.New(d.before, options)
	if err != nil {
		return err
	}
	after, err := blocks.New(d.after, options)
	if err != nil {
		return err
	}
	p := &d.Prompt
	p.OldBlocks = len(before.Blocks)
	for i := range before.Blocks {
		b := &before.Blocks[i]
		p.OldBytes += b.Bytes
		if p.Broken != nil {
			continue
		}
		if i < len(after.Blocks) && after.Blocks[i].Kind == b.Kind && after.Blocks[i].Path == b.Path && after.Blocks[i].SHA256 == b.SHA256 {
			p.Blocks++
			p.Bytes += b.Bytes
			continue
		}
		p.Broken = d.broken(before, after, i)
	}
	if p.Broken == nil && len(after.Blocks) > len(before.Blocks) {
		p.Broken = d.broken(before, after, len(before.Blocks))
	}
	return nil
}

// broken tells why the blocks at i differ.
func (d *Diff) broken(before, after *blocks.Prompt, i int) *Break {
	b := &Break{Block: i}
	row := func(p *blocks.Prompt) *tree.ManifestRecord {
		if i >= p.Records {
			return nil
		}
		t := d.before
		if p == after {
			t = d.after
		}
		return t.RecordAt(p.Blocks[i].Path)
	}
	was, is := row(before), row(after)
	about := func(r *tree.ManifestRecord, reason Reason) *Break {
		b.Kind, b.ID, b.Reason = string(r.Kind), r.ID, reason
		return b
	}
	switch {
	case was == nil && is != nil:
		return about(is, Appended)
	case was == nil:
		b.Reason = StateDiffer
		b.Kind = kindAt(before, after, i)
		return b
	}
	switch now := d.after.Record(was.RecordKey); {
	case now == nil || now.ContentPath == "":
		return about(was, Removed)
	case now.ContentPath == was.ContentPath && digestOf(d.after, now.ContentPath) != digestOf(d.before, was.ContentPath):
		if is != nil && is.RecordKey == was.RecordKey {
			return about(was, Edit)
		}
	case now.ContentPath != was.ContentPath:
		return about(was, Edit) // its time is another, and with it its place
	}
	return about(is, Inserted)
}

// kindAt is the kind of the first block that differs behind the records.
func kindAt(before, after *blocks.Prompt, i int) string {
	if i < len(before.Blocks) {
		return string(before.Blocks[i].Kind)
	}
	return string(after.Blocks[i].Kind)
}
