package bound

import (
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// missing sums gaps by scope and code (GAP-03).
type missing map[contract.Gap]int64

func (m missing) add(scope contract.Scope, code contract.GapCode, count int64) {
	pair := contract.Gap{Scope: scope, Code: code}
	m[pair] = min(m[pair]+count, maxCount+1)
}

// maxCount is the largest integer of a stream (AMB-51).
const maxCount = 1<<53 - 1

// lines gives one line for each scope and code, sorted by scope, then code.
func (m missing) lines() []*contract.Gap {
	var lines []*contract.Gap
	for pair, count := range m {
		lines = append(lines, &contract.Gap{Scope: pair.Scope, Code: pair.Code, Count: count})
	}
	slices.SortFunc(lines, func(a, b *contract.Gap) int {
		if c := strings.Compare(string(a.Scope), string(b.Scope)); c != 0 {
			return c
		}
		return strings.Compare(string(a.Code), string(b.Code))
	})
	return lines
}

// miss counts one object and names it once on stderr.
func (s *stage) miss(object string, scope contract.Scope, code contract.GapCode) {
	s.missing.add(scope, code, 1)
	s.log.Notice(fault.Notice{Record: object, Scope: string(scope), Code: string(code), Count: 1})
}

// count counts an object that filter has rejected, and so has named already.
func (s *stage) count(scope contract.Scope, code contract.GapCode) { s.missing.add(scope, code, 1) }

// note names a changed object, or one that vanishes without a gap.
func (s *stage) note(object string, scope contract.Scope, text string) {
	s.log.Notice(fault.Notice{Record: object, Scope: string(scope), Text: text})
}
