package fetch

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
)

// Receipt is one line of an agent-runs file, its fields as the file has them.
type Receipt struct {
	ID, Agent, Status, InputRevision string
	InputHeadSHA, ResultingCommitSHA *string
	ResultRecordKeys                 []string
	StartedAt, CompletedAt           *string
	PublisherID                      *string
	Line                             int64
}

var receiptMembers = []string{
	"type", "id", "agent", "status", "input_revision", "input_head_sha", "result_record_keys",
	"resulting_commit_sha", "started_at", "completed_at", "publisher_id",
}

// ParseReceipts reads an agent-runs file: NDJSON, one run row and its publisher_id a
// line, sorted by completed_at, then id (RUN-04, AMB-76). A line of another shape, a
// repeated id or a broken order is an input fault with its line; the validity of
// fields is judged later and counted.
func ParseReceipts(name string, text []byte) ([]Receipt, error) {
	var (
		out      []Receipt
		ids      = map[string]bool{}
		lastTime string
		lastID   string
	)
	for no := int64(1); len(text) > 0; no++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		refuse := func(rule, detail string, cause error) error {
			return &fault.Error{Exit: fault.Input, File: name, Line: no, Rule: "agent-runs." + rule, Detail: detail, Cause: cause}
		}
		doc, err := strictjson.Parse(line)
		if err != nil {
			return nil, refuse("json", "the line is not one strict JSON object", err)
		}
		r, extra := receipt(doc.Object(), no)
		switch {
		case doc.Err() != nil:
			return nil, refuse("member", "a member is missing or of another type", doc.Err())
		case extra != "":
			return nil, refuse("unknown-member", "the row has the unknown member "+fault.Quote(extra), nil)
		case ids[r.ID]:
			return nil, refuse("twice", "the run came before", nil)
		}
		ids[r.ID] = true
		if at, err := required(r.CompletedAt); err == nil {
			if order(lastTime, at, lastID, r.ID) > 0 {
				return nil, refuse("order", "runs are sorted by completed_at, then id", nil)
			}
			lastTime, lastID = at, r.ID
		}
		out = append(out, r)
	}
	return out, nil
}

func receipt(o strictjson.Object, line int64) (r Receipt, extra string) {
	r = Receipt{
		ID: o.Text("id"), Agent: o.Text("agent"), Status: o.Text("status"), InputRevision: o.Text("input_revision"),
		InputHeadSHA: present(o, "input_head_sha"), ResultingCommitSHA: present(o, "resulting_commit_sha"),
		StartedAt: present(o, "started_at"), Line: line,
	}
	completed := o.Text("completed_at")
	r.CompletedAt = &completed
	if v := o.Nullable("publisher_id"); !v.Missing() {
		id := v.Text()
		r.PublisherID = &id
	}
	for _, v := range o.Array("result_record_keys") {
		r.ResultRecordKeys = append(r.ResultRecordKeys, v.Text())
	}
	if v := o.Get("type"); !v.Absent() && v.Text() != string(contract.TypeRun) {
		return r, "type"
	}
	extra, _ = o.Other(receiptMembers)
	return r, extra
}

// present gives an optional member that is never null.
func present(o strictjson.Object, name string) *string {
	v := o.Get(name)
	if v.Absent() {
		return nil
	}
	s := v.Text()
	return &s
}

var runStatuses = []contract.RunStatus{contract.RunSuccess, contract.RunFailure, contract.RunCancelled, contract.RunSkipped, contract.RunTimedOut}

// readRuns takes over the receipts of the file. Without a file a profile that selects
// them has nothing to read them from (AMB-76). Nothing is parsed out of comments
// (RUN-01).
func (r *run) readRuns() {
	if !r.selected(contract.ScopeAgentRuns) {
		return
	}
	if !r.cfg.HasRuns {
		r.failed(contract.ScopeAgentRuns, forge.ErrUnsupported)
		return
	}
	for i := range r.cfg.Runs {
		if l := r.receipt(&r.cfg.Runs[i]); l != nil {
			r.runs = append(r.runs, l)
		}
	}
}

// receipt checks the fields of a run (RUN-02, RUN-03, RUN-05, AMB-41).
func (r *run) receipt(c *Receipt) *contract.Run {
	completed, err := required(c.CompletedAt)
	started, err2 := optional(c.StartedAt)
	keys := slices.Clone(c.ResultRecordKeys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	valid := err == nil && err2 == nil &&
		tree.ValidRunID(r.source.Forge, c.ID) &&
		slices.Contains(runStatuses, contract.RunStatus(c.Status)) &&
		tree.ValidDigest(c.InputRevision) && utf8.ValidString(c.Agent) &&
		(c.InputHeadSHA == nil || tree.ValidGitOID(*c.InputHeadSHA)) &&
		(c.ResultingCommitSHA == nil || tree.ValidGitOID(*c.ResultingCommitSHA))
	for _, k := range keys {
		valid = valid && tree.ValidDigest(k)
	}
	if !valid {
		r.invalid(contract.ScopeAgentRuns, "run "+c.ID, "a field of the receipt is invalid")
		return nil
	}
	l := &contract.Run{
		ID: c.ID, Agent: c.Agent, Status: contract.RunStatus(c.Status), InputRevision: c.InputRevision,
		ResultRecordKeys: keys, StartedAt: started, CompletedAt: completed,
	}
	if keys == nil {
		l.ResultRecordKeys = []string{}
	}
	if c.InputHeadSHA != nil {
		l.InputHeadSHA = *c.InputHeadSHA
	}
	if c.ResultingCommitSHA != nil {
		l.ResultingCommitSHA = *c.ResultingCommitSHA
	}
	if c.PublisherID != nil {
		l.PublisherID = r.reference(&forge.Account{ID: *c.PublisherID})
	}
	return l
}
