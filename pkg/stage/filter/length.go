package filter

import (
	"fmt"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// lengths judges the length of structural strings, before anybody is admitted: they are
// never cut, so a longer one costs its object (STR-06, AMB-33, AMB-91).
type lengths struct {
	most int64           // max_metadata_string_bytes; 0 for the document families
	gone map[string]bool // record keys of checks that were dropped
}

func newLengths(h *contract.Snapshot) *lengths {
	n := &lengths{gone: map[string]bool{}}
	if h.Collection != nil {
		n.most = h.Collection.Bounds.MaxMetadataStringBytes
	}
	return n
}

// header aborts where one is too long that no tree can be without. An author whose id is
// too long is none.
func (n *lengths) header(it *item, h *contract.Snapshot) error {
	if name := n.tooLong(h); name != "" {
		return abort(it, "filter.structural-length", contract.InvalidMetadata,
			fmt.Sprintf("%s is longer than max_metadata_string_bytes, %d", name, n.most), "use a profile with a larger max_metadata_string_bytes")
	}
	h.Entity.AuthorID = n.account(h.Entity.AuthorID)
	return nil
}

// tooLong names the first structural string of a line that is too long, or "".
func (n *lengths) tooLong(l contract.Line) string {
	if n.most == 0 {
		return ""
	}
	for _, m := range tree.Structural(l) {
		if int64(len(m.Value)) > n.most {
			return m.Name
		}
	}
	return ""
}

// account gives a reference to an account, or none where its id is too long: such an
// account has no line.
func (n *lengths) account(id *string) *string {
	if id == nil || n.most > 0 && int64(len(*id)) > n.most {
		return nil
	}
	return id
}

// judge looks at one line after the header.
func (n *lengths) judge(it *item) {
	name := n.tooLong(it.line)
	switch l := it.line.(type) {
	case *contract.Actor:
		if name != "" {
			it.line = nil
			it.notices = append(it.notices, fault.Notice{
				Line: it.no, Record: it.name, Scope: string(contract.ScopeActors), Text: "left out: its id is too long; what it did has no author",
			})
		}
		return
	case *contract.Log:
		if n.gone[l.RecordKey] {
			it.line = nil // counted with its check
		}
		return
	case *contract.Record:
		l.AuthorID, l.EditorID, l.DismissedBy = n.account(l.AuthorID), n.account(l.EditorID), n.account(l.DismissedBy)
	case *contract.Thread:
		l.ResolvedByActorID = n.account(l.ResolvedByActorID)
		if l.ReviewID != "" && n.account(&l.ReviewID) == nil { // its review is gone, and was counted
			l.ReviewID, l.ReviewRecordKey = "", ""
		}
	case *contract.Check:
		n.gone[l.RecordKey] = name != ""
	case *contract.Run:
		l.PublisherID = n.account(l.PublisherID)
	}
	if name != "" {
		it.drop(scopeOf(it.line), contract.InvalidMetadata, name+" is longer than max_metadata_string_bytes")
	}
}
