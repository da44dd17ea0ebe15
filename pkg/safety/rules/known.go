package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// ReadKnown reads, from the source of the packages below safety, the names that the code
// gives to what the data refer to.
func ReadKnown(safety string) (Known, error) {
	k := Known{
		Charsets: map[string]bool{}, Needs: map[string]bool{}, Tails: map[string]bool{},
		Conditions: map[string]bool{}, PhraseCodes: map[string]bool{}, UnicodeCodes: map[string]bool{},
	}
	for _, f := range []struct {
		file string
		read func(*ast.File)
	}{
		{"secret/charset.go", constants("charset", k.Charsets)},
		{"secret/provider.go", constants("options", k.Needs)},
		{"secret/tail.go", functions(k.Tails)},
		{"injection/condition.go", functions(k.Conditions)},
		{"injection/injection.go", texts("Code", k.PhraseCodes)},
		{"unicodesafety/code.go", constants("Code", k.UnicodeCodes)},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(safety, f.file), nil, 0)
		if err != nil {
			return k, err
		}
		f.read(file)
	}
	var err error
	k.Constants, err = identifiers(filepath.Join(safety, "injection"))
	return k, err
}

// identifiers collects the names that the code of a folder uses, but for what is generated
// and for tests.
func identifiers(dir string) (map[string]bool, error) {
	out := map[string]bool{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_gen.go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				out[id.Name] = true
			}
			return true
		})
	}
	return out, nil
}

// constants collects the names in the groups of constants of a type.
func constants(typeName string, into map[string]bool) func(*ast.File) {
	return func(file *ast.File) {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			first, _ := group.Specs[0].(*ast.ValueSpec)
			if t, ok := first.Type.(*ast.Ident); !ok || t.Name != typeName {
				continue
			}
			for _, spec := range group.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					into[name.Name] = true
				}
			}
		}
	}
}

// functions collects the names of the functions that are no methods.
func functions(into map[string]bool) func(*ast.File) {
	return func(file *ast.File) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				into[f.Name.Name] = true
			}
		}
	}
}

// texts collects the values of the constants whose names begin so.
func texts(prefix string, into map[string]bool) func(*ast.File) {
	return func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			for i, name := range spec.Names {
				if len(name.Name) > len(prefix) && name.Name[:len(prefix)] == prefix && i < len(spec.Values) {
					if lit, ok := spec.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
						into[lit.Value[1:len(lit.Value)-1]] = true
					}
				}
			}
			return true
		})
	}
}
