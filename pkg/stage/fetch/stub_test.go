package fetch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
	"snapline/pkg/profile"
	"snapline/pkg/stage/fetch"
	"snapline/pkg/stream"
)

const head = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// stub is an adapter that delivers what it holds.
type stub struct {
	entity     *forge.Entity
	entityErr  error
	discussion forge.Discussion
	checks     forge.Checks
	logs       map[string]any // []byte or error, by check id
	asked      []string       // checks whose log was asked for
	wanted     forge.Want
	resolve    func([]forge.Account) ([]forge.Account, []string, error)
	onDiscuss  func()
	onChecks   func()

	// For Probe.
	probed   []contract.Scope
	people   map[contract.Scope][]forge.Account
	refuse   map[contract.Scope]error
	owner    string
	ownerErr error
}

func (s *stub) Entity(context.Context) (*forge.Entity, error) { return s.entity, s.entityErr }

func (s *stub) Discussion(_ context.Context, _ *forge.Entity, w forge.Want) forge.Discussion {
	s.wanted = w
	if s.onDiscuss != nil {
		s.onDiscuss()
	}
	return s.discussion
}

func (s *stub) Checks(context.Context, *forge.Entity) forge.Checks {
	if s.onChecks != nil {
		s.onChecks()
	}
	return s.checks
}

func (s *stub) Accounts(_ context.Context, _ *forge.Entity, a []forge.Account) ([]forge.Account, []string, error) {
	if s.resolve != nil {
		return s.resolve(a)
	}
	for i := range a {
		if a[i].Kind == contract.Human {
			role := "write"
			a[i].Role, a[i].Verified = &role, true
		}
	}
	return a, nil, nil
}

func (s *stub) Log(_ context.Context, c *forge.Check, _ int64) ([]byte, error) {
	s.asked = append(s.asked, c.ID)
	switch v := s.logs[c.ID].(type) {
	case []byte:
		return v, nil
	case error:
		return nil, v
	}
	return nil, errors.New("no log")
}

func (s *stub) Probe(_ context.Context, _ *forge.Entity, source contract.Scope) ([]forge.Account, error) {
	s.probed = append(s.probed, source)
	return s.people[source], s.refuse[source]
}

func (s *stub) Owner(context.Context) (string, error) { return s.owner, s.ownerErr }

func (s *stub) Budget(context.Context, *forge.Entity) ([]string, error) {
	return []string{"budget: none"}, nil
}

// body makes a source text; raw bytes that are no UTF-8 stay as they are.
func body(s string) forge.Text {
	b, _ := json.Marshal(s)
	d, err := strictjson.Parse(append([]byte(nil), b...))
	if err != nil {
		panic(err)
	}
	return forge.NewText(d.Root())
}

func rawBody(literal string) forge.Text {
	d, err := strictjson.Parse([]byte(`"` + literal + `"`))
	if err != nil {
		panic(err)
	}
	return forge.NewText(d.Root())
}

func p[T any](v T) *T { return &v }

func person(id string) *forge.Account {
	return &forge.Account{ID: id, Login: "login-" + id, Kind: contract.Human}
}

const at = "2026-05-01T10:00:00Z"

func goodEntity(kind contract.EntityKind) *forge.Entity {
	e := &forge.Entity{
		RepositoryID: "R_1", Repository: "acme/tool", Kind: kind, ID: "E_1", Number: 7, Title: body("title"), Body: body("text"),
		State: contract.StateOpen, Author: person("U_1"), CreatedAt: p(at), UpdatedAt: p(at),
	}
	if kind == contract.ChangeProposal {
		e.HeadSHA = head
	}
	return e
}

func pull() *stub { return &stub{entity: goodEntity(contract.ChangeProposal)} }

// outcome is what a run gave.
type outcome struct {
	err    error
	stream string
	stderr string
	header *contract.Snapshot
	lines  []contract.Line
	gaps   map[string]int64
}

func run(t *testing.T, s *stub, change func(*fetch.Config)) outcome {
	t.Helper()
	kind := contract.ChangeProposal
	if s.entity != nil {
		kind = s.entity.Kind
	}
	c, err := profile.Builtin("observation", kind)
	if err != nil {
		t.Fatal(err)
	}
	cfg := fetch.Config{
		Target:     forge.Target{Forge: contract.GitHub, Host: "github.com", Origin: &url.URL{Scheme: "https", Host: "github.com"}, Repository: "acme/tool", Kind: kind, Number: 7},
		Collection: c,
	}
	if change != nil {
		change(&cfg)
	}
	var out, errs bytes.Buffer
	o := outcome{gaps: map[string]int64{}}
	o.err = fetch.Run(context.Background(), s, stream.NewWriter(&out), cfg, fault.NewLog(&errs, fetch.Name, fault.Text))
	o.stream, o.stderr = out.String(), errs.String()
	if o.err != nil {
		return o
	}
	r := stream.NewReader(bytes.NewReader(out.Bytes()), stream.ReaderOptions{Name: "stream", Position: 1})
	if o.header, err = r.Header(); err != nil {
		t.Fatalf("header: %v\n%s", err, o.stream)
	}
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return o
		}
		if err != nil {
			t.Fatalf("stream: %v\n%s", err, o.stream)
		}
		o.lines = append(o.lines, l)
		if g, ok := l.(*contract.Gap); ok {
			o.gaps[string(g.Scope)+"/"+string(g.Code)] += g.Count
		}
	}
}

// of gives the lines of one type.
func of[T contract.Line](o outcome) (out []T) {
	for _, l := range o.lines {
		if v, ok := l.(T); ok {
			out = append(out, v)
		}
	}
	return out
}

func (o outcome) record(id string) *contract.Record {
	for _, r := range of[*contract.Record](o) {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (o outcome) wantGaps(t *testing.T, want map[string]int64) {
	t.Helper()
	for k, n := range want {
		if o.gaps[k] != n {
			t.Errorf("gap %s counts %d, want %d", k, o.gaps[k], n)
		}
	}
	for k, n := range o.gaps {
		if want[k] != n {
			t.Errorf("gap %s counts %d, want %d", k, n, want[k])
		}
	}
}
