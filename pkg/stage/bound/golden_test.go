package bound

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

var update = flag.Bool("update", false, "write testdata/golden for a new revision of the filter")

const goldenFloor = 5

// goldenCases are filtered streams in which every limit is passed.
func goldenCases() map[string]*testkit.Stream {
	cases := map[string]*testkit.Stream{}
	for _, forge := range []contract.Forge{contract.GitHub, contract.GitLab, contract.Forgejo} {
		for _, selection := range []contract.Selection{contract.Newest, contract.Oldest} {
			s := testkit.New(forge, contract.ChangeProposal, 2)
			s.Header.Collection.RecordSelection = selection
			b := &s.Header.Collection.Bounds
			b.MaxRecordsPerSource, b.MaxRecordBytes, b.MaxLogBytes, b.MaxMetadataStringBytes, b.MaxLabels = 3, 32, 24, 48, 2
			long := strings.Repeat("an area with a very long name, ", 2)
			s.Header.Entity.Title = long
			s.Header.Entity.Labels = []string{"kind/bug", long + "one", long + "two", "zz"}
			author := s.ID("actor", 1)
			stranger := s.UnknownActor(2)
			publisher := s.Bot(3)
			for i := 1; i <= 5; i++ {
				s.Comment(i, testkit.Time(1+i, "10:00"), author, strings.Repeat("Zeile über ünf 🚀\n", i))
				s.Review(i, testkit.Time(1+i, "11:00"), author, "", contract.Dismissed).DismissedBy = &stranger
				s.Check(i, testkit.Time(1+i, "12:00"), fmt.Sprintf("ci / %s%d", long, i), contract.Failure)
				s.Log(i, "step 1 ok\nstep 2 ok\nERROR: boom\n")
				s.Run(i, testkit.Time(1+i, "13:00"), "coder of "+long, s.Key(contract.KindComment, i)).PublisherID = &publisher
			}
			testkit.Reject(s.Comment(6, testkit.Time(3, "10:30"), author, ""), "injection.override")
			t := s.Thread(1, testkit.Time(2, "10:00"), 1, 2, 3, 4, 5)
			t.ReviewID, t.ReviewRecordKey = s.ID(contract.KindReview, 1), s.Key(contract.KindReview, 1)
			s.Gap(contract.ScopeReviews, contract.HistoryUnavailable, 1)
			s.Gap(contract.ScopeComments, contract.AuthorizationFailed, 2)
			cases[string(forge)+"-"+string(selection)] = s
		}
	}
	return cases
}

// TestGolden pins the bytes of bound to the revision of the filter: whoever changes them
// raises it (FLT-09). -update writes the folder of a new revision, and in the others no
// more than the version of the filter.
func TestGolden(t *testing.T) {
	requirement.Claim(t, "FLT-09", "AMB-75", "DET-02", "AMB-11", "GAP-08")
	cases := goldenCases()
	if len(cases) < goldenFloor {
		t.Fatalf("%d cases are fewer than %d", len(cases), goldenFloor)
	}
	dir := filepath.Join("testdata", "golden", safety.Revision)
	_, statErr := os.Stat(dir)
	for name, s := range cases {
		filtered := s.Bytes(t)
		var out bytes.Buffer
		in := stream.NewReader(bytes.NewReader(filtered), stream.ReaderOptions{Position: 2})
		if err := Run(context.Background(), in, stream.NewWriter(&out), nil); err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{"filtered.ndjson": filtered, "bounded.ndjson": out.Bytes()} {
			path := filepath.Join(dir, name, file)
			if old, err := os.ReadFile(path); *update && (statErr != nil || err == nil && content(old) == content(data)) {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(path); err != nil || content(want) != content(data) {
				t.Errorf("%s differs (%v): other bytes need another revision than %s", path, err, safety.Revision)
			}
		}
	}
}

var programVersion = regexp.MustCompile(`"(filter_)?version":"[^"]*"`)

// content is a stream without the versions of the program and of the filter, and without
// the trailer, whose digests depend on them.
func content(raw []byte) string {
	lines := strings.SplitAfter(string(raw), "\n")
	return programVersion.ReplaceAllString(strings.Join(lines[:max(0, len(lines)-2)], ""), "")
}
