package bound

import "snapline/pkg/contract"

// flushDocuments writes the retained documents of the two document families: whole
// or not at all. A document over max_document_bytes is left out; a rejected one keeps
// its line without bytes.
func (s *stage) flushDocuments() error {
	for _, d := range s.documents.take() {
		switch {
		case d.HasRaw && int64(len(d.Raw)) > s.header.Limits.MaxDocumentBytes:
			s.miss(documentName(d), contract.ScopeDocuments, contract.SourceTooLarge)
			continue
		case !d.HasRaw:
			s.count(contract.ScopeDocuments, contract.UnsafeContent)
		}
		if err := s.write(d); err != nil {
			return err
		}
	}
	return nil
}

func documentName(d *contract.Document) string { return "document " + d.Name }
