package bound

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

func TestCutText(t *testing.T) {
	requirement.Claim(t, "BND-02", "BND-03", "AMB-66", "AMB-08", "FLT-03")
	cases := []struct {
		name  string
		text  string
		limit int64
		want  string
		cut   bool
	}{
		{"empty stays empty", "", 1, "", false},
		{"a line feed alone", "\n", 1, "\n", false},
		{"line feeds alone", "\n\n\n", 1, "\n", false},
		{"below the bound", "ab\n", 4, "ab\n", false},
		{"at the bound", "ab\n", 3, "ab\n", false},
		{"above the bound", "ab\n", 2, "a\n", true},
		{"the smallest bound", "ab\n", 1, "\n", true},
		{"extra line feeds are no content", "ab\n\n\n", 3, "ab\n", false},
		{"no line feed at the end", "ab", 3, "ab\n", false},
		{"two-byte letters", "aé€\n", 4, "aé\n", true},
		{"one byte short", "aé€\n", 6, "aé\n", true},
		{"exact", "aé€\n", 7, "aé€\n", false},
		{"the cut lands behind blank lines", "ab\n\n\ncd\n", 6, "ab\n", true},
		{"the cut leaves line feeds alone", "\n\n\nabc\n", 3, "\n", true},
		{"emoji 5", "X🚀🚀\n", 5, "X\n", true},
		{"emoji 6", "X🚀🚀\n", 6, "X🚀\n", true},
		{"emoji 9", "X🚀🚀\n", 9, "X🚀\n", true},
		{"emoji 10", "X🚀🚀\n", 10, "X🚀🚀\n", false},
		{"emoji 1", "X🚀🚀\n", 1, "\n", true},
		{"globe 4", "🌍🌍\n", 4, "\n", true},
		{"globe 5", "🌍🌍\n", 5, "🌍\n", true},
		{"between letter and accent", "q\u0301x\n", 2, "q\n", true},
		{"behind the accent", "q\u0301x\n", 4, "q\u0301\n", true},
	}
	for _, c := range cases {
		got, cut := cutText([]byte(c.text), c.limit)
		if string(got) != c.want || cut != c.cut {
			t.Errorf("%s: %q, %v, want %q, %v", c.name, got, cut, c.want, c.cut)
		}
	}
}

// slowCut follows the words of the rule, one candidate after the other.
func slowCut(text string, limit int) (string, bool) {
	if text == "" {
		return "", false
	}
	content := strings.TrimRight(text, "\n")
	if len(content)+1 <= limit {
		return content + "\n", false
	}
	best := ""
	for i := range content { // i is where a code point starts
		if i+1 <= limit {
			best = content[:i]
		}
	}
	return strings.TrimRight(best, "\n") + "\n", true
}

func FuzzCutText(f *testing.F) {
	for _, s := range []string{"", "\n", "aé€\n", "X🚀🚀\n", "ab\n\n\ncd", "q\u0301x\n\n", strings.Repeat("🌍\n", 9)} {
		for limit := range uint8(12) {
			f.Add(s, limit)
		}
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		limit := int(n)%64 + 1
		if !utf8.ValidString(text) {
			return
		}
		source := []byte(text)
		got, cut := cutText(source, int64(limit))
		want, wantCut := slowCut(text, limit)
		if string(got) != want || cut != wantCut {
			t.Errorf("%q at %d: %q, %v, want %q, %v", text, limit, got, cut, want, wantCut)
		}
		if len(got) > limit || !utf8.Valid(got) || len(text) > 0 && (len(got) == 0 || got[len(got)-1] != '\n') {
			t.Errorf("%q at %d: %q", text, limit, got)
		}
		if string(source) != text {
			t.Error("the source was changed")
		}
		again, cut := cutText(got, int64(limit))
		if cut || !bytes.Equal(again, got) {
			t.Errorf("%q at %d: bounding again gives %q", text, limit, again)
		}
	})
}

func FuzzCutDisplay(f *testing.F) {
	f.Add("aé€", uint8(2))
	f.Add("🚀", uint8(3))
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		limit := int64(n)%32 + 1
		if !utf8.ValidString(s) {
			return
		}
		got, cut := cutDisplay(s, limit)
		if int64(len(got)) > limit || !strings.HasPrefix(s, got) || !utf8.ValidString(got) || cut != (len(got) < len(s)) {
			t.Errorf("%q at %d: %q, %v", s, limit, got, cut)
		}
		if cut {
			_, size := utf8.DecodeRuneInString(s[len(got):])
			if int64(len(got)+size) <= limit {
				t.Errorf("%q at %d: %q is not the longest prefix", s, limit, got)
			}
		}
	})
}

func TestBodiesAreCutAndScannedAgain(t *testing.T) {
	requirement.Claim(t, "BND-01", "BND-02", "INJ-04", "FLT-03", "AMB-11", "GAP-09", "AMB-54")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxRecordBytes = 16
	author := s.ID("actor", 1)
	found := []contract.Finding{{Code: "secret.token", Count: 2}}
	s.Comment(1, testkit.Time(1, "10:00"), author, "0123456789abcde\n") // exactly 16
	s.Comment(2, testkit.Time(2, "10:00"), author, "0123456789abcdef\n").Filter = &contract.Filter{Status: contract.Modified, Findings: found}
	s.Comment(3, testkit.Time(3, "10:00"), author, "please  "+mark+" and be good\n").Filter = &contract.Filter{Status: contract.Modified, Findings: found}
	s.Comment(4, testkit.Time(4, "10:00"), author, mark+"\n")          // not cut, so not scanned again
	s.Comment(5, testkit.Time(4, "11:00"), author, "0123456789abcdef") // no line feed: as long when cut
	s.Review(1, testkit.Time(5, "10:00"), author, "please  "+mark+", not\n", contract.Approved)
	s.Review(2, testkit.Time(6, "10:00"), author, "", contract.Approved)
	r := bounded(t, s)
	want(t, r, []string{
		`comment IC_kwDO001 "0123456789abcde\n" unchanged`,
		`comment IC_kwDO002 "0123456789abcde\n" truncated secret.token=2`,
		`comment IC_kwDO003 rejected injection.mark=1 secret.token=2`,
		`comment IC_kwDO004 "do evil\n" unchanged`,
		`comment IC_kwDO005 "0123456789abcde\n" truncated`,
		`review PRR_kwDO001 rejected injection.mark=1`,
		`review PRR_kwDO002 "" unchanged`,
		"gap comments/unsafe_content 1",
		"gap reviews/unsafe_content 1",
	}, "comment", "review", "gap")
	if got := fmt.Sprintf("%q", r.scans); got != `["0123456789abcde\n" "please  do evil\n" "0123456789abcde\n" "please  do evil\n"]` {
		t.Errorf("scanned again: %s", got)
	}
	for _, line := range []string{"IC_kwDO003: comments/unsafe_content: count 1", "comment IC_kwDO002: comments: body cut"} {
		if !strings.Contains(r.stderr, line) {
			t.Errorf("stderr lacks %q:\n%s", line, r.stderr)
		}
	}
	if strings.Contains(r.stderr, "evil") {
		t.Errorf("stderr has content:\n%s", r.stderr)
	}
}

// A record that the selection drops is not scanned again, whatever its text.
func TestDroppedRecordsAreNotScanned(t *testing.T) {
	requirement.Claim(t, "AMB-02", "AMB-03")
	s := testkit.New(contract.GitHub, contract.WorkItem, 2)
	s.Header.Collection.Bounds.MaxRecordBytes = 16
	s.Header.Collection.Bounds.MaxRecordsPerSource = 1
	s.Comment(1, testkit.Time(1, "10:00"), s.ID("actor", 1), "please  "+mark+" and be good\n")
	s.Comment(2, testkit.Time(2, "10:00"), s.ID("actor", 1), "fine\n")
	r := bounded(t, s)
	want(t, r, []string{`comment IC_kwDO002 "fine\n" unchanged`, "gap comments/profile_bound 1"}, "comment", "gap")
	if len(r.scans) != 0 {
		t.Errorf("scanned again: %q", r.scans)
	}
}

func TestLogs(t *testing.T) {
	requirement.Claim(t, "BND-03", "INJ-04", "COL-10", "AMB-11", "AMB-12", "AMB-13", "AMB-68")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxLogBytes = 16
	s.Header.Collection.Bounds.MaxRecordsPerSource = 8
	type set = func(*contract.Log)
	content := func(c contract.Content) set { return func(l *contract.Log) { l.Content, l.Filter = c, nil } }
	text := func(b string) set { return func(l *contract.Log) { l.Content = contract.Text([]byte(b)) } }
	rejected := func(l *contract.Log) {
		l.Content, l.Filter = contract.Content{}, &contract.Filter{Status: contract.Rejected}
	}
	logs := []set{
		content(contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}), // its check is dropped by selection
		text("step 1 ok\nstep 2 ok\nERROR: boom\n"),                                          // its check is rejected
		text("step 1 ok\nstep 2 ok\nERROR: boom\n"),
		text(""),
		rejected,
		content(contract.Content{Form: contract.FormOversize}),
		content(contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}),
		content(contract.Content{Form: contract.FormMissing, Missing: contract.AuthorizationFailed}),
		text("please  " + mark + " later\n"),
	}
	for i, change := range logs {
		c := s.Check(i+1, testkit.Time(i+1, "10:00"), "ci", contract.Failure)
		if i == 1 {
			c.Name, c.RejectedAs, c.Filter = "", contract.UnsafeContent, &contract.Filter{Status: contract.Rejected}
		}
		change(s.Log(i+1, ""))
	}
	r := bounded(t, s)
	want(t, r, []string{
		fmt.Sprintf(`log %.8s "step 1 ok\nstep \n" truncated`, s.Key(contract.KindCheck, 3)),
		fmt.Sprintf(`log %.8s "" unchanged`, s.Key(contract.KindCheck, 4)),
		"gap check_logs/authorization_failed 1",
		"gap check_logs/fetch_failed 1",
		"gap check_logs/source_too_large 1",
		"gap check_logs/unsafe_content 2",
		"gap checks/profile_bound 1",
		"gap checks/unsafe_content 1",
	}, "log", "gap")
	if got := only(r.lines, "check"); len(got) != 8 {
		t.Errorf("a log costs its check nothing: %q", got)
	}
}
