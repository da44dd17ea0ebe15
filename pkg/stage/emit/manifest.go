package emit

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// root is what a finished tree answers for.
type root struct {
	digest     string // SHA-256 of the root document's bytes
	collection string // collection_profile; the entity family only
	refusal    string // why no state was recovered; canon-state only
	files      int64  // all files, the root document included
	bytes      int64  // of all files
	gaps       []tree.Gap
	records    map[contract.Kind]int64 // manifest rows by kind; the entity family only
	documents  int64                   // manifest rows; the document families only
}

// finish writes the documents, the order files and, last, index.json.
func (b *builder) finish() (*root, error) {
	if err := b.singletons(); err != nil {
		return nil, err
	}
	if err := b.orders(); err != nil {
		return nil, err
	}
	index := b.index()
	if err := checkCounts(index); err != nil {
		return nil, err
	}
	data, err := marshal(tree.IndexPath, index)
	if err != nil {
		return nil, err
	}
	if err := b.sink.WriteFile(tree.IndexPath, data); err != nil {
		return nil, err
	}
	counts := map[contract.Kind]int64{}
	for _, row := range b.records {
		counts[row.Kind]++
	}
	return &root{
		digest: tree.Digest(data), collection: index.CollectionProfile,
		files: int64(len(b.files)) + 1, bytes: b.bytes + int64(len(data)),
		gaps: index.Gaps, records: counts,
	}, nil
}

// maxCount is the largest integer of a document (AMB-51).
const maxCount = 1<<53 - 1

// checkCounts refuses sums that no document can hold.
func checkCounts(index tree.Index) error {
	filters := []tree.Filter{index.Filter}
	for _, f := range index.Files {
		if f.Filter != nil {
			filters = append(filters, *f.Filter)
		}
	}
	for _, gap := range index.Gaps {
		filters = append(filters, tree.Filter{Findings: []tree.Finding{{Count: gap.Count}}})
	}
	for _, f := range filters {
		for _, finding := range f.Findings {
			if finding.Count > maxCount {
				return broken("bounded.count", "counts add up to more than 2^53-1")
			}
		}
	}
	return nil
}

// index gives index.json: every other file by path, every record by real creation
// time and key, every gap by scope and code (MAN-01, MAN-02, MAN-12, GAP-04).
func (b *builder) index() tree.Index {
	slices.SortFunc(b.files, func(x, y tree.File) int { return strings.Compare(x.Path, y.Path) })
	slices.SortFunc(b.records, func(x, y tree.ManifestRecord) int {
		return order(x.CreatedAt, y.CreatedAt, x.RecordKey, y.RecordKey)
	})
	profile := ""
	for _, file := range b.files {
		if file.Path == tree.CollectionPath {
			profile = file.SHA256 // COL-11
		}
	}
	h := b.header
	return tree.Index{
		CollectionProfile: profile,
		Entity:            tree.IndexEntity{ID: h.Entity.ID, Kind: h.Entity.Kind, UpdatedAt: h.Entity.UpdatedAt},
		Files:             b.files,
		Filter:            newFilter(b.authors),
		FilterVersion:     h.FilterVersion,
		Gaps:              sumGaps(b.gaps),
		Records:           b.records,
		SchemaVersion:     tree.SchemaVersion,
		Source: tree.Source{
			Forge: h.Source.Forge, Host: h.Source.Host, Repository: h.Source.Repository, RepositoryID: h.Source.RepositoryID,
		},
	}
}

// addGap sums a gap line; past the largest integer it stays just past it.
func addGap(sums tree.GapCounts, g *contract.Gap) {
	pair := contract.Gap{Scope: g.Scope, Code: g.Code}
	sums[pair] = min(sums[pair]+g.Count, maxCount+1)
}

// sumGaps gives the gap rows by scope, then code (GAP-01 to GAP-04).
func sumGaps(sums tree.GapCounts) []tree.Gap {
	gaps := []tree.Gap{}
	for pair, count := range sums {
		gaps = append(gaps, tree.Gap{Code: pair.Code, Count: count, Scope: pair.Scope, Usability: pair.Code.Usability()})
	}
	slices.SortFunc(gaps, func(x, y tree.Gap) int {
		return order(string(x.Scope), string(y.Scope), string(x.Code), string(y.Code))
	})
	return gaps
}
