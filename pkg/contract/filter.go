package contract

import (
	"slices"
	"strings"
)

// rank orders statuses: rejected, then truncated, then modified, then unchanged
// (AMB-31).
func (s FilterStatus) rank() int {
	return slices.Index([]FilterStatus{Unchanged, Modified, Truncated, Rejected}, s)
}

// Highest gives the stronger of two statuses.
func Highest(a, b FilterStatus) FilterStatus {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// Clean is the filter value of an object in which nothing was found.
func Clean() Filter { return Filter{Status: Unchanged, Findings: []Finding{}} }

// Add merges o into f: the highest status, findings summed by code (AMB-31, AMB-44).
func (f *Filter) Add(o Filter) {
	if f.Status == "" {
		f.Status = Unchanged
	}
	f.Status = Highest(f.Status, o.Status)
	f.AddFindings(o.Findings)
}

// AddFindings sums findings into f by code and keeps them sorted by code (FLT-05).
func (f *Filter) AddFindings(more []Finding) {
	for _, m := range more {
		i, found := slices.BinarySearchFunc(f.Findings, m.Code, func(a Finding, code string) int { return strings.Compare(a.Code, code) })
		if found {
			// Past the largest integer of a document it stays just past it.
			f.Findings[i].Count = min(f.Findings[i].Count+m.Count, 1<<53)
		} else {
			f.Findings = slices.Insert(f.Findings, i, m)
		}
	}
	if f.Findings == nil {
		f.Findings = []Finding{}
	}
}

// Clone gives an independent copy.
func (f Filter) Clone() Filter {
	f.Findings = slices.Clone(f.Findings)
	if f.Findings == nil {
		f.Findings = []Finding{}
	}
	return f
}
