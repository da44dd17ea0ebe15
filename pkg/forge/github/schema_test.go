package github_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// schemaPackage is GitHub's published schema. Later versions are themselves invalid:
// they define a member twice.
const schemaPackage = "@octokit/graphql-schema@15.25.0"

// schemaText fetches the schema with npm, once a machine; "" and the reason when it
// cannot be had.
func schemaText(t *testing.T) (text, reason string) {
	t.Helper()
	if testing.Short() {
		return "", "-short"
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "snapline-test")
	archive := filepath.Join(dir, "octokit-graphql-schema-15.25.0.tgz")
	if _, err := os.Stat(archive); err != nil {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return "", "npm is not installed"
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		work := t.TempDir()
		cmd := exec.CommandContext(ctx, npm, "pack", "--ignore-scripts", schemaPackage)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", "npm pack: " + strings.TrimSpace(string(out[max(0, len(out)-200):]))
		}
		// Read before it is kept, so that a broken file never stays.
		if _, err := readSchema(filepath.Join(work, filepath.Base(archive))); err != nil {
			return "", err.Error()
		}
		if os.MkdirAll(dir, 0o700) == nil {
			_ = os.Rename(filepath.Join(work, filepath.Base(archive)), archive)
		}
		if _, err := os.Stat(archive); err != nil {
			archive = filepath.Join(work, filepath.Base(archive))
		}
	}
	if text, err = readSchema(archive); err != nil {
		return "", err.Error()
	}
	return text, ""
}

func readSchema(archive string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return "", errors.New("there is no schema.graphql in the package")
		}
		if h.Name == "package/schema.graphql" {
			b, err := io.ReadAll(r)
			return string(b), err
		}
	}
}

// TestQueriesAreValid: every query file is valid against the published schema.
func TestQueriesAreValid(t *testing.T) {
	files, err := filepath.Glob("queries/*.graphql")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d query files, %v", len(files), err)
	}
	text, reason := schemaText(t)
	if text == "" {
		t.Skip("THE QUERIES ARE NOT VALIDATED, as the published schema cannot be fetched: " + reason)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: text})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, errs := gqlparser.LoadQueryWithRules(schema, string(b), rules.NewDefaultRules()); errs != nil {
			t.Errorf("%s: %v", name, errs)
		}
	}
	if _, errs := gqlparser.LoadQueryWithRules(schema, `{ node(id: "x") { ... on CheckRun { createdAt } } }`, rules.NewDefaultRules()); errs == nil {
		t.Error("the validator accepts a member that does not exist")
	}
}

// TestQueryFiles: what the schema cannot say. Each file holds one operation named like
// the file, uses all its fragments, pages every connection by a variable, and asks for
// the editor of every body.
func TestQueryFiles(t *testing.T) {
	files, err := filepath.Glob("queries/*.graphql")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d query files, %v", len(files), err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := parser.ParseQuery(&ast.Source{Name: name, Input: string(b)})
		if err != nil {
			t.Fatal(err)
		}
		file := strings.TrimSuffix(filepath.Base(name), ".graphql")
		if len(doc.Operations) != 1 || !strings.EqualFold(doc.Operations[0].Name, strings.ReplaceAll(file, "_", "")) {
			t.Errorf("%s: not one operation of its name", name)
		}
		if strings.Contains(string(b), "authorAssociation") {
			t.Errorf("%s: asks for an association, which says nothing about authority", name)
		}
		for _, f := range doc.Fragments {
			if !strings.Contains(string(b), "..."+f.Name) {
				t.Errorf("%s: the fragment %s is unused", name, f.Name)
			}
		}
		inspect(t, name, doc.Operations[0].SelectionSet)
		for _, f := range doc.Fragments {
			inspect(t, name, f.SelectionSet)
		}
	}
}

func inspect(t *testing.T, file string, set ast.SelectionSet) {
	names := map[string]bool{}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			names[s.Name] = true
			inspect(t, file, s.SelectionSet)
			if first := s.Arguments.ForName("first"); first != nil && first.Value.Kind != ast.Variable {
				t.Errorf("%s: %s has a fixed page size", file, s.Name)
			}
		case *ast.InlineFragment:
			inspect(t, file, s.SelectionSet)
		}
	}
	if names["body"] && !(names["editor"] && names["lastEditedAt"]) {
		t.Errorf("%s: a body without its editor", file)
	}
	if names["nodes"] && !names["pageInfo"] && file != "queries/accounts.graphql" {
		t.Errorf("%s: a list without pageInfo", file)
	}
}
