package forge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/requirement"
)

// TestLookUp tells the forge's no from the lack of an answer (AMB-79).
func TestLookUp(t *testing.T) {
	requirement.Claim(t, "AMB-79")
	fails := func(kind client.Kind, status int) error {
		return &client.Error{Kind: kind, Status: status, Where: "permission"}
	}
	limit := &client.Error{Kind: client.Limited, Status: 403, Where: "permission", Reset: time.Date(2026, 5, 1, 13, 0, 0, 0, time.UTC)}
	broken := fails(client.ServerError, 502)
	for _, c := range []struct {
		name    string
		answers string // of the people 0, 1, 2 and so on: . answered, n not found, r refused, l limited, b 502, t transfer, c cap
		author  string
		dies    bool // the server fails for everybody once it has failed for one
		missing int
		refused bool
		notes   int
	}{
		{"all answered", "....", "0", false, 0, false, 0},
		{"nobody there", "nnn", "0", false, 0, false, 0},
		{"nobody to ask", "", "", false, 0, false, 0},
		{"the token may not ask", "r...", "0", false, 0, true, 0},
		{"one is refused", "..r.", "0", false, 0, false, 1},
		{"limited", ".l.", "0", false, 1, false, 0},
		{"limited for all", "lll", "0", false, 3, false, 0},
		{"transfer", "..t", "0", false, 1, false, 0},
		{"over the cap", "..c", "0", false, 1, false, 0},
		{"one odd account", "..b.", "0", false, 0, false, 1},
		{"the first is odd", "b..", "1", false, 0, false, 1},
		{"odd beside one that is not there", "nb", "0", false, 0, false, 1},
		{"two odd accounts", ".bb.", "0", false, 2, false, 0},
		{"the author is odd", "..b.", "2", false, 1, false, 0},
		{"alone and odd", "b", "", false, 1, false, 0},
		{"the server dies", "...b", "0", true, 1, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var accounts []*forge.Account
			for i := range c.answers {
				accounts = append(accounts, &forge.Account{ID: fmt.Sprint(i)})
			}
			var mu sync.Mutex
			asked := map[string]int{}
			ask := func(_ context.Context, a *forge.Account) error {
				mu.Lock()
				defer mu.Unlock()
				if asked[a.ID]++; asked[a.ID] > 1 && c.dies {
					return broken
				}
				switch c.answers[a.ID[0]-'0'] {
				case 'n':
					return fails(client.NotFound, 404)
				case 'r':
					return fails(client.Forbidden, 403)
				case 'l':
					return limit
				case 'b':
					return broken
				case 't':
					return fails(client.Unreachable, 0)
				case 'c':
					return fails(client.TooLarge, 200)
				}
				return nil
			}
			var author *forge.Account
			if c.author != "" {
				author = &forge.Account{ID: c.author}
			}
			notes, refused, err := forge.LookUp(context.Background(), accounts, author, ask)
			var missing *forge.RolesMissing
			if errors.As(err, &missing); c.missing == 0 && err != nil || c.missing > 0 && (missing == nil || missing.Count != c.missing) {
				t.Errorf("%v", err)
			}
			if (refused != nil) != c.refused || len(notes) != c.notes {
				t.Errorf("refused %v, notes %q", refused, notes)
			}
			if c.refused && len(asked) != 1 {
				t.Errorf("asked %v", asked)
			}
			if strings.HasPrefix(c.name, "limited") && !strings.Contains(err.Error(), "it resets at") {
				t.Errorf("%v", err)
			}
		})
	}
}
