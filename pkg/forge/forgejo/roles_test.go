package forgejo_test

import (
	"testing"

	"snapline/pkg/forge/forgetest"
)

func TestRolesWithoutAnAnswer(t *testing.T) {
	forgetest.Roles(t, onServer(busy()), "/collaborators/p1/permission", "/collaborators/p2/permission")
}
