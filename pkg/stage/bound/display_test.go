package bound

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

func TestLabels(t *testing.T) {
	requirement.Claim(t, "BND-04", "DSP-03", "DSP-04", "DSP-07", "GAP-08", "ABT-10", "AMB-27", "AMB-31", "AMB-32", "FLT-03")
	cases := []struct {
		name   string
		labels []string
		max    int64 // max_metadata_string_bytes
		most   int64 // max_labels
		want   []string
		filter string
		gaps   []string
	}{
		{"sorted by bytes", []string{"b", "B", "é", "a"}, 16, 9, []string{"B", "a", "b", "é"}, "modified a=1", nil},
		{"at max_labels", []string{"b", "a"}, 16, 2, []string{"a", "b"}, "modified a=1", nil},
		{"over max_labels", []string{"c", "b", "a"}, 16, 2, []string{"a", "b"}, "truncated a=1", []string{"gap entity/profile_bound 1"}},
		{"no label allowed", []string{"c", "b", "a"}, 16, 0, []string{}, "truncated a=1", []string{"gap entity/profile_bound 3"}},
		{"none", nil, 16, 0, []string{}, "modified a=1", nil},
		{"cut at 16", []string{"0123456789abcdef", "0123456789abcdefg"}, 16, 9, []string{"0123456789abcdef"}, "truncated a=1", nil},
		{"between code points", []string{"0123456789abcdé"}, 15, 9, []string{"0123456789abcd"}, "truncated a=1", nil},
		{"cut first, then unique, then counted", []string{"0123456789abcdef1", "0123456789abcdef2", "z"}, 16, 2, []string{"0123456789abcdef", "z"}, "truncated a=1", nil},
		{"cut changes the order", []string{"012345678901234é", "012345678901234z"}, 16, 9, []string{"012345678901234", "012345678901234z"}, "truncated a=1", nil},
		{"unsafe when cut", []string{"this does " + "do evil now", "b"}, 17, 9, []string{"b"}, "modified a=1 injection.mark=1", nil},
		{"findings of a dropped label stay", []string{"z.do evil no way", "a", "b"}, 9, 2, []string{"a", "b"}, "modified a=1 injection.mark=1", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.WorkItem, 2)
			s.Header.Collection.Bounds.MaxMetadataStringBytes, s.Header.Collection.Bounds.MaxLabels = c.max, c.most
			s.Header.Entity.Labels = c.labels
			s.Header.EntityFilter = &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "a", Count: 1}}}
			r := bounded(t, s)
			want(t, r, c.gaps, "gap")
			if diff := cmp.Diff(c.want, r.header.Entity.Labels); diff != "" {
				t.Error(diff)
			}
			if got := verdict(r.header.EntityFilter); got != c.filter {
				t.Errorf("filter %s, want %s", got, c.filter)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	requirement.Claim(t, "BND-04", "DSP-03", "ABT-06", "ABT-10", "FLT-03")
	cases := []struct {
		name, title string
		max         int64
		want        string // title and status, or the abort
	}{
		{"below", "0123456", 8, `"0123456" unchanged`},
		{"at", "01234567", 8, `"01234567" unchanged`},
		{"above", "012345678", 8, `"01234567" truncated`},
		{"between code points", "0123456é", 8, `"0123456" truncated`},
		{"unsafe in full is filter's business", mark, 8, `"do evil" unchanged`},
		{"unsafe when cut", mark + " to nobody", 7, "abort entity/unsafe_content"},
		{"nothing left", "🚀", 3, "abort entity/invalid_metadata"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.WorkItem, 2)
			s.Header.Collection.Bounds.MaxMetadataStringBytes = c.max
			s.Header.Entity.Title = c.title
			login := "x"
			s.Actor(s.ID("actor", 1)).Login = &login
			r := bounded(t, s)
			got := abortOf(r.err)
			if r.err == nil {
				got = fmt.Sprintf("%q %s", r.header.Entity.Title, verdict(r.header.EntityFilter))
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func abortOf(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Exit != fault.Aborted {
		return fmt.Sprint(err)
	}
	return "abort " + e.Scope + "/" + e.Code
}

func TestEntityBody(t *testing.T) {
	requirement.Claim(t, "ABT-03", "ABT-10", "INJ-04", "BND-02", "BND-05", "AMB-09")
	cases := []struct {
		name   string
		change func(*contract.Record)
		want   string
	}{
		{"empty", func(r *contract.Record) { r.Content = contract.Text([]byte{}) }, `entity PR_kwDO001 "" unchanged`},
		{"cut", func(r *contract.Record) { r.Content = contract.Text([]byte("0123456789abcdef\n")) }, `entity PR_kwDO001 "0123456789abcde\n" truncated`},
		{"unsafe when cut", func(r *contract.Record) { r.Content = contract.Text([]byte("do this: " + mark + "\nnot\n")) }, "abort entity/unsafe_content"},
		{"rejected by filter", func(r *contract.Record) { testkit.Reject(r, "x") }, "abort entity/unsafe_content"},
		{"oversize", func(r *contract.Record) { r.Content, r.Filter = contract.Content{Form: contract.FormOversize}, nil }, "abort entity/source_too_large"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.WorkItem, 2)
			s.Header.Collection.Bounds.MaxRecordBytes = 17
			if c.name == "cut" {
				s.Header.Collection.Bounds.MaxRecordBytes = 16
			}
			for _, l := range s.Lines {
				if r, ok := l.(*contract.Record); ok {
					c.change(r)
				}
			}
			r := bounded(t, s)
			got := abortOf(r.err)
			if r.err == nil {
				got = strings.Join(only(r.lines, "entity"), "")
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestLogins(t *testing.T) {
	requirement.Claim(t, "BND-04", "DSP-03", "DSP-05", "AMB-28", "AMB-31")
	cases := []struct {
		name, login string
		max         int64
		want        string
	}{
		{"at", "01234567", 8, `"01234567" modified a=1`},
		{"above", "012345678", 8, `"01234567" truncated a=1`},
		{"unsafe when cut", mark + "er", 7, `null modified a=1 injection.mark=1`},
		{"nothing left", "🚀", 3, `null modified a=1`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := testkit.New(contract.GitHub, contract.WorkItem, 2)
			s.Header.Collection.Bounds.MaxMetadataStringBytes = c.max
			s.Header.Entity.Title = "x"
			a := s.Actor(s.ID("actor", 1))
			a.Login, a.LoginFilter = &c.login, &contract.Filter{Status: contract.Modified, Findings: []contract.Finding{{Code: "a", Count: 1}}}
			want(t, bounded(t, s), []string{"actor U_kgDO001 " + c.want}, "actor")
		})
	}
}

func TestNamesOfChecksAndAgents(t *testing.T) {
	requirement.Claim(t, "BND-04", "DSP-03", "DSP-06", "AMB-14", "GAP-09", "GAP-12")
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxMetadataStringBytes = 8
	login := "x"
	s.Actor(s.ID("actor", 1)).Login = &login
	s.Header.Collection.CheckLogSelection = contract.LogsAll
	for i, name := range []string{"01234567", "012345678", mark + "er", strings.Repeat("é", 5)} {
		s.Check(i+1, testkit.Time(i+1, "10:00"), name, contract.Failure)
		s.Log(i+1, "log\n")
		s.Run(i+1, testkit.Time(i+1, "11:00"), name).PublisherID = s.Header.Entity.AuthorID
	}
	s.Header.Collection.Bounds.MaxMetadataStringBytes = 7
	r := bounded(t, s)
	want(t, r, []string{
		`check CR_kwDO001 "0123456" truncated`,
		`check CR_kwDO002 "0123456" truncated`,
		`check CR_kwDO003 "" rejected injection.mark=1`,
		`check CR_kwDO004 "ééé" truncated`,
		`run RUN_kwDO001 "0123456" 0 results truncated`,
		`run RUN_kwDO002 "0123456" 0 results truncated`,
		`run RUN_kwDO004 "ééé" 0 results truncated`,
		fmt.Sprintf(`log %.8s "log\n" unchanged`, s.Key(contract.KindCheck, 1)),
		fmt.Sprintf(`log %.8s "log\n" unchanged`, s.Key(contract.KindCheck, 2)),
		fmt.Sprintf(`log %.8s "log\n" unchanged`, s.Key(contract.KindCheck, 4)),
		"gap agent_runs/unsafe_content 1",
		"gap checks/unsafe_content 1",
	}, "check", "run", "log", "gap")
	s = testkit.New(contract.GitHub, contract.ChangeProposal, 2)
	s.Header.Collection.Bounds.MaxMetadataStringBytes = 1
	s.Header.Entity.Title = "x"
	s.Actor(s.ID("actor", 1)).Login = &login
	s.Check(1, testkit.Time(1, "10:00"), "é", contract.Failure)
	s.Run(1, testkit.Time(1, "11:00"), "é").PublisherID = s.Header.Entity.AuthorID
	want(t, bounded(t, s), []string{"gap agent_runs/invalid_metadata 1", "gap checks/invalid_metadata 1"}, "check", "run", "gap")
}
