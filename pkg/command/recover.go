package command

import (
	"snapline/pkg/canonguard"
	"snapline/pkg/record"
	"snapline/pkg/tree"
)

// rejudge judges the documents of a tree as one chain and gives the state that may be
// recovered from it. Where something is missing that may be newer than the head, none
// may: a tool does not fall back to an earlier state.
func rejudge(m tree.Manifest, documents []record.Document) (*tree.Chain, []byte) {
	if m.Family != record.FamilyCanon {
		return nil, nil
	}
	var set []canonguard.Named
	for i := range documents {
		if documents[i].HasRaw {
			set = append(set, canonguard.Named{Name: documents[i].Name, Raw: documents[i].Raw})
		}
	}
	_, c := canonguard.Judge(set)
	for _, g := range m.Gaps {
		if c.Refusal == "" && (g.Code != record.ProfileBound || m.Limits.Selection != record.Newest) {
			c.Refusal, c.Recovered = "a missing document may be newer than the head", nil
		}
	}
	return &tree.Chain{Finding: c.Finding, FirstBadSeq: c.FirstBadSeq, Refusal: c.Refusal, Verdict: string(c.Verdict)}, c.Recovered
}
