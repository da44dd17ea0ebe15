package emit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
)

// faulty is a file system in which one call goes wrong, or every call from one on.
type faulty struct {
	calls   int
	at      int      // number of the call; 0 never
	also    int      // number of a second one
	lasting bool     // and every call after it
	err     error    // nil: a write is short without an error
	after   bool     // the call is done, and fails nevertheless
	names   []string // of all calls
	hits    []string // of those that went wrong
}

func (f *faulty) hit(name string) bool { return slices.Contains(f.hits, name) }

// fails counts a call and reports whether it goes wrong.
func (f *faulty) fails(name string) bool {
	f.calls++
	f.names = append(f.names, name)
	if f.at == 0 || f.calls < f.at || f.calls > f.at && f.calls != f.also && !f.lasting {
		return false
	}
	f.hits = append(f.hits, name)
	return true
}

// call runs a call that may go wrong.
func (f *faulty) call(name string, do func() error) error {
	if !f.fails(name) {
		return do()
	}
	if f.after {
		_ = do()
	}
	if f.err == nil {
		return syscall.EIO
	}
	return f.err
}

func (f *faulty) Dir(path string) (disk.Dir, error) {
	return f.open("FS.Dir", func() (disk.Dir, error) { return disk.OS{}.Dir(path) })
}

func (f *faulty) open(name string, do func() (disk.Dir, error)) (d disk.Dir, err error) {
	err = f.call(name, func() error { d, err = do(); return err })
	if err != nil {
		return nil, err
	}
	return &faultyDir{d, f}, nil
}

func (f *faulty) file(name string, do func() (disk.File, error)) (file disk.File, err error) {
	err = f.call(name, func() error { file, err = do(); return err })
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

type faultyDir struct {
	real disk.Dir
	f    *faulty
}

func (d *faultyDir) Info() (i disk.Info, err error) {
	err = d.f.call("Dir.Info", func() error { i, err = d.real.Info(); return err })
	return i, err
}

func (d *faultyDir) Stat(name string) (i disk.Info, err error) {
	err = d.f.call("Dir.Stat", func() error { i, err = d.real.Stat(name); return err })
	return i, err
}

func (d *faultyDir) Names() (names []string, err error) {
	err = d.f.call("Dir.Names", func() error { names, err = d.real.Names(); return err })
	return names, err
}

func (d *faultyDir) Dir(name string) (disk.Dir, error) {
	return d.f.open("Dir.Dir", func() (disk.Dir, error) { return d.real.Dir(name) })
}

func (d *faultyDir) Mkdir(name string) (disk.Dir, error) {
	return d.f.open("Dir.Mkdir", func() (disk.Dir, error) { return d.real.Mkdir(name) })
}

func (d *faultyDir) Open(name string) (disk.File, error) {
	return d.f.file("Dir.Open", func() (disk.File, error) { return d.real.Open(name) })
}

func (d *faultyDir) Create(name string) (disk.File, error) {
	return d.f.file("Dir.Create", func() (disk.File, error) { return d.real.Create(name) })
}

func (d *faultyDir) Rename(old string, to disk.Dir, name string) error {
	return d.f.call("Dir.Rename", func() error { return d.real.Rename(old, to.(*faultyDir).real, name) })
}

func (d *faultyDir) Remove(name string) error {
	return d.f.call("Dir.Remove", func() error { return d.real.Remove(name) })
}

func (d *faultyDir) RemoveDir(name string) error {
	return d.f.call("Dir.RemoveDir", func() error { return d.real.RemoveDir(name) })
}

func (d *faultyDir) Sync() error { return d.f.call("Dir.Sync", d.real.Sync) }

// Close closes in any case, as close(2) does.
func (d *faultyDir) Close() error {
	if d.f.fails("Dir.Close") {
		_ = d.real.Close()
		return syscall.EIO
	}
	return d.real.Close()
}

type faultyFile struct {
	real disk.File
	f    *faulty
}

func (f *faultyFile) Read(p []byte) (n int, err error) {
	err = f.f.call("File.Read", func() error { n, err = f.real.Read(p); return err })
	return n, err
}

// Write may stop in the middle, with an error or without one.
func (f *faultyFile) Write(p []byte) (int, error) {
	if !f.f.fails("File.Write") {
		return f.real.Write(p)
	}
	n, _ := f.real.Write(p[:len(p)/2])
	return n, f.f.err
}

func (f *faultyFile) Info() (i disk.Info, err error) {
	err = f.f.call("File.Info", func() error { i, err = f.real.Info(); return err })
	return i, err
}

func (f *faultyFile) Lock() (got bool, err error) {
	err = f.f.call("File.Lock", func() error { got, err = f.real.Lock(); return err })
	return got && err == nil, err
}

func (f *faultyFile) Close() error {
	if f.f.fails("File.Close") {
		_ = f.real.Close()
		return syscall.EIO
	}
	return f.real.Close()
}

// setup makes the directory that --out is to appear in.
type setup struct {
	name    string
	prepare func(t *testing.T, dir string) (parent string)
}

var setups = []setup{
	{"any directory", func(_ *testing.T, dir string) string { return dir }},
	{"run directory of a harness", func(t *testing.T, dir string) string {
		run := filepath.Join(dir, disk.RunPrefix+"harness")
		if err := errors.Join(os.Mkdir(run, 0o700), os.WriteFile(filepath.Join(run, disk.LockName), []byte(disk.LockMagic), 0o600)); err != nil {
			t.Fatal(err)
		}
		return run
	}},
}

// TestFaultsLeaveNothing puts each error at each call of a run, alone, with every
// later call failing too, and after the call was done; then a second one at each call
// of the cleaning up.
func TestFaultsLeaveNothing(t *testing.T) {
	requirement.Claim(t, "LIF-03", "ABT-11", "GAP-05")
	const name = "github-nothing-selected"
	raw := loadGolden(t)[name]
	want := files(t, filepath.Join(goldenDir, name, "context"))
	tried := map[string]int{}
	run := func(f *faulty, setup setup, receipt bool) int {
		runFaulty(t, f, setup, receipt, raw, want)
		for _, hit := range f.hits[:min(2, len(f.hits))] {
			tried[hit]++
		}
		return f.calls
	}
	for _, setup := range setups {
		for _, receipt := range []bool{false, true} {
			clean := &faulty{}
			run(clean, setup, receipt)
			for at := 1; at <= clean.calls; at++ {
				for _, err := range []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EINTR, nil} {
					run(&faulty{at: at, err: err}, setup, receipt)
				}
				run(&faulty{at: at, err: syscall.EIO, after: true}, setup, receipt)
				run(&faulty{at: at, err: syscall.EIO, lasting: true}, setup, receipt)
			}
			for _, last := range []string{"File.Write", "Dir.Sync", "Dir.Rename"} {
				at := len(clean.names) - slices.Index(reversed(clean.names), last)
				for also, all := at+1, run(&faulty{at: at, err: syscall.EIO}, setup, receipt); also <= all; also++ {
					run(&faulty{at: at, also: also, err: syscall.EACCES}, setup, receipt)
				}
			}
		}
	}
	for _, method := range []string{
		"FS.Dir", "Dir.Info", "Dir.Stat", "Dir.Names", "Dir.Dir", "Dir.Open", "Dir.Mkdir", "Dir.Create", "Dir.Rename", "Dir.Remove", "Dir.RemoveDir",
		"Dir.Sync", "Dir.Close", "File.Read", "File.Write", "File.Info", "File.Lock", "File.Close",
	} {
		if tried[method] == 0 {
			t.Errorf("no fault at %s", method)
		}
	}
	t.Logf("faults tried: %v", tried)
}

func reversed(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}

// memoryDir makes a directory, in memory where there is such a place: the tests make
// many thousands of files.
func memoryDir(t testing.TB) string {
	t.Helper()
	for _, parent := range []string{"/dev/shm", t.TempDir()} {
		if dir, err := os.MkdirTemp(parent, "emit-test-"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	t.Fatal("no directory for tests")
	return ""
}

func runFaulty(t *testing.T, f *faulty, setup setup, receipt bool, raw []byte, want map[string]string) {
	t.Helper()
	dir := memoryDir(t)
	defer os.RemoveAll(dir)
	parent := setup.prepare(t, dir)
	cfg := emit.Config{FS: f, Out: filepath.Join(parent, "context"), Durable: true}
	if receipt {
		cfg.Receipt = filepath.Join(dir, "receipt.json")
	}
	var stdout bytes.Buffer
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3})
	err := emit.Run(context.Background(), in, &stdout, cfg, nil)
	name := fmt.Sprintf("%s, receipt %v, call %d and %d %v, %v, after %v, lasting %v",
		setup.name, receipt, f.at, f.also, f.hits[:min(2, len(f.hits))], f.err, f.after, f.lasting)
	_, statErr := os.Lstat(cfg.Out)
	switch {
	case err == nil && stdout.Len() == 0:
		t.Errorf("%s: done without a receipt", name)
	case err == nil:
		if diff := cmp.Diff(want, files(t, cfg.Out)); diff != "" {
			t.Errorf("%s: done, and the tree differs", name)
		}
	case f.at == 0:
		t.Fatalf("%s: %v", name, err)
	case !errors.Is(statErr, fs.ErrNotExist):
		if f.lasting && f.after { // nothing works any more
			return
		}
		t.Errorf("%s: failed with %v, and something is at --out", name, err)
	case fault.ExitOf(err) != fault.Environment && fault.ExitOf(err) != fault.Usage:
		t.Errorf("%s: exit %d", name, fault.ExitOf(err))
	}
	leftovers(t, name, f, dir, parent, err == nil, receipt)
}

// leftovers looks for what should have been removed. Only where cleaning up itself
// fails may a private directory stay.
func leftovers(t *testing.T, name string, f *faulty, dir, parent string, done, receipt bool) {
	t.Helper()
	cleaning := f.lasting || f.after || f.also != 0 || f.hit("Dir.Remove") || f.hit("Dir.RemoveDir")
	for _, place := range []string{dir, parent} {
		entries, err := os.ReadDir(place)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case done && (e.Name() == "context" || receipt && e.Name() == "receipt.json"):
			case e.Name() == disk.LockName || filepath.Join(place, e.Name()) == parent:
			case cleaning && e.IsDir() && info.Mode().Perm() == 0o700 && (strings.HasPrefix(e.Name(), disk.RunPrefix) || e.Name() == disk.BuildName):
			case e.Name() == "receipt.json" && (f.lasting || f.also != 0 || f.after && f.hit("Dir.Create")):
			default:
				t.Errorf("%s: %s is left", name, e.Name())
			}
		}
	}
}

// brokenPipe is a stdout that fails, or takes a part.
type brokenPipe struct {
	n   int
	err error
}

func (b brokenPipe) Write(p []byte) (int, error) { return min(b.n, len(p)), b.err }

func TestAReceiptThatCannotBeDeliveredTakesTheTreeBack(t *testing.T) {
	requirement.Claim(t, "VER-01", "LIF-03")
	raw := loadGolden(t)["github-work-item"]
	for name, stdout := range map[string]io.Writer{
		"full disk": brokenPipe{err: syscall.ENOSPC}, "no reader": brokenPipe{err: syscall.EPIPE}, "short": brokenPipe{n: 5}, "part": brokenPipe{n: 5, err: syscall.EIO},
	} {
		dir := memoryDir(t)
		in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3})
		cfg := emit.Config{FS: disk.OS{}, Out: filepath.Join(dir, "context"), Receipt: filepath.Join(dir, "receipt.json")}
		err := emit.Run(context.Background(), in, stdout, cfg, nil)
		if err == nil || fault.ExitOf(err) != fault.Environment {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}

func TestStreamsThatEndEarlyLeaveNothing(t *testing.T) {
	requirement.Claim(t, "ABT-11", "LIF-03")
	good := loadGolden(t)["github-change-proposal"]
	lines := bytes.SplitAfter(good, []byte("\n"))
	lines = lines[:len(lines)-1]
	cases := map[string][]byte{"one line more": append(bytes.Clone(good), lines[1]...)}
	for i := range lines {
		cut := bytes.Join(lines[:i], nil)
		cases[fmt.Sprintf("cut behind line %d", i)] = cut
		cases[fmt.Sprintf("abort behind line %d", i)] = append(bytes.Clone(cut), `{"type":"abort","stage":"filter","exit":3,"cause":"input"}`+"\n"...)
		cases[fmt.Sprintf("cut inside line %d", i)] = append(bytes.Clone(cut), lines[i][:len(lines[i])/2]...)
		if i > 0 && i < len(lines)-1 {
			cases[fmt.Sprintf("without line %d", i)] = append(bytes.Clone(cut), bytes.Join(lines[i+1:], nil)...)
		}
	}
	for name, raw := range cases {
		dir := memoryDir(t)
		receipt, err := emitTo(filepath.Join(dir, "context"), raw)
		var abort *stream.AbortError
		if isAbort := errors.As(err, &abort); err == nil || len(receipt) != 0 || isAbort != strings.HasPrefix(name, "abort") {
			t.Errorf("%s: %v, receipt %q", name, err, receipt)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
	// A signal cancels the context.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := memoryDir(t)
	err := emit.Run(ctx, stream.NewReader(bytes.NewReader(good), stream.ReaderOptions{Position: 3}), io.Discard, emit.Config{FS: disk.OS{}, Out: filepath.Join(dir, "context")}, nil)
	if left, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(left) != 0 {
		t.Errorf("%v, left %v", err, left)
	}
}
