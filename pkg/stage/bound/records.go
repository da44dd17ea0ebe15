package bound

import (
	"bytes"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// placed is a comment or review with its place among both.
type placed struct {
	*contract.Record
	sequence int
	cut      bool // content was removed; the rescan is due if the record is retained
}

// record takes the next record: the entity is written, a comment or review enters
// its window with a body that is already cut, so that the window stays small.
func (s *stage) record(r *contract.Record) error {
	if r.Kind == contract.KindEntity {
		return s.entityRecord(r)
	}
	p := placed{Record: r, sequence: s.sequence, cut: s.cutBody(r)}
	s.sequence++
	source := s.comments
	if r.Kind == contract.KindReview {
		source = s.reviews
	}
	if old, dropped := source.offer(p); dropped {
		s.miss(recordName(old.Record), scopeOf(old.Kind), contract.ProfileBound)
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
	if r.Content.Form == contract.FormOversize {
		s.miss(recordName(r), scope, contract.SourceTooLarge) // leaves no row (AMB-04)
		return nil
	}
	if p.cut {
		if _, err := s.rescanWhole(r.Content.Bytes, r.Filter); err != nil {
			return err
		}
	}
	if r.Filter.Status == contract.Rejected {
		r.Content = contract.Content{}
		if p.cut {
			s.miss(recordName(r), scope, contract.UnsafeContent)
		} else {
			s.count(scope, contract.UnsafeContent)
		} // its row remains (GAP-09)
	}
	return s.writeRecord(r)
}

// cutBody bounds the body of a record and reports whether content was removed.
func (s *stage) cutBody(r *contract.Record) bool {
	if r.Content.Form != contract.FormText {
		return false
	}
	bounded, shorter := cutText(r.Content.Bytes, s.header.Collection.Bounds.MaxRecordBytes)
	if shorter || len(bounded) != len(r.Content.Bytes) {
		s.recycle(r)
		r.Content = contract.Text(bounded)
	} else if held := cap(r.Content.Bytes) + cap(r.Content.Literal); held > 4*len(bounded)+spare {
		// A small body in the buffer of a long line would keep that in the window.
		bounded = bytes.Clone(bounded)
		s.recycle(r)
		r.Content = contract.Text(bounded)
	}
	if shorter {
		r.Filter.Status = contract.Truncated
	}
	return shorter
}

// spare is how many bytes a retained body may hold beyond its own.
const spare = 4 << 10

// writeRecord writes a record as it will be emitted and remembers what refers to it
// and to whom it refers.
func (s *stage) writeRecord(r *contract.Record) error {
	if r.Filter.Status == contract.Truncated {
		s.note(recordName(r), scopeOf(r.Kind), "body cut")
	}
	if r.Content.Form == contract.FormText {
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

func scopeOf(kind contract.Kind) contract.Scope {
	switch kind {
	case contract.KindComment:
		return contract.ScopeComments
	case contract.KindReview:
		return contract.ScopeReviews
	case contract.KindCheck:
		return contract.ScopeChecks
	case contract.KindEntity, contract.KindThread:
	}
	return contract.ScopeEntity
}

func recordName(r *contract.Record) string { return contract.Describe(r) }
