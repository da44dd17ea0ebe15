package endtoend_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/forge/forgetest"
	"snapline/pkg/forge/github"
	"snapline/pkg/stage/fetch"
)

func agentRun(t *testing.T, args ...string) ran {
	t.Helper()
	cmd := exec.Command("scripts/agent-run.sh", args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return ran{exit: fault.Exit(cmd.ProcessState.ExitCode()), stdout: stdout.String(), stderr: stderr.String()}
}

// The result of an agent's run is bound to the tree that it consumed, and the next snapshot
// tells of it.
func TestAgentRunOfAStatement(t *testing.T) {
	e := gathered(t, pipelines["pull-request"](t))
	key := strings.Repeat("ab", 32)
	row := agentRun(t, "--statement", e.statement, "--id", "AR_7", "--agent", "triage-agent", "--status", "success", "--publisher", "BOT_kgDOrabbit",
		"--started", "2026-05-01T10:00:00Z", "--completed", "2026-05-01T10:05:00Z", "--result", key, "--result", strings.Repeat("0", 64), "--result", key)
	if row.exit != fault.Done {
		t.Fatalf("exit %d: %s", row.exit, row.stderr)
	}
	receipts, err := fetch.ParseReceipts("runs", []byte(row.stdout))
	must(t, err)
	r := receipts[0]
	if len(receipts) != 1 || r.InputRevision != e.digest || r.InputHeadSHA == nil || !strings.Contains(e.receipt, *r.InputHeadSHA) || len(r.ResultRecordKeys) != 2 {
		t.Errorf("%+v", receipts)
	}
	next := forgetest.Subject{
		Driver: github.Driver, Address: "https://github.com/acme/tool/issues/2", Hosts: demoIssue(t).Hosts, Collection: demoProfile(t, contract.WorkItem),
		Change: func(cfg *fetch.Config) {
			cfg.Bots, err = fetch.ParseRegistry([]byte(demoBots))
			must(t, err)
			cfg.HasRuns, cfg.Runs = true, receipts
		},
	}.Run(context.Background(), t, &forgetest.Net{})
	must(t, next.Err)
	p := pipe(t, next.Stream)
	if runs := p.file(t, tree.AgentRunsPath); !strings.Contains(runs, `"input_revision":"`+e.digest+`"`) || !strings.Contains(runs, `"agent":"triage-agent"`) {
		t.Errorf("the next snapshot does not tell of it: %s", runs)
	}
}

func TestAgentRunRefuses(t *testing.T) {
	e := gathered(t, pipelines["gitlab-issue"](t))
	bare := filepath.Join(t.TempDir(), "bare.json")
	must(t, os.WriteFile(bare, []byte("{}\n"), 0o600))
	whole := []string{"--id", "1", "--agent", "a", "--status", "success", "--publisher", "7", "--completed", "2026-05-01T10:05:00Z"}
	for name, c := range map[string]struct {
		args []string
		exit fault.Exit
	}{
		"whole":        {append([]string{"--statement", e.statement}, whole...), fault.Done},
		"help":         {[]string{"--help"}, fault.Done},
		"nothing":      {nil, fault.Usage},
		"no id":        {append([]string{"--statement", e.statement}, whole[2:]...), fault.Usage},
		"no value":     {[]string{"--statement"}, fault.Usage},
		"unknown":      {append([]string{"--statement", e.statement, "--x", "y"}, whole...), fault.Usage},
		"no statement": {append([]string{"--statement", bare}, whole...), fault.Usage},
		"no file":      {append([]string{"--statement", "nowhere"}, whole...), fault.Environment},
		"a quote":      {append([]string{"--statement", e.statement, "--agent", `x","y":"`}, whole...), fault.Done}, // the later value counts
		"quote last":   {append(append([]string{"--statement", e.statement}, whole...), "--agent", `x","y":"`), fault.Usage},
		"a line feed":  {append(append([]string{"--statement", e.statement}, whole...), "--id", "1\n2"), fault.Usage},
	} {
		r := agentRun(t, c.args...)
		if r.exit != c.exit || (c.exit != fault.Done) != (r.stdout == "") {
			t.Errorf("%s: exit %d: %s%s", name, r.exit, r.stdout, r.stderr)
		}
		if _, err := fetch.ParseReceipts("runs", []byte(r.stdout)); c.exit == fault.Done && name != "help" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
