// Package msp knows the SnapshotState of the Muse Session Protocol, version 1: the
// folded view of one coding-agent session, bare or inside the response frame that
// served it.
//
// Raw bytes come in; out come what the stages need of one document (Read), the
// documents in a file or transcript (Split) and the verdict on one (Check). Unknown
// members are legal everywhere and never touched.
package msp

import (
	"bytes"
	"sync"

	"snapline/pkg/family/document"
	"snapline/schemas"
)

// The two formats.
const (
	State = "snapshot-state"
	Frame = "response-frame"
)

// schemaVersion is the newest version of the view that is understood.
const schemaVersion = 1

var (
	// files and formats are read when a document is: a run on an entity needs none.
	files   = sync.OnceValue(func() map[string]*document.Schema { return document.LoadSchemas(schemas.Files, "msp/v1") })
	formats = sync.OnceValue(func() map[string]*document.Schema {
		return map[string]*document.Schema{State: files()["snapshot-state.schema.json"], Frame: files()["response-frame.schema.json"]}
	})
)

// formatOf tells a frame from a bare state.
func formatOf(v *document.Value) string {
	for _, name := range [...]string{"jsonrpc", "result"} {
		if v.Member(name) != nil {
			return Frame
		}
	}
	return State
}

// Read is the family's function. Display text, which the schema marks, is replaced;
// every other string is reported. A state of a newer schema version must not be
// interpreted: nothing in it is replaced, and what would have to be refuses it.
func Read(raw []byte) (document.Reading, error) {
	v, faults := document.Parse(raw, document.Options{})
	if faults != nil {
		return document.Reading{}, faults[0]
	}
	r := document.Reading{Format: formatOf(v)}
	_, r.Texts = formats()[r.Format].Check(v, "")
	if newer(v) {
		for i := range r.Texts {
			r.Texts[i].Policy = document.Refuse
		}
	}
	return r, nil
}

func newer(v *document.Value) bool {
	version := v.At("result", "history", "snapshot", "schemaVersion")
	if !version.Is(document.Number) {
		return false
	}
	n, _ := document.Integer(version.Text)
	return n != nil && (!n.IsInt64() || n.Int64() > schemaVersion)
}

// Split gives the documents in a file: the file itself, or those lines of a transcript
// that carry a state, and how many lines do not. A line is a frame, a state, or an
// object whose member raw holds the frame's text. What cannot be read is a document
// too, so that it is reported and not left out.
func Split(raw []byte) (parts []document.Part, stateless int) {
	lines := []document.Part{{Raw: raw}}
	if !document.Grammatical(raw, document.Options{}) {
		if more := document.Lines(raw); more != nil {
			lines = more
		}
	}
	for _, l := range lines {
		v, _ := document.Parse(l.Raw, document.Options{})
		if frame := v.Member("raw"); frame.Is(document.String) && v.Member("items") == nil {
			l.Raw = bytes.TrimSuffix([]byte(frame.Text), []byte("\r"))
			v, _ = document.Parse(l.Raw, document.Options{})
		}
		if l.Line > 0 && v != nil && formatOf(v) == Frame && !carriesState(v) {
			stateless++
			continue
		}
		parts = append(parts, l)
	}
	return parts, stateless
}

// carriesState reports whether a frame has a state, or says that it has one.
func carriesState(v *document.Value) bool {
	history := v.At("result", "history")
	snapshot, mode := history.Member("snapshot"), history.Member("mode")
	if snapshot != nil && snapshot.Kind != document.Null {
		return true
	}
	return mode.Is(document.String) && modes[mode.Text].snapshot
}
