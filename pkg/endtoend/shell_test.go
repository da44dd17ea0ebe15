package endtoend_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

const shellScripts = 4 // pipe, harness, each, demo

func TestShellScriptsAreClean(t *testing.T) {
	files, err := filepath.Glob("scripts/*.sh")
	must(t, err)
	if len(files) < shellScripts {
		t.Fatalf("%d scripts, want at least %d", len(files), shellScripts)
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	if out, err := exec.Command("shellcheck", files...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
