package gitlab_test

import (
	"testing"

	"snapline/pkg/forge/forgetest"
)

func TestRolesWithoutAnAnswer(t *testing.T) {
	forgetest.Roles(t, onServer(busy()), "/members/all/1", "/members/all/2")
}
