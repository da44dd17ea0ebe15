package main

import (
	"os"
	"strings"
	"testing"
)

// Only the claims of packages that are there count, and none while a test fails.
func TestStaleClaimsDoNotCount(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{".requirements", "here"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	test := func(body string) string {
		return "package here\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {" + body + "}\n"
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	write("here/here_test.go", test(""))
	write(".requirements/here.txt", "ADM-05\nAMB-16\n")
	write(".requirements/gone.txt", "ADM-04\n")
	var out strings.Builder
	if err := report(&out); err != nil || !strings.HasPrefix(out.String(), "requirements: 2 of ") || !strings.Contains(out.String(), "  ADM-04 ") {
		t.Errorf("%v\n%.200s", err, out.String())
	}
	for _, body := range []string{`t.Error("broken")`, `does not compile`} {
		write("here/here_test.go", test(body))
		out.Reset()
		if err := report(&out); err == nil || out.Len() != 0 || !strings.Contains(err.Error(), "FAIL") {
			t.Errorf("%s: %v, %q", body, err, out.String())
		}
	}
}
