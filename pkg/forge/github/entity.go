package github

import (
	"context"
	"strconv"
	"strings"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// kinds maps type names to entity kinds.
var kinds = map[string]contract.EntityKind{"Issue": contract.WorkItem, "PullRequest": contract.ChangeProposal}

// states maps native states (MAP-23). A merged pull request is told by its flag.
var states = map[string]contract.EntityState{"OPEN": contract.StateOpen, "CLOSED": contract.StateClosed}

// Entity implements forge.Adapter.
func (a *adapter) Entity(ctx context.Context) (*forge.Entity, error) {
	owner, name, _ := strings.Cut(a.target.Repository, "/")
	var (
		e      *forge.Entity
		labels embedded[string]
		found  bool
	)
	v := variables{"owner": owner, "name": name, "number": a.target.Number, "inner": a.page(listPage), "renames": a.settings.Edits}
	err := a.query(ctx, "entity", "entity", v, func(data strictjson.Object) error {
		repository := data.Nullable("repository")
		if repository.Missing() {
			return &client.Error{Kind: client.NotFound}
		}
		item := repository.Object().Nullable("issueOrPullRequest")
		if item.Missing() {
			return &client.Error{Kind: client.NotFound}
		}
		o := item.Object()
		kind, known := kinds[o.Text("__typename")]
		if !known {
			return &forge.InvalidEntity{Detail: "the number belongs to something that is neither issue nor pull request"}
		}
		if kind != a.target.Kind {
			return &forge.KindMismatch{Kind: kind, URL: a.target.EntityURL(kind)}
		}
		e = readEntity(kind, repository.Object(), o)
		labels, found = embedded[string]{}, !o.Nullable("labels").Missing()
		if found {
			labels = embed1(o.Object("labels"), readLabel)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found {
		e.Labels, err = labels.rest(ctx, &pages{
			adapter: a, operation: "labels", where: "labels", size: a.page(listPage),
			variables: variables{"id": e.ID}, pick: node("labels"), total: "totalCount",
		}, readLabel)
	}
	return e, err
}

// readLabel reads a label, whose name is all there is.
func readLabel(o strictjson.Object) forge.Item[string] {
	name := o.Text("name")
	return forge.Item[string]{ID: name, Value: name}
}

func readEntity(kind contract.EntityKind, repository, o strictjson.Object) *forge.Entity {
	full := repository.Text("nameWithOwner")
	owner, name, _ := strings.Cut(full, "/")
	e := &forge.Entity{
		RepositoryID: repository.ID("id"),
		Repository:   strings.ToLower(full),
		Kind:         kind,
		ID:           o.ID("id"),
		Number:       o.Int("number"),
		Title:        forge.NewText(o.Nullable("title")),
		Body:         forge.NewText(o.Nullable("body")),
		Author:       who(o.Nullable("author")),
		Editor:       editor(o),
		CreatedAt:    o.OptText("createdAt"),
		UpdatedAt:    o.OptText("updatedAt"),
		EditedAt:     edited(o),
		URL:          textOr(o.Get("url")),
		Native:       native{owner, name},
	}
	if kind == contract.WorkItem {
		e.NativeState = o.Text("issueState")
		e.State = states[e.NativeState]
		return e
	}
	e.NativeState, e.HeadSHA = o.Text("pullState"), o.Text("headRefOid")
	e.State = states[e.NativeState]
	if o.Bool("merged") {
		e.State = contract.StateMerged
	}
	return e
}

// edited gives the time of the last edit of body or title. A title has no time of its own,
// but an event for each change.
func edited(o strictjson.Object) *string {
	last := o.OptText("lastEditedAt")
	for _, event := range o.OptObject("timelineItems").Array("nodes") {
		if event.Null() {
			continue
		}
		if at := event.Object().OptText("createdAt"); !earlier(at, last) {
			last = at
		}
	}
	return last
}

// accountKinds maps the implementors of Actor. Only users can hold a role.
var accountKinds = map[string]struct {
	kind   contract.ActorKind
	noRole bool
}{
	"Bot":                   {contract.Bot, true},
	"User":                  {contract.Human, false},
	"EnterpriseUserAccount": {contract.Human, false},
	"Mannequin":             {contract.Human, true},
	"Organization":          {contract.Human, true},
}

// ghostID is the account that stands for all deleted ones.
const ghostID = "MDQ6VXNlcjEwMTM3"

// who reads an actor: nil for a deleted account (AMB-61).
func who(v strictjson.Value) *forge.Account {
	if v.Missing() {
		return nil
	}
	o := v.Object()
	a := account(o.Text("__typename"))
	a.ID, a.Login = o.ID("id"), o.Text("login")
	if number := o.OptInt("databaseId"); number != nil {
		a.Number = strconv.FormatInt(*number, 10)
	}
	if a.ID == ghostID {
		return nil
	}
	return &a
}

func account(typename string) forge.Account {
	k, ok := accountKinds[typename]
	if !ok {
		return forge.Account{Kind: contract.Unknown, NoRole: true}
	}
	return forge.Account{Kind: k.kind, NoRole: k.noRole}
}

// editor reads who last edited a text; a time without a name is an edit by nobody
// that GitHub names (AMB-65).
func editor(o strictjson.Object) forge.Editor {
	name, at := o.Nullable("editor"), o.Nullable("lastEditedAt")
	return forge.Editor{Edited: !name.Missing() || !at.Missing(), Account: who(name)}
}
