package githubtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// M is an object of the fake: members by name, "__typename" among them. A member may be
// a scalar, an M, a []M, a Connection or nil.
type M = map[string]any

// Connection is a list that is read in pages.
type Connection struct {
	Nodes []M
	// Total replaces the number of nodes in totalCount and filteredCount.
	Total *int
}

// notActors are the types that do not implement Actor; every object implements Node.
var notActors = []string{
	"Issue", "PullRequest", "IssueComment", "PullRequestReview", "PullRequestReviewComment", "PullRequestReviewThread",
	"Repository", "Commit", "CheckSuite", "CheckRun", "ReviewDismissedEvent", "RenamedTitleEvent",
}

// execution answers one operation. Asking for a member that an object does not have is
// an error, as it is at GitHub.
type execution struct {
	fragments ast.FragmentDefinitionList
	variables map[string]any
	bad       error
}

func (f *Fake) graphql(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	d := json.NewDecoder(r.Body)
	d.UseNumber()
	if err := d.Decode(&q); err != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: q.Query})
	if err != nil || len(doc.Operations) != 1 {
		answer(w, http.StatusOK, M{"errors": []M{{"message": "parse", "extensions": M{"code": "parseError"}}}})
		return
	}
	x := &execution{fragments: doc.Fragments, variables: q.Variables}
	var errs []M
	root := M{}
	for _, s := range doc.Operations[0].SelectionSet {
		field := s.(*ast.Field)
		value, missing := f.root(field.Name, x.arguments(field))
		if missing != "" {
			errs = append(errs, M{"type": "NOT_FOUND", "path": []any{field.Name}, "message": "Could not resolve " + missing})
		}
		root[field.Alias] = x.value(value, field)
	}
	if x.bad != nil {
		answer(w, http.StatusOK, M{"errors": []M{{"message": x.bad.Error(), "extensions": M{"code": "undefinedField"}}}})
		return
	}
	out := M{"data": root}
	if errs != nil {
		out["errors"] = errs
	}
	answer(w, http.StatusOK, out)
}

// root resolves the members of the query type.
func (f *Fake) root(name string, args map[string]any) (value any, missing string) {
	switch name {
	case "repository":
		owner, repo := fmt.Sprint(args["owner"]), fmt.Sprint(args["name"])
		if !f.named(owner, repo) {
			return nil, "to a Repository"
		}
		return f.repository(), ""
	case "node":
		if o := f.byID(fmt.Sprint(args["id"])); o != nil {
			return o, ""
		}
		return nil, "to a node"
	case "viewer":
		return f.Viewer, ""
	case "nodes":
		var out []M
		for _, id := range args["ids"].([]any) {
			o := f.byID(fmt.Sprint(id))
			if o == nil {
				missing = "to a node"
			}
			out = append(out, o)
		}
		return out, missing
	}
	return nil, "the field " + name
}

func (x *execution) arguments(field *ast.Field) map[string]any {
	args := map[string]any{}
	for _, a := range field.Arguments {
		v, err := a.Value.Value(x.variables)
		if err != nil {
			x.bad = err
		}
		args[a.Name] = v
	}
	return args
}

// directive gives the condition of @include.
func (x *execution) directive(d *ast.Directive) any {
	v, err := d.Arguments.ForName("if").Value.Value(x.variables)
	if err != nil {
		x.bad = err
	}
	return v
}

func (x *execution) value(v any, field *ast.Field) any {
	switch v := v.(type) {
	case M:
		if v == nil {
			return nil
		}
		return x.object(v, field.SelectionSet)
	case []M:
		out := make([]any, len(v))
		for i, o := range v {
			if o != nil {
				out[i] = x.object(o, field.SelectionSet)
			}
		}
		return out
	case func(map[string]any) any:
		return x.value(v(x.arguments(field)), field)
	case Connection:
		return x.page(v, field)
	}
	return v
}

func (x *execution) object(o M, set ast.SelectionSet) M {
	out := M{}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			if d := s.Directives.ForName("include"); d != nil && x.directive(d) != true {
				continue
			}
			v, ok := o[s.Name]
			if !ok {
				x.bad = fmt.Errorf("field '%s' doesn't exist on type '%v'", s.Name, o["__typename"])
				continue
			}
			out[s.Alias] = x.value(v, s)
		case *ast.InlineFragment:
			if matches(o, s.TypeCondition) {
				maps.Copy(out, x.object(o, s.SelectionSet))
			}
		case *ast.FragmentSpread:
			def := x.fragments.ForName(s.Name)
			if def == nil {
				x.bad = fmt.Errorf("fragment %s is missing", s.Name)
				continue
			}
			if matches(o, def.TypeCondition) {
				maps.Copy(out, x.object(o, def.SelectionSet))
			}
		}
	}
	return out
}

func matches(o M, condition string) bool {
	name, ok := o["__typename"].(string)
	switch condition {
	case "Node":
		return true
	case "Actor":
		return !slices.Contains(notActors, name)
	}
	return !ok || name == condition
}

// page cuts a connection by first and after. A cursor is the number of nodes before it.
func (x *execution) page(c Connection, field *ast.Field) any {
	args := x.arguments(field)
	c.Nodes = ofTypes(c.Nodes, args["itemTypes"])
	if last, err := strconv.Atoi(fmt.Sprint(args["last"])); err == nil {
		return x.object(M{
			"pageInfo": M{"hasPreviousPage": len(c.Nodes) > last}, "nodes": c.Nodes[max(0, len(c.Nodes)-last):],
		}, field.SelectionSet)
	}
	first, err := strconv.Atoi(fmt.Sprint(args["first"]))
	if err != nil || first < 1 || first > 100 {
		x.bad = fmt.Errorf("%s: first is missing or not within 1 to 100", field.Name)
		return nil
	}
	start := 0
	if after := args["after"]; after != nil {
		if start, err = strconv.Atoi(fmt.Sprint(after)); err != nil || start > len(c.Nodes) {
			x.bad = fmt.Errorf("%s: bad cursor", field.Name)
			return nil
		}
	}
	end := min(start+first, len(c.Nodes))
	total := len(c.Nodes)
	if c.Total != nil {
		total = *c.Total
	}
	var cursor any
	if end > 0 {
		cursor = strconv.Itoa(end) // set on the last page too
	}
	return x.object(M{
		"totalCount": total, "filteredCount": total,
		"pageInfo": M{"hasNextPage": end < len(c.Nodes), "endCursor": cursor},
		"nodes":    c.Nodes[start:end],
	}, field.SelectionSet)
}

// itemTypes names the timeline items of the fake as GitHub's arguments do.
var itemTypes = map[string]string{"ReviewDismissedEvent": "REVIEW_DISMISSED_EVENT", "RenamedTitleEvent": "RENAMED_TITLE_EVENT"}

func ofTypes(nodes []M, types any) []M {
	wanted, ok := types.([]any)
	if !ok {
		return nodes
	}
	var out []M
	for _, n := range nodes {
		if n == nil {
			out = append(out, n)
			continue
		}
		if name, ok := n["__typename"].(string); ok && slices.Contains(wanted, any(itemTypes[name])) {
			out = append(out, n)
		}
	}
	return out
}
