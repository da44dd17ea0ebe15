package browser

import (
	"fmt"
	"snapline/pkg/contract"
	"snapline/pkg/testkit"
	"strings"
	"testing"
)

// hostile are texts that want to be more than text.
var hostile = func() []string {
	texts := []string{
		`<script>alert(1)</script>`, `<SCRIPT SRC=https://example.com/x.js></SCRIPT>`, `</style><script>alert(1)</script>`, `</style><style>*{display:none}</style>`,
		`<style>@import url(https://example.com/x.css);</style>`, `</title><script>alert(1)</script>`, `</textarea><script>alert(1)</script>`, `--><script>alert(1)</script>`,
		`<!-- `, `<!--[if IE]><script>alert(1)</script><![endif]-->`, `]]><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<img src="https://example.com/pixel.gif">`,
		`<svg onload=alert(1)>`, `<svg><script>alert(1)</script></svg>`, `<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>`, `<iframe src=https://example.com></iframe>`,
		`<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>`, `<object data=https://example.com/x></object>`, `<embed src=https://example.com/x>`,
		`<link rel=stylesheet href=https://example.com/x.css>`, `<link rel=prefetch href=https://example.com/x>`, `<meta http-equiv=refresh content="0;url=https://example.com">`, `<base href=https://example.com/>`,
		`<form action=https://example.com><input name=a><button>go</button></form>`, `<input autofocus onfocus=alert(1)>`, `<details open ontoggle=alert(1)>`, `<body onload=alert(1)>`,
		`<a href="javascript:alert(1)">x</a>`, `<a href="https://example.com">[x](https://example.com)</a>`, `[x](javascript:alert(1))`, `![x](https://example.com/p.png)`,
		`" onmouseover="alert(1)`, `' onmouseover='alert(1)`, `"><script>alert(1)</script>`, "` onmouseover=`alert(1)`", `x" style="position:fixed;inset:0`,
		`&lt;script&gt;alert(1)&lt;/script&gt;`, `&#60;script&#62;alert(1)&#60;/script&#62;`, `&amp;lt;b&amp;gt;`, `&`, `&nbsp;&zwj;&shy;`, `<`, `>`, `<>`, `</`,
		`{{.Index}} {{template "page" .}}`, `${alert(1)} {{constructor.constructor('alert(1)')()}}`, `<template><script>alert(1)</script></template>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
		`<plaintext>`, `<xmp><script>alert(1)</script>`, `</div></div></article></section></main></body></html>`, `<article class="turn" id="r-1"></article>`,
		"\u202egnp.exe\u202c \u2066isolated", "\u05d0\u05d1\u05d2 (abc) 123 \u0645\u0631\u062d\u0628\u0627", "a\u0300\u0301\u0302\u0303" + strings.Repeat("\u0301", 200), "\U0001f468\u200d\U0001f469\u200d\U0001f467 \ufeff\u00ad",
		strings.Repeat("W", 1<<20), strings.Repeat("wide ", 1<<17) + "</div>", "```\n</div><script>alert(1)</script>\n```", "tab\there\u0085\u2028\u2029end", "::error::x\n##[group]x",
	}
	return texts
}()

// skeleton is the page without the words of people, and without what counts or names them.
const skeleton = `(() => {
	const page = document.documentElement.cloneNode(true);
	for (const e of page.querySelectorAll("#title, #labels, .text, .login, .face, bdi, .log, .unfold, .fold, thread code, summary code")) e.replaceWith("");
	for (const e of page.querySelectorAll("#sizes, #origin, #changes")) e.remove();
	return page.outerHTML.replace(/[0-9a-f]{64}/g, "KEY").replace(/[0-9]+ (bytes|kB)/g, "SIZE");
})()`

// stream makes a change proposal in which each place for words holds the given ones.
func stream(body, word string) *testkit.Stream {
	s := testkit.New(contract.GitHub, contract.ChangeProposal, 3)
	bounds := &s.Header.Collection.Bounds
	bounds.MaxRecordBytes, bounds.MaxSourceBytes, bounds.MaxMetadataStringBytes, bounds.MaxLogBytes = 4<<20, 8<<20, 2<<20, 4<<20
	author := s.ID("actor", 1)
	s.Actor(author).Login = &word
	s.Header.Entity.Title, s.Header.Entity.Labels = word, []string{word}
	s.Comment(1, testkit.Time(2, "10:00"), author, body)
	s.Comment(2, testkit.Time(2, "10:01"), author, "harmless\n")
	s.Review(1, testkit.Time(2, "11:00"), author, body, contract.Approved)
	s.Thread(1, testkit.Time(2, "10:01"), 2).Path = "src/&;,(a)[b]{c}$+=@~!/x.go"
	s.Check(1, testkit.Time(3, "10:00"), word, contract.Failure)
	s.Log(1, body)
	s.Run(1, testkit.Time(4, "10:00"), word)
	return s
}

// Whatever somebody writes into a body, login, label, title, name or log is shown as it is,
// in its element, and nothing else on the page is another. No request, no console message:
// open sees to that.
func TestHostileWords(t *testing.T) {
	if len(hostile) < 60 {
		t.Fatalf("%d texts", len(hostile))
	}
	plain := open(t, 1000, 800, pageOf(t, stream("text\n", "word").Bytes(t), nil).WriteHTML)
	want := ask[string](plain, skeleton)
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			word, body := strings.ReplaceAll(text, "\n", " "), text+"\n"
			if len(word) > 10_000 {
				word = word[:10_000]
			}
			b := open(t, 1000, 800, pageOf(t, stream(body, word).Bytes(t), nil).WriteHTML)
			fits(b)
			if got := ask[string](b, skeleton); got != want {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Errorf("the page around it is another: %.200s", got[max(0, at-50):])
			}
			for _, c := range []struct{ selector, want string }{
				{"#title", word},
				{"#labels li", word},
				{".turn .login", word},
				{"#checks tbody bdi", word},
				{"#runs tbody bdi", word},
				{"#people tbody bdi", word},
				{`[data-kind=comment].turn .text`, body},
				{`[data-kind=review] > .text`, body},
				{"summary h4 code", "src/&;,(a)[b]{c}$+=@~!/x.go"},
			} {
				if got := ask[string](b, `document.querySelector(`+quoted(c.selector)+`)?.textContent ?? "nothing"`); got != strings.ReplaceAll(c.want, "\u0000", "\ufffd") {
					t.Errorf("%s shows %.80q, not %.80q", c.selector, got, c.want)
				}
			}
			if tail := ask[string](b, `document.querySelector(".log").textContent`); tail == "" || !strings.HasSuffix(body, tail) {
				t.Errorf("the log shows %.80q", tail)
			}
			outside := ask[[]string](b, `[...document.querySelectorAll(".text, .log, .login, #title, #labels li")].filter(e => { const a = e.getBoundingClientRect(), b = e.parentElement.getBoundingClientRect(); return a.left < b.left - 1 || a.right > b.right + 1; }).map(e => e.className || e.id)`)
			if len(outside) > 0 {
				t.Errorf("it stands outside its place: %v", outside)
			}
		})
	}
}
