package profile_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
	"snapline/pkg/profile"
	"snapline/pkg/requirement"
)

func TestBuiltin(t *testing.T) {
	requirement.Claim(t, "COL-04", "COL-05", "COL-06")
	want := contract.Bounds{
		MaxRecordsPerSource: 200, MaxSourceBytes: 16777216, MaxRecordBytes: 65536,
		MaxLogBytes: 1048576, MaxMetadataStringBytes: 1024, MaxLabels: 50,
	}
	roles := map[string]string{"observation": "triage", "mutation": "write"}
	sources := map[contract.EntityKind]string{contract.WorkItem: "comments entity", contract.ChangeProposal: "check_logs checks comments entity reviews"}
	logs := map[contract.EntityKind]contract.LogSelection{contract.WorkItem: contract.LogsNone, contract.ChangeProposal: contract.LogsFailed}
	n := 0
	for name, role := range roles {
		for kind, list := range sources {
			n++
			got, err := profile.Builtin(name, kind)
			if err != nil || got.HumanMinRole != role || strings.Join(got.IncludedSources, " ") != list || got.CheckLogSelection != logs[kind] ||
				got.RecordSelection != contract.Newest || got.Bounds != want || got.EntityKind != kind {
				t.Errorf("%s of %s: %+v, %v", name, kind, got, err)
			}
		}
	}
	files, err := os.ReadDir("builtin")
	if err != nil || len(files) != n {
		t.Errorf("%d files for %d profiles, %v", len(files), n, err)
	}
	if _, err := profile.Builtin("other", contract.WorkItem); fault.ExitOf(err) != fault.Usage {
		t.Errorf("an unknown name: %v", err)
	}
}

// edit changes the built-in change_proposal profile.
func edit(t *testing.T, change func(m map[string]any)) []byte {
	t.Helper()
	text, err := profile.Text("observation", contract.ChangeProposal)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func bound(name string, v any) func(map[string]any) {
	return func(m map[string]any) { m["bounds"].(map[string]any)[name] = v }
}

func set(name string, v any) func(map[string]any) { return func(m map[string]any) { m[name] = v } }

func TestParse(t *testing.T) {
	requirement.Claim(t, "ABT-01", "COL-06", "COL-04")
	for name, c := range map[string]struct {
		change func(map[string]any)
		rule   string // "" when the profile is good
	}{
		"as it is":           {func(map[string]any) {}, ""},
		"all with runs":      {set("included_sources", []string{"agent_runs", "check_logs", "checks", "comments", "entity", "reviews"}), ""},
		"entity alone":       {func(m map[string]any) { m["included_sources"], m["check_log_selection"] = []string{"entity"}, "none" }, ""},
		"all logs":           {set("check_log_selection", "all"), ""},
		"oldest":             {set("record_selection", "oldest"), ""},
		"no labels":          {bound("max_labels", 0), ""},
		"64 MiB":             {bound("max_source_bytes", 64<<20), ""},
		"source as strings":  {bound("max_source_bytes", 1024), ""},
		"over 64 MiB":        {bound("max_source_bytes", 64<<20+1), "profile.bound"},
		"source below":       {bound("max_source_bytes", 1023), "profile.bound"},
		"negative labels":    {bound("max_labels", -1), "profile.bound"},
		"no records":         {bound("max_records_per_source", 0), "profile.bound"},
		"no record bytes":    {bound("max_record_bytes", 0), "profile.bound"},
		"no log bytes":       {bound("max_log_bytes", 0), "profile.bound"},
		"too many records":   {bound("max_records_per_source", int64(1)<<53), "profile.bound"},
		"a fraction":         {bound("max_labels", 1.5), "profile.member"},
		"a string":           {bound("max_labels", "1"), "profile.member"},
		"bound missing":      {func(m map[string]any) { delete(m["bounds"].(map[string]any), "max_labels") }, "profile.member"},
		"bound unknown":      {bound("max_more", 1), "profile.unknown-member"},
		"member unknown":     {set("more", 1), "profile.unknown-member"},
		"member in capitals": {set("Entity_kind", "change_proposal"), "profile.unknown-member"},
		"admission unknown":  {set("admission", map[string]any{"human_min_role": "write", "bots": true}), "profile.unknown-member"},
		"admission null":     {set("admission", nil), "profile.member"},
		"role":               {set("admission", map[string]any{"human_min_role": "admin"}), "profile.role"},
		"kind":               {set("entity_kind", "epic"), "profile.kind"},
		"other kind": {func(m map[string]any) {
			m["entity_kind"], m["included_sources"], m["check_log_selection"] = "work_item", []string{"entity"}, "none"
		}, "profile.kind"},
		"selection":         {set("record_selection", "middle"), "profile.selection"},
		"no entity":         {set("included_sources", []string{"check_logs", "checks"}), "profile.source"},
		"unknown source":    {set("included_sources", []string{"actors", "entity"}), "profile.source"},
		"twice":             {set("included_sources", []string{"check_logs", "checks", "entity", "entity"}), "profile.source-order"},
		"unsorted":          {set("included_sources", []string{"entity", "comments"}), "profile.source-order"},
		"logs alone":        {set("included_sources", []string{"check_logs", "entity"}), "profile.log-selection"},
		"logs but none":     {set("check_log_selection", "none"), "profile.log-selection"},
		"selection no logs": {set("included_sources", []string{"checks", "entity"}), "profile.log-selection"},
		"log selection":     {set("check_log_selection", "some"), "profile.log-selection"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := profile.Parse(edit(t, c.change), contract.ChangeProposal)
			var f *fault.Error
			if c.rule == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			f, _ = err.(*fault.Error)
			if f == nil || f.Rule != c.rule || f.Exit != fault.Usage {
				t.Errorf("err %v, want %s", err, c.rule)
			}
		})
	}
	for _, source := range []string{"reviews", "checks"} { // ABT-01
		text := edit(t, func(m map[string]any) {
			m["entity_kind"], m["check_log_selection"] = "work_item", "none"
			m["included_sources"] = []string{"entity", "reviews"}
			if source == "checks" {
				m["included_sources"] = []string{"checks", "entity"}
			}
		})
		if _, err := profile.Parse(text, contract.WorkItem); fault.ExitOf(err) != fault.Usage {
			t.Errorf("work_item with %s: %v", source, err)
		}
	}
	for name, text := range map[string]string{"nothing": "", "array": "[]", "twice": `{"bounds":1,"bounds":2}`, "trailing": `{} {}`} {
		if _, err := profile.Parse([]byte(text), contract.WorkItem); fault.ExitOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, _ := profile.Text("observation", contract.ChangeProposal)
	f.Add(text)
	f.Add([]byte(`{"bounds":{"max_labels":1e3}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := profile.Parse(data, contract.ChangeProposal)
		if err != nil {
			if fault.ExitOf(err) != fault.Usage {
				t.Fatalf("exit of %v", err)
			}
			return
		}
		if !c.Includes(contract.ScopeEntity) || c.Bounds.MaxSourceBytes > contract.MaxSourceBytes || c.Bounds.MaxRecordBytes < 1 {
			t.Fatalf("accepted %+v", c)
		}
	})
}
