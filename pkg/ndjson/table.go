package ndjson

import (
	"fmt"
	"strconv"
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

// check judges a string; it returns a rule and what is wrong, or "".
type check func(d *decoder, s string) (rule, detail string)

func (d *decoder) string(v value, c check) (string, error) {
	if v.kind != '"' {
		return "", d.broken(RuleMemberType, "is %s and must be a string", v.kind)
	}
	s := string(v.text)
	if c != nil {
		if rule, detail := c(d, s); rule != "" {
			return "", d.broken(rule, "%s", detail)
		}
	}
	return s, nil
}

// text is a string member; absent is the empty string.
func text[T any, V ~string](name, need string, get func(*T) *V, c check) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			s, err := d.string(v, c)
			*get(t) = V(s)
			return err
		},
		write: func(e *encoder, t *T) { e.buf = AppendString(e.buf, *get(t)) },
		has:   func(t *T) bool { return *get(t) != "" },
	}
}

// word is a string member with a closed vocabulary.
func word[T any, V ~string](name, need string, get func(*T) *V, vocabulary ...V) member[T] {
	return text(name, need, get, oneOf(vocabulary...))
}

func oneOf[V ~string](vocabulary ...V) check {
	return func(_ *decoder, s string) (string, string) {
		for _, w := range vocabulary {
			if string(w) == s {
				return "", ""
			}
		}
		return RuleVocabulary, fault.Quote(s) + " is not in the vocabulary"
	}
}

// nullable is a string or null; absent and null are both nil.
func nullable[T any](name, need string, get func(*T) **string, c check) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			if v.kind == 'n' {
				*get(t) = nil
				return nil
			}
			s, err := d.string(v, c)
			*get(t) = &s
			return err
		},
		write: func(e *encoder, t *T) {
			if s := *get(t); s == nil {
				e.buf = append(e.buf, "null"...)
			} else {
				e.buf = AppendString(e.buf, *s)
			}
		},
		has: func(t *T) bool { return *get(t) != nil },
	}
}

// integer is a number from least on; absent is 0.
func integer[T any](name, need string, get func(*T) *int64, least, most int64) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			if v.kind != '0' {
				return d.broken(RuleMemberType, "is %s and must be a number", v.kind)
			}
			n := v.integer()
			if n < least || n > most {
				return d.broken(RuleRange, "%d is not within %d and %d", n, least, most)
			}
			*get(t) = n
			return nil
		},
		write: func(e *encoder, t *T) { e.buf = strconv.AppendInt(e.buf, *get(t), 10) },
		has:   func(t *T) bool { return *get(t) != 0 },
	}
}

func (d *decoder) flag(v value) (bool, error) {
	if v.kind != 't' && v.kind != 'f' {
		return false, d.broken(RuleMemberType, "is %s and must be a boolean", v.kind)
	}
	return v.kind == 't', nil
}

// boolean is true or false.
func boolean[T any](name, need string, get func(*T) *bool) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) (err error) {
			*get(t), err = d.flag(v)
			return err
		},
		write: func(e *encoder, t *T) { e.buf = strconv.AppendBool(e.buf, *get(t)) },
		has:   func(t *T) bool { return *get(t) },
	}
}

// onlyTrue is a member that is true or absent.
func onlyTrue[T any](name, need string, get func(*T) *bool) member[T] {
	m := boolean(name, need, get)
	m.read = func(d *decoder, v value, t *T) error {
		b, err := d.flag(v)
		if err == nil && !b {
			err = d.broken(RuleVocabulary, "is false and must be true or absent")
		}
		*get(t) = b
		return err
	}
	return m
}

// optionalFlag is a boolean whose absence is nil.
func optionalFlag[T any](name, need string, get func(*T) **bool) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			b, err := d.flag(v)
			*get(t) = &b
			return err
		},
		write: func(e *encoder, t *T) { e.buf = strconv.AppendBool(e.buf, **get(t)) },
		has:   func(t *T) bool { return *get(t) != nil },
	}
}

// object is a nested object that is always a part of T.
func object[T, U any](name, need string, get func(*T) *U, in *table[U]) member[T] {
	return member[T]{
		name: name, need: need,
		read:  func(d *decoder, v value, t *T) error { return readObject(d, v, get(t), in) },
		write: func(e *encoder, t *T) { in.append(e, get(t), "") },
		has:   func(*T) bool { return true },
	}
}

// optionalObject is a nested object whose absence is nil.
func optionalObject[T, U any](name, need string, get func(*T) **U, in *table[U]) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			u := new(U)
			*get(t) = u
			return readObject(d, v, u, in)
		},
		write: func(e *encoder, t *T) {
			u := *get(t)
			if u == nil {
				e.fail("member %s has no value", name)
				return
			}
			in.append(e, u, "")
		},
		has: func(t *T) bool { return *get(t) != nil },
	}
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = &fault.Error{Exit: fault.Environment, Rule: RuleUsage, Detail: fmt.Sprintf(format, args...)}
	}
}

func readObject[U any](d *decoder, v value, u *U, in *table[U]) error {
	if v.kind != '{' {
		return d.broken(RuleMemberType, "is %s and must be an object", v.kind)
	}
	mark := d.scan.n
	var room [12]entry
	members, _, rule := d.scan.object(v.raw, 0, 1, room[:0])
	if rule != "" {
		return d.broken(rule, "cannot be read again")
	}
	err := in.read(d, members, u)
	d.scan.n = mark
	return err
}

func readArray(d *decoder, v value, f func(value) error) error {
	if v.kind != '[' {
		return d.broken(RuleMemberType, "is %s and must be an array", v.kind)
	}
	_, rule, err := d.scan.array(v.raw, 0, 1, f)
	if rule != "" {
		return d.broken(rule, "cannot be read again")
	}
	return err
}

// objects is an array of objects.
func objects[T, U any](name, need string, get func(*T) *[]U, in *table[U]) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			out := []U{}
			err := readArray(d, v, func(v value) error {
				out = append(out, *new(U))
				return readObject(d, v, &out[len(out)-1], in)
			})
			*get(t) = out
			return err
		},
		write: func(e *encoder, t *T) {
			e.buf = append(e.buf, '[')
			for i := range *get(t) {
				if i > 0 {
					e.buf = append(e.buf, ',')
				}
				in.append(e, &(*get(t))[i], "")
			}
			e.buf = append(e.buf, ']')
		},
		has: func(t *T) bool { return len(*get(t)) > 0 },
	}
}

// list is an array of strings. judge looks at the whole list and may be nil.
func list[T any](name, need string, get func(*T) *[]string, c check, judge func([]string) string) member[T] {
	return member[T]{
		name: name, need: need,
		read: func(d *decoder, v value, t *T) error {
			out := []string{}
			err := readArray(d, v, func(v value) error {
				s, err := d.string(v, c)
				out = append(out, s)
				return err
			})
			*get(t) = out
			if err == nil && judge != nil {
				if detail := judge(out); detail != "" {
					return d.broken(RuleRecordKeys, "%s", detail)
				}
			}
			return err
		},
		write: func(e *encoder, t *T) {
			e.buf = append(e.buf, '[')
			for i, s := range *get(t) {
				if i > 0 {
					e.buf = append(e.buf, ',')
				}
				e.buf = AppendString(e.buf, s)
			}
			e.buf = append(e.buf, ']')
		},
		has: func(t *T) bool { return len(*get(t)) > 0 },
	}
}
