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

	"snapline/pkg/ndjson"
	"snapline/pkg/record"
	"snapline/pkg/safety"
	"snapline/pkg/tree"
)

// HeadSHA is the head of every change proposal.
const HeadSHA = "1234567890abcdef1234567890abcdef12345678"

// Stream is a stream that is being made. Lines may be added in any order.
type Stream struct {
	Header *record.Snapshot
	Lines  []record.Line
}

// New gives the stream of an entity on a forge, as the stage at position has written
// it (2 filter, 3 bound), with every source of the kind selected, generous bounds and
// an admitted author. The entity record is there already; it has number 1.
func New(forge record.Forge, kind record.EntityKind, position int) *Stream {
	s := &Stream{Header: &record.Snapshot{
		Family: record.FamilyEntity, Source: sources[forge], FilterVersion: safety.Version,
		Collection: &record.Collection{
			EntityKind: kind, IncludedSources: []string{"agent_runs", "comments", "entity"}, HumanMinRole: "triage",
			RecordSelection: record.Newest, CheckLogSelection: record.LogsNone,
			Bounds: record.Bounds{
				MaxRecordsPerSource: 100, MaxSourceBytes: 1 << 20, MaxRecordBytes: 4096, MaxLogBytes: 4096,
				MaxMetadataStringBytes: 256, MaxLabels: 20,
			},
		},
	}}
	for _, stage := range record.StageNames[:position] {
		s.Header.Stages = append(s.Header.Stages, record.Self(stage))
	}
	if kind == record.ChangeProposal {
		s.Header.Collection.IncludedSources = []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"}
		s.Header.Collection.CheckLogSelection = record.LogsFailed
		s.Header.HeadSHA = HeadSHA
	}
	author := s.Human(1, "write")
	filter := record.Clean()
	s.Header.EntityFilter = &filter
	s.Header.Entity = record.Entity{
		Kind: kind, ID: s.ID(record.KindEntity, 1), Number: 17, Title: "A title", State: record.StateOpen,
		AuthorID: &author, CreatedAt: Time(1, "08:00"), UpdatedAt: Time(20, "08:00"), Labels: []string{},
	}
	e := s.Header.Entity
	r := s.Record(record.KindEntity, 1, e.CreatedAt, author, "The body.\n")
	r.UpdatedAt = e.UpdatedAt
	return s
}

var sources = map[record.Forge]record.Source{
	record.GitHub:  {Forge: record.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "example/project"},
	record.GitLab:  {Forge: record.GitLab, Host: "gitlab.example.com:8443", RepositoryID: "1234", Repository: "Group/Sub/project"},
	record.Forgejo: {Forge: record.Forgejo, Host: "codeberg.org", RepositoryID: "42", Repository: "example/project"},
}

// prefixes and offsets make identifiers of a kind that look like the forge's.
var (
	prefixes = map[record.Kind]string{
		record.KindEntity: "PR_kwDO", record.KindComment: "IC_kwDO", record.KindReview: "PRR_kwDO", record.KindCheck: "CR_kwDO",
		record.KindThread: "PRRT_kwDO", "actor": "U_kgDO", "run": "RUN_kwDO",
	}
	offsets = map[record.Kind]int{
		record.KindEntity: 5000, record.KindComment: 61000, record.KindReview: 7000, record.KindCheck: 880000,
		record.KindThread: 400, "actor": 300, "run": 9000,
	}
)

// ID gives the nth identifier of a kind on the stream's forge. Kind may also be
// "actor" or "run".
func (s *Stream) ID(kind record.Kind, n int) string {
	switch {
	case s.Header.Source.Forge == record.GitHub:
		return fmt.Sprintf("%s%03d", prefixes[kind], n)
	case s.Header.Source.Forge == record.GitLab && kind == record.KindThread:
		return fmt.Sprintf("%040x", 0xd15c0000+n)
	}
	return fmt.Sprint(offsets[kind] + n)
}

// Key gives the key of the nth object of a kind.
func (s *Stream) Key(kind record.Kind, n int) string {
	return tree.Key(s.Header.Source, kind, s.ID(kind, n))
}

// Time gives a timestamp on a day of March 2026; clock is HH:MM.
func Time(day int, clock string) string {
	return fmt.Sprintf("2026-03-%02dT%s:00.000000000Z", day, clock)
}

// Human adds the nth actor, a human; role "" is an unverified one. It gives the id.
func (s *Stream) Human(n int, role string) string {
	a := s.actor(n, record.Human, fmt.Sprintf("human-%d", n))
	if role != "" {
		a.Role, a.RoleVerified = &role, true
	}
	return a.ID
}

// Bot adds the nth actor, a registered bot, and gives its id.
func (s *Stream) Bot(n int) string {
	a := s.actor(n, record.Bot, fmt.Sprintf("bot-%d[bot]", n))
	role, registered := record.RoleBot, "coder"
	a.Role = &role
	if s.Header.Position() < 3 {
		a.BotRole = &registered
	}
	return a.ID
}

// UnknownActor adds the nth actor, whose kind the forge could not tell.
func (s *Stream) UnknownActor(n int) string {
	return s.actor(n, record.Unknown, fmt.Sprintf("unknown-%d", n)).ID
}

func (s *Stream) actor(n int, kind record.ActorKind, login string) *record.Actor {
	filter := record.Clean()
	a := &record.Actor{ID: s.ID("actor", n), Kind: kind, Login: &login, LoginFilter: &filter}
	s.Lines = append(s.Lines, a)
	return a
}

// Actor gives the actor with an id.
func (s *Stream) Actor(id string) *record.Actor {
	for _, l := range s.Lines {
		if a, ok := l.(*record.Actor); ok && a.ID == id {
			return a
		}
	}
	return nil
}

// Record adds the nth record of a kind.
func (s *Stream) Record(kind record.Kind, n int, created, author, body string) *record.Record {
	filter := record.Clean()
	r := &record.Record{
		Kind: kind, ID: s.ID(kind, n), RecordKey: s.Key(kind, n), CreatedAt: created, AuthorID: &author,
		Content: record.Text([]byte(body)), Filter: &filter,
	}
	s.Lines = append(s.Lines, r)
	return r
}

// Comment adds the nth comment.
func (s *Stream) Comment(n int, created, author, body string) *record.Record {
	return s.Record(record.KindComment, n, created, author, body)
}

// Review adds the nth review.
func (s *Stream) Review(n int, created, author, body string, state record.ReviewState) *record.Record {
	r := s.Record(record.KindReview, n, created, author, body)
	r.State = state
	return r
}

// Identify gives a record another identifier, with the key that follows from it.
func (s *Stream) Identify(r *record.Record, id string) *record.Record {
	r.ID, r.RecordKey = id, tree.Key(s.Header.Source, r.Kind, id)
	return r
}

// Reject makes a record one that the filter has rejected.
func Reject(r *record.Record, code string) *record.Record {
	r.Content = record.Content{}
	r.Filter = &record.Filter{Status: record.Rejected, Findings: []record.Finding{{Code: code, Count: 1}}}
	return r
}

// Thread adds the nth thread with the given comments, each answering the first.
func (s *Stream) Thread(n int, created string, comments ...int) *record.Thread {
	t := &record.Thread{ID: s.ID(record.KindThread, n), ThreadKey: s.Key(record.KindThread, n), CreatedAt: created}
	for i, comment := range comments {
		key := s.Key(record.KindComment, comment)
		t.RecordKeys = append(t.RecordKeys, key)
		if i > 0 {
			t.Replies = append(t.Replies, record.Reply{RecordKey: key, ParentRecordKey: t.RecordKeys[0]})
		}
	}
	s.Lines = append(s.Lines, t)
	return t
}

// Check adds the nth check, completed with a conclusion.
func (s *Stream) Check(n int, created, name string, conclusion record.Conclusion) *record.Check {
	filter := record.Clean()
	c := &record.Check{
		ID: s.ID(record.KindCheck, n), RecordKey: s.Key(record.KindCheck, n), Name: name, Status: record.Completed,
		Conclusion: conclusion, CreatedAt: created, HeadSHA: HeadSHA, StartedAt: created, CompletedAt: created, Filter: &filter,
	}
	s.Lines = append(s.Lines, c)
	return c
}

// Unfinished makes a check queued, or in progress.
func Unfinished(c *record.Check, status record.CheckStatus) *record.Check {
	c.Status, c.Conclusion, c.CompletedAt = status, "", ""
	if status == record.Queued {
		c.StartedAt = ""
	}
	return c
}

// Run adds the nth agent run, whose results are records by kind and number.
func (s *Stream) Run(n int, completed, agent string, results ...string) *record.Run {
	filter := record.Clean()
	slices.Sort(results)
	r := &record.Run{
		ID: s.ID("run", n), Agent: agent, Status: record.RunSuccess, InputRevision: strings.Repeat("ab", 32),
		ResultRecordKeys: results, CompletedAt: completed, Filter: &filter,
	}
	s.Lines = append(s.Lines, r)
	return r
}

// Log adds the log of the nth check.
func (s *Stream) Log(check int, text string) *record.Log {
	filter := record.Clean()
	l := &record.Log{RecordKey: s.Key(record.KindCheck, check), Content: record.Text([]byte(text)), Filter: &filter}
	s.Lines = append(s.Lines, l)
	return l
}

// Gap adds a gap line.
func (s *Stream) Gap(scope record.Scope, code record.GapCode, count int64) {
	s.Lines = append(s.Lines, &record.Gap{Scope: scope, Code: code, Count: count})
}

// place gives the sort key of a line: its part of the stream, then its own order.
func (s *Stream) place(l record.Line) string {
	switch l := l.(type) {
	case *record.Actor:
		return "1" + l.ID
	case *record.Record:
		if l.Kind == record.KindEntity {
			return "2"
		}
		return "3" + l.CreatedAt + l.RecordKey
	case *record.Thread:
		return "4" + l.CreatedAt + l.ID
	case *record.Check:
		return "5" + l.CreatedAt + l.RecordKey
	case *record.Run:
		return "6" + l.CompletedAt + l.ID
	case *record.Log:
		for _, c := range s.Lines {
			if c, ok := c.(*record.Check); ok && c.RecordKey == l.RecordKey {
				return "7" + c.CreatedAt + c.RecordKey
			}
		}
		return "7"
	}
	return "8"
}

// Ordered gives the lines in stream order, gaps last as they were added.
func (s *Stream) Ordered() []record.Line {
	lines := slices.Clone(s.Lines)
	slices.SortStableFunc(lines, func(a, b record.Line) int { return strings.Compare(s.place(a), s.place(b)) })
	return lines
}

// Bytes gives the framed stream.
func (s *Stream) Bytes(t testing.TB) []byte {
	t.Helper()
	return Frame(t, s.Header, s.Ordered())
}

// Frame writes header and lines with a trailer.
func Frame(t testing.TB, header *record.Snapshot, lines []record.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ndjson.NewWriter(&b)
	for _, l := range append([]record.Line{header}, lines...) {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	input := ""
	if header.Position() > 1 {
		input = tree.Digest([]byte("the input of a test stream"))
	}
	if err := w.End(input); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Parse reads a framed stream of a position.
func Parse(t testing.TB, stream []byte, position int) (*record.Snapshot, []record.Line) {
	t.Helper()
	r := ndjson.NewReader(bytes.NewReader(stream), ndjson.ReaderOptions{Name: "test", Position: position})
	header, err := r.Header()
	if err != nil {
		t.Fatal(err)
	}
	var lines []record.Line
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
