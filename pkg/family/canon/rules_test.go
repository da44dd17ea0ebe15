package canon

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/family/document"
)

// edit replaces exactly one occurrence in a sample.
func edit(t *testing.T, raw []byte, old, new string) []byte {
	t.Helper()
	if bytes.Count(raw, []byte(old)) != 1 {
		t.Fatalf("%q stands %d times", old, bytes.Count(raw, []byte(old)))
	}
	return bytes.Replace(raw, []byte(old), []byte(new), 1)
}

func TestTimestamps(t *testing.T) {
	for stamp, want := range map[string]bool{
		"2026-03-02T09:15:00+00:00": true, "2026-03-02T09:15:00Z": true, "2026-03-02T09:15:00.123456789-11:30": true,
		"2026-03-02T09:15:00": false, "2026-03-02": false, "2026-02-30T09:15:00Z": false, "2026-03-02T24:00:00Z": false,
		"2026-03-02 09:15:00Z": false, "2026-03-02T09:15:00,5Z": false, "2026-03-02T09:15:00+0000": false, "": false,
		"2026-03-02T09:15:00+23:59": true, "2026-03-02T09:15:00+24:00": false, "2026-03-02T09:15:00-23:60": false,
		"2026-03-02t09:15:00z": false, "2026-03-02T09:15:00Z ": false,
	} {
		d := &doc{raw: []byte("x")}
		d.timestamp(&document.Value{Kind: document.String, Text: stamp}, "/updated_at")
		if (d.findings == nil) != want {
			t.Errorf("%q: %v", stamp, d.findings)
		}
	}
}

// TestNearMatch names a bootstrap surface that is listed under another root.
func TestNearMatch(t *testing.T) {
	raw := edit(t, read(t, "testdata/documents/state-01-minimal-first-install.json"), "canon-boundary-guard-gpt/SKILL.md", "/mnt/data/canon/SKILL.md")
	r := checked(raw, "")
	if got := codes(r.Findings, document.Protocol); !slices.Equal(got, []string{"first-install-l0-missing"}) {
		t.Fatal(got)
	}
	if d := r.Findings[0].Detail; !strings.Contains(d, `"/mnt/data/canon/SKILL.md"`) || !strings.Contains(d, "canon-boundary-guard-gpt/SKILL.md is missing") {
		t.Error(d)
	}
}

// TestUnreadableHasPlaces gives every duplicate and lone surrogate its place.
func TestUnreadableHasPlaces(t *testing.T) {
	r := checked([]byte("{\"a\":1,\n\"a\":2,\n \"b\":\"\\ud800\"}"), State)
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s@%d:%d", f.Code, f.Line, f.Column))
	}
	if want := "json.duplicate-member@2:1 json.lone-surrogate@3:7"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestPlaces: a finding points at the value that it is about.
func TestPlaces(t *testing.T) {
	for name, want := range map[string]string{
		"delta-15-seq-float-mismatch.json": `seq-mismatch /current_state/state_seq 7`,
		"state-06-l0-not-inspected.json":   `first-install-l0-not-inspected /active_l0_sources/4/status "unavailable"`,
	} {
		raw := read(t, "testdata/documents/"+name)
		var got []string
		for _, f := range checked(raw, "").Findings {
			if f.Level == document.Error || f.Level == document.Protocol {
				value := strings.FieldsFunc(string(raw[f.Offset:]), func(r rune) bool { return strings.ContainsRune(",\n}", r) })[0]
				got = append(got, fmt.Sprintf("%s %s %s", f.Code, f.Place, value))
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestChainEdges judges sets that the sample chains do not have.
func TestChainEdges(t *testing.T) {
	ok, bare := chain(t, "ok"), chain(t, "ok-no-hashes")
	state := func(n Named) Named {
		_, c := Judge([]Named{n})
		return Named{Name: "state of " + n.Name, Raw: c.Recovered}
	}
	invalid := Named{Name: "invalid", Raw: read(t, "testdata/documents/delta-07-differential-only.json")}
	other := Named{Name: "other", Raw: edit(t, state(ok[2]).Raw, `"updated_at": "2026-03-02T11:00:00+00:00"`, `"updated_at": "2026-03-02T11:00:01+00:00"`)}
	huge := Named{Name: "huge", Raw: read(t, "testdata/documents/state-19-huge-integer.json")}
	cases := []struct {
		name    string
		set     []Named
		want    string // verdict, seq, finding
		recover []byte // document whose state is recovered
	}{
		{"nothing", nil, "none  ", nil},
		{"only what is invalid", []Named{invalid}, "none  ", nil},
		{"a state alone", ok[:1], "valid  ", ok[0].Raw},
		{"a later state alone", []Named{state(ok[3])}, "valid  ", ok[3].Raw},
		{"a delta alone", ok[3:4], "valid-partial  base-unknown", ok[3].Raw},
		{"the tail", ok[3:], "valid-partial  base-unknown", ok[5].Raw},
		{"the first delta without its state", ok[1:], "valid-partial  base-unknown", ok[5].Raw},
		{"the tail after the state before it", append([]Named{state(ok[2])}, ok[3:]...), "valid  ", ok[5].Raw},
		{"the tail without hashes", bare[3:], "valid-unverified  base-unknown", bare[5].Raw},
		{"a delta and its own state", append([]Named{state(ok[5])}, ok...), "valid  duplicate", ok[5].Raw},
		{"a state that differs from the delta's", append([]Named{other}, ok...), "broken 2 fork", nil},
		{"two states of one number", []Named{state(ok[2]), other}, "broken 2 fork", nil},
		{"a state and nothing up to a delta", []Named{ok[0], ok[2]}, "broken 2 gap", nil},
		{"states link by last_state_hash", []Named{ok[0], state(ok[1]), state(ok[2])}, "valid  ", ok[2].Raw},
		{"a state that names another predecessor", []Named{ok[0], ok[1], other, ok[3]}, "broken 3 hash-mismatch", nil},
		{"an invalid document beside a chain", append([]Named{invalid}, ok...), "valid  ", nil},
		{"the head is invalid", append([]Named{invalid}, ok[:5]...), "valid  ", nil},
		{"a number beyond 2^53", []Named{huge, huge}, "valid  duplicate", huge.Raw},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, got := Judge(c.set)
			if s := fmt.Sprintf("%s %s %s", got.Verdict, got.FirstBadSeq, got.Finding); s != c.want {
				t.Errorf("%q, want %q", s, c.want)
			}
			if (got.Refusal != "") != (c.recover == nil) || (got.Recovered == nil) != (c.recover == nil) {
				t.Errorf("refusal %q, recovered %t", got.Refusal, got.Recovered != nil)
			}
			if !bytes.Contains(c.recover, got.Recovered) {
				t.Error("recovered something else")
			}
		})
	}
}

// TestNotHashable reports a link that cannot be verified and does not hash around it.
func TestNotHashable(t *testing.T) {
	const at = "9007199254740992"
	base := edit(t, read(t, "testdata/documents/state-01-minimal-first-install.json"), `"state_seq": 0`, `"state_seq": `+at)
	ok := chain(t, "ok")
	delta := bytes.ReplaceAll(ok[1].Raw, []byte(`seq": 1,`), []byte(`seq": 9007199254740993,`))
	delta = edit(t, delta, `"previous_seq": 0`, `"previous_seq": `+at)
	reports, c := Judge([]Named{{Name: "base", Raw: base}, {Name: "delta", Raw: delta}})
	for _, r := range reports {
		if !r.Valid() {
			t.Fatalf("%+v", r.Findings)
		}
	}
	if c.Verdict != ChainUnverified || c.Finding != "not-hashable" || hashOf(base) != "" {
		t.Errorf("%s, hash %q", c.Describe(), hashOf(base))
	}
	// Two numbers that one double cannot tell apart are two deltas of two numbers.
	next := bytes.ReplaceAll(delta, []byte("9007199254740993"), []byte("9007199254740994"))
	if _, c := Judge([]Named{{Name: "a", Raw: delta}, {Name: "b", Raw: next}}); c.Finding != "basis-not-previous" {
		t.Errorf("%s", c.Describe())
	}
}
