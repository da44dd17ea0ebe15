package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"snapline/pkg/contract/tree"
	"snapline/pkg/json/canonicaljson"
	"snapline/pkg/read"
)

// tool is one thing that a client may ask for.
type tool struct {
	name, description string
	properties        map[string]any // JSON Schema of the arguments
	required          []string
	run               func(*server, json.RawMessage) ([]string, error)
}

// Bounds of one answer.
const (
	maxRecords  = 200     // records of one page of a view
	defaultPage = 50      // of them when nothing is said
	maxLogRange = 1 << 16 // bytes of a log
)

var (
	textSchema   = map[string]any{"type": "string"}
	numberSchema = map[string]any{"type": "integer", "minimum": 0}
)

var tools = [...]tool{
	{
		"entity", "Title, state, author, labels and times of the issue or pull request, and who takes part with which role.",
		map[string]any{},
		nil, (*server).entity,
	},
	{
		"timeline", "The records of a view in order, a page at a time: timeline, unresolved-review, or review: and a record key.",
		map[string]any{"view": textSchema, "from": numberSchema, "limit": numberSchema},
		nil, (*server).timeline,
	},
	{
		"threads", "The review threads: state, path and line, and the record keys of their comments.",
		map[string]any{},
		nil, (*server).threads,
	},
	{
		"checks", "The checks of the head: name, status, conclusion and times, and whether there is a log.",
		map[string]any{},
		nil, (*server).checks,
	},
	{
		"log", "A part of a check's log: at most 65536 bytes from a byte offset, whole characters.",
		map[string]any{"record_key": textSchema, "offset": numberSchema, "limit": numberSchema},
		[]string{"record_key"},
		(*server).log,
	},
	{
		"gaps", "What is missing from the snapshot, by scope, and what that means.",
		map[string]any{},
		nil, (*server).gaps,
	},
}

// declaration is the tool as the client sees it.
func (t tool) declaration() *mcp.Tool {
	schema := map[string]any{"type": "object", "properties": t.properties, "additionalProperties": false}
	if t.required != nil {
		schema["required"] = t.required
	}
	closed := false
	return &mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

func (s *server) handler(t tool) mcp.ToolHandler {
	return func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		texts, err := t.run(s, q.Params.Arguments)
		if err != nil {
			return nil, err
		}
		result := &mcp.CallToolResult{Content: []mcp.Content{}}
		for _, text := range texts {
			result.Content = append(result.Content, &mcp.TextContent{Text: text})
		}
		return result, nil
	}
}

// arguments reads the arguments of a tool; one that it does not know is an error.
func arguments(raw json.RawMessage, v any) error {
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return invalid("the arguments do not have the form of the tool")
	}
	return nil
}

// framed marks text as data, with a mark that the text cannot know.
func framed(what, digest, text string) string {
	return "Untrusted data, " + what + ", " + digest + ":\n" + text + "\nEnd of the untrusted data " + digest + "\n"
}

// document frames a value as canonical JSON.
func document(what string, v any) (string, error) {
	b, err := canonicaljson.Marshal(v)
	if err != nil {
		return "", err
	}
	return framed(what, tree.Digest(b), string(b)), nil
}

// files frames files of the tree as they are.
func (s *server) files(raw json.RawMessage, paths ...string) ([]string, error) {
	if err := arguments(raw, &struct{}{}); err != nil {
		return nil, err
	}
	var texts []string
	for _, path := range paths {
		f, text, err := s.file(path)
		if err != nil {
			return nil, err
		}
		texts = append(texts, framed(f.Path, f.SHA256, text))
	}
	return texts, nil
}

func (s *server) entity(raw json.RawMessage) ([]string, error) {
	return s.files(raw, tree.EntityPath, tree.ActorsPath)
}

func (s *server) threads(raw json.RawMessage) ([]string, error) {
	return s.files(raw, tree.ReviewsPath, tree.ThreadStatePath)
}

func (s *server) checks(raw json.RawMessage) ([]string, error) {
	var paths []string
	for _, f := range s.tree.Index.Files {
		if f.Role == tree.RoleCheckMetadata {
			paths = append(paths, f.Path)
		}
	}
	return s.files(raw, paths...)
}

func (s *server) timeline(raw json.RawMessage) ([]string, error) {
	a := struct {
		View        string
		From, Limit int
	}{View: "timeline", Limit: defaultPage}
	if err := arguments(raw, &a); err != nil {
		return nil, err
	}
	path := map[string]string{"timeline": tree.TimelinePath, "unresolved-review": tree.UnresolvedReviewPath}[a.View]
	if key, ok := strings.CutPrefix(a.View, "review:"); ok && tree.ValidDigest(key) {
		path = tree.ReviewViewPath(key)
	}
	if path == "" || s.tree.File(path) == nil {
		return nil, invalid("there is no such view")
	}
	if a.From < 0 || a.Limit < 1 || a.Limit > maxRecords {
		return nil, invalid("from is a number from 0, limit one from 1 to 200")
	}
	_, order, err := s.file(path)
	if err != nil {
		return nil, err
	}
	records := strings.Fields(order)
	from := min(a.From, len(records))
	to := min(from+a.Limit, len(records))
	var texts []string
	for _, record := range records[from:to] {
		f, text, err := s.file(record)
		if err != nil {
			return nil, err
		}
		texts = append(texts, framed(f.Path, f.SHA256, text))
	}
	rest, err := document("the page", map[string]int{"from": from, "records": to - from, "of": len(records)})
	return append(texts, rest), err
}

func (s *server) log(raw json.RawMessage) ([]string, error) {
	a := struct {
		RecordKey     string `json:"record_key"`
		Offset, Limit int64
	}{Limit: maxLogRange}
	if err := arguments(raw, &a); err != nil {
		return nil, err
	}
	row := s.tree.Record(a.RecordKey)
	if row == nil || row.LogPath == "" {
		return nil, invalid("there is no log of such a record")
	}
	if a.Offset < 0 || a.Limit < 1 || a.Limit > maxLogRange {
		return nil, invalid("offset is a number from 0, limit one from 1 to 65536")
	}
	f, text, err := s.file(row.LogPath)
	if err != nil {
		return nil, err
	}
	from := boundary(text, min(a.Offset, int64(len(text))))
	to := boundary(text, min(from+a.Limit, int64(len(text))))
	if to == from && from < int64(len(text)) {
		return nil, invalid("the limit is less than a character")
	}
	part, err := document("the range", map[string]int64{"offset": from, "bytes": to - from, "of": int64(len(text))})
	return []string{framed(f.Path, f.SHA256, text[from:to]), part}, err
}

// boundary moves an offset back to the beginning of its character.
func boundary(text string, at int64) int64 {
	for at > 0 && at < int64(len(text)) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

func (s *server) gaps(raw json.RawMessage) ([]string, error) {
	if err := arguments(raw, &struct{}{}); err != nil {
		return nil, err
	}
	g, err := read.ReadGaps(s.tree.Snapshot, read.Demands{})
	if err != nil {
		return nil, told(err)
	}
	var b strings.Builder
	if err := g.WriteText(&b); err != nil {
		return nil, err
	}
	return []string{framed("what is missing", g.IndexSHA256, b.String())}, nil
}
