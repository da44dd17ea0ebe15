package client

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind says why a request gave no usable answer.
type Kind uint8

// The kinds.
const (
	Unreachable     Kind = iota + 1 // no answer or a broken transfer, also after repeats
	ServerError                     // 5xx, also after repeats where repeats make sense
	Malformed                       // an answer that is not what the API promises
	Limited                         // a rate limit that could not be waited out
	Unauthenticated                 // 401
	Forbidden                       // 403 that is no limit
	NotFound                        // 404
	Gone                            // 410
	TooLarge                        // the answer is over the request's cap
	Redirected                      // a redirect that no rule allows
	Unexpected                      // any other status
)

var kindText = map[Kind]string{
	Unreachable: "no complete answer", ServerError: "the server failed", Malformed: "the answer is malformed",
	Limited: "a rate limit could not be waited out", Unauthenticated: "the credentials are refused",
	Forbidden: "access is refused", NotFound: "not found, or not visible to the token", Gone: "gone",
	TooLarge: "the answer is too large", Redirected: "a redirect leads to another place and is not followed",
	Unexpected: "an unexpected status",
}

// Error is a failed request. Its text is made of our own words: no URL query, no
// server text, no credential.
type Error struct {
	Kind   Kind
	Status int       // HTTP status, 0 when there was no answer
	Where  string    // what was asked for, in the adapter's words ("comments")
	Detail string    // own words, for example which limit
	Reset  time.Time // Limited: when the limit ends, if the server says so

	// Reason is what the server says is wrong, a word of an adapter's own table (for
	// example "saml"); "" when unknown.
	Reason string
	// Needs names the rights of which the server wants one, as it names them itself: a
	// header of GitHub that lists permissions or scopes; "" when it does not say.
	Needs string
	// Message is the server's own text. It is for comparing only and never printed: a
	// refusal may repeat the token.
	Message string
	// Body is the whole answer of a refusal, for an adapter that knows its members. It
	// is never printed either.
	Body []byte

	cause     error
	total     bool        // TooLarge: all answers together, not this one
	header    http.Header // Limited: of the answer that said so
	secondary bool
}

// Error gives one sentence.
func (e *Error) Error() string {
	s := kindText[e.Kind]
	if e.Where != "" {
		s = e.Where + ": " + s
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Needs != "" {
		s += ": the token needs " + e.Needs
	}
	if !e.Reset.IsZero() {
		s += "; it resets at " + e.Reset.UTC().Format(time.RFC3339)
	}
	return s
}

// Unwrap gives context errors to errors.Is; other causes may hold addresses and stay
// inside.
func (e *Error) Unwrap() error { return e.cause }

// IsKind reports whether err is an Error of one of the kinds.
func IsKind(err error, kinds ...Kind) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, k := range kinds {
		if e.Kind == k {
			return true
		}
	}
	return false
}
