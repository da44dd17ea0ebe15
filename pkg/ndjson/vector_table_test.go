package ndjson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"snapline/pkg/record"
)

// edited makes a vector's bytes: a legal stream, edited, with a fitting trailer.
func edited(make func(testing.TB, int) *stream, pos int, f func(*stream)) func(testing.TB) string {
	return func(t testing.TB) string {
		s := make(t, pos)
		f(s)
		return s.seal()
	}
}

func fetched(f func(*stream)) func(testing.TB) string  { return edited(base, 1, f) }
func filtered(f func(*stream)) func(testing.TB) string { return edited(base, 2, f) }
func bounded(f func(*stream)) func(testing.TB) string  { return edited(base, 3, f) }

// replaced makes a vector that is one substitution in a line.
func replaced(pos, line int, old, new string) func(testing.TB) string {
	return edited(base, pos, func(s *stream) { s.sub(line, old, new) })
}

func added(pos, line int, member string) func(testing.TB) string {
	return edited(base, pos, func(s *stream) { s.member(line, member) })
}

func dropped(pos, line int, member string) func(testing.TB) string {
	return edited(base, pos, func(s *stream) { s.drop(line, member) })
}

const (
	unchanged    = `"filter":{"status":"unchanged","findings":[]}`
	isRejected   = `"filter":{"status":"rejected","findings":[{"code":"injection.example","count":1}]}`
	isTruncated  = `"filter":{"status":"truncated","findings":[]}`
	commentBody  = `"body":"Tab\tquote\"backslash\\ bell\u0007 é ` + "\U0001f600" + `\n"`
	commentKey   = "c73645a72a9c5de28d71e3e1efe235b9a5d02ee6dfe7dc0ef06cf3d0e5ee3421"
	emptyBase64  = `""`
	latin1Base64 = `"/w=="`
)

func vectors() []vector {
	return append(append(append(framingVectors(), memberVectors()...), crossVectors()...), packedVectors()...)
}

func framingVectors() []vector {
	return []vector{
		{RuleEmptyInput, "nothing", 0, inJSON, func(testing.TB) string { return "" }},
		{RuleByteOrderMark, "utf-8", 1, inJSON, fetched(func(s *stream) { s.set(1, "\ufeff"+s.lines[0]) })},
		{RuleEmptyLine, "between", 3, inJSON, fetched(func(s *stream) { s.insert(3, "\n") })},
		{RuleEmptyLine, "first", 1, inJSON, fetched(func(s *stream) { s.insert(1, "\n") })},
		{RuleCarriageReturn, "header", 1, inJSON, replaced(1, 1, "\n", "\r\n")},
		{RuleCarriageReturn, "actor", 2, inJSON, replaced(1, 2, "\n", "\r\n")},
		{RuleUnterminated, "end", 15, inJSON, func(t testing.TB) string { return strings.TrimSuffix(base(t, 1).seal(), "\n") }},
		{RuleUnterminated, "record", 6, inJSON, func(t testing.TB) string { return base(t, 1).cut(5).body() + `{"type":"record","ki` }},
		{RuleUnterminated, "abort", 2, inJSON, func(t testing.TB) string {
			return base(t, 1).cut(1).body() + `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}`
		}},
		{RuleLineCap, "record-over", 5, inJSON, fetched(func(s *stream) {
			s.sub(1, `"max_source_bytes":16777216`, `"max_source_bytes":1`)
			s.sub(5, "The body.", strings.Repeat("x", 16+64<<10-len(s.lines[4])+1+len("The body.")+1))
		})},
		{RuleLineCap, "log-type-last", 13, inJSON, fetched(func(s *stream) {
			s.sub(1, `"max_source_bytes":16777216`, `"max_source_bytes":1`)
			s.sub(13, `{"type":"log",`, `{`)
			s.sub(13, `"}`, `","type":"log"}`)
			s.sub(13, "line", strings.Repeat("y", 16+64<<10-len(s.lines[12])+1+len("line")+1))
		})},
		{RuleNoEnd, "after-header", 2, inJSON, func(t testing.TB) string { return base(t, 1).cut(1).body() }},
		{RuleNoEnd, "trailer-cut", 15, inJSON, func(t testing.TB) string { return base(t, 2).body() }},
		{RuleAfterEnd, "line", 16, inJSON, func(t testing.TB) string {
			return base(t, 1).seal() + `{"type":"gap","scope":"comments","code":"profile_bound","count":1}` + "\n"
		}},
		{RuleAfterEnd, "space", 16, inJSON, func(t testing.TB) string { return base(t, 1).seal() + " " }},
		{RuleAfterEnd, "nul", 16, inJSON, func(t testing.TB) string { return base(t, 1).seal() + "\x00" }},
		{RuleAfterEnd, "second-end", 16, inJSON, func(t testing.TB) string {
			s := base(t, 1)
			return s.seal() + s.seal()[len(s.body()):]
		}},
		{RuleAfterEnd, "abort", 2, inJSON, func(testing.TB) string {
			return `{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n\n"
		}},

		{RuleSyntax, "not-json", 2, inJSON, fetched(func(s *stream) { s.set(2, "hello\n") })},
		{RuleSyntax, "two-values", 2, inJSON, replaced(1, 2, "}", "}{}")},
		{RuleSyntax, "trailing-comma", 2, inJSON, replaced(1, 2, "}", ",}")},
		{RuleSyntax, "no-colon", 2, inJSON, replaced(1, 2, `"kind":`, `"kind"`)},
		{RuleSyntax, "single-quotes", 2, inJSON, replaced(1, 2, `"human"`, `'human'`)},
		{RuleSyntax, "raw-tab", 6, inJSON, replaced(1, 6, `Tab\t`, "Tab\t")},
		{RuleSyntax, "raw-nul", 6, inJSON, replaced(1, 6, `Tab\t`, "Tab\x00")},
		{RuleSyntax, "bad-escape", 6, inJSON, replaced(1, 6, `Tab\t`, `Tab\x09`)},
		{RuleSyntax, "bad-unicode-escape", 6, inJSON, replaced(1, 6, `\u0007`, `\u00g7`)},
		{RuleSyntax, "leading-zero", 14, inJSON, replaced(1, 14, `"count":3`, `"count":03`)},
		{RuleSyntax, "plus", 14, inJSON, replaced(1, 14, `"count":3`, `"count":+3`)},
		{RuleSyntax, "nan", 14, inJSON, replaced(1, 14, `"count":3`, `"count":NaN`)},
		{RuleSyntax, "carriage-return-inside", 2, inJSON, replaced(1, 2, `,"kind"`, ",\r"+`"kind"`)},
		{RuleSyntax, "form-feed-inside", 2, inJSON, replaced(1, 2, `,"kind"`, ",\f"+`"kind"`)},
		{RuleSyntax, "no-break-space", 2, inJSON, replaced(1, 2, `,"kind"`, ",\u00a0"+`"kind"`)},
		{RuleSyntax, "byte-order-mark-inside", 2, inJSON, fetched(func(s *stream) { s.set(2, "\ufeff"+s.lines[1]) })},
		{RuleSyntax, "word", 2, inJSON, replaced(1, 2, "true", "TRUE")},
		{RuleObject, "array", 2, inJSON, fetched(func(s *stream) { s.set(2, "[]\n") })},
		{RuleObject, "string", 1, inJSON, fetched(func(s *stream) { s.set(1, `"snapline/1"`+"\n") })},
		{RuleObject, "number", 14, inJSON, fetched(func(s *stream) { s.set(14, "14\n") })},
		{RuleDepth, "arrays", 6, inJSON, added(1, 6, `"deep":[[[[[[1]]]]]]`)},
		{RuleDepth, "objects", 6, inJSON, added(1, 6, `"deep":{"a":{"a":{"a":{"a":{"a":{}}}}}}`)},
		{RuleDuplicateMember, "plain", 6, inJSON, added(1, 6, `"kind":"comment"`)},
		{RuleDuplicateMember, "escaped", 6, inJSON, added(1, 6, `"k\u0069nd":"comment"`)},
		{RuleDuplicateMember, "type", 6, inJSON, replaced(1, 6, `"kind":`, `"type":"record","kind":`)},
		{RuleDuplicateMember, "nested", 1, inJSON, replaced(1, 1, `"host":"github.com",`, `"host":"github.com","host":"github.com",`)},
		{RuleDuplicateMember, "in-finding", 6, inJSON, replaced(2, 6, unchanged, `"filter":{"status":"modified","findings":[{"code":"a","count":1,"count":1}]}`)},
		{RuleUTF8, "lone-continuation", 6, inJSON, replaced(1, 6, "é", "\x80")},
		{RuleUTF8, "overlong", 6, inJSON, replaced(1, 6, "é", "\xc0\xaf")},
		{RuleUTF8, "surrogate-bytes", 6, inJSON, replaced(1, 6, "é", "\xed\xa0\x80")},
		{RuleUTF8, "cut-sequence", 6, inJSON, replaced(1, 6, "\U0001f600", "\xf0\x9f\x98")},
		{RuleUTF8, "split-by-escape", 6, inJSON, replaced(1, 6, "é", "\xc3\\n\xa9")},
		{RuleUTF8, "in-name", 6, inJSON, added(1, 6, "\"\xff\":1")},
		{RuleSurrogate, "high-alone", 6, inJSON, replaced(1, 6, `\u0007`, `\ud83d`)},
		{RuleSurrogate, "low-alone", 6, inJSON, replaced(1, 6, `\u0007`, `\ude00`)},
		{RuleSurrogate, "reversed", 6, inJSON, replaced(1, 6, `\u0007`, `\ude00\ud83d`)},
		{RuleSurrogate, "high-and-letter", 6, inJSON, replaced(1, 6, `\u0007`, `\ud83d\u0041`)},
		{RuleSurrogate, "in-name", 6, inJSON, added(1, 6, `"\ud83d":1`)},
		{RuleNumber, "fraction", 14, inJSON, replaced(1, 14, `"count":3`, `"count":3.0`)},
		{RuleNumber, "exponent", 14, inJSON, replaced(1, 14, `"count":3`, `"count":3e0`)},
		{RuleNumber, "over", 14, inJSON, replaced(1, 14, `"count":3`, `"count":9007199254740992`)},
		{RuleNumber, "under", 14, inJSON, replaced(1, 14, `"count":3`, `"count":-9007199254740992`)},
		{RuleNumber, "huge", 14, inJSON, replaced(1, 14, `"count":3`, `"count":`+strings.Repeat("9", 400))},
		{RuleNumber, "huge-exponent", 14, inJSON, replaced(1, 14, `"count":3`, `"count":1e1000000`)},
	}
}

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
	h.Entity.Kind, h.Collection.EntityKind = record.WorkItem, record.WorkItem
	h.Collection.IncludedSources = []string{"agent_runs", "comments", "entity"}
	h.Collection.CheckLogSelection = record.LogsNone
	lines := testLines(pos)
	return split(t, pos, write(t, h, lines[0], lines[3]))
}

func workItem(pos int, f func(*stream)) func(testing.TB) string { return edited(issue, pos, f) }

func crossVectors() []vector {
	other := strings.NewReplacer("IC_kwDOExample", "IC_other", commentKey, key("comment", "IC_other"))
	return []vector{
		{RuleHeader, "record-first", 1, across, fetched(func(s *stream) { s.remove(1) })},
		{RuleHeader, "second", 3, across, fetched(func(s *stream) { s.insert(3, s.lines[0]) })},
		{RuleHeader, "end-first", 1, across, func(testing.TB) string {
			return `{"type":"end","lines":1,"sha256":"` + rev + `"}` + "\n"
		}},
		{RuleFamily, "document-in-entity", 2, across, fetched(func(s *stream) { s.insert(2, documents(s.t, 1).lines[1]) })},
		{RuleFamily, "record-in-documents", 4, across, edited(documents, 1, func(s *stream) { s.insert(4, base(s.t, 1).lines[5]) })},
		{RuleFamily, "actor-in-documents", 2, across, edited(documents, 1, func(s *stream) { s.insert(2, base(s.t, 1).lines[1]) })},
		{RuleFamily, "gap-of-documents", 14, across, replaced(1, 14, `"comments"`, `"documents"`)},
		{RuleFamily, "gap-of-entity", 4, across, edited(documents, 1, func(s *stream) { s.sub(4, `"documents"`, `"comments"`) })},
		{RuleUnselectedSource, "comment", 4, across, edited(issue, 1, func(s *stream) {
			s.sub(1, `"agent_runs","comments","entity"`, `"entity"`).insert(4, dropEditor(base(s.t, 1).lines[5]))
		})},
		{RuleUnselectedSource, "review", 4, across, workItem(1, func(s *stream) { s.insert(4, base(s.t, 1).lines[6]) })},
		{RuleUnselectedSource, "thread", 4, across, workItem(1, func(s *stream) { s.insert(4, base(s.t, 1).lines[7]) })},
		{RuleUnselectedSource, "check", 4, across, workItem(1, func(s *stream) { s.insert(4, base(s.t, 1).lines[8]) })},
		{RuleUnselectedSource, "run", 4, across, edited(issue, 1, func(s *stream) {
			s.sub(1, `"agent_runs","comments","entity"`, `"entity"`).insert(4, base(s.t, 1).lines[11])
		})},
		{RuleUnselectedSource, "log", 4, across, workItem(1, func(s *stream) { s.insert(4, base(s.t, 1).lines[12]) })},
		{RuleUnselectedSource, "gap", 4, across, workItem(1, func(s *stream) {
			s.insert(4, `{"type":"gap","scope":"reviews","code":"unsupported","count":1}`+"\n")
		})},
		{RuleForgeIdentifier, "entity", 1, across, replaced(1, 1, `"id":"PR_kwDOExample"`, `"id":"PR.kwDOExample"`)},
		{RuleForgeIdentifier, "entity-author", 1, across, replaced(1, 1, `"U_author"`, `"U:author"`)},
		{RuleForgeIdentifier, "actor", 2, across, replaced(1, 2, `"U_author"`, `"U.author"`)},
		{RuleForgeIdentifier, "comment", 6, across, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":"IC.kwDOExample"`)},
		{RuleForgeIdentifier, "check", 9, across, replaced(1, 9, `"CR_queued"`, `"CR:queued"`)},
		{RuleForgeIdentifier, "run", 12, across, replaced(1, 12, `"RUN_one"`, `"RUN.one"`)},
		{RuleForgeIdentifier, "publisher", 12, across, replaced(1, 12, `"U_bot"`, `"U.bot"`)},
		{RuleKey, "other-kind", 6, across, replaced(1, 6, commentKey, key("review", "IC_kwDOExample"))},
		{RuleKey, "other-id", 6, across, replaced(1, 6, `"id":"IC_kwDOExample"`, `"id":"IC_other"`)},
		{RuleKey, "other-repository", 5, across, replaced(1, 1, `"R_kgDOExample"`, `"R_kgDOOther"`)},
		{RuleKey, "thread", 8, across, replaced(1, 8, `"PRRT_one"`, `"PRRT_two"`)},
		{RuleKey, "thread-review", 8, across, replaced(1, 8, `"review_id":"PRR_one"`, `"review_id":"PRR_two"`)},
		{RuleKey, "check", 9, across, replaced(1, 9, `"CR_queued"`, `"CR_other"`)},
		{RuleOrder, "actors", 3, across, fetched(func(s *stream) { s.swap(2, 3) })},
		{RuleOrder, "records", 7, across, fetched(func(s *stream) { s.swap(6, 7) })},
		{RuleOrder, "records-by-key", 7, across, fetched(func(s *stream) {
			s.insert(7, other.Replace(s.lines[5]))
			if key("comment", "IC_other") > commentKey {
				s.swap(6, 7)
			}
		})},
		{RuleOrder, "types", 6, across, fetched(func(s *stream) { s.insert(6, s.lines[1]).sub(6, "U_author", "U_zoo") })},
		{RuleOrder, "thread-after-check", 9, across, fetched(func(s *stream) { s.swap(8, 9) })},
		{RuleOrder, "checks", 10, across, fetched(func(s *stream) { s.swap(9, 10) })},
		{RuleOrder, "threads", 9, across, fetched(func(s *stream) {
			s.insert(9, strings.NewReplacer("PRRT_one", "PRRT_two", key("thread", "PRRT_one"), key("thread", "PRRT_two"), at1, at0).Replace(s.lines[7]))
		})},
		{RuleOrder, "threads-by-id", 9, across, fetched(func(s *stream) {
			s.insert(9, strings.NewReplacer("PRRT_one", "PRRT_0", key("thread", "PRRT_one"), key("thread", "PRRT_0")).Replace(s.lines[7]))
		})},
		{RuleOrder, "runs", 13, across, fetched(func(s *stream) {
			s.insert(13, strings.NewReplacer("RUN_one", "RUN_two", at1, at0).Replace(s.lines[11]))
		})},
		{RuleOrder, "logs", 14, across, fetched(func(s *stream) {
			s.sub(1, `"failed"`, `"all"`)
			s.sub(9, `"status":"queued"`, `"status":"completed","conclusion":"success","never_started":false,"started_at":"`+at0+`","completed_at":"`+at1+`"`)
			s.insert(14, strings.Replace(s.lines[12], key("check", "CR_failed"), key("check", "CR_queued"), 1))
		})},
		{RuleOrder, "log-before-run", 13, across, fetched(func(s *stream) { s.swap(12, 13) })},
		{RuleDuplicateKey, "actor", 3, across, fetched(func(s *stream) { s.insert(3, s.lines[1]) })},
		{RuleDuplicateKey, "comment", 7, across, fetched(func(s *stream) { s.insert(7, s.lines[5]) })},
		{RuleDuplicateKey, "comment-later", 7, across, fetched(func(s *stream) { s.insert(7, strings.Replace(s.lines[5], at1, at2, 1)) })},
		{RuleDuplicateKey, "thread-later", 9, across, fetched(func(s *stream) { s.insert(9, strings.Replace(s.lines[7], at1, at2, 1)) })},
		{RuleDuplicateKey, "check-later", 12, across, fetched(func(s *stream) { s.insert(12, strings.Replace(s.lines[8], at0, at2, 1)) })},
		{RuleDuplicateKey, "run-later", 13, across, fetched(func(s *stream) {
			s.insert(13, strings.Replace(s.lines[11], `"completed_at":"`+at1, `"completed_at":"`+at2, 1))
		})},
		{RuleDuplicateKey, "log", 14, across, fetched(func(s *stream) { s.insert(14, s.lines[12]) })},
		{RuleDuplicateKey, "document", 3, across, edited(documents, 1, func(s *stream) { s.insert(3, s.lines[1]) })},
		{RuleEntityRecord, "absent", 3, across, workItem(1, func(s *stream) { s.remove(3) })},
		{RuleEntityRecord, "comment-first", 5, across, fetched(func(s *stream) { s.swap(5, 6) })},
		{RuleEntityRecord, "absent-with-records", 5, across, fetched(func(s *stream) { s.remove(5) })},
		{RuleEntityRecord, "second", 6, across, fetched(func(s *stream) {
			s.insert(6, strings.NewReplacer("PR_kwDOExample", "PR_other", key("entity", "PR_kwDOExample"), key("entity", "PR_other")).Replace(s.lines[4]))
		})},
		{RuleEntityRecord, "other-id", 5, across, fetched(func(s *stream) {
			s.set(5, strings.NewReplacer("PR_kwDOExample", "PR_other", key("entity", "PR_kwDOExample"), key("entity", "PR_other")).Replace(s.lines[4]))
		})},
		{RuleEntityRecord, "other-author", 5, across, replaced(1, 5, `"author_id":"U_author"`, `"author_id":"U_bot"`)},
		{RuleEntityRecord, "author-null", 5, across, replaced(1, 5, `"author_id":"U_author"`, `"author_id":null`)},
		{RuleEntityRecord, "other-time", 5, across, replaced(1, 5, `"created_at":"`+at0, `"created_at":"`+at1)},
		{RuleEntityRecord, "other-update", 5, across, replaced(1, 5, `"updated_at":"`+at2, `"updated_at":"`+at1)},
		{RuleEntityRecord, "no-update", 5, across, dropped(1, 5, `"updated_at":"`+at2+`"`)},
		{RuleEntityRecord, "rejected-in-bound", 5, across, bounded(func(s *stream) { s.drop(5, `"body":"The body.\n"`).sub(5, unchanged, isRejected) })},
		{RuleReference, "author", 6, across, replaced(1, 6, `"author_id":"U_author"`, `"author_id":"U_nobody"`)},
		{RuleReference, "header-author", 5, across, fetched(func(s *stream) { s.sub(1, `"U_author"`, `"U_nobody"`).sub(5, `"U_author"`, `"U_nobody"`) })},
		{RuleReference, "editor", 6, across, replaced(1, 6, `"editor_id":null`, `"editor_id":"U_nobody"`)},
		{RuleReference, "dismisser", 7, across, replaced(1, 7, `"dismissed_by_actor_id":null`, `"dismissed_by_actor_id":"U_nobody"`)},
		{RuleReference, "resolver", 8, across, replaced(1, 8, `"resolved_by_actor_id":"U_author"`, `"resolved_by_actor_id":"U_nobody"`)},
		{RuleReference, "thread-record", 8, across, replaced(3, 8, `["`+commentKey+`"]`, `["`+rev+`"]`)},
		{RuleReference, "thread-review-record", 8, across, replaced(3, 8, `["`+commentKey+`"]`, `["`+key("review", "PRR_one")+`"]`)},
		{RuleReference, "thread-rejected-record", 8, across, bounded(func(s *stream) { s.drop(6, commentBody).sub(6, unchanged, isRejected) })},
		{RuleReference, "reply-parent", 8, across, replaced(3, 8, `"replies":[]`, `"replies":[{"record_key":"`+commentKey+`","parent_record_key":"`+rev+`"}]`)},
		{RuleReference, "reply-child", 8, across, replaced(3, 8, `"replies":[]`, `"replies":[{"record_key":"`+rev+`","parent_record_key":"`+commentKey+`"}]`)},
		{RuleReference, "review-dropped", 7, across, bounded(func(s *stream) { s.remove(7) })},
		{RuleReference, "review-rejected", 8, across, bounded(func(s *stream) { s.drop(7, `"body":""`).sub(7, unchanged, isRejected) })},
		{RuleReference, "result", 12, across, replaced(3, 12, `["`+commentKey+`"]`, `["`+rev+`"]`)},
		{RuleReference, "result-rejected-check", 12, across, bounded(func(s *stream) {
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected).sub(12, commentKey, key("check", "CR_queued"))
		})},
		{RuleReference, "log-without-check", 13, across, replaced(1, 13, key("check", "CR_failed"), rev)},
		{RuleHeadSHA, "other", 9, across, replaced(1, 9, sha, strings.Repeat("f", 40))},
		{RuleHeadSHA, "none-in-header", 9, across, dropped(1, 1, `"head_sha":"`+sha+`"`)},
		{RuleLogCheck, "queued", 13, across, replaced(1, 13, key("check", "CR_failed"), key("check", "CR_queued"))},
		{RuleLogCheck, "never-started", 13, across, replaced(1, 13, key("check", "CR_failed"), key("check", "CR_never"))},
		{RuleLogCheck, "not-failed", 13, across, replaced(1, 10, `"conclusion":"failure"`, `"conclusion":"success"`)},
		{RuleLogCheck, "rejected-in-bound", 13, across, bounded(func(s *stream) { s.drop(10, `"name":"test"`).sub(10, unchanged, isRejected) })},
		{RuleDocumentDigest, "other", 2, across, edited(documents, 1, func(s *stream) { s.sub(2, `{\"a\":\"b\"}`, `{\"a\":\"x\"}`) })},
		{RuleTrailerLines, "fewer", 15, across, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), `"lines":14`, `"lines":13`, 1)
		}},
		{RuleTrailerLines, "more", 15, across, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), `"lines":14`, `"lines":15`, 1)
		}},
		{RuleTrailerDigest, "one-byte", 15, across, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), "The body.", "The Body.", 1)
		}},
		{RuleTrailerDigest, "spelling", 15, across, func(t testing.TB) string {
			return strings.Replace(base(t, 2).seal(), "The body.", `The b\u006fdy.`, 1)
		}},
		{RuleTrailerDigest, "space", 15, across, func(t testing.TB) string {
			return strings.Replace(base(t, 1).seal(), `,"kind":"comment"`, `, "kind":"comment"`, 1)
		}},
		{RuleAbortStage, "not-yet", 2, across, aborted(`"stage":"bound","exit":1,"cause":"component"`)},
	}
}

func dropEditor(line string) string { return strings.Replace(line, `"editor_id":null,`, "", 1) }

func packedVectors() []vector {
	legal := func(t testing.TB) string { return base(t, 1).seal() }
	return []vector{
		{RuleCompression, "gzip-cut", 15, inJSON, func(t testing.TB) string { z := gzipped(t, legal(t)); return z[:len(z)-4] }},
		{RuleCompression, "gzip-checksum", 15, inJSON, func(t testing.TB) string {
			z := []byte(gzipped(t, legal(t)))
			z[len(z)-6] ^= 1
			return string(z)
		}},
		{RuleCompression, "gzip-garbage-behind", 15, inJSON, func(t testing.TB) string { return gzipped(t, legal(t)) + "garbage" }},
		{RuleCompression, "zstd-cut", 1, inJSON, func(t testing.TB) string { z := zstandard(t, legal(t)); return z[:len(z)/2] }},
		{RuleCompression, "zstd-checksum", 1, inJSON, func(t testing.TB) string {
			z := []byte(zstandard(t, legal(t)))
			z[len(z)-1] ^= 1
			return string(z)
		}},
		{RuleCompression, "zstd-garbage-behind", 15, inJSON, func(t testing.TB) string { return zstandard(t, legal(t)) + "garbage!" }},
		{RuleCompressionWindow, "zstd", 1, inJSON, func(testing.TB) string {
			// A frame header that asks for a window of 128 MiB, and an empty last block.
			return "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"
		}},
		{RuleExpansion, "zstd", 1101, inJSON, func(t testing.TB) string { return bomb(t, 90<<20, zstandard) }},
	}
}

// bomb is a stream of short legal lines that goes on and on.
func bomb(t testing.TB, n int, pack func(testing.TB, string) string) string {
	t.Helper()
	s := base(t, 1)
	gap := strings.Replace(s.lines[13], ",", ","+strings.Repeat(" ", 64<<10), 1)
	return pack(t, s.body()+strings.Repeat(gap, n/len(gap)))
}

func gzipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstandard(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
