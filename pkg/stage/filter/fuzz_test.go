package filter_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"snapline/pkg/contract"
	"snapline/pkg/fault"
)

// FuzzTexts puts any text in every place that takes one. The output is a stream that
// the strict reader accepts, holds nothing that a filter has to remove, names a path as
// it came or not at all, and has nothing left to change.
func FuzzTexts(f *testing.F) {
	f.Add([]byte("plain\r\ntext"), "login", "a/b.go")
	f.Add([]byte("\x1b[31m\xc3(\u200b\ufeff"), "\u202elogin", "src/\u200bx")
	f.Add([]byte(injection), "caf\u00e9", "../x")
	f.Add([]byte("\xed\xa0\x80"+githubToken), "\uff21\uff22", "a//b")
	f.Fuzz(func(t *testing.T, body []byte, display, path string) {
		if len(body) > 1<<16 || !utf8.ValidString(display) || !utf8.ValidString(path) || path == "" {
			t.Skip()
		}
		r, first := filterTexts(t, body, display, path)
		if r == nil {
			return
		}
		for _, l := range r.lines {
			if th, ok := l.(*contract.Thread); ok && th.Path != path {
				t.Errorf("path %q became %q", path, th.Path)
			}
		}
		if first.Content.Form != contract.FormText {
			return
		}
		text := first.Content.Bytes
		if !utf8.Valid(text) || bytes.ContainsAny(text, "\r\x1b\ufeff\u200b") || len(text) > 0 && (text[len(text)-1] != '\n') {
			t.Errorf("output %q", text)
		}
		_, second := filterTexts(t, text, "x", "x")
		if second.Filter.Status != contract.Unchanged || !bytes.Equal(second.Content.Bytes, text) {
			t.Errorf("%q is changed again into %q: %v", text, second.Content.Bytes, second.Filter)
		}
	})
}

// filterTexts gives the result of a stream with these texts and its comment; nil when
// the run aborts, which only the display string may cause.
func filterTexts(t *testing.T, body []byte, display, path string) (*result, *contract.Record) {
	t.Helper()
	fx := newFixture("triage")
	fx.header.Entity.Title = display
	fx.header.Entity.Labels = []string{display}
	fx.actors[0].Login = nil
	if display != "" {
		fx.actors[0].Login = &display
	}
	fx.bot("BOT_kgDOin", "in", "coder")
	content := contract.Content{Form: contract.FormBytes, Bytes: body}
	if utf8.Valid(body) {
		content = contract.Text(body)
	}
	c := fx.comment("IC_kwDO1", owner, "")
	c.Content = content
	fx.thread("PRRT_kwDO1", path, c)
	fx.log(fx.check("CR_1", display), content)
	fx.run("RUN_1", "BOT_kgDOin", display)
	r := runBytes(t, fx.bytes(t), config(t))
	if r.err != nil {
		var e *fault.Error
		if !errors.As(r.err, &e) || !strings.HasSuffix(e.Rule, "-title") {
			t.Fatalf("aborted: %v", r.err)
		}
		return nil, nil
	}
	r.read(t)
	return &r, r.record(t, "IC_kwDO1")
}

// FuzzStream gives the stage any bytes: it ends with a positioned error or with a
// stream that the strict reader accepts, and the same whatever the workers do.
func FuzzStream(f *testing.F) {
	fx := newFixture("triage")
	fx.human("U_kgDOreader", "read")
	c := fx.comment("IC_kwDO1", owner, "a\u200bb")
	fx.comment("IC_kwDO2", "U_kgDOreader", "c")
	fx.thread("PRRT_kwDO1", "a.go", c)
	fx.log(fx.check("CR_1", "build"), text("log\r\n"))
	f.Add(fx.bytes(f))
	f.Add([]byte(`{"type":"abort","stage":"fetch","exit":4,"cause":"environment"}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		cfg := config(t)
		one := runBytes(t, in, cfg)
		cfg.Workers = 5
		if other := runBytes(t, in, cfg); !bytes.Equal(one.out, other.out) || one.stderr != other.stderr {
			t.Error("other workers, other bytes")
		}
		if one.err == nil {
			one.read(t)
		}
	})
}
