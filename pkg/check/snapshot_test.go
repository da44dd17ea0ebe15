package check

import (
	"os"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
)

// A tree that is opened for reading gives files that are the listed ones, and nothing
// else.
func TestSnapshot(t *testing.T) {
	requirement.Claim(t, "VER-02", "VER-03", "VER-04", "CMP-01")
	s := changeProposal(t, contract.GitHub)
	root := s.write(t)
	opened, err := Open(root, s.digest())
	must(t, err)
	defer opened.Close()
	if !opened.Checked || opened.IndexSHA256 != s.digest() || len(opened.Index.Records) < 10 {
		t.Errorf("got %+v", opened)
	}
	b, err := opened.Read(s.path("c1"))
	if err != nil || string(b) != string(s.files[s.path("c1")]) {
		t.Errorf("%q %v", b, err)
	}
	if c, err := opened.Collection(); err != nil || c.Admission.HumanMinRole != "write" {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := opened.Read("records/../index.json"); fault.ExitOf(err) != fault.Aborted {
		t.Errorf("an unlisted path: %v", err)
	}
	must(t, os.WriteFile(at1(root, s.path("c3")), []byte("other"), 0o600))
	if _, err := opened.Read(s.path("c3")); fault.ExitOf(err) != fault.Aborted || !strings.Contains(err.Error(), RuleSize.Name) {
		t.Errorf("a changed file: %v", err)
	}
}

func TestSnapshotRefuses(t *testing.T) {
	requirement.Claim(t, "VER-02", "VER-04", "CMP-01")
	for name, c := range map[string]struct {
		change func(root string, s *specimen) (digest string)
		rule   Rule
	}{
		"another root": {func(string, *specimen) string { return strings.Repeat("0", 64) }, RuleRootDiffers},
		"a link": {func(root string, s *specimen) string {
			must(t, os.Symlink("index.json", at1(root, "link")))
			return s.digest()
		}, RuleSymlink},
		"no index": {func(root string, _ *specimen) string {
			must(t, os.Remove(at1(root, tree.IndexPath)))
			return ""
		}, RuleIndexMissing},
		"another version": {func(root string, s *specimen) string {
			s.index(t, func(d map[string]any) { d["filter_version"] = "later" })
			must(t, os.WriteFile(at1(root, tree.IndexPath), s.files[tree.IndexPath], 0o600))
			return ""
		}, RuleFilterVersion},
		"an index that is no index": {func(root string, _ *specimen) string {
			must(t, os.WriteFile(at1(root, tree.IndexPath), []byte("{}"), 0o600))
			return ""
		}, RuleSchema},
		"a long index without a digest": {func(root string, _ *specimen) string {
			must(t, os.WriteFile(at1(root, tree.IndexPath), make([]byte, maxUnchecked+1), 0o600))
			return ""
		}, RuleTooLarge},
	} {
		s := workItem(t, contract.GitHub)
		root := s.write(t)
		_, err := Open(root, c.change(root, s))
		if fault.ExitOf(err) != fault.Aborted || !strings.Contains(err.Error(), c.rule.Name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
