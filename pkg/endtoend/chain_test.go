package endtoend_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/testkit"
	"snapline/schemas"
)

// evidence is all that one run left: the three streams, the tree and the statement.
type evidence struct {
	dir                       string
	raw, filtered, bounded    string // files
	context, statement        string
	digest                    string
	receipt                   string
	credentials, verification []string // options
}

const builderID = "https://ci.example/runners/7"

// gathered runs the stages on a fetch stream and keeps everything.
func gathered(t *testing.T, fetched []byte, filterOptions ...string) evidence {
	t.Helper()
	dir := t.TempDir()
	e := evidence{dir: dir, credentials: filterOptions}
	keep := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o600))
		return path
	}
	e.raw = keep("raw.ndjson.zst", []byte(compress(t, string(fetched))))
	filtered := run("filter", fetched, filterOptions...)
	e.filtered = keep("filtered.ndjson", []byte(filtered.stdout))
	bounded := run("bound", []byte(filtered.stdout))
	e.bounded = keep("bounded.ndjson", []byte(bounded.stdout))
	e.context, e.statement = filepath.Join(dir, "context"), filepath.Join(dir, "statement.json")
	r := run("emit", []byte(bounded.stdout), "--out", e.context, "--statement", e.statement, "--builder-id", builderID, "--raw", e.raw)
	if r.exit != fault.Done {
		t.Fatalf("emit: exit %d: %s%s%s", r.exit, filtered.stderr, bounded.stderr, r.stderr)
	}
	e.receipt = r.stdout
	e.digest = tree.Digest([]byte(files(t, e.context)[tree.IndexPath]))
	e.verification = []string{e.context, "--index-sha256", e.digest, "--statement", e.statement, "--builder-id", builderID, "--stream", e.raw, "--stream", e.filtered, "--stream", e.bounded}
	return e
}

func (e evidence) chain() ran {
	return run("verify", nil, append([]string{"chain", e.raw, e.filtered, e.bounded, e.context}, e.credentials...)...)
}

// What a run left holds together, for every golden pipeline: the statement says what tree
// and streams say and obeys its schema, and every stage gives again what it gave.
func TestChainHolds(t *testing.T) {
	c := jsonschema.NewCompiler()
	const id = "https://snapline.invalid/schemas/statement/v1/statement.schema.json"
	text, err := schemas.Files.ReadFile("statement/v1/statement.schema.json")
	must(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	must(t, c.AddResource(id, document))
	schema, err := c.Compile(id)
	must(t, err)
	for name, make := range pipelines {
		t.Run(name, func(t *testing.T) {
			e := gathered(t, make(t))
			if r := run("verify", nil, e.verification...); r.exit != fault.Done || r.stdout != "" || r.stderr != "" {
				t.Errorf("statement: exit %d: %s%s", r.exit, r.stdout, r.stderr)
			}
			if r := e.chain(); r.exit != fault.Done || r.stdout != "" {
				t.Errorf("chain: exit %d: %s%s", r.exit, r.stdout, r.stderr)
			}
			said, err := os.ReadFile(e.statement)
			must(t, err)
			instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(said))
			must(t, err)
			if err := schema.Validate(instance); err != nil {
				t.Error(err)
			}
			var receipt struct {
				Chain   []string
				Subject struct{ Forge, Host, Repository, ID, Kind string }
			}
			must(t, json.Unmarshal([]byte(e.receipt), &receipt))
			for i, digest := range receipt.Chain {
				if n := strings.Count(string(said), `"stream_sha256":"`+digest+`"`); n != 1 {
					t.Errorf("the statement names the stream of stage %d %d times", i+1, n)
				}
			}
			if len(receipt.Chain) != 3 || receipt.Subject.ID == "" || !strings.Contains(string(said), `"id":"`+receipt.Subject.ID+`"`) {
				t.Errorf("%+v", receipt)
			}
		})
	}
}

// flipped gives a copy of a file in which one bit of one byte is another.
func flipped(t *testing.T, path string, at int) (restore func()) {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	changed := bytes.Clone(content)
	changed[at] ^= 1
	must(t, os.WriteFile(path, changed, 0o600))
	return func() { must(t, os.WriteFile(path, content, 0o600)) }
}

func size(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return int(info.Size())
}

// One byte changed in any stage's stream, in any file of the tree or in the statement is
// named.
func TestOneByteIsNamed(t *testing.T) {
	e := gathered(t, pipelines["gitlab-issue"](t))
	for at := range size(t, e.statement) {
		restore := flipped(t, e.statement, at)
		if r := run("verify", nil, e.verification...); r.exit != fault.Aborted || !strings.Contains(r.stdout, "statement.json: ") {
			t.Errorf("statement, byte %d: exit %d: %s%s", at, r.exit, r.stdout, r.stderr)
		}
		restore()
	}
	// The plain streams, so that a byte of the file is one of the stream.
	plain, err := decompress(e.raw)
	must(t, err)
	e.raw = filepath.Join(e.dir, "raw.ndjson")
	must(t, os.WriteFile(e.raw, []byte(plain), 0o600))
	for what, path := range map[string]string{"raw": e.raw, "filtered": e.filtered, "bounded": e.bounded} {
		n := size(t, path)
		for at := 0; at < n; at += max(1, n/150) {
			restore := flipped(t, path, at)
			r := e.chain()
			if r.exit != fault.Aborted || !strings.Contains(r.stdout, path+": ") {
				t.Errorf("%s, byte %d: exit %d: %s%s", what, at, r.exit, r.stdout, r.stderr)
			}
			if place := fmt.Sprintf("%s: byte %d: chain.differs", path, at); what != "raw" && !strings.Contains(r.stdout, place) {
				t.Errorf("%s, byte %d is not named: %s", what, at, r.stdout)
			}
			restore()
		}
	}
	for path := range files(t, e.context) {
		file := filepath.Join(e.context, path)
		n := size(t, file)
		for at := 0; at < n; at += max(1, n/10) {
			restore := flipped(t, file, at)
			if r := e.chain(); r.exit != fault.Aborted || !strings.Contains(r.stdout, fmt.Sprintf("%s: byte %d: ", path, at)) {
				t.Errorf("%s, byte %d: exit %d: %s%s", path, at, r.exit, r.stdout, r.stderr)
			}
			if r := run("verify", nil, e.verification...); r.exit != fault.Aborted || !strings.Contains(r.stdout, path+": ") {
				t.Errorf("%s, byte %d: exit %d: %s%s", path, at, r.exit, r.stdout, r.stderr)
			}
			restore()
		}
	}
	must(t, os.WriteFile(filepath.Join(e.context, "more"), nil, 0o600))
	if r := e.chain(); r.exit != fault.Aborted || !strings.Contains(r.stdout, "more: tree.unlisted-file") {
		t.Errorf("a file too many: exit %d: %s", r.exit, r.stdout)
	}
}

// A statement about another tree, another run or by another builder is not this one's.
func TestStatementsOfOthers(t *testing.T) {
	one, other := gathered(t, pipelines["gitlab-issue"](t)), gathered(t, pipelines["forgejo-issue"](t))
	again := gathered(t, pipelines["gitlab-issue"](t), "--human-min-role", "write")
	base := []string{one.context, "--index-sha256", one.digest}
	for name, args := range map[string][]string{
		"another entity":  {"--statement", other.statement},
		"another run":     {"--statement", again.statement},
		"another builder": {"--statement", one.statement, "--builder-id", "https://ci.example/runners/8"},
		"another capture": {"--statement", one.statement, "--stream", other.raw},
		"another filter":  {"--statement", one.statement, "--stream", again.filtered},
	} {
		if r := run("verify", nil, append(base, args...)...); r.exit != fault.Aborted || !strings.Contains(r.stdout, "statement.differs") {
			t.Errorf("%s: exit %d: %s%s", name, r.exit, r.stdout, r.stderr)
		}
	}
	if r := run("verify", nil, append(base, "--statement", one.statement)...); r.exit != fault.Done || strings.Count(r.stderr, "give --stream") != 2 {
		t.Errorf("without streams: exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
	for name, args := range map[string][]string{
		"streams without a statement": append(base, "--stream", one.raw, "--stream", one.bounded),
		"builder without a statement": append(base, "--builder-id", builderID),
		"stdin":                       append(base, "--statement", one.statement, "--stream", "-"),
		"stdin in a chain":            {"chain", "-", one.filtered, one.bounded, one.context},
	} {
		if r := run("verify", nil, args...); r.exit != fault.Usage {
			t.Errorf("%s: exit %d: %s%s", name, r.exit, r.stdout, r.stderr)
		}
	}
}

// The replay needs the run's credentials and threshold; another number of credentials is a
// wrong command line, another threshold a difference.
func TestChainUnderCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	must(t, os.WriteFile(file, []byte("\"acquired\"\n\"something else\"\n"), 0o600))
	e := gathered(t, pipelines["gitlab-issue"](t), "--credentials-file", file, "--human-min-role", "write")
	if r := e.chain(); r.exit != fault.Done {
		t.Errorf("exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
	if !strings.Contains(e.receipt, `"credentials_registered":2`) {
		t.Error(e.receipt)
	}
	all := e.credentials
	e.credentials = nil
	if r := e.chain(); r.exit != fault.Usage || r.stdout != "" || !strings.Contains(r.stderr, "2 registered credentials and 0 are given") {
		t.Errorf("without: exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
	e.credentials = all[:2]
	if r := e.chain(); r.exit != fault.Aborted || !strings.Contains(r.stdout, e.filtered+": byte ") {
		t.Errorf("another threshold: exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
}

// emit makes a statement only for somebody, of a tree of an entity, beside a capture that
// is the one, and leaves none of a run that failed.
func TestStatementIsRefused(t *testing.T) {
	stream := []byte(gatheredStream(t))
	other := gathered(t, pipelines["forgejo-issue"](t))
	documents := run("bound", []byte(run("filter", []byte(run("fetch", nil, "msp", "pkg/family/msp/testdata/documents/valid-03-all-facts.state.json").stdout)).stdout)).stdout
	for name, c := range map[string]struct {
		stream []byte
		args   []string
		exit   fault.Exit
	}{
		"no builder":            {stream, []string{"--statement", "S"}, fault.Usage},
		"no URI":                {stream, []string{"--statement", "S", "--builder-id", "me"}, fault.Usage},
		"white space":           {stream, []string{"--statement", "S", "--builder-id", "https://x y"}, fault.Usage},
		"builder alone":         {stream, []string{"--builder-id", builderID}, fault.Usage},
		"capture alone":         {stream, []string{"--raw", other.raw}, fault.Usage},
		"a path that exists":    {stream, []string{"--statement", other.raw, "--builder-id", builderID}, fault.Usage},
		"another capture":       {stream, []string{"--statement", "S", "--builder-id", builderID, "--raw", other.raw}, fault.Input},
		"a filtered capture":    {stream, []string{"--statement", "S", "--builder-id", builderID, "--raw", other.filtered}, fault.Input},
		"a missing capture":     {stream, []string{"--statement", "S", "--builder-id", builderID, "--raw", "nowhere"}, fault.Environment},
		"documents":             {[]byte(documents), []string{"--statement", "S", "--builder-id", builderID}, fault.Usage},
		"a broken stream":       {stream[:len(stream)-3], []string{"--statement", "S", "--builder-id", builderID}, fault.Input},
		"a URN is a URI":        {stream, []string{"--statement", "S", "--builder-id", "urn:example:runner"}, fault.Done},
		"without a capture too": {stream, []string{"--statement", "S", "--builder-id", builderID}, fault.Done},
	} {
		dir := t.TempDir()
		args := append([]string{"--out", filepath.Join(dir, "context")}, c.args...)
		for i := range args {
			if args[i] == "S" {
				args[i] = filepath.Join(dir, "statement.json")
			}
		}
		r := run("emit", c.stream, args...)
		if r.exit != c.exit || (r.exit != fault.Done) != (strings.Count(r.stderr, "\n") == 1) {
			t.Errorf("%s: exit %d: %s", name, r.exit, r.stderr)
		}
		left, err := os.ReadDir(dir)
		must(t, err)
		if want := map[bool]int{true: 2, false: 0}[c.exit == fault.Done]; len(left) != want {
			t.Errorf("%s: %d files are left", name, len(left))
		}
	}
}

func gatheredStream(t *testing.T) string {
	t.Helper()
	e := gathered(t, pipelines["gitlab-issue"](t))
	bounded, err := os.ReadFile(e.bounded)
	must(t, err)
	return string(bounded)
}

// The name of a request comes back: in the receipt, in the statement, and on the abort line
// of whichever stage stops.
func TestRequestIsEchoed(t *testing.T) {
	const id = "ci:run/12@host"
	if r := run("fetch", nil, "https://jira.example/browse/X-1", "--request-id", id); r.exit != fault.Unsupported || !strings.Contains(r.stdout, `"request_id":"`+id+`"`) {
		t.Errorf("fetch: exit %d: %s", r.exit, r.stdout)
	}
	stream := func(role string, bound int64) []byte {
		s := testkit.New(contract.GitHub, contract.WorkItem, 1)
		s.Header.Acquisition = &contract.Acquisition{RequestID: id, ProfileName: "observation", Date: testkit.Time(9, "10:00")}
		s.Header.Collection.Bounds.MaxMetadataStringBytes = bound
		s.Actor(s.ID("actor", 1)).Role = &role
		return s.Bytes(t)
	}
	for name, c := range map[string]struct {
		stream []byte
		stage  string
	}{
		"not admitted": {stream("read", 256), "filter"},
		"a long host":  {stream("admin", 3), "filter"},
	} {
		p := pipe(t, c.stream)
		if !strings.Contains(p.emit.stdout, `"stage":"`+c.stage+`"`) || !strings.Contains(p.emit.stdout, `"request_id":"`+id+`"`) {
			t.Errorf("%s: %s", name, p.emit.stdout)
		}
	}
	e := gathered(t, stream("admin", 256))
	said, err := os.ReadFile(e.statement)
	must(t, err)
	for what, text := range map[string]string{"receipt": e.receipt, "statement": string(said)} {
		if strings.Count(text, `"request_id":"`+id+`"`) != 1 || strings.Count(text, testkit.Time(9, "10:00")) != 1 {
			t.Errorf("%s: %s", what, text)
		}
	}
	bounded, err := os.ReadFile(e.bounded)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "context")
	if r := run("emit", bytes.Replace(bounded, []byte(`"login":"`), []byte(`"login":"x`), 1), "--out", dir); r.exit != fault.Input || !strings.Contains(r.stdout, `"request_id":"`+id+`"`) {
		t.Errorf("emit: exit %d: %s%s", r.exit, r.stdout, r.stderr)
	}
	for path, text := range files(t, e.context) {
		if strings.Contains(text, id) {
			t.Errorf("the tree names the request: %s", path)
		}
	}
}
