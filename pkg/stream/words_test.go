package stream_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// readAll reads a bounded stream and gives the first fault.
func readAll(raw []byte) error {
	r := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "test", Position: 3})
	_, err := r.Header()
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Every word of a closed vocabulary is read, and a word beside it is not.
func TestWords(t *testing.T) {
	requirement.Claim(t, "SRC-01", "ID-12", "MAP-26", "CHK-10", "CHK-14", "REV-01", "RUN-02", "ACT-05", "GAP-01", "GAP-02", "COL-02", "COL-06")
	pull := func() *testkit.Stream { return testkit.New(contract.GitHub, contract.ChangeProposal, 3) }
	accept := func(name string, s *testkit.Stream) {
		t.Helper()
		if err := readAll(s.Bytes(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	refuse := func(name string, s *testkit.Stream) {
		t.Helper()
		if readAll(s.Bytes(t)) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, forge := range []contract.Forge{contract.GitHub, contract.GitLab, contract.Forgejo} {
		accept(string(forge), testkit.New(forge, contract.WorkItem, 3))
		accept(string(forge), testkit.New(forge, contract.ChangeProposal, 3))
	}
	for _, state := range []contract.EntityState{"open", "closed", "merged", "locked"} {
		for _, kind := range []contract.EntityKind{contract.WorkItem, contract.ChangeProposal} {
			s := testkit.New(contract.GitHub, kind, 3)
			s.Header.Entity.State = state
			if state == "locked" || state == "merged" && kind == contract.WorkItem {
				refuse(string(kind)+" "+string(state), s)
			} else {
				accept(string(kind)+" "+string(state), s)
			}
		}
	}
	ends := map[contract.Conclusion]bool{
		"success": false, "failure": true, "neutral": false, "cancelled": true, "skipped": true, "timed_out": false, "action_required": false, "stale": false,
	}
	for conclusion, idle := range ends {
		s := pull()
		s.Check(1, testkit.Time(2, "10:00"), "ci", conclusion)
		accept(string(conclusion), s)
		s = pull()
		c := s.Check(1, testkit.Time(2, "10:00"), "ci", conclusion)
		c.NeverStarted, c.StartedAt = true, ""
		if idle {
			accept("never started, "+string(conclusion), s)
		} else {
			refuse("never started, "+string(conclusion), s)
		}
	}
	s := pull()
	s.Check(1, testkit.Time(2, "10:00"), "ci", "startup_failure")
	refuse("startup_failure", s)
	for _, status := range []contract.RunStatus{"success", "failure", "cancelled", "skipped", "timed_out", "neutral"} {
		s := pull()
		s.Run(1, testkit.Time(2, "10:00"), "coder").Status = status
		if status == "neutral" {
			refuse("run "+string(status), s)
		} else {
			accept("run "+string(status), s)
		}
	}
	for _, state := range []contract.ReviewState{"approved", "changes_requested", "commented", "dismissed", "pending"} {
		s := pull()
		s.Review(1, testkit.Time(2, "10:00"), s.ID("actor", 1), "", state)
		if state == "pending" {
			refuse("review "+string(state), s)
		} else {
			accept("review "+string(state), s)
		}
	}
	for _, role := range []string{"admin", "maintain", "write", "triage", "read", "none", "external", "bot", "owner"} {
		s := pull()
		s.Human(2, role)
		if role == "bot" || role == "owner" {
			refuse("human "+role, s)
		} else {
			accept("human "+role, s)
		}
	}
	for _, scope := range []contract.Scope{"entity", "comments", "reviews", "checks", "check_logs", "agent_runs", "actors", "logs"} {
		for _, code := range []contract.GapCode{
			"profile_bound", "history_unavailable", "unsupported", "authorization_failed", "fetch_failed", "source_too_large", "invalid_metadata",
			"unsafe_content", "unsupported_entity",
		} {
			s := pull()
			s.Gap(scope, code, 1)
			if scope == "logs" || code == "unsupported_entity" {
				refuse(string(scope)+"/"+string(code), s)
			} else {
				accept(string(scope)+"/"+string(code), s)
			}
		}
	}
	for _, role := range []string{"triage", "write", "read", "admin", ""} {
		s := pull()
		s.Header.Collection.HumanMinRole = role
		if role == "triage" || role == "write" {
			accept("threshold "+role, s)
		} else {
			refuse("threshold "+role, s)
		}
	}
	for _, selection := range []contract.LogSelection{"none", "failed", "all", "newest"} {
		s := pull()
		s.Header.Collection.CheckLogSelection = selection
		if selection == "failed" || selection == "all" {
			accept("logs "+string(selection), s)
		} else {
			refuse("logs "+string(selection), s)
		}
	}
}

// Bounds start at 1, that of labels at 0.
func TestLeastBounds(t *testing.T) {
	requirement.Claim(t, "COL-08", "AMB-51")
	for name, c := range map[string]struct {
		bound func(*contract.Bounds) *int64
		least int64
	}{
		"max_records_per_source":    {func(b *contract.Bounds) *int64 { return &b.MaxRecordsPerSource }, 1},
		"max_source_bytes":          {func(b *contract.Bounds) *int64 { return &b.MaxSourceBytes }, 1},
		"max_record_bytes":          {func(b *contract.Bounds) *int64 { return &b.MaxRecordBytes }, 1},
		"max_log_bytes":             {func(b *contract.Bounds) *int64 { return &b.MaxLogBytes }, 1},
		"max_metadata_string_bytes": {func(b *contract.Bounds) *int64 { return &b.MaxMetadataStringBytes }, 1},
		"max_labels":                {func(b *contract.Bounds) *int64 { return &b.MaxLabels }, 0},
	} {
		for _, value := range []int64{c.least - 1, c.least, c.least + 1, 1<<53 - 1, 1 << 53} {
			s := testkit.New(contract.GitHub, contract.WorkItem, 3)
			*c.bound(&s.Header.Collection.Bounds) = value
			most := int64(1<<53 - 1)
			if name == "max_source_bytes" {
				most = 64 << 20
			}
			err := readAll(s.Bytes(t))
			if good := value >= c.least && value <= most; good != (err == nil) {
				t.Errorf("%s of %d: %v", name, value, err)
			}
		}
	}
}
