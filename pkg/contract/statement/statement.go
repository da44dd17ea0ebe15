// Package statement makes and reads the in-toto Statement about one tree: subject is its
// root document, the predicate SLSA provenance. A statement is a claim that others may
// sign; it holds digests, versions, identities and counts, never text of the entity, and
// no clock but the forge's.
//
// Every member with the name sha256 is the digest of whole bytes that somebody can hash:
// index.json, or the capture as it is stored. The digest of a stream is that of its bytes
// before its end line; it stands in annotations, with these words.
package statement

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
)

// The types of a statement.
const (
	Type          = "https://in-toto.io/Statement/v1"
	PredicateType = "https://slsa.dev/provenance/v1"
	BuildType     = "https://snapline.invalid/buildtypes/snapshot/v1"
)

// StreamDefinition says what stream_sha256 is.
const StreamDefinition = "SHA-256 of all bytes of the stream before its end line"

// Statement is the in-toto Statement, version 1. The members of its predicate are those of
// SLSA provenance, version 1.
type Statement struct {
	Type          string     `json:"_type"`
	Subject       []Resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     Predicate  `json:"predicate"`
}

// Predicate is SLSA provenance.
type Predicate struct {
	BuildDefinition BuildDefinition `json:"buildDefinition"`
	RunDetails      RunDetails      `json:"runDetails"`
}

// BuildDefinition says what was asked for and what went in.
type BuildDefinition struct {
	BuildType    string     `json:"buildType"`
	External     External   `json:"externalParameters"`
	Internal     Internal   `json:"internalParameters"`
	Dependencies []Resource `json:"resolvedDependencies"`
}

// External is what the caller chose.
type External struct {
	Address   string  `json:"address,omitempty"`
	NotAfter  string  `json:"not_after,omitempty"`
	Profile   Profile `json:"profile"`
	RequestID string  `json:"request_id,omitempty"`
}

// Profile names the profile; collection_profile is the digest of collection.json, which
// holds its values.
type Profile struct {
	CollectionProfile string `json:"collection_profile"`
	Name              string `json:"name,omitempty"`
}

// Internal is what the run was under.
type Internal struct {
	CredentialsRegistered int64  `json:"credentials_registered"`
	FilterVersion         string `json:"filter_version"`
	HumanMinRole          string `json:"human_min_role"`
	Replay                bool   `json:"replay"`
}

// RunDetails says who vouches for the run, and what else came of it.
type RunDetails struct {
	Builder    Builder    `json:"builder"`
	Byproducts []Resource `json:"byproducts"`
}

// Builder is who runs snapline.
type Builder struct {
	ID string `json:"id"`
}

// Resource is a resource descriptor.
type Resource struct {
	Name        string            `json:"name"`
	URI         string            `json:"uri,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	MediaType   string            `json:"mediaType,omitempty"`
	Annotations Annotations       `json:"annotations"`
}

// Annotations are those of all resources together; each has some of them.
type Annotations struct {
	// Of the subject: what the tree is about.
	Forge        contract.Forge      `json:"forge,omitempty"`
	Host         string              `json:"host,omitempty"`
	Repository   string              `json:"repository,omitempty"`
	RepositoryID string              `json:"repository_id,omitempty"`
	Kind         contract.EntityKind `json:"kind,omitempty"`
	ID           string              `json:"id,omitempty"`
	Number       int64               `json:"number,omitempty"`
	HeadSHA      string              `json:"head_sha,omitempty"`

	// Of the capture: the forge's clock at its first answer.
	Date string `json:"date,omitempty"`

	// Of a stage's stream, the capture included.
	StreamSHA256 string `json:"stream_sha256,omitempty"`
	Definition   string `json:"stream_sha256_definition,omitempty"`
	Program      string `json:"program,omitempty"`
	Version      string `json:"version,omitempty"`

	// Of the gaps.
	Gaps *[]tree.Gap `json:"gaps,omitempty"`
}

// Facts is all that a statement says.
type Facts struct {
	Header            *contract.Snapshot // of the bounded stream
	Chain             []string           // digests of the three streams
	IndexSHA256       string
	CollectionProfile string
	Gaps              []tree.Gap
	CaptureSHA256     string // of the stored capture's bytes; "" when it is not at hand
	BuilderID         string
}

// The names of the resources.
const (
	Capture   = "capture"
	GapsName  = "gaps"
	mediaType = "application/json"
)

// New makes the statement of a tree of an entity.
func New(f Facts) *Statement {
	h := f.Header
	acquisition := contract.Acquisition{}
	if h.Acquisition != nil {
		acquisition = *h.Acquisition
	}
	capture := Resource{Name: Capture, URI: acquisition.Address, Annotations: stage(h, f.Chain, 0)}
	capture.Annotations.Date = acquisition.Date
	if f.CaptureSHA256 != "" {
		capture.Digest = map[string]string{"sha256": f.CaptureSHA256}
	}
	gaps := f.Gaps
	if gaps == nil {
		gaps = []tree.Gap{}
	}
	byproducts := []Resource{{Name: GapsName, Annotations: Annotations{Gaps: &gaps}}}
	for i := range h.Stages {
		if i > 0 {
			byproducts = append(byproducts, Resource{Name: h.Stages[i].Stage, Annotations: stage(h, f.Chain, i)})
		}
	}
	return &Statement{
		Type: Type, PredicateType: PredicateType,
		Subject: []Resource{{
			Name: tree.IndexPath, Digest: map[string]string{"sha256": f.IndexSHA256}, MediaType: mediaType,
			Annotations: Annotations{
				Forge: h.Source.Forge, Host: h.Source.Host, Repository: h.Source.Repository, RepositoryID: h.Source.RepositoryID,
				Kind: h.Entity.Kind, ID: h.Entity.ID, Number: h.Entity.Number, HeadSHA: h.HeadSHA,
			},
		}},
		Predicate: Predicate{
			BuildDefinition: BuildDefinition{
				BuildType: BuildType,
				External: External{
					Address: acquisition.Address, NotAfter: acquisition.NotAfter, RequestID: acquisition.RequestID,
					Profile: Profile{f.CollectionProfile, acquisition.ProfileName},
				},
				Internal: Internal{
					CredentialsRegistered: h.CredentialsRegistered, FilterVersion: h.FilterVersion,
					HumanMinRole: h.Collection.HumanMinRole, Replay: h.Replay,
				},
				Dependencies: []Resource{capture},
			},
			RunDetails: RunDetails{
				Builder:    Builder{f.BuilderID},
				Byproducts: byproducts,
			},
		},
	}
}

// stage gives the annotations of the stream of the n-th stage.
func stage(h *contract.Snapshot, chain []string, n int) Annotations {
	return Annotations{StreamSHA256: chain[n], Definition: StreamDefinition, Program: h.Stages[n].Program, Version: h.Stages[n].Version}
}

// Bytes gives the canonical bytes of a statement with a line feed.
func (s *Statement) Bytes() ([]byte, error) {
	b, err := canonicaljson.Marshal(s)
	return append(b, '\n'), err
}
