package stream

import (
	"strconv"

	"snapline/pkg/fault"
)

// The kinds of members. Each builds a row of a table from a name, the positions and
// the place in the Go value.

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

func readObject[U any](d *decoder, v value, u *U, in *table[U]) error {
	if v.kind != '{' {
		return d.broken(RuleMemberType, "is %s and must be an object", v.kind)
	}
	mark := d.scan.n
	var room [12]entry
	members, _, rule := d.scan.object(v.raw, 0, 2, room[:0])
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
