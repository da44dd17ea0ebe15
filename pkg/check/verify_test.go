package check

import (
	"context"
	"maps"
	"sync"
	"testing"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/finding"
	"snapline/pkg/requirement"
	"snapline/pkg/safety"
)

// engine is compiled once for all tests.
var engine = sync.OnceValues(func() (*safety.Engine, error) { return safety.New(nil) })

// scanner is the real engine's worker.
func scanner(t testing.TB) textrule.Scanner {
	e, err := engine()
	if err != nil {
		t.Fatal(err)
	}
	return e.NewWorker()
}

// verifyAt gives the findings on a tree on disk.
func verifyAt(t testing.TB, root, digest string) []finding.Finding {
	t.Helper()
	report, err := Tree(context.Background(), root, Options{IndexSHA256: digest, Scanner: scanner(t)})
	if err != nil {
		t.Fatal(err)
	}
	return report.Findings
}

// specimens are the trees of this package's tests and those that emit writes.
func specimens(t testing.TB) map[string]*specimen {
	all := goldens(t)
	maps.Copy(all, map[string]*specimen{
		"github-change-proposal":  changeProposal(t, contract.GitHub),
		"gitlab-change-proposal":  changeProposal(t, contract.GitLab),
		"forgejo-change-proposal": changeProposal(t, contract.Forgejo),
		"github-work-item":        workItem(t, contract.GitHub),
		"gitlab-work-item":        workItem(t, contract.GitLab),
		"forgejo-work-item":       workItem(t, contract.Forgejo),
	})
	return all
}

// Trees with one of everything hold: authors who are null, registered bots, rejected and
// truncated records, dismissals without a name.
func TestValidTreesHold(t *testing.T) {
	requirement.Claim(t, "ACT-04", "ACT-07", "AMB-16", "AMB-54")
	for name, s := range specimens(t) {
		t.Run(name, func(t *testing.T) {
			for _, f := range verifyAt(t, s.write(t), s.digest()) {
				t.Error(f)
			}
		})
	}
}
