package msp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/family/document"
)

// edit replaces exactly one occurrence in a document.
func edit(t *testing.T, raw []byte, old, new string) []byte {
	t.Helper()
	if bytes.Count(raw, []byte(old)) != 1 {
		t.Fatalf("%q stands %d times", old, bytes.Count(raw, []byte(old)))
	}
	return bytes.Replace(raw, []byte(old), []byte(new), 1)
}

// TestWarnings has one state for each contradiction, and the states that are none.
func TestWarnings(t *testing.T) {
	const base = `{"activeTurn":{"commandId":"c","turnId":"t1"},"approvalMode":{"lastCommandId":null,"mode":"allowAll","source":"startup"},` +
		`"branch":null,"effectiveModel":null,"goal":null,"items":[ITEMS],"pendingApprovals":[APPROVALS],"pendingUserInputs":[INPUTS],` +
		`"queuedTurns":[QUEUE],"todoList":null,"tokenUsage":{"promptTokens":1,"outputTokens":2,"totalTokens":3},"turnCount":0}`
	item := func(id, more string) string {
		return `{"itemId":"` + id + `","kind":"toolCall","revision":1,"status":"inProgress"` + more + `}`
	}
	turn := func(id string) string { return `{"commandId":"c","turnId":"` + id + `"}` }
	pointer := func(id, approval string) string {
		return `{"approvalId":"` + approval + `","viewCursor":"v","itemId":"` + id + `"}`
	}
	cases := []struct{ name, items, approvals, inputs, queue, want string }{
		{"nothing", item("a", ""), "", "", turn("t2"), "-"},
		{"item twice", item("a", "") + "," + item("b", "") + "," + item("a", ""), "", "", "", "/items/2/itemId=duplicate-item"},
		{"null turn", item("a", `,"turnId":null`), "", "", "", "/items/0/turnId=turn-null"},
		{
			"child twice", item("a", `,"children":[{"childId":"x","attempt":1,"status":"s"},{"childId":"x","attempt":2,"status":"s"},{"childId":"x","attempt":1.0,"status":"s"}]`),
			"", "", "", "/items/0/children/2=duplicate-child",
		},
		{"patch summary alone", item("a", `,"patchSummary":{"files":1,"added":1,"removed":0}`), "", "", "", "/items/0/patchSummary=patch-summary-alone"},
		{
			"patch summary and reference", item("a", `,"patchSummary":{"files":1,"added":1,"removed":0},"patchRef":{"availability":"available","byteLen":1,"id":"i","kind":"k","uri":"u"}`),
			"", "", "", "-",
		},
		{"pending on an unknown item", item("a", ""), pointer("z", "p"), "", "", "/pendingApprovals/0/itemId=pending-item-unknown"},
		{
			"pending on an item that is done", strings.Replace(item("a", ""), "inProgress", "completed", 1), "", `{"userInputId":"u","viewCursor":"v","itemId":"a"}`, "",
			"/pendingUserInputs/0/itemId=pending-item-terminal",
		},
		{"another approval", item("a", `,"approvalId":"q"`), pointer("a", "p"), "", "", "/pendingApprovals/0/approvalId=approval-join"},
		{"the same approval", item("a", `,"approvalId":"p"`), pointer("a", "p"), "", "", "-"},
		{"an item without approval", item("a", ""), pointer("a", "p"), "", "", "-"},
		{"pending without an item", "", `{"approvalId":"p","viewCursor":"v"}`, "", "", "-"},
		{"active and queued", "", "", "", turn("t1"), "/queuedTurns=turn-active-and-queued"},
		{"queued twice", "", "", "", turn("t2") + "," + turn("t3") + "," + turn("t2"), "/queuedTurns=duplicate-turn"},
		{
			"unknown kind with members of other kinds", strings.Replace(item("a", `,"durationMs":1,"commandText":"x","mine":{}`), "toolCall", "hologram", 1), "", "", "",
			"/items/0/kind=open-enum",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			raw := strings.NewReplacer("ITEMS", c.items, "APPROVALS", c.approvals, "INPUTS", c.inputs, "QUEUE", c.queue).Replace(base)
			r := Check([]byte(raw), "", false)
			if got := places(r.Findings, document.Warning); r.Result != Valid || got != c.want {
				t.Errorf("%s: %s, want %s", r.Result, got, c.want)
			}
		})
	}
}

// TestFrames changes one thing at a time in a frame that is in order.
func TestFrames(t *testing.T) {
	frame := read(t, "valid-01-pending-approval.frame.json")
	anchored := read(t, "valid-09-anchored-compaction.frame.json")
	mode := func(raw []byte, m string) []byte { return edit(t, raw, `"mode":"snapshot"`, `"mode":"`+m+`"`) }
	state := bytes.TrimSpace(read(t, "valid-01-pending-approval.state.json"))
	without := bytes.Replace(frame, state, []byte("null"), 1)
	cases := []struct {
		name string
		raw  []byte
		want string // result; errors; warnings
	}{
		{"in order", frame, "valid - -"},
		{"inline with a snapshot and without items", mode(frame, "inline"), "invalid /result/history/items=mode-items;/result/history/snapshot=mode-snapshot -"},
		{"none with a snapshot", mode(frame, "none"), "invalid /result/history/snapshot=mode-snapshot -"},
		{"snapshot with items", edit(t, frame, `"items":null`, `"items":[]`), "invalid /result/history/items=mode-items -"},
		{"an unknown mode promises nothing", mode(frame, "future"), "valid - /result/history/mode=open-enum"},
		{"anchor without the mode", edit(t, anchored, `"anchoredSnapshot"`, `"snapshot"`), "invalid /result/history/snapshot/anchor=anchor-presence -"},
		{"no mode", edit(t, frame, `"mode":"snapshot",`, ``), "invalid /result/history/mode=missing -"},
		{"no state", without, "invalid /result/history/snapshot/state=null-not-allowed -"},
		{
			"a newer schema version is not interpreted", edit(t, edit(t, frame, `"schemaVersion":1`, `"schemaVersion":2`), `"turnCount":0}}}`, `"turnCount":"x"}}}`),
			"invalid /result/history/snapshot/schemaVersion=schema-version -",
		},
		{"another active turn", edit(t, frame, `"activeTurnId":"018f6a1e`, `"activeTurnId":"118f6a1e`), "valid - /result/session/activeTurnId=session-active-turn"},
		{"another turn count", edit(t, frame, `"turnCount":0,"path"`, `"turnCount":1,"path"`), "valid - /result/session/turnCount=session-turn-count"},
		{"the turn count in another notation", edit(t, frame, `"turnCount":0,"path"`, `"turnCount":0.0,"path"`), "valid - -"},
		{"another approval mode", edit(t, frame, `"lastCommandId":null},"forkedFrom"`, `"lastCommandId":"x"},"forkedFrom"`), "valid - /result/session/approvalMode=session-approval-mode"},
		{"the approval mode in another order", edit(t, frame, `"approvalMode":{"mode":"promptUnmatched","source":"replay","lastCommandId":null},"forkedFrom"`,
			`"approvalMode":{"source":"replay","lastCommandId":null,"mode":"promptUnmatched"},"forkedFrom"`), "valid - -"},
		{"a pending request too few", edit(t, frame, `"pendingRequests":[{"kind":"approval","approvalId":"0198f0ac-7777-7000-8000-0000000000e1","viewCursor":"v:0198f0aa-1111-7000-8000-0000000000aa:7"}]`,
			`"pendingRequests":[]`), "valid - /result/pendingRequests=pending-set"},
		{"history none", []byte(`{"jsonrpc":"2.0","id":1,"result":{"history":{"mode":"none","items":null,"snapshot":null,"noneReason":"excluded"}}}`), "no-state - -"},
		{"history inline", []byte(`{"jsonrpc":"2.0","id":1,"result":{"history":{"mode":"inline","items":[],"snapshot":null}}}`), "no-state - -"},
		{
			"a bad item inline", []byte(`{"result":{"history":{"mode":"inline","items":[{}],"snapshot":null}}}`),
			"invalid /result/history/items/0/itemId=missing;/result/history/items/0/kind=missing;/result/history/items/0/revision=missing;/result/history/items/0/status=missing -",
		},
		{"another answer", []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), "no-state - -"},
		{"a request", []byte(`{"jsonrpc":"2.0","id":1,"method":"session/read"}`), "no-state - -"},
		{"an error", []byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`), "no-state - -"},
		{"history of another type", []byte(`{"result":{"history":7}}`), "invalid /result/history=type -"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := Check(c.raw, "", false)
			got := fmt.Sprintf("%s %s %s", r.Result, places(r.Findings, document.Error), places(r.Findings, document.Warning))
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestGenesisRung accepts the rung only when asked to, with a result of its own, and
// nothing else with it.
func TestGenesisRung(t *testing.T) {
	for _, c := range []struct{ raw, strict, tolerant string }{
		{`{"items":[]}`, "invalid", "items-only"},
		{`{"items":[],"future":1}`, "invalid", "items-only"},
		{`{"items":[{"itemId":"a","kind":"reasoning","revision":1}]}`, "invalid", "invalid"},
		{`{"items":null}`, "invalid", "invalid"},
		{`{"items":[],"turnCount":1}`, "invalid", "invalid"},
		{`{"future":1}`, "invalid", "invalid"},
		{`{"Items":[]}`, "invalid", "invalid"},
	} {
		if r := Check([]byte(c.raw), State, false); string(r.Result) != c.strict {
			t.Errorf("%s: %s", c.raw, r.Result)
		}
		r := Check([]byte(c.raw), State, true)
		if string(r.Result) != c.tolerant {
			t.Errorf("%s, tolerant: %s %+v", c.raw, r.Result, r.Findings)
		}
		if rung := strings.HasPrefix(c.raw, `{"items":`) && !strings.Contains(c.raw, "turnCount"); rung != (r.Findings[0].Code == "genesis-rung") {
			t.Errorf("%s, tolerant: the rung is named: %t", c.raw, !rung)
		}
		if r.Result == ItemsOnly && places(r.Findings, document.Warning) != "=genesis-rung" {
			t.Errorf("%s: %+v", c.raw, r.Findings)
		}
	}
}

func TestUnreadable(t *testing.T) {
	for raw, rule := range map[string]string{
		`{"items":[],"items":[]}`: "json.duplicate-member", "{\"items\":\"\xff\"}": "json.utf-8", `{"name":"\ud800"}`: "json.lone-surrogate",
		"\ufeff{}": "json.syntax", "{} {}": "json.trailing", "": "json.syntax",
	} {
		if r := Check([]byte(raw), "", true); r.Result != Invalid || r.Findings[0].Code != rule {
			t.Errorf("%q: %+v", raw, r)
		}
	}
}

func TestSplit(t *testing.T) {
	frame := string(bytes.TrimSpace(read(t, "valid-01-pending-approval.frame.json")))
	bare := string(bytes.TrimSpace(read(t, "valid-12-roundtrip.state.json")))
	quoted := string(document.Splice([]byte(`""`), []document.Replacement{{Start: 0, End: 2, Value: frame}}))
	const request, none = `{"jsonrpc":"2.0","id":1,"method":"session/read"}`, `{"result":{"history":{"mode":"none","items":null,"snapshot":null}}}`
	promised := string(bytes.TrimSpace(read(t, "invalid-16-snapshot-null.frame.json")))
	cases := []struct {
		name, raw string
		want      []string // line:document
		stateless int
	}{
		{"a state", bare + "\n", []string{"0:" + bare + "\n"}, 0},
		{"a frame without a state, alone", none, []string{"0:" + none}, 0},
		{"frames", request + "\n" + frame + "\r\n" + none + "\n", []string{"2:" + frame}, 2},
		{"states", bare + "\n" + bare + "\n", []string{"1:" + bare, "2:" + bare}, 0},
		{"wrapped frames", `{"dir":"client","raw":"{\"method\":\"x\",\"jsonrpc\":\"2.0\"}\r"}` + "\n" + `{"dir":"server","raw":` + quoted + "}\n", []string{"2:" + frame}, 1},
		{"a wrapped frame alone", `{"dir":"server","raw":` + quoted + "}", []string{"0:" + frame}, 0},
		{"a state that is promised", request + "\n" + promised + "\n", []string{"2:" + promised}, 1},
		{"a broken line stays", request + "\n{\"result\":}\n" + frame, []string{"2:{\"result\":}", "3:" + frame}, 1},
		{"no JSON", "x", []string{"0:x"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parts, stateless := Split([]byte(c.raw))
			var got []string
			for _, p := range parts {
				got = append(got, fmt.Sprintf("%d:%s", p.Line, p.Raw))
			}
			if !slices.Equal(got, c.want) || stateless != c.stateless {
				t.Errorf("\n got %d %q\nwant %d %q", stateless, got, c.stateless, c.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	raw := []byte(`{"name":"n","items":[{"itemId":"i","kind":"k","text":"t","summary":["s"],"result":{"summary":"r","structuredData":{"a":["d"]},"artifactRefs":["f"]},"new":{"text":"x"}}],"branch":{"branch":"b"}}`)
	r, err := Read(raw)
	if err != nil || r.Format != State || r.Order != "" {
		t.Fatal(r.Format, r.Order, err)
	}
	var replace, report []string
	for _, s := range r.Texts {
		if s.Policy == document.Replace {
			replace = append(replace, s.Value)
		} else {
			report = append(report, s.Value)
		}
	}
	if got := strings.Join(replace, " "); got != "n t s r d" {
		t.Errorf("display text: %s", got)
	}
	if got := strings.Join(report, " "); got != "i k a f new text x b" {
		t.Errorf("the rest: %s", got)
	}
	newer, err := Read([]byte(`{"result":{"history":{"snapshot":{"schemaVersion":2,"state":{"name":"n"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := newer.Texts[len(newer.Texts)-1]; s.Value != "n" || s.Policy != document.Refuse {
		t.Errorf("a newer state: %+v", s)
	}
	if _, err := Read([]byte(`{"a":1,"a":2}`)); err == nil {
		t.Error("a duplicate member is readable")
	}
}

// FuzzCheck judges and reads anything: no panic, findings at places that exist, and
// texts that can all be spliced.
func FuzzCheck(f *testing.F) {
	for _, row := range verdicts(f) {
		f.Add(read(f, row["file"]))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tolerant := range []bool{false, true} {
			r := Check(raw, "", tolerant)
			if (r.Result == Invalid) != document.Has(r.Findings, document.Error) {
				t.Fatalf("%s: %+v", r.Result, r.Findings)
			}
			for _, x := range r.Findings {
				if x.Offset < 0 || x.Offset > len(raw) || x.Line < 1 || x.Column < 1 {
					t.Fatalf("%+v", x)
				}
			}
		}
		reading, err := Read(raw)
		if err != nil {
			return
		}
		var all []document.Replacement
		for _, s := range reading.Texts {
			all = append(all, document.Replacement{Start: s.Start, End: s.End, Value: s.Value})
		}
		again, err := Read(document.Splice(raw, all))
		if err != nil || len(again.Texts) != len(reading.Texts) {
			t.Fatalf("%d texts, then %d: %v", len(reading.Texts), len(again.Texts), err)
		}
		Split(raw)
	})
}
