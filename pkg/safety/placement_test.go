package safety

import (
	"bytes"
	"os"
	"testing"

	"snapline/pkg/safety/prefilter"
	"snapline/pkg/safety/rules"
)

// TestPlacements fails when the table of placements is not what the patterns and the sample
// give.
func TestPlacements(t *testing.T) {
	if testing.Short() {
		t.Skip("it counts for seconds")
	}
	set, err := rules.Read(".")
	if err != nil {
		t.Fatal(err)
	}
	want, err := rules.Placements(prefilter.Place(Patterns(), set.PlacementSample()))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(rules.PlacementFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s is not what the patterns and the sample give: scripts/regen.sh", rules.PlacementFile)
	}
}
