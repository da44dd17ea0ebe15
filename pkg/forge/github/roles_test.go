package github_test

import (
	"testing"
	"time"

	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

func TestRolesWithoutAnAnswer(t *testing.T) {
	s := subject(func() *githubtest.Fake {
		return githubtest.Generate(githubtest.Size{Comments: 8, Authors: 4})
	})
	forgetest.Roles(t, s, "/collaborators/user0000/permission", "/collaborators/user0002/permission")
}

func TestNullEntity(t *testing.T) {
	s := subject(func() *githubtest.Fake { f, _ := pull(); return f })
	forgetest.NullEntity(t, s, "query Entity")
}

// TestNotAfter: a comment counts from when it was published, a title has an event for
// each change.
func TestNotAfter(t *testing.T) {
	requirement.Claim(t, "AMB-93")
	build := func(change func(f *githubtest.Fake, p githubtest.M)) forgetest.Subject {
		s := subject(func() *githubtest.Fake {
			f, p := pull()
			githubtest.Append(p, "comments",
				githubtest.Comment("IC_old", "x", maintainer, githubtest.At(1)),
				githubtest.With(githubtest.Comment("IC_draft", "x", maintainer, githubtest.At(2)), "publishedAt", githubtest.At(900)),
				githubtest.With(githubtest.Comment("IC_edited", "x", maintainer, githubtest.At(3)), "lastEditedAt", githubtest.At(901), "editor", maintainer),
				githubtest.Comment("IC_new", "x", maintainer, githubtest.At(902)))
			githubtest.Append(p, "reviews",
				githubtest.With(githubtest.Review("PRR_late", "APPROVED", maintainer, githubtest.At(903)), "publishedAt", nil),
				githubtest.Review("PRR_old", "APPROVED", maintainer, githubtest.At(4)))
			if change != nil {
				change(f, p)
			}
			return f
		})
		s.Change = func(c *fetch.Config) {
			c.NotAfter, _ = time.Parse(time.RFC3339, githubtest.At(600))
		}
		return s
	}
	got := build(nil).Run(t.Context(), t, &forgetest.Net{}).Lines(t)
	if ids := append(got.IDs("comment"), got.IDs("review")...); len(ids) != 2 || got.Record("IC_old") == nil || got.Record("PRR_old") == nil {
		t.Errorf("%v", ids)
	}
	if got.Gaps["comments/history_unavailable"] != 1 || len(got.Gaps) != 1 {
		t.Errorf("gaps %v", got.Gaps)
	}
	for name, change := range map[string]func(f *githubtest.Fake, p githubtest.M){
		"renamed": func(_ *githubtest.Fake, p githubtest.M) {
			githubtest.Append(p, "timelineItems", githubtest.Rename(githubtest.At(10)), githubtest.Rename(githubtest.At(700)))
		},
		"edited": func(_ *githubtest.Fake, p githubtest.M) { p["lastEditedAt"] = githubtest.At(700) },
	} {
		o := build(change).Run(t.Context(), t, &forgetest.Net{})
		if o.Err == nil || len(o.Stream) != 0 {
			t.Errorf("%s: %v", name, o.Err)
		}
	}
	early := func(_ *githubtest.Fake, p githubtest.M) {
		githubtest.Append(p, "timelineItems", githubtest.Rename(githubtest.At(10)))
		p["lastEditedAt"] = githubtest.At(600)
	}
	if o := build(early).Run(t.Context(), t, &forgetest.Net{}); o.Err != nil {
		t.Errorf("%v", o.Err)
	}
}
