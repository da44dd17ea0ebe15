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
// pulls endpoint (AMB-59).
func (a *adapter) Entity(ctx context.Context) (*forge.Entity, error) {
	if err := a.checkServer(ctx); err != nil {
		return nil, err
	}
	if a.target.Kind == contract.WorkItem {
		return a.issue(ctx)
	}
	return a.pull(ctx)
}

func (a *adapter) issue(ctx context.Context) (*forge.Entity, error) {
	doc, _, err := a.get(ctx, a.repository+"/issues/"+a.number, "issue")
	if err != nil {
		return nil, err
	}
	o := doc.Object()
	if o.Get("pull_request").IsObject() {
		return nil, a.mismatch(contract.ChangeProposal)
	}
	e := readEntity(o, contract.WorkItem)
	repository := o.Object("repository")
	return e, finish(e, doc, repository)
}

func (a *adapter) pull(ctx context.Context) (*forge.Entity, error) {
	doc, _, err := a.get(ctx, a.repository+"/pulls/"+a.number, "pull request")
	if client.IsKind(err, client.NotFound) {
		if _, _, issue := a.get(ctx, a.repository+"/issues/"+a.number, "issue"); issue == nil {
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
	repository := o.Object("base").Object("repo")
	e.Native = pullFacts{actions: repository.Get("has_actions").Missing() || repository.Bool("has_actions")}
	return e, finish(e, doc, repository)
}

// pullFacts are what the pull request says about where to look further.
type pullFacts struct{ actions bool }

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
	}
	e.State = states[e.NativeState]
	if labels := o.Get("labels"); !labels.Missing() {
		for _, l := range labels.Array() {
			e.Labels = append(e.Labels, l.Object().Text("name"))
		}
	}
	return e
}

func finish(e *forge.Entity, doc *strictjson.Document, repository strictjson.Object) error {
	e.RepositoryID = repository.Digits("id")
	e.Repository = strings.ToLower(repository.Text("full_name"))
	if doc.Err() != nil {
		return &forge.InvalidEntity{Detail: doc.Err().Error()}
	}
	return nil
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
