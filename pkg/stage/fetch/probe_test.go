package fetch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/profile"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

// TestProbe: one question for each selected source, a role of somebody else, and the exit
// code that a run would end with (AMB-88).
func TestProbe(t *testing.T) {
	requirement.Claim(t, "AMB-88")
	refused := &client.Error{Kind: client.Forbidden, Status: 403, Where: "comments", Needs: "one of the scopes read:issue"}
	someone := []forge.Account{*person("U_2")}
	bot := []forge.Account{{ID: "BOT_1", Login: "bot", Kind: contract.Bot}, *person("U_1")}
	readable := []string{"entity: readable", "comments: readable", "reviews: readable", "checks: readable", "check_logs: readable"}
	for _, c := range []struct {
		name   string
		change func(*stub)
		asked  string // whose roles
		lines  []string
		exit   fault.Exit
	}{
		{"all is well", func(s *stub) { s.owner = "U_9" }, "U_1", append(readable, "roles: readable, asked about 1 of the people who take part", "budget: none"), 0},
		{"the author is the owner", func(s *stub) {
			s.owner, s.people = "U_1", map[contract.Scope][]forge.Account{contract.ScopeReviews: someone}
		}, "U_2", append(readable, "roles: readable, asked about 1 of the people who take part", "budget: none"), 0},
		{"nobody but the owner", func(s *stub) {
			s.owner, s.people = "U_1", map[contract.Scope][]forge.Account{contract.ScopeComments: bot}
		}, "", append(readable, "roles: cannot be probed here: nobody but the token's owner is known to take part", "budget: none"), 0},
		{"a deleted author", func(s *stub) {
			s.entity.Author, s.owner, s.people = nil, "U_9", map[contract.Scope][]forge.Account{contract.ScopeComments: someone}
		}, "U_2", append(readable, "roles: readable, asked about 1 of the people who take part", "budget: none"), 0},
		{
			"an owner who is not told", func(s *stub) { s.people = map[contract.Scope][]forge.Account{contract.ScopeComments: someone} }, "U_1 U_2",
			append(readable, "roles: readable, asked about 2 of the people who take part", "budget: none"), 0,
		},
		{
			"an owner who is not told, alone", func(*stub) {}, "",
			append(readable, "roles: cannot be probed here: nobody but the token's owner is known to take part", "budget: none"), 0,
		},
		{"no comments", func(s *stub) { s.owner, s.refuse = "U_9", map[contract.Scope]error{contract.ScopeComments: refused} }, "U_1", []string{
			"entity: readable", "comments: not readable: comments: access is refused (status 403): the token needs one of the scopes read:issue",
			"reviews: readable", "checks: readable", "check_logs: readable", "roles: readable, asked about 1 of the people who take part", "budget: none",
		}, 1},
		{"what the forge does not have", func(s *stub) {
			s.owner, s.refuse = "U_9", map[contract.Scope]error{contract.ScopeReviews: forge.ErrUnsupported}
		}, "U_1", []string{
			"entity: readable", "comments: readable", "reviews: this forge does not offer them", "checks: readable", "check_logs: readable",
			"roles: readable, asked about 1 of the people who take part", "budget: none",
		}, 0},
		{"no roles", func(s *stub) {
			s.owner = "U_9"
			s.resolve = func(a []forge.Account) ([]forge.Account, []string, error) {
				return a, []string{"the token may not ask"}, nil
			}
		}, "", append(readable, "roles: not readable: the token may not ask"), 4},
		{"roles without an answer", func(s *stub) {
			s.owner = "U_9"
			s.resolve = func(a []forge.Account) ([]forge.Account, []string, error) {
				return a, nil, &forge.RolesMissing{Count: 1, Cause: &client.Error{Kind: client.ServerError, Status: 502}}
			}
		}, "", readable, 4},
		{"no entity", func(s *stub) { s.entityErr = refused }, "", nil, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pull()
			var asked []string
			s.resolve = func(a []forge.Account) ([]forge.Account, []string, error) {
				for i := range a {
					asked = append(asked, a[i].ID)
				}
				return a, nil, nil
			}
			c.change(s)
			collection, err := profile.Builtin("observation", contract.ChangeProposal)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			err = fetch.Probe(context.Background(), s, fetch.Config{Collection: collection}, func(line string) error {
				lines = append(lines, line)
				return nil
			})
			if fault.ExitOf(err) != c.exit || !slices.Equal(lines, c.lines) || strings.Join(asked, " ") != c.asked {
				t.Errorf("exit %d (%v), asked about %q\n%s", fault.ExitOf(err), err, asked, strings.Join(lines, "\n"))
			}
			if err != nil && strings.Contains(err.Error(), "--check") {
				t.Errorf("it sends people round: %v", err)
			}
		})
	}
	s := pull()
	stop := errors.New("no reader")
	if err := fetch.Probe(context.Background(), s, fetch.Config{}, func(string) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}
