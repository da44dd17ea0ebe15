package fetch_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

// TestNotAfter: the state of the forge at a time, second for second.
func TestNotAfter(t *testing.T) {
	requirement.Claim(t, "AMB-93")
	moment := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	const before, then, within, later = "2026-05-01T11:59:59Z", "2026-05-01T12:00:00Z", "2026-05-01T14:00:00.999+02:00", "2026-05-01T12:00:01Z"
	s := pull()
	for _, c := range []struct {
		id      string
		created string
		visible *string
		edited  *string
	}{
		{"IC_before", before, nil, nil},
		{"IC_then", then, nil, p(then)},
		{"IC_within", within, nil, p(within)},
		{"IC_later", later, nil, nil},
		{"IC_draft", before, p(later), nil},
		{"IC_published", before, p(then), nil},
		{"IC_edited", before, nil, p(later)},
		{"IC_both", later, nil, p(later)},
		{"IC_odd", before, p("0001-01-01T00:00:00Z"), p("no time")},
	} {
		o := comment(c.id)
		o.CreatedAt, o.VisibleAt, o.EditedAt = p(c.created), c.visible, c.edited
		o.URL = "https://github.com/acme/tool/pull/7#" + c.id
		s.discussion.Comments = append(s.discussion.Comments, o)
	}
	draft, edited := review("PRR_draft"), review("PRR_edited")
	draft.SubmittedAt, edited.SubmittedAt, edited.EditedAt = p(later), p(before), p(later)
	s.discussion.Reviews = []forge.Review{draft, edited}
	s.discussion.Threads = []forge.Thread{thread("PRRT_1", "IC_edited", "IC_then", "IC_later"), thread("PRRT_2", "IC_draft")}
	at := func(c *fetch.Config) { c.NotAfter = moment }
	o := run(t, s, at)
	if n := len(of[*contract.Record](o)); n != 6 {
		t.Errorf("%d records are left", n)
	}
	for _, id := range []string{"IC_before", "IC_odd", "IC_published", "IC_then", "IC_within"} {
		if o.record(id) == nil {
			t.Errorf("%s is missing", id)
		}
	}
	o.wantGaps(t, map[string]int64{"comments/history_unavailable": 1, "reviews/history_unavailable": 1})
	threads := of[*contract.Thread](o)
	if len(threads) != 1 || len(threads[0].RecordKeys) != 1 || threads[0].RecordKeys[0] != o.record("IC_then").RecordKey {
		t.Errorf("threads %+v", threads)
	}
	if want := `comment IC_later "https://github.com/acme/tool/pull/7#IC_later": comments: left out: it came after --not-after`; !strings.Contains(o.stderr, want) {
		t.Errorf("stderr does not say %s:\n%s", want, o.stderr)
	}
	if o.header.Acquisition.NotAfter != "2026-05-01T12:00:00.000000000Z" {
		t.Errorf("acquisition %+v", o.header.Acquisition)
	}
	for _, change := range []func(*forge.Entity){
		func(e *forge.Entity) { e.CreatedAt = p(later) },
		func(e *forge.Entity) { e.EditedAt = p(later) },
	} {
		s := pull()
		change(s.entity)
		var e *fault.Error
		if o := run(t, s, at); !errors.As(o.err, &e) || e.Exit != fault.Aborted || e.Scope != "entity" || e.Code != "history_unavailable" || o.stream != "" {
			t.Errorf("%v, stream %q", o.err, o.stream)
		}
	}
}

// TestAcquisition: the header says how the snapshot came to be, and an address that is
// none on the source's host costs nothing but itself.
func TestAcquisition(t *testing.T) {
	s := pull()
	c, odd := comment("IC_1"), comment("IC_2")
	c.URL, odd.URL = "https://github.com/acme/tool/pull/7#issuecomment-1", "https://github.example/acme/tool/pull/7"
	s.discussion.Comments = []forge.Comment{c, odd}
	s.entity.URL = "http://github.com/acme/tool/pull/7"
	o := run(t, s, func(c *fetch.Config) {
		c.Acquisition = contract.Acquisition{Address: "https://github.com/Acme/Tool/pull/7", ProfileName: "observation", RequestID: "run-7"}
		c.Date = func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("", 3600)) }
	})
	want := &contract.Acquisition{
		Address: "https://github.com/Acme/Tool/pull/7", ProfileName: "observation", RequestID: "run-7", Date: "2026-05-01T11:00:00.000000000Z",
	}
	if diff := cmp.Diff(want, o.header.Acquisition); diff != "" {
		t.Error(diff)
	}
	if o.record("IC_1").URL != c.URL || o.record("IC_2").URL != "" || o.record("E_1").URL != "" {
		t.Errorf("addresses %q, %q, %q", o.record("IC_1").URL, o.record("IC_2").URL, o.record("E_1").URL)
	}
}

// TestMissingRolesEndTheRun: without an answer nobody can tell who may be heard.
func TestMissingRolesEndTheRun(t *testing.T) {
	requirement.Claim(t, "AMB-79")
	s := pull()
	reset := time.Date(2026, 5, 1, 13, 0, 0, 0, time.UTC)
	s.resolve = func(a []forge.Account) ([]forge.Account, []string, error) {
		return a, nil, &forge.RolesMissing{Count: 3, Cause: &client.Error{Kind: client.Limited, Status: 403, Where: "permission", Reset: reset}}
	}
	o := run(t, s, nil)
	var e *fault.Error
	if !errors.As(o.err, &e) || e.Exit != fault.Environment || e.Scope != "actors" || e.Code != "fetch_failed" ||
		!strings.Contains(e.Detail, "3 of the roles") || !strings.Contains(e.Detail, "it resets at 2026-05-01T13:00:00Z") {
		t.Errorf("%v", o.err)
	}
}

// TestBotsByEitherID: a bot is registered by any of its immutable ids.
func TestBotsByEitherID(t *testing.T) {
	requirement.Claim(t, "AMB-90")
	for id, registered := range map[string]bool{"BOT_1": true, "49699333": true, "4969933": false} {
		registry, err := fetch.ParseRegistry([]byte(`{"bots":[{"forge":"github","host":"github.com","id":"` + id + `","role":"reviewer"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		s := pull()
		c := comment("IC_1")
		c.Author = &forge.Account{ID: "BOT_1", Number: "49699333", Login: "helper", Kind: contract.Bot}
		s.discussion.Comments = []forge.Comment{c}
		o := run(t, s, func(c *fetch.Config) { c.Bots = registry })
		for _, a := range of[*contract.Actor](o) {
			if a.ID == "BOT_1" && (a.BotRole != nil) != registered {
				t.Errorf("id %s: %v", id, a.BotRole)
			}
		}
	}
}
