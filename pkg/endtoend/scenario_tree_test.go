package endtoend_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// specimen gives a tree with a comment and a check log.
func specimen(t *testing.T) piped {
	t.Helper()
	return published(t, lines(`{"type":"snapshot","kind":"change_proposal"}`, ownerLine, entityLine,
		comment("IC_kwDO1", "U_kgDOowner", "a word in a comment"),
		`{"type":"check","id":"CR_kwDO1"}`, `{"type":"log","check":"CR_kwDO1","body":"step 1\nboom\n"}`))
}

func noClock(t *testing.T, s scenario) {
	p := specimen(t)
	want := files(t, p.dir)
	stream := filepath.Join(t.TempDir(), "bound.ndjson")
	if err := os.WriteFile(stream, []byte(p.bound.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{{"TZ=UTC"}, {"TZ=Asia/Kathmandu", "LC_ALL=tr_TR.UTF-8", "USER=somebody"}} {
		out := filepath.Join(t.TempDir(), "another-name")
		in, err := os.Open(stream)
		if err != nil {
			t.Fatal(err)
		}
		emit := exec.Command("emit", "--out", out)
		emit.Stdin, emit.Env = in, append(os.Environ(), env...)
		receipt, err := emit.Output()
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "receipt", p.emit.stdout, string(receipt))
		same(t, "files", want, files(t, out))
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range want {
		for _, never := range []string{"generated_at", `"` + host + `"`, p.dir} {
			if strings.Contains(text, never) {
				t.Errorf("%q occurs in %s", never, path)
			}
		}
	}
	_ = s
}

func orderNotFromMaps(t *testing.T, s scenario) {
	gapLine := func(scope, code string, n int) string {
		return fmt.Sprintf(`{"type":"gap","scope":%q,"code":%q,"count":%d}`, scope, code, n)
	}
	stream := sealed(t, lines(`{"type":"snapshot","kind":"change_proposal","bounds":{"max_records_per_source":3}}`,
		gapLine("reviews", "invalid_metadata", 1),
		`{"type":"actor","id":"BOT_kgDOA","kind":"bot","bot_role":"coder"}`, `{"type":"actor","id":"MDQ6VXNlcjE=","role":"write"}`,
		gapLine("comments", "profile_bound", 2),
		`{"type":"actor","id":"U_kgDOB","role":"write"}`, ownerLine,
		gapLine("checks", "invalid_metadata", 1),
		`{"type":"record","kind":"entity","author_id":"U_kgDOowner","body":"x"}`,
		comment("IC_kwDO1", "U_kgDOB", "x"), comment("IC_kwDO2", "MDQ6VXNlcjE=", "x"), comment("IC_kwDO3", "BOT_kgDOA", "x"),
		gapLine("comments", "authorization_failed", 3), gapLine("reviews", "invalid_metadata", 2),
	))
	digests := map[string]bool{}
	for range 100 {
		p := pipe(t, stream)
		if p.emit.exit != fault.Done {
			t.Fatalf("%s%s%s", p.filter.stderr, p.bound.stderr, p.emit.stderr)
		}
		digests[p.digest(t)] = true
		if len(digests) == 1 && p.index.Gaps == nil {
			if err := json.Unmarshal([]byte(p.file(t, tree.IndexPath)), &p.index); err != nil {
				t.Fatal(err)
			}
			same(t, "gaps", s.Expect["gaps"], any(p.gaps()))
			var actors struct{ Actors []struct{ ID string } }
			if err := json.Unmarshal([]byte(p.file(t, tree.ActorsPath)), &actors); err != nil {
				t.Fatal(err)
			}
			var ids []any
			for _, a := range actors.Actors {
				if a.ID != "U_kgDOowner" {
					ids = append(ids, a.ID)
				}
			}
			same(t, "actors", s.Expect["actors"], any(ids))
		}
	}
	same(t, "distinct digests", s.Expect["distinct_root_digests"], any(float64(len(digests))))

	shuffled := pipe(t, sealed(t, lines(`{"type":"snapshot"}`, ownerLine, `{"type":"actor","id":"MDQ6VXNlcjE=","role":"write"}`, entityLine)))
	if shuffled.filter.exit != fault.Input || !strings.Contains(shuffled.filter.stderr, "stream.order") {
		t.Errorf("actors out of order: exit %d: %s", shuffled.filter.exit, shuffled.filter.stderr)
	}
}

func existingOut(t *testing.T, _ scenario) {
	p := specimen(t)
	yesterday := files(t, p.dir)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	aborted := `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n"
	for name, c := range map[string]struct{ stream, out string }{
		"good stream": {p.bound.stdout, p.dir}, "aborted stream": {aborted, p.dir}, "empty directory": {p.bound.stdout, empty},
	} {
		receipt := filepath.Join(t.TempDir(), "receipt")
		r := run("emit", []byte(c.stream), "--out", c.out, "--receipt", receipt)
		if r.exit == fault.Done || r.stdout != "" {
			t.Errorf("%s: exit %d, stdout %q", name, r.exit, r.stdout)
		}
		if strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "must not exist") {
			t.Errorf("%s: stderr %q", name, r.stderr)
		}
		if _, err := os.Lstat(receipt); !os.IsNotExist(err) {
			t.Errorf("%s: there is a receipt", name)
		}
	}
	same(t, "yesterday's tree", yesterday, files(t, p.dir))
	if v := run("verify", nil, p.dir, "--index-sha256", p.digest(t)); v.exit != fault.Done {
		t.Errorf("yesterday's tree: exit %d", v.exit)
	}
	if left := files(t, empty); len(left) != 0 {
		t.Errorf("files in the empty directory: %v", left)
	}
}

func privateFromTheFirstByte(t *testing.T, _ scenario) {
	stream := []string{`{"type":"snapshot","bounds":{"max_records_per_source":2000}}`, ownerLine, entityLine}
	for i := range 1000 {
		stream = append(stream, comment(fmt.Sprintf("IC_kwDO%04d", i), "U_kgDOowner", strings.Repeat("text ", 200)))
	}
	bounded := run("bound", []byte(run("filter", sealed(t, lines(stream...))).stdout)).stdout
	names := map[string]bool{}
	for i := range 3 {
		parent := t.TempDir()
		emit := exec.Command("sh", "-c", "umask 000; exec emit --out context")
		emit.Dir, emit.Stdin, emit.Stdout = parent, strings.NewReader(bounded), new(strings.Builder)
		if err := emit.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- emit.Wait() }()
		seen := 0
		for watching := true; watching; {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				watching = false
			default:
			}
			seen += watch(t, parent, names)
		}
		if seen == 0 {
			t.Error("nothing was seen")
		}
		runs := map[string]bool{} // a run's directory has another name until it has its lock
		for name := range names {
			if rest, ok := strings.CutPrefix(name, "snapline-"); ok {
				runs[strings.TrimPrefix(rest, "new-")] = true
			} else if name != "context" {
				t.Errorf("after %d runs this name was seen: %s", i+1, name)
			}
		}
		if len(runs) != i+1 {
			t.Errorf("after %d runs these names were seen: %v", i+1, names)
		}
	}
}

// watch looks once at everything below parent, collects the names in parent, and
// counts what it saw.
func watch(t *testing.T, parent string, names map[string]bool) (seen int) {
	_ = filepath.WalkDir(parent, func(path string, _ os.DirEntry, err error) error {
		if err != nil || path == parent {
			return nil // it vanished between two looks
		}
		if filepath.Dir(path) == parent {
			names[filepath.Base(path)] = true
		}
		info, err := os.Lstat(path)
		if err != nil {
			return nil
		}
		seen++
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	return seen
}

func symlinkedDirectory(t *testing.T, _ scenario) {
	variants := map[string]func(t *testing.T, p piped) (dir, component string){
		"records": func(t *testing.T, p piped) (string, string) {
			elsewhere := filepath.Join(t.TempDir(), "records")
			must(t, os.Rename(filepath.Join(p.dir, "records"), elsewhere))
			must(t, os.Symlink(elsewhere, filepath.Join(p.dir, "records")))
			return p.dir, "records"
		},
		"context itself": func(t *testing.T, p piped) (string, string) {
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(p.dir, link))
			return link, "link"
		},
		"one file": func(t *testing.T, p piped) (string, string) {
			path := p.record(t, "IC_kwDO1").ContentPath
			elsewhere := filepath.Join(t.TempDir(), "file")
			must(t, os.Rename(filepath.Join(p.dir, path), elsewhere))
			must(t, os.Symlink(elsewhere, filepath.Join(p.dir, path)))
			return p.dir, path
		},
	}
	for name, change := range variants {
		t.Run(name, func(t *testing.T) {
			p := specimen(t)
			digest := p.digest(t)
			dir, component := change(t, p)
			v := run("verify", nil, dir, "--index-sha256", digest)
			if v.exit != fault.Aborted || !strings.Contains(v.stdout+v.stderr, component) {
				t.Errorf("exit %d\n%s%s", v.exit, v.stdout, v.stderr)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func exactFileSet(t *testing.T, _ scenario) {
	log := func(t *testing.T, p piped) string { _, f := p.logFile(t); return f.Path }
	variants := map[string]struct {
		change func(t *testing.T, p piped)
		rules  []string
	}{
		"unlisted": {func(t *testing.T, p piped) {
			path := tree.RecordPath("comment", "2026-03-01T05:00:00.000000000Z", strings.Repeat("a", 64))
			must(t, os.WriteFile(filepath.Join(p.dir, path), []byte("plausible\n"), 0o600))
		}, []string{"tree.unlisted-file"}},
		"missing": {func(t *testing.T, p piped) { must(t, os.Remove(filepath.Join(p.dir, log(t, p)))) }, []string{"tree.missing-file"}},
		"renamed": {func(t *testing.T, p piped) {
			old := p.record(t, "IC_kwDO1").ContentPath
			digit := "0"
			if strings.HasSuffix(old, "0.md") {
				digit = "1"
			}
			must(t, os.Rename(filepath.Join(p.dir, old), filepath.Join(p.dir, old[:len(old)-4]+digit+".md")))
		}, []string{"tree.missing-file", "tree.unlisted-file"}},
	}
	for name, c := range variants {
		t.Run(name, func(t *testing.T) {
			p := specimen(t)
			c.change(t, p)
			v := run("verify", nil, p.dir, "--index-sha256", p.digest(t))
			if v.exit != fault.Aborted {
				t.Errorf("exit %d", v.exit)
			}
			for _, rule := range c.rules {
				if !strings.Contains(v.stdout, rule) {
					t.Errorf("%s is not reported:\n%s", rule, v.stdout)
				}
			}
		})
	}
}

// rewrite changes a file of the tree and repairs index.json, and gives the digest of
// the repaired index.
func rewrite(t *testing.T, p piped, path, old, replacement string) string {
	t.Helper()
	text := p.file(t, path)
	changed := strings.Replace(text, old, replacement, 1)
	if changed == text {
		t.Fatalf("%s does not contain %q", path, old)
	}
	must(t, os.WriteFile(filepath.Join(p.dir, path), []byte(changed), 0o600))
	if path == tree.IndexPath {
		return tree.Digest([]byte(changed))
	}
	index := p.file(t, tree.IndexPath)
	at := slices.IndexFunc(p.index.Files, func(f tree.File) bool { return f.Path == path })
	index = strings.ReplaceAll(index, p.index.Files[at].SHA256, tree.Digest([]byte(changed)))
	index = strings.Replace(index, fmt.Sprintf(`"bytes":%d`, p.index.Files[at].Bytes), fmt.Sprintf(`"bytes":%d`, len(changed)), 1)
	must(t, os.WriteFile(filepath.Join(p.dir, tree.IndexPath), []byte(index), 0o600))
	return tree.Digest([]byte(index))
}

func consistentRewrite(t *testing.T, _ scenario) {
	p := specimen(t)
	digest := p.digest(t)
	changed := rewrite(t, p, p.record(t, "IC_kwDO1").ContentPath, "a word", "b word")
	if v := run("verify", nil, p.dir, "--index-sha256", changed); v.exit != fault.Done {
		t.Fatalf("the rewrite is not consistent: %s", v.stdout)
	}
	v := run("verify", nil, p.dir, "--index-sha256", digest)
	if v.exit != fault.Aborted || strings.Count(v.stdout, "\n") != 1 || !strings.Contains(v.stdout, tree.IndexPath) {
		t.Errorf("exit %d\n%s", v.exit, v.stdout)
	}
	if strings.Contains(v.stdout, "records/") {
		t.Errorf("the changed index was believed:\n%s", v.stdout)
	}
}

func hexCase(t *testing.T, _ scenario) {
	upper := func(hex string) string {
		if u := strings.ToUpper(hex); u != hex {
			return u
		}
		t.Fatalf("%s has no letter", hex)
		panic("unreachable")
	}
	t.Run("sha256", func(t *testing.T) {
		p := specimen(t)
		sum := p.index.Files[0].SHA256
		digest := rewrite(t, p, tree.IndexPath, `"sha256":"`+sum, `"sha256":"`+upper(sum))
		refused(t, p, digest, tree.IndexPath, "sha256")
	})
	t.Run("head_sha", func(t *testing.T) {
		p := specimen(t)
		path := tree.CheckPath(key("check", "CR_kwDO1"))
		digest := rewrite(t, p, path, shortHead, upper(shortHead))
		refused(t, p, digest, path, "head_sha")
	})
}

func refused(t *testing.T, p piped, digest, path, member string) {
	t.Helper()
	v := run("verify", nil, p.dir, "--index-sha256", digest)
	if v.exit != fault.Aborted || !strings.Contains(v.stdout, path) || !strings.Contains(v.stdout, member) {
		t.Errorf("exit %d\n%s%s", v.exit, v.stdout, v.stderr)
	}
}
