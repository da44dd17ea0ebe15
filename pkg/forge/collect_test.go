package forge_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"

	"snapline/pkg/forge"
	"snapline/pkg/requirement"
)

// script serves readings of a list: each reading is a list of pages of "id=content".
type script struct {
	readings [][][2]string // flat: id, content; page border: {"|", ""}
	total    int64         // stated on every page, if above zero
	reading  int
	pages    int
}

func (s *script) page(_ context.Context, cursor string) (forge.Page[string], error) {
	s.pages++
	if cursor == "" {
		s.reading++
	}
	list := s.readings[min(s.reading, len(s.readings))-1]
	start, _ := strconv.Atoi(cursor)
	var p forge.Page[string]
	if s.total > 0 {
		p.Total = &s.total
	}
	for i := start; i < len(list); i++ {
		switch list[i][0] {
		case "|":
			p.Next = strconv.Itoa(i + 1)
			return p, nil
		case "loop":
			p.Next = list[i][1]
			return p, nil
		case "guess":
			p.Next, p.Guess = list[i][1], true
			return p, nil
		case "fail":
			return forge.Page[string]{}, errors.New("page failed")
		}
		p.Items = append(p.Items, forge.Item[string]{ID: list[i][0], Raw: []byte(list[i][1]), Value: list[i][0] + list[i][1]})
	}
	return p, nil
}

func TestCollect(t *testing.T) {
	requirement.Claim(t, "AMB-42", "AMB-45")
	border, a, b, b2, c := [2]string{"|"}, [2]string{"a", "1"}, [2]string{"b", "1"}, [2]string{"b", "2"}, [2]string{"c", "1"}
	nameless := [2]string{"", "x"}
	for _, x := range []struct {
		name     string
		readings [][][2]string
		total    int64
		want     []string
		err      error
		times    int
	}{
		{"one page", [][][2]string{{a, b}}, 0, []string{"a1", "b1"}, nil, 1},
		{"empty", [][][2]string{{}}, 0, nil, nil, 1},
		{"empty page inside", [][][2]string{{a, border, border, b}}, 2, []string{"a1", "b1"}, nil, 1},
		{"the same twice", [][][2]string{{a, b, border, b, c}}, 3, []string{"a1", "b1", "c1"}, nil, 1},
		{"moved once", [][][2]string{{a, b, border, b2, c}, {a, b2, border, c}}, 3, []string{"a1", "b2", "c1"}, nil, 2},
		{"moved twice", [][][2]string{{a, b, border, b2, c}}, 3, nil, forge.ErrListMoved, 2},
		{"short", [][][2]string{{a, border, b}}, 3, nil, forge.ErrListShort, 1},
		{"short with a repetition", [][][2]string{{a, border, a, b}}, 3, nil, forge.ErrListShort, 1},
		{"longer than the total", [][][2]string{{a, b, c}}, 2, []string{"a1", "b1", "c1"}, nil, 1},
		{"without ids", [][][2]string{{nameless, nameless, a}}, 3, []string{"x", "x", "a1"}, nil, 1},
		{"a page fails", [][][2]string{{a, border, {"fail"}}}, 0, nil, errors.New("page failed"), 1},
		{"a guessed page", [][][2]string{{a, {"guess", "2"}, b}}, 0, []string{"a1", "b1"}, nil, 1},
		{"a guess that gives the same", [][][2]string{{a, {"guess", "2"}, a, {"guess", "4"}, b}}, 0, []string{"a1"}, nil, 1},
		{"a guess that gives nothing", [][][2]string{{a, {"guess", "2"}, {"guess", "3"}, b}}, 0, []string{"a1"}, nil, 1},
		{"a guess that gives another copy", [][][2]string{{b, {"guess", "2"}, b2, {"guess", "4"}}, {b2}}, 0, []string{"b2"}, nil, 2},
		{"a guess that gives nameless ones again", [][][2]string{{nameless, {"guess", "2"}, nameless, {"guess", "4"}, a}}, 0, []string{"x"}, nil, 1},
		{"a guess that gives another nameless one", [][][2]string{{nameless, {"guess", "2"}, {"", "y"}, {"guess", "4"}}}, 0, []string{"x", "y"}, nil, 1},
		{"the cursor repeats", [][][2]string{{a, border, b, {"loop", "2"}}}, 0, nil, forge.ErrListLoops, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := &script{readings: x.readings, total: x.total}
			got, err := forge.Collect(context.Background(), s.page)
			if !slices.Equal(got, x.want) || (err == nil) != (x.err == nil) || err != nil && err.Error() != x.err.Error() || s.reading != x.times || s.pages > 10 {
				t.Errorf("%v, %v after %d readings, %d pages", got, err, s.reading, s.pages)
			}
		})
	}
}
