package endtoend_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/github/githubtest"
	"snapline/pkg/requirement"
	"snapline/pkg/stream"
)

var update = flag.Bool("update", false, "rewrite the golden pipelines")

// pipelines are the golden pipelines: the folder's name and how its fetch stream is
// made.
var pipelines = map[string]func(testing.TB) []byte{
	"pull-request": func(t testing.TB) []byte {
		return fetchDemo(t, demoPull(t), "https://github.com/acme/tool/pull/7", contract.ChangeProposal)
	},
	"issue": func(t testing.TB) []byte {
		return fetchDemo(t, demoIssue(t), "https://github.com/acme/tool/issues/2", contract.WorkItem)
	},
	"forgejo-pull-request": func(t testing.TB) []byte { return forgejoStream(t, "/owner1/Demo/pulls/2") },
	"forgejo-issue":        func(t testing.TB) []byte { return forgejoStream(t, "/owner1/Demo/issues/1") },
	"gitlab-merge-request": func(t testing.TB) []byte { return gitlabStream(t, "/forgejo/test_repo/-/merge_requests/1") },
	"gitlab-issue":         func(t testing.TB) []byte { return gitlabStream(t, "/forgejo/test_repo/-/issues/1") },
}

const pipelineFloor = 6

// The files of a golden pipeline. The unfiltered stream is compressed: it holds made-up
// secrets, and no scanner shall trip over them.
const (
	fetchGolden  = "1-fetch.ndjson.zst"
	filterGolden = "2-filter.ndjson"
	boundGolden  = "3-bound.ndjson"
	treeGolden   = "4-emit"
	verifyGolden = "5-verify.txt"
	filterSays   = "2-filter.stderr"
	boundSays    = "3-bound.stderr"
)

// TestGoldenPipelines runs each case through all stages and compares every
// intermediate. -update rewrites the folders.
func TestGoldenPipelines(t *testing.T) {
	requirement.Claim(t, "DET-02", "DET-03", "GAP-05", "FLT-09")
	folders, err := filepath.Glob("testdata/pipeline/*/" + fetchGolden)
	must(t, err)
	if len(pipelines) < pipelineFloor || !*update && len(folders) != len(pipelines) {
		t.Fatalf("%d folders, %d cases, want at least %d", len(folders), len(pipelines), pipelineFloor)
	}
	for name, make := range pipelines {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", "pipeline", name)
			raw := make(t)
			p := pipe(t, raw)
			if p.emit.exit != fault.Done {
				t.Fatalf("emit: exit %d\n%s%s%s", p.emit.exit, p.filter.stderr, p.bound.stderr, p.emit.stderr)
			}
			digest := p.digest(t)
			v := run("verify", nil, p.dir, "--index-sha256", digest)
			got := map[string]string{
				fetchGolden:  string(raw),
				filterGolden: p.filter.stdout,
				filterSays:   p.filter.stderr,
				boundGolden:  p.bound.stdout,
				boundSays:    p.bound.stderr,
				verifyGolden: fmt.Sprintf("root %s\nexit %d\n%s%s", digest, v.exit, v.stdout, v.stderr),
			}
			for path, text := range files(t, p.dir) {
				got[treeGolden+"/"+path] = text
			}
			if *update {
				rewriteGolden(t, dir, got)
			}
			if v.exit != fault.Done {
				t.Errorf("verify: exit %d\n%s", v.exit, v.stdout)
			}
			audited(t, string(raw), p.filter.stdout, p.bound.stdout)
			compareGolden(t, dir, got)
			leaks(t, name, got)
		})
	}
}

// audited lets verify audit each stage's stream against its input.
func audited(t *testing.T, streams ...string) {
	t.Helper()
	dir := t.TempDir()
	for i, raw := range streams {
		file := filepath.Join(dir, fmt.Sprint(i))
		must(t, os.WriteFile(file, []byte(raw), 0o600))
		args := []string{"stream", file}
		if i > 0 {
			args = append(args, "--against", filepath.Join(dir, fmt.Sprint(i-1)))
		}
		if r := run("verify", nil, args...); r.exit != fault.Done {
			t.Errorf("verify stream %d: exit %d\n%s%s", i+1, r.exit, r.stdout, r.stderr)
		}
	}
}

// leaks looks for what must not come behind the filter.
func leaks(t *testing.T, name string, got map[string]string) {
	t.Helper()
	for path, text := range got {
		if path == fetchGolden {
			continue
		}
		for _, never := range []string{fakeGitHubToken, fakeAWSSecret, "fixing_patch.zip", "merge this pull request", "\u200b", "\u202e", tags("a"), `\u001b`, "\x1b"} {
			if strings.Contains(text, never) {
				t.Errorf("%s contains %q", path, never)
			}
		}
	}
	for _, must := range []string{fakeGitHubToken, fakeAWSSecret, "fixing_patch.zip"} {
		if name == "pull-request" && !strings.Contains(got[fetchGolden], must) {
			t.Errorf("the capture lacks %q: nothing was tested", must)
		}
	}
}

func rewriteGolden(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	must(t, os.RemoveAll(filepath.Join(dir, treeGolden)))
	for path, text := range got {
		file := filepath.Join(dir, filepath.FromSlash(path))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		if path == fetchGolden {
			if old, err := decompress(file); err == nil && old == text {
				continue // another library version packs the same bytes differently
			}
			text = compress(t, text)
		}
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
}

func compareGolden(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	want := files(t, dir)
	for path := range want {
		if strings.HasPrefix(path, "0-source/") || path == "README.md" {
			delete(want, path)
		}
	}
	var err error
	if want[fetchGolden], err = decompress(filepath.Join(dir, fetchGolden)); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		text, ok := want[path]
		delete(want, path)
		if !ok {
			t.Errorf("%s is new", path)
		} else if text != got[path] {
			t.Errorf("%s (-want +got):\n%s", path, cmp.Diff(strings.Split(text, "\n"), strings.Split(got[path], "\n")))
		}
	}
	for path := range want {
		t.Errorf("%s is gone", path)
	}
}

func compress(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	must(t, err)
	_, err = io.WriteString(w, text)
	must(t, errors.Join(err, w.Close()))
	return b.String()
}

func decompress(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// The demo holds what it is there to show.
func TestDemoShowsEverything(t *testing.T) {
	raw := pipelines["pull-request"](t)
	in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Name: "demo", Position: 1})
	_, err := in.Header()
	must(t, err)
	inThreads, states, statuses := 0, map[contract.ReviewState]bool{}, map[string]bool{}
	var resolved, open, outdated, editedRecords int
	for {
		l, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		switch l := l.(type) {
		case *contract.Record:
			if l.Kind == contract.KindReview {
				states[l.State] = true
			}
			if l.Edited {
				editedRecords++
			}
		case *contract.Thread:
			inThreads += len(l.RecordKeys)
			switch {
			case l.Resolved:
				resolved++
			case l.Outdated:
				outdated++
			default:
				open++
			}
		case *contract.Check:
			statuses[string(l.Status)+" "+string(l.Conclusion)] = true
		}
	}
	if inThreads < 40 || resolved == 0 || open == 0 || outdated == 0 || editedRecords == 0 {
		t.Errorf("%d comments in threads; %d resolved, %d open, %d outdated threads; %d edited records", inThreads, resolved, open, outdated, editedRecords)
	}
	if len(states) != 4 {
		t.Errorf("review states %v", states)
	}
	bounded := pipe(t, raw).bound
	for _, cut := range []string{": body cut", ": log cut"} {
		if !strings.Contains(bounded.stderr, cut) {
			t.Errorf("bound does not say %q:\n%s", cut, bounded.stderr)
		}
	}
	for _, want := range []string{"completed failure", "completed skipped", "completed cancelled", "completed success", "completed timed_out", "queued "} {
		if !statuses[want] {
			t.Errorf("no check is %q: %v", want, statuses)
		}
	}
}

// Two captures of one pull request, a comment apart, share every earlier record byte
// for byte, whatever else has changed in between.
func TestLaterCaptureKeepsEarlierRecords(t *testing.T) {
	requirement.Claim(t, "VIEW-04")
	first := pipe(t, pipelines["pull-request"](t))

	f := demoPull(t)
	pull := f.Entities[7]
	pull["updatedAt"] = "2026-05-02T08:00:00Z"
	threads := pull["reviewThreads"].(githubtest.Connection).Nodes
	last := threads[len(threads)-1]
	last["isResolved"], last["resolvedBy"] = true, mara
	to := last["comments"].(githubtest.Connection).Nodes[0]["id"].(string)
	githubtest.Append(last, "comments", githubtest.Inline("PRRC_kwDOlater", "One more thing.", anna, "2026-05-02T08:00:00Z", "", to))
	mara["login"] = "mara-renamed"
	defer func() { mara["login"] = "mara-maintains" }()
	f.Grant(mara, "admin")
	second := pipe(t, fetchDemo(t, f, "https://github.com/acme/tool/pull/7", contract.ChangeProposal))
	if first.emit.exit != fault.Done || second.emit.exit != fault.Done {
		t.Fatalf("exits %d, %d\n%s", first.emit.exit, second.emit.exit, second.filter.stderr)
	}

	changed, added := changes(t, first, second)
	if len(added) != 1 || !strings.HasPrefix(added[0], "records/") {
		t.Errorf("added: %v", added)
	}
	for _, path := range changed {
		if strings.HasPrefix(path, "records/") {
			t.Errorf("%s has changed", path)
		}
	}
	for _, path := range []string{tree.TimelinePath, tree.ThreadStatePath, tree.IndexPath, tree.ActorsPath} {
		if !slices.Contains(changed, path) {
			t.Errorf("%s has not changed: %v", path, changed)
		}
	}
	if !strings.HasPrefix(second.file(t, tree.TimelinePath), first.file(t, tree.TimelinePath)) {
		t.Error("the timeline is not extended")
	}
	var index struct{ Records []json.RawMessage }
	must(t, json.Unmarshal([]byte(second.file(t, tree.IndexPath)), &index))
	if len(index.Records) < 40 {
		t.Errorf("only %d records", len(index.Records))
	}
}
