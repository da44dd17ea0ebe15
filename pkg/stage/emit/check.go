package emit

import (
	"bytes"
	"cmp"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
)

// The reader has checked form, order, keys, patterns, references and digests of the
// stream. promises checks what the stages before promise besides, since a tree that
// breaks it would not conform: who may be heard, counts, sizes, line feeds, labels,
// reply edges, filter values, gaps. Whether text is safe only the filters can tell; they
// do not run here.
type promises struct {
	header  *contract.Snapshot
	unheard map[string]bool // actors whose records cannot have been admitted

	rows, rejected map[contract.Scope]int64
	awaited        map[string]bool // checks whose selected log has not come
	logs           int64
}

// newPromises checks the header.
func newPromises(h *contract.Snapshot) (*promises, error) {
	p := &promises{
		header: h, unheard: map[string]bool{}, rows: map[contract.Scope]int64{}, rejected: map[contract.Scope]int64{},
		awaited: map[string]bool{},
	}
	if !safety.Supported(h.FilterVersion) {
		e := broken("stream.filter-version", "the stream was filtered by version %s, this program knows %s", fault.Quote(h.FilterVersion), safety.Version)
		e.Hint = "use the five programs of one release"
		return nil, e
	}
	if h.Family != contract.FamilyEntity {
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
	return p, cmp.Or(p.structural(h), explained(h.EntityFilter), p.display("title", h.Entity.Title))
}

// line checks one line of an entity stream.
func (p *promises) line(line contract.Line) error {
	if err := p.structural(line); err != nil {
		return err
	}
	switch l := line.(type) {
	case *contract.Actor:
		return p.actor(l)
	case *contract.Record:
		return p.record(l)
	case *contract.Thread:
		if !tree.RepliesOrdered(l) {
			return broken("bounded.replies", "replies do not follow the thread's records, each once and to another record")
		}
	case *contract.Check:
		if p.header.Collection.CheckLogSelection.Selects(l) && l.Filter.Status != contract.Rejected {
			p.awaited[l.RecordKey] = true
		}
		return cmp.Or(p.keep(contract.ScopeChecks, l.Filter), explained(l.Filter), p.display("name", l.Name))
	case *contract.Run:
		return cmp.Or(p.keep(contract.ScopeAgentRuns, l.Filter), explained(l.Filter), p.display("agent", l.Agent))
	case *contract.Log:
		delete(p.awaited, l.RecordKey)
		p.logs++
		return cmp.Or(explained(l.Filter), text("log", l.Content, l.Filter, p.header.Collection.Bounds.MaxLogBytes))
	case *contract.Gap:
		if l.Scope == contract.ScopeEntity && l.Code.Usability() == "unusable" {
			return &fault.Error{
				Exit: fault.Aborted, Rule: "bounded.entity-gap", Scope: string(l.Scope), Code: string(l.Code),
				Detail: "the entity itself is unusable; no tree is published", // ABT-10
			}
		}
	}
	return nil
}

// actor remembers who cannot be heard. A bot's row does not say more than that it is
// one; of the people only those at or above the threshold are heard (ADM-04, ADM-09).
func (p *promises) actor(l *contract.Actor) error {
	if l.Kind != contract.Bot && !tree.HumanAdmitted(l.Role, l.RoleVerified, p.header.Collection.HumanMinRole) {
		p.unheard[l.ID] = true
	}
	if l.Login == nil && l.LoginFilter.Status == contract.Modified {
		return nil // a cut may have left nothing of it (AMB-28)
	}
	if l.Login != nil {
		if err := p.display("login", *l.Login); err != nil {
			return err
		}
	}
	return explained(l.LoginFilter)
}

var sources = map[contract.Kind]contract.Scope{
	contract.KindEntity:  contract.ScopeEntity,
	contract.KindComment: contract.ScopeComments,
	contract.KindReview:  contract.ScopeReviews,
}

func (p *promises) record(l *contract.Record) error {
	if l.AuthorID != nil && p.unheard[*l.AuthorID] {
		return broken("bounded.admission", "human_min_role is %s and does not admit its author", p.header.Collection.HumanMinRole)
	}
	if l.Kind == contract.KindReview && !tree.HasReviews(p.header.Source.Forge) {
		return broken("bounded.review", "%s has no formal reviews", p.header.Source.Forge)
	}
	return cmp.Or(p.keep(sources[l.Kind], l.Filter), explained(l.Filter), text("body", l.Content, l.Filter, p.header.Collection.Bounds.MaxRecordBytes))
}

// end checks what the gaps of the whole stream say of it (GAP-05, GAP-07 to GAP-09).
// unknown are the actors of unknown kind that the tree names: in it they look like
// people of whom nothing is verified (AMB-70).
func (p *promises) end(gaps tree.GapCounts, unknown int64) error {
	for _, scope := range tree.RecordScopes {
		if !gaps.CoverRejected(scope, p.rejected[scope]) {
			return broken("bounded.gaps", "%s has more rejected records than its gap unsafe_content counts", scope)
		}
	}
	switch missing := int64(len(p.awaited)); {
	case !gaps.LabelsBounded(p.header.EntityFilter.Status):
		return broken("bounded.gaps", "labels were dropped and entity_filter is not truncated")
	case gaps.Of(contract.ScopeActors, contract.InvalidMetadata) < unknown:
		return broken("bounded.gaps", "%d actors of unknown kind are named and the gap invalid_metadata of actors does not count them", unknown)
	case !gaps.CoverLogs(p.logs, missing):
		return broken("bounded.gaps", "selected logs are missing, %d of them, and the gaps of check_logs do not count so many", missing)
	}
	return nil
}

// keep counts an object of a source, a rejected one too (COL-09, AMB-02).
func (p *promises) keep(source contract.Scope, filter *contract.Filter) error {
	p.rows[source]++
	if filter.Status == contract.Rejected {
		p.rejected[source]++
	}
	if most := p.header.Collection.Bounds.MaxRecordsPerSource; p.rows[source] > most && source != contract.ScopeEntity {
		return broken("bounded.selection", "source %s has more than max_records_per_source, %d", source, most)
	}
	return nil
}

// structural: a structural string is as long as it is, or invalid (STR-06).
func (p *promises) structural(line contract.Line) error {
	for _, m := range tree.Structural(line) {
		if most := p.header.Collection.Bounds.MaxMetadataStringBytes; int64(len(m.Value)) > most {
			return broken("bounded.structural", "%s has %d bytes and max_metadata_string_bytes is %d", m.Name, len(m.Value), most)
		}
	}
	return nil
}

// explained: status and findings of a filter value fit each other (FLT-01 to FLT-04).
func explained(f *contract.Filter) error {
	if !tree.Explained(f.Status, len(f.Findings)) {
		return broken("bounded.filter-status", "a filter is %s and has %d findings", f.Status, len(f.Findings))
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
func text(name string, c contract.Content, f *contract.Filter, most int64) error {
	b := c.Bytes
	switch {
	case c.Form == contract.FormText && !tree.TextExplained(f.Status, len(b)):
		return broken("bounded.filter-status", "an empty %s is %s", name, f.Status)
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

func broken(rule, format string, args ...any) *fault.Error {
	return fault.New(fault.Input, rule, format, args...)
}
