package command

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/family/canon"
)

// rejudge judges the documents of a tree as one chain and gives the state that may be
// recovered from it. Where something is missing that may be newer than the head, none
// may: a tool does not fall back to an earlier state.
func rejudge(m tree.Manifest, documents []contract.Document) (*tree.Chain, []byte) {
	if m.Family != contract.FamilyCanon {
		return nil, nil
	}
	var set []canon.Named
	for i := range documents {
		if documents[i].HasRaw {
			set = append(set, canon.Named{Name: documents[i].Name, Raw: documents[i].Raw})
		}
	}
	_, c := canon.Judge(set)
	for _, g := range m.Gaps {
		if c.Refusal == "" && (g.Code != contract.ProfileBound || m.Limits.Selection != contract.Newest) {
			c.Refusal, c.Recovered = "a missing document may be newer than the head", nil
		}
	}
	return &tree.Chain{Finding: c.Finding, FirstBadSeq: c.FirstBadSeq, Refusal: c.Refusal, Verdict: string(c.Verdict)}, c.Recovered
}
