package endtoend_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapline/pkg/requirement"
)

func TestHarnessEndsCleanlyOnSignals(t *testing.T) {
	// A subtest of its own, so that the claim waits for the parallel ones.
	t.Run("all", func(t *testing.T) {
		requirement.Claim(t, "LIF-03")
		for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			for phase, programs := range signalPhases {
				t.Run(phase+" "+sent.String(), func(t *testing.T) {
					t.Parallel()
					endedBy(t, sent, programs)
				})
			}
		}
	})
}

// signalPhases are the moments at which the signal comes, each by programs that
// replace those of the stub. Each tells its process id in $TRACE/pid and waits.
var signalPhases = map[string]map[string]string{
	"while fetch runs": {
		"fetch": `head -n 3 -- "$1"; echo $$ >"$TRACE/pid"; sleep 60`,
		"agent": `touch "$TRACE/agent"`,
	},
	"between verify and the agent": {
		"verify": `"$BIN/verify" "$@" || exit; [ "$1" = --index-sha256 ] || exit 0; echo $$ >"$TRACE/pid"; until [ -e "$TRACE/sent" ]; do sleep 0.01; done`,
		"agent":  `touch "$TRACE/agent"`,
	},
	"while the agent ignores it": {
		"agent": `trap "" TERM INT HUP; echo $$ >"$TRACE/pid"; sleep 90; touch "$TRACE/agent"`,
	},
}

// endedBy runs the harness, sends it a signal at the moment that the programs mark,
// and checks what is left.
func endedBy(t *testing.T, sent syscall.Signal, replaced map[string]string) {
	emit, err := exec.LookPath("emit")
	must(t, err)
	work := t.TempDir()
	bin, root, trace := filepath.Join(work, "bin"), filepath.Join(work, "root"), filepath.Join(work, "trace")
	must(t, makeStub(filepath.Dir(emit), bin))
	must(t, os.Mkdir(root, 0o700))
	must(t, os.Mkdir(trace, 0o700))
	for name, body := range replaced {
		path := filepath.Join(bin, name)
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		must(t, os.WriteFile(path, []byte("#!/usr/bin/env bash\nBIN="+filepath.Dir(emit)+" TRACE="+trace+"\n"+body+"\n"), 0o755))
	}
	stream := filepath.Join(work, "issue.ndjson")
	must(t, os.WriteFile(stream, sealed(t, lines(`{"type":"snapshot"}`, ownerLine, entityLine)), 0o600))

	harness := exec.Command("scripts/harness.sh", "--root", root, stream, "--", filepath.Join(bin, "agent"))
	harness.Env = append(os.Environ(), "SNAPLINE_BIN="+bin, "BIN="+filepath.Dir(emit), "TRACE="+trace)
	must(t, harness.Start())
	done := make(chan error, 1)
	go func() { done <- harness.Wait() }()
	waitForPID(t, filepath.Join(trace, "pid"), done)
	start := time.Now()
	must(t, harness.Process.Signal(sent))
	must(t, os.WriteFile(filepath.Join(trace, "sent"), nil, 0o600))
	select {
	case err = <-done:
	case <-time.After(time.Minute):
		_ = harness.Process.Kill()
		t.Fatal("the harness still runs after a minute")
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 128+int(sent) {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	// Process ids are those of the agent's place: what is left is known by where it works.
	if left := processesOf(work); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(trace, "agent")); err == nil {
		t.Error("the agent ran")
	}
	left, err := os.ReadDir(root)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// processesOf lists the processes whose command line or environment names a path.
func processesOf(path string) []string {
	var found []string
	for _, of := range []string{"cmdline", "environ"} {
		files, _ := filepath.Glob("/proc/[0-9]*/" + of)
		for _, file := range files {
			b, err := os.ReadFile(file)
			if pid := filepath.Base(filepath.Dir(file)); err == nil && strings.Contains(string(b), path) && pid != strconv.Itoa(os.Getpid()) {
				found = append(found, pid+" "+strings.ReplaceAll(string(b), "\x00", " "))
			}
		}
	}
	return found
}

func waitForPID(t *testing.T, path string, done <-chan error) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-done:
			t.Fatalf("the harness ended too soon: %v", err)
		default:
		}
		b, err := os.ReadFile(path)
		if pid, err2 := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && err2 == nil {
			return pid
		}
	}
	t.Fatal("the moment never came")
	panic("unreachable")
}
