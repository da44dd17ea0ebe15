package bound

import (
	"maps"
	"slices"

	"snapline/pkg/record"
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

func (s *stage) retainCheck(c *record.Check) error {
	name, code, err := s.boundName(checkName(c), record.ScopeChecks, c.Name, c.RejectedAs, c.Filter)
	if err != nil {
		return err
	}
	switch {
	case c.RejectedAs != "":
		s.count(record.ScopeChecks, code)
	case code != "":
		s.miss(checkName(c), record.ScopeChecks, code)
	}
	if code != "" && code != record.UnsafeContent {
		return nil
	}
	c.Name = name
	if code == "" {
		s.present[c.RecordKey] = record.KindCheck
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
		agent, code, err := s.boundName(runName(r), record.ScopeAgentRuns, r.Agent, r.RejectedAs, r.Filter)
		if err != nil {
			return err
		}
		switch {
		case r.RejectedAs != "":
			s.count(record.ScopeAgentRuns, code)
			continue
		case code != "":
			s.miss(runName(r), record.ScopeAgentRuns, code)
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
func (s *stage) boundName(object string, scope record.Scope, name string, rejected record.GapCode, filter *record.Filter) (string, record.GapCode, error) {
	if rejected != "" {
		return "", rejected, nil
	}
	name, what, err := s.display(name, filter)
	switch {
	case err != nil:
		return "", "", err
	case what == emptied:
		return "", record.InvalidMetadata, nil
	case what == unsafe:
		filter.Status = record.Rejected
		return "", record.UnsafeContent, nil
	case what == cut:
		s.note(object, scope, "name cut")
	}
	return name, "", nil
}

// checkLog handles one log. Only the log of a retained check that is not rejected
// and whose log is selected is written or counted (COL-10, AMB-13); what is missing is
// counted for each log (AMB-12).
func (s *stage) checkLog(l *record.Log) error {
	defer s.recycle(l)
	check, selected := s.logged[l.RecordKey]
	if !selected {
		s.note("log of "+l.RecordKey, record.ScopeCheckLogs, "its check is not retained or its log not selected; it is left out")
		return nil
	}
	delete(s.logged, l.RecordKey)
	name := "log of " + check
	switch l.Content.Form {
	case record.FormMissing:
		s.miss(name, record.ScopeCheckLogs, l.Content.Missing)
		return nil
	case record.FormOversize:
		s.miss(name, record.ScopeCheckLogs, record.SourceTooLarge)
		return nil
	case record.FormText, record.FormBytes, record.FormNone:
	}
	if l.Filter.Status == record.Rejected {
		s.count(record.ScopeCheckLogs, record.UnsafeContent)
		return nil
	}
	if err := s.cutLog(l, name); err != nil {
		return err
	}
	if l.Filter.Status == record.Rejected {
		s.miss(name, record.ScopeCheckLogs, record.UnsafeContent)
		return nil
	}
	return s.write(l)
}

// countAbsentLogs counts the selected logs of which the stream has no line at all:
// nothing may be missing in silence (GAP-05).
func (s *stage) countAbsentLogs() {
	for _, name := range slices.Sorted(maps.Values(s.logged)) {
		s.miss("log of "+name, record.ScopeCheckLogs, record.FetchFailed)
	}
}

// cutLog bounds a log and scans it again if it was cut.
func (s *stage) cutLog(l *record.Log, name string) error {
	bounded, shorter := cutText(l.Content.Bytes, s.header.Collection.Bounds.MaxLogBytes)
	if shorter || len(bounded) != len(l.Content.Bytes) {
		s.recycle(l)
		l.Content = record.Text(bounded)
	}
	if !shorter {
		return nil
	}
	l.Filter.Status = record.Truncated
	s.note(name, record.ScopeCheckLogs, "log cut")
	_, err := s.rescanWhole(bounded, l.Filter)
	return err
}

func checkName(c *record.Check) string { return "check " + c.ID }

func runName(r *record.Run) string { return "run " + r.ID }
