package forgetest

import (
	"context"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"snapline/pkg/contract"
)

// World is a fake server whose lists change while they are read. A server of one forge
// answers from Tables and calls Arrive before each answer.
type World struct {
	// Tables are the lists by name. A list that hangs on an object of another one, such
	// as the comments of a review, has the name of its kind, a slash and that object's id.
	Tables map[string]*Table
	// Parents gives the list whose object a list hangs on, by the name before the slash.
	Parents map[string]string
	// Counts are the lists of which a snapshot has only the number, by the gap that has it.
	Counts map[string]string
	// Mute says that no totals are stated. Then a list whose rows change places during
	// every reading looks like one whose pages overlap, and the walk leaves that out.
	Mute     bool
	mu       sync.Mutex
	now      time.Time
	requests int
	// change is done before the answer to request number at, and before each later one
	// if again is set.
	at     int
	again  bool
	change func(*Table, time.Time)
	table  *Table
}

// NewWorld gives a world that stands at the clock's start.
func NewWorld() *World {
	return &World{Tables: map[string]*Table{}, now: NewClock().Now()}
}

// Arrive lets the world go on by a request, under its lock, and answers with answer.
func (w *World) Arrive(answer func(now time.Time)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	w.now = w.now.Add(3 * time.Second)
	if w.change != nil && (w.requests == w.at || w.again && w.requests > w.at) {
		w.change(w.table, w.now)
	}
	answer(w.now)
}

// Living gives the objects that are in the world now.
func (w *World) Living() map[Object]bool {
	out := map[Object]bool{}
	for name, t := range w.Tables {
		if !w.hangs(name) {
			continue
		}
		for _, o := range t.Objects() {
			out[o] = true
		}
	}
	return out
}

// hangs reports that the object which a list hangs on is there.
func (w *World) hangs(name string) bool {
	kind, id, ok := strings.Cut(name, "/")
	if !ok {
		return true
	}
	return slices.ContainsFunc(w.Tables[w.Parents[kind]].Rows, func(r Row) bool { return r.ID == id && !r.Hidden })
}

// numbers gives the rows of the lists that are only counted.
func (w *World) numbers() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for name, gap := range w.Counts {
		out[gap] = map[string]bool{}
		for _, r := range w.Tables[name].Rows {
			out[gap][r.ID] = true
		}
	}
	return out
}

// Tally is what a walk through a moving world came to.
type Tally struct {
	Runs     int // runs of fetch
	Complete int // with every living object
	Counted  int // with a gap for what is missing
	Failed   int // short without a gap, or no run at all
}

// everyNinth request is one before which a change is tried, others for each change; with
// SNAPLINE_WALK=all in the environment it is each one.
const everyNinth = 9

// againStride is at how many requests apart a change starts that is done again and again.
const againStride = 5

// WalkMoving runs fetch against a world with each change of each list before each
// request, once and again and again, and demands that every object which lived all the
// while is in the stream or its source is counted.
func WalkMoving(t *testing.T, address string, subject func(w *World) Subject, fresh func() *World) Tally {
	t.Helper()
	world := fresh()
	base := subject(world).Run(context.Background(), t, &Net{})
	whole := base.Lines(t)
	for o := range world.Living() {
		if !holds(whole, o) {
			t.Fatalf("%s: %s %s is missing from the world at rest: %v", address, o.Scope, o.ID, whole.Gaps)
		}
	}
	var tally Tally
	stride := everyNinth
	if os.Getenv("SNAPLINE_WALK") == "all" {
		stride = 1
	}
	for _, name := range slices.Sorted(maps.Keys(world.Tables)) {
		for i, change := range Changes {
			for at := 1 + i%stride; at <= len(base.Requests)+1; at += stride {
				for _, again := range []bool{false, true} {
					if again && (at%againStride != i%againStride || world.Mute && change.Order) {
						continue
					}
					w := fresh()
					w.at, w.again, w.change, w.table = at, again, change.Do, w.Tables[name]
					where := name + ": " + change.Name + " before request " + strconv.Itoa(at)
					tally.run(t, where, w, subject(w), whole)
				}
			}
		}
	}
	return tally
}

func (y *Tally) run(t *testing.T, where string, w *World, s Subject, whole *Stream) {
	t.Helper()
	y.Runs++
	before, counted := w.Living(), w.numbers()
	o := s.Run(context.Background(), t, &Net{})
	if o.Err != nil {
		y.Failed++
		t.Errorf("%s: %v", where, o.Err)
		return
	}
	got := o.Lines(t)
	after := w.Living()
	missing := map[contract.Scope]string{}
	for object := range before {
		if after[object] && !holds(got, object) {
			missing[object.Scope] = object.ID
		}
	}
	for gap, rows := range w.numbers() {
		living := int64(0)
		for id := range rows {
			if counted[gap][id] {
				living++
			}
		}
		if scope, _, _ := strings.Cut(gap, "/"); got.Gaps[gap] < living {
			missing[contract.Scope(scope)] = "counted"
		}
	}
	if len(missing) == 0 {
		y.Complete++
		return
	}
	for scope, id := range missing {
		if !counts(got, whole, scope) {
			y.Failed++
			t.Errorf("%s: %s %s lives and is missing without a gap (%v)\n%s", where, scope, id, got.Gaps, o.Stderr)
			return
		}
	}
	y.Counted++
}

func counts(got, whole *Stream, scope contract.Scope) bool {
	for key, n := range got.Gaps {
		if strings.HasPrefix(key, string(scope)+"/") && n > whole.Gaps[key] {
			return true
		}
	}
	return false
}

func holds(s *Stream, o Object) bool {
	switch o.Scope {
	case contract.ScopeChecks:
		return slices.ContainsFunc(s.Checks, func(c *contract.Check) bool { return c.ID == o.ID })
	case contract.ScopeReviews, contract.ScopeComments: // a thread falls with either
		return s.Record(o.ID) != nil || slices.ContainsFunc(s.Threads, func(l *contract.Thread) bool { return l.ID == o.ID })
	}
	return s.Record(o.ID) != nil
}

// Write answers with a body and the headers that every live server sends.
func Write(w http.ResponseWriter, now time.Time, status int, header map[string]string, body string) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	for name, value := range header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}
