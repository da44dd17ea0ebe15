package canon

import (
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
	for _, g := range m.Gaps {
		if c.Refusal == "" && (g.Code != contract.ProfileBound || m.Limits.Selection != contract.Newest) {
			c.Refusal, c.Recovered = "a missing document may be newer than the head", nil
		}
	}
	return &tree.Chain{Finding: c.Finding, FirstBadSeq: c.FirstBadSeq, Refusal: c.Refusal, Verdict: string(c.Verdict)}, c.Recovered
}
