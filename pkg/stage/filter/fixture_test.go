package filter_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/ndjson"
	"snapline/pkg/record"
	"snapline/pkg/safety"
	"snapline/pkg/stage/filter"
	"snapline/pkg/tree"
)

// The people of the fixtures.
const (
	owner = "U_kgDOowner" // opens the entity; role admin
	head  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

var source = record.Source{Forge: record.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "octo/tool"}

// fixture is a fetch stream in the making.
type fixture struct {
	header  *record.Snapshot
	actors  []*record.Actor
	records []*record.Record
	tail    []record.Line // threads, checks, runs, logs, gaps
	clock   int
}

// newFixture gives a change proposal by owner with the given threshold.
func newFixture(threshold string) *fixture {
	f := &fixture{header: &record.Snapshot{
		Family: record.FamilyEntity,
		Stages: []record.Stage{record.Self("fetch")},
		Source: source,
		Entity: record.Entity{
			Kind: record.ChangeProposal, ID: "PR_kwDOentity", Number: 7, Title: "Fix the build", State: record.StateOpen,
			AuthorID: ptr(owner), CreatedAt: at(0), UpdatedAt: at(0), Labels: []string{},
		},
		HeadSHA: head,
		Collection: &record.Collection{
			EntityKind:        record.ChangeProposal,
			IncludedSources:   []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"},
			HumanMinRole:      threshold,
			RecordSelection:   record.Newest,
			CheckLogSelection: record.LogsFailed,
			Bounds: record.Bounds{
				MaxRecordsPerSource: 200, MaxSourceBytes: 1 << 20, MaxRecordBytes: 65536, MaxLogBytes: 1 << 20,
				MaxMetadataStringBytes: 1024, MaxLabels: 50,
			},
		},
	}}
	f.human(owner, "admin")
	f.records = append(f.records, &record.Record{
		Kind: record.KindEntity, ID: "PR_kwDOentity", RecordKey: tree.Key(source, record.KindEntity, "PR_kwDOentity"),
		CreatedAt: at(0), UpdatedAt: at(0), AuthorID: ptr(owner), Content: text("It fails.\n"),
	})
	return f
}

func ptr(s string) *string { return &s }

func at(minute int) string {
	return fmt.Sprintf("2026-03-01T%02d:%02d:00.000000000Z", minute/60, minute%60)
}

func text(s string) record.Content { return record.Text([]byte(s)) }

// human adds a person; role "" is one whose role could not be verified.
func (f *fixture) human(id, role string) *record.Actor {
	a := &record.Actor{ID: id, Kind: record.Human, Login: ptr("login-" + strings.ToLower(id[len(id)-3:]))}
	if role != "" {
		a.Role, a.RoleVerified = ptr(role), true
	}
	f.actors = append(f.actors, a)
	return a
}

// bot adds a bot; botRole "" is one that is not registered.
func (f *fixture) bot(id, login, botRole string) *record.Actor {
	a := &record.Actor{ID: id, Kind: record.Bot, Login: ptr(login), Role: ptr(record.RoleBot)}
	if botRole != "" {
		a.BotRole = ptr(botRole)
	}
	f.actors = append(f.actors, a)
	return a
}

func (f *fixture) add(kind record.Kind, id, author, body string) *record.Record {
	f.clock++
	r := &record.Record{Kind: kind, ID: id, RecordKey: tree.Key(source, kind, id), CreatedAt: at(f.clock), Content: text(body)}
	if author != "" {
		r.AuthorID = ptr(author)
	}
	if kind == record.KindReview {
		r.State = record.Commented
	}
	f.records = append(f.records, r)
	return r
}

func (f *fixture) comment(id, author, body string) *record.Record {
	return f.add(record.KindComment, id, author, body)
}

func (f *fixture) entity() *record.Record { return f.records[0] }

func (f *fixture) thread(id, path string, comments ...*record.Record) *record.Thread {
	l := &record.Thread{ID: id, ThreadKey: tree.Key(source, record.KindThread, id), CreatedAt: comments[0].CreatedAt, Path: path, Replies: []record.Reply{}}
	for _, c := range comments {
		l.RecordKeys = append(l.RecordKeys, c.RecordKey)
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) check(id, name string) *record.Check {
	f.clock++
	l := &record.Check{
		ID: id, RecordKey: tree.Key(source, record.KindCheck, id), Name: name, Status: record.Completed, Conclusion: record.Failure,
		CreatedAt: at(f.clock), StartedAt: at(f.clock), CompletedAt: at(f.clock + 1), HeadSHA: head,
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) run(id, publisher, agent string) *record.Run {
	f.clock++
	l := &record.Run{
		ID: id, Agent: agent, Status: record.RunSuccess, InputRevision: strings.Repeat("0", 64),
		ResultRecordKeys: []string{}, CompletedAt: at(f.clock),
	}
	if publisher != "" {
		l.PublisherID = ptr(publisher)
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) log(check *record.Check, c record.Content) *record.Log {
	l := &record.Log{RecordKey: check.RecordKey, Content: c}
	f.tail = append(f.tail, l)
	return l
}

// lines gives the stream's lines in order.
func (f *fixture) lines() []record.Line {
	slices.SortFunc(f.actors, func(a, b *record.Actor) int { return cmp.Compare(a.ID, b.ID) })
	rest := f.records[1:]
	slices.SortFunc(rest, func(a, b *record.Record) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.RecordKey, b.RecordKey))
	})
	order := []record.Type{record.TypeThread, record.TypeCheck, record.TypeRun, record.TypeLog, record.TypeGap}
	slices.SortStableFunc(f.tail, func(a, b record.Line) int {
		return cmp.Compare(slices.Index(order, a.LineType()), slices.Index(order, b.LineType()))
	})
	lines := []record.Line{f.header}
	for _, a := range f.actors {
		lines = append(lines, a)
	}
	for _, r := range f.records {
		lines = append(lines, r)
	}
	return append(lines, f.tail...)
}

func (f *fixture) bytes(t testing.TB) []byte {
	t.Helper()
	return encode(t, f.lines())
}

func encode(t testing.TB, lines []record.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ndjson.NewWriter(&b)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatalf("the fixture cannot be written: %v", err)
		}
	}
	if err := w.End(""); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// result is what a run gave.
type result struct {
	out    []byte
	header *record.Snapshot
	lines  []record.Line
	stderr string
	err    error
}

// plain is the engine without credentials: compiling one takes a while.
var plain = sync.OnceValues(func() (*safety.Engine, error) { return safety.New(nil) })

func config(t testing.TB, credentials ...string) filter.Config {
	t.Helper()
	e, err := plain()
	if len(credentials) > 0 {
		e, err = safety.New(credentials)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filter.Config{Engine: e, Credentials: int64(len(credentials)), Workers: 2}
}

func runBytes(t testing.TB, in []byte, cfg filter.Config) result {
	t.Helper()
	var out, stderr bytes.Buffer
	r := ndjson.NewReader(bytes.NewReader(in), ndjson.ReaderOptions{Name: "stdin", Position: 1})
	err := filter.Run(context.Background(), r, ndjson.NewWriter(&out), cfg, fault.NewLog(&stderr, "filter", fault.Text))
	return result{out: out.Bytes(), stderr: stderr.String(), err: err}
}

// run filters a fixture that has to pass and reads the output back.
func (f *fixture) filter(t testing.TB, credentials ...string) result {
	t.Helper()
	r := runBytes(t, f.bytes(t), config(t, credentials...))
	if r.err != nil {
		t.Fatalf("filter failed: %v\n%s", r.err, r.stderr)
	}
	r.read(t)
	return r
}

func (r *result) read(t testing.TB) {
	t.Helper()
	in := ndjson.NewReader(bytes.NewReader(r.out), ndjson.ReaderOptions{Name: "output", Position: 2})
	var err error
	if r.header, err = in.Header(); err != nil {
		t.Fatalf("output: %v", err)
	}
	for {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("output: %v", err)
		}
		r.lines = append(r.lines, l)
	}
}

// fails filters a fixture that has to abort and gives the error.
func (f *fixture) fails(t testing.TB) (*fault.Error, result) {
	t.Helper()
	r := runBytes(t, f.bytes(t), config(t))
	var e *fault.Error
	if !errors.As(r.err, &e) {
		t.Fatalf("want an abort, got %v", r.err)
	}
	return e, r
}

// records gives the ids of the comments and reviews that are left, in order.
func (r *result) records() []string {
	ids := []string{}
	for _, l := range r.lines {
		if l, ok := l.(*record.Record); ok && l.Kind != record.KindEntity {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// gaps gives the gap lines as scope/code=count.
func (r *result) gaps() []string {
	gaps := []string{}
	for _, l := range r.lines {
		if l, ok := l.(*record.Gap); ok {
			gaps = append(gaps, fmt.Sprintf("%s/%s=%d", l.Scope, l.Code, l.Count))
		}
	}
	return gaps
}

// line finds the line of a type whose name is id.
func line[L record.Line](t testing.TB, r result, match func(L) bool) L {
	t.Helper()
	for _, l := range r.lines {
		if l, ok := l.(L); ok && match(l) {
			return l
		}
	}
	t.Fatalf("no such line in\n%s", r.out)
	panic("unreachable")
}

func (r *result) record(t testing.TB, id string) *record.Record {
	t.Helper()
	return line(t, *r, func(l *record.Record) bool { return l.ID == id })
}

func (r *result) actor(t testing.TB, id string) *record.Actor {
	t.Helper()
	return line(t, *r, func(l *record.Actor) bool { return l.ID == id })
}

func clean() *record.Filter { f := record.Clean(); return &f }

func found(status record.FilterStatus, findings ...record.Finding) *record.Filter {
	f := record.Filter{Status: status}
	f.AddFindings(findings)
	return &f
}

func one(code string) record.Finding { return record.Finding{Code: code, Count: 1} }

// githubToken is an obviously fake token, put together so that scanners of this
// repository see none.
var githubToken = "ghp" + "_" + strings.Repeat("Ab1", 12)
