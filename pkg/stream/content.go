package stream

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"

	"snapline/pkg/contract"
)

// contentMembers are the forms in which a body or log travels; a line has one of
// them, or none when it is rejected.
func contentMembers[T any](get func(*T) *contract.Content, log bool) []member[T] {
	form := func(name, need string, f contract.Form, read func(*decoder, value, *contract.Content) error, write func(*encoder, *contract.Content)) member[T] {
		return member[T]{
			name: name, need: need,
			has: func(t *T) bool { return get(t).Form == f },
			read: func(d *decoder, v value, t *T) error {
				c := get(t)
				if c.Form != contract.FormNone {
					return d.broken(RuleContent, "content stands twice")
				}
				c.Form = f
				return read(d, v, c)
			},
			write: func(e *encoder, t *T) { write(e, get(t)) },
		}
	}
	members := []member[T]{
		form("body", "CCC", contract.FormText, readBody, writeBody),
		form("body_base64", "C--", contract.FormBytes, readBase64Body, func(e *encoder, c *contract.Content) {
			e.buf = appendBase64(e.buf, c.Bytes)
		}),
		form("oversize", "CC-", contract.FormOversize, func(d *decoder, v value, _ *contract.Content) error {
			b, err := d.flag(v)
			if err == nil && !b {
				err = d.broken(RuleVocabulary, "is false and must be true or absent")
			}
			return err
		}, func(e *encoder, _ *contract.Content) { e.buf = append(e.buf, "true"...) }),
	}
	if log {
		missing := oneOf(contract.FetchFailed, contract.AuthorizationFailed, contract.Unsupported)
		members = append(members, form("missing", "CC-", contract.FormMissing,
			func(d *decoder, v value, c *contract.Content) error {
				s, err := d.string(v, missing)
				c.Missing = contract.GapCode(s)
				return err
			}, func(e *encoder, c *contract.Content) { e.buf = AppendString(e.buf, c.Missing) }))
	}
	return members
}

// readBody keeps aliases of the line; the reader makes the line own its memory.
func readBody(d *decoder, v value, c *contract.Content) error {
	if v.kind != '"' {
		return d.broken(RuleMemberType, "is %s and must be a string", v.kind)
	}
	c.Bytes = v.text
	if v.minimal {
		c.Literal = v.raw
	}
	return nil
}

// bulk is the size in bytes from which a literal is written without passing
// through the encoder's buffer.
const bulk = 32 << 10

func writeBody(e *encoder, c *contract.Content) {
	switch {
	case c.Literal == nil:
		e.buf = AppendString(e.buf, c.Bytes)
	case len(c.Literal) < bulk:
		e.buf = append(append(append(e.buf, '"'), c.Literal...), '"')
	default:
		e.buf = append(e.buf, '"')
		e.literal, e.split = c.Literal, len(e.buf)
		e.buf = append(e.buf, '"')
	}
}

func readBase64Body(d *decoder, v value, c *contract.Content) (err error) {
	c.Bytes, err = d.base64(v)
	return err
}

// base64 decodes strictly: standard alphabet, padded, no line breaks, no spare
// bits; and only what is no valid UTF-8, so that every text has one spelling.
func (d *decoder) base64(v value) ([]byte, error) {
	if v.kind != '"' {
		return nil, d.broken(RuleMemberType, "is %s and must be a string", v.kind)
	}
	if bytes.ContainsAny(v.text, "\r\n") {
		return nil, d.broken(RuleBase64, "has line breaks")
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(v.text)))
	n, err := base64.StdEncoding.Strict().Decode(out, v.text)
	if err != nil {
		return nil, d.broken(RuleBase64, "is not canonical base64")
	}
	if utf8.Valid(out[:n]) {
		return nil, d.broken(RuleBase64, "is valid UTF-8 and must travel as text")
	}
	return out[:n:n], nil
}

func appendBase64(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

// checkContent holds a line's form against its filter. oversize content has not
// been filtered; after filter only rejected content has no form.
func checkContent(d *decoder, c *contract.Content, f *contract.Filter) error {
	switch {
	case d.pos == 1 || !rejected(f):
		if c.Form == contract.FormNone {
			return d.broken(RuleContent, "content is missing")
		}
	case c.Form != contract.FormNone:
		return d.broken(RuleRejection, "rejected content must be absent")
	}
	return nil
}

// carried reports whether content came far enough to be filtered.
func carried(c *contract.Content) bool {
	return c.Form != contract.FormOversize && c.Form != contract.FormMissing
}
