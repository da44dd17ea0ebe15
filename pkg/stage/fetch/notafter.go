package fetch

import (
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
)

// timestamp writes a time as the stream has it, "" for the zero time.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	s, err := tree.Timestamp(t.UTC().Format(time.RFC3339Nano))
	if err != nil {
		return ""
	}
	return s
}

// after reports whether an instant, as the stream writes it, lies behind --not-after.
// Forges that cut to seconds and forges that do not are judged alike.
func (r *run) after(instant string) bool {
	t, err := time.Parse(time.RFC3339Nano, instant)
	return err == nil && t.Truncate(time.Second).After(r.cfg.NotAfter)
}

// native gives the instant of a native time, or other where there is none that is valid.
func native(t *string, other string) string {
	if s, err := optional(t); err == nil && s != "" {
		return s
	}
	return other
}

// there reports whether a comment or review is part of the state at --not-after. One that
// nobody could see by then was not there; one that was edited since was there with another
// text, which the forge no longer tells (AMB-93).
func (r *run) there(scope contract.Scope, object, created string, m forge.Moments) bool {
	switch {
	case r.cfg.NotAfter.IsZero():
		return true
	case r.after(native(m.VisibleAt, created)):
		r.log.Notice(fault.Notice{Record: object, Scope: string(scope), Text: "left out: it came after --not-after"})
		return false
	case r.after(native(m.EditedAt, created)):
		r.lost(scope, contract.HistoryUnavailable, object, "left out: it was edited after --not-after")
		return false
	}
	return true
}

// untouched refuses an entity that was not there, or had another body or title, at
// --not-after.
func (r *run) untouched(created string, edited *string) error {
	switch {
	case r.cfg.NotAfter.IsZero():
		return nil
	case r.after(created):
		return entityGap(contract.HistoryUnavailable, "fetch.not-after", "the entity was created after --not-after")
	case r.after(native(edited, created)):
		return entityGap(contract.HistoryUnavailable, "fetch.not-after", "the title or body of the entity was edited after --not-after")
	}
	return nil
}
