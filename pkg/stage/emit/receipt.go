package emit

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
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
