package emit

import (
	"bytes"

	"snapline/pkg/fault"
	"snapline/pkg/record"
	"snapline/pkg/safety"
)

// The reader has checked form, order, keys, patterns, references and digests of the
// stream. promises checks what bound promises besides, since a tree that breaks it
// would not conform: counts, sizes, line feeds, labels, reply edges, gaps.
type promises struct {
	header *record.Snapshot
	kept   map[record.Scope]int64
}

// newPromises checks the header.
func newPromises(h *record.Snapshot) (*promises, error) {
	p := &promises{header: h, kept: map[record.Scope]int64{}}
	if !safety.Supported(h.FilterVersion) {
		e := broken("stream.filter-version", "the stream was filtered by version %s, this program knows %s", fault.Quote(h.FilterVersion), safety.Version)
		e.Hint = "use the five programs of one release"
		return nil, e
	}
	if h.Family != record.FamilyEntity {
		return p, nil
	}
	for i, label := range h.Entity.Labels {
		if i > 0 && h.Entity.Labels[i-1] >= label {
			return nil, broken("bounded.labels", "labels are not sorted and unique")
		}
		if err := p.display("label", label); err != nil {
			return nil, err
		}
	}
	if n, most := int64(len(h.Entity.Labels)), h.Collection.Bounds.MaxLabels; n > most {
		return nil, broken("bounded.labels", "there are %d labels and max_labels is %d", n, most)
	}
	return p, p.display("title", h.Entity.Title)
}

// line checks one line of an entity stream.
func (p *promises) line(line record.Line) error {
	b := p.header.Collection.Bounds
	switch l := line.(type) {
	case *record.Actor:
		if l.Login != nil {
			return p.display("login", *l.Login)
		}
	case *record.Record:
		if err := p.keep(sources[l.Kind]); err != nil {
			return err
		}
		return text("body", l.Content.Bytes, b.MaxRecordBytes)
	case *record.Thread:
		return replies(l)
	case *record.Check:
		if err := p.keep(record.ScopeChecks); err != nil {
			return err
		}
		return p.display("name", l.Name)
	case *record.Run:
		if err := p.keep(record.ScopeAgentRuns); err != nil {
			return err
		}
		return p.display("agent", l.Agent)
	case *record.Log:
		return text("log", l.Content.Bytes, b.MaxLogBytes)
	case *record.Gap:
		if l.Scope == record.ScopeEntity && l.Code.Usability() == "unusable" {
			return &fault.Error{
				Exit: fault.Aborted, Rule: "bounded.entity-gap", Scope: string(l.Scope), Code: string(l.Code),
				Detail: "the entity itself is unusable; no tree is published", // ABT-10
			}
		}
	}
	return nil
}

var sources = map[record.Kind]record.Scope{
	record.KindEntity:  record.ScopeEntity,
	record.KindComment: record.ScopeComments,
	record.KindReview:  record.ScopeReviews,
}

// keep counts an object of a source, a rejected one too (COL-09, AMB-02).
func (p *promises) keep(source record.Scope) error {
	p.kept[source]++
	if most := p.header.Collection.Bounds.MaxRecordsPerSource; p.kept[source] > most && source != record.ScopeEntity {
		return broken("bounded.selection", "source %s has more than max_records_per_source, %d", source, most)
	}
	return nil
}

func (p *promises) display(name, s string) error {
	if most := p.header.Collection.Bounds.MaxMetadataStringBytes; int64(len(s)) > most {
		return broken("bounded.display", "a %s has %d bytes and max_metadata_string_bytes is %d", name, len(s), most)
	}
	return nil
}

// text checks a body or log: within its bound, LF line ends, exactly one at the end
// unless it is empty (REC-06, BND-02, CAN-06, CAN-07).
func text(name string, b []byte, most int64) error {
	switch {
	case len(b) == 0:
		return nil
	case int64(len(b)) > most:
		return broken("bounded.text", "a %s has %d bytes and its bound is %d", name, len(b), most)
	case b[len(b)-1] != '\n', len(b) > 1 && b[len(b)-2] == '\n':
		return broken("bounded.line-feed", "a %s does not end in exactly one line feed", name)
	case bytes.IndexByte(b, '\r') >= 0, bytes.HasPrefix(b, []byte("\ufeff")):
		return broken("bounded.line-feed", "a %s has a carriage return or a byte-order mark", name)
	}
	return nil
}

// replies: in the order of the thread's records, one for each at most, and to another
// record (THR-07).
func replies(t *record.Thread) error {
	place := make(map[string]int, len(t.RecordKeys))
	for i, key := range t.RecordKeys {
		place[key] = i
	}
	last := -1
	for _, r := range t.Replies {
		if place[r.RecordKey] <= last || r.RecordKey == r.ParentRecordKey {
			return broken("bounded.replies", "replies do not follow the thread's records, each once and to another record")
		}
		last = place[r.RecordKey]
	}
	return nil
}

func broken(rule, format string, args ...any) *fault.Error {
	return fault.New(fault.Input, rule, format, args...)
}
