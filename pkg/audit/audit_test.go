package audit

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// marked is a scanner for which one mark is unsafe, another is replaced and a third
// is unsafe only where a cut leaves it at the end.
type marked struct{ fail bool }

const (
	unsafeMark  = "UNSAFE"
	changedMark = "SECRET"
)

func (m marked) Filter(kind safety.Kind, source []byte) (safety.Result, error) {
	finding := func(code string) []contract.Finding { return []contract.Finding{{Code: code, Count: 1}} }
	switch {
	case m.fail:
		return safety.Result{}, errors.New("detector unavailable")
	case bytes.Contains(source, []byte(unsafeMark)):
		return safety.Result{Status: contract.Rejected, Findings: finding("injection.mark")}, nil
	case bytes.Contains(source, []byte(changedMark)):
		return safety.Result{Status: contract.Modified, Text: bytes.ReplaceAll(source, []byte(changedMark), []byte("[...]")), Findings: finding("secret.mark")}, nil
	}
	return safety.Result{Status: contract.Unchanged, Text: source}, nil
}

func (m marked) Rescan(text []byte) (safety.Result, error) {
	if bytes.Contains(text, []byte(unsafeMark)) {
		return safety.Result{Status: contract.Rejected, Findings: []contract.Finding{{Code: "injection.mark", Count: 1}}}, nil
	}
	return safety.Result{Status: contract.Unchanged, Text: text}, nil
}

func options() Options { return Options{Scanner: marked{}} }

func reader(b []byte) *stream.Reader {
	return stream.NewReader(bytes.NewReader(b), stream.ReaderOptions{Name: "stream"})
}

func names(r *Report) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// full is a stream of a change proposal with one of everything.
func full(position int) *testkit.Stream {
	s := testkit.New(contract.GitHub, contract.ChangeProposal, position)
	author, other := s.ID("actor", 1), s.Human(2, "triage")
	s.Header.Entity.Labels = []string{"a", "b"}
	s.Comment(1, testkit.Time(2, "10:00"), author, "one\n")
	s.Comment(2, testkit.Time(2, "10:01"), other, "two\n")
	testkit.Reject(s.Comment(3, testkit.Time(2, "10:02"), other, ""), "injection.mark")
	s.Review(1, testkit.Time(2, "11:00"), other, "fine\n", contract.Approved)
	s.Thread(1, testkit.Time(2, "10:00"), 1, 2)
	s.Check(1, testkit.Time(3, "10:00"), "build", contract.Failure)
	s.Check(2, testkit.Time(3, "10:01"), "test", contract.Success)
	s.Log(1, "failed\n")
	s.Run(1, testkit.Time(4, "10:00"), "reviewer", s.Key(contract.KindComment, 1))
	if position == bounded {
		s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
		return s
	}
	bot := s.Bot(3)
	for _, l := range s.Lines {
		if r, ok := l.(*contract.Run); ok {
			r.PublisherID = &bot
		}
	}
	return s
}

func lineOf[T contract.Line](s *testkit.Stream, n int) T {
	for _, l := range s.Lines {
		if t, ok := l.(T); ok {
			if n--; n == 0 {
				return t
			}
		}
	}
	panic("no such line")
}

// Each stage's promise has a stream that breaks it, by name.
func TestPromises(t *testing.T) {
	requirement.Claim(t, "ADM-05", "ADM-07", "AMB-16", "AMB-65", "AMB-76", "BND-01", "BND-02", "BND-04", "DSP-02", "DSP-04",
		"DSP-08", "STR-02", "STR-06", "COL-09", "AMB-75", "INJ-04", "FLT-01", "FLT-02", "GAP-05", "GAP-08", "GAP-09", "AMB-08", "AMB-43", "AMB-70", "THR-07")
	for _, c := range []struct {
		name     string
		position int
		break_   func(s *testkit.Stream)
		want     []string
	}{
		{"filtered", filtered, func(*testkit.Stream) {}, nil},
		{"bounded", bounded, func(*testkit.Stream) {}, nil},
		{"unsafe body", filtered, func(s *testkit.Stream) {
			lineOf[*contract.Record](s, 2).Content = contract.Text([]byte(unsafeMark + "\n"))
		}, []string{ruleUnsafe}},
		{"secret in a log", filtered, func(s *testkit.Stream) {
			lineOf[*contract.Log](s, 1).Content = contract.Text([]byte(changedMark + "\n"))
		}, []string{ruleUnsafe}},
		{"secret in a title", filtered, func(s *testkit.Stream) { s.Header.Entity.Title = changedMark }, []string{ruleUnsafe}},
		{"secret in a label", bounded, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{changedMark} }, []string{ruleUnsafe}},
		{"secret in a login", filtered, func(s *testkit.Stream) { s.Actor(s.ID("actor", 2)).Login = ptr(changedMark) }, []string{ruleUnsafe}},
		{"secret in a check's name", bounded, func(s *testkit.Stream) { lineOf[*contract.Check](s, 1).Name = changedMark }, []string{ruleUnsafe}},
		{"secret in an agent's name", bounded, func(s *testkit.Stream) { lineOf[*contract.Run](s, 1).Agent = changedMark }, []string{ruleUnsafe}},
		{"secret in a thread's path", filtered, func(s *testkit.Stream) { lineOf[*contract.Thread](s, 1).Path = changedMark }, []string{rulePath}},
		{"CR LF", filtered, func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("a\r\n")) }, []string{ruleForm}},
		{"no LF", bounded, func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Content = contract.Text([]byte("a")) }, []string{ruleForm}},
		{"modified without findings", filtered, func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Filter.Status = contract.Modified }, []string{ruleStatus}},
		{"role below the threshold", filtered, func(s *testkit.Stream) { s.Actor(s.ID("actor", 2)).Role = ptr("read") }, []string{ruleAdmission}},
		{"role below the threshold, bounded", bounded, func(s *testkit.Stream) { s.Header.Collection.HumanMinRole = "write" }, []string{ruleAdmission}},
		{"editor below the threshold", filtered, func(s *testkit.Stream) {
			r := lineOf[*contract.Record](s, 2)
			r.Edited, r.EditorID = true, ptr(s.Human(9, "read"))
		}, []string{ruleAdmission}},
		{"unnamed editor", filtered, func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).Edited = true }, []string{ruleAdmission}},
		{"bot without a role", filtered, func(s *testkit.Stream) { s.Actor(s.ID("actor", 3)).BotRole = nil }, []string{ruleAdmission}},
		{"no author", filtered, func(s *testkit.Stream) { lineOf[*contract.Record](s, 2).AuthorID = nil }, []string{ruleAdmission}},
		{"record over its bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 9 }, []string{ruleLength}},
		{"record at its bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordBytes = 10 }, nil},
		{"log over its bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLogBytes = 6 }, []string{ruleLength}},
		{"log at its bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLogBytes = 7 }, nil},
		{"title over its bound", bounded, func(s *testkit.Stream) { s.Header.Entity.Title = strings.Repeat("a", 257) }, []string{ruleLength}},
		{"title unbounded before bound", filtered, func(s *testkit.Stream) { s.Header.Entity.Title = strings.Repeat("a", 257) }, nil},
		{"labels over their bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 1 }, []string{ruleLabels}},
		{"labels out of order", bounded, func(s *testkit.Stream) { s.Header.Entity.Labels = []string{"b", "a"} }, []string{ruleLabels}},
		{"more records than the bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordsPerSource = 2 }, []string{ruleCount}},
		{"records at the bound", bounded, func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxRecordsPerSource = 3 }, nil},
		{"cut text unsafe by itself", bounded, func(s *testkit.Stream) {
			r := lineOf[*contract.Record](s, 2)
			r.Content, r.Filter.Status = contract.Text([]byte(unsafeMark+"\n")), contract.Truncated
		}, []string{ruleRescan}},
		{"half a marker in cut text", bounded, func(s *testkit.Stream) {
			r := lineOf[*contract.Record](s, 2)
			r.Content, r.Filter.Status = contract.Text([]byte(changedMark+"\n")), contract.Truncated
		}, nil},
		{"rejected and not counted", bounded, func(s *testkit.Stream) {
			without(s, func(l contract.Line) bool { _, ok := l.(*contract.Gap); return ok })
		}, []string{ruleGaps}},
		{"log missing and not counted", bounded, func(s *testkit.Stream) { without(s, isLog) }, []string{ruleGaps}},
		{"log missing", bounded, func(s *testkit.Stream) {
			without(s, isLog)
			s.Gap(contract.ScopeCheckLogs, contract.FetchFailed, 1)
		}, nil},
		{"labels dropped, nothing truncated", bounded, func(s *testkit.Stream) { s.Gap(contract.ScopeEntity, contract.ProfileBound, 1) }, []string{ruleGaps}},
		{"an actor of unknown kind is not counted", bounded, func(s *testkit.Stream) {
			th := lineOf[*contract.Thread](s, 1)
			th.Resolved, th.ResolvedByActorID = true, ptr(s.UnknownActor(4))
		}, []string{ruleGaps}},
		{"an actor of unknown kind", bounded, func(s *testkit.Stream) {
			th := lineOf[*contract.Thread](s, 1)
			th.Resolved, th.ResolvedByActorID = true, ptr(s.UnknownActor(4))
			s.UnknownActor(5)
			s.Gap(contract.ScopeActors, contract.InvalidMetadata, 1)
		}, nil},
		{"a reply to itself", bounded, func(s *testkit.Stream) {
			r := &lineOf[*contract.Thread](s, 1).Replies[0]
			r.ParentRecordKey = r.RecordKey
		}, []string{ruleReplies}},
		{"title modified without findings", filtered, func(s *testkit.Stream) { s.Header.EntityFilter.Status = contract.Modified }, []string{ruleStatus}},
		{"login modified without findings", filtered, func(s *testkit.Stream) { lineOf[*contract.Actor](s, 1).LoginFilter.Status = contract.Modified }, []string{ruleStatus}},
		{"login modified to nothing", filtered, func(s *testkit.Stream) {
			lineOf[*contract.Actor](s, 1).Login, lineOf[*contract.Actor](s, 1).LoginFilter.Status = nil, contract.Modified
		}, nil},
		{"empty body modified", bounded, func(s *testkit.Stream) {
			r := lineOf[*contract.Record](s, 2)
			r.Content, r.Filter = contract.Text(nil), unsafeFilter(contract.Modified)
		}, []string{ruleStatus}},
		{"structural string too long", bounded, func(s *testkit.Stream) {
			s.Header.Collection.Bounds.MaxMetadataStringBytes = 15
		}, []string{ruleStructural}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := full(c.position)
			c.break_(s)
			r, err := Stream(context.Background(), reader(s.Bytes(t)), "stream", options())
			if err != nil {
				t.Fatal(err)
			}
			if got := names(r); !slices.Equal(got, c.want) {
				t.Errorf("want %v, got %v", c.want, r.Findings)
			}
		})
	}
}

// What a forge does not have stands in no stream of it.
func TestWhatAForgeDoesNotHave(t *testing.T) {
	requirement.Claim(t, "AMB-92", "MAP-13")
	for forge, c := range map[contract.Forge]struct {
		add  func(*testkit.Stream)
		want []string
	}{
		contract.Forgejo: {func(s *testkit.Stream) { s.Thread(1, testkit.Time(2, "10:00"), 1) }, nil},
		contract.GitLab: {func(s *testkit.Stream) {
			s.Review(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "", contract.Approved)
		}, []string{ruleForge}},
	} {
		for _, position := range []int{filtered, bounded} {
			s := testkit.New(forge, contract.ChangeProposal, position)
			s.Comment(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "one\n")
			c.add(s)
			r, err := Stream(context.Background(), reader(s.Bytes(t)), "stream", options())
			if err != nil || !slices.Equal(names(r), c.want) {
				t.Errorf("%s: %v %v", forge, err, r)
			}
		}
	}
}

// A fetch stream marks what is longer than max_source_bytes and does not carry it.
func TestFetchedSourceBytes(t *testing.T) {
	requirement.Claim(t, "AMB-10", "BND-05")
	for _, c := range []struct {
		bound int64
		want  []string
	}{{9, []string{ruleSourceBytes}}, {10, nil}, {11, nil}} {
		s := asFetched(full(filtered))
		without(s, isComment(s, 3)) // the longest text left is the entity's, of ten bytes
		s.Header.Collection.Bounds.MaxSourceBytes = c.bound
		r, err := Stream(context.Background(), reader(frame(t, s, "")), "stream", options())
		if err != nil {
			t.Fatal(err)
		}
		if got := names(r); !slices.Equal(got, c.want) {
			t.Errorf("bound %d: %v", c.bound, r.Findings)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// A broken stream and an aborted one are no verdicts but failures, with their own
// exit codes.
func TestBrokenAndAborted(t *testing.T) {
	b := full(bounded).Bytes(t)
	_, err := Stream(context.Background(), reader(b[:len(b)-10]), "stream", options())
	if fault.ExitOf(err) != fault.Input {
		t.Errorf("cut: %v", err)
	}
	flipped := bytes.Replace(b, []byte("one"), []byte("two"), 1)
	_, err = Stream(context.Background(), reader(flipped), "stream", options())
	var e *fault.Error
	if !errors.As(err, &e) || e.Rule != stream.RuleTrailerDigest {
		t.Errorf("changed: %v", err)
	}
	_, err = Stream(context.Background(), reader([]byte(`{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}`+"\n")), "stream", options())
	if fault.ExitOf(err) != fault.Unsupported {
		t.Errorf("aborted: %v", err)
	}
}

func TestForeignFilterVersion(t *testing.T) {
	requirement.Claim(t, "AMB-75", "FLT-09")
	s := full(bounded)
	s.Header.FilterVersion += "x"
	if _, err := Stream(context.Background(), reader(s.Bytes(t)), "stream", options()); fault.ExitOf(err) != fault.Input {
		t.Errorf("got %v", err)
	}
}

func TestFailedComponent(t *testing.T) {
	requirement.Claim(t, "ABT-08")
	_, err := Stream(context.Background(), reader(full(bounded).Bytes(t)), "stream", Options{Scanner: marked{fail: true}})
	if fault.ExitOf(err) != fault.Aborted {
		t.Errorf("got %v", err)
	}
}
