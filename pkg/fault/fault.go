// Package fault holds the one positioned error of the five programs, the one
// table of exit codes, and the one way in which either is printed.
//
// An Error says where (stage, file, line, record), which rule, and what to do;
// it never carries content. Untrusted names are quoted as ASCII and cut, and no
// printed line can start a workflow command of a CI system.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// Exit is a process exit code. The values are the same for all five programs.
type Exit int

// The exit table.
const (
	Done        Exit = 0   // the work is done, or help was asked for
	Aborted     Exit = 1   // assembly aborted, or verification failed
	Usage       Exit = 2   // the command line is wrong; nothing was read or sent
	Input       Exit = 3   // the input is broken or foreign
	Environment Exit = 4   // network, credentials, limits, disk
	Unsupported Exit = 5   // the entity is of a kind that starts no assembly
	Quiet       Exit = 141 // nobody reads stdout any more
)

// ExitTable lists code and meaning for usage texts, in ascending order.
var ExitTable = []struct {
	Code    Exit
	Meaning string
}{
	{Done, "done"},
	{Aborted, "assembly aborted, or verification failed"},
	{Usage, "usage error; nothing was read or sent"},
	{Input, "broken or foreign input"},
	{Environment, "environment: network, credentials, limits, disk"},
	{Unsupported, "unsupported entity; start no agent unless its operator allowed that"},
	{Quiet, "stdout was closed by its reader"},
}

// Error is a failure with its position. Every field but Exit and Detail is
// optional. Detail and Hint are sentences of our own; text from outside enters
// them only through Quote.
type Error struct {
	Exit   Exit
	Stage  string // program name; set once at the stage edge
	File   string // "stdin" or a path as the user gave it
	Line   int64  // 1-based line of File; 0 when there is none
	Record string // the record concerned: kind and id, and its web address in quotes if known
	Rule   string // stable name of the broken rule, for example "stream.trailer-digest"
	Scope  string // gap scope, when the cause is a gap
	Code   string // gap code, when the cause is a gap
	Detail string // what was found and what is needed
	Hint   string // the one thing to do next
	Cause  error  // wrapped cause; printed quoted
}

// Error prints the position first, as a compiler does.
func (e *Error) Error() string {
	var b strings.Builder
	part := func(s string) {
		if s == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(s)
	}
	part(e.Stage)
	switch {
	case e.File != "" && e.Line > 0:
		part(Printable(e.File, maxPath) + ":" + strconv.FormatInt(e.Line, 10))
	case e.File != "":
		part(Printable(e.File, maxPath))
	case e.Line > 0:
		part("line " + strconv.FormatInt(e.Line, 10))
	}
	if e.Record != "" {
		part(Object(e.Record))
	}
	part(e.Rule)
	if e.Scope != "" {
		part(e.Scope + "/" + e.Code)
	}
	part(e.Detail)
	if e.Cause != nil {
		part(e.causeText())
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// causeText words the cause. What the system says about File does not name it again.
func (e *Error) causeText() string {
	var inner *Error
	if errors.As(e.Cause, &inner) {
		return inner.Error()
	}
	cause := e.Cause
	if of, ok := cause.(*fs.PathError); ok && filepath.Base(of.Path) == filepath.Base(e.File) {
		cause = of.Err
	}
	return Printable(cause.Error(), maxCause)
}

// New makes an Error of one sentence.
func New(exit Exit, rule, format string, args ...any) *Error {
	return &Error{Exit: exit, Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// ExitOf gives the exit code of err: Done for nil, the code of the outermost
// Error in its chain, otherwise Environment.
func ExitOf(err error) Exit {
	if err == nil {
		return Done
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Exit
	}
	return Environment
}
