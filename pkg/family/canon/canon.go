// Package canon knows the two documents of Canon Boundary Guard, protocol
// version 1.1: SESSION_STATE, the complete working state of a conversation, and
// CANON_STATE_DELTA, which carries the reason of a change and the complete new state.
//
// Raw bytes come in; out come what the stages need of one document (Read), its parts
// when several travel in one file (Split), and the verdicts on a set of them, one by one
// and as a chain (Judge). No byte is ever changed: the protocol hashes values and quotes
// sentences.
package canon

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"snapline/pkg/family/document"
	"snapline/schemas"
)

// The two formats.
const (
	State = "session-state"
	Delta = "state-delta"
)

var (
	// formats are read when a document is: a run on an entity needs none.
	formats = sync.OnceValue(func() map[string]*document.Schema {
		files := document.LoadSchemas(schemas.Files, "canon/v1")
		return map[string]*document.Schema{State: files["session-state.schema.json"], Delta: files["state-delta.schema.json"]}
	})
	tolerating = document.Options{ByteOrderMark: true}
	deltaType  = sync.OnceValue(func() string { return formats()[Delta].Properties["type"].Const })
)

// formatOf tells which of the two formats a value was meant to be: a delta if it calls
// itself one, else the one with more of its members in it.
func formatOf(v *document.Value) string {
	if kind := v.Member("type"); kind.Is(document.String) && kind.Text == deltaType() {
		return Delta
	}
	count := func(s *document.Schema) (n int) {
		for _, name := range s.Required {
			if v.Member(name) != nil {
				n++
			}
		}
		return n
	}
	if count(formats()[Delta]) > count(formats()[State]) {
		return Delta
	}
	return State
}

// Read is the family's function. Every string of a state is part of a protocol: none
// is replaced, and one with a hidden character or a secret refuses the document. Line
// and paragraph separators are line breaks here, not hidden characters.
func Read(raw []byte) (document.Reading, error) {
	v, faults := document.Parse(raw, tolerating)
	if faults != nil {
		return document.Reading{Order: unnumbered}, faults[0]
	}
	r := document.Reading{Format: formatOf(v)}
	r.Order = orderKey(v, r.Format)
	_, r.Texts = formats()[r.Format].Check(v, "")
	for i := range r.Texts {
		t := &r.Texts[i]
		t.Policy = document.Refuse
		t.Value = lineBreaks.Replace(t.Value)
	}
	return r, nil
}

var lineBreaks = strings.NewReplacer("\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// unnumbered sorts a document without a sequence number last: it may be the newest, and
// what keeps the newest must not lose it as an old one.
const unnumbered = "~"

// orderKey sorts by sequence number, a state before the delta of the same number.
func orderKey(v *document.Value, format string) string {
	n := integer(v.Member("state_seq"))
	if format == Delta {
		n = integer(v.Member("seq"))
	}
	if n == nil || n.Sign() < 0 {
		return unnumbered
	}
	digits := n.String()
	return fmt.Sprintf("%04d:%s:%d", len(digits), digits, slices.Index([]string{State, Delta}, format))
}
