package stream

import (
	"bytes"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// threadOf gives a legal stream of a forge with numbers for identifiers: 1 header,
// 2 entity, 3 comment, 4 thread.
func threadOf(t testing.TB, forge contract.Forge) *stream {
	h := testHeader(1)
	h.Source = contract.Source{Forge: forge, Host: "forge.example", RepositoryID: "3", Repository: "team/demo"}
	h.Entity.ID, h.Entity.AuthorID, h.Acquisition = "5", nil, nil
	id := func(kind contract.Kind, id string) string { return tree.Key(h.Source, kind, id) }
	record := func(kind contract.Kind, n, at string) *contract.Record {
		return &contract.Record{Kind: kind, ID: n, RecordKey: id(kind, n), CreatedAt: at, Content: contract.Text([]byte("text\n"))}
	}
	entity := record(contract.KindEntity, "5", at0)
	entity.UpdatedAt = at2
	return split(t, 1, write(t, h, entity, record(contract.KindComment, "7", at1), &contract.Thread{
		ID: "9", ThreadKey: id(contract.KindThread, "9"), CreatedAt: at1,
		RecordKeys: []string{id(contract.KindComment, "7")}, Replies: []contract.Reply{},
	}))
}

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
		{RuleURL, "other-host", 6, across, replaced(1, 6, "https://github.com/", "https://github.example/")},
		{RuleURL, "other-port", 8, across, replaced(3, 8, "https://github.com/", "https://github.com:8443/")},
		{RuleURL, "check-on-other-host", 10, across, replaced(2, 10, "https://github.com/", "https://ci.example/")},
		{RuleURL, "address-on-other-host", 1, across, replaced(1, 1, "https://github.com/", "https://github.example/")},
		{RuleOutdated, "forgejo", 4, across, func(t testing.TB) string {
			return threadOf(t, contract.Forgejo).sub(4, `"outdated":false`, `"outdated":true`).seal()
		}},
		{RuleOutdated, "gitlab", 4, across, func(t testing.TB) string {
			return threadOf(t, contract.GitLab).sub(4, `"outdated":false`, `"outdated":true`).seal()
		}},
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
		{RuleExpansion, "zstd", 1103, inJSON, func(t testing.TB) string { return bomb(t, 90<<20, zstandard) }},
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
