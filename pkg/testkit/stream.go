// Package testkit makes what tests judge: streams, by short calls that give valid lines
// with identifiers of each forge, put into stream order and framed; and the documents
// that a single change makes of one. It is imported by tests only.
package testkit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
)

// HeadSHA is the head of every change proposal.
const HeadSHA = "1234567890abcdef1234567890abcdef12345678"

// Stream is a stream that is being made. Lines may be added in any order.
type Stream struct {
	Header *contract.Snapshot
	Lines  []contract.Line
}

// New gives the stream of an entity on a forge, as the stage at position has written
// it (2 filter, 3 bound), with every source of the kind selected, generous bounds and
// an admitted author. The entity record is there already; it has number 1.
func New(forge contract.Forge, kind contract.EntityKind, position int) *Stream {
	s := &Stream{Header: &contract.Snapshot{
		Family: contract.FamilyEntity, Source: sources[forge], FilterVersion: safety.Version,
		Collection: &contract.Collection{
			EntityKind: kind, IncludedSources: []string{"agent_runs", "comments", "entity"}, HumanMinRole: "triage",
			RecordSelection: contract.Newest, CheckLogSelection: contract.LogsNone,
			Bounds: contract.Bounds{
				MaxRecordsPerSource: 100, MaxSourceBytes: 1 << 20, MaxRecordBytes: 4096, MaxLogBytes: 4096,
				MaxMetadataStringBytes: 256, MaxLabels: 20,
			},
		},
	}}
	for _, stage := range contract.StageNames[:position] {
		s.Header.Stages = append(s.Header.Stages, contract.Self(stage))
	}
	if kind == contract.ChangeProposal {
		s.Header.Collection.IncludedSources = []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"}
		s.Header.Collection.CheckLogSelection = contract.LogsFailed
		s.Header.HeadSHA = HeadSHA
	}
	author := s.Human(1, "write")
	filter := contract.Clean()
	s.Header.EntityFilter = &filter
	s.Header.Entity = contract.Entity{
		Kind: kind, ID: s.ID(contract.KindEntity, 1), Number: 17, Title: "A title", State: contract.StateOpen,
		AuthorID: &author, CreatedAt: Time(1, "08:00"), UpdatedAt: Time(20, "08:00"), Labels: []string{},
	}
	e := s.Header.Entity
	r := s.Record(contract.KindEntity, 1, e.CreatedAt, author, "The body.\n")
	r.UpdatedAt = e.UpdatedAt
	return s
}

var sources = map[contract.Forge]contract.Source{
	contract.GitHub:  {Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "example/project"},
	contract.GitLab:  {Forge: contract.GitLab, Host: "gitlab.example.com:8443", RepositoryID: "1234", Repository: "Group/Sub/project"},
	contract.Forgejo: {Forge: contract.Forgejo, Host: "codeberg.org", RepositoryID: "42", Repository: "example/project"},
}

// prefixes and offsets make identifiers of a kind that look like the forge's.
var (
	prefixes = map[contract.Kind]string{
		contract.KindEntity: "PR_kwDO", contract.KindComment: "IC_kwDO", contract.KindReview: "PRR_kwDO", contract.KindCheck: "CR_kwDO",
		contract.KindThread: "PRRT_kwDO", "actor": "U_kgDO", "run": "RUN_kwDO",
	}
	offsets = map[contract.Kind]int{
		contract.KindEntity: 5000, contract.KindComment: 61000, contract.KindReview: 7000, contract.KindCheck: 880000,
		contract.KindThread: 400, "actor": 300, "run": 9000,
	}
)

// ID gives the nth identifier of a kind on the stream's forge. Kind may also be
// "actor" or "run".
func (s *Stream) ID(kind contract.Kind, n int) string {
	switch {
	case s.Header.Source.Forge == contract.GitHub:
		return fmt.Sprintf("%s%03d", prefixes[kind], n)
	case s.Header.Source.Forge == contract.GitLab && kind == contract.KindThread:
		return fmt.Sprintf("%040x", 0xd15c0000+n)
	}
	return fmt.Sprint(offsets[kind] + n)
}

// Key gives the key of the nth object of a kind.
func (s *Stream) Key(kind contract.Kind, n int) string {
	return tree.Key(s.Header.Source, kind, s.ID(kind, n))
}

// Time gives a timestamp on a day of March 2026; clock is HH:MM.
func Time(day int, clock string) string {
	return fmt.Sprintf("2026-03-%02dT%s:00.000000000Z", day, clock)
}

// Human adds the nth actor, a human; role "" is an unverified one. It gives the id.
func (s *Stream) Human(n int, role string) string {
	a := s.actor(n, contract.Human, fmt.Sprintf("human-%d", n))
	if role != "" {
		a.Role, a.RoleVerified = &role, true
	}
	return a.ID
}

// Bot adds the nth actor, a registered bot, and gives its id.
func (s *Stream) Bot(n int) string {
	a := s.actor(n, contract.Bot, fmt.Sprintf("bot-%d[bot]", n))
	role, registered := contract.RoleBot, "coder"
	a.Role = &role
	if s.Header.Position() < 3 {
		a.BotRole = &registered
	}
	return a.ID
}

// UnknownActor adds the nth actor, whose kind the forge could not tell.
func (s *Stream) UnknownActor(n int) string {
	return s.actor(n, contract.Unknown, fmt.Sprintf("unknown-%d", n)).ID
}

func (s *Stream) actor(n int, kind contract.ActorKind, login string) *contract.Actor {
	filter := contract.Clean()
	a := &contract.Actor{ID: s.ID("actor", n), Kind: kind, Login: &login, LoginFilter: &filter}
	s.Lines = append(s.Lines, a)
	return a
}

// Actor gives the actor with an id.
func (s *Stream) Actor(id string) *contract.Actor {
	for _, l := range s.Lines {
		if a, ok := l.(*contract.Actor); ok && a.ID == id {
			return a
		}
	}
	return nil
}

// Record adds the nth record of a kind.
func (s *Stream) Record(kind contract.Kind, n int, created, author, body string) *contract.Record {
	filter := contract.Clean()
	r := &contract.Record{
		Kind: kind, ID: s.ID(kind, n), RecordKey: s.Key(kind, n), CreatedAt: created, AuthorID: &author,
		Content: contract.Text([]byte(body)), Filter: &filter,
	}
	s.Lines = append(s.Lines, r)
	return r
}

// Comment adds the nth comment.
func (s *Stream) Comment(n int, created, author, body string) *contract.Record {
	return s.Record(contract.KindComment, n, created, author, body)
}

// Review adds the nth review.
func (s *Stream) Review(n int, created, author, body string, state contract.ReviewState) *contract.Record {
	r := s.Record(contract.KindReview, n, created, author, body)
	r.State = state
	return r
}

// Identify gives a record another identifier, with the key that follows from it.
func (s *Stream) Identify(r *contract.Record, id string) *contract.Record {
	r.ID, r.RecordKey = id, tree.Key(s.Header.Source, r.Kind, id)
	return r
}

// Reject makes a record one that the filter has rejected.
func Reject(r *contract.Record, code string) *contract.Record {
	r.Content = contract.Content{}
	r.Filter = &contract.Filter{Status: contract.Rejected, Findings: []contract.Finding{{Code: code, Count: 1}}}
	return r
}

// Thread adds the nth thread with the given comments, each answering the first.
func (s *Stream) Thread(n int, created string, comments ...int) *contract.Thread {
	t := &contract.Thread{ID: s.ID(contract.KindThread, n), ThreadKey: s.Key(contract.KindThread, n), CreatedAt: created}
	for i, comment := range comments {
		key := s.Key(contract.KindComment, comment)
		t.RecordKeys = append(t.RecordKeys, key)
		if i > 0 {
			t.Replies = append(t.Replies, contract.Reply{RecordKey: key, ParentRecordKey: t.RecordKeys[0]})
		}
	}
	s.Lines = append(s.Lines, t)
	return t
}

// Check adds the nth check, completed with a conclusion.
func (s *Stream) Check(n int, created, name string, conclusion contract.Conclusion) *contract.Check {
	filter := contract.Clean()
	c := &contract.Check{
		ID: s.ID(contract.KindCheck, n), RecordKey: s.Key(contract.KindCheck, n), Name: name, Status: contract.Completed,
		Conclusion: conclusion, CreatedAt: created, HeadSHA: HeadSHA, StartedAt: created, CompletedAt: created, Filter: &filter,
	}
	s.Lines = append(s.Lines, c)
	return c
}

// Unfinished makes a check queued, or in progress.
func Unfinished(c *contract.Check, status contract.CheckStatus) *contract.Check {
	c.Status, c.Conclusion, c.CompletedAt = status, "", ""
	if status == contract.Queued {
		c.StartedAt = ""
	}
	return c
}

// Run adds the nth agent run, whose results are records by kind and number.
func (s *Stream) Run(n int, completed, agent string, results ...string) *contract.Run {
	filter := contract.Clean()
	slices.Sort(results)
	r := &contract.Run{
		ID: s.ID("run", n), Agent: agent, Status: contract.RunSuccess, InputRevision: strings.Repeat("ab", 32),
		ResultRecordKeys: results, CompletedAt: completed, Filter: &filter,
	}
	s.Lines = append(s.Lines, r)
	return r
}

// Log adds the log of the nth check.
func (s *Stream) Log(check int, text string) *contract.Log {
	filter := contract.Clean()
	l := &contract.Log{RecordKey: s.Key(contract.KindCheck, check), Content: contract.Text([]byte(text)), Filter: &filter}
	s.Lines = append(s.Lines, l)
	return l
}

// Gap adds a gap line.
func (s *Stream) Gap(scope contract.Scope, code contract.GapCode, count int64) {
	s.Lines = append(s.Lines, &contract.Gap{Scope: scope, Code: code, Count: count})
}

// place gives the sort key of a line: its part of the stream, then its own order.
func (s *Stream) place(l contract.Line) string {
	switch l := l.(type) {
	case *contract.Actor:
		return "1" + l.ID
	case *contract.Record:
		if l.Kind == contract.KindEntity {
			return "2"
		}
		return "3" + l.CreatedAt + l.RecordKey
	case *contract.Thread:
		return "4" + l.CreatedAt + l.ID
	case *contract.Check:
		return "5" + l.CreatedAt + l.RecordKey
	case *contract.Run:
		return "6" + l.CompletedAt + l.ID
	case *contract.Log:
		for _, c := range s.Lines {
			if c, ok := c.(*contract.Check); ok && c.RecordKey == l.RecordKey {
				return "7" + c.CreatedAt + c.RecordKey
			}
		}
		return "7"
	}
	return "8"
}

// Ordered gives the lines in stream order, gaps last as they were added.
func (s *Stream) Ordered() []contract.Line {
	lines := slices.Clone(s.Lines)
	slices.SortStableFunc(lines, func(a, b contract.Line) int { return strings.Compare(s.place(a), s.place(b)) })
	return lines
}

// Bytes gives the framed stream.
func (s *Stream) Bytes(t testing.TB) []byte {
	t.Helper()
	return Frame(t, s.Header, s.Ordered())
}

// Chain gives digests for the trailer of a stream that the stage at position has written.
func Chain(position int) []string {
	return []string{tree.Digest([]byte("what fetch wrote")), tree.Digest([]byte("what filter wrote"))}[:position-1]
}

// Reseal gives a bounded stream whose trailer fits the lines before it.
func Reseal(lines [][]byte) []byte {
	body, chain := bytes.Join(lines, nil), Chain(3)
	return fmt.Appendf(body, `{"type":"end","lines":%d,"sha256":"%s","input_sha256":"%s","chain":["%s","%s"]}`+"\n", len(lines), tree.Digest(body), chain[1], chain[0], chain[1])
}

// Frame writes header and lines with a trailer.
func Frame(t testing.TB, header *contract.Snapshot, lines []contract.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stream.NewWriter(&b)
	for _, l := range append([]contract.Line{header}, lines...) {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(Chain(header.Position())...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Parse reads a framed stream of a position.
func Parse(t testing.TB, raw []byte, position int) (*contract.Snapshot, []contract.Line) {
	t.Helper()
	r := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "test", Position: position})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var lines []contract.Line
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return header, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}
