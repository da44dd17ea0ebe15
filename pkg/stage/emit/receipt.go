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
	InputSHA256       string                  `json:"input_sha256"` // of the bounded stream before its trailer
	Files             int64                   `json:"files"`        // all files, the root document included
	Bytes             int64                   `json:"bytes"`        // of all files
	Records           map[contract.Kind]int64 `json:"records,omitempty"`
	Documents         *int64                  `json:"documents,omitempty"`
	Refusal           string                  `json:"recovery_refused,omitempty"` // canon-state: why no state was recovered
	Gaps              []tree.Gap              `json:"gaps"`
	Replay            bool                    `json:"replay"` // the stream is a replayed capture: launch no agent
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
func newReceipt(h *contract.Snapshot, input string, r *root) ([]byte, error) {
	receipt := Receipt{
		Receipt: ReceiptVersion, Family: h.Family, CollectionProfile: r.collection,
		FilterVersion: h.FilterVersion, Credentials: h.CredentialsRegistered,
		Program: Program{contract.Program, contract.ProgramVersion}, InputSHA256: input,
		Files: r.files, Bytes: r.bytes, Gaps: r.gaps, Replay: h.Replay,
	}
	if h.Family == contract.FamilyEntity {
		receipt.IndexSHA256, receipt.Records = r.digest, r.records
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
