package emit_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/contract"
	"snapline/pkg/disk"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

var (
	kills    = flag.Int("kills", 40, "how many times to kill emit at a random moment")
	killSeed = flag.Uint64("kill-seed", 0, "seed of the moments; 0 takes the time")
)

// programDir holds the program emit, which is built once.
var programDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(code)
}

// program gives the path of the program emit.
func program(t testing.TB) string {
	t.Helper()
	if programDir == "" {
		dir, err := os.MkdirTemp("", "emit-program-")
		if err != nil {
			t.Fatal(err)
		}
		programDir = dir
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "emit"), "snapline/cmd/emit").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return filepath.Join(programDir, "emit")
}

// many is a stream of n comments.
func many(t testing.TB, n int) []byte {
	t.Helper()
	s := testkit.New(contract.GitHub, contract.WorkItem, 3)
	s.Header.Collection.Bounds.MaxRecordsPerSource = int64(n)
	for i := range n {
		s.Comment(i, fmt.Sprintf("2026-04-%02dT10:%02d:%02d.000000000Z", 1+i/3600%28, i/60%60, i%60), s.ID("actor", 1), strings.Repeat("A line of a comment.\n", 1+i%20))
	}
	return s.Bytes(t)
}

// TestKills kills emit at random moments of its life. Whatever the moment, --out holds
// nothing or the whole tree, what else is left is private, and scavenge removes it.
func TestKills(t *testing.T) {
	requirement.Claim(t, "LIF-03", "LIF-04")
	emit, stream := program(t), many(t, 400)
	whole, _ := publish(t, stream)
	want := files(t, whole)
	start := time.Now()
	if err := exec.Command("sh", "-c", `"$1" --out "$2/context" <"$3" >"$3.receipt"`, "sh", emit, memoryDir(t), write(t, stream)).Run(); err != nil {
		t.Fatal(err)
	}
	life := time.Since(start)
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	random := rand.New(rand.NewPCG(seed, 1))
	complete, private := 0, 0
	for i := range *kills {
		dir := memoryDir(t)
		parent := dir
		if i%2 == 1 {
			parent = setups[1].prepare(t, dir)
		}
		out := filepath.Join(parent, "context")
		cmd := exec.Command(emit, "--out", out)
		cmd.Stdin = bytes.NewReader(stream)
		cmd.Stdout = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(life)*5/4 + 1)))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		switch _, err := os.Lstat(out); {
		case err == nil:
			complete++
			if diff := cmp.Diff(want, files(t, out)); diff != "" {
				t.Errorf("seed %d, kill %d: a part of a tree at --out", seed, i)
			}
		case !errors.Is(err, os.ErrNotExist):
			t.Fatal(err)
		}
		private += scavenged(t, emit, dir, fmt.Sprintf("seed %d, kill %d", seed, i))
	}
	t.Logf("seed %d: of %d kills in %v, %d came after the tree was published, %d left something private", seed, *kills, life, complete, private)
}

// scavenged checks that what is left in dir besides a tree is private and that
// scavenge removes it. It gives the number of things left.
func scavenged(t *testing.T, emit, dir, name string) int {
	t.Helper()
	left := runDirs(t, dir, name)
	if out, err := exec.Command(emit, "scavenge", "--root", dir).CombinedOutput(); err != nil {
		t.Errorf("%s: scavenge: %v\n%s", name, err, out)
	}
	for _, path := range runDirs(t, dir, name) {
		// Killed between making the directory and marking it as ours: an empty
		// private directory, which nobody may take for a run directory.
		entries, err := os.ReadDir(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || e.Name() != disk.LockName || info.Size() != 0 {
				t.Errorf("%s: %s is left in %s", name, e.Name(), path)
			}
		}
	}
	return len(left)
}

func runDirs(t *testing.T, dir, name string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || info.Mode().Perm() != 0o700 || e.Name() != "context" && !strings.HasPrefix(e.Name(), disk.RunPrefix) {
			t.Errorf("%s: %s is left, mode %v, %v", name, e.Name(), info.Mode(), err)
		}
		if e.Name() != "context" {
			dirs = append(dirs, filepath.Join(dir, e.Name()))
		}
	}
	return dirs
}

func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stream")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A signal that can be handled leaves nothing at all.
func TestTermination(t *testing.T) {
	requirement.Claim(t, "LIF-03")
	emit, stream := program(t), many(t, 400)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		dir := memoryDir(t)
		cmd := exec.Command(emit, "--out", filepath.Join(dir, "context"))
		cmd.Stdout = io.Discard
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := stdin.Write(stream[:len(stream)/2]); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		// Its writer stays silent: it must not wait for the next line.
		err = cmd.Wait()
		_ = stdin.Close()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() == 0 {
			t.Errorf("%v: %v", signal, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%v: left %v, %v; %s", signal, left, err, stderr.String())
		}
	}
}

// Of several programs with one --out exactly one wins, and its tree is whole.
func TestOneOfManyProgramsWins(t *testing.T) {
	emit := program(t)
	streams := [][]byte{many(t, 60), many(t, 61), many(t, 62)}
	for round := range 4 {
		dir := memoryDir(t)
		parent := dir
		if round%2 == 1 {
			parent = setups[1].prepare(t, dir)
		}
		out := filepath.Join(parent, "context")
		receipts := make([]string, len(streams))
		var wait sync.WaitGroup
		for i := range streams {
			wait.Go(func() {
				cmd := exec.Command(emit, "--out", out)
				cmd.Stdin = bytes.NewReader(streams[i])
				stdout, err := cmd.Output()
				if won := strings.Contains(string(stdout), "index_sha256"); won != (err == nil) {
					t.Errorf("%v with receipt %q", err, stdout)
				}
				if err == nil {
					receipts[i] = string(stdout)
				}
			})
		}
		wait.Wait()
		index, err := os.ReadFile(filepath.Join(out, "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		winners := 0
		for i, r := range receipts {
			if r == "" {
				continue
			}
			winners++
			alone, _ := publish(t, streams[i])
			if !strings.Contains(r, digest(string(index))) {
				t.Error("the receipt is that of another tree")
			}
			if diff := cmp.Diff(files(t, alone), files(t, out)); diff != "" {
				t.Error("the tree at --out is not the winner's")
			}
		}
		if winners != 1 {
			t.Errorf("round %d: %d winners", round, winners)
		}
		if left := scavenged(t, emit, dir, fmt.Sprintf("round %d", round)); left > round%2 {
			t.Errorf("round %d: %d run directories are left", round, left)
		}
	}
}

// While emit works, nobody else can open what it makes, whatever the umask.
func TestPrivateAtEveryMoment(t *testing.T) {
	requirement.Claim(t, "LIF-01")
	emit, stream := program(t), many(t, 400)
	dir := memoryDir(t)
	cmd := exec.Command("sh", "-c", `umask 000; exec "$0" "$@"`, emit, "--out", filepath.Join(dir, "context"))
	cmd.Stdout = io.Discard
	cmd.Stdin = bytes.NewReader(stream)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	looks := 0
	for running := true; running; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || path == dir {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil // it is gone
			}
			looks++
			want := os.FileMode(0o600)
			if d.IsDir() {
				want = 0o700
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return nil
		})
	}
	if looks == 0 {
		t.Error("nothing was seen")
	}
}
