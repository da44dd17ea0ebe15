package check

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// fileSet compares three sets of paths: what lies on disk, what files[] lists, and
// what records, threads and reviews call for (invariants 1 and 3). The last needs
// the relations and is completed by references.
func (v *verifier) fileSet(disk *Disk) {
	present := map[string]bool{}
	for _, p := range disk.Files() {
		present[p] = true
		if p != tree.IndexPath && v.files[p] == nil {
			v.add(RuleUnlistedFile, p, "")
		}
	}
	for p := range v.files {
		if !present[p] {
			v.add(RuleMissingFile, p, "")
		}
	}
	paths := make([]string, 0, len(v.files))
	for p := range v.files {
		paths = append(paths, p)
	}
	wanted := wantedDirectories(paths)
	for _, dir := range disk.Directories() {
		if !wanted[dir] {
			v.add(RuleExtraDirectory, dir, "")
		}
	}
}

// calledFor gives every path that the tree's own facts demand, with its role: the
// singletons (TREE-02) and what records, reviews and threads call for.
func (v *verifier) calledFor() map[string]tree.Role {
	want := map[string]tree.Role{
		tree.CollectionPath: tree.RoleCollection, tree.EntityPath: tree.RoleEntityMetadata,
		tree.AgentRunsPath: tree.RoleAgentRuns, tree.ReviewsPath: tree.RoleReviews,
		tree.ActorsPath: tree.RoleActorState, tree.ThreadStatePath: tree.RoleThreadState,
		tree.TimelinePath: tree.RoleTimelineView, tree.UnresolvedReviewPath: tree.RoleUnresolvedReview,
	}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		if row.Filter.Status == contract.Rejected {
			continue
		}
		switch row.Kind {
		case contract.KindEntity:
			want[row.ContentPath] = tree.RoleEntityRecord
		case contract.KindComment:
			want[row.ContentPath] = tree.RoleCommentRecord
		case contract.KindReview:
			want[row.ContentPath] = tree.RoleReviewRecord
			want[tree.ReviewViewPath(row.RecordKey)] = tree.RoleReviewView
		case contract.KindCheck:
			want[row.MetadataPath] = tree.RoleCheckMetadata
			if row.LogPath != "" {
				want[row.LogPath] = tree.RoleCheckLog
			}
		case contract.KindThread:
		}
	}
	if v.relations != nil {
		for i := range v.relations.Threads {
			want[tree.ThreadPath(v.relations.Threads[i].ThreadKey)] = tree.RoleThreadOrder
		}
	}
	return want
}

// references compares files[] with what the tree's own facts demand.
func (v *verifier) references() {
	want := v.calledFor()
	for p := range want {
		if v.files[p] == nil {
			v.note(RuleFilesAbsent, tree.IndexPath, "/files", p)
		}
	}
	for i := range v.index.Files {
		f := &v.index.Files[i]
		role, ok := want[f.Path]
		switch {
		case !ok && (v.relations != nil || f.Role != tree.RoleThreadOrder):
			v.add(RuleFilesUnexpected, tree.IndexPath, at("/files", i))
		case ok && role != f.Role:
			v.add(RuleFilesRole, tree.IndexPath, at("/files", i, "role"))
		}
	}
}

// fileRows judges the order of files[] and each filter in it (MAN-02, FLT-06,
// AMB-30); role, media type and path of one entry are settled by the schema.
func (v *verifier) fileRows() {
	records := map[string]*tree.ManifestRecord{}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		for _, p := range [...]string{row.ContentPath, row.MetadataPath} {
			if p != "" {
				records[p] = row
			}
		}
	}
	for i := range v.index.Files {
		f := &v.index.Files[i]
		if i > 0 && v.index.Files[i-1].Path >= f.Path {
			v.add(RuleFilesOrder, tree.IndexPath, at("/files", i, "path"))
		}
		if f.Filter == nil {
			continue
		}
		v.findings(tree.IndexPath, at("/files", i, "filter"), *f.Filter)
		if !v.fileFilter(f, records[f.Path]) {
			v.add(RuleFilesFilter, tree.IndexPath, at("/files", i, "filter"))
		}
	}
}

// fileFilter reports whether the filter of a files[] entry is what its role allows:
// that of its record for record files and check metadata, none at all where no
// source text can be (AMB-29, AMB-30, FLT-06, FLT-07).
func (v *verifier) fileFilter(f *tree.File, row *tree.ManifestRecord) bool {
	switch f.Role {
	case tree.RoleEntityRecord, tree.RoleCommentRecord, tree.RoleReviewRecord, tree.RoleCheckMetadata:
		return row == nil || equalFilter(*f.Filter, row.Filter)
	case tree.RoleCollection, tree.RoleThreadState, tree.RoleReviews, tree.RoleThreadOrder,
		tree.RoleTimelineView, tree.RoleUnresolvedReview, tree.RoleReviewView:
		return equalFilter(*f.Filter, tree.Filter{Status: contract.Unchanged})
	case tree.RoleEntityMetadata, tree.RoleAgentRuns, tree.RoleCheckLog, tree.RoleActorState:
	}
	return true
}

func equalFilter(a, b tree.Filter) bool {
	return a.Status == b.Status && slices.Equal(a.Findings, b.Findings)
}

// findings judges one filter value: sorted codes, each once, and none where nothing
// was changed (FLT-01, FLT-05, AMB-44).
func (v *verifier) findings(path, position string, f tree.Filter) {
	for i := 1; i < len(f.Findings); i++ {
		if f.Findings[i-1].Code >= f.Findings[i].Code {
			v.add(RuleFindingsOrder, path, position+"/findings")
			break
		}
	}
	if f.Status == contract.Unchanged && len(f.Findings) > 0 {
		v.add(RuleFilterStatus, path, position)
	}
}
