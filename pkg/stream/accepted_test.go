package stream

import (
	"encoding/json"
	"strings"
	"testing"
)

// accepted is a legal stream.
type accepted struct {
	name string
	data func(testing.TB) string
}

func acceptedVectors() []accepted {
	legal := func(make func(testing.TB, int) *stream, pos int) func(testing.TB) string {
		return edited(make, pos, func(*stream) {})
	}
	return []accepted{
		{"fetch", legal(base, 1)},
		{"filter", legal(base, 2)},
		{"bound", legal(base, 3)},
		{"issue-fetch", legal(issue, 1)},
		{"issue-filter", legal(issue, 2)},
		{"issue-bound", legal(issue, 3)},
		{"documents-fetch", legal(documents, 1)},
		{"documents-filter", legal(documents, 2)},
		{"documents-bound", legal(documents, 3)},
		{"documents-msp", edited(documents, 1, func(s *stream) { s.sub(1, "canon-state", "msp-snapshot") })},
		{"documents-with-credentials", edited(documents, 2, func(s *stream) { s.member(1, `"credentials_registered":2`) })},
		{"documents-rejected", edited(documents, 3, func(s *stream) { s.drop(2, `"raw":"{\"a\":\"b\"}\n"`).sub(2, unchanged, isRejected) })},
		{"documents-not-utf8", edited(documents, 1, func(s *stream) {
			s.sub(2, `"raw":"{\"a\":\"b\"}\n"`, `"raw_base64":`+latin1Base64)
			s.sub(2, digestOf(s.lines[1]), "a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89")
		})},
		{"documents-none", edited(documents, 1, func(s *stream) { s.cut(1) })},
		{"replay", added(1, 1, `"replay":true`)},
		{"members-sorted", fetched(func(s *stream) {
			for i, l := range s.lines {
				s.lines[i] = sortedMembers(s.t, l)
			}
		})},
		{"type-last", fetched(func(s *stream) {
			s.sub(6, `{"type":"record",`, `{`)
			s.sub(6, "}\n", `,"type":"record"}`+"\n")
		})},
		{"spaces", fetched(func(s *stream) {
			s.sub(6, `{"type":"record",`, " \t{ \"type\" : \"record\" ,\t")
			s.sub(6, "}\n", " } \n")
			s.sub(8, `[]`, `[ ]`)
		})},
		{"escapes", fetched(func(s *stream) {
			s.sub(6, commentBody, `"b\u006fdy":"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\\u0000\u001F\u001f\u2028"`)
		})},
		{"empty-display-in-fetch", fetched(func(s *stream) {
			s.sub(1, `"A title"`, `""`).sub(1, `["bug","ui"]`, `["","ui","ui"]`)
			s.sub(2, `"login":"author"`, `"login":""`).sub(9, `"name":"queue"`, `"name":""`).sub(12, `"agent":"helper"`, `"agent":""`)
		})},
		{"any-path-in-fetch", replaced(1, 8, `"cmd/main.go"`, `"../é\u0000"`)},
		{"base64", fetched(func(s *stream) {
			s.sub(6, commentBody, `"body_base64":`+latin1Base64).sub(13, `"body":"line\n"`, `"body_base64":`+latin1Base64)
		})},
		{"oversize-fetch", fetched(func(s *stream) {
			s.sub(6, commentBody, `"oversize":true`).sub(13, `"body":"line\n"`, `"oversize":true`)
		})},
		{"oversize-filter", filtered(func(s *stream) {
			s.sub(6, commentBody, `"oversize":true`).drop(6, unchanged)
			s.sub(13, `"body":"line\n"`, `"oversize":true`).drop(13, unchanged)
		})},
		{"log-missing-fetch", replaced(1, 13, `"body":"line\n"`, `"missing":"authorization_failed"`)},
		{"log-missing-filter", filtered(func(s *stream) { s.sub(13, `"body":"line\n"`, `"missing":"fetch_failed"`).drop(13, unchanged) })},
		{"rejected-filter", filtered(func(s *stream) {
			s.drop(6, commentBody).sub(6, unchanged, isRejected)
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected+`,"rejected_as":"invalid_metadata"`)
			s.drop(12, `"agent":"helper"`).sub(12, unchanged, isRejected+`,"rejected_as":"source_too_large"`)
			s.drop(13, `"body":"line\n"`).sub(13, unchanged, isRejected)
		})},
		{"rejected-bound", bounded(func(s *stream) {
			s.drop(7, `"body":""`).sub(7, unchanged, isRejected)
			s.sub(8, `"review_id":"PRR_one","review_record_key":"`+key("review", "PRR_one")+`",`, "")
			s.drop(9, `"name":"queue"`).sub(9, unchanged, isRejected)
		})},
		{"truncated-bound", bounded(func(s *stream) {
			s.sub(1, `"entity_filter":{"status":"unchanged"`, `"entity_filter":{"status":"truncated"`)
			s.sub(2, `"status":"unchanged"`, `"status":"truncated"`)
			for _, line := range []int{5, 9, 12, 13} {
				s.sub(line, unchanged, isTruncated)
			}
		})},
		{"findings", replaced(2, 6, unchanged, `"filter":{"findings":[{"count":2,"code":"a.b"},{"code":"a_c","count":1}],"status":"modified"}`)},
		{"nulls", fetched(func(s *stream) {
			s.sub(3, `"bot_role":"reviewer"`, `"bot_role":null`).sub(6, `"author_id":"U_author"`, `"author_id":null`)
			s.sub(7, `"dismissed_at":"`+at2+`"`, `"dismissed_at":null`).sub(8, `"resolved_by_actor_id":"U_author"`, `"resolved_by_actor_id":null`)
			s.sub(12, `"publisher_id":"U_bot"`, `"publisher_id":null`)
		})},
		{"unknown-publisher", replaced(1, 12, `"U_bot"`, `"U_nobody"`)},
		{"thread-names-what-is-not-here", fetched(func(s *stream) {
			s.sub(8, `["`+commentKey+`"]`, `["`+rev+`"]`).sub(8, `"replies":[]`, `"replies":[{"record_key":"`+rev+`","parent_record_key":"`+commentKey+`"}]`)
		})},
		{"gaps-anywhere", fetched(func(s *stream) {
			gap := s.lines[13]
			for line := 14; line > 1; line-- {
				s.insert(line, gap)
			}
		})},
		{"number-minus-zero", replaced(2, 1, `"credentials_registered":0`, `"credentials_registered":-0`)},
		{"largest-number", replaced(1, 14, `"count":3`, `"count":9007199254740991`)},
		{"checks-in-progress", replaced(1, 9, `"status":"queued"`, `"status":"in_progress","started_at":"`+at1+`"`)},
		{"record-at-the-cap", fetched(func(s *stream) {
			s.sub(1, `"max_source_bytes":16777216`, `"max_source_bytes":1`)
			s.sub(5, "The body.", strings.Repeat("x", 16+64<<10-len(s.lines[4])+1+len("The body.")))
		})},
		{"abort-alone", func(testing.TB) string {
			return `{"type":"abort","stage":"fetch","exit":5,"cause":"unsupported"}` + "\n"
		}},
		{"abort-after-header", aborted(`"stage":"fetch","exit":4,"cause":"environment"`)},
		{"abort-by-gap", func(t testing.TB) string {
			return base(t, 3).cut(6).body() + `{"cause":"gap","code":"authorization_failed","exit":1,"scope":"entity","stage":"filter","type":"abort"}` + "\n"
		}},
	}
}

func digestOf(line string) string {
	_, rest, _ := strings.Cut(line, `"sha256":"`)
	return rest[:64]
}

// sortedMembers sorts the members of a line, as jq -S does.
func sortedMembers(t testing.TB, line string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}
