package emit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/disk"
	"snapline/pkg/fault"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/requirement"
	"snapline/pkg/stage/emit"
	"snapline/pkg/stream"
	"snapline/schemas"
)

func receiptSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := schemas.Files.ReadFile("receipt/v1/receipt.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("receipt.schema.json", document); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("receipt.schema.json")
}

func TestReceiptsConformToTheirSchema(t *testing.T) {
	requirement.Claim(t, "VER-01", "LIF-06")
	schema := receiptSchema(t)
	check := func(receipt []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(receipt))
		if err != nil {
			return err
		}
		return schema.Validate(value)
	}
	streams := loadGolden(t)
	streams["canon"] = documents(t, contract.FamilyCanon, 3, document("a", "{}"))
	streams["msp"] = documents(t, contract.FamilyMSP, 3)
	bodies := 0
	for name, raw := range streams {
		dir := memoryDir(t)
		copied := filepath.Join(dir, "receipt.json")
		var stdout bytes.Buffer
		in := stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3})
		if err := emit.Run(context.Background(), in, &stdout, emit.Config{FS: disk.OS{}, Out: filepath.Join(dir, "context"), Receipt: copied, Recover: noRecovery}, nil); err != nil {
			t.Fatal(err)
		}
		line := stdout.Bytes()
		if err := check(line); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := canonicaljson.Check(bytes.TrimSuffix(line, []byte("\n"))); err != nil || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("%s: %v: %q", name, err, line)
		}
		data, err := os.ReadFile(copied)
		info, err2 := os.Stat(copied)
		if err != nil || err2 != nil || !bytes.Equal(data, line) || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the copy is %q, %v, %v", name, data, err, err2)
		}
		var r emit.Receipt
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		found, count := files(t, filepath.Join(dir, "context")), int64(0)
		for _, data := range found {
			count += int64(len(data))
		}
		if r.Files != int64(len(found)) || r.Bytes != count || r.InputSHA256 == "" || !bytes.Contains(raw, []byte(`"sha256":"`+r.InputSHA256+`","input_sha256"`)) {
			t.Errorf("%s: %d files of %d bytes, receipt %s", name, len(found), count, line)
		}
		if r.Replay != (name == "github-nothing-selected") {
			t.Errorf("%s: replay %v", name, r.Replay)
		}
		for _, l := range strings.Split(string(raw), "\n") {
			if _, body, ok := strings.Cut(l, `"body":"`); ok && !strings.HasPrefix(body, `"`) {
				bodies++
				if text, _, _ := strings.Cut(body, `\n`); bytes.Contains(line, []byte(text)) {
					t.Errorf("%s: the receipt holds a body", name)
				}
			}
		}
		// The schema is closed and asks for every member.
		var members map[string]any
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		for member, value := range members {
			delete(members, member)
			without, _ := json.Marshal(members)
			if check(without) == nil {
				t.Errorf("%s: the schema accepts a receipt without %s", name, member)
			}
			members[member] = value
		}
		members["extra"] = 1
		more, _ := json.Marshal(members)
		if check(more) == nil {
			t.Errorf("%s: the schema accepts a member more", name)
		}
	}
	if bodies < 20 {
		t.Errorf("looked for %d bodies only", bodies)
	}
}

func noRecovery(tree.Manifest, []contract.Document) (*tree.Chain, []byte) { return nil, nil }

func TestAnExistingReceiptIsRefused(t *testing.T) {
	raw := loadGolden(t)["github-work-item"]
	run := func(receipt string) (string, error) {
		dir := memoryDir(t)
		err := emit.Run(context.Background(), stream.NewReader(bytes.NewReader(raw), stream.ReaderOptions{Position: 3}), io.Discard,
			emit.Config{FS: disk.OS{}, Out: filepath.Join(dir, "context"), Receipt: receipt}, nil)
		return dir, err
	}
	old := write(t, []byte("old"))
	for _, receipt := range []string{old, filepath.Dir(old), filepath.Join(old, "x"), filepath.Join(filepath.Dir(old), "absent", "x"), filepath.Join(filepath.Dir(old), strings.Repeat("n", 256))} {
		dir, err := run(receipt)
		if fault.ExitOf(err) != fault.Usage {
			t.Errorf("%s: %v", receipt, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v", receipt, left)
		}
	}
	if data, err := os.ReadFile(old); err != nil || string(data) != "old" {
		t.Errorf("%q %v", data, err)
	}
}

// unread fails a test that reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the stream is read before --out is checked")
	return 0, io.EOF
}

// The path is checked first; yesterday's tree is not touched.
func TestExistingOutIsRefusedUnread(t *testing.T) {
	requirement.Claim(t, "LIF-03", "DET-03")
	out, _ := publish(t, loadGolden(t)["github-work-item"])
	before := files(t, out)
	empty := filepath.Join(filepath.Dir(out), "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{out, empty, filepath.Join(out, "records")} {
		var stdout bytes.Buffer
		receipt := filepath.Join(t.TempDir(), "receipt.json")
		err := emit.Run(context.Background(), stream.NewReader(unread{t}, stream.ReaderOptions{Position: 3}), &stdout, emit.Config{FS: disk.OS{}, Out: path, Receipt: receipt}, nil)
		var e *fault.Error
		if !errors.As(err, &e) || e.Exit != fault.Usage || !strings.Contains(e.Detail, "--out must not exist") || stdout.Len() != 0 {
			t.Errorf("%s: %v, %q", path, err, stdout.String())
		}
		if _, err := os.Lstat(receipt); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the receipt is written", path)
		}
	}
	if after := files(t, out); len(changedFiles(before, after)) != 0 || len(after) != len(before) {
		t.Error("the tree that was there has changed")
	}
}
