package tree

import "snapline/pkg/contract"

// Member is a member of a line by name and value, which is "" where it is absent.
type Member struct{ Name, Value string }

// Structural gives the structural strings of a line by the names of their members:
// what comes from the forge and is never rewritten or cut, so that
// max_metadata_string_bytes makes a longer one invalid (STR-06, AMB-33). Generated
// keys, digests, timestamps and words of a vocabulary are none.
func Structural(l contract.Line) []Member {
	switch l := l.(type) {
	case *contract.Snapshot:
		return []Member{
			{"source.host", l.Source.Host},
			{"source.repository", l.Source.Repository},
			{"source.repository_id", l.Source.RepositoryID},
			{"entity.id", l.Entity.ID},
			{"head_sha", l.HeadSHA},
		}
	case *contract.Actor:
		return []Member{{"id", l.ID}}
	case *contract.Record:
		return []Member{{"id", l.ID}, {"reviewed_sha", l.ReviewedSHA}}
	case *contract.Thread:
		return []Member{{"id", l.ID}, {"reviewed_sha", l.ReviewedSHA}, {"path", l.Path}}
	case *contract.Check:
		return []Member{{"id", l.ID}, {"head_sha", l.HeadSHA}}
	case *contract.Run:
		return []Member{{"id", l.ID}, {"input_head_sha", l.InputHeadSHA}, {"resulting_commit_sha", l.ResultingCommitSHA}}
	}
	return nil
}

// RepliesOrdered reports whether the reply edges of a thread stand in the order of its
// records, one for each at most, and lead to another record (THR-07).
func RepliesOrdered(t *contract.Thread) bool {
	place := make(map[string]int, len(t.RecordKeys))
	for i, key := range t.RecordKeys {
		place[key] = i
	}
	last := -1
	for _, r := range t.Replies {
		if place[r.RecordKey] <= last || r.RecordKey == r.ParentRecordKey {
			return false
		}
		last = place[r.RecordKey]
	}
	return true
}
