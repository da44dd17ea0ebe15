package tree

import (
	"strconv"

	"snapline/pkg/contract"
)

// Files of a tree of documents, the output of the two document families. ManifestPath
// is its root document.
const (
	ManifestPath  = "manifest.json"
	RecoveredPath = "recovered/_SESSION_STATE.json"
)

// Manifest is manifest.json: every other file of a tree of documents, in stream order,
// and what is missing.
type Manifest struct {
	Chain         *Chain             `json:"chain,omitempty"` // canon-state only
	Documents     []ManifestDocument `json:"documents"`
	Family        contract.Family    `json:"family"`
	FilterVersion string             `json:"filter_version"`
	Gaps          []Gap              `json:"gaps"`
	Limits        Limits             `json:"limits"`
	Recovered     *RecoveredState    `json:"recovered,omitempty"` // absent: no recovery is allowed
	SchemaVersion int64              `json:"schema_version"`
}

// Limits are the bounds that the documents were held to.
type Limits struct {
	MaxDocumentBytes int64              `json:"max_document_bytes"`
	MaxDocuments     int64              `json:"max_documents"`
	Selection        contract.Selection `json:"selection"`
}

// ManifestDocument is one document; a rejected one has neither path nor bytes, and its
// sha256 is that of the bytes that were rejected.
type ManifestDocument struct {
	Bytes   *int64 `json:"bytes,omitempty"`
	Filter  Filter `json:"filter"`
	Format  string `json:"format"`
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`
	SHA256  string `json:"sha256"`
	Strings int64  `json:"strings"`
}

// Chain is the verdict on the documents as one chain, and why no state may be
// recovered from it, if so.
type Chain struct {
	Finding     string `json:"finding,omitempty"`
	FirstBadSeq string `json:"first_bad_seq,omitempty"` // decimal
	Refusal     string `json:"recovery_refused,omitempty"`
	Verdict     string `json:"verdict"`
}

// RecoveredState is the file of the recovered state.
type RecoveredState struct {
	Bytes  int64  `json:"bytes"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// DocumentPath gives the path of the document that is the n-th of its stream, from 1.
func DocumentPath(n int, name string) string {
	return "documents/" + strconv.Itoa(n) + "-" + name + ".json"
}

// ValidDocumentName reports whether a name can stand in a document's path: letters,
// digits, ".", "_" and "-", at most 128 bytes.
func ValidDocumentName(name string) bool {
	if name == "" || len(name) > 128 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
