package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"snapline/pkg/record"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// oracle bounds a stream the plain way: each rule is applied to whole lists.
type oracle struct {
	s    *testkit.Stream
	out  []string
	gaps map[string]int64
	have map[string]record.Kind
	logs map[string]bool
	seen map[string]bool // logs that have a line
}

func (o *oracle) miss(scope record.Scope, code record.GapCode, n int64) {
	if n > 0 {
		o.gaps[fmt.Sprintf("gap %s/%s", scope, code)] += n
	}
}

// chosen gives the objects of a source that the selection keeps.
func chosen[T record.Line](o *oracle, scope record.Scope, is func(T) bool) map[record.Line]bool {
	var all []record.Line
	for _, l := range o.s.Ordered() {
		if x, ok := l.(T); ok && is(x) {
			all = append(all, l)
		}
	}
	c := o.s.Header.Collection
	n := int(min(c.Bounds.MaxRecordsPerSource, int64(len(all))))
	o.miss(scope, record.ProfileBound, int64(len(all)-n))
	if c.RecordSelection == record.Newest {
		all = all[len(all)-n:]
	} else {
		all = all[:n]
	}
	keep := map[record.Line]bool{}
	for _, l := range all {
		keep[l] = true
	}
	return keep
}

func evil(text string) bool { return strings.HasSuffix(strings.TrimRight(text, "\n"), mark) }

// whole gives body or log and its status.
func whole(text string, limit int64) (string, string) {
	bounded, cut := slowCut(text, int(limit))
	switch {
	case !cut:
		return bounded, "unchanged"
	case evil(bounded):
		return "", "rejected injection.mark=1"
	}
	return bounded, "truncated"
}

func (o *oracle) name(name string) (string, string) {
	bounded := name
	for int64(len(bounded)) > o.s.Header.Collection.Bounds.MaxMetadataStringBytes {
		r := []rune(bounded)
		bounded = string(r[:len(r)-1])
	}
	switch {
	case bounded == "":
		return "", string(record.InvalidMetadata)
	case bounded == name:
		return name, "unchanged"
	case evil(bounded):
		return "", string(record.UnsafeContent)
	}
	return bounded, "truncated"
}

func (o *oracle) run() []string {
	kind := func(k record.Kind) func(*record.Record) bool {
		return func(r *record.Record) bool { return r.Kind == k }
	}
	keep := chosen(o, record.ScopeComments, kind(record.KindComment))
	for _, more := range []map[record.Line]bool{
		chosen(o, record.ScopeReviews, kind(record.KindReview)),
		chosen(o, record.ScopeChecks, func(*record.Check) bool { return true }),
		chosen(o, record.ScopeAgentRuns, func(*record.Run) bool { return true }),
	} {
		for l := range more {
			keep[l] = true
		}
	}
	for _, l := range o.s.Ordered() {
		switch l := l.(type) {
		case *record.Record:
			if keep[l] || l.Kind == record.KindEntity {
				o.record(l)
			}
		case *record.Thread:
			o.thread(l)
		case *record.Check:
			if keep[l] {
				o.check(l)
			}
		case *record.Run:
			if keep[l] {
				o.agent(l)
			}
		case *record.Log:
			o.log(l)
		}
	}
	for key, selected := range o.logs {
		if selected && !o.seen[key] {
			o.miss(record.ScopeCheckLogs, record.FetchFailed, 1)
		}
	}
	var gaps []string
	for g, n := range o.gaps {
		gaps = append(gaps, fmt.Sprintf("%s %d", g, n))
	}
	slices.Sort(gaps)
	return append(o.out, gaps...)
}

func (o *oracle) record(r *record.Record) {
	scope := record.Scope(r.Kind) + "s"
	switch {
	case r.Content.Form == record.FormOversize:
		o.miss(scope, record.SourceTooLarge, 1)
		return
	case r.Filter.Status == record.Rejected:
		o.miss(scope, record.UnsafeContent, 1)
		o.out = append(o.out, fmt.Sprintf("%s %s rejected x=1", r.Kind, r.ID))
		return
	}
	body, status := whole(string(r.Content.Bytes), o.s.Header.Collection.Bounds.MaxRecordBytes)
	if strings.HasPrefix(status, "rejected") {
		o.miss(scope, record.UnsafeContent, 1)
		o.out = append(o.out, fmt.Sprintf("%s %s %s", r.Kind, r.ID, status))
		return
	}
	o.have[r.RecordKey] = r.Kind
	o.out = append(o.out, fmt.Sprintf("%s %s %q %s", r.Kind, r.ID, body, status))
}

func (o *oracle) thread(t *record.Thread) {
	var keys []string
	for _, k := range t.RecordKeys {
		if o.have[k] == record.KindComment {
			keys = append(keys, k)
		}
	}
	replies := 0
	for _, r := range t.Replies {
		if slices.Contains(keys, r.RecordKey) && slices.Contains(keys, r.ParentRecordKey) {
			replies++
		}
	}
	review := t.ReviewID
	if o.have[t.ReviewRecordKey] == "" {
		review = ""
	}
	if len(keys) > 0 {
		o.out = append(o.out, fmt.Sprintf("thread %s %d records %d replies review %q", t.ID, len(keys), replies, review))
	}
}

func (o *oracle) check(c *record.Check) {
	name, status := o.name(c.Name)
	if c.RejectedAs != "" {
		status = string(c.RejectedAs)
	}
	switch status {
	case "unchanged", "truncated":
		o.have[c.RecordKey] = record.KindCheck
		o.logs[c.RecordKey] = true
		o.out = append(o.out, fmt.Sprintf("check %s %q %s", c.ID, name, status))
	case string(record.UnsafeContent):
		finding := " injection.mark=1"
		if c.RejectedAs != "" {
			finding = ""
		}
		o.out = append(o.out, fmt.Sprintf("check %s \"\" rejected%s", c.ID, finding))
		fallthrough
	default:
		o.miss(record.ScopeChecks, record.GapCode(status), 1)
	}
}

func (o *oracle) agent(r *record.Run) {
	name, status := o.name(r.Agent)
	if status != "unchanged" && status != "truncated" {
		o.miss(record.ScopeAgentRuns, record.GapCode(status), 1)
		return
	}
	n := 0
	for _, k := range r.ResultRecordKeys {
		if o.have[k] != "" {
			n++
		}
	}
	o.out = append(o.out, fmt.Sprintf("run %s %q %d results %s", r.ID, name, n, status))
}

func (o *oracle) log(l *record.Log) {
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[l.RecordKey] = true
	switch {
	case !o.logs[l.RecordKey]:
	case l.Content.Form == record.FormMissing:
		o.miss(record.ScopeCheckLogs, l.Content.Missing, 1)
	case l.Content.Form == record.FormOversize:
		o.miss(record.ScopeCheckLogs, record.SourceTooLarge, 1)
	case l.Filter.Status == record.Rejected:
		o.miss(record.ScopeCheckLogs, record.UnsafeContent, 1)
	default:
		body, status := whole(string(l.Content.Bytes), o.s.Header.Collection.Bounds.MaxLogBytes)
		if strings.HasPrefix(status, "rejected") {
			o.miss(record.ScopeCheckLogs, record.UnsafeContent, 1)
			return
		}
		o.out = append(o.out, fmt.Sprintf("log %.8s %q %s", l.RecordKey, body, status))
	}
}

// random makes a stream from a seed. The same seed gives the same stream.
func random(seed uint64) *testkit.Stream {
	r := rand.New(rand.NewPCG(seed, 7))
	s := testkit.New([]record.Forge{record.GitHub, record.GitLab, record.Forgejo}[r.IntN(3)], record.ChangeProposal, 2)
	c := s.Header.Collection
	c.RecordSelection = []record.Selection{record.Newest, record.Oldest}[r.IntN(2)]
	c.CheckLogSelection = record.LogsAll
	c.Bounds.MaxRecordsPerSource = 1 + r.Int64N(5)
	c.Bounds.MaxRecordBytes, c.Bounds.MaxLogBytes, c.Bounds.MaxMetadataStringBytes = 10+r.Int64N(20), 1+r.Int64N(20), 1+r.Int64N(12)
	s.Header.Entity.Title = "t"
	author := s.ID("actor", 1)
	login := "l"
	s.Actor(author).Login = &login
	text := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString([]string{"a", "é", "🚀", "\n", " ", mark, "word", "\n\n"}[r.IntN(8)])
		}
		return b.String()
	}
	word := func() string {
		if w := strings.ReplaceAll(text(), "\n", ""); w != "" {
			return w
		}
		return "w"
	}
	when := func() string { return testkit.Time(2+r.IntN(3), fmt.Sprintf("10:%02d", r.IntN(3))) }
	spoil := func(content *record.Content, filter **record.Filter) {
		switch r.IntN(6) {
		case 0:
			*content, *filter = record.Content{}, &record.Filter{Status: record.Rejected, Findings: []record.Finding{{Code: "x", Count: 1}}}
		case 1:
			*content, *filter = record.Content{Form: record.FormOversize}, nil
		}
	}
	for i := range r.IntN(9) {
		c := s.Comment(i, when(), author, text())
		spoil(&c.Content, &c.Filter)
	}
	for i := range r.IntN(9) {
		v := s.Review(i, when(), author, text(), record.Commented)
		spoil(&v.Content, &v.Filter)
	}
	for i := range r.IntN(5) {
		t := s.Thread(i, when(), r.Perm(8)[:1+r.IntN(4)]...)
		if r.IntN(2) == 0 {
			n := r.IntN(9)
			t.ReviewID, t.ReviewRecordKey = s.ID(record.KindReview, n), s.Key(record.KindReview, n)
		}
		for range r.IntN(3) {
			t.Replies = append(t.Replies, record.Reply{RecordKey: s.Key(record.KindComment, r.IntN(9)), ParentRecordKey: s.Key(record.KindComment, r.IntN(9))})
		}
	}
	for i := range r.IntN(9) {
		c := s.Check(i, when(), word(), record.Failure)
		if r.IntN(4) == 0 {
			c.Name, c.Filter = "", &record.Filter{Status: record.Rejected}
			c.RejectedAs = []record.GapCode{record.UnsafeContent, record.InvalidMetadata, record.SourceTooLarge}[r.IntN(3)]
		}
		if r.IntN(3) == 0 {
			continue
		}
		l := s.Log(i, text())
		if r.IntN(5) == 0 {
			l.Content, l.Filter = record.Content{Form: record.FormMissing, Missing: record.FetchFailed}, nil
		} else {
			spoil(&l.Content, &l.Filter)
		}
	}
	for i := range r.IntN(7) {
		var results []string
		for n := range r.IntN(3) {
			results = append(results, s.Key(record.KindComment, n), s.Key(record.KindCheck, n))
		}
		s.Run(i, when(), word(), results...).PublisherID = &author
	}
	return s
}

func checkOracle(t *testing.T, seed uint64) {
	t.Helper()
	o := &oracle{s: random(seed), gaps: map[string]int64{}, have: map[string]record.Kind{}, logs: map[string]bool{}}
	want := o.run()
	if strings.Contains(want[0], "rejected") { // the entity: that aborts
		return
	}
	r := bounded(t, random(seed))
	if r.err != nil {
		t.Fatalf("seed %d: %v", seed, r.err)
	}
	got := slices.DeleteFunc(say(r.lines), func(s string) bool { return strings.HasPrefix(s, "actor ") })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("seed %d (-oracle +bound)\n%s", seed, diff)
	}
}

func TestAgainstTheOracle(t *testing.T) {
	requirement.Claim(t, "COL-09", "COL-10", "GAP-05", "GAP-07", "GAP-09", "BND-03", "BND-04", "INJ-04", "THR-08", "THR-09", "AMB-02", "AMB-03", "AMB-13", "AMB-17", "AMB-19")
	for seed := range uint64(400) {
		checkOracle(t, seed)
	}
}

func FuzzAgainstTheOracle(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkOracle)
}
