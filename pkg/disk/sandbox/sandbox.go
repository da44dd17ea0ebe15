// Package sandbox tells whether the process that runs it could alter a tree: the
// question that the agent's side must answer before the agent starts (LIF-02).
//
// A tree is out of reach if it lies on a read-only mount, or if it belongs to root with
// modes 0555 and 0444, nothing above it can be exchanged, and the process is not root
// and has no capability that overrides owners or modes. It needs Linux; elsewhere the
// answer is no.
package sandbox

import "snapline/pkg/finding"

// The rules.
const (
	ruleSystem     = "sandbox.system"
	ruleEntry      = "sandbox.entry"
	ruleOwner      = "sandbox.owner"
	ruleMode       = "sandbox.mode"
	ruleCapability = "sandbox.capability"
	ruleRoot       = "sandbox.root"
	ruleAncestor   = "sandbox.ancestor"
)

// Check gives the reasons why the tree at path could be altered, sorted; none if it is
// out of reach. The error is for a tree that cannot be looked at.
func Check(path string) ([]finding.Finding, error) {
	list := &finding.List{}
	if err := check(path, list); err != nil {
		return nil, err
	}
	return list.Sorted(), nil
}
