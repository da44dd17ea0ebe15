package bound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// marked is a scanner that calls a text unsafe if it ends, but for line feeds, in the
// mark. The full sources of these tests go on behind the mark, so that they pass.
const mark = "do evil"

type marked struct{ seen []string }

func (m *marked) Rescan(text []byte) (safety.Result, error) {
	m.seen = append(m.seen, string(text))
	if strings.HasSuffix(strings.TrimRight(string(text), "\n"), mark) {
		return safety.Result{Status: contract.Rejected, Findings: []contract.Finding{{Code: "injection.mark", Count: 1}}}, nil
	}
	return safety.Result{Status: contract.Unchanged, Text: text}, nil
}

type result struct {
	header *contract.Snapshot
	lines  []contract.Line
	stderr string
	scans  []string
	err    error
}

// bounded runs the stage over a stream with scanner marked. What it writes has passed
// the strict reader of a bounded stream.
func bounded(t *testing.T, s *testkit.Stream) result {
	t.Helper()
	in := stream.NewReader(bytes.NewReader(s.Bytes(t)), stream.ReaderOptions{Name: "test", Position: 2})
	header, err := in.Header()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	scan := &marked{}
	var out bytes.Buffer
	w := stream.NewWriter(&out)
	st := &stage{write: w.Write, recycle: in.Recycle, worker: scan, log: fault.NewLog(&stderr, "bound", fault.Text)}
	r := result{err: st.run(context.Background(), header, in.Next)}
	r.stderr, r.scans = stderr.String(), scan.seen
	if r.err != nil {
		return r
	}
	if err := w.End(in.Chain()...); err != nil {
		t.Fatal(err)
	}
	r.header, r.lines = testkit.Parse(t, out.Bytes(), 3)
	return r
}

// say gives the lines as short sentences.
func say(lines []contract.Line) []string {
	var out []string
	for _, l := range lines {
		switch l := l.(type) {
		case *contract.Actor:
			login := "null"
			if l.Login != nil {
				login = fmt.Sprintf("%q", *l.Login)
			}
			out = append(out, fmt.Sprintf("actor %s %s %s", l.ID, login, verdict(l.LoginFilter)))
		case *contract.Record:
			body := ""
			if l.Content.Form == contract.FormText {
				body = fmt.Sprintf(" %q", l.Content.Bytes)
			}
			out = append(out, fmt.Sprintf("%s %s%s %s", l.Kind, l.ID, body, verdict(l.Filter)))
		case *contract.Thread:
			out = append(out, fmt.Sprintf("thread %s %d records %d replies review %q", l.ID, len(l.RecordKeys), len(l.Replies), l.ReviewID))
		case *contract.Check:
			out = append(out, fmt.Sprintf("check %s %q %s", l.ID, l.Name, verdict(l.Filter)))
		case *contract.Run:
			out = append(out, fmt.Sprintf("run %s %q %d results %s", l.ID, l.Agent, len(l.ResultRecordKeys), verdict(l.Filter)))
		case *contract.Log:
			out = append(out, fmt.Sprintf("log %.8s %q %s", l.RecordKey, l.Content.Bytes, verdict(l.Filter)))
		case *contract.Document:
			out = append(out, fmt.Sprintf("document %s %q %s", l.Name, l.Raw, verdict(l.Filter)))
		case *contract.Gap:
			out = append(out, fmt.Sprintf("gap %s/%s %d", l.Scope, l.Code, l.Count))
		}
	}
	return out
}

func verdict(f *contract.Filter) string {
	s := string(f.Status)
	for _, finding := range f.Findings {
		s += fmt.Sprintf(" %s=%d", finding.Code, finding.Count)
	}
	return s
}

// only keeps the sentences that start with one of the words.
func only(lines []contract.Line, words ...string) []string {
	return slices.DeleteFunc(say(lines), func(s string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w+" ") })
	})
}

func want(t *testing.T, r result, want []string, words ...string) {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	if diff := cmp.Diff(want, only(r.lines, words...), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSelectionKeepsOneEndOfEachSource(t *testing.T) {
	requirement.Claim(t, "COL-09", "GAP-07", "AMB-21", "GAP-12")
	for _, n := range []int64{1, 2, 3, 4, 5} {
		for _, selection := range []contract.Selection{contract.Oldest, contract.Newest} {
			s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
			s.Header.Collection.RecordSelection = selection
			s.Header.Collection.Bounds.MaxRecordsPerSource = n
			author := s.ID("actor", 1)
			for i := 1; i <= 4; i++ {
				s.Comment(i, testkit.Time(i, "10:00"), author, "c\n")
				s.Review(i, testkit.Time(i, "11:00"), author, "r\n", contract.Commented)
				s.Check(i, testkit.Time(i, "12:00"), "ci", contract.Success)
				s.Run(i, testkit.Time(i, "13:00"), "coder").PublisherID = &author
			}
			var expect []string
			first, last := 1, int(min(n, 4))
			if selection == contract.Newest {
				first, last = 5-last, 4
			}
			for i := first; i <= last; i++ {
				expect = append(expect, fmt.Sprintf(`comment %s "c\n" unchanged`, s.ID(contract.KindComment, i)),
					fmt.Sprintf(`review %s "r\n" unchanged`, s.ID(contract.KindReview, i)))
			}
			for i := first; i <= last; i++ {
				expect = append(expect, fmt.Sprintf(`check %s "ci" unchanged`, s.ID(contract.KindCheck, i)))
			}
			for i := first; i <= last; i++ {
				expect = append(expect, fmt.Sprintf(`run %s "coder" 0 results unchanged`, s.ID("run", i)))
			}
			if n < 4 {
				for _, scope := range []string{"agent_runs", "checks", "comments", "reviews"} {
					expect = append(expect, fmt.Sprintf("gap %s/profile_bound %d", scope, 4-n))
				}
			}
			t.Run(fmt.Sprintf("%s %d", selection, n), func(t *testing.T) {
				want(t, bounded(t, s), expect, "comment", "review", "check", "run", "gap")
			})
		}
	}
}

// Four comments of one second: keys decide, not ids or arrival.
func TestEqualTimesAreSelectedByKey(t *testing.T) {
	requirement.Claim(t, "AMB-21", "COL-09")
	for selection, kept := range map[contract.Selection][]string{
		contract.Newest: {"IC_kwDOt1", "IC_kwDOt2"}, contract.Oldest: {"IC_kwDOt3", "IC_kwDOt4"},
	} {
		s := testkit.New(contract.GitHub, contract.WorkItem, 2)
		s.Header.Collection.RecordSelection = selection
		s.Header.Collection.Bounds.MaxRecordsPerSource = 2
		for _, id := range []string{"IC_kwDOt1", "IC_kwDOt2", "IC_kwDOt3", "IC_kwDOt4"} {
			s.Identify(s.Comment(1, "2026-07-01T12:00:00.000000000Z", s.ID("actor", 1), "c\n"), id)
		}
		want(t, bounded(t, s), []string{
			fmt.Sprintf(`comment %s "c\n" unchanged`, kept[0]), fmt.Sprintf(`comment %s "c\n" unchanged`, kept[1]), "gap comments/profile_bound 2",
		}, "comment", "gap")
	}
}

func TestRejectedAndOversizeObjectsKeepTheirPlace(t *testing.T) {
	requirement.Claim(t, "AMB-01", "AMB-02", "AMB-03", "AMB-04", "GAP-09", "GAP-05", "FLT-04", "BND-05", "AMB-10", "AMB-14", "DSP-06")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxRecordsPerSource = 3
	author := s.ID("actor", 1)
	oversize := func(r *contract.Record) { r.Content, r.Filter = contract.Content{Form: contract.FormOversize}, nil }
	testkit.Reject(s.Comment(1, testkit.Time(1, "10:00"), author, ""), "x") // dropped: profile_bound alone
	testkit.Reject(s.Comment(2, testkit.Time(2, "10:00"), author, ""), "x")
	oversize(s.Comment(3, testkit.Time(3, "10:00"), author, ""))
	s.Comment(4, testkit.Time(4, "10:00"), author, "c\n")
	oversize(s.Review(1, testkit.Time(1, "11:00"), author, "", contract.Approved)) // dropped
	oversize(s.Review(2, testkit.Time(2, "11:00"), author, "", contract.Approved))
	testkit.Reject(s.Review(3, testkit.Time(3, "11:00"), author, "", contract.Approved), "y")
	s.Review(4, testkit.Time(4, "11:00"), author, "", contract.Approved)
	reject := func(c *contract.Check, code contract.GapCode) {
		c.Name, c.RejectedAs, c.Filter = "", code, &contract.Filter{Status: contract.Rejected}
	}
	reject(s.Check(1, testkit.Time(1, "12:00"), "ci", contract.Success), contract.UnsafeContent) // dropped
	reject(s.Check(2, testkit.Time(2, "12:00"), "ci", contract.Success), contract.UnsafeContent)
	reject(s.Check(3, testkit.Time(3, "12:00"), "ci", contract.Success), contract.InvalidMetadata)
	reject(s.Check(4, testkit.Time(4, "12:00"), "ci", contract.Success), contract.SourceTooLarge)
	for i, code := range []contract.GapCode{"", contract.UnsafeContent, contract.InvalidMetadata, contract.SourceTooLarge} {
		r := s.Run(i+1, testkit.Time(i+1, "13:00"), "coder")
		r.PublisherID = &author
		if code != "" {
			r.Agent, r.RejectedAs, r.Filter = "", code, &contract.Filter{Status: contract.Rejected}
		}
	}
	want(t, bounded(t, s), []string{
		"comment IC_kwDO002 rejected x=1",
		"review PRR_kwDO003 rejected y=1",
		`comment IC_kwDO004 "c\n" unchanged`,
		`review PRR_kwDO004 "" unchanged`,
		`check CR_kwDO002 "" rejected`,
		"gap agent_runs/invalid_metadata 1",
		"gap agent_runs/profile_bound 1",
		"gap agent_runs/source_too_large 1",
		"gap agent_runs/unsafe_content 1",
		"gap checks/invalid_metadata 1",
		"gap checks/profile_bound 1",
		"gap checks/source_too_large 1",
		"gap checks/unsafe_content 1",
		"gap comments/profile_bound 1",
		"gap comments/source_too_large 1",
		"gap comments/unsafe_content 1",
		"gap reviews/profile_bound 1",
		"gap reviews/source_too_large 1",
		"gap reviews/unsafe_content 1",
	}, "comment", "review", "check", "run", "gap")
}

func TestGapsAreSummedAndStandLast(t *testing.T) {
	requirement.Claim(t, "GAP-03", "GAP-05", "AMB-44")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxRecordsPerSource = 1
	author := s.ID("actor", 1)
	s.Comment(1, testkit.Time(1, "10:00"), author, "")
	s.Comment(2, testkit.Time(2, "10:00"), author, "")
	s.Gap(contract.ScopeReviews, contract.InvalidMetadata, 1)
	s.Gap(contract.ScopeComments, contract.ProfileBound, 2) // of an earlier bound of the same sort
	s.Gap(contract.ScopeChecks, contract.FetchFailed, 1)
	s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 3)
	s.Gap(contract.ScopeReviews, contract.InvalidMetadata, 2)
	r := bounded(t, s)
	want(t, r, []string{
		"gap checks/fetch_failed 1", "gap comments/authorization_failed 3", "gap comments/profile_bound 3", "gap reviews/invalid_metadata 3",
	}, "gap")
	for i, l := range r.lines {
		if _, is := l.(*contract.Gap); is != (i >= len(r.lines)-4) {
			t.Errorf("line %d is %T", i, l)
		}
	}
	// Where gap lines stand in the input makes no difference.
	in := s.Ordered()
	slices.SortStableFunc(in, func(a, b contract.Line) int {
		_, x := a.(*contract.Gap)
		_, y := b.(*contract.Gap)
		switch {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	first := &testkit.Stream{Header: s.Header, Lines: in}
	if diff := cmp.Diff(say(r.lines), say(boundedLines(t, first.Header, in))); diff != "" {
		t.Error(diff)
	}
}

// boundedLines bounds lines in the order in which they are given.
func boundedLines(t *testing.T, header *contract.Snapshot, lines []contract.Line) []contract.Line {
	t.Helper()
	in := stream.NewReader(bytes.NewReader(testkit.Frame(t, header, lines)), stream.ReaderOptions{Position: 2})
	var out bytes.Buffer
	if err := Run(context.Background(), in, stream.NewWriter(&out), nil); err != nil {
		t.Fatal(err)
	}
	_, got := testkit.Parse(t, out.Bytes(), 3)
	return got
}

func TestGapsBeyondTheLargestIntegerAreRefused(t *testing.T) {
	requirement.Claim(t, "AMB-51")
	for _, lines := range []int{2, 2049} {
		s := testkit.New(contract.GitHub, contract.WorkItem, 2)
		for range lines {
			s.Gap(contract.ScopeComments, contract.FetchFailed, 1<<53-1)
		}
		var e *fault.Error
		if r := bounded(t, s); !errors.As(r.err, &e) || e.Exit != fault.Input || e.Rule != "stream.number" {
			t.Errorf("%d lines: %v", lines, r.err)
		}
	}
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	s.Gap(contract.ScopeComments, contract.FetchFailed, 1<<53-1)
	want(t, bounded(t, s), []string{"gap comments/fetch_failed 9007199254740991"}, "gap")
}

func TestOnlyAFilteredStreamIsAccepted(t *testing.T) {
	requirement.Claim(t, "AMB-75")
	run := func(raw []byte) error {
		in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "stdin", Position: 2})
		return Run(context.Background(), in, stream.NewWriter(io.Discard), nil)
	}
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	s.Header.FilterVersion = "other-1.unicode-15.0.0"
	cases := map[string]struct {
		raw  []byte
		rule string
	}{
		"bounded already":        {testkit.New(contract.GitHub, contract.WorkItem, 3).Bytes(t), "stream.position"},
		"unknown filter version": {s.Bytes(t), "stream.filter-version"},
		"cut":                    {testkit.New(contract.GitHub, contract.WorkItem, 2).Bytes(t)[:900], "stream.unterminated"},
	}
	for name, c := range cases {
		var e *fault.Error
		if err := run(c.raw); !errors.As(err, &e) || e.Exit != fault.Input || e.Rule != c.rule {
			t.Errorf("%s: %v", name, err)
		}
	}
	unfiltered := testkit.New(contract.GitHub, contract.WorkItem, 1)
	unfiltered.Header.EntityFilter, unfiltered.Header.FilterVersion = nil, ""
	for _, l := range unfiltered.Lines {
		switch l := l.(type) {
		case *contract.Actor:
			l.LoginFilter = nil
		case *contract.Record:
			l.Filter = nil
		}
	}
	var e *fault.Error
	if err := run(unfiltered.Bytes(t)); !errors.As(err, &e) || e.Exit != fault.Input || e.Rule != "stream.position" {
		t.Errorf("unfiltered: %v", err)
	}
}
