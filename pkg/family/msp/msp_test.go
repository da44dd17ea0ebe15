package msp

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapline/pkg/family/document"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/documents", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// verdicts reads the verdict table and fails below its floor.
func verdicts(t testing.TB) []map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(read(t, "verdicts.tsv")), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, l := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(l, "\t") {
			row[names[i]] = cell
		}
		rows = append(rows, row)
	}
	if len(rows) < 33 {
		t.Fatalf("%d rows, the floor is 33", len(rows))
	}
	return rows
}

// places gives the findings of a level in the table's form, sorted.
func places(findings []document.Finding, level document.Level) string {
	var out []string
	for _, f := range findings {
		switch {
		case f.Level != level:
		case level == document.Note && f.Code != "unknown-member":
		case level == document.Note:
			out = append(out, f.Place)
		default:
			out = append(out, f.Place+"="+f.Code)
		}
	}
	return sorted(strings.Join(out, ";"))
}

func sorted(list string) string {
	if list == "-" || list == "" {
		return "-"
	}
	parts := strings.Split(list, ";")
	slices.Sort(parts)
	return strings.Join(parts, ";")
}

// TestVerdicts reproduces the verdict table of the samples: every error, warning and
// unknown member at its place, and nothing else.
func TestVerdicts(t *testing.T) {
	for _, row := range verdicts(t) {
		t.Run(row["file"], func(t *testing.T) {
			format := map[string]string{"state": State, "frame": Frame}[row["kind"]]
			r := Check(read(t, row["file"]), "", false)
			if r.Format != format {
				t.Errorf("format %s, want %s", r.Format, format)
			}
			want := Result(row["verdict"])
			if string(r.Result) != row["verdict"] {
				t.Errorf("%s, want %s: %+v", r.Result, want, r.Findings)
			}
			for _, c := range []struct {
				level document.Level
				want  string
			}{
				{document.Error, row["errors"]},
				{document.Warning, row["warnings"]},
				{document.Note, row["unknown_members"]},
			} {
				if got := places(r.Findings, c.level); got != sorted(c.want) {
					t.Errorf("%s\n got %s\nwant %s", c.level, got, sorted(c.want))
				}
			}
			count := 0
			for _, f := range r.Findings {
				if f.Level == document.Error {
					count++
				}
			}
			if strconv.Itoa(count) != row["errors_count"] {
				t.Errorf("%d errors, want %s", count, row["errors_count"])
			}
			if named := len(r.Findings) > 0 && r.Findings[0].Code == "genesis-rung"; named != strings.HasPrefix(row["remark"], "genesis-rung") {
				t.Errorf("genesis rung named first: %t", named)
			}
			if strings.HasPrefix(row["remark"], "DISPUTED") && !strings.Contains(r.Findings[0].Detail, "disputed") {
				t.Errorf("not said to be disputed: %+v", r.Findings)
			}
		})
	}
}
