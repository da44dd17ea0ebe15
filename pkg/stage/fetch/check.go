package fetch

import (
	"errors"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// checked is a check line with the native object that its log is asked of.
type checked struct {
	line   *contract.Check
	native *forge.Check
}

// maxName is the length in bytes of a name that fits into a line however it is spelled.
// A shorter one is measured by the filter, and its check keeps its place (AMB-10).
const maxName = 1 << 20

var errNoHead = errors.New("the head revision is unknown")

// readChecks writes the checks of the captured head, and of no other (CHK-02, CHK-05).
func (r *run) readChecks(c forge.Checks) {
	r.counted(c.Gaps)
	r.notes(contract.ScopeChecks, c.Notes)
	if c.Failed != nil {
		r.failed(contract.ScopeChecks, c.Failed)
		return
	}
	for i := range c.Checks {
		native := &c.Checks[i]
		line, why := r.check(native)
		switch {
		case why != "":
			r.invalid(contract.ScopeChecks, describe(contract.KindCheck, native.ID, r.address(native.URL)), why)
		case native.Name.Len() > maxName:
			r.lost(contract.ScopeChecks, contract.SourceTooLarge, describe(contract.KindCheck, native.ID, r.address(native.URL)), "the name is longer than a line may be")
		default:
			r.checks = append(r.checks, checked{line, native})
		}
	}
}

// askChecks asks for the checks, once more if one id comes with two contents (AMB-45).
func (r *run) askChecks() (c forge.Checks) {
	if !r.selected(contract.ScopeChecks) {
		return c
	}
	if !tree.ValidGitOID(r.entity.HeadSHA) {
		return forge.Checks{Failed: errNoHead} // AMB-74
	}
	var err error
	for range 2 {
		ctx, ledger := client.WithLedger(client.Reserved(r.ctx))
		c = r.adapter.Checks(ctx, r.entity)
		if c.Checks, err = forge.DistinctChecks(c.Checks); err == nil || r.ctx.Err() != nil {
			return c
		}
		ledger.Discard()
	}
	c.Failed = err
	return c
}

// check maps one native check, or says why it is invalid.
func (r *run) check(c *forge.Check) (l *contract.Check, why string) {
	switch {
	case !r.validID(contract.KindCheck, c.ID):
		return nil, "the id is missing or malformed"
	case c.HeadSHA == nil || *c.HeadSHA != r.entity.HeadSHA:
		return nil, "the revision is not the captured head" // CHK-04, AMB-63
	}
	created, err := required(c.CreatedAt)
	updated, err2 := optional(c.UpdatedAt)
	if err != nil || err2 != nil {
		return nil, "there is no native creation time" // CHK-06, AMB-34
	}
	var name []byte
	if c.Name.Len() <= maxName {
		name = c.Name.Bytes()
	}
	if !utf8.Valid(name) {
		return nil, "the name is not Unicode text"
	}
	l = &contract.Check{
		ID: c.ID, RecordKey: r.key(contract.KindCheck, c.ID), Name: string(name),
		CreatedAt: created, UpdatedAt: updated, HeadSHA: r.entity.HeadSHA, URL: r.address(c.URL),
	}
	return l, outcome(l, c)
}

// outcome fills status, conclusion and times by the rules that all forges share
// (CHK-11 to CHK-19, MAP-02, MAP-03, MAP-06, MAP-09). It says why a check is invalid.
func outcome(l *contract.Check, c *forge.Check) string {
	started, startErr := optional(c.StartedAt)
	ended, endErr := optional(c.CompletedAt)
	l.Status = c.Status
	switch c.Status {
	case contract.Queued:
		return "" // any native time of a queued check is dropped (CHK-19)
	case contract.InProgress:
		if startErr != nil || started == "" {
			return "a running check without a valid start"
		}
		l.StartedAt = started
		return ""
	case contract.Completed:
	default:
		return "the native status is outside the mapping"
	}
	switch {
	case c.Conclusion == "":
		return "the native conclusion is missing or outside the mapping"
	case endErr != nil:
		return "the end time is malformed"
	}
	l.Conclusion, l.CompletedAt = c.Conclusion, ended
	idle := c.Conclusion == contract.Skipped || c.Conclusion == contract.Cancelled
	l.NeverStarted = c.NeverStarted || idle && startErr == nil && started == ""
	switch {
	case l.NeverStarted:
		if ended == "" {
			l.CompletedAt = l.CreatedAt // CHK-17
		}
		return ""
	case startErr != nil || started == "" || ended == "":
		return "a completed check without valid start and end" // CHK-18
	}
	l.StartedAt = started
	return ""
}

// retained gives the checks that the profile keeps, by the rule that bound applies
// (AMB-02, AMB-13): a check that the filter rejects later keeps its place.
func (r *run) retained() []checked {
	n := r.bounds.MaxRecordsPerSource
	if int64(len(r.checks)) <= n {
		return r.checks
	}
	if r.cfg.Collection.RecordSelection == contract.Oldest {
		return r.checks[:n]
	}
	return r.checks[int64(len(r.checks))-n:]
}

// writeLogs reads and writes the logs of the retained checks one by one, so that
// memory never holds two.
func (r *run) writeLogs() error {
	if !r.selected(contract.ScopeCheckLogs) {
		return nil
	}
	for _, c := range r.retained() {
		if !r.cfg.Collection.CheckLogSelection.Selects(c.line) {
			continue
		}
		r.progress("log of check " + c.line.ID)
		content, err := r.log1(c)
		if err != nil {
			return err
		}
		if err := r.out.Write(&contract.Log{RecordKey: c.line.RecordKey, Content: content}); err != nil {
			return err
		}
	}
	return nil
}

// log1 reads one log; what keeps it from being read travels on the line (AMB-68).
func (r *run) log1(c checked) (contract.Content, error) {
	body, err := r.adapter.Log(r.ctx, c.native, r.bounds.MaxSourceBytes)
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		return contract.Content{}, ctxErr
	}
	missing := contract.FetchFailed
	switch {
	case err == nil && int64(len(body)) > r.bounds.MaxSourceBytes, client.IsKind(err, client.TooLarge):
		return contract.Content{Form: contract.FormOversize}, nil
	case err == nil:
		return textOf(body), nil
	case errors.Is(err, forge.ErrUnsupported):
		missing = contract.Unsupported
	case client.IsKind(err, client.Forbidden, client.Unauthenticated):
		missing = contract.AuthorizationFailed
	}
	r.log.Notice(fault.Notice{
		Record: contract.Describe(c.line), Scope: string(contract.ScopeCheckLogs), Code: string(missing), Text: err.Error(),
	})
	return contract.Content{Form: contract.FormMissing, Missing: missing}, nil
}
