package read

import (
	"bytes"
	"unicode/utf8"

	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// Tree is a snapshot with its documents read. Every byte of it was held against the
// index. That its documents agree with each other is not checked here, so what one says
// of another may name nothing: the methods answer that with nothing.
type Tree struct {
	*check.Snapshot
	*check.Singletons

	Checks  []Check                         // in the order of the index
	records map[string]*tree.ManifestRecord // by record key
	files   map[string]*tree.ManifestRecord // by content path
	actors  map[string]*tree.Actor          // by id
	threads map[string]*tree.ThreadStateRow // by thread key
}

// Check is a row of kind check and its metadata, which a rejected one does not have.
type Check struct {
	Row      *tree.ManifestRecord
	Metadata *tree.Check
}

// Load reads the documents of a tree and the metadata of its checks.
func Load(s *check.Snapshot) (*Tree, error) {
	documents, err := s.Singletons()
	if err != nil {
		return nil, err
	}
	t := &Tree{
		Snapshot: s, Singletons: documents,
		records: map[string]*tree.ManifestRecord{}, files: map[string]*tree.ManifestRecord{}, actors: map[string]*tree.Actor{}, threads: map[string]*tree.ThreadStateRow{},
	}
	for i := range s.Index.Records {
		row := &s.Index.Records[i]
		t.records[row.RecordKey] = row
		if row.ContentPath != "" {
			t.files[row.ContentPath] = row
		}
		if row.Kind != contract.KindCheck {
			continue
		}
		c := Check{Row: row}
		if row.MetadataPath != "" {
			if c.Metadata, err = s.CheckMetadata(row.MetadataPath); err != nil {
				return nil, err
			}
		}
		t.Checks = append(t.Checks, c)
	}
	for i := range documents.Actors.Actors {
		a := &documents.Actors.Actors[i]
		t.actors[a.ID] = a
	}
	for i := range documents.ThreadState.Threads {
		row := &documents.ThreadState.Threads[i]
		t.threads[row.ThreadKey] = row
	}
	return t, nil
}

// Record gives the row of a record key, or nil.
func (t *Tree) Record(key string) *tree.ManifestRecord { return t.records[key] }

// RecordAt gives the row of a record file, or nil.
func (t *Tree) RecordAt(contentPath string) *tree.ManifestRecord { return t.files[contentPath] }

// Actor gives the row of an actor id, or nil.
func (t *Tree) Actor(id string) *tree.Actor { return t.actors[id] }

// ThreadState gives the mutable state of a thread, or nil.
func (t *Tree) ThreadState(key string) *tree.ThreadStateRow { return t.threads[key] }

// Head gives the head that the checks were captured at, "" when there is no check.
func (t *Tree) Head() string {
	for _, c := range t.Checks {
		if c.Metadata != nil {
			return c.Metadata.HeadSHA
		}
	}
	return ""
}

// Body gives the text of a record behind its header, "" for one that was rejected.
func (t *Tree) Body(row *tree.ManifestRecord) (string, error) {
	if row.ContentPath == "" {
		return "", nil
	}
	text, err := t.Text(row.ContentPath)
	if err != nil {
		return "", err
	}
	_, body, ok := bytes.Cut(text, []byte("\n\n"))
	if !ok {
		return "", &fault.Error{
			Exit: fault.Aborted, File: row.ContentPath, Rule: check.RuleHeader.Name, Detail: check.RuleHeader.Meaning,
		}
	}
	return string(body), nil
}

// Log gives the log of a check, "" for one that has none.
func (t *Tree) Log(row *tree.ManifestRecord) (string, error) {
	if row.LogPath == "" {
		return "", nil
	}
	text, err := t.Text(row.LogPath)
	return string(text), err
}

// Text gives the bytes of a listed file that must be UTF-8. They are valid until the next
// read.
func (t *Tree) Text(path string) ([]byte, error) {
	text, err := t.Read(path)
	if err == nil && !utf8.Valid(text) {
		err = &fault.Error{Exit: fault.Aborted, File: path, Rule: check.RuleTextForm.Name, Detail: check.RuleTextForm.Meaning}
	}
	return text, err
}

// Comparable refuses two trees that no comparison can speak of: of different entities, or
// taken with different profiles or filters, so that what differs need not have changed. anyVersion
// takes different filter versions for the same.
func Comparable(before, after *Tree, anyVersion bool) error {
	a, b := before.Index, after.Index
	refused := func(rule, detail string) error {
		return &fault.Error{Exit: fault.Aborted, Rule: rule, Detail: detail}
	}
	switch {
	case a.Source.Forge != b.Source.Forge || a.Source.Host != b.Source.Host || a.Source.RepositoryID != b.Source.RepositoryID ||
		a.Entity.Kind != b.Entity.Kind || a.Entity.ID != b.Entity.ID:
		return refused("compare.entity", "the trees are of different issues or change proposals")
	case a.CollectionProfile != b.CollectionProfile:
		return refused("compare.profile", "the trees were taken with different profiles: what differs need not have changed")
	case a.FilterVersion != b.FilterVersion && !anyVersion:
		return refused("compare.filter-version", "the trees were filtered by different versions: what differs need not have changed")
	}
	return nil
}
