package filter

import (
	"errors"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/family/document"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
)

// failing is an engine of which a detector is not available for texts of one kind.
type failing struct{ kind safety.Kind }

var errDetector = errors.New("a detector is not available")

func (f failing) Filter(kind safety.Kind, source []byte) (safety.Result, error) {
	if kind == f.kind {
		return safety.Result{}, errDetector
	}
	return safety.Result{Status: contract.Unchanged, Text: source}, nil
}

// An error of the engine is no finding and no gap, whatever text it is about: the run
// ends, and nothing goes on in its place.
func TestFailedDetectorAborts(t *testing.T) {
	requirement.Claim(t, "ABT-08", "AMB-56")
	login := "somebody"
	bounds := contract.Bounds{MaxSourceBytes: 100, MaxMetadataStringBytes: 100}
	header := func() *contract.Snapshot {
		return &contract.Snapshot{
			Family: contract.FamilyEntity, Source: contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_1", Repository: "a/b"},
			Entity: contract.Entity{ID: "I_1", Title: "A title", Labels: []string{"bug"}}, Collection: &contract.Collection{Bounds: bounds},
		}
	}
	family := func(raw []byte) (document.Reading, error) {
		return document.Reading{Texts: []document.Text{{Value: string(raw)}}}, nil
	}
	for name, c := range map[string]struct {
		kind safety.Kind
		line contract.Line
	}{
		"path":     {safety.Structural, &contract.Thread{Path: "a.go"}},
		"login":    {safety.Display, &contract.Actor{Login: &login}},
		"check":    {safety.Display, &contract.Check{Name: "lint"}},
		"agent":    {safety.Display, &contract.Run{Agent: "coder"}},
		"body":     {safety.Body, &contract.Record{Kind: contract.KindComment, Content: contract.Text([]byte("x\n"))}},
		"entity":   {safety.Body, &contract.Record{Kind: contract.KindEntity, Content: contract.Text([]byte("x\n"))}},
		"log":      {safety.Log, &contract.Log{Content: contract.Text([]byte("x\n"))}},
		"document": {safety.Body, &contract.Document{Raw: []byte("x"), HasRaw: true}},
	} {
		it := item{line: c.line, no: 7}
		(&text{worker: failing{c.kind}, bounds: bounds, family: family}).filter(&it)
		var e *fault.Error
		if !errors.As(it.err, &e) || e.Exit != fault.Aborted || e.Rule != "filter.component" || e.Scope != "" || e.Line != 7 || !errors.Is(it.err, errDetector) {
			t.Errorf("%s: %v", name, it.err)
		}
		if it.gap != (gap{}) {
			t.Errorf("%s: counted as %v", name, it.gap)
		}
	}
	for _, kind := range []safety.Kind{safety.Structural, safety.Display} {
		h := header()
		it := item{line: h, no: 1}
		err := (&text{worker: failing{kind}, bounds: bounds}).header(&it, h, Config{})
		if !errors.Is(err, errDetector) || fault.ExitOf(err) != fault.Aborted {
			t.Errorf("header, kind %v: %v", kind, err)
		}
	}
}
