package pipe

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapline/pkg/fault"
)

func TestCredentialsFile(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
		position   string // of the refusal
	}{
		{"none", "", nil, ""},
		{"two", "\"first value\"\n\"second \\u0076alue\"", []string{"first value", "second value"}, ""},
		{"empty line", "\"first value\"\n\n", nil, "file:2"},
		{"null", "null\n", nil, "file:1"},
		{"number", "12345678\n", nil, "file:1"},
		{"two on a line", "\"first value\" \"second value\"\n", nil, "file:1"},
		{"no UTF-8", "\"first \xff value\"\n", nil, "file:1"},
		{"too long", "\"" + strings.Repeat("a", maxCredentialLine) + "\"\n", nil, "file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			err := readCredentials(strings.NewReader(c.text), "file", func(_, value string) error {
				got = append(got, value)
				return nil
			})
			if c.position != "" {
				if err == nil || !strings.Contains(err.Error(), c.position) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzCredentials: every refusal is a positioned usage error, and none repeats what it
// refuses.
func FuzzCredentials(f *testing.F) {
	f.Add([]byte("\"first value\"\n\"second\"\n"))
	f.Add([]byte("secretsecret\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		values := 0
		err := readCredentials(strings.NewReader(string(text)), "file", func(string, string) error { values++; return nil })
		if values > strings.Count(string(text), "\n")+1 {
			t.Errorf("%d values in %q", values, text)
		}
		var e *fault.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("got %v", err)
		}
		if err != nil && len(text) > 8 && strings.Contains(err.Error(), string(text[:8])) && !strings.Contains("file: each line is one JSON string", string(text[:8])) {
			t.Errorf("%v repeats the input", err)
		}
	})
}
