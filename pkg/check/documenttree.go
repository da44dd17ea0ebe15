package check

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/safety"
	"snapline/pkg/schema"
	"snapline/schemas"
)

// The rules of a tree of documents, beyond those of every tree.
var (
	ruleManifestRoot  = Rule{"manifest.root-differs", "another root than the digest that was given"}
	ruleDocumentPath  = Rule{"manifest.path", "the path must follow from place and name; a rejected document has none"}
	ruleDocumentCount = Rule{"manifest.limits", "more documents or bytes than the limits allow"}
	ruleManifestGaps  = Rule{"manifest.gaps", "gaps must be sorted, with the usability of their code, and count every rejected document"}
	ruleRecovered     = Rule{"manifest.recovered", "the recovered state must be what the documents give, or absent"}
	ruleManifestChain = Rule{"manifest.chain", "the verdict must be what the documents give"}
	ruleStrings       = Rule{"manifest.strings", "the number of strings must be that of the document"}
	ruleUnreadable    = Rule{"document.unreadable", "not strict JSON, which the filter rejects"}
	ruleUnsafe        = Rule{"document.unsafe", "the filter would change or reject this string"}
)

var manifestSchema = sync.OnceValues(func() (*schema.Bundle, error) {
	return schema.Load(schemas.Files, "document-tree/v1")
})

// DocumentOptions say what a tree of documents is verified against.
type DocumentOptions struct {
	ManifestSHA256 string // as the receipt has it; "": the tree only has to agree with itself
	Modes          Modes
	Engine         *safety.Engine // for the fixed-point rule
	Families       map[contract.Family]document.Family
	Rejudge        Rejudge
}

// DocumentTree is what a tree of documents holds.
type DocumentTree struct {
	Manifest  tree.Manifest
	Documents []contract.Document // with raw bytes unless rejected or damaged
	Findings  []finding.Finding
}

// Rejudge gives chain and recovered state anew from the documents.
type Rejudge func(tree.Manifest, []contract.Document) (*tree.Chain, []byte)

// Documents verifies the tree of documents at path: the file set, every byte against
// the manifest, what the manifest says against the documents, and that the filter finds
// nothing to change in them.
func Documents(path string, o DocumentOptions) (*DocumentTree, error) {
	list := &finding.List{}
	d, err := OpenDisk(disk.OS{}, path, o.Modes, uint32(os.Geteuid()), list)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	t := &documentTree{
		DocumentTree: &DocumentTree{}, d: d, list: list, options: o, worker: o.Engine.NewWorker(),
		known: map[string]bool{tree.ManifestPath: true},
	}
	if d.Usable() {
		if err := t.judge(); err != nil {
			return nil, err
		}
	}
	t.Findings = list.Sorted()
	return t.DocumentTree, nil
}

type documentTree struct {
	*DocumentTree
	d       *Disk
	list    *finding.List
	options DocumentOptions
	worker  *safety.Worker
	known   map[string]bool // paths that the manifest calls for
}

func (t *documentTree) add(r Rule, path, position string) { t.list.Add(r.at(path, position)) }

func (t *documentTree) judge() error {
	c, ok, err := t.read(tree.ManifestPath, maxDocument)
	if err != nil || !ok {
		return err
	}
	if want := t.options.ManifestSHA256; want != "" && c.Digest != want {
		t.add(ruleManifestRoot, tree.ManifestPath, "")
		return nil
	}
	v := &verifier{list: t.list}
	if !v.canonical(tree.ManifestPath, c.Bytes) {
		return nil
	}
	bundle, err := manifestSchema()
	if err != nil {
		return &fault.Error{Exit: fault.Aborted, Rule: "schema.bundle", Detail: "the schemas cannot be compiled", Cause: err}
	}
	v.bundle = bundle
	sound, err := v.document("manifest.schema.json", tree.ManifestPath, c.Bytes, &t.Manifest)
	if err != nil || !sound {
		return err
	}
	if !safety.Supported(t.Manifest.FilterVersion) {
		t.add(RuleFilterVersion, tree.ManifestPath, "/filter_version")
		return nil
	}
	damaged := false
	for i := range t.Manifest.Documents {
		whole, err := t.document(i)
		if err != nil {
			return err
		}
		damaged = damaged || !whole
	}
	t.limits()
	if !damaged {
		if err := t.recovered(); err != nil {
			return err
		}
	}
	t.fileSet()
	return nil
}

// document reads one document; it reports whether its bytes are what was promised.
func (t *documentTree) document(i int) (bool, error) {
	row := &t.Manifest.Documents[i]
	d := contract.Document{Name: row.Name, Format: row.Format, SHA256: row.SHA256}
	place := at("/documents", i)
	if row.Filter.Status == contract.Rejected {
		if row.Path != "" || row.Bytes != nil {
			t.add(ruleDocumentPath, tree.ManifestPath, place)
		}
		t.Documents = append(t.Documents, d)
		return true, nil
	}
	if row.Path != tree.DocumentPath(i+1, row.Name) || row.Bytes == nil || !tree.ValidDocumentName(row.Name) {
		t.add(ruleDocumentPath, tree.ManifestPath, place)
		return false, nil
	}
	raw, ok, err := t.file(row.Path, *row.Bytes, row.SHA256)
	d.Raw, d.HasRaw = raw, ok
	t.Documents = append(t.Documents, d)
	if err != nil || !ok {
		return false, err
	}
	return true, t.fixedPoint(row, raw)
}

// fixedPoint reads the document as the filter does and finds nothing left to do.
func (t *documentTree) fixedPoint(row *tree.ManifestDocument, raw []byte) error {
	reading, err := t.options.Families[t.Manifest.Family](raw)
	if err != nil {
		t.add(ruleUnreadable, row.Path, "")
		return nil
	}
	if int64(len(reading.Texts)) != row.Strings {
		t.add(ruleStrings, row.Path, "")
	}
	for _, s := range reading.Texts {
		r, err := t.worker.Filter(safety.Body, []byte(s.Value))
		if err != nil {
			return &fault.Error{Exit: fault.Aborted, File: row.Path, Rule: "verify.component", Detail: "a filter failed", Cause: err}
		}
		if s.Policy == document.Replace && len(r.Findings) > 0 || s.Policy.Refuses(r.Findings, false) {
			t.add(ruleUnsafe, row.Path, "byte "+strconv.Itoa(s.Start))
		}
	}
	return nil
}

// file reads a listed file and compares length and digest.
func (t *documentTree) file(path string, size int64, digest string) ([]byte, bool, error) {
	t.known[path] = true
	c, ok, err := t.read(path, min(max(size, 0), maxDocument))
	switch {
	case err != nil || !ok:
		return nil, false, err
	case int64(len(c.Bytes)) != size:
		t.add(RuleSize, path, "")
		return nil, false, nil
	case c.Digest != digest:
		t.add(RuleDigest, path, "")
		return nil, false, nil
	}
	return slices.Clone(c.Bytes), true, nil
}

func (t *documentTree) read(path string, size int64) (Content, bool, error) {
	c, err := t.d.Read(path, size)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.add(RuleMissingFile, path, "")
	case errors.Is(err, ErrMoved):
		t.add(RuleMoved, path, "")
	case errors.Is(err, ErrClosed):
		// its mode has a finding
	case err != nil:
		return c, false, environment(path, err)
	}
	return c, err == nil, nil
}

func (t *documentTree) limits() {
	m, rejected := &t.Manifest, int64(0)
	tooLong := false
	for i := range m.Documents {
		if m.Documents[i].Filter.Status == contract.Rejected {
			rejected++
		}
		tooLong = tooLong || m.Documents[i].Bytes != nil && *m.Documents[i].Bytes > m.Limits.MaxDocumentBytes
	}
	if tooLong || int64(len(m.Documents)) > m.Limits.MaxDocuments {
		t.add(ruleDocumentCount, tree.ManifestPath, "/limits")
	}
	sound, counts := true, tree.GapCounts{}
	for i, g := range m.Gaps {
		sound = sound && g.Usability == g.Code.Usability()
		sound = sound && (i == 0 || m.Gaps[i-1].Code < g.Code)
		counts[contract.Gap{Scope: g.Scope, Code: g.Code}] = g.Count
	}
	if !sound || !counts.FitDocuments(rejected) {
		t.add(ruleManifestGaps, tree.ManifestPath, "/gaps")
	}
}

// recovered compares the chain and the recovered state with what the documents give.
func (t *documentTree) recovered() error {
	chain, state := t.options.Rejudge(t.Manifest, t.Documents)
	m := &t.Manifest
	if (m.Chain == nil) != (chain == nil) || chain != nil && *m.Chain != *chain {
		t.add(ruleManifestChain, tree.ManifestPath, "/chain")
	}
	if m.Recovered == nil {
		if state != nil {
			t.add(ruleRecovered, tree.ManifestPath, "/recovered")
		}
		return nil
	}
	raw, ok, err := t.file(tree.RecoveredPath, m.Recovered.Bytes, m.Recovered.SHA256)
	if ok && !bytes.Equal(raw, state) {
		t.add(ruleRecovered, tree.RecoveredPath, "")
	}
	return err
}

func (t *documentTree) fileSet() {
	for _, p := range t.d.Files() {
		if !t.known[p] {
			t.add(RuleUnlistedFile, p, "")
		}
	}
	wanted := wantedDirectories(slices.Collect(maps.Keys(t.known)))
	for _, dir := range t.d.Directories() {
		if !wanted[dir] {
			t.add(RuleExtraDirectory, dir, "")
		}
	}
}
