package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

var update = flag.Bool("update", false, "rewrite the vectors under testdata")

// stream is a stream being damaged: its lines without the trailer.
type stream struct {
	t     testing.TB
	pos   int
	lines []string
}

// base gives a legal stream of the position with one line of everything:
// 1 header, 2-4 actors, 5 entity, 6 comment, 7 review, 8 thread, 9-11 checks,
// 12 run, 13 log, 14 gap.
func base(t testing.TB, pos int) *stream {
	return split(t, pos, write(t, testHeader(pos), testLines(pos)...))
}

// documents gives a legal stream of family canon-state: 1 header, 2-3 documents, 4 gap.
func documents(t testing.TB, pos int) *stream {
	h := &contract.Snapshot{
		Family: contract.FamilyCanon,
		Limits: &contract.Limits{MaxDocuments: 10, MaxDocumentBytes: 1 << 20, Selection: contract.Newest},
	}
	stamp(h, pos)
	doc := func(name, raw string) *contract.Document {
		d := &contract.Document{Name: name, Format: "session-state", Raw: []byte(raw), HasRaw: true, SHA256: tree.Digest([]byte(raw))}
		if pos > 1 {
			d.Filter, d.Strings = clean(), 1
		}
		return d
	}
	return split(t, pos, write(t, h, doc("one.json", `{"a":"b"}`+"\n"), doc("two.json", `{"a":"c"}`+"\n"),
		&contract.Gap{Scope: contract.ScopeDocuments, Code: contract.ProfileBound, Count: 1}))
}

func split(t testing.TB, pos int, raw []byte) *stream {
	lines := strings.SplitAfter(string(raw), "\n")
	return &stream{t, pos, lines[:len(lines)-2]} // the trailer and the empty rest
}

// sub replaces the one occurrence of old in a line.
func (s *stream) sub(line int, old, new string) *stream {
	s.t.Helper()
	if n := strings.Count(s.lines[line-1], old); n != 1 {
		s.t.Fatalf("line %d holds %q %d times:\n%s", line, old, n, s.lines[line-1])
	}
	s.lines[line-1] = strings.Replace(s.lines[line-1], old, new, 1)
	return s
}

// member puts a member in front of a line's others, behind type.
func (s *stream) member(line int, text string) *stream {
	s.t.Helper()
	at := strings.Index(s.lines[line-1], ",")
	s.lines[line-1] = s.lines[line-1][:at+1] + text + "," + s.lines[line-1][at+1:]
	return s
}

// drop removes a member with a simple value from a line.
func (s *stream) drop(line int, text string) *stream {
	s.t.Helper()
	if strings.Contains(s.lines[line-1], text+",") {
		return s.sub(line, text+",", "")
	}
	return s.sub(line, ","+text, "")
}

// set replaces a whole line, LF included.
func (s *stream) set(line int, text string) *stream {
	s.lines[line-1] = text
	return s
}

// insert puts a line in front of the given one.
func (s *stream) insert(line int, text string) *stream {
	s.lines = append(s.lines[:line-1:line-1], append([]string{text}, s.lines[line-1:]...)...)
	return s
}

func (s *stream) remove(line int) *stream {
	s.lines = append(s.lines[:line-1:line-1], s.lines[line:]...)
	return s
}

// swap exchanges two lines.
func (s *stream) swap(a, b int) *stream {
	s.lines[a-1], s.lines[b-1] = s.lines[b-1], s.lines[a-1]
	return s
}

// cut keeps the lines up to the given one.
func (s *stream) cut(line int) *stream {
	s.lines = s.lines[:line]
	return s
}

// body gives the lines so far, without a trailer.
func (s *stream) body() string { return strings.Join(s.lines, "") }

// seal adds a trailer that fits the lines as they are.
func (s *stream) seal() string {
	body := s.body()
	sum := sha256.Sum256([]byte(body))
	input := ""
	if s.pos > 1 {
		input = `,"input_sha256":"` + rev + `","chain":["` + strings.Join(earlier(s.pos), `","`) + `"]`
	}
	return body + fmt.Sprintf(`{"type":"end","lines":%d,"sha256":"%s"%s}`+"\n", len(s.lines), hex.EncodeToString(sum[:]), input)
}

// sight says what a JSON Schema validator can see of a fault.
type sight uint8

const (
	inLine  sight = iota // the line alone shows it: schemas refuse it
	inJSON               // below JSON Schema: framing, grammar, duplicates, encoding
	across               // only with other lines: schemas accept the line
	blurred              // in the line, but beyond what the keywords in use can say
)

// vector is a stream with exactly one fault.
type vector struct {
	rule string
	name string
	line int // where the fault is reported
	see  sight
	data func(t testing.TB) string
}

func (v vector) path() string {
	ext := ".ndjson"
	switch v.rule {
	case RuleCompression, RuleExpansion, RuleCompressionWindow:
		ext = ".bin"
	}
	return filepath.Join("testdata", "vectors", v.rule, v.name+".line-"+strconv.Itoa(v.line)+ext)
}

// TestVectors reads every committed vector, and holds the files against the table
// that makes them.
func TestVectors(t *testing.T) {
	requirement.Claim(t, "KEY-04", "ID-06", "ID-09", "ID-12", "SRC-01", "SRC-02", "SRC-03", "SRC-04", "SRC-06", "CAN-02", "CAN-03",
		"COL-01", "COL-02", "COL-03", "COL-04", "COL-05", "COL-06", "COL-08", "MAP-26",
		"CHK-03", "CHK-10", "CHK-11", "CHK-12", "CHK-13", "CHK-14", "CHK-15", "ACT-04", "ACT-05", "ACT-09", "REV-01", "REV-02", "THR-03", "THR-06",
		"THR-08", "RUN-02", "RUN-04", "RUN-05", "GAP-01", "GAP-02", "GAP-06", "FLT-05", "STR-04", "AMB-51", "AMB-68")
	all := vectors()
	seen := map[string]bool{}
	rules := map[string]bool{}
	for _, v := range all {
		path := v.path()
		if seen[path] {
			t.Fatalf("%s is defined twice", path)
		}
		seen[path] = true
		rules[v.rule] = true
		t.Run(v.rule+"/"+v.name, func(t *testing.T) {
			var want string
			if *update || filepath.Ext(path) != ".bin" {
				want = v.data(t)
			}
			if *update {
				writeFile(t, path, want)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// Compressed bytes change with the version of the compressor.
			if string(raw) != want && filepath.Ext(path) != ".bin" {
				t.Error("the file is not what the table makes; run go test -update")
			}
			_, _, err = readAll(NewReader(bytes.NewReader(raw), ReaderOptions{Name: "stdin"}))
			got := faultOf(t, err)
			if got.Rule != v.rule || got.Line != int64(v.line) || got.Exit != 3 || got.File != "stdin" {
				t.Errorf("got %s:%d %s, exit %d: %v", got.File, got.Line, got.Rule, got.Exit, err)
			}
		})
	}
	for _, rule := range declaredRules(t) {
		if !rules[rule] && !ruleWithoutVector[rule] {
			t.Errorf("no vector breaks %s", rule)
		}
	}
	checkFolder(t, filepath.Join("testdata", "vectors"), seen, 200)
}

// TestAcceptedVectors reads streams that are legal, and writes them again.
func TestAcceptedVectors(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range acceptedVectors() {
		path := filepath.Join("testdata", "accepted", v.name+".ndjson")
		seen[path] = true
		t.Run(v.name, func(t *testing.T) {
			want := v.data(t)
			if *update {
				writeFile(t, path, want)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(raw) != want {
				t.Error("the file is not what the table makes; run go test -update")
			}
			checkSurvives(t, raw)
		})
	}
	checkFolder(t, filepath.Join("testdata", "accepted"), seen, 25)
}

func writeFile(t testing.TB, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkFolder fails on files that no table makes, and below a floor.
func checkFolder(t *testing.T, root string, seen map[string]bool, floor int) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "README.md" {
			return err
		}
		n++
		if !seen[path] {
			if *update {
				return os.Remove(path)
			}
			t.Errorf("%s is not in the table", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < floor {
		t.Errorf("%d files under %s, at least %d are expected", n, root, floor)
	}
}

// ruleWithoutVector names the rules that no file can break.
var ruleWithoutVector = map[string]bool{
	RuleRead:     true, // a failing input
	RulePosition: true, // a legal stream at the wrong stage
	RuleWrite:    true,
	RuleUsage:    true,
	RuleCapture:  true,
}

// declaredRules lists the constants of rule.go.
func declaredRules(t testing.TB) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			rule, err := strconv.Unquote(lit.Value)
			if err != nil || !strings.HasPrefix(rule, "stream.") {
				t.Errorf("rule.go names %s", lit.Value)
			}
			rules = append(rules, rule)
		}
		return true
	})
	if len(rules) < 50 {
		t.Fatalf("%d rules", len(rules))
	}
	return rules
}

func faultOf(t testing.TB, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	return f
}

// checkSurvives reads a legal stream, writes it, and reads what was written: the
// lines must be the same.
func checkSurvives(t testing.TB, raw []byte) {
	t.Helper()
	h, lines, err := readAll(NewReader(bytes.NewReader(raw), ReaderOptions{}))
	var stopped *AbortError
	if err != nil && !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	if h != nil {
		for _, l := range append([]contract.Line{h}, lines...) {
			if err := w.Write(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	if stopped != nil {
		err = w.Abort(stopped.Abort)
	} else {
		err = w.End(earlier(h.Position())...)
	}
	if err != nil {
		t.Fatal(err)
	}
	h2, lines2, err := readAll(NewReader(bytes.NewReader(out.Bytes()), ReaderOptions{}))
	var again *AbortError
	if stopped != nil {
		if !errors.As(err, &again) || *again != *stopped {
			t.Fatalf("abort %v came back as %v", stopped, err)
		}
	} else if err != nil {
		t.Fatalf("written stream: %v\n%s", err, out.Bytes())
	}
	// A spelling that is not minimal has no literal; what was written has one.
	if diff := cmp.Diff(lines, lines2, cmpopts.IgnoreFields(contract.Content{}, "Literal"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("lines changed (-read +written):\n%s", diff)
	}
	if diff := cmp.Diff(h, h2); diff != "" {
		t.Errorf("header changed (-read +written):\n%s", diff)
	}
}
