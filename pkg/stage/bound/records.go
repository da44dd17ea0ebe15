package bound

import (
	"bytes"
	"slices"

	"snapline/pkg/fault"
	"snapline/pkg/record"
)

// placed is a comment or review with its place among both.
type placed struct {
	*record.Record
	sequence int
	cut      bool // content was removed; the rescan is due if the record is retained
}

// record takes the next record: the entity is written, a comment or review enters
// its window with a body that is already cut, so that the window stays small.
func (s *stage) record(r *record.Record) error {
	if r.Kind == record.KindEntity {
		return s.entityRecord(r)
	}
	p := placed{Record: r, sequence: s.sequence, cut: s.cutBody(r)}
	s.sequence++
	source := s.comments
	if r.Kind == record.KindReview {
		source = s.reviews
	}
	if old, dropped := source.offer(p); dropped {
		s.miss(recordName(old.Record), scopeOf(old.Kind), record.ProfileBound)
		s.recycle(old.Record)
	}
	return nil
}

// flushRecords writes the retained comments and reviews in their common order, with
// what the selection cannot know before: unsafe and oversize ones (AMB-02, AMB-03).
func (s *stage) flushRecords() error {
	if !s.entity {
		return &fault.Error{Exit: fault.Input, Rule: "stream.entity-record", Detail: "the stream has no record of kind entity"}
	}
	retained := append(s.comments.take(), s.reviews.take()...)
	slices.SortFunc(retained, func(a, b placed) int { return a.sequence - b.sequence })
	for _, p := range retained {
		if err := s.retain(p); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) retain(p placed) error {
	r, scope := p.Record, scopeOf(p.Kind)
	if r.Content.Form == record.FormOversize {
		s.miss(recordName(r), scope, record.SourceTooLarge) // leaves no row (AMB-04)
		return nil
	}
	if p.cut {
		if _, err := s.rescanWhole(r.Content.Bytes, r.Filter); err != nil {
			return err
		}
	}
	if r.Filter.Status == record.Rejected {
		r.Content = record.Content{}
		if p.cut {
			s.miss(recordName(r), scope, record.UnsafeContent)
		} else {
			s.count(scope, record.UnsafeContent)
		} // its row remains (GAP-09)
	}
	return s.writeRecord(r)
}

// cutBody bounds the body of a record and reports whether content was removed.
func (s *stage) cutBody(r *record.Record) bool {
	if r.Content.Form != record.FormText {
		return false
	}
	bounded, shorter := cutText(r.Content.Bytes, s.header.Collection.Bounds.MaxRecordBytes)
	if shorter || len(bounded) != len(r.Content.Bytes) {
		s.recycle(r)
		r.Content = record.Text(bounded)
	} else if held := cap(r.Content.Bytes) + cap(r.Content.Literal); held > 4*len(bounded)+spare {
		// A small body in the buffer of a long line would keep that in the window.
		bounded = bytes.Clone(bounded)
		s.recycle(r)
		r.Content = record.Text(bounded)
	}
	if shorter {
		r.Filter.Status = record.Truncated
	}
	return shorter
}

// spare is how many bytes a retained body may hold beyond its own.
const spare = 4 << 10

// writeRecord writes a record as it will be emitted and remembers what refers to it
// and to whom it refers.
func (s *stage) writeRecord(r *record.Record) error {
	if r.Filter.Status == record.Truncated {
		s.note(recordName(r), scopeOf(r.Kind), "body cut")
	}
	if r.Content.Form == record.FormText {
		s.present[r.RecordKey] = r.Kind
	}
	s.reference(r.AuthorID)
	s.reference(r.DismissedBy)
	if err := s.write(r); err != nil {
		return err
	}
	s.recycle(r)
	return nil
}

func scopeOf(kind record.Kind) record.Scope {
	switch kind {
	case record.KindComment:
		return record.ScopeComments
	case record.KindReview:
		return record.ScopeReviews
	case record.KindCheck:
		return record.ScopeChecks
	case record.KindEntity, record.KindThread:
	}
	return record.ScopeEntity
}

func recordName(r *record.Record) string { return string(r.Kind) + " " + r.ID }
