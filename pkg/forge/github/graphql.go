package github

import (
	"context"
	"embed"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"snapline/pkg/forge"
	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// queries holds every GraphQL operation as a file of its own.
//
//go:embed queries/*.graphql
var queries embed.FS

type variables map[string]any

// query runs one operation and lets read take what it needs from data. read may run
// more than once: an answer that is malformed is asked for again.
func (a *adapter) query(ctx context.Context, operation, where string, v variables, read func(data strictjson.Object) error) error {
	_, err := a.partial(ctx, operation, where, v, 0, nil, func(data strictjson.Object, _ error) error { return read(data) })
	return err
}

// partial is query for data of which the part at the path optional may be missing: read
// is told why. slowTries is that of client.Request.
func (a *adapter) partial(ctx context.Context, operation, where string, v variables, slowTries int, optional []string, read func(data strictjson.Object, lost error) error) (http.Header, error) {
	text, err := queries.ReadFile("queries/" + operation + ".graphql")
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(struct {
		Query     string    `json:"query"`
		Variables variables `json:"variables"`
	}{string(text), v})
	if err != nil {
		return nil, err
	}
	resp, err := a.client.Do(ctx, client.Request{
		Method: http.MethodPost, Path: a.graphql(), Body: body, Where: where,
		Header: http.Header{"Content-Type": {"application/json"}},
		Limit:  a.settings.MaxAnswerBytes, SlowTries: slowTries,
		Judge: func(resp *client.Response) error { return judge(resp, optional, read) },
	})
	if err != nil {
		return nil, err
	}
	return resp.Header, nil
}

// judge decides on the body, as GraphQL puts most failures into status 200: data is
// never read past an error, unless all of them are of the optional part.
func judge(resp *client.Response, optional []string, read func(strictjson.Object, error) error) error {
	doc, err := strictjson.Parse(resp.Body)
	if err != nil {
		return &client.Error{Kind: client.Malformed, Status: resp.Status}
	}
	root := doc.Object()
	var lost error
	if errs := root.Get("errors"); !errs.Missing() {
		for _, item := range errs.Array() {
			if failed := failure(resp, item); len(optional) == 0 || !within(item, optional) {
				return failed
			} else if lost == nil {
				lost = failed
			}
		}
	}
	data := root.Get("data")
	if doc.Err() != nil || !data.IsObject() {
		return &client.Error{Kind: client.Malformed, Status: resp.Status, Detail: "there is no data"}
	}
	if err := read(data.Object(), lost); err != nil {
		return err
	}
	if err := doc.Err(); err != nil {
		return &client.Error{Kind: client.Malformed, Status: resp.Status, Detail: err.Error()}
	}
	return nil
}

// within reports whether an error says that it is one of the part at path.
func within(item strictjson.Value, path []string) bool {
	if !item.IsObject() || item.Object().Get("path").Missing() {
		return false
	}
	at := item.Object().Array("path")
	if len(at) < len(path) {
		return false
	}
	for i, name := range path {
		if textOr(at[i]) != name {
			return false
		}
	}
	return true
}

// failures maps the error types of GraphQL to kinds. Types that are not listed are
// failures of the server when they come without a code, else refused queries.
var failures = map[string]client.Kind{
	"NOT_FOUND":                client.NotFound,
	"FORBIDDEN":                client.Forbidden,
	"INSUFFICIENT_SCOPES":      client.Forbidden,
	"MAX_NODE_LIMIT_EXCEEDED":  client.TooLarge,
	"RESOURCE_LIMITS_EXCEEDED": client.TooLarge,
}

func failure(resp *client.Response, item strictjson.Value) error {
	if !item.IsObject() {
		return &client.Error{Kind: client.Malformed, Status: resp.Status}
	}
	o := item.Object()
	kind, code, message := textOr(o.Get("type")), textOr(o.Get("code")), textOr(o.Get("message"))
	extensions := strictjson.Object{}
	if v := o.Get("extensions"); v.IsObject() {
		extensions = v.Object()
	}
	if kind == "RATE_LIMITED" || kind == "RATE_LIMIT" || code == "graphql_rate_limit" {
		return client.Limit(resp, strings.Contains(strings.ToLower(message), "secondary"))
	}
	e := &client.Error{Status: resp.Status, Message: message, Needs: scopesIn(message)}
	if v := extensions.Get("saml_failure"); !v.Missing() {
		e.Kind, e.Reason, e.Detail = client.Forbidden, "sso", "the organisation's single sign-on is not authorised for the token"
		return e
	}
	known, ok := failures[kind]
	switch {
	case ok:
		e.Kind = known
	case kind == "" && textOr(extensions.Get("code")) == "":
		e.Kind = client.ServerError // "something went wrong": another try may help
	default:
		e.Kind, e.Detail = client.Unexpected, "the query is refused"
	}
	return e
}

// scopesIn reads the scopes of which a refusal says that one is missing.
func scopesIn(message string) string {
	_, list, found := strings.Cut(message, "one of the following scopes: ['")
	list, _, closed := strings.Cut(list, "']")
	if list = strings.ReplaceAll(list, "', '", ", "); !found || !closed || !scopeList.MatchString(list) {
		return ""
	}
	return "one of the scopes " + list
}

// scopeList is a list of names of scopes. No token has this form: it has no digit.
var scopeList = regexp.MustCompile(`^[a-z][a-z_:, ]{0,200}$`)

func textOr(v strictjson.Value) string {
	if v.IsText() {
		return v.Text()
	}
	return ""
}

// Page sizes. A query that is too slow for the server fails with 502 however often it
// is sent, so the page is halved, down to smallestPage.
const (
	listPage     = 100
	threadPage   = 50
	suitePage    = 25
	innerPage    = 50 // of a list inside a list
	smallestPage = 5
	pageTries    = 2 // before a page is halved
)

// page gives a page size within the settings.
func (a *adapter) page(size int) int {
	if most := a.settings.MaxPage; most > 0 {
		return min(size, most)
	}
	return size
}

// pages reads one page of a connection, with smaller pages when the server gives up.
// connection picks it out of data.
type pages struct {
	adapter   *adapter
	operation string
	where     string
	variables variables
	size      int
	pick      func(data strictjson.Object) (strictjson.Object, error)
	total     string // name of the total, "totalCount" or "filteredCount"

	// optional is the path of a part of the answer that may fail without the rest; lost is
	// why it did.
	optional []string
	lost     *error

	date time.Time // of the first page
}

// part is what a page says beside its nodes.
type part struct {
	next  string
	total *int64
	date  time.Time
}

func (p *pages) read(ctx context.Context, cursor string, each func(nodes []strictjson.Value) error) (got part, err error) {
	for {
		v := variables{"first": p.size, "cursor": nil}
		if cursor != "" {
			v["cursor"] = cursor
		}
		for name, value := range p.variables {
			v[name] = value
		}
		smaller := p.size/2 >= smallestPage
		tries := 0
		if smaller {
			tries = pageTries
		}
		var header http.Header
		header, err = p.adapter.partial(ctx, p.operation, p.where, v, tries, p.optional, func(data strictjson.Object, lost error) error {
			if lost != nil {
				*p.lost = lost
			}
			o, err := p.pick(data)
			if err == nil {
				got, err = connection(o, p.total, each)
			}
			return err
		})
		if err == nil || !smaller || !client.IsKind(err, client.ServerError, client.TooLarge) || client.OverTotal(err) {
			if got.date = forge.Date(header); cursor == "" {
				p.date = got.date
			}
			return got, err
		}
		p.size /= 2
	}
}

// connection reads one page of a connection. A null node is an object that the token
// may not see: the page has failed (AMB-42).
func connection(o strictjson.Object, total string, each func(nodes []strictjson.Value) error) (part, error) {
	var nodes []strictjson.Value
	if list := o.Nullable("nodes"); !list.Missing() { // null holds nothing, as [] does
		nodes = list.Array()
	}
	for _, n := range nodes {
		if n.Null() {
			return part{}, forge.ErrNullObject
		}
	}
	got := part{total: o.OptInt(total)}
	info := o.Object("pageInfo")
	if info.Bool("hasNextPage") {
		if got.next = info.Text("endCursor"); got.next == "" {
			return part{}, &client.Error{Kind: client.Malformed, Status: http.StatusOK, Detail: "a page has a successor without a cursor"}
		}
	}
	return got, each(nodes)
}

// reader reads an element of a list.
type reader[T any] func(o strictjson.Object) forge.Item[T]

// list reads all pages of a connection into a list. A cursor is no promise that nothing
// moves: where it counts elements, one that is deleted in front hides another (AMB-82).
func list[T any](ctx context.Context, p *pages, read reader[T]) ([]T, error) {
	return embedded[T]{}.rest(ctx, p, read)
}

func itemsOf[T any](nodes []strictjson.Value, read reader[T]) []forge.Item[T] {
	items := make([]forge.Item[T], len(nodes))
	for i, n := range nodes {
		items[i] = read(n.Object())
		items[i].Raw = n.Raw()
	}
	return items
}

// embedded is the first page of a nested connection, as it came with its parent; the zero
// value is none.
type embedded[T any] struct {
	came  bool
	items []forge.Item[T]
	part
	err error
}

func embed1[T any](o strictjson.Object, read reader[T]) (e embedded[T]) {
	e.came = true
	e.part, e.err = connection(o, "totalCount", func(nodes []strictjson.Value) error {
		e.items = itemsOf(nodes, read)
		return nil
	})
	return e
}

// rest reads the whole list: the page that came along, then the pages behind it. If the
// list moved, it is read again from its start through p alone.
func (e embedded[T]) rest(ctx context.Context, p *pages, read reader[T]) ([]T, error) {
	return forge.Collect(ctx, func(ctx context.Context, cursor string) (forge.Page[T], error) {
		got, items, err := e.part, e.items, e.err
		if !e.came || cursor != "" {
			got, err = p.read(ctx, cursor, func(nodes []strictjson.Value) error {
				items = itemsOf(nodes, read)
				return nil
			})
		}
		e.came = false
		page := forge.Page[T]{Items: items, Next: got.next, Total: got.total, Date: got.date}
		if got.total != nil {
			page.Most = int(min((*got.total+smallestPage-1)/smallestPage, 1<<20))
		}
		return page, err
	})
}

// node picks a connection of the node that a query asked for.
func node(member string) func(strictjson.Object) (strictjson.Object, error) {
	return func(data strictjson.Object) (strictjson.Object, error) {
		return data.Object("node").Object(member), nil
	}
}
