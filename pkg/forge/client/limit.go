package client

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"snapline/pkg/json/strictjson"
)

// repeat runs attempt until it succeeds or must not be repeated.
func (c *Client) repeat(ctx context.Context, r Request, attempt func(context.Context) (*Response, error)) (*Response, error) {
	for try := 1; ; {
		resp, err := attempt(ctx)
		if err == nil && r.Judge != nil {
			err = r.Judge(resp)
		}
		if err == nil {
			c.calm()
			return resp, nil
		}
		e, ok := err.(*Error)
		if !ok {
			return nil, err
		}
		if e.Where == "" {
			e.Where = r.Where
		}
		switch {
		case e.Kind == Limited:
			if !c.reserve(e) {
				return nil, e
			}
		case try < e.tries(r):
			if err := c.cfg.Clock.Sleep(ctx, c.pause(try-1)); err != nil {
				return nil, c.interrupted(r, err)
			}
			try++
		default:
			return nil, e
		}
	}
}

// tries says how often a request that ends in e is sent in all.
func (e *Error) tries(r Request) int {
	switch e.Kind {
	case Unreachable:
		if e.cause != nil {
			return 1 // interrupted
		}
		return maxTries
	case Malformed:
		return maxTries
	case ServerError:
		switch e.Status {
		case http.StatusOK, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			if r.SlowTries > 0 {
				return r.SlowTries
			}
			return maxTries
		}
		return failureTries
	}
	return 1
}

const unsaidWait = time.Minute // a limit without a time: at least this, then growing

// reserve makes all requests wait for the end of a limit, if the budget allows it.
func (c *Client) reserve(e *Error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.cfg.Clock.Now()
	fresh := !now.Before(c.notBefore)
	if fresh {
		c.strikes++
	}
	grown := time.Second << min(max(c.strikes-1, 0), 10)
	until, said := limitEnd(e.header, now)
	if !said {
		until = now.Add(unsaidWait / time.Second * grown)
	} else if until.Before(now.Add(grown)) {
		until = now.Add(grown) // a server that keeps saying "soon" is asked less and less
	}
	if until.After(c.notBefore) {
		from := now
		if !fresh {
			from = c.notBefore
		}
		extra := until.Sub(from)
		if c.waited+extra > c.cfg.MaxWait {
			e.Reset = until
			return false
		}
		c.waited += extra
		c.notBefore = until
		if c.cfg.Observe != nil {
			c.cfg.Observe(Event{Requests: c.requests, Wait: extra})
		}
	}
	if e.secondary {
		c.gate.narrow()
	}
	return true
}

// hold waits until no limit is in force.
func (c *Client) hold(ctx context.Context) error {
	for {
		c.mu.Lock()
		d := c.notBefore.Sub(c.cfg.Clock.Now())
		c.mu.Unlock()
		if d <= 0 {
			return ctx.Err()
		}
		if err := c.cfg.Clock.Sleep(ctx, d); err != nil {
			return err
		}
	}
}

func (c *Client) calm() {
	c.mu.Lock()
	c.strikes = 0
	c.mu.Unlock()
}

// limitEnd reads when a limit ends: Retry-After in seconds or as a date, else the
// reset of an exhausted budget. At least a second from now.
func limitEnd(h http.Header, now time.Time) (time.Time, bool) {
	atLeast := func(t time.Time) (time.Time, bool) {
		if soon := now.Add(time.Second); t.Before(soon) {
			return soon, true
		}
		return t, true
	}
	if after := strings.TrimSpace(h.Get("Retry-After")); after != "" {
		if seconds, err := strconv.ParseUint(after, 10, 31); err == nil {
			return atLeast(now.Add(time.Duration(seconds) * time.Second))
		}
		if t, err := http.ParseTime(after); err == nil {
			return atLeast(t)
		}
	}
	for _, name := range resetHeaders {
		if h.Get(name.remaining) != "0" {
			continue
		}
		if epoch, err := strconv.ParseInt(h.Get(name.reset), 10, 64); err == nil && epoch < 1<<40 {
			// The limit ends within the second that the server names.
			return atLeast(time.Unix(epoch+1, 0))
		}
	}
	return time.Time{}, false
}

var resetHeaders = []struct{ remaining, reset string }{
	{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
	{"Ratelimit-Remaining", "Ratelimit-Reset"},
}

// Limit gives the error of an answer that says, in its own way, that a rate limit
// was met. secondary narrows the client to one request at a time.
func Limit(resp *Response, secondary bool) *Error {
	e := &Error{Kind: Limited, Status: resp.Status, Detail: "primary rate limit", header: resp.Header, secondary: secondary}
	if secondary {
		e.Detail = "secondary rate limit"
	}
	return e
}

// Texts by which servers tell a lasting refusal from a limit of the moment, and the
// two limits apart. Compared case-insensitively, as prefixes.
var (
	lastingRefusals  = []string{"must have ", "resource not accessible", "resource protected by organization saml"}
	secondaryPhrases = []string{"you have exceeded a secondary rate limit", "you have triggered an abuse detection mechanism"}
	primaryPhrases   = []string{"api rate limit exceeded", "api rate limit already exceeded"}
)

// statusError gives the error of an answer whose status is not 200.
func statusError(r Request, resp *Response) *Error {
	e := &Error{Status: resp.Status, Where: r.Where, Message: message(resp.Body)}
	if limit := limitOf(resp, e.Message); limit != nil {
		limit.Where, limit.Message = e.Where, e.Message
		return limit
	}
	if strings.HasPrefix(resp.Header.Get("X-Github-Sso"), "required") {
		e.Reason = "sso"
	}
	switch {
	case resp.Status == http.StatusUnauthorized:
		e.Kind = Unauthenticated
	case resp.Status == http.StatusForbidden:
		e.Kind, e.Body, e.Needs = Forbidden, resp.Body, needs(resp.Header)
	case resp.Status == http.StatusNotFound:
		e.Kind = NotFound
	case resp.Status == http.StatusGone:
		e.Kind = Gone
	case resp.Status >= 500:
		e.Kind = ServerError
	default:
		e.Kind = Unexpected
	}
	return e
}

// needs reads the rights that a refusal names.
func needs(h http.Header) string {
	for _, header := range []struct{ name, words string }{
		{"X-Accepted-Github-Permissions", "one of the permissions "},
		{"X-Accepted-Oauth-Scopes", "one of the scopes "},
	} {
		if named := h.Get(header.name); rights.MatchString(named) {
			return header.words + named
		}
	}
	return ""
}

// rights is a list of names of rights. No token has this form: it has no digit.
var rights = regexp.MustCompile(`^[a-z][a-z_:=,; ]{0,200}$`)

// limitOf tells a limit from a refusal: 429 always, 403 by its text or headers.
func limitOf(resp *Response, text string) *Error {
	said := resp.Header.Get("Retry-After") != ""
	exhausted := false
	for _, name := range resetHeaders {
		exhausted = exhausted || resp.Header.Get(name.remaining) == "0"
	}
	switch resp.Status {
	case http.StatusTooManyRequests:
	case http.StatusForbidden:
		if hasPrefix(text, lastingRefusals) {
			return nil
		}
		if !said && !exhausted && !hasPrefix(text, secondaryPhrases) && !hasPrefix(text, primaryPhrases) {
			return nil
		}
	case http.StatusServiceUnavailable:
		if !said {
			return nil
		}
		return Limit(resp, false)
	default:
		return nil
	}
	return Limit(resp, !exhausted && !hasPrefix(text, primaryPhrases))
}

func hasPrefix(text string, prefixes []string) bool {
	text = strings.ToLower(text)
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// message gives the text of an error body, "" if it has none.
func message(body []byte) string {
	doc, err := strictjson.Parse(body)
	if err != nil || !doc.Root().IsObject() {
		return ""
	}
	for _, name := range []string{"message", "error"} {
		if v := doc.Object().Get(name); v.IsText() {
			return v.Text()
		}
	}
	return ""
}

// Next gives the address of the next page from a Link header, "" on the last page.
func Next(h http.Header) string {
	for _, header := range h.Values("Link") {
		// A comma parts links but may also stand in an address, so "<" does.
		for _, link := range strings.Split(header, "<")[1:] {
			target, params, ok := strings.Cut(link, ">")
			if !ok {
				continue
			}
			for _, p := range strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ',' }) {
				name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.Trim(value, `"`)), "next") {
					return target
				}
			}
		}
	}
	return ""
}
