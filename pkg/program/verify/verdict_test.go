package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/program/fetch"
	"snapline/pkg/program/pipe"

	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/program/cli"
	"snapline/pkg/requirement"
)

func verdict(t *testing.T, r ran) documentReport {
	t.Helper()
	var out documentReport
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("%v: %s%s", err, r.stdout, r.stderr)
	}
	if out.Valid != (r.exit == fault.Done) || out.Valid != (len(out.Errors) == 0) || !out.Valid && r.exit != fault.Aborted {
		t.Errorf("exit %d: %s", r.exit, r.stdout)
	}
	if out.Errors == nil || out.Findings == nil || out.Documents == nil {
		t.Errorf("a list is null: %s", r.stdout)
	}
	return out
}

// TestVerdictsOfThePrograms gives each sample the exit of its table, and never one of
// its strings beyond a quoted name.
func TestVerdictsOfThePrograms(t *testing.T) {
	requirement.Claim(t, "CBG-94", "MSP-97")
	for _, row := range rows(t, canonSamples+"/documents/verdicts.tsv", 86) {
		r := runProgram(Program(), "", "canon", "--json", "--"+row["kind"], filepath.Join(canonSamples, "documents", row["file"]))
		if got := verdict(t, r); strconv.Itoa(int(r.exit)) != row["our_exit"] || len(got.Documents) != 1 || got.Chain != nil {
			t.Errorf("%s: exit %d: %s", row["file"], r.exit, r.stdout)
		}
		if r.stderr != "" {
			t.Errorf("%s: stderr %s", row["file"], r.stderr)
		}
	}
	for _, row := range rows(t, mspSamples+"/verdicts.tsv", 33) {
		r := runProgram(Program(), "", "msp", "--json", filepath.Join(mspSamples, row["file"]))
		got := verdict(t, r)
		if strconv.Itoa(len(got.Errors)) != row["errors_count"] || got.Documents[0].Result != row["verdict"] {
			t.Errorf("%s: %s", row["file"], r.stdout)
		}
		if rung := strings.HasPrefix(row["remark"], "genesis-rung"); rung && got.Findings[0].Code != "genesis-rung" {
			t.Errorf("%s: the rung is not named first", row["file"])
		}
	}
}

// TestVerifyText has the whole output for people.
func TestVerifyText(t *testing.T) {
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		exit  fault.Exit
		want  string
	}{
		{"valid", `{"items":[]}`, []string{"msp", "--tolerant", "-"}, 0, "valid\n" +
			"warning: the document: genesis-rung: items alone: a known defect of the path that served this, and of no writer (line 1, column 1)\n" +
			"-: snapshot-state: items-only\n"},
		{"strict", `{"items":[]}`, []string{"msp", "--tolerant", "--strict", "-"}, 1, "invalid\n" +
			"warning: the document: genesis-rung: items alone: a known defect of the path that served this, and of no writer (line 1, column 1)\n" +
			"-: snapshot-state: items-only\n"},
		{"unreadable", "{\n\"a\":1,\"a\":2}", []string{"canon", "-"}, 1, "invalid\n" +
			"- the document: json.duplicate-member: an earlier member has this name (line 2, column 7)\n-: unreadable: text-only\n"},
		{"places", `{"type":"CANON_STATE_DELTA","seq":0,"basis":{},"decision":{"mode":"A\u001b[31m"}}`, []string{"canon", "-"}, 1, "invalid\n" +
			"- CANON_STATE_DELTA.timestamp: missing: the required member timestamp is missing (line 1, column 1)\n" +
			"- CANON_STATE_DELTA.current_state: missing: the required member current_state is missing (line 1, column 1)\n" +
			"- CANON_STATE_DELTA.operator_action_required: missing: the required member operator_action_required is missing (line 1, column 1)\n" +
			"- CANON_STATE_DELTA.seq: minimum: less than 1 (line 1, column 35)\n" +
			"- CANON_STATE_DELTA.basis.previous_seq: missing: the required member previous_seq is missing (line 1, column 45)\n" +
			"- CANON_STATE_DELTA.decision.summary: missing: the required member summary is missing (line 1, column 59)\n" +
			"- CANON_STATE_DELTA.decision.authorized_delta: missing: the required member authorized_delta is missing (line 1, column 59)\n" +
			"- CANON_STATE_DELTA.decision.affected_targets: missing: the required member affected_targets is missing (line 1, column 59)\n" +
			`- CANON_STATE_DELTA.decision.mode: closed-enum: "A\x1b[31m" is not one of B, C (line 1, column 67)` + "\n-: state-delta: text-only\n"},
		{"missing file", "", []string{"canon", "nowhere.json"}, 1, "invalid\n- argument 2: cannot be read: no such file or directory\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runProgram(Program(), c.stdin, c.args...)
			if r.exit != c.exit || r.stdout != c.want || r.stderr != "" {
				t.Errorf("exit %d, stderr %q\n got %s\nwant %s", r.exit, r.stderr, r.stdout, c.want)
			}
		})
	}
}

// TestVerifyStrict turns protocol findings into an invalid verdict only when asked to.
func TestVerifyStrict(t *testing.T) {
	file := canonSamples + "/documents/state-39-bad-timestamp.json"
	if r := runProgram(Program(), "", "canon", file); r.exit != 0 || !strings.Contains(r.stdout, "protocol: SESSION_STATE.updated_at: timestamp-format") {
		t.Errorf("exit %d: %s", r.exit, r.stdout)
	}
	if got := verdict(t, runProgram(Program(), "", "canon", file, "--strict", "--json")); got.Valid || len(got.Errors) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestVerifyFolders judges a folder and several files as one chain.
func TestVerifyFolders(t *testing.T) {
	dir := filepath.Join(canonSamples, "chain", "fork")
	for _, args := range [][]string{{dir}, glob(t, 7, dir, "*.json")} {
		got := verdict(t, runProgram(Program(), "", append([]string{"canon", "--json"}, args...)...))
		if got.Valid || got.Chain == nil || got.Chain.Finding != "fork" || len(got.Chain.Heads) != 2 || got.Chain.Refusal == "" {
			t.Errorf("%v: %+v", args, got.Chain)
		}
	}
	if r := runProgram(Program(), "", "canon", t.TempDir()); r.exit != fault.Aborted {
		t.Errorf("an empty folder: exit %d: %s", r.exit, r.stdout)
	}
}

// TestReferenceInvocation gives both files by option, as the protocol's validator takes
// them: both are judged, and no chain.
func TestReferenceInvocation(t *testing.T) {
	state, delta := canonSamples+"/documents/state-02-full.json", canonSamples+"/documents/delta-09-seq-mismatch.json"
	got := verdict(t, runProgram(Program(), "", "canon", "--state", state, "--delta", delta, "--json"))
	if got.Chain != nil || len(got.Documents) != 2 || len(got.Errors) != 1 || !strings.HasPrefix(got.Errors[0], delta+": CANON_STATE_DELTA.current_state.state_seq: seq-mismatch") {
		t.Errorf("%+v", got)
	}
}

func TestDocumentUsage(t *testing.T) {
	for _, c := range []struct {
		program *cli.Program
		args    string
		exit    fault.Exit
	}{
		{fetch.Program(), "canon", fault.Usage},
		{fetch.Program(), "canon - -", fault.Usage},
		{fetch.Program(), "msp - --max-documents 0", fault.Usage},
		{fetch.Program(), "msp - --max-document-bytes 67108865", fault.Usage},
		{fetch.Program(), "msp - --select middle", fault.Usage},
		{fetch.Program(), "msp nowhere.json", fault.Environment},
		{Program(), "canon", fault.Usage},
		{Program(), "canon - --state x.json", fault.Usage},
		{Program(), "canon - --manifest-sha256 x", fault.Usage},
		{Program(), "canon - --manifest-sha256 " + strings.Repeat("0", 64), fault.Usage},
		{Program(), "canon --fingerprint x --indent -1", fault.Usage},
		{Program(), "canon --proof-of-read a b", fault.Usage},
		{Program(), "canon - --indent 2", fault.Usage},
		{Program(), "canon - --heading A", fault.Usage},
		{Program(), "canon - -", fault.Usage},
		{Program(), "canon - --host", fault.Usage},
		{Program(), "msp - --sandbox", fault.Usage},
		{Program(), "canon --state - --delta -", fault.Usage},
		{Program(), "msp - -", fault.Usage},
		{Program(), "canon --fingerprint --proof-of-read x", fault.Usage},
		{Program(), "canon --fingerprint --state x", fault.Usage},
		{Program(), "canon --proof-of-read --strict x", fault.Usage},
		{Program(), "canon --proof-of-read nowhere.md", fault.Aborted},
		{Program(), "canon --fingerprint nowhere.md", fault.Done},
	} {
		if r := runProgram(c.program, "", strings.Fields(c.args)...); r.exit != c.exit || (r.stdout != "") != (c.exit == fault.Done) && c.program.Name == "verify" {
			t.Errorf("%s %s: exit %d, want %d: %s%s", c.program.Name, c.args, r.exit, c.exit, r.stdout, r.stderr)
		}
	}
}

// A member's name that is a command to a CI system is none in a report.
func TestHostileMemberName(t *testing.T) {
	const name = "##[error]x"
	for _, args := range [][]string{{"canon", "-"}, {"canon", "--json", "-"}, {"msp", "-"}, {"msp", "--json", "-"}} {
		r := runProgram(Program(), `{"`+name+`":1}`, args...)
		if r.exit != fault.Aborted || strings.Contains(r.stdout, "##[") || r.stderr != "" {
			t.Errorf("%v: exit %d: %s%s", args, r.exit, r.stdout, r.stderr)
		}
		if len(args) == 3 {
			if got := verdict(t, r); !slices.ContainsFunc(got.Findings, func(f documentFinding) bool { return f.Place == "/"+name }) {
				t.Errorf("%v: the place is not named: %s", args, r.stdout)
			}
		}
	}
}

// A small file may hold very many documents, and each may have many findings.
func TestTooManyDocuments(t *testing.T) {
	lines := strings.Repeat("{}\n", pipe.MaxDocuments+1)
	for _, family := range []string{"canon", "msp"} {
		r := runProgram(Program(), lines, family, "-")
		if r.exit != fault.Environment || r.stdout != "" || !strings.Contains(r.stderr, "input.too-large") {
			t.Errorf("%s: exit %d: %.200s%.200s", family, r.exit, r.stdout, r.stderr)
		}
		r = runProgram(fetch.Program(), lines, family, "-")
		if r.exit != fault.Environment || strings.Contains(r.stdout, `"type":"document"`) || !strings.Contains(r.stdout, `"type":"abort"`) || !strings.Contains(r.stderr, "input.too-large") {
			t.Errorf("fetch %s: exit %d: %.200s%.200s", family, r.exit, r.stdout, r.stderr)
		}
		r = runProgram(fetch.Program(), lines[len("{}\n"):], family, "-")
		if r.exit != 0 || strings.Count(r.stdout, `"type":"document"`) != pipe.MaxDocuments {
			t.Errorf("fetch %s: exit %d: %.200s", family, r.exit, r.stderr)
		}
	}
}

func TestProofOfReadOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(file, []byte("# A\none <two>\n# B\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runProgram(Program(), "", "canon", "--proof-of-read", "--json", "--heading", "A", file)
	want := "{\n  \"source\": \"" + file + "\",\n  \"heading\": \"# A\",\n  \"line_range\": [\n    1,\n    2\n  ],\n" +
		"  \"first_5_words\": [\n    \"#\",\n    \"A\",\n    \"one\",\n    \"<two>\"\n  ],\n  \"last_5_words\": [\n    \"#\",\n    \"A\",\n    \"one\",\n    \"<two>\"\n  ],\n  \"word_count\": 4\n}\n"
	if r.exit != 0 || r.stdout != want {
		t.Errorf("exit %d:\n%s", r.exit, r.stdout)
	}
}

func writeCanonical(t *testing.T, path string, v any) {
	t.Helper()
	b, err := canonicaljson.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copyTree copies a tree with the modes that it must have.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		if entry.IsDir() {
			return os.Mkdir(target, 0o700)
		}
		return os.WriteFile(target, []byte(readTest(t, path)), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The commands for a tree of an entity name the ones for a tree of documents, and these
// those.
func TestDocumentsUnderTheWrongCommand(t *testing.T) {
	documents, entity := throughThePipe(t, "", "canon", glob(t, 6, canonSamples, "chain/ok/*.json")).dir, emitTree(t, reviewed())
	const hint = "(this is a tree of documents: verify canon|msp DIR --manifest-sha256 DIGEST)\n"
	digest := strings.Repeat("0", 64)
	for _, c := range []struct {
		args string // DIR is the tree
		exit fault.Exit
	}{
		{"DIR --index-sha256 " + digest, fault.Aborted},
		{"DIR", fault.Usage},
		{"gaps DIR", fault.Aborted},
		{"gaps DIR --index-sha256 " + digest, fault.Aborted},
		{"blocks DIR --view timeline", fault.Aborted},
		{"seal DIR --index-sha256 " + digest + " -- cat", fault.Aborted},
	} {
		r := runProgram(Program(), "", strings.Fields(strings.Replace(c.args, "DIR", documents, 1))...)
		if r.exit != c.exit || !strings.HasSuffix(r.stderr, hint) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", c.args, r)
		}
		r = runProgram(Program(), "", strings.Fields(strings.Replace(c.args, "DIR", entity.dir, 1))...)
		if strings.Contains(r.stderr, "documents") {
			t.Errorf("%s of an entity: %+v", c.args, r)
		}
	}
	for _, family := range []string{"canon", "msp"} {
		if r := runProgram(Program(), "", family, entity.dir); r.exit != fault.Usage || r.stdout != "" || !strings.Contains(r.stderr, "verify DIR --index-sha256 DIGEST") {
			t.Errorf("%s: %+v", family, r)
		}
	}
}

// TestEveryDamageIsFound damages a tree of documents in one place at a time.
func TestEveryDamageIsFound(t *testing.T) {
	requirement.Claim(t, "CBG-89")
	good := throughThePipe(t, "", "canon", glob(t, 6, canonSamples, "chain/ok/*.json"))
	write := func(path, content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			p := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	manifest := func(change func(*tree.Manifest)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			var m tree.Manifest
			path := filepath.Join(dir, tree.ManifestPath)
			if err := json.Unmarshal([]byte(readTest(t, path)), &m); err != nil {
				t.Fatal(err)
			}
			change(&m)
			writeCanonical(t, path, m)
		}
	}
	first := func(m *tree.Manifest) *tree.ManifestDocument { return &m.Documents[0] }
	for _, c := range []struct {
		name, rule string
		damage     func(*testing.T, string)
		root       bool // found by the root digest alone as well
	}{
		{"nothing", "", func(*testing.T, string) {}, false},
		{"changed document", "file.digest", func(t *testing.T, dir string) {
			p := filepath.Join(dir, "documents/1-00-state.json")
			write("documents/1-00-state.json", strings.Replace(readTest(t, p), "inspected", "INSPECTED", 1))(t, dir)
		}, false},
		{"longer document", "file.size", func(t *testing.T, dir string) {
			write("documents/1-00-state.json", readTest(t, filepath.Join(dir, "documents/1-00-state.json"))+"\n")(t, dir)
		}, false},
		{"missing document", "tree.missing-file", func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "documents/2-01-delta.json")); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"file too many", "tree.unlisted-file", write("documents/7-x.json", "{}"), false},
		{"directory too many", "tree.extra-directory", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "more"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"link", "tree.symlink", func(t *testing.T, dir string) {
			p := filepath.Join(dir, "documents/1-00-state.json")
			if err := os.Rename(p, filepath.Join(filepath.Dir(dir), "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../../moved", p); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another recovered state", "file.size", write(tree.RecoveredPath, "{}"), false},
		{"manifest not canonical", "document.not-canonical", func(t *testing.T, dir string) {
			write(tree.ManifestPath, readTest(t, filepath.Join(dir, tree.ManifestPath))+"\n")(t, dir)
		}, true},
		{"unknown member", "document.schema", func(t *testing.T, dir string) {
			write(tree.ManifestPath, strings.Replace(readTest(t, filepath.Join(dir, tree.ManifestPath)), `{"chain"`, `{"a":1,"chain"`, 1))(t, dir)
		}, true},
		{"another verdict", "manifest.chain", manifest(func(m *tree.Manifest) { m.Chain.Verdict = "valid-partial" }), true},
		{"recovered state denied", "manifest.recovered", manifest(func(m *tree.Manifest) { m.Recovered = nil }), true},
		{"recovered state elsewhere", "document.schema", manifest(func(m *tree.Manifest) { m.Recovered.Path = "documents/1-00-state.json" }), true},
		{"recovered state of a document", "manifest.recovered", func(t *testing.T, dir string) {
			text := readTest(t, filepath.Join(dir, "documents/1-00-state.json"))
			write(tree.RecoveredPath, text)(t, dir)
			manifest(func(m *tree.Manifest) {
				m.Recovered.Bytes, m.Recovered.SHA256 = int64(len(text)), tree.Digest([]byte(text))
			})(t, dir)
		}, true},
		{"path elsewhere", "document.schema", manifest(func(m *tree.Manifest) { first(m).Path = "../x.json" }), true},
		{"path of another place", "manifest.path", manifest(func(m *tree.Manifest) { first(m).Path = "documents/2-01-delta.json" }), true},
		{"name that is a path", "document.schema", manifest(func(m *tree.Manifest) {
			first(m).Name = "a/../b"
			first(m).Path = "documents/1-a/../b.json"
		}), true},
		{"order", "manifest.path", manifest(func(m *tree.Manifest) { m.Documents[0], m.Documents[1] = m.Documents[1], m.Documents[0] }), true},
		{"size", "file.size", manifest(func(m *tree.Manifest) { *first(m).Bytes++ }), true},
		{"rejected with a path", "manifest.path", manifest(func(m *tree.Manifest) { first(m).Filter.Status = "rejected" }), true},
		{"rejected and not counted", "manifest.gaps", manifest(func(m *tree.Manifest) {
			first(m).Filter.Status, first(m).Path, first(m).Bytes = "rejected", "", nil
		}), true},
		{"gap of another usability", "manifest.gaps", manifest(func(m *tree.Manifest) {
			m.Gaps = []tree.Gap{{Code: "profile_bound", Count: 1, Scope: "documents", Usability: "unusable"}}
		}), true},
		{"status that does not exist", "document.schema", manifest(func(m *tree.Manifest) { first(m).Filter.Status = "fine" }), true},
		{"gap of another scope", "document.schema", manifest(func(m *tree.Manifest) {
			m.Gaps = []tree.Gap{{Code: "profile_bound", Count: 1, Scope: "comments", Usability: "partial"}}
		}), true},
		{"too many documents", "manifest.limits", manifest(func(m *tree.Manifest) { m.Limits.MaxDocuments = 5 }), true},
		{"too long documents", "manifest.limits", manifest(func(m *tree.Manifest) { m.Limits.MaxDocumentBytes = 100 }), true},
		{"another number of strings", "manifest.strings", manifest(func(m *tree.Manifest) { first(m).Strings++ }), true},
		{"a hidden character, consistently", "document.unsafe", func(t *testing.T, dir string) {
			text := strings.Replace(readTest(t, filepath.Join(dir, "documents/1-00-state.json")), "2026-03-02T09", "\u200b2026-03-02T09", 1)
			write("documents/1-00-state.json", text)(t, dir)
			manifest(func(m *tree.Manifest) {
				*first(m).Bytes, first(m).SHA256 = int64(len(text)), tree.Digest([]byte(text))
			})(t, dir)
		}, true},
		{"no strict JSON, consistently", "document.unreadable", func(t *testing.T, dir string) {
			write("documents/1-00-state.json", "{}{}")(t, dir)
			manifest(func(m *tree.Manifest) {
				*first(m).Bytes, first(m).SHA256 = 4, tree.Digest([]byte("{}{}"))
			})(t, dir)
		}, true},
		{"another family", "manifest.chain", manifest(func(m *tree.Manifest) { m.Family = "msp-snapshot" }), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "context")
			copyTree(t, good.dir, dir)
			c.damage(t, dir)
			r := runProgram(Program(), "", "canon", dir)
			if c.rule == "" {
				if r.exit != 0 {
					t.Errorf("exit %d: %s", r.exit, r.stdout)
				}
				return
			}
			if r.exit != fault.Aborted || !strings.Contains(r.stdout, c.rule) {
				t.Errorf("exit %d, %s is not named: %s", r.exit, c.rule, r.stdout)
			}
			r = runProgram(Program(), "", "canon", dir, "--manifest-sha256", good.digest)
			if r.exit != fault.Aborted || strings.Contains(r.stdout, "manifest.root-differs") != c.root {
				t.Errorf("with the digest: exit %d: %s", r.exit, r.stdout)
			}
		})
	}
}

// TestTreeWithoutManifest: with the digest at hand a tree whose manifest is gone is a
// tree that fails, and neither a folder of files nor a wrong command line.
func TestTreeWithoutManifest(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runProgram(Program(), "", "canon", dir, "--manifest-sha256", strings.Repeat("0", 64))
	if r.exit != fault.Aborted || !strings.Contains(r.stdout, "manifest.json: tree.missing-file") {
		t.Errorf("exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
}
