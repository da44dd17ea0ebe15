package endtoend_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// release writes an archive as a release has it, with its checksum.
func release(t *testing.T, dir, version string, programs ...string) {
	t.Helper()
	folder := fmt.Sprintf("snapline_%s_%s_%s", version, runtime.GOOS, runtime.GOARCH)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zip)
	for _, name := range programs {
		text := "#!/bin/sh\necho " + name + " " + version + "\n"
		must(t, archive.WriteHeader(&tar.Header{Name: folder + "/" + name, Mode: 0o755, Size: int64(len(text))}))
		_, err := archive.Write([]byte(text))
		must(t, err)
	}
	must(t, archive.Close())
	must(t, zip.Close())
	must(t, os.WriteFile(filepath.Join(dir, folder+".tar.gz"), packed.Bytes(), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "checksums.txt"), fmt.Appendf(nil, "%x  %s.tar.gz\n", sha256.Sum256(packed.Bytes()), folder), 0o600))
}

// Installing compares the checksum before it touches anything, and replaces a version whole.
func TestInstall(t *testing.T) {
	releases, home := t.TempDir(), t.TempDir()
	install := func(args ...string) (int, string) {
		cmd := exec.Command("bash", append([]string{"scripts/install.sh"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "SNAPLINE_RELEASES=" + releases}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return cmd.ProcessState.ExitCode(), string(out)
		}
		return 0, string(out)
	}
	installed := func() string {
		out, err := exec.Command(filepath.Join(home, ".local/lib/snapline/bin/fetch")).CombinedOutput()
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(out))
	}
	all := []string{"fetch", "filter", "bound", "emit", "verify"}
	release(t, releases, "0.1.0", all...)
	if exit, out := install("v0.1.0"); exit != 0 || installed() != "fetch 0.1.0" {
		t.Fatalf("exit %d %s: %s", exit, out, installed())
	}
	release(t, releases, "0.2.0", all...)
	if exit, out := install("0.2.0"); exit != 0 || installed() != "fetch 0.2.0" {
		t.Fatalf("exit %d %s: %s", exit, out, installed())
	}
	release(t, releases, "0.3.0", all[1:]...)
	if exit, out := install("0.3.0"); exit != 1 || installed() != "fetch 0.2.0" {
		t.Errorf("without fetch: exit %d %s: %s", exit, out, installed())
	}
	release(t, releases, "0.4.0", all...)
	sums := filepath.Join(releases, "checksums.txt")
	text, err := os.ReadFile(sums)
	must(t, err)
	for _, wrong := range []string{strings.Replace(string(text), string(text[:2]), "zz", 1), strings.Repeat("0", 64) + string(text[64:]), ""} {
		must(t, os.WriteFile(sums, []byte(wrong), 0o600))
		if exit, out := install("0.4.0"); exit != 1 || installed() != "fetch 0.2.0" {
			t.Errorf("checksum %.8q: exit %d %s: %s", wrong, exit, out, installed())
		}
	}
	for args, want := range map[string]int{"": 2, "latest": 2, "0.9.0": 4, "../0.1.0": 2} {
		if exit, out := install(strings.Fields(args)...); exit != want || strings.Count(out, "\n") > 2 {
			t.Errorf("%q: exit %d %s", args, exit, out)
		}
	}
}
