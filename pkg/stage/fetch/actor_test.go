package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

func TestActors(t *testing.T) {
	requirement.Claim(t, "ACT-02", "ADM-13", "ADM-14", "AMB-37", "AMB-40", "AMB-61", "AMB-70", "AMB-76", "ID-05")
	account := func(id, login string, kind contract.ActorKind) *forge.Account {
		return &forge.Account{ID: id, Login: login, Kind: kind}
	}
	s := pull()
	add := func(id string, a *forge.Account) {
		c := comment(id)
		c.Author = a
		s.discussion.Comments = append(s.discussion.Comments, c)
	}
	add("IC_1", account("U_9", "nine", contract.Human))
	add("IC_2", account("U_9", "renamed", contract.Human)) // the same account, once
	add("IC_3", account("BOT_1", "known", contract.Bot))
	add("IC_4", account("BOT_2", "other", contract.Bot))
	add("IC_5", account("X_1", "odd", contract.Unknown))
	add("IC_6", account("X_2", "two-faced", contract.Human))
	add("IC_7", account("X_2", "two-faced", contract.Bot))
	add("IC_8", account("U_8", "lo\xffgin", contract.Human))
	add("IC_9", account("U_7", "", contract.Human))
	add("IC_10", nil)
	v := review("PRR_1")
	v.State, v.Dismissed.By = contract.Dismissed, account("U_dis", "dis", contract.Human)
	s.discussion.Reviews = []forge.Review{v}
	th := thread("PRRT_1", "IC_1")
	th.Resolved, th.ResolvedBy = p(true), account("U_res", "res", contract.Human)
	s.discussion.Threads = []forge.Thread{th}
	var asked []string
	s.resolve = func(list []forge.Account) ([]forge.Account, []string, error) {
		for i := range list {
			asked = append(asked, fmt.Sprintf("%s=%v", list[i].ID, list[i].NeedsRow))
			role := "write"
			switch list[i].ID {
			case "U_9", "U_res":
				list[i].Role, list[i].Verified = &role, true
			case "BOT_1":
				list[i].Role, list[i].Verified = &role, true // a role of a bot is no role
			case "U_dis":
				role = "owner" // no role of ours
				list[i].Role, list[i].Verified = &role, true
			case "U_1":
				list[i].Role = &role // not verified
			}
		}
		return list, []string{"a right is missing"}, nil
	}
	bots, err := fetch.ParseRegistry([]byte(`{"bots":[{"forge":"github","host":"github.com","id":"BOT_1","role":"triage"},` +
		`{"forge":"github","host":"ghe.example","id":"BOT_2","role":"triage"},{"forge":"github","host":"github.com","id":"U_9","role":"triage"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	o := run(t, s, func(c *fetch.Config) { c.Bots = bots })
	want := map[string]string{
		"U_1": "human login-U_1 - false", "U_9": "human nine write true", "BOT_1": "bot known bot false triage", "BOT_2": "bot other bot false -",
		"X_1": "unknown odd - false", "X_2": "unknown two-faced - false", "U_8": "human null - false", "U_7": "human null - false",
		"U_dis": "human dis - false", "U_res": "human res write true",
	}
	show := func(s *string, none string) string {
		if s == nil {
			return none
		}
		return *s
	}
	for _, a := range of[*contract.Actor](o) {
		got := fmt.Sprintf("%s %s %s %v", a.Kind, show(a.Login, "null"), show(a.Role, "-"), a.RoleVerified)
		if a.Kind == contract.Bot {
			got += " " + show(a.BotRole, "-")
		}
		if got != want[a.ID] {
			t.Errorf("%s: %s, want %s", a.ID, got, want[a.ID])
		}
		delete(want, a.ID)
	}
	if len(want) != 0 {
		t.Errorf("no rows for %v", want)
	}
	for _, id := range []string{"U_res=true", "U_dis=true", "U_1=true", "U_9=false"} {
		if !strings.Contains(strings.Join(asked, " "), id) {
			t.Errorf("asked %v, want %s", asked, id)
		}
	}
	o.wantGaps(t, nil) // bound counts actors
	if !strings.Contains(o.stderr, "a right is missing") {
		t.Errorf("stderr %q", o.stderr)
	}
}

func TestRegistryRefuses(t *testing.T) {
	const bot = `{"forge":"github","host":"github.com","id":"BOT_1","role":"x"}`
	for name, text := range map[string]string{
		"nothing": "", "array": "[]", "no bots": "{}", "null": `{"bots":null}`, "more": `{"bots":[],"more":1}`, "twice": `{"bots":[` + bot + `,` + bot + `]}`,
		"login":        `{"bots":[{"forge":"github","host":"github.com","login":"x","id":"BOT_1","role":"x"}]}`,
		"no id":        `{"bots":[{"forge":"github","host":"github.com","role":"x"}]}`,
		"number":       `{"bots":[{"forge":"github","host":"github.com","id":1,"role":"x"}]}`,
		"bad id":       `{"bots":[{"forge":"gitlab","host":"gitlab.com","id":"BOT_1","role":"x"}]}`,
		"bad host":     `{"bots":[{"forge":"github","host":"GitHub.com","id":"BOT_1","role":"x"}]}`,
		"port 443":     `{"bots":[{"forge":"github","host":"github.com:443","id":"BOT_1","role":"x"}]}`,
		"other forge":  `{"bots":[{"forge":"gitea","host":"x.example","id":"1","role":"x"}]}`,
		"empty role":   `{"bots":[{"forge":"github","host":"github.com","id":"BOT_1","role":""}]}`,
		"member twice": `{"bots":[],"bots":[]}`,
	} {
		if _, err := fetch.ParseRegistry([]byte(text)); fault.ExitOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := fetch.ParseRegistry([]byte(`{"bots":[]}`)); err != nil {
		t.Error(err)
	}
}

const runLine = `{"id":"RUN_1","agent":"fixer","status":"success","input_revision":"` + digest + `","result_record_keys":["` + digest + `"],"completed_at":"2026-05-01T10:00:00Z","publisher_id":"BOT_1"}`

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestReceiptsThatAreNoFile(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(runLine, old, new, 1) }
	for name, x := range map[string]struct {
		text, rule string
		line       int64
	}{
		"empty line":   {runLine + "\n\n", "agent-runs.json", 2},
		"no JSON":      {"x", "agent-runs.json", 1},
		"unknown":      {change(`"id"`, `"url":"x","id"`), "agent-runs.unknown-member", 1},
		"missing":      {change(`"agent":"fixer",`, ``), "agent-runs.member", 1},
		"no publisher": {change(`,"publisher_id":"BOT_1"`, ``), "agent-runs.member", 1},
		"null time":    {change(`"status"`, `"started_at":null,"status"`), "agent-runs.member", 1},
		"number":       {change(`"RUN_1"`, `1`), "agent-runs.member", 1},
		"other type":   {change(`"id"`, `"type":"check","id"`), "agent-runs.unknown-member", 1},
		"twice":        {runLine + "\n" + runLine, "agent-runs.twice", 2},
		"order":        {runLine + "\n" + strings.Replace(change("2026-05-01", "2026-04-01"), "RUN_1", "RUN_2", 1), "agent-runs.order", 2},
		"order by id":  {runLine + "\n" + change("RUN_1", "RUN_0"), "agent-runs.order", 2},
	} {
		_, err := fetch.ParseReceipts("runs.ndjson", []byte(x.text))
		f, _ := err.(*fault.Error)
		if f == nil || f.Exit != fault.Input || f.Rule != x.rule || f.Line != x.line || f.File != "runs.ndjson" {
			t.Errorf("%s: %v, want %s in line %d", name, err, x.rule, x.line)
		}
	}
	for name, text := range map[string]string{"empty": "", "one": runLine, "with LF": runLine + "\n", "typed": change(`"id"`, `"type":"run","id"`), "null publisher": change(`"BOT_1"`, `null`)} {
		if _, err := fetch.ParseReceipts("x", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRuns(t *testing.T) {
	requirement.Claim(t, "RUN-01", "RUN-02", "RUN-03", "RUN-05", "AMB-41", "AMB-76", "RUN-04")
	for name, x := range map[string]struct {
		old, new string
		valid    bool
	}{
		"good":              {"", "", true},
		"started":           {`"status"`, `"started_at":"2026-05-01T09:00:00Z","status"`, true},
		"revisions":         {`"status"`, `"input_head_sha":"` + head + `","resulting_commit_sha":"` + head + `","status"`, true},
		"no keys":           {`["` + digest + `"]`, `[]`, true},
		"keys twice":        {`["` + digest + `"]`, `["f` + digest[1:] + `","` + digest + `","` + digest + `"]`, true},
		"status":            {`"success"`, `"done"`, false},
		"id":                {`RUN_1`, `RUN 1`, false},
		"revision of Git":   {`"input_revision":"` + digest, `"input_revision":"` + head, false},
		"capital revision":  {`"input_revision":"` + digest, `"input_revision":"` + strings.ToUpper(digest), false},
		"malformed commit":  {`"status"`, `"resulting_commit_sha":"abc","status"`, false},
		"malformed head":    {`"status"`, `"input_head_sha":"","status"`, false},
		"malformed key":     {`["` + digest + `"]`, `["x"]`, false},
		"malformed end":     {`2026-05-01T10:00:00Z`, `x`, false},
		"malformed start":   {`"status"`, `"started_at":"x","status"`, false},
		"agent half a pair": {`fixer`, `\ud800`, false},
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := fetch.ParseReceipts("x", []byte(strings.Replace(runLine, x.old, x.new, 1)))
			if err != nil {
				t.Fatal(err)
			}
			s := pull()
			s.resolve = func(list []forge.Account) ([]forge.Account, []string, error) {
				for i := range list {
					if list[i].ID == "BOT_1" && list[i].Kind == "" {
						list[i].Kind, list[i].Login = contract.Bot, "fixer"
					}
				}
				return list, nil, nil
			}
			o := run(t, s, func(c *fetch.Config) {
				c.Collection.IncludedSources, c.Collection.CheckLogSelection = []string{"agent_runs", "entity"}, contract.LogsNone
				c.Runs, c.HasRuns = runs, true
			})
			lines := of[*contract.Run](o)
			if !x.valid {
				o.wantGaps(t, map[string]int64{"agent_runs/invalid_metadata": 1})
				if len(lines) != 0 {
					t.Error("an invalid run was written")
				}
				return
			}
			o.wantGaps(t, nil)
			if len(lines) != 1 || *lines[0].PublisherID != "BOT_1" || lines[0].Agent != "fixer" || lines[0].CompletedAt != "2026-05-01T10:00:00.000000000Z" {
				t.Fatalf("runs %+v", lines)
			}
			if strings.Contains(o.stream, "keys twice") || name == "keys twice" && len(lines[0].ResultRecordKeys) != 2 {
				t.Errorf("keys %v", lines[0].ResultRecordKeys)
			}
			found := false
			for _, a := range of[*contract.Actor](o) {
				found = found || a.ID == "BOT_1" && a.Kind == contract.Bot
			}
			if !found {
				t.Error("the publisher has no row")
			}
		})
	}
	selected := func(c *fetch.Config) {
		c.Collection.IncludedSources, c.Collection.CheckLogSelection = []string{"agent_runs", "entity"}, contract.LogsNone
	}
	run(t, pull(), selected).wantGaps(t, map[string]int64{"agent_runs/unsupported": 1})
	run(t, pull(), func(c *fetch.Config) { selected(c); c.HasRuns = true }).wantGaps(t, nil)
	run(t, pull(), func(c *fetch.Config) { c.HasRuns = true }).wantGaps(t, nil)
}

func FuzzParseReceipts(f *testing.F) {
	f.Add([]byte(runLine))
	f.Add([]byte(runLine + "\n" + runLine))
	f.Add([]byte("{}\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := fetch.ParseReceipts("x", data)
		if err != nil && (fault.ExitOf(err) != fault.Input || runs != nil) {
			t.Fatalf("%v beside %d runs", err, len(runs))
		}
	})
}

func TestReplay(t *testing.T) {
	s := pull()
	s.discussion.Comments = []forge.Comment{comment("IC_1")}
	s.checks.Checks = []forge.Check{failedCheck("CR_1", at)}
	s.logs = map[string]any{"CR_1": []byte("log\n")}
	capture := run(t, s, nil).stream
	replay := func(text string) (string, error) {
		var out bytes.Buffer
		err := fetch.Replay(context.Background(), stream.NewReader(strings.NewReader(text), stream.ReaderOptions{Name: "capture", Position: 1}), stream.NewWriter(&out))
		return out.String(), err
	}
	got, err := replay(capture)
	if err != nil || !strings.Contains(got, `"replay":true`) {
		t.Fatalf("%v\n%s", err, got)
	}
	body := func(s string) string {
		_, rest, _ := strings.Cut(s, "\n")
		return rest[:strings.LastIndex(strings.TrimSpace(rest), "\n")]
	}
	if body(got) != body(capture) {
		t.Error("a replay changes lines")
	}
	again, err := replay(got)
	if err != nil || again != got {
		t.Errorf("a replay of a replay: %v", err)
	}
	for name, text := range map[string]string{
		"cut": capture[:len(capture)-20], "changed": strings.Replace(capture, "text of", "lies of", 1), "nothing": "",
	} {
		if _, err := replay(text); fault.ExitOf(err) != fault.Input {
			t.Errorf("%s: %v", name, err)
		}
	}
	abort := `{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}` + "\n"
	_, err = replay(abort)
	var a *stream.AbortError
	if !errors.As(err, &a) || a.Abort.Exit != 5 {
		t.Errorf("an abort: %v", err)
	}
}
