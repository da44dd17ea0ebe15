// Package github reads issues and pull requests of github.com, of tenants of ghe.com
// and of GitHub Enterprise Server. GraphQL speaks for everything but three things that
// only REST has: the creation time of a check (its Actions job), logs, and permissions.
package github

import (
	"net/http"
	"net/url"
	"strings"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
)

// Driver is GitHub. The header that switches node ids to their new form is never sent:
// ids are hashed into keys, so their form must not depend on a header.
var Driver = forge.Driver{
	Facts:      facts,
	DatesEdits: true,
	Endpoint:   endpoint,
	Credential: func(token string) client.Credential { return client.NewCredential("Authorization", "Bearer ", token) },
	Header: http.Header{
		"Accept":               {"application/vnd.github+json"},
		"X-Github-Api-Version": {"2022-11-28"},
	},
	Open: func(t forge.Target, e forge.Endpoint, c *client.Client, s forge.Settings) forge.Adapter {
		return &adapter{target: t, base: e.Base, client: c, settings: s}
	},
}

// serverREST is the path of the REST API on Enterprise Server; GraphQL is elsewhere.
const (
	serverREST    = "/api/v3"
	serverGraphQL = "/api/graphql"
)

func endpoint(t forge.Target) forge.Endpoint {
	if t.API != nil {
		return forge.Endpoint{Base: t.API}
	}
	base := *t.Origin
	if t.Host == "github.com" || strings.HasSuffix(t.Host, ".ghe.com") {
		base.Host = "api." + base.Host
	} else {
		base.Path = serverREST
	}
	return forge.Endpoint{Base: &base}
}

type adapter struct {
	target   forge.Target
	base     *url.URL
	client   *client.Client
	settings forge.Settings
}

// native is what the adapter keeps of an entity: the repository as GitHub spells it.
type native struct{ owner, name string }

func (a *adapter) graphql() string {
	if prefix, ok := strings.CutSuffix(a.base.Path, serverREST); ok {
		return prefix + serverGraphQL
	}
	return a.base.Path + "/graphql"
}

// rest gives the escaped path of a REST resource of the entity's repository.
func (a *adapter) rest(e *forge.Entity, segments ...string) string {
	n := e.Native.(native)
	path := a.base.EscapedPath() + "/repos/" + url.PathEscape(n.owner) + "/" + url.PathEscape(n.name)
	for _, s := range segments {
		path += "/" + url.PathEscape(s)
	}
	return path
}
