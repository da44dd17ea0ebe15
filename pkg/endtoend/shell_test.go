package endtoend_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

const shellScripts = 15

func TestShellScriptsAreClean(t *testing.T) {
	var files []string
	for _, pattern := range []string{"scripts/*.sh", "scripts/*/*.sh"} {
		found, err := filepath.Glob(pattern)
		must(t, err)
		files = append(files, found...)
	}
	if len(files) < shellScripts {
		t.Fatalf("%d scripts, want at least %d", len(files), shellScripts)
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("shellcheck is not installed")
	}
	if out, err := exec.Command("shellcheck", append([]string{"-x"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
