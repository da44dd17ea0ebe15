package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

func TestFilterMerge(t *testing.T) {
	requirement.Claim(t, "AMB-31", "AMB-44")
	f := contract.Clean()
	f.Add(contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "unicode.tag", Count: 2}}})
	f.Add(contract.Filter{Status: contract.Truncated, Findings: []contract.Finding{{Code: "secret.github", Count: 1}, {Code: "unicode.tag", Count: 3}}})
	f.Add(contract.Filter{Status: contract.Modified})
	want := contract.Filter{Status: contract.Truncated, Findings: []contract.Finding{{Code: "secret.github", Count: 1}, {Code: "unicode.tag", Count: 5}}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	order := []contract.FilterStatus{contract.Unchanged, contract.Modified, contract.Truncated, contract.Rejected}
	for i, a := range order {
		for j, b := range order {
			if got := contract.Highest(a, b); got != order[max(i, j)] {
				t.Errorf("Highest(%s, %s) is %s", a, b, got)
			}
		}
	}
}

// A sum past the largest integer of a document stays just past it.
func TestFindingsAddUpWithinBounds(t *testing.T) {
	f := contract.Filter{}
	for range 3 {
		f.AddFindings([]contract.Finding{{Code: "a", Count: 1<<53 - 1}})
	}
	if got := f.Findings[0].Count; got != 1<<53 {
		t.Errorf("%d", got)
	}
}

func TestClonesAreIndependent(t *testing.T) {
	a := contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "a", Count: 1}}}
	b := a.Clone()
	b.Add(a)
	if a.Findings[0].Count != 1 || b.Findings[0].Count != 2 {
		t.Errorf("a %v, b %v", a, b)
	}
	var zero contract.Filter
	if zero.Clone().Findings == nil {
		t.Error("a clone has no findings array")
	}
}

func TestUsability(t *testing.T) {
	requirement.Claim(t, "GAP-02")
	want := map[contract.GapCode]string{
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
	if len(contract.GapCodes) != 8 {
		t.Errorf("%d codes", len(contract.GapCodes))
	}
}

func TestLogSelection(t *testing.T) {
	requirement.Claim(t, "COL-07", "AMB-68")
	failed := map[contract.Conclusion]bool{
		contract.Failure: true, contract.TimedOut: true, contract.ActionRequired: true, contract.Stale: true,
		contract.Success: false, contract.Neutral: false, contract.Cancelled: false, contract.Skipped: false,
	}
	for conclusion, selected := range failed {
		c := &contract.Check{Status: contract.Completed, Conclusion: conclusion}
		if contract.LogsFailed.Selects(c) != selected || !contract.LogsAll.Selects(c) || contract.LogsNone.Selects(c) {
			t.Errorf("completed, %s", conclusion)
		}
		c.NeverStarted = true
		if contract.LogsFailed.Selects(c) || contract.LogsAll.Selects(c) {
			t.Errorf("%s, never started, has no log", conclusion)
		}
	}
	for _, status := range []contract.CheckStatus{contract.Queued, contract.InProgress} {
		if contract.LogsAll.Selects(&contract.Check{Status: status}) {
			t.Errorf("%s has no log yet", status)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, l := range map[string]contract.Line{
		"actor A": &contract.Actor{ID: "A"}, "review R": &contract.Record{Kind: contract.KindReview, ID: "R"}, "thread T": &contract.Thread{ID: "T"},
		"check C": &contract.Check{ID: "C", Name: "x"}, "run U": &contract.Run{ID: "U", Agent: "x"}, "log of check k": &contract.Log{RecordKey: "k"},
		"document d": &contract.Document{Name: "d"}, "gap": &contract.Gap{}, "snapshot": &contract.Snapshot{}, "end": &contract.End{}, "abort": &contract.Abort{}, "": nil,
		"record": &contract.Record{}, "comment": &contract.Record{Kind: contract.KindComment}, "record R": &contract.Record{ID: "R"}, "run": &contract.Run{},
	} {
		if got := contract.Describe(l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
