package emit_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// threeComments adds a thread of three comments, the last two of which reply to the first.
func threeComments(s *testkit.Stream) *contract.Thread {
	for n := range 3 {
		s.Comment(n+1, testkit.Time(2, "10:00"), s.ID("actor", 1), "")
	}
	return s.Thread(1, testkit.Time(2, "10:00"), 1, 2, 3)
}

// What bound promises and the reader of the stream does not check.
func TestBrokenPromises(t *testing.T) {
	requirement.Claim(t, "ABT-10", "AMB-51", "AMB-52", "AMB-75", "CMP-01", "DSP-08", "BND-02", "BND-04", "COL-09", "CAN-06", "CAN-07", "REC-06", "GAP-08", "KEY-01", "ID-09", "THR-07",
		"STR-06", "AMB-33", "ADM-04", "ADM-05", "FLT-01", "FLT-02", "FLT-04", "GAP-05", "GAP-07", "GAP-09", "AMB-12", "AMB-43", "AMB-08", "AMB-70", "GAP-13")
	bound := func(s *testkit.Stream) *contract.Bounds { return &s.Header.Collection.Bounds }
	comment := func(s *testkit.Stream, body string) *contract.Record {
		return s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), body)
	}
	cases := []struct {
		name   string
		rule   string
		exit   fault.Exit
		break_ func(*testkit.Stream)
	}{
		{"filter version", "stream.filter-version", fault.Input, func(s *testkit.Stream) { s.Header.FilterVersion = "other" }},
		{"labels unsorted", "bounded.labels", fault.Input, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"b", "a"} }},
		{"labels twice", "bounded.labels", fault.Input, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"a", "a"} }},
		{"too many labels", "bounded.labels", fault.Input, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"a", "b"}; bound(s).MaxLabels = 1 }},
		{"label too long", "bounded.display", fault.Input, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{strings.Repeat("x", 257)} }},
		{"title too long", "bounded.display", fault.Input, func(s *testkit.Stream) { s.Header.Entity.Title = strings.Repeat("x", 257) }},
		{"login too long", "bounded.display", fault.Input, func(s *testkit.Stream) { l := strings.Repeat("x", 257); s.Actor(s.ID("actor", 1)).Login = &l }},
		{"check name too long", "bounded.display", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), strings.Repeat("x", 257), contract.Success)
		}},
		{"agent too long", "bounded.display", fault.Input, func(s *testkit.Stream) { s.Run(1, testkit.Time(2, "10:00"), strings.Repeat("x", 257)) }},
		{"body too long", "bounded.text", fault.Input, func(s *testkit.Stream) { comment(s, strings.Repeat("x", 4096)+"\n") }},
		{"log too long", "bounded.text", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure)
			s.Log(1, strings.Repeat("x", 4096)+"\n")
		}},
		{"no line feed", "bounded.line-feed", fault.Input, func(s *testkit.Stream) { comment(s, "x") }},
		{"two line feeds", "bounded.line-feed", fault.Input, func(s *testkit.Stream) { comment(s, "x\n\n") }},
		{"carriage return", "bounded.line-feed", fault.Input, func(s *testkit.Stream) { comment(s, "x\r\n") }},
		{"byte-order mark", "bounded.line-feed", fault.Input, func(s *testkit.Stream) { comment(s, "\ufeffx\n") }},
		{"a reply to itself", "bounded.replies", fault.Input, func(s *testkit.Stream) { r := &threeComments(s).Replies[0]; r.ParentRecordKey = r.RecordKey }},
		{"a second reply edge", "bounded.replies", fault.Input, func(s *testkit.Stream) { t := threeComments(s); t.Replies = append(t.Replies, t.Replies[1]) }},
		{"replies in another order", "bounded.replies", fault.Input, func(s *testkit.Stream) { slices.Reverse(threeComments(s).Replies) }},
		{"too many comments", "bounded.selection", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxRecordsPerSource = 1
			comment(s, "")
			s.Comment(2, testkit.Time(3, "10:00"), s.ID("actor", 1), "")
		}},
		{"too many reviews", "bounded.selection", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxRecordsPerSource = 1
			s.Review(1, testkit.Time(3, "10:00"), s.ID("actor", 1), "", contract.Approved)
			testkit.Reject(s.Review(2, testkit.Time(3, "10:00"), s.ID("actor", 1), "", contract.Approved), "x")
		}},
		{"too many checks", "bounded.selection", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxRecordsPerSource = 1
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure)
			s.Check(2, testkit.Time(2, "10:00"), "ci", contract.Failure)
		}},
		{"too many runs", "bounded.selection", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxRecordsPerSource = 1
			s.Run(1, testkit.Time(2, "10:00"), "x")
			s.Run(2, testkit.Time(2, "10:00"), "x")
		}},
		{"unusable entity", "bounded.entity-gap", fault.Aborted, func(s *testkit.Stream) { s.Gap(contract.ScopeEntity, contract.FetchFailed, 1) }},
		{"gaps beyond the largest integer", "bounded.count", fault.Input, func(s *testkit.Stream) {
			s.Gap(contract.ScopeComments, contract.FetchFailed, 1<<53-1)
			s.Gap(contract.ScopeComments, contract.FetchFailed, 1)
		}},
		{"gaps that wrap around", "bounded.count", fault.Input, func(s *testkit.Stream) {
			for range 2049 {
				s.Gap(contract.ScopeComments, contract.FetchFailed, 1<<53-1)
			}
		}},
		{"findings beyond the largest integer", "bounded.count", fault.Input, func(s *testkit.Stream) {
			s.Actor(s.ID("actor", 1)).LoginFilter = &contract.Filter{Status: contract.Modified, Findings: findings("x", 1<<53-1)}
			comment(s, "")
		}},
		{"id too long", "bounded.structural", fault.Input, func(s *testkit.Stream) { s.Identify(comment(s, ""), strings.Repeat("x", 257)) }},
		{"path too long", "bounded.structural", fault.Input, func(s *testkit.Stream) { threeComments(s).Path = strings.Repeat("x", 257) }},
		{"commit too long", "bounded.structural", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxMetadataStringBytes = 50
			s.Run(1, testkit.Time(2, "10:00"), "x").ResultingCommitSHA = strings.Repeat("a", 64)
		}},
		{"repository too long", "bounded.structural", fault.Input, func(s *testkit.Stream) { bound(s).MaxMetadataStringBytes = int64(len(s.Header.Source.Repository)) - 1 }},
		{"author not admitted", "bounded.admission", fault.Input, func(s *testkit.Stream) { s.Comment(1, testkit.Time(2, "10:00"), s.Human(2, "read"), "") }},
		{"author unverified", "bounded.admission", fault.Input, func(s *testkit.Stream) { s.Comment(1, testkit.Time(2, "10:00"), s.Human(2, ""), "") }},
		{"author unknown", "bounded.admission", fault.Input, func(s *testkit.Stream) { s.Comment(1, testkit.Time(2, "10:00"), s.UnknownActor(2), "") }},
		{"author of a rejected one not admitted", "bounded.admission", fault.Input, func(s *testkit.Stream) {
			testkit.Reject(s.Comment(1, testkit.Time(2, "10:00"), s.Human(2, "none"), ""), "x")
		}},
		{"author of the entity not admitted", "bounded.admission", fault.Input, func(s *testkit.Stream) {
			s.Header.Collection.HumanMinRole, *s.Actor(s.ID("actor", 1)).Role = "write", "triage"
		}},
		{"findings of nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { comment(s, "").Filter.Findings = findings("x", 1) }},
		{"modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { comment(s, "").Filter.Status = contract.Modified }},
		{"rejected for nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { testkit.Reject(comment(s, ""), "x").Filter.Findings = nil }},
		{"title modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { s.Header.EntityFilter.Status = contract.Modified }},
		{"login modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { s.Actor(s.ID("actor", 1)).LoginFilter.Status = contract.Modified }},
		{"name modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Success).Filter.Status = contract.Modified
		}},
		{"agent modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) { s.Run(1, testkit.Time(2, "10:00"), "x").Filter.Status = contract.Modified }},
		{"log modified by nothing", "bounded.filter-status", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure)
			s.Log(1, "").Filter.Status = contract.Modified
		}},
		{"an empty body that was changed", "bounded.filter-status", fault.Input, func(s *testkit.Stream) {
			comment(s, "").Filter = &contract.Filter{Status: contract.Modified, Findings: findings("x", 1)}
		}},
		{"an empty log that was cut", "bounded.filter-status", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure)
			s.Log(1, "").Filter.Status = contract.Truncated
		}},
		{"an actor of unknown kind that is not counted", "bounded.gaps", fault.Input, func(s *testkit.Stream) {
			th, unknown := threeComments(s), s.UnknownActor(2)
			th.Resolved, th.ResolvedByActorID = true, &unknown
		}},
		{"a rejected comment that is not counted", "bounded.gaps", fault.Input, func(s *testkit.Stream) {
			testkit.Reject(comment(s, ""), "x")
			s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1)
		}},
		{"a rejected check that is not counted", "bounded.gaps", fault.Input, func(s *testkit.Stream) {
			c := s.Check(1, testkit.Time(2, "10:00"), "", contract.Success)
			c.Filter = &contract.Filter{Status: contract.Rejected, Findings: findings("x", 1)}
		}},
		{"a missing log that is not counted", "bounded.gaps", fault.Input, func(s *testkit.Stream) { s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure) }},
		{"labels dropped from a whole document", "bounded.gaps", fault.Input, func(s *testkit.Stream) {
			bound(s).MaxLabels = 0
			s.Gap(contract.ScopeEntity, contract.ProfileBound, 1)
		}},
		// The reader's rules, to show that emit relies on a checked stream.
		{"foreign key", "stream.key", fault.Input, func(s *testkit.Stream) { comment(s, "").RecordKey = strings.Repeat("0", 64) }},
		{"foreign id", "stream.identifier", fault.Input, func(s *testkit.Stream) { s.Identify(comment(s, ""), "a b") }},
		{"unknown author", "stream.reference", fault.Input, func(s *testkit.Stream) { id := "U_nobody"; comment(s, "").AuthorID = &id }},
		{"other head", "stream.head-sha", fault.Input, func(s *testkit.Stream) {
			s.Check(1, testkit.Time(2, "10:00"), "ci", contract.Failure).HeadSHA = strings.Repeat("0", 40)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
			c.break_(s)
			dir := t.TempDir()
			receipt, err := emitTo(filepath.Join(dir, "context"), s.Bytes(t))
			var e *fault.Error
			if !errors.As(err, &e) || e.Rule != c.rule || e.Exit != c.exit || len(receipt) != 0 {
				t.Errorf("%v, receipt %q", err, receipt)
			}
			if e != nil && e.Exit == fault.Input && e.Line == 0 {
				t.Errorf("%v has no position", err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
	// At the bounds all is well.
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	s.Header.Entity.Labels = []string{strings.Repeat("x", 256), "y"}
	bound(s).MaxLabels, bound(s).MaxRecordsPerSource = 2, 1
	comment(s, strings.Repeat("x", 4095)+"\n")
	s.Header.EntityFilter.Status = contract.Truncated
	s.Gap(contract.ScopeEntity, contract.ProfileBound, 1)
	s.Gap(contract.ScopeComments, contract.ProfileBound, 7)
	s.Identify(s.Review(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "", contract.Approved), strings.Repeat("x", 256))
	emitted(t, s)
	// A reply may come before its parent: the order is the forge's.
	s = testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	thread := threeComments(s)
	thread.Replies[0].ParentRecordKey = thread.RecordKeys[2]
	emitted(t, s)
}

// What a forge does not have stands in no tree of it, and that it has no history of
// reviews is said.
func TestWhatAForgeDoesNotHave(t *testing.T) {
	requirement.Claim(t, "AMB-92", "MAP-13", "MAP-14", "MAP-22")
	for _, c := range []struct {
		name  string
		forge contract.Forge
		make  func(*testkit.Stream)
		rule  string
	}{
		{"a thread of Forgejo", contract.Forgejo, func(s *testkit.Stream) { threeComments(s) }, ""},
		{"an outdated thread of Forgejo", contract.Forgejo, func(s *testkit.Stream) { threeComments(s).Outdated = true }, "stream.outdated"},
		{"an outdated thread of GitLab", contract.GitLab, func(s *testkit.Stream) {
			threeComments(s).Outdated = true
			s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1)
		}, "stream.outdated"},
		{"a review of GitLab", contract.GitLab, func(s *testkit.Stream) {
			s.Review(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "", contract.Approved)
			s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1)
		}, "bounded.review"},
		{"no reviews of GitLab", contract.GitLab, func(s *testkit.Stream) {
			s.Header.Collection.IncludedSources = []string{"comments", "entity"}
			s.Header.Collection.CheckLogSelection, s.Header.HeadSHA = contract.LogsNone, ""
		}, ""},
	} {
		s := testkit.New(c.forge, contract.ChangeProposal, 3)
		c.make(s)
		_, err := emitTo(memoryDir(t)+"/context", s.Bytes(t))
		var e *fault.Error
		if errors.As(err, &e) != (c.rule != "") || e != nil && (e.Rule != c.rule || e.Exit != fault.Input) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A document that no verifier reads is not written.
func TestDocumentsAreBounded(t *testing.T) {
	requirement.Claim(t, "VER-03")
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	s.Header.Collection.Bounds.MaxMetadataStringBytes = 1 << 23
	login := strings.Repeat("x", 8<<20-1<<10) // a line has at most 8 MiB
	for n := range 9 {
		s.Actor(s.Human(n+2, "write")).Login = &login
		s.Comment(n+1, testkit.Time(2, "10:00"), s.ID("actor", n+2), "")
	}
	_, err := emitTo(memoryDir(t)+"/context", s.Bytes(t))
	var e *fault.Error
	if !errors.As(err, &e) || e.Rule != "bounded.document-size" || e.Exit != fault.Input {
		t.Error(err)
	}
}
