package github

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// manyHumans is the number of people above which one list of collaborators replaces
// single look-ups, so that a long conversation does not eat a job token's budget.
const manyHumans = 50

// Accounts implements forge.Adapter. Only people are looked up: bots have no role
// (and their logins are no users of the endpoint), placeholders cannot have one.
func (a *adapter) Accounts(ctx context.Context, e *forge.Entity, accounts []forge.Account) ([]forge.Account, []string, error) {
	out := slices.Clone(accounts)
	if err := a.identify(ctx, out); err != nil {
		return out, nil, err
	}
	var (
		humans []*forge.Account
		notes  []string
	)
	for i := range out {
		if out[i].Kind == contract.Human && !out[i].NoRole && out[i].Login != "" {
			humans = append(humans, &out[i])
		}
	}
	if len(humans) > manyHumans {
		listed, err := a.collaborators(ctx, e)
		if err == nil {
			humans = apply(listed, humans)
		} else if !client.IsKind(err, client.Forbidden) {
			notes = append(notes, err.Error()+"; each role is looked up")
		}
	}
	more, refused, err := forge.LookUp(ctx, humans, e.Author, func(ctx context.Context, h *forge.Account) error {
		role, err := a.permission(ctx, e, h)
		if err == nil && role != "" {
			h.Role, h.Verified = &role, true
		}
		return err
	})
	notes = append(notes, more...)
	if refused != nil {
		notes = append(notes, "no role can be verified: "+missing(refused))
	}
	return out, notes, err
}

// missing says which right a refused look-up of a role lacks, in the forge's words where
// it names one (AMB-89).
func missing(err error) string {
	var e *client.Error
	if errors.As(err, &e) && e.Needs != "" {
		return "the token needs " + e.Needs
	}
	return "an installation token or GITHUB_TOKEN needs Metadata (read); the token of a person, classic or fine-grained, also needs that person to have push access to the repository"
}

// apply gives listed people their roles. Who is not listed cannot be heard and needs no
// row; those who get a row anyway are still to be looked up.
func apply(listed map[string]string, humans []*forge.Account) (rest []*forge.Account) {
	for _, h := range humans {
		if role, ok := listed[h.ID]; ok {
			h.Role, h.Verified = &role, true
		} else if h.NeedsRow {
			rest = append(rest, h)
		}
	}
	return rest
}

// permission looks one role up; "" is one that cannot be verified. The endpoint takes
// a login, which may belong to somebody else by now, so the id decides.
func (a *adapter) permission(ctx context.Context, e *forge.Entity, h *forge.Account) (role string, err error) {
	_, err = a.get(ctx, a.rest(e, "collaborators", h.Login, "permission"), "permission", func(v strictjson.Value) error {
		role = ""
		o := v.Object()
		user := o.OptObject("user")
		if textOr(user.Get("node_id")) == h.ID {
			role = roleOf(o, user.OptObject("permissions"))
		}
		return nil
	})
	return role, err
}

// native roles by name and by the flags of user.permissions, strongest first.
var (
	nativeRoles = map[string]string{
		"admin": "admin", "maintain": "maintain", "write": "write", "triage": "triage", "read": "read", "none": "none",
	}
	flagRoles = []struct{ flag, role string }{
		{"admin", "admin"}, {"maintain", "maintain"}, {"push", "write"}, {"triage", "triage"}, {"pull", "read"},
	}
)

// roleOf reads a role in every documented shape (ADM-15, AMB-39): role_name is the
// role; a custom name counts as its strongest flag; an old server has only the legacy
// permission, which folds maintain into write and triage into read.
func roleOf(o, flags strictjson.Object) string {
	name, legacy := textOr(o.Get("role_name")), textOr(o.Get("permission"))
	if role, ok := nativeRoles[name]; ok {
		return role
	}
	if name == "" && legacy == "none" {
		return "none"
	}
	if flags.Exists() {
		for _, f := range flagRoles {
			if set := flags.OptBool(f.flag); set != nil && *set {
				return f.role
			}
		}
		return "none"
	}
	if name == "" {
		return nativeRoles[legacy] // "" for an unknown word
	}
	return ""
}

// collaborators lists everybody with a role, by node id.
func (a *adapter) collaborators(ctx context.Context, e *forge.Entity) (map[string]string, error) {
	type row struct{ id, role string }
	rows, err := restList(ctx, a, a.rest(e, "collaborators")+"?per_page="+strconv.Itoa(a.page(listPage)), "collaborators", "", func(o strictjson.Object) forge.Item[row] {
		r := row{id: o.Text("node_id"), role: roleOf(o, o.OptObject("permissions"))}
		return forge.Item[row]{ID: r.id, Value: r}
	})
	roles := make(map[string]string, len(rows))
	for _, r := range rows {
		if r.role != "" {
			roles[r.id] = r.role
		}
	}
	return roles, err
}

// identify asks for the kind of accounts of which only the id is known. An id that
// nobody has fails the whole question, so then each is asked for alone. A question that
// stays without an answer is *forge.RolesMissing, as it may be about somebody who is heard.
func (a *adapter) identify(ctx context.Context, accounts []forge.Account) error {
	var unknown []*forge.Account
	for i := range accounts {
		if accounts[i].Kind == "" {
			unknown = append(unknown, &accounts[i])
		}
	}
	for part := range slices.Chunk(unknown, listPage) {
		err := a.lookUpIDs(ctx, part)
		if client.IsKind(err, client.NotFound) && len(part) > 1 {
			single := make([]error, len(part))
			forge.Parallel(len(part), func(i int) { single[i] = a.lookUpIDs(ctx, part[i:i+1]) })
			err = nil
			for _, e := range single {
				if e != nil && !client.IsKind(e, client.NotFound, client.Forbidden) {
					err = e
				}
			}
		}
		if err != nil && !client.IsKind(err, client.NotFound, client.Forbidden) {
			return &forge.RolesMissing{Count: len(part), Cause: err}
		}
	}
	for _, u := range unknown {
		if u.Kind == "" {
			u.Kind = contract.Unknown
		}
	}
	return ctx.Err()
}

func (a *adapter) lookUpIDs(ctx context.Context, part []*forge.Account) error {
	ids := make([]string, len(part))
	for i, u := range part {
		ids[i] = u.ID
	}
	found := make([]*forge.Account, len(part))
	err := a.query(ctx, "accounts", "accounts", variables{"ids": ids}, func(data strictjson.Object) error {
		nodes := data.Array("nodes")
		for i := range min(len(nodes), len(part)) {
			found[i] = nil
			if nodes[i].Null() {
				continue
			}
			// The id may be that of something that is no account.
			if _, ok := accountKinds[nodes[i].Object().Text("__typename")]; ok {
				found[i] = who(nodes[i])
			}
		}
		return nil
	})
	for i, u := range part {
		if f := found[i]; err == nil && f != nil && f.ID == u.ID {
			u.Kind, u.Login, u.NoRole, u.Number = f.Kind, f.Login, f.NoRole, f.Number
		}
	}
	return err
}
