package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
	"snapline/pkg/testkit"
)

// oracle bounds a stream the plain way: each rule is applied to whole lists.
type oracle struct {
	s    *testkit.Stream
	out  []string
	gaps map[string]int64
	have map[string]contract.Kind
	logs map[string]bool
	seen map[string]bool // logs that have a line
}

func (o *oracle) miss(scope contract.Scope, code contract.GapCode, n int64) {
	if n > 0 {
		o.gaps[fmt.Sprintf("gap %s/%s", scope, code)] += n
	}
}

// chosen gives the objects of a source that the selection keeps.
func chosen[T contract.Line](o *oracle, scope contract.Scope, is func(T) bool) map[contract.Line]bool {
	var all []contract.Line
	for _, l := range o.s.Ordered() {
		if x, ok := l.(T); ok && is(x) {
			all = append(all, l)
		}
	}
	c := o.s.Header.Collection
	n := int(min(c.Bounds.MaxRecordsPerSource, int64(len(all))))
	o.miss(scope, contract.ProfileBound, int64(len(all)-n))
	if c.RecordSelection == contract.Newest {
		all = all[len(all)-n:]
	} else {
		all = all[:n]
	}
	keep := map[contract.Line]bool{}
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
		return "", string(contract.InvalidMetadata)
	case bounded == name:
		return name, "unchanged"
	case evil(bounded):
		return "", string(contract.UnsafeContent)
	}
	return bounded, "truncated"
}

func (o *oracle) run() []string {
	kind := func(k contract.Kind) func(*contract.Record) bool {
		return func(r *contract.Record) bool { return r.Kind == k }
	}
	keep := chosen(o, contract.ScopeComments, kind(contract.KindComment))
	for _, more := range []map[contract.Line]bool{
		chosen(o, contract.ScopeReviews, kind(contract.KindReview)),
		chosen(o, contract.ScopeChecks, func(*contract.Check) bool { return true }),
		chosen(o, contract.ScopeAgentRuns, func(*contract.Run) bool { return true }),
	} {
		for l := range more {
			keep[l] = true
		}
	}
	for _, l := range o.s.Ordered() {
		switch l := l.(type) {
		case *contract.Record:
			if keep[l] || l.Kind == contract.KindEntity {
				o.record(l)
			}
		case *contract.Thread:
			o.thread(l)
		case *contract.Check:
			if keep[l] {
				o.check(l)
			}
		case *contract.Run:
			if keep[l] {
				o.agent(l)
			}
		case *contract.Log:
			o.log(l)
		}
	}
	for key, selected := range o.logs {
		if selected && !o.seen[key] {
			o.miss(contract.ScopeCheckLogs, contract.FetchFailed, 1)
		}
	}
	var gaps []string
	for g, n := range o.gaps {
		gaps = append(gaps, fmt.Sprintf("%s %d", g, n))
	}
	slices.Sort(gaps)
	return append(o.out, gaps...)
}

func (o *oracle) record(r *contract.Record) {
	scope := contract.Scope(r.Kind) + "s"
	switch {
	case r.Content.Form == contract.FormOversize:
		o.miss(scope, contract.SourceTooLarge, 1)
		return
	case r.Filter.Status == contract.Rejected:
		o.miss(scope, contract.UnsafeContent, 1)
		o.out = append(o.out, fmt.Sprintf("%s %s rejected x=1", r.Kind, r.ID))
		return
	}
	body, status := whole(string(r.Content.Bytes), o.s.Header.Collection.Bounds.MaxRecordBytes)
	if strings.HasPrefix(status, "rejected") {
		o.miss(scope, contract.UnsafeContent, 1)
		o.out = append(o.out, fmt.Sprintf("%s %s %s", r.Kind, r.ID, status))
		return
	}
	o.have[r.RecordKey] = r.Kind
	o.out = append(o.out, fmt.Sprintf("%s %s %q %s", r.Kind, r.ID, body, status))
}

func (o *oracle) thread(t *contract.Thread) {
	var keys []string
	for _, k := range t.RecordKeys {
		if o.have[k] == contract.KindComment {
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

func (o *oracle) check(c *contract.Check) {
	name, status := o.name(c.Name)
	if c.RejectedAs != "" {
		status = string(c.RejectedAs)
	}
	switch status {
	case "unchanged", "truncated":
		o.have[c.RecordKey] = contract.KindCheck
		o.logs[c.RecordKey] = true
		o.out = append(o.out, fmt.Sprintf("check %s %q %s", c.ID, name, status))
	case string(contract.UnsafeContent):
		finding := " injection.mark=1"
		if c.RejectedAs != "" {
			finding = ""
		}
		o.out = append(o.out, fmt.Sprintf("check %s \"\" rejected%s", c.ID, finding))
		fallthrough
	default:
		o.miss(contract.ScopeChecks, contract.GapCode(status), 1)
	}
}

func (o *oracle) agent(r *contract.Run) {
	name, status := o.name(r.Agent)
	if status != "unchanged" && status != "truncated" {
		o.miss(contract.ScopeAgentRuns, contract.GapCode(status), 1)
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

func (o *oracle) log(l *contract.Log) {
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[l.RecordKey] = true
	switch {
	case !o.logs[l.RecordKey]:
	case l.Content.Form == contract.FormMissing:
		o.miss(contract.ScopeCheckLogs, l.Content.Missing, 1)
	case l.Content.Form == contract.FormOversize:
		o.miss(contract.ScopeCheckLogs, contract.SourceTooLarge, 1)
	case l.Filter.Status == contract.Rejected:
		o.miss(contract.ScopeCheckLogs, contract.UnsafeContent, 1)
	default:
		body, status := whole(string(l.Content.Bytes), o.s.Header.Collection.Bounds.MaxLogBytes)
		if strings.HasPrefix(status, "rejected") {
			o.miss(contract.ScopeCheckLogs, contract.UnsafeContent, 1)
			return
		}
		o.out = append(o.out, fmt.Sprintf("log %.8s %q %s", l.RecordKey, body, status))
	}
}

// random makes a stream from a seed. The same seed gives the same stream.
func random(seed uint64) *testkit.Stream {
	r := rand.New(rand.NewPCG(seed, 7))
	s := testkit.New([]contract.Forge{contract.GitHub, contract.GitLab, contract.Forgejo}[r.IntN(3)], contract.ChangeProposal, 2)
	c := s.Header.Collection
	c.RecordSelection = []contract.Selection{contract.Newest, contract.Oldest}[r.IntN(2)]
	c.CheckLogSelection = contract.LogsAll
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
	spoil := func(content *contract.Content, filter **contract.Filter) {
		switch r.IntN(6) {
		case 0:
			*content, *filter = contract.Content{}, &contract.Filter{Status: contract.Rejected, Findings: []contract.Finding{{Code: "x", Count: 1}}}
		case 1:
			*content, *filter = contract.Content{Form: contract.FormOversize}, nil
		}
	}
	for i := range r.IntN(9) {
		c := s.Comment(i, when(), author, text())
		spoil(&c.Content, &c.Filter)
	}
	for i := range r.IntN(9) {
		v := s.Review(i, when(), author, text(), contract.Commented)
		spoil(&v.Content, &v.Filter)
	}
	for i := range r.IntN(5) {
		t := s.Thread(i, when(), r.Perm(8)[:1+r.IntN(4)]...)
		if r.IntN(2) == 0 {
			n := r.IntN(9)
			t.ReviewID, t.ReviewRecordKey = s.ID(contract.KindReview, n), s.Key(contract.KindReview, n)
		}
		for range r.IntN(3) {
			t.Replies = append(t.Replies, contract.Reply{RecordKey: s.Key(contract.KindComment, r.IntN(9)), ParentRecordKey: s.Key(contract.KindComment, r.IntN(9))})
		}
	}
	for i := range r.IntN(9) {
		c := s.Check(i, when(), word(), contract.Failure)
		if r.IntN(4) == 0 {
			c.Name, c.Filter = "", &contract.Filter{Status: contract.Rejected}
			c.RejectedAs = []contract.GapCode{contract.UnsafeContent, contract.InvalidMetadata, contract.SourceTooLarge}[r.IntN(3)]
		}
		if r.IntN(3) == 0 {
			continue
		}
		l := s.Log(i, text())
		if r.IntN(5) == 0 {
			l.Content, l.Filter = contract.Content{Form: contract.FormMissing, Missing: contract.FetchFailed}, nil
		} else {
			spoil(&l.Content, &l.Filter)
		}
	}
	for i := range r.IntN(7) {
		var results []string
		for n := range r.IntN(3) {
			results = append(results, s.Key(contract.KindComment, n), s.Key(contract.KindCheck, n))
		}
		s.Run(i, when(), word(), results...).PublisherID = &author
	}
	return s
}

func checkOracle(t *testing.T, seed uint64) {
	t.Helper()
	o := &oracle{s: random(seed), gaps: map[string]int64{}, have: map[string]contract.Kind{}, logs: map[string]bool{}}
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
