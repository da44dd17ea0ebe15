// Package strictjson decodes answers of forges without guessing. Duplicate members
// are refused, names match exactly, null and absent differ, integers are 64 bits
// and never pass through a float, times stay raw strings, and a lone surrogate
// escape becomes its three WTF-8 bytes instead of a silent replacement (AMB-05).
//
// An adapter declares what it reads by asking for members. The first wrong answer
// is kept as the document's error, with its path, and every later question gets a
// zero value: ask all questions, then look at Document.Err once.
package strictjson

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// MaxDepth is the deepest nesting that is read.
const MaxDepth = 64

// ErrSyntax is the reason of every refused text. Errors name an offset or a path of
// member names of ours, never content.
var ErrSyntax = errors.New("not strict JSON")

type kind uint8

const (
	absent kind = iota
	null
	boolean
	number
	text
	array
	object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}

// node is one parsed value. raw is its literal, a string's without the quotes; items
// are array elements or member values.
type node struct {
	kind  kind
	truth bool
	raw   []byte
	names []string
	items []node
}

// Document is one parsed text and the first error met while reading it.
type Document struct {
	root node
	err  error
}

// Parse reads exactly one JSON value. Raw bytes that are not UTF-8 are allowed in
// string values (they travel as they are) and nowhere else.
func Parse(data []byte) (*Document, error) {
	p := parser{data: data}
	p.space()
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at != len(p.data) {
		return nil, p.fail("bytes after the value")
	}
	return &Document{root: root}, nil
}

// Err gives the first wrong answer to a question about the document.
func (d *Document) Err() error { return d.err }

// Root gives the outermost value.
func (d *Document) Root() Value { return Value{doc: d, node: &d.root} }

// Object gives the outermost value, which must be an object.
func (d *Document) Object() Object { return d.Root().Object() }

func (d *Document) wrong(path, want string, found kind) {
	if d.err == nil {
		if path == "" {
			path = "the answer"
		}
		d.err = fmt.Errorf("%w: %s is %s, want %s", ErrSyntax, path, kindNames[found], want)
	}
}

// Value is a value of any type. The zero Value is absent.
type Value struct {
	doc  *Document
	node *node
	path string
}

func (v Value) kind() kind {
	if v.node == nil {
		return absent
	}
	return v.node.kind
}

// Absent reports that there is no such member.
func (v Value) Absent() bool { return v.kind() == absent }

// Null reports a literal null.
func (v Value) Null() bool { return v.kind() == null }

// Missing reports that the member is absent or null.
func (v Value) Missing() bool { return v.kind() <= null }

// IsText reports a string.
func (v Value) IsText() bool { return v.kind() == text }

// IsObject reports an object.
func (v Value) IsObject() bool { return v.kind() == object }

func (v Value) want(k kind) bool {
	if v.kind() == k {
		return true
	}
	if v.doc != nil {
		v.doc.wrong(v.path, kindNames[k], v.kind())
	}
	return false
}

// Text gives a string; anything else is an error.
func (v Value) Text() string {
	if !v.want(text) {
		return ""
	}
	return string(unescape(v.node.raw))
}

// Bytes gives the decoded bytes of a string; they may be no UTF-8.
func (v Value) Bytes() []byte {
	if !v.want(text) {
		return nil
	}
	return unescape(v.node.raw)
}

// Raw gives the value as it was sent, a string without its quotes.
func (v Value) Raw() []byte {
	if v.node == nil {
		return nil
	}
	return v.node.raw
}

// Len gives the number of decoded bytes of a string without decoding it; 0 for null
// and for an absent member.
func (v Value) Len() int64 {
	if v.Missing() || !v.want(text) {
		return 0
	}
	return decodedLen(v.node.raw)
}

// Int gives an integer; a fraction, an exponent or more than 64 bits is an error.
func (v Value) Int() int64 {
	if !v.want(number) {
		return 0
	}
	n, err := strconv.ParseInt(string(v.node.raw), 10, 64)
	if err != nil {
		v.doc.wrong(v.path, "a 64-bit integer", number)
		return 0
	}
	return n
}

// Bool gives a boolean; anything else is an error.
func (v Value) Bool() bool { return v.want(boolean) && v.node.truth }

// Array gives the elements of an array; anything else is an error. Elements may be
// null: ask.
func (v Value) Array() []Value {
	if !v.want(array) {
		return nil
	}
	out := make([]Value, len(v.node.items))
	for i := range v.node.items {
		out[i] = Value{doc: v.doc, node: &v.node.items[i], path: v.path + "[" + strconv.Itoa(i) + "]"}
	}
	return out
}

// List is Array for what a server writes as null when it is empty.
func (v Value) List() []Value {
	if v.Null() {
		return nil
	}
	return v.Array()
}

// Object gives an object; anything else is an error, and every question to the
// result then gets a zero value without a further error.
func (v Value) Object() Object {
	if !v.want(object) {
		return Object{}
	}
	return Object(v)
}

// Object is a JSON object. The zero Object answers every question with a zero value.
type Object Value

// Raw gives the object as it was sent.
func (o Object) Raw() []byte { return Value(o).Raw() }

// Exists reports whether there is an object to ask.
func (o Object) Exists() bool { return o.node != nil }

// Get gives a member, absent if there is none of that exact name.
func (o Object) Get(name string) Value {
	v := Value{doc: o.doc, path: name}
	if o.path != "" {
		v.path = o.path + "." + name
	}
	if o.node == nil {
		v.doc = nil
		return v
	}
	for i, n := range o.node.names {
		if n == name {
			v.node = &o.node.items[i]
			break
		}
	}
	return v
}

// Other gives the first member that is none of names: for objects that are closed.
func (o Object) Other(names []string) (string, bool) {
	if o.node == nil {
		return "", false
	}
	for _, n := range o.node.names {
		if !slices.Contains(names, n) {
			return n, true
		}
	}
	return "", false
}

// Text gives a member that must be a string.
func (o Object) Text(name string) string { return o.Get(name).Text() }

// Int gives a member that must be a 64-bit integer.
func (o Object) Int(name string) int64 { return o.Get(name).Int() }

// Bool gives a member that must be a boolean.
func (o Object) Bool(name string) bool { return o.Get(name).Bool() }

// Object gives a member that must be an object.
func (o Object) Object(name string) Object { return o.Get(name).Object() }

// Array gives a member that must be an array.
func (o Object) Array(name string) []Value { return o.Get(name).Array() }

// OptText gives a string, or nil when the member is null or absent.
func (o Object) OptText(name string) *string {
	v := o.Get(name)
	if v.Missing() {
		return nil
	}
	s := v.Text()
	return &s
}

// OptInt gives an integer, or nil when the member is null or absent.
func (o Object) OptInt(name string) *int64 {
	v := o.Get(name)
	if v.Missing() {
		return nil
	}
	n := v.Int()
	return &n
}

// OptBool gives a boolean, or nil when the member is null or absent.
func (o Object) OptBool(name string) *bool {
	v := o.Get(name)
	if v.Missing() {
		return nil
	}
	b := v.Bool()
	return &b
}

// OptObject gives an object, or one that does not exist when the member is null or
// absent.
func (o Object) OptObject(name string) Object {
	v := o.Get(name)
	if v.Missing() {
		return Object{}
	}
	return v.Object()
}

// Nullable gives a member that must be present, null or not: for members that an
// answer has to contain even when there is nothing to say.
func (o Object) Nullable(name string) Value {
	v := o.Get(name)
	if v.Absent() && v.doc != nil {
		v.doc.wrong(v.path, "a member, null or not", absent)
	}
	return v
}

// Digits gives an integer above zero as decimal digits: a numeric identifier. A null or
// absent member, zero and negative numbers give "": an object without an identifier is
// one invalid object, not an answer that cannot be read (KEY-07).
func (o Object) Digits(name string) string {
	n := o.OptInt(name)
	if n == nil || *n <= 0 {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// ID gives a string that identifies an object, and "" like Digits.
func (o Object) ID(name string) string {
	s := o.OptText(name)
	if s == nil {
		return ""
	}
	return *s
}
