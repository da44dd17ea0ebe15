// Package forgejo is the adapter of Forgejo: its REST endpoints, its pages, its
// words. Gitea speaks a look-alike API in which some words mean something else and is
// refused (AMB-62).
package forgejo

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Driver is Forgejo.
var Driver = forge.Driver{
	Facts:    facts,
	Endpoint: endpoint,
	Credential: func(token string) client.Credential {
		return client.NewCredential("Authorization", "token ", token)
	},
	Header: http.Header{"Accept": {"application/json"}},
	Open: func(t forge.Target, e forge.Endpoint, c *client.Client, s forge.Settings) forge.Adapter {
		base := e.Base.EscapedPath()
		return &adapter{
			target: t, client: c, limit: s.MaxAnswerBytes, base: base,
			ownVersion: strings.TrimSuffix(base, suffix) + "/api/forgejo/v1/version",
		}
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

// adapter reads one entity. The paths are escaped and relative to the origin.
type adapter struct {
	target     forge.Target
	client     *client.Client
	limit      int64  // of one answer, in bytes
	base       string // of the API
	ownVersion string // the version that only Forgejo has

	askLimits sync.Once
	sizes     limits
}

// place is where the entity's lists live, and what the entity says of them: the adapter's
// knowledge after Entity.
type place struct {
	repository string // .../repos/{owner}/{name}
	issue      string // .../issues/{index}, which a pull request has too
	pull       string // .../pulls/{index}
	comments   int64  // comments that the entity counts
	actions    bool   // Actions are not turned off
}

// at gives the places of the entity in a repository "owner/name".
func (a *adapter) at(repository string) place {
	p := place{repository: a.base + "/repos"}
	for _, segment := range strings.Split(repository, "/") {
		p.repository += "/" + url.PathEscape(segment)
	}
	index := strconv.FormatInt(a.target.Number, 10)
	p.issue, p.pull = p.repository+"/issues/"+index, p.repository+"/pulls/"+index
	return p
}

// get reads one object.
func (a *adapter) get(ctx context.Context, path, where string) (*strictjson.Document, http.Header, error) {
	doc, header, err := forge.GetObject(ctx, a.client, path, where, a.limit)
	return doc, header, explain(err)
}

// Log implements forge.Adapter: no version of Forgejo offers a log by a contract that
// all supported versions share (AMB-58).
func (a *adapter) Log(context.Context, *forge.Check, int64) ([]byte, error) {
	return nil, forge.ErrUnsupported
}

// checkServer refuses a server that does not call itself Forgejo (AMB-62). A hand-made
// version text is settled by the endpoint that only Forgejo has.
func (a *adapter) checkServer(ctx context.Context) error {
	doc, _, err := a.get(ctx, a.base+"/version", "version")
	if err != nil {
		return err
	}
	if isForgejo(doc.Object().Text("version")) {
		return nil
	}
	_, _, err = a.get(ctx, a.ownVersion, "Forgejo version")
	var failed *client.Error
	if errors.As(err, &failed) && failed.Status == http.StatusNotFound {
		return &forge.UnsupportedEntity{Detail: "unsupported_entity: this server is Gitea; supported are GitHub, GitLab and Forgejo"}
	}
	return err
}

func isForgejo(version string) bool {
	v := strings.ToLower(version)
	return strings.Contains(v, "+gitea-") || strings.Contains(v, "forgejo")
}
