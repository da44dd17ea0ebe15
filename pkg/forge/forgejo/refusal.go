package forgejo

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"snapline/pkg/forge/client"
)

// scope is the form of the scopes that Forgejo names in a refusal. Nothing else of an
// answer's text is repeated: that of a revoked token holds the token.
var scope = regexp.MustCompile(`\b(?:read|write):(?:activitypub|admin|issue|misc|notification|organization|package|repository|user)\b`)

// explain adds to a refusal which scope the server asks for.
func explain(err error) error {
	var e *client.Error
	if !errors.As(err, &e) || e.Kind != client.Forbidden {
		return err
	}
	named := scope.FindAllString(e.Message, 8)
	slices.Sort(named)
	if named = slices.Compact(named); len(named) > 0 {
		e.Detail = "the token lacks the scope " + strings.Join(named, ", ")
	}
	return err
}

const missingRight = "permission look-ups are refused: "

// missing says which right a refused look-up lacks, in the server's word if it has one.
func missing(err error) string {
	var e *client.Error
	if errors.As(err, &e) && e.Detail != "" {
		return missingRight + e.Detail
	}
	return missingRight + "the token must belong to an administrator of the repository"
}
