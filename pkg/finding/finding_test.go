package finding

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestSorted(t *testing.T) {
	l := &List{}
	for _, f := range []Finding{
		{"b", "x", "/records/10", ""},
		{"b", "x", "/records/9", ""},
		{"a", "x", "/records/9/id", ""},
		{"a", "x", "/records/9", "2"},
		{"a", "x", "/records/9", "1"},
		{"a", "x", "/records/9", "1"},
		{"a", "x", "", ""},
		{"z", "", "", ""},
		{"a", "w", "line 100", ""},
		{"a", "w", "line 020", ""},
		{"a", "w", "line 3", ""},
	} {
		l.Add(f)
	}
	want := []Finding{
		{"z", "", "", ""},
		{"a", "w", "line 3", ""},
		{"a", "w", "line 020", ""},
		{"a", "w", "line 100", ""},
		{"a", "x", "", ""},
		{"a", "x", "/records/9", "1"},
		{"a", "x", "/records/9", "2"},
		{"b", "x", "/records/9", ""},
		{"a", "x", "/records/9/id", ""},
		{"b", "x", "/records/10", ""},
	}
	if got := l.Sorted(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if l.Len() != 11 {
		t.Errorf("length %d", l.Len())
	}
}

// A hostile name cannot start a workflow command, break a line or fill the report.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"::error::x", "##[error]x", "a ##[error]x", " ::error::x", "a\nb", "\x1b[31m", "\xff", strings.Repeat("n", 1000), "a::set-output name=x::y"} {
		f := Finding{"tree.unlisted-file", name, name, "a file"}
		var text bytes.Buffer
		if err := WriteText(&text, []Finding{f}); err != nil {
			t.Fatal(err)
		}
		s := text.String()
		if strings.HasPrefix(strings.TrimSpace(s), "::") || strings.Contains(s, "##[") || strings.Count(s, "\n") != 1 || len(s) > 700 {
			t.Errorf("%q: %q", name, s)
		}
		for i := range len(s) - 1 {
			if s[i] < 0x20 || s[i] > 0x7e {
				t.Errorf("%q: byte %x", name, s[i])
			}
		}
		var out bytes.Buffer
		if err := WriteJSON(&out, nil, []Finding{f}); err != nil {
			t.Fatal(err)
		}
		var back struct{ Findings []Finding }
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.Findings) != 1 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEmptyJSON(t *testing.T) {
	var out bytes.Buffer
	if err := WriteJSON(&out, nil, nil); err != nil || out.String() != `{"findings":[]}`+"\n" {
		t.Errorf("%q %v", out.String(), err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteErrors(t *testing.T) {
	if WriteText(failing{}, []Finding{{Rule: "x"}}) == nil || WriteJSON(failing{}, nil, nil) == nil {
		t.Error("a failed write is no error")
	}
}
