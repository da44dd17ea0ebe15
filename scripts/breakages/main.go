// Command breakages shows that the tests catch what they claim to catch: it applies
// each row of testdata/breakages.tsv to a copy of the tree, runs the tests that claim
// the row's requirement, and expects one of them to fail.
//
//	go run ./scripts/breakages [-only REGEXP] [-jobs N]
//
// A row has five columns: file, a part of one of its lines, what to put there instead,
// the requirement or decision that this breaks, and the packages whose tests are to
// notice (empty: the file's own). A part that does not stand exactly once in the file, a
// tree that does not compile, a requirement that no test claims and tests that do not end
// are errors.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const table = "testdata/breakages.tsv"

type row struct {
	line               int
	file, old, new, id string
	packages           []string
	caught, stale      bool
	message            string
}

func main() {
	only := flag.String("only", "", "only rows that match `REGEXP`")
	jobs := flag.Int("jobs", 1, "rows tried at a time, each in a copy of its own")
	flag.Parse()
	if err := run(*only, *jobs); err != nil {
		fmt.Fprintln(os.Stderr, "breakages:", err)
		os.Exit(1)
	}
}

func run(only string, jobs int) error {
	rows, err := read(only)
	if err != nil {
		return err
	}
	claims, err := readClaims()
	if err != nil {
		return err
	}
	work := make(chan *row)
	errs := make([]error, jobs)
	var wait sync.WaitGroup
	for i := range jobs {
		wait.Go(func() { errs[i] = try(work, claims) })
	}
	for _, r := range rows {
		work <- r
	}
	close(work)
	wait.Wait()
	return errors.Join(append(errs, report(rows))...)
}

func read(only string) ([]*row, error) {
	text, err := os.ReadFile(table)
	if err != nil {
		return nil, err
	}
	filter, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	var rows []*row
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") || !filter.MatchString(line) {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) < 4 || len(c) > 5 {
			return nil, fmt.Errorf("%s:%d: a row has four or five columns", table, i+1)
		}
		r := &row{line: i + 1, file: c[0], old: c[1], new: c[2], id: c[3], packages: []string{filepath.Dir(c[0])}}
		if len(c) == 5 {
			r.packages = strings.Fields(c[4])
		}
		rows = append(rows, r)
	}
	return rows, nil
}

var (
	testStart = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]*|Fuzz[A-Za-z0-9_]*)\(`)
	claimCall = regexp.MustCompile(`(?s)requirement\.Claim\(t,(.*?)\)\n`)
	claimID   = regexp.MustCompile(`"([A-Z]+-[0-9]+)"`)
)

// readClaims gives the tests of each package that claim an id by a literal. A test that
// claims what a table lists counts for every id in the tests of its package.
func readClaims() (map[string]map[string][]string, error) {
	claims, tables := map[string]map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		dir := filepath.Dir(path)
		if claims[dir] == nil {
			claims[dir] = map[string][]string{}
		}
		for _, id := range claimID.FindAllSubmatch(text, -1) {
			claims[dir][string(id[1])] = append(claims[dir][string(id[1])], "")
		}
		starts := testStart.FindAllSubmatchIndex(text, -1)
		for i, at := range starts {
			end := len(text)
			if i+1 < len(starts) {
				end = starts[i+1][0]
			}
			test := string(text[at[2]:at[3]])
			for _, call := range claimCall.FindAllSubmatch(text[at[0]:end], -1) {
				if bytes.HasSuffix(call[1], []byte("...")) {
					tables[dir] = append(tables[dir], test)
				}
				for _, id := range claimID.FindAllSubmatch(call[1], -1) {
					claims[dir][string(id[1])] = append(claims[dir][string(id[1])], test)
				}
			}
		}
		return err
	})
	for dir, ids := range claims {
		for id, tests := range ids {
			ids[id] = slices.DeleteFunc(append(tests, tables[dir]...), func(test string) bool { return test == "" })
		}
	}
	return claims, err
}

// try tries rows in one copy of the tree.
func try(work <-chan *row, claims map[string]map[string][]string) error {
	dir, err := os.MkdirTemp("", "breakages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(dir); err != nil {
		for range work { // let the others go on
		}
		return err
	}
	for r := range work {
		r.try(dir, claims)
		verdict := "caught"
		switch {
		case r.stale:
			verdict = "STALE"
		case !r.caught:
			verdict = "NOT CAUGHT"
		}
		fmt.Printf("%s\t%s:%d\t%s\t%s\t%s\n", verdict, table, r.line, r.id, r.file, r.message)
	}
	return nil
}

func copyTree(dir string) error {
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return err
	}
	for _, path := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}

// try applies the row, runs the tests that claim its id, and takes it back.
func (r *row) try(dir string, claims map[string]map[string][]string) {
	path := filepath.Join(dir, r.file)
	text, err := os.ReadFile(path)
	if err != nil || bytes.Count(text, []byte(r.old)) != 1 {
		r.stale, r.message = true, fmt.Sprintf("the part stands %d times (%v)", bytes.Count(text, []byte(r.old)), err)
		return
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(r.old), []byte(r.new), 1), 0o644); err != nil {
		r.stale, r.message = true, err.Error()
		return
	}
	defer func() { _ = os.WriteFile(path, text, 0o644) }()
	for _, pkg := range r.packages {
		tests := claims[pkg][r.id]
		if len(tests) == 0 {
			r.stale, r.message = true, "no test of "+pkg+" claims "+r.id
			return
		}
		slices.Sort(tests)
		cmd := exec.Command("go", "test", "-count=1", "-timeout", "120s", "-run", "^("+strings.Join(slices.Compact(tests), "|")+")$", "./"+pkg)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		switch failed := failures(out); {
		case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
			r.stale, r.message = true, "it does not compile: "+firstLine(out)
			return
		case bytes.Contains(out, []byte("panic: test timed out")):
			r.stale, r.message = true, "its tests take too long"
			return
		case err != nil && (len(failed) > 0 || bytes.Contains(out, []byte("panic:"))):
			r.caught, r.message = true, strings.Join(failed, " ")
			return
		case err != nil:
			r.message = firstLine(out)
		}
	}
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

func failures(out []byte) []string {
	var names []string
	for _, m := range failure.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

func firstLine(out []byte) string {
	for _, line := range strings.Split(string(out), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

func report(rows []*row) error {
	caught, stale := 0, 0
	ids := map[string]bool{}
	for _, r := range rows {
		switch {
		case r.stale:
			stale++
		case r.caught:
			caught++
			ids[r.id] = true
		}
	}
	fmt.Printf("%d of %d breakages caught, by tests that claim one of %d ids\n", caught, len(rows), len(ids))
	if caught < len(rows) {
		return fmt.Errorf("%d breakages were not caught, %d rows are stale", len(rows)-caught-stale, stale)
	}
	return nil
}
