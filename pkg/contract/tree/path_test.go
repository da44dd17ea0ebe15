package tree

import (
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/requirement"
)

var (
	exampleKey  = strings.Repeat("0123456789abcdef", 4)
	exampleTime = "2026-09-08T10:15:30.000000000Z"
)

func TestPaths(t *testing.T) {
	requirement.Claim(t, "TREE-01", "REC-08", "REC-09")
	for got, want := range map[string]string{
		RecordPath(contract.KindEntity, exampleTime, exampleKey):  "records/00000000T000000000000000Z-" + exampleKey + ".md",
		RecordPath(contract.KindComment, exampleTime, exampleKey): "records/20260908T101530000000000Z-" + exampleKey + ".md",
		ThreadPath(exampleKey):     "threads/" + exampleKey + ".order",
		ReviewViewPath(exampleKey): "views/reviews/" + exampleKey + ".order",
		CheckPath(exampleKey):      "checks/" + exampleKey + "/metadata.json",
		LogPath(exampleKey):        "checks/" + exampleKey + "/log.txt",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if !ShellSafe(got) || !ValidFilePath(got) {
			t.Errorf("%s is not a safe path of the tree", got)
		}
	}
}

func TestRoles(t *testing.T) {
	requirement.Claim(t, "MAN-04", "MAN-05", "FLT-06", "TREE-01")
	type row struct {
		media    string
		filtered bool
		path     string
	}
	want := map[Role]row{
		"collection":             {"application/json", false, "collection.json"},
		"entity_metadata":        {"application/json", true, "entity/metadata.json"},
		"entity_record":          {"text/markdown", false, "records/00000000T000000000000000Z-" + exampleKey + ".md"},
		"comment_record":         {"text/markdown", false, "records/20260908T101530000000000Z-" + exampleKey + ".md"},
		"review_record":          {"text/markdown", false, "records/20260908T101530000000000Z-" + exampleKey + ".md"},
		"thread_order":           {"text/plain", false, "threads/" + exampleKey + ".order"},
		"timeline_view":          {"text/plain", false, "views/timeline.order"},
		"unresolved_review_view": {"text/plain", false, "views/unresolved-review.order"},
		"review_view":            {"text/plain", false, "views/reviews/" + exampleKey + ".order"},
		"reviews":                {"application/json", true, "relations/reviews.json"},
		"agent_runs":             {"application/json", true, "history/agent-runs.json"},
		"check_metadata":         {"application/json", true, "checks/" + exampleKey + "/metadata.json"},
		"check_log":              {"text/plain", true, "checks/" + exampleKey + "/log.txt"},
		"actor_state":            {"application/json", true, "state/actors.json"},
		"thread_state":           {"application/json", false, "state/threads.json"},
	}
	if len(RoleRules) != len(want) {
		t.Errorf("%d roles, want %d", len(RoleRules), len(want))
	}
	for role, w := range want {
		rule := RuleOf(role)
		if rule == nil {
			t.Errorf("no rule for %s", role)
			continue
		}
		if rule.MediaType != w.media || rule.Filtered != w.filtered || !rule.Path.MatchString(w.path) {
			t.Errorf("%s: %s, filtered %v, fits %v", role, rule.MediaType, rule.Filtered, rule.Path.MatchString(w.path))
		}
		for _, other := range want {
			fits := other.path == w.path || strings.HasPrefix(w.path, "records/2") && strings.HasPrefix(other.path, "records/")
			if rule.Path.MatchString(other.path) && !fits {
				t.Errorf("%s fits %s", role, other.path)
			}
		}
	}
	if RuleOf("index") != nil {
		t.Error("index.json has no role")
	}
}

func TestForeignPaths(t *testing.T) {
	requirement.Claim(t, "TREE-01")
	for _, p := range []string{
		"", "index.json", "./collection.json", "Collection.json", "collection.json\n", "collection_json", "entity/metadata_json", "context/collection.json",
		"records/20260908T101530000000000Z-" + exampleKey[1:] + ".md", "records/20260908T101530000000000Z-" + strings.ToUpper(exampleKey) + ".md",
		"records/20260908T10153000000000Z-" + exampleKey + ".md", "records/x/" + exampleKey + ".md", "threads/" + exampleKey + ".orders",
		"threads/" + exampleKey[1:] + ".order", "views/reviews/" + exampleKey[1:] + ".order", "checks/" + exampleKey[1:] + "/metadata.json",
		"checks/" + exampleKey, "checks/" + exampleKey + "/log.txt/x", "checks/../checks/" + exampleKey + "/log.txt", "state/actors.json~", "views/other.order",
	} {
		if ValidFilePath(p) {
			t.Errorf("%q is a path of the tree", p)
		}
	}
}

func TestDirectories(t *testing.T) {
	if got, want := Directories("checks/k/log.txt"), []string{"checks", "checks/k"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Directories("collection.json"); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestShellSafe(t *testing.T) {
	requirement.Claim(t, "ORD-08")
	for _, bad := range []string{"a b", "a$b", "a;b", "a'b", "a\nb", "a*b", "~a", "A", "a_b", "é"} {
		if ShellSafe(bad) {
			t.Errorf("%q is taken for safe", bad)
		}
	}
}
