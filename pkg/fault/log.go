package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Format is the form of diagnostics on stderr.
type Format string

// The two forms.
const (
	Text Format = "text"
	JSON Format = "json"
)

// Notice is a one-line diagnostic about an object that was changed, dropped or
// counted. It never carries content.
type Notice struct {
	Line   int64  // line of the stage's input, 0 when there is none
	Record string // the object: kind and id, and its web address in quotes if known
	Scope  string // gap scope
	Code   string // gap or finding code
	Count  int64  // 0 when there is none
	Digest string // hex SHA-256, when the object is identified by bytes
	Text   string // a sentence of our own
}

// Level is how much a log says.
type Level int8

// The levels.
const (
	Failures Level = iota - 1 // nothing but why a program failed
	Notices                   // and what was changed, dropped or counted: the zero value
	Details                   // and what was done
)

// Log writes diagnostics of one program to one writer. It is safe for
// concurrent use. A nil *Log drops everything.
type Log struct {
	// Level may be changed before the first line.
	Level Level

	mu     sync.Mutex
	w      io.Writer
	stage  string
	format Format
	take   func(Notice) // instead of w
}

// NewLog gives a Log for the named program.
func NewLog(w io.Writer, stage string, format Format) *Log {
	return &Log{w: w, stage: stage, format: format}
}

// Collect gives a Log that writes nothing and hands every notice to take, one at a time.
func Collect(take func(Notice)) *Log { return &Log{take: take, w: io.Discard} }

// Notice writes one diagnostic line.
func (l *Log) Notice(n Notice) {
	if l == nil || l.Level < Notices {
		return
	}
	if l.take != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.take(n)
		return
	}
	if l.format == JSON {
		name, url := located(n.Record)
		l.json(struct {
			Stage  string `json:"stage"`
			Line   int64  `json:"line,omitempty"`
			Record string `json:"record,omitempty"`
			URL    string `json:"url,omitempty"`
			Scope  string `json:"scope,omitempty"`
			Code   string `json:"code,omitempty"`
			Count  int64  `json:"count,omitempty"`
			Digest string `json:"digest,omitempty"`
			Text   string `json:"text,omitempty"`
		}{l.stage, n.Line, ascii(name), url, n.Scope, n.Code, n.Count, n.Digest, n.Text})
		return
	}
	parts := []string{l.stage}
	if n.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", n.Line))
	}
	if n.Record != "" {
		parts = append(parts, Object(n.Record))
	}
	switch {
	case n.Scope != "" && n.Code != "":
		parts = append(parts, n.Scope+"/"+n.Code)
	case n.Scope+n.Code != "":
		parts = append(parts, n.Scope+n.Code)
	}
	if n.Count > 0 {
		parts = append(parts, fmt.Sprintf("count %d", n.Count))
	}
	if n.Digest != "" {
		parts = append(parts, "sha256 "+n.Digest)
	}
	if n.Text != "" {
		parts = append(parts, n.Text)
	}
	l.line(strings.Join(parts, ": "))
}

// Detail writes a diagnostic line for those who asked for more.
func (l *Log) Detail(n Notice) {
	if l != nil && l.Level >= Details {
		l.Notice(n)
	}
}

// Failure writes the one line of an error.
func (l *Log) Failure(err error) {
	if l == nil || err == nil {
		return
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Exit: Environment, Detail: Printable(err.Error(), maxCause)}
	}
	c := *e
	if c.Stage == "" {
		c.Stage = l.stage
	}
	if l.format == JSON {
		cause := ""
		if c.Cause != nil {
			cause = c.causeText()
		}
		name, url := located(c.Record)
		l.json(struct {
			Stage  string `json:"stage"`
			Exit   Exit   `json:"exit"`
			File   string `json:"file,omitempty"`
			Line   int64  `json:"line,omitempty"`
			Record string `json:"record,omitempty"`
			URL    string `json:"url,omitempty"`
			Rule   string `json:"rule,omitempty"`
			Scope  string `json:"scope,omitempty"`
			Code   string `json:"code,omitempty"`
			Detail string `json:"detail,omitempty"`
			Cause  string `json:"cause,omitempty"`
			Hint   string `json:"hint,omitempty"`
		}{c.Stage, c.Exit, ascii(c.File), c.Line, ascii(name), url, c.Rule, c.Scope, c.Code, c.Detail, cause, c.Hint})
		return
	}
	l.line(c.Error())
}

func ascii(s string) string {
	if s == "" {
		return ""
	}
	return Printable(s, maxPath)
}

func (l *Log) json(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(`{"detail":"diagnostic could not be encoded"}`)
	}
	l.line(string(b))
}

func (l *Log) line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	// A diagnostic that cannot be written has nowhere else to go.
	_, _ = io.WriteString(l.w, guard(s)+"\n")
}
