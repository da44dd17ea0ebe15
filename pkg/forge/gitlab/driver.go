// Package gitlab is the adapter of GitLab: its REST endpoints, its pages, its words.
package gitlab

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Driver is GitLab.
var Driver = forge.Driver{
	Facts:    facts,
	Endpoint: endpoint,
	Credential: func(token string) client.Credential {
		return client.NewCredential("PRIVATE-TOKEN", "", token)
	},
	Header: http.Header{"Accept": {"application/json"}},
	Open: func(t forge.Target, e forge.Endpoint, c *client.Client, s forge.Settings) forge.Adapter {
		return &adapter{target: t, client: c, limit: s.MaxAnswerBytes, root: e.Base.EscapedPath()}
	},
}

func endpoint(t forge.Target) forge.Endpoint {
	if t.API != nil {
		return forge.Endpoint{Base: t.API}
	}
	base := *t.Origin
	base.Path = t.Root + suffix
	return forge.Endpoint{Base: &base}
}

// adapter reads one entity. Paths are escaped and relative to the origin.
type adapter struct {
	target forge.Target
	client *client.Client
	limit  int64 // of one answer, in bytes
	root   string
}

// place is where the entity's lists live: the adapter's knowledge after Entity.
type place struct {
	project string // .../projects/{id}
	entity  string // .../projects/{id}/issues/{iid} or .../merge_requests/{iid}
	page    string // its web address
	budget  string // what the server said of its limit, "" if nothing
}

// at gives the places of the entity in the project at a path.
func (a *adapter) at(project string) place {
	return place{
		project: project, entity: project + segments[a.target.Kind] + strconv.FormatInt(a.target.Number, 10),
		page: a.target.EntityURL(a.target.Kind),
	}
}

func (a *adapter) projectPath(id string) string { return a.root + "/projects/" + url.PathEscape(id) }

// get reads one object.
func (a *adapter) get(ctx context.Context, path, where string) (*strictjson.Document, http.Header, error) {
	doc, header, err := forge.GetObject(ctx, a.client, path, where, a.limit)
	return doc, header, explain(err)
}
