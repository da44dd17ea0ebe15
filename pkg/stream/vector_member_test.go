package stream

import (
	"fmt"
	"strings"
	"testing"

	"snapline/pkg/contract"
)

func memberVectors() []vector {
	return []vector{
		{RuleUnknownType, "comment", 6, inLine, replaced(1, 6, `"type":"record"`, `"type":"comment"`)},
		{RuleUnknownType, "case", 6, inLine, replaced(1, 6, `"type":"record"`, `"type":"Record"`)},
		{RuleUnknownMember, "line", 2, inLine, added(1, 2, `"avatar_url":""`)},
		{RuleUnknownMember, "case", 2, inLine, replaced(1, 2, `"login"`, `"Login"`)},
		{RuleUnknownMember, "entity-login", 1, inLine, replaced(1, 1, `"author_id":`, `"author":"x","author_id":`)},
		{RuleUnknownMember, "usability", 14, inLine, added(1, 14, `"usability":"partial"`)},
		{RuleUnknownMember, "trailer", 15, inLine, func(t testing.TB) string {
			s := base(t, 1)
			return s.body() + strings.Replace(s.seal()[len(s.body()):], `"lines"`, `"records":1,"lines"`, 1)
		}},
		{RuleUnknownMember, "many", 2, inLine, fetched(func(s *stream) {
			var b strings.Builder
			for i := range 100 {
				fmt.Fprintf(&b, `"x%d":1,`, i)
			}
			s.member(2, strings.TrimSuffix(b.String(), ","))
		})},
		{RuleMissingMember, "type", 6, inLine, replaced(1, 6, `"type":"record",`, ``)},
		{RuleMissingMember, "created-at", 6, inLine, dropped(1, 6, `"created_at":"`+at1+`"`)},
		{RuleMissingMember, "author-id", 6, inLine, dropped(1, 6, `"author_id":"U_author"`)},
		{RuleMissingMember, "role-verified", 2, inLine, dropped(1, 2, `"role_verified":true`)},
		{RuleMissingMember, "outdated", 8, inLine, dropped(1, 8, `"outdated":false`)},
		{RuleMissingMember, "name-in-fetch", 9, inLine, dropped(1, 9, `"name":"queue"`)},
		{RuleMissingMember, "publisher", 12, inLine, dropped(2, 12, `"publisher_id":"U_bot"`)},
		{RuleMissingMember, "filter-of-check", 9, inLine, dropped(2, 9, unchanged)},
		{RuleMissingMember, "filter-of-record", 6, inLine, dropped(3, 6, unchanged)},
		{RuleMissingMember, "login-filter", 2, inLine, dropped(2, 2, `"login_filter":{"status":"unchanged","findings":[]}`)},
		{RuleMissingMember, "entity-filter", 1, inLine, dropped(2, 1, `"entity_filter":{"status":"unchanged","findings":[]}`)},
		{RuleMissingMember, "filter-version", 1, inLine, dropped(2, 1, `"filter_version":"example-1"`)},
		{RuleMissingMember, "credentials-registered", 1, inLine, dropped(3, 1, `"credentials_registered":0`)},
		{RuleMissingMember, "bound", 1, inLine, dropped(1, 1, `"max_labels":50`)},
		{RuleMissingMember, "stream", 1, inLine, dropped(1, 1, `"stream":"snapline/1"`)},
		{RuleMissingMember, "stages", 1, inLine, dropped(1, 1, `"stages":[{"stage":"fetch","program":"fetch","version":"1.0.0"}]`)},
		{RuleMissingMember, "input-digest", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 2).seal(), `,"input_sha256":"`+rev+`"`, "", 1)
		}},
		{RuleMissingMember, "chain", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 2).seal(), `,"chain":["`+rev+`"]`, "", 1)
		}},
		{RuleTrailerChain, "too-long", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 2).seal(), `"chain":["`, `"chain":["`+rev+`","`, 1)
		}},
		{RuleTrailerChain, "too-short", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 3).seal(), `"chain":["`+earlier(3)[0]+`",`, `"chain":[`, 1)
		}},
		{RuleTrailerChain, "another-input", 15, blurred, func(t testing.TB) string {
			return strings.Replace(base(t, 3).seal(), `,"`+rev+`"]`, `,"`+earlier(3)[0]+`"]`, 1)
		}},
		{RuleMissingMember, "strings", 2, inLine, edited(documents, 2, func(s *stream) { s.drop(2, `"strings":1`) })},
		{RuleMemberPosition, "filter-in-fetch", 6, inLine, added(1, 6, unchanged)},
		{RuleMemberPosition, "filter-version-in-fetch", 1, inLine, added(1, 1, `"filter_version":"example-1"`)},
		{RuleMemberPosition, "input-digest-in-fetch", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), `"lines":14,`, `"lines":14,"input_sha256":"`+rev+`",`, 1)
		}},
		{RuleMemberPosition, "editor-in-bound", 6, inLine, added(3, 6, `"editor_id":null`)},
		{RuleMemberPosition, "bot-role-in-bound", 3, inLine, added(3, 3, `"bot_role":"reviewer"`)},
		{RuleMemberPosition, "publisher-in-bound", 12, inLine, added(3, 12, `"publisher_id":null`)},
		{RuleMemberPosition, "rejected-as-in-bound", 9, inLine, bounded(func(s *stream) {
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected+`,"rejected_as":"unsafe_content"`)
		})},
		{RuleMemberPosition, "oversize-in-bound", 6, inLine, replaced(3, 6, commentBody, `"oversize":true`)},
		{RuleMemberPosition, "base64-in-filter", 6, inLine, replaced(2, 6, commentBody, `"body_base64":`+latin1Base64)},
		{RuleMemberPosition, "missing-in-bound", 13, inLine, replaced(3, 13, `"body":"line\n"`, `"missing":"fetch_failed"`)},
		{RuleMemberPosition, "raw-base64-in-filter", 2, inLine, edited(documents, 2, func(s *stream) {
			s.sub(2, `"raw":"{\"a\":\"b\"}\n"`, `"raw_base64":`+latin1Base64)
		})},
		{RuleMemberType, "number-for-string", 6, inLine, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":5`)},
		{RuleMemberType, "string-for-number", 14, inLine, replaced(1, 14, `"count":3`, `"count":"3"`)},
		{RuleMemberType, "null-id", 6, inLine, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":null`)},
		{RuleMemberType, "null-body", 6, inLine, replaced(1, 6, commentBody, `"body":null`)},
		{RuleMemberType, "null-optional", 5, inLine, replaced(1, 5, `"updated_at":"`+at2+`"`, `"updated_at":null`)},
		{RuleMemberType, "null-filter", 6, inLine, replaced(2, 6, unchanged, `"filter":null`)},
		{RuleMemberType, "null-conclusion", 10, inLine, replaced(1, 10, `"conclusion":"failure"`, `"conclusion":null`)},
		{RuleMemberType, "null-type", 6, inLine, replaced(1, 6, `"type":"record"`, `"type":null`)},
		{RuleMemberType, "string-for-boolean", 2, inLine, replaced(1, 2, `"role_verified":true`, `"role_verified":"true"`)},
		{RuleMemberType, "object-for-array", 8, inLine, replaced(1, 8, `"replies":[]`, `"replies":{}`)},
		{RuleMemberType, "array-for-object", 1, inLine, replaced(1, 1, `"admission":{"human_min_role":"triage"}`, `"admission":[]`)},
		{RuleMemberType, "number-in-labels", 1, inLine, replaced(1, 1, `"labels":["bug","ui"]`, `"labels":["bug",1]`)},
		{RuleURL, "plain-http", 6, inLine, replaced(1, 6, "https://", "http://")},
		{RuleURL, "query", 6, inLine, replaced(1, 6, "#issuecomment-1", "?page=2")},
		{RuleURL, "user", 6, inLine, replaced(1, 6, "https://", "https://user@")},
		{RuleURL, "default-port", 6, inLine, replaced(1, 6, "github.com/", "github.com:443/")},
		{RuleURL, "host-in-capitals", 6, inLine, replaced(1, 6, "https://github", "https://GitHub")},
		{RuleURL, "no-path", 6, inLine, replaced(1, 6, page+"#issuecomment-1", "https://github.com")},
		{RuleURL, "fragment", 6, inLine, replaced(1, 6, "#issuecomment-1", "#a=b")},
		{RuleURL, "empty-fragment", 6, inLine, replaced(1, 6, "#issuecomment-1", "#")},
		{RuleURL, "escape", 8, inLine, replaced(1, 8, "pull/7", "pull/%7")},
		{RuleURL, "not-ascii", 10, inLine, replaced(1, 10, "runs/2", "runs/\u00e9")},
		{RuleURL, "long", 6, inLine, replaced(1, 6, "#issuecomment-1", "/"+strings.Repeat("a", 2048))},
		{RuleURL, "empty", 6, inLine, replaced(1, 6, page+"#issuecomment-1", "")},
		{RuleURL, "address", 1, inLine, replaced(2, 1, "https://github.com/Example", "https://github.com/Exam ple")},
		{RuleLabel, "space", 1, inLine, replaced(1, 1, "run:12@ci", "run 12")},
		{RuleLabel, "long", 1, inLine, replaced(1, 1, "run:12@ci", strings.Repeat("a", 129))},
		{RuleLabel, "empty", 1, inLine, replaced(3, 1, `"profile_name":"observation"`, `"profile_name":""`)},
		{RuleTimestamp, "not-after", 1, inLine, replaced(1, 1, `"not_after":"`+at2, `"not_after":"2026-09-08`)},
		{RuleUnknownMember, "acquisition", 1, inLine, replaced(1, 1, `"profile_name"`, `"profile"`)},
		{RuleVocabulary, "forge", 1, inLine, replaced(1, 1, `"forge":"github"`, `"forge":"gitea"`)},
		{RuleVocabulary, "family", 1, inLine, replaced(1, 1, `"family":"entity-context-snapshot"`, `"family":"entity"`)},
		{RuleVocabulary, "replay-false", 1, inLine, added(1, 1, `"replay":false`)},
		{RuleVocabulary, "oversize-false", 6, inLine, replaced(1, 6, commentBody, `"oversize":false`)},
		{RuleVocabulary, "record-kind", 6, inLine, replaced(1, 6, `"kind":"comment"`, `"kind":"thread"`)},
		{RuleVocabulary, "actor-kind", 2, inLine, replaced(1, 2, `"kind":"human"`, `"kind":"organization"`)},
		{RuleVocabulary, "role", 2, inLine, replaced(1, 2, `"role":"write"`, `"role":"owner"`)},
		{RuleVocabulary, "review-state", 7, inLine, replaced(1, 7, `"state":"dismissed"`, `"state":"DISMISSED"`)},
		{RuleVocabulary, "entity-state", 1, inLine, replaced(1, 1, `"state":"open"`, `"state":"locked"`)},
		{RuleVocabulary, "check-status", 9, inLine, replaced(1, 9, `"status":"queued"`, `"status":"waiting"`)},
		{RuleVocabulary, "conclusion", 10, inLine, replaced(1, 10, `"conclusion":"failure"`, `"conclusion":"startup_failure"`)},
		{RuleVocabulary, "side", 8, inLine, replaced(1, 8, `"side":"right"`, `"side":"RIGHT"`)},
		{RuleVocabulary, "run-status", 12, inLine, replaced(1, 12, `"status":"success"`, `"status":"neutral"`)},
		{RuleVocabulary, "missing", 13, inLine, replaced(1, 13, `"body":"line\n"`, `"missing":"unsafe_content"`)},
		{RuleVocabulary, "gap-code", 14, inLine, replaced(1, 14, `"code":"profile_bound"`, `"code":"dropped"`)},
		{RuleVocabulary, "gap-scope", 14, inLine, replaced(1, 14, `"scope":"comments"`, `"scope":"threads"`)},
		{RuleVocabulary, "filter-status", 6, inLine, replaced(2, 6, `"status":"unchanged"`, `"status":"clean"`)},
		{RuleVocabulary, "rejected-as", 9, inLine, filtered(func(s *stream) {
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected+`,"rejected_as":"profile_bound"`)
		})},
		{RuleVocabulary, "human-min-role", 1, inLine, replaced(1, 1, `"human_min_role":"triage"`, `"human_min_role":"read"`)},
		{RuleVocabulary, "source", 1, inLine, replaced(1, 1, `"reviews"]`, `"threads"]`)},
		{RuleVocabulary, "abort-stage", 2, inLine, aborted(`"stage":"emit","exit":4,"cause":"environment"`)},
		{RuleVocabulary, "abort-cause", 2, inLine, aborted(`"stage":"fetch","exit":4,"cause":"network"`)},
		{RuleRange, "count-zero", 14, inLine, replaced(1, 14, `"count":3`, `"count":0`)},
		{RuleRange, "count-negative", 14, inLine, replaced(1, 14, `"count":3`, `"count":-1`)},
		{RuleRange, "line-zero", 8, inLine, replaced(1, 8, `"line":3`, `"line":0`)},
		{RuleRange, "number-zero", 1, inLine, replaced(1, 1, `"number":7`, `"number":0`)},
		{RuleRange, "max-source-bytes", 1, inLine, replaced(1, 1, `"max_source_bytes":16777216`, `"max_source_bytes":67108865`)},
		{RuleRange, "max-labels", 1, inLine, replaced(1, 1, `"max_labels":50`, `"max_labels":-1`)},
		{RuleRange, "max-document-bytes", 1, inLine, edited(documents, 1, func(s *stream) { s.sub(1, `"max_document_bytes":1048576`, `"max_document_bytes":67108865`) })},
		{RuleRange, "abort-exit-zero", 2, inLine, aborted(`"stage":"fetch","exit":0,"cause":"environment"`)},
		{RuleRange, "abort-exit-141", 2, inLine, aborted(`"stage":"fetch","exit":141,"cause":"environment"`)},
		{RuleRange, "finding-count", 6, inLine, replaced(2, 6, unchanged, `"filter":{"status":"modified","findings":[{"code":"a","count":0}]}`)},
		{RuleEmptyString, "program", 1, inLine, replaced(1, 1, `"program":"fetch"`, `"program":""`)},
		{RuleEmptyString, "title-after-filter", 1, inLine, replaced(2, 1, `"A title"`, `""`)},
		{RuleEmptyString, "label-after-filter", 1, inLine, replaced(2, 1, `["bug","ui"]`, `["","ui"]`)},
		{RuleEmptyString, "login-after-filter", 2, inLine, replaced(2, 2, `"login":"author"`, `"login":""`)},
		{RuleEmptyString, "name-after-filter", 9, inLine, replaced(2, 9, `"name":"queue"`, `"name":""`)},
		{RuleEmptyString, "path", 8, inLine, replaced(1, 8, `"path":"cmd/main.go"`, `"path":""`)},
		{RuleEmptyString, "bot-role", 3, inLine, replaced(1, 3, `"bot_role":"reviewer"`, `"bot_role":""`)},
		{RuleEmptyString, "filter-version", 1, inLine, replaced(2, 1, `"filter_version":"example-1"`, `"filter_version":""`)},
		{RuleEmptyString, "document-name", 2, inLine, edited(documents, 1, func(s *stream) { s.sub(2, `"one.json"`, `""`) })},
		{RuleIdentifier, "slash", 6, inLine, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":"IC/kwDOExample"`)},
		{RuleIdentifier, "empty", 6, inLine, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":""`)},
		{RuleIdentifier, "author", 6, inLine, replaced(1, 6, `"author_id":"U_author"`, `"author_id":"-1"`)},
		{RuleIdentifier, "trailing-newline", 2, inLine, replaced(1, 2, `"id":"U_author"`, `"id":"U_author\n"`)},
		{RuleDigest, "upper-case", 6, inLine, replaced(1, 6, commentKey, strings.ToUpper(commentKey))},
		{RuleDigest, "short", 12, inLine, replaced(1, 12, rev, rev[1:])},
		{RuleDigest, "in-record-keys", 8, inLine, replaced(1, 8, `"record_keys":["`, `"record_keys":["0`)},
		{RuleDigest, "trailer", 15, inLine, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), `,"sha256":"`, `,"sha256":"0`, 1)
		}},
		{RuleGitOID, "short", 9, inLine, replaced(1, 9, `"head_sha":"`+sha+`"`, `"head_sha":"`+sha[:7]+`"`)},
		{RuleGitOID, "upper-case", 7, inLine, replaced(1, 7, sha, strings.ToUpper(sha))},
		{RuleTimestamp, "offset", 6, inLine, replaced(1, 6, at1, "2026-09-08T11:00:00.000000000+00:00")},
		{RuleTimestamp, "fraction", 6, inLine, replaced(1, 6, at1, "2026-09-08T11:00:00Z")},
		{RuleTimestamp, "calendar", 6, blurred, replaced(1, 6, at1, "2026-02-30T11:00:00.000000000Z")},
		{RuleTimestamp, "leap-second", 6, inLine, replaced(1, 6, at1, "2016-12-31T23:59:60.000000000Z")},
		{RuleTimestamp, "dismissed-at", 7, inLine, replaced(1, 7, `"dismissed_at":"`+at2+`"`, `"dismissed_at":"never"`)},
		{RulePath, "parent", 8, inLine, replaced(2, 8, `"cmd/main.go"`, `"cmd/../main.go"`)},
		{RulePath, "absolute", 8, inLine, replaced(2, 8, `"cmd/main.go"`, `"/cmd/main.go"`)},
		{RulePath, "percent", 8, inLine, replaced(3, 8, `"cmd/main.go"`, `"cmd%2fmain.go"`)},
		{RuleFindings, "unsorted", 6, blurred, replaced(2, 6, unchanged, `"filter":{"status":"modified","findings":[{"code":"b","count":1},{"code":"a","count":1}]}`)},
		{RuleFindings, "twice", 6, blurred, replaced(2, 6, unchanged, `"filter":{"status":"modified","findings":[{"code":"a","count":1},{"code":"a","count":2}]}`)},
		{RuleFindings, "code", 6, inLine, replaced(2, 6, unchanged, `"filter":{"status":"modified","findings":[{"code":"A b","count":1}]}`)},
		{RuleFilterStatus, "truncated-by-filter", 6, inLine, replaced(2, 6, unchanged, isTruncated)},
		{RuleFilterStatus, "login-rejected", 2, inLine, replaced(2, 2, `"login_filter":{"status":"unchanged"`, `"login_filter":{"status":"rejected"`)},
		{RuleFilterStatus, "entity-rejected", 1, inLine, replaced(3, 1, `"entity_filter":{"status":"unchanged"`, `"entity_filter":{"status":"rejected"`)},
		{RuleFilterStatus, "run-rejected-in-bound", 12, inLine, replaced(3, 12, unchanged, isRejected)},
		{RuleFilterStatus, "log-rejected-in-bound", 13, inLine, bounded(func(s *stream) {
			s.drop(13, `"body":"line\n"`).sub(13, unchanged, isRejected)
		})},
		{RuleFilterStatus, "document-truncated", 2, inLine, edited(documents, 3, func(s *stream) { s.sub(2, unchanged, isTruncated) })},
		{RuleContent, "none", 6, inLine, dropped(1, 6, commentBody)},
		{RuleContent, "two-forms", 6, inLine, added(1, 6, `"oversize":true`)},
		{RuleContent, "none-in-filter", 6, inLine, dropped(2, 6, commentBody)},
		{RuleContent, "unfiltered", 6, inLine, dropped(2, 6, unchanged)},
		{RuleContent, "oversize-filtered", 6, inLine, replaced(2, 6, commentBody, `"oversize":true`)},
		{RuleContent, "log-none", 13, inLine, dropped(1, 13, `"body":"line\n"`)},
		{RuleContent, "log-missing-filtered", 13, inLine, replaced(2, 13, `"body":"line\n"`, `"missing":"fetch_failed"`)},
		{RuleContent, "document-none", 2, inLine, edited(documents, 1, func(s *stream) { s.drop(2, `"raw":"{\"a\":\"b\"}\n"`) })},
		{RuleContent, "document-twice", 2, inLine, edited(documents, 1, func(s *stream) { s.member(2, `"raw_base64":`+latin1Base64) })},
		{RuleBase64, "valid-utf8", 6, blurred, replaced(1, 6, commentBody, `"body_base64":"aGVsbG8="`)},
		{RuleBase64, "empty", 6, inLine, replaced(1, 6, commentBody, `"body_base64":`+emptyBase64)},
		{RuleBase64, "spare-bits", 6, inLine, replaced(1, 6, commentBody, `"body_base64":"/x=="`)},
		{RuleBase64, "no-padding", 6, inLine, replaced(1, 6, commentBody, `"body_base64":"/w"`)},
		{RuleBase64, "url-alphabet", 6, inLine, replaced(1, 6, commentBody, `"body_base64":"_w=="`)},
		{RuleBase64, "line-break", 6, inLine, replaced(1, 6, commentBody, `"body_base64":"/w==\n"`)},
		{RuleRejection, "body-kept", 6, inLine, replaced(2, 6, unchanged, isRejected)},
		{RuleRejection, "body-kept-in-bound", 6, inLine, replaced(3, 6, unchanged, isRejected)},
		{RuleRejection, "log-kept", 13, inLine, replaced(2, 13, unchanged, isRejected)},
		{RuleRejection, "name-kept", 9, inLine, replaced(2, 9, unchanged, isRejected+`,"rejected_as":"unsafe_content"`)},
		{RuleRejection, "name-missing", 9, inLine, dropped(3, 9, `"name":"queue"`)},
		{RuleRejection, "no-reason", 9, inLine, filtered(func(s *stream) {
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected)
		})},
		{RuleRejection, "reason-alone", 9, inLine, added(2, 9, `"rejected_as":"unsafe_content"`)},
		{RuleRejection, "agent-kept", 12, inLine, replaced(2, 12, unchanged, isRejected+`,"rejected_as":"invalid_metadata"`)},
		{RuleRejection, "agent-missing", 12, inLine, dropped(2, 12, `"agent":"helper"`)},
		{RuleRejection, "document-kept", 2, inLine, edited(documents, 2, func(s *stream) { s.sub(2, unchanged, isRejected) })},
		{RuleKindMember, "state-of-comment", 6, inLine, added(1, 6, `"state":"approved"`)},
		{RuleKindMember, "review-without-state", 7, inLine, fetched(func(s *stream) {
			s.sub(7, `"state":"dismissed",`, "").sub(7, `,"dismissed_at":"`+at2+`","dismissed_by_actor_id":null`, "")
		})},
		{RuleKindMember, "reviewed-sha-of-comment", 6, inLine, added(1, 6, `"reviewed_sha":"`+sha+`"`)},
		{RuleDismissal, "not-dismissed", 7, inLine, replaced(1, 7, `"state":"dismissed"`, `"state":"approved"`)},
		{RuleDismissal, "no-time", 7, inLine, dropped(1, 7, `"dismissed_at":"`+at2+`"`)},
		{RuleDismissal, "no-actor", 7, inLine, dropped(3, 7, `"dismissed_by_actor_id":null`)},
		{RuleDismissal, "of-comment", 6, inLine, added(1, 6, `"dismissed_at":null`)},
		{RuleResolver, "unresolved", 8, inLine, replaced(1, 8, `"resolved":true`, `"resolved":false`)},
		{RuleResolver, "missing", 8, inLine, dropped(1, 8, `"resolved_by_actor_id":"U_author"`)},
		{RuleReviewLink, "id-alone", 8, inLine, dropped(1, 8, `"review_record_key":"`+key("review", "PRR_one")+`"`)},
		{RuleReviewLink, "key-alone", 8, inLine, dropped(1, 8, `"review_id":"PRR_one"`)},
		{RuleCheckStatus, "queued-started", 9, inLine, added(1, 9, `"started_at":"`+at1+`"`)},
		{RuleCheckStatus, "queued-never-started", 9, inLine, added(1, 9, `"never_started":false`)},
		{RuleCheckStatus, "queued-concluded", 9, inLine, added(1, 9, `"conclusion":"success"`)},
		{RuleCheckStatus, "in-progress-not-started", 9, inLine, replaced(1, 9, `"status":"queued"`, `"status":"in_progress"`)},
		{RuleCheckStatus, "in-progress-completed", 9, inLine, replaced(1, 9, `"status":"queued"`, `"status":"in_progress","started_at":"`+at1+`","completed_at":"`+at1+`"`)},
		{RuleCheckStatus, "completed-without-conclusion", 10, inLine, dropped(1, 10, `"conclusion":"failure"`)},
		{RuleCheckStatus, "completed-without-end", 10, inLine, dropped(1, 10, `"completed_at":"`+at2+`"`)},
		{RuleCheckStatus, "completed-without-start", 10, inLine, dropped(1, 10, `"started_at":"`+at1+`"`)},
		{RuleCheckStatus, "completed-without-flag", 10, inLine, dropped(1, 10, `"never_started":false`)},
		{RuleCheckStatus, "never-started-with-start", 11, inLine, added(1, 11, `"started_at":"`+at1+`"`)},
		{RuleCheckStatus, "never-started-success", 11, inLine, replaced(1, 11, `"skipped"`, `"success"`)},
		{RuleActorState, "bot-verified", 3, inLine, replaced(1, 3, `"role_verified":false`, `"role_verified":true`)},
		{RuleActorState, "bot-with-role", 3, inLine, replaced(1, 3, `"role":"bot"`, `"role":"write"`)},
		{RuleActorState, "bot-without-bot-role", 3, inLine, dropped(2, 3, `"bot_role":"reviewer"`)},
		{RuleActorState, "human-with-bot-role", 2, inLine, added(1, 2, `"bot_role":null`)},
		{RuleActorState, "human-bot", 2, inLine, replaced(1, 2, `"role":"write"`, `"role":"bot"`)},
		{RuleActorState, "human-verified-null", 2, inLine, replaced(1, 2, `"role":"write"`, `"role":null`)},
		{RuleActorState, "human-unverified-role", 2, inLine, replaced(1, 2, `"role_verified":true`, `"role_verified":false`)},
		{RuleActorState, "unknown-with-role", 4, inLine, replaced(1, 4, `"role":null`, `"role":"none"`)},
		{RuleRecordKeys, "twice", 8, inLine, replaced(1, 8, `["`+commentKey+`"]`, `["`+commentKey+`","`+commentKey+`"]`)},
		{RuleRecordKeys, "none-in-bound", 8, inLine, replaced(3, 8, `["`+commentKey+`"]`, `[]`)},
		{RuleRecordKeys, "results-unsorted", 12, blurred, replaced(1, 12, `["`+commentKey+`"]`, `["`+commentKey+`","`+rev+`"]`)},
		{RuleRecordKeys, "results-twice", 12, inLine, replaced(1, 12, `["`+commentKey+`"]`, `["`+commentKey+`","`+commentKey+`"]`)},
		{RuleAbort, "gap-without-scope", 2, inLine, aborted(`"stage":"fetch","exit":1,"cause":"gap","code":"fetch_failed"`)},
		{RuleAbort, "gap-without-code", 2, inLine, aborted(`"stage":"fetch","exit":1,"cause":"gap","scope":"entity"`)},
		{RuleAbort, "scope-without-gap", 2, inLine, aborted(`"stage":"fetch","exit":4,"cause":"environment","scope":"entity"`)},

		{RuleVersion, "two", 1, inLine, replaced(1, 1, `"snapline/1"`, `"snapline/2"`)},
		{RuleVersion, "number", 1, inLine, replaced(1, 1, `"snapline/1"`, `1`)},
		{RuleStageChain, "none", 1, inLine, replaced(1, 1, `{"stage":"fetch","program":"fetch","version":"1.0.0"}`, ``)},
		{RuleStageChain, "filter-first", 1, inLine, replaced(1, 1, `"stage":"fetch"`, `"stage":"filter"`)},
		{RuleStageChain, "exchanged", 1, blurred, replaced(2, 1, `{"stage":"fetch","program":"fetch","version":"1.0.0"},{"stage":"filter"`, `{"stage":"filter","program":"fetch","version":"1.0.0"},{"stage":"fetch"`)},
		{RuleStageChain, "twice", 1, inLine, replaced(2, 1, `"stage":"filter"`, `"stage":"fetch"`)},
		{RuleStageChain, "filter-left-out", 1, inLine, replaced(2, 1, `"stage":"filter"`, `"stage":"bound"`)},
		{RuleStageChain, "fourth", 1, inLine, replaced(3, 1, `"stage":"bound","program":"bound","version":"1.0.0"}`, `"stage":"bound","program":"bound","version":"1.0.0"},{"stage":"emit","program":"emit","version":"1.0.0"}`)},
		{RuleSource, "host-upper-case", 1, inLine, replaced(1, 1, `"github.com"`, `"GitHub.com"`)},
		{RuleSource, "host-port-443", 1, inLine, replaced(1, 1, `"github.com"`, `"github.com:443"`)},
		{RuleSource, "host-port-zero", 1, inLine, replaced(1, 1, `"github.com"`, `"github.com:0443"`)},
		{RuleSource, "host-scheme", 1, inLine, replaced(1, 1, `"github.com"`, `"https://github.com"`)},
		{RuleSource, "repository-one-segment", 1, inLine, replaced(1, 1, `"example/project"`, `"project"`)},
		{RuleSource, "repository-upper-case", 1, inLine, replaced(1, 1, `"example/project"`, `"Example/project"`)},
		{RuleSource, "repository-id", 1, inLine, replaced(1, 1, `"R_kgDOExample"`, `"R.kgDOExample"`)},
		{RuleEntity, "work-item-merged", 1, inLine, workItem(1, func(s *stream) { s.sub(1, `"state":"open"`, `"state":"merged"`) })},
		{RuleProfile, "kinds-differ", 1, inLine, edited(issue, 1, func(s *stream) { s.sub(1, `"kind":"work_item"`, `"kind":"change_proposal"`) })},
		{RuleProfile, "no-entity", 1, inLine, replaced(1, 1, `"comments","entity"`, `"comments"`)},
		{RuleProfile, "work-item-reviews", 1, inLine, workItem(1, func(s *stream) { s.sub(1, `"entity"]`, `"entity","reviews"]`) })},
		{RuleProfile, "logs-without-checks", 1, inLine, fetched(func(s *stream) {
			s.sub(1, `"checks",`, "").sub(1, `"head_sha":"`+sha+`",`, "")
		})},
		{RuleProfile, "logs-without-selection", 1, inLine, replaced(1, 1, `"check_log_selection":"failed"`, `"check_log_selection":"none"`)},
		{RuleProfile, "selection-without-logs", 1, inLine, replaced(1, 1, `"check_logs",`, ``)},
		{RuleRecordKeys, "sources-unsorted", 1, blurred, replaced(1, 1, `"agent_runs","check_logs"`, `"check_logs","agent_runs"`)},
		{RuleRecordKeys, "sources-twice", 1, inLine, replaced(1, 1, `"agent_runs","check_logs"`, `"agent_runs","agent_runs","check_logs"`)},
		{RuleHead, "without-checks", 1, inLine, fetched(func(s *stream) {
			s.sub(1, `"check_logs","checks",`, "").sub(1, `"check_log_selection":"failed"`, `"check_log_selection":"none"`)
		})},
	}
}

func aborted(members string) func(testing.TB) string {
	return func(t testing.TB) string {
		return base(t, 1).cut(1).body() + `{"type":"abort",` + members + "}\n"
	}
}

// issue is a legal stream of an issue: 1 header, 2 actor, 3 entity.
func issue(t testing.TB, pos int) *stream {
	h := testHeader(pos)
	h.HeadSHA = ""
	h.Entity.Kind, h.Collection.EntityKind = contract.WorkItem, contract.WorkItem
	h.Collection.IncludedSources = []string{"agent_runs", "comments", "entity"}
	h.Collection.CheckLogSelection = contract.LogsNone
	lines := testLines(pos)
	return split(t, pos, write(t, h, lines[0], lines[3]))
}

func workItem(pos int, f func(*stream)) func(testing.TB) string { return edited(issue, pos, f) }
