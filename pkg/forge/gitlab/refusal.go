package gitlab

import (
	"errors"
	"slices"
	"strings"

	"snapline/pkg/forge/client"
	"snapline/pkg/json/strictjson"
)

// scopes are the token scopes whose names GitLab may put into a refusal. Nothing else of
// an answer's text is repeated: it may hold the token.
var scopes = []string{"api", "read_api", "read_user", "read_repository", "write_repository", "read_service_ping", "sudo", "admin_mode", "ai_features", "k8s_proxy", "self_rotate"}

// explain adds to a refusal which scope the server asks for.
func explain(err error) error {
	var e *client.Error
	if !errors.As(err, &e) || e.Kind != client.Forbidden {
		return err
	}
	if named := namedScopes(e.Body); named != "" {
		e.Detail = "the token needs one of the scopes " + named
	}
	return err
}

// namedScopes gives the known scopes that the answer of a refusal names.
func namedScopes(body []byte) string {
	doc, err := strictjson.Parse(body)
	if err != nil || !doc.Root().IsObject() {
		return ""
	}
	v := doc.Object().Get("scope")
	if !v.IsText() {
		return ""
	}
	var named []string
	for _, word := range strings.Fields(v.Text()) {
		if slices.Contains(scopes, word) && !slices.Contains(named, word) {
			named = append(named, word)
		}
	}
	return strings.Join(named, ", ")
}

const missingRight = "look-ups of users or members are refused: "

// missing says which right a refused look-up lacks, in the server's word if it has one.
func missing(err error) string {
	var e *client.Error
	if errors.As(err, &e) && e.Detail != "" {
		return missingRight + e.Detail
	}
	return missingRight + "the token needs the scope read_api and, for a private group, membership"
}
