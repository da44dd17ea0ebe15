package canon

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Rejudge judges the documents of a tree as one chain and gives the state that may be
// recovered from it. Where something is missing that may be newer than the head, none
// may: a tool does not fall back to an earlier state.
func Rejudge(m tree.Manifest, documents []contract.Document) (*tree.Chain, []byte) {
	if m.Family != contract.FamilyCanon {
		return nil, nil
	}
	var set []Named
	for i := range documents {
		if documents[i].HasRaw {
			set = append(set, Named{Name: documents[i].Name, Raw: documents[i].Raw})
		}
	}
	_, c := Judge(set)
	if c.Refusal == "" && MayMissNewer(m.Gaps, m.Limits.Selection) {
		c.Refusal, c.Recovered = MissesNewer, nil
	}
	return &tree.Chain{Finding: c.Finding, FirstBadSeq: c.FirstBadSeq, Refusal: c.Refusal, Verdict: string(c.Verdict)}, c.Recovered
}

// MissesNewer is why no state is recovered from documents beside which one is missing.
const MissesNewer = "a missing document may be newer than the head"

// MayMissNewer reports whether a document that the gaps count may be newer than those
// that are there: any may, but one that a selection of the newest left out.
func MayMissNewer(gaps []tree.Gap, selection contract.Selection) bool {
	return slices.ContainsFunc(gaps, func(g tree.Gap) bool {
		return g.Code != contract.ProfileBound || selection != contract.Newest
	})
}
