package ndjson

import (
	"math"
	"slices"

	"snapline/pkg/fault"
	"snapline/pkg/record"
	"snapline/pkg/tree"
)

func stageName(pos int) string { return record.StageNames[pos-1] }

var stageTable = table[record.Stage]{members: []member[record.Stage]{
	text("stage", "RRR", func(s *record.Stage) *string { return &s.Stage }, nil),
	text("program", "RRR", func(s *record.Stage) *string { return &s.Program }, nonEmpty),
	text("version", "RRR", func(s *record.Stage) *string { return &s.Version }, nonEmpty),
}}

var sourceTable = table[record.Source]{
	members: []member[record.Source]{
		word("forge", "RRR", func(s *record.Source) *record.Forge { return &s.Forge },
			record.GitHub, record.GitLab, record.Forgejo),
		text("host", "RRR", func(s *record.Source) *string { return &s.Host }, nil),
		text("repository_id", "RRR", func(s *record.Source) *string { return &s.RepositoryID }, structuralID),
		text("repository", "RRR", func(s *record.Source) *string { return &s.Repository }, nil),
	},
	check: func(d *decoder, s *record.Source) error {
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

var entityTable = table[record.Entity]{
	members: []member[record.Entity]{
		word("kind", "RRR", func(e *record.Entity) *record.EntityKind { return &e.Kind },
			record.WorkItem, record.ChangeProposal),
		text("id", "RRR", func(e *record.Entity) *string { return &e.ID }, structuralID),
		integer("number", "RRR", func(e *record.Entity) *int64 { return &e.Number }, 1, maxInteger),
		text("title", "RRR", func(e *record.Entity) *string { return &e.Title }, display),
		word("state", "RRR", func(e *record.Entity) *record.EntityState { return &e.State },
			record.StateOpen, record.StateClosed, record.StateMerged),
		nullable("author_id", "RRR", func(e *record.Entity) **string { return &e.AuthorID }, structuralID),
		text("created_at", "RRR", func(e *record.Entity) *string { return &e.CreatedAt }, timestamp),
		text("updated_at", "RRR", func(e *record.Entity) *string { return &e.UpdatedAt }, timestamp),
		list("labels", "RRR", func(e *record.Entity) *[]string { return &e.Labels }, display, nil),
	},
	check: func(d *decoder, e *record.Entity) error {
		if e.State == record.StateMerged && e.Kind == record.WorkItem {
			return d.broken(RuleEntity, "a work_item cannot be merged")
		}
		return nil
	},
}

var admissionTable = table[record.Collection]{members: []member[record.Collection]{
	word("human_min_role", "RRR", func(c *record.Collection) *string { return &c.HumanMinRole }, "triage", "write"),
}}

var boundsTable = table[record.Bounds]{members: []member[record.Bounds]{
	integer("max_labels", "RRR", func(b *record.Bounds) *int64 { return &b.MaxLabels }, 0, maxInteger),
	integer("max_log_bytes", "RRR", func(b *record.Bounds) *int64 { return &b.MaxLogBytes }, 1, maxInteger),
	integer("max_metadata_string_bytes", "RRR", func(b *record.Bounds) *int64 { return &b.MaxMetadataStringBytes }, 1, maxInteger),
	integer("max_record_bytes", "RRR", func(b *record.Bounds) *int64 { return &b.MaxRecordBytes }, 1, maxInteger),
	integer("max_records_per_source", "RRR", func(b *record.Bounds) *int64 { return &b.MaxRecordsPerSource }, 1, maxInteger),
	integer("max_source_bytes", "RRR", func(b *record.Bounds) *int64 { return &b.MaxSourceBytes }, 1, record.MaxSourceBytes),
}}

// collectionTable writes the members in the order of collection.json.
var collectionTable = table[record.Collection]{
	members: []member[record.Collection]{
		object("admission", "RRR", func(c *record.Collection) *record.Collection { return c }, &admissionTable),
		object("bounds", "RRR", func(c *record.Collection) *record.Bounds { return &c.Bounds }, &boundsTable),
		word("check_log_selection", "RRR", func(c *record.Collection) *record.LogSelection { return &c.CheckLogSelection },
			record.LogsNone, record.LogsFailed, record.LogsAll),
		word("entity_kind", "RRR", func(c *record.Collection) *record.EntityKind { return &c.EntityKind },
			record.WorkItem, record.ChangeProposal),
		list("included_sources", "RRR", func(c *record.Collection) *[]string { return &c.IncludedSources },
			oneOf(record.ScopeAgentRuns, record.ScopeCheckLogs, record.ScopeChecks,
				record.ScopeComments, record.ScopeEntity, record.ScopeReviews), sortedKeys),
		word("record_selection", "RRR", func(c *record.Collection) *record.Selection { return &c.RecordSelection },
			record.Oldest, record.Newest),
	},
	check: checkCollection,
}

// checkCollection holds the members of a profile against each other (COL-03 to
// COL-06).
func checkCollection(d *decoder, c *record.Collection) error {
	if !c.Includes(record.ScopeEntity) {
		return d.broken(RuleProfile, "included_sources must name entity")
	}
	if c.EntityKind == record.WorkItem {
		for _, s := range []record.Scope{record.ScopeReviews, record.ScopeChecks, record.ScopeCheckLogs} {
			if c.Includes(s) {
				return d.broken(RuleProfile, "a work_item has no %s", s)
			}
		}
	}
	if c.Includes(record.ScopeCheckLogs) != (c.CheckLogSelection != record.LogsNone) {
		return d.broken(RuleProfile, "check_log_selection must be none exactly without check_logs")
	}
	if c.Includes(record.ScopeCheckLogs) && !c.Includes(record.ScopeChecks) {
		return d.broken(RuleProfile, "check_logs need checks")
	}
	return nil
}

var limitsTable = table[record.Limits]{members: []member[record.Limits]{
	integer("max_documents", "RRR", func(l *record.Limits) *int64 { return &l.MaxDocuments }, 1, maxInteger),
	integer("max_document_bytes", "RRR", func(l *record.Limits) *int64 { return &l.MaxDocumentBytes }, 1, record.MaxSourceBytes),
	word("selection", "RRR", func(l *record.Limits) *record.Selection { return &l.Selection }, record.Oldest, record.Newest),
}}

var (
	headMembers = []member[record.Snapshot]{
		{
			name: "stream", need: "RRR",
			read: func(d *decoder, v value, _ *record.Snapshot) error {
				if v.kind != '"' || string(v.text) != record.Version {
					return d.broken(RuleVersion, "this program reads %s", record.Version)
				}
				return nil
			},
			write: func(e *encoder, _ *record.Snapshot) { e.buf = AppendString(e.buf, record.Version) },
		},
		word("family", "RRR", func(s *record.Snapshot) *record.Family { return &s.Family },
			record.FamilyEntity, record.FamilyCanon, record.FamilyMSP),
		objects("stages", "RRR", func(s *record.Snapshot) *[]record.Stage { return &s.Stages }, &stageTable),
		onlyTrue("replay", "OOO", func(s *record.Snapshot) *bool { return &s.Replay }),
	}

	// entityHeader is the header of family entity-context-snapshot.
	entityHeader = table[record.Snapshot]{
		members: slices.Concat(headMembers, []member[record.Snapshot]{
			object("source", "RRR", func(s *record.Snapshot) *record.Source { return &s.Source }, &sourceTable),
			object("entity", "RRR", func(s *record.Snapshot) *record.Entity { return &s.Entity }, &entityTable),
			filter("entity_filter", "-RR", func(s *record.Snapshot) **record.Filter { return &s.EntityFilter }, record.Rejected),
			text("head_sha", "OOO", func(s *record.Snapshot) *string { return &s.HeadSHA }, gitOID),
			optionalObject("collection", "RRR", func(s *record.Snapshot) **record.Collection { return &s.Collection }, &collectionTable),
			text("filter_version", "-RR", func(s *record.Snapshot) *string { return &s.FilterVersion }, nonEmpty),
			integer("credentials_registered", "-RR", func(s *record.Snapshot) *int64 { return &s.CredentialsRegistered }, 0, maxInteger),
		}),
		check: checkEntityHeader,
	}

	// documentHeader is the header of the two document families.
	documentHeader = table[record.Snapshot]{
		members: slices.Concat(headMembers, []member[record.Snapshot]{
			optionalObject("limits", "RRR", func(s *record.Snapshot) **record.Limits { return &s.Limits }, &limitsTable),
			text("filter_version", "-RR", func(s *record.Snapshot) *string { return &s.FilterVersion }, nonEmpty),
			integer("credentials_registered", "-OO", func(s *record.Snapshot) *int64 { return &s.CredentialsRegistered }, 0, maxInteger),
		}),
	}
)

func checkEntityHeader(d *decoder, s *record.Snapshot) error {
	c := s.Collection
	switch {
	case c.EntityKind != s.Entity.Kind:
		return d.broken(RuleProfile, "entity_kind of the collection is not the entity's kind")
	case s.HeadSHA != "" && !c.Includes(record.ScopeChecks):
		return d.broken(RuleHead, "head_sha stands only when checks are selected")
	case !tree.ValidID(s.Source.Forge, record.KindEntity, s.Entity.ID):
		return d.broken(RuleForgeIdentifier, "the entity's id is no id of the forge")
	case s.Entity.AuthorID != nil && !tree.ValidActorID(s.Source.Forge, *s.Entity.AuthorID):
		return d.broken(RuleForgeIdentifier, "the entity's author_id is no id of the forge")
	}
	return nil
}

func headerTable(f record.Family) *table[record.Snapshot] {
	if f == record.FamilyEntity {
		return &entityHeader
	}
	return &documentHeader
}

// readHeader reads the first line. Version, family and stages come first: they
// decide which table holds.
func readHeader(d *decoder, in []entry) (*record.Snapshot, error) {
	s := &record.Snapshot{}
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
		if i >= len(record.StageNames) || stage.Stage != record.StageNames[i] {
			return nil, d.broken(RuleStageChain, "the stages must be fetch, then filter, then bound")
		}
	}
	if len(s.Stages) == 0 {
		return nil, d.broken(RuleStageChain, "no stage is named")
	}
	d.pos = s.Position()
	*s = record.Snapshot{}
	return s, headerTable(familyOf(in)).read(d, in, s)
}

func familyOf(in []entry) record.Family {
	for _, e := range in {
		if string(e.name) == "family" {
			return record.Family(e.text)
		}
	}
	return ""
}

// lineCap is the number of bytes that a line of the type may have, LF not counted.
func lineCap(t record.Type, h *record.Snapshot) int64 {
	const general = 8 << 20
	switch t {
	case record.TypeRecord, record.TypeLog, record.TypeDocument:
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
		return 16*min(source, record.MaxSourceBytes) + 64<<10
	default:
		return general
	}
}
