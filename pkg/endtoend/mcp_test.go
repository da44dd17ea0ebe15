package endtoend_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"snapline/pkg/contract/tree"
	"snapline/pkg/requirement"
)

// goldenTrees are the committed trees with their root digests.
func goldenTrees(t *testing.T) map[string]string {
	t.Helper()
	dirs, err := filepath.Glob("pkg/stage/emit/testdata/golden/*/context")
	must(t, err)
	digests := map[string]string{}
	for _, dir := range dirs {
		index, err := os.ReadFile(filepath.Join(dir, tree.IndexPath))
		if err != nil {
			continue // a tree of documents
		}
		sum := sha256.Sum256(index)
		digests[dir] = hex.EncodeToString(sum[:])
	}
	if len(digests) < 6 {
		t.Fatalf("%d golden trees", len(digests))
	}
	return digests
}

func mcpServer(t *testing.T, dir, digest string) *exec.Cmd {
	t.Helper()
	verify, err := exec.LookPath("verify")
	must(t, err)
	return exec.Command(verify, "mcp", dir, "--index-sha256", digest)
}

// A client that somebody else wrote lists and reads every file of the golden trees, byte
// for byte, and gets an answer of every tool.
func TestMCPServesGoldenTrees(t *testing.T) {
	requirement.Claim(t, "VIEW-07", "VER-05")
	for dir, digest := range goldenTrees(t) {
		ctx := context.Background()
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.CommandTransport{Command: mcpServer(t, dir, digest)}, nil)
		must(t, err)
		listed := 0
		for resource, err := range session.Resources(ctx, nil) {
			must(t, err)
			listed++
			got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: resource.URI})
			must(t, err)
			want, err := os.ReadFile(filepath.Join(dir, resource.Name))
			must(t, err)
			if len(got.Contents) != 1 || got.Contents[0].Text != string(want) || resource.Size != int64(len(want)) {
				t.Errorf("%s: %s has other bytes", dir, resource.Name)
			}
		}
		if on := filesOf(t, dir); listed != on-1 { // all but index.json, which lists them
			t.Errorf("%s: %d resources of %d files", dir, listed, on)
		}
		for tool, err := range session.Tools(ctx, nil) {
			must(t, err)
			arguments := map[string]any{}
			if tool.Name == "log" {
				key := logKey(t, dir)
				if key == "" {
					continue
				}
				arguments["record_key"] = key
			}
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
			if err != nil || result.IsError {
				t.Errorf("%s: %s: %v %+v", dir, tool.Name, err, result)
				continue
			}
			for _, content := range result.Content {
				if text := content.(*mcp.TextContent).Text; !strings.HasPrefix(text, "Untrusted data, ") || !strings.Contains(text, "\nEnd of the untrusted data ") {
					t.Errorf("%s: %s: an answer is not framed: %.80q", dir, tool.Name, text)
				}
			}
		}
		must(t, session.Close())
	}
}

func filesOf(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	must(t, filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	}))
	return n
}

// logKey gives the record key of a check that has a log.
func logKey(t *testing.T, dir string) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "checks/*/log.txt"))
	must(t, err)
	if len(logs) == 0 {
		return ""
	}
	return filepath.Base(filepath.Dir(logs[0]))
}

// talk sends lines to a server behind the handshake, waits for as many answers as are due,
// and gives their errors by id. A server that ends earlier ends the talk.
func talk(t *testing.T, server *exec.Cmd, due int, lines ...string) (map[string]json.RawMessage, string) {
	t.Helper()
	begin := []string{
		`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	in, err := server.StdinPipe()
	must(t, err)
	out, err := server.StdoutPipe()
	must(t, err)
	var errs bytes.Buffer
	server.Stderr = &errs
	must(t, server.Start())
	go func() { _, _ = io.WriteString(in, strings.Join(append(begin, lines...), "\n")+"\n") }()
	answers := map[string]json.RawMessage{}
	for decoder := json.NewDecoder(out); len(answers) < due+1; {
		var a struct {
			ID    json.RawMessage
			Error json.RawMessage
		}
		if err := decoder.Decode(&a); err != nil {
			break // the server has ended
		}
		answers[string(a.ID)] = a.Error
	}
	_ = in.Close()
	_ = server.Wait() // its exit says only whether the client left in order
	return answers, errs.String()
}

// Whatever a client asks for that is not there, it gets an error.
func TestMCPRefuses(t *testing.T) {
	trees := goldenTrees(t)
	const dir = "pkg/stage/emit/testdata/golden/github-change-proposal/context"
	read := func(uri string) string {
		quoted, err := json.Marshal(uri)
		must(t, err)
		return `"method":"resources/read","params":{"uri":` + string(quoted) + `}`
	}
	call := func(tool, arguments string) string {
		return `"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}`
	}
	key := logKey(t, dir)
	hostile := []string{
		read("snapline:///index.json"), read("snapline:///../../../etc/passwd"), read("snapline:///records/../collection.json"), read("file:///etc/passwd"),
		read("snapline://collection.json"), read("snapline:////etc/passwd"), read("/etc/passwd"), read("collection.json"), read(""), read("snapline:///"),
		read("snapline:///collection.json\x00"), read("snapline:///collection.json/"), read("snapline:///%63ollection.json"), read("SNAPLINE:///collection.json"),
		read("snapline:///" + strings.Repeat("a/", 10000)), read("https://example.com/collection.json"), read("snapline:///records"),
		`"method":"resources/read","params":{}`, `"method":"resources/read","params":{"uri":7}`, `"method":"resources/read","params":[]`,
		call("timeline", `{"view":"../index"}`), call("timeline", `{"view":"review:../../index"}`), call("timeline", `{"from":-1}`), call("timeline", `{"limit":0}`),
		call("timeline", `{"limit":1000000000}`), call("timeline", `{"from":"0"}`), call("timeline", `{"view":"timeline","other":1}`), call("timeline", `[]`),
		call("log", `{}`), call("log", `{"record_key":"../../etc"}`), call("log", `{"record_key":"`+key+`","offset":-1}`), call("log", `{"record_key":"`+key+`","limit":65537}`),
		call("log", `{"record_key":"`+key+`","limit":0}`), call("log", `{"record_key":"`+strings.Repeat("0", 64)+`"}`), call("entity", `{"path":"/etc/passwd"}`),
		call("shell", `{}`), call("", `{}`), `"method":"tools/call","params":{}`, `"method":"no/such"`, `"method":"completion/complete","params":{}`, `"method":"prompts/get","params":{"name":"x"}`,
	}
	var lines []string
	for i, h := range hostile {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, h))
	}
	answers, _ := talk(t, mcpServer(t, dir, trees[dir]), len(lines), lines...)
	for i, h := range hostile {
		if e := answers[fmt.Sprint(i)]; len(e) == 0 || bytes.Contains(e, []byte("root:")) {
			t.Errorf("%.100s: answer %s", h, e)
		}
	}
	if len(hostile) < 40 {
		t.Errorf("%d hostile requests", len(hostile))
	}
	// A line without an end is bounded, and no line is a crash.
	for _, line := range []string{strings.Repeat("x", 3<<20), strings.Repeat("[", 1<<19), "{", "null", "\x00\xff"} {
		if _, stderr := talk(t, mcpServer(t, dir, trees[dir]), 0, line); strings.Contains(stderr, "panic") || strings.Count(stderr, "\n") > 1 {
			t.Errorf("%.20q: %s", line, stderr)
		}
	}
}

// A file that changes behind the server's back is answered by an error, and so is every
// other from then on.
func TestMCPRefusesWhatChanged(t *testing.T) {
	requirement.Claim(t, "VER-05")
	trees := goldenTrees(t)
	const golden = "pkg/stage/emit/testdata/golden/github-change-proposal/context"
	dir := filepath.Join(t.TempDir(), "context")
	must(t, os.CopyFS(dir, os.DirFS(golden)))
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: mcpServer(t, dir, trees[golden])}, nil)
	must(t, err)
	defer session.Close()
	const order = "An order that nobody verified."
	must(t, os.WriteFile(filepath.Join(dir, tree.EntityPath), []byte(order), 0o600))
	for range 2 {
		if got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "snapline:///" + tree.EntityPath}); err == nil || strings.Contains(err.Error(), order) {
			t.Errorf("read: %+v %v", got, err)
		}
		if got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "entity"}); err == nil || strings.Contains(err.Error(), order) {
			t.Errorf("tool: %+v %v", got, err)
		}
	}
	if got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "snapline:///" + tree.CollectionPath}); err == nil {
		t.Errorf("another file of a tree that changed: %+v", got)
	}
	// And a tree that was changed before is not served at all.
	if out, err := mcpServer(t, dir, trees[golden]).CombinedOutput(); err == nil || bytes.Contains(out, []byte("jsonrpc")) {
		t.Errorf("a changed tree is served: %s", out)
	}
}
