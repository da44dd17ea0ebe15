package emit

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
)

// Receipt is what emit prints: one line of canonical JSON with the root of trust and
// counts, never text. Its schema is schemas/receipt/v1.
type Receipt struct {
	Receipt           string                  `json:"receipt"` // "snapline-receipt/1"
	Family            contract.Family         `json:"family"`
	IndexSHA256       string                  `json:"index_sha256,omitempty"`    // entity family: of index.json
	ManifestSHA256    string                  `json:"manifest_sha256,omitempty"` // document families: of manifest.json
	CollectionProfile string                  `json:"collection_profile,omitempty"`
	FilterVersion     string                  `json:"filter_version"`
	Credentials       int64                   `json:"credentials_registered"`
	Program           Program                 `json:"program"`
	Stages            []Stage                 `json:"stages"`
	Subject           *Subject                `json:"subject,omitempty"`     // entity family
	Acquisition       *Acquisition            `json:"acquisition,omitempty"` // as the stream's header has it
	InputSHA256       string                  `json:"input_sha256"`          // of the bounded stream before its trailer
	Chain             []string                `json:"chain"`                 // of the streams of fetch, filter and bound before their trailers
	Files             int64                   `json:"files"`                 // all files, the root document included
	Bytes             int64                   `json:"bytes"`                 // of all files
	Records           map[contract.Kind]int64 `json:"records,omitempty"`
	Documents         *int64                  `json:"documents,omitempty"`
	Refusal           string                  `json:"recovery_refused,omitempty"` // canon-state: why no state was recovered
	Gaps              []tree.Gap              `json:"gaps"`
	Replay            bool                    `json:"replay"` // the stream is a replayed capture: launch no agent
}

// Subject is what the tree is about, by the names that the forge gives it.
type Subject struct {
	Forge        contract.Forge      `json:"forge"`
	Host         string              `json:"host"`
	Repository   string              `json:"repository"`
	RepositoryID string              `json:"repository_id"`
	Kind         contract.EntityKind `json:"kind"`
	ID           string              `json:"id"`
	Number       int64               `json:"number"`
	HeadSHA      string              `json:"head_sha,omitempty"`
}

// Acquisition says what was asked for, and when the forge answered by its own clock.
type Acquisition struct {
	Address     string `json:"address,omitempty"`
	ProfileName string `json:"profile_name,omitempty"`
	RequestID   string `json:"request_id,omitempty"`
	Date        string `json:"date,omitempty"`
	NotAfter    string `json:"not_after,omitempty"`
}

// Program names the program that wrote the tree.
type Program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Stage is one stage of the chain that wrote the stream.
type Stage struct {
	Stage   string `json:"stage"`
	Program string `json:"program"`
	Version string `json:"version"`
}

// ReceiptVersion names the form of a receipt.
const ReceiptVersion = "snapline-receipt/1"

// newReceipt gives the receipt's line.
func newReceipt(h *contract.Snapshot, chain []string, r *root) ([]byte, error) {
	receipt := Receipt{
		Receipt: ReceiptVersion, Family: h.Family, CollectionProfile: r.collection,
		FilterVersion: h.FilterVersion, Credentials: h.CredentialsRegistered,
		Program: Program{contract.Program, contract.ProgramVersion}, InputSHA256: chain[len(chain)-1], Chain: chain,
		Files: r.files, Bytes: r.bytes, Gaps: r.gaps, Replay: h.Replay,
	}
	if h.Family == contract.FamilyEntity {
		receipt.IndexSHA256, receipt.Records = r.digest, r.records
		receipt.Subject = &Subject{
			Forge: h.Source.Forge, Host: h.Source.Host, Repository: h.Source.Repository, RepositoryID: h.Source.RepositoryID,
			Kind: h.Entity.Kind, ID: h.Entity.ID, Number: h.Entity.Number, HeadSHA: h.HeadSHA,
		}
		if h.Acquisition != nil {
			acquisition := Acquisition(*h.Acquisition)
			receipt.Acquisition = &acquisition
		}
	} else {
		receipt.ManifestSHA256, receipt.Documents, receipt.Refusal = r.digest, &r.documents, r.refusal
	}
	for _, s := range h.Stages {
		receipt.Stages = append(receipt.Stages, Stage(s))
	}
	line, err := canonicaljson.Marshal(receipt)
	return append(line, '\n'), err
}

// receiptFile is the copy of the receipt that --receipt asks for: for audits, never a
// root of trust. Its path is checked before anything is read; the file is written
// right before the tree appears and removed if that fails.
type receiptFile struct {
	path    string
	name    string
	dir     disk.Dir
	written bool
}

func newReceiptFile(fsys disk.FS, path string) (*receiptFile, error) {
	if path == "" {
		return nil, nil
	}
	dir, err := fsys.Dir(filepath.Dir(path))
	if err != nil {
		return nil, unusable(path, "the directory of the receipt cannot be opened", err)
	}
	r := &receiptFile{path: path, name: filepath.Base(path), dir: dir}
	_, err = dir.Stat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err == nil:
		err = receiptFault(fault.Usage, path, "the path exists; --receipt must not exist", nil)
	default:
		err = unusable(path, "it cannot be told whether the path exists", err)
	}
	return nil, errors.Join(err, dir.Close())
}

// write creates the file, mode 0600, and checks that it is written and closed.
func (r *receiptFile) write(receipt []byte) error {
	if r == nil {
		return nil
	}
	file, err := r.dir.Create(r.name)
	if err != nil {
		return receiptFault(fault.Environment, r.path, "the receipt cannot be created", err)
	}
	r.written = true
	n, err := file.Write(receipt)
	if err == nil && n < len(receipt) {
		err = io.ErrShortWrite
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return receiptFault(fault.Environment, r.path, "the receipt cannot be written", err)
	}
	return nil
}

// close releases the directory and removes the file unless the run has succeeded.
func (r *receiptFile) close(keep bool) error {
	if r == nil {
		return nil
	}
	var err error
	if r.written && !keep {
		err = r.dir.Remove(r.name)
	}
	if err = errors.Join(err, r.dir.Close()); err != nil && !keep {
		return receiptFault(fault.Environment, r.path, "the receipt of a failed run cannot be removed", err)
	}
	return nil
}

// unusable is a usage error for a path at which nothing can be made.
func unusable(path, detail string, err error) error {
	if errno, no := disk.NoPlace(err); no {
		return receiptFault(fault.Usage, path, detail, errno)
	}
	return receiptFault(fault.Environment, path, detail, err)
}

func receiptFault(exit fault.Exit, path, detail string, err error) error {
	return &fault.Error{Exit: exit, File: path, Rule: "receipt.file", Detail: detail, Cause: err}
}
