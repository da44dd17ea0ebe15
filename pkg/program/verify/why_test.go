package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapline/pkg/fault"
	"snapline/pkg/program/cli"
)

// The captures of a run answer why something is not there.
func TestVerifyWhy(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "testdata", "pipeline", "pull-request")
	fetched, filtered, bounded := filepath.Join(dir, "1-fetch.ndjson.zst"), filepath.Join(dir, "2-filter.ndjson"), filepath.Join(dir, "3-bound.ndjson")
	run := func(args ...string) ran { return runProgram(Program(), "", append([]string{"why"}, args...)...) }
	const dropped = "comments/authorization_failed: dropped: its author is not admitted: role none is below triage"
	for _, streams := range [][]string{{fetched}, {fetched, filtered, bounded}, {bounded, fetched}} {
		r := run(append([]string{"IC_kwDO04"}, streams...)...)
		if r.exit != fault.Done || r.stderr != "" || !strings.Contains(r.stdout, "\n  filter: dropped\n    "+dropped+": one of ") {
			t.Errorf("%v: %+v", streams, r)
		}
	}
	r := run("IC_kwDO03", fetched, "--format", "json")
	var answers []struct {
		ID    string
		Steps []struct {
			Stage, Outcome string
			Reasons        []struct{ Scope, Code, Text string }
		}
	}
	noError(t, json.Unmarshal([]byte(r.stdout), &answers))
	if len(answers) != 1 || len(answers[0].Steps) != 3 || answers[0].Steps[1].Outcome != "rejected" || answers[0].Steps[1].Reasons[0].Code != "unsafe_content" {
		t.Errorf("json: %s", r.stdout)
	}
	if strings.Contains(r.stdout, "previous instructions") {
		t.Errorf("it shows the text: %s", r.stdout)
	}
	if r := run("IC_kwDO02", fetched, "--human-min-role", "write"); !strings.Contains(r.stdout, "role triage is below write") {
		t.Errorf("another threshold: %+v", r)
	}
	credentials := filepath.Join(t.TempDir(), "credentials")
	noError(t, os.WriteFile(credentials, []byte("\"some credential\"\n"), 0o600))
	for want, c := range map[string]struct {
		exit fault.Exit
		args []string
	}{
		"no such object":                               {fault.Aborted, []string{"IC_unknown", fetched}},
		"checks/invalid_metadata 1":                    {fault.Aborted, []string{"IC_unknown", fetched}},
		"the run had 0 registered":                     {fault.Usage, []string{"IC_kwDO02", fetched, filtered, "--credentials-file", credentials}},
		"cannot be stdin":                              {fault.Usage, []string{"IC_kwDO02", "-"}},
		"two streams of stage fetch":                   {fault.Usage, []string{"IC_kwDO02", fetched, fetched}},
		"--format takes":                               {fault.Usage, []string{"IC_kwDO02", fetched, "--format", "html"}},
		"--human-min-role takes":                       {fault.Usage, []string{"IC_kwDO02", fetched, "--human-min-role", "admin"}},
		"ID-OR-URL STREAM... is missing":               {fault.Usage, []string{"IC_kwDO02"}},
		"the file cannot be read":                      {fault.Environment, []string{"IC_kwDO02", fetched + "x"}},
		"are not of one run":                           {fault.Input, []string{"IC_kwDO02", filepath.Join(dir, "..", "issue", "1-fetch.ndjson.zst"), filtered}},
		"--credential-env, number 1: there is no such": {fault.Usage, []string{"IC_kwDO02", fetched, "--credential-env", "X"}},
	} {
		if r := run(c.args...); r.exit != c.exit || r.stdout != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", want, r)
		}
	}
	// The credential of the run, from the environment.
	var out, errs bytes.Buffer
	exit := cli.Run(t.Context(), Program(), &cli.Env{
		Args: []string{"verify", "why", "PR_kwDO7", fetched, "--credential-env", "X"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		LookupEnv: func(string) (string, bool) { return "Launch scripts", true },
	})
	if exit != fault.Done || !strings.Contains(out.String(), "secret.registered") || strings.Contains(out.String()+errs.String(), "Launch") {
		t.Errorf("exit %d: %s%s", exit, out.String(), errs.String())
	}
}
