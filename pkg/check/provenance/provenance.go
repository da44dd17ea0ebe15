// Package provenance holds the statement about a tree against the tree and the streams
// that it came from: every digest, and everything else that they say too. Who made the
// statement only its signature tells, which is the business of other tools.
package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"snapline/pkg/contract"
	"snapline/pkg/contract/statement"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/schema"
	"snapline/schemas"
)

// MaxBytes bounds a statement.
const MaxBytes = 1 << 20

// The rules of a statement.
const (
	ruleJSON      = "statement.not-json"
	ruleCanonical = "statement.not-canonical"
	ruleSchema    = "statement.schema"
	ruleDiffers   = "statement.differs"
)

// Known is what a verified tree says, and who is expected to vouch for it.
type Known struct {
	BuilderID   string // "": anybody
	IndexSHA256 string
	Index       tree.Index
	Collection  tree.Collection
	Entity      tree.Entity
}

// Stream is what a stream of the run says, read to its end.
type Stream struct {
	Header *contract.Snapshot
	Chain  []string // its own digest is the last
	SHA256 string   // of the bytes of its file as they are stored
}

var bundle = sync.OnceValues(func() (*schema.Bundle, error) { return schema.Load(schemas.Files, "statement/v1") })

// Check judges the statement in raw, which name names in findings.
func Check(name string, raw []byte, k Known, streams []Stream) ([]finding.Finding, error) {
	var list finding.List
	add := func(rule, position, detail string) {
		list.Add(finding.Finding{Rule: rule, Path: name, Position: position, Detail: detail})
	}
	text := bytes.TrimSuffix(raw, []byte("\n"))
	if err := canonicaljson.Check(text); err != nil {
		var differs *canonicaljson.NotCanonicalError
		if errors.As(err, &differs) {
			add(ruleCanonical, "byte "+strconv.Itoa(differs.Offset), "a statement is one line of canonical JSON")
		} else {
			add(ruleJSON, "", "not strict JSON")
		}
		return list.Sorted(), nil
	}
	shape, err := bundle()
	if err != nil {
		return nil, component(name, err)
	}
	violations, err := shape.Check("statement.schema.json", text)
	if err != nil {
		return nil, component(name, err)
	}
	for _, v := range violations {
		add(ruleSchema, v.Position, strings.TrimSuffix(v.Keyword+", "+v.Detail, ", "))
	}
	if len(violations) > 0 {
		return list.Sorted(), nil
	}
	var said, known statement.Statement
	if err := errors.Join(json.Unmarshal(text, &said), json.Unmarshal(text, &known)); err != nil {
		return nil, component(name, err)
	}
	for i, name := range [...]string{statement.GapsName, contract.StageNames[1], contract.StageNames[2]} {
		if said.Predicate.RunDetails.Byproducts[i].Name != name {
			add(ruleSchema, "/predicate/runDetails/byproducts/"+strconv.Itoa(i)+"/name", "the gaps come first, then filter and bound")
			return list.Sorted(), nil
		}
	}
	k.correct(&known)
	for _, s := range streams {
		s.correct(&known)
	}
	want, err := canonicaljson.Marshal(known)
	if err != nil {
		return nil, component(name, err)
	}
	for _, place := range differences(text, want) {
		add(ruleDiffers, place, "the tree or a stream says otherwise")
	}
	return list.Sorted(), nil
}

func component(name string, cause error) error {
	return &fault.Error{Exit: fault.Aborted, File: name, Rule: "schema.evaluation", Detail: "the statement could not be judged", Cause: cause}
}

// correct puts into a statement what the tree says.
func (k *Known) correct(s *statement.Statement) {
	about, source := &s.Subject[0].Annotations, k.Index.Source
	s.Subject[0].Digest["sha256"] = k.IndexSHA256
	about.Forge, about.Host, about.Repository, about.RepositoryID = source.Forge, source.Host, source.Repository, source.RepositoryID
	about.Kind, about.ID, about.Number = k.Index.Entity.Kind, k.Index.Entity.ID, k.Entity.Number
	build := &s.Predicate.BuildDefinition
	build.External.Profile.CollectionProfile = k.Index.CollectionProfile
	build.Internal.FilterVersion, build.Internal.HumanMinRole = k.Index.FilterVersion, k.Collection.Admission.HumanMinRole
	if k.BuilderID != "" {
		s.Predicate.RunDetails.Builder.ID = k.BuilderID
	}
	gaps := k.Index.Gaps
	s.Predicate.RunDetails.Byproducts[0].Annotations.Gaps = &gaps
}

// correct puts into a statement what a stream says, and what it says of those before it.
func (s *Stream) correct(st *statement.Statement) {
	h, build := s.Header, &st.Predicate.BuildDefinition
	capture, byproducts := &build.Dependencies[0], st.Predicate.RunDetails.Byproducts
	for i, digest := range s.Chain {
		of := &capture.Annotations
		if i > 0 {
			of = &byproducts[i].Annotations
		}
		of.StreamSHA256, of.Program, of.Version = digest, h.Stages[i].Program, h.Stages[i].Version
	}
	if h.Position() == 1 && capture.Digest != nil {
		capture.Digest["sha256"] = s.SHA256
	}
	about := &st.Subject[0].Annotations
	about.Number, about.HeadSHA = h.Entity.Number, h.HeadSHA
	build.Internal.Replay = h.Replay
	if h.Position() > 1 {
		build.Internal.CredentialsRegistered = h.CredentialsRegistered
	}
	acquisition := contract.Acquisition{}
	if h.Acquisition != nil {
		acquisition = *h.Acquisition
	}
	if h.Position() == 3 { // filter leaves out what it would have to change
		build.External.Address, build.External.NotAfter = acquisition.Address, acquisition.NotAfter
		build.External.RequestID, build.External.Profile.Name = acquisition.RequestID, acquisition.ProfileName
		capture.URI, capture.Annotations.Date = acquisition.Address, acquisition.Date
	}
}

// differences gives the JSON Pointers of the values that differ between two JSON texts.
func differences(a, b []byte) []string {
	var x, y any
	if errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)) != nil {
		return []string{""}
	}
	var out []string
	compare("", x, y, func(place string) { out = append(out, place) })
	return out
}

func compare(place string, x, y any, differ func(string)) {
	switch a := x.(type) {
	case map[string]any:
		if b, ok := y.(map[string]any); ok {
			names := slices.Sorted(maps.Keys(a))
			for name := range b {
				if _, both := a[name]; !both {
					names = append(names, name)
				}
			}
			for _, name := range names {
				compare(place+"/"+name, a[name], b[name], differ)
			}
			return
		}
	case []any:
		if b, ok := y.([]any); ok && len(a) == len(b) {
			for i := range a {
				compare(place+"/"+strconv.Itoa(i), a[i], b[i], differ)
			}
			return
		}
	default:
		if x == y {
			return
		}
	}
	differ(place)
}
