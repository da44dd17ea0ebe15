package forgejo

import (
	"context"
	"strings"
	"time"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// states maps native entity states (MAP-25); merged comes first.
var states = map[string]contract.EntityState{"open": contract.StateOpen, "closed": contract.StateClosed}

// Entity implements forge.Adapter. An issue and a pull request share numbers, and the
// issue endpoint answers for both (AMB-73); a pull request's identifier is that of the
// pulls endpoint (AMB-59). The entity is asked for together with the server's version.
func (a *adapter) Entity(ctx context.Context) (e *forge.Entity, err error) {
	var errs [2]error
	forge.Parallel(2, func(i int) {
		switch {
		case i == 0:
			errs[0] = a.checkServer(ctx)
		case a.target.Kind == contract.WorkItem:
			e, errs[1] = a.issue(ctx)
		default:
			e, errs[1] = a.pull(ctx)
		}
	})
	return e, forge.FirstError(errs[:])
}

func (a *adapter) issue(ctx context.Context) (*forge.Entity, error) {
	doc, _, err := a.get(ctx, a.at(a.target.Repository).issue, "issue")
	if err != nil {
		return nil, err
	}
	o := doc.Object()
	if o.Get("pull_request").IsObject() {
		return nil, a.mismatch(contract.ChangeProposal)
	}
	e := readEntity(o, contract.WorkItem)
	return e, a.finish(e, doc, o.Object("repository"))
}

func (a *adapter) pull(ctx context.Context) (*forge.Entity, error) {
	at := a.at(a.target.Repository)
	doc, _, err := a.get(ctx, at.pull, "pull request")
	if client.IsKind(err, client.NotFound) {
		if _, _, issue := a.get(ctx, at.issue, "issue"); issue == nil {
			return nil, a.mismatch(contract.WorkItem)
		}
	}
	if err != nil {
		return nil, err
	}
	o := doc.Object()
	e := readEntity(o, contract.ChangeProposal)
	if o.Bool("merged") {
		e.State = contract.StateMerged
	}
	// The head is computed when it is asked for and may be empty (AMB-74).
	if head := o.OptObject("head").OptText("sha"); head != nil {
		e.HeadSHA = *head
	}
	return e, a.finish(e, doc, o.Object("base").Object("repo"))
}

func (a *adapter) mismatch(kind contract.EntityKind) error {
	return &forge.KindMismatch{Kind: kind, URL: a.target.EntityURL(kind)}
}

func readEntity(o strictjson.Object, kind contract.EntityKind) *forge.Entity {
	e := &forge.Entity{
		Kind:        kind,
		ID:          o.Digits("id"),
		Number:      o.Int("number"),
		Title:       forge.NewText(o.Nullable("title")),
		Body:        forge.NewText(o.Nullable("body")),
		NativeState: o.Text("state"),
		Author:      account(o.Get("user")),
		CreatedAt:   instant(o, "created_at"),
		UpdatedAt:   instant(o, "updated_at"),
		URL:         page(o),
	}
	e.State = states[e.NativeState]
	if labels := o.Get("labels"); !labels.Missing() {
		for _, l := range labels.List() {
			e.Labels = append(e.Labels, l.Object().Text("name"))
		}
	}
	return e
}

// finish joins what the repository says. One that was renamed redirects every request to
// its old path, so the rest of the run uses the path that the answer names.
func (a *adapter) finish(e *forge.Entity, doc *strictjson.Document, repository strictjson.Object) error {
	name := repository.Text("full_name")
	e.RepositoryID = repository.Digits("id")
	e.Repository = strings.ToLower(name)
	at := a.at(a.target.Repository)
	if !strings.EqualFold(name, a.target.Repository) && wellFormed(name) {
		at = a.at(name)
	}
	o := doc.Object()
	if n := o.OptInt("comments"); n != nil {
		at.comments = *n
	}
	at.actions = repository.Get("has_actions").Missing() || repository.Bool("has_actions")
	e.Native = at
	imported := isImported(o)
	if doc.Err() != nil {
		return &forge.InvalidEntity{Detail: doc.Err().Error()}
	}
	if imported {
		return &forge.ImportedEntity{}
	}
	return nil
}

// wellFormed reports two segments that can stand in a path.
func wellFormed(repository string) bool {
	owner, name, two := strings.Cut(repository, "/")
	for _, segment := range []string{owner, name} {
		if segment == "" || segment == "." || segment == ".." || strings.Contains(segment, "/") {
			return false
		}
	}
	return two
}

// isImported reports that a text names an author on another forge: it stands under the
// account that ran the import (AMB-80). Released versions leave the name empty always.
func isImported(o strictjson.Object) bool {
	author := o.OptText("original_author")
	return author != nil && *author != ""
}

// account reads a user. The Ghost of deleted accounts (-1) and the Actions user (-2)
// are no identities (AMB-61). Forgejo marks no bots: every account counts as human,
// and being registered does not make one a bot (AMB-40).
func account(v strictjson.Value) *forge.Account {
	if v.Missing() {
		return nil
	}
	o := v.Object()
	id := o.Digits("id")
	if id == "" {
		return nil
	}
	return &forge.Account{ID: id, Login: o.Text("login"), Kind: contract.Human}
}

// page reads an object's web address.
func page(o strictjson.Object) string {
	if sent := o.OptText("html_url"); sent != nil {
		return *sent
	}
	return ""
}

// instant reads a time. Null, year one and the epoch, in whatever offset, mean that
// there is none (AMB-64).
func instant(o strictjson.Object, name string) *string {
	s := o.OptText(name)
	if s == nil {
		return nil
	}
	if t, err := time.Parse(time.RFC3339, *s); err == nil && t.Unix() <= 0 {
		return nil
	}
	return s
}
