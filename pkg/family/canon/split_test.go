package canon

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/family/document"
)

func TestSplit(t *testing.T) {
	const delta = `{"type":"CANON_STATE_DELTA","seq":1}`
	fence := "```"
	cases := []struct{ name, raw, want string }{
		{"one document", "{\n\"a\": 1\n}\n", "0:{\n\"a\": 1\n}\n"},
		{"one line", delta + "\n", "0:" + delta + "\n"},
		{"duplicate members are one document", `{"a":1,"a":2}`, `0:{"a":1,"a":2}`},
		{"lines", delta + "\r\n\n" + delta + "\n", "1:" + delta + "|3:" + delta},
		{"lines behind a byte-order mark", "\ufeff" + delta + "\n{\"a\":1}\n", "1:" + delta + "|2:{\"a\":1}"},
		{"a broken line stays a document", delta + "\n{\"a\":}\n", "1:" + delta + "|2:{\"a\":}"},
		{"a line that is cut off stays a document", delta + "\n{\"type\":\n" + delta + "\n{\"a", "1:" + delta + "|2:{\"type\":|3:" + delta + "|4:{\"a"},
		{"conversation", "Done.\n" + fence + "json\n" + delta + "\n" + fence + "\nNext:\n~~~\n" + delta + "~~~\n" + delta + "\n~~~~\nbye", "3:" + delta + "\n|7:" + delta + "~~~|8:" + delta},
		{"other code stays out", fence + "\nls\n" + fence + "\n" + fence + "json\n" + delta + "\n" + fence + "\n", "5:" + delta + "\n"},
		{"a shorter fence does not close", "````json\n" + delta + "\n" + fence + "\n````\n", "2:" + delta + "\n" + fence + "\n"},
		{"the other fence does not close", fence + "\n" + delta + "\n~~~\n" + fence + "\n", "2:" + delta + "\n~~~\n"},
		{"a fence with words does not close", fence + "\n" + delta + "\n" + fence + "json\n" + fence + "\n", "2:" + delta + "\n" + fence + "json\n"},
		{"indented in a list", "- delta:\n   " + fence + "json\n   " + delta + "\n   " + fence + "\n", "3:   " + delta + "\n"},
		{"never closed", "x\n" + fence + "\n" + delta, "3:" + delta},
		{"a broken delta in a fence is a document", fence + "\n{\"type\":\"CANON_STATE_DELTA\",\n" + fence + "\n", "2:{\"type\":\"CANON_STATE_DELTA\",\n"},
		{
			"a pasted state is no source", fence + "\n{\"protocol\":\"canon-boundary-guard:gpt-project-adapter\"}\n" + fence + "\n",
			"0:" + fence + "\n{\"protocol\":\"canon-boundary-guard:gpt-project-adapter\"}\n" + fence + "\n",
		},
		{"text without a delta", "hello\n", "0:hello\n"},
		{"two values", delta + " " + delta, "0:" + delta + " " + delta},
		{"nothing", "", "0:"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, p := range Split([]byte(c.raw)) {
				got = append(got, fmt.Sprintf("%d:%s", p.Line, p.Raw))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("\n got %q\nwant %q", strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	raw := []byte(`{"type":"CANON_STATE_DELTA","seq":12,"decision":{"mode":"B","summary":"one\u2028two"},"current_state":{"state_seq":12,"extra":"x"},"basis":{"previous_seq":11}}`)
	r, err := Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	if r.Format != Delta || r.Order != "0002:12:1" {
		t.Errorf("format %s, order %s", r.Format, r.Order)
	}
	var values []string
	for _, s := range r.Texts {
		values = append(values, s.Value)
		if s.Policy != document.Refuse {
			t.Errorf("%q: policy %d", s.Value, s.Policy)
		}
	}
	if want := []string{"CANON_STATE_DELTA", "B", "one\ntwo", "extra", "x"}; !slices.Equal(values, want) {
		t.Errorf("texts %q, want %q", values, want)
	}
	if r, err := Read([]byte(`{"a":1,"a":2}`)); err == nil || r.Order != unnumbered {
		t.Errorf("a duplicate member: %v, order %q", err, r.Order)
	}
}

// TestOrder sorts by number, not by digit, a state before the delta of its number, and
// what has no number last.
func TestOrder(t *testing.T) {
	want := []string{
		`{"state_seq":0}`, `{"state_seq":2}`, `{"seq":2,"type":"CANON_STATE_DELTA"}`, `{"seq":9.0,"type":"x"}`,
		`{"seq":10,"type":"x"}`, `{"seq":9007199254740993,"type":"x"}`, `{"seq":18446744073709551616,"type":"x"}`, `{"state_seq":-1}`,
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	key := func(s string) string {
		r, err := Read([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return r.Order
	}
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// FuzzCheck judges anything as both formats and as a chain: no panic, an invalid
// document is text only and gives no state, what is recovered is a part of the input.
func FuzzCheck(f *testing.F) {
	for _, n := range chain(f, "ok") {
		f.Add(n.Raw)
	}
	f.Add([]byte(`{"type":"CANON_STATE_DELTA","seq":1,"current_state":{"state_seq":1e0}}`))
	f.Add([]byte("```\n{\"type\":\"CANON_STATE_DELTA\"}\n```"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, format := range []string{"", State, Delta} {
			r := checked(raw, format)
			if r.Valid() == (r.Use == TextOnly) {
				t.Fatalf("valid %t, use %s", r.Valid(), r.Use)
			}
		}
		var set []Named
		for _, p := range Split(raw) {
			set = append(set, Named{Name: fmt.Sprint(p.Line), Raw: p.Raw})
			if !bytes.Contains(raw, p.Raw) {
				t.Fatal("a part is no part")
			}
		}
		reports, c := Judge(set)
		if c.Recovered != nil && (c.Refusal != "" || !bytes.Contains(raw, c.Recovered)) {
			t.Fatalf("recovered %q: %s", c.Recovered, c.Refusal)
		}
		for _, r := range reports {
			if !r.Valid() && c.Recovered != nil {
				t.Fatal("recovered past an invalid document")
			}
		}
	})
}
