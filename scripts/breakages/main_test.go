package main

import (
	"bytes"
	"os"
	"testing"
)

// A row that stands nowhere breaks nothing.
func TestRowsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	rows, err := read("")
	if err != nil || len(rows) < 80 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	claims, err := readClaims()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		text, err := os.ReadFile(r.file)
		if n := bytes.Count(text, []byte(r.old)); err != nil || n != 1 {
			t.Errorf("%s:%d: %q stands %d times in %s (%v)", table, r.line, r.old, n, r.file, err)
		}
		for _, pkg := range r.packages {
			if len(claims[pkg][r.id]) == 0 {
				t.Errorf("%s:%d: no test of %s claims %s", table, r.line, pkg, r.id)
			}
		}
	}
}
