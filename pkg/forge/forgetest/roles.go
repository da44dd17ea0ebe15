package forgetest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

// Roles demands of an adapter what AMB-79 decides. author and other are parts of the
// requests by which the roles of two people are asked about, one of them the entity's
// author; the subject has at least one more.
func Roles(t *testing.T, s Subject, author, other string) {
	t.Helper()
	requirement.Claim(t, "AMB-79")
	limited := http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1780333200"}, "Retry-After": {"3600"}}
	for _, c := range []struct {
		name  string
		part  string // of the requests that fail
		fault Fault
		exit  fault.Exit
		says  string
	}{
		{"a limit", "", Answer(429, limited, `{"message":"API rate limit exceeded"}`), fault.Environment, "it resets at"},
		{"the server is gone", "", Drop, fault.Environment, "of the roles could not be read"},
		{"502", "", Answer(502, nil, "<html>"), fault.Environment, "of the roles could not be read"},
		{"500", "", Answer(500, nil, `{}`), fault.Environment, "of the roles could not be read"},
		{"cut", "", Cut, fault.Environment, "of the roles could not be read"},
		{"no JSON", "", Answer(200, nil, "<html>"), fault.Environment, "of the roles could not be read"},
		{"null", "", Answer(200, nil, "null"), fault.Environment, "of the roles could not be read"},
		{"credentials that ended", "", Answer(401, nil, `{}`), fault.Environment, "of the roles could not be read"},
		{"nobody there", "", Answer(404, nil, `{}`), fault.Done, ""},
		{"refused", "", Answer(403, nil, `{"message":"no"}`), fault.Done, "actors: "},
		{"one odd account", other, Answer(502, nil, ""), fault.Done, "for this account alone"},
		{"one broken transfer", other, Drop, fault.Environment, "1 of the roles could not be read"},
		{"the author is odd", author, Answer(502, nil, ""), fault.Environment, "1 of the roles could not be read"},
	} {
		o := s.Run(context.Background(), t, &Net{Fault: func(key string, _ int) Fault {
			about := strings.Contains(key, author) || strings.Contains(key, other)
			if c.part == "" && about || c.part != "" && strings.Contains(key, c.part) {
				return c.fault
			}
			return nil
		}})
		text := o.Stderr
		if o.Err != nil {
			text = o.Err.Error()
			var e *fault.Error
			if !errors.As(o.Err, &e) || e.Scope != "actors" || e.Code != "fetch_failed" {
				t.Errorf("%s: %v", c.name, o.Err)
			}
		}
		if fault.ExitOf(o.Err) != c.exit || !strings.Contains(text, c.says) {
			t.Errorf("%s: exit %d, want %d: %s", c.name, fault.ExitOf(o.Err), c.exit, text)
		}
	}
}

// NullEntity demands that an entity which is null in a good answer ends the run with exit
// 4 after retries, on every forge alike. part is of the requests for the entity.
func NullEntity(t *testing.T, s Subject, part string) {
	t.Helper()
	asked := 0
	o := s.Run(context.Background(), t, &Net{Fault: func(key string, _ int) Fault {
		if strings.Contains(key, part) {
			asked++
			return Answer(200, nil, "null")
		}
		return nil
	}})
	if fault.ExitOf(o.Err) != fault.Environment || asked != 4 || len(o.Stream) != 0 {
		t.Errorf("exit %d after %d requests: %v", fault.ExitOf(o.Err), asked, o.Err)
	}
}
