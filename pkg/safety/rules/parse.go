package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// An Entry is one block of a file of rules: what its first line names, and its fields.
type Entry struct {
	Kind, ID string
	File     string
	Line     int
	Fields   []Field
}

// A Field is one indented line: its first word, and the rest.
type Field struct {
	Name, Value string
	Line        int
}

// Errorf is an error at the entry.
func (e *Entry) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s %s: %s", e.File, e.Line, e.Kind, e.ID, fmt.Sprintf(format, args...))
}

// at is an error at a field.
func (e *Entry) at(f Field, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s %s: %s", e.File, f.Line, e.Kind, e.ID, fmt.Sprintf(format, args...))
}

// all gives the values of a field, in order.
func (e *Entry) all(name string) []string {
	var out []string
	for _, f := range e.Fields {
		if f.Name == name {
			out = append(out, f.Value)
		}
	}
	return out
}

// words gives the words of all lines of a field.
func (e *Entry) words(name string) []string {
	var out []string
	for _, v := range e.all(name) {
		out = append(out, strings.Fields(v)...)
	}
	return out
}

// one gives the value of a field that may stand once.
func (e *Entry) one(name string) string {
	if all := e.all(name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// The marks in values: a break stands for nothing and keeps other scanners from taking a
// sample for a secret; a return stands for a line feed.
const (
	breakMark  = "¦"
	returnMark = "⏎"
)

// fields are the fields that an entry of each kind has; those with a star may stand more
// than once, those with a plus must stand at least twice.
var fields = map[string][]string{
	"code":     {"go", "rank", "doc"},
	"token":    {"code", "prefix*", "body", "min", "need", "tail", "doc", "hit+", "miss+"},
	"class":    {"go", "words*", "doc", "hit*", "miss*"},
	"words":    {"words*", "doc", "hit*"},
	"list":     {"go", "words*", "item*", "doc", "code", "hit*", "miss*"},
	"table":    {"go", "row*", "doc", "code", "hit*", "miss*"},
	"range":    {"code", "points*", "doc"},
	"language": {"name", "script", "doc"},
	"phrase":   {"code", "words*", "when", "unless", "doc", "hit+", "miss+"},
}

// parse reads one file.
func parse(file, text string) ([]*Entry, error) {
	var out []*Entry
	var last *Entry
	for n, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "#"):
			continue
		case trimmed == line || line[0] != ' ' && line[0] != '\t':
			kind, id, _ := strings.Cut(trimmed, " ")
			if fields[kind] == nil {
				return nil, fmt.Errorf("%s:%d: no entry is a %q", file, n+1, kind)
			}
			last = &Entry{Kind: kind, ID: strings.TrimSpace(id), File: file, Line: n + 1}
			if last.ID == "" {
				return nil, fmt.Errorf("%s:%d: a %s without a name", file, n+1, kind)
			}
			out = append(out, last)
		case last == nil:
			return nil, fmt.Errorf("%s:%d: a field before the first entry", file, n+1)
		default:
			name, value, _ := strings.Cut(trimmed, " ")
			value = strings.ReplaceAll(strings.TrimSpace(value), breakMark, "")
			last.Fields = append(last.Fields, Field{name, strings.ReplaceAll(value, returnMark, "\n"), n + 1})
		}
	}
	for _, e := range out {
		if err := e.check(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check compares the fields of an entry with those that its kind has.
func (e *Entry) check() error {
	allowed := fields[e.Kind]
	count := map[string]int{}
	for _, f := range e.Fields {
		many := slices.Contains(allowed, f.Name+"*") || slices.Contains(allowed, f.Name+"+")
		if !many && !slices.Contains(allowed, f.Name) {
			return e.at(f, "no field is called %q", f.Name)
		}
		if count[f.Name]++; count[f.Name] > 1 && !many {
			return e.at(f, "%s stands twice", f.Name)
		}
		if f.Value == "" {
			return e.at(f, "%s is empty", f.Name)
		}
	}
	for _, name := range allowed {
		if field, two := strings.CutSuffix(name, "+"); two && count[field] < 2 {
			return e.Errorf("it needs two samples at least that are a %s", field)
		}
	}
	if count["doc"] == 0 {
		return e.Errorf("it has no doc")
	}
	return nil
}

// read parses every file of rules below dir, in the order of their names.
func read(fsys fs.FS, dir string) ([]*Entry, error) {
	names, err := fs.Glob(fsys, path.Join(dir, "*.rules"))
	if err != nil {
		return nil, err
	}
	var out []*Entry
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		entries, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, entries...)
	}
	return out, nil
}
