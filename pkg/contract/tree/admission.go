package tree

import (
	"slices"

	"snapline/pkg/contract"
)

// HumanAdmitted reports whether a person with this role may be heard: a verified one of
// at least the rank of human_min_role (ADM-02, ADM-04).
func HumanAdmitted(role *string, verified bool, least string) bool {
	if role == nil || !verified {
		return false
	}
	rank := slices.Index(contract.Roles[:], *role)
	return rank >= 0 && rank <= slices.Index(contract.Roles[:], least)
}

// Explained reports whether a filter status fits the number of its findings: what is
// unchanged has none, what was changed or rejected has some; a cut needs none (FLT-01
// to FLT-04).
func Explained(status contract.FilterStatus, findings int) bool {
	switch status {
	case contract.Unchanged:
		return findings == 0
	case contract.Modified, contract.Rejected:
		return findings > 0
	case contract.Truncated:
	}
	return true
}

// TextExplained reports whether a filter status fits a body or log of n bytes: only an
// empty source leaves none, and nothing happens to that (AMB-08).
func TextExplained(status contract.FilterStatus, n int) bool {
	return n > 0 || status == contract.Unchanged
}
