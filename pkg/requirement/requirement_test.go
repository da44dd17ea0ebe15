package requirement

import (
	"flag"
	"testing"
)

// A run of some tests records nothing.
func TestPartialRuns(t *testing.T) {
	set := func(name, value string) {
		t.Helper()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"test.run", "test.skip", "test.short"} {
		before := flag.Lookup(name).Value.String()
		t.Cleanup(func() { set(name, before) })
		set(name, map[string]string{"test.short": "false"}[name])
	}
	if partial() {
		t.Error("all tests run")
	}
	for name, value := range map[string]string{"test.run": "TestX", "test.skip": "TestX", "test.short": "true"} {
		set(name, value)
		if !partial() {
			t.Errorf("-%s %s", name, value)
		}
		set(name, map[string]string{"test.short": "false"}[name])
	}
}
