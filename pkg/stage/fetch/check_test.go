package fetch_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/fetch"
)

func TestOutcomeOfChecks(t *testing.T) {
	requirement.Claim(t, "CHK-04", "CHK-16", "CHK-17", "CHK-18", "CHK-19", "MAP-03", "MAP-06", "MAP-09", "MAP-10", "KEY-07", "ID-10",
		"AMB-35", "AMB-36", "AMB-63", "AMB-64", "AMB-33")
	const created, started, ended = "2026-05-01T10:00:00Z", "2026-05-01T10:00:01+00:00", "2026-05-01T10:00:02.5Z"
	type check = forge.Check
	completed := func(c contract.Conclusion) check {
		return check{Status: contract.Completed, Conclusion: c, StartedAt: p(started), CompletedAt: p(ended)}
	}
	with := func(c check, change func(*check)) check { change(&c); return c }
	for name, x := range map[string]struct {
		native check
		want   string // status conclusion never started completed; "" is invalid_metadata
	}{
		"queued":                       {check{Status: contract.Queued}, "queued  false  "},
		"queued drops its times":       {check{Status: contract.Queued, StartedAt: p(started), CompletedAt: p("rubbish"), Conclusion: contract.Success}, "queued  false  "},
		"running":                      {check{Status: contract.InProgress, StartedAt: p(started)}, "in_progress  false 2026-05-01T10:00:01.000000000Z "},
		"running drops its end":        {check{Status: contract.InProgress, StartedAt: p(started), CompletedAt: p(ended)}, "in_progress  false 2026-05-01T10:00:01.000000000Z "},
		"running without a start":      {check{Status: contract.InProgress}, ""},
		"running since rubbish":        {check{Status: contract.InProgress, StartedAt: p("yesterday")}, ""},
		"success":                      {completed(contract.Success), "completed success false 2026-05-01T10:00:01.000000000Z 2026-05-01T10:00:02.500000000Z"},
		"success without a start":      {with(completed(contract.Success), func(c *check) { c.StartedAt = nil }), ""},
		"success, malformed start":     {with(completed(contract.Success), func(c *check) { c.StartedAt = p("x") }), ""},
		"success without an end":       {with(completed(contract.Success), func(c *check) { c.CompletedAt = nil }), ""},
		"success, malformed end":       {with(completed(contract.Success), func(c *check) { c.CompletedAt = p("x") }), ""},
		"success, leap second":         {with(completed(contract.Success), func(c *check) { c.CompletedAt = p("2026-06-30T23:59:60Z") }), ""},
		"success, ten digits":          {with(completed(contract.Success), func(c *check) { c.CompletedAt = p("2026-06-30T23:59:59.0000000001Z") }), ""},
		"failure without a start":      {with(completed(contract.Failure), func(c *check) { c.StartedAt = nil }), ""},
		"skipped with a start":         {completed(contract.Skipped), "completed skipped false 2026-05-01T10:00:01.000000000Z 2026-05-01T10:00:02.500000000Z"},
		"skipped without one":          {with(completed(contract.Skipped), func(c *check) { c.StartedAt = nil }), "completed skipped true  2026-05-01T10:00:02.500000000Z"},
		"skipped in year one":          {with(completed(contract.Skipped), func(c *check) { c.StartedAt = p("0001-01-01T00:00:00Z") }), "completed skipped true  2026-05-01T10:00:02.500000000Z"},
		"skipped at the epoch":         {with(completed(contract.Skipped), func(c *check) { c.StartedAt = p("1970-01-01T01:00:00+01:00") }), "completed skipped true  2026-05-01T10:00:02.500000000Z"},
		"skipped, malformed start":     {with(completed(contract.Skipped), func(c *check) { c.StartedAt = p("x") }), ""},
		"cancelled, no times":          {with(completed(contract.Cancelled), func(c *check) { c.StartedAt, c.CompletedAt = nil, nil }), "completed cancelled true  2026-05-01T10:00:00.000000000Z"},
		"cancelled, malformed end":     {with(completed(contract.Cancelled), func(c *check) { c.StartedAt, c.CompletedAt = nil, p("x") }), ""},
		"startup failure":              {with(completed(contract.Failure), func(c *check) { c.NeverStarted = true }), "completed failure true  2026-05-01T10:00:02.500000000Z"},
		"startup failure, no end":      {with(completed(contract.Failure), func(c *check) { c.NeverStarted = true; c.CompletedAt = nil }), "completed failure true  2026-05-01T10:00:00.000000000Z"},
		"startup failure, bad start":   {with(completed(contract.Failure), func(c *check) { c.NeverStarted = true; c.StartedAt = p("x") }), "completed failure true  2026-05-01T10:00:02.500000000Z"},
		"stale":                        {completed(contract.Stale), "completed stale false 2026-05-01T10:00:01.000000000Z 2026-05-01T10:00:02.500000000Z"},
		"no conclusion":                {completed(""), ""},
		"unmapped status":              {check{StartedAt: p(started)}, ""},
		"no creation time":             {with(completed(contract.Success), func(c *check) { c.CreatedAt = p("") }), ""},
		"creation time is rubbish":     {with(completed(contract.Success), func(c *check) { c.CreatedAt = p("now") }), ""},
		"creation time unset":          {with(completed(contract.Success), func(c *check) { c.CreatedAt = p("1970-01-01T00:00:00Z") }), ""},
		"malformed update":             {with(completed(contract.Success), func(c *check) { c.UpdatedAt = p("x") }), ""},
		"other head":                   {with(completed(contract.Success), func(c *check) { c.HeadSHA = p(strings.Repeat("b", 40)) }), ""},
		"no head":                      {with(completed(contract.Success), func(c *check) { c.HeadSHA = p("") }), ""},
		"head in capitals":             {with(completed(contract.Success), func(c *check) { c.HeadSHA = p(strings.ToUpper(head)) }), ""},
		"no id":                        {with(completed(contract.Success), func(c *check) { c.ID = "-" }), ""},
		"id with a slash":              {with(completed(contract.Success), func(c *check) { c.ID = "CR/1" }), ""},
		"name is no Unicode":           {with(completed(contract.Success), func(c *check) { c.Name = rawBody(`a\ud800`) }), ""},
		"empty name is for the filter": {with(completed(contract.Success), func(c *check) { c.Name = rawBody(``) }), "completed success false 2026-05-01T10:00:01.000000000Z 2026-05-01T10:00:02.500000000Z"},
	} {
		t.Run(name, func(t *testing.T) {
			c := x.native
			if c.ID == "" {
				c.ID = "CR_1"
			}
			if c.Name.Len() == 0 && !strings.HasPrefix(name, "empty") {
				c.Name = body("lint")
			}
			if c.HeadSHA == nil {
				c.HeadSHA = p(head)
			}
			if c.CreatedAt == nil {
				c.CreatedAt = p(created)
			}
			s := pull()
			s.checks.Checks = []forge.Check{c}
			s.logs = map[string]any{c.ID: []byte("log")}
			o := run(t, s, nil)
			if x.want == "" {
				o.wantGaps(t, map[string]int64{"checks/invalid_metadata": 1})
				if len(of[*contract.Check](o)) != 0 || len(s.asked) != 0 || strings.Count(o.stderr, "\n") != 1 {
					t.Errorf("%s\n%s", o.stream, o.stderr)
				}
				return
			}
			o.wantGaps(t, nil)
			l := of[*contract.Check](o)[0]
			if got := fmt.Sprintf("%s %s %v %s %s", l.Status, l.Conclusion, l.NeverStarted, l.StartedAt, l.CompletedAt); got != x.want {
				t.Errorf("got  %s\nwant %s", got, x.want)
			}
		})
	}
}

func failedCheck(id, created string) forge.Check {
	return forge.Check{
		ID: id, Name: body(id), Status: contract.Completed, Conclusion: contract.Failure, HeadSHA: p(head),
		CreatedAt: p(created), StartedAt: p(at), CompletedAt: p(at),
	}
}

// A name is measured by the filter, so that its check keeps its place in the selection;
// only one that no line can hold is counted here, and after what is counted before it.
func TestLengthOfNames(t *testing.T) {
	requirement.Claim(t, "AMB-10", "AMB-03")
	const longest = 1 << 20
	for _, x := range []struct {
		size int
		head string
		gaps map[string]int64
	}{
		{2000, head, nil},
		{2001, head, nil},
		{longest - 1, head, nil},
		{longest, head, nil},
		{longest + 1, head, map[string]int64{"checks/source_too_large": 1}},
		{longest + 1, strings.Repeat("b", 40), map[string]int64{"checks/invalid_metadata": 1}},
	} {
		c := failedCheck("CR_1", at)
		c.Name, c.HeadSHA = body(strings.Repeat("\x01", x.size)), p(x.head)
		s := pull()
		s.checks.Checks, s.logs = []forge.Check{c}, map[string]any{"CR_1": []byte("log")}
		o := run(t, s, func(c *fetch.Config) { c.Collection.Bounds.MaxSourceBytes = 2000 })
		o.wantGaps(t, x.gaps)
		lines := of[*contract.Check](o)
		if kept := len(lines) == 1; kept != (x.gaps == nil) || kept && len(lines[0].Name) != x.size || len(s.asked) != len(lines) {
			t.Errorf("%d bytes: %d checks, %d logs asked for", x.size, len(lines), len(s.asked))
		}
	}
}

// TestLogsOfRetainedChecks: only what the profile keeps is asked for (AMB-13); a check
// that the filter will reject keeps its place (AMB-02).
func TestLogsOfRetainedChecks(t *testing.T) {
	requirement.Claim(t, "AMB-13", "AMB-68", "COL-07", "CHK-05", "AMB-21")
	times := []string{"2026-05-01T10:00:03Z", "2026-05-01T10:00:01Z", "2026-05-01T10:00:02Z", "2026-05-01T10:00:00Z"}
	for selection, want := range map[contract.Selection]string{contract.Newest: "CR_2 CR_0", contract.Oldest: "CR_3 CR_1"} {
		s := pull()
		s.logs = map[string]any{}
		for i, at := range times {
			id := fmt.Sprintf("CR_%d", i)
			s.checks.Checks = append(s.checks.Checks, failedCheck(id, at))
			s.logs[id] = []byte("log")
		}
		// Not mapped, so without a place.
		bad := failedCheck("CR_9", "2026-05-01T11:00:00Z")
		bad.Status = ""
		s.checks.Checks = append(s.checks.Checks, bad)
		o := run(t, s, func(c *fetch.Config) {
			c.Collection.RecordSelection, c.Collection.Bounds.MaxRecordsPerSource = selection, 2
		})
		if got := strings.Join(s.asked, " "); got != want || len(of[*contract.Check](o)) != 4 || len(of[*contract.Log](o)) != 2 {
			t.Errorf("%s: asked %s, want %s", selection, got, want)
		}
	}
	s := pull()
	skipped := failedCheck("CR_0", at)
	skipped.Conclusion, skipped.StartedAt = contract.Skipped, nil
	running := failedCheck("CR_1", at)
	running.Status = contract.InProgress
	never := failedCheck("CR_2", at)
	never.NeverStarted = true
	good := failedCheck("CR_3", at)
	good.Conclusion = contract.Success
	s.checks.Checks = []forge.Check{skipped, running, never, good}
	s.logs = map[string]any{"CR_3": []byte("")}
	o := run(t, s, func(c *fetch.Config) { c.Collection.CheckLogSelection = contract.LogsAll })
	o.wantGaps(t, nil)
	if logs := of[*contract.Log](o); !slices.Equal(s.asked, []string{"CR_3"}) || len(logs) != 1 || logs[0].Content.Form != contract.FormText || len(logs[0].Content.Bytes) != 0 {
		t.Errorf("asked %v", s.asked)
	}
}

func TestLogsThatAreNotThere(t *testing.T) {
	requirement.Claim(t, "AMB-12", "AMB-10", "AMB-58")
	const limit = 1024
	for name, x := range map[string]struct {
		log  any
		want contract.Content
	}{
		"404":            {&client.Error{Kind: client.NotFound}, contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}},
		"410":            {&client.Error{Kind: client.Gone}, contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}},
		"403":            {&client.Error{Kind: client.Forbidden}, contract.Content{Form: contract.FormMissing, Missing: contract.AuthorizationFailed}},
		"limit":          {&client.Error{Kind: client.Limited}, contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}},
		"unsupported":    {forge.ErrUnsupported, contract.Content{Form: contract.FormMissing, Missing: contract.Unsupported}},
		"other":          {errors.New("x"), contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}},
		"too large":      {&client.Error{Kind: client.TooLarge}, contract.Content{Form: contract.FormOversize}},
		"one over":       {[]byte(strings.Repeat("x", limit+1)), contract.Content{Form: contract.FormOversize}},
		"at the limit":   {[]byte(strings.Repeat("x", limit)), contract.Content{Form: contract.FormText, Bytes: []byte(strings.Repeat("x", limit))}},
		"no UTF-8":       {[]byte("a\xffb"), contract.Content{Form: contract.FormBytes, Bytes: []byte("a\xffb")}},
		"BOM, CRLF, ESC": {[]byte("\ufeffa\r\n\x1b[0m"), contract.Content{Form: contract.FormText, Bytes: []byte("\ufeffa\r\n\x1b[0m")}},
	} {
		s := pull()
		s.checks.Checks = []forge.Check{failedCheck("CR_1", at)}
		s.logs = map[string]any{"CR_1": x.log}
		o := run(t, s, func(c *fetch.Config) { c.Collection.Bounds.MaxSourceBytes = limit })
		o.wantGaps(t, nil) // bound counts it
		got := of[*contract.Log](o)[0].Content
		if got.Form != x.want.Form || got.Missing != x.want.Missing || string(got.Bytes) != string(x.want.Bytes) {
			t.Errorf("%s: %+v, want %+v", name, got, x.want)
		}
		if notices := strings.Count(o.stderr, "\n"); (notices == 1) != (x.want.Form == contract.FormMissing) {
			t.Errorf("%s: %d notices", name, notices)
		}
	}
}

func TestChecksThatCannotBeRead(t *testing.T) {
	requirement.Claim(t, "AMB-74", "GAP-06", "CHK-01", "AMB-43")
	s := pull()
	s.checks.Failed = &client.Error{Kind: client.ServerError, Status: 502}
	s.checks.Checks = []forge.Check{failedCheck("CR_1", at)}
	o := run(t, s, nil)
	o.wantGaps(t, map[string]int64{"checks/fetch_failed": 1})
	if len(of[*contract.Check](o)) != 0 {
		t.Error("a part of a failed list was kept")
	}
	for _, unknown := range []string{"", "abc"} {
		s = pull()
		s.entity.HeadSHA = unknown
		o = run(t, s, nil)
		o.wantGaps(t, map[string]int64{"checks/fetch_failed": 1})
		if o.header.HeadSHA != "" {
			t.Errorf("head %s", o.header.HeadSHA)
		}
	}
	without := func(c *fetch.Config) {
		c.Collection.IncludedSources, c.Collection.CheckLogSelection = []string{"comments", "entity"}, contract.LogsNone
	}
	o = run(t, s, without)
	o.wantGaps(t, nil)
	if o.header.HeadSHA != "" {
		t.Error("a head without checks")
	}
	s = pull()
	s.checks.Checks = []forge.Check{failedCheck("CR_1", at)}
	o = run(t, s, without)
	o.wantGaps(t, nil)
	if len(of[*contract.Check](o)) != 0 || o.header.HeadSHA != "" || len(s.asked) != 0 {
		t.Error("checks that nobody selected")
	}
}
