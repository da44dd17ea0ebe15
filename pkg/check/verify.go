// Package check re-checks a published tree from its documents alone: the root
// digest, the file set, every byte, every schema, every cross-reference, the derived
// views and sets, and that the filters find nothing to change. The one thing that it
// trusts is the digest that it was given (VER-02).
//
// It shares constants, keys, paths, schemas and the safety engine with the writer,
// never the derivation of views, sets and orders. All findings come out, sorted; an
// error means that the tree could not be judged at all.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/safety"
	"snapline/pkg/schema"
)

// Options say what a tree is verified against.
type Options struct {
	IndexSHA256 string           // the digest that emit printed, 64 lowercase hex digits
	Modes       Modes            // permission bits that the disk must have
	Scanner     textrule.Scanner // the filters, run again
	Rebuild     Rebuild          // optional: compare with what a stream gives
}

// Rebuild calls put for every file that the tree should have, index.json included.
type Rebuild func(ctx context.Context, put func(path string, content []byte) error) error

// Report is the outcome of a verification.
type Report struct {
	IndexSHA256 string            // digest of the index that was found
	Files       int               // files whose bytes were hashed, index.json included
	Bytes       int64             // their bytes
	Findings    []finding.Finding // sorted, each once; empty when the tree holds

	// The documents of a tree that holds; not to be used of another.
	Index      tree.Index
	Collection *tree.Collection
	Entity     *tree.Entity
}

// Tree verifies the tree at path.
func Tree(ctx context.Context, path string, o Options) (*Report, error) {
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, path, o.Modes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	report := &Report{}
	if d.Usable() {
		if err := judge(ctx, d, d, o, list, report); err != nil {
			return nil, err
		}
	}
	report.Findings = list.Sorted()
	return report, nil
}

// judge verifies what source gives; disk says what lies where.
func judge(ctx context.Context, d *Disk, source Source, o Options, list *finding.List, report *Report) error {
	v, err := newVerifier(ctx, source, o, list, report)
	if err != nil {
		return err
	}
	trusted, err := v.root(o.IndexSHA256)
	if err != nil || !trusted {
		return err
	}
	v.fileSet(d)
	if err := v.contents(); err != nil {
		return err
	}
	report.Index, report.Collection, report.Entity = v.index, v.collection, v.entity
	if o.Rebuild != nil {
		return v.rebuild(o.Rebuild)
	}
	return nil
}

// verifier holds what one verification knows.
type verifier struct {
	ctx     context.Context
	source  Source
	bundle  *schema.Bundle
	scanner textrule.Scanner
	// anyVersion takes a filter version that is not known here.
	anyVersion bool
	list       *finding.List
	report     *Report

	index tree.Index
	files map[string]*tree.File           // files[] by path
	rows  map[string]*tree.ManifestRecord // records[] by record_key

	collection  *tree.Collection // nil when the document is no good
	entity      *tree.Entity
	relations   *tree.Relations
	runs        *tree.AgentRuns
	actors      *tree.ActorState
	threadState *tree.ThreadState
	head        string // head_sha of the first check
	judged      int64  // checks whose metadata may be used
	withLog     int64  // of them: the log is there
	withoutLog  int64  // of them: the log is selected and not there

	gaps tree.GapCounts // counts of gaps[]
}

func newVerifier(ctx context.Context, source Source, o Options, list *finding.List, report *Report) (*verifier, error) {
	bundle, err := schema.EntityContextSnapshot()
	if err != nil {
		return nil, &fault.Error{Exit: fault.Aborted, Rule: "schema.bundle", Detail: "the schemas cannot be compiled", Cause: err}
	}
	return &verifier{
		ctx: ctx, source: source, bundle: bundle, scanner: o.Scanner, list: list, report: report,
		files: map[string]*tree.File{}, rows: map[string]*tree.ManifestRecord{},
		gaps: tree.GapCounts{},
	}, nil
}

func (v *verifier) add(r Rule, path, position string) { v.list.Add(r.at(path, position)) }

// note adds a finding with a fact of our own behind the rule's meaning.
func (v *verifier) note(r Rule, path, position, fact string) {
	f := r.at(path, position)
	f.Detail += ": " + fact
	v.list.Add(f)
}

const maxDocument = tree.MaxDocumentBytes

// root reads the index and reports whether anything in it may be used: its digest is
// the given one and it has the form and versions that this program knows. A changed
// index is a different root, and nothing that it says is looked at (VER-02, VER-03).
func (v *verifier) root(digest string) (bool, error) {
	c, err := v.source.Read(tree.IndexPath, maxDocument)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.add(RuleIndexMissing, tree.IndexPath, "")
		return false, nil
	case errors.Is(err, ErrMoved):
		v.add(RuleMoved, tree.IndexPath, "")
		return false, nil
	case errors.Is(err, ErrClosed):
		return false, nil
	case err != nil:
		return false, environment(tree.IndexPath, err)
	}
	v.report.IndexSHA256 = c.Digest
	if c.Digest != digest {
		v.add(RuleRootDiffers, tree.IndexPath, "")
		return false, nil
	}
	v.count(c)
	if len(c.Bytes) > maxDocument {
		v.add(RuleTooLarge, tree.IndexPath, "")
		return false, nil
	}
	if !v.canonical(tree.IndexPath, c.Bytes) || !v.versions(c.Bytes) {
		return false, nil
	}
	if ok, err := v.document("index.schema.json", tree.IndexPath, c.Bytes, &v.index); err != nil || !ok {
		return false, err
	}
	for i := range v.index.Files {
		v.files[v.index.Files[i].Path] = &v.index.Files[i]
	}
	for i := range v.index.Records {
		v.rows[v.index.Records[i].RecordKey] = &v.index.Records[i]
	}
	return true, nil
}

func (v *verifier) count(c Content) {
	v.report.Files++
	v.report.Bytes += int64(len(c.Bytes))
}

// versions refuses what a later or other program wrote before any schema is asked:
// its members may mean something else (CMP-01).
func (v *verifier) versions(b []byte) bool {
	var head struct {
		SchemaVersion json.Number `json:"schema_version"`
		FilterVersion *string     `json:"filter_version"`
	}
	if err := json.Unmarshal(b, &head); err != nil || head.FilterVersion == nil || head.SchemaVersion == "" {
		return true // the schema says what is wrong
	}
	ok := true
	if head.SchemaVersion != "1" {
		v.add(RuleSchemaVersion, tree.IndexPath, "/schema_version")
		ok = false
	}
	if !v.anyVersion && !safety.Supported(*head.FilterVersion) {
		v.add(RuleFilterVersion, tree.IndexPath, "/filter_version")
		ok = false
	}
	return ok
}
