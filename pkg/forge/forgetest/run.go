package forgetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/profile"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

// Token is the credential of test runs.
const Token = "test-token-never-to-be-seen-0123456789"

// Subject is an adapter under test: how to run the fetch stage through it.
type Subject struct {
	Driver  forge.Driver
	Address string // browser address of the entity
	// Hosts makes fresh handlers by authority.
	Hosts func() map[string]http.Handler
	// Environment names hosts that do not speak for themselves ("GH_HOST").
	Environment map[string]string
	// Profile is a built-in profile's name ("observation" when empty), or Collection
	// is a whole profile.
	Profile    string
	Collection *contract.Collection
	Change     func(*fetch.Config)
	MaxWait    time.Duration
	MaxAnswer  int64
	MaxPage    int
	Timeout    time.Duration

	edits bool
}

// Outcome is what a run gave.
type Outcome struct {
	Err      error
	Stream   []byte // as far as it was written
	Stderr   string
	Requests []Seen
	Clock    *Clock
}

// Run runs the stage once on net, whose hosts are the subject's if it has none.
func (s Subject) Run(ctx context.Context, t testing.TB, net *Net) Outcome {
	t.Helper()
	if net.Hosts == nil {
		net.Hosts = s.Hosts()
	}
	target := s.target(t)
	cfg := fetch.Config{Target: target}
	var err error
	if s.Collection != nil {
		cfg.Collection = *s.Collection
	} else if cfg.Collection, err = profile.Builtin(orElse(s.Profile, "observation"), target.Kind); err != nil {
		t.Fatal(err)
	}
	if s.Change != nil {
		s.Change(&cfg)
	}
	clock := NewClock()
	s.edits = !cfg.NotAfter.IsZero()
	adapter := s.open(t, target, net, clock)
	var out, stderr bytes.Buffer
	err = fetch.Run(ctx, adapter, stream.NewWriter(&out), cfg, fault.NewLog(&stderr, fetch.Name, fault.Text))
	return Outcome{Err: err, Stream: out.Bytes(), Stderr: stderr.String(), Requests: net.Requests(), Clock: clock}
}

// Probe runs fetch --check on net, and gives its lines.
func (s Subject) Probe(t testing.TB, net *Net) (lines []string, err error) {
	t.Helper()
	target := s.target(t)
	cfg := fetch.Config{Target: target}
	if s.Collection != nil {
		cfg.Collection = *s.Collection
	} else if cfg.Collection, err = profile.Builtin(orElse(s.Profile, "observation"), target.Kind); err != nil {
		t.Fatal(err)
	}
	err = fetch.Probe(context.Background(), s.Open(t, net), cfg, func(line string) error {
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

// Open gives the adapter alone, on net, whose hosts are the subject's if it has none.
func (s Subject) Open(t testing.TB, net *Net) forge.Adapter {
	t.Helper()
	if net.Hosts == nil {
		net.Hosts = s.Hosts()
	}
	return s.open(t, s.target(t), net, NewClock())
}

func (s Subject) open(t testing.TB, target forge.Target, net *Net, clock *Clock) forge.Adapter {
	t.Helper()
	endpoint := s.Driver.Endpoint(target)
	c, err := client.New(client.Config{
		Origin: endpoint.Base.Scheme + "://" + endpoint.Base.Host, Credential: s.Driver.Credential(Token),
		Header: s.Driver.Header, UserAgent: "snapline/test", Transport: net, Clock: clock, Random: func() float64 { return 0.5 },
		MaxWait: s.MaxWait, Timeout: s.Timeout, MaxTotal: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := forge.Settings{MaxAnswerBytes: 256 << 20, MaxPage: s.MaxPage, Edits: s.edits}
	if s.MaxAnswer > 0 {
		settings.MaxAnswerBytes = s.MaxAnswer
	}
	return s.Driver.Open(target, endpoint, c, settings)
}

func (s Subject) target(t testing.TB) forge.Target {
	t.Helper()
	target, err := forge.Parse([]forge.Facts{s.Driver.Facts}, s.Address, forge.Hints{}, func(name string) string { return s.Environment[name] })
	if err != nil {
		t.Fatalf("address: %v", err)
	}
	return target
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Lines reads a finished stream with the strict reader; a stream that the reader
// refuses fails the test.
func (o Outcome) Lines(t testing.TB) *Stream {
	t.Helper()
	if o.Err != nil {
		t.Fatalf("run: %v\n%s", o.Err, o.Stderr)
	}
	return o.read(t, 1)
}

func (o Outcome) read(t testing.TB, position int) *Stream {
	t.Helper()
	r := stream.NewReader(bytes.NewReader(o.Stream), stream.ReaderOptions{Name: "stream", Position: position})
	header, err := r.Header()
	if err != nil {
		t.Fatalf("header: %v\n%s", err, o.Stream)
	}
	s := &Stream{Header: header, Gaps: map[string]int64{}}
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatalf("stream: %v\n%s", err, o.Stream)
		}
		s.add(l)
	}
}

// Stream is a whole fetch stream, by type.
type Stream struct {
	Header  *contract.Snapshot
	Actors  []*contract.Actor
	Records []*contract.Record
	Threads []*contract.Thread
	Checks  []*contract.Check
	Runs    []*contract.Run
	Logs    []*contract.Log
	Gaps    map[string]int64 // by "scope/code"
}

func (s *Stream) add(l contract.Line) {
	switch l := l.(type) {
	case *contract.Actor:
		s.Actors = append(s.Actors, l)
	case *contract.Record:
		s.Records = append(s.Records, l)
	case *contract.Thread:
		s.Threads = append(s.Threads, l)
	case *contract.Check:
		s.Checks = append(s.Checks, l)
	case *contract.Run:
		s.Runs = append(s.Runs, l)
	case *contract.Log:
		s.Logs = append(s.Logs, l)
	case *contract.Gap:
		s.Gaps[string(l.Scope)+"/"+string(l.Code)] += l.Count
	}
}

// IDs gives the ids of the records of a kind, in stream order.
func (s *Stream) IDs(kind contract.Kind) []string {
	var out []string
	for _, r := range s.Records {
		if r.Kind == kind {
			out = append(out, r.ID)
		}
	}
	return out
}

// Record gives the record of an id, or nil.
func (s *Stream) Record(id string) *contract.Record {
	for _, r := range s.Records {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Actor gives the actor of an id, or nil.
func (s *Stream) Actor(id string) *contract.Actor {
	for _, a := range s.Actors {
		if a.ID == id {
			return a
		}
	}
	return nil
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
