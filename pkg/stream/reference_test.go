package stream

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// The reference reader: slow and obvious, on encoding/json's tokens and the JSON
// Schemas of the lines. It shares with the reader only pkg/contract/tree and the caps.

type members = map[string]any

// referenceAccepts gives nil for a stream that must be accepted.
func referenceAccepts(v *validators, raw []byte) error {
	if !bytes.HasSuffix(raw, []byte("\n")) {
		return errors.New("no final line feed")
	}
	lines := bytes.Split(raw[:len(raw)-1], []byte("\n"))
	r := reference{pos: 1}
	for i, line := range lines {
		doc, err := strictObject(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		kind, _ := doc["type"].(string)
		if i == 0 && kind == "snapshot" {
			stages, _ := doc["stages"].([]any)
			r.pos = min(max(len(stages), 1), 3)
		}
		if err := r.line(v, kind, doc, line); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		isLast := i == len(lines)-1
		if isLast != (kind == "end" || kind == "abort") {
			return fmt.Errorf("line %d: end and abort are the last line", i+1)
		}
		if kind == "end" {
			before := raw[:len(raw)-len(line)-1]
			sum := sha256.Sum256(before)
			if doc["sha256"] != hex.EncodeToString(sum[:]) || intOf(doc["lines"]) != int64(i) {
				return errors.New("the trailer is wrong")
			}
			chain, _ := doc["chain"].([]any)
			if len(chain) != r.pos-1 || r.pos > 1 && chain[r.pos-2] != doc["input_sha256"] {
				return errors.New("the chain is wrong")
			}
		}
	}
	return nil
}

// strictObject decodes one line by the framing rules.
func strictObject(line []byte) (members, error) {
	if !utf8.Valid(line) || bytes.ContainsRune(line, '\r') || loneSurrogate(line) {
		return nil, errors.New("encoding")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	v, err := strictValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	doc, ok := v.(members)
	if !ok {
		return nil, errors.New("no object")
	}
	return doc, nil
}

func strictValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == 6 {
			return nil, errors.New("too deep")
		}
		if token == '[' {
			list := []any{}
			for d.More() {
				v, err := strictValue(d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err := d.Token()
			return list, err
		}
		o := members{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			key, ok := name.(string)
			if !ok {
				return nil, errors.New("a name that is no string")
			}
			if _, twice := o[key]; twice {
				return nil, errors.New("duplicate member")
			}
			if o[key], err = strictValue(d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return o, err
	case json.Number:
		n, err := strconv.ParseInt(string(token), 10, 64)
		if err != nil || n > 1<<53-1 || n < -(1<<53-1) {
			return nil, errors.New("no integer in range")
		}
		return token, nil
	}
	return token, nil
}

// loneSurrogate looks at every escape outside of pairs.
func loneSurrogate(line []byte) bool {
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		unit := func(at int) (uint64, bool) {
			if at+6 > len(line) || line[at] != '\\' || line[at+1] != 'u' {
				return 0, false
			}
			u, err := strconv.ParseUint(string(line[at+2:at+6]), 16, 16)
			return u, err == nil
		}
		if u, ok := unit(i); ok && u >= 0xd800 && u <= 0xdfff {
			low, ok := unit(i + 6)
			if u > 0xdbff || !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
		i++
	}
	return false
}

func intOf(v any) int64 {
	n, _ := v.(json.Number).Int64()
	return n
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

type reference struct {
	pos      int
	header   members
	source   contract.Source
	included []any
	rank     int
	last     []string
	ids      map[string]bool   // actors
	keys     map[string]bool   // everything that is unique
	kinds    map[string]string // record key to kind, if it has a body
	checks   []members
	logs     int
	entity   bool
}

func (r *reference) line(v *validators, kind string, doc members, line []byte) error {
	limit := 8 << 20
	if r.header != nil && slices.Contains([]string{"record", "log", "document"}, kind) {
		switch {
		case r.source.Forge != "":
			limit = 16*int(intOf(r.header["collection"].(members)["bounds"].(members)["max_source_bytes"])) + 64<<10
		default:
			limit = 16*int(intOf(r.header["limits"].(members)["max_document_bytes"])) + 64<<10
		}
	}
	if len(line) > limit {
		return errors.New("over the cap")
	}
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return err
	}
	if err := v.second[contract.StageNames[r.pos-1]+".schema.json"].Validate(plain); err != nil {
		return err
	}
	if err := beyondSchemas(doc); err != nil {
		return err
	}
	if (r.header == nil) != (kind == "snapshot") && (r.header != nil || kind != "abort") {
		return errors.New("the header is the first line")
	}
	switch kind {
	case "snapshot":
		return r.snapshot(doc)
	case "end":
		if r.source.Forge != "" && !r.entity {
			return errors.New("no entity record")
		}
		return nil
	case "abort":
		if r.header != nil && slices.Index(contract.StageNames[:], str(doc["stage"])) >= r.pos {
			return errors.New("a stage that was not there yet")
		}
		return nil
	case "gap":
		scope := str(doc["scope"])
		if (scope == "documents") != (r.source.Forge == "") {
			return errors.New("family")
		}
		if scope != "documents" && scope != "actors" && !slices.Contains(r.included, any(scope)) {
			return errors.New("unselected")
		}
		return nil
	}
	return r.object(kind, doc)
}

// beyondSchemas checks what the keywords of the schemas cannot say.
func beyondSchemas(v any) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := beyondSchemas(e); err != nil {
				return err
			}
		}
	case members:
		for name, member := range v {
			if err := beyondSchemas(member); err != nil {
				return err
			}
			s, isString := member.(string)
			if isString && strings.HasSuffix(name, "_at") {
				if _, err := time.Parse("2006-01-02T15:04:05.000000000Z", s); err != nil {
					return err
				}
			}
			if isString && strings.HasSuffix(name, "_base64") {
				b, err := base64.StdEncoding.DecodeString(s)
				if err != nil || utf8.Valid(b) || base64.StdEncoding.EncodeToString(b) != s {
					return errors.New("base64")
				}
			}
			list, _ := member.([]any)
			sortedBy := func(key func(any) string) error {
				for i := 1; i < len(list); i++ {
					if key(list[i-1]) >= key(list[i]) {
						return errors.New("unsorted")
					}
				}
				return nil
			}
			var err error
			switch name {
			case "findings":
				err = sortedBy(func(e any) string { return str(e.(members)["code"]) })
			case "included_sources", "result_record_keys":
				err = sortedBy(str)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reference) snapshot(doc members) error {
	for i, s := range doc["stages"].([]any) {
		if s.(members)["stage"] != contract.StageNames[i] {
			return errors.New("stages")
		}
	}
	r.header = doc
	r.ids, r.keys, r.kinds = map[string]bool{}, map[string]bool{}, map[string]string{}
	s, ok := doc["source"].(members)
	if !ok {
		return nil
	}
	r.source = contract.Source{
		Forge: contract.Forge(str(s["forge"])), Host: str(s["host"]),
		RepositoryID: str(s["repository_id"]), Repository: str(s["repository"]),
	}
	if !tree.ValidSource(r.source) {
		return errors.New("source")
	}
	if a, ok := doc["acquisition"].(members); ok && !r.here(a["address"]) {
		return errors.New("address")
	}
	r.included = doc["collection"].(members)["included_sources"].([]any)
	entity := doc["entity"].(members)
	if !tree.ValidID(r.source.Forge, "entity", str(entity["id"])) {
		return errors.New("entity id")
	}
	if id, ok := entity["author_id"].(string); ok && !tree.ValidActorID(r.source.Forge, id) {
		return errors.New("author id")
	}
	return nil
}

func (r *reference) object(kind string, doc members) error {
	order := []string{"actor", "record", "thread", "check", "run", "log"}
	if r.source.Forge == "" {
		order = []string{"document"}
	}
	rank := slices.Index(order, kind) + 1
	if rank == 0 {
		return errors.New("family")
	}
	if rank < r.rank {
		return errors.New("order of types")
	}
	if rank > r.rank {
		r.rank, r.last = rank, nil
	}
	id, key, created := str(doc["id"]), str(doc["record_key"]), str(doc["created_at"])
	sub, need, sort := contract.Kind(kind), "", []string{created, key}
	unique := key
	switch kind {
	case "actor":
		r.ids[id], unique, sort = true, id, []string{id}
	case "record":
		sub = contract.Kind(str(doc["kind"]))
		need = map[contract.Kind]string{"comment": "comments", "review": "reviews", "entity": "entity"}[sub]
		if (sub == "entity") == r.entity {
			return errors.New("entity first")
		}
		r.entity = true
		if sub == "entity" {
			h := r.header["entity"].(members)
			for _, m := range []string{"id", "author_id", "created_at", "updated_at"} {
				if doc[m] != h[m] {
					return errors.New("not the header's " + m)
				}
			}
			if doc["filter"] != nil && r.pos == 3 && doc["filter"].(members)["status"] == "rejected" {
				return errors.New("entity rejected")
			}
			sort = nil
		}
		if _, ok := doc["body"]; ok {
			r.kinds[key] = string(sub)
		}
	case "thread":
		need, unique, key, sort = "reviews", str(doc["thread_key"]), str(doc["thread_key"]), []string{created, id}
	case "check":
		need = "checks"
		if doc["head_sha"] != r.header["head_sha"] {
			return errors.New("head")
		}
		r.checks = append(r.checks, doc)
		if doc["name"] != nil {
			r.kinds[key] = "check"
		}
	case "run":
		need, unique, sort = "agent_runs", "run "+id, []string{str(doc["completed_at"]), id}
	case "log":
		need, unique, sort = "check_logs", "log "+key, nil
		if err := r.log(key); err != nil {
			return err
		}
	case "document":
		unique, sort = str(doc["name"]), nil
		raw, has := doc["raw"].(string)
		if b64, ok := doc["raw_base64"].(string); ok {
			b, _ := base64.StdEncoding.DecodeString(b64)
			raw, has = string(b), true
		}
		if has && tree.Digest([]byte(raw)) != doc["sha256"] {
			return errors.New("document digest")
		}
	}
	if need != "" && !slices.Contains(r.included, any(need)) {
		return errors.New("unselected")
	}
	switch kind {
	case "actor", "run":
		publisher, published := doc["publisher_id"].(string)
		if !tree.ValidID(r.source.Forge, sub, id) || published && !tree.ValidActorID(r.source.Forge, publisher) {
			return errors.New("id")
		}
	case "record", "thread", "check":
		if !tree.ValidID(r.source.Forge, sub, id) || tree.Key(r.source, sub, id) != key {
			return errors.New("id or key")
		}
	}
	if r.keys[unique] {
		return errors.New("twice")
	}
	r.keys[unique] = true
	if sort != nil && slices.Compare(sort, r.last) < 0 {
		return errors.New("order")
	}
	if sort != nil {
		r.last = sort
	}
	return r.references(kind, doc)
}

func (r *reference) log(key string) error {
	selection := str(r.header["collection"].(members)["check_log_selection"])
	for i, c := range r.checks {
		if c["record_key"] != key {
			continue
		}
		failed := slices.Contains([]string{"failure", "timed_out", "action_required", "stale"}, str(c["conclusion"]))
		switch {
		case c["status"] != "completed" || c["never_started"] == true || selection != "all" && !(selection == "failed" && failed):
			return errors.New("no log is selected")
		case r.pos == 3 && c["name"] == nil:
			return errors.New("of a rejected check")
		case i < r.logs:
			return errors.New("order of logs")
		}
		r.logs = i
		return nil
	}
	return errors.New("log of no check")
}

// here reports whether an address lies on the source's host.
func (r *reference) here(address any) bool {
	s, ok := address.(string)
	if !ok {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && u.Host == r.source.Host
}

func (r *reference) references(kind string, doc members) error {
	if r.source.Forge != "" && kind != "actor" {
		if id, ok := r.header["entity"].(members)["author_id"].(string); ok && !r.ids[id] {
			return errors.New("header's author")
		}
	}
	for _, m := range []string{"author_id", "editor_id", "dismissed_by_actor_id", "resolved_by_actor_id"} {
		if id, ok := doc[m].(string); ok && !r.ids[id] {
			return errors.New(m)
		}
	}
	if !r.here(doc["url"]) {
		return errors.New("url")
	}
	if kind == "thread" {
		if doc["outdated"] == true && r.source.Forge != "github" {
			return errors.New("outdated")
		}
		if id := str(doc["review_id"]); id != "" && (!tree.ValidID(r.source.Forge, "review", id) || tree.Key(r.source, "review", id) != doc["review_record_key"]) {
			return errors.New("review link")
		}
	}
	if r.pos < 3 {
		return nil
	}
	switch kind {
	case "thread":
		keys := doc["record_keys"].([]any)
		for _, k := range keys {
			if r.kinds[str(k)] != "comment" {
				return errors.New("record_keys")
			}
		}
		for _, reply := range doc["replies"].([]any) {
			if !slices.Contains(keys, reply.(members)["record_key"]) || !slices.Contains(keys, reply.(members)["parent_record_key"]) {
				return errors.New("replies")
			}
		}
		if k, ok := doc["review_record_key"].(string); ok && r.kinds[k] != "review" {
			return errors.New("review")
		}
	case "run":
		for _, k := range doc["result_record_keys"].([]any) {
			if r.kinds[str(k)] == "" {
				return errors.New("results")
			}
		}
	}
	return nil
}

// TestReferenceAgreesOnVectors: the reference must refuse every vector and accept
// every legal stream.
func TestReferenceAgreesOnVectors(t *testing.T) {
	v := mustValidators(t)
	for _, c := range vectors() {
		if c.see == inJSON && strings.HasPrefix(c.rule, "stream.compression") || c.rule == RuleExpansion || c.rule == RuleEmptyInput {
			continue
		}
		if referenceAccepts(v, []byte(c.data(t))) == nil {
			t.Errorf("the reference accepts %s/%s", c.rule, c.name)
		}
	}
	for _, c := range acceptedVectors() {
		if err := referenceAccepts(v, []byte(c.data(t))); err != nil {
			t.Errorf("the reference refuses %s: %v", c.name, err)
		}
	}
}
