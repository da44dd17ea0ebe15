package check

import "snapline/pkg/finding"

// Rule is an invariant of a tree with its stable name and what it wants.
type Rule struct {
	Name    string
	Meaning string
}

func (r Rule) at(path, position string) finding.Finding {
	return finding.Finding{Rule: r.Name, Path: path, Position: position, Detail: r.Meaning}
}

// rules collects every declared rule, so that tests can demand a damage for each.
var rules []Rule

func rule(name, meaning string) Rule {
	r := Rule{name, meaning}
	rules = append(rules, r)
	return r
}

// The place of a tree and its files on disk (TREE-01, VER-03, VER-04, LIF-01, LIF-02).
var (
	RuleParent         = rule("tree.parent", "the root's parent must belong to the caller or be sticky")
	RuleRoot           = rule("tree.root", "the root must be a real directory, not a link")
	RuleSymlink        = rule("tree.symlink", "a symbolic link; only real directories and regular files count")
	RuleSpecial        = rule("tree.special-file", "neither a directory nor a regular file")
	RuleHardLink       = rule("tree.hard-link", "a regular file must have exactly one link")
	RuleMode           = rule("tree.mode", "wrong permission bits")
	RuleExtraDirectory = rule("tree.extra-directory", "a directory that no listed file needs")
	RuleUnlistedFile   = rule("tree.unlisted-file", "a file that the index does not list")
	RuleMissingFile    = rule("tree.missing-file", "the index lists a file that is not there")
	RuleMoved          = rule("tree.moved", "changed while the tree was read")
	RuleSize           = rule("file.size", "the length differs from the index")
	RuleDigest         = rule("file.digest", "the bytes differ from the index")
)

// The root of trust and the form of documents (VER-02, CMP-01, CMP-02, CAN-01).
var (
	RuleRootDiffers   = rule("index.root-differs", "another root than the digest that was given; nothing in it is trusted")
	RuleIndexMissing  = rule("index.missing", "the tree has no index.json")
	RuleSchemaVersion = rule("index.schema-version", "schema_version must be 1")
	RuleFilterVersion = rule("snapshot.filter-version", "another filter version than that of this program: what it would find differs, so it judges nothing else")
	RuleTooLarge      = rule("document.too-large", "longer than any document of a tree may be")
	RuleNotJSON       = rule("document.not-json", "not one strict JSON text in UTF-8")
	RuleNotCanonical  = rule("document.not-canonical", "not in RFC 8785 form")
	RuleSchema        = rule("document.schema", "breaks the document's schema")
)

// The index (MAN, GAP, SRC, KEY, ID and FLT rows).
var (
	RuleFilesOrder       = rule("files.order", "files[] must be sorted by path, each path once")
	RuleFilesRole        = rule("files.role", "path, role, media type and presence of a filter must fit each other")
	RuleFilesFilter      = rule("files.filter", "the filter of this file must be what its records and role prescribe")
	RuleFilesUnexpected  = rule("files.unexpected", "a listed file that no record, thread or review calls for")
	RuleFilesAbsent      = rule("files.absent", "files[] lacks a file that a record, thread or review calls for")
	RuleProfile          = rule("index.collection-profile", "must be the digest of collection.json")
	RuleIndexEntity      = rule("index.entity", "must equal entity/metadata.json")
	RuleSource           = rule("index.source", "host must be a lowercase DNS name, with a port only if it is not 443")
	RuleID               = rule("id.pattern", "an identifier outside the forge's own pattern")
	RuleStructuralLength = rule("structural.too-long", "a structural string longer than max_metadata_string_bytes")
	RuleStructuralUnsafe = rule("structural.unsafe", "the filters would change or reject this path")
	RuleRecordsOrder     = rule("records.order", "records[] must be sorted by created_at, then record_key, each key once")
	RuleRecordKey        = rule("records.key", "the key does not follow from source, kind and id")
	RuleRecordPath       = rule("records.path", "the path does not follow from creation time and key")
	RuleRecordEntity     = rule("records.entity", "there must be one entity record, equal to entity/metadata.json")
	RuleRecordSource     = rule("records.source", "a record of a source that collection.json does not include or the forge does not have")
	RuleRecordCount      = rule("records.count", "more than max_records_per_source")
	RuleLogPath          = rule("records.log-path", "a log that the selection or its check does not allow")
	RuleGapsOrder        = rule("gaps.order", "gaps[] must be sorted by scope, then code, each pair once")
	RuleGapScope         = rule("gaps.scope", "a gap of a source that collection.json does not include")
	RuleGapUnsafe        = rule("gaps.unsafe-content", "must count at least the rejected records of its scope")
	RuleGapLog           = rule("gaps.check-logs", "must count each selected log that is missing, or a failure of the whole source")
	RuleFindingsOrder    = rule("filter.findings-order", "findings must be sorted by code, each code once")
	RuleFilterStatus     = rule("filter.status", "the status does not fit its findings or its text")
	RuleFilterSummary    = rule("filter.summary", "the filter does not fit the filter of another document on the same texts")
)

// The documents (COL, DSP, REV, THR, ACT, RUN and CHK rows, invariants 7 to 11).
var (
	RuleSources       = rule("collection.sources", "included_sources must be sorted")
	RuleKind          = rule("entity.kind", "the entity kind must be the same in all documents")
	RuleLabels        = rule("entity.labels", "labels must be sorted, each once, at most max_labels")
	RuleDisplayLength = rule("display.too-long", "a display string longer than max_metadata_string_bytes")
	RuleDisplayUnsafe = rule("display.unsafe", "the filters would change or reject this text")
	RuleReviewsOrder  = rule("reviews.order", "reviews[] must be sorted by submitted_at, then id, each id once")
	RuleReviewRecord  = rule("reviews.record", "each retained review has one row and each row a retained review with its time")
	RuleThreadsOrder  = rule("threads.order", "threads[] must be sorted by created_at, then id, each id once")
	RuleThreadKey     = rule("threads.key", "key and order path must follow from source and id")
	RuleThreadSource  = rule("threads.source", "threads need comments and reviews")
	RuleThreadRecord  = rule("threads.record", "must be a retained comment")
	RuleThreadReply   = rule("threads.reply", "a reply edge joins two records of its thread, in native order, each reply once")
	RuleThreadReview  = rule("threads.review", "must be a retained review with its own key")
	RuleStateOrder    = rule("thread-state.order", "threads[] must be sorted by thread_key, each key once")
	RuleStateOutdated = rule("thread-state.outdated", "only GitHub says that a thread is outdated")
	RuleStateSet      = rule("thread-state.set", "relations and state must hold the same threads")
	RuleActorsOrder   = rule("actors.order", "actors[] must be sorted by id, each id once")
	RuleActorMissing  = rule("actors.missing", "a referenced actor has no row; read it as role_verified false")
	RuleActorExtra    = rule("actors.unreferenced", "a row that nothing references")
	RuleActorLogin    = rule("actors.login", "an author's login must be that of the actor's row")
	RuleActorAdmitted = rule("actors.admission", "an author whom human_min_role does not admit")
	RuleRunsOrder     = rule("runs.order", "runs[] must be sorted by completed_at, then id, each id once")
	RuleRunResult     = rule("runs.result", "result_record_keys must be sorted, each the key of a record that was not rejected")
	RuleCheckRow      = rule("check.record", "id and created_at must equal the check's manifest record")
	RuleCheckHead     = rule("check.head", "all checks of a tree share one head_sha")
)

// The byte contracts of text files (REC, ORD, BND and INJ rows).
var (
	RuleHeader      = rule("record.header", "the header lines must be those of the manifest record")
	RuleTextForm    = rule("text.form", "text must be UTF-8 with LF lines, no byte-order mark, and end in exactly one LF unless empty")
	RuleTextLength  = rule("text.too-long", "longer than the profile's bound")
	RuleTextUnsafe  = rule("text.unsafe", "the filters would change or reject this text")
	RuleTextRescan  = rule("text.rescan", "truncated text that is unsafe on its own")
	RuleOrderForm   = rule("order.form", "an order file is zero or more content paths, each with an LF, none twice")
	RuleOrderLines  = rule("order.lines", "the lines must be those that index, relations and state give")
	RuleRebuild     = rule("rebuild.differs", "the stream gives other bytes")
	RuleRebuildOnly = rule("rebuild.missing", "the stream gives a file that the tree does not have")
	RuleRebuildNone = rule("rebuild.extra", "the tree has a file that the stream does not give")
)
