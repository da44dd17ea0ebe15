package stream

import (
	"fmt"
	"strings"

	"snapline/pkg/fault"
)

// A table says everything about one JSON object: its members in writing order,
// where each stands, what it may hold, and how it maps to the Go value. The reader
// and the writer are two walks over the same table.
type table[T any] struct {
	members []member[T]
	check   func(*decoder, *T) error // what no single member can tell; may be nil
}

// member is one row of a table.
type member[T any] struct {
	name string
	// need has one letter for each position, written by fetch, filter, bound:
	// R required, O optional, C conditional, - absent.
	need string
	// when decides at conditional positions whether the member stands: it must
	// exactly if when holds, else rule is broken. Nil: check decides.
	when func(*T) bool
	rule string

	read  func(*decoder, value, *T) error
	write func(*encoder, *T)
	has   func(*T) bool // the Go value has something to write
}

// decoder is what reading a line needs besides its bytes.
type decoder struct {
	scan *scanner
	pos  int // 1 written by fetch, 2 by filter, 3 by bound
	path []string
}

// encoder is what writing a line needs. A large literal that is known already is
// kept aside, to be written after buf[:split] without another copy.
type encoder struct {
	buf     []byte
	pos     int
	literal []byte
	split   int
	err     error
}

// broken makes the error of a broken stream. Line and file come at the edge.
func broken(rule, format string, args ...any) *fault.Error {
	return fault.New(fault.Input, rule, format, args...)
}

// broken is as the function, with the member that is being read.
func (d *decoder) broken(rule, format string, args ...any) *fault.Error {
	e := broken(rule, format, args...)
	if len(d.path) > 0 {
		e.Detail = "member " + strings.Join(d.path, ".") + ": " + e.Detail
	}
	return e
}

func (t *table[T]) find(name []byte) int {
	for i := range t.members {
		if t.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

func (t *table[T]) read(d *decoder, in []entry, out *T) error {
	var seen uint64
	for _, e := range in {
		i := t.find(e.name)
		if i < 0 {
			return d.broken(RuleUnknownMember, "unknown member %s", fault.Quote(string(e.name)))
		}
		m := &t.members[i]
		if m.need[d.pos-1] == '-' {
			return d.broken(RuleMemberPosition, "member %s does not stand in the output of %s", m.name, stageName(d.pos))
		}
		d.path = append(d.path, m.name)
		if err := m.read(d, e.value, out); err != nil {
			return err
		}
		d.path = d.path[:len(d.path)-1]
		seen |= 1 << i
	}
	for i := range t.members {
		m := &t.members[i]
		if m.need[d.pos-1] == 'R' && seen&(1<<i) == 0 {
			return d.broken(RuleMissingMember, "member %s is missing", m.name)
		}
	}
	for i := range t.members {
		m := &t.members[i]
		if m.need[d.pos-1] != 'C' || m.when == nil {
			continue
		}
		switch want, is := m.when(out), seen&(1<<i) != 0; {
		case want && !is:
			return d.broken(m.rule, "member %s must be present here", m.name)
		case is && !want:
			return d.broken(m.rule, "member %s must be absent here", m.name)
		}
	}
	if t.check != nil {
		return t.check(d, out)
	}
	return nil
}

// append writes the object; name and value of a first member may be given.
func (t *table[T]) append(e *encoder, v *T, lineType string) {
	e.buf = append(e.buf, '{')
	comma := false
	if lineType != "" {
		e.buf = append(append(append(e.buf, `"type":"`...), lineType...), '"')
		comma = true
	}
	for i := range t.members {
		m := &t.members[i]
		write := false
		switch m.need[e.pos-1] {
		case 'R':
			write = true
		case 'O':
			write = m.has(v)
		case 'C':
			if m.when != nil {
				write = m.when(v)
			} else {
				write = m.has(v)
			}
		}
		if !write {
			continue
		}
		if comma {
			e.buf = append(e.buf, ',')
		}
		comma = true
		e.buf = append(append(append(e.buf, '"'), m.name...), `":`...)
		m.write(e, v)
	}
	e.buf = append(e.buf, '}')
}

// on makes the member conditional on when, at the positions marked C.
func (m member[T]) on(when func(*T) bool, rule string) member[T] {
	m.when, m.rule = when, rule
	return m
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = &fault.Error{Exit: fault.Environment, Rule: RuleUsage, Detail: fmt.Sprintf(format, args...)}
	}
}
