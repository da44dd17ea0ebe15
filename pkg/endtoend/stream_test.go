package endtoend_test

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
)

// Scripts write streams in shorthand: NDJSON in which a line may leave out what does
// not matter to the case. seal fills it in and adds the trailer, so that what a script
// shows is what it is about.

var (
	shortSource = contract.Source{Forge: contract.GitHub, Host: "github.com", RepositoryID: "R_kgDOExample", Repository: "octo/tool"}
	shortHead   = strings.Repeat("a", 40)
)

const (
	shortOwner = "U_kgDOowner"
	shortTime  = "2026-03-01T%02d:%02d:00.000000000Z"
)

type object = map[string]any

// seal turns shorthand into a fetch stream.
func seal(shorthand []byte) ([]byte, error) {
	s := sealer{}
	lines := bufio.NewScanner(bytes.NewReader(shorthand))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		var l object
		if err := d.Decode(&l); err != nil {
			return nil, fmt.Errorf("shorthand %q: %w", lines.Text(), err)
		}
		s.line(l)
	}
	return s.end(), lines.Err()
}

type sealer struct {
	out    bytes.Buffer
	lines  int
	entity object
	kind   string
}

func (s *sealer) line(l object) {
	n := s.lines
	created := fmt.Sprintf(shortTime, n/60, n%60)
	switch l["type"] {
	case "snapshot":
		l = s.header(l)
	case "actor":
		role, verified := l["role"].(string)
		fill(l, object{"kind": "human", "login": strings.ToLower(l["id"].(string)), "role": nil, "role_verified": verified && role != "bot"})
		if l["kind"] == "bot" {
			l["role"], l["role_verified"] = "bot", false
			fill(l, object{"bot_role": nil})
		}
	case "record":
		if l["kind"] == "entity" {
			fill(l, pick(s.entity, "id", "author_id", "created_at", "updated_at"))
		}
		fill(l, object{"created_at": created, "author_id": shortOwner})
		if l["kind"] == "review" {
			fill(l, object{"state": "commented"})
		}
		if l["oversize"] == nil && l["body_base64"] == nil {
			fill(l, object{"body": ""})
		}
		fill(l, object{"record_key": key(contract.Kind(l["kind"].(string)), l["id"])})
	case "thread":
		fill(l, object{"thread_key": key(contract.KindThread, l["id"]), "created_at": created, "resolved": false, "outdated": false, "replies": []any{}})
		var keys []any
		for _, id := range l["comments"].([]any) {
			keys = append(keys, key(contract.KindComment, id))
		}
		delete(l, "comments")
		fill(l, object{"record_keys": keys})
	case "check":
		fill(l, object{"record_key": key(contract.KindCheck, l["id"]), "created_at": created, "head_sha": shortHead, "status": "completed", "name": "build"})
		if l["status"] == "completed" {
			fill(l, object{"conclusion": "failure", "never_started": false, "started_at": created, "completed_at": created})
		}
	case "log":
		if id, ok := l["check"]; ok {
			delete(l, "check")
			fill(l, object{"record_key": key(contract.KindCheck, id)})
		}
	}
	s.write(l)
}

func (s *sealer) header(l object) object {
	s.kind = cmp.Or(l["kind"], any("work_item")).(string)
	threshold := cmp.Or(l["threshold"], any("triage")).(string)
	s.entity = object{
		"kind": s.kind, "id": "I_kwDOentity", "number": 7, "title": "It fails", "state": "open", "author_id": shortOwner,
		"created_at": fmt.Sprintf(shortTime, 0, 0), "updated_at": fmt.Sprintf(shortTime, 0, 0), "labels": []any{},
	}
	sources, logs := []any{"comments", "entity"}, "none"
	if s.kind == "change_proposal" {
		sources, logs = []any{"check_logs", "checks", "comments", "entity", "reviews"}, "failed"
	}
	bounds := object{
		"max_labels": 50, "max_log_bytes": 1048576, "max_metadata_string_bytes": 1024, "max_record_bytes": 65536,
		"max_records_per_source": 200, "max_source_bytes": 16777216,
	}
	collection := object{
		"admission": object{"human_min_role": threshold}, "bounds": bounds, "check_log_selection": logs,
		"entity_kind": s.kind, "included_sources": sources, "record_selection": "newest",
	}
	for name, into := range map[string]object{"entity": s.entity, "bounds": bounds, "collection": collection} {
		if given, ok := l[name].(object); ok {
			maps.Copy(into, given)
		}
	}
	h := object{
		"type": "snapshot", "stream": contract.Version, "family": contract.FamilyEntity,
		"stages": []any{object{"stage": "fetch", "program": "script", "version": "1"}},
		"source": object{"forge": shortSource.Forge, "host": shortSource.Host, "repository_id": shortSource.RepositoryID, "repository": shortSource.Repository},
		"entity": s.entity, "collection": collection,
	}
	if l["replay"] != nil {
		h["replay"] = l["replay"]
	}
	if s.kind == "change_proposal" {
		h["head_sha"] = shortHead
	}
	return h
}

func key(kind contract.Kind, id any) string { return tree.Key(shortSource, kind, id.(string)) }

func fill(l, defaults object) {
	for k, v := range defaults {
		if _, given := l[k]; !given {
			l[k] = v
		}
	}
}

func pick(l object, names ...string) object {
	o := object{}
	for _, n := range names {
		o[n] = l[n]
	}
	return o
}

func (s *sealer) write(l object) {
	s.lines++
	e := json.NewEncoder(&s.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		panic(err)
	}
}

func (s *sealer) end() []byte {
	sum := sha256.Sum256(s.out.Bytes())
	s.write(object{"type": "end", "lines": s.lines, "sha256": hex.EncodeToString(sum[:])})
	return s.out.Bytes()
}
