// Package requirement lets tests claim the rows of the ledger that they would catch
// if broken, and collects the claims of tests that ran and passed.
package requirement

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"snapline/docs"
)

// Directory holds one file of claims a package, below the module root.
const Directory = ".requirements"

var (
	known = func() map[string]bool {
		ids := map[string]bool{}
		for _, r := range docs.Ledger() {
			ids[r.ID] = true
		}
		return ids
	}()
	mu      sync.Mutex
	claimed []string
)

// Claim says that the running test proves the named ids: rows of the requirement
// ledger or decisions AMB-nn. The claim counts only when the test has run and passed,
// in a run of all tests of its package: one of some would put its few in the place of
// all. An unknown id fails the test.
func Claim(t testing.TB, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if !known[id] {
			t.Fatalf("requirement %q is not in the ledger", id)
		}
	}
	t.Cleanup(func() {
		if t.Failed() || t.Skipped() || partial() {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, id := range ids {
			if !slices.Contains(claimed, id) {
				claimed = append(claimed, id)
			}
		}
		if err := save(); err != nil {
			t.Errorf("claims could not be recorded: %v", err)
		}
	})
}

// partial reports whether the command line keeps some tests from running.
func partial() bool {
	for _, name := range [...]string{"test.run", "test.skip"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return testing.Short()
}

// save writes the claims of this test process. It opens the file below the os
// package, because what a test opens through that package becomes an input of the
// test cache, and a file that every run rewrites would spoil it.
func save() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	root := dir
	for {
		if err := unix.Access(filepath.Join(root, "go.mod"), unix.R_OK); err == nil {
			break
		}
		if filepath.Dir(root) == root {
			return nil // outside a checkout nothing collects the claims
		}
		root = filepath.Dir(root)
	}
	name, err := filepath.Rel(root, dir)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, Directory)
	if err := unix.Mkdir(folder, 0o755); err != nil && err != unix.EEXIST {
		return err
	}
	file := filepath.Join(folder, strings.ReplaceAll(name, string(filepath.Separator), "+")+".txt")
	fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte(strings.Join(claimed, "\n")+"\n"))
	return err
}
