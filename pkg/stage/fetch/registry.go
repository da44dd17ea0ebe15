package fetch

import (
	"snapline/pkg/contract"
	"snapline/pkg/contract/tree"
	"snapline/pkg/fault"
	"snapline/pkg/json/strictjson"
)

// Registry says which bots are registered, with their roles (AMB-40, AMB-76). Bots are
// matched by forge, host and immutable id, never by login. A nil *Registry registers
// nobody.
type Registry struct{ roles map[botKey]string }

type botKey struct {
	forge contract.Forge
	host  string
	id    string
}

// role gives the registered role of a bot, by any of its immutable ids (AMB-90).
func (g *Registry) role(s contract.Source, ids ...string) *string {
	if g == nil {
		return nil
	}
	for _, id := range ids {
		if role, ok := g.roles[botKey{s.Forge, s.Host, id}]; ok {
			return &role
		}
	}
	return nil
}

var botMembers = []string{"forge", "host", "id", "role"}

// ParseRegistry reads a registry file: {"bots":[{"forge","host","id","role"}]},
// closed; a usage fault otherwise, by position.
func ParseRegistry(text []byte) (*Registry, error) {
	doc, err := strictjson.Parse(text)
	if err != nil {
		return nil, &fault.Error{Exit: fault.Usage, Rule: "bots.json", Detail: "the bot registry is not one strict JSON object", Cause: err}
	}
	g := &Registry{roles: map[botKey]string{}}
	root := doc.Object()
	extra, found := root.Other([]string{"bots"})
	for i, v := range root.Array("bots") {
		o := v.Object()
		k := botKey{contract.Forge(o.Text("forge")), o.Text("host"), o.Text("id")}
		role := o.Text("role")
		if doc.Err() != nil {
			break
		}
		if name, ok := o.Other(botMembers); ok {
			extra, found = name, true
		}
		_, twice := g.roles[k]
		if !tree.ValidActorID(k.forge, k.id) || !tree.ValidHost(k.host) || role == "" || twice {
			return nil, fault.New(fault.Usage, "bots.entry", "bots[%d]: forge, host, id or role is invalid, or the bot is named twice", i)
		}
		g.roles[k] = role
	}
	if err := doc.Err(); err != nil {
		return nil, &fault.Error{Exit: fault.Usage, Rule: "bots.member", Detail: "the bot registry lacks a member or has one of another type", Cause: err}
	}
	if found {
		return nil, fault.New(fault.Usage, "bots.unknown-member", "the bot registry has the unknown member %s", fault.Quote(extra))
	}
	return g, nil
}
