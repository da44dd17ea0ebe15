package bound

import (
	"bytes"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/safety"
)

// cutText bounds a body or log at limit bytes, its final LF included, and reports
// whether content was removed; more than one trailing LF is no content. Text that is
// not empty ends in exactly one LF (BND-02, BND-03, AMB-66). The result is the
// longest prefix that ends between code points.
func cutText(text []byte, limit int64) (bounded []byte, cut bool) {
	if len(text) == 0 {
		return text, false
	}
	content := bytes.TrimRight(text, "\n")
	if int64(len(content))+1 <= limit {
		if len(content)+1 == len(text) {
			return text, false
		}
		return withLineFeed(content), false
	}
	content = content[:boundary(content, limit-1)]
	return withLineFeed(bytes.TrimRight(content, "\n")), true
}

// withLineFeed copies, so that the memory of the uncut text can go.
func withLineFeed(content []byte) []byte {
	out := make([]byte, len(content)+1)
	out[copy(out, content)] = '\n'
	return out
}

// cutDisplay bounds a display string at limit bytes (BND-04).
func cutDisplay(s string, limit int64) (bounded string, cut bool) {
	if int64(len(s)) <= limit {
		return s, false
	}
	return s[:boundary(s, limit)], true
}

// boundary gives the last position at most limit, itself less than len(s), at which
// a code point starts.
func boundary[T ~string | ~[]byte](s T, limit int64) int {
	n := int(limit)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// outcome is what became of a display string.
type outcome uint8

const (
	kept    outcome = iota
	cut             // within the bound now, and safe
	emptied         // nothing is left
	unsafe          // what is left is unsafe by itself; the text is gone
)

// display bounds a display string and scans it again if it was cut (DSP-03). The
// string's part in the filter value is truncated if it was cut, and modified, with
// its findings, if it is unsafe (AMB-27, AMB-31).
func (s *stage) display(text string, filter *contract.Filter) (string, outcome, error) {
	bounded, shorter := cutDisplay(text, s.header.Collection.Bounds.MaxMetadataStringBytes)
	switch {
	case !shorter && text == "":
		return "", emptied, nil
	case !shorter:
		return text, kept, nil
	}
	if bounded == "" {
		filter.Status = contract.Highest(filter.Status, contract.Truncated)
		return "", emptied, nil
	}
	safe, findings, err := s.rescan([]byte(bounded))
	switch {
	case err != nil:
		return "", unsafe, err
	case !safe:
		filter.Add(contract.Filter{Status: contract.Modified, Findings: findings})
		return "", unsafe, nil
	}
	filter.Status = contract.Highest(filter.Status, contract.Truncated)
	return bounded, cut, nil
}

// rescan scans a text that was cut, exactly as it will be written. An error is a
// failed component and aborts (ABT-08).
func (s *stage) rescan(text []byte) (safe bool, findings []contract.Finding, err error) {
	result, err := s.worker.Rescan(text)
	if err != nil {
		return false, nil, err
	}
	return result.Status != contract.Rejected, result.Findings, nil
}

// rescanWhole is rescan for a body or log, whose filter value becomes rejected if it
// is unsafe (INJ-04).
func (s *stage) rescanWhole(text []byte, filter *contract.Filter) (safe bool, err error) {
	safe, findings, err := s.rescan(text)
	if err == nil && !safe {
		filter.Status = contract.Rejected
		filter.AddFindings(findings)
	}
	return safe, err
}

// scanner is the part of safety.Worker that bound needs.
type scanner interface {
	Rescan(text []byte) (safety.Result, error)
}
