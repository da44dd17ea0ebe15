package endtoend_test

import (
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// A structural string over its bound costs its object and nothing else; only what no tree
// can be without ends the assembly. filter judges it, and what it writes is accepted by
// every later stage and by both audits (AMB-91).
func TestOverlongStructuralStrings(t *testing.T) {
	requirement.Claim(t, "AMB-91", "AMB-33", "STR-06", "GAP-05")
	long := strings.Repeat("x", 257)
	fill := func(s *testkit.Stream) { // one of each
		author := s.ID("actor", 1)
		s.Header.HeadSHA = testkit.HeadSHA
		s.Comment(1, testkit.Time(2, "10:00"), author, "one\n")
		s.Comment(2, testkit.Time(2, "11:00"), author, "two\n")
		s.Review(1, testkit.Time(2, "12:00"), author, "fine\n", contract.Approved)
		th := s.Thread(1, testkit.Time(2, "10:00"), 1, 2)
		th.ReviewID, th.ReviewRecordKey = s.ID(contract.KindReview, 1), s.Key(contract.KindReview, 1)
		s.Check(1, testkit.Time(3, "10:00"), "build", contract.Failure)
		s.Check(2, testkit.Time(3, "11:00"), "test", contract.Failure)
		s.Log(1, "boom\n")
		s.Log(2, "boom\n")
		bot := s.Bot(2)
		s.Run(1, testkit.Time(4, "10:00"), "coder", s.Key(contract.KindComment, 1)).PublisherID = &bot
	}
	key := func(s *testkit.Stream, kind contract.Kind, id string) string {
		return tree.Key(s.Header.Source, kind, id)
	}
	for _, c := range []struct {
		name   string
		change func(s *testkit.Stream)
		gaps   string // of the tree; "abort CODE" where there is none
		kept   string // lines of the bounded stream that must be there, by a part of each
	}{
		{"nothing", func(*testkit.Stream) {}, "", `"kind":"review"`},
		{"a comment", func(s *testkit.Stream) { s.Identify(find[*contract.Record](s, 1), long) }, "comments/invalid_metadata=1", `"type":"thread"`},
		{"a review", func(s *testkit.Stream) { s.Identify(find[*contract.Record](s, 3), long) }, "reviews/invalid_metadata=1", `"type":"thread"`},
		{"the review that a thread names", func(s *testkit.Stream) {
			th := find[*contract.Thread](s, 0)
			th.ReviewID, th.ReviewRecordKey = long, key(s, contract.KindReview, long)
		}, "", `"type":"thread"`},
		{"a thread", func(s *testkit.Stream) {
			th := find[*contract.Thread](s, 0)
			th.ID, th.ThreadKey = long, key(s, contract.KindThread, long)
		}, "reviews/invalid_metadata=1", `"body":"two\n"`},
		{"a path", func(s *testkit.Stream) { find[*contract.Thread](s, 0).Path = long }, "reviews/invalid_metadata=1", `"body":"two\n"`},
		{"a check with its log", func(s *testkit.Stream) {
			check, log := find[*contract.Check](s, 0), find[*contract.Log](s, 0)
			check.ID, check.RecordKey = long, key(s, contract.KindCheck, long)
			log.RecordKey = check.RecordKey
		}, "checks/invalid_metadata=1", `"type":"log"`},
		{"a run", func(s *testkit.Stream) { find[*contract.Run](s, 0).ID = long }, "agent_runs/invalid_metadata=1", `"type":"check"`},
		{"the account that wrote a comment", func(s *testkit.Stream) { find[*contract.Record](s, 1).AuthorID = overlong(s, long) }, "comments/authorization_failed=1", `"body":"two\n"`},
		{"the account that edited one", func(s *testkit.Stream) {
			r := find[*contract.Record](s, 1)
			r.Edited, r.EditorID = true, overlong(s, long)
		}, "comments/authorization_failed=1", `"body":"two\n"`},
		{"the account that resolved a thread", func(s *testkit.Stream) {
			th := find[*contract.Thread](s, 0)
			th.Resolved, th.ResolvedByActorID = true, overlong(s, long)
		}, "", `"resolved_by_actor_id":null`},
		{"the account that dismissed a review", func(s *testkit.Stream) {
			r, when := find[*contract.Record](s, 3), testkit.Time(2, "13:00")
			r.State, r.DismissedAt, r.DismissedBy = contract.Dismissed, &when, overlong(s, long)
		}, "", `"dismissed_by_actor_id":null`},
		{"the account that published a run", func(s *testkit.Stream) { find[*contract.Run](s, 0).PublisherID = overlong(s, long) }, "agent_runs/authorization_failed=1", `"type":"check"`},
		{"the account that opened it", func(s *testkit.Stream) {
			id := overlong(s, long)
			s.Header.Entity.AuthorID, find[*contract.Record](s, 0).AuthorID = id, id
		}, "abort authorization_failed", ""},
		{"the repository", func(s *testkit.Stream) {
			s.Header.Collection.Bounds.MaxMetadataStringBytes = int64(len(s.Header.Source.Repository)) - 1
		}, "abort invalid_metadata", ""},
		{"the head", func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxMetadataStringBytes = 39 }, "abort invalid_metadata", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.ChangeProposal, 1)
			fill(s)
			c.change(s)
			raw := s.Bytes(t)
			p := pipe(t, raw)
			if code, aborts := strings.CutPrefix(c.gaps, "abort "); aborts {
				if p.filter.exit != fault.Aborted || p.emit.exit != fault.Aborted || !strings.Contains(p.bound.stdout, `"scope":"entity","code":"`+code+`"`) {
					t.Errorf("exit %d, %d: %s%s", p.filter.exit, p.emit.exit, p.filter.stderr, p.bound.stdout)
				}
				return
			}
			if p.emit.exit != fault.Done {
				t.Fatalf("emit: exit %d: %s%s%s", p.emit.exit, p.filter.stderr, p.bound.stderr, p.emit.stderr)
			}
			if r := run("verify", nil, p.dir, "--index-sha256", p.digest(t)); r.exit != fault.Done {
				t.Errorf("verify: exit %d: %s", r.exit, r.stdout)
			}
			audited(t, string(raw), p.filter.stdout, p.bound.stdout)
			var gaps []string
			_, lines := testkit.Parse(t, []byte(p.bound.stdout), 3)
			for _, l := range lines {
				if g, ok := l.(*contract.Gap); ok {
					gaps = append(gaps, string(g.Scope)+"/"+string(g.Code)+"="+string(rune('0'+g.Count)))
				}
			}
			if got := strings.Join(gaps, " "); got != c.gaps {
				t.Errorf("gaps %s, want %s", got, c.gaps)
			}
			if !strings.Contains(p.bound.stdout, c.kept) || strings.Contains(p.filter.stdout, long) {
				t.Errorf("%s is gone, or the string is left", c.kept)
			}
		})
	}
}

// find gives the n-th line of a type in the order in which they were added.
func find[T contract.Line](s *testkit.Stream, n int) T {
	for _, l := range s.Lines {
		if typed, ok := l.(T); ok {
			if n == 0 {
				return typed
			}
			n--
		}
	}
	panic("no such line")
}

// overlong adds an account with a long id.
func overlong(s *testkit.Stream, id string) *string {
	actor := *s.Actor(s.ID("actor", 1))
	actor.ID = id
	s.Lines = slices.Insert(s.Lines, 0, contract.Line(&actor))
	return &id
}
