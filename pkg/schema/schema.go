// Package schema compiles the embedded JSON Schemas once, offline, and judges
// documents by them.
//
// A schema is the third of five checks (canonical bytes first, own rules after); a
// document that has not passed pkg/json/canonicaljson must not come here, because the
// validator's arithmetic on hostile numbers is unbounded. Nothing is ever fetched:
// a reference that the bundle does not hold, a pattern that does not compile and a
// validator that panics are errors, never a weaker check (CMP-03, STR-08).
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
	"sync"

	"github.com/xeipuuv/gojsonreference"
	"github.com/xeipuuv/gojsonschema"

	"snapline/pkg/fault"
	"snapline/schemas"
)

// maxViolations bounds what Check returns for one document: a report, not a copy of
// the damage.
const maxViolations = 100

// Violation is one place where a document breaks its schema. It names places and
// keywords, never values.
type Violation struct {
	Position string // JSON pointer into the document
	Keyword  string // what failed, in the validator's words
	Detail   string // member concerned, quoted when it comes from the document
}

// Bundle is a set of compiled schemas. It is safe for concurrent use.
type Bundle struct {
	schemas map[string]*gojsonschema.Schema // by $id and by file name
}

// EntityContextSnapshot gives the bundle of the nine snapshot schemas.
var EntityContextSnapshot = sync.OnceValues(func() (*Bundle, error) {
	return Load(schemas.Files, "entity-context-snapshot/v1")
})

// Load compiles every *.schema.json of one folder into one registry, keyed by $id
// and by file name. It fails on the first schema that is missing a sibling, holds a
// reference that does not resolve, or cannot be compiled.
func Load(fsys fs.FS, dir string) (*Bundle, error) {
	files, err := fs.Glob(fsys, path.Join(dir, "*.schema.json"))
	if err != nil {
		return nil, fmt.Errorf("schema folder %s: %w", dir, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("schema folder %s: no schema", dir)
	}
	loader := gojsonschema.NewSchemaLoader()
	loader.AutoDetect = false
	loader.Draft = gojsonschema.Draft7
	ids := make(map[string]string, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", file, err)
		}
		id, err := identifier(text)
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", file, err)
		}
		ids[path.Base(file)] = id
		if err := guarded(func() error { return loader.AddSchemas(embedded{id: id, text: text}) }); err != nil {
			return nil, fmt.Errorf("schema %s: %w", file, err)
		}
	}
	b := &Bundle{schemas: make(map[string]*gojsonschema.Schema, 2*len(ids))}
	for name, id := range ids {
		var compiled *gojsonschema.Schema
		err := guarded(func() (err error) {
			compiled, err = loader.Compile(embedded{id: id})
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		b.schemas[id], b.schemas[name] = compiled, compiled
	}
	return b, nil
}

// Check judges one document by the schema of that file name or $id. The document
// must be canonical JSON. Violations are sorted and free of duplicates. The error is
// for a schema that does not exist or a validator that failed; the document has then
// not been judged.
func (b *Bundle) Check(name string, document []byte) ([]Violation, error) {
	compiled := b.schemas[name]
	if compiled == nil {
		return nil, fmt.Errorf("schema %s: not in the bundle", name)
	}
	var result *gojsonschema.Result
	err := guarded(func() (err error) {
		result, err = compiled.Validate(gojsonschema.NewBytesLoader(document))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return violations(result.Errors()), nil
}

// violations makes a stable report: the validator's own order changes from run to
// run, and it repeats itself.
func violations(errs []gojsonschema.ResultError) []Violation {
	seen := make(map[Violation]bool, len(errs))
	var out []Violation
	for _, e := range errs {
		v := Violation{Position: pointer(e.Context().String("/")), Keyword: e.Type()}
		if property, ok := e.Details()["property"].(string); ok {
			v.Detail = "member " + fault.Quote(property)
		}
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.Position != b.Position {
			return a.Position < b.Position
		}
		if a.Keyword != b.Keyword {
			return a.Keyword < b.Keyword
		}
		return a.Detail < b.Detail
	})
	if len(out) > maxViolations {
		out = out[:maxViolations]
	}
	return out
}

func pointer(context string) string {
	return strings.TrimPrefix(context, gojsonschema.STRING_CONTEXT_ROOT)
}

func identifier(text []byte) (string, error) {
	var head struct {
		ID string `json:"$id"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return "", err
	}
	if head.ID == "" {
		return "", errors.New("no $id")
	}
	return head.ID, nil
}

// guarded turns a panic of the validator into an error: a document that makes it
// panic is not accepted, and not a reason to die.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the validator failed: %v", p)
		}
	}()
	return f()
}

// embedded is a schema of the bundle. As a loader's factory it makes loaders that
// refuse, so that an unregistered reference is an error and never a request.
type embedded struct {
	id   string
	text []byte
}

var errOffline = errors.New("the reference is not in the bundle, and nothing is fetched")

func (e embedded) JsonSource() any { return e.id }

func (e embedded) LoadJSON() (any, error) {
	if e.text == nil {
		return nil, errOffline
	}
	d := json.NewDecoder(strings.NewReader(string(e.text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

func (e embedded) JsonReference() (gojsonreference.JsonReference, error) {
	return gojsonreference.NewJsonReference(e.id)
}

func (e embedded) LoaderFactory() gojsonschema.JSONLoaderFactory { return refuse{} }

type refuse struct{}

func (refuse) New(source string) gojsonschema.JSONLoader { return embedded{id: source} }
