package gitlab

import (
	"regexp"

	"snapline/pkg/forge"
	"snapline/pkg/json/strictjson"
)

// migration is the one import that brings people along: direct transfer between
// instances maps accounts or puts placeholders in their place.
const migration = "gitlab_migration"

// placeholder is the form that GitLab gives to the names of placeholder users.
var placeholder = regexp.MustCompile(`_placeholder_user_[0-9]+$`)

// isImported reports that a text came from another forge and stands under the account
// that ran the import, so that nobody can tell whose words it is (AMB-80).
func isImported(o strictjson.Object, author *forge.Account) bool {
	if !isTrue(o, "imported") {
		return false
	}
	from := o.OptText("imported_from")
	switch {
	case from == nil:
		return true
	case *from == "none":
		return false
	case *from == migration:
		return author != nil && placeholder.MatchString(author.Login)
	}
	return true
}
