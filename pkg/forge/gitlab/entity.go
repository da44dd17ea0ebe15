package gitlab

import (
	"context"
	"errors"
	"regexp"
	"strconv"

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
// have been renamed, and from then on everything by its identifier (ID-02).
func (a *adapter) Entity(ctx context.Context) (*forge.Entity, error) {
	doc, _, err := a.get(ctx, a.projectPath(a.target.Repository), "project")
	if err != nil {
		return nil, err
	}
	project := doc.Object()
	id, name := project.Digits("id"), project.Text("path_with_namespace")
	if doc.Err() != nil {
		return nil, &forge.InvalidEntity{Detail: doc.Err().Error()}
	}
	if id == "" { // nothing more can be asked (ABT-07)
		return nil, &forge.InvalidEntity{Detail: "the project has no id"}
	}
	at := place{project: a.projectPath(id)}
	at.entity = at.project + segments[a.target.Kind] + strconv.FormatInt(a.target.Number, 10)
	doc, header, err := a.get(ctx, at.entity, "entity")
	if err != nil {
		return nil, err
	}
	at.budget = header.Get("RateLimit-Remaining")
	o := doc.Object()
	e := &forge.Entity{
		RepositoryID: id,
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
		Native:       at,
	}
	e.State = states[e.Kind][e.NativeState]
	for _, l := range o.Get("labels").List() {
		e.Labels = append(e.Labels, l.Text())
	}
	if sha := o.OptText("sha"); e.Kind == contract.ChangeProposal && sha != nil {
		e.HeadSHA = *sha
	}
	if doc.Err() != nil {
		return nil, &forge.InvalidEntity{Detail: doc.Err().Error()}
	}
	if isImported(o, e.Author) {
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

// Rights implements forge.Adapter.
func (a *adapter) Rights(ctx context.Context) (r forge.Rights, err error) {
	e, err := a.Entity(ctx)
	if err != nil {
		return r, err
	}
	at := e.Native.(place)
	r.Lines = append(r.Lines, "the entity can be read")
	if _, _, err := forge.GetJSON(ctx, a.client, at.entity+"/discussions?per_page=1", "discussions", a.limit); client.IsKind(err, client.Forbidden, client.Unauthenticated) {
		r.Missing = append(r.Missing, "discussions are refused: the token needs the scope read_api")
	} else if err != nil {
		return r, err
	}
	if e.Author != nil {
		acc, err := a.resolve(ctx, at, *e.Author)
		var failed *client.Error
		switch {
		case errors.As(err, &failed) && (failed.Kind == client.Forbidden || failed.Kind == client.Unauthenticated):
			r.Missing = append(r.Missing, missing(err))
		case err != nil && !client.IsKind(err, client.NotFound):
			return r, err
		case acc.Kind == contract.Bot:
			r.Lines = append(r.Lines, "the entity's author is a bot")
		case acc.Role == nil:
			r.Lines = append(r.Lines, "the role of the entity's author cannot be verified")
		default:
			r.Lines = append(r.Lines, "the role of the entity's author is "+*acc.Role)
		}
	}
	if n, err := strconv.Atoi(at.budget); err == nil {
		r.Lines = append(r.Lines, "requests left in the current window: "+strconv.Itoa(n))
	}
	return r, nil
}
