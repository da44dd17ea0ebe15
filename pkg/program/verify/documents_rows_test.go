package verify

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"snapline/pkg/contract"
	"snapline/pkg/family/canon"
	"snapline/pkg/fault"
	"snapline/pkg/program/bound"
	"snapline/pkg/program/fetch"
	"snapline/pkg/program/filter"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// Where recovery is refused on valid documents the tree is published without a recovered
// state, manifest and receipt name the finding, and verify says that there is no recovery
// source, which fails only a strict one.
func TestRefusedRecoveryThroughThePipe(t *testing.T) {
	requirement.Claim(t, "CBG-63", "CBG-84", "CBG-85", "CBG-86", "CBG-87")
	first := []byte(readTest(t, canonSamples+"/documents/state-01-minimal-first-install.json"))
	blocked := `/pending_decisions=[{"decision_id":"d1","question":"q","blocking":true}]`
	delta := func(state []byte) []byte {
		raw := fmt.Sprintf(`{"type":"CANON_STATE_DELTA","seq":1,"timestamp":"2026-03-02T10:00:00Z","basis":{"previous_seq":0},`+
			`"decision":{"mode":"B","summary":"s","authorized_delta":"a","affected_targets":[]},"current_state":%s,"operator_action_required":"none"}`, state)
		return testkit.Edit(t, []byte(raw), "/current_state/state_seq=1;-/current_state/last_state_hash")
	}
	lines := func(documents ...[]byte) string { return string(bytes.Join(documents, []byte("\n"))) + "\n" }
	for _, c := range []struct{ name, stdin, refusal string }{
		{"no sources", string(testkit.Edit(t, first, "/active_l0_sources=[]")), "first-install-l0-empty at seq 0"},
		{"a surface not inspected", string(testkit.Edit(t, first, `/active_l0_sources/0/status="unavailable"`)), "first-install-l0-not-inspected at seq 0"},
		{"a delta on it", lines(testkit.Edit(t, first, "-/active_l0_sources/0"), delta(first)), "first-install-l0-missing at seq 0"},
		{"no sources later", string(delta(testkit.Edit(t, first, "/active_l0_sources=[]"))), "l0-empty at seq 1"},
		{"a blocking decision", lines(testkit.Edit(t, first, blocked), delta(testkit.Edit(t, first, blocked))), "blocking-decision at seq 1"},
		{"a resolved one", lines(testkit.Edit(t, first, blocked), delta(first)), ""},
		{"nothing", string(first), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := throughThePipe(t, c.stdin, "canon", []string{"-"})
			if p.manifest.Chain.Refusal != c.refusal || (p.manifest.Recovered == nil) != (c.refusal != "") {
				t.Errorf("refused %q, recovered %v", p.manifest.Chain.Refusal, p.manifest.Recovered)
			}
			if said := strings.Contains(p.receipt, `"recovery_refused":"`+c.refusal+`"`); said != (c.refusal != "") {
				t.Errorf("receipt %s", p.receipt)
			}
			says := "\nno recovery source: " + c.refusal + "\n"
			fetched := runProgram(fetch.Program(), c.stdin, "canon", "-").stdout
			for name, args := range map[string][]string{"tree": {p.dir, "--manifest-sha256", p.digest}, "file": {"-"}, "stream": {"-"}} {
				stdin := map[string]string{"file": c.stdin, "stream": fetched}[name]
				r := runProgram(Program(), stdin, append([]string{"canon"}, args...)...)
				if r.exit != fault.Done || strings.HasSuffix(r.stdout, says) != (c.refusal != "") {
					t.Errorf("%s: exit %d: %s%s", name, r.exit, r.stdout, r.stderr)
				}
				r = runProgram(Program(), stdin, append([]string{"canon", "--strict"}, args...)...)
				if want := map[bool]fault.Exit{true: fault.Done, false: fault.Aborted}[c.refusal == ""]; r.exit != want {
					t.Errorf("%s, strict: exit %d: %s%s", name, r.exit, r.stdout, r.stderr)
				}
				if r := verdict(t, runProgram(Program(), stdin, append([]string{"canon", "--json"}, args...)...)); r.Refused != c.refusal {
					t.Errorf("%s: refused %q", name, r.Refused)
				}
			}
		})
	}
}

// A missing document that may be newer refuses recovery too, in a tree and in the streams
// before it; the chain alone would allow it.
func TestMissingDocumentRefusesRecovery(t *testing.T) {
	requirement.Claim(t, "CBG-83", "CBG-87")
	files := append(glob(t, 6, canonSamples, "chain/ok/*.json"), canonSamples+"/documents/delta-33-duplicate-seq.json")
	fetched := runProgram(fetch.Program(), "", append([]string{"canon"}, files...)...)
	filtered := runProgram(filter.Program(), fetched.stdout)
	bounded := runProgram(bound.Program(), filtered.stdout)
	p := throughThePipe(t, "", "canon", files)
	for name, r := range map[string]ran{
		"tree":     runProgram(Program(), "", "canon", p.dir, "--manifest-sha256", p.digest),
		"filtered": runProgram(Program(), filtered.stdout, "canon", "-"),
		"bounded":  runProgram(Program(), bounded.stdout, "canon", "-"),
	} {
		if r.exit != fault.Done || !strings.HasSuffix(r.stdout, "\nno recovery source: "+canon.MissesNewer+"\n") {
			t.Errorf("%s: exit %d: %s", name, r.exit, r.stdout)
		}
	}
	if r := runProgram(Program(), fetched.stdout, "canon", "-"); r.exit != fault.Aborted || !strings.Contains(r.stdout, "json.duplicate-member") {
		t.Errorf("fetched: exit %d: %s", r.exit, r.stdout)
	}
}

// A tree or stream from which everything is missing has no verdict but that.
func TestNothingToJudge(t *testing.T) {
	requirement.Claim(t, "CBG-95", "MSP-97")
	for family, raw := range map[string]string{"canon": `{"a":1,"a":2}`, "msp": "not JSON"} {
		p := throughThePipe(t, raw, family, []string{"-"})
		if len(p.manifest.Documents) != 1 || p.gaps() != "documents/unsafe_content=1" {
			t.Fatalf("%+v", p.manifest)
		}
		filtered := runProgram(filter.Program(), runProgram(fetch.Program(), raw, family, "-").stdout)
		for name, r := range map[string]ran{
			"tree":   runProgram(Program(), "", family, p.dir, "--manifest-sha256", p.digest),
			"stream": runProgram(Program(), filtered.stdout, family, "-"),
		} {
			if r.exit != fault.Aborted || !strings.HasPrefix(r.stdout, "invalid\n- ") || !strings.Contains(r.stdout, "there is nothing to judge: it holds no document; missing: unsafe_content 1\n") {
				t.Errorf("%s %s: exit %d: %s%s", family, name, r.exit, r.stdout, r.stderr)
			}
		}
		if r := verdict(t, runProgram(Program(), "", family, p.dir, "--json")); r.Valid {
			t.Errorf("%s: %+v", family, r)
		}
		for _, args := range [][]string{{"--max-document-bytes=1"}, {"--max-document-bytes=1", "--select=oldest"}} {
			p := throughThePipe(t, raw, family, append([]string{"-"}, args...))
			if r := runProgram(Program(), "", family, p.dir); r.exit != fault.Aborted || !strings.Contains(r.stdout, "source_too_large 1") {
				t.Errorf("%s %v: exit %d: %s", family, args, r.exit, r.stdout)
			}
		}
	}
}

// The documents of a stream are judged as those of files are, whichever stage wrote it and
// however it is packed.
func TestDocumentsOfStreams(t *testing.T) {
	requirement.Claim(t, "CBG-94", "MSP-97")
	for family, files := range map[string][]string{"canon": glob(t, 7, canonSamples, "chain/fork/*.json"), "msp": glob(t, 13, mspSamples, "valid-*.json")} {
		fetched := runProgram(fetch.Program(), "", append([]string{family}, files...)...).stdout
		filtered := runProgram(filter.Program(), fetched).stdout
		bounded := runProgram(bound.Program(), filtered).stdout
		plain := runProgram(Program(), "", append([]string{family, "--json"}, files...)...)
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed)
		noError(t, err)
		_, err = w.Write([]byte(filtered))
		noError(t, err)
		noError(t, w.Close())
		want := verdict(t, plain)
		for name, stream := range map[string]string{"fetched": fetched, "filtered": filtered, "bounded": bounded, "packed": packed.String()} {
			r := runProgram(Program(), stream, family, "-", "--json")
			got := verdict(t, r)
			if r.exit != plain.exit || len(got.Documents) != len(want.Documents) || len(got.Findings) != len(want.Findings) {
				t.Errorf("%s %s: exit %d: %s", family, name, r.exit, r.stdout)
			}
			if family == "canon" && (got.Chain == nil || got.Chain.Finding != "fork" || got.Chain.FirstBadSeq != want.Chain.FirstBadSeq) {
				t.Errorf("%s: %+v", name, got.Chain)
			}
		}
		other := map[string]string{"canon": "msp", "msp": "canon"}[family]
		if r := runProgram(Program(), fetched, other, "-"); r.exit != fault.Aborted || !strings.Contains(r.stdout, "the stream is of family ") {
			t.Errorf("%s as %s: exit %d: %s", family, other, r.exit, r.stdout)
		}
		if r := runProgram(Program(), fetched[:len(fetched)-10], family, "-"); r.exit != fault.Input || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s, cut off: exit %d: %s%s", family, r.exit, r.stdout, r.stderr)
		}
		aborted := fetched[:strings.Index(fetched, "\n")+1] + `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n"
		if r := runProgram(Program(), aborted, family, "-"); r.exit != fault.Environment || r.stdout != "" {
			t.Errorf("%s, aborted: exit %d: %s%s", family, r.exit, r.stdout, r.stderr)
		}
		if r := runProgram(Program(), "\x1f\x8bno gzip", family, "-"); r.exit != fault.Aborted {
			t.Errorf("%s, no gzip: exit %d: %s%s", family, r.exit, r.stdout, r.stderr)
		}
	}
}

// What is not there stays away, and every unknown member stays, from the first stage to the
// last.
func TestMSPStaysAsItIs(t *testing.T) {
	requirement.Claim(t, "MSP-21", "MSP-85", "MSP-88", "MSP-95", "MSP-96")
	for _, raw := range []string{
		`{"items":[]}`,
		"{\"z\" : 1.50E+1 ,\r\n\"items\":[ ] , \"activeTurn\":null,\"a\":{\"\\u0041\":[null,-0]} }\n\n",
		`{"jsonrpc":"2.0","id":1,"result":{"history":{"mode":"none","items":null,"snapshot":null}},"more":{}}`,
	} {
		p := throughThePipe(t, raw, "msp", []string{"-"})
		if d := p.manifest.Documents[0]; d.Filter.Status != contract.Unchanged || p.read(t, d.Path) != raw {
			t.Errorf("%s: %+v", raw, d)
		}
	}
	p := throughThePipe(t, "", "msp", append([]string{"--max-documents=2", "--select=oldest"}, glob(t, 33, mspSamples, "*.json")...))
	if len(p.manifest.Documents) != 2 || p.gaps() != "documents/profile_bound=31" {
		t.Errorf("%d kept, gaps %s", len(p.manifest.Documents), p.gaps())
	}
	for _, d := range p.manifest.Documents {
		if p.read(t, d.Path) != readTest(t, filepath.Join(mspSamples, d.Name+".json")) {
			t.Errorf("%s changed", d.Name)
		}
	}
}

// The state of a newer schema version is not interpreted, so that nothing in it is
// replaced: it passes as it is or not at all.
func TestMSPOfANewerVersion(t *testing.T) {
	requirement.Claim(t, "MSP-93")
	frame := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"result":{"history":{"mode":"snapshot","items":null,"snapshot":{"schemaVersion":2,"viewCursor":"v","state":{"items":[{"itemId":"a","text":"` + text + `"}]}}}}}`
	}
	for text, status := range map[string]contract.FilterStatus{
		"plain": contract.Unchanged, "a\u200bb": contract.Rejected, "ghp_" + strings.Repeat("a1B2", 9): contract.Rejected,
	} {
		p := throughThePipe(t, frame(text), "msp", []string{"-"})
		d := p.manifest.Documents[0]
		if d.Filter.Status != status || status == contract.Unchanged && p.read(t, d.Path) != frame(text) {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

// args is one text to the filter, whatever it holds.
func TestMSPArgumentsAreOpaque(t *testing.T) {
	requirement.Claim(t, "MSP-92")
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	item := func(args string) string {
		return `{"items":[{"itemId":"a","kind":"toolCall","revision":1,"status":"completed","args":` + args + `}]}`
	}
	for args, want := range map[string]string{
		`"{\"path\": 1.0, \"path\": 2"`:              `"{\"path\": 1.0, \"path\": 2"`,
		`"no JSON \u00e9"`:                           `"no JSON \u00e9"`,
		`"{\"token\": \"` + secret + `\", \"n\":1}"`: "",
	} {
		p := throughThePipe(t, item(args), "msp", []string{"-"})
		got := p.read(t, p.manifest.Documents[0].Path)
		if want != "" && got != item(want) || strings.Contains(got, secret) || want == "" && !strings.Contains(got, `\"token\"`) {
			t.Errorf("%s became %s", args, got)
		}
	}
}

// fetch takes documents out of what people paste and hosts write, and leaves out in
// silence nothing that it cannot read.
func TestFetchedDocuments(t *testing.T) {
	state, delta := readTest(t, canonSamples+"/documents/state-02-full.json"), readTest(t, canonSamples+"/chain/ok/01-delta.json")
	line := func(s string) string { return string(testkit.Edit(t, []byte(s), "")) }
	frame := line(readTest(t, mspSamples+"/valid-01-pending-approval.frame.json"))
	none := `{"jsonrpc":"2.0","id":1,"result":{"history":{"mode":"none","items":null,"snapshot":null}}}`
	for _, c := range []struct {
		row, family, stdin string
		documents          int
		stderr             string
	}{
		{"CBG-91", "canon", state, 1, ""},
		{"CBG-91", "canon", line(state) + "\n\n" + line(delta) + "\r\n", 2, ""},
		{"CBG-91", "canon", "said:\n```json\n" + delta + "```\nand\n~~~~\n" + delta + "~~~~\n", 2, ""},
		{"CBG-91", "canon", "said:\n```json\n" + state + "```\n", 1, "unreadable"}, // the text itself: a bare state is not taken out of it
		{"CBG-91", "canon", "said:\n```json\n" + delta[:len(delta)-20] + "\n```\n", 1, "unreadable"},
		{"CBG-91", "canon", "{\"a\":", 1, "unreadable"},
		{"MSP-94", "msp", frame, 1, ""},
		{"MSP-94", "msp", frame + "\n" + none + "\n" + none + "\n{\"items\":[]}\n", 2, "count 2"},
		{"MSP-94", "msp", frame + "\n{\"jsonrpc\": broken}\n", 2, "unreadable"},
		{"MSP-94", "msp", none, 1, ""},
	} {
		requirement.Claim(t, c.row)
		r := runProgram(fetch.Program(), c.stdin, c.family, "-")
		if got := strings.Count(r.stdout, `"type":"document"`); r.exit != fault.Done || got != c.documents || !strings.Contains(r.stderr, c.stderr) || (c.stderr == "") != (r.stderr == "") {
			t.Errorf("%.40s: exit %d, %d documents: %s", c.stdin, r.exit, got, r.stderr)
		}
	}
}
