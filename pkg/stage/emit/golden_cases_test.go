package emit_test

import (
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/testkit"
)

// goldenCases are the streams of testdata/golden: both kinds of entity with the
// identifiers of each forge.
var goldenCases = map[string]func() *testkit.Stream{
	"github-work-item":        func() *testkit.Stream { return workItem(contract.GitHub) },
	"gitlab-work-item":        func() *testkit.Stream { return workItem(contract.GitLab) },
	"forgejo-work-item":       func() *testkit.Stream { return workItem(contract.Forgejo) },
	"github-change-proposal":  func() *testkit.Stream { return changeProposal(contract.GitHub) },
	"gitlab-change-proposal":  func() *testkit.Stream { return changeProposal(contract.GitLab) },
	"forgejo-change-proposal": func() *testkit.Stream { return changeProposal(contract.Forgejo) },
	"github-nothing-selected": nothingSelected,
}

func findings(code string, count int64) []contract.Finding {
	return []contract.Finding{{Code: code, Count: count}}
}

// workItem is an issue with labels, a bot, a modified, a truncated and a rejected
// comment, a login that became null, a run and gaps.
func workItem(forge contract.Forge) *testkit.Stream {
	s := testkit.New(forge, contract.WorkItem, 3)
	s.Header.CredentialsRegistered = 2
	s.Header.Collection.Bounds.MaxRecordBytes, s.Header.Collection.Bounds.MaxLabels = 64, 4
	s.Header.Entity.Title = "Crash $(touch pwned1) `touch pwned2` \"quoted\" <b>é€😀</b>"
	s.Header.Entity.Labels = []string{"* $(touch pwned4)", "B", "a", "é"}
	s.Header.EntityFilter = &contract.Filter{Status: contract.Truncated, Findings: findings("unicode.control", 1)}
	author := s.ID("actor", 1)
	bot, nameless, reader := s.Bot(2), s.Human(3, "admin"), s.Human(4, "triage")
	s.Actor(nameless).Login = nil
	s.Actor(nameless).LoginFilter = &contract.Filter{Status: contract.Modified, Findings: findings("injection.override", 1)}
	s.Actor(author).LoginFilter = &contract.Filter{Status: contract.Truncated, Findings: findings("unicode.nfkc", 2)}
	s.Human(5, "write") // nobody refers to this one: it leaves no row
	s.Comment(1, testkit.Time(2, "09:00"), reader, "First comment.\n\nWith a blank line.\n").UpdatedAt = testkit.Time(3, "09:00")
	s.Comment(2, testkit.Time(2, "09:00"), bot, "A token [REDACTED] was here.\n").Filter = &contract.Filter{Status: contract.Modified, Findings: findings("secret.github", 1)}
	testkit.Reject(s.Comment(3, testkit.Time(4, "09:00"), nameless, ""), "injection.override")
	s.Comment(4, testkit.Time(5, "09:00"), nameless, strings.Repeat("0123456789", 6)+"012\n").Filter = &contract.Filter{Status: contract.Truncated, Findings: []contract.Finding{}}
	s.Comment(5, testkit.Time(6, "09:00"), author, "")
	run := s.Run(1, testkit.Time(7, "09:00"), "coder", s.Key(contract.KindComment, 2))
	run.StartedAt, run.InputHeadSHA, run.ResultingCommitSHA = testkit.Time(7, "08:00"), testkit.HeadSHA, strings.Repeat("c0", 32)
	s.Run(2, testkit.Time(7, "09:30"), "triager").Status = contract.RunTimedOut
	s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 3)
	s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
	s.Gap(contract.ScopeEntity, contract.ProfileBound, 2)
	return s
}

// changeProposal has what the forge has: reviews in every state and threads on
// GitHub, threads without reviews on GitLab, reviews without threads on Forgejo, and
// checks of every status with logs.
func changeProposal(forge contract.Forge) *testkit.Stream {
	s := testkit.New(forge, contract.ChangeProposal, 3)
	s.Header.Entity.State = contract.StateMerged
	s.Header.Collection.CheckLogSelection = contract.LogsAll
	s.Header.Collection.RecordSelection = contract.Oldest
	s.Header.Collection.HumanMinRole = "write"
	reviewer, other, bot := s.Human(2, "maintain"), s.Human(3, "write"), s.Bot(4)
	resolver, unknown := s.Human(5, ""), s.UnknownActor(6)
	for i := 1; i <= 7; i++ {
		s.Comment(i, testkit.Time(1+i, "09:00"), []string{reviewer, other}[i%2], "Remark on a line.\n")
	}
	testkit.Reject(s.Comment(8, testkit.Time(9, "09:00"), bot, ""), "injection.override")
	if forge != contract.GitLab {
		goldenReviews(s, reviewer, other, bot)
	} else {
		s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1)
	}
	if forge != contract.Forgejo {
		goldenThreads(s, resolver, unknown)
	} else {
		s.Gap(contract.ScopeReviews, contract.Unsupported, 7)
	}
	goldenChecks(s, forge != contract.Forgejo)
	s.Run(1, testkit.Time(15, "09:00"), "reviewer", s.Key(contract.KindCheck, 1), s.Key(contract.KindComment, 1), s.Key(contract.KindEntity, 1))
	s.Gap(contract.ScopeActors, contract.InvalidMetadata, 1)
	s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
	return s
}

func goldenReviews(s *testkit.Stream, reviewer, other, bot string) {
	s.Review(1, testkit.Time(3, "10:00"), reviewer, "Please change this.\n", contract.ChangesRequested).ReviewedSHA = strings.Repeat("a1", 20)
	s.Review(2, testkit.Time(4, "10:00"), other, "", contract.Approved).ReviewedSHA = testkit.HeadSHA
	s.Review(3, testkit.Time(4, "10:00"), bot, "Looked at it.\n", contract.Commented)
	s.Review(4, testkit.Time(5, "10:00"), reviewer, "Withdrawn.\n", contract.Dismissed) // by nobody the forge names
	dismissed, by := testkit.Time(6, "10:00"), s.Human(7, "none")                       // who says nothing
	r := s.Review(5, testkit.Time(5, "11:00"), other, "Outdated.\n", contract.Dismissed)
	r.DismissedAt, r.DismissedBy = &dismissed, &by
	testkit.Reject(s.Review(6, testkit.Time(6, "10:00"), other, "", contract.Approved), "injection.override")
	s.Gap(contract.ScopeReviews, contract.UnsafeContent, 1)
}

// goldenThreads are an open one, a resolved one, a resolved one of nobody the forge
// names, an outdated one, and two open ones of one second.
func goldenThreads(s *testkit.Stream, resolver, unknown string) {
	yes, no := true, false
	open := s.Thread(1, testkit.Time(2, "09:00"), 1, 3, 2)
	open.Path, open.Line, open.Side, open.Minimized = "pkg/a file (1).go", 12, contract.Right, &no
	open.StartLine, open.OriginalLine, open.OriginalStartLine, open.OriginalSide = 10, 11, 9, contract.Left
	open.ReviewedSHA = strings.Repeat("a1", 20)
	if s.Header.Source.Forge == contract.GitHub {
		open.ReviewID, open.ReviewRecordKey = s.ID(contract.KindReview, 1), s.Key(contract.KindReview, 1)
	}
	resolved := s.Thread(2, testkit.Time(5, "09:00"), 4)
	resolved.Resolved, resolved.ResolvedByActorID, resolved.Minimized = true, &resolver, &yes
	s.Thread(3, testkit.Time(6, "09:00"), 5).Resolved = true
	if s.Header.Source.Forge == contract.GitHub {
		s.Thread(4, testkit.Time(6, "09:00"), 5, 6).Outdated = true
		resolvedToo := s.Thread(5, testkit.Time(7, "09:00"), 6)
		resolvedToo.Resolved, resolvedToo.ResolvedByActorID = true, &unknown
	} else {
		last := s.Thread(4, testkit.Time(7, "09:00"), 6)
		last.Resolved, last.ResolvedByActorID = true, &unknown
	}
	s.Thread(6, testkit.Time(8, "09:00"), 7)
	s.Thread(7, testkit.Time(8, "09:00"), 7) // holds the same record: a view lists it once
}

func goldenChecks(s *testkit.Stream, logs bool) {
	conclusions := []contract.Conclusion{
		contract.Success, contract.Failure, contract.Neutral, contract.Cancelled, contract.Skipped, contract.TimedOut, contract.ActionRequired, contract.Stale,
	}
	for i, conclusion := range conclusions {
		c := s.Check(i+1, testkit.Time(10, "09:00"), "ci / "+string(conclusion), conclusion)
		c.CompletedAt = testkit.Time(10, "09:30")
		switch {
		case conclusion == contract.Skipped:
			c.NeverStarted, c.StartedAt = true, ""
		case logs && conclusion == contract.Failure:
			s.Log(i+1, "step 1 ok\nstep \n").Filter = &contract.Filter{Status: contract.Truncated, Findings: findings("unicode.ansi", 3)}
		case logs && conclusion == contract.Success:
			s.Log(i+1, "")
		}
	}
	if logs {
		s.Gap(contract.ScopeCheckLogs, contract.FetchFailed, 6)
	} else {
		s.Gap(contract.ScopeCheckLogs, contract.Unsupported, 1)
	}
	testkit.Unfinished(s.Check(9, testkit.Time(11, "09:00"), "queued", ""), contract.Queued)
	testkit.Unfinished(s.Check(10, testkit.Time(11, "10:00"), "running", ""), contract.InProgress).UpdatedAt = testkit.Time(11, "10:30")
	c := s.Check(11, testkit.Time(12, "09:00"), "", contract.Failure)
	c.Filter = &contract.Filter{Status: contract.Rejected, Findings: findings("injection.override", 1)}
	s.Gap(contract.ScopeChecks, contract.UnsafeContent, 1)
	s.Check(12, testkit.Time(13, "09:00"), "a name that was cut", contract.Failure).Filter = &contract.Filter{Status: contract.Truncated, Findings: findings("secret.github", 1)}
}

// nothingSelected is a change proposal whose profile selects the entity alone.
func nothingSelected() *testkit.Stream {
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	s.Header.Replay = true
	s.Header.HeadSHA = ""
	s.Header.Collection.IncludedSources = []string{"entity"}
	s.Header.Collection.CheckLogSelection = contract.LogsNone
	s.Header.Entity.AuthorID = nil
	s.Lines = s.Lines[1:] // no actor
	s.Lines[0].(*contract.Record).AuthorID = nil
	s.Lines[0].(*contract.Record).Content = contract.Text([]byte{})
	return s
}
