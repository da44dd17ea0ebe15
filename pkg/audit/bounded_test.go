package audit

import (
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// Display strings that are longer than 64 bytes, with a code point across that place.
var long, unsafeLong = strings.Repeat("x", 63) + "é", unsafeMark + strings.Repeat("x", 60)

func unsafeFilter(status contract.FilterStatus) *contract.Filter {
	return &contract.Filter{Status: status, Findings: []contract.Finding{{Code: "injection.mark", Count: 1}}}
}

func isLog(l contract.Line) bool { return l.LineType() == contract.TypeLog }

// Bound's output against its input: everything that is there follows from the input,
// everything that is gone is counted.
func TestBoundAgainstItsInput(t *testing.T) {
	requirement.Claim(t, "GAP-05", "GAP-07", "GAP-08", "GAP-09", "AMB-02", "AMB-03", "AMB-11", "AMB-66", "BND-03", "BND-04", "THR-08", "THR-09", "AMB-19", "AMB-27",
		"AMB-28", "AMB-31", "DSP-03", "DSP-04", "DSP-05", "DSP-06", "FLT-03", "INJ-04")
	for _, c := range []struct {
		name  string
		both  func(s *testkit.Stream) // changes input and output alike
		input func(s *testkit.Stream)
		after func(s *testkit.Stream)
		want  []string
	}{
		{name: "nothing to bound"},
		{
			name: "a body cut where it must be",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("aé€ 0123456789\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 2)
				r.Content, r.Filter.Status = contract.Text([]byte("aé€ 0123\n")), contract.Truncated
			},
		},
		{
			name: "a body cut too early",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("0123456789abc\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 2)
				r.Content, r.Filter.Status = contract.Text([]byte("0123\n")), contract.Truncated
			},
			want: []string{ruleText},
		},
		{
			name: "a cut that is not stated",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("0123456789abc\n"))
			},
			after: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("0123456789a\n"))
			},
			want: []string{ruleText},
		},
		{
			name:  "an invented body",
			after: func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("other\n")) },
			want:  []string{ruleText},
		},
		{
			name:  "an invented record",
			after: func(s *testkit.Stream) { s.Comment(7, testkit.Time(2, "10:07"), s.ID("actor", 1), "seven\n") },
			want:  []string{ruleInvented},
		},
		{
			name:  "a record gone without a gap",
			after: func(s *testkit.Stream) { without(s, isComment(s, 3)); s.Lines = s.Lines[:len(s.Lines)-1] },
			want:  []string{ruleDropped},
		},
		{
			name: "records gone with a gap",
			after: func(s *testkit.Stream) {
				without(s, isComment(s, 2))
				t := lineOf[*contract.Thread](s, 1)
				t.RecordKeys, t.Replies = t.RecordKeys[:1], nil
				s.Gap(contract.ScopeComments, contract.ProfileBound, 1)
			},
		},
		{
			name:  "a gap without a loss",
			after: func(s *testkit.Stream) { s.Gap(contract.ScopeComments, contract.ProfileBound, 1) },
			want:  []string{ruleGapAdded},
		},
		{
			name:  "a gap of another stage",
			after: func(s *testkit.Stream) { s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 1) },
			want:  []string{ruleGapAdded},
		},
		{
			name:  "a gap lost",
			input: func(s *testkit.Stream) { s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1) },
			want:  []string{ruleGapLost},
		},
		{
			name: "a thread gone with its records",
			after: func(s *testkit.Stream) {
				without(s, isComment(s, 1))
				without(s, isComment(s, 2))
				without(s, func(l contract.Line) bool { return l.LineType() == contract.TypeThread })
				lineOf[*contract.Run](s, 1).ResultRecordKeys = nil
				s.Gap(contract.ScopeComments, contract.ProfileBound, 2)
			},
		},
		{
			name: "a thread gone alone",
			after: func(s *testkit.Stream) {
				without(s, func(l contract.Line) bool { return l.LineType() == contract.TypeThread })
			},
			want: []string{ruleDropped},
		},
		{
			name: "a reference cut for nothing",
			after: func(s *testkit.Stream) {
				t := lineOf[*contract.Thread](s, 1)
				t.RecordKeys, t.Replies = t.RecordKeys[:1], nil
			},
			want: []string{ruleReference},
		},
		{
			name:  "a result cut for nothing",
			after: func(s *testkit.Stream) { lineOf[*contract.Run](s, 1).ResultRecordKeys = nil },
			want:  []string{ruleReference},
		},
		{
			name: "a log gone without a gap",
			after: func(s *testkit.Stream) {
				without(s, isLog)
			},
			want: []string{ruleDropped},
		},
		{
			name: "a log gone with a gap",
			after: func(s *testkit.Stream) {
				without(s, isLog)
				s.Gap(contract.ScopeCheckLogs, contract.SourceTooLarge, 1)
			},
			input: func(s *testkit.Stream) {
				l := lineOf[*contract.Log](s, 1)
				l.Content, l.Filter = contract.Content{Form: contract.FormOversize}, nil
			},
		},
		{
			name: "a log that the input does not carry",
			input: func(s *testkit.Stream) {
				l := lineOf[*contract.Log](s, 1)
				l.Content, l.Filter = contract.Content{Form: contract.FormOversize}, nil
			},
			want: []string{ruleChanged},
		},
		{
			name: "a log that the input has no line of, with a gap",
			after: func(s *testkit.Stream) {
				without(s, isLog)
				s.Gap(contract.ScopeCheckLogs, contract.FetchFailed, 1)
			},
			input: func(s *testkit.Stream) { without(s, isLog) },
		},
		{
			name:  "a log that the input has no line of, without a gap",
			after: func(s *testkit.Stream) { without(s, isLog) },
			input: func(s *testkit.Stream) { without(s, isLog) },
			want:  []string{ruleDropped},
		},
		{
			name: "a check and its log gone with a gap",
			after: func(s *testkit.Stream) {
				without(s, func(l contract.Line) bool {
					c, ok := l.(*contract.Check)
					return ok && c.Name == "build" || l.LineType() == contract.TypeLog
				})
				s.Gap(contract.ScopeChecks, contract.ProfileBound, 1)
			},
		},
		{
			name: "labels gone with a gap",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Header.EntityFilter.Status = contract.Truncated
				s.Gap(contract.ScopeEntity, contract.ProfileBound, 1)
			},
		},
		{
			name: "labels gone without a gap",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Header.EntityFilter.Status = contract.Truncated
			},
			want: []string{ruleDropped},
		},
		{
			name: "the wrong label gone",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"b"}
				s.Header.EntityFilter.Status = contract.Truncated
				s.Gap(contract.ScopeEntity, contract.ProfileBound, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "labels gone and nothing truncated",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Gap(contract.ScopeEntity, contract.ProfileBound, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "display strings cut where they must be",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxMetadataStringBytes = 64 },
			input: func(s *testkit.Stream) {
				s.Header.Entity.Title = long
				s.Header.Entity.Labels = []string{"a", "b", long, unsafeLong}
				lineOf[*contract.Actor](s, 1).Login = ptr(unsafeLong)
				lineOf[*contract.Actor](s, 2).Login = ptr(long)
				lineOf[*contract.Check](s, 1).Name = long
				lineOf[*contract.Run](s, 1).Agent = long
			},
			after: func(s *testkit.Stream) {
				s.Header.Entity.Title = long[:63]
				s.Header.Entity.Labels = []string{"a", "b", long[:63]}
				s.Header.EntityFilter = unsafeFilter(contract.Truncated)
				lineOf[*contract.Actor](s, 1).Login, lineOf[*contract.Actor](s, 1).LoginFilter = nil, unsafeFilter(contract.Modified)
				lineOf[*contract.Actor](s, 2).Login, lineOf[*contract.Actor](s, 2).LoginFilter.Status = ptr(long[:63]), contract.Truncated
				lineOf[*contract.Check](s, 1).Name, lineOf[*contract.Check](s, 1).Filter.Status = long[:63], contract.Truncated
				lineOf[*contract.Run](s, 1).Agent, lineOf[*contract.Run](s, 1).Filter.Status = long[:63], contract.Truncated
			},
		},
		{
			name:  "a check rejected for what is left of its name",
			both:  func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxMetadataStringBytes = 64 },
			input: func(s *testkit.Stream) { lineOf[*contract.Check](s, 2).Name = unsafeLong },
			after: func(s *testkit.Stream) {
				lineOf[*contract.Check](s, 2).Name, lineOf[*contract.Check](s, 2).Filter = "", unsafeFilter(contract.Rejected)
				s.Gap(contract.ScopeChecks, contract.UnsafeContent, 1)
			},
		},
		{
			name: "a check rejected for nothing",
			after: func(s *testkit.Stream) {
				lineOf[*contract.Check](s, 2).Name, lineOf[*contract.Check](s, 2).Filter = "", unsafeFilter(contract.Rejected)
				s.Gap(contract.ScopeChecks, contract.UnsafeContent, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "a row of a check without a name",
			input: func(s *testkit.Stream) {
				c := lineOf[*contract.Check](s, 2)
				c.Name, c.Filter, c.RejectedAs = "", unsafeFilter(contract.Rejected), contract.InvalidMetadata
			},
			after: func(s *testkit.Stream) {
				lineOf[*contract.Check](s, 2).Name, lineOf[*contract.Check](s, 2).Filter = "", unsafeFilter(contract.Rejected)
				s.Gap(contract.ScopeChecks, contract.UnsafeContent, 1)
			},
			want: []string{ruleChanged},
		},
		{
			name:  "findings of a title that has none",
			after: func(s *testkit.Stream) { s.Header.EntityFilter = unsafeFilter(contract.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "findings of a login that has none",
			after: func(s *testkit.Stream) { lineOf[*contract.Actor](s, 1).LoginFilter = unsafeFilter(contract.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "findings of a name that has none",
			after: func(s *testkit.Stream) { lineOf[*contract.Check](s, 1).Filter = unsafeFilter(contract.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "other findings of a rejected record",
			after: func(s *testkit.Stream) { lineOf[*contract.Record](s, 4).Filter.Findings[0].Count = 7 },
			want:  []string{ruleChanged},
		},
		{
			name: "a body rejected for what is left of it",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 5).Content = contract.Text([]byte(unsafeMark + " 0123456789\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 5)
				r.Content, r.Filter = contract.Content{}, unsafeFilter(contract.Rejected)
				s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1)
			},
		},
		{
			name: "a body rejected for nothing",
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 5)
				r.Content, r.Filter = contract.Content{}, unsafeFilter(contract.Rejected)
				s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1)
			},
			want: []string{ruleText},
		},
		{
			name:  "another title",
			after: func(s *testkit.Stream) { s.Header.Entity.Title = "Another" },
			want:  []string{ruleText},
		},
		{
			name:  "an invented label",
			after: func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"a", "b", "c"} },
			want:  []string{ruleText},
		},
		{
			name:  "another number",
			after: func(s *testkit.Stream) { s.Header.Entity.Number = 18 },
			want:  []string{ruleHeader},
		},
		{
			name: "another threshold",
			after: func(s *testkit.Stream) {
				s.Header.Collection.HumanMinRole = "write"
				s.Actor(s.ID("actor", 2)).Role = ptr("write")
			},
			input: func(s *testkit.Stream) { s.Actor(s.ID("actor", 2)).Role = ptr("write") },
			want:  []string{ruleHeader},
		},
		{
			name:  "another role",
			after: func(s *testkit.Stream) { s.Actor(s.ID("actor", 2)).Role = ptr("admin") },
			want:  []string{ruleChanged},
		},
		{
			name:  "another state of a review",
			after: func(s *testkit.Stream) { lineOf[*contract.Record](s, 5).State = contract.ChangesRequested },
			want:  []string{ruleChanged},
		},
		{
			name:  "another conclusion",
			after: func(s *testkit.Stream) { lineOf[*contract.Check](s, 2).Conclusion = contract.Neutral },
			want:  []string{ruleChanged},
		},
		{
			name:  "a rejected row that is not counted",
			after: func(s *testkit.Stream) { s.Lines = s.Lines[:len(s.Lines)-1] },
			want:  []string{ruleDropped},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := full(filtered), full(bounded)
			after.Bot(3)
			for _, change := range []func(*testkit.Stream){c.both, c.input} {
				if change != nil {
					change(before)
				}
			}
			// The bot was added last; keep the gap at the end for the cases that cut it.
			last := len(after.Lines) - 1
			after.Lines[last], after.Lines[last-1] = after.Lines[last-1], after.Lines[last]
			for _, change := range []func(*testkit.Stream){c.both, c.after} {
				if change != nil {
					change(after)
				}
			}
			input := frame(t, before, strings.Repeat("0", 64))
			got := against(t, frame(t, after, digestOf(t, input)), input)
			if rules := names(got); !slices.Equal(rules, c.want) {
				t.Errorf("want %v, got %v", c.want, got.Findings)
			}
		})
	}
}
