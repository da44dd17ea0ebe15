package forge_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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

// answer is one page of a numbered list in a test: ids, with what the answer says.
type answer struct {
	ids    string // one letter each; an upper-case letter is the same id edited
	total  int64  // 0: not stated
	last   bool   // no next page is promised
	guess  bool
	undate bool
	late   bool // its elements were changed after the first answer
	most   int
}

func (a answer) page(next string) forge.Page[string] {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	p := forge.Page[string]{Next: next, Guess: a.guess, Date: at, Most: a.most}
	if a.last {
		p.Next = ""
	}
	if a.undate {
		p.Date = time.Time{}
	}
	if a.total > 0 {
		p.Total = &a.total
	}
	for _, c := range a.ids {
		i := forge.Item[string]{ID: strings.ToLower(string(c)), Raw: []byte(string(c)), Value: string(c), Changed: at.Add(-time.Hour)}
		if c == '-' {
			i.ID = ""
		}
		if a.late {
			i.Changed = at.Add(-time.Second)
		}
		p.Items = append(p.Items, i)
	}
	return p
}

// Lists by page number: which signs make a reading doubtful, and what is given then.
func TestCollectNumbered(t *testing.T) {
	requirement.Claim(t, "AMB-82", "AMB-42", "AMB-45")
	type reading = []answer
	for _, x := range []struct {
		name     string
		hides    bool
		readings []reading // the last one for ever
		want     string
		err      error
		times    int
	}{
		{"one page", false, []reading{{{ids: "ab", last: true}}}, "ab", nil, 1},
		{"one page that hides", true, []reading{{{ids: "ab", last: true, total: 9}}}, "ab", nil, 1},
		{"two pages and a total", false, []reading{{{ids: "ab", total: 3}, {ids: "c", total: 3, last: true}}}, "abc", nil, 1},
		{"no total", false, []reading{{{ids: "ab"}, {ids: "c", last: true}}}, "abc", nil, 2},
		{"no date", false, []reading{{{ids: "ab", total: 3, undate: true}, {ids: "c", total: 3, last: true}}}, "abc", nil, 2},
		{"rows are hidden", true, []reading{{{ids: "ab", total: 9}, {ids: "c", total: 9, last: true}}}, "abc", nil, 2},
		{"empty pages inside, rows hidden", true, []reading{{{total: 9}, {total: 9}, {ids: "c", total: 9, last: true}}}, "c", nil, 2},
		{"another total, healed", false, []reading{{{ids: "ab", total: 4}, {ids: "d", total: 3, last: true}}, {{ids: "bc", total: 3}, {ids: "d", total: 3, last: true}}}, "bcd", nil, 3},
		{"a newer element", false, []reading{{{ids: "ab", total: 4}, {ids: "de", total: 4, last: true, late: true}}, {{ids: "bc", total: 4}, {ids: "de", total: 4, last: true}}}, "bcde", nil, 3},
		{"an element twice", false, []reading{{{ids: "ab", total: 3}, {ids: "ba", total: 3, last: true}}, {{ids: "ab", total: 3}, {ids: "c", total: 3, last: true}}}, "abc", nil, 3},
		{"an element twice, always", true, []reading{{{ids: "ab"}, {ids: "bc", last: true}}}, "abc", nil, 2},
		{"an element twice in place of another, always", true, []reading{{{ids: "ab", total: 4}, {ids: "bc", total: 4, last: true}}}, "", forge.ErrListMoved, 2},
		{"an element twice, and all there", true, []reading{{{ids: "ab", total: 3}, {ids: "bc", total: 3, last: true}}}, "abc", nil, 2},
		{"two contents", false, []reading{{{ids: "ab", total: 3}, {ids: "Bc", total: 3, last: true}}, {{ids: "aB", total: 3}, {ids: "c", total: 3, last: true}}}, "aBc", nil, 3},
		{"two contents, always", false, []reading{{{ids: "ab", total: 3}, {ids: "Bc", total: 3, last: true}}}, "", forge.ErrListMoved, 2},
		{"a promised page is empty", false, []reading{{{ids: "ab", total: 2}, {total: 2, last: true}}}, "ab", nil, 2},
		{"a promised page is empty, once", false, []reading{{{ids: "ab", total: 2}, {total: 2, last: true}}, {{ids: "ab", total: 3}, {ids: "c", total: 3, last: true}}}, "abc", nil, 3},
		{"the first page always", false, []reading{{{ids: "ab"}, {ids: "ab"}, {ids: "c", last: true}}}, "", forge.ErrListLoops, 2},
		{"the first page always, hidden", true, []reading{{{ids: "ab", total: 9}, {ids: "ab", total: 9}}}, "", forge.ErrListLoops, 2},
		{"too few", false, []reading{{{ids: "ab", total: 4}, {ids: "c", total: 4, last: true}}}, "", forge.ErrListShort, 2},
		{"too few in one page", false, []reading{{{ids: "ab", total: 3, last: true}}}, "", forge.ErrListShort, 2},
		{"moves for ever", true, []reading{{{ids: "ab"}, {ids: "c", last: true}}, {{ids: "b"}, {ids: "c", last: true}}, {{ids: "ab"}, {ids: "d", last: true}}, {{ids: "x"}, {ids: "y", last: true}}}, "", forge.ErrListMoved, 4},
		{"calm at last", true, []reading{{{ids: "ab"}, {ids: "c", last: true}}, {{ids: "b"}, {ids: "c", last: true}}, {{ids: "a"}, {ids: "d", last: true}}}, "ad", nil, 4},
		{"other order", true, []reading{{{ids: "ab"}, {ids: "c", last: true}}, {{ids: "ba"}, {ids: "c", last: true}}}, "bac", nil, 3},
		{"nameless", true, []reading{{{ids: "-"}, {ids: "a", last: true}}}, "-a", nil, 2},
		{"no marks", false, []reading{{{ids: "ab", guess: true}, {ids: "c", guess: true}, {guess: true}}}, "abc", nil, 2},
		{"no marks, nothing", false, []reading{{{guess: true}}}, "", nil, 1},
		{"no marks, an empty page inside", true, []reading{{{ids: "ab", guess: true}, {guess: true}, {ids: "c", guess: true}, {guess: true}, {guess: true}}}, "abc", nil, 2},
		{"no marks, no pages", false, []reading{{{ids: "ab", guess: true}, {ids: "ab", guess: true}}}, "ab", nil, 1},
		{"no marks, a full page always", false, []reading{{{ids: "abcdefghijklmnopqrst", guess: true}, {ids: "abcdefghijklmnopqrst", guess: true}}}, "", forge.ErrListLoops, 2},
		{"a mark on the first page only", false, []reading{{{ids: "ab", total: 3}, {ids: "c", guess: true}}}, "abc", nil, 1},
		{"no end", true, []reading{{{ids: "ab", most: 2}}}, "", forge.ErrListLoops, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			times, pages := 0, 0
			got, err := forge.CollectNumbered(context.Background(), x.hides, func(_ context.Context, cursor string) (forge.Page[string], error) {
				n := 1
				if cursor == "" {
					times++
				} else {
					n, _ = strconv.Atoi(cursor)
				}
				pages++
				r := x.readings[min(times, len(x.readings))-1]
				a := r[min(n, len(r))-1]
				if n > len(r) && len(r) == 1 {
					a.ids = "" // what has no end brings nothing
				}
				return a.page(strconv.Itoa(n + 1)), nil
			})
			if strings.Join(got, "") != x.want || !errors.Is(err, x.err) || times != x.times || pages > 20 {
				t.Errorf("%v, %v after %d readings, %d pages", got, err, times, pages)
			}
		})
	}
}

// Pages by cursor end too, whatever the server sends.
func TestCursorsEnd(t *testing.T) {
	requirement.Claim(t, "AMB-42")
	for name, c := range map[string]struct {
		fresh bool
		total int64
		most  int // requests
	}{
		"nothing for ever":              {false, 5, 5},
		"new ones for ever":             {true, 0, 1000},
		"new ones for ever and a total": {true, 5, 1000},
	} {
		pages := 0
		_, err := forge.Collect(context.Background(), func(context.Context, string) (forge.Page[int], error) {
			pages++
			p := forge.Page[int]{Next: strconv.Itoa(pages)}
			if c.total > 0 {
				p.Total = &c.total
			}
			for i := range 20 {
				if c.fresh {
					p.Items = append(p.Items, forge.Item[int]{ID: strconv.Itoa(100*pages + i)})
				}
			}
			return p, nil
		})
		if !errors.Is(err, forge.ErrListLoops) || pages > c.most || c.total > 0 && pages > 60 {
			t.Errorf("%s: %v after %d pages", name, err, pages)
		}
	}
}
