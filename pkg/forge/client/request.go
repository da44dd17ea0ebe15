package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Request is one question to the origin.
type Request struct {
	Method string // "" means GET
	// Path is the escaped path, query included, or a whole URL of the same origin (the
	// next page of a list).
	Path   string
	Body   []byte
	Header http.Header // beside the client's own
	Where  string      // what is asked for, in words for diagnostics ("comments")
	Limit  int64       // cap of the answer in bytes; required
	// SlowTries is how often to try in all when the server says that it is overloaded or
	// too slow, for callers that then ask for less; 0 means as often as for broken transfers.
	SlowTries int

	// Judge looks at an answer of status 200 before it counts as one: forges put
	// failures and limits into good answers, and text that does not parse is a broken
	// transfer. Its error should be an *Error; Limited, ServerError and Malformed are
	// treated as if the status had said so.
	Judge func(*Response) error
}

const (
	maxTries     = 4 // of a request whose transfer or answer is broken, or with 502 to 504
	failureTries = 2 // of a request that the server fails on with another 5xx
)

func (r Request) reads() bool { return r.Method == "" || r.Method == http.MethodGet }

// Response is a complete answer within its cap.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request to the origin until there is an answer of status 200, or it
// fails for good. Redirects of a GET within the origin (renamed repositories) are
// followed; any other is refused.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	target, err := c.resolve(r)
	if err != nil {
		return nil, &Error{Kind: Redirected, Where: r.Where, Detail: "the server names a page on another host"}
	}
	resp, err := c.repeat(ctx, r, func(ctx context.Context) (*Response, error) {
		return c.follow(ctx, r, target)
	})
	if err != nil {
		return nil, err
	}
	c.dated(resp.Header)
	if !c.receive(ctx, int64(len(resp.Body))) {
		return nil, &Error{Kind: TooLarge, Where: r.Where, Detail: "all answers together are over the cap", total: true}
	}
	return resp, nil
}

// dated keeps the date of the first answer.
func (c *Client) dated(h http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests > 0 && !c.answered {
		c.answered = true
		c.date, _ = http.ParseTime(h.Get("Date"))
	}
}

// Date is the server's clock at its first answer, zero if it stated none.
func (c *Client) Date() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.date
}

// Download gets a file that the origin answers itself or by one redirect to another
// place, which is asked without any credential and may not redirect again. If that
// place says 403 or 404, a fresh redirect is asked for once. Over Limit it fails
// with TooLarge.
func (c *Client) Download(ctx context.Context, r Request) (*Response, error) {
	target, err := c.resolve(r)
	if err != nil {
		return nil, &Error{Kind: Redirected, Where: r.Where}
	}
	stale := false
	return c.repeat(ctx, r, func(ctx context.Context) (*Response, error) {
		for {
			resp, hop, err := c.hop(ctx, r, target)
			refused := hop && IsKind(err, Forbidden, NotFound, Unauthenticated)
			if refused && !stale {
				stale = true // the link was too old: ask for a fresh one
				continue
			}
			if refused {
				// What another place says of its link says nothing about our rights.
				return nil, &Error{Kind: Unexpected, Where: r.Where, Detail: "the place that the file was moved to refuses it"}
			}
			return resp, err
		}
	})
}

func (c *Client) hop(ctx context.Context, r Request, target *url.URL) (resp *Response, hop bool, err error) {
	for range maxRedirects + 1 {
		resp, err = c.send(ctx, r, target, true)
		if err != nil || !isRedirect(resp.Status) {
			return resp, false, orStatus(r, resp, err)
		}
		next, err := target.Parse(resp.Header.Get("Location"))
		if err != nil || next.Host == "" || next.User != nil || CheckScheme(next) != nil ||
			(c.origin.Scheme == "https" && next.Scheme != "https") {
			return nil, true, &Error{Kind: Redirected, Status: resp.Status, Where: r.Where}
		}
		if resp.Status != http.StatusFound && resp.Status != http.StatusSeeOther && sameOrigin(next, c.origin) {
			c.moved(target, next) // the repository was renamed
			target = next
			continue
		}
		resp, err = c.send(ctx, r, next, false)
		if err == nil && isRedirect(resp.Status) {
			return nil, true, &Error{Kind: Redirected, Status: resp.Status, Where: r.Where}
		}
		return resp, true, orStatus(r, resp, err)
	}
	return nil, false, &Error{Kind: Redirected, Where: r.Where, Detail: "too many in a row"}
}

const maxRedirects = 3

func (c *Client) follow(ctx context.Context, r Request, target *url.URL) (*Response, error) {
	for range maxRedirects + 1 {
		resp, err := c.send(ctx, r, target, true)
		if err != nil || !isRedirect(resp.Status) {
			return resp, orStatus(r, resp, err)
		}
		next, err := target.Parse(resp.Header.Get("Location"))
		if err != nil || next.User != nil || !sameOrigin(next, c.origin) || !r.reads() {
			return nil, &Error{Kind: Redirected, Status: resp.Status, Where: r.Where}
		}
		if resp.Status != http.StatusFound && resp.Status != http.StatusSeeOther {
			c.moved(target, next)
		}
		target = next
	}
	return nil, &Error{Kind: Redirected, Where: r.Where, Detail: "too many in a row"}
}

// resolve gives the address of a request, on the origin or nowhere.
func (c *Client) resolve(r Request) (*url.URL, error) {
	u, err := c.origin.Parse(r.Path)
	if err != nil || u.User != nil || !sameOrigin(u, c.origin) {
		return nil, errors.New("client: another origin")
	}
	if !r.reads() {
		return u, nil // what is no GET is never redirected
	}
	return c.renamed(u), nil
}

// moved learns from a redirect where a repository went: the paths without what both end
// in are its old and its new place.
func (c *Client) moved(from, to *url.URL) {
	before, after := strings.Split(from.EscapedPath(), "/"), strings.Split(to.EscapedPath(), "/")
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	if len(before) < 2 || len(after) < 2 {
		return // a change of the whole API's place is no rename
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil {
		c.places = map[string]string{}
	}
	c.places[strings.Join(before, "/")] = strings.Join(after, "/")
}

// renamed gives the address that a redirect has led to before, so that a repository with
// a new name is asked for once by its old one.
func (c *Client) renamed(u *url.URL) *url.URL {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := u.EscapedPath()
	for i := len(path); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		place, known := c.places[path[:i]]
		if !known {
			continue
		}
		next := *u
		next.RawPath = place + path[i:]
		unescaped, err := url.PathUnescape(next.RawPath)
		if err != nil {
			return u
		}
		next.Path = unescaped
		return &next
	}
	return u
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// maxErrorBody is how much is read of an answer that is no success; the rest is not
// needed.
const maxErrorBody = 64 << 10

// send makes one exchange. It holds a place in flight until the body is read.
func (c *Client) send(ctx context.Context, r Request, target *url.URL, trusted bool) (*Response, error) {
	if err := c.gate.enter(ctx); err != nil {
		return nil, c.interrupted(r, err)
	}
	defer c.gate.leave()
	if err := c.hold(ctx); err != nil {
		return nil, c.interrupted(r, err)
	}
	limited, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()

	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(limited, method, target.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, &Error{Kind: Unexpected, Where: r.Where, Detail: "the request could not be made"}
	}
	if trusted && sameOrigin(target, c.origin) {
		copyHeader(req.Header, c.cfg.Header)
		copyHeader(req.Header, r.Header)
		c.cfg.Credential.apply(req.Header)
	}
	req.Header.Set("User-Agent", c.cfg.UserAgent)
	c.count()

	answer, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.broken(ctx, r, 0, err)
	}
	defer answer.Body.Close()
	limit := r.Limit
	if answer.StatusCode != http.StatusOK {
		limit = maxErrorBody
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, r, answer.StatusCode, err)
	}
	if int64(len(body)) > limit && answer.StatusCode == http.StatusOK {
		return nil, &Error{Kind: TooLarge, Status: answer.StatusCode, Where: r.Where}
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// broken is the error of a transfer without an end; the transport's own text may
// hold addresses and is told in our words.
func (c *Client) broken(ctx context.Context, r Request, status int, cause error) error {
	if err := ctx.Err(); err != nil {
		return c.interrupted(r, err)
	}
	return &Error{Kind: Unreachable, Status: status, Where: r.Where, Detail: whyBroken(cause)}
}

// whyBroken names the failures of a transport that somebody can mend; "" for others.
func whyBroken(err error) string {
	var (
		lookup      *net.DNSError
		certificate *tls.CertificateVerificationError
		slow        net.Error
	)
	switch {
	case errors.As(err, &lookup):
		return "the host's name cannot be looked up"
	case errors.As(err, &certificate):
		return "the host's certificate is not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection is refused"
	case errors.As(err, &slow) && slow.Timeout():
		return "it took too long"
	}
	return ""
}

func (c *Client) interrupted(r Request, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Kind: Unreachable, Where: r.Where, Detail: "interrupted", cause: err}
}

func (c *Client) count() {
	c.mu.Lock()
	c.requests++
	n := c.requests
	c.mu.Unlock()
	if c.cfg.Observe != nil {
		c.cfg.Observe(Event{Requests: n})
	}
}

func copyHeader(dst, src http.Header) {
	for name, values := range src {
		dst[name] = values
	}
}

// orStatus turns an answer of a status other than 200 into its error.
func orStatus(r Request, resp *Response, err error) error {
	if err != nil {
		return err
	}
	if resp.Status == http.StatusOK {
		return nil
	}
	return statusError(r, resp)
}

// pause is how long to wait before the next try, growing and with jitter.
func (c *Client) pause(try int) time.Duration {
	base := time.Second << min(try, 5)
	return base/2 + time.Duration(c.cfg.Random()*float64(base/2))
}
