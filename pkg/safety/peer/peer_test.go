// Package peer compares the secret rules with those of gitleaks, a public scanner with a
// large rule set. It is a module of its own: the product needs none of what this takes.
package peer

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lucasjones/reggen"
	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// literals gives the texts that gitleaks says its rules find: those of the lists named tps in
// the sources of its rules.
func literals(t *testing.T) (texts []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/zricethezav/gitleaks/v8").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(dir)), "cmd", "generate", "config", "rules")
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok || len(assign.Lhs) != 1 {
				return true
			}
			if name, ok := assign.Lhs[0].(*ast.Ident); !ok || name.Name != "tps" {
				return true
			}
			ast.Inspect(assign.Rhs[0], func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "append" {
						return false // what makes a text, and not a text
					}
				}
				if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
					if s, err := strconv.Unquote(l.Value); err == nil && len(s) > 8 {
						texts = append(texts, s)
					}
				}
				return true
			})
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// generated gives texts that the pattern of a rule matches.
func generated(t *testing.T, pattern string) (texts []string) {
	t.Helper()
	for seed := range int64(8) {
		g, err := reggen.NewGenerator(pattern)
		if err != nil {
			return nil
		}
		g.SetSeed(seed)
		texts = append(texts, g.Generate(12))
	}
	return texts
}

// cases gives the texts of our own cases.
func cases(t *testing.T) (texts []string) {
	t.Helper()
	for _, name := range []string{"published.b64", "published-2.b64", "own.ndjson"} {
		f, err := os.Open(filepath.Join("..", "testdata", "filter-cases", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			line := lines.Bytes()
			if strings.HasSuffix(name, ".b64") {
				if line, err = base64.StdEncoding.DecodeString(lines.Text()); err != nil {
					t.Fatal(err)
				}
			}
			var c struct {
				Input      string
				Registered []string
			}
			if err := json.Unmarshal([]byte(strings.ReplaceAll(string(line), "\u00a6", "")), &c); err != nil {
				t.Fatal(err)
			}
			if c.Input != "" && len(c.Registered) == 0 {
				texts = append(texts, c.Input)
			}
		}
	}
	return texts
}

// reasons reads a table of differences: a name, and why it is one.
func reasons(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		id, why, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || why == "" {
			t.Fatalf("%s: %q has no reason", name, line)
		}
		out[id] = why
	}
	return out
}

// differ holds what was missed against a table of differences, in both directions.
func differ(t *testing.T, name string, missed map[string][]string) {
	t.Helper()
	known := reasons(t, name)
	for id, texts := range missed {
		if known[id] == "" {
			t.Errorf("%s is missed in %d texts and %s has no reason, for example %.150q %.150q", id, len(texts), name, texts[0], texts[len(texts)-1])
		}
	}
	for id := range known {
		if len(missed[id]) == 0 {
			t.Errorf("%s: %s is not missed any more", name, id)
		}
	}
}

func peer(t *testing.T) *detect.Detector {
	t.Helper()
	logging.Logger = logging.Logger.Level(zerolog.Disabled)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func worker(t *testing.T) *safety.Worker {
	t.Helper()
	e, err := safety.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := e.NewWorker()
	w.Explain = true
	return w
}

// wordless are secrets that gitleaks reports and that hold no letter or digit to look for.
var wordless = regexp.MustCompile(`^[^A-Za-z0-9]*$`)

// TestFoundByPeer looks for every secret that gitleaks finds in its own samples, in texts
// generated of its patterns and in our cases.
func TestFoundByPeer(t *testing.T) {
	d, w := peer(t), worker(t)
	texts := append(literals(t), cases(t)...)
	if len(texts) < 1500 {
		t.Fatalf("only %d texts", len(texts))
	}
	rules := 0
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range d.Config.Rules {
			if !yield(id) {
				return
			}
		}
	}) {
		if r := d.Config.Rules[id]; r.Regex != nil {
			rules++
			texts = append(texts, generated(t, r.Regex.String())...)
		}
	}
	missed, found := map[string][]string{}, 0
	for _, text := range texts {
		reports := d.DetectString(text)
		if len(reports) == 0 {
			continue
		}
		r, err := w.Filter(safety.Body, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == contract.Rejected {
			continue
		}
		for _, f := range reports {
			if wordless.MatchString(f.Secret) {
				continue
			}
			found++
			if strings.Contains(string(r.Text), f.Secret) {
				missed[f.RuleID] = append(missed[f.RuleID], text)
			}
		}
	}
	t.Logf("%d rules, %d texts, %d secrets found by the peer, %d rules with misses", rules, len(texts), found, len(missed))
	if found < 800 {
		t.Errorf("only %d secrets were found", found)
	}
	differ(t, "missed.tsv", missed)
}

// TestFoundByUs looks in our cases for what we find, by code, and the peer does not.
func TestFoundByUs(t *testing.T) {
	d, w := peer(t), worker(t)
	missed, both := map[string][]string{}, map[string]int{}
	for _, text := range cases(t) {
		r, err := w.Filter(safety.Body, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		reports := d.DetectString(text)
		for _, s := range r.Spans {
			if !strings.HasPrefix(s.Code, "secret.") && !strings.HasPrefix(s.Code, "pii.") {
				continue
			}
			if value := text[s.Start:s.End]; slices.ContainsFunc(reports, func(f finding) bool {
				return strings.Contains(f.Secret, value) || strings.Contains(value, f.Secret)
			}) {
				both[s.Code]++
			} else {
				missed[s.Code] = append(missed[s.Code], value)
			}
		}
	}
	t.Logf("found by both: %v", both)
	differ(t, "only-ours.tsv", missed)
}

type finding = report.Finding
