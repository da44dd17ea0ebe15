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

	"snapline/pkg/contract"
	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// Driver is Forgejo.
var Driver = forge.Driver{
	Forge:    contract.Forgejo,
	Endpoint: endpoint,
	Credential: func(token string) client.Credential {
		return client.NewCredential("Authorization", "token ", token)
	},
	Header: http.Header{"Accept": {"application/json"}},
	Open: func(t forge.Target, e forge.Endpoint, c *client.Client, s forge.Settings) forge.Adapter {
		root := strings.TrimSuffix(e.Base.EscapedPath(), "/api/v1")
		repository := e.Base.EscapedPath() + "/repos"
		for _, segment := range strings.Split(t.Repository, "/") {
			repository += "/" + url.PathEscape(segment)
		}
		return &adapter{
			target: t, client: c, limit: s.MaxAnswerBytes, number: strconv.FormatInt(t.Number, 10),
			version: e.Base.EscapedPath() + "/version", ownVersion: root + "/api/forgejo/v1/version", repository: repository,
		}
	},
}

func endpoint(t forge.Target) forge.Endpoint {
	if t.API != nil {
		return forge.Endpoint{Base: t.API}
	}
	base := *t.Origin
	base.Path = t.Root + "/api/v1"
	return forge.Endpoint{Base: &base}
}

// adapter reads one entity. The paths are escaped and relative to the origin.
type adapter struct {
	target     forge.Target
	client     *client.Client
	limit      int64 // of one answer, in bytes
	number     string
	version    string // the version text that Gitea has too
	ownVersion string // the version that only Forgejo has
	repository string // .../repos/{owner}/{name}
}

func (a *adapter) get(ctx context.Context, path, where string) (*strictjson.Document, http.Header, error) {
	return forge.GetJSON(ctx, a.client, path, where, a.limit)
}

// pageSize is what is asked for; servers lower it silently, so it never tells the
// last page.
const pageSize = "50"

// rows names the array in an answer, "" when the answer itself is the array.
type rows string

// paging says how a list tells its last page.
type paging uint8

const (
	// whole lists ignore paging and come in one answer, unless a Link header names a
	// next page.
	whole paging = iota
	// paged lists end with a page that brings nothing new.
	paged
)

// list reads all pages of a list. Stated totals mean nothing: Forgejo counts rows that
// it does not show, and some lists state the size of the page (AMB-42).
func list[T any](ctx context.Context, a *adapter, path, where string, in rows, how paging, read func(strictjson.Object) (id string, value T)) ([]T, error) {
	return forge.Collect(ctx, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		page := 1
		if cursor != "" {
			page, _ = strconv.Atoi(cursor)
		}
		doc, header, err := a.get(ctx, withPage(path, page, how), where)
		if err != nil {
			return forge.Page[T]{}, err
		}
		elements := doc.Root()
		if in != "" {
			elements = doc.Object().Get(string(in))
		}
		p := forge.Page[T]{Guess: true}
		for _, e := range elements.Array() {
			if e.Null() {
				return p, forge.ErrNullObject
			}
			o := e.Object()
			id, value := read(o)
			p.Items = append(p.Items, forge.Item[T]{ID: id, Raw: o.Raw(), Value: value})
		}
		if doc.Err() != nil {
			return p, &client.Error{Kind: client.Malformed, Where: where, Detail: doc.Err().Error()}
		}
		if how == paged || client.Next(header) != "" {
			p.Next = strconv.Itoa(page + 1)
		}
		return p, nil
	})
}

func withPage(path string, page int, how paging) string {
	if how == whole && page == 1 {
		return path
	}
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "limit=" + pageSize + "&page=" + strconv.Itoa(page)
}

// Log implements forge.Adapter: no version of Forgejo offers a log by a contract that
// all supported versions share (AMB-58).
func (a *adapter) Log(context.Context, *forge.Check, int64) ([]byte, error) {
	return nil, forge.ErrUnsupported
}

// checkServer refuses a server that does not call itself Forgejo (AMB-62). A hand-made
// version text is settled by the endpoint that only Forgejo has.
func (a *adapter) checkServer(ctx context.Context) error {
	doc, _, err := a.get(ctx, a.version, "version")
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
