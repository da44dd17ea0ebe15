package check

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// views derives the lines of every order file from index, relations and state
// (ORD-02 to ORD-07, invariant 14). A file whose inputs are unusable has no entry.
func (v *verifier) views() map[string][]string {
	views := map[string][]string{tree.TimelinePath: v.timeline()}
	if v.relations == nil {
		return views
	}
	threads := v.relations.Threads
	byReview := map[string][]*tree.Thread{}
	for i := range threads {
		t := &threads[i]
		views[tree.ThreadPath(t.ThreadKey)] = v.lines(t)
		if t.ReviewRecordKey != "" {
			byReview[t.ReviewRecordKey] = append(byReview[t.ReviewRecordKey], t)
		}
	}
	for i := range v.index.Records {
		row := &v.index.Records[i]
		if row.Kind != contract.KindReview || row.ContentPath == "" {
			continue
		}
		threads := v.lines(chronological(byReview[row.RecordKey])...)
		views[tree.ReviewViewPath(row.RecordKey)] = append([]string{row.ContentPath}, threads...)
	}
	if v.threadState == nil {
		return views
	}
	open := map[string]bool{}
	for i := range v.threadState.Threads {
		t := &v.threadState.Threads[i]
		open[t.ThreadKey] = !t.Resolved && !t.Outdated
	}
	var unresolved []*tree.Thread
	for i := range threads {
		if open[threads[i].ThreadKey] {
			unresolved = append(unresolved, &threads[i])
		}
	}
	views[tree.UnresolvedReviewPath] = v.lines(chronological(unresolved)...)
	return views
}

// timeline is every record file in file-name order: the entity's reserved order key
// puts it first (ORD-04).
func (v *verifier) timeline() []string {
	var lines []string
	for i := range v.index.Records {
		if p := v.index.Records[i].ContentPath; p != "" {
			lines = append(lines, p)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// chronological orders threads by creation time and key (ORD-06, AMB-18, AMB-21).
func chronological(threads []*tree.Thread) []*tree.Thread {
	sorted := slices.Clone(threads)
	slices.SortFunc(sorted, func(a, b *tree.Thread) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ThreadKey, b.ThreadKey))
	})
	return sorted
}

// lines gives the content paths of the threads' records, thread by thread, first
// occurrence kept (ORD-02, ORD-03).
func (v *verifier) lines(threads ...*tree.Thread) []string {
	var lines []string
	seen := map[string]bool{}
	for _, t := range threads {
		for _, key := range t.RecordKeys {
			row := v.rows[key]
			if row == nil || row.Kind != contract.KindComment || row.ContentPath == "" || seen[row.ContentPath] {
				continue
			}
			seen[row.ContentPath] = true
			lines = append(lines, row.ContentPath)
		}
	}
	return lines
}

// orderFile compares an order file with its derived lines (ORD-01).
func (v *verifier) orderFile(f *tree.File, views map[string][]string) error {
	b, ok, err := v.read(f, maxDocument, RuleTooLarge)
	if err != nil || !ok {
		return err
	}
	lines, good := v.orderLines(b)
	if good >= 0 {
		v.add(RuleOrderForm, f.Path, line(good+1))
	}
	want, ok := views[f.Path]
	if !ok {
		return nil
	}
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || lines[i] != want[i] {
			v.add(RuleOrderLines, f.Path, line(i+1))
			break
		}
	}
	return nil
}

// orderLines splits an order file. bad is the index of the first line that is no
// content path of the manifest, has no LF, or occurs twice; -1 if there is none.
func (v *verifier) orderLines(b []byte) (lines []string, bad int) {
	bad = -1
	seen := map[string]bool{}
	for len(b) > 0 {
		text, rest, terminated := bytes.Cut(b, []byte("\n"))
		l := string(text)
		key := strings.TrimSuffix(l[strings.LastIndexByte(l, '-')+1:], ".md")
		row := v.rows[key]
		if known := row != nil && row.ContentPath == l && tree.ShellSafe(l); bad < 0 && (!terminated || !known || seen[l]) {
			bad = len(lines)
		}
		seen[l] = true
		lines = append(lines, l)
		b = rest
	}
	return lines, bad
}
