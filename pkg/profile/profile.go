// Package profile holds collection profiles: which sources of an entity are
// collected, who may be heard, and the bounds. The built-in ones are files in
// builtin/; a profile file has the same form, which is that of collection.json.
package profile

import (
	"embed"
	"slices"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/json/strictjson"
)

// files holds the built-in profiles as builtin/NAME.KIND.json.
//
//go:embed builtin/*.json
var files embed.FS

// Names are the built-in profiles, the default first.
var Names = []string{"observation", "mutation"}

// Builtin gives a built-in profile for a kind of entity; an unknown name is a usage
// fault.
func Builtin(name string, kind contract.EntityKind) (contract.Collection, error) {
	if !slices.Contains(Names, name) {
		return contract.Collection{}, fault.New(fault.Usage, "profile.name", "there is no such profile; use %s", strings.Join(Names, " or "))
	}
	text, err := Text(name, kind)
	if err != nil {
		return contract.Collection{}, err
	}
	return Parse(text, kind)
}

// Text gives the file of a built-in profile.
func Text(name string, kind contract.EntityKind) ([]byte, error) {
	return files.ReadFile("builtin/" + name + "." + string(kind) + ".json")
}

// allowed are the sources of each kind, in the order that a profile must have.
var allowed = map[contract.EntityKind][]string{
	contract.WorkItem:       {"agent_runs", "comments", "entity"},
	contract.ChangeProposal: {"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"},
}

// Parse reads a profile file for an entity of the given kind. It is closed: any
// member that is missing, unknown, doubled or out of bounds is a usage fault, so
// that nothing is sent with an invalid profile (ABT-01, COL-04 to COL-06).
func Parse(text []byte, kind contract.EntityKind) (contract.Collection, error) {
	c, err := parse(text)
	if err != nil {
		return contract.Collection{}, err
	}
	if c.EntityKind != kind {
		return contract.Collection{}, invalid("kind", "the profile is for a %s, the address names a %s", c.EntityKind, kind)
	}
	return c, nil
}

func parse(text []byte) (contract.Collection, error) {
	doc, err := strictjson.Parse(text)
	if err != nil {
		return contract.Collection{}, &fault.Error{Exit: fault.Usage, Rule: "profile.json", Detail: "a profile is one JSON object", Cause: err}
	}
	o := doc.Object()
	admission, bounds := o.Object("admission"), o.Object("bounds")
	c := contract.Collection{
		EntityKind:        contract.EntityKind(o.Text("entity_kind")),
		HumanMinRole:      admission.Text("human_min_role"),
		RecordSelection:   contract.Selection(o.Text("record_selection")),
		CheckLogSelection: contract.LogSelection(o.Text("check_log_selection")),
		Bounds: contract.Bounds{
			MaxRecordsPerSource:    bounds.Int("max_records_per_source"),
			MaxSourceBytes:         bounds.Int("max_source_bytes"),
			MaxRecordBytes:         bounds.Int("max_record_bytes"),
			MaxLogBytes:            bounds.Int("max_log_bytes"),
			MaxMetadataStringBytes: bounds.Int("max_metadata_string_bytes"),
			MaxLabels:              bounds.Int("max_labels"),
		},
	}
	for _, source := range o.Array("included_sources") {
		c.IncludedSources = append(c.IncludedSources, source.Text())
	}
	if err := doc.Err(); err != nil {
		return c, &fault.Error{Exit: fault.Usage, Rule: "profile.member", Detail: "the profile lacks a member or has one of another type", Cause: err}
	}
	for _, closed := range []struct {
		object strictjson.Object
		names  []string
	}{
		{o, []string{"entity_kind", "included_sources", "admission", "record_selection", "check_log_selection", "bounds"}},
		{admission, []string{"human_min_role"}},
		{bounds, []string{"max_records_per_source", "max_source_bytes", "max_record_bytes", "max_log_bytes", "max_metadata_string_bytes", "max_labels"}},
	} {
		if extra, ok := closed.object.Other(closed.names); ok {
			return c, invalid("unknown-member", "the profile has the unknown member %s", fault.Quote(extra))
		}
	}
	return c, check(&c)
}

func invalid(rule, format string, args ...any) error {
	return fault.New(fault.Usage, "profile."+rule, format, args...)
}

func check(c *contract.Collection) error {
	sources, ok := allowed[c.EntityKind]
	if !ok {
		return invalid("kind", "entity_kind is neither work_item nor change_proposal")
	}
	if c.HumanMinRole != "triage" && c.HumanMinRole != "write" {
		return invalid("role", "admission.human_min_role is neither triage nor write")
	}
	if c.RecordSelection != contract.Newest && c.RecordSelection != contract.Oldest {
		return invalid("selection", "record_selection is neither newest nor oldest")
	}
	for i, s := range c.IncludedSources {
		if !slices.Contains(sources, s) {
			return invalid("source", "source %s cannot be collected for a %s", fault.Quote(s), c.EntityKind)
		}
		if i > 0 && c.IncludedSources[i-1] >= s {
			return invalid("source-order", "included_sources is sorted and names each source once")
		}
	}
	if !c.Includes(contract.ScopeEntity) {
		return invalid("source", "included_sources lacks entity")
	}
	return checkBounds(c)
}

func checkBounds(c *contract.Collection) error {
	logs := c.Includes(contract.ScopeCheckLogs)
	switch s := c.CheckLogSelection; {
	case s != contract.LogsNone && s != contract.LogsFailed && s != contract.LogsAll:
		return invalid("log-selection", "check_log_selection is none of none, failed, all")
	case logs && !c.Includes(contract.ScopeChecks):
		return invalid("log-selection", "check_logs needs checks")
	case logs == (s == contract.LogsNone):
		return invalid("log-selection", "check_log_selection is failed or all with check_logs, and none without")
	}
	b := c.Bounds
	for _, v := range []struct {
		name       string
		value, min int64
	}{
		{"max_records_per_source", b.MaxRecordsPerSource, 1},
		{"max_source_bytes", b.MaxSourceBytes, 1},
		{"max_record_bytes", b.MaxRecordBytes, 1},
		{"max_log_bytes", b.MaxLogBytes, 1},
		{"max_metadata_string_bytes", b.MaxMetadataStringBytes, 1},
		{"max_labels", b.MaxLabels, 0},
	} {
		if v.value < v.min || v.value > 1<<53-1 {
			return invalid("bound", "%s is below %d or above 2^53-1", v.name, v.min)
		}
	}
	if b.MaxSourceBytes > contract.MaxSourceBytes || b.MaxSourceBytes < b.MaxMetadataStringBytes {
		return invalid("bound", "max_source_bytes is above %d or below max_metadata_string_bytes", contract.MaxSourceBytes)
	}
	return nil
}
