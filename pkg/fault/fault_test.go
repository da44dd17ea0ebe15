package fault_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"snapline/pkg/fault"
)

func TestErrorPrintsLikeACompiler(t *testing.T) {
	cases := []struct {
		name string
		err  *fault.Error
		want string
	}{
		{"position and rule", &fault.Error{
			Stage: "filter", File: "stdin", Line: 17, Record: "comment IC_1",
			Rule: "stream.order", Detail: "created_at goes back",
		}, "filter: stdin:17: comment IC_1: stream.order: created_at goes back"},
		{"scope, code and hint", &fault.Error{
			Stage: "fetch", Scope: "entity", Code: "authorization_failed", Detail: "the author may not be heard", Hint: "give the token push access",
		}, "fetch: entity/authorization_failed: the author may not be heard (give the token push access)"},
		{"file without a line", &fault.Error{File: "run.zst", Detail: "cannot be read"}, "run.zst: cannot be read"},
		{"line without a file", &fault.Error{Line: 3, Detail: "too long"}, "line 3: too long"},
		{"untrusted file name", &fault.Error{File: "a\n::error::x", Line: 1, Detail: "x"}, `"a\n::error::x":1: x`},
		{"the system's words about the file", &fault.Error{
			File: "run/a.zst", Detail: "cannot be read", Cause: &fs.PathError{Op: "open", Path: "a.zst", Err: fs.ErrPermission},
		}, "run/a.zst: cannot be read: permission denied"},
		{"the system's words about another file", &fault.Error{
			File: "run", Detail: "cannot be read", Cause: &fs.PathError{Op: "open", Path: "run/a", Err: fs.ErrPermission},
		}, "run: cannot be read: open run/a: permission denied"},
		{"cause is quoted when it must be", &fault.Error{Detail: "no answer", Cause: errors.New("dial \x1b[31m")}, `no answer: "dial \x1b[31m"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.err.Error(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestAddressIsPrintedWhole: an address that is cut opens nothing.
func TestAddressIsPrintedWhole(t *testing.T) {
	long := "https://git.example/" + strings.Repeat("a", 1900)
	name := `comment 7 "` + long + `"`
	if got := (&fault.Error{Record: name, Detail: "d"}).Error(); got != name+": d" {
		t.Errorf("got %s", got)
	}
	var b bytes.Buffer
	log := fault.NewLog(&b, "bound", fault.JSON)
	log.Notice(fault.Notice{Record: name})
	log.Failure(&fault.Error{Record: name, Detail: "d"})
	want := `{"stage":"bound","record":"comment 7","url":"` + long + `"}` + "\n" +
		`{"stage":"bound","exit":0,"record":"comment 7","url":"` + long + `","detail":"d"}` + "\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
	for _, hostile := range []string{
		`a "https://x` + strings.Repeat("y", 3000) + `"`, "a \"https://x\u202e\"", `a "https://x`, `a "https://x\"`, `a "https://##[error]"`,
	} {
		if got := fault.Object(hostile); len(got) > 400 || strings.Contains(got, "##[") || strings.Contains(got, "\u202e") {
			t.Errorf("got %s", got)
		}
	}
}

func TestQuoteCutsAtSixtyFourBytes(t *testing.T) {
	for _, n := range []int{63, 64, 65} {
		got := fault.Quote(strings.Repeat("a", n))
		want := `"` + strings.Repeat("a", min(n, 64)) + `"`
		if n > 64 {
			want = `"` + strings.Repeat("a", 64) + `..."`
		}
		if got != want {
			t.Errorf("%d bytes: got %s", n, got)
		}
	}
	if got := fault.Quote(strings.Repeat("a", 63) + "é"); got != `"`+strings.Repeat("a", 63)+`..."` {
		t.Errorf("a code point was split: %s", got)
	}
	if got := fault.Quote("é\u202e"); got != `"\u00e9\u202e"` {
		t.Errorf("not ASCII: %s", got)
	}
}

func TestNoLineIsAWorkflowCommand(t *testing.T) {
	for _, format := range []fault.Format{fault.Text, fault.JSON} {
		for _, hostile := range []string{"::error::x", "##[error]x", "a\n::add-mask::x", "a\r##[group]x", " \t::error::x", "a ##[error]x", "##vso[task.complete]x"} {
			var b bytes.Buffer
			log := fault.NewLog(&b, hostile, format)
			log.Notice(fault.Notice{Record: hostile, Text: hostile})
			log.Failure(&fault.Error{Record: hostile, Detail: hostile, File: hostile, Line: 1})
			log.Failure(errors.New(hostile))
			if n := strings.Count(b.String(), "\n"); n != 3 {
				t.Errorf("%s: three diagnostics gave %d lines", format, n)
			}
			for _, line := range strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
					t.Errorf("%s: a line is a workflow command: %q", format, line)
				}
				if format == fault.JSON && !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %q", line)
				}
			}
		}
	}
}

func TestExitOf(t *testing.T) {
	wrapped := fmt.Errorf("outer: %w", fault.New(fault.Input, "r", "d"))
	for _, c := range []struct {
		err  error
		want fault.Exit
	}{{nil, 0}, {wrapped, 3}, {errors.New("plain"), 4}, {&fault.Error{Exit: fault.Usage}, 2}} {
		if got := fault.ExitOf(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}

func TestJSONDiagnostics(t *testing.T) {
	var b bytes.Buffer
	log := fault.NewLog(&b, "bound", fault.JSON)
	log.Notice(fault.Notice{Line: 4, Record: "comment 7", Scope: "comments", Code: "profile_bound", Count: 2, Text: "dropped"})
	log.Failure(&fault.Error{Exit: fault.Input, File: "stdin", Line: 2, Rule: "stream.order", Detail: "d", Hint: "h"})
	want := `{"stage":"bound","line":4,"record":"comment 7","scope":"comments","code":"profile_bound","count":2,"text":"dropped"}
{"stage":"bound","exit":3,"file":"stdin","line":2,"rule":"stream.order","detail":"d","hint":"h"}
`
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
