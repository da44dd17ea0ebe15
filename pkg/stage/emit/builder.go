package emit

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
)

// Sink takes the files of a tree, each once, in any order.
type Sink interface {
	// WriteFile takes the file at path, relative to the tree and slash-separated. data
	// is valid during the call only.
	WriteFile(path string, data []byte) error
}

// builder turns the lines of a bounded stream into the files of a tree. Records,
// checks and logs are written as they come; the rest when the stream has ended.
type builder struct {
	sink   Sink
	header *contract.Snapshot
	text   []byte // of the record file that was written last

	files   []tree.File
	bytes   int64
	records []tree.ManifestRecord
	rows    map[string]int // place in records, by key

	actors     map[string]*contract.Actor
	referenced map[string]bool // actors that the tree names
	authors    contract.Filter // login findings of all records rows (AMB-28)

	reviews []tree.Review
	threads []*contract.Thread
	runs    []tree.Run
	agents  contract.Filter
	gaps    tree.GapCounts
}

func newBuilder(out Sink, header *contract.Snapshot) *builder {
	return &builder{
		sink: out, header: header,
		rows:   map[string]int{},
		actors: map[string]*contract.Actor{}, referenced: map[string]bool{},
		authors: contract.Clean(), agents: contract.Clean(),
		gaps: tree.GapCounts{},
	}
}

// file writes one file of the tree and enters it into the manifest. filter is nil
// where the role has none (FLT-06, AMB-30).
func (b *builder) file(role tree.Role, path string, data []byte, filter *contract.Filter) error {
	if err := b.sink.WriteFile(path, data); err != nil {
		return err
	}
	file := tree.File{
		Bytes: int64(len(data)), MediaType: tree.RuleOf(role).MediaType, Path: path, Role: role, SHA256: tree.Digest(data),
	}
	if filter != nil {
		value := newFilter(*filter)
		file.Filter = &value
	}
	b.files = append(b.files, file)
	b.bytes += file.Bytes
	return nil
}

func (b *builder) json(role tree.Role, path string, document any, filter *contract.Filter) error {
	data, err := marshal(path, document)
	if err != nil {
		return err
	}
	return b.file(role, path, data, filter)
}

// marshal gives the canonical bytes of a document of at most tree.MaxDocumentBytes.
func marshal(path string, document any) ([]byte, error) {
	data, err := canonicaljson.Marshal(document)
	if err != nil {
		return nil, err
	}
	return data, bounded(path, data)
}

func bounded(path string, data []byte) error {
	if len(data) > tree.MaxDocumentBytes {
		return broken("bounded.document-size", "%s would have %d bytes and may have %d", path, len(data), tree.MaxDocumentBytes)
	}
	return nil
}

// line takes one line, which has been checked.
func (b *builder) line(line contract.Line) error {
	switch l := line.(type) {
	case *contract.Actor:
		b.actors[l.ID] = l
	case *contract.Record:
		return b.record(l)
	case *contract.Thread:
		b.threads = append(b.threads, l)
		b.reference(l.ResolvedByActorID)
	case *contract.Check:
		return b.check(l)
	case *contract.Run:
		b.run(l)
	case *contract.Log:
		return b.log(l)
	case *contract.Gap:
		addGap(b.gaps, l)
	}
	return nil
}

// recordRoles gives the role of a record's file (MAN-04).
var recordRoles = map[contract.Kind]tree.Role{
	contract.KindEntity:  tree.RoleEntityRecord,
	contract.KindComment: tree.RoleCommentRecord,
	contract.KindReview:  tree.RoleReviewRecord,
}

// record writes the file of a record and its manifest row; a rejected one has the row
// alone (MAN-09, MAN-10). The file holds nothing that can change without the record
// (REC-07, REC-10).
func (b *builder) record(r *contract.Record) error {
	row := tree.ManifestRecord{
		Author: nullable(b.login(r.AuthorID)), AuthorID: nullable(r.AuthorID), CreatedAt: r.CreatedAt,
		Filter: newFilter(*r.Filter), ID: r.ID, Kind: r.Kind, RecordKey: r.RecordKey, UpdatedAt: r.UpdatedAt,
	}
	b.reference(r.AuthorID)
	if r.AuthorID != nil {
		b.authors.Add(*b.actors[*r.AuthorID].LoginFilter)
	}
	if r.Content.Form == contract.FormText {
		row.ContentPath = tree.RecordPath(r.Kind, r.CreatedAt, r.RecordKey)
		var err error
		if b.text, err = appendRecordFile(b.text[:0], r); err != nil {
			return err
		}
		if err := b.file(recordRoles[r.Kind], row.ContentPath, b.text, nil); err != nil {
			return err
		}
		if r.Kind == contract.KindReview {
			b.review(r)
		}
	}
	b.rows[r.RecordKey] = len(b.records)
	b.records = append(b.records, row)
	return nil
}

// appendRecordFile appends the bytes of a record file: four header lines of canonical
// JSON values, an empty line, the body (REC-01 to REC-06).
func appendRecordFile(dst []byte, r *contract.Record) ([]byte, error) {
	for _, header := range []struct {
		name  string
		value *string
	}{
		{"Fullsend-Record: ", (*string)(&r.Kind)},
		{"Source-ID: ", &r.ID},
		{"Author-ID: ", r.AuthorID},
		{"Created-At: ", &r.CreatedAt},
	} {
		value := "null"
		if header.value != nil {
			var err error
			if value, err = canonicaljson.String(*header.value); err != nil {
				return nil, err
			}
		}
		dst = append(append(append(dst, header.name...), value...), '\n')
	}
	return append(append(dst, '\n'), r.Content.Bytes...), nil
}

func (b *builder) review(r *contract.Record) {
	review := tree.Review{ID: r.ID, RecordKey: r.RecordKey, ReviewedSHA: r.ReviewedSHA, State: r.State, SubmittedAt: r.CreatedAt}
	if r.State == contract.Dismissed {
		review.DismissedAt, review.DismissedByActorID = nullable(r.DismissedAt), nullable(r.DismissedBy)
		b.reference(r.DismissedBy)
	}
	b.reviews = append(b.reviews, review)
}

// check writes the metadata of a check and its manifest row, which has no author
// (CHK-08).
func (b *builder) check(c *contract.Check) error {
	row := tree.ManifestRecord{
		CreatedAt: c.CreatedAt, Filter: newFilter(*c.Filter), ID: c.ID, Kind: contract.KindCheck,
		RecordKey: c.RecordKey, UpdatedAt: c.UpdatedAt,
	}
	if c.Filter.Status != contract.Rejected {
		row.MetadataPath = tree.CheckPath(c.RecordKey)
		metadata := tree.Check{
			CompletedAt: c.CompletedAt, Conclusion: c.Conclusion, CreatedAt: c.CreatedAt, HeadSHA: c.HeadSHA, ID: c.ID,
			Name: c.Name, StartedAt: c.StartedAt, Status: c.Status,
		}
		if c.Status == contract.Completed {
			metadata.NeverStarted = &c.NeverStarted
		}
		if err := b.json(tree.RoleCheckMetadata, row.MetadataPath, metadata, c.Filter); err != nil {
			return err
		}
	}
	b.rows[c.RecordKey] = len(b.records)
	b.records = append(b.records, row)
	return nil
}

// log writes the log of a check. Its filter value covers the log alone (FLT-07).
func (b *builder) log(l *contract.Log) error {
	path := tree.LogPath(l.RecordKey)
	b.records[b.rows[l.RecordKey]].LogPath = path
	return b.file(tree.RoleCheckLog, path, l.Content.Bytes, l.Filter)
}

func (b *builder) run(r *contract.Run) {
	b.runs = append(b.runs, tree.Run{
		Agent: r.Agent, CompletedAt: r.CompletedAt, ID: r.ID, InputHeadSHA: r.InputHeadSHA, InputRevision: r.InputRevision,
		ResultRecordKeys: notNil(r.ResultRecordKeys), ResultingCommitSHA: r.ResultingCommitSHA, StartedAt: r.StartedAt, Status: r.Status,
	})
	b.agents.Add(*r.Filter)
}

// reference remembers that the tree names an actor (ACT-01).
func (b *builder) reference(id *string) {
	if id != nil {
		b.referenced[*id] = true
	}
}

func (b *builder) login(id *string) *string {
	if id == nil {
		return nil
	}
	return b.actors[*id].Login
}

// nullable makes a required member of a value that may be null.
func nullable(s *string) **string { return &s }

// notNil makes an empty array of no array (TREE-04).
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// newFilter turns a filter value of the stream into one of the documents.
func newFilter(f contract.Filter) tree.Filter {
	out := tree.Filter{Status: f.Status, Findings: make([]tree.Finding, len(f.Findings))}
	for i, finding := range f.Findings {
		out.Findings[i] = tree.Finding(finding)
	}
	slices.SortFunc(out.Findings, func(a, b tree.Finding) int { return strings.Compare(a.Code, b.Code) })
	return out
}
