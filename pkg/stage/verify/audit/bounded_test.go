package audit

import (
	"slices"
	"strings"
	"testing"

	"snapline/pkg/record"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// Display strings that are longer than 64 bytes, with a code point across that place.
var long, unsafeLong = strings.Repeat("x", 63) + "é", unsafeMark + strings.Repeat("x", 60)

func unsafeFilter(status record.FilterStatus) *record.Filter {
	return &record.Filter{Status: status, Findings: []record.Finding{{Code: "injection.mark", Count: 1}}}
}

func isLog(l record.Line) bool { return l.LineType() == record.TypeLog }

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
				lineOf[*record.Record](s, 2).Content = record.Text([]byte("aé€ 0123456789\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*record.Record](s, 2)
				r.Content, r.Filter.Status = record.Text([]byte("aé€ 0123\n")), record.Truncated
			},
		},
		{
			name:  "a body cut too early",
			both:  func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) { lineOf[*record.Record](s, 2).Content = record.Text([]byte("0123456789abc\n")) },
			after: func(s *testkit.Stream) {
				r := lineOf[*record.Record](s, 2)
				r.Content, r.Filter.Status = record.Text([]byte("0123\n")), record.Truncated
			},
			want: []string{ruleText},
		},
		{
			name:  "a cut that is not stated",
			both:  func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) { lineOf[*record.Record](s, 2).Content = record.Text([]byte("0123456789abc\n")) },
			after: func(s *testkit.Stream) { lineOf[*record.Record](s, 2).Content = record.Text([]byte("0123456789a\n")) },
			want:  []string{ruleText},
		},
		{
			name:  "an invented body",
			after: func(s *testkit.Stream) { lineOf[*record.Record](s, 2).Content = record.Text([]byte("other\n")) },
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
				t := lineOf[*record.Thread](s, 1)
				t.RecordKeys, t.Replies = t.RecordKeys[:1], nil
				s.Gap(record.ScopeComments, record.ProfileBound, 1)
			},
		},
		{
			name:  "a gap without a loss",
			after: func(s *testkit.Stream) { s.Gap(record.ScopeComments, record.ProfileBound, 1) },
			want:  []string{ruleGapAdded},
		},
		{
			name:  "a gap of another stage",
			after: func(s *testkit.Stream) { s.Gap(record.ScopeComments, record.AuthorizationFailed, 1) },
			want:  []string{ruleGapAdded},
		},
		{
			name:  "a gap lost",
			input: func(s *testkit.Stream) { s.Gap(record.ScopeReviews, record.HistoryUnavailable, 1) },
			want:  []string{ruleGapLost},
		},
		{
			name: "a thread gone with its records",
			after: func(s *testkit.Stream) {
				without(s, isComment(s, 1))
				without(s, isComment(s, 2))
				without(s, func(l record.Line) bool { return l.LineType() == record.TypeThread })
				lineOf[*record.Run](s, 1).ResultRecordKeys = nil
				s.Gap(record.ScopeComments, record.ProfileBound, 2)
			},
		},
		{
			name: "a thread gone alone",
			after: func(s *testkit.Stream) {
				without(s, func(l record.Line) bool { return l.LineType() == record.TypeThread })
			},
			want: []string{ruleDropped},
		},
		{
			name: "a reference cut for nothing",
			after: func(s *testkit.Stream) {
				t := lineOf[*record.Thread](s, 1)
				t.RecordKeys, t.Replies = t.RecordKeys[:1], nil
			},
			want: []string{ruleReference},
		},
		{
			name:  "a result cut for nothing",
			after: func(s *testkit.Stream) { lineOf[*record.Run](s, 1).ResultRecordKeys = nil },
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
				s.Gap(record.ScopeCheckLogs, record.SourceTooLarge, 1)
			},
			input: func(s *testkit.Stream) {
				l := lineOf[*record.Log](s, 1)
				l.Content, l.Filter = record.Content{Form: record.FormOversize}, nil
			},
		},
		{
			name: "a log that the input does not carry",
			input: func(s *testkit.Stream) {
				l := lineOf[*record.Log](s, 1)
				l.Content, l.Filter = record.Content{Form: record.FormOversize}, nil
			},
			want: []string{ruleChanged},
		},
		{
			name: "a log that the input has no line of, with a gap",
			after: func(s *testkit.Stream) {
				without(s, isLog)
				s.Gap(record.ScopeCheckLogs, record.FetchFailed, 1)
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
				without(s, func(l record.Line) bool {
					c, ok := l.(*record.Check)
					return ok && c.Name == "build" || l.LineType() == record.TypeLog
				})
				s.Gap(record.ScopeChecks, record.ProfileBound, 1)
			},
		},
		{
			name: "labels gone with a gap",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Header.EntityFilter.Status = record.Truncated
				s.Gap(record.ScopeEntity, record.ProfileBound, 1)
			},
		},
		{
			name: "labels gone without a gap",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Header.EntityFilter.Status = record.Truncated
			},
			want: []string{ruleDropped},
		},
		{
			name: "the wrong label gone",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"b"}
				s.Header.EntityFilter.Status = record.Truncated
				s.Gap(record.ScopeEntity, record.ProfileBound, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "labels gone and nothing truncated",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 },
			after: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a"}
				s.Gap(record.ScopeEntity, record.ProfileBound, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "display strings cut where they must be",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxMetadataStringBytes = 64 },
			input: func(s *testkit.Stream) {
				s.Header.Entity.Title = long
				s.Header.Entity.Labels = []string{"a", "b", long, unsafeLong}
				lineOf[*record.Actor](s, 1).Login = ptr(unsafeLong)
				lineOf[*record.Actor](s, 2).Login = ptr(long)
				lineOf[*record.Check](s, 1).Name = long
				lineOf[*record.Run](s, 1).Agent = long
			},
			after: func(s *testkit.Stream) {
				s.Header.Entity.Title = long[:63]
				s.Header.Entity.Labels = []string{"a", "b", long[:63]}
				s.Header.EntityFilter = unsafeFilter(record.Truncated)
				lineOf[*record.Actor](s, 1).Login, lineOf[*record.Actor](s, 1).LoginFilter = nil, unsafeFilter(record.Modified)
				lineOf[*record.Actor](s, 2).Login, lineOf[*record.Actor](s, 2).LoginFilter.Status = ptr(long[:63]), record.Truncated
				lineOf[*record.Check](s, 1).Name, lineOf[*record.Check](s, 1).Filter.Status = long[:63], record.Truncated
				lineOf[*record.Run](s, 1).Agent, lineOf[*record.Run](s, 1).Filter.Status = long[:63], record.Truncated
			},
		},
		{
			name:  "a check rejected for what is left of its name",
			both:  func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxMetadataStringBytes = 64 },
			input: func(s *testkit.Stream) { lineOf[*record.Check](s, 2).Name = unsafeLong },
			after: func(s *testkit.Stream) {
				lineOf[*record.Check](s, 2).Name, lineOf[*record.Check](s, 2).Filter = "", unsafeFilter(record.Rejected)
				s.Gap(record.ScopeChecks, record.UnsafeContent, 1)
			},
		},
		{
			name: "a check rejected for nothing",
			after: func(s *testkit.Stream) {
				lineOf[*record.Check](s, 2).Name, lineOf[*record.Check](s, 2).Filter = "", unsafeFilter(record.Rejected)
				s.Gap(record.ScopeChecks, record.UnsafeContent, 1)
			},
			want: []string{ruleText},
		},
		{
			name: "a row of a check without a name",
			input: func(s *testkit.Stream) {
				c := lineOf[*record.Check](s, 2)
				c.Name, c.Filter, c.RejectedAs = "", unsafeFilter(record.Rejected), record.InvalidMetadata
			},
			after: func(s *testkit.Stream) {
				lineOf[*record.Check](s, 2).Name, lineOf[*record.Check](s, 2).Filter = "", unsafeFilter(record.Rejected)
				s.Gap(record.ScopeChecks, record.UnsafeContent, 1)
			},
			want: []string{ruleChanged},
		},
		{
			name:  "findings of a title that has none",
			after: func(s *testkit.Stream) { s.Header.EntityFilter = unsafeFilter(record.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "findings of a login that has none",
			after: func(s *testkit.Stream) { lineOf[*record.Actor](s, 1).LoginFilter = unsafeFilter(record.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "findings of a name that has none",
			after: func(s *testkit.Stream) { lineOf[*record.Check](s, 1).Filter = unsafeFilter(record.Modified) },
			want:  []string{ruleText},
		},
		{
			name:  "other findings of a rejected record",
			after: func(s *testkit.Stream) { lineOf[*record.Record](s, 4).Filter.Findings[0].Count = 7 },
			want:  []string{ruleChanged},
		},
		{
			name: "a body rejected for what is left of it",
			both: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 12 },
			input: func(s *testkit.Stream) {
				lineOf[*record.Record](s, 5).Content = record.Text([]byte(unsafeMark + " 0123456789\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*record.Record](s, 5)
				r.Content, r.Filter = record.Content{}, unsafeFilter(record.Rejected)
				s.Gap(record.ScopeReviews, record.UnsafeContent, 1)
			},
		},
		{
			name: "a body rejected for nothing",
			after: func(s *testkit.Stream) {
				r := lineOf[*record.Record](s, 5)
				r.Content, r.Filter = record.Content{}, unsafeFilter(record.Rejected)
				s.Gap(record.ScopeReviews, record.UnsafeContent, 1)
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
			after: func(s *testkit.Stream) { lineOf[*record.Record](s, 5).State = record.ChangesRequested },
			want:  []string{ruleChanged},
		},
		{
			name:  "another conclusion",
			after: func(s *testkit.Stream) { lineOf[*record.Check](s, 2).Conclusion = record.Neutral },
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
