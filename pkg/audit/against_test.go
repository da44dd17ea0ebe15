package audit

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/document"
	"snapline/pkg/requirement"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// frame writes a stream whose trailer names its input.
func frame(t *testing.T, s *testkit.Stream, input string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stream.NewWriter(&b)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Write(s.Header))
	for _, l := range s.Ordered() {
		must(w.Write(l))
	}
	earlier := testkit.Chain(s.Header.Position())
	if len(earlier) > 0 {
		earlier[len(earlier)-1] = input
	}
	must(w.End(earlier...))
	return b.Bytes()
}

func digestOf(t *testing.T, b []byte) string {
	t.Helper()
	r := reader(b)
	for {
		if _, err := r.Next(); err != nil {
			return r.Digest()
		}
	}
}

func without(s *testkit.Stream, drop func(contract.Line) bool) {
	s.Lines = slices.DeleteFunc(s.Lines, drop)
}

func isComment(s *testkit.Stream, n int) func(contract.Line) bool {
	return func(l contract.Line) bool {
		r, ok := l.(*contract.Record)
		return ok && r.RecordKey == s.Key(contract.KindComment, n)
	}
}

func against(t *testing.T, output, input []byte) *Report {
	t.Helper()
	r, err := Against(context.Background(), reader(output), "output", reader(input), "input", options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fetched gives the stream that filter would have read to write s.
func asFetched(s *testkit.Stream) *testkit.Stream {
	s.Header.Stages = s.Header.Stages[:1]
	s.Header.EntityFilter, s.Header.FilterVersion = nil, ""
	for _, l := range s.Lines {
		switch l := l.(type) {
		case *contract.Actor:
			l.LoginFilter = nil
		case *contract.Record:
			l.Filter = nil
			if l.Content.Form == contract.FormNone {
				l.Content = contract.Text([]byte(unsafeMark))
			}
		case *contract.Check:
			l.Filter = nil
		case *contract.Run:
			l.Filter = nil
		case *contract.Log:
			l.Filter = nil
		}
	}
	return s
}

// Filter's output against its input.
func TestFilterAgainstItsInput(t *testing.T) {
	requirement.Claim(t, "ADM-05", "ADM-06", "ADM-11", "GAP-05", "AMB-01", "AMB-26", "STR-07", "FLT-01", "FLT-02", "BND-05",
		"DSP-02", "DSP-05", "DSP-06", "DSP-07", "AMB-27", "AMB-28", "AMB-31")
	for _, c := range []struct {
		name  string
		input func(s *testkit.Stream)
		after func(s *testkit.Stream)
		want  []string
	}{
		{name: "nothing to filter"},
		{
			name:  "line ends alone",
			input: func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("one\r\n\r\n")) },
			want:  []string{ruleText}, // the test's scanner does not normalize, so it must notice
		},
		{
			name: "a secret redacted",
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte(changedMark + "\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 2)
				r.Content = contract.Text([]byte("[...]\n"))
				r.Filter = &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "secret.mark", Count: 1}}}
			},
		},
		{
			name: "a secret redacted and more",
			input: func(s *testkit.Stream) {
				lineOf[*contract.Record](s, 2).Content = contract.Text([]byte(changedMark + "\n"))
			},
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 2)
				r.Content = contract.Text([]byte("[...] indeed\n"))
				r.Filter = &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "secret.mark", Count: 1}}}
			},
			want: []string{ruleText},
		},
		{
			name: "names, labels and logins filtered",
			input: func(s *testkit.Stream) {
				s.Header.Entity.Labels = []string{"a", "", "b", "a", unsafeMark}
				lineOf[*contract.Actor](s, 1).Login = ptr(unsafeMark)
				lineOf[*contract.Actor](s, 2).Login = ptr("")
				lineOf[*contract.Check](s, 1).Name = changedMark
				lineOf[*contract.Check](s, 2).Name = unsafeMark
			},
			after: func(s *testkit.Stream) {
				s.Header.EntityFilter = unsafeFilter(contract.Modified)
				lineOf[*contract.Actor](s, 1).Login, lineOf[*contract.Actor](s, 1).LoginFilter = nil, unsafeFilter(contract.Modified)
				lineOf[*contract.Actor](s, 2).Login, lineOf[*contract.Actor](s, 2).LoginFilter.Status = nil, contract.Modified
				c := lineOf[*contract.Check](s, 1)
				c.Name, c.Filter = "[...]", &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "secret.mark", Count: 1}}}
				c = lineOf[*contract.Check](s, 2)
				c.Name, c.Filter, c.RejectedAs = "", unsafeFilter(contract.Rejected), contract.UnsafeContent
			},
		},
		{
			name: "a check rejected for nothing",
			after: func(s *testkit.Stream) {
				c := lineOf[*contract.Check](s, 2)
				c.Name, c.Filter, c.RejectedAs = "", unsafeFilter(contract.Rejected), contract.UnsafeContent
			},
			want: []string{ruleText},
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
			name:  "a label gone for nothing",
			after: func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"a"} },
			want:  []string{ruleText},
		},
		{
			name: "a comment not admitted",
			input: func(s *testkit.Stream) {
				s.Comment(8, testkit.Time(2, "10:08"), s.Human(8, "read"), "hello").Filter = nil
				s.Actor(s.ID("actor", 8)).LoginFilter = nil
			},
			after: func(s *testkit.Stream) {
				s.Human(8, "read")
				s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 1)
			},
		},
		{
			name: "a comment not admitted and not counted",
			input: func(s *testkit.Stream) {
				s.Comment(8, testkit.Time(2, "10:08"), s.Human(8, "read"), "hello").Filter = nil
				s.Actor(s.ID("actor", 8)).LoginFilter = nil
			},
			want: []string{ruleDropped},
		},
		{
			name: "a review charged to comments",
			input: func(s *testkit.Stream) {
				s.Review(8, testkit.Time(2, "11:08"), s.Human(8, "read"), "hello", contract.Approved).Filter = nil
				s.Actor(s.ID("actor", 8)).LoginFilter = nil
			},
			after: func(s *testkit.Stream) { s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 1) },
			want:  []string{ruleDropped, ruleGapAdded},
		},
		{
			name:  "a thread gone for its path",
			input: func(s *testkit.Stream) { s.Thread(2, testkit.Time(2, "10:05"), 2).Path = changedMark },
			after: func(s *testkit.Stream) { s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1) },
		},
		{
			name:  "a check gone",
			input: func(s *testkit.Stream) { s.Check(5, testkit.Time(3, "12:00"), "more", contract.Success).Filter = nil },
			want:  []string{ruleDropped},
		},
		{
			name: "a body marked oversize that is not",
			after: func(s *testkit.Stream) {
				r := lineOf[*contract.Record](s, 2)
				r.Content, r.Filter = contract.Content{Form: contract.FormOversize}, nil
			},
			want: []string{ruleText},
		},
		{
			name: "a log gone",
			after: func(s *testkit.Stream) {
				without(s, isLog)
			},
			want: []string{ruleDropped},
		},
		{
			name:  "a thread changed",
			after: func(s *testkit.Stream) { lineOf[*contract.Thread](s, 1).Outdated = true },
			want:  []string{ruleChanged},
		},
		{
			name:  "judged under another threshold",
			input: func(s *testkit.Stream) { s.Header.Collection.HumanMinRole = "write" },
		},
		{
			name:  "other bounds",
			after: func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 7 },
			want:  []string{ruleHeader},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := asFetched(full(filtered)), full(filtered)
			if c.input != nil {
				c.input(before)
			}
			if c.after != nil {
				c.after(after)
			}
			input := frame(t, before, "")
			got := against(t, frame(t, after, digestOf(t, input)), input)
			if rules := names(got); !slices.Equal(rules, c.want) {
				t.Errorf("want %v, got %v", c.want, got.Findings)
			}
		})
	}
}

// With registered credentials, which only filter knew, text that says it is unchanged
// must be.
func TestFilterWithCredentials(t *testing.T) {
	before, after := asFetched(full(filtered)), full(filtered)
	after.Header.CredentialsRegistered = 1
	r := lineOf[*contract.Record](after, 2)
	r.Content = contract.Text([]byte("[credential]\n"))
	r.Filter = &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "secret.registered", Count: 1}}}
	input := frame(t, before, "")
	if got := against(t, frame(t, after, digestOf(t, input)), input); len(got.Findings) != 0 {
		t.Errorf("got %v", got.Findings)
	}
	r.Filter = &contract.Filter{Status: contract.Unchanged, Findings: []contract.Finding{}}
	if got := against(t, frame(t, after, digestOf(t, input)), input); !slices.Equal(names(got), []string{ruleText}) {
		t.Errorf("got %v", got.Findings)
	}
}

// The same for display strings.
func TestNamesWithCredentials(t *testing.T) {
	before, after := asFetched(full(filtered)), full(filtered)
	after.Header.CredentialsRegistered = 1
	lineOf[*contract.Check](after, 1).Name = "another"
	input := frame(t, before, "")
	if got := against(t, frame(t, after, digestOf(t, input)), input); !slices.Equal(names(got), []string{ruleText}) {
		t.Errorf("got %v", got.Findings)
	}
	lineOf[*contract.Check](after, 1).Filter = &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "secret.registered", Count: 1}}}
	if got := against(t, frame(t, after, digestOf(t, input)), input); len(got.Findings) != 0 {
		t.Errorf("got %v", got.Findings)
	}
}

// Streams that do not follow each other are told so.
func TestChain(t *testing.T) {
	input := frame(t, full(filtered), strings.Repeat("0", 64))
	after := full(bounded)
	after.Bot(3)
	if got := against(t, frame(t, after, strings.Repeat("1", 64)), input); !slices.Equal(names(got), []string{ruleInput}) {
		t.Errorf("another input: %v", got.Findings)
	}
	if got := against(t, input, input); !slices.Equal(names(got), []string{ruleChain}) {
		t.Errorf("the same stage: %v", got.Findings)
	}
	if got := against(t, frame(t, after, digestOf(t, input)), frame(t, asFetched(full(filtered)), "")); !slices.Equal(names(got), []string{ruleChain}) {
		t.Errorf("a stage left out: %v", got.Findings)
	}
}

func documents(position int, raws ...string) *testkit.Stream {
	s := &testkit.Stream{Header: &contract.Snapshot{
		Family: contract.FamilyMSP, Limits: &contract.Limits{MaxDocuments: 2, MaxDocumentBytes: 10, Selection: contract.Newest},
	}}
	for _, stage := range contract.StageNames[:position] {
		s.Header.Stages = append(s.Header.Stages, contract.Self(stage))
	}
	s.Header.FilterVersion = testkit.New(contract.GitHub, contract.WorkItem, filtered).Header.FilterVersion
	for _, raw := range raws {
		filter := contract.Clean()
		s.Lines = append(s.Lines, &contract.Document{
			Name: "d-" + raw, Format: "msp-snapshot-state", Raw: []byte(`"` + raw + `"`), HasRaw: true, SHA256: tree.Digest([]byte(`"` + raw + `"`)), Filter: &filter,
		})
	}
	return s
}

// Each string of a filtered document is as its policy wants it, and they are counted.
func TestStringsOfDocuments(t *testing.T) {
	requirement.Claim(t, "FLT-01")
	texts := map[string]document.Policy{}
	family := func(raw []byte) (document.Reading, error) {
		value := strings.Trim(string(raw), `"`)
		if value == "unreadable" {
			return document.Reading{}, errors.New("no document")
		}
		return document.Reading{Texts: []document.Text{{Start: 0, End: len(raw), Value: value, Policy: texts[value]}}}, nil
	}
	for _, c := range []struct {
		raw     string
		policy  document.Policy
		strings int64
		want    []string
	}{
		{"plain", document.Replace, 1, nil},
		{"plain", document.Replace, 2, []string{ruleDocument}},
		{"unreadable", document.Replace, 1, []string{ruleDocument}},
		{changedMark, document.Replace, 1, []string{ruleUnsafe}},
		{changedMark, document.Report, 1, nil},
		{changedMark, document.Refuse, 1, []string{ruleUnsafe}},
		{unsafeMark, document.Replace, 1, []string{ruleUnsafe}},
		{unsafeMark, document.Refuse, 1, nil}, // a protocol's own words
	} {
		texts[c.raw] = c.policy
		s := documents(filtered, c.raw)
		s.Lines[0].(*contract.Document).Strings = c.strings
		o := options()
		o.Families = map[contract.Family]document.Family{contract.FamilyMSP: family}
		r, err := Stream(context.Background(), reader(frame(t, s, strings.Repeat("0", 64))), "stream", o)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(r); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, r.Findings)
		}
	}
}

// Streams of documents: bound keeps or drops whole documents.
func TestDocuments(t *testing.T) {
	input := frame(t, documents(filtered, "a", "b", "c"), strings.Repeat("0", 64))
	kept := documents(bounded, "b", "c")
	kept.Gap(contract.ScopeDocuments, contract.ProfileBound, 1)
	if got := against(t, frame(t, kept, digestOf(t, input)), input); len(got.Findings) != 0 {
		t.Errorf("got %v", got.Findings)
	}
	kept = documents(bounded, "b", "c")
	if got := against(t, frame(t, kept, digestOf(t, input)), input); !slices.Equal(names(got), []string{ruleDropped}) {
		t.Errorf("not counted: %v", got.Findings)
	}
	kept = documents(bounded, "b", "c")
	kept.Lines[0].(*contract.Document).Format = "other"
	other := kept.Lines[1].(*contract.Document)
	other.Raw = []byte(`"C"`)
	other.SHA256 = tree.Digest(other.Raw)
	kept.Gap(contract.ScopeDocuments, contract.ProfileBound, 1)
	if got := against(t, frame(t, kept, digestOf(t, input)), input); !slices.Equal(names(got), []string{ruleChanged, ruleText}) {
		t.Errorf("changed: %v", got.Findings)
	}
	kept = documents(bounded, "b", "x")
	kept.Gap(contract.ScopeDocuments, contract.ProfileBound, 2)
	if got := against(t, frame(t, kept, digestOf(t, input)), input); !slices.Contains(names(got), ruleInvented) {
		t.Errorf("invented: %v", got.Findings)
	}
	kept = documents(bounded, "a", "b", "c", "ddddddddddd")
	r, err := Stream(context.Background(), reader(frame(t, kept, strings.Repeat("0", 64))), "stream", options())
	if err != nil || !slices.Equal(names(r), []string{ruleCount, ruleLength}) {
		t.Errorf("over the limits: %v %v", r, err)
	}
}
