package stream

import (
	"slices"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
)

// The judges of single strings.

func structuralID(_ *decoder, s string) (string, string) {
	if !tree.ValidStructuralID(s) {
		return RuleIdentifier, fault.Quote(s) + " is no structural identifier"
	}
	return "", ""
}

func digest(_ *decoder, s string) (string, string) {
	if !tree.ValidDigest(s) {
		return RuleDigest, "must be 64 lowercase hexadecimal digits"
	}
	return "", ""
}

func gitOID(_ *decoder, s string) (string, string) {
	if !tree.ValidGitOID(s) {
		return RuleGitOID, "must be 40 or 64 lowercase hexadecimal digits"
	}
	return "", ""
}

func timestamp(_ *decoder, s string) (string, string) {
	if !tree.ValidTimestamp(s) {
		return RuleTimestamp, "must be a date and time in UTC with nine fraction digits"
	}
	return "", ""
}

func nonEmpty(_ *decoder, s string) (string, string) {
	if s == "" {
		return RuleEmptyString, "must not be empty"
	}
	return "", ""
}

// display strings are as the forge gave them until filter has seen them; then an
// empty one is gone.
func display(d *decoder, s string) (string, string) {
	if d.pos == 1 {
		return "", ""
	}
	return nonEmpty(d, s)
}

// reviewPath is any string until filter has judged it.
func reviewPath(d *decoder, s string) (string, string) {
	if d.pos > 1 && !tree.ValidPath(s) {
		return RulePath, "is no repository path"
	}
	return nonEmpty(d, s)
}

// webURL judges the form of an address; that it lies on the source's host takes the header.
func webURL(_ *decoder, s string) (string, string) {
	if !tree.ValidURL(s) {
		return RuleURL, "is no web address of an object"
	}
	return "", ""
}

func label(_ *decoder, s string) (string, string) {
	if !tree.ValidLabel(s) {
		return RuleLabel, "must have 1 to 128 of the characters A-Z a-z 0-9 . _ : / @ + -"
	}
	return "", ""
}

func findingCode(_ *decoder, s string) (string, string) {
	if !tree.ValidFindingCode(s) {
		return RuleFindings, "is no finding code"
	}
	return "", ""
}

// unique and sortedKeys judge lists of keys.
func unique(keys []string) string {
	seen := make(map[string]struct{}, len(keys))
	for _, k := range keys {
		seen[k] = struct{}{}
	}
	if len(seen) != len(keys) {
		return "names a key twice"
	}
	return ""
}

func sortedKeys(keys []string) string {
	for i := 1; i < len(keys); i++ {
		if keys[i-1] >= keys[i] {
			return "must be sorted and free of duplicates"
		}
	}
	return ""
}

var findingTable = table[contract.Finding]{members: []member[contract.Finding]{
	text("code", "RRR", func(f *contract.Finding) *string { return &f.Code }, findingCode),
	integer("count", "RRR", func(f *contract.Finding) *int64 { return &f.Count }, 1, maxInteger),
}}

var filterTable = table[contract.Filter]{
	members: []member[contract.Filter]{
		word("status", "RRR", func(f *contract.Filter) *contract.FilterStatus { return &f.Status },
			contract.Unchanged, contract.Modified, contract.Truncated, contract.Rejected),
		objects("findings", "RRR", func(f *contract.Filter) *[]contract.Finding { return &f.Findings }, &findingTable),
	},
	check: func(d *decoder, f *contract.Filter) error {
		for i := 1; i < len(f.Findings); i++ {
			if f.Findings[i-1].Code >= f.Findings[i].Code {
				return d.broken(RuleFindings, "must be sorted by code, one row for each")
			}
		}
		return nil
	},
}

// filter is a filter object. Only bound truncates; never says which statuses
// cannot stand here at all.
func filter[T any](name, need string, get func(*T) **contract.Filter, never ...contract.FilterStatus) member[T] {
	m := optionalObject(name, need, get, &filterTable)
	read := m.read
	m.read = func(d *decoder, v value, t *T) error {
		if err := read(d, v, t); err != nil {
			return err
		}
		s := (*get(t)).Status
		if slices.Contains(never, s) || s == contract.Truncated && d.pos < 3 {
			return d.broken(RuleFilterStatus, "status %s cannot stand here", s)
		}
		return nil
	}
	return m
}

func rejected(f *contract.Filter) bool { return f != nil && f.Status == contract.Rejected }
