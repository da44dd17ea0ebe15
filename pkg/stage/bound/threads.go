package bound

import "snapline/pkg/contract"

// thread removes from a thread what is not a written comment with a body: its
// records, its reply edges, its review (THR-08, AMB-17, AMB-55). A thread without
// records vanishes without a gap (THR-09, AMB-71).
func (s *stage) thread(t *contract.Thread) error {
	members := map[string]bool{}
	keys := make([]string, 0, len(t.RecordKeys))
	for _, key := range t.RecordKeys {
		if s.present[key] == contract.KindComment {
			members[key] = true
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		s.note(contract.Describe(t), contract.ScopeReviews, "none of its comments is retained; it vanishes")
		return nil
	}
	replies := make([]contract.Reply, 0, len(t.Replies))
	for _, reply := range t.Replies {
		if members[reply.RecordKey] && members[reply.ParentRecordKey] {
			replies = append(replies, reply)
		}
	}
	t.RecordKeys, t.Replies = keys, replies
	if s.present[t.ReviewRecordKey] != contract.KindReview {
		t.ReviewID, t.ReviewRecordKey = "", ""
	}
	s.reference(t.ResolvedByActorID)
	return s.write(t)
}
