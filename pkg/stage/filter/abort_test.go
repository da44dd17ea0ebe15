package filter_test

import (
	"errors"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

func TestUnusableEntityAborts(t *testing.T) {
	requirement.Claim(t, "ABT-03", "ABT-04", "ABT-06", "ABT-10", "AMB-10", "AMB-100")
	cases := []struct {
		name, rule, code string
		change           func(*fixture)
	}{
		{"rejected body", "filter.unsafe-body", "unsafe_content", func(f *fixture) { f.entity().Content = text(injection) }},
		{"body marked oversize", "filter.oversize-body", "source_too_large", func(f *fixture) {
			f.entity().Content = contract.Content{Form: contract.FormOversize}
		}},
		{"body that grows", "filter.oversize-body", "source_too_large", func(f *fixture) {
			f.header.Collection.Bounds.MaxSourceBytes = 200_000
			f.entity().Content = text(strings.Repeat("\ufdfa", 40_000))
		}},
		{"oversize body", "filter.oversize-body", "source_too_large", func(f *fixture) {
			f.entity().Content = text(strings.Repeat("a", 2001))
		}},
		{"unsafe title", "filter.unusable-title", "unsafe_content", func(f *fixture) { f.header.Entity.Title = injection }},
		{"oversize title", "filter.unusable-title", "source_too_large", func(f *fixture) {
			f.header.Entity.Title = strings.Repeat("a", 2001)
		}},
		{"emptied title", "filter.empty-title", "invalid_metadata", func(f *fixture) { f.header.Entity.Title = "\u200b\u2060" }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture("triage")
			f.header.Collection.Bounds.MaxSourceBytes = 2000
			f.comment("IC_kwDO1", owner, "later\n")
			c.change(f)
			e, r := f.fails(t)
			if e.Exit != fault.Aborted || e.Rule != c.rule || e.Scope != "entity" || e.Code != c.code {
				t.Errorf("got %v", e)
			}
			if e.Record != "entity PR_kwDOentity" || e.Line == 0 {
				t.Errorf("no position: %v", e)
			}
			if strings.Contains(string(r.out), `"type":"end"`) || strings.Contains(string(r.out), "later") {
				t.Errorf("the output goes on:\n%s", r.out)
			}
			if strings.Contains(e.Error(), "previous") {
				t.Errorf("the error has content: %v", e)
			}
			if r.stderr != "" {
				t.Errorf("the error is not the one message: %s", r.stderr)
			}
		})
	}
}

func TestSourceThatTheEngineWouldChangeAborts(t *testing.T) {
	requirement.Claim(t, "ABT-07", "STR-02", "STR-03")
	for name, change := range map[string]func(*fixture){
		"repository": func(f *fixture) {
			f.header.Source.Repository = "octo/" + githubToken[:4] + strings.ToLower(githubToken[4:])
		},
		"repository_id": func(f *fixture) { f.header.Source.RepositoryID = githubToken },
		"entity id":     func(f *fixture) { f.header.Entity.ID, f.entity().ID = githubToken, githubToken },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture("triage")
			change(f)
			f.entity().RecordKey = tree.Key(f.header.Source, contract.KindEntity, f.entity().ID)
			r := runBytes(t, f.bytes(t), config(t))
			var e *fault.Error
			if !errors.As(r.err, &e) || e.Scope != "entity" || e.Code != "unsafe_content" || e.Rule != "filter.unsafe-source" {
				t.Fatalf("got %v", r.err)
			}
			if len(r.out) != 0 {
				t.Errorf("output:\n%s", r.out)
			}
		})
	}
}

// What ends the run is the first fault in the order of the stream, whichever worker
// comes to it first, and whatever the input does after it.
func TestFirstFaultOfTheStreamWins(t *testing.T) {
	requirement.Claim(t, "DET-02")
	f := newFixture("triage")
	f.entity().Content = text(strings.Repeat("quiet text\n", 20_000) + injection)
	for i := range 50 {
		f.comment("IC_kwDO"+string(rune('A'+i%26))+string(rune('a'+i/26)), owner, "x\n")
	}
	in := f.bytes(t)
	broken := append(in[:len(in)-200:len(in)-200], []byte("{]\n")...)
	for range 5 {
		r := runBytes(t, broken, config(t))
		var e *fault.Error
		if !errors.As(r.err, &e) || e.Rule != "filter.unsafe-body" {
			t.Fatalf("got %v", r.err)
		}
	}
}
