package check

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
)

// Snapshot is an open tree for reading single files. Each file is held against the
// index when it is read, the index against a digest if the caller has one. It is no
// verification: files that nobody reads are not looked at.
type Snapshot struct {
	Index       *tree.Index
	IndexSHA256 string
	Checked     bool // the index has the digest that the caller gave
	v           *verifier
	d           *Disk
}

// maxUnchecked bounds an index that is not held against a digest, in bytes: whoever
// can write the tree could else make its reader work for minutes.
const maxUnchecked = 8 << 20

// Open opens the tree at path. With a digest the index must have it. Without one the
// tree agrees at most with itself. Errors have exit 1 for a tree that is not in
// order, 4 for one that cannot be read.
func Open(path, digest string) (*Snapshot, error) { return openPath(path, digest, false) }

// OpenAnyVersion opens a tree as Open does, whatever filter version it names: for who
// compares trees of two versions. No filter is run on such a tree.
func OpenAnyVersion(path, digest string) (*Snapshot, error) { return openPath(path, digest, true) }

func openPath(path, digest string, anyVersion bool) (*Snapshot, error) {
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, path, AnyModes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	s, err := open(d, digest, anyVersion, list)
	if err != nil {
		d.Close()
		return nil, err
	}
	return s, nil
}

func open(d *Disk, digest string, anyVersion bool, list *finding.List) (*Snapshot, error) {
	if err := first(list); err != nil {
		return nil, err
	}
	v, err := newVerifier(context.Background(), d, Options{}, list, &Report{})
	if err != nil {
		return nil, err
	}
	v.anyVersion = anyVersion
	expected := digest
	if expected == "" {
		c, err := d.Read(tree.IndexPath, maxUnchecked)
		if err == nil && len(c.Bytes) > maxUnchecked {
			return nil, &fault.Error{
				Exit: fault.Aborted, File: tree.IndexPath, Rule: RuleTooLarge.Name,
				Detail: "too long to be looked at without its digest", Hint: "give --index-sha256",
			}
		}
		if err == nil {
			expected = c.Digest
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrMoved) {
			return nil, environment(tree.IndexPath, err)
		}
	}
	if _, err := v.root(expected); err != nil {
		return nil, err
	}
	if err := first(list); err != nil {
		return nil, err
	}
	return &Snapshot{Index: &v.index, IndexSHA256: v.report.IndexSHA256, Checked: digest != "", v: v, d: d}, nil
}

// first turns the first finding into an error.
func first(list *finding.List) error {
	if list.Len() == 0 {
		return nil
	}
	f := list.Sorted()[0]
	return &fault.Error{Exit: fault.Aborted, File: f.Path, Rule: f.Rule, Detail: f.Detail}
}

// Close releases the tree.
func (s *Snapshot) Close() { s.d.Close() }

// File gives the entry of a listed file, or nil.
func (s *Snapshot) File(path string) *tree.File { return s.v.files[path] }

// Read gives the bytes of a listed file if they are the listed ones. They are valid
// until the next Read.
func (s *Snapshot) Read(path string) ([]byte, error) {
	f := s.v.files[path]
	if f == nil {
		return nil, &fault.Error{Exit: fault.Aborted, File: path, Rule: RuleUnlistedFile.Name, Detail: RuleUnlistedFile.Meaning}
	}
	b, ok, err := s.v.read(f, maxDocument, RuleTooLarge)
	if err != nil {
		return nil, err
	}
	if !ok && s.v.list.Len() == 0 {
		return nil, &fault.Error{Exit: fault.Aborted, File: path, Rule: RuleMissingFile.Name, Detail: RuleMissingFile.Meaning}
	}
	return b, first(s.v.list)
}

// Collection gives the profile of the tree.
func (s *Snapshot) Collection() (*tree.Collection, error) {
	if err := load(s.v, tree.CollectionPath, "collection.schema.json", &s.v.collection); err != nil {
		return nil, err
	}
	if err := first(s.v.list); err != nil {
		return nil, err
	}
	if s.v.collection == nil {
		return nil, &fault.Error{Exit: fault.Aborted, File: tree.CollectionPath, Rule: RuleMissingFile.Name, Detail: RuleMissingFile.Meaning}
	}
	return s.v.collection, nil
}
