package gitlab

import (
	"context"
	"net/http"
	"regexp"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// states maps native entity states (MAP-24). locked is a merge in progress.
var states = map[contract.EntityKind]map[string]contract.EntityState{
	contract.WorkItem: {"opened": contract.StateOpen, "closed": contract.StateClosed},
	contract.ChangeProposal: {
		"opened": contract.StateOpen, "closed": contract.StateClosed,
		"merged": contract.StateMerged, "locked": contract.StateOpen,
	},
}

var segments = map[contract.EntityKind]string{contract.WorkItem: "/issues/", contract.ChangeProposal: "/merge_requests/"}

// Entity implements forge.Adapter. The project is asked for by its path, which may
// have been renamed, and from then on everything by its identifier (ID-02). The entity is
// asked for by the same path at the same time; if that path does not lead to it, or to
// another project by now, it is asked for by the project's identifier.
func (a *adapter) Entity(ctx context.Context) (*forge.Entity, error) {
	path := a.projectPath(a.target.Repository)
	var (
		projects, entities answer
		errs               [2]error
	)
	forge.Parallel(2, func(i int) {
		switch i {
		case 0:
			projects, errs[0] = a.ask(ctx, path, "project")
		case 1:
			entities, errs[1] = a.ask(ctx, a.at(path).entity, "entity")
		}
	})
	if errs[0] != nil {
		return nil, errs[0]
	}
	project := projects.doc.Object()
	id, name := project.Digits("id"), project.Text("path_with_namespace")
	if err := projects.doc.Err(); err != nil {
		return nil, &forge.InvalidEntity{Detail: err.Error()}
	}
	if id == "" { // nothing more can be asked (ABT-07)
		return nil, &forge.InvalidEntity{Detail: "the project has no id"}
	}
	at := a.at(a.projectPath(id))
	if client.IsKind(errs[1], client.NotFound) || errs[1] == nil && !entities.of(id) {
		entities, errs[1] = a.ask(ctx, at.entity, "entity")
	}
	if errs[1] != nil {
		return nil, errs[1]
	}
	at.budget = entities.header.Get("RateLimit-Remaining")
	return a.entity(entities.doc, at, id, name)
}

// answer is one object with what came along.
type answer struct {
	doc    *strictjson.Document
	header http.Header
}

func (a *adapter) ask(ctx context.Context, path, where string) (r answer, err error) {
	r.doc, r.header, err = a.get(ctx, path, where)
	return r, err
}

// of reports whether an entity does not say that it is of another project.
func (r answer) of(project string) bool {
	if !r.doc.Root().IsObject() {
		return true
	}
	o := r.doc.Object()
	return o.Get("project_id").Missing() || o.Digits("project_id") == project
}

func (a *adapter) entity(doc *strictjson.Document, at place, project, name string) (*forge.Entity, error) {
	o := doc.Object()
	e := &forge.Entity{
		RepositoryID: project,
		Repository:   name,
		Kind:         a.target.Kind,
		ID:           o.Digits("id"),
		Number:       o.Int("iid"),
		Title:        forge.NewText(o.Nullable("title")),
		Body:         forge.NewText(o.Nullable("description")),
		NativeState:  o.Text("state"),
		Author:       account(o.Get("author")),
		CreatedAt:    o.OptText("created_at"),
		UpdatedAt:    o.OptText("updated_at"),
	}
	if page := o.OptText("web_url"); page != nil {
		at.page = *page
	}
	e.URL, e.Native = at.page, at
	e.State = states[e.Kind][e.NativeState]
	for _, l := range o.Get("labels").List() {
		e.Labels = append(e.Labels, l.Text())
	}
	if sha := o.OptText("sha"); e.Kind == contract.ChangeProposal && sha != nil {
		e.HeadSHA = *sha
	}
	imported := isImported(o, e.Author)
	if doc.Err() != nil {
		return nil, &forge.InvalidEntity{Detail: doc.Err().Error()}
	}
	if imported {
		return nil, &forge.ImportedEntity{}
	}
	return e, nil
}

var ghost = regexp.MustCompile(`^ghost[0-9]*$`)

// account reads an embedded user. The instance's Ghost User stands for all deleted
// accounts and is none (AMB-61). Whether an account is a bot takes a look-up.
func account(v strictjson.Value) *forge.Account {
	if v.Missing() {
		return nil
	}
	o := v.Object()
	acc := &forge.Account{ID: o.Digits("id"), Login: o.Text("username")}
	if name := o.OptText("name"); acc.ID == "" || name != nil && *name == "Ghost User" && ghost.MatchString(acc.Login) {
		return nil
	}
	return acc
}
