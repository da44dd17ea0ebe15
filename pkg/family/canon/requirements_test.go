package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/family/document"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// stateShapes are the objects of a SESSION_STATE as the requirements list them.
var stateShapes = testkit.Shapes([][3]string{
	{
		"CBG-02 CBG-03 CBG-04 CBG-05 CBG-06 CBG-07 CBG-08 CBG-09 CBG-10 CBG-11 CBG-12",
		"",
		"protocol:const(canon-boundary-guard:gpt-project-adapter) protocol_version:const(1.1) state_seq:int updated_at:string " +
			"active_l0_sources:array authorized_deltas:array open_conflicts:array pending_decisions:array last_persistent_artifacts:array last_state_hash:string?",
	},
	{
		"CBG-13 CBG-14 CBG-15 CBG-23", "/active_l0_sources/5",
		"source_id:string status:enum(inspected|unavailable|conflicted) notes:string? " +
			"source_type:enum(project_file|project_source|uploaded_file|local_file|tool_output|command_output|verified_external_source|state_file)",
	},
	{
		"CBG-16 CBG-17 CBG-23", "/authorized_deltas/0",
		"delta_id:string authorized_at:string scope:string status:enum(pending_persistence|persisted|revoked) target:string?",
	},
	{"CBG-18 CBG-19 CBG-23", "/open_conflicts/0", "conflict_id:string description:string status:enum(open|resolved|deferred)"},
	{"CBG-20 CBG-23", "/pending_decisions/0", "decision_id:string question:string blocking:bool?"},
	{
		"CBG-21 CBG-22 CBG-23", "/last_persistent_artifacts/0",
		"artifact_id:string created_at:string path_or_label:string? artifact_type:enum(project_source|downloaded_file|canvas|document|state_file|other)",
	},
})

// deltaShapes are the objects of a CANON_STATE_DELTA besides its state.
var deltaShapes = testkit.Shapes([][3]string{
	{
		"CBG-24 CBG-25 CBG-26 CBG-28 CBG-29 CBG-36", "",
		"type:const(CANON_STATE_DELTA) seq:int timestamp:string basis:object decision:object current_state:object operator_action_required:string",
	},
	{"CBG-30 CBG-31", "/basis", "previous_seq:int previous_hash:string?"},
	{"CBG-32 CBG-33 CBG-34", "/decision", "mode:enum(B|C) summary:string authorized_delta:string affected_targets:strings"},
})

// judged gives the errors of a document of the format, the cross rule's apart.
func judged(format string) testkit.Judge {
	return func(raw []byte) (errors, newer []string) {
		for _, f := range checked(raw, format).Findings {
			if f.Level == document.Error && f.Code != "seq-mismatch" {
				errors = append(errors, f.Code+"@"+f.Place)
			}
		}
		return errors, nil
	}
}

// Every member of every object, alone and inside a delta: absent, null, of another type,
// in another case, out of its vocabulary, and beside one that does not exist.
func TestShapes(t *testing.T) {
	state, delta := read(t, "testdata/documents/state-02-full.json"), read(t, "testdata/documents/delta-03-full.json")
	for _, s := range stateShapes {
		t.Run("state"+s.Place, func(t *testing.T) {
			requirement.Claim(t, append(strings.Fields(s.Rows), "CBG-35")...)
			s.Check(t, state, true, judged(State))
			s.Place = "/current_state" + s.Place
			s.Check(t, delta, true, judged(Delta))
		})
	}
	for _, s := range deltaShapes {
		t.Run("delta"+s.Place, func(t *testing.T) {
			requirement.Claim(t, strings.Fields(s.Rows)...)
			s.Check(t, delta, true, judged(Delta))
		})
	}
}

const sampleHash = "sha256:9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f"

// Single changes of a full state of number 4, of the delta that made it, and of a first
// state, each with everything that is said of the result.
func TestRows(t *testing.T) {
	samples := map[string][]byte{
		"state": read(t, "testdata/documents/state-02-full.json"),
		"delta": read(t, "testdata/documents/delta-03-full.json"),
		"first": read(t, "testdata/documents/state-01-minimal-first-install.json"),
	}
	long := strings.Repeat("9", 4300)
	for _, c := range []struct{ rows, sample, edit, want string }{
		{"CBG-45", "state", "", ""},
		{"CBG-45", "delta", "", ""},
		{"CBG-45", "first", "", ""},

		{"CBG-07", "state", "/state_seq=-1", "error minimum@/state_seq"},
		{"CBG-07", "state", `/state_seq="4"`, "error type@/state_seq"},
		{"CBG-28", "delta", "/seq=0;/current_state/state_seq=0", "error minimum@/seq"},
		{"CBG-30", "delta", "/basis/previous_seq=-1", "error minimum@/basis/previous_seq"},
		{"CBG-27", "state", `/type="CANON_STATE_DELTA"`, "error missing@/seq missing@/timestamp missing@/basis missing@/decision missing@/current_state missing@/operator_action_required " +
			"unknown-member@/active_l0_sources unknown-member@/authorized_deltas unknown-member@/last_persistent_artifacts unknown-member@/last_state_hash " +
			"unknown-member@/open_conflicts unknown-member@/pending_decisions unknown-member@/protocol unknown-member@/protocol_version unknown-member@/state_seq unknown-member@/updated_at"},
		{"CBG-36", "delta", `/current_state="{}"`, "error type@/current_state"},
		{"CBG-36", "delta", `-/current_state;/patch=[{"op":"replace","path":"/state_seq","value":4}]`, "error missing@/current_state unknown-member@/patch"},
		{"CBG-36", "delta", `-/current_state/protocol;-/current_state/updated_at`, "error missing@/current_state/protocol missing@/current_state/updated_at"},
		{"CBG-37", "delta", "/seq=5;/basis/previous_seq=4", "error seq-mismatch@/current_state/state_seq"},
		{"CBG-38", "delta", "/seq=4.0", "note number-notation@/seq"},
		{"CBG-38", "delta", "/seq=40e-1;/current_state/state_seq=0.4e1", "note number-notation@/current_state/state_seq number-notation@/seq"},
		{"CBG-38", "delta", "/seq=4.0;/current_state/state_seq=7", "error seq-mismatch@/current_state/state_seq note number-notation@/seq"},
		{"CBG-38 CBG-43", "delta", "/seq=9007199254740992;/current_state/state_seq=9007199254740993;/basis/previous_seq=9007199254740991", "error seq-mismatch@/current_state/state_seq"},
		{"CBG-43", "state", "/state_seq=9007199254740992", "note integer-range@/state_seq"},
		{"CBG-43", "state", "/state_seq=9007199254740991", ""},
		{"CBG-43", "state", "/state_seq=" + long, "note integer-range@/state_seq"},
		{"CBG-44", "state", "/state_seq=" + long + "9", "error type@/state_seq"},
		{"CBG-44", "state", "/state_seq=1e400", "error type@/state_seq"},
		{"CBG-44", "state", "/state_seq=1e999999999999999999999", "error type@/state_seq"},
		{"CBG-44", "state", "/state_seq=1e300", "note integer-range@/state_seq number-notation@/state_seq"},
		{"CBG-42", "state", "/state_seq=4.0", "note number-notation@/state_seq"},
		{"CBG-42", "state", "/state_seq=4e0", "note number-notation@/state_seq"},
		{"CBG-42", "first", "/state_seq=-0", "note number-notation@/state_seq"},

		{"CBG-46 CBG-50", "first", "/active_l0_sources=[]", "protocol first-install-l0-empty@/active_l0_sources"},
		{"CBG-47", "first", "-/active_l0_sources/0", "protocol first-install-l0-missing@/active_l0_sources"},
		{"CBG-47", "first", `/active_l0_sources/4/source_id="canon-boundary-guard-gpt/schemas/session_state.schema.json"`, "protocol first-install-l0-missing@/active_l0_sources"},
		{"CBG-47", "first", "-/active_l0_sources/1;-/active_l0_sources/2", "protocol first-install-l0-missing@/active_l0_sources first-install-l0-missing@/active_l0_sources"},
		{"CBG-48", "first", `/active_l0_sources/3/status="unavailable"`, "protocol first-install-l0-not-inspected@/active_l0_sources/3/status"},
		{"CBG-48", "first", `/active_l0_sources/3/status="conflicted"`, "protocol first-install-l0-not-inspected@/active_l0_sources/3/status"},
		{"CBG-49", "first", `/active_l0_sources/1/source_id="/mnt/data/x/references/protocol.md"`, `protocol first-install-l0-missing@/active_l0_sources "/mnt/data/x/references/protocol.md" may be it`},
		{"CBG-51", "state", "/active_l0_sources=[]", "protocol l0-empty@/active_l0_sources"},
		{"CBG-51", "delta", "/current_state/active_l0_sources=[];/decision/affected_targets=[]", "protocol l0-empty@/current_state/active_l0_sources"},
		{"CBG-52", "state", "-/active_l0_sources/2", "note l0-bootstrap-absent@/active_l0_sources"},
		{"CBG-53", "state", `/active_l0_sources/6/source_id="drafts/chapter-1.md"`, "protocol l0-duplicate-id@/active_l0_sources/6/source_id"},
		{"CBG-53", "state", `/active_l0_sources/6/source_id=""`, "protocol l0-empty-id@/active_l0_sources/6/source_id"},
		{"CBG-54", "state", `/authorized_deltas/1/delta_id="delta-4"`, "protocol duplicate-id@/authorized_deltas/1/delta_id an earlier entry of authorized_deltas"},
		{"CBG-54", "state", `/open_conflicts/1={"conflict_id":"conflict-1","description":"","status":"open"}`, "protocol duplicate-id@/open_conflicts/1/conflict_id an earlier entry of open_conflicts"},
		{"CBG-54", "state", `/pending_decisions/1/decision_id="decision-1"`, "protocol duplicate-id@/pending_decisions/1/decision_id an earlier entry of pending_decisions"},
		{"CBG-54", "state", `/last_persistent_artifacts/1/artifact_id="artifact-1"`, "protocol duplicate-id@/last_persistent_artifacts/1/artifact_id an earlier entry of last_persistent_artifacts"},
		{"CBG-54", "state", `/open_conflicts/0/conflict_id="delta-4";/pending_decisions/0/decision_id="delta-4"`, ""},
		{"CBG-55 CBG-08", "state", `/updated_at="yesterday"`, "protocol timestamp-format@/updated_at"},
		{"CBG-55", "state", `/authorized_deltas/0/authorized_at="2026-03-02T14:05:30"`, "protocol timestamp-format@/authorized_deltas/0/authorized_at"},
		{"CBG-55", "state", `/last_persistent_artifacts/1/created_at=""`, "protocol timestamp-format@/last_persistent_artifacts/1/created_at"},
		{"CBG-55", "delta", `/timestamp="2026-03-02 14:05:31Z"`, "protocol timestamp-format@/timestamp"},
		{"CBG-55", "delta", `/timestamp="2026-03-02T14:05:31.5+05:30"`, ""},
		{"CBG-56", "state", `/last_state_hash="sha256:optional"`, "protocol hash-format@/last_state_hash"},
		{"CBG-56", "state", `/last_state_hash="` + strings.ToUpper(sampleHash) + `"`, "protocol hash-format@/last_state_hash"},
		{"CBG-56", "delta", `/basis/previous_hash="md5:0";-/current_state/last_state_hash`, "protocol hash-format@/basis/previous_hash"},
		{"CBG-56", "delta", `-/basis/previous_hash;-/current_state/last_state_hash`, ""},
		{"CBG-57", "delta", "/basis/previous_seq=2", "protocol basis-not-previous@/basis/previous_seq"},
		{"CBG-57", "delta", "/basis/previous_seq=4", "protocol basis-not-previous@/basis/previous_seq"},
		{"CBG-57", "delta", "/basis/previous_seq=3.0", "note number-notation@/basis/previous_seq"},
		{"CBG-58", "delta", `/basis/previous_hash="sha256:` + strings.Repeat("0", 64) + `"`, "protocol hash-fields-disagree@/current_state/last_state_hash"},
		{"CBG-59", "delta", `/decision/affected_targets=["drafts/chapter-1.md","artifact-1","SESSION_STATE.json (download)"]`, ""},
		{"CBG-59", "delta", `/decision/affected_targets=[]`, ""},
		{"CBG-59", "delta", `/decision/affected_targets=["artifact-1","drafts/Chapter-1.md"]`, "protocol target-unmapped@/decision/affected_targets/1"},
		{"CBG-60", "delta", `/timestamp="1999-01-01T00:00:00Z";/current_state/authorized_deltas=[]`, ""},
		{"CBG-60", "state", `/updated_at="1999-01-01T00:00:00Z";/authorized_deltas/0/delta_id="delta-77"`, ""},
	} {
		t.Run(c.sample+" "+c.edit[:min(len(c.edit), 60)], func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			format := State
			if c.sample == "delta" || strings.HasPrefix(c.edit, "/type=") {
				format = Delta
			}
			raw := samples[c.sample]
			if c.edit != "" {
				raw = testkit.Edit(t, raw, c.edit)
			}
			r := checked(raw, "")
			if r.Format != format {
				t.Errorf("format %s", r.Format)
			}
			var got []string
			for _, level := range []document.Level{document.Error, document.Protocol, document.Note} {
				var found []string
				for _, f := range r.Findings {
					if f.Level == level {
						found = append(found, f.Code+"@"+f.Place)
					}
				}
				if found != nil {
					if format == State || level != document.Error {
						slices.Sort(found)
					}
					got = append(got, string(level)+" "+strings.Join(found, " "))
				}
			}
			want, detail := c.want, ""
			if i := strings.IndexAny(want, `"`); i >= 0 {
				want, detail = strings.TrimSpace(want[:i]), want[i:]
			} else if i := strings.Index(want, " an earlier"); i >= 0 {
				want, detail = want[:i], want[i+1:]
			}
			if strings.Join(got, " ") != want {
				t.Errorf("\n got %s\nwant %s", strings.Join(got, " "), want)
			}
			if detail != "" && !strings.Contains(r.Findings[0].Detail, detail) {
				t.Errorf("%q lacks %q", r.Findings[0].Detail, detail)
			}
			if c.rows == "CBG-44" && !r.Valid() && !strings.Contains(r.Findings[0].Detail, "exponents are capped") {
				t.Errorf("the cap is not named: %s", r.Findings[0].Detail)
			}
			if r.Valid() != !strings.HasPrefix(want, "error") {
				t.Errorf("valid %t", r.Valid())
			}
		})
	}
}

// What is no strict JSON is invalid, whatever its members say; one byte-order mark is not
// among it.
func TestTextRows(t *testing.T) {
	state := read(t, "testdata/documents/state-02-full.json")
	at := func(old, new string) []byte { return bytes.Replace(state, []byte(old), []byte(new), 1) }
	for _, c := range []struct {
		rows, want string
		raw        []byte
	}{
		{"CBG-01", "type", []byte(`[` + string(state) + `]`)},
		{"CBG-01", "type", []byte(`"SESSION_STATE"`)},
		{"CBG-01", "type", []byte(`1`)},
		{"CBG-01 CBG-10", "null-not-allowed", []byte(`null`)},
		{"CBG-39", "json.duplicate-member", at(`"state_seq": 4`, `"state_seq": 4, "state_s\u0065q": 4`)},
		{"CBG-39", "json.duplicate-member", at(`"notes"`, `"status": "inspected", "notes"`)},
		{"CBG-40", "json.lone-surrogate", at("Keep the map?", `\ud800`)},
		{"CBG-40", "json.lone-surrogate", at(`"notes"`, `"\udc00"`)},
		{"CBG-41", "json.utf-8", at("Keep the map?", "\xff")},
		{"CBG-41", "", append([]byte("\ufeff"), state...)},
		{"CBG-41", "json.syntax", append([]byte("\ufeff\ufeff"), state...)},
		{"CBG-41", "json.syntax", at(`"state_seq": 4`, `"state_seq": NaN`)},
		{"CBG-41", "json.syntax", at(`"state_seq": 4`, `"state_seq": -Infinity`)},
		{"CBG-41", "json.syntax", at(`"state_seq": 4`, `"state_seq": 4 /* four */`)},
		{"CBG-41", "json.syntax", at(`"open_conflicts": [`, `"open_conflicts": [,`)},
		{"CBG-41", "json.trailing", append(slices.Clone(state), []byte("{}")...)},
		{"CBG-41", "json.syntax", nil},
	} {
		t.Run(c.rows+" "+c.want, func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			r := checked(c.raw, "")
			if c.want == "" {
				if !r.Valid() || r.Use != Source {
					t.Errorf("%s: %+v", r.Use, r.Findings)
				}
				return
			}
			if r.Valid() || r.Use != TextOnly || r.Findings[0].Code != c.want {
				t.Errorf("%s: %+v", r.Use, r.Findings)
			}
		})
	}
}

// linked gives a state of number 0 and deltas after it, each made from the one before by
// edits of its state, of the delta and of its text, and linked by hashes.
type linked struct {
	t     *testing.T
	set   []Named
	state []byte // canonical
}

func newLinked(t *testing.T, edits string) *linked {
	l := &linked{t: t, state: testkit.Edit(t, read(t, "testdata/documents/state-01-minimal-first-install.json"), edits)}
	l.set = append(l.set, Named{Name: "0", Raw: l.state})
	return l
}

// step adds a delta; edits with the prefix /current_state change its state.
func (l *linked) step(edits string) *linked {
	l.t.Helper()
	seq := len(l.set)
	sum := sha256.Sum256(l.state)
	hash := "sha256:" + hex.EncodeToString(sum[:])
	delta := fmt.Sprintf(`{"type":"CANON_STATE_DELTA","seq":%d,"timestamp":"2026-03-02T10:00:00Z","basis":{"previous_seq":%d,"previous_hash":"%s"},`+
		`"decision":{"mode":"B","summary":"s","authorized_delta":"a","affected_targets":[]},"current_state":%s,"operator_action_required":"none"}`, seq, seq-1, hash, l.state)
	raw := testkit.Edit(l.t, []byte(delta), fmt.Sprintf(`/current_state/state_seq=%d;/current_state/last_state_hash="%s";%s`, seq, hash, edits))
	l.set = append(l.set, Named{Name: fmt.Sprint(seq), Raw: raw})
	// Go's encoder sorts names as the canonical form does; the sample has only ASCII.
	l.state = stateOf(raw)
	return l
}

const blocking = `/pending_decisions=[{"decision_id":"d1","question":"which?","blocking":true},{"decision_id":"d2","question":"when?","blocking":true},{"decision_id":"d3","question":"why?","blocking":false},{"decision_id":"d4","question":"how?"}]`

// Sound chains that recovery refuses, and their neighbours that it does not.
func TestRefusedRecovery(t *testing.T) {
	fewer := func(ids ...string) string {
		var rest []string
		for _, id := range ids {
			rest = append(rest, fmt.Sprintf(`{"decision_id":"%s","question":"which?","blocking":true}`, id))
		}
		return `/current_state/pending_decisions=[` + strings.Join(rest, ",") + `]`
	}
	for _, c := range []struct {
		name, rows string
		set        []Named
		refusal    string // "" where the head is recovered
		blocked    string // decision ids that the finding names
	}{
		{"a first state", "CBG-79 CBG-88", newLinked(t, "").set, "", ""},
		{"a first state without sources", "CBG-84 CBG-86", newLinked(t, "/active_l0_sources=[]").set, "first-install-l0-empty at seq 0", ""},
		{"a surface is missing", "CBG-84", newLinked(t, "-/active_l0_sources/2").set, "first-install-l0-missing at seq 0", ""},
		{"a surface is not inspected", "CBG-84", newLinked(t, `/active_l0_sources/2/status="conflicted"`).set, "first-install-l0-not-inspected at seq 0", ""},
		{"a later state without sources", "CBG-84", newLinked(t, "").step("/current_state/active_l0_sources=[]").set, "l0-empty at seq 1", ""},
		{"a later state without a surface", "CBG-52", newLinked(t, "").step("-/current_state/active_l0_sources/2").set, "", ""},
		{"built on a first state without sources", "CBG-85", newLinked(t, "/active_l0_sources=[]").step("").step(`/current_state/active_l0_sources=[{"source_id":"a","source_type":"project_file","status":"inspected"}]`).set, "first-install-l0-empty at seq 0", ""},
		{"built on a first state with an unavailable surface", "CBG-85", newLinked(t, `/active_l0_sources/0/status="unavailable"`).step(`/current_state/active_l0_sources/0/status="inspected"`).set, "first-install-l0-not-inspected at seq 0", ""},
		{"a delta alone", "CBG-80 CBG-64", newLinked(t, blocking).step("").set[1:], "", ""},
		{"two deltas", "CBG-80", newLinked(t, "").step("").step("").set[1:], "", ""},
		{"nothing blocks", "CBG-64", newLinked(t, blocking).step(`/current_state/pending_decisions=[]`).set, "", ""},
		{"blocking twice", "CBG-61 CBG-63", newLinked(t, blocking).step("").set, "blocking-decision at seq 1", `"d1", "d2"`},
		{"blocking in mode C", "CBG-61", newLinked(t, blocking).step(`/decision/mode="C"`).set, "blocking-decision at seq 1", `"d1", "d2"`},
		{"one is resolved, one is not", "CBG-62", newLinked(t, blocking).step(fewer("d2")).set, "blocking-decision at seq 1", `: "d2"`},
		{"both no longer block", "CBG-62 CBG-64", newLinked(t, blocking).step(`/current_state/pending_decisions/0/blocking=false;-/current_state/pending_decisions/1/blocking`).set, "", ""},
		{"another one blocks from now on", "CBG-62", newLinked(t, blocking).step(fewer("d5")).set, "", ""},
		{"and blocks the next delta", "CBG-61", newLinked(t, blocking).step(fewer("d5")).step("").set, "blocking-decision at seq 2", `: "d5"`},
		{"not resolved at first, resolved by the head", "CBG-62", newLinked(t, blocking).step("").step(fewer()).set, "", `"d1", "d2"`},
		{"the base beside its delta", "CBG-61", append(newLinked(t, blocking).step("").set, newLinked(t, blocking).set...), "blocking-decision at seq 1", `"d1", "d2"`},
		{"an id that is no command", "CBG-61", newLinked(t, `/pending_decisions=[{"decision_id":"::error\u001b","question":"q","blocking":true}]`).step("").set, "blocking-decision at seq 1", `"::error\x1b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			requirement.Claim(t, append(strings.Fields(c.rows), "CBG-45")...)
			for range 2 {
				reports, chain := Judge(c.set)
				for i := range reports {
					if !reports[i].Valid() {
						t.Fatalf("%s: %+v", c.set[i].Name, reports[i].Findings)
					}
				}
				if chain.Verdict == ChainBroken || chain.Verdict == ChainNone {
					t.Fatal(chain.Describe())
				}
				if chain.Refusal != c.refusal || (chain.Recovered == nil) != (c.refusal != "") {
					t.Errorf("refused %q, want %q; recovered %s", chain.Refusal, c.refusal, chain.Recovered)
				}
				if c.refusal == "" {
					last := c.set[0]
					for _, n := range c.set {
						if n.Name > last.Name {
							last = n
						}
					}
					if !bytes.Contains(last.Raw, chain.Recovered) || !valid(chain.Recovered) {
						t.Errorf("recovered %s", chain.Recovered)
					}
				}
				var blocked string
				for i, r := range reports {
					for _, f := range r.Findings {
						if f.Code == "blocking-decision" {
							blocked = f.Detail
							if f.Level != document.Protocol || f.Place != "/decision/mode" || c.set[i].Raw[f.Offset] != '"' || f.Line != 1 || r.Use != TextOnly {
								t.Errorf("%+v, use %s", f, r.Use)
							}
						}
					}
				}
				if (blocked == "") != (c.blocked == "") || !strings.HasSuffix(blocked, c.blocked) {
					t.Errorf("blocking %q, want %q", blocked, c.blocked)
				}
				slices.Reverse(c.set)
			}
		})
	}
}

func valid(state []byte) bool {
	r := checked(state, State)
	return r.Valid()
}

// remake edits the document at a place of a set.
func remake(t *testing.T, set []Named, at int, edits string) []Named {
	set = slices.Clone(set)
	set[at].Raw = testkit.Edit(t, set[at].Raw, edits)
	return set
}

// The verdict on chains that differ from a sound one in one thing, whatever the order and
// the names of their documents.
func TestChainRows(t *testing.T) {
	sound := newLinked(t, "").step("").step("").step("").set
	other := "sha256:" + strings.Repeat("0", 64)
	huge := func(seq, edits string) []byte {
		return testkit.Edit(t, read(t, "testdata/documents/delta-03-full.json"), strings.ReplaceAll(edits, "N", seq))
	}
	bare := func(n Named) Named {
		return Named{Name: "state " + n.Name, Raw: stateOf(n.Raw)}
	}
	indented := func(n Named) Named {
		return Named{Name: "again", Raw: bytes.ReplaceAll(n.Raw, []byte(`":`), []byte("\" :\r\n"))}
	}
	for _, c := range []struct {
		name, rows string
		set        []Named
		verdict    Verdict
		at, code   string
		refusal    string
	}{
		{"sound", "CBG-65 CBG-70 CBG-71", sound, ChainValid, "", "", ""},
		{"without hashes", "CBG-72", remake(t, sound, 2, "-/basis/previous_hash;-/current_state/last_state_hash"), ChainBroken, "3", "hash-mismatch", "the chain is broken"},
		{"the last without hashes", "CBG-72", remake(t, sound, 3, "-/basis/previous_hash;-/current_state/last_state_hash"), ChainUnverified, "", "hash-absent", ""},
		{"a state that cannot be hashed", "CBG-69 CBG-72", []Named{
			{Name: "a", Raw: huge("9007199254740992", "/seq=N;/current_state/state_seq=N;/basis/previous_seq=9007199254740991")},
			{Name: "b", Raw: huge("9007199254740993", "/seq=N;/current_state/state_seq=N;/basis/previous_seq=9007199254740992;/current_state/pending_decisions=[]")},
		}, ChainUnverified, "", "base-unknown", ""},
		{"without its base", "CBG-73", sound[1:], ChainPartial, "", "base-unknown", ""},
		{"a gap", "CBG-75", append(slices.Clone(sound[:2]), sound[3]), ChainBroken, "3", "gap", "the chain is broken"},
		{"another predecessor", "CBG-74 CBG-57", remake(t, sound, 2, "/basis/previous_seq=0"), ChainBroken, "2", "basis-not-previous", "the chain is broken"},
		{"a hash without form", "CBG-74 CBG-56", remake(t, sound, 2, `/basis/previous_hash="md5:1"`), ChainBroken, "2", "hash-format", "the chain is broken"},
		{"the hash of another state", "CBG-67", remake(t, sound, 2, `/basis/previous_hash="`+other+`"`), ChainBroken, "2", "hash-mismatch", "the chain is broken"},
		{"the first delta and another base", "CBG-67", remake(t, sound, 0, `/updated_at="2026-01-01T00:00:00Z"`), ChainBroken, "1", "hash-mismatch", "the chain is broken"},
		{"the other member alone", "CBG-68", remake(t, sound, 2, `-/basis/previous_hash;/current_state/last_state_hash="`+other+`"`), ChainBroken, "2", "hash-mismatch", "the chain is broken"},
		{"members that disagree", "CBG-68 CBG-74", remake(t, sound, 3, `/current_state/last_state_hash="`+other+`"`), ChainBroken, "3", "hash-fields-disagree", "the chain is broken"},
		{"a gap before a fork", "CBG-74", append(append([]Named{sound[0]}, sound[2], sound[3]), remake(t, sound, 3, `/decision/summary="other"`)[3]), ChainBroken, "2", "gap", "the chain is broken"},
		{"a fork and a gap", "CBG-74 CBG-77", append([]Named{sound[0], sound[2]}, remake(t, sound, 2, `/decision/summary="other"`)[2]), ChainBroken, "2", "fork", "the chain is broken"},
		{"a fork", "CBG-77", append(slices.Clone(sound), remake(t, sound, 3, `/current_state/updated_at="2026-03-02T10:00:01Z"`)[3]), ChainBroken, "3", "fork", "the chain is broken"},
		{"a state beside its delta", "CBG-76", append(slices.Clone(sound), bare(sound[3])), ChainValid, "", "duplicate", ""},
		{"another state beside its delta", "CBG-77", append(slices.Clone(sound), Named{Name: "state", Raw: testkit.Edit(t, bare(sound[3]).Raw, `/updated_at="2026-03-02T10:00:01Z"`)}), ChainBroken, "3", "fork", "the chain is broken"},
		{"a delta twice, spelled differently", "CBG-66 CBG-76", append(slices.Clone(sound), indented(sound[2])), ChainValid, "", "duplicate", ""},
		{"spelled differently, with a mark", "CBG-66", append(slices.Clone(sound[1:]), Named{Name: "z", Raw: append([]byte("\ufeff"), indented(sound[0]).Raw...)}), ChainValid, "", "", ""},
		{"an edited decision", "CBG-78", remake(t, sound, 1, `/decision/summary="never said";/operator_action_required="x"`), ChainValid, "", "", ""},
		{"an invalid document", "CBG-81 CBG-83", append(slices.Clone(sound), Named{Name: "x", Raw: testkit.Edit(t, sound[3].Raw, "/seq=4;-/current_state/protocol")}), ChainValid, "", "", "a document of the set is invalid"},
		{"a head that contradicts itself", "CBG-81 CBG-83", remake(t, sound, 3, "/seq=4;/basis/previous_seq=3"), ChainValid, "", "", "a document of the set is invalid"},
		{"nothing that is valid", "CBG-81", []Named{{Name: "x", Raw: []byte("{}")}}, ChainNone, "", "", "the set has no valid document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			requirement.Claim(t, strings.Fields(c.rows)...)
			for range 2 {
				reports, chain := Judge(c.set)
				if chain.Verdict != c.verdict || chain.FirstBadSeq != c.at || chain.Finding != c.code || chain.Refusal != c.refusal || (chain.Recovered == nil) != (c.refusal != "") {
					t.Errorf("%s, refused %q", chain.Describe(), chain.Refusal)
				}
				if c.code == "fork" && len(chain.Heads) < 2 {
					t.Errorf("heads %v", chain.Heads)
				}
				for i := range reports {
					if !slices.Contains([]Use{Source, SourceNoted, TextOnly}, reports[i].Use) || reports[i].Valid() == (reports[i].Use == TextOnly) {
						t.Errorf("%s: use %q", c.set[i].Name, reports[i].Use)
					}
				}
				requirement.Claim(t, "CBG-82")
				slices.Reverse(c.set)
				for i := range c.set {
					c.set[i].Name = fmt.Sprint(100 - i)
				}
			}
		})
	}
}

// stateOf gives the state of a delta whose members are sorted.
func stateOf(raw []byte) []byte {
	_, state, _ := bytes.Cut(raw, []byte(`"current_state":`))
	state, _, _ = bytes.Cut(state, []byte(`,"decision"`))
	return state
}
