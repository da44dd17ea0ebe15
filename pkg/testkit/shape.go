package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Shape is one object of a document format as a requirement states it: where a sample has
// one, and its members. Of it follow the documents that differ from the sample in one
// member of that object, with the verdict on each.
//
// Members are words name:type. The types are string, int, number, bool, array, strings,
// object, const, enum(a|b) and open(a|b); ? marks an optional member, ^ one that may be
// null, + one of a newer schema.
type Shape struct{ Rows, Place, Members string }

// Shapes makes shapes of rows, places and members.
func Shapes(table [][3]string) []Shape {
	shapes := make([]Shape, len(table))
	for i, s := range table {
		shapes[i] = Shape{Rows: s[0], Place: s[1], Members: s[2]}
	}
	return shapes
}

// Judge gives the errors of a document as code@place, and apart from them those in
// members of a newer schema.
type Judge func(raw []byte) (errors, newer []string)

// Check holds every document of the shape against judge. A closed format refuses a
// member that the shape does not name.
func (s Shape) Check(t *testing.T, raw []byte, closed bool, judge Judge) {
	t.Helper()
	expect := func(what string, edit string, errors, newer []string) {
		t.Helper()
		changed := Edit(t, raw, edit)
		gotErrors, gotNewer := judge(changed)
		slices.Sort(gotErrors)
		slices.Sort(gotNewer)
		slices.Sort(errors)
		if !slices.Equal(gotErrors, errors) || !slices.Equal(gotNewer, newer) {
			t.Errorf("%s %s: %s\n got %v %v\nwant %v %v", s.Place, what, edit, gotErrors, gotNewer, errors, newer)
		}
	}
	object, _ := find(t, Edit(t, raw, ""), s.Place).(map[string]any)
	if object == nil {
		t.Fatalf("the sample has no object at %q", s.Place)
	}
	if closed {
		expect("a member too many", s.Place+"/another_one=1", []string{"unknown-member@" + s.Place + "/another_one"}, nil)
	} else {
		expect("a member too many", s.Place+`/another_one={"a":[null,1.5]}`, nil, nil)
	}
	for _, word := range strings.Fields(s.Members) {
		m := parseMember(word)
		m.place = s.Place + "/" + m.name
		_, there := object[m.name]
		if !there && !m.optional {
			t.Fatalf("the sample has no %s", m.place)
		}
		m.check(expect, there, closed)
	}
}

type shapeMember struct {
	name, place, kind         string
	values                    []string
	optional, nullable, newer bool
}

func parseMember(word string) shapeMember {
	name, kind, _ := strings.Cut(word, ":")
	m := shapeMember{name: name}
	for _, mark := range []struct {
		text string
		is   *bool
	}{{"?", &m.optional}, {"^", &m.nullable}, {"+", &m.newer}} {
		if *mark.is = strings.Contains(kind, mark.text); *mark.is {
			kind = strings.ReplaceAll(kind, mark.text, "")
		}
	}
	kind, list, _ := strings.Cut(strings.TrimSuffix(kind, ")"), "(")
	m.kind = kind
	if list != "" {
		m.values = strings.Split(list, "|")
	}
	return m
}

// wrongs are values, and the kinds that take each.
var wrongs = []struct{ value, kinds string }{
	{`""`, "string"},
	{`"free text ✓"`, "string"},
	{`1`, "int number"},
	{`2.0`, "int number"},
	{`18446744073709551616`, "int number"},
	{`1.5`, "number"},
	{`true`, "bool"},
	{`[]`, "array strings"},
	{`{}`, ""},
}

// check changes one member in every way that its type tells apart.
func (m shapeMember) check(expect func(what, edit string, errors, newer []string), there, closed bool) {
	judge := func(what, edit string, faults []string) {
		if !m.newer {
			expect(what, edit, faults, nil)
			return
		}
		var newer []string
		for _, f := range faults {
			_, place, _ := strings.Cut(f, "@")
			newer = append(newer, "newer-member-type@"+place)
		}
		expect(what, edit, nil, newer)
	}
	want := func(what, value string, fault string) {
		var faults []string
		if fault != "" {
			faults = []string{fault}
		}
		judge(what, m.place+"="+value, faults)
	}
	if there {
		var missing, cased []string
		if !m.optional {
			missing = []string{"missing@" + m.place}
			cased = slices.Clone(missing)
		}
		judge("absent", "-"+m.place, missing)
		upper := strings.ToUpper(m.name[:1]) + m.name[1:]
		if closed {
			cased = append(cased, "unknown-member@"+strings.TrimSuffix(m.place, m.name)+upper)
		}
		judge("in another case", "-"+m.place+";"+strings.TrimSuffix(m.place, m.name)+upper+"=1", cased)
	}
	if null := "null-not-allowed@" + m.place; m.nullable {
		want("null", "null", "")
	} else {
		want("null", "null", null)
	}
	text := m.kind == "enum" || m.kind == "open" || m.kind == "const"
	for _, w := range wrongs {
		takes := slices.Contains(strings.Fields(w.kinds), m.kind)
		if strings.HasPrefix(w.value, `"`) && text {
			continue // below
		}
		if m.kind == "object" && w.value == "{}" {
			continue // its own shape says what is missing
		}
		if takes {
			want("of its type", w.value, "")
		} else {
			want("of another type", w.value, "type@"+m.place)
		}
	}
	if m.kind == "strings" {
		want("strings", `["",""]`, "")
		want("no strings", `["",1]`, "type@"+m.place+"/1")
	}
	for _, v := range m.values {
		want("a value", strconv.Quote(v), "")
		if m.kind != "open" {
			other := map[string]string{"enum": "closed-enum", "const": "const"}[m.kind] + "@" + m.place
			want("a value in another case", strconv.Quote(otherCase(v)), other)
		}
	}
	if text {
		fault := map[string]string{"enum": "closed-enum@" + m.place, "const": "const@" + m.place}[m.kind]
		want("free text", `"free text"`, fault)
		want("empty", `""`, fault)
	}
}

func otherCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	if lower := strings.ToLower(s); lower != s {
		return lower
	}
	return s + " "
}

// Edit changes a JSON text: edits, separated by semicolons, are PLACE=VALUE and -PLACE with
// JSON Pointers. Members come out sorted, without white space.
func Edit(t testing.TB, raw []byte, edits string) []byte {
	t.Helper()
	document, err := decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range strings.Split(edits, ";") {
		if e == "" {
			continue
		}
		if place, gone := strings.CutPrefix(e, "-"); gone {
			document, err = changed(document, strings.Split(place, "/")[1:], removed{})
		} else {
			place, text, _ := strings.Cut(e, "=")
			var value any
			if value, err = decode([]byte(text)); err == nil {
				document, err = changed(document, strings.Split(place, "/")[1:], value)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
	}
	out, err := json.Marshal(document)
	if err != nil {
		t.Fatalf("%s: %v", edits, err)
	}
	return out
}

func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// removed is the value of a member that shall go.
type removed struct{}

// changed gives node with the value at the place replaced or removed.
func changed(node any, place []string, value any) (any, error) {
	if len(place) == 0 {
		return value, nil
	}
	_, remove := value.(removed)
	switch n := node.(type) {
	case map[string]any:
		if len(place) == 1 && remove {
			delete(n, place[0])
			return n, nil
		}
		child, err := changed(n[place[0]], place[1:], value)
		n[place[0]] = child
		return n, err
	case []any:
		i, err := strconv.Atoi(place[0])
		if err != nil || i > len(n) {
			return nil, fmt.Errorf("no element %s", place[0])
		}
		if len(place) == 1 && remove {
			return slices.Delete(n, i, i+1), nil
		}
		if i == len(n) {
			n = append(n, nil)
		}
		n[i], err = changed(n[i], place[1:], value)
		return n, err
	}
	return nil, fmt.Errorf("nothing there")
}

func find(t testing.TB, raw []byte, place string) any {
	t.Helper()
	var node any
	if err := json.Unmarshal(raw, &node); err != nil {
		t.Fatal(err)
	}
	for _, token := range strings.Split(place, "/")[1:] {
		switch n := node.(type) {
		case map[string]any:
			node = n[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && i < len(n) {
				node = n[i]
			}
		}
	}
	return node
}
