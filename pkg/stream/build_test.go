package stream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Builders of small legal streams. Every value is invented.

var testSource = contract.Source{
	Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "example/project",
}

const (
	at0 = "2026-09-08T10:15:30.000000000Z"
	at1 = "2026-09-08T11:00:00.000000000Z"
	at2 = "2026-09-08T12:00:00.000000000Z"
	sha = "0123456789abcdef0123456789abcdef01234567"
	rev = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
)

const page = "https://github.com/example/project/pull/7"

func ptr[T any](v T) *T { return &v }

func key(kind contract.Kind, id string) string { return tree.Key(testSource, kind, id) }

func clean() *contract.Filter { f := contract.Clean(); return &f }

// testHeader is a header of a change proposal that selects everything.
func testHeader(pos int) *contract.Snapshot {
	h := &contract.Snapshot{
		Family: contract.FamilyEntity,
		Source: testSource,
		Entity: contract.Entity{
			Kind: contract.ChangeProposal, ID: "PR_kwDOExample", Number: 7, Title: "A title",
			State: contract.StateOpen, AuthorID: ptr("U_author"), CreatedAt: at0, UpdatedAt: at2, Labels: []string{"bug", "ui"},
		},
		HeadSHA: sha,
		Acquisition: &contract.Acquisition{
			Address: "https://github.com/Example/project/pull/7", ProfileName: "observation", RequestID: "run:12@ci", Date: at2, NotAfter: at2,
		},
		Collection: &contract.Collection{
			EntityKind:      contract.ChangeProposal,
			IncludedSources: []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"},
			HumanMinRole:    "triage", RecordSelection: contract.Newest, CheckLogSelection: contract.LogsFailed,
			Bounds: contract.Bounds{
				MaxRecordsPerSource: 200, MaxSourceBytes: 1 << 24, MaxRecordBytes: 65536,
				MaxLogBytes: 1 << 20, MaxMetadataStringBytes: 1024, MaxLabels: 50,
			},
		},
	}
	stamp(h, pos)
	if pos > 1 {
		h.EntityFilter = clean()
	}
	return h
}

func stamp(h *contract.Snapshot, pos int) {
	for _, name := range contract.StageNames[:pos] {
		h.Stages = append(h.Stages, contract.Stage{Stage: name, Program: name, Version: "1.0.0"})
	}
	if pos > 1 {
		h.FilterVersion = "example-1"
	}
}

// testLines is one line of everything, as it may stand at the position.
func testLines(pos int) []contract.Line {
	filtered := func(f *contract.Filter) *contract.Filter {
		if pos == 1 {
			return nil
		}
		return f
	}
	lines := []contract.Line{
		&contract.Actor{ID: "U_author", Kind: contract.Human, Login: ptr("author"), Role: ptr("write"), RoleVerified: true, LoginFilter: filtered(clean())},
		&contract.Actor{ID: "U_bot", Kind: contract.Bot, Login: ptr("helper[bot]"), Role: ptr("bot"), LoginFilter: filtered(clean())},
		&contract.Actor{ID: "U_ghost", Kind: contract.Unknown, LoginFilter: filtered(clean())},
		&contract.Record{
			Kind: contract.KindEntity, ID: "PR_kwDOExample", RecordKey: key("entity", "PR_kwDOExample"), CreatedAt: at0, UpdatedAt: at2,
			AuthorID: ptr("U_author"), Content: contract.Text([]byte("The body.\n")), Filter: filtered(clean()),
		},
		&contract.Record{
			Kind: contract.KindComment, ID: "IC_kwDOExample", RecordKey: key("comment", "IC_kwDOExample"), CreatedAt: at1,
			AuthorID: ptr("U_author"), URL: page + "#issuecomment-1", Content: contract.Text([]byte("Tab\tquote\"backslash\\ bell\a é \U0001f600\n")), Filter: filtered(clean()),
		},
		&contract.Record{
			Kind: contract.KindReview, ID: "PRR_one", RecordKey: key("review", "PRR_one"), CreatedAt: at2,
			AuthorID: ptr("U_author"), State: contract.Dismissed, DismissedAt: ptr(at2), DismissedBy: nil, ReviewedSHA: sha,
			Content: contract.Text([]byte{}), Filter: filtered(clean()),
		},
		&contract.Thread{
			ID: "PRRT_one", ThreadKey: key("thread", "PRRT_one"), CreatedAt: at1, Resolved: true, ResolvedByActorID: ptr("U_author"),
			Minimized: ptr(false), RecordKeys: []string{key("comment", "IC_kwDOExample")}, Replies: []contract.Reply{},
			ReviewID: "PRR_one", ReviewRecordKey: key("review", "PRR_one"), ReviewedSHA: sha, Path: "cmd/main.go",
			Line: 3, StartLine: 1, Side: contract.Right, OriginalLine: 4, OriginalStartLine: 2, OriginalSide: contract.Left,
			URL: page + "#discussion_r1",
		},
		&contract.Check{
			ID: "CR_queued", RecordKey: key("check", "CR_queued"), Name: "queue", Status: contract.Queued, CreatedAt: at0,
			HeadSHA: sha, Filter: filtered(clean()),
		},
		&contract.Check{
			ID: "CR_failed", RecordKey: key("check", "CR_failed"), Name: "test", Status: contract.Completed, Conclusion: contract.Failure,
			CreatedAt: at1, HeadSHA: sha, StartedAt: at1, CompletedAt: at2, UpdatedAt: at2,
			URL: "https://github.com/example/project/runs/2", Filter: filtered(clean()),
		},
		&contract.Check{
			ID: "CR_never", RecordKey: key("check", "CR_never"), Name: "skip", Status: contract.Completed, Conclusion: contract.Skipped,
			CreatedAt: at2, HeadSHA: sha, NeverStarted: true, CompletedAt: at2, Filter: filtered(clean()),
		},
		&contract.Run{
			ID: "RUN_one", Agent: "helper", Status: contract.RunSuccess, InputRevision: rev, InputHeadSHA: sha,
			ResultRecordKeys: []string{key("comment", "IC_kwDOExample")}, ResultingCommitSHA: sha, StartedAt: at0, CompletedAt: at1,
			Filter: filtered(clean()),
		},
		&contract.Log{RecordKey: key("check", "CR_failed"), Content: contract.Text([]byte("line\n")), Filter: filtered(clean())},
		&contract.Gap{Scope: contract.ScopeComments, Code: contract.ProfileBound, Count: 3},
	}
	if pos < 3 {
		lines[1].(*contract.Actor).BotRole = ptr("reviewer")
		lines[4].(*contract.Record).Edited = true
		lines[10].(*contract.Run).PublisherID = ptr("U_bot")
	}
	return lines
}

// earlier are digests of the streams before one of the position.
func earlier(pos int) []string {
	return []string{strings.Repeat("b", 64), rev}[3-pos:]
}

// write makes a stream of a header and lines, with its trailer.
func write(t testing.TB, h *contract.Snapshot, lines ...contract.Line) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, l := range append([]contract.Line{h}, lines...) {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(earlier(h.Position())...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll reads a whole stream.
func readAll(r *Reader) (*contract.Snapshot, []contract.Line, error) {
	h, err := r.Header()
	if err != nil {
		return nil, nil, err
	}
	var lines []contract.Line
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return h, lines, nil
		}
		if err != nil {
			return h, lines, err
		}
		lines = append(lines, l)
	}
}
