package emit

import (
	"cmp"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Recover judges the documents of a canon-state tree, those without raw bytes having
// been rejected, as one chain, and gives the text of the state that may be recovered
// from it, or nil. The manifest is complete but for what follows from that.
type Recover func(m tree.Manifest, documents []contract.Document) (*tree.Chain, []byte)

// documentBuilder writes the tree of a document family: the bytes of each document as
// they are, for canon-state the recovered state, and the manifest.
type documentBuilder struct {
	sink      Sink
	header    *contract.Snapshot
	recover   Recover
	documents []contract.Document
	rows      []tree.ManifestDocument
	rejected  int64
	gaps      tree.GapCounts
	files     int64
	bytes     int64
}

func newDocumentBuilder(out Sink, header *contract.Snapshot, recovered Recover) *documentBuilder {
	return &documentBuilder{sink: out, header: header, recover: recovered, rows: []tree.ManifestDocument{}, gaps: tree.GapCounts{}}
}

func (b *documentBuilder) line(line contract.Line) error {
	switch l := line.(type) {
	case *contract.Document:
		return b.document(l)
	case *contract.Gap:
		addGap(b.gaps, l)
	}
	return nil
}

func (b *documentBuilder) document(d *contract.Document) error {
	limits := b.header.Limits
	switch n := int64(len(d.Raw)); {
	case n > limits.MaxDocumentBytes:
		return broken("bounded.document", "a document has %d bytes and max_document_bytes is %d", n, limits.MaxDocumentBytes)
	case int64(len(b.rows)) >= limits.MaxDocuments:
		return broken("bounded.selection", "there are more than max_documents, %d", limits.MaxDocuments)
	case !tree.ValidDocumentName(d.Name):
		return broken("bounded.document-name", "the name of document %d cannot stand in a file name", len(b.rows)+1)
	}
	row := tree.ManifestDocument{Filter: newFilter(*d.Filter), Format: d.Format, Name: d.Name, SHA256: d.SHA256, Strings: d.Strings}
	if d.HasRaw {
		n := int64(len(d.Raw))
		row.Bytes, row.Path = &n, tree.DocumentPath(len(b.rows)+1, d.Name)
		if err := b.file(row.Path, d.Raw); err != nil {
			return err
		}
	} else {
		b.rejected++
	}
	b.rows = append(b.rows, row)
	if b.header.Family == contract.FamilyCanon {
		b.documents = append(b.documents, *d)
	}
	return nil
}

func (b *documentBuilder) file(path string, data []byte) error {
	b.files++
	b.bytes += int64(len(data))
	return b.sink.WriteFile(path, data)
}

func (b *documentBuilder) finish() (*root, error) {
	limits := b.header.Limits
	if !b.gaps.FitDocuments(b.rejected) {
		return nil, broken("bounded.gaps", "the gaps do not count the %d rejected of %d documents, or count what bound does not drop", b.rejected, len(b.rows))
	}
	manifest := tree.Manifest{
		Documents: b.rows, Family: b.header.Family, FilterVersion: b.header.FilterVersion, Gaps: sumGaps(b.gaps),
		Limits:        tree.Limits{MaxDocumentBytes: limits.MaxDocumentBytes, MaxDocuments: limits.MaxDocuments, Selection: limits.Selection},
		SchemaVersion: tree.SchemaVersion,
	}
	if b.header.Family == contract.FamilyCanon {
		var state []byte
		if manifest.Chain, state = b.recover(manifest, b.documents); state != nil {
			manifest.Recovered = &tree.RecoveredState{Bytes: int64(len(state)), Path: tree.RecoveredPath, SHA256: tree.Digest(state)}
			if err := cmp.Or(bounded(tree.RecoveredPath, state), b.file(tree.RecoveredPath, state)); err != nil {
				return nil, err
			}
		}
	}
	for _, gap := range manifest.Gaps {
		if gap.Count > maxCount {
			return nil, broken("bounded.count", "counts add up to more than 2^53-1")
		}
	}
	data, err := marshal(tree.ManifestPath, manifest)
	if err != nil {
		return nil, err
	}
	if err := b.file(tree.ManifestPath, data); err != nil {
		return nil, err
	}
	refusal := ""
	if manifest.Chain != nil {
		refusal = manifest.Chain.Refusal
	}
	return &root{digest: tree.Digest(data), refusal: refusal, files: b.files, bytes: b.bytes, gaps: manifest.Gaps, documents: int64(len(b.rows))}, nil
}
