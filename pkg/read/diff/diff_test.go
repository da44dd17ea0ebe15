package diff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/read/diff"
	"snapline/pkg/read/readtest"
	"snapline/pkg/testkit"
)

const top = "../../.."

func compare(t *testing.T, before, after []byte) *diff.Diff {
	t.Helper()
	d, err := diff.Compare(readtest.Tree(t, before), readtest.Tree(t, after), false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A tree differs from itself in nothing, and from another entity's in all: that is
// refused.
func TestGoldenPairs(t *testing.T) {
	for _, a := range readtest.GoldenNames(t, top) {
		for _, b := range readtest.GoldenNames(t, top) {
			d, err := diff.Compare(readtest.Golden(t, top, a), readtest.Golden(t, top, b), false)
			if a != b {
				if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Exit != fault.Aborted || f.Rule != "compare.entity" {
					t.Errorf("%s and %s: %v", a, b, err)
				}
				continue
			}
			var text strings.Builder
			if err := errors.Join(err, d.WriteText(&text)); err != nil {
				t.Fatal(err)
			}
			p := d.Prompt
			want := fmt.Sprintf("nothing changed\nprompt: %d of %d blocks and %d of %d bytes stay as they were\n", p.OldBlocks, p.OldBlocks, p.OldBytes, p.OldBytes)
			if text.String() != want || p.OldBlocks < 5 {
				t.Errorf("%s: %q", a, text.String())
			}
		}
	}
}

// Of each golden stream each text is edited by itself: the diff names that record alone,
// and the prompt stays up to it.
func TestGoldenEdits(t *testing.T) {
	for _, name := range readtest.GoldenNames(t, top) {
		raw, err := os.ReadFile(filepath.Join(top, "testdata", "pipeline", name, "3-bound.ndjson"))
		if err != nil {
			t.Fatal(err)
		}
		header, lines := testkit.Parse(t, raw, 3)
		before, at := readtest.Tree(t, raw), 0
		for i, l := range lines {
			r, ok := l.(*contract.Record)
			if !ok || r.Content.Form != contract.FormText {
				continue
			}
			edited := *r
			edited.Content = contract.Text([]byte("another text\n"))
			changed := slices.Clone(lines)
			changed[i] = &edited
			d, err := diff.Compare(before, readtest.Tree(t, testkit.Frame(t, header, changed)), false)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.Records) != 1 || d.Records[0].ID != r.ID || d.Records[0].Change != diff.Edited || !slices.Equal(d.Records[0].What, []string{"text"}) ||
				len(d.Threads)+len(d.Checks)+len(d.Gaps)+len(d.Actors)+len(d.Reviews)+len(d.Runs) != 0 || d.Entity.State != nil {
				t.Errorf("%s: %s %s: %+v", name, r.Kind, r.ID, d)
			}
			want := &diff.Break{Block: at, Kind: string(r.Kind), ID: r.ID, Reason: diff.Edit}
			if d.Prompt.Blocks != at || !reflect.DeepEqual(d.Prompt.Broken, want) {
				t.Errorf("%s: %s: prompt %+v, broken by %+v", name, r.ID, d.Prompt, d.Prompt.Broken)
			}
			at++
		}
	}
}

func TestRefusedPairs(t *testing.T) {
	entity := func(change func(*testkit.Stream)) []byte {
		s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
		change(s)
		return s.Bytes(t)
	}
	base := entity(func(*testkit.Stream) {})
	for rule, other := range map[string][]byte{
		"compare.entity":  testkit.New(contract.GitHub, contract.WorkItem, 3).Bytes(t),
		"compare.profile": entity(func(s *testkit.Stream) { s.Header.Collection.Bounds.MaxLabels = 3 }),
	} {
		_, err := diff.Compare(readtest.Tree(t, base), readtest.Tree(t, other), false)
		if f := (*fault.Error)(nil); !errors.As(err, &f) || f.Rule != rule || f.Exit != fault.Aborted {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// world is a change proposal that changes, and what is known to have changed.
type world struct {
	rand     *rand.Rand
	comments map[int]*comment
	reviews  map[int]*review
	threads  map[int]*thread
	checks   map[int]*checkRun
	actors   map[int]*actor
	runs     map[int]bool
	gaps     map[contract.Gap]int64
	labels   []string
	title    string
	state    contract.EntityState
	updated  string
	next     int
}

type comment struct {
	time, body string
	author     int
	rejected   bool
}

type review struct {
	time, body string
	state      contract.ReviewState
}

type thread struct {
	comments                      []int
	resolved, outdated, minimized bool
	line                          int64
}

type checkRun struct {
	conclusion contract.Conclusion // "" queued
	log, name  string
}

type actor struct{ role, login string }

func clock(minute int) string {
	return fmt.Sprintf("2026-03-%02dT%02d:%02d:00.000000000Z", 2+minute/1440, minute/60%24, minute%60)
}

// kept is how many of the first comments no change touches.
const kept = 4

func newWorld(r *rand.Rand) *world {
	w := &world{
		rand: r, comments: map[int]*comment{}, reviews: map[int]*review{}, threads: map[int]*thread{}, checks: map[int]*checkRun{},
		actors: map[int]*actor{}, runs: map[int]bool{}, gaps: map[contract.Gap]int64{},
		labels: []string{"bug", "size/M"}, title: "A title", state: contract.StateOpen, updated: testkit.Time(20, "08:00"), next: 1,
	}
	for i := 2; i < 6; i++ {
		w.actors[i] = &actor{[]string{"admin", "maintain", "write", "triage"}[i-2], fmt.Sprintf("human-%d", i)}
	}
	for i := range kept { // one comment of each account stays as it is, and so does its row
		w.comments[w.comment(10*(1+r.IntN(500)))].author = 2 + i
	}
	for range 3 + r.IntN(12) {
		w.comment(10 * (1 + r.IntN(500)))
	}
	for i := range 1 + r.IntN(4) {
		w.reviews[i+1] = &review{clock(10*r.IntN(500) + 5), "fine\n", contract.ChangesRequested}
	}
	for i := range r.IntN(5) {
		w.threads[i+1] = &thread{comments: []int{w.comment(10 * (1 + r.IntN(500)))}, resolved: r.IntN(2) == 0, outdated: r.IntN(2) == 0, line: 3}
	}
	for i := range 1 + r.IntN(5) {
		w.checks[i+1] = &checkRun{contract.Failure, "failed\n", fmt.Sprintf("check %d", i+1)}
	}
	w.runs[1] = true
	w.gaps[contract.Gap{Scope: contract.ScopeComments, Code: contract.ProfileBound}] = 4
	w.gaps[contract.Gap{Scope: contract.ScopeReviews, Code: contract.AuthorizationFailed}] = 2
	return w
}

func (w *world) comment(minute int) int {
	n := w.next
	w.next++
	w.comments[n] = &comment{clock(minute), fmt.Sprintf("comment %d\n", n), 2 + w.rand.IntN(4), false}
	return n
}

func (w *world) copy() *world {
	c := *w
	c.comments, c.reviews, c.threads = copied(w.comments), copied(w.reviews), copied(w.threads)
	c.checks, c.actors = copied(w.checks), copied(w.actors)
	c.runs, c.gaps = map[int]bool{}, map[contract.Gap]int64{}
	for k := range w.runs {
		c.runs[k] = true
	}
	for k, v := range w.gaps {
		c.gaps[k] = v
	}
	c.labels = slices.Clone(w.labels)
	return &c
}

func copied[T any](m map[int]*T) map[int]*T {
	c := map[int]*T{}
	for k, v := range m {
		value := *v
		c[k] = &value
	}
	return c
}

// stream gives the bounded stream of the world.
func (w *world) stream() *testkit.Stream {
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	e := &s.Header.Entity
	e.Title, e.Labels, e.State, e.UpdatedAt = w.title, slices.Sorted(slices.Values(w.labels)), w.state, w.updated
	for _, l := range s.Lines {
		if r, ok := l.(*contract.Record); ok && r.Kind == contract.KindEntity {
			r.UpdatedAt = w.updated
		}
	}
	for n, a := range w.actors {
		s.Actor(s.Human(n, a.role)).Login = &a.login
	}
	for n, c := range w.comments {
		r := s.Comment(n, c.time, s.ID("actor", c.author), c.body)
		if c.rejected {
			testkit.Reject(r, "injection.instruction-override")
		}
	}
	for n, r := range w.reviews {
		line := s.Review(n, r.time, s.ID("actor", 2), r.body, r.state)
		if r.state == contract.Dismissed {
			at, by := clock(9000), s.ID("actor", 3)
			line.DismissedAt, line.DismissedBy = &at, &by
		}
	}
	for n, th := range w.threads {
		line := s.Thread(n, clock(n), th.comments...)
		line.Resolved, line.Outdated, line.Minimized, line.Line, line.Path = th.resolved, th.outdated, &th.minimized, th.line, "src/main.go"
		if th.resolved {
			by := s.ID("actor", 2)
			line.ResolvedByActorID = &by
		}
	}
	for n, c := range w.checks {
		line := s.Check(n, clock(7000+n), c.name, c.conclusion)
		if c.conclusion == "" {
			testkit.Unfinished(line, contract.Queued)
		} else if c.log != "" {
			s.Log(n, c.log)
		}
	}
	for n := range w.runs {
		s.Run(n, clock(8000+n), "agent")
	}
	var rejected int64
	for _, c := range w.comments {
		if c.rejected {
			rejected++
		}
	}
	if rejected > 0 {
		s.Gap(contract.ScopeComments, contract.UnsafeContent, rejected)
	}
	for g, n := range w.gaps {
		if n > 0 {
			s.Gap(g.Scope, g.Code, n)
		}
	}
	return s
}

// change makes one change that touches nothing that another has touched, and describes
// it in expected. It reports whether there was something left to change.
func (w *world) change(s *testkit.Stream, expected *diff.Diff, touched map[string]bool) bool {
	pick := func(sort string, keys []int, ok func(int) bool) int {
		slices.Sort(keys)
		w.rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, k := range keys {
			if id := fmt.Sprint(sort, k); !touched[id] && ok(k) {
				touched[id] = true
				return k
			}
		}
		return 0
	}
	once := func(what string) bool {
		was := touched[what]
		touched[what] = true
		return !was
	}
	inThread := map[int]bool{}
	for _, th := range w.threads {
		for _, c := range th.comments {
			inThread[c] = true
		}
	}
	free := func(n int) bool { return !inThread[n] && !w.comments[n].rejected }
	record := func(n int, change diff.Change, what ...string) {
		expected.Records = append(expected.Records, diff.Record{Change: change, Kind: contract.KindComment, ID: s.ID(contract.KindComment, n), RecordKey: s.Key(contract.KindComment, n), What: append([]string{}, what...)})
	}
	key := func(n int) string { return s.Key(contract.KindComment, n) }
	threadRow := func(n int, change diff.Change, what string, added ...int) {
		row := diff.Thread{Change: change, ID: s.ID(contract.KindThread, n), ThreadKey: s.Key(contract.KindThread, n), What: []string{}, Added: []string{}, Removed: []string{}}
		if what != "" {
			row.What = []string{what}
		}
		for _, c := range added {
			row.Added = append(row.Added, key(c))
		}
		expected.Threads = append(expected.Threads, row)
	}
	check := func(n int, change diff.Change, was, is string) *diff.Check {
		c := diff.Check{Change: change, ID: s.ID(contract.KindCheck, n), RecordKey: s.Key(contract.KindCheck, n)}
		if was != is {
			c.Outcome = &diff.Value{Old: was, New: is}
		}
		expected.Checks = append(expected.Checks, c)
		return &expected.Checks[len(expected.Checks)-1]
	}
	switch w.rand.IntN(22) {
	case 0:
		n := w.comment(6000 + w.next)
		touched[fmt.Sprint("comment", n)] = true
		record(n, diff.New)
	case 1:
		n := w.comment(10*w.rand.IntN(500) + 3)
		touched[fmt.Sprint("comment", n)] = true
		record(n, diff.New)
	case 2:
		n := pick("comment", keys(w.comments), func(n int) bool { return !w.comments[n].rejected })
		if n == 0 {
			return false
		}
		w.comments[n].body = "edited\n"
		record(n, diff.Edited, "text")
	case 3:
		n := pick("comment", keys(w.comments), free)
		if n == 0 {
			return false
		}
		delete(w.comments, n)
		record(n, diff.Gone)
	case 4:
		n := pick("comment", keys(w.comments), free)
		if n == 0 {
			return false
		}
		w.comments[n].rejected = true
		record(n, diff.Edited, "filter", "rejected")
	case 5:
		n := pick("comment", keys(w.comments), func(n int) bool { return !w.comments[n].rejected })
		if n == 0 {
			return false
		}
		w.comments[n].author = 2 + (w.comments[n].author-2+1)%4
		record(n, diff.Edited, "author")
	case 6, 7:
		n := pick("thread", keys(w.threads), func(int) bool { return true })
		if n == 0 {
			return false
		}
		th := w.threads[n]
		th.resolved = !th.resolved
		threadRow(n, diff.Changed, map[bool]string{true: "resolved", false: "reopened"}[th.resolved])
	case 8:
		n := pick("thread", keys(w.threads), func(int) bool { return true })
		if n == 0 {
			return false
		}
		th := w.threads[n]
		th.outdated = !th.outdated
		threadRow(n, diff.Changed, map[bool]string{true: "outdated", false: "current"}[th.outdated])
	case 9:
		n := pick("thread", keys(w.threads), func(int) bool { return true })
		if n == 0 {
			return false
		}
		w.threads[n].minimized = true
		threadRow(n, diff.Changed, "minimized")
	case 10:
		n := pick("thread", keys(w.threads), func(int) bool { return true })
		if n == 0 {
			return false
		}
		w.threads[n].line = 4
		threadRow(n, diff.Changed, "moved")
	case 11:
		n := pick("thread", keys(w.threads), func(int) bool { return true })
		if n == 0 {
			return false
		}
		c := w.comment(6000 + w.next)
		touched[fmt.Sprint("comment", c)] = true
		w.threads[n].comments = append(slices.Clone(w.threads[n].comments), c)
		record(c, diff.New)
		threadRow(n, diff.Changed, "records", c)
	case 12:
		n, c := len(w.threads)+1, w.comment(6000+w.next)
		touched[fmt.Sprint("comment", c)], touched[fmt.Sprint("thread", n)] = true, true
		w.threads[n] = &thread{comments: []int{c}, line: 3}
		record(c, diff.New)
		threadRow(n, diff.New, "", c)
	case 13:
		n := pick("actor", keys(w.actors), func(n int) bool { return n > 3 })
		if n == 0 {
			return false
		}
		was := w.actors[n].role
		w.actors[n].role = map[string]string{"write": "admin", "triage": "write"}[was]
		expected.Actors = append(expected.Actors, diff.Actor{ID: s.ID("actor", n), Role: &diff.Value{Old: was, New: w.actors[n].role}})
	case 14:
		n := pick("actor", keys(w.actors), func(int) bool { return true })
		if n == 0 {
			return false
		}
		w.actors[n].login = "renamed"
		expected.Actors = append(expected.Actors, diff.Actor{ID: s.ID("actor", n), LoginChanged: true})
	case 15:
		if !once("labels") {
			return false
		}
		w.labels = []string{"bug", "urgent"}
		expected.Entity.LabelsAdded, expected.Entity.LabelsRemoved = []string{"urgent"}, []string{"size/M"}
	case 16:
		if !once("entity") {
			return false
		}
		expected.Entity.UpdatedAt = &diff.Value{Old: w.updated, New: testkit.Time(21, "08:00")}
		w.title, w.state, w.updated = "Another title", contract.StateMerged, testkit.Time(21, "08:00")
		expected.Entity.TitleChanged, expected.Entity.State = true, &diff.Value{Old: "open", New: "merged"}
	case 17:
		n := pick("review", keys(w.reviews), func(int) bool { return true })
		if n == 0 {
			return false
		}
		w.reviews[n].state = contract.Dismissed
		expected.Reviews = append(expected.Reviews, diff.Review{ID: s.ID(contract.KindReview, n), RecordKey: s.Key(contract.KindReview, n), State: diff.Value{Old: "changes_requested", New: "dismissed"}})
	case 18:
		n := pick("check", keys(w.checks), func(int) bool { return true })
		if n == 0 {
			return false
		}
		switch w.rand.IntN(3) {
		case 0:
			w.checks[n].conclusion, w.checks[n].log = contract.Success, ""
			check(n, diff.Changed, "failure", "success").LogChanged = true
		case 1:
			w.checks[n].log = "failed again\n"
			check(n, diff.Changed, "", "").LogChanged = true
		case 2:
			w.checks[n].name = "renamed"
			check(n, diff.Changed, "", "").NameChanged = true
		}
	case 19:
		n := 100 + w.next
		w.next++
		w.checks[n] = &checkRun{name: "new"}
		touched[fmt.Sprint("check", n)] = true
		check(n, diff.New, "", "queued")
	case 20:
		n := 100 + w.next
		w.next++
		w.runs[n] = true
		expected.Runs = append(expected.Runs, diff.Run{Change: diff.New, ID: s.ID("run", n)})
	case 21:
		if !once("gap") {
			return false
		}
		g := contract.Gap{Scope: contract.ScopeComments, Code: contract.ProfileBound}
		expected.Gaps = append(expected.Gaps, diff.Gap{Scope: g.Scope, Code: g.Code, Old: 4, New: 0})
		w.gaps[g] = 0
	}
	return true
}

func keys[T any](m map[int]T) []int {
	var list []int
	for k := range m {
		list = append(list, k)
	}
	return list
}

// Pairs of streams that differ in known ways: the diff says that and nothing else.
func TestGeneratedPairs(t *testing.T) {
	const pairs = 200
	for seed := range pairs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			generatedPair(t, seed)
		})
	}
}

func generatedPair(t *testing.T, seed int) {
	r := rand.New(rand.NewPCG(uint64(seed), 16))
	before := newWorld(r)
	after := before.copy()
	s := before.stream()
	expected := &diff.Diff{
		Records: []diff.Record{}, Gaps: []diff.Gap{}, Reviews: []diff.Review{}, Threads: []diff.Thread{}, Actors: []diff.Actor{}, Checks: []diff.Check{}, Runs: []diff.Run{},
		Entity: diff.Entity{Kind: contract.ChangeProposal, ID: s.Header.Entity.ID, Number: 17, LabelsAdded: []string{}, LabelsRemoved: []string{}},
	}
	touched := map[string]bool{}
	for n := 1; n <= kept; n++ {
		touched[fmt.Sprint("comment", n)] = true
	}
	for made, tried := 0, 0; made < seed%8 && tried < 100; tried++ {
		if after.change(s, expected, touched) {
			made++
		}
	}
	if n := rejectedIn(after); n > 0 {
		expected.Gaps = append(expected.Gaps, diff.Gap{Scope: contract.ScopeComments, Code: contract.UnsafeContent, New: n})
	}
	oldStream, newStream := before.stream().Bytes(t), after.stream().Bytes(t)
	oldDir, oldDigest := readtest.Build(t, oldStream)
	newDir, newDigest := readtest.Build(t, newStream)
	got, err := diff.Compare(readtest.Open(t, oldDir, oldDigest), readtest.Open(t, newDir, newDigest), false)
	if err != nil {
		t.Fatalf("pair %d: %v", seed, err)
	}
	expected.OldIndex, expected.NewIndex = oldDigest, newDigest
	expected.Prompt = promptOf(t, oldDir, newDir)
	describe(t, seed, got, expected, orderIn(t, oldStream, newStream))
}

func rejectedIn(w *world) (n int64) {
	for _, c := range w.comments {
		if c.rejected {
			n++
		}
	}
	return n
}

// orderIn gives the creation times of records and checks.
func orderIn(t *testing.T, streams ...[]byte) map[string]string {
	times := map[string]string{}
	for _, raw := range streams {
		_, lines := testkit.Parse(t, raw, 3)
		for _, l := range lines {
			switch l := l.(type) {
			case *contract.Record:
				times[l.RecordKey] = l.CreatedAt + l.RecordKey
			case *contract.Check:
				times[l.RecordKey] = l.CreatedAt + l.RecordKey
			}
		}
	}
	return times
}

// describe compares the JSON of both, which is what others read.
func describe(t *testing.T, seed int, got, want *diff.Diff, order map[string]string) {
	t.Helper()
	slices.SortFunc(want.Records, func(a, b diff.Record) int { return strings.Compare(order[a.RecordKey], order[b.RecordKey]) })
	slices.SortFunc(want.Checks, func(a, b diff.Check) int { return strings.Compare(order[a.RecordKey], order[b.RecordKey]) })
	slices.SortFunc(want.Gaps, func(a, b diff.Gap) int { return strings.Compare(string(a.Code), string(b.Code)) })
	slices.SortFunc(want.Threads, func(a, b diff.Thread) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(want.Reviews, func(a, b diff.Review) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(want.Actors, func(a, b diff.Actor) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(want.Runs, func(a, b diff.Run) int { return strings.Compare(a.ID, b.ID) })
	if want.Prompt.Broken != nil && got.Prompt.Broken != nil { // its words have tests of their own
		want.Prompt.Broken.Kind, want.Prompt.Broken.ID, want.Prompt.Broken.Reason = got.Prompt.Broken.Kind, got.Prompt.Broken.ID, got.Prompt.Broken.Reason
	}
	var a, b bytes.Buffer
	e := json.NewEncoder(&a)
	e.SetEscapeHTML(false)
	if err := errors.Join(e.Encode(want), got.WriteJSON(&b)); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("pair %d:\ngot  %swant %s", seed, b.String(), a.String())
	}
}

// promptOf compares two trees on disk file by file, in the order of a timeline prompt.
func promptOf(t *testing.T, oldDir, newDir string) (p diff.Prompt) {
	before, after := filesOf(t, oldDir), filesOf(t, newDir)
	p.OldBlocks = len(before)
	for i, b := range before {
		p.OldBytes += int64(len(b.text))
		switch {
		case p.Broken != nil:
		case i < len(after) && after[i] == b:
			p.Blocks++
			p.Bytes += int64(len(b.text))
		default:
			p.Broken = &diff.Break{Block: i}
		}
	}
	if p.Broken == nil && len(after) > len(before) {
		p.Broken = &diff.Break{Block: len(before)}
	}
	return p
}

type file struct{ name, text string }

func filesOf(t *testing.T, dir string) (list []file) {
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, line := range strings.Fields(text(tree.TimelinePath)) {
		list = append(list, file{line, text(line)})
	}
	// authors: the rows of the actors by id, without it.
	var actors struct{ Actors []map[string]any }
	if err := json.Unmarshal([]byte(text(tree.ActorsPath)), &actors); err != nil {
		t.Fatal(err)
	}
	authors := map[string]any{}
	for _, a := range actors.Actors {
		authors[a["id"].(string)] = a
		delete(a, "id")
	}
	b, err := json.Marshal(authors)
	if err != nil {
		t.Fatal(err)
	}
	list = append(list, file{"authors", string(b)})
	for _, name := range []string{tree.ReviewsPath, tree.AgentRunsPath, tree.EntityPath, tree.ThreadStatePath} {
		list = append(list, file{name, text(name)})
	}
	checks, err := filepath.Glob(filepath.Join(dir, "checks", "*", "metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		name, _ := filepath.Rel(dir, c)
		list = append(list, file{name, text(name)})
	}
	var index struct{ Gaps json.RawMessage }
	if err := json.Unmarshal([]byte(text(tree.IndexPath)), &index); err != nil {
		t.Fatal(err)
	}
	return append(list, file{"gaps", string(index.Gaps)})
}

// What breaks a prompt first, in words.
func TestBreaks(t *testing.T) {
	base := func() *testkit.Stream {
		s := testkit.New(contract.GitHub, contract.WorkItem, 3)
		for i := range 3 {
			s.Comment(i+1, clock(10*(i+1)), s.ID("actor", 1), fmt.Sprintf("comment %d\n", i+1))
		}
		return s
	}
	line := func(s *testkit.Stream, n int) *contract.Record {
		for _, l := range s.Lines {
			if r, ok := l.(*contract.Record); ok && r.ID == s.ID(contract.KindComment, n) {
				return r
			}
		}
		return nil
	}
	for want, change := range map[string]func(*testkit.Stream){
		"block 4: comment IC_kwDO009 was appended":           func(s *testkit.Stream) { s.Comment(9, clock(99), s.ID("actor", 1), "later\n") },
		"block 2: comment IC_kwDO009 came before older ones": func(s *testkit.Stream) { s.Comment(9, clock(15), s.ID("actor", 1), "earlier\n") },
		"block 2: comment IC_kwDO002 was edited":             func(s *testkit.Stream) { line(s, 2).Content = contract.Text([]byte("x\n")) },
		"block 1: comment IC_kwDO001 is gone": func(s *testkit.Stream) {
			s.Lines = slices.DeleteFunc(s.Lines, func(l contract.Line) bool { return l == contract.Line(line(s, 1)) })
		},
		"block 3: comment IC_kwDO003 is gone": func(s *testkit.Stream) {
			testkit.Reject(line(s, 3), "injection.exfiltration")
			s.Gap(contract.ScopeComments, contract.UnsafeContent, 1)
		},
		"block 4: authors is another": func(s *testkit.Stream) { login := "renamed"; s.Actor(s.ID("actor", 1)).Login = &login },
		"block 7: state is another":   func(s *testkit.Stream) { s.Header.Entity.State = contract.StateClosed },
	} {
		s := base()
		change(s)
		d := compare(t, base().Bytes(t), s.Bytes(t))
		if got := d.Prompt.Sentence(); !strings.HasSuffix(got, "; "+want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
