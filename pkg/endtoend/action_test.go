package endtoend_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"snapline/pkg/forge/github/githubtest"
)

// job is a step of a workflow that uses the action, on a forge on loopback.
type job struct {
	dir    string
	forge  *httptest.Server
	env    []string
	output string
}

func newJob(t *testing.T, fake *githubtest.Fake) *job {
	t.Helper()
	fake.Prefix = "/api/v3"
	server := httptest.NewServer(fake)
	store := httptest.NewServer(fake.Store())
	t.Cleanup(server.Close)
	t.Cleanup(store.Close)
	fake.LogBase = store.URL
	emit, err := exec.LookPath("emit")
	must(t, err)
	dir := t.TempDir()
	top, err := os.Getwd()
	must(t, err)
	j := &job{dir: dir, forge: server, output: filepath.Join(dir, "output")}
	j.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "SNAPLINE_BIN=" + filepath.Dir(emit), "RUNNER_TEMP=" + dir,
		"GITHUB_SERVER_URL=" + server.URL, "GITHUB_OUTPUT=" + j.output, "GITHUB_ENV=" + filepath.Join(dir, "env"),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary"), "SNAPLINE_ACTION=" + filepath.Join(top, "scripts", "action"),
		"SNAPLINE_TOKEN=" + jobToken, "SNAPLINE_URL=" + server.URL + "/acme/tool/pull/7",
	}
	return j
}

var jobToken = "ghs_" + strings.Repeat("Ab1", 12)

// run runs the lines of the action as its steps do, with more variables in front.
func (j *job) run(t *testing.T, more ...string) (exit int, log string) {
	t.Helper()
	for _, line := range runLines(t, "scripts/action/action.yml") {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line)
		cmd.Dir, cmd.Env = j.dir, append(append([]string{}, j.env...), more...)
		out, err := cmd.CombinedOutput()
		log += string(out)
		if err != nil {
			return cmd.ProcessState.ExitCode(), log
		}
	}
	return 0, log
}

func (j *job) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

var runLine = regexp.MustCompile(`(?m)^ +run: (.*)$`)

// runLines are the shell lines of a composite action. Text of an event must not become a
// part of a script: no line has an expression, and none is more than a call.
func runLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	var lines []string
	for _, m := range runLine.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], "${{") || strings.HasPrefix(m[1], "|") || strings.HasPrefix(m[1], ">") {
			t.Errorf("%s: %s", path, m[1])
		}
		lines = append(lines, m[1])
	}
	if len(lines) < 2 {
		t.Fatalf("%s: %d lines", path, len(lines))
	}
	return lines
}

func withBot() *githubtest.Fake {
	f := githubtest.Generate(githubtest.Size{Comments: 3, Threads: 2, Reviews: 2, Checks: 4, Authors: 3})
	bot := githubtest.Bot("BOT_kgDO0001", "helpful")
	githubtest.Append(f.Entities[7], "comments", githubtest.Comment("IC_kwDO90001", "What a bot says.", bot, githubtest.At(9)))
	return f
}

// An ordinary pull request, on which a bot has spoken that nobody registered, gives a tree,
// its digest, what is missing and a summary without a word of anybody.
func TestAction(t *testing.T) {
	j := newJob(t, withBot())
	exit, log := j.run(t)
	if exit != 0 {
		t.Fatalf("exit %d\n%s", exit, log)
	}
	outputs := map[string]string{}
	for line := range strings.Lines(j.read(t, j.output)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	verify, err := exec.LookPath("verify")
	must(t, err)
	if out, err := exec.Command(verify, outputs["context"], "--index-sha256", outputs["digest"]).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("the tree: %v %s", err, out)
	}
	if gaps := j.read(t, outputs["gaps"]); !strings.Contains(gaps, `"set_aside":["comments/authorization_failed"]`) {
		t.Errorf("gaps: %s", gaps)
	}
	if receipt := j.read(t, outputs["receipt"]); !strings.Contains(receipt, outputs["digest"]) {
		t.Errorf("receipt: %s", receipt)
	}
	summary := j.read(t, filepath.Join(j.dir, "summary"))
	if !strings.Contains(summary, outputs["digest"]) || !strings.Contains(summary, "authorization_failed") {
		t.Errorf("summary: %s", summary)
	}
	if begin, end := strings.Index(log, "::group::"), strings.Index(log, "::endgroup::"); begin < 0 || end < begin || strings.Contains(log+summary, jobToken) {
		t.Errorf("log: %s", log)
	}
}

// The exit code is the one of the program that stopped, and then there is no output.
func TestActionExits(t *testing.T) {
	j := newJob(t, withBot())
	marker := filepath.Join(j.dir, "marker")
	for _, c := range []struct {
		env  string
		exit int
	}{
		{"SNAPLINE_URL=", 2},
		{"SNAPLINE_URL=$(touch " + marker + ")", 2},
		{"SNAPLINE_URL=https://jira.example/browse/ABC-1", 5},
		{"SNAPLINE_REQUIRE=comments=complete", 1},
		{"SNAPLINE_REQUIRE=nothing", 2},
		{"SNAPLINE_PROFILE=all", 2},
		{"SNAPLINE_TOLERATE=entity/unsafe_content", 2},
		{"SNAPLINE_NOT_AFTER=yesterday", 2},
		{"SNAPLINE_BOTS=" + filepath.Join(j.dir, "absent"), 4},
	} {
		if exit, log := j.run(t, c.env); exit != c.exit {
			t.Errorf("%s: exit %d, want %d\n%s", c.env, exit, c.exit, log)
		}
		if _, err := os.Stat(j.output); err == nil {
			t.Errorf("%s: outputs were written", c.env)
		}
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("text of an event was run")
	}
}
