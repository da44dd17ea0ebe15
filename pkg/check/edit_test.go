package check

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/safety"
)

// marked is a scanner for which one mark is unsafe and another is changed, so that
// the rules are tested apart from the engine's patterns.
type marked struct{ fail bool }

const (
	unsafeMark  = "UNSAFE"
	changedMark = "SECRET"
)

func (m marked) Filter(kind safety.Kind, source []byte) (safety.Result, error) {
	switch {
	case m.fail:
		return safety.Result{}, errors.New("detector unavailable")
	case bytes.Contains(source, []byte(unsafeMark)):
		return safety.Result{Status: contract.Rejected, Findings: []contract.Finding{{Code: "injection.mark", Count: 1}}}, nil
	case bytes.Contains(source, []byte(changedMark)):
		return safety.Result{Status: contract.Modified, Text: bytes.ReplaceAll(source, []byte(changedMark), []byte("[...]"))}, nil
	case bytes.Contains(source, []byte("\u200b")):
		return safety.Result{Status: contract.Modified, Text: []byte{}, Findings: []contract.Finding{{Code: "unicode.zero-width", Count: 1}}}, nil
	}
	return safety.Result{Status: contract.Unchanged, Text: source}, nil
}

func (m marked) Rescan(text []byte) (safety.Result, error) {
	if m.fail {
		return safety.Result{}, errors.New("detector unavailable")
	}
	if bytes.Contains(text, []byte(unsafeMark)) {
		return safety.Result{Status: contract.Rejected, Findings: []contract.Finding{{Code: "injection.mark", Count: 1}}}, nil
	}
	return safety.Result{Status: contract.Unchanged, Text: text}, nil
}

// edit changes one JSON document of a specimen in its decoded form.
func (s *specimen) edit(t testing.TB, path string, change func(doc map[string]any)) {
	t.Helper()
	var doc map[string]any
	decode(t, s.files[path], &doc)
	change(doc)
	s.files[path] = encode(t, doc)
}

func (s *specimen) index(t testing.TB, change func(doc map[string]any)) {
	s.edit(t, tree.IndexPath, change)
}

// dig follows names and indexes into a decoded document.
func dig(v any, steps ...any) any {
	for _, step := range steps {
		switch k := step.(type) {
		case string:
			v = v.(map[string]any)[k]
		case int:
			v = v.([]any)[k]
		}
	}
	return v
}

// set replaces a member.
func put(doc any, value any, steps ...any) {
	parent := dig(doc, steps[:len(steps)-1]...)
	switch k := steps[len(steps)-1].(type) {
	case string:
		parent.(map[string]any)[k] = value
	case int:
		parent.([]any)[k] = value
	}
}

func swap(doc any, i, k int, steps ...any) {
	list := dig(doc, steps...).([]any)
	list[i], list[k] = list[k], list[i]
}

// rowIndex finds a manifest record or file by a member's value.
func find(doc any, list, member, value string) int {
	return slices.IndexFunc(dig(doc, list).([]any), func(v any) bool { return dig(v, member) == value })
}

func (s *specimen) path(name string) string {
	for p := range s.files {
		if strings.HasPrefix(p, "records/") && strings.Contains(p, s.keys[name]) {
			return p
		}
	}
	return ""
}

func replace(path, old, new string) func(testing.TB, *specimen) {
	return func(t testing.TB, s *specimen) {
		if !bytes.Contains(s.files[path], []byte(old)) {
			t.Fatalf("%s has no %s", path, old)
		}
		s.files[path] = bytes.Replace(s.files[path], []byte(old), []byte(new), 1)
	}
}

func body(name, text string) func(testing.TB, *specimen) {
	return func(t testing.TB, s *specimen) {
		p := s.path(name)
		head, _, _ := bytes.Cut(s.files[p], []byte("\n\n"))
		s.files[p] = []byte(string(head) + "\n\n" + text)
	}
}

// onIndex edits index.json; onDocument another document.
func onIndex(change func(doc map[string]any)) func(testing.TB, *specimen) {
	return func(t testing.TB, s *specimen) { s.index(t, change) }
}

func onDocument(path string, change func(doc map[string]any)) func(testing.TB, *specimen) {
	return func(t testing.TB, s *specimen) { s.edit(t, path, change) }
}

// reversed turns a whole list around.
func reversed(path string, steps ...any) func(testing.TB, *specimen) {
	return onDocument(path, func(doc map[string]any) { slices.Reverse(dig(doc, steps...).([]any)) })
}

// modifiedFile says of the file of a role that it was modified, and not what was.
func modifiedFile(role string) func(testing.TB, *specimen) {
	return onIndex(func(d map[string]any) {
		put(d, map[string]any{"status": "modified", "findings": []any{}}, "files", find(d, "files", "role", role), "filter")
	})
}
