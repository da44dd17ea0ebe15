package emit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"snapline/pkg/requirement"
)

// TestGoldenOnARM64 runs the golden tests of this package, built for arm64, under an
// emulator: the bytes do not depend on the architecture.
func TestGoldenOnARM64(t *testing.T) {
	requirement.Claim(t, "DET-02")
	if runtime.GOARCH == "arm64" {
		t.Skip("this is arm64: TestGolden has said it all")
	}
	if testing.Short() {
		t.Skip("NOT RUN on arm64: -short")
	}
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("NOT RUN on arm64: there is no qemu-aarch64-static")
	}
	binary := filepath.Join(t.TempDir(), "emit.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(emulator, binary, "-test.run", "^TestGolden$|^TestModesOfATree$", "-test.v")
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d bytes of passing tests", len(out))
}
