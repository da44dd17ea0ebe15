package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/record"
	"snapline/pkg/requirement"
)

func TestFilterMerge(t *testing.T) {
	requirement.Claim(t, "AMB-31", "AMB-44")
	f := record.Clean()
	f.Add(record.Filter{Status: record.Modified, Findings: []record.Finding{{Code: "unicode.tag", Count: 2}}})
	f.Add(record.Filter{Status: record.Truncated, Findings: []record.Finding{{Code: "secret.github", Count: 1}, {Code: "unicode.tag", Count: 3}}})
	f.Add(record.Filter{Status: record.Modified})
	want := record.Filter{Status: record.Truncated, Findings: []record.Finding{{Code: "secret.github", Count: 1}, {Code: "unicode.tag", Count: 5}}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	order := []record.FilterStatus{record.Unchanged, record.Modified, record.Truncated, record.Rejected}
	for i, a := range order {
		for j, b := range order {
			if got := record.Highest(a, b); got != order[max(i, j)] {
				t.Errorf("Highest(%s, %s) is %s", a, b, got)
			}
		}
	}
}

// A sum past the largest integer of a document stays just past it.
func TestFindingsAddUpWithinBounds(t *testing.T) {
	f := record.Filter{}
	for range 3 {
		f.AddFindings([]record.Finding{{Code: "a", Count: 1<<53 - 1}})
	}
	if got := f.Findings[0].Count; got != 1<<53 {
		t.Errorf("%d", got)
	}
}

func TestClonesAreIndependent(t *testing.T) {
	a := record.Filter{Status: record.Modified, Findings: []record.Finding{{Code: "a", Count: 1}}}
	b := a.Clone()
	b.Add(a)
	if a.Findings[0].Count != 1 || b.Findings[0].Count != 2 {
		t.Errorf("a %v, b %v", a, b)
	}
	var zero record.Filter
	if zero.Clone().Findings == nil {
		t.Error("a clone has no findings array")
	}
}

func TestUsability(t *testing.T) {
	requirement.Claim(t, "GAP-02")
	want := map[record.GapCode]string{
		"profile_bound": "partial", "history_unavailable": "partial",
		"unsupported": "unusable", "authorization_failed": "unusable", "fetch_failed": "unusable",
		"source_too_large": "unusable", "invalid_metadata": "unusable", "unsafe_content": "unusable",
		"unsupported_entity": "", "": "",
	}
	for code, usability := range want {
		if got := code.Usability(); got != usability {
			t.Errorf("%s: %q, want %q", code, got, usability)
		}
	}
	if len(record.GapCodes) != 8 {
		t.Errorf("%d codes", len(record.GapCodes))
	}
}

func TestLogSelection(t *testing.T) {
	requirement.Claim(t, "COL-07", "AMB-68")
	failed := map[record.Conclusion]bool{
		record.Failure: true, record.TimedOut: true, record.ActionRequired: true, record.Stale: true,
		record.Success: false, record.Neutral: false, record.Cancelled: false, record.Skipped: false,
	}
	for conclusion, selected := range failed {
		c := &record.Check{Status: record.Completed, Conclusion: conclusion}
		if record.LogsFailed.Selects(c) != selected || !record.LogsAll.Selects(c) || record.LogsNone.Selects(c) {
			t.Errorf("completed, %s", conclusion)
		}
		c.NeverStarted = true
		if record.LogsFailed.Selects(c) || record.LogsAll.Selects(c) {
			t.Errorf("%s, never started, has no log", conclusion)
		}
	}
	for _, status := range []record.CheckStatus{record.Queued, record.InProgress} {
		if record.LogsAll.Selects(&record.Check{Status: status}) {
			t.Errorf("%s has no log yet", status)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, l := range map[string]record.Line{
		"actor A": &record.Actor{ID: "A"}, "review R": &record.Record{Kind: record.KindReview, ID: "R"}, "thread T": &record.Thread{ID: "T"},
		"check C": &record.Check{ID: "C", Name: "x"}, "run U": &record.Run{ID: "U", Agent: "x"}, "log of check k": &record.Log{RecordKey: "k"},
		"document d": &record.Document{Name: "d"}, "gap": &record.Gap{}, "snapshot": &record.Snapshot{}, "end": &record.End{}, "abort": &record.Abort{}, "": nil,
		"record": &record.Record{}, "comment": &record.Record{Kind: record.KindComment}, "record R": &record.Record{ID: "R"}, "run": &record.Run{},
	} {
		if got := record.Describe(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
