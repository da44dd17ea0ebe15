package check

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// statusOf is the filter status that files[] gives a document.
func (v *verifier) statusOf(path string) contract.FilterStatus {
	if f := v.files[path]; f != nil && f.Filter != nil {
		return f.Filter.Status
	}
	return contract.Unchanged
}

// explained: a document whose strings were modified has findings, unless it lacks a
// login, of which a cut may have left nothing; one without any string is unchanged
// (FLT-02, AMB-28, AMB-31).
func (v *verifier) explained(path string, strings int, lacksLogin bool) {
	f := v.files[path]
	if f == nil || f.Filter == nil {
		return
	}
	unexplained := f.Filter.Status == contract.Modified && len(f.Filter.Findings) == 0 && !lacksLogin
	if unexplained || strings == 0 && f.Filter.Status != contract.Unchanged {
		v.add(RuleFilterStatus, path, "")
	}
}

// collectionRules: what the schema leaves open, and the profile digest (COL-03,
// COL-11, invariant 10).
func (v *verifier) collectionRules() error {
	if f := v.files[tree.CollectionPath]; f != nil && f.SHA256 != v.index.CollectionProfile {
		v.add(RuleProfile, tree.IndexPath, "/collection_profile")
	}
	if v.collection != nil && !slices.IsSorted(v.collection.IncludedSources) {
		v.add(RuleSources, tree.CollectionPath, "/included_sources")
	}
	return nil
}

// entityText: identifiers, title, author and labels of entity/metadata.json (DSP-08,
// MAN-06, invariant 15).
func (v *verifier) entityText() error {
	if v.entity == nil {
		return nil
	}
	e, path, status := v.entity, tree.EntityPath, v.statusOf(tree.EntityPath)
	v.id(path, "/id", contract.KindEntity, e.ID)
	v.actorID(path, "/author_id", e.AuthorID)
	v.explained(path, 1+len(e.Labels), e.Author == nil)
	if err := v.display(path, "/title", e.Title, status); err != nil {
		return err
	}
	if e.Author != nil {
		if err := v.display(path, "/author", *e.Author, status); err != nil {
			return err
		}
	}
	for i, label := range e.Labels {
		if i > 0 && e.Labels[i-1] >= label {
			v.add(RuleLabels, path, at("/labels", i))
		}
		if err := v.display(path, at("/labels", i), label, status); err != nil {
			return err
		}
	}
	if v.collection != nil && int64(len(e.Labels)) > v.collection.Bounds.MaxLabels {
		v.add(RuleLabels, path, "/labels")
	}
	return nil
}

// runRules: order, identifiers, agent names and results of history/agent-runs.json
// (RUN-04, RUN-05, AMB-19).
func (v *verifier) runRules() error {
	if v.runs == nil {
		return nil
	}
	path, status := tree.AgentRunsPath, v.statusOf(tree.AgentRunsPath)
	runs := v.runs.Runs
	v.explained(path, len(runs), false)
	if len(runs) > 0 && !v.includes(contract.ScopeAgentRuns) {
		v.add(RuleRecordSource, path, "/runs")
	}
	if v.collection != nil && int64(len(runs)) > v.collection.Bounds.MaxRecordsPerSource {
		v.add(RuleRecordCount, path, "/runs")
	}
	seen := map[string]bool{}
	for i := range runs {
		r := &runs[i]
		if i > 0 && !ascending(runs[i-1].CompletedAt, runs[i-1].ID, r.CompletedAt, r.ID) || seen[r.ID] {
			v.add(RuleRunsOrder, path, at("/runs", i))
		}
		seen[r.ID] = true
		if !tree.ValidRunID(v.index.Source.Forge, r.ID) {
			v.add(RuleID, path, at("/runs", i, "id"))
		}
		v.length(path, at("/runs", i, "id"), r.ID)
		v.length(path, at("/runs", i, "input_head_sha"), r.InputHeadSHA)
		v.length(path, at("/runs", i, "resulting_commit_sha"), r.ResultingCommitSHA)
		if err := v.display(path, at("/runs", i, "agent"), r.Agent, status); err != nil {
			return err
		}
		for k, key := range r.ResultRecordKeys {
			row := v.rows[key]
			if k > 0 && r.ResultRecordKeys[k-1] >= key || row == nil || row.Filter.Status == contract.Rejected {
				v.add(RuleRunResult, path, at("/runs", i, "result_record_keys"))
				break
			}
		}
	}
	return nil
}

// checkFile judges one checks/<key>/metadata.json (CHK-03, CHK-06, CHK-08, CHK-09,
// invariants 7 and 12).
func (v *verifier) checkFile(f *tree.File) error {
	b, ok, err := v.read(f, maxDocument, RuleTooLarge)
	if err != nil || !ok || !v.canonical(f.Path, b) {
		return err
	}
	var c tree.Check
	if ok, err = v.document("check.schema.json", f.Path, b, &c); err != nil || !ok {
		return err
	}
	v.id(f.Path, "/id", contract.KindCheck, c.ID)
	v.length(f.Path, "/head_sha", c.HeadSHA)
	if err := v.display(f.Path, "/name", c.Name, v.statusOf(f.Path)); err != nil {
		return err
	}
	if v.head == "" {
		v.head = c.HeadSHA
	}
	if c.HeadSHA != v.head {
		v.add(RuleCheckHead, f.Path, "/head_sha")
	}
	row := v.rows[keyOf(f.Path)]
	if row == nil || row.MetadataPath != f.Path {
		return nil // references reports it
	}
	if row.ID != c.ID || row.CreatedAt != c.CreatedAt {
		v.add(RuleCheckRow, f.Path, "")
	}
	v.logOf(row, &c)
	return nil
}

// keyOf is the key in checks/<key>/….
func keyOf(path string) string {
	const start = len("checks/")
	return path[start : start+64]
}

// logOf: a log only where the selection asks for it and the check has run (COL-06,
// COL-07, MAN-11, AMB-68).
func (v *verifier) logOf(row *tree.ManifestRecord, c *tree.Check) {
	if v.collection == nil {
		return
	}
	ran := c.NeverStarted != nil && !*c.NeverStarted
	failed := slices.Contains([]contract.Conclusion{contract.Failure, contract.TimedOut, contract.ActionRequired, contract.Stale}, c.Conclusion)
	selection := v.collection.CheckLogSelection
	selected := ran && (selection == contract.LogsAll || selection == contract.LogsFailed && failed)
	v.judged++
	switch {
	case row.LogPath != "" && !selected:
		v.note(RuleLogPath, tree.IndexPath, "/records", row.LogPath)
	case row.LogPath != "":
		v.withLog++
	case selected:
		v.withoutLog++
	}
}
