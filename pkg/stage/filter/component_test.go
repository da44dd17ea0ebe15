package filter

import (
	"errors"
	"testing"

	"snapline/pkg/document"
	"snapline/pkg/fault"
	"snapline/pkg/record"
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
	return safety.Result{Status: record.Unchanged, Text: source}, nil
}

// An error of the engine is no finding and no gap, whatever text it is about: the run
// ends, and nothing goes on in its place.
func TestFailedDetectorAborts(t *testing.T) {
	requirement.Claim(t, "ABT-08", "AMB-56")
	login := "somebody"
	bounds := record.Bounds{MaxSourceBytes: 100, MaxMetadataStringBytes: 100}
	header := func() *record.Snapshot {
		return &record.Snapshot{
			Family: record.FamilyEntity, Source: record.Source{Forge: record.GitHub, Host: "github.com", RepositoryID: "R_1", Repository: "a/b"},
			Entity: record.Entity{ID: "I_1", Title: "A title", Labels: []string{"bug"}}, Collection: &record.Collection{Bounds: bounds},
		}
	}
	family := func(raw []byte) (document.Reading, error) {
		return document.Reading{Texts: []document.Text{{Value: string(raw)}}}, nil
	}
	for name, c := range map[string]struct {
		kind safety.Kind
		line record.Line
	}{
		"path":     {safety.Structural, &record.Thread{Path: "a.go"}},
		"login":    {safety.Display, &record.Actor{Login: &login}},
		"check":    {safety.Display, &record.Check{Name: "lint"}},
		"agent":    {safety.Display, &record.Run{Agent: "coder"}},
		"body":     {safety.Body, &record.Record{Kind: record.KindComment, Content: record.Text([]byte("x\n"))}},
		"entity":   {safety.Body, &record.Record{Kind: record.KindEntity, Content: record.Text([]byte("x\n"))}},
		"log":      {safety.Log, &record.Log{Content: record.Text([]byte("x\n"))}},
		"document": {safety.Body, &record.Document{Raw: []byte("x"), HasRaw: true}},
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
