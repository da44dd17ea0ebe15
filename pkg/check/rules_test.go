package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/check/textrule"
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/finding"
	"snapline/pkg/requirement"
)

// Every rule on documents and texts has a damage that it names, at the file that is
// wrong.
func TestEachRuleNamesItsDamage(t *testing.T) {
	var claims []string
	for i, c := range vectors {
		claims = append(claims, c.claims...)
		s := changeProposal(t, contract.GitHub)
		c.damage(t, s)
		// A damage to the index stands as it is; anything else is made consistent.
		if !damagesIndexBytes(c) {
			s.reseal(t)
		}
		got := s.judgeWith(t, marked{})
		if !has(got, c.rule, s.place(c.path)) {
			t.Errorf("vector %d: want %s at %s, got %v", i, c.rule.Name, s.place(c.path), got)
		}
		for _, f := range got {
			if text := f.String(); strings.Contains(text, unsafeMark) || strings.Contains(text, changedMark) || strings.Contains(text, "line feed\n") {
				t.Errorf("vector %d: text of the tree in %q", i, text)
			}
		}
	}
	slices.Sort(claims)
	requirement.Claim(t, append(slices.Compact(claims), "LIF-06")...)
}

func damagesIndexBytes(c vector) bool { return c.path == index && c.rule == RuleNotJSON }

func (s *specimen) judgeWith(t testing.TB, scanner textrule.Scanner) []finding.Finding {
	t.Helper()
	findings, err := s.judgeError(scanner, s.digest())
	must(t, err)
	return findings
}

func (s *specimen) judgeError(scanner textrule.Scanner, digest string) ([]finding.Finding, error) {
	list := &finding.List{}
	disk := &Disk{entries: memory(s.files).entries(), dirs: map[string]bool{}, list: list}
	for dir := range wantedDirectories(slices.Collect(maps.Keys(s.files))) {
		disk.dirs[dir] = true
	}
	err := judge(context.Background(), disk, memory(s.files), Options{IndexSHA256: digest, Scanner: scanner}, list, &Report{})
	return list.Sorted(), err
}

// A profile digest that does not belong to collection.json is refused.
func TestCollectionProfile(t *testing.T) {
	requirement.Claim(t, "COL-11")
	s := changeProposal(t, contract.GitHub)
	s.index(t, func(d map[string]any) { d["collection_profile"] = strings.Repeat("0", 64) })
	if got := s.judgeWith(t, marked{}); !slices.Equal(names(got), []string{RuleProfile.Name}) {
		t.Errorf("got %v", got)
	}
}

// All checks of a tree share one head.
func TestCheckHead(t *testing.T) {
	requirement.Claim(t, "CHK-03")
	s := changeProposal(t, contract.GitHub)
	last := slices.MaxFunc([]string{"k1", "k2", "k3", "k4", "k5"}, func(a, b string) int { return strings.Compare(s.keys[a], s.keys[b]) })
	s.edit(t, tree.CheckPath(s.keys[last]), func(d map[string]any) { d["head_sha"] = strings.Repeat("f", 40) })
	s.reseal(t)
	if got := s.judgeWith(t, marked{}); !slices.Equal(names(got), []string{RuleCheckHead.Name}) {
		t.Errorf("got %v", got)
	}
}

// GitLab and Forgejo identifiers have their own patterns, of threads too.
func TestForgePatterns(t *testing.T) {
	requirement.Claim(t, "ID-07", "ID-08", "SRC-05", "AMB-92")
	s := changeProposal(t, contract.GitLab)
	s.edit(t, tree.AgentRunsPath, func(d map[string]any) { put(d, "071", "runs", 0, "id") })
	s.edit(t, reviews, func(d map[string]any) { put(d, "a=b", "threads", 0, "id") })
	s.reseal(t)
	got := s.judgeWith(t, marked{})
	if !has(got, RuleID, tree.AgentRunsPath) || !has(got, RuleID, reviews) {
		t.Errorf("gitlab: got %v", got)
	}
	s = changeProposal(t, contract.Forgejo)
	s.edit(t, reviews, func(d map[string]any) { put(d, "05", "threads", 0, "id") })
	s.reseal(t)
	if got := s.judgeWith(t, marked{}); !has(got, RuleID, reviews) {
		t.Errorf("forgejo: got %v", got)
	}
}

// Threads stand in trees of every forge; only on GitHub can one be outdated.
func TestOutdatedThreads(t *testing.T) {
	requirement.Claim(t, "AMB-92", "MAP-22")
	for forge, told := range map[contract.Forge]bool{contract.GitHub: true, contract.GitLab: false, contract.Forgejo: false} {
		s := changeProposal(t, forge)
		s.edit(t, tree.ThreadStatePath, func(d map[string]any) {
			for _, row := range d["threads"].([]any) {
				row.(map[string]any)["outdated"] = true
			}
		})
		s.files[tree.UnresolvedReviewPath] = nil
		s.reseal(t)
		if got := s.judgeWith(t, marked{}); has(got, RuleStateOutdated, tree.ThreadStatePath) == told || told && len(got) != 0 {
			t.Errorf("%s: got %v", forge, got)
		}
	}
}

// A filter component that fails, or a schema that cannot be evaluated, ends the
// verification with exit 1: nothing passes unjudged.
func TestComponentFailureAborts(t *testing.T) {
	requirement.Claim(t, "ABT-08", "AMB-56")
	_, err := changeProposal(t, contract.GitHub).judgeError(marked{fail: true}, changeProposal(t, contract.GitHub).digest())
	var e *fault.Error
	if !errors.As(err, &e) || e.Exit != fault.Aborted {
		t.Errorf("got %v", err)
	}
}

// A pre-script that rewrites a record and repairs everything that depends on it is
// told apart by the retained digest alone, and nothing else is then reported.
func TestConsistentRewriteIsAnotherRoot(t *testing.T) {
	requirement.Claim(t, "VER-01", "VER-02", "VER-03", "ABT-09")
	s := changeProposal(t, contract.GitHub)
	retained := s.digest()
	body("c1", "Ignore the parser.\n")(t, s)
	s.reseal(t)
	root := s.write(t)
	must(t, os.WriteFile(filepath.Join(filepath.Dir(root), "receipt.json"), []byte(`{"index_sha256":"`+s.digest()+`"}`), 0o600))
	got := verifyAt(t, root, retained)
	if len(got) != 1 || got[0].Rule != RuleRootDiffers.Name {
		t.Errorf("got %v", got)
	}
}

// A rewritten root does not hide what the disk itself shows.
func TestDiskFindingsBesideAnotherRoot(t *testing.T) {
	requirement.Claim(t, "VER-04")
	s := workItem(t, contract.GitHub)
	root := s.write(t)
	must(t, os.Symlink("index.json", filepath.Join(root, "link")))
	got := verifyAt(t, root, strings.Repeat("0", 64))
	if !slices.Equal(names(got), []string{RuleRootDiffers.Name, RuleSymlink.Name}) {
		t.Errorf("got %v", got)
	}
}

// Text that a bound has cut is exempt from the fixed point and from nothing else.
func TestTruncatedText(t *testing.T) {
	requirement.Claim(t, "AMB-66", "FLT-03", "INJ-04")
	s := changeProposal(t, contract.GitHub)
	body("c6", changedMark+"\n")(t, s)
	s.reseal(t)
	if got := s.judgeWith(t, marked{}); len(got) != 0 {
		t.Errorf("a cut marker: got %v", got)
	}
	// The same exemption for a display string, only as long as a cut leaves it.
	for _, c := range []struct {
		length int
		want   []string
	}{
		{124, []string{RuleDisplayUnsafe.Name}},
		{125, nil},
		{128, nil},
		{129, []string{RuleDisplayLength.Name}},
	} {
		s := changeProposal(t, contract.GitHub)
		s.edit(t, tree.EntityPath, func(d map[string]any) { d["title"] = changedMark + strings.Repeat("a", c.length-len(changedMark)) })
		s.index(t, func(d map[string]any) {
			put(d, "truncated", "files", find(d, "files", "role", "entity_metadata"), "filter", "status")
		})
		s.reseal(t)
		if got := names(s.judgeWith(t, marked{})); !slices.Equal(got, c.want) {
			t.Errorf("title of %d bytes: want %v, got %v", c.length, c.want, got)
		}
	}
}

// Bounds hold at their value and break one beyond.
func TestBoundsAtTheirValue(t *testing.T) {
	requirement.Claim(t, "BND-02", "BND-04", "COL-08")
	for _, c := range []struct {
		name string
		rule Rule
		make func(s *specimen, n int)
		at   int
	}{
		{"record", RuleTextLength, func(s *specimen, n int) { body("c1", strings.Repeat("a", n-1)+"\n")(t, s) }, 64},
		{"log", RuleTextLength, func(s *specimen, n int) {
			s.files[tree.LogPath(s.keys["k1"])] = []byte(strings.Repeat("a", n-1) + "\n")
		}, 4096},
		{"title", RuleDisplayLength, func(s *specimen, n int) {
			s.edit(t, tree.EntityPath, func(d map[string]any) { d["title"] = strings.Repeat("a", n) })
		}, 128},
		{"labels", RuleLabels, func(s *specimen, n int) {
			labels := []any{}
			for i := range n {
				labels = append(labels, string(rune('a'+i)))
			}
			s.edit(t, tree.EntityPath, func(d map[string]any) { d["labels"] = labels })
		}, 4},
	} {
		for n := c.at - 1; n <= c.at+1; n++ {
			s := changeProposal(t, contract.GitHub)
			c.make(s, n)
			s.reseal(t)
			got := s.judgeWith(t, marked{})
			if wrong := slices.Contains(names(got), c.rule.Name); wrong != (n > c.at) || !wrong && len(got) > 0 {
				t.Errorf("%s of %d: got %v", c.name, n, got)
			}
		}
	}
}

// Each missing log is counted, or a failure of the whole source that stands for all.
func TestCountOfLogs(t *testing.T) {
	requirement.Claim(t, "GAP-05", "AMB-12", "AMB-43")
	type gaps map[string]int
	for _, c := range []struct {
		name    string
		present bool // of the two logs that are selected, the first is there
		gaps    gaps
		want    bool
	}{
		{"one missing", true, gaps{"fetch_failed": 1}, true},
		{"one missing, two causes", true, gaps{"fetch_failed": 1, "unsafe_content": 1}, true}, // a check with a log is gone
		{"one missing, not counted", true, gaps{}, false},
		{"one unsafe", true, gaps{"unsafe_content": 1}, true},
		{"both missing", false, gaps{"fetch_failed": 1, "source_too_large": 1}, true},
		{"both unsafe", false, gaps{"unsafe_content": 2}, true},
		{"one of two unsafe", false, gaps{"unsafe_content": 1}, false},
		{"the source is not offered", false, gaps{"unsupported": 1}, true},
		{"the source failed", false, gaps{"fetch_failed": 1}, true},
	} {
		s := changeProposal(t, contract.GitHub)
		if !c.present {
			delete(s.files, tree.LogPath(s.keys["k1"]))
		}
		s.index(t, func(d map[string]any) {
			d["gaps"] = slices.DeleteFunc(d["gaps"].([]any), func(g any) bool { return dig(g, "scope") == "check_logs" })
			for code, n := range c.gaps {
				gap("check_logs", code, n)(d)
			}
			if !c.present {
				delete(dig(d, "records", find(d, "records", "record_key", s.keys["k1"])).(map[string]any), "log_path")
				i := find(d, "files", "role", "check_log")
				d["files"] = slices.Delete(d["files"].([]any), i, i+1)
			}
		})
		if got := s.judgeWith(t, marked{}); has(got, RuleGapLog, index) == c.want || c.want && len(got) > 0 {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// GitLab has no formal reviews.
func TestReviewsOfGitLab(t *testing.T) {
	requirement.Claim(t, "MAP-13")
	s := changeProposal(t, contract.Forgejo)
	if got := s.judgeWith(t, marked{}); len(got) > 0 {
		t.Fatalf("before: %v", got)
	}
	s.index(t, func(d map[string]any) { put(d, "gitlab", "source", "forge") })
	if got := s.judgeWith(t, marked{}); !has(got, RuleRecordSource, index) {
		t.Errorf("want %s, got %v", RuleRecordSource.Name, names(got))
	}
}

// A tree holds at most max_records_per_source rows of a source, rejected ones too; six
// comments are the most here.
func TestRecordsAtTheirBound(t *testing.T) {
	requirement.Claim(t, "COL-08", "AMB-02")
	for _, c := range []struct {
		bound int
		want  []string
	}{{5, []string{RuleRecordCount.Name}}, {6, nil}, {7, nil}} {
		s := changeProposal(t, contract.GitLab)
		s.edit(t, tree.CollectionPath, func(d map[string]any) { put(d, c.bound, "bounds", "max_records_per_source") })
		s.reseal(t)
		if got := slices.Compact(names(s.judgeWith(t, marked{}))); !slices.Equal(got, c.want) {
			t.Errorf("at most %d: want %v, got %v", c.bound, c.want, got)
		}
	}
}

// An issue is never merged, a change proposal may be.
func TestMergedIsForChangeProposals(t *testing.T) {
	requirement.Claim(t, "MAP-26")
	for _, c := range []struct {
		specimen *specimen
		state    string
		want     []string
	}{
		{workItem(t, contract.GitHub), "closed", nil},
		{workItem(t, contract.GitHub), "merged", []string{RuleSchema.Name}},
		{changeProposal(t, contract.GitHub), "merged", nil},
	} {
		c.specimen.edit(t, tree.EntityPath, func(d map[string]any) { d["state"] = c.state })
		c.specimen.reseal(t)
		if got := slices.Compact(names(c.specimen.judgeWith(t, marked{}))); !slices.Equal(got, c.want) {
			t.Errorf("%s: want %v, got %v", c.state, c.want, got)
		}
	}
}

// Threads stand by creation time, whatever their keys say.
func TestThreadsByTime(t *testing.T) {
	requirement.Claim(t, "ORD-06", "ORD-07", "AMB-18", "AMB-21", "THR-06")
	s := changeProposal(t, contract.GitHub)
	s.edit(t, reviews, func(d map[string]any) {
		put(d, moment("10:05"), "threads", 0, "created_at")
		put(d, moment("10:00"), "threads", 1, "created_at")
		swap(d, 0, 1, "threads")
	})
	s.edit(t, tree.ThreadStatePath, func(d map[string]any) { // all open but the outdated one
		for _, row := range d["threads"].([]any) {
			row := row.(map[string]any)
			row["resolved"] = false
			delete(row, "resolved_by_actor_id")
		}
	})
	lines := s.path("c4") + "\n" + s.path("c2") + "\n" + s.path("c1") + "\n" + s.path("c3") + "\n"
	s.files[tree.UnresolvedReviewPath] = []byte(lines)
	s.files[tree.ReviewViewPath(s.keys["r1"])] = []byte(s.path("r1") + "\n" + lines)
	s.reseal(t)
	if got := s.judgeWith(t, marked{}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// A filter where none is called for is accepted if it says nothing else than the record
// does, or nothing at all.
func TestFiltersThatAreNotNeeded(t *testing.T) {
	requirement.Claim(t, "AMB-30")
	s := changeProposal(t, contract.GitHub)
	s.index(t, func(d map[string]any) {
		rows := map[string]any{}
		for _, row := range d["records"].([]any) {
			if p, ok := row.(map[string]any)["content_path"]; ok {
				rows[p.(string)] = dig(row, "filter")
			}
		}
		for _, f := range d["files"].([]any) {
			f := f.(map[string]any)
			if f["filter"] != nil {
				continue
			}
			f["filter"] = map[string]any{"status": "unchanged", "findings": []any{}}
			if filter := rows[f["path"].(string)]; filter != nil {
				f["filter"] = filter
			}
		}
	})
	if got := s.judgeWith(t, marked{}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// The report is the same however often it is made, and each rule has a name of its
// own with a damage in a test.
func TestRulesAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		if seen[r.Name] || r.Meaning == "" || strings.ContainsAny(r.Name, " _") {
			t.Errorf("rule %q", r.Name)
		}
		seen[r.Name] = true
	}
	tested := map[string]bool{}
	for _, c := range vectors {
		tested[c.rule.Name] = true
	}
	for _, r := range []Rule{
		RuleParent, RuleRoot, RuleSymlink, RuleSpecial, RuleHardLink, RuleMode, RuleExtraDirectory, RuleUnlistedFile, RuleMissingFile,
		RuleMoved, RuleSize, RuleDigest, RuleRootDiffers, RuleIndexMissing, // TestDamageOnDisk and its neighbours
		RuleProfile, RuleCheckHead, RuleTooLarge, RuleStateOutdated, RuleRebuild, RuleRebuildOnly, RuleRebuildNone, // tests of their own
	} {
		tested[r.Name] = true
	}
	for _, r := range rules {
		if !tested[r.Name] {
			t.Errorf("no damage for %s", r.Name)
		}
	}
}

func TestReportIsStable(t *testing.T) {
	requirement.Claim(t, "DET-02")
	damaged := func() *specimen {
		s := changeProposal(t, contract.GitHub)
		s.index(t, func(d map[string]any) {
			slices.Reverse(d["records"].([]any))
			put(d, "2345", "source", "repository_id")
		})
		return s
	}
	first, err := json.Marshal(damaged().judgeWith(t, marked{}))
	must(t, err)
	for range 5 {
		again, err := json.Marshal(damaged().judgeWith(t, marked{}))
		must(t, err)
		if !bytes.Equal(first, again) {
			t.Fatal("the report changes from run to run")
		}
	}
}
