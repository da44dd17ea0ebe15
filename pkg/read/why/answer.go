package why

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// Outcome is what a stage did to an object.
type Outcome string

// The outcomes.
const (
	Read        Outcome = "read"         // fetch had it
	Passed      Outcome = "passed"       // as it came
	Changed     Outcome = "changed"      // something in it was replaced, or some of its records are gone
	Cut         Outcome = "cut"          // too long for a bound
	Rejected    Outcome = "rejected"     // its text went, its line stayed
	Dropped     Outcome = "dropped"      // it is not in the stage's stream
	TooLarge    Outcome = "too_large"    // over max_source_bytes: not read, or grown over it
	NotObtained Outcome = "not_obtained" // a log that fetch could not get
)

// Reason is a rule that a stage applied, as its diagnostics name it.
type Reason struct {
	Scope string `json:"scope,omitempty"`
	Code  string `json:"code,omitempty"`  // gap code, or codes of findings
	Count int64  `json:"count,omitempty"` // how often the finding was there
	Of    int64  `json:"of,omitempty"`    // how many objects the last stream counts for scope and code
	Text  string `json:"text,omitempty"`
}

// Step is what one stage did.
type Step struct {
	Stage   string   `json:"stage"`
	Line    int64    `json:"line,omitempty"` // of its stream
	Outcome Outcome  `json:"outcome"`
	Reasons []Reason `json:"reasons"`
}

// Answer is the way of one object.
type Answer struct {
	Kind      string `json:"kind"`
	ID        string `json:"id"`
	RecordKey string `json:"record_key,omitempty"`
	URL       string `json:"url,omitempty"`
	Steps     []Step `json:"steps"`
}

// Ask gives the way of every object that an identifier, key, number or address means. An
// error with exit Aborted says that no stream has one, and what the first one counts as
// missing.
func (t *Trace) Ask(text string) ([]Answer, error) {
	q := parse(text)
	var names []string
	for _, v := range t.views {
		if v == nil {
			continue
		}
		for _, s := range v.order {
			if q.means(s) && !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
		}
	}
	if len(names) == 0 && q.entity {
		names = t.entity(q)
	}
	if len(names) == 0 {
		return nil, t.unknown()
	}
	var answers []Answer
	for _, name := range names {
		answers = append(answers, t.answer(name))
	}
	return answers, nil
}

// entity gives the name of the entity if the address is one of its page.
func (t *Trace) entity(q query) []string {
	for _, v := range t.views {
		if v == nil || v.header == nil || v.header.Family != contract.FamilyEntity {
			continue
		}
		h := v.header
		page := fmt.Sprintf("https://%s/%s/", h.Source.Host, h.Source.Repository)
		if strings.HasPrefix(strings.ToLower(q.url), strings.ToLower(page)) && strings.HasSuffix(q.url, fmt.Sprintf("/%d", h.Entity.Number)) {
			return []string{"entity " + h.Entity.ID}
		}
	}
	return nil
}

func (t *Trace) unknown() error {
	e := &fault.Error{Exit: fault.Aborted, Rule: "why.unknown", Detail: "no stream has such an object"}
	for p, v := range t.views {
		if v == nil {
			continue
		}
		var counted []string
		for g, n := range v.gaps {
			counted = append(counted, fmt.Sprintf("%s/%s %d", g.Scope, g.Code, n))
		}
		slices.Sort(counted)
		e.Detail = "the stream of " + contract.StageNames[p] + " has no such object"
		e.Hint = "the forge did not show it, or it is of another entity"
		if len(counted) > 0 {
			e.Hint = "it may be one of those that " + contract.StageNames[p] + " counts: " + strings.Join(counted, ", ")
		}
		break
	}
	return e
}

// answer follows an object through the stages.
func (t *Trace) answer(name string) Answer {
	a := Answer{Steps: []Step{}}
	var before *seen
	for p, v := range t.views {
		if v == nil {
			continue
		}
		s := v.objects[name]
		if s != nil && a.Kind == "" {
			a.Kind, a.ID, a.RecordKey = s.kind, s.id, s.key
		}
		if s != nil {
			a.URL = cmp.Or(s.url, a.URL)
			a.RecordKey = cmp.Or(s.key, a.RecordKey)
		}
		if s == nil && before == nil {
			continue
		}
		step := Step{Stage: contract.StageNames[p], Outcome: Read, Reasons: []Reason{}}
		if s != nil {
			step.Line = s.line
		}
		if s == nil || p != filtered || !t.guessed {
			step.Reasons = t.reasons(v, name, a.RecordKey)
		}
		if p > fetched && before != nil {
			step.Outcome = outcome(before, s)
		}
		switch {
		case v.ended() && s == nil:
			step.Reasons = append(step.Reasons, ending(v))
		case len(step.Reasons) > 0:
		case s == nil && before.rejectedAs != "":
			step.Reasons = append(step.Reasons, Reason{Code: string(before.rejectedAs), Text: "rejected by filter"})
		case s != nil:
			step.Reasons = append(step.Reasons, t.ownReasons(before, s, step.Outcome)...)
		}
		if p == fetched && s != nil {
			step.Outcome = cmp.Or(map[contract.Form]Outcome{contract.FormOversize: TooLarge, contract.FormMissing: NotObtained}[s.form], Read)
		}
		a.Steps = append(a.Steps, step)
		if s == nil {
			break
		}
		before = s
	}
	return a
}

// outcome compares an object with itself in the stream before.
func outcome(before, after *seen) Outcome {
	switch was, is := status(before), status(after); {
	case after == nil:
		return Dropped
	case is == contract.Rejected && was != contract.Rejected:
		return Rejected
	case after.form == contract.FormOversize && before.form != contract.FormOversize:
		return TooLarge
	case is == contract.Truncated && was != contract.Truncated:
		return Cut
	case is != was || found(after) != found(before) || after.records != before.records:
		return Changed
	}
	return Passed
}

// status is the strongest status of the object's texts, unchanged for one that no filter
// has seen.
func status(s *seen) contract.FilterStatus {
	strongest := contract.Unchanged
	if s == nil {
		return strongest
	}
	for _, f := range s.filters {
		if f != nil {
			strongest = contract.Highest(strongest, f.Status)
		}
	}
	return strongest
}

// found sums the findings of the object's texts.
func found(s *seen) (n int64) {
	for _, f := range s.filters {
		if f == nil {
			continue
		}
		for _, c := range f.Findings {
			n += c.Count
		}
	}
	return n
}

// reasons are what the stage, run again, says of the object.
func (t *Trace) reasons(v *view, name, key string) []Reason {
	reasons := []Reason{}
	for _, n := range slices.Concat(v.notices[name], v.notices["log of "+key]) {
		reasons = append(reasons, Reason{n.Scope, n.Code, n.Count, t.total(n.Scope, n.Code), n.Text})
	}
	return reasons
}

// total is how many objects the last stream counts for a scope and code.
func (t *Trace) total(scope, code string) (n int64) {
	for _, v := range t.views {
		if v != nil {
			n = max(n, v.gaps[contract.Gap{Scope: contract.Scope(scope), Code: contract.GapCode(code)}])
		}
	}
	return n
}

// ownReasons are what the stream itself says, where the stage was not run again.
func (t *Trace) ownReasons(before, s *seen, o Outcome) []Reason {
	var reasons []Reason
	if s.form == contract.FormMissing && before == nil {
		reasons = append(reasons, Reason{Scope: string(contract.ScopeCheckLogs), Code: string(s.missing)})
	}
	if s.form == contract.FormOversize {
		reasons = append(reasons, Reason{Code: string(contract.SourceTooLarge)})
	}
	if before != nil && before.records > s.records {
		reasons = append(reasons, Reason{Count: int64(before.records - s.records), Text: "records of the thread are gone"})
	}
	if o != Passed || before == nil {
		for _, f := range s.filters {
			if f == nil {
				continue
			}
			for _, c := range f.Findings {
				reasons = append(reasons, Reason{Code: c.Code, Count: c.Count})
			}
		}
	}
	return reasons
}

// ending is how a stream ended that came to no end.
func ending(v *view) Reason {
	switch {
	case v.failure != nil:
		return Reason{Scope: v.failure.Scope, Code: v.failure.Code, Text: "the run ends here: " + v.failure.Detail}
	case v.abort.Scope != "":
		return Reason{Scope: string(v.abort.Scope), Code: string(v.abort.Code), Text: "the run ended in stage " + v.abort.Stage}
	}
	return Reason{Text: fmt.Sprintf("the run ended in stage %s with exit %d", v.abort.Stage, v.abort.Exit)}
}

// WriteJSON writes the answers as one JSON array.
func WriteJSON(w io.Writer, answers []Answer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(answers)
}

// WriteText writes the way of each object, one stage a line.
func WriteText(w io.Writer, answers []Answer) error {
	var b strings.Builder
	for _, a := range answers {
		fmt.Fprintf(&b, "%s\n", contract.Located(fault.Printable(a.Kind+" "+a.ID, 256), a.URL))
		for _, s := range a.Steps {
			fmt.Fprintf(&b, "  %s: %s", s.Stage, strings.ReplaceAll(string(s.Outcome), "_", " "))
			if s.Line > 0 {
				fmt.Fprintf(&b, ", line %d", s.Line)
			}
			b.WriteString("\n")
			for _, r := range s.Reasons {
				fmt.Fprintf(&b, "    %s\n", r)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// String words a reason as diagnostics do.
func (r Reason) String() string {
	var parts []string
	switch {
	case r.Scope != "" && r.Code != "":
		parts = append(parts, r.Scope+"/"+r.Code)
	case r.Scope+r.Code != "":
		parts = append(parts, r.Scope+r.Code)
	}
	if r.Count > 0 {
		parts = append(parts, fmt.Sprintf("count %d", r.Count))
	}
	if r.Text != "" {
		parts = append(parts, r.Text)
	}
	if r.Of > 0 {
		parts = append(parts, fmt.Sprintf("one of %d", r.Of))
	}
	return strings.Join(parts, ": ")
}
