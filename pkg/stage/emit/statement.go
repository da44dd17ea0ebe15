package emit

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/statement"
	"snapline/pkg/fault"
)

// Statement asks for an in-toto Statement about the tree. It is the same for the same
// stream, capture and builder.
type Statement struct {
	Path      string // must not exist
	BuilderID string // a URI
	// Capture gives the digest of the bytes of the stored capture that fetch wrote, and
	// that of its stream. It is called when the stream has ended. nil: no capture is named.
	Capture func() (stored, stream string, err error)
}

func newStatementFile(cfg Config) (*sideFile, error) {
	if cfg.Statement == nil {
		return nil, nil
	}
	return newSideFile(cfg.FS, "statement", cfg.Statement.Path)
}

// state writes the statement about a tree that was built from the stream with header and
// chain.
func (r *sideFile) state(s *Statement, header *contract.Snapshot, chain []string, built *root) error {
	if r == nil {
		return nil
	}
	facts := statement.Facts{
		Header: header, Chain: chain, IndexSHA256: built.digest, CollectionProfile: built.collection, Gaps: built.gaps, BuilderID: s.BuilderID,
	}
	if s.Capture != nil {
		stored, stream, err := s.Capture()
		switch {
		case err != nil:
			return err
		case stream != chain[0]:
			return fault.New(fault.Input, "statement.capture", "the capture is not that from which the stream came")
		}
		facts.CaptureSHA256 = stored
	}
	content, err := statement.New(facts).Bytes()
	if err != nil {
		return err
	}
	return r.write(content)
}
