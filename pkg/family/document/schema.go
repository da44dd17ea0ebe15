package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"path"
	"slices"
	"strconv"
	"strings"

	"snapline/pkg/fault"
)

// Schema is a JSON Schema (draft 2020-12) of the few keywords that the two families
// need, evaluated with the place of every fault. Three keywords are annotations of
// ours or of the protocol's: x-msp-openness "open" makes a value outside an enum a
// warning, x-display-text marks text that is shown to people and models, and x-newer a
// member that an older schema does not know: there it may have any value, so that one
// which does not fit is a warning.
type Schema struct {
	Type       string             `json:"type"`
	Const      string             `json:"const"`
	Enum       []string           `json:"enum"`
	Openness   string             `json:"x-msp-openness"`
	Display    bool               `json:"x-display-text"`
	Newer      bool               `json:"x-newer"`
	Minimum    *int64             `json:"minimum"`
	Required   []string           `json:"required"`
	Properties map[string]*Schema `json:"properties"`
	Additional *bool              `json:"additionalProperties"`
	Items      *Schema            `json:"items"`
	AnyOf      []*Schema          `json:"anyOf"` // exactly two: a schema and {"type": "null"}
	Ref        string             `json:"$ref"`
	Defs       map[string]*Schema `json:"$defs"`

	ID          string `json:"$id"`
	Draft       string `json:"$schema"`
	Title       string `json:"title"`
	Description string `json:"description"`

	name  string          // of a definition
	newer map[string]bool // properties that are newer
}

// LoadSchemas reads the schemas of one directory that ship with the program, by file
// name. It panics on a schema that it does not evaluate completely.
func LoadSchemas(files fs.FS, dir string) map[string]*Schema {
	names, err := fs.Glob(files, path.Join(dir, "*.json"))
	if err != nil || len(names) == 0 {
		panic("document: no schemas in " + dir)
	}
	schemas := map[string]*Schema{}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		s := &Schema{}
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		if err == nil {
			err = d.Decode(s)
		}
		if err != nil {
			panic("document: " + name + ": " + err.Error())
		}
		schemas[path.Base(name)] = s
	}
	for _, s := range schemas {
		for name, d := range s.Defs {
			d.name = name
		}
		s.link(s, schemas)
	}
	return schemas
}

// link replaces every reference and nullable pair below s by what it means.
func (s *Schema) link(root *Schema, files map[string]*Schema) {
	follow := func(at *Schema) *Schema {
		if at == nil || at.Ref == "" {
			if at != nil {
				at.link(root, files)
			}
			return at
		}
		file, def, _ := strings.Cut(at.Ref, "#/$defs/")
		target := files[file]
		if file == "" {
			target = root
		}
		if target != nil && def != "" {
			target = target.Defs[def]
		}
		if target == nil {
			panic("document: schema reference " + at.Ref)
		}
		return target
	}
	for name, p := range s.Properties {
		if p.Newer {
			if s.newer == nil {
				s.newer = map[string]bool{}
			}
			s.newer[name] = true
		}
		s.Properties[name] = follow(p)
	}
	for _, d := range s.Defs {
		d.link(root, files)
	}
	s.Items = follow(s.Items)
	for i, a := range s.AnyOf {
		s.AnyOf[i] = follow(a)
	}
	if len(s.AnyOf) > 0 && (len(s.AnyOf) != 2 || s.AnyOf[1].Type != "null") {
		panic("document: anyOf is only for a schema or null")
	}
}

// Check holds a value against the schema: a finding for every fault and for every
// member that the schema does not know, and every string with its policy. Findings
// and texts come in document order; what is missing from an object comes before what
// is in it. place is the JSON Pointer of v. Locate gives the findings their lines.
func (s *Schema) Check(v *Value, place string) ([]Finding, []Text) {
	c := &checker{}
	c.check(s, v, place)
	return c.findings, c.texts
}

type checker struct {
	findings []Finding
	texts    []Text
}

func (c *checker) add(level Level, code, place string, v *Value, format string, args ...any) {
	c.findings = append(c.findings, NewFinding(level, code, place, v.Start, format, args...))
}

func (c *checker) check(s *Schema, v *Value, place string) {
	if len(s.AnyOf) > 0 {
		if v.Kind == Null {
			return
		}
		s = s.AnyOf[0]
	}
	if !s.admits(v) {
		if v.Kind == Null {
			c.add(Error, "null-not-allowed", place, v, "null is not allowed here")
		} else {
			c.add(Error, "type", place, v, "%s is expected%s", s.wanted(), s.capped(v))
		}
		c.opaque(v, false)
		return
	}
	switch v.Kind {
	case Object:
		c.object(s, v, place)
	case Array:
		for i := range v.Members {
			if s.Items == nil {
				c.opaque(&v.Members[i], s.Display)
				continue
			}
			c.check(s.Items, &v.Members[i], place+"/"+strconv.Itoa(i))
		}
	case String:
		c.text(s, v, place)
	case Number:
		c.number(s, v, place)
	case Bool, Null:
	}
}

// admits reports whether the value is of the schema's type.
func (s *Schema) admits(v *Value) bool {
	switch s.Type {
	case "":
		return s.Const == "" && s.Enum == nil || v.Kind == String
	case "integer":
		if v.Kind != Number {
			return false
		}
		n, _ := Integer(v.Text)
		return n != nil
	}
	return s.Type == [...]string{"null", "boolean", "number", "string", "array", "object"}[v.Kind]
}

func (s *Schema) wanted() string {
	switch s.Type {
	case "integer", "array", "object":
		return "an " + s.Type
	case "":
		return "a string"
	}
	return "a " + s.Type
}

// capped says of a number that is refused as an integer for its size alone that it is.
func (s *Schema) capped(v *Value) string {
	if s.Type != "integer" || v.Kind != Number {
		return ""
	}
	if _, _, tooLong := integer(v.Text); tooLong {
		return fmt.Sprintf("; digits and exponents are capped: %d digits, %d where an exponent or a fraction is written", maxDigits, maxExpanded)
	}
	return ""
}

func (c *checker) object(s *Schema, v *Value, place string) {
	for _, name := range s.Required {
		if v.Member(name) == nil {
			c.add(Error, "missing", place+"/"+name, v, "the required member %s is missing", name)
		}
	}
	closed := s.Additional != nil && !*s.Additional
	for i := range v.Members {
		m := &v.Members[i]
		at := place + "/" + pointerEscapes.Replace(m.Name)
		known := s.Properties[m.Name]
		switch {
		case known != nil:
			from := len(c.findings)
			c.check(known, m, at)
			if s.newer[m.Name] {
				tolerate(c.findings[from:])
			}
			continue
		case closed:
			c.add(Error, "unknown-member", at, m, "the member %s does not exist here", fault.Quote(m.Name))
		case s.Properties != nil:
			c.add(Note, "unknown-member", at, m, "the member %s is not in the schema; it is kept", fault.Quote(m.Name))
		}
		c.texts = append(c.texts, Text{Start: m.NameStart, End: m.NameEnd, Value: m.Name, Policy: Report})
		c.opaque(m, s.Display)
	}
}

// tolerate makes warnings of the errors in a newer member: where an older schema counts,
// it is an unknown member.
func tolerate(findings []Finding) {
	for i := range findings {
		if f := &findings[i]; f.Level == Error {
			f.Level, f.Code, f.Detail = Warning, NewerMemberType, f.Detail+" by the newer schema; the older one does not know the member"
		}
	}
}

// NewerMemberType is the code of a newer member that does not fit.
const NewerMemberType = "newer-member-type"

func (c *checker) text(s *Schema, v *Value, place string) {
	t := Text{Start: v.Start, End: v.End, Value: v.Text, Policy: Report}
	if s.Display {
		t.Policy = Replace
	}
	c.texts = append(c.texts, t)
	switch {
	case s.Const != "" && v.Text != s.Const:
		c.add(Error, "const", place, v, "only %s is allowed", strconv.Quote(s.Const))
	case s.Enum == nil || slices.Contains(s.Enum, v.Text):
	case s.Openness == "open":
		c.add(Warning, "open-enum", place, v, "%s is not a known %s", fault.Quote(v.Text), s.name)
	default:
		c.add(Error, "closed-enum", place, v, "%s is not one of %s", fault.Quote(v.Text), strings.Join(s.Enum, ", "))
	}
}

var (
	maxSafe = big.NewInt(1<<53 - 1)
	minSafe = new(big.Int).Neg(maxSafe)
)

func (c *checker) number(s *Schema, v *Value, place string) {
	if s.Type != "integer" {
		return
	}
	n, plain := Integer(v.Text)
	if s.Minimum != nil && n.Cmp(big.NewInt(*s.Minimum)) < 0 {
		c.add(Error, "minimum", place, v, "less than %d", *s.Minimum)
	}
	if !plain {
		c.add(Note, "number-notation", place, v, "an integer written in another notation")
	}
	if n.Cmp(maxSafe) > 0 || n.Cmp(minSafe) < 0 {
		c.add(Note, "integer-range", place, v, "beyond 2^53-1: valid, not hashable")
	}
}

// opaque collects the strings of a value of which nothing is known, or only that it is
// display text. There is no place to name: the names in it may be long and many.
func (c *checker) opaque(v *Value, display bool) {
	if v.Kind == String {
		t := Text{Start: v.Start, End: v.End, Value: v.Text, Policy: Report}
		if display {
			t.Policy = Replace
		}
		c.texts = append(c.texts, t)
	}
	for i := range v.Members {
		m := &v.Members[i]
		if v.Kind == Object {
			c.texts = append(c.texts, Text{Start: m.NameStart, End: m.NameEnd, Value: m.Name, Policy: Report})
		}
		c.opaque(m, display)
	}
}

// pointerEscapes spells a name as a token of a JSON Pointer. A replacer is made once: it
// is used for every member of a document.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// What is still read as an integer: longer ones are nobody's integers, and one in another
// notation is no longer than a double could be.
const (
	maxDigits   = 4300
	maxExpanded = 310
)

// Integer gives the exact value of a number literal that is an integer in any
// notation, or nil. plain reports the ordinary notation: no fraction, no exponent, no
// -0. The work is bounded: an integer of more than 4,300 digits is refused, and one of
// more than 310 that is not plain.
func Integer(literal string) (n *big.Int, plain bool) {
	n, plain, _ = integer(literal)
	return n, plain
}

// integer is Integer; tooLong reports a literal that is refused for its size.
func integer(literal string) (n *big.Int, plain, tooLong bool) {
	mantissa, exponent := literal, "0"
	if i := strings.IndexAny(literal, "eE"); i >= 0 {
		mantissa, exponent = literal[:i], literal[i+1:]
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	plain = mantissa == literal && !dotted && literal != "-0"
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "-") == "" {
		return new(big.Int), plain, false
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e > 1<<20 || e < -1<<26 {
		return nil, plain, !strings.HasPrefix(exponent, "-")
	}
	zeros := len(whole) + e - len(digits)
	if zeros < 0 {
		return nil, plain, false
	}
	if len(strings.TrimPrefix(digits, "-"))+zeros > maxDigits || !plain && len(digits)+zeros > maxExpanded {
		return nil, plain, true
	}
	n, ok := new(big.Int).SetString(digits+strings.Repeat("0", zeros), 10)
	if !ok {
		return nil, plain, false
	}
	return n, plain, false
}
