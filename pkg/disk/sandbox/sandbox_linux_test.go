package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"snapline/pkg/finding"
	"snapline/pkg/requirement"
)

// TestMain lets the test binary be the agent: a child with other rights that checks a
// tree and prints what it found.
func TestMain(m *testing.M) {
	if path := os.Getenv("SANDBOX_CHECK"); path != "" {
		os.Exit(child(path))
	}
	os.Exit(m.Run())
}

func child(path string) int {
	if os.Getenv("SANDBOX_MOUNT") != "" {
		for _, step := range []error{
			unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount(path, path, "", unix.MS_BIND, ""),
			unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""),
		} {
			if step != nil {
				fmt.Println("cannot mount:", step)
				return 3
			}
		}
	}
	findings, err := Check(path)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	return 0
}

// asAgent runs the check in a child with the attributes.
func asAgent(t *testing.T, path string, attributes *syscall.SysProcAttr, env ...string) (string, error) {
	t.Helper()
	c := exec.Command("/proc/self/exe")
	c.Env = append([]string{"SANDBOX_CHECK=" + path}, env...)
	c.SysProcAttr = attributes
	out, err := c.CombinedOutput()
	return string(out), err
}

// copied makes a small tree with the agent's modes below a directory that only root
// can write.
func copied(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	must(t, os.Chmod(filepath.Dir(base), 0o755))
	must(t, os.Chmod(base, 0o755))
	root := filepath.Join(base, "context")
	must(t, os.MkdirAll(filepath.Join(root, "records"), 0o755))
	for _, p := range []string{"index.json", "records/a.md"} {
		must(t, os.WriteFile(filepath.Join(root, p), []byte(p), 0o444))
	}
	must(t, os.Chmod(filepath.Join(root, "records"), 0o555))
	must(t, os.Chmod(root, 0o555))
	t.Cleanup(func() {
		_ = os.Chmod(root, 0o755)
		_ = os.Chmod(filepath.Join(root, "records"), 0o755)
	})
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rules(findings []finding.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var nobody = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a tree that is out of an agent's reach")
	}
}

// An unprivileged agent cannot reach a tree of root; anything less is named.
func TestUnprivilegedAgent(t *testing.T) {
	needRoot(t)
	requirement.Claim(t, "LIF-02", "ABT-09")
	for _, c := range []struct {
		name   string
		change func(root string)
		want   string
	}{
		{"out of reach", func(string) {}, ""},
		{"a writable file", func(root string) { must(t, os.Chmod(filepath.Join(root, "index.json"), 0o644)) }, "index.json: sandbox.mode"},
		{"a writable directory", func(root string) { must(t, os.Chmod(filepath.Join(root, "records"), 0o755)) }, "records: sandbox.mode"},
		{"a file of the agent", func(root string) { must(t, os.Chown(filepath.Join(root, "records/a.md"), 65534, 65534)) }, "records/a.md: sandbox.owner"},
		{"a root of the agent", func(root string) { must(t, os.Chown(root, 65534, 65534)) }, "sandbox.owner"},
		{"a link", func(root string) {
			must(t, os.Chmod(root, 0o755))
			must(t, os.Symlink("index.json", filepath.Join(root, "link")))
			must(t, os.Chmod(root, 0o555))
		}, "link: sandbox.entry"},
		{"a second name", func(root string) {
			must(t, os.Link(filepath.Join(root, "index.json"), filepath.Join(filepath.Dir(root), "second")))
		}, "index.json: sandbox.entry"},
		{"a parent of the agent", func(root string) { must(t, os.Chown(filepath.Dir(root), 65534, 65534)) }, "level 1: sandbox.ancestor"},
		{"a parent that is open", func(root string) { must(t, os.Chmod(filepath.Dir(root), 0o777)) }, "level 1: sandbox.ancestor"},
		{"a parent that is sticky", func(root string) { must(t, os.Chmod(filepath.Dir(root), 0o777|os.ModeSticky)) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := copied(t)
			c.change(root)
			out, err := asAgent(t, root, nobody)
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if c.want == "" && out != "" || !strings.Contains(out, c.want) {
				t.Errorf("want %q, got %q", c.want, out)
			}
		})
	}
}

// Root, or one overriding capability, is enough to alter a tree.
func TestPrivilegedAgent(t *testing.T) {
	needRoot(t)
	requirement.Claim(t, "LIF-02", "ABT-09")
	root := copied(t)
	findings, err := Check(root)
	must(t, err)
	if !slices.Contains(rules(findings), ruleRoot) {
		t.Errorf("as root: %v", findings)
	}
	for _, capability := range []uintptr{unix.CAP_FOWNER, unix.CAP_DAC_OVERRIDE, unix.CAP_SYS_ADMIN} {
		out, err := asAgent(t, root, &syscall.SysProcAttr{Credential: nobody.Credential, AmbientCaps: []uintptr{capability}})
		if err != nil {
			t.Logf("capability %d cannot be given here: %v %s", capability, err, out)
			continue
		}
		if !strings.Contains(out, ruleCapability) {
			t.Errorf("capability %d: %q", capability, out)
		}
	}
}

// A read-only bind mount is out of reach whoever owns the files.
func TestReadOnlyMount(t *testing.T) {
	needRoot(t)
	requirement.Claim(t, "LIF-02")
	root := copied(t)
	must(t, os.Chmod(filepath.Join(root, "index.json"), 0o644))
	out, err := asAgent(t, root, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}, "SANDBOX_MOUNT=1")
	if err != nil {
		t.Skipf("no mounts here: %v %s", err, out)
	}
	if out != "" {
		t.Errorf("got %q", out)
	}
}

// The table of what can be exchanged above a tree.
func TestSafeAbove(t *testing.T) {
	requirement.Claim(t, "LIF-02")
	agent := process{uids: []int{1000, 1000, 1000}}
	for _, c := range []struct {
		parentUID, childUID uint32
		mode                uint32
		want                bool
	}{
		{0, 0, 0o755, true},
		{0, 0, 0o775, false},
		{0, 0, 0o757, false},
		{0, 0, 0o777 | unix.S_ISVTX, true},
		{0, 1000, 0o777 | unix.S_ISVTX, false},
		{0, 1000, 0o755, true},
		{1000, 0, 0o755, false},
		{1000, 0, 0o555, false},
		{1000, 0, 0o777 | unix.S_ISVTX, false},
	} {
		parent, child := unix.Stat_t{Uid: c.parentUID, Mode: c.mode}, unix.Stat_t{Uid: c.childUID}
		if got := safeAbove(&parent, &child, agent); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// What is not root's with exact modes is named, without any rights at all.
func TestOwnTree(t *testing.T) {
	requirement.Claim(t, "LIF-02")
	root := filepath.Join(t.TempDir(), "context")
	must(t, os.Mkdir(root, 0o700))
	must(t, os.WriteFile(filepath.Join(root, "index.json"), nil, 0o600))
	findings, err := Check(root)
	must(t, err)
	if !slices.Contains(rules(findings), ruleMode) {
		t.Errorf("got %v", findings)
	}
	if _, err := Check(filepath.Join(root, "none")); err == nil {
		t.Error("nothing there, and no error")
	}
}
