package endtoend_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/stream"
	"snapline/pkg/testkit"
)

// editor changes a bounded stream at random.
type editor struct {
	*testkit.Stream
	random *rand.Rand
}

// some gives a random line of a type, or nil.
func some[L contract.Line](e *editor) (none L) {
	var all []L
	for _, l := range e.Lines {
		if l, ok := l.(L); ok {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return none
	}
	return all[e.random.IntN(len(all))]
}

func oneOf[T any](e *editor, values ...T) T { return values[e.random.IntN(len(values))] }

func (e *editor) drop(l contract.Line) {
	e.Lines = slices.DeleteFunc(e.Lines, func(o contract.Line) bool { return o == l })
}

// edits are what may happen to a stream. Each leaves it well-formed if it can.
var edits = []struct {
	name   string
	change func(*editor)
}{
	{"bounds", func(e *editor) {
		b := &e.Header.Collection.Bounds
		*oneOf(e, &b.MaxRecordsPerSource, &b.MaxRecordBytes, &b.MaxLogBytes, &b.MaxMetadataStringBytes, &b.MaxLabels) = oneOf[int64](e, 1, 2, 3, 4, 5, 8, 10, 12, 20, 40, 64, 1<<53-1)
	}},
	{"long id", func(e *editor) {
		const long = "7777777777777777"
		switch l := oneOf[contract.Line](e, some[*contract.Record](e), some[*contract.Check](e), some[*contract.Thread](e), some[*contract.Run](e)).(type) {
		case *contract.Record:
			if l != nil && l.Kind != contract.KindEntity {
				l.ID = strings.Repeat(long, oneOf(e, 1, 15, 16, 17, 64, 65))
			}
		case *contract.Check:
			if l != nil {
				l.ID = strings.Repeat(long, oneOf(e, 1, 16, 65))
			}
		case *contract.Thread:
			if l != nil {
				l.ID = strings.Repeat(long, oneOf(e, 1, 16, 65))
			}
		case *contract.Run:
			if l != nil {
				l.ID = strings.Repeat(long, oneOf(e, 1, 16, 65))
			}
		}
	}},
	{"host", func(e *editor) {
		e.Header.Source.Host = oneOf(e, "a", "git.example", strings.Repeat("a.", 120)+"a", "git.example:8443")
	}},
	{"repository", func(e *editor) { e.Header.Source.Repository = strings.Repeat("a", oneOf(e, 1, 253, 254, 1100)) + "/b" }},
	{"commit", func(e *editor) {
		if r := some[*contract.Run](e); r != nil {
			r.InputHeadSHA = strings.Repeat("ab", oneOf(e, 20, 32))
		}
	}},
	{"path", func(e *editor) {
		if t := some[*contract.Thread](e); t != nil {
			t.Path = strings.Repeat("d/", oneOf(e, 0, 127, 128, 600)) + "f"
		}
	}},
	{"threshold", func(e *editor) { e.Header.Collection.HumanMinRole = oneOf(e, "write", "triage") }},
	{"role", func(e *editor) {
		a := some[*contract.Actor](e)
		if a == nil {
			return
		}
		switch e.random.IntN(3) {
		case 0:
			a.Kind, a.Role, a.RoleVerified = contract.Human, nil, false
		case 1:
			a.Kind, a.Role, a.RoleVerified = contract.Unknown, nil, false
		default:
			role := contract.Roles[e.random.IntN(len(contract.Roles))]
			a.Kind, a.Role, a.RoleVerified = contract.Human, &role, true
		}
	}},
	{"no login", func(e *editor) {
		if a := some[*contract.Actor](e); a != nil {
			a.Login, a.LoginFilter.Status = nil, contract.Modified
		}
	}},
	{"filter", func(e *editor) {
		f := e.Header.EntityFilter
		switch l := oneOf[contract.Line](e, nil, some[*contract.Actor](e), some[*contract.Record](e), some[*contract.Check](e), some[*contract.Run](e), some[*contract.Log](e)).(type) {
		case *contract.Actor:
			if l != nil {
				f = l.LoginFilter
			}
		case *contract.Record:
			f = l.Filter
		case *contract.Check:
			if l != nil {
				f = l.Filter
			}
		case *contract.Run:
			if l != nil {
				f = l.Filter
			}
		case *contract.Log:
			if l != nil {
				f = l.Filter
			}
		}
		if f.Status == contract.Rejected {
			f.Findings = nil
			return
		}
		f.Status = oneOf(e, contract.Unchanged, contract.Modified, contract.Truncated)
		f.Findings = oneOf(e, nil, []contract.Finding{{Code: "secret.x", Count: oneOf[int64](e, 1, 1<<53-1)}})
	}},
	{"rejected", func(e *editor) {
		switch l := oneOf[contract.Line](e, some[*contract.Record](e), some[*contract.Check](e)).(type) {
		case *contract.Record:
			if l.Kind != contract.KindEntity {
				testkit.Reject(l, "injection.x")
			}
		case *contract.Check:
			if l != nil {
				l.Name, l.Filter = "", &contract.Filter{Status: contract.Rejected, Findings: []contract.Finding{{Code: "injection.x", Count: 1}}}
			}
		}
	}},
	{"gap", func(e *editor) {
		code := contract.GapCodes[e.random.IntN(len(contract.GapCodes))].Code
		e.Gap(oneOf(e, append(tree.RecordScopes[:], contract.ScopeEntity)...), code, oneOf[int64](e, 1, 2, 5, 1<<53-1))
	}},
	{"gap of a count", func(e *editor) {
		if g := some[*contract.Gap](e); g != nil {
			g.Count = oneOf(e, 1, g.Count+1, max(1, g.Count-1))
		}
	}},
	{"gap gone", func(e *editor) { e.drop(some[*contract.Gap](e)) }},
	{"log gone", func(e *editor) { e.drop(some[*contract.Log](e)) }},
	{"check gone", func(e *editor) {
		if c := some[*contract.Check](e); c != nil {
			e.drop(c)
			e.Lines = slices.DeleteFunc(e.Lines, func(l contract.Line) bool {
				log, ok := l.(*contract.Log)
				return ok && log.RecordKey == c.RecordKey
			})
		}
	}},
	{"logs", func(e *editor) {
		if e.Header.Collection.Includes(contract.ScopeCheckLogs) {
			e.Header.Collection.CheckLogSelection = oneOf(e, contract.LogsAll, contract.LogsFailed)
		}
	}},
	{"thread", func(e *editor) {
		if c := some[*contract.Record](e); c.Kind == contract.KindComment {
			e.Lines = append(e.Lines, &contract.Thread{ID: oneOf(e, "4711", "PRRT_1"), CreatedAt: c.CreatedAt, RecordKeys: []string{c.RecordKey}, Resolved: true})
		}
	}},
	{"replies", func(e *editor) {
		if t := some[*contract.Thread](e); t != nil {
			slices.Reverse(t.Replies)
			t.RecordKeys = slices.Clone(t.RecordKeys)
			slices.Reverse(t.RecordKeys)
		}
	}},
	{"review", func(e *editor) {
		if c := some[*contract.Record](e); c.Kind == contract.KindComment {
			r := *c
			r.Kind, r.ID, r.State = contract.KindReview, oneOf(e, "4712", "PRR_1"), contract.Approved
			e.Lines = append(e.Lines, &r)
		}
	}},
	{"nobody", func(e *editor) {
		if r := some[*contract.Record](e); r.Kind != contract.KindEntity {
			r.AuthorID = nil
		}
	}},
	{"text", func(e *editor) {
		text := oneOf(e, "", "\n", "x\n", "x", "x\n\n", "x\r\n", "\ufeffx\n", "\ufeff", strings.Repeat("é", 40)+"\n")
		if r := some[*contract.Record](e); r.Content.Form == contract.FormText {
			r.Content = contract.Text([]byte(text))
		}
	}},
	{"labels", func(e *editor) { e.Header.Entity.Labels = oneOf(e, nil, []string{"a", "b"}, []string{"b", "a"}) }},
	{"state", func(e *editor) { e.Header.Entity.State = oneOf(e, contract.StateOpen, contract.StateMerged) }},
	{"time", func(e *editor) {
		if r := some[*contract.Record](e); r.Kind != contract.KindEntity {
			r.CreatedAt = oneOf(e, "0000-01-01T00:00:00.000000000Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T00:00:00.000000001Z")
		}
	}},
}

// bytes gives the stream with the keys that follow from its identifiers, in order, or
// false if no writer takes it.
func (e *editor) bytes() ([]byte, bool) {
	keys := map[string]string{}
	rekey := func(kind contract.Kind, id string, key *string) {
		made := tree.Key(e.Header.Source, kind, id)
		keys[*key], *key = made, made
	}
	follow := func(key *string) {
		if made, ok := keys[*key]; ok {
			*key = made
		}
	}
	for _, l := range e.Lines {
		switch l := l.(type) {
		case *contract.Record:
			rekey(l.Kind, l.ID, &l.RecordKey)
		case *contract.Check:
			rekey(contract.KindCheck, l.ID, &l.RecordKey)
		case *contract.Thread:
			rekey(contract.KindThread, l.ID, &l.ThreadKey)
		}
	}
	for _, l := range e.Lines {
		switch l := l.(type) {
		case *contract.Thread:
			for i := range l.RecordKeys {
				follow(&l.RecordKeys[i])
			}
			for i := range l.Replies {
				follow(&l.Replies[i].RecordKey)
				follow(&l.Replies[i].ParentRecordKey)
			}
			follow(&l.ReviewRecordKey)
			if r := e.record(l.ReviewRecordKey); r != nil {
				l.ReviewID = r.ID
			}
		case *contract.Run:
			for i := range l.ResultRecordKeys {
				follow(&l.ResultRecordKeys[i])
			}
			slices.Sort(l.ResultRecordKeys)
		case *contract.Log:
			follow(&l.RecordKey)
		}
	}
	var b bytes.Buffer
	w := stream.NewWriter(&b)
	for _, l := range append([]contract.Line{e.Header}, e.Ordered()...) {
		if w.Write(l) != nil {
			return nil, false
		}
	}
	err := w.End(testkit.Chain(3)...)
	return b.Bytes(), err == nil
}

func (e *editor) record(key string) *contract.Record {
	for _, l := range e.Lines {
		if r, ok := l.(*contract.Record); ok && r.RecordKey == key {
			return r
		}
	}
	return nil
}
