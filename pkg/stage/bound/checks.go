package bound

import (
	"maps"
	"slices"

	"snapline/pkg/contract"
)

// flushChecks writes the retained checks. One with an unsafe name keeps a rejected
// row, one without a name leaves none (DSP-06, AMB-14).
func (s *stage) flushChecks() error {
	for _, c := range s.checks.take() {
		if err := s.retainCheck(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) retainCheck(c *contract.Check) error {
	name, code, err := s.boundName(checkName(c), contract.ScopeChecks, c.Name, c.RejectedAs, c.Filter)
	if err != nil {
		return err
	}
	switch {
	case c.RejectedAs != "":
		s.count(contract.ScopeChecks, code)
	case code != "":
		s.miss(checkName(c), contract.ScopeChecks, code)
	}
	if code != "" && code != contract.UnsafeContent {
		return nil
	}
	c.Name = name
	if code == "" {
		s.present[c.RecordKey] = contract.KindCheck
		if s.header.Collection.CheckLogSelection.Selects(c) {
			s.logged[c.RecordKey] = checkName(c)
		}
	}
	return s.write(c)
}

// flushRuns writes the retained agent runs. Result keys that name nothing in the
// stream are removed without a gap (AMB-19); a run whose agent is unsafe or empty is
// dropped, its gap says so (DSP-06, AMB-14).
func (s *stage) flushRuns() error {
	for _, r := range s.runs.take() {
		agent, code, err := s.boundName(runName(r), contract.ScopeAgentRuns, r.Agent, r.RejectedAs, r.Filter)
		if err != nil {
			return err
		}
		switch {
		case r.RejectedAs != "":
			s.count(contract.ScopeAgentRuns, code)
			continue
		case code != "":
			s.miss(runName(r), contract.ScopeAgentRuns, code)
			continue
		}
		r.Agent = agent
		r.ResultRecordKeys = slices.DeleteFunc(r.ResultRecordKeys, func(key string) bool { return s.present[key] == "" })
		if err := s.write(r); err != nil {
			return err
		}
	}
	return nil
}

// boundName bounds the name of a check or agent. The code is why the object is
// rejected, or "" (DSP-06).
func (s *stage) boundName(object string, scope contract.Scope, name string, rejected contract.GapCode, filter *contract.Filter) (string, contract.GapCode, error) {
	if rejected != "" {
		return "", rejected, nil
	}
	name, what, err := s.display(name, filter)
	switch {
	case err != nil:
		return "", "", err
	case what == emptied:
		return "", contract.InvalidMetadata, nil
	case what == unsafe:
		filter.Status = contract.Rejected
		return "", contract.UnsafeContent, nil
	case what == cut:
		s.note(object, scope, "name cut")
	}
	return name, "", nil
}

// checkLog handles one log. Only the log of a retained check that is not rejected
// and whose log is selected is written or counted (COL-10, AMB-13); what is missing is
// counted for each log (AMB-12).
func (s *stage) checkLog(l *contract.Log) error {
	defer s.recycle(l)
	check, selected := s.logged[l.RecordKey]
	if !selected {
		s.note("log of "+l.RecordKey, contract.ScopeCheckLogs, "its check is not retained or its log not selected; it is left out")
		return nil
	}
	delete(s.logged, l.RecordKey)
	name := "log of " + check
	switch l.Content.Form {
	case contract.FormMissing:
		s.miss(name, contract.ScopeCheckLogs, l.Content.Missing)
		return nil
	case contract.FormOversize:
		s.miss(name, contract.ScopeCheckLogs, contract.SourceTooLarge)
		return nil
	case contract.FormText, contract.FormBytes, contract.FormNone:
	}
	if l.Filter.Status == contract.Rejected {
		s.count(contract.ScopeCheckLogs, contract.UnsafeContent)
		return nil
	}
	if err := s.cutLog(l, name); err != nil {
		return err
	}
	if l.Filter.Status == contract.Rejected {
		s.miss(name, contract.ScopeCheckLogs, contract.UnsafeContent)
		return nil
	}
	return s.write(l)
}

// countAbsentLogs counts the selected logs of which the stream has no line at all:
// nothing may be missing in silence (GAP-05).
func (s *stage) countAbsentLogs() {
	for _, name := range slices.Sorted(maps.Values(s.logged)) {
		s.miss("log of "+name, contract.ScopeCheckLogs, contract.FetchFailed)
	}
}

// cutLog bounds a log and scans it again if it was cut.
func (s *stage) cutLog(l *contract.Log, name string) error {
	bounded, shorter := cutText(l.Content.Bytes, s.header.Collection.Bounds.MaxLogBytes)
	if shorter || len(bounded) != len(l.Content.Bytes) {
		s.recycle(l)
		l.Content = contract.Text(bounded)
	}
	if !shorter {
		return nil
	}
	l.Filter.Status = contract.Truncated
	s.note(name, contract.ScopeCheckLogs, "log cut")
	_, err := s.rescanWhole(bounded, l.Filter)
	return err
}

func checkName(c *contract.Check) string { return contract.Describe(c) }

func runName(r *contract.Run) string { return "run " + r.ID }
