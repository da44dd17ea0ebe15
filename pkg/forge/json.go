package forge

import (
	"context"
	"net/http"

	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// GetJSON reads one REST answer of at most limit bytes. Text that does not parse is a
// broken transfer and asked for again.
func GetJSON(ctx context.Context, c *client.Client, path, where string, limit int64) (*strictjson.Document, http.Header, error) {
	return getJSON(ctx, c, path, where, limit, func(*strictjson.Document) bool { return true })
}

// GetObject is GetJSON for one object. A null in its place says nothing about the
// object, so it is a broken transfer too.
func GetObject(ctx context.Context, c *client.Client, path, where string, limit int64) (*strictjson.Document, http.Header, error) {
	return getJSON(ctx, c, path, where, limit, func(d *strictjson.Document) bool { return !d.Root().Null() })
}

func getJSON(ctx context.Context, c *client.Client, path, where string, limit int64, complete func(*strictjson.Document) bool) (*strictjson.Document, http.Header, error) {
	var doc *strictjson.Document
	resp, err := c.Do(ctx, client.Request{
		Path: path, Where: where, Limit: limit,
		Judge: func(r *client.Response) (err error) {
			if doc, err = strictjson.Parse(r.Body); err != nil || !complete(doc) {
				return &client.Error{Kind: client.Malformed, Where: where}
			}
			return nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	return doc, resp.Header, nil
}
