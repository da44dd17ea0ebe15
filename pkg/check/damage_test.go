package check

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/finding"
	"snapline/pkg/requirement"
)

// names gives the rules of findings, each once, sorted.
func names(findings []finding.Finding) []string {
	set := map[string]bool{}
	for _, f := range findings {
		set[f.Rule] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func has(findings []finding.Finding, rule Rule, path string) bool {
	return slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.Rule == rule.Name && f.Path == path })
}

// onDisk is one damage to a tree on disk, to a named file of it. It gives the
// findings that must be there.
type onDisk struct {
	name   string
	damage func(t *testing.T, root, path string)
	want   Rule
	other  Rule // at path+otherSuffix, when set
}

func at1(root, path string) string { return filepath.Join(root, filepath.FromSlash(path)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var diskDamages = []onDisk{
	{name: "cut", want: RuleSize, damage: func(t *testing.T, root, path string) {
		info, err := os.Stat(at1(root, path))
		must(t, err)
		must(t, os.Truncate(at1(root, path), info.Size()-1))
	}},
	{name: "appended", want: RuleSize, damage: func(t *testing.T, root, path string) {
		f, err := os.OpenFile(at1(root, path), os.O_WRONLY|os.O_APPEND, 0)
		must(t, err)
		_, err = f.WriteString("x")
		must(t, err)
		must(t, f.Close())
	}},
	{name: "removed", want: RuleMissingFile, damage: func(t *testing.T, root, path string) {
		must(t, os.Remove(at1(root, path)))
	}},
	{name: "symlinked", want: RuleSymlink, other: RuleMissingFile, damage: func(t *testing.T, root, path string) {
		elsewhere := filepath.Join(t.TempDir(), "same")
		must(t, os.Rename(at1(root, path), elsewhere))
		must(t, os.Symlink(elsewhere, at1(root, path)))
	}},
	{name: "hard-linked", want: RuleHardLink, damage: func(t *testing.T, root, path string) {
		must(t, os.Link(at1(root, path), filepath.Join(filepath.Dir(root), "second")))
	}},
	{name: "fifo", want: RuleSpecial, other: RuleMissingFile, damage: func(t *testing.T, root, path string) {
		must(t, os.Remove(at1(root, path)))
		must(t, syscall.Mkfifo(at1(root, path), 0o600))
	}},
	{name: "directory", want: RuleExtraDirectory, other: RuleMissingFile, damage: func(t *testing.T, root, path string) {
		must(t, os.Remove(at1(root, path)))
		must(t, os.Mkdir(at1(root, path), 0o700))
	}},
	{name: "mode-0644", want: RuleMode, damage: func(t *testing.T, root, path string) {
		must(t, os.Chmod(at1(root, path), 0o644))
	}},
	{name: "mode-setuid", want: RuleMode, damage: func(t *testing.T, root, path string) {
		must(t, os.Chmod(at1(root, path), 0o600|os.ModeSetuid))
	}},
}

// Every single damage to every file of a tree on disk is refused by name.
func TestDamageOnDisk(t *testing.T) {
	requirement.Claim(t, "MAN-02", "MAN-03", "VER-03", "VER-04", "LIF-01", "AMB-69")
	s := goldens(t)["golden-github-change-proposal"]
	digest := s.digest()
	caught, tried := 0, 0
	root := s.write(t)
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		for _, d := range diskDamages {
			if d.name == "cut" && len(s.files[path]) == 0 {
				continue
			}
			tried++
			d.damage(t, root, path)
			got := verifyAt(t, root, digest)
			// Repair what was damaged.
			must(t, errors.Join(os.RemoveAll(at1(root, path)), os.RemoveAll(filepath.Join(root, "../second"))))
			must(t, os.WriteFile(at1(root, path), s.files[path], 0o600))
			want, other := d.want, d.other
			if path == tree.IndexPath {
				switch want {
				case RuleSize:
					want = RuleRootDiffers
				case RuleMissingFile:
					want = RuleIndexMissing
				}
				if other.Name != "" {
					other = RuleIndexMissing
				}
				// Without a trusted index no directory is extra.
				if want == RuleExtraDirectory {
					want = RuleIndexMissing
				}
			}
			if !has(got, want, path) || other.Name != "" && !has(got, other, path) {
				t.Errorf("%s %s: want %s %s, got %v", d.name, path, want.Name, other.Name, got)
				continue
			}
			caught++
		}
	}
	if got := verifyAt(t, root, digest); len(got) > 0 {
		t.Errorf("the repaired tree: %v", got)
	}
	t.Logf("damages on disk: %d caught of %d", caught, tried)
	if tried < 200 {
		t.Fatalf("only %d damages tried", tried)
	}
}

// Each byte of each file, flipped, is noticed: by the root digest in the index, by
// the listed digest elsewhere.
func TestEachByteFlipped(t *testing.T) {
	requirement.Claim(t, "VER-02", "VER-03", "MAN-03")
	s := goldens(t)["golden-github-change-proposal"]
	digest := s.digest()
	caught, tried := 0, 0
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		want := RuleDigest
		if path == tree.IndexPath {
			want = RuleRootDiffers
		}
		content := s.files[path]
		for i := 0; i < len(content); i += 1 + len(content)/10 {
			tried++
			d := s.clone()
			d.files[path] = slices.Clone(content)
			d.files[path][i] ^= 1 << (i % 8)
			got := d.judge(t, digest)
			if !has(got, want, path) || want == RuleRootDiffers && len(got) != 1 {
				t.Errorf("%s byte %d: %v", path, i, got)
				continue
			}
			caught++
		}
	}
	t.Logf("flipped bytes: %d caught of %d", caught, tried)
	if tried < 350 {
		t.Fatalf("only %d flips tried", tried)
	}
}

// judge verifies the tree from memory, as if it lay on disk as it should.
func (s *specimen) judge(t testing.TB, digest string) []finding.Finding {
	t.Helper()
	list := &finding.List{}
	disk := &Disk{entries: nil, dirs: map[string]bool{}, list: list}
	disk.entries = memory(s.files).entries()
	for dir := range wantedDirectories(slices.Collect(maps.Keys(s.files))) {
		disk.dirs[dir] = true
	}
	if err := judge(context.Background(), disk, memory(s.files), Options{IndexSHA256: digest, Scanner: scanner(t)}, list, &Report{}); err != nil {
		t.Fatal(err)
	}
	return list.Sorted()
}

func TestAddedRenamedSwapped(t *testing.T) {
	requirement.Claim(t, "TREE-01", "MAN-02", "VER-03")
	s := changeProposal(t, contract.GitHub)
	digest := s.digest()
	comment := tree.RecordPath(contract.KindComment, moment("10:00"), s.keys["c1"])
	second := tree.RecordPath(contract.KindComment, moment("10:05"), s.keys["c3"])
	oneDigit := comment[:len(comment)-4] + "0.md"
	if oneDigit == comment {
		oneDigit = comment[:len(comment)-4] + "1.md"
	}
	hard, long := "state/a\n::error::b", "records/"+strings.Repeat("a", 255)
	for _, c := range []struct {
		name   string
		damage func(root string)
		want   map[string]Rule
	}{
		{"added with a record's name", func(root string) {
			must(t, os.WriteFile(at1(root, oneDigit), s.files[comment], 0o600))
		}, map[string]Rule{oneDigit: RuleUnlistedFile}},
		{"added at the root", func(root string) {
			must(t, os.WriteFile(at1(root, "notes.txt"), nil, 0o600))
		}, map[string]Rule{"notes.txt": RuleUnlistedFile}},
		{"added under names that are hard to print", func(root string) {
			must(t, os.WriteFile(at1(root, hard), nil, 0o600))
			must(t, os.WriteFile(at1(root, long), nil, 0o600))
		}, map[string]Rule{hard: RuleUnlistedFile, long: RuleUnlistedFile}},
		{"added links, to a file, to a directory and to nothing", func(root string) {
			must(t, os.Symlink("index.json", at1(root, "a")))
			must(t, os.Symlink("records", at1(root, "b")))
			must(t, os.Symlink("nothing", at1(root, "state/c")))
		}, map[string]Rule{"a": RuleSymlink, "b": RuleSymlink, "state/c": RuleSymlink}},
		{"added pipe and socket", func(root string) {
			must(t, syscall.Mkfifo(at1(root, "pipe"), 0o600))
			socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			must(t, err)
			defer syscall.Close(socket)
			t.Chdir(root) // the address of a socket is short
			must(t, syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}))
		}, map[string]Rule{"pipe": RuleSpecial, "socket": RuleSpecial}},
		{"two names of one file, both in the tree", func(root string) {
			must(t, os.Remove(at1(root, second)))
			must(t, os.Link(at1(root, comment), at1(root, second)))
		}, map[string]Rule{comment: RuleHardLink, second: RuleHardLink}},
		{"renamed by one digit", func(root string) {
			must(t, os.Rename(at1(root, comment), at1(root, oneDigit)))
		}, map[string]Rule{comment: RuleMissingFile, oneDigit: RuleUnlistedFile}},
		{"swapped", func(root string) {
			must(t, os.Rename(at1(root, comment), at1(root, "x")))
			must(t, os.Rename(at1(root, second), at1(root, comment)))
			must(t, os.Rename(at1(root, "x"), at1(root, second)))
		}, map[string]Rule{comment: RuleSize, second: RuleSize}},
		{"extra empty directory", func(root string) {
			must(t, os.Mkdir(at1(root, "views/extra"), 0o700))
		}, map[string]Rule{"views/extra": RuleExtraDirectory}},
		{"too deep", func(root string) {
			must(t, os.MkdirAll(at1(root, "checks/a/b/c"), 0o700))
		}, map[string]Rule{"checks/a": RuleExtraDirectory, "checks/a/b": RuleExtraDirectory}},
		{"directory moved and linked", func(root string) {
			must(t, os.Rename(at1(root, "records"), filepath.Join(filepath.Dir(root), "records")))
			must(t, os.Symlink("../records", at1(root, "records")))
		}, map[string]Rule{"records": RuleSymlink, comment: RuleMissingFile}},
		{"directory with the mode of a sandbox", func(root string) {
			must(t, os.Chmod(at1(root, "state"), 0o555))
		}, map[string]Rule{"state": RuleMode}},
		{"root with an open mode", func(root string) {
			must(t, os.Chmod(root, 0o755))
		}, map[string]Rule{"": RuleMode}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := s.write(t)
			c.damage(root)
			got := verifyAt(t, root, digest)
			for path, rule := range c.want {
				if !has(got, rule, path) {
					t.Errorf("want %s at %q, got %v", rule.Name, path, got)
				}
			}
			for _, f := range got {
				if strings.Contains(f.String(), "\n") {
					t.Errorf("a finding of two lines: %q", f)
				}
			}
		})
	}
}

// A link in the root's own place is refused although everything below is right.
func TestRootIsALink(t *testing.T) {
	requirement.Claim(t, "VER-04", "AMB-69")
	s := workItem(t, contract.GitHub)
	root := s.write(t)
	link := filepath.Join(t.TempDir(), "context")
	must(t, os.Symlink(root, link))
	if got := verifyAt(t, link, s.digest()); len(got) != 1 || got[0].Rule != RuleRoot.Name {
		t.Errorf("got %v", got)
	}
	if got := verifyAt(t, link+"/", s.digest()); len(got) != 1 || got[0].Rule != RuleRoot.Name {
		t.Errorf("with a trailing slash: got %v", got)
	}
	// The parent may be reached through a link: it is resolved once.
	parent := filepath.Join(t.TempDir(), "parent")
	must(t, os.Symlink(filepath.Dir(root), parent))
	if got := verifyAt(t, filepath.Join(parent, "context"), s.digest()); len(got) != 0 {
		t.Errorf("through a linked parent: got %v", got)
	}
}
