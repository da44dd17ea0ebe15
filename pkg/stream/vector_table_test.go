package stream

import (
	"strings"
	"testing"
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
