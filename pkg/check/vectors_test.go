package check

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/safety"
)

// vector is one consistent damage and the rule that names it.
type vector struct {
	rule   Rule
	path   string
	claims []string
	damage func(t testing.TB, s *specimen)
}

const (
	index   = tree.IndexPath
	reviews = tree.ReviewsPath
)

// vectors hold one damage for each rule on documents and texts, each with its digests
// repaired up to a root that the verifier is told to trust.
var vectors = []vector{
	{RuleSchemaVersion, index, []string{"CMP-01", "MAN-01"}, onIndex(func(d map[string]any) { d["schema_version"] = 2 })},
	{RuleFilterVersion, index, []string{"CMP-01", "FLT-09", "AMB-75", "AMB-94"}, onIndex(func(d map[string]any) { d["filter_version"] = safety.Version + "x" })},
	{RuleNotJSON, reviews, []string{"CAN-01"}, replace(reviews, "{", "{{")},
	{RuleNotCanonical, reviews, []string{"CAN-01"}, replace(reviews, "{", "{ ")},
	{RuleSchema, tree.EntityPath, []string{"CMP-02", "CMP-04", "MAN-06"}, onDocument(tree.EntityPath, func(d map[string]any) { d["url"] = "x" })},
	{RuleSchema, tree.EntityPath, []string{"MAP-26"}, onDocument(tree.EntityPath, func(d map[string]any) { d["state"] = "locked" })},
	{RuleSchema, tree.EntityPath, []string{"CAN-02"}, onDocument(tree.EntityPath, func(d map[string]any) { d["created_at"] = "2026-02-30T09:00:00.000000000Z" })},
	{RuleSchema, tree.EntityPath, []string{"CAN-05"}, onDocument(tree.EntityPath, func(d map[string]any) { delete(d, "author") })},
	{RuleSchema, index, []string{"CAN-05", "MAN-08"}, onIndex(func(d map[string]any) { put(d, nil, "records", 0, "updated_at") })},
	{RuleSchema, index, []string{"MAN-05"}, onIndex(func(d map[string]any) { put(d, "text/plain; charset=utf-8", "files", 0, "media_type") })},
	{RuleSchema, index, []string{"MAN-04"}, onIndex(func(d map[string]any) {
		put(d, "thread_state", "files", find(d, "files", "role", "collection"), "role")
	})},
	{RuleSchema, index, []string{"FLT-06"}, onIndex(func(d map[string]any) {
		delete(dig(d, "files", find(d, "files", "role", "actor_state")).(map[string]any), "filter")
	})},
	{RuleSchema, index, []string{"GAP-02"}, onIndex(func(d map[string]any) { put(d, "partial", "gaps", 0, "usability") })},
	{RuleSchema, index, []string{"GAP-01"}, onIndex(func(d map[string]any) { put(d, 0, "gaps", 0, "count") })},
	{RuleSchema, index, []string{"CHK-08"}, onIndex(func(d map[string]any) {
		put(d, nil, "records", find(d, "records", "kind", "check"), "author_id")
	})},
	{RuleSchema, index, []string{"KEY-04", "KEY-05"}, onIndex(func(d map[string]any) { put(d, "thread", "records", 1, "kind") })},
	{RuleSchema, index, []string{"MAN-09", "MAN-10"}, onIndex(func(d map[string]any) {
		delete(dig(d, "records", find(d, "records", "kind", "comment")).(map[string]any), "content_path")
	})},
	{RuleSchema, tree.ActorsPath, []string{"ACT-03", "ACT-04"}, onDocument(tree.ActorsPath, func(d map[string]any) {
		put(d, true, "actors", find(d, "actors", "kind", "bot"), "role_verified")
	})},
	{RuleSchema, tree.ActorsPath, []string{"ACT-05"}, onDocument(tree.ActorsPath, func(d map[string]any) {
		put(d, "bot", "actors", find(d, "actors", "kind", "human"), "role")
	})},
	{RuleSchema, tree.CollectionPath, []string{"COL-01", "COL-02"}, onDocument(tree.CollectionPath, func(d map[string]any) { put(d, "read", "admission", "human_min_role") })},
	{RuleSchema, tree.CollectionPath, []string{"COL-06"}, onDocument(tree.CollectionPath, func(d map[string]any) { d["check_log_selection"] = "none" })},
	{RuleSchema, tree.CollectionPath, []string{"COL-08"}, onDocument(tree.CollectionPath, func(d map[string]any) { put(d, 0, "bounds", "max_record_bytes") })},
	{RuleSchema, reviews, []string{"REV-01", "REV-02"}, onDocument(reviews, func(d map[string]any) { delete(dig(d, "reviews", 1).(map[string]any), "dismissed_at") })},
	{RuleSchema, reviews, []string{"REV-02"}, onDocument(reviews, func(d map[string]any) { put(d, nil, "reviews", 0, "dismissed_at") })},
	{RuleSchema, reviews, []string{"THR-05", "THR-09"}, onDocument(reviews, func(d map[string]any) { put(d, []any{}, "threads", 0, "record_keys") })},
	{RuleSchema, reviews, []string{"AMB-17"}, onDocument(reviews, func(d map[string]any) { delete(dig(d, "threads", 0).(map[string]any), "review_id") })},
	{RuleSchema, reviews, []string{"STR-04", "STR-05"}, onDocument(reviews, func(d map[string]any) { put(d, "src/../main.go", "threads", 0, "path") })},
	{RuleSchema, tree.ThreadStatePath, []string{"THR-02", "THR-03"}, onDocument(tree.ThreadStatePath, func(d map[string]any) {
		delete(dig(d, "threads", find(d, "threads", "resolved", "")+1).(map[string]any), "outdated")
	})},
	{RuleSchema, tree.AgentRunsPath, []string{"RUN-02", "RUN-03"}, onDocument(tree.AgentRunsPath, func(d map[string]any) { put(d, strings.Repeat("A", 64), "runs", 0, "input_revision") })},
	{RuleFilesOrder, index, []string{"MAN-02"}, onIndex(func(d map[string]any) { swap(d, 1, 2, "files") })},
	{RuleFilesOrder, index, []string{"MAN-02"}, onIndex(func(d map[string]any) {
		d["files"] = slices.Insert(d["files"].([]any), 1, dig(d, "files", 0))
	})},
	{RuleFilesRole, index, []string{"MAN-04"}, onIndex(func(d map[string]any) {
		put(d, "comment_record", "files", find(d, "files", "role", "review_record"), "role")
	})},
	{RuleFilesFilter, index, []string{"AMB-30", "FLT-06"}, onIndex(func(d map[string]any) {
		put(d, map[string]any{"status": "modified", "findings": []any{}}, "files", find(d, "files", "role", "timeline_view"), "filter")
	})},
	{RuleFilesFilter, index, []string{"AMB-30"}, onIndex(func(d map[string]any) {
		put(d, map[string]any{"status": "modified", "findings": []any{map[string]any{"code": "a", "count": 1}}}, "files", find(d, "files", "role", "comment_record"), "filter")
	})},
	{RuleFilesFilter, index, []string{"FLT-06", "FLT-07"}, onIndex(func(d map[string]any) {
		put(d, map[string]any{"status": "modified", "findings": []any{map[string]any{"code": "a", "count": 1}}}, "files", find(d, "files", "role", "check_metadata"), "filter")
	})},
	{RuleFilesFilter, index, []string{"AMB-29"}, onIndex(func(d map[string]any) {
		put(d, "modified", "files", find(d, "files", "role", "reviews"), "filter", "status")
	})},
	{RuleFilesUnexpected, index, []string{"AMB-20"}, func(t testing.TB, s *specimen) {
		p := tree.ThreadPath(strings.Repeat("0", 64))
		s.files[p] = nil
		s.index(t, func(d map[string]any) {
			d["files"] = append(d["files"].([]any), map[string]any{"path": p, "role": "thread_order", "media_type": "text/plain", "bytes": 0, "sha256": ""})
			slices.SortFunc(d["files"].([]any), func(a, b any) int { return strings.Compare(dig(a, "path").(string), dig(b, "path").(string)) })
		})
	}},
	{RuleFilesAbsent, index, []string{"TREE-02"}, func(t testing.TB, s *specimen) {
		delete(s.files, tree.UnresolvedReviewPath)
		s.index(t, func(d map[string]any) {
			i := find(d, "files", "path", tree.UnresolvedReviewPath)
			d["files"] = slices.Delete(d["files"].([]any), i, i+1)
		})
	}},
	{RuleIndexEntity, index, []string{"MAN-07", "AMB-38"}, onIndex(func(d map[string]any) { put(d, moment("16:00"), "entity", "updated_at") })},
	{RuleIndexEntity, index, []string{"MAN-07"}, onIndex(func(d map[string]any) { put(d, "PR_kwDOOther", "entity", "id") })},
	{RuleKind, index, []string{"COL-04", "MAN-07"}, onIndex(func(d map[string]any) { put(d, "work_item", "entity", "kind") })},
	{RuleSource, index, []string{"SRC-02"}, onIndex(func(d map[string]any) { put(d, "-github.com", "source", "host") })},
	{RuleSchema, index, []string{"SRC-02", "SRC-03"}, onIndex(func(d map[string]any) { put(d, "github.com:443", "source", "host") })},
	{RuleSchema, index, []string{"SRC-03"}, onIndex(func(d map[string]any) { put(d, "github.com:65536", "source", "host") })},
	{RuleSchema, index, []string{"SRC-01"}, onIndex(func(d map[string]any) { put(d, "gitea", "source", "forge") })},
	{RuleSchema, index, []string{"SRC-04"}, onIndex(func(d map[string]any) { put(d, "Example/project", "source", "repository") })},
	{RuleSchema, index, []string{"SRC-06"}, onIndex(func(d map[string]any) { put(d, "example/project/", "source", "repository") })},
	{RuleID, index, []string{"ID-06"}, onIndex(func(d map[string]any) { put(d, "PR.kwDO", "entity", "id") })},
	{RuleID, reviews, []string{"ID-06"}, onDocument(reviews, func(d map[string]any) { put(d, "U.kgDO", "reviews", 1, "dismissed_by_actor_id") })},
	{RuleID, tree.AgentRunsPath, []string{"ID-06"}, onDocument(tree.AgentRunsPath, func(d map[string]any) { put(d, "a:b", "runs", 0, "id") })},
	{RuleSchema, tree.AgentRunsPath, []string{"ID-09"}, onDocument(tree.AgentRunsPath, func(d map[string]any) { put(d, "a b", "runs", 0, "id") })},
	{RuleStructuralLength, tree.AgentRunsPath, []string{"STR-06", "AMB-33"}, onDocument(tree.AgentRunsPath, func(d map[string]any) { put(d, strings.Repeat("a", 129), "runs", 0, "id") })},
	{RuleStructuralLength, index, []string{"STR-06"}, onIndex(func(d map[string]any) { put(d, strings.Repeat("a.", 64)+"a", "source", "host") })},
	{RuleStructuralLength, index, []string{"STR-06"}, onIndex(func(d map[string]any) { put(d, "example/"+strings.Repeat("a", 121), "source", "repository") })},
	{RuleStructuralUnsafe, reviews, []string{"STR-02"}, onDocument(reviews, func(d map[string]any) { put(d, "src/"+changedMark, "threads", 0, "path") })},
	{RuleStructuralUnsafe, index, []string{"STR-02"}, onIndex(func(d map[string]any) {
		put(d, "gitlab", "source", "forge")
		put(d, "1", "source", "repository_id")
		put(d, "example/"+unsafeMark, "source", "repository")
	})},
	{RuleRecordsOrder, index, []string{"MAN-12", "AMB-21"}, onIndex(func(d map[string]any) { swap(d, 1, 2, "records") })},
	{RuleRecordsOrder, index, []string{"MAN-12", "AMB-21"}, reversed(index, "records")},
	{RuleRecordsOrder, index, []string{"AMB-21"}, onIndex(func(d map[string]any) {
		rows := d["records"].([]any) // a later row before an earlier one with a greater key
		for i := 1; i < len(rows); i++ {
			if dig(rows[i-1], "created_at") != dig(rows[i], "created_at") && dig(rows[i-1], "record_key").(string) > dig(rows[i], "record_key").(string) {
				swap(d, i-1, i, "records")
				return
			}
		}
	})},
	{RuleRecordsOrder, index, []string{"MAN-12"}, onIndex(func(d map[string]any) {
		again := maps.Clone(dig(d, "records", find(d, "records", "kind", "comment")).(map[string]any))
		again["created_at"] = moment("23:59")
		d["records"] = append(d["records"].([]any), again)
	})},
	{RuleRecordKey, index, []string{"KEY-01", "KEY-02"}, onIndex(func(d map[string]any) { put(d, "2345", "source", "repository_id") })},
	{RuleRecordPath, index, []string{"REC-08"}, onIndex(func(d map[string]any) {
		i := find(d, "records", "kind", "comment")
		put(d, strings.Replace(dig(d, "records", i, "content_path").(string), "T1000", "T1001", 1), "records", i, "content_path")
	})},
	{RuleRecordPath, index, []string{"REC-09"}, onIndex(func(d map[string]any) {
		i := find(d, "records", "kind", "entity")
		put(d, strings.Replace(dig(d, "records", i, "content_path").(string), "00000000T000000", "20260908T090000", 1), "records", i, "content_path")
	})},
	{RuleRecordEntity, index, []string{"REC-05"}, onIndex(func(d map[string]any) {
		put(d, moment("09:01"), "records", find(d, "records", "kind", "entity"), "created_at")
	})},
	{RuleRecordSource, index, []string{"TREE-03", "COL-05"}, onDocument(tree.CollectionPath, func(d map[string]any) {
		d["included_sources"] = []any{"agent_runs", "check_logs", "checks", "entity", "reviews"}
	})},
	{RuleRecordSource, tree.AgentRunsPath, []string{"COL-05"}, onDocument(tree.CollectionPath, func(d map[string]any) {
		d["included_sources"] = []any{"check_logs", "checks", "comments", "entity", "reviews"}
	})},
	{RuleRecordSource, index, []string{"COL-06"}, onDocument(tree.CollectionPath, func(d map[string]any) {
		d["included_sources"] = []any{"agent_runs", "checks", "comments", "entity", "reviews"}
		d["check_log_selection"] = "none"
	})},
	{RuleRecordCount, tree.AgentRunsPath, []string{"COL-08"}, onDocument(tree.CollectionPath, func(d map[string]any) { put(d, 1, "bounds", "max_records_per_source") })},
	{RuleRecordCount, index, []string{"COL-08", "AMB-02"}, onDocument(tree.CollectionPath, func(d map[string]any) { put(d, 4, "bounds", "max_records_per_source") })},
	{RuleLogPath, index, []string{"MAN-11", "AMB-68"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) { d["conclusion"] = "cancelled" })
	}},
	{RuleLogPath, index, []string{"COL-06", "AMB-68"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) {
			d["never_started"] = true
			delete(d, "started_at")
		})
	}},
	{RuleGapsOrder, index, []string{"GAP-04", "AMB-44"}, onIndex(func(d map[string]any) { swap(d, 0, 1, "gaps") })},
	{RuleGapsOrder, index, []string{"GAP-03"}, onIndex(func(d map[string]any) { d["gaps"] = append(d["gaps"].([]any), dig(d, "gaps", 3)) })},
	{RuleGapScope, index, []string{"GAP-06"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CollectionPath, func(d map[string]any) {
			d["included_sources"] = []any{"agent_runs", "checks", "comments", "entity", "reviews"}
			d["check_log_selection"] = "none"
		})
	}},
	{RuleFilterStatus, index, []string{"GAP-08"}, onIndex(gap("entity", "profile_bound", 1))},
	{RuleGapLog, index, []string{"AMB-12", "AMB-43"}, onIndex(func(d map[string]any) { d["gaps"] = d["gaps"].([]any)[1:] })},
	{RuleGapUnsafe, index, []string{"GAP-09", "AMB-04"}, onIndex(func(d map[string]any) {
		d["gaps"] = slices.DeleteFunc(d["gaps"].([]any), func(g any) bool { return dig(g, "scope") == "comments" && dig(g, "code") == "unsafe_content" })
	})},
	{RuleGapLog, index, []string{"GAP-05", "AMB-12"}, onIndex(func(d map[string]any) { d["gaps"] = d["gaps"].([]any)[1:] })},
	{RuleFilterStatus, tree.EntityPath, []string{"FLT-02"}, modifiedFile("entity_metadata")},
	{RuleFilterStatus, tree.AgentRunsPath, []string{"FLT-02"}, modifiedFile("agent_runs")},
	{RuleFindingsOrder, index, []string{"FLT-05", "AMB-44"}, onIndex(func(d map[string]any) {
		put(d, []any{map[string]any{"code": "b", "count": 1}, map[string]any{"code": "a", "count": 1}}, "records", find(d, "records", "kind", "review")+1, "filter", "findings")
		put(d, "modified", "records", find(d, "records", "kind", "review")+1, "filter", "status")
	})},
	{RuleFilterStatus, index, []string{"FLT-01"}, onIndex(func(d map[string]any) {
		put(d, []any{map[string]any{"code": "a", "count": 1}}, "records", find(d, "records", "kind", "entity"), "filter", "findings")
	})},
	{RuleFilterStatus, index, []string{"FLT-02"}, onIndex(func(d map[string]any) {
		put(d, "modified", "records", find(d, "records", "kind", "entity"), "filter", "status")
	})},
	{RuleFilterStatus, tree.AgentRunsPath, []string{"AMB-31"}, func(t testing.TB, s *specimen) { // of no text
		s.edit(t, tree.AgentRunsPath, func(d map[string]any) { d["runs"] = []any{} })
		s.index(t, func(d map[string]any) {
			filter := map[string]any{"status": "modified", "findings": []any{map[string]any{"code": "a", "count": 1}}}
			put(d, filter, "files", find(d, "files", "role", "agent_runs"), "filter")
		})
	}},
	{RuleFilterStatus, "c2", []string{"AMB-08"}, func(t testing.TB, s *specimen) { // of an empty body
		s.index(t, func(d map[string]any) {
			put(d, "truncated", "records", find(d, "records", "record_key", s.keys["c2"]), "filter", "status")
		})
	}},
	{RuleFilterStatus, "k1 log", []string{"AMB-08"}, func(t testing.TB, s *specimen) {
		s.files[tree.LogPath(s.keys["k1"])] = nil
		s.index(t, func(d map[string]any) {
			put(d, "truncated", "files", find(d, "files", "role", "check_log"), "filter", "status")
		})
	}},
	{RuleFilterStatus, "k1 log", []string{"FLT-02"}, onIndex(func(d map[string]any) {
		put(d, "modified", "files", find(d, "files", "role", "check_log"), "filter", "status")
	})},
	{RuleFilterSummary, index, []string{"AMB-28", "FLT-08"}, onIndex(func(d map[string]any) { put(d, "modified", "filter", "status") })},
	{RuleSources, tree.CollectionPath, []string{"COL-03"}, reversed(tree.CollectionPath, "included_sources")},
	{RuleKind, tree.CollectionPath, []string{"COL-04"}, onDocument(tree.CollectionPath, func(d map[string]any) {
		d["entity_kind"] = "work_item"
		d["included_sources"] = []any{"comments", "entity"}
		d["check_log_selection"] = "none"
	})},
	{RuleLabels, tree.EntityPath, []string{"DSP-08"}, reversed(tree.EntityPath, "labels")},
	{RuleLabels, tree.EntityPath, []string{"COL-08"}, onDocument(tree.CollectionPath, func(d map[string]any) { put(d, 2, "bounds", "max_labels") })},
	{RuleDisplayLength, tree.EntityPath, []string{"BND-04"}, onDocument(tree.EntityPath, func(d map[string]any) { d["title"] = strings.Repeat("a", 129) })},
	{RuleDisplayUnsafe, tree.EntityPath, []string{"DSP-02"}, onDocument(tree.EntityPath, func(d map[string]any) { d["title"] = unsafeMark })},
	{RuleDisplayUnsafe, tree.EntityPath, []string{"DSP-02"}, onDocument(tree.EntityPath, func(d map[string]any) { put(d, changedMark, "labels", 0) })},
	{RuleReviewsOrder, reviews, []string{"REV-03"}, reversed(reviews, "reviews")},
	{RuleReviewRecord, reviews, []string{"REV-04", "MAP-16"}, onDocument(reviews, func(d map[string]any) { put(d, moment("10:59"), "reviews", 0, "submitted_at") })},
	{RuleReviewRecord, index, []string{"AMB-20"}, onDocument(reviews, func(d map[string]any) { d["reviews"] = d["reviews"].([]any)[:1] })},
	{RuleThreadsOrder, reviews, []string{"THR-06"}, reversed(reviews, "threads")},
	{RuleThreadKey, reviews, []string{"KEY-01", "THR-05"}, onDocument(reviews, func(d map[string]any) { put(d, dig(d, "threads", 1, "order_path"), "threads", 0, "order_path") })},
	{RuleThreadKey, reviews, []string{"KEY-01"}, onDocument(reviews, func(d map[string]any) { put(d, "PRRT_other", "threads", 0, "id") })},
	{RuleThreadSource, reviews, []string{"AMB-24"}, onDocument(tree.CollectionPath, func(d map[string]any) {
		d["included_sources"] = []any{"agent_runs", "check_logs", "checks", "comments", "entity"}
	})},
	{RuleThreadRecord, reviews, []string{"THR-08"}, func(t testing.TB, s *specimen) {
		s.edit(t, reviews, func(d map[string]any) { put(d, s.keys["c5"], "threads", 2, "record_keys", 0) })
	}},
	{RuleThreadRecord, reviews, []string{"AMB-23", "AMB-24"}, func(t testing.TB, s *specimen) {
		s.edit(t, reviews, func(d map[string]any) { put(d, s.keys["r1"], "threads", 2, "record_keys", 0) })
	}},
	{RuleThreadReply, reviews, []string{"THR-08", "AMB-55"}, func(t testing.TB, s *specimen) {
		s.edit(t, reviews, func(d map[string]any) { put(d, s.keys["c2"], "threads", 0, "replies", 0, "parent_record_key") })
	}},
	{RuleThreadReply, reviews, []string{"THR-07"}, onDocument(reviews, func(d map[string]any) {
		put(d, append(dig(d, "threads", 0, "replies").([]any), dig(d, "threads", 0, "replies", 0)), "threads", 0, "replies")
	})},
	{RuleThreadReview, reviews, []string{"AMB-17"}, func(t testing.TB, s *specimen) {
		s.edit(t, reviews, func(d map[string]any) { put(d, s.keys["r2"], "threads", 0, "review_record_key") })
	}},
	{RuleStateOrder, tree.ThreadStatePath, []string{"THR-06"}, reversed(tree.ThreadStatePath, "threads")},
	{RuleStateSet, reviews, []string{"THR-01", "THR-04", "AMB-53"}, onDocument(tree.ThreadStatePath, func(d map[string]any) { d["threads"] = d["threads"].([]any)[1:] })},
	{RuleStateSet, tree.ThreadStatePath, []string{"THR-01"}, onDocument(tree.ThreadStatePath, func(d map[string]any) { put(d, "PRRT_other", "threads", 0, "id") })},
	{RuleActorsOrder, tree.ActorsPath, []string{"ACT-09"}, reversed(tree.ActorsPath, "actors")},
	{RuleActorsOrder, tree.ActorsPath, []string{"ACT-01", "ACT-06"}, onDocument(tree.ActorsPath, func(d map[string]any) { d["actors"] = append(d["actors"].([]any), dig(d, "actors", 3)) })},
	{RuleActorMissing, index, []string{"ACT-01", "ACT-06", "AMB-15"}, onDocument(tree.ActorsPath, func(d map[string]any) {
		i := find(d, "actors", "id", "U_kgDOAlice")
		d["actors"] = slices.Delete(d["actors"].([]any), i, i+1)
	})},
	{RuleActorMissing, reviews, []string{"ACT-01"}, onDocument(tree.ActorsPath, func(d map[string]any) {
		i := find(d, "actors", "id", "U_kgDOVisitor") // dismissed a review and wrote nothing
		d["actors"] = slices.Delete(d["actors"].([]any), i, i+1)
	})},
	{RuleActorMissing, tree.ThreadStatePath, []string{"ACT-01"}, onDocument(tree.ThreadStatePath, func(d map[string]any) {
		put(d, "U_kgDOStranger", "threads", slices.IndexFunc(d["threads"].([]any), func(v any) bool { return dig(v, "resolved") == true }), "resolved_by_actor_id")
	})},
	{RuleActorExtra, tree.ActorsPath, []string{"AMB-15"}, onDocument(tree.ActorsPath, func(d map[string]any) {
		d["actors"] = append(d["actors"].([]any), map[string]any{"id": "U_kgDOZoe", "kind": "human", "login": nil, "role": nil, "role_verified": false})
	})},
	{RuleActorLogin, index, []string{"ACT-10"}, onDocument(tree.ActorsPath, func(d map[string]any) { put(d, "alicia", "actors", find(d, "actors", "login", "alice"), "login") })},
	{RuleActorLogin, index, []string{"ACT-10"}, onIndex(func(d map[string]any) {
		i := slices.IndexFunc(d["records"].([]any), func(r any) bool { return dig(r, "kind") == "comment" && dig(r, "author_id") == nil })
		put(d, "someone", "records", i, "author")
	})},
	{RuleActorAdmitted, index, []string{"ADM-04", "ADM-05"}, onDocument(tree.ActorsPath, func(d map[string]any) { put(d, "triage", "actors", find(d, "actors", "login", "alice"), "role") })},
	{RuleRunsOrder, tree.AgentRunsPath, []string{"RUN-04"}, reversed(tree.AgentRunsPath, "runs")},
	{RuleRunResult, tree.AgentRunsPath, []string{"AMB-19"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.AgentRunsPath, func(d map[string]any) { put(d, []any{s.keys["c5"]}, "runs", 0, "result_record_keys") })
	}},
	{RuleRunResult, tree.AgentRunsPath, []string{"RUN-05"}, func(t testing.TB, s *specimen) {
		keys := []string{s.keys["c1"], s.keys["c2"]}
		slices.Sort(keys)
		s.edit(t, tree.AgentRunsPath, func(d map[string]any) { put(d, []any{keys[1], keys[0]}, "runs", 0, "result_record_keys") })
	}},
	{RuleCheckRow, "k1", []string{"CHK-06", "CHK-09"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) { d["created_at"] = moment("12:58") })
	}},
	{RuleSchema, "k2", []string{"CHK-10", "CHK-11"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k2"]), func(d map[string]any) { d["started_at"] = moment("13:00") })
	}},
	{RuleSchema, "k4", []string{"CHK-12"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k4"]), func(d map[string]any) { delete(d, "started_at") })
	}},
	{RuleSchema, "k1", []string{"CHK-13"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) { delete(d, "never_started") })
	}},
	{RuleSchema, "k3", []string{"CHK-14"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k3"]), func(d map[string]any) { d["conclusion"] = "success" })
	}},
	{RuleSchema, "k1", []string{"CHK-15"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) { delete(d, "started_at") })
	}},
	{RuleSchema, "k1", []string{"CAN-03"}, func(t testing.TB, s *specimen) {
		s.edit(t, tree.CheckPath(s.keys["k1"]), func(d map[string]any) { d["head_sha"] = strings.ToUpper(head) })
	}},
	{RuleHeader, "c1", []string{"REC-01", "REC-04"}, func(t testing.TB, s *specimen) {
		replace(s.path("c1"), "10:00:00", "10:00:01")(t, s)
	}},
	{RuleHeader, "c1", []string{"REC-03"}, func(t testing.TB, s *specimen) { replace(s.path("c1"), `"comment"`, `"review"`)(t, s) }},
	{RuleHeader, "c1", []string{"REC-02"}, func(t testing.TB, s *specimen) { replace(s.path("c1"), `Source-ID: `, `Source-ID:  `)(t, s) }},
	{RuleHeader, "c4", []string{"REC-02"}, func(t testing.TB, s *specimen) { replace(s.path("c4"), "Author-ID: null", `Author-ID: "null"`)(t, s) }},
	{RuleHeader, "c1", []string{"REC-07"}, func(t testing.TB, s *specimen) { replace(s.path("c1"), "\n\n", "\nUpdated-At: null\n\n")(t, s) }},
	{RuleTextForm, "c1", []string{"REC-06", "CAN-07"}, body("c1", "no line feed")},
	{RuleTextForm, "c1", []string{"REC-06", "CAN-07"}, body("c1", "two line feeds\n\n")},
	{RuleTextForm, "c1", []string{"CAN-06"}, body("c1", "carriage\r\nreturn\n")},
	{RuleTextForm, "c1", []string{"CAN-06"}, body("c1", "\ufeffmark\n")},
	{RuleTextForm, "c1", []string{"CAN-06", "AMB-05"}, body("c1", "\xff\n")},
	{RuleTextForm, "k1 log", []string{"CAN-06", "CAN-07"}, func(t testing.TB, s *specimen) { s.files[tree.LogPath(s.keys["k1"])] = []byte("x") }},
	{RuleTextLength, "c1", []string{"BND-02"}, body("c1", strings.Repeat("a", 64)+"\n")},
	{RuleTextLength, "k1 log", []string{"BND-02"}, func(t testing.TB, s *specimen) {
		s.files[tree.LogPath(s.keys["k1"])] = []byte(strings.Repeat("a", 4096) + "\n")
	}},
	{RuleTextUnsafe, "c1", []string{"BND-01", "FLT-01"}, body("c1", changedMark+"\n")},
	{RuleTextUnsafe, "k1 log", []string{"BND-01"}, func(t testing.TB, s *specimen) {
		s.files[tree.LogPath(s.keys["k1"])] = []byte(unsafeMark + "\n")
	}},
	{RuleTextRescan, "c6", []string{"INJ-04"}, body("c6", unsafeMark+"\n")},
	{RuleTextRescan, "c6", []string{"INJ-04"}, body("c6", "\u200b\n")},
	{RuleOrderForm, tree.TimelinePath, []string{"ORD-01"}, func(t testing.TB, s *specimen) {
		s.files[tree.TimelinePath] = append([]byte("# timeline\n"), s.files[tree.TimelinePath]...)
	}},
	{RuleOrderForm, tree.TimelinePath, []string{"ORD-01"}, func(t testing.TB, s *specimen) {
		s.files[tree.TimelinePath] = bytes.TrimSuffix(s.files[tree.TimelinePath], []byte("\n"))
	}},
	{RuleOrderForm, tree.TimelinePath, []string{"ORD-03"}, func(t testing.TB, s *specimen) {
		s.files[tree.TimelinePath] = append(slices.Clone(s.files[tree.TimelinePath]), s.path("c1")+"\n"...)
	}},
	{RuleOrderForm, tree.TimelinePath, []string{"ORD-02", "ORD-08"}, func(t testing.TB, s *specimen) {
		s.files[tree.TimelinePath] = append(slices.Clone(s.files[tree.TimelinePath]), "records/$(id).md\n"...)
	}},
	{RuleOrderLines, tree.TimelinePath, []string{"ORD-04"}, func(t testing.TB, s *specimen) {
		lines := bytes.SplitAfter(s.files[tree.TimelinePath], []byte("\n"))
		lines[0], lines[1] = lines[1], lines[0]
		s.files[tree.TimelinePath] = bytes.Join(lines, nil)
	}},
	{RuleOrderLines, tree.TimelinePath, []string{"AMB-57"}, func(t testing.TB, s *specimen) { s.files[tree.TimelinePath] = nil }},
	{RuleOrderLines, tree.UnresolvedReviewPath, []string{"ORD-06"}, func(t testing.TB, s *specimen) { s.files[tree.UnresolvedReviewPath] = nil }},
	{RuleOrderLines, tree.UnresolvedReviewPath, []string{"ORD-06"}, func(t testing.TB, s *specimen) {
		s.files[tree.UnresolvedReviewPath] = []byte(s.path("c2") + "\n" + s.path("c4") + "\n")
	}},
	{RuleOrderLines, tree.UnresolvedReviewPath, []string{"ORD-06"}, func(t testing.TB, s *specimen) { // c6 is outdated
		s.files[tree.UnresolvedReviewPath] = []byte(s.path("c4") + "\n" + s.path("c2") + "\n" + s.path("c6") + "\n")
	}},
	{RuleOrderLines, "thread", []string{"ORD-05", "THR-07"}, func(t testing.TB, s *specimen) {
		s.files[threadOf(s)] = []byte(s.path("c3") + "\n" + s.path("c1") + "\n")
	}},
	{RuleOrderLines, "review", []string{"ORD-07"}, func(t testing.TB, s *specimen) {
		s.files[tree.ReviewViewPath(s.keys["r1"])] = []byte(s.path("c1") + "\n" + s.path("r1") + "\n")
	}},
	{RuleOrderLines, "review", []string{"ORD-07", "AMB-18"}, func(t testing.TB, s *specimen) {
		s.files[tree.ReviewViewPath(s.keys["r1"])] = []byte(s.path("r1") + "\n" + s.path("c4") + "\n" + s.path("c2") + "\n" + s.path("c1") + "\n" + s.path("c3") + "\n")
	}},
}

// gap adds a row to the gaps, where it belongs.
func gap(scope, code string, count int) func(map[string]any) {
	return func(d map[string]any) {
		row := map[string]any{"scope": scope, "code": code, "usability": contract.GapCode(code).Usability(), "count": count}
		gaps := append(d["gaps"].([]any), row)
		slices.SortFunc(gaps, func(a, b any) int {
			return strings.Compare(dig(a, "scope").(string)+" "+dig(a, "code").(string), dig(b, "scope").(string)+" "+dig(b, "code").(string))
		})
		d["gaps"] = gaps
	}
}

func threadOf(s *specimen) string {
	return tree.ThreadPath(tree.Key(contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample"}, contract.KindThread, "PRRT_kwDO1"))
}

// place turns the short name of a vector into a path.
func (s *specimen) place(name string) string {
	key, isLog := strings.CutSuffix(name, " log")
	switch {
	case isLog:
		return tree.LogPath(s.keys[key])
	case name == "thread":
		return threadOf(s)
	case name == "review":
		return tree.ReviewViewPath(s.keys["r1"])
	case strings.HasPrefix(name, "k") && s.keys[name] != "":
		return tree.CheckPath(s.keys[name])
	case s.keys[name] != "":
		return s.path(name)
	}
	return name
}
