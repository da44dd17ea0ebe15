package bound

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// boundEntity bounds title and labels in the header (BND-04, DSP-03, DSP-04) and
// counts the labels that max_labels drops (GAP-08). A title that is unsafe or empty
// aborts (ABT-06).
func (s *stage) boundEntity() error {
	entity, filter := &s.header.Entity, s.header.EntityFilter.Clone()
	s.header.EntityFilter = &filter
	title, what, err := s.display(entity.Title, &filter)
	if err != nil {
		return err
	}
	switch what {
	case emptied:
		return entityAbort("bound.entity-title", contract.InvalidMetadata, "nothing is left of the title within max_metadata_string_bytes")
	case unsafe:
		return entityAbort("bound.entity-title", contract.UnsafeContent, "the title is unsafe when cut at max_metadata_string_bytes")
	case cut:
		s.note(s.entityName(), contract.ScopeEntity, "title cut")
	case kept:
	}
	entity.Title = title
	labels := make([]string, 0, len(entity.Labels))
	for _, label := range entity.Labels {
		label, what, err := s.display(label, &filter)
		switch {
		case err != nil:
			return err
		case what == unsafe:
			s.note(s.entityName(), contract.ScopeEntity, "a label is unsafe when cut and is dropped")
		case what == cut:
			s.note(s.entityName(), contract.ScopeEntity, "a label is cut")
		}
		if label != "" {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels) // a duplicate is no missing label (AMB-32)
	if most := s.header.Collection.Bounds.MaxLabels; int64(len(labels)) > most {
		s.missing.add(contract.ScopeEntity, contract.ProfileBound, int64(len(labels))-most)
		s.log.Notice(fault.Notice{
			Record: s.entityName(), Scope: string(contract.ScopeEntity), Code: string(contract.ProfileBound),
			Count: int64(len(labels)) - most, Text: "labels beyond max_labels",
		})
		labels = labels[:most]
		filter.Status = contract.Truncated
	}
	entity.Labels = labels
	return nil
}

// entityRecord bounds the entity body and writes it at once. A body that is unsafe
// or was too large aborts (ABT-03, ABT-04, ABT-10).
func (s *stage) entityRecord(r *contract.Record) error {
	switch {
	case r.Content.Form == contract.FormOversize:
		return entityAbort("bound.entity-body", contract.SourceTooLarge, "the body of the entity is over max_source_bytes")
	case r.Filter.Status == contract.Rejected:
		return entityAbort("bound.entity-body", contract.UnsafeContent, "the body of the entity was rejected")
	}
	if s.cutBody(r) {
		safe, err := s.rescanWhole(r.Content.Bytes, r.Filter)
		if err != nil {
			return err
		}
		if !safe {
			return entityAbort("bound.entity-body", contract.UnsafeContent, "the body of the entity is unsafe when cut at max_record_bytes")
		}
	}
	s.entity = true
	return s.writeRecord(r)
}

func entityAbort(rule string, code contract.GapCode, detail string) error {
	return &fault.Error{
		Exit: fault.Aborted, Rule: rule, Scope: string(contract.ScopeEntity), Code: string(code),
		Detail: detail, Hint: "no snapshot of this entity is possible under this profile",
	}
}

func (s *stage) entityName() string {
	return contract.Located(string(s.header.Entity.Kind)+" "+s.header.Entity.ID, contract.WebURL(s.header))
}
