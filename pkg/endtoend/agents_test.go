package endtoend_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The examples call the programs of others; here a stand-in writes down what it was given.
func TestAgentExamples(t *testing.T) {
	trees := goldenTrees(t)
	const dir = "pkg/stage/emit/testdata/golden/github-change-proposal/context"
	verify, err := exec.LookPath("verify")
	must(t, err)
	top, err := os.Getwd()
	must(t, err)
	fake := t.TempDir()
	for _, name := range []string{"claude", "codex"} {
		script := "#!/bin/bash\nprintf '%s\\n' \"$@\" >\"$FAKE/args\"\ncat >\"$FAKE/stdin\"\nfor a in \"$@\"; do [[ ! -f $a ]] || cp \"$a\" \"$FAKE/config\"; done\n"
		must(t, os.WriteFile(filepath.Join(fake, name), []byte(script), 0o700))
	}
	run := func(script string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join("scripts/agents", script), args...)
		cmd.Env = append(os.Environ(), "PATH="+fake+":"+os.Getenv("PATH"), "FAKE="+fake, "SNAPLINE_BIN="+filepath.Dir(verify),
			"SNAPLINE_CONTEXT="+filepath.Join(top, dir), "SNAPLINE_INDEX_SHA256="+trees[dir])
		cmd.Stdin = strings.NewReader("Say what is open.")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", script, err, out)
		}
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(fake, name))
		must(t, err)
		return string(b)
	}

	run("claude-code.sh")
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	must(t, json.Unmarshal([]byte(read("config")), &config))
	if s := config.MCPServers["snapline"]; s.Command == "" || len(s.Args) != 4 || s.Args[3] != trees[dir] {
		t.Errorf("config: %+v", config)
	}
	if args := read("args"); !strings.Contains(args, "Bash,WebFetch") || !strings.Contains(args, "untrusted data") || read("stdin") != "Say what is open." {
		t.Errorf("claude: %s", args)
	}
	run("codex.sh")
	if args := read("args"); !strings.Contains(args, "network_access=false") || !strings.Contains(args, trees[dir]) || !strings.Contains(read("stdin"), "untrusted data") {
		t.Errorf("codex: %s", args)
	}
}

// The plain call sends a message that the API's schema takes, and the key as a header.
func TestAgentAPICall(t *testing.T) {
	for _, program := range []string{"jq", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not here")
		}
	}
	trees := goldenTrees(t)
	const dir = "pkg/stage/emit/testdata/golden/github-change-proposal/context"
	var mu sync.Mutex
	var got struct {
		Model, System string
		Messages      []struct {
			Role    string
			Content []struct{ Type, Text string }
		}
	}
	key := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		key = r.Header.Get("x-api-key")
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.URL.Path != "/v1/messages" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer server.Close()
	verify, err := exec.LookPath("verify")
	must(t, err)
	cmd := exec.Command("scripts/agents/api.sh", "a-model")
	cmd.Env = append(os.Environ(), "SNAPLINE_BIN="+filepath.Dir(verify), "SNAPLINE_CONTEXT="+dir, "SNAPLINE_INDEX_SHA256="+trees[dir],
		"ANTHROPIC_BASE_URL="+server.URL, "ANTHROPIC_API_KEY=not-a-real-one")
	cmd.Stdin = strings.NewReader("Say what is open.")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	mu.Lock()
	defer mu.Unlock()
	if key != "not-a-real-one" || got.Model != "a-model" || !strings.Contains(got.System, "Say what is open.") || len(got.Messages) != 1 ||
		got.Messages[0].Role != "user" || len(got.Messages[0].Content) < 3 || got.Messages[0].Content[0].Type != "text" {
		t.Errorf("sent: %+v", got)
	}
}
