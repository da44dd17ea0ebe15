package forgetest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/safety"
	"snapline/pkg/stage/filter"
	"snapline/pkg/stream"
)

//go:embed testdata/scenarios.ndjson
var scenarios []byte

// scenarioFloor is how many scenarios there are at least.
const scenarioFloor = 35

// Case is one scenario: a failure of another tool, as a test.
type Case struct {
	ID     string `json:"id"`
	Given  json.RawMessage
	Expect json.RawMessage
}

// Scenarios gives all scenarios of fetch.
func Scenarios(t testing.TB) []Case {
	t.Helper()
	var out []Case
	d := json.NewDecoder(bytes.NewReader(scenarios))
	for {
		var c Case
		err := d.Decode(&c)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	if len(out) < scenarioFloor {
		t.Fatalf("%d scenarios, at least %d are expected", len(out), scenarioFloor)
	}
	return out
}

// Scenario gives one scenario and decodes its expectation into expect.
func Scenario(t testing.TB, id string, expect any) Case {
	t.Helper()
	for _, c := range Scenarios(t) {
		if c.ID == id {
			if expect != nil {
				if err := json.Unmarshal(c.Expect, expect); err != nil {
					t.Fatalf("%s: %v", id, err)
				}
			}
			return c
		}
	}
	t.Fatalf("there is no scenario %s", id)
	return Case{}
}

// Gap is a gap as scenarios write it.
type Gap struct {
	Scope, Code string
	Count       int64
}

// CheckGaps compares all gaps of a stream with those expected.
func CheckGaps(t testing.TB, got map[string]int64, want []Gap) {
	t.Helper()
	left := map[string]int64{}
	for k, n := range got {
		left[k] = n
	}
	for _, g := range want {
		k := g.Scope + "/" + g.Code
		if left[k] != g.Count {
			t.Errorf("gap %s counts %d, want %d", k, left[k], g.Count)
		}
		delete(left, k)
	}
	for k, n := range left {
		t.Errorf("gap %s counts %d, want none", k, n)
	}
}

// Filtered runs the filter stage over a finished fetch stream, under the threshold of
// its profile or another one, and gives the lines and gaps that are left.
func (o Outcome) Filtered(t testing.TB, role string) (*Stream, error) {
	t.Helper()
	if o.Err != nil {
		t.Fatalf("run: %v\n%s", o.Err, o.Stderr)
	}
	engine, err := safety.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	in := stream.NewReader(bytes.NewReader(o.Stream), stream.ReaderOptions{Name: "stdin", Position: 1})
	cfg := filter.Config{Engine: engine, HumanMinRole: role, Workers: 1}
	if err := filter.Run(context.Background(), in, stream.NewWriter(&out), cfg, fault.NewLog(&stderr, filter.Name, fault.Text)); err != nil {
		return nil, err
	}
	return Outcome{Stream: out.Bytes(), Stderr: stderr.String()}.read(t, 2), nil
}

// Admitted gives the ids of the records that are left after filtering, the entity
// apart.
func (s *Stream) Admitted() string {
	var ids []string
	for _, r := range s.Records {
		if r.Kind != "entity" {
			ids = append(ids, r.ID)
		}
	}
	return strings.Join(ids, " ")
}
