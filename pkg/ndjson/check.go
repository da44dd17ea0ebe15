package ndjson

import (
	"slices"

	"snapline/pkg/fault"
	"snapline/pkg/record"
	"snapline/pkg/tree"
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

var findingTable = table[record.Finding]{members: []member[record.Finding]{
	text("code", "RRR", func(f *record.Finding) *string { return &f.Code }, findingCode),
	integer("count", "RRR", func(f *record.Finding) *int64 { return &f.Count }, 1, maxInteger),
}}

var filterTable = table[record.Filter]{
	members: []member[record.Filter]{
		word("status", "RRR", func(f *record.Filter) *record.FilterStatus { return &f.Status },
			record.Unchanged, record.Modified, record.Truncated, record.Rejected),
		objects("findings", "RRR", func(f *record.Filter) *[]record.Finding { return &f.Findings }, &findingTable),
	},
	check: func(d *decoder, f *record.Filter) error {
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
func filter[T any](name, need string, get func(*T) **record.Filter, never ...record.FilterStatus) member[T] {
	m := optionalObject(name, need, get, &filterTable)
	read := m.read
	m.read = func(d *decoder, v value, t *T) error {
		if err := read(d, v, t); err != nil {
			return err
		}
		s := (*get(t)).Status
		if slices.Contains(never, s) || s == record.Truncated && d.pos < 3 {
			return d.broken(RuleFilterStatus, "status %s cannot stand here", s)
		}
		return nil
	}
	return m
}

func rejected(f *record.Filter) bool { return f != nil && f.Status == record.Rejected }
