package canon

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/family/document"
)

// table reads a tab-separated table with a header line and fails below floor rows.
func table(t *testing.T, path string, floor int) []map[string]string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(l, "\t") {
			row[names[i]] = cell
		}
		rows = append(rows, row)
	}
	if len(rows) < floor {
		t.Fatalf("%s has %d rows, the floor is %d", path, len(rows), floor)
	}
	return rows
}

func read(t testing.TB, elem ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func exit(r Report) string {
	if r.Valid() {
		return "0"
	}
	return "1"
}

func codes(findings []document.Finding, levels ...document.Level) []string {
	var out []string
	for _, f := range findings {
		if slices.Contains(levels, f.Level) {
			out = append(out, f.Code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestVerdicts reproduces the verdict table of the samples: the reference validator's
// exit code unless the row says why we are stricter, its count of errors by violation,
// and our findings.
func TestVerdicts(t *testing.T) {
	counts := map[string]int{
		// The reference also runs its cross rule on a boolean, which is an integer there.
		"delta-13-seq-bool-mismatch.json": 1,
	}
	for _, row := range table(t, "testdata/documents/verdicts.tsv", 86) {
		t.Run(row["file"], func(t *testing.T) {
			r := checked(read(t, "testdata/documents", row["file"]), map[string]string{"state": State, "delta": Delta}[row["kind"]])
			stricter := row["why_stricter"] != "-"
			if stricter == (row["our_exit"] == row["reference_exit"]) {
				t.Fatal("the row gives a reason exactly where our exit differs")
			}
			if got := exit(r); got != row["our_exit"] {
				t.Errorf("exit %s, want %s: %+v", got, row["our_exit"], r.Findings)
			}
			errors := 0
			for _, f := range r.Findings {
				if f.Level == document.Error {
					errors++
				}
			}
			want, _ := strconv.Atoi(row["fallback_errors_count"])
			if row["reference_exit"] == "0" {
				want = 0
			}
			if n, ok := counts[row["file"]]; ok {
				want = n
			}
			if !stricter && errors != want {
				t.Errorf("%d errors, want %d: %+v", errors, want, r.Findings)
			}
			var expected []string
			for _, code := range strings.Split(row["protocol_findings"], ";") {
				code = strings.Replace(code, "duplicate-member", "json.duplicate-member", 1)
				if code = strings.Replace(code, "lone-surrogate", "json.lone-surrogate", 1); code != "-" {
					expected = append(expected, code)
				}
			}
			slices.Sort(expected)
			levels := []document.Level{document.Protocol, document.Note}
			if stricter || len(expected) > 0 && !r.Valid() {
				levels = append(levels, document.Error)
			}
			if got := codes(r.Findings, levels...); !slices.Equal(got, expected) {
				t.Errorf("findings %v, want %v", got, expected)
			}
			use := Source
			switch {
			case row["our_exit"] == "1", slices.Contains(expected, "l0-empty"), strings.HasPrefix(row["protocol_findings"], "first-install-l0-"):
				use = TextOnly
			case document.Has(r.Findings, document.Protocol):
				use = SourceNoted
			}
			if r.Use != use {
				t.Errorf("use %s, want %s", r.Use, use)
			}
		})
	}
}

// TestFormats finds out what a document was meant to be.
func TestFormats(t *testing.T) {
	for _, row := range table(t, "testdata/documents/verdicts.tsv", 86) {
		v, _ := document.Parse(read(t, "testdata/documents", row["file"]), tolerating)
		if v == nil || !v.Is(document.Object) || strings.HasSuffix(row["file"], "-as-delta.json") || strings.HasSuffix(row["file"], "-as-state.json") {
			continue
		}
		if got := formatOf(v); got != map[string]string{"state": State, "delta": Delta}[row["kind"]] {
			t.Errorf("%s: %s", row["file"], got)
		}
	}
}

func chain(t testing.TB, name string) []Named {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata/chain", name, "*.json"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("%s: %d documents, %v", name, len(paths), err)
	}
	var set []Named
	for _, p := range paths {
		set = append(set, Named{Name: filepath.Base(p), Raw: read(t, p)})
	}
	return set
}

// TestChains gives each chain its documented outcome, whatever the order of the files,
// and recovers the raw text of the last current_state where the verdict allows it.
func TestChains(t *testing.T) {
	for _, row := range table(t, "testdata/chain/verdicts.tsv", 12) {
		t.Run(row["chain"], func(t *testing.T) {
			set := chain(t, row["chain"])
			for range 2 {
				reports, c := Judge(set)
				if strconv.Itoa(len(reports)) != row["files"] {
					t.Fatalf("%d reports", len(reports))
				}
				var exits []string
				for _, r := range reports {
					exits = append(exits, exit(r))
				}
				if got := strings.Join(exits, ","); got != row["reference_exits"] {
					t.Errorf("exits %s, want %s", got, row["reference_exits"])
				}
				dash := func(s string) string { return strings.Replace(s, "-", "", map[bool]int{true: 1}[s == "-"]) }
				if string(c.Verdict) != row["chain_verdict"] || c.FirstBadSeq != dash(row["first_bad_seq"]) || c.Finding != dash(row["finding"]) {
					t.Errorf("%s, want %s %s %s", c.Describe(), row["chain_verdict"], row["first_bad_seq"], row["finding"])
				}
				if broken := c.Verdict == ChainBroken; broken != (c.Recovered == nil) || broken != (c.Refusal != "") {
					t.Errorf("recovered %t, refusal %q", c.Recovered != nil, c.Refusal)
				}
				if c.Recovered != nil {
					last := lastState(t, set)
					if !bytes.Equal(c.Recovered, last) {
						t.Errorf("recovered %s, want %s", c.Recovered, last)
					}
				}
				slices.Reverse(set)
			}
		})
	}
}

// lastState cuts the value of current_state out of the delta with the highest seq,
// without the parser under test.
func lastState(t *testing.T, set []Named) []byte {
	t.Helper()
	var best []byte
	highest := -1
	for _, n := range set {
		at := bytes.Index(n.Raw, []byte(`"current_state"`))
		if at < 0 {
			continue
		}
		from := at + bytes.IndexByte(n.Raw[at:], '{')
		depth, to := 0, from
		for inside := false; ; to++ {
			c := n.Raw[to]
			switch {
			case inside && c == '\\':
				to++
			case c == '"':
				inside = !inside
			case inside:
			case c == '{':
				depth++
			case c == '}':
				depth--
			}
			if depth == 0 {
				break
			}
		}
		state := n.Raw[from : to+1]
		seq := state[bytes.Index(state, []byte(`"state_seq"`)):]
		seq = seq[bytes.IndexByte(seq, ':')+1:]
		number, err := strconv.Atoi(strings.TrimSpace(string(seq[:bytes.IndexAny(seq, ",}")])))
		if err != nil {
			t.Fatal(err)
		}
		if number > highest {
			highest, best = number, state
		}
	}
	return best
}

// TestHashes compares the state hashes with those that two other programs computed.
func TestHashes(t *testing.T) {
	for _, row := range table(t, "testdata/chain/hashes.tsv", 6) {
		for _, folder := range []string{"ok", "ok-reformatted"} {
			set := chain(t, folder)
			n, _ := strconv.Atoi(row["state_seq"])
			if got := hashOf(set[n].Raw); got != row["sha256"] {
				t.Errorf("%s state %d: %s, want %s", folder, n, got, row["sha256"])
			}
		}
	}
}

// checked is the verdict on one document.
func checked(raw []byte, format string) Report {
	reports, _ := Judge([]Named{{Format: format, Raw: raw}})
	return reports[0]
}

// hashOf gives the hash of the state of a valid document.
func hashOf(raw []byte) string {
	d := &doc{raw: raw}
	d.read()
	return newMember(d, "").hash
}
