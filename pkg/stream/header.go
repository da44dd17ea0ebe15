package stream

import (
	"math"
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

func stageName(pos int) string { return contract.StageNames[pos-1] }

var stageTable = table[contract.Stage]{members: []member[contract.Stage]{
	text("stage", "RRR", func(s *contract.Stage) *string { return &s.Stage }, nil),
	text("program", "RRR", func(s *contract.Stage) *string { return &s.Program }, nonEmpty),
	text("version", "RRR", func(s *contract.Stage) *string { return &s.Version }, nonEmpty),
}}

var sourceTable = table[contract.Source]{
	members: []member[contract.Source]{
		word("forge", "RRR", func(s *contract.Source) *contract.Forge { return &s.Forge }, contract.Forges...),
		text("host", "RRR", func(s *contract.Source) *string { return &s.Host }, nil),
		text("repository_id", "RRR", func(s *contract.Source) *string { return &s.RepositoryID }, structuralID),
		text("repository", "RRR", func(s *contract.Source) *string { return &s.Repository }, nil),
	},
	check: func(d *decoder, s *contract.Source) error {
		switch {
		case !tree.ValidHost(s.Host):
			return d.broken(RuleSource, "host %s must be a lowercase name, with a port only if it is not 443", fault.Quote(s.Host))
		case !tree.ValidRepository(s.Forge, s.Repository):
			return d.broken(RuleSource, "repository %s is not as the forge spells it", fault.Quote(s.Repository))
		case !tree.ValidSource(*s):
			return d.broken(RuleSource, "repository_id %s is no id of the forge", fault.Quote(s.RepositoryID))
		}
		return nil
	},
}

var entityTable = table[contract.Entity]{
	members: []member[contract.Entity]{
		word("kind", "RRR", func(e *contract.Entity) *contract.EntityKind { return &e.Kind },
			contract.WorkItem, contract.ChangeProposal),
		text("id", "RRR", func(e *contract.Entity) *string { return &e.ID }, structuralID),
		integer("number", "RRR", func(e *contract.Entity) *int64 { return &e.Number }, 1, maxInteger),
		text("title", "RRR", func(e *contract.Entity) *string { return &e.Title }, display),
		word("state", "RRR", func(e *contract.Entity) *contract.EntityState { return &e.State },
			contract.StateOpen, contract.StateClosed, contract.StateMerged),
		nullable("author_id", "RRR", func(e *contract.Entity) **string { return &e.AuthorID }, structuralID),
		text("created_at", "RRR", func(e *contract.Entity) *string { return &e.CreatedAt }, timestamp),
		text("updated_at", "RRR", func(e *contract.Entity) *string { return &e.UpdatedAt }, timestamp),
		list("labels", "RRR", func(e *contract.Entity) *[]string { return &e.Labels }, display, nil),
	},
	check: func(d *decoder, e *contract.Entity) error {
		if e.State == contract.StateMerged && e.Kind == contract.WorkItem {
			return d.broken(RuleEntity, "a work_item cannot be merged")
		}
		return nil
	},
}

var admissionTable = table[contract.Collection]{members: []member[contract.Collection]{
	word("human_min_role", "RRR", func(c *contract.Collection) *string { return &c.HumanMinRole }, "triage", "write"),
}}

var boundsTable = table[contract.Bounds]{members: []member[contract.Bounds]{
	integer("max_labels", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxLabels }, 0, maxInteger),
	integer("max_log_bytes", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxLogBytes }, 1, maxInteger),
	integer("max_metadata_string_bytes", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxMetadataStringBytes }, 1, maxInteger),
	integer("max_record_bytes", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxRecordBytes }, 1, maxInteger),
	integer("max_records_per_source", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxRecordsPerSource }, 1, maxInteger),
	integer("max_source_bytes", "RRR", func(b *contract.Bounds) *int64 { return &b.MaxSourceBytes }, 1, contract.MaxSourceBytes),
}}

// collectionTable writes the members in the order of collection.json.
var collectionTable = table[contract.Collection]{
	members: []member[contract.Collection]{
		object("admission", "RRR", func(c *contract.Collection) *contract.Collection { return c }, &admissionTable),
		object("bounds", "RRR", func(c *contract.Collection) *contract.Bounds { return &c.Bounds }, &boundsTable),
		word("check_log_selection", "RRR", func(c *contract.Collection) *contract.LogSelection { return &c.CheckLogSelection },
			contract.LogsNone, contract.LogsFailed, contract.LogsAll),
		word("entity_kind", "RRR", func(c *contract.Collection) *contract.EntityKind { return &c.EntityKind },
			contract.WorkItem, contract.ChangeProposal),
		list("included_sources", "RRR", func(c *contract.Collection) *[]string { return &c.IncludedSources },
			oneOf(contract.ScopeAgentRuns, contract.ScopeCheckLogs, contract.ScopeChecks,
				contract.ScopeComments, contract.ScopeEntity, contract.ScopeReviews), sortedKeys),
		word("record_selection", "RRR", func(c *contract.Collection) *contract.Selection { return &c.RecordSelection },
			contract.Oldest, contract.Newest),
	},
	check: checkCollection,
}

// checkCollection holds the members of a profile against each other (COL-03 to
// COL-06).
func checkCollection(d *decoder, c *contract.Collection) error {
	if !c.Includes(contract.ScopeEntity) {
		return d.broken(RuleProfile, "included_sources must name entity")
	}
	if c.EntityKind == contract.WorkItem {
		for _, s := range []contract.Scope{contract.ScopeReviews, contract.ScopeChecks, contract.ScopeCheckLogs} {
			if c.Includes(s) {
				return d.broken(RuleProfile, "a work_item has no %s", s)
			}
		}
	}
	if c.Includes(contract.ScopeCheckLogs) != (c.CheckLogSelection != contract.LogsNone) {
		return d.broken(RuleProfile, "check_log_selection must be none exactly without check_logs")
	}
	if c.Includes(contract.ScopeCheckLogs) && !c.Includes(contract.ScopeChecks) {
		return d.broken(RuleProfile, "check_logs need checks")
	}
	return nil
}

var acquisitionTable = table[contract.Acquisition]{members: []member[contract.Acquisition]{
	text("address", "OOO", func(a *contract.Acquisition) *string { return &a.Address }, webURL),
	text("profile_name", "OOO", func(a *contract.Acquisition) *string { return &a.ProfileName }, label),
	text("request_id", "OOO", func(a *contract.Acquisition) *string { return &a.RequestID }, label),
	text("date", "OOO", func(a *contract.Acquisition) *string { return &a.Date }, timestamp),
	text("not_after", "OOO", func(a *contract.Acquisition) *string { return &a.NotAfter }, timestamp),
}}

var limitsTable = table[contract.Limits]{members: []member[contract.Limits]{
	integer("max_documents", "RRR", func(l *contract.Limits) *int64 { return &l.MaxDocuments }, 1, maxInteger),
	integer("max_document_bytes", "RRR", func(l *contract.Limits) *int64 { return &l.MaxDocumentBytes }, 1, contract.MaxSourceBytes),
	word("selection", "RRR", func(l *contract.Limits) *contract.Selection { return &l.Selection }, contract.Oldest, contract.Newest),
}}

var (
	headMembers = []member[contract.Snapshot]{
		{
			name: "stream", need: "RRR",
			read: func(d *decoder, v value, _ *contract.Snapshot) error {
				if v.kind != '"' || string(v.text) != contract.Version {
					return d.broken(RuleVersion, "this program reads %s", contract.Version)
				}
				return nil
			},
			write: func(e *encoder, _ *contract.Snapshot) { e.buf = AppendString(e.buf, contract.Version) },
		},
		word("family", "RRR", func(s *contract.Snapshot) *contract.Family { return &s.Family },
			contract.FamilyEntity, contract.FamilyCanon, contract.FamilyMSP),
		objects("stages", "RRR", func(s *contract.Snapshot) *[]contract.Stage { return &s.Stages }, &stageTable),
		onlyTrue("replay", "OOO", func(s *contract.Snapshot) *bool { return &s.Replay }),
	}

	// entityHeader is the header of family entity-context-snapshot.
	entityHeader = table[contract.Snapshot]{
		members: slices.Concat(headMembers, []member[contract.Snapshot]{
			object("source", "RRR", func(s *contract.Snapshot) *contract.Source { return &s.Source }, &sourceTable),
			object("entity", "RRR", func(s *contract.Snapshot) *contract.Entity { return &s.Entity }, &entityTable),
			filter("entity_filter", "-RR", func(s *contract.Snapshot) **contract.Filter { return &s.EntityFilter }, contract.Rejected),
			text("head_sha", "OOO", func(s *contract.Snapshot) *string { return &s.HeadSHA }, gitOID),
			optionalObject("collection", "RRR", func(s *contract.Snapshot) **contract.Collection { return &s.Collection }, &collectionTable),
			optionalObject("acquisition", "OOO", func(s *contract.Snapshot) **contract.Acquisition { return &s.Acquisition }, &acquisitionTable),
			text("filter_version", "-RR", func(s *contract.Snapshot) *string { return &s.FilterVersion }, nonEmpty),
			integer("credentials_registered", "-RR", func(s *contract.Snapshot) *int64 { return &s.CredentialsRegistered }, 0, maxInteger),
		}),
		check: checkEntityHeader,
	}

	// documentHeader is the header of the two document families.
	documentHeader = table[contract.Snapshot]{
		members: slices.Concat(headMembers, []member[contract.Snapshot]{
			optionalObject("limits", "RRR", func(s *contract.Snapshot) **contract.Limits { return &s.Limits }, &limitsTable),
			text("filter_version", "-RR", func(s *contract.Snapshot) *string { return &s.FilterVersion }, nonEmpty),
			integer("credentials_registered", "-OO", func(s *contract.Snapshot) *int64 { return &s.CredentialsRegistered }, 0, maxInteger),
		}),
	}
)

func checkEntityHeader(d *decoder, s *contract.Snapshot) error {
	c := s.Collection
	switch {
	case s.Acquisition != nil && s.Acquisition.Address != "" && !tree.URLOn(s.Source.Host, s.Acquisition.Address):
		return d.broken(RuleURL, "the address of the acquisition is not on the source's host")
	case c.EntityKind != s.Entity.Kind:
		return d.broken(RuleProfile, "entity_kind of the collection is not the entity's kind")
	case s.HeadSHA != "" && !c.Includes(contract.ScopeChecks):
		return d.broken(RuleHead, "head_sha stands only when checks are selected")
	case !tree.ValidID(s.Source.Forge, contract.KindEntity, s.Entity.ID):
		return d.broken(RuleForgeIdentifier, "the entity's id is no id of the forge")
	case s.Entity.AuthorID != nil && !tree.ValidActorID(s.Source.Forge, *s.Entity.AuthorID):
		return d.broken(RuleForgeIdentifier, "the entity's author_id is no id of the forge")
	}
	return nil
}

func headerTable(f contract.Family) *table[contract.Snapshot] {
	if f == contract.FamilyEntity {
		return &entityHeader
	}
	return &documentHeader
}

// readHeader reads the first line. Version, family and stages come first: they
// decide which table holds.
func readHeader(d *decoder, in []entry) (*contract.Snapshot, error) {
	s := &contract.Snapshot{}
	d.pos = 1
	for i := range headMembers[:3] {
		m := &headMembers[i]
		at := slices.IndexFunc(in, func(e entry) bool { return string(e.name) == m.name })
		if at < 0 {
			return nil, d.broken(RuleMissingMember, "member %s is missing", m.name)
		}
		d.path = append(d.path[:0], m.name)
		if err := m.read(d, in[at].value, s); err != nil {
			return nil, err
		}
	}
	d.path = d.path[:0]
	for i, stage := range s.Stages {
		if i >= len(contract.StageNames) || stage.Stage != contract.StageNames[i] {
			return nil, d.broken(RuleStageChain, "the stages must be fetch, then filter, then bound")
		}
	}
	if len(s.Stages) == 0 {
		return nil, d.broken(RuleStageChain, "no stage is named")
	}
	d.pos = s.Position()
	*s = contract.Snapshot{}
	return s, headerTable(familyOf(in)).read(d, in, s)
}

func familyOf(in []entry) contract.Family {
	for _, e := range in {
		if string(e.name) == "family" {
			return contract.Family(e.text)
		}
	}
	return ""
}

// lineCap is the number of bytes that a line of the type may have, LF not counted.
func lineCap(t contract.Type, h *contract.Snapshot) int64 {
	const general = 8 << 20
	switch t {
	case contract.TypeRecord, contract.TypeLog, contract.TypeDocument:
		if h == nil {
			return general
		}
		source := int64(math.MaxInt64)
		switch {
		case h.Collection != nil:
			source = h.Collection.Bounds.MaxSourceBytes
		case h.Limits != nil:
			source = h.Limits.MaxDocumentBytes
		}
		return 16*min(source, contract.MaxSourceBytes) + 64<<10
	default:
		return general
	}
}
