package github_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"

	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
)

// subject is a run over the fake that make returns; every run gets a fresh one.
func subject(make func() *githubtest.Fake) forgetest.Subject {
	return forgetest.Subject{
		Driver:  github.Driver,
		Address: "https://github.com/acme/tool/pull/7",
		Hosts:   func() map[string]http.Handler { return make().Hosts() },
	}
}

func TestConformance(t *testing.T) {
	requirement.Claim(t, "GAP-05", "AMB-42", "AMB-45", "AMB-72", "AMB-77", "ADM-14")
	// One element more than a page of everything, nested lists included.
	f := githubtest.Generate(githubtest.Size{
		Comments: 11, Threads: 11, Reviews: 11, Checks: 11, Authors: 4, LongThread: 11, FailEvery: 5,
	})
	f.Entities[7]["labels"] = githubtest.Labels("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
	s := subject(func() *githubtest.Fake { return f })
	s.MaxPage = 10
	forgetest.Conform(t, s, forgetest.GraphQLFaults...)
}

func TestLargePullRequestArrivesWhole(t *testing.T) {
	s := subject(func() *githubtest.Fake { return githubtest.Generate(githubtest.Large) })
	one := s.Run(context.Background(), t, &forgetest.Net{})
	got := one.Lines(t)
	inline := 250
	for i := 1; i < 300; i++ {
		inline += 1 + i%3
	}
	if n := len(got.IDs("comment")); n != 1000+inline {
		t.Errorf("%d comments, want %d", n, 1000+inline)
	}
	if n := len(got.IDs("review")); n != 200 {
		t.Errorf("%d reviews", n)
	}
	if len(got.Threads) != 300 || len(got.Checks) != 150 || len(got.Actors) != 80 || len(got.Logs) != 50 || len(got.Gaps) != 0 {
		t.Errorf("%d threads, %d checks, %d actors, %d logs, gaps %v", len(got.Threads), len(got.Checks), len(got.Actors), len(got.Logs), got.Gaps)
	}
	for _, th := range got.Threads {
		if th.ID == "PRRT_kwDO00000" && len(th.RecordKeys) != 250 {
			t.Errorf("the long thread has %d comments", len(th.RecordKeys))
		}
	}
	for range 2 {
		if again := s.Run(context.Background(), t, &forgetest.Net{}); !bytes.Equal(again.Stream, one.Stream) {
			t.Fatal("another run gave other bytes")
		}
	}
	t.Logf("%d requests", len(one.Requests))
}
