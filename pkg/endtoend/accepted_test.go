package endtoend_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/audit"
	"snapline/pkg/check"
	"snapline/pkg/contract"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// boundedStreams are the bounded streams of the golden pipelines and of emit's own
// cases.
func boundedStreams(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, pattern := range []string{"testdata/pipeline/*/" + boundGolden, "pkg/stage/emit/testdata/golden/*/bounded.ndjson"} {
		names, err := filepath.Glob(pattern)
		must(t, err)
		for _, name := range names {
			out[name], err = os.ReadFile(name)
			must(t, err)
		}
	}
	if len(out) < 13 {
		t.Fatalf("only %d streams", len(out))
	}
	return out
}

// filtersTell are the rules that only the filters can judge. They do not run in emit:
// what a stream says of its text stands.
var filtersTell = []string{"display.unsafe", "structural.unsafe", "text.rescan", "text.unsafe"}

// acceptance counts what became of the streams.
type acceptance struct {
	scanner             *safety.Worker
	published, refused  int
	rules, contentRules map[string]int
}

func newAcceptance(t *testing.T) *acceptance {
	t.Helper()
	engine, err := safety.New(nil)
	must(t, err)
	return &acceptance{scanner: engine.NewWorker(), rules: map[string]int{}, contentRules: map[string]int{}}
}

// audit tells what verify finds in the stream itself.
func (a *acceptance) audit(t *testing.T, raw []byte) []string {
	t.Helper()
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "stream", Position: 3})
	report, err := audit.Stream(context.Background(), in, "stream", audit.Options{Scanner: a.scanner})
	if fault.ExitOf(err) == fault.Input { // it breaks off where it is broken besides
		return []string{err.Error()}
	}
	must(t, err)
	var found []string
	for _, f := range report.Findings {
		if !slices.Contains(filtersTell, strings.Replace(strings.Replace(f.Rule, "audit.text-", "text.", 1), "audit.path-", "structural.", 1)) {
			found = append(found, f.String())
		}
	}
	return found
}

// judge emits a stream. A tree must be accepted; a refusal has exit, rule and position,
// is one line, and leaves nothing.
func (a *acceptance) judge(t *testing.T, what string, raw []byte) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	must(t, err)
	out := filepath.Join(dir, "context")
	var receipt bytes.Buffer
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "stdin", Position: 3})
	if err := emit.Run(context.Background(), in, &receipt, emit.Config{FS: disk.OS{}, Out: out}, fault.NewLog(io.Discard, "emit", fault.Text)); err != nil {
		a.refused++
		var e *fault.Error
		left, _ := os.ReadDir(dir)
		switch {
		case !errors.As(err, &e), e.Rule == "", e.Line == 0 && e.Exit == fault.Input, strings.Contains(e.Error(), "\n"):
			t.Errorf("%s: refused without rule or position: %v", what, err)
		case e.Exit != fault.Input && e.Rule != "bounded.entity-gap":
			t.Errorf("%s: exit %d: %v", what, e.Exit, err)
		case len(left) > 0 || receipt.Len() > 0:
			t.Errorf("%s: refused, and something is left: %v %q", what, left, receipt.String())
		default:
			a.rules[e.Rule]++
		}
		if e != nil && strings.HasPrefix(e.Rule, "bounded.") && len(a.audit(t, raw)) == 0 {
			t.Errorf("%s: refused, and verify stream finds nothing: %v", what, err)
		}
		return
	}
	a.published++
	if found := a.audit(t, raw); len(found) > 0 {
		t.Errorf("%s: published, and verify stream finds: %v", what, found)
	}
	var said struct {
		Index string `json:"index_sha256"`
	}
	must(t, json.Unmarshal(receipt.Bytes(), &said))
	report, err := check.Tree(context.Background(), out, check.Options{IndexSHA256: said.Index, Scanner: a.scanner})
	if err != nil {
		t.Errorf("%s: published, and cannot be verified: %v", what, err)
		return
	}
	for _, f := range report.Findings {
		a.contentRules[f.Rule]++
		if !slices.Contains(filtersTell, f.Rule) {
			t.Errorf("%s: published, and refused: %s", what, f)
		}
	}
	must(t, os.RemoveAll(dir))
}

// Whatever emit publishes, verify accepts: single changes of a line, the trailer made
// to fit.
func TestChangedLinesAreRefusedOrAccepted(t *testing.T) {
	requirement.Claim(t, "VER-03", "CMP-02", "GAP-05")
	const stride = 149 // of the changes one is tried
	a, made := newAcceptance(t), 0
	streams := boundedStreams(t)
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		lines := bytes.SplitAfter(streams[name], []byte("\n"))
		lines = lines[:len(lines)-2] // the trailer and what follows it
		a.judge(t, name, testkit.Reseal(lines))
		for i, line := range lines {
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			var value any
			must(t, d.Decode(&value))
			testkit.Mutate(value, func(m testkit.Mutation) {
				if made++; made%stride != 0 {
					return
				}
				text, err := json.Marshal(m.Value)
				must(t, err)
				changed := slices.Clone(lines)
				changed[i] = append(text, '\n')
				a.judge(t, fmt.Sprintf("%s line %d %s", name, i+1, m.What), testkit.Reseal(changed))
			})
		}
	}
	t.Logf("%d published, %d refused; content: %v; refusals: %v", a.published, a.refused, a.contentRules, a.rules)
	if a.published < 30 || a.refused < 250 {
		t.Error("too few of a sort")
	}
}

// Whatever emit publishes, verify accepts: a few objects, bounds, roles, filters and
// gaps changed, keys and order made to fit.
func TestNearlyValidStreamsAreRefusedOrAccepted(t *testing.T) {
	requirement.Claim(t, "VER-03", "CMP-02", "GAP-05", "GAP-07", "STR-06", "ADM-04", "AMB-12", "AMB-25", "AMB-43")
	const tries = 45 // of each stream
	a := newAcceptance(t)
	streams := boundedStreams(t)
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		for n := range tries {
			e := &editor{Stream: decodeBounded(t, streams[name]), random: rand.New(rand.NewPCG(uint64(n), 17))}
			var done []string
			for range 1 + e.random.IntN(3) {
				edit := edits[e.random.IntN(len(edits))]
				edit.change(e)
				done = append(done, edit.name)
			}
			if raw, ok := e.bytes(); ok {
				a.judge(t, fmt.Sprintf("%s %d %v", name, n, done), raw)
			}
		}
	}
	t.Logf("%d published, %d refused; content: %v; refusals: %v", a.published, a.refused, a.contentRules, a.rules)
	if a.published < 150 || a.refused < 150 {
		t.Error("too few of a sort")
	}
	for _, rule := range []string{"bounded.structural", "bounded.admission", "bounded.filter-status", "bounded.gaps", "bounded.review", "bounded.selection"} {
		if a.rules[rule] == 0 {
			t.Errorf("nothing broke %s", rule)
		}
	}
}

// The header of a record file is as long as its identifiers, which a profile may let be
// long; only the body is bounded by max_record_bytes.
func TestLongIdentifiersAreAccepted(t *testing.T) {
	requirement.Claim(t, "BND-02", "STR-06")
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	b := &s.Header.Collection.Bounds
	b.MaxMetadataStringBytes, b.MaxRecordBytes = 2<<20, 2
	s.Lines[1].(*contract.Record).Content = contract.Text([]byte("e\n"))
	s.Identify(s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "x\n"), strings.Repeat("x", 3<<19))
	a := newAcceptance(t)
	if a.judge(t, "a long identifier", s.Bytes(t)); a.published != 1 {
		t.Errorf("refused: %v", a.rules)
	}
}

// Whatever a profile's bounds are, what the stages make of a pull request under it is a
// tree that verify accepts, or the entity itself is what cannot be had.
func TestEveryProfileGivesATree(t *testing.T) {
	requirement.Claim(t, "COL-08", "STR-06", "AMB-33", "AMB-74", "GAP-05")
	random := rand.New(rand.NewPCG(5, 3))
	bots, err := fetch.ParseRegistry([]byte(demoBots))
	must(t, err)
	trees := 0
	for range 40 {
		c := demoProfile(t, contract.ChangeProposal)
		b := &c.Bounds
		for _, bound := range []struct {
			value *int64
			small []int64
		}{
			{&b.MaxRecordsPerSource, []int64{1, 2, 3, 5, 8}},
			{&b.MaxRecordBytes, []int64{1, 2, 3, 10, 40, 200}},
			{&b.MaxLogBytes, []int64{1, 2, 10, 50, 500}},
			{&b.MaxMetadataStringBytes, []int64{9, 10, 12, 16, 24, 39, 40, 64}},
			{&b.MaxLabels, []int64{0, 1, 2}},
			{&b.MaxSourceBytes, []int64{64, 200, 1000, 5000}},
		} {
			if random.IntN(2) == 0 {
				*bound.value = bound.small[random.IntN(len(bound.small))]
			}
		}
		if random.IntN(2) == 0 {
			c.RecordSelection, c.CheckLogSelection = contract.Oldest, contract.LogsAll
		}
		fetched := forgetest.Subject{
			Driver: github.Driver, Address: "https://github.com/acme/tool/pull/7", Hosts: demoPull(t).Hosts, Collection: c,
			Change: func(cfg *fetch.Config) { cfg.Bots = bots },
		}.Run(context.Background(), t, &forgetest.Net{})
		if fault.ExitOf(fetched.Err) == fault.Aborted {
			continue
		}
		must(t, fetched.Err)
		p := pipe(t, fetched.Stream)
		if p.emit.exit != fault.Done {
			if p.emit.exit != fault.Aborted {
				t.Errorf("%+v: exit %d\n%s%s%s", *b, p.emit.exit, p.filter.stderr, p.bound.stderr, p.emit.stderr)
			}
			continue
		}
		trees++
		if v := run("verify", nil, p.dir, "--index-sha256", p.digest(t)); v.exit != fault.Done {
			t.Errorf("%+v: %s", *b, v.stdout)
		}
		file := filepath.Join(t.TempDir(), "bounded")
		must(t, os.WriteFile(file, []byte(p.bound.stdout), 0o600))
		if v := run("verify", nil, "stream", file); v.exit != fault.Done {
			t.Errorf("%+v: %s", *b, v.stdout)
		}
	}
	if trees < 25 {
		t.Errorf("only %d trees", trees)
	}
}

func decodeBounded(t *testing.T, raw []byte) *testkit.Stream {
	t.Helper()
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "stream", Position: 3})
	header, err := in.Header()
	must(t, err)
	s := &testkit.Stream{Header: header}
	for {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			return s
		}
		must(t, err)
		s.Lines = append(s.Lines, l)
	}
}
