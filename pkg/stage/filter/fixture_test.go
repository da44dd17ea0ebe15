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

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/safety"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

// The people of the fixtures.
const (
	owner = "U_kgDOowner" // opens the entity; role admin
	head  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

var source = contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "octo/tool"}

// fixture is a fetch stream in the making.
type fixture struct {
	header  *contract.Snapshot
	actors  []*contract.Actor
	records []*contract.Record
	tail    []contract.Line // threads, checks, runs, logs, gaps
	clock   int
}

// newFixture gives a change proposal by owner with the given threshold.
func newFixture(threshold string) *fixture {
	f := &fixture{header: &contract.Snapshot{
		Family: contract.FamilyEntity,
		Stages: []contract.Stage{contract.Self("fetch")},
		Source: source,
		Entity: contract.Entity{
			Kind: contract.ChangeProposal, ID: "PR_kwDOentity", Number: 7, Title: "Fix the build", State: contract.StateOpen,
			AuthorID: ptr(owner), CreatedAt: at(0), UpdatedAt: at(0), Labels: []string{},
		},
		HeadSHA: head,
		Collection: &contract.Collection{
			EntityKind:        contract.ChangeProposal,
			IncludedSources:   []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"},
			HumanMinRole:      threshold,
			RecordSelection:   contract.Newest,
			CheckLogSelection: contract.LogsFailed,
			Bounds: contract.Bounds{
				MaxRecordsPerSource: 200, MaxSourceBytes: 1 << 20, MaxRecordBytes: 65536, MaxLogBytes: 1 << 20,
				MaxMetadataStringBytes: 1024, MaxLabels: 50,
			},
		},
	}}
	f.human(owner, "admin")
	f.records = append(f.records, &contract.Record{
		Kind: contract.KindEntity, ID: "PR_kwDOentity", RecordKey: tree.Key(source, contract.KindEntity, "PR_kwDOentity"),
		CreatedAt: at(0), UpdatedAt: at(0), AuthorID: ptr(owner), Content: text("It fails.\n"),
	})
	return f
}

func ptr(s string) *string { return &s }

func at(minute int) string {
	return fmt.Sprintf("2026-03-01T%02d:%02d:00.000000000Z", minute/60, minute%60)
}

func text(s string) contract.Content { return contract.Text([]byte(s)) }

// human adds a person; role "" is one whose role could not be verified.
func (f *fixture) human(id, role string) *contract.Actor {
	a := &contract.Actor{ID: id, Kind: contract.Human, Login: ptr("login-" + strings.ToLower(id[len(id)-3:]))}
	if role != "" {
		a.Role, a.RoleVerified = ptr(role), true
	}
	f.actors = append(f.actors, a)
	return a
}

// bot adds a bot; botRole "" is one that is not registered.
func (f *fixture) bot(id, login, botRole string) *contract.Actor {
	a := &contract.Actor{ID: id, Kind: contract.Bot, Login: ptr(login), Role: ptr(contract.RoleBot)}
	if botRole != "" {
		a.BotRole = ptr(botRole)
	}
	f.actors = append(f.actors, a)
	return a
}

func (f *fixture) add(kind contract.Kind, id, author, body string) *contract.Record {
	f.clock++
	r := &contract.Record{Kind: kind, ID: id, RecordKey: tree.Key(source, kind, id), CreatedAt: at(f.clock), Content: text(body)}
	if author != "" {
		r.AuthorID = ptr(author)
	}
	if kind == contract.KindReview {
		r.State = contract.Commented
	}
	f.records = append(f.records, r)
	return r
}

func (f *fixture) comment(id, author, body string) *contract.Record {
	return f.add(contract.KindComment, id, author, body)
}

func (f *fixture) entity() *contract.Record { return f.records[0] }

func (f *fixture) thread(id, path string, comments ...*contract.Record) *contract.Thread {
	l := &contract.Thread{ID: id, ThreadKey: tree.Key(source, contract.KindThread, id), CreatedAt: comments[0].CreatedAt, Path: path, Replies: []contract.Reply{}}
	for _, c := range comments {
		l.RecordKeys = append(l.RecordKeys, c.RecordKey)
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) check(id, name string) *contract.Check {
	f.clock++
	l := &contract.Check{
		ID: id, RecordKey: tree.Key(source, contract.KindCheck, id), Name: name, Status: contract.Completed, Conclusion: contract.Failure,
		CreatedAt: at(f.clock), StartedAt: at(f.clock), CompletedAt: at(f.clock + 1), HeadSHA: head,
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) run(id, publisher, agent string) *contract.Run {
	f.clock++
	l := &contract.Run{
		ID: id, Agent: agent, Status: contract.RunSuccess, InputRevision: strings.Repeat("0", 64),
		ResultRecordKeys: []string{}, CompletedAt: at(f.clock),
	}
	if publisher != "" {
		l.PublisherID = ptr(publisher)
	}
	f.tail = append(f.tail, l)
	return l
}

func (f *fixture) log(check *contract.Check, c contract.Content) *contract.Log {
	l := &contract.Log{RecordKey: check.RecordKey, Content: c}
	f.tail = append(f.tail, l)
	return l
}

// lines gives the stream's lines in order.
func (f *fixture) lines() []contract.Line {
	slices.SortFunc(f.actors, func(a, b *contract.Actor) int { return cmp.Compare(a.ID, b.ID) })
	rest := f.records[1:]
	slices.SortFunc(rest, func(a, b *contract.Record) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.RecordKey, b.RecordKey))
	})
	order := []contract.Type{contract.TypeThread, contract.TypeCheck, contract.TypeRun, contract.TypeLog, contract.TypeGap}
	slices.SortStableFunc(f.tail, func(a, b contract.Line) int {
		return cmp.Compare(slices.Index(order, a.LineType()), slices.Index(order, b.LineType()))
	})
	lines := []contract.Line{f.header}
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

func encode(t testing.TB, lines []contract.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stream.NewWriter(&b)
	for _, l := range lines {
		if err := w.Write(l); err != nil {
			t.Fatalf("the fixture cannot be written: %v", err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// result is what a run gave.
type result struct {
	out    []byte
	header *contract.Snapshot
	lines  []contract.Line
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
	r := stream.NewReader(bytes.NewReader(in), stream.ReaderOptions{Name: "stdin", Position: 1})
	err := filter.Run(context.Background(), r, stream.NewWriter(&out), cfg, fault.NewLog(&stderr, "filter", fault.Text))
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
	in := stream.NewReader(bytes.NewReader(r.out), stream.ReaderOptions{Name: "output", Position: 2})
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
		if l, ok := l.(*contract.Record); ok && l.Kind != contract.KindEntity {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// gaps gives the gap lines as scope/code=count.
func (r *result) gaps() []string {
	gaps := []string{}
	for _, l := range r.lines {
		if l, ok := l.(*contract.Gap); ok {
			gaps = append(gaps, fmt.Sprintf("%s/%s=%d", l.Scope, l.Code, l.Count))
		}
	}
	return gaps
}

// line finds the line of a type whose name is id.
func line[L contract.Line](t testing.TB, r result, match func(L) bool) L {
	t.Helper()
	for _, l := range r.lines {
		if l, ok := l.(L); ok && match(l) {
			return l
		}
	}
	t.Fatalf("no such line in\n%s", r.out)
	panic("unreachable")
}

func (r *result) record(t testing.TB, id string) *contract.Record {
	t.Helper()
	return line(t, *r, func(l *contract.Record) bool { return l.ID == id })
}

func (r *result) actor(t testing.TB, id string) *contract.Actor {
	t.Helper()
	return line(t, *r, func(l *contract.Actor) bool { return l.ID == id })
}

func clean() *contract.Filter { f := contract.Clean(); return &f }

func found(status contract.FilterStatus, findings ...contract.Finding) *contract.Filter {
	f := contract.Filter{Status: status}
	f.AddFindings(findings)
	return &f
}

func one(code string) contract.Finding { return contract.Finding{Code: code, Count: 1} }

// githubToken is an obviously fake token, put together so that scanners of this
// repository see none.
var githubToken = "ghp" + "_" + strings.Repeat("Ab1", 12)
